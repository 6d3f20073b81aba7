from __future__ import annotations

import numpy as np
import pytest

from bayesbias.scores import WeamResult, permutation_test, weam, weat
from bayesbias.scores.result import Result
from bayesbias.showing import Shown

TOY = {"x<y": [1.0, 0.0], "b": [0.0, 1.0], "a": [1.0, 1.0], "c": [0.3, -1.0]}


@pytest.fixture
def result() -> WeamResult:
    return weam(TOY, ["a", "c", "lost"], ["x<y"], ["b"])


def test_text_is_aligned_and_tells_all(result: WeamResult) -> None:
    lines = str(result).splitlines()
    assert lines[0] == "WeamResult"
    assert [line.split()[0] for line in lines[1:]] == ["missing", "score", "psi", "limit"]
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
    assert html.count("<tr>") == 4
    lost = weam({"a": [1.0, 0.0], "b": [0.0, 1.0]}, ["a", "<b>"], ["a"], ["b"])
    assert "&lt;b&gt;" in lost._repr_html_()
    assert "<b>" not in lost._repr_html_()


def test_per_word_parts_are_a_frame(result: WeamResult) -> None:
    frame = result.per_word()
    assert list(frame.columns) == ["word", "psi"]
    assert frame["word"].tolist() == ["a", "c"]
    assert np.array_equal(frame["psi"], result.psi)


def test_results_are_frozen(result: WeamResult) -> None:
    with pytest.raises(AttributeError, match="cannot assign"):
        result.score = 1.0  # type: ignore[misc]


def test_results_without_words_show_too() -> None:
    assert "n_splits" in str(permutation_test([1.0, 2.0], [0.0, 3.0]))
    assert weat(TOY, ["a"], ["c"], ["x<y"], ["b"]).per_word()["word"].tolist() == ["a", "c"]
