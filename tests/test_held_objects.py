"""Vectors that people hold in memory: every kind gives the same words and numbers, or a way on."""

import base64
import gzip
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace as Fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from gensim.models import KeyedVectors
from scipy.sparse import csr_array

import bayesbias as bb
from bayesbias._core.checks import Argument
from bayesbias._core.resources import bundled_folder
from bayesbias.embeddings.formats.held import as_keyed
from bayesbias.embeddings.formats.keyed import known_ranks
from bayesbias.embeddings.formats.static_models import words_of_tokenizer

WORDS = ["the", "he", "she", "null", "home", "career"]
MATRIX = np.random.default_rng(5).normal(size=(6, 4)).astype(np.float32)
ROWS = dict(zip(WORDS, MATRIX.tolist(), strict=True))
PEOPLE = {"a": ["he"], "b": ["she"]}
WIDE = pd.DataFrame(MATRIX, index=WORDS, columns=[f"d{i}" for i in range(4)])
COLUMN = WIDE.reset_index(names="word")
LISTS = pd.DataFrame({"text": WORDS, "embedding": [*MATRIX]})
ITEMS = [
    {"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(MATRIX.tolist())
]
RESPONSE = {"object": "list", "data": ITEMS[::-1], "model": "m", "usage": {"prompt_tokens": 6}}
CODED = [{"index": i, "embedding": base64.b64encode(row).decode()} for i, row in enumerate(MATRIX)]
BATCH = [
    {"custom_id": word, "response": {"body": {"data": [{"embedding": row, "index": 0}]}}}
    for word, row in ROWS.items()
]


class Model:
    """An encoder with the method of sentence-transformers and model2vec."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.asked.append(texts)
        return np.array([ROWS[text] for text in texts])

    __call__ = None  # many models are callable, but not on texts


def arrow(frame: pd.DataFrame) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def polars(frame: pd.DataFrame, *, lazy: bool = False) -> Any:
    made = pytest.importorskip("polars").from_arrow(arrow(frame))
    return made.lazy() if lazy else made


HELD: dict[str, Callable[[], Any]] = {
    "dict": lambda: ROWS,
    "dict of series": lambda: {word: pd.Series(row) for word, row in ROWS.items()},
    "index": lambda: WIDE,
    "categories": lambda: WIDE.set_axis(pd.CategoricalIndex(WORDS)),
    "word column": lambda: COLUMN,
    "word column last": lambda: COLUMN[[*WIDE.columns, "word"]],
    "numbers without names": lambda: pd.DataFrame([[w, *r] for w, r in ROWS.items()]),
    "nullable numbers": COLUMN.convert_dtypes,
    "objects": lambda: WIDE.astype(object),
    "list column": lambda: LISTS,
    "list column as text": lambda: LISTS.assign(embedding=[str(row) for row in ROWS.values()]),
    "list column as NumPy's text": lambda: LISTS.assign(embedding=[str(row) for row in MATRIX]),
    "series": lambda: LISTS.set_index("text")["embedding"],
    "arrow": lambda: arrow(COLUMN),
    "arrow lists": lambda: arrow(LISTS),
    "polars": lambda: polars(COLUMN),
    "polars lists": lambda: polars(LISTS, lazy=True),
    "another library": lambda: Fields(to_pandas=lambda: COLUMN),
    "pair": lambda: (WORDS, MATRIX),
    "pair of arrays": lambda: (np.array(WORDS), MATRIX),
    "pair with a response": lambda: (WORDS, RESPONSE),
    "pair with base64": lambda: (WORDS, {"data": CODED}),
    "pair with objects": lambda: (WORDS, Fields(data=[Fields(**item) for item in ITEMS])),
    "pair with values": lambda: (WORDS, Fields(embeddings=[Fields(values=[*r]) for r in MATRIX])),
    "pair with types": lambda: (WORDS, {"embeddings": {"float": MATRIX.tolist()}}),
    "pair with a tensor": lambda: (WORDS, pytest.importorskip("torch").tensor(MATRIX)),
    "masked array": lambda: (WORDS[1:3], np.ma.MaskedArray(MATRIX[1:3])),
    "pair of columns": lambda: (COLUMN["word"], WIDE.reset_index(drop=True)),
    "pair of arrow arrays": lambda: (arrow(COLUMN)["word"], arrow(WIDE)),
    "pair with polars": lambda: (WORDS, polars(WIDE)),
    "pair with a lazy frame": lambda: (WORDS, polars(WIDE, lazy=True)),
    "dict of arrow arrays": lambda: dict(zip(WORDS, arrow(WIDE.T), strict=True)),
    "records of NumPy": WIDE.to_records,
    "fields of several numbers": lambda: np.array(
        [*ROWS.items()], dtype=[("word", "U9"), ("vector", "f4", 4)]
    ),
    "records with base64": lambda: [one | {"text": w} for w, one in zip(WORDS, CODED, strict=True)],
    "frame with base64": lambda: pd.DataFrame(CODED, index=WORDS)[["embedding"]],
    "rows": lambda: [[word, *row] for word, row in ROWS.items()],
    "rows of an array": lambda: np.array([[w, *row] for w, row in ROWS.items()], dtype=object),
    "pairs one by one": lambda: zip(WORDS, MATRIX, strict=True),
    "items of a dict": ROWS.items,
    "sparse matrix": lambda: (WORDS, csr_array(MATRIX)),
    "texts with typed embeddings": lambda: {"texts": WORDS, "embeddings": {"float": [*MATRIX]}},
    "names of rows": lambda: COLUMN.set_axis([f"r{i}" for i in range(6)]),
    "word to row": lambda: (dict(zip(WORDS[::-1], range(5, -1, -1), strict=True)), MATRIX),
    "row to word": lambda: (dict(enumerate(WORDS)), MATRIX),
    "words to some rows": lambda: ({"she": 2, "he": 1}, MATRIX),
    "vocab": lambda: {"vocab": {"she": 2, "he": 1}, "embeddings": MATRIX.tolist()},
    "dict of records": lambda: {w: {"vector": row, "pos": "N"} for w, row in ROWS.items()},
    "list of pairs": lambda: [*ROWS.items()],
    "two pairs": lambda: [(word, ROWS[word]) for word in ("he", "she")],
    "records": lambda: [{"input": word, "embedding": row} for word, row in ROWS.items()],
    "records with columns": lambda: COLUMN.to_dict("records"),
    "objects of a client": lambda: [Fields(text=w, vector=r) for w, r in ROWS.items()],
    "results of a batch": lambda: BATCH,
    "response with words": lambda: {"data": [{"text": w, "vector": r} for w, r in ROWS.items()]},
    "columns": lambda: {"words": WORDS, "vectors": MATRIX},
    "texts with embeddings": lambda: {"id": "a", "texts": WORDS, "embeddings": MATRIX.tolist()},
    "twice the same": lambda: [*ROWS.items(), ("he", ROWS["he"])],
    "encoder": Model,
    "function": lambda: Model().encode,
    "function of an API": lambda: lambda texts: {"embeddings": [ROWS[text] for text in texts]},
    "function of a dict": lambda: lambda texts: {text: ROWS[text] for text in texts},
    "generator": lambda: lambda texts: (np.array(ROWS[text]) for text in texts),
}


KINDS = [
    pytest.param(kind, marks=[pytest.mark.slow] * kind.endswith("tensor")) for kind in HELD
]  # importing torch takes longer than all others together


@pytest.mark.seconds
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_words_and_numbers(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.warnings.ColumnsNotRead)  # tested below
        vectors = bb.load_vectors(HELD[kind](), ["he", "she"])
    assert sorted(vectors.index_to_key) == ["he", "she"]
    tolerance = 1e-6 if "text" in kind else 0  # NumPy prints eight digits
    np.testing.assert_allclose(vectors[["he", "she"]], MATRIX[1:3], atol=tolerance)


TURNED = WORDS[::-1]
SHUFFLED = [2, 0, 5, 1, 4, 3]
NAMED: dict[str, Callable[[list[str]], Any]] = {
    "frame": lambda ws: WIDE.loc[ws],
    "frame of objects": lambda ws: WIDE.astype(object).loc[ws],
    "frame with a word column": lambda ws: COLUMN.set_index("word", drop=False).loc[ws],
    "frame of lists": lambda ws: LISTS.set_index("text", drop=False).loc[ws],
    "arrow": lambda ws: arrow(WIDE.loc[ws].reset_index(names="word")),
    "polars": lambda ws: polars(WIDE.loc[ws].reset_index(names="token")),
    "series": lambda ws: LISTS.set_index("text")["embedding"].loc[ws],
    "dict": lambda ws: {w: ROWS[w] for w in ws},
    "records": lambda ws: [{"text": w, "embedding": ROWS[w]} for w in ws],
    "objects": lambda ws: [Fields(id=w, values=ROWS[w]) for w in ws],
    "response": lambda ws: {"data": [{"input": w, "embedding": ROWS[w]} for w in ws]},
    "columns": lambda ws: {"texts": ws, "embeddings": {"float": [ROWS[w] for w in ws]}},
    "batch": lambda ws: [one for w in ws for one in BATCH if one["custom_id"] == w],
    "index": lambda ws: [{"index": WORDS.index(w), "embedding": ROWS[w]} for w in ws],
    "index as text": lambda ws: {"data": [{"index": f"{WORDS.index(w) + 7}", "values": ROWS[w]}
                                          for w in ws]},
}  # fmt: skip


@pytest.mark.parametrize("kind", NAMED)
def test_rows_that_name_their_words_are_theirs_in_any_order(kind: str) -> None:
    for order in (WORDS, TURNED, [WORDS[i] for i in SHUFFLED]):
        held = NAMED[kind](order)
        np.testing.assert_array_equal(as_keyed((WORDS, held))[WORDS], MATRIX)
        if not kind.startswith("index"):
            np.testing.assert_array_equal(as_keyed((TURNED, held))[WORDS], MATRIX)
            encoder = bb.load_vectors(lambda ws, of=order: NAMED[kind]([w for w in of if w in ws]),
                                      ["he", "she", "home"])  # fmt: skip
            np.testing.assert_array_equal(encoder[["he", "she", "home"]], MATRIX[[1, 2, 4]])


def batch(ids: list[str], order: list[int]) -> list[dict[str, Any]]:
    return [BATCH[i] | {"custom_id": ids[i]} for i in order]


@pytest.mark.parametrize("words", [WORDS, dict(zip(WORDS, range(6), strict=True))])
@pytest.mark.parametrize("form", ["request-{}", "{}", "{:03}", "v1 {}"])
@pytest.mark.parametrize("first", [0, 1, 96])
def test_results_of_a_batch_follow_their_numbers(first: int, form: str, words: Any) -> None:
    ids = [form.format(first + i) for i in range(6)]
    for order in (SHUFFLED, [*range(6)]):
        np.testing.assert_array_equal(as_keyed((words, batch(ids, order)))[WORDS], MATRIX)


def test_results_of_a_batch_without_ids_or_of_one_word_are_in_order() -> None:
    bare = [{"response": one["response"]} for one in BATCH]
    np.testing.assert_array_equal(as_keyed((WORDS, bare))[WORDS], MATRIX)
    one = batch([*"abcdef"], [0])
    for words in (WORDS[:1], {WORDS[0]: 0}):
        np.testing.assert_array_equal(as_keyed((words, one))[WORDS[:1]], MATRIX[:1])


def test_ids_of_a_batch_that_are_numbered_words() -> None:
    words = [f"w{i}" for i in SHUFFLED]
    results = batch([f"w{i}" for i in range(6)], [*range(6)])
    np.testing.assert_array_equal(as_keyed((words, results))[words], MATRIX[SHUFFLED])


@pytest.mark.parametrize("made", [dict, Fields])
@pytest.mark.parametrize("name", [int, str])
@pytest.mark.parametrize("first", [0, 1, 5])
@pytest.mark.parametrize("sizes", [(6,), (4, 2), (2, 2, 2), (3, 1, 2), (1,) * 6])
def test_items_of_several_requests_keep_their_order(sizes, first, name, made) -> None:
    indices = [name(i + first) for size in sizes for i in range(size)]
    items = [made(index=i, embedding=[*row]) for i, row in zip(indices, MATRIX, strict=True)]
    for held in (items, {"data": items}, Fields(data=items)):
        np.testing.assert_array_equal(as_keyed((WORDS, held)).vectors, MATRIX)


def numbered(indices: list[Any]) -> list[dict[str, Any]]:
    return [{"index": i, "values": row} for i, row in zip(indices, MATRIX, strict=True)]


def labeled(name: str, labels: list[Any]) -> list[dict[str, Any]]:
    return [{name: one, "embedding": row} for one, row in zip(labels, MATRIX.tolist(), strict=True)]


OTHER_IDS = {
    "uuids": ["u3", "u1", "u7", "u0", "u5", "u2"],
    "numbers": SHUFFLED,
    "numbers as text": [*map(str, SHUFFLED)],
    "the same": ["m"] * 6,
    "one that is a word": ["m", "m", "m", "he", "m", "m"],
    "requests": [f"request-{i}" for i in range(6)],
}
OTHER_TEXTS = {
    "prompts": [f"query: {word}" for word in WORDS],
    "sentences": [f"This is {word}." for word in WORDS],
    "capitals": [word.upper() for word in WORDS],
    "marks": [f"{word}</w>" for word in WORDS],
    "letters": [*"abcdef"],
}
IN_ORDER: dict[str, Any] = {
    **{
        f"{kind} as {name}": labeled(name, ids)
        for name in ("id", "name", "label", "custom_id")
        for kind, ids in OTHER_IDS.items()
    },
    **{
        f"{kind} of objects": [Fields(**one) for one in labeled("id", ids)]
        for kind, ids in OTHER_IDS.items()
    },
    **{f"{kind} as texts": labeled("text", texts) for kind, texts in OTHER_TEXTS.items()},
    **{
        f"{kind} of objects": [Fields(**one) for one in labeled("text", texts)]
        for kind, texts in OTHER_TEXTS.items()
    },
    **{
        f"{kind} of a dict": {"texts": texts, "embeddings": MATRIX.tolist()}
        for kind, texts in OTHER_TEXTS.items()
    },
    **{f"{kind} as index": WIDE.set_axis(texts) for kind, texts in OTHER_TEXTS.items()},
    **{f"{kind} as keys": dict(zip(t, MATRIX, strict=True)) for kind, t in OTHER_TEXTS.items()},
    "Chroma": {"ids": OTHER_IDS["uuids"], "embeddings": MATRIX.tolist(), "documents": None},
    "ids and an index": {"data": [{"id": f"emb-{i}"} | one for i, one in enumerate(ITEMS)]},
    **{
        f"index {given}": numbered(given)
        for given in (
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [*"abcdef"], [None, 1, 2, 3, 4, 5],
            [0, 1, 2, None, 4, 5], [5, 6, 5, 6, 5, 6], [0, 0.5, 1, 2, 3, 4], [True, False] * 3,
            [None] * 6, [np.nan, 1, 2, 3, 4, 5], [pd.NA] * 6, [[1]] * 6, [np.arange(2)] * 6,
        )
    },
    **{
        f"frame {given}": pd.DataFrame(MATRIX, index=given)
        for given in ([0, 1, 2, 0, 1, 2], SHUFFLED, [0] * 6, [5, 4, 3, 2, 1, 0],
                      [*map(str, SHUFFLED)], pd.date_range("2020", periods=6)[::-1])
    },
    "series": pd.Series([*MATRIX], SHUFFLED),
}  # fmt: skip


@pytest.mark.parametrize("kind", IN_ORDER)
def test_labels_that_are_no_words_keep_the_order(kind: str) -> None:
    held = IN_ORDER[kind]
    np.testing.assert_array_equal(as_keyed((WORDS, held)).vectors, MATRIX)
    found = bb.load_vectors(lambda _: held, WORDS)  # an encoder, asked for sorted words
    np.testing.assert_array_equal(found[sorted(WORDS)], MATRIX)


def test_keys_of_numbers_keep_the_order() -> None:
    held = dict(zip(SHUFFLED, MATRIX, strict=True))
    np.testing.assert_array_equal(as_keyed((WORDS, held)).vectors, MATRIX)


def test_numbers_as_words_next_to_ids() -> None:
    words = ["3", "1", "he", "0", "she", "2"]
    for held in (labeled("id", [*"012345"]), WIDE.set_axis([*"012345"])):
        np.testing.assert_array_equal(as_keyed((words, held)).vectors, MATRIX)


ONE_TWO = {"index": [1, 0], "embedding": [[1, 1], [2, 2]]}


@pytest.mark.parametrize(
    ("frame", "he"),
    [
        (pd.DataFrame(ONE_TWO, ["she", "he"]), [2, 2]),
        (pd.DataFrame(ONE_TWO, ["he", "she"]), [1, 1]),
        (pd.DataFrame(ONE_TWO), [2, 2]),
        (pd.DataFrame(ONE_TWO).sort_values("index"), [2, 2]),
        (pd.DataFrame(ONE_TWO).assign(word=["she", "he"]), [2, 2]),
    ],
)
def test_frames_with_an_index_as_a_column(frame: pd.DataFrame, he: list[int]) -> None:
    found = as_keyed((["he", "she"], frame))
    assert found["he"].tolist() == he
    assert found["she"].tolist() == [3 - number for number in he]


def test_an_index_as_floats_or_words_orders_items() -> None:
    floats = [[*map(kind, SHUFFLED)] for kind in (float, np.float32, np.int16)]
    for given in (*floats, [WORDS[i] for i in SHUFFLED]):
        held = [{"index": given[k], "values": MATRIX[i]} for k, i in enumerate(SHUFFLED)]
        np.testing.assert_array_equal(as_keyed((WORDS, held)).vectors, MATRIX)


@pytest.mark.parametrize("held", [WIDE.reset_index(drop=True), WIDE, MATRIX])
def test_words_from_an_iterator(held: Any) -> None:
    for words in ((word for word in WORDS), map(str, WORDS)):
        np.testing.assert_array_equal(as_keyed((words, held)).vectors, MATRIX)


UNCLEAR: list[tuple[Any, Any, str]] = [
    (WORDS, WIDE.set_axis([*WORDS[:5], "home"]), "some labels .*'home' at 'career'"),
    (WORDS[:5], WIDE, "6 for 5"),
    (WORDS, labeled("text", [*WORDS[:5], "work"]), "some labels .*'work' at 'career'"),
    (WORDS, {"texts": [*WORDS[:5], "work"], "embeddings": MATRIX.tolist()}, "'work' at 'career'"),
    ({w: i for i, w in enumerate(TURNED)}, WIDE, "words map to rows whose labels"),
    ({"he": 0}, WIDE, "words map to rows whose labels"),
    *[
        (WORDS, numbered(given), "an index each")
        for given in ([1, 0, 2, 0, 1, 2], [2, 1, 0, None, 4, 5], [0, 1, 3, 0, 1, 2])
    ],
    (WORDS[:1], [BATCH[0] | {"response": {"body": RESPONSE}}], "6 vectors, but one custom_id"),
    *[
        (WORDS, batch(ids, SHUFFLED), "results of a batch come back in any order")
        for ids in ([*"abcdef"], OTHER_IDS["uuids"], ["r0", "r1", "s2", "s3", "s4", "s5"],
                    ["r1"] * 6, [*WORDS[:5], "r5"])
    ],
    ({w: i for i, w in enumerate(WORDS)}, batch([*"abcdef"], SHUFFLED), "labels are other words"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "held", "told"), UNCLEAR)
def test_rows_of_which_some_have_other_words_or_in_no_order(words, held, told: str) -> None:
    refused(told, as_keyed, (words, held))


def test_labels_of_words_that_are_a_series() -> None:
    mask = [4, 1, 3]
    found = as_keyed((COLUMN["word"].iloc[mask], WIDE.reset_index(drop=True).iloc[mask]))
    np.testing.assert_array_equal(found[["home", "he", "null"]], MATRIX[mask])
    refused("different labels", as_keyed, (COLUMN["word"], WIDE.reset_index(drop=True).iloc[::-1]))


@pytest.mark.slow
def test_tensors_of_any_kind() -> None:
    tensor = pytest.importorskip("torch").tensor(MATRIX, requires_grad=True)
    for held in ((WORDS, tensor), dict(zip(WORDS, tensor, strict=True))):
        np.testing.assert_array_equal(as_keyed(held).vectors, MATRIX)
    rounded = as_keyed((WORDS, tensor.bfloat16())).vectors
    np.testing.assert_allclose(rounded, MATRIX, rtol=2**-8)  # eight bits


def test_an_encoder_is_asked_once_for_the_words_needed() -> None:
    model = Model()
    wordlist = {"groups": PEOPLE, "stereotypes": {"a": ["career"], "b": ["home"]}}
    table = bb.distance_table(model, wordlist)
    assert model.asked == [["career", "he", "home", "she"]]
    pd.testing.assert_frame_equal(table, bb.distance_table(ROWS, wordlist))
    lowered = bb.load_vectors(model, ["HE"], "lower")
    assert model.asked[1] == ["he"]
    assert lowered.index_to_key == ["HE"]
    refused("pass the vectors that it returns", bb.load_vectors, list, ["he"], error=TypeError)


COUNTED: dict[str, tuple[list[Any], bool]] = {
    "count": ([9, 500, 400, 3, 2, 1], True),
    "Frequency": ([0.9, 500, 400, 3, 2, 1], True),
    "rank": ([4, 1, 2, 3, 5, 6], True),
    "word_level_count": ([9, 500, 400, 3, 2, 1], True),
    **{
        name: ([5, 1, 2, 5, 6, 6], False)
        for name in ("freq_class", "Frequency band", "count_bins", "freq.decile", "zipf_level")
    },
    "neg_log_freq": ([5.5, 1, 2, 5, 6, 6], False),
    "-log_freq": ([5.5, 1, 2, 5, 6, 6], False),
    "count.raw": ([9, 500, 400, 3, 2, None], False),
    "freq rank": ([4, 1, 2, 3, 5, None], False),
    "rank_pct": ([0.4, 0.1, 0.2, 0.3, 0.5, 0.6], False),
    "rank.from.0": ([3, 0, 1, 2, 4, 5], False),
    "Frequency_rank": ([4, 1, 2, 3, 5, 6], True),
    "count.rank": ([4, 1, 2, 3, 5, 6], True),
    "rank freq": ([4, 1, 2, 3, 5, 6], True),
    "idf": ([0.5, 2.5, 1.5, 3.5, 4.5, 5.5], False),
    "inverse_document_frequency": ([0.5, 2.5, 1.5, 3.5, 4.5, 5.5], False),
    "norm": ([0.5] * 6, False),
    "pos": (["N"] * 6, False),
    "stop": ([True] * 6, False),
    "Unnamed: 0": ([*range(6)], False),
}
"""Columns that are no dimensions, and whether they are used as frequency ranks."""


@pytest.mark.parametrize("names", [[f"d{i}" for i in range(4)], [*"abcd"]])
@pytest.mark.parametrize("name", COUNTED)
def test_other_columns_are_named_and_are_no_dimensions(tmp_path: Path, name, names) -> None:
    path = tmp_path / "v.json"
    column, ranked = COUNTED[name]
    wide, tall = WIDE.set_axis(names, axis=1), COLUMN.set_axis(["word", *names], axis=1)
    records = [{"word": w, name: column[i], **dict(enumerate(ROWS[w]))} for i, w in enumerate(ROWS)]
    by_row = {"vocab": dict(zip(WORDS[::-1], range(6), strict=True)), name: column[::-1]}
    of_columns = {"word": WORDS, name: column, "vector": MATRIX, "usage": {"tokens": 6}}
    path.write_text(json.dumps(of_columns | {"vector": MATRIX.tolist()}))
    by_row["vectors"] = MATRIX[::-1]
    for held in (
        *(wide.assign(**{name: column}), tall.assign(**{name: column}), records),
        *(of_columns, by_row, path),
    ):
        with pytest.warns(bb.warnings.ColumnsNotRead) as told:
            vectors = bb.load_vectors(held)
        assert repr(name) in told[0].message.columns[0]
        np.testing.assert_array_equal(vectors[WORDS], MATRIX)
        assert (known_ranks(vectors) is not None) == ranked
        if ranked:
            ranks = bb.frequency_ranks(vectors).set_index("word")["rank"]
            assert [ranks["he"], ranks["she"]] == [1, 2]


def test_ranks_in_a_column_are_kept_and_count_for_the_limit() -> None:
    ranks = [7, 30, 30, 65, 9_000, 12]
    counts = [*range(6)]  # of these few texts
    held = WIDE.assign(count=counts, frequency_rank=ranks)
    with pytest.warns(bb.warnings.ColumnsNotRead):
        vectors = as_keyed(held)
    assert bb.frequency_ranks(vectors)["rank"].tolist() == ranks
    few = bb.load_vectors(vectors, limit=30).index_to_key
    assert few == [word for word, rank in zip(WORDS, ranks, strict=True) if rank <= 30]


def test_a_column_of_another_length_has_no_ranks() -> None:
    with pytest.warns(bb.warnings.ColumnsNotRead, match="'count'"):
        assert known_ranks(as_keyed({"word": WORDS, "count": [3, 2], "vector": MATRIX})) is None
    single = {"word": WORDS, "vector": MATRIX, "dim": np.array(4)}
    assert as_keyed(single).index_to_key == as_keyed({"word": WORDS, "vector": MATRIX}).index_to_key


WHOLE = np.array([[1, 0, 2], [0, 1, 0], [3, 1, -4]])


@pytest.mark.parametrize("form", [pd.DataFrame, polars])
@pytest.mark.parametrize("numbers", [WHOLE, abs(WHOLE), WHOLE * [1, 0.5, -1]])
def test_whole_numbers_alone_or_below_zero_are_dimensions(form, numbers) -> None:
    held = form(pd.DataFrame(numbers, columns=[*"abc"]).assign(word=["he", "she", "it"]))
    if (numbers % 1).any():  # column a has no number below 0
        refused("'a' may be a count", bb.load_vectors, held)
    else:
        np.testing.assert_array_equal(bb.load_vectors(held).vectors, numbers)


@pytest.mark.parametrize("form", [pd.DataFrame, polars])
def test_whole_numbers_under_the_name_of_words_are_words(form) -> None:
    rows = pd.DataFrame(MATRIX, columns=[*"abcd"])[:2]
    held = form(rows.assign(word=["0", "1"]))
    assert as_keyed(held).index_to_key == ["0", "1"]


LABELS = [
    ["Q42", "Q7"],
    ["word1", "word2"],
    ["2020-01-01", "2020-01-02"],
    ["/m/01", "/m/02"],
    ["1", "2"],
]


@pytest.mark.parametrize("words", [*LABELS, ["[UNK]", "[PAD]"], ["a\ud800", "b"]])
@pytest.mark.parametrize("name", ["word", "custom_id"])
def test_words_that_end_with_numbers_or_have_brackets(words: list[str], name: str) -> None:
    rows = [[1.0, 2.0], [3.0, 5.0]]
    records = [{name: w, "vector": row} for w, row in zip(words, rows, strict=True)]
    table = pd.DataFrame(records, dtype=object)
    wide = pd.DataFrame(rows, index=table[name], columns=["red", "blue"])
    for held in (records, table, table.set_index(name), wide):
        vectors = bb.load_vectors(held)
        assert vectors.index_to_key == words
        np.testing.assert_array_equal(vectors.vectors, rows)


def test_an_index_of_ids_without_a_name() -> None:
    ids = pd.DataFrame([[1, 2], [3, 5]], index=["Q42", "Q43"], columns=["red", "blue"])
    assert bb.load_vectors(ids).index_to_key == ["Q42", "Q43"]
    refused("pass frame.T", bb.load_vectors, ids.set_axis(["d0", "d1"]))


@pytest.mark.parametrize("labels", [["doc_1", "doc_2"], ["a7", "b9"]])
def test_a_column_of_words_counts_more_than_an_index_of_ids(labels: list[str]) -> None:
    table = pd.DataFrame({"d0": [1, 3], "d1": [2, 5], "word": ["he", "she"]})
    table.index = pd.Index(labels, name="id")
    assert bb.load_vectors(table).index_to_key == ["he", "she"]
    with pytest.warns(bb.warnings.ColumnsNotRead, match="'text'"):
        swapped = bb.load_vectors(table.rename(columns={"word": "text"}).rename_axis("word"))
    assert swapped.index_to_key == labels


@pytest.mark.parametrize("record", [{"vector": [1, 2]}, {"d0": 1, "d1": 2}])
def test_one_record(record: dict[str, Any], tmp_path: Path) -> None:
    record = {"word": "he"} | record
    (tmp_path / "v.jsonl").write_text(json.dumps(record) + "\n")
    for held in (record, [record], tmp_path / "v.jsonl"):
        vectors = bb.load_vectors(held)
        assert (vectors.index_to_key, vectors.vectors.tolist()) == (["he"], [[1, 2]])


def test_words_that_pandas_reads_as_missing_are_said() -> None:
    with pytest.warns(bb.warnings.LeftOut) as told:
        vectors = as_keyed(COLUMN.replace({"word": {"null": None}}))
    assert (told[0].message.n, told[0].message.total) == (1, len(COLUMN))
    assert vectors.index_to_key == [word for word in WORDS if word != "null"]


MASKED = np.ma.MaskedArray([1.0] * 4, mask=[True] + [False] * 3)
EMPTY: list[Any] = [[0.0] * 4, [np.nan, 1, 1, 1], [np.inf, 1, 1, 1], None, MASKED]


@pytest.mark.parametrize("row", EMPTY, ids=str)
def test_words_without_a_direction_are_missing(row: Any) -> None:
    wordlist = {"groups": PEOPLE, "stereotypes": {"a": ["career", "null"], "b": ["home"]}}
    held = ROWS | {"null": row}
    frame = pd.DataFrame({"word": [*held], "vector": [*held.values()]})
    assert bb.load_vectors(frame.iloc[:1]).index_to_key == [*held][:1]
    forms = [held, frame, [*held.items()]]
    if isinstance(row, list):
        forms.append(pd.DataFrame.from_dict(held, orient="index"))
    for form in forms:
        with pytest.warns(bb.warnings.EmptyVectors) as told:
            table = bb.distance_table(form, wordlist)
        assert told[0].message.words == ("null",)
        assert set(table["attribute"]) == {"career", "home"}


REFUSED: list[tuple[Any, str]] = [
    (RESPONSE, r"response, without the words. Pass \(words, response\)"),
    (Fields(data=[Fields(embedding=[1.0])]), "without the words"),
    ((WORDS[:3], RESPONSE), r"must have shape \(3, n_dims\); got \(6, 4\)"),
    (WIDE.T, "if its columns are the words, pass frame.T"),
    (WIDE.reset_index(drop=True), "no words in its index or in a column of text, only d0"),
    (COLUMN.assign(hits=[9, 8, 7, 6, 5, 4]).set_axis([*"wxyzvu"], axis=1), "'u' may be a count"),
    (pd.DataFrame([[w, i, *r] for i, (w, r) in enumerate(ROWS.items())]), "column 1 may be a"),
    (COLUMN.assign(a="x").rename(columns={"word": "b"}), r"several columns of text \('b', 'a'\)"),
    (LISTS.assign(b=[*MATRIX]).rename(columns={"embedding": "a"}), "columns of lists"),
    (({*WORDS}, MATRIX), "a set of words has no order"),
    (COLUMN.iloc[:, :2], "one number is not a vector"),
    (({"he": 0, "she": 6}, MATRIX), "must map to rows from 0 to 5"),
    (COLUMN.set_axis(["the", "0.25", "-0.5", "1.5", "-.25"], axis=1), "header has numbers"),
    (COLUMN.astype(str).replace(r"\.", ",", regex=True), "too few columns of numbers.*decimal=','"),
    (WIDE.astype(object).assign(d3=[1, [1], 1, 1, 1, 1]), r"column 'd3' .* 'he' is \[1\]"),
    (LISTS.assign(embedding=[*MATRIX[:5], 3]), "list of numbers, but that of 'career' is 3"),
    (COLUMN.astype(object).assign(d2=[0.5, "x", 1, 1, 1, 1]), "column 'd2' .* 'he' is 'x'"),
    (WIDE.set_index("d0", append=True), "index has the levels"),
    (LISTS.assign(embedding="[0.1 0.2 ... 0.3]"), "abbreviated vector"),
    ({"he": [1, 2], "she": [1]}, "same length; 'he' has 2 numbers, but 'she' has 1"),
    (Model, "takes no arguments|positional"),
    (None, "vectors must be a path, .*got NoneType"),
    ((WORDS, MATRIX + 1j), "real numbers; got complex"),
    ((WORDS, None), "vectors must be an array, .*got NoneType"),
    (lambda _: None, "vectors must be an array, .*got NoneType"),
    ({"he": [], "she": [1, 2]}, "'she' has 2 numbers, but 'he' has 0"),
    ({5: [1, 2], "she": [1, 2]}, r"must be text; got 5. Pass \(\[str"),
    ({"he": pd.Series([1, 2], ["a", "b"]), "she": pd.Series([2, 1], ["b", "a"])}, "'he' and 'she'"),
    ((pd.Series(WORDS, range(6)[::-1]), pd.DataFrame(MATRIX)), "words and vectors have different"),
    ({"word": pd.Series(WORDS), "vector": pd.Series([*MATRIX], [*"abcdef"])}, "words and vectors"),
    (WIDE.set_axis([*"abca"], axis=1), "two columns named 'a'"),
    ([("he", pd.Series([1, 2])), ("she", pd.Series([2, 1], [1, 0]))], "different labels"),
]


@pytest.mark.parametrize(("held", "message"), REFUSED)
def test_what_cannot_be_used_is_refused_with_a_way_on(held: Any, message: str) -> None:
    refused(message, bb.load_vectors, held, ["he"], error=(TypeError, ValueError))


@pytest.mark.parametrize("lost", ["index_to_key", "expandos", "norms"])
def test_keyed_vectors_without_an_attribute(lost: str) -> None:
    """Objects of old versions of gensim lack some; words and rows are enough."""
    keyed = KeyedVectors(4)
    keyed.add_vectors(WORDS, MATRIX)
    delattr(keyed, lost)
    read = bb.load_vectors(keyed, WORDS)
    np.testing.assert_array_equal(read[WORDS], MATRIX)


def test_keyed_vectors_whose_words_and_rows_differ() -> None:
    for name, value in (("index_to_key", WORDS[::-1]), ("vectors", MATRIX[:4])):
        keyed = KeyedVectors(4)
        keyed.add_vectors(WORDS, MATRIX)
        setattr(keyed, name, value)
        refused("words and rows of these KeyedVectors do not match", bb.load_vectors, keyed)


@pytest.mark.parametrize("trimmed", [True, False])
def test_spare_rows_of_keyed_vectors_are_left_out(trimmed: bool, tmp_path: Path) -> None:
    keyed = KeyedVectors(4, count=0 if trimmed else 9)
    keyed.add_vectors(WORDS, MATRIX)
    keyed.set_vecattr("he", "count", 7)
    if trimmed:
        keyed.vectors = np.vstack([MATRIX, MATRIX])
    keyed.save(str(tmp_path / "spare.kv"))
    for source in (keyed, tmp_path / "spare.kv"):
        read = bb.load_vectors(source, allow_pickle=True)
        assert read.index_to_key == WORDS
        np.testing.assert_array_equal(read.vectors, MATRIX)
        assert bb.frequency_ranks(read).set_index("word")["rank"]["he"] == 1
    assert bb.convert_vectors(keyed, tmp_path / "made") == MATRIX.shape
    bb.save_vectors(keyed, tmp_path / "made.npz")
    np.testing.assert_array_equal(bb.load_vectors(tmp_path / "made.npz")[WORDS], MATRIX)


@pytest.mark.parametrize("words", [None, ["he"]])
def test_keys_that_are_no_text_are_refused(words: list[str] | None, tmp_path: Path) -> None:
    keyed = KeyedVectors(4)
    keyed.add_vectors([*range(6)], MATRIX)
    keyed.save(str(tmp_path / "v.kv"))
    for source in (keyed, tmp_path / "v.kv"):
        with pytest.raises(ValueError, match=r"must be text; got 0. Pass \(\[str"):
            bb.load_vectors(source, words, allow_pickle=True)


@pytest.mark.parametrize("call", [bb.load_vectors, bb.debias.hard])
def test_an_encoder_has_no_vocabulary(call: Callable[[Any], object]) -> None:
    refused("an encoder has no list of words", call, Model())


def test_keys_with_a_prefix_or_suffix() -> None:
    tagged = {f"/c/en/{word}": row for word, row in ROWS.items()}
    others = {f"/c/de/{word}": [9.0] * 4 for word in ROWS}
    vectors = bb.load_vectors(others | tagged, ["he", "she"], key="/c/en/{word}")
    np.testing.assert_array_equal(vectors.vectors, MATRIX[1:3])
    assert bb.resolved_forms(vectors) == {}
    whole = bb.load_vectors(others | tagged, key="/c/en/{word}")
    assert whole.index_to_key == WORDS
    refused(r"read them with key='/c/en/{word}'$", bb.load_vectors, tagged, ["he", "she"])
    with pytest.warns(bb.warnings.MissingWords) as told:
        bb.load_vectors(tagged | {"null": [1.0] * 4}, ["he", "she", "home", "null"])
    assert told[0].message.names == ("he", "home", "she")
    assert told[0].message.hint[-1] == Argument("key", "/c/en/{word}")
    wordlist = {"groups": PEOPLE, "stereotypes": {"a": ["career"], "b": ["home"]}}
    words = r"in the vectors given \(career, he, home, she\);"
    refused(words, bb.analyze, tagged, wordlist)  # landmarks are not named, as nobody listed them
    for key in ("/c/en/", 3):
        refused(r"key must contain {word} once", bb.load_vectors, tagged, ["he"], key=key)


def test_lines_of_json_and_tables_with_lists(tmp_path: Path) -> None:
    records = [{"text": word, "vector": row} for word, row in ROWS.items()]
    contents = [ROWS, records, {"texts": WORDS, "embeddings": [*ROWS.values()]}, [*ROWS.items()]]
    texts = [(".json", json.dumps(content, indent=i)) for i, content in enumerate(contents)]
    lines = [records, BATCH, [*ROWS.items()], [{word: row} for word, row in ROWS.items()]]
    texts += [(".jsonl", "\n".join(map(json.dumps, values)) + "\n\n") for values in lines]
    for ending, text in texts:
        path = tmp_path / f"v{ending}"
        path.write_text(text, "utf-8-sig")
        np.testing.assert_array_equal(bb.load_vectors(path).vectors, MATRIX)
    path = tmp_path / "v.jsonl.gz"
    path.write_bytes(gzip.compress(text.encode()))
    np.testing.assert_array_equal(bb.load_vectors(path).vectors, MATRIX)
    (tmp_path / "r.json").write_text(json.dumps(RESPONSE))
    refused(r"r\.json: .*without the words", bb.load_vectors, tmp_path / "r.json")
    pytest.importorskip("pyarrow")
    LISTS.to_parquet(tmp_path / "v.parquet")
    np.testing.assert_array_equal(bb.load_vectors(tmp_path / "v.parquet").vectors, MATRIX)


TOKENIZERS: dict[str, dict[str, Any]] = {
    "WordPiece": {"vocab": {"[UNK]": 0, "he": 1, "##er": 2, "niño": 3}, "unk_token": "[UNK]"},
    "Unigram": {"vocab": [["<unk>", 0], ["▁he", -1], ["er", -2], ["▁niño", -3]]},
    "BPE": {"vocab": {"!": 0, "Ġhe": 1, "er": 2, "ĠniÃ±o": 3}, "merges": []},
}


def static_model(
    folder: Path, words: list[str], matrix: np.ndarray, start: int = 0, **others: np.ndarray
) -> None:
    """Write a model with whole words only, whose tokens count from `start`."""
    save = pytest.importorskip("safetensors.numpy").save_file
    folder.mkdir()
    save({"embeddings": matrix, **others}, folder / "model.safetensors")
    vocab = {word: row for row, word in enumerate(words, start)}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocab}}), "utf-8")


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize(
    "layout",
    [
        *("plain", "mapped", "sentence-transformers"),
        pytest.param("bfloat16", marks=pytest.mark.slow),  # needs torch
    ],
)
def test_static_models_have_the_words_of_their_tokenizer(kind, layout, tmp_path) -> None:
    """Row i belongs to token i; newer models map tokens to rows and have weights."""
    save, matrix = pytest.importorskip("safetensors.numpy").save_file, MATRIX[:5]
    folder, expected = tmp_path, matrix[[1, 3]]
    if layout == "bfloat16":
        save = pytest.importorskip("safetensors.torch").save_file
        matrix = pytest.importorskip("torch").tensor(matrix).bfloat16()
        expected = matrix.float().numpy()[[1, 3]]
    tensors = {"embeddings": matrix}
    if layout == "mapped":
        tensors |= {"mapping": np.array([0, 0, 0, 4, 0]), "weights": np.arange(5, dtype="f4")}
        expected = MATRIX[[0, 4]] * np.array([[1.0], [3.0]], dtype=np.float32)
    if layout == "sentence-transformers":
        tensors = {"embedding.weight": matrix}
        folder = tmp_path / "0_StaticEmbedding"
        folder.mkdir()
    added = [{"id": 4, "content": "[PAD]", "special": True}] * (kind == "WordPiece")
    content = {"model": {"type": kind, **TOKENIZERS[kind]}, "added_tokens": added}
    (folder / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    save(tensors, folder / "model.safetensors")
    for source in (tmp_path, folder / "model.safetensors"):
        vectors = bb.load_vectors(source)
        assert vectors.index_to_key == ["he", "niño"]
        np.testing.assert_array_equal(vectors.vectors, expected)
    save({"layer.0.weight": matrix}, folder / "model.safetensors")
    refused(r"not a static model. For a sentence encoder, pass its", bb.load_vectors, tmp_path)


def test_weights_in_a_column(tmp_path: Path) -> None:
    weights = np.arange(1, 7, dtype=np.float32)[:, None]
    static_model(tmp_path / "model", WORDS, MATRIX, weights=weights)
    np.testing.assert_array_equal(bb.load_vectors(tmp_path / "model")[WORDS], MATRIX * weights)


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"weights": np.ones(3)}, "weights has 3 rows, but row 3"),
    ({"weights": np.ones((6, 4))}, r"weights has shape \(6, 4\)"),
    ({"mapping": np.array([0, 1, 2, 3, 4, -1])}, "row -1 is needed"),
    ({"mapping": np.arange(6.0)}, "integer"),
    ({"start": -1}, "row -1 is needed"),
    ({"start": 1}, "row 6 is needed"),
]


@pytest.mark.parametrize(("parts", "what"), BROKEN)
def test_static_models_whose_parts_do_not_fit(parts, what, tmp_path: Path) -> None:
    static_model(tmp_path / "model", WORDS, MATRIX, **parts)
    refused(f"is not the tokenizer of these vectors .*{what}", bb.load_vectors, tmp_path / "model")


def test_letters_stand_for_bytes_as_in_gpt_2() -> None:
    vocab = {"Ġhe": 0, "ĠÃł": 1, "ĠâĤ¬": 2, "ĠðŁĻĤ": 3}
    found = words_of_tokenizer({"model": {"vocab": vocab}})
    assert found == {0: "he", 1: "à", 2: "€", 3: "🙂"}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_added_tokens_are_whole_words_unless_they_are_special(kind: str) -> None:
    texts = ["new york", "café", "niño", "  ", "<pad>"]
    added = [
        {"id": row, "content": text, "special": text == "<pad>"}
        for row, text in enumerate(texts, 4)
    ]
    found = words_of_tokenizer({"model": TOKENIZERS[kind], "added_tokens": added})
    assert found == {1: "he", 4: "new york", 5: "café", 6: "niño"}


def test_dimensions_are_the_columns_that_are_numbered_alike() -> None:
    frame = WIDE.assign(share1=0.5, level7=1.5)
    with pytest.warns(bb.warnings.ColumnsNotRead, match="'share1', 'level7'"):
        np.testing.assert_array_equal(bb.load_vectors(frame).vectors, MATRIX)


def test_every_row_of_the_table_in_the_docs(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    words, array = ["he", "she"], np.array([[0.9, 0.1], [0.2, 0.8]], dtype=np.float32)
    by_word = dict(zip(words, array, strict=True))
    frame = pd.DataFrame(array, columns=["d0", "d1"]).assign(word=words)
    static_model(Path("model2vec-folder"), words, array)
    names = {
        "bb": bb,
        "words": words,
        "array": array,
        "frame": arrow(frame),
        "frame_of_lists": pd.DataFrame({"word": words, "vector": [*array]}),
        "response": {"data": [{"embedding": row, "index": i} for i, row in enumerate(array)]},
        "model": Fields(encode=lambda texts: [by_word[text] for text in texts]),
        "keyed_vectors": bb.load_vectors(by_word),
        "numberbatch": {f"/c/en/{word}": row for word, row in by_word.items()},
    }
    page = (bundled_folder("docs") / "own-words.md").read_text("utf-8")
    table = page.partition("| you have | you pass |")[2].partition("\n\n")[0]
    codes = re.findall(r"\| `([^`]+)` \|$", table, flags=re.MULTILINE)
    assert len(codes) == table.count("\n") - 1
    for code in codes:
        vectors = bb.load_vectors(eval(code, names), words)
        np.testing.assert_array_equal(vectors[words], array, err_msg=code)
