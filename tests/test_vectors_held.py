"""Vectors in memory, in a file, and of an encoder, in every function that takes vectors."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb

LIST, FEW = "weat9", {"seed": 1, "progressbar": False}
SETS = ("name", "groups", "stereotypes", "stereotype_names", "controls")
WORDS = {name: getattr(bb.load_wordlist(LIST), name) for name in SETS}


@cache
def keyed() -> Any:
    """Return vectors of the list's words and of some other words."""
    others = bb.load_vectors("glove-demo").index_to_key[:2500]
    return bb.load_vectors("glove-demo", [*bb.load_wordlist(LIST).words, *others])


def _saved(vectors: Any, words: Any) -> pd.DataFrame:
    with TemporaryDirectory() as folder:
        bb.save_vectors(vectors, f"{folder}/v.npz")
        return bb.distance_table(f"{folder}/v.npz", words)


FUNCTIONS: dict[str, Callable[[Any, Any], pd.DataFrame]] = {
    "missing": bb.missing_words,
    "table": lambda vectors, words: bb.distance_table(vectors, words, embedding="e"),
    "scores": lambda vectors, words: bb.score_table(vectors, words, scores=("weat", "mac"), seed=1),
    "background": lambda vectors, words: (
        bb.vocabulary_contrasts(vectors, words, n_lists=3, draws=50, **FEW).table
    ),
    "many": lambda vectors, words: bb.distance_tables({"e": vectors}, [words], matched=0),
    "analyze": lambda vectors, words: (
        bb.analyze(vectors, words, reference_lists=0, matched=0, draws=50, **FEW).contrasts
    ),
    "save": _saved,
    "debias": lambda vectors, words: bb.distance_table(bb.debias.hard(vectors, "gender"), words),
}


SLOW = ("analyze", "background")
CASES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in FUNCTIONS]


@cache
def expected(function: str) -> pd.DataFrame:
    return without_ranks(FUNCTIONS[function](keyed(), bb.load_wordlist(LIST)))


@pytest.mark.seconds
@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("held", ["dict", "file"])
def test_every_function_takes_them(function: str, held: str, tmp_path: Path) -> None:
    """A word list is a dict here, and a `WordList` in what is expected."""
    vectors = dict(zip(keyed().index_to_key, keyed().vectors, strict=True))
    if held == "file":
        pd.DataFrame.from_dict(vectors, "index").rename(columns=str).to_parquet(tmp_path / "v")
    frame = FUNCTIONS[function](tmp_path / "v" if held == "file" else vectors, WORDS)
    pd.testing.assert_frame_equal(without_ranks(frame), expected(function), rtol=1e-6)


class Encoder:
    """An encoder that knows the words of the list; it has no other words to draw from."""

    def __init__(self) -> None:
        self.calls = 0

    def encode(self, texts: list[str]) -> np.ndarray:
        self.calls += 1
        rows = keyed()
        return np.array(
            [rows[text] if text in rows else np.zeros(rows.vector_size) for text in texts]
        )


@pytest.mark.seconds
@pytest.mark.parametrize("function", ["missing", "table", "scores", "many", "analyze"])
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.EmptyVectors")
def test_an_encoder_is_asked_once(function: str) -> None:
    encoder = Encoder()
    frame = FUNCTIONS[function](encoder, bb.load_wordlist(LIST))
    assert encoder.calls == 1
    pd.testing.assert_frame_equal(without_ranks(frame), expected(function), rtol=1e-6)


def without_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out ranks and what is done with them, because only some forms have ranks."""
    names = [name for name in frame if str(name).endswith("_rank") or name == "frequency"]
    return frame.drop(columns=names)


ROWS = pd.DataFrame(
    np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32),
    index=pd.Index([*"abcdef"], name="word"),
    columns=[f"d{i}" for i in range(4)],
)


def with_cell(cell: Any, held: str, path: Path) -> Any:
    """Return the rows with another cell for the word c, as a frame or in a file."""
    frame = ROWS.astype(object)
    frame.loc["c", "d1"] = cell
    if held == "csv":
        frame.to_csv(path)
    elif held == "unnamed":
        frame.rename_axis(None).to_csv(path)
    elif held == "parquet":
        texts = [None if each is pd.NA else str(each) for each in frame["d1"]]
        ROWS.assign(d1=texts).reset_index().to_parquet(path)
    return path if path.exists() else frame


@pytest.mark.parametrize("held", ["frame", "csv", "unnamed", "parquet"])
@pytest.mark.parametrize("cell", ["", np.nan, "NA", "null", "None", pd.NA], ids=repr)
def test_a_cell_without_a_number_costs_one_word(cell: Any, held: str, tmp_path: Path) -> None:
    source = with_cell(cell, held, tmp_path / "v")
    with pytest.warns(bb.warnings.EmptyVectors) as told:
        found = bb.load_vectors(source)
    assert [each.message.words for each in told] == [("c",)]
    np.testing.assert_array_equal(found[[*"abdef"]], ROWS.drop(index="c"))


@pytest.mark.parametrize("held", ["frame", "csv", "unnamed", "parquet"])
@pytest.mark.parametrize("cell", ["x", True, "1,5"])
def test_other_text_in_a_column_of_numbers_is_refused(cell: Any, held: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'d1' are numbers, but that of the word 'c'"):
        bb.load_vectors(with_cell(cell, held, tmp_path / "v"))


@pytest.mark.parametrize("name", ["d0", "d2", "d3"])
@pytest.mark.parametrize("cell", ["0,1234", "1,257.30", "5%", "−.5", True, 1j, pd.Timestamp(0)])
def test_a_dimension_that_is_not_read_as_numbers_is_refused(cell: Any, name: str) -> None:
    held = ROWS.assign(**{name: [cell] * 6})
    for frame in (held, held.reset_index()):
        with pytest.raises(ValueError, match=f"'{name}' is named as a dimension.* word 'a'"):
            bb.load_vectors(frame)


@pytest.mark.parametrize(
    ("name", "cell"), [("d4", "NOUN"), ("d4", None), ("d9", True), ("e1", "x")]
)
def test_columns_next_to_the_dimensions_are_named(cell: Any, name: str) -> None:
    with pytest.warns(bb.warnings.ColumnsNotRead, match=f"'{name}'"):
        found = bb.load_vectors(ROWS.assign(**{name: [cell] * 6}))
    np.testing.assert_array_equal(found[[*"abcdef"]], ROWS)


def test_rows_without_numbers_and_numbers_as_text(tmp_path: Path) -> None:
    frame = ROWS.copy()
    frame.loc["c"] = np.nan
    for sep, decimal in (",.", ";,"):
        frame.to_csv(tmp_path / "v.csv", sep=sep, decimal=decimal)
        with pytest.warns(bb.warnings.EmptyVectors):
            found = bb.load_vectors(tmp_path / "v.csv")
        np.testing.assert_array_equal(found[[*"abdef"]], ROWS.drop(index="c"))
    np.testing.assert_array_equal(bb.load_vectors(ROWS.astype(str))[[*"abcdef"]], ROWS)
