"""Read arrays: files from `save_vectors`, and matrices whose words are in a file next to them.

A native folder contains ``vectors.npy`` and ``words.txt`` (in UTF-8). Row i of the matrix belongs
to the word on line i. The matrix is memory-mapped, so reading a few words is fast even if the file
is large. Ranks are the numbers of lines, unless there is a file ``ranks.npy``, which is an empty
array if the frequency of words is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._core.checks import require_extra
from ..._core.reading import damage_named
from ...tables.spellings import KeyedVectors
from ..source import Chunk, ChunksOf, Embedding, Ranks, array_chunks
from .keyed import Vectors
from .matrices import check_matrix
from .text import NANS
from .word_files import native_words, place_of_words, words_of_rows

FOREIGN = (
    "is damaged, or is not a file from save_vectors; for other arrays, use numpy.load, and pass "
    "(words, array)"
)

FILES = VECTORS, WORDS, RANKS = "vectors.npy", "words.txt", "ranks.npy"

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
TYPES |= {f"{sign}{8 * n}": f"<{sign.lower()}{n}" for sign in "IU" for n in (1, 2, 4, 8)}
"""NumPy's names of the types in safetensors files."""


def read_npz(source: Embedding) -> KeyedVectors:
    """Read a file from `save_vectors`; only ``words`` and ``vectors`` are required."""
    with (
        source.local() as path,
        damage_named(source.path, FOREIGN),
        path.open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        vectors = _part(arrays, "")
        sample = any(name.startswith("sample_words") for name in arrays)
        vectors.sample = _part(arrays, "sample_") if sample else None
        return vectors


def _part(arrays: Mapping[str, np.ndarray], first: str) -> Vectors:
    """Return the words, vectors, forms, and ranks in arrays whose names start with `first`."""
    # A member that is not an array is read as bytes, which become an array of shape ().
    found = np.asarray(arrays[f"{first}vectors"])
    check_matrix(found, f"{first}vectors")
    vectors = found.astype(np.float32, copy=False)
    words = _texts(arrays, f"{first}words")
    forms = _texts(arrays, f"{first}read_as", words)
    given = arrays.get(f"{first}ranks")
    ranks = None if given is None else np.asarray(given).astype(np.int64).ravel()
    for name, part in (("words", words), ("read_as", forms), ("ranks", ranks)):
        if part is not None and len(part) != len(vectors):
            text = f"{first}{name} has {len(part):,} entries, but {first}vectors has "
            raise ValueError(f"{text}{vectors.shape}")
    return Vectors(words, vectors, forms, ranks)


def _texts(
    arrays: Mapping[str, np.ndarray], name: str, otherwise: list[str] | None = None
) -> list[str]:
    """Return texts that `packed_texts` packed, or that earlier versions saved as an array."""
    if f"{name}_utf8" in arrays:
        ends = np.asarray(arrays[f"{name}_ends"]).astype(np.int64)
        content = np.asarray(arrays[f"{name}_utf8"], dtype=np.uint8).tobytes()
        starts = [0, *ends.tolist()]
        if starts[-1] != len(content) or (np.diff(starts) < 0).any():
            raise ValueError(f"{name}_ends does not fit {name}_utf8")
        return [content[a:b].decode(errors="surrogatepass") for a, b in pairwise(starts)]
    if otherwise is not None and name not in arrays:
        return otherwise
    texts: list[str] = np.asarray(arrays[name]).astype(np.str_).reshape(-1).tolist()
    return texts


def packed_texts(name: str, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Return texts as UTF-8 bytes with the position where each ends; one long text costs little."""
    parts = [text.encode(errors="surrogatepass") for text in texts]
    return {
        f"{name}_utf8": np.frombuffer(b"".join(parts), dtype=np.uint8),
        f"{name}_ends": np.cumsum([len(part) for part in parts], dtype=np.int64),
    }


def matrix_chunks(kind: str) -> ChunksOf:
    """Return the generator for a matrix in a file of this kind, or in a native folder."""

    def chunks(source: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        with source.local() as path:
            if path.is_dir():
                named, place = path / VECTORS, path / WORDS
                matrix, words = _matrix(source, named, kind), native_words(place)
            else:
                named, matrix = source.path, _matrix(source, path, kind)
                place = place_of_words(named)
                words = words_of_rows(place, len(matrix), allow_pickle=source.allow_pickle)
            if len(words) != len(matrix):
                head = f"if the first line of {place.name} is a header, delete it; otherwise, "
                raise ValueError(
                    f"{named} has unequal numbers of words and vectors ({len(words):,} in "
                    f"{place.name}, and {len(matrix):,}); "
                    f"{head * (len(words) == len(matrix) + 1)}create it again"
                )
            source.expected, ranks = len(words), np.arange(1, len(words) + 1)
            if (own := path / RANKS).is_file():
                found = _ranks(own, len(words))
                source.ranked = len(found) > 0
                ranks = found if source.ranked else ranks
            yield from array_chunks(words, matrix, ranks, wanted)

    return chunks


def _ranks(path: Path, n_words: int) -> Ranks:
    """Return the ranks in a native folder, one for each word, or none if they are unknown."""
    what = "is damaged, or does not belong to the words next to it; create the folder again"
    with damage_named(path, what):
        ranks: Ranks = np.load(path, allow_pickle=False)
        if ranks.dtype != np.int64 or ranks.shape not in ((n_words,), (0,)):
            raise ValueError(f"{ranks.dtype} values of shape {ranks.shape} for {n_words:,} words")
    return ranks


def _matrix(source: Embedding, path: Path, kind: str) -> np.ndarray:
    """Read a matrix: memory-mapped, from a safetensors file, or from lines of numbers."""
    named = path if source.path.is_dir() else source.path
    what = f"is damaged, or is not a .{kind} file with one matrix"
    what += "; load pickled objects with np.load(..., allow_pickle=True).item()" * (kind == "npy")
    with damage_named(named, what):
        if kind == "npy":
            matrix: np.ndarray = np.lib.format.open_memmap(path, mode="r")
        elif kind == "safetensors":
            (matrix,) = read_tensors(path).values()
        else:
            sep = source.layout.between.decode()
            sep = r"\s+" if sep.isspace() else sep
            options: dict[str, Any] = {"header": None, "keep_default_na": False, "comment": "#"}
            options["na_values"] = NANS
            matrix = pd.read_csv(path, sep=sep, dtype=np.float32, **options).to_numpy()
    check_matrix(matrix, str(named))
    return matrix


def read_tensors(path: Path) -> dict[str, NDArray[np.generic]]:
    """Read the arrays in a safetensors file; bfloat16 becomes float32."""
    require_extra("safetensors files", "safetensors", "safetensors")
    import safetensors

    deserialize: Callable[[bytes], Any] = safetensors.deserialize
    try:
        parts = deserialize(path.read_bytes())
    except safetensors.SafetensorError as error:
        raise ValueError(f"{error}") from None
    arrays = {}
    for name, part in parts:
        flat = np.frombuffer(part["data"], dtype=TYPES[part["dtype"]])
        if part["dtype"] == "BF16":  # the upper half of a float32
            flat = (flat.astype(np.uint32) << 16).view(np.float32)
        arrays[name] = flat.reshape(part["shape"])
    return arrays
