from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from bayesbias._core.arrays import FloatArray
from bayesbias._core.display import Shown
from bayesbias.scores import WeamResult, weam
from bayesbias.scores.result import Result

TOY = {"x<y": [1.0, 0.0], "b": [0.0, 1.0], "a": [1.0, 1.0], "c": [0.3, -1.0]}


@pytest.fixture
def result() -> WeamResult:
    return weam(TOY, ["a", "c", "lost"], ["x<y"], ["b"])


def test_text_is_aligned_and_tells_all(result: WeamResult) -> None:
    lines = str(result).splitlines()
    assert lines[0] == "WeamResult"
    told = ["missing", "score", "psi", "to_a", "to_b", "limit"]
    assert [line.split()[0] for line in lines[1:]] == told
    assert len({line.index(line.split()[1]) for line in lines[1:]}) == 1
    assert "words: lost" in lines[1]


def test_repr_names_every_field(result: WeamResult) -> None:
    assert repr(result).startswith("WeamResult(words=('a', 'c'), missing={'words': ('lost',)}, ")
    assert f"score={result.score!r}, psi={result.psi!r}" in repr(result)


def test_every_score_shows_itself_in_one_way() -> None:
    kinds, found = [Result], []
    while kinds:
        found += kinds
        kinds = [kind for each in kinds for kind in each.__subclasses__()]
    assert len(found) > 15
    for kind in found:
        for name in ("__str__", "_repr_html_", "_repr_pretty_"):
            assert getattr(kind, name) is getattr(Shown, name)


def test_html_is_a_table_with_its_text_escaped(result: WeamResult) -> None:
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == 6
    lost = weam({"a": [1.0, 0.0], "b": [0.0, 1.0]}, ["a", "<b>"], ["a"], ["b"])
    assert "&lt;b&gt;" in lost._repr_html_()
    assert "<b>" not in lost._repr_html_()


def test_per_word_parts_are_a_frame(result: WeamResult) -> None:
    frame = result.per_word()
    assert list(frame.columns) == ["word", "psi", "to_a", "to_b"]
    assert frame["word"].tolist() == ["a", "c"]
    assert np.array_equal(frame["psi"], result.psi)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Parts(Result):
    """A result with a field of every kind, for three words."""

    one: FloatArray
    pairs: FloatArray
    named: FloatArray = field(metadata={"columns": "names"})
    other: FloatArray
    wide: FloatArray
    cube: FloatArray
    empty: FloatArray
    bounds: tuple[float, float] = (1 / 3, 2.0)
    names: tuple[str, ...] = ("u", "v")
    share: float = 2 / 3
    table: pd.DataFrame
    nothing: float | None = None


@pytest.fixture
def parts() -> Parts:
    return Parts(
        missing={"X": ("u", "v"), "Y": ("w",)},
        one=np.array([1.0, 2.0, 4.0]),
        pairs=np.arange(6.0).reshape(3, 2),
        named=np.arange(6.0, 12.0).reshape(3, 2),
        other=np.zeros(2),
        wide=np.zeros((2, 3)),
        cube=np.zeros((3, 1, 1)),
        empty=np.zeros(0),
        table=pd.DataFrame({"a": [1, 2]}),
    )


def test_only_parts_with_a_row_a_word_are_in_the_frame(parts: Parts) -> None:
    frame = parts.per_word()
    assert list(frame.columns) == ["word", "one", "pairs_0", "pairs_1", "named_u", "named_v"]
    assert frame["word"].tolist() == [0, 1, 2]  # numbers, as words are not known
    assert frame["one"].tolist() == [1, 2, 4]
    assert frame["pairs_0"].tolist() == [0, 2, 4]
    assert frame["pairs_1"].tolist() == [1, 3, 5]
    assert frame["named_v"].tolist() == [7, 9, 11]


def test_every_kind_of_field_has_its_text(parts: Parts) -> None:
    assert dict(parts.lines()) == {
        "missing": "X: u, v; Y: w",
        "one": "array of shape (3,), mean 2.333",
        "pairs": "array of shape (3, 2), mean 2.5",
        "named": "array of shape (3, 2), mean 8.5",
        "other": "array of shape (2,), mean 0",
        "wide": "array of shape (2, 3), mean 0",
        "cube": "array of shape (3, 1, 1), mean 0",
        "bounds": "0.333333, 2",
        "names": "u, v",
        "share": "0.666667",
        "table": "frame of 2 rows",
    }
