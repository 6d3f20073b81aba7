"""Every kind of vectors and of word lists, in every public function that takes both."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb

LIST, FEW = "weat9", {"seed": 1, "progressbar": False}


def _parquet(words: list[str], matrix: np.ndarray) -> str:
    pd.DataFrame(matrix, index=pd.Index(words, name="word")).to_parquet("v.parquet")
    return "v.parquet"


@cache
def keyed() -> Any:
    """Return vectors of the list's words and of some other words."""
    others = bb.load_vectors("glove-demo").index_to_key[:2500]
    return bb.load_vectors("glove-demo", [*bb.load_wordlist(LIST).words, *others])


HELD: dict[str, Callable[[list[str], np.ndarray], Any]] = {
    "dict": lambda words, matrix: dict(zip(words, matrix, strict=True)),
    "model": lambda *_: SimpleNamespace(wv=keyed()),
    "parquet": _parquet,
    "name": lambda *_: "glove-demo",
}
"""A form of each kind. Tests of readers have all forms."""

LISTS: dict[str, Callable[[], Any]] = {
    "name": lambda: LIST,
    "dict": lambda: {
        key: getattr(bb.load_wordlist(LIST), key)
        for key in ("name", "groups", "stereotypes", "stereotype_names", "controls")
    },
    "WordList": lambda: bb.load_wordlist(LIST),
}


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


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the same vectors in every form, and a folder of files."""
    folder, before = tmp_path_factory.mktemp("held"), Path.cwd()
    os.chdir(folder)
    held = {name: make(keyed().index_to_key, keyed().vectors) for name, make in HELD.items()}
    os.chdir(before)
    return {
        name: folder / form if str(form).startswith("v.") else form for name, form in held.items()
    }


@cache
def expected(function: str) -> pd.DataFrame:
    return without_ranks(FUNCTIONS[function](keyed(), bb.load_wordlist(LIST)))


def cases() -> Iterator[Any]:
    """Yield every form of vectors, each with a form of list, for every function."""
    for function in FUNCTIONS:
        for (i, vectors), (j, words) in product(enumerate(HELD), enumerate(LISTS)):
            if (i - j) % 3 == 0:
                marks = [pytest.mark.slow] if function in {"analyze", "background"} else []
                yield pytest.param(function, vectors, words, marks=marks)


@pytest.mark.parametrize(("function", "vectors", "words"), list(cases()))
def test_every_function_takes_them(function, vectors, words, forms) -> None:
    frame = FUNCTIONS[function](forms[vectors], LISTS[words]())
    if vectors != "name":  # the bundled embedding has more words to draw from
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
