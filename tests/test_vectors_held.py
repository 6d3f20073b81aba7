"""Vectors and word lists as people hold them, in every public function that takes both."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import bayesbias as bb

LIST, FEW = "weat9", {"seed": 1, "progressbar": False}


@cache
def keyed() -> Any:
    """Vectors of the list, and of some other words."""
    others = bb.load_vectors("glove-demo").index_to_key[:2500]
    return bb.load_vectors("glove-demo", [*bb.load_wordlist(LIST).words, *others])


def saved() -> str:
    keyed().save_word2vec_format("v.vec")
    return "v.vec"


HELD: dict[str, Callable[[], Any]] = {
    "dict": lambda: dict(zip(keyed().index_to_key, keyed().vectors, strict=True)),
    "DataFrame": lambda: pd.DataFrame(keyed().vectors, index=keyed().index_to_key),
    "pair": lambda: (keyed().index_to_key, keyed().vectors),
    "KeyedVectors": keyed,
    "model": lambda: SimpleNamespace(wv=keyed()),
    "path": saved,
    "name": lambda: "glove-demo",
}

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
    "many": lambda vectors, words: bb.distance_tables({"e": vectors}, [words]),
    "analyze": lambda vectors, words: (
        bb.analyze(vectors, words, reference_lists=0, matched=0, draws=50, **FEW).contrasts
    ),
    "save": _saved,
    "debias": lambda vectors, words: bb.distance_table(bb.debias.hard(vectors, "gender"), words),
}


@cache
def expected(function: str) -> pd.DataFrame:
    return FUNCTIONS[function](keyed(), bb.load_wordlist(LIST))


SLOW = [pytest.param("analyze", marks=pytest.mark.slow)]


@pytest.mark.parametrize("function", [*(name for name in FUNCTIONS if name != "analyze"), *SLOW])
def test_every_function_takes_them(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kind of vectors, with the kinds of lists in turn; some kinds where all go one way."""
    monkeypatch.chdir(tmp_path)
    kinds = HELD if function == "table" else ["dict", "model", "path", "name"]
    for vectors, words in zip(kinds, cycle(LISTS.values())):
        frame = FUNCTIONS[function](HELD[vectors](), words())
        if vectors != "name":  # the bundled set has more words to draw from
            pd.testing.assert_frame_equal(frame, expected(function), rtol=1e-6)
