"""Convert vectors in memory to words and rows: mappings, frames, records, and responses of APIs."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from numbers import Integral, Number
from typing import Any

import numpy as np
import pandas as pd

from ..._core.checks import check_labels
from ...tables.schema import as_pandas, is_frame
from ...tables.spellings import KeyedVectors
from ..source import Chunk, ChunksOf, Embedding
from .aligned import (
    INDEX,
    REQUESTS,
    TEXT_NAMES,
    Labels,
    order_of_indices,
    order_of_requests,
    order_of_words,
    texts_of,
)
from .columns import VECTOR_NAMES, WORD_NAMES, kind_of, plain_name
from .frames import ranks_in, words_and_rows
from .keyed import Vectors, known_ranks, warn_of_empty, without_empty
from .matrices import array_of, check_dims, from_text, matrix_of

ACCEPTED = (
    "a path, the name of an embedding, KeyedVectors, a dict of arrays by word, a DataFrame with "
    "words, (words, array), a list of records such as {'text': 'he', 'embedding': [...]}, or an "
    "encoder (a function from a list of texts to an array)"
)
WITHOUT_WORDS = (
    "these are the vectors of an API's response, without the words. Pass (words, response) with "
    "the list of words that you sent, or dict(zip(words, vectors))"
)
WITHOUT_VOCABULARY = (
    "an encoder has no list of words, so its whole vocabulary cannot be used; choose words, as in "
    "bb.load_vectors(encoder, words)"
)

CODED_NAMES = VECTOR_NAMES[:4]
"""Names of columns of vectors that may be texts in base64."""

SOME = 1_000
"""Number of words of KeyedVectors whose rows are checked."""

type Parts = tuple[Iterable[Any], Any, np.ndarray | None]
"""Words, their vectors, and their ranks if they are known."""


def as_keyed(source: object) -> KeyedVectors:
    """Convert vectors in memory to an object with the attributes of KeyedVectors."""
    vectors: Any = source if is_frame(source) else getattr(source, "wv", source)
    if hasattr(vectors, "key_to_index") and hasattr(vectors, "vectors"):
        if _is_whole(vectors):
            return vectors
        given, rows, ranks = _known_rows(vectors)
    else:
        given, rows, ranks = _parts(source)
    given = given.to_pylist() if hasattr(given, "to_pylist") else given  # of pyarrow
    words = [word.decode() if isinstance(word, bytes) else word for word in given]
    if wrong := [word for word in words if not isinstance(word, str)]:
        raise ValueError(
            f"each word in a {type(vectors).__name__} must be text; got {wrong[0]!r}. Pass ([str("
            "word) for word in words], array); if the words are elsewhere, pass (words, array)"
        )
    matrix, known = matrix_of(words, rows), np.arange(1, len(words) + 1) if ranks is None else ranks
    chunk, lost = without_empty(_once(Chunk(words, matrix, known)))
    warn_of_empty(lost, "the vectors given")
    return Vectors(chunk.words, chunk.vectors, ranks=None if ranks is None else chunk.ranks)


def _is_whole(vectors: KeyedVectors) -> bool:
    """Return whether KeyedVectors have all that is read, as those of old programs may not.

    Raise a ValueError if some words are not in the rows that ``key_to_index`` names.
    """
    names, matrix = getattr(vectors, "index_to_key", None), vectors.vectors
    if names is None or not isinstance(matrix, np.ndarray) or not hasattr(vectors, "expandos"):
        return False
    if not all(issubclass(kind, str) for kind in {*map(type, names)}):
        return False  # None stands for spare rows
    check_dims(matrix.shape[1], "the vectors given")
    places = [*islice(vectors.key_to_index.items(), SOME)]
    if len(names) > len(matrix) or any(names[row : row + 1] != [word] for word, row in places):
        raise ValueError(
            "the words and rows of these KeyedVectors do not match (index_to_key, key_to_index, "
            "vectors); pass (words, array)"
        )
    return len(names) == len(matrix)  # or there are spare rows


def _known_rows(vectors: KeyedVectors) -> Parts:
    """Return the parts of KeyedVectors that have spare rows, other keys, or fewer attributes."""
    places = vectors.key_to_index
    words, rows = _paired(places, vectors.vectors)
    if max(places.values(), default=0) >= len(getattr(vectors, "index_to_key", ())):
        return words, rows, None
    ranks = known_ranks(vectors) if hasattr(vectors, "expandos") else None
    return words, rows, None if ranks is None else ranks[[*places.values()]]


def is_encoder(source: object) -> bool:
    """Return whether an object makes vectors of texts: a function, or an object with ``encode``."""
    held = is_frame(source) or hasattr(source, "key_to_index") or hasattr(source, "wv")
    return not held and (callable(getattr(source, "encode", None)) or callable(source))


def encoder_chunks(encoder: object) -> ChunksOf:
    """Return the generator that asks an encoder once for all wanted words."""
    encode: Any = getattr(encoder, "encode", encoder)

    def chunks(_: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        if wanted is None:
            raise ValueError(WITHOUT_VOCABULARY)
        words, found = sorted(wanted), encode(sorted(wanted))
        if isinstance(found, Mapping) and all(word in found for word in words):
            found = [found[word] for word in words]
        if not is_frame(found) and _are_words(found):
            raise TypeError(
                "an encoder must return a vector for each text; if your function changes vectors, "
                "pass the vectors that it returns"
            )
        yield Chunk(words, matrix_of(words, _rows(found, words)), np.arange(1, len(words) + 1))

    return chunks


def _parts(source: Any) -> Parts:  # noqa: ANN401
    """Return the parts of a frame, a mapping, a pair, pairs, records, or a response."""
    if hasattr(source, "read"):
        raise TypeError(f"vectors must be {ACCEPTED}; got an open file, so pass its path")
    if isinstance(source, Iterator | ItemsView):
        source = [*source]
    if isinstance(source, Mapping) and _is_record(source):
        source = [source]
    if (lines := _are_lines(source)) or is_frame(source):
        return _in_table(_framed(source) if lines else as_pandas(source))
    items = source if isinstance(source, list | tuple) else _listed(source)
    if isinstance(source, Mapping):
        if columns := _columns(source):
            words, rows, others = columns
            return *_paired(words, rows), ranks_in(_in_order(words, others))
        if items is None:
            return _by_word(source)
    elif source is not None and items is source and len(items):
        if len(items) == 2 and (_are_words(items[0]) or _is_matrix(items[1])):
            return *_paired(*items), None
        if all(isinstance(one, list | tuple) and len(one) == 2 for one in items):
            return [word for word, _ in items], [row for _, row in items], None
    records = [_fields(one) for one in items] if items is not None else []
    if not (records and all(records)):
        raise TypeError(f"vectors must be {ACCEPTED}; got {type(source).__name__}")
    names = {plain_name(name) for name in records[0]}
    if names.isdisjoint(WORD_NAMES) and not names.isdisjoint(VECTOR_NAMES):
        raise TypeError(WITHOUT_WORDS)
    return _in_table(_framed(records))


def _framed(lines: Any) -> pd.DataFrame:  # noqa: ANN401
    """Return rows as a table; a field of a structured array may have several numbers."""
    if not (names := getattr(getattr(lines, "dtype", None), "names", None)):
        try:
            return pd.DataFrame(lines)
        except UnicodeEncodeError:  # Arrow's text has no lone surrogates
            return pd.DataFrame(lines, dtype=object)
    fields = {name: lines[name] for name in names}
    return pd.DataFrame({n: [*one] if one.ndim > 1 else one for n, one in fields.items()})


def _in_table(frame: pd.DataFrame) -> Parts:
    """Return the parts of a table, whose vectors may be texts in base64, as of OpenAI's API."""
    for place, name in enumerate(frame.columns):
        found = _decoded(frame.iloc[:, place].tolist()) if plain_name(name) in CODED_NAMES else []
        if found:
            frame = frame.copy(deep=False)
            frame.isetitem(place, found)
    return words_and_rows(frame)


def _decoded(cells: list[Any]) -> list[Any]:
    """Return the vectors in texts that are all base64 of as many numbers, or an empty list."""
    found: list[Any] = []
    if all(isinstance(cell, str) and cell[:1] != "[" for cell in cells):
        with suppress(ValueError):
            found = [from_text(cell) for cell in cells]
    return found if len({len(one) for one in found}) == 1 and len(found[0]) > 1 else []


def _columns(source: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]] | None:
    """Return the words, the vectors, and the others in a dict of columns, or None for another."""
    names = {plain_name(name): name for name in reversed([*source])}
    texts = [names[n] for n in WORD_NAMES if n in names and _are_words(source[names[n]])]
    lists = [names[n] for n in VECTOR_NAMES if n in names]
    if not texts or not lists:
        return None
    others = {name: one for name, one in source.items() if name not in (texts[0], lists[0])}
    return source[texts[0]], _of_one_type(source[lists[0]]), others


def _in_order(words: Collection[Any], columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the columns with a cell for each word as a table, in the words' order.

    Other lists have no cells, and what is no list is not about single words.
    """
    order = [*_by_text(words).values()] if isinstance(words, Mapping) else [*range(len(words))]
    n_rows = max(order, default=-1) + 1
    table: dict[str, pd.Series] = {}
    for name, given in columns.items():
        if isinstance(given, Collection) and not isinstance(given, str | bytes | Mapping):
            values = array_of(given)
            cells = [*values] if np.ndim(values) else []
            known = [cells[row] for row in order] if len(cells) == n_rows else None
            table |= {name: pd.Series(known, range(len(order)), dtype=object)} if cells else {}
    return pd.DataFrame(table)


def _is_record(source: Mapping[str, Any]) -> bool:
    """Return whether a dict has a word and its vector, in one field or in fields of numbers."""
    fields = {plain_name(name): value for name, value in source.items()}
    vectors = [fields[name] for name in VECTOR_NAMES if name in fields]
    listed = any(
        isinstance(one, list | tuple | np.ndarray) and {*map(np.ndim, one)} == {0}
        for one in vectors
    )
    numbers = sum(isinstance(value, Number) for value in fields.values()) > len(fields) / 2
    return (listed or numbers) and any(isinstance(fields.get(name), str) for name in WORD_NAMES)


def _by_word(source: Mapping[str, Any]) -> Parts:
    """Return the parts of a dict of vectors, or of records, by word."""
    records = [one for one in source.values() if isinstance(one, Mapping)]
    names = {plain_name(name) for one in records for name in one}
    if source and not names.isdisjoint(VECTOR_NAMES):
        return _in_table(pd.DataFrame.from_dict(dict(source), orient="index"))
    name, first = next(iter(source.items()), ("", None))
    frame = is_frame(first) and hasattr(type(first), "columns")  # a Series is a vector
    if isinstance(first, str | Mapping) or hasattr(first, "vectors") or frame:
        raise TypeError(
            "the vectors of one embedding are needed; got a mapping of embeddings. Pass one "
            f"embedding at a time, such as {name!r}"
        )
    return source.keys(), [*source.values()], None


def _paired(words: Any, rows: object) -> tuple[Iterable[Any], Any]:  # noqa: ANN401
    """Return words in the order of their rows, given a list, or a dict from or to row numbers."""
    if isinstance(words, set | frozenset):
        raise TypeError("a set of words has no order; pass the words in the order of the vectors")
    check_labels({"words": words, "vectors": rows})
    words = words.to_pylist() if hasattr(words, "to_pylist") else words  # of pyarrow
    words = [*words] if isinstance(words, Iterator) else words
    if not isinstance(words, Mapping):
        if isinstance(words, pd.Series) and isinstance(rows, pd.Series | pd.DataFrame):
            rows = rows.reset_index(drop=True)  # the same as that of the words
        return words, _rows(rows, words)
    words = _by_text(words)
    labels, vectors = _labeled(rows)
    matrix = matrix_of([""] * len(vectors), vectors)
    places: list[Any] = [*words.values()]
    if not all(isinstance(row, Integral) and 0 <= int(row) < len(matrix) for row in places):
        raise ValueError(f"words must map to rows from 0 to {len(matrix) - 1}")
    for name, found in ((n, texts_of(one)) for n, one in labels.items() if n in TEXT_NAMES):
        known = (name == REQUESTS and len(found) > 1) or not words.keys().isdisjoint(found)
        if known and [found[row] for row in places] != [*words]:
            raise ValueError("words map to rows whose labels are other words; pass an array")
    return words, matrix[places]


def _by_text(words: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the rows of words, given a dict from words to rows or from rows to words."""
    turned = all(isinstance(word, str) for word in words.values())
    return {word: row for row, word in words.items()} if turned else words


def _fields(one: object) -> dict[str, Any]:
    """Return the fields of a record: a mapping, or an object of an API's client."""
    if isinstance(one, Mapping):
        if (body := _body(one)) is not None:
            rows = _rows(body)
            if len(rows) != 1:
                raise ValueError(
                    f"the request {one.get('custom_id')!r} of a batch has {len(rows):,} vectors, "
                    "but one custom_id; pass (words, vectors)"
                )
            return {"custom_id": one.get("custom_id"), "embedding": rows[0]}
        return dict(one)
    if isinstance(one, Sequence | Number | None) or hasattr(one, "__array__"):
        return {}
    values = {name: getattr(one, name, None) for name in (*WORD_NAMES, *VECTOR_NAMES, "index")}
    return {n: value for n, value in values.items() if value is not None and not callable(value)}


def _body(one: object) -> object:
    """Return the response in a result of a batch of requests, or None for another item."""
    response = one.get("response") if isinstance(one, Mapping) else None
    body = response.get("body") if isinstance(response, Mapping) else None
    return None if _listed(body) is None else body


def _are_lines(given: object) -> bool:
    """Return whether an object has rows of a word and its numbers, as lists or as one array."""
    if isinstance(given, np.ndarray):
        return given.dtype.names is not None or (given.dtype == object and given.ndim == 2)
    lines = given if isinstance(given, list | tuple) and len(given) > 2 else ()
    return bool(lines) and all(
        isinstance(line, list | tuple) and len(line) > 2 and isinstance(line[0], str)
        for line in lines
    )


def _is_matrix(given: object) -> bool:
    """Return whether an object is an array or a tensor, a sparse matrix, or a layer."""
    return any(hasattr(given, name) for name in ("__array__", "toarray", "weight"))


def _are_words(given: object) -> bool:
    """Return whether an object is a sequence of words, rather than a word or a vector."""
    if isinstance(given, Mapping):  # from words to row numbers, or from row numbers to words
        numbers = [isinstance(one, Integral) for pair in given.items() for one in pair]
        return bool(numbers) and 2 * sum(numbers) == len(numbers)
    if isinstance(given, str | bytes) or not isinstance(given, Collection | np.ndarray):
        return False
    return all(isinstance(word, str | bytes) for word in given)


def _listed(source: object) -> Sequence[Any] | np.ndarray | None:
    """Return the list of vectors in the response of an API, or None for anything else."""
    for name in ("data", "embeddings", "embedding"):
        found = source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
        found = _of_one_type(found)
        listed = found if isinstance(found, list | tuple | np.ndarray) else ()
        if len(listed) and not np.isscalar(listed[0]):
            return listed
    return None


def _of_one_type(found: object) -> object:
    """Return the vectors in a dict by the type of their numbers, or what is given."""
    if isinstance(found, Mapping) and len(found) == 1:
        return next(iter(found.values()))
    return found


def _rows(given: Any, words: Iterable[Any] = ()) -> Any:  # noqa: ANN401
    """Return the vectors in an array, an iterable, or a response, in the order of their words."""
    labels, rows = _labeled(given)
    order = order_of_words(words, labels)
    if order is None or len(order) != len(rows):
        return rows
    return rows[order] if isinstance(rows, np.ndarray) else [rows[row] for row in order]


def _labeled(given: Any) -> tuple[Labels, Any]:  # noqa: ANN401
    """Return the labels that vectors have, if any, and the vectors in the order they were sent."""
    if is_frame(given) and hasattr(type(given), "columns"):
        return _labeled_in_table(as_pandas(given))
    given = array_of(given)
    if isinstance(given, pd.Series):
        return {INDEX: given.index}, [*given]
    if hasattr(given, "__array__"):
        return {}, given
    if isinstance(given, Mapping) and (columns := _columns(given)):
        named = {plain_name(name): one for name, one in given.items() if _are_words(one)}
        return {name: named[name] for name in WORD_NAMES if name in named}, _rows(columns[1])
    if not isinstance(given, list | tuple) and (listed := _listed(given)) is not None:
        given = listed
    if isinstance(given, Mapping):
        return {INDEX: given.keys()}, [*given.values()]
    if not isinstance(given, Iterable):
        text = "vectors must be an array, a list with one vector for each word, or a response"
        raise TypeError(f"{text} of an API; got {type(given).__name__}")
    return _labeled_items([*given])


def _labeled_in_table(frame: pd.DataFrame) -> tuple[Labels, Any]:
    """Return the words of a table's rows and its index, and the vectors."""
    kinds = {name: kind_of(frame[name]) for name in frame.columns if frame.columns.is_unique}
    coded = [n for n, kind in kinds.items() if kind == "text" and plain_name(n) in CODED_NAMES]
    lists = [name for name, kind in kinds.items() if kind == "vector"]
    if vectors := lists or coded:
        renamed = frame.rename(columns={vectors[0]: VECTOR_NAMES[0]})
        return _labeled_items(renamed.assign(**{INDEX: [*frame.index]}).to_dict("records"))
    if "text" in kinds.values():
        words, rows, _ = words_and_rows(frame)
        return {WORD_NAMES[0]: words}, rows
    return {INDEX: frame.index}, array_of(frame)


def _labeled_items(items: list[Any]) -> tuple[Labels, Any]:
    """Return the labels of the items of a response, and the vectors.

    Both are in the order of the field ``index`` of the items, if they have it, and results of a
    batch are in the order of their numbered ids.
    """
    fields = [{plain_name(name): one for name, one in _fields(item).items()} for item in items]
    batch = any(one.get("custom_id") is not None for one in fields) and None not in map(
        _body, items
    )
    ids = [str(one.get("custom_id")) for one in fields] if batch else []
    known = order_of_requests(ids)
    order = known or order_of_indices([one.get("index") for one in fields])
    found = [
        next((one[name] for name in VECTOR_NAMES if name in one), item)
        for one, item in zip(fields, items, strict=True)
    ]
    labels: dict[str, list[Any]] = {
        name: [fields[place].get(name) for place in order] for name in (*WORD_NAMES, INDEX, "index")
    }
    if known is None and batch:
        labels[REQUESTS] = ids
    return labels, [found[place] for place in order]


def _once(chunk: Chunk) -> Chunk:
    """Keep one of several equal rows of a word; refuse a word with different vectors."""
    first: dict[str, int] = {}
    for row, word in enumerate(chunk.words if len({*chunk.words}) < len(chunk) else ()):
        one, other = chunk.vectors[[first.setdefault(word, row), row]]
        if not np.array_equal(one, other, equal_nan=True):
            raise ValueError(
                f"each word must occur once; {word!r} has different vectors. Keep one of them"
            )
    return chunk.take([*first.values()]) if first else chunk
