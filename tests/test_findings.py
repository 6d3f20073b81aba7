"""From a list in a dict to findings that show, draw and report themselves."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plot_looks import note

import bayesbias as bb
from bayesbias.embeddings.load import load_vectors
from bayesbias.report.headline import headline
from bayesbias.workflows.wordlist import Analysis

PETS = {
    "name": "pets",
    "groups": {"cat": ["cat", "cats"], "dog": ["dog", "dogs"]},
    "stereotypes": {"cat": ["small", "quiet", "home"], "dog": ["loyal", "big", "police"]},
    "controls": {"human": "human"},
}
FEW = {"seed": 1, "draws": 250, "matched": 0, "reference_lists": 0}


@pytest.fixture(scope="module")
def found() -> Analysis:
    return bb.analyze("glove-demo", PETS, **FEW)


def test_findings_show_the_sentences_of_the_report(found: Analysis) -> None:
    shown = " ".join(str(found).split())
    page = found._repr_html_().replace("&#x27;", "'")
    lead = headline(found)
    for text in (lead.about, *lead.table.rows[0], *lead.notes):
        assert text in shown
        assert text in page
    assert repr(found) == str(found)


def test_what_is_marked_is_explained_where_it_stands(found: Analysis) -> None:
    """Of either group two of two words are left, fewer than the three that a set needs."""
    ax = found.plot()
    assert [text.get_text()[-1] for text in ax.get_yticklabels()] == ["s", "†", "†"]
    assert "† Too few words are left of a set of this group" in note(ax)
    assert note(bb.plots.contrast_forest(found.contrasts)).count("†") == 0


def test_a_list_with_stereotypes_of_one_group_says_what_can_be_asked() -> None:
    lone = {**PETS, "stereotypes": {"cat": PETS["stereotypes"]["cat"]}}
    found = bb.analyze("glove-demo", lone, **FEW)
    shown = " ".join(str(found).split())
    assert [row[0] for row in found._sheet(roomy=True).rows] == ["all groups", "cat †"]
    assert "Only cat has stereotypes, so associated − different compares its words with" in shown
    paper = found.write_up().markdown
    assert "Only cat has stereotypes" in paper
    assert "For dog" not in paper
    assert "was the farthest from zero" not in paper


def test_what_it_holds_is_what_the_steps_give(found: Analysis) -> None:
    table = bb.distance_table(
        bb.load_vectors("glove-demo", bb.load_wordlist(PETS)), bb.load_wordlist(PETS)
    )
    assert found.table["cosine_distance"].tolist() == table["cosine_distance"].tolist()
    post = bb.fit(table, seed=1, draws=250)
    assert found.contrasts.equals(bb.contrasts(post))
    assert found.plot().get_figure() is not None


def test_the_call_makes_the_same_folder_again(
    found: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = found.report(tmp_path / "out")
    assert page.name == "report.html"
    named = set(re.findall(r"\bsee (\w+\.csv)", page.read_text(encoding="utf-8"), flags=re.I))
    assert named >= {"summary.csv", "influence.csv"}
    assert all((page.parent / name).is_file() for name in named)
    with pytest.raises(ValueError, match="holds results already"):
        found.report(tmp_path / "out")
    for name, text in found.texts.items():
        assert (tmp_path / "out" / name).read_text(encoding="utf-8") == text
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    again = eval(record["command"], {"bb": bb, "wordlist": PETS})
    assert again.contrasts.equals(found.contrasts)


def test_loaded_vectors_lack_words_for_reference_lists() -> None:
    wordlist = bb.load_wordlist(PETS)
    vectors = load_vectors("glove-demo", wordlist)
    with pytest.warns(UserWarning, match="give the name or path of the embedding") as told:
        found = bb.analyze(vectors, wordlist, name="mine", seed=1, draws=250, matched=0)
    assert [each.filename for each in told] == [__file__]
    assert found.reference is None
    assert "give an embedding with its whole vocabulary" in " ".join(str(found).split())
    assert found.settings.embedding == "mine"
    with pytest.raises(TypeError, match=r"unknown setting of an analysis 'sed'.*'seed'"):
        bb.analyze("glove-demo", PETS, sed=1)
    for given in (PETS, bb.load_wordlist(PETS)):
        with pytest.raises(TypeError, match="vectors come first, then the list"):
            bb.analyze(given, "glove-demo")  # type: ignore[arg-type]
