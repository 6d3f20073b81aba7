"""Convert vectors to a matrix of real numbers, and check matrices."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..._core.checks import check_labels, counted
from ...tables.schema import as_pandas, is_frame
from ..source import LARGEST_DIMS
from .columns import LIST

NUMBERS = "fiu"
"""NumPy's kinds of real numbers."""


def check_matrix(matrix: np.ndarray, where: str) -> None:
    """Raise a ValueError unless an array has rows of real numbers."""
    if matrix.ndim != 2 or matrix.dtype.kind not in NUMBERS or matrix.shape[1] > LARGEST_DIMS:
        raise ValueError(
            f"{where} has {matrix.dtype} values and shape {matrix.shape}; it must contain a matrix "
            "of real numbers with one row per word"
        )
    check_dims(matrix.shape[1], where)


def check_dims(n_dims: int, where: str) -> None:
    """Raise a ValueError for vectors with fewer than two numbers."""
    if n_dims < 2:
        raise ValueError(
            f"{where}: each word has {counted(n_dims, 'number')}, but vectors must have two or "
            "more, because cosines of single numbers are all 1 or -1"
        )


def matrix_of(words: Sequence[str], rows: Any) -> np.ndarray:  # noqa: ANN401
    """Return rows as a (n_words, n_dims) float32 array; a vector of None becomes NaN."""
    rows = array_of(rows)
    if not isinstance(rows, np.ndarray) or rows.dtype == object:
        rows = _stacked(words, rows)
    if np.iscomplexobj(rows):
        raise ValueError("vectors must be real numbers; got complex numbers")
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"vectors must be numeric and of the same length ({error})") from None
    if matrix.ndim != 2 or len(matrix) != len(words) or matrix.shape[1] < 2:
        one = "; one number is not a vector" * (matrix.shape[1:] == (1,))
        raise ValueError(f"vectors must have shape ({len(words)}, n_dims); got {matrix.shape}{one}")
    return matrix


def array_of(given: Any) -> Any:  # noqa: ANN401
    """Convert text, a frame, a masked array, a sparse matrix, or a layer or tensor of PyTorch."""
    if isinstance(given, list | tuple) or type(given) is np.ndarray:
        return given
    if isinstance(given, str):
        return from_text(given)
    if is_frame(given) and hasattr(type(given), "columns"):
        return as_pandas(given).to_numpy(dtype=np.float32, na_value=np.nan)
    if isinstance(given, np.ma.MaskedArray):
        return np.ma.filled(np.ma.MaskedArray(given, dtype=np.float32), np.nan)
    if hasattr(given, "toarray"):
        return given.toarray()
    given = given.weight if hasattr(getattr(given, "weight", None), "detach") else given
    return given.detach().float().cpu().numpy() if hasattr(given, "detach") else given


def from_text(text: str) -> Any:  # noqa: ANN401
    """Return the vector in a text: a list, as pandas writes it to a CSV file, or base64."""
    if LIST.match(text):
        if "..." in text:
            raise ValueError(
                f"the text {text[:30]!r} is an abbreviated vector, as NumPy prints it; save the "
                "table as Parquet, or its vectors as lists"
            )
        if "(" in text:  # of NumPy or PyTorch
            text = re.sub(r"(?s)\w[\w.]*\(|\)|(?<=\])\s*,\s*[a-z].*", "", text)
        numbers = text.strip(" []\n").replace(",", " ").replace(";", " ").split()
        return [float(number) for number in numbers]
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except ValueError as error:
        text = f"a vector is the text {text[:30]!r}, which is not base64 of float32 ({error})"
        raise ValueError(text) from None


def _stacked(words: Sequence[str], rows: Iterable[object]) -> Any:  # noqa: ANN401
    """Return vectors of one length; raise an error that names a word whose vector has another."""
    given = [array_of(row) for row in rows]
    check_labels(dict(zip(map(repr, words), given, strict=False)))
    sizes = [np.size(row) if np.ndim(row) else None for row in given]
    first, n_dims = next(((place, size) for place, size in enumerate(sizes) if size), (0, None))
    if n_dims is None:
        return given
    for word, row, size in zip(words, given, sizes, strict=False):
        if size not in (None, n_dims):
            raise ValueError(
                f"vectors must be numeric and of the same length; {words[first]!r} has {n_dims:,} "
                f"numbers, but {word!r} has {size:,}"
            )
        if size is None and not pd.isna(row):
            raise ValueError(
                f"each word needs a list of numbers, but that of {word!r} is {repr(row)[:30]}"
            )
    empty = np.full(n_dims, np.nan)
    return [empty if size is None else row for row, size in zip(given, sizes, strict=True)]
