"""Convert vectors in memory to words and rows: mappings, frames, records, and responses of APIs."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral, Number
from typing import Any

import numpy as np
import pandas as pd

from ..._core.frames import as_pandas, is_frame
from ...tables.spellings import KeyedVectors
from ..source import Chunk
from .frames import VECTOR_NAMES, WORD_NAMES, plain_name, words_and_rows
from .keyed import Vectors, without_empty

ACCEPTED = (
    "a path, the name of an embedding, KeyedVectors, a dict of arrays by word, a DataFrame with "
    "words, (words, array), a list of records such as {'text': 'he', 'embedding': [...]}, or an "
    "encoder (a function from a list of texts to an array)"
)

WITHOUT_WORDS = (
    "these are the vectors of an API's response, without the words. Pass (words, response) with "
    "the list of words that you sent, or dict(zip(words, vectors))"
)


def as_keyed(source: Any) -> KeyedVectors:  # noqa: ANN401
    """Convert vectors in memory to an object with the attributes of KeyedVectors."""
    vectors = source if is_frame(source) else getattr(source, "wv", source)
    if hasattr(vectors, "key_to_index") and hasattr(vectors, "vectors"):
        return vectors
    words, rows, ranks = _parts(source)
    words = [word.decode() if isinstance(word, bytes) else word for word in words]
    if wrong := [word for word in words if not isinstance(word, str)]:
        raise ValueError(
            f"each word in a {type(source).__name__} must be text; got {wrong[0]!r}. If the words "
            "are elsewhere, pass (words, array)"
        )
    matrix = _matrix(words, rows)
    if len(set(words)) < len(words):
        words, matrix, ranks = _once(words, matrix, ranks)
    known = np.arange(1, len(words) + 1) if ranks is None else ranks
    chunk = without_empty(Chunk(words, matrix, known), "the vectors given")
    return Vectors(chunk.words, chunk.vectors, ranks=None if ranks is None else chunk.ranks)


def is_encoder(source: object) -> bool:
    """Return whether an object makes vectors of texts: a function, or an object with ``encode``."""
    held = is_frame(source) or hasattr(source, "key_to_index") or hasattr(source, "wv")
    return not held and (callable(getattr(source, "encode", None)) or callable(source))


def encoded(encoder: Any, words: Sequence[str]) -> np.ndarray:  # noqa: ANN401
    """Return an encoder's (n_words, n_dims) vectors of words, which it gets in one call."""
    return _matrix(words, _rows(getattr(encoder, "encode", encoder)(list(words))))


def _parts(source: Any) -> tuple[list[Any], Any, np.ndarray | None]:  # noqa: ANN401
    """Return words, their vectors, and their ranks if they are known."""
    if is_frame(source):
        return words_and_rows(as_pandas(source))
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if isinstance(source, list | tuple) and len(source):
        if len(source) == 2 and (_are_words(source[0]) or _is_matrix(source[1])):
            return *_paired(*source), None
        if all(isinstance(one, list | tuple) and len(one) == 2 for one in source):
            return [word for word, _ in source], [row for _, row in source], None
        records = [_fields(one) for one in source]
        if all(records):
            return _of_records(records)
    if (listed := _listed(source)) is not None:
        return _of_records([_fields(one) for one in listed])
    raise TypeError(f"vectors must be {ACCEPTED}; got {type(source).__name__}")


def _of_mapping(source: Mapping[str, Any]) -> tuple[list[Any], Any, np.ndarray | None]:
    """Return the parts of a dict of vectors by word, or of a dict of columns."""
    names = {plain_name(name): name for name in reversed([*source])}
    texts = [names[n] for n in WORD_NAMES if n in names and _are_words(source[names[n]])]
    lists = [names[n] for n in VECTOR_NAMES if n in names]
    if texts and lists:
        rows = source[lists[0]]
        by_type = isinstance(rows, Mapping) and len(rows) == 1
        return *_paired(source[texts[0]], next(iter(rows.values())) if by_type else rows), None
    if (listed := _listed(source)) is not None:
        return _of_records([_fields(one) for one in listed])
    if source and all(map(_is_record, source.values())):
        return words_and_rows(pd.DataFrame.from_dict(dict(source), orient="index"))
    if (word := name_of_embedding(source)) is not None:
        raise TypeError(
            "the vectors of one embedding are needed; got a mapping of embeddings. Pass one "
            f"embedding at a time, such as {word!r}"
        )
    return list(source), list(source.values()), None


def name_of_embedding(vectors: Mapping[str, Any]) -> str | None:
    """Return a mapping's first key if its values are embeddings, or None if they are vectors."""
    name, first = next(iter(vectors.items()), ("", None))
    of_many = isinstance(first, str | Mapping) or hasattr(first, "vectors") or is_frame(first)
    return name if of_many and _listed(vectors) is None else None


def _is_record(value: object) -> bool:
    """Return whether a value is a mapping with a vector under a usual name."""
    return isinstance(value, Mapping) and any(plain_name(name) in VECTOR_NAMES for name in value)


def _paired(words: Any, rows: Any) -> tuple[list[Any], Any]:  # noqa: ANN401
    """Return words in the order of their rows, given a list, or a dict from or to row numbers."""
    if not isinstance(words, Mapping):
        return list(words), _rows(rows)
    if all(isinstance(word, str) for word in words.values()):
        words = {word: row for row, word in words.items()}
    matrix = _matrix([""] * len(rows), _rows(rows))
    places: list[Any] = [*words.values()]
    if not all(isinstance(row, Integral) and 0 <= int(row) < len(matrix) for row in places):
        raise ValueError(f"words must map to rows from 0 to {len(matrix) - 1}")
    return list(words), matrix[places]


def _of_records(records: Sequence[Mapping[str, Any]]) -> tuple[list[Any], Any, np.ndarray | None]:
    """Return the parts of records with a word and a vector each, as of rows of a table."""
    names = {plain_name(name) for name in records[0]}
    if names.isdisjoint(WORD_NAMES) and (not names or not names.isdisjoint(VECTOR_NAMES)):
        raise TypeError(WITHOUT_WORDS)
    return words_and_rows(pd.DataFrame.from_records([*records]))


def _fields(one: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of a record: a mapping, or an object of an API's client."""
    if isinstance(one, Mapping):
        response = one.get("response")  # of a batch of requests
        if isinstance(response, Mapping) and _listed(response.get("body")) is not None:
            return {"custom_id": one.get("custom_id"), "embedding": _rows(response["body"])[0]}
        return dict(one)
    if isinstance(one, Sequence | Number | None) or hasattr(one, "__array__"):
        return {}
    values = {name: getattr(one, name, None) for name in (*WORD_NAMES, *VECTOR_NAMES, "index")}
    return {n: value for n, value in values.items() if value is not None and not callable(value)}


def _is_matrix(given: object) -> bool:
    """Return whether an object is an array or a tensor, a sparse matrix, or a layer."""
    return any(hasattr(given, name) for name in ("__array__", "toarray", "weight"))


def _are_words(given: Any) -> bool:  # noqa: ANN401
    """Return whether an object is a sequence of words, rather than a word or a vector."""
    if isinstance(given, Mapping):  # from words to row numbers, or from row numbers to words
        numbers = [isinstance(one, Integral) for pair in given.items() for one in pair]
        return bool(numbers) and 2 * sum(numbers) == len(numbers)
    if isinstance(given, str | bytes) or not isinstance(given, Collection | np.ndarray):
        return False
    return all(isinstance(word, str | bytes) for word in given)


def _listed(source: Any) -> Any:  # noqa: ANN401
    """Return the list of vectors in the response of an API, or None for anything else."""
    get = source.get if isinstance(source, Mapping) else partial(_attribute, source)
    for name in ("data", "embeddings", "embedding"):
        found = get(name)
        if isinstance(found, Mapping) and len(found) == 1:  # by the type of the numbers
            found = next(iter(found.values()))
        if (
            isinstance(found, list | tuple | np.ndarray)
            and len(found)
            and not np.isscalar(found[0])
        ):
            return found
    return None


def _attribute(source: object, name: str) -> Any:  # noqa: ANN401
    return getattr(source, name, None)


def _rows(given: Any) -> Any:  # noqa: ANN401
    """Return the vectors in an array, an iterable, or a response, in the order they were sent.

    Items of a response may have an ``index``.
    """
    if hasattr(given, "toarray"):  # a sparse matrix
        return given.toarray()
    if hasattr(getattr(given, "weight", None), "detach"):  # a layer of PyTorch
        return given.weight
    if hasattr(given, "__array__"):
        return given
    if not isinstance(given, list | tuple) and (listed := _listed(given)) is not None:
        given = listed
    items = [(_fields(item), item) for item in given]
    if items and all("index" in fields for fields, _ in items):
        items.sort(key=lambda pair: pair[0]["index"])
    return [_vector(fields, item) for fields, item in items]


def _vector(fields: Mapping[str, Any], item: Any) -> Any:  # noqa: ANN401
    """Return the vector of a record, or the item if it is a vector; base64 is decoded."""
    found = next((fields[name] for name in VECTOR_NAMES if name in fields), item)
    if isinstance(found, str):
        try:
            return np.frombuffer(base64.b64decode(found, validate=True), dtype="<f4")
        except ValueError as error:
            text = f"a vector is the text {found[:30]!r}, which is not base64 of float32 ({error})"
            raise ValueError(text) from None
    return found


def _matrix(words: Sequence[str], rows: Any) -> np.ndarray:  # noqa: ANN401
    """Return rows as a (n_words, n_dims) float32 array; a vector of None becomes NaN."""
    if hasattr(rows, "detach"):  # a tensor of PyTorch
        rows = _array(rows)
    if not isinstance(rows, np.ndarray) or rows.dtype == object:
        rows = _stacked(words, rows)
    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"vectors must be numeric and of the same length ({error})") from None
    if matrix.ndim != 2 or len(matrix) != len(words) or not matrix.shape[1]:
        raise ValueError(f"vectors must have shape ({len(words)}, n_dims); got {matrix.shape}")
    return matrix


def _array(tensor: Any) -> Any:  # noqa: ANN401
    """Convert a tensor of PyTorch, also one of bfloat16 or with gradients."""
    return tensor.detach().float().cpu().numpy()


def _stacked(words: Sequence[str], rows: Iterable[Any]) -> Any:  # noqa: ANN401
    """Stack vectors; raise an error that names a word whose vector has another length."""
    given = [_array(row) if hasattr(row, "detach") else row for row in rows]
    sizes = [np.size(row) if np.ndim(row) else None for row in given]
    n_dims = next((size for size in sizes if size), None)
    if n_dims is None:
        return given
    for word, size in zip(words, sizes, strict=False):
        if size not in (None, n_dims):
            raise ValueError(
                f"vectors must be numeric and of the same length; {words[0]!r} has {n_dims:,} "
                f"numbers, but {word!r} has {size:,}"
            )
    empty = np.full(n_dims, np.nan)
    return [
        empty if size is None and pd.isna(row) else row
        for row, size in zip(given, sizes, strict=True)
    ]


def _once(
    words: list[str], matrix: np.ndarray, ranks: np.ndarray | None
) -> tuple[list[str], np.ndarray, np.ndarray | None]:
    """Keep one of several equal rows of a word; refuse a word with different vectors."""
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        if not np.array_equal(matrix[first.setdefault(word, row)], matrix[row], equal_nan=True):
            raise ValueError(
                f"each word must occur once; {word!r} has different vectors. Keep one of them"
            )
    kept = [*first.values()]
    return [*first], matrix[kept], None if ranks is None else ranks[kept]
