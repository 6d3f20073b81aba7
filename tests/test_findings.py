"""From a list in a dict to findings, their display, their report, and a write-up."""

import html
import json
import os
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import ALONE, one_landmark, refused, religion_analysis

import bayesbias as bb
from bayesbias._core.warnings import warn
from bayesbias.contextual import ContextualVectors
from bayesbias.embeddings.load import load_vectors
from bayesbias.posterior import baseline_words
from bayesbias.records.found import Frames, Without
from bayesbias.report.list_page import WITHOUT
from bayesbias.report.numbers import number
from bayesbias.report.pages import paper_of
from bayesbias.report.sentences import plain
from bayesbias.report.write_up import (
    OF_EMBEDDINGS,
    OF_METHODS,
    OF_MODELS,
    bibliography,
    escaped,
)
from bayesbias.tables.descriptives import default_rows
from bayesbias.workflows.wordlist import Analysis

pytestmark = pytest.mark.usefixtures("one_landmark")

PETS = {
    "name": "pets",
    "groups": {"cat": ["cat", "cats"], "dog": ["dog", "dogs"]},
    "stereotypes": {"cat": ["small", "quiet", "home"], "dog": ["loyal", "big", "police"]},
    "controls": {"human": "human"},
}
FEW = {"seed": 1, "draws": 250, "matched": 0, "reference_lists": 0}


@pytest.fixture(scope="module")
def found() -> Analysis:
    with one_landmark():
        return bb.analyze("glove-demo", PETS, **FEW)


@pytest.mark.seconds
def test_displays_show_the_sentence_and_the_numbers_of_the_report(found: Analysis) -> None:
    shown, page = " ".join(str(found).split()), found._repr_html_()
    answer = found.page().answer
    sentence = plain(answer.sentence)
    claim, row = sentence.partition(") ")[2], answer.picture.rows[0]
    assert claim in shown
    assert all(number(end, 3) in shown for end in row.ends)
    assert all(text in html.unescape(page) for text in (claim, *row.right))
    assert len(found.verbose()) > len(str(found))


@pytest.mark.slow
def test_the_seed_of_the_sampler_draws_no_words_and_two_groups_have_one_row() -> None:
    """Ends of intervals are averages over 1,000 draws of the sds."""
    one, other = (
        bb.analyze("glove-demo", PETS, **FEW | {"seed": seed, "matched": 3}) for seed in (1, 2)
    )
    assert one.wordlist == other.wordlist
    rows, others = (default_rows(found.contrasts) for found in (one, other))
    widths = (rows["high"] - rows["low"]).to_numpy()
    assert len(rows) == 1
    assert (np.abs(rows["mean"] - others["mean"]) < 0.1 * widths).all()
    assert set(one.split["protected_group"]) == {"cat", "dog"}
    halves = one.split.groupby("baseline")["mean"].mean()
    assert np.abs(halves - rows["mean"].item()).max() < 0.1 * widths[0]


def test_a_list_with_stereotypes_of_one_group_says_what_can_be_asked() -> None:
    lone = {**PETS, "stereotypes": {"cat": PETS["stereotypes"]["cat"]}}
    found = bb.analyze("glove-demo", lone, **FEW)
    assert [row.key for row in found.found.rows] == [""]


def test_sizes_are_positive_in_the_direction_that_the_sentence_names() -> None:
    """Words on war are closer to soldiers, whoever is said to own them."""
    groups = {"men": ["soldier", "army", "troops"], "pets": ["cat", "kitten", "puppy"]}
    for owner in groups:
        lone = {"groups": groups, "stereotypes": {owner: ["war", "military", "battle"]}}
        found = bb.analyze("glove-demo", lone, **FEW)
        holds = owner == "men"
        assert found.found.overall.verdict.holds is holds
        assert (found.found.overall.mean > 0) is holds
        answer = found.page().answer
        first, *_ = re.findall(r"[−-]?\d\.\d+", answer.deck)
        assert float(first) > 0
        assert ("less" in plain(answer.sentence)) is not holds


@pytest.mark.seconds
def test_what_it_holds_is_what_the_steps_give(found: Analysis) -> None:
    table = bb.distance_table(
        bb.load_vectors("glove-demo", bb.load_wordlist(PETS)), bb.load_wordlist(PETS)
    )
    assert found.table["cosine_distance"].tolist() == table["cosine_distance"].tolist()
    assert {"protected_word_rank", "attribute_rank"} <= set(found.table)
    post = bb.fit(table, seed=1, draws=250)
    assert found.contrasts.equals(bb.contrasts(post))
    with_model = bb.analyze("glove-demo", PETS, models=[bb.load_model("by-group")], **FEW)
    assert with_model.contrasts.equals(found.contrasts)
    assert with_model.found.origin["arguments"]["models"] == ["by-group"]
    assert "models=models" in with_model.call


@pytest.mark.seconds
def test_the_call_makes_the_same_folder_again(found, tmp_path, monkeypatch) -> None:
    page = found.report(tmp_path / "out")
    assert page.name == "report.html"
    refused("already has results", found.report, tmp_path / "out")
    paper = found.write_up()
    for name, text in (("write-up.md", paper.markdown), ("references.bib", paper.bibtex)):
        assert (tmp_path / "out" / name).read_text(encoding="utf-8") == text
    assert str(found) in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    again = eval(record["command"], {"bb": bb, "wordlist": PETS})
    assert again.contrasts.equals(found.contrasts)


@pytest.mark.seconds
@pytest.mark.parametrize("name", ["fastText/wiki", "v1/", "GloVe(300d)"])
def test_a_given_name_is_kept_as_it_is(name: str) -> None:
    found = bb.analyze("glove-demo", PETS, name=name, **FEW)
    assert found.found.embedding == name
    again = eval(found.call, {"bb": bb, "wordlist": PETS})
    assert again.found.embedding == name
    assert set(found.table["embedding"]) == {name}


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.BayesbiasWarning")
def test_files_can_have_names_of_invalid_unicode(tmp_path: Path) -> None:
    vectors = load_vectors("glove-demo", bb.load_wordlist(PETS))
    rows = zip(vectors.index_to_key, vectors.vectors + 0.01, strict=True)
    lines = [" ".join([word, *map(str, row)]) for word, row in rows]
    path = os.fsdecode(os.fsencode(tmp_path) + b"/glove\xff.txt")
    Path(path).write_text("\n".join(lines), encoding="utf-8")
    found = bb.analyze(path, PETS, **FEW)
    assert found.found.embedding == r"glove\udcff.txt"
    assert found.report(tmp_path / "out").exists()
    assert found.card(tmp_path / "card.svg").exists()
    change = bb.analyze_change(path, "glove-demo", PETS, matched=0, seed=1, draws=100)
    assert change.report(tmp_path / "change").exists()


@pytest.mark.seconds
def test_the_reason_for_no_other_lists_is_the_right_one() -> None:
    own = [*PETS["groups"].values(), *PETS["stereotypes"].values()]
    words = tuple(word for some in own for word in some)
    rows = np.random.default_rng(1).normal(size=(len(words), 3, 8)).astype(np.float32)
    contexts = ContextualVectors("made", words, ("one", "two", "three"), rows, (), "word", 1)
    in_sentences = bb.analyze(contexts, {**PETS, "controls": {}}, seed=1, draws=100)
    lost = {
        "groups": {**PETS["groups"], "wug": ["wugs", "wuggish"]},
        "stereotypes": {**PETS["stereotypes"], "wug": ["blue", "shy"]},
    }
    with pytest.warns(bb.warnings.NothingDrawn):
        of_two = bb.analyze("glove-demo", {**PETS, **lost}, **{**FEW, "reference_lists": 3})
    for one, reason in ((in_sentences, Without.CONTEXTS), (of_two, Without.GROUPS)):
        assert one.found.without is reason
        texts = (" ".join(fold.text().split()) for fold in one.page().folds())
        assert any(WITHOUT[reason] in text for text in texts)


@pytest.mark.seconds
def test_drawn_words_are_no_entries_of_a_list_but_its_own_controls_are() -> None:
    """Two groups of two words, two sets of three, and three controls."""
    controls = {"matched": ["table", "river", "no-such-word"]}
    for given, n in (({}, 10), (controls, 13)):
        found = bb.analyze("glove-demo", {**PETS, "controls": given}, **{**FEW, "matched": 2})
        assert found.found.n_entries == n
        assert f"{len(found.missing)} of the list’s {n} " in found.write_up().markdown


@pytest.mark.seconds
def test_doubts_about_the_fits_of_baselines_are_doubts_about_the_analysis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    doubt = bb.warnings.FewProposals(size=80, limit=400)

    def doubtful(*given: Any, **how: Any) -> Any:
        warn(doubt)
        return bb.fit(*given, **how)

    monkeypatch.setattr(baseline_words, "fit", doubtful)
    words = {**PETS, "baseline": {"people": ["person", "human"]}, "controls": {}}
    with pytest.warns(bb.warnings.FewProposals):
        found = bb.analyze("glove-demo", words, **FEW)
    (one,) = found.warnings
    assert one.text == doubt.text
    assert "people" in one.about
    assert any(str(one) in text for text in found.page().answer.alerts)


def test_loaded_vectors_lack_words_for_reference_lists() -> None:
    wordlist = bb.load_wordlist(PETS)
    vectors = load_vectors("glove-demo", wordlist)
    with pytest.warns(bb.warnings.NothingDrawn) as told:
        found = bb.analyze(vectors, wordlist, name="mine", seed=1, draws=250, matched=0)
    assert [each.filename for each in told] == [__file__]
    assert found.found.without is Without.WORDS
    refused("'seed'", bb.analyze, "glove-demo", PETS, error=TypeError, sed=1)


@pytest.mark.slow
def test_vectors_without_ranks_have_baselines_as_measured() -> None:
    vectors = load_vectors("glove-demo")
    held = {word: vectors[word] for word in vectors.index_to_key}
    options = {"seed": 1, "draws": 250, "matched": 5, "reference_lists": 20}
    with pytest.warns(bb.warnings.UnknownFrequency):
        analysis = bb.analyze(held, "gender", **options)
    means = analysis.table.groupby(["connection", "protected_group"])["cosine_distance"].mean()
    split = analysis.split.pivot_table("mean", "baseline", "protected_group")
    apart = split["man"] - split["woman"]
    raw = means.unstack()["man"] - means.unstack()["woman"]
    # The parts of both groups move by a baseline's raw difference, which is arithmetic.
    moved = 2 * (raw["neutral"] - raw["human"])
    assert apart["human"] - apart["neutral"] == pytest.approx(moved, abs=1e-9)
    assert np.isfinite(apart["neighbors"])


ODD = {
    "name": "50% of $x_1$ & <b>",
    "groups": {"a|b": ["cat", "cats"], "d_g": ["dog", "dogs"]},
    "stereotypes": {"a|b": ["small", "quiet", "home"], "d_g": ["loyal", "big", "police"]},
    "reference": "nobody #1 {yet}",
}


@pytest.fixture(scope="module")
def religion() -> Analysis:
    return religion_analysis()


def test_the_write_up_has_the_numbers_of_the_frames(religion: Analysis) -> None:
    """The estimand stands before its number; numbers are closeness, so their signs are reversed."""
    text = religion.write_up().markdown
    for row in religion.found.rows:
        assert number(abs(row.mean)) in text
    methods, results = text.split("## Results")
    assert r"[m(h, S_g) - m(g, S_g)]" in methods
    assert "100%" not in results


def test_the_overall_estimate_of_the_write_up_has_the_sign_of_its_formula(
    religion: Analysis,
) -> None:
    headline, row = religion.frames["headline"], religion.found.overall
    ends = {"low": -headline["high"], "high": -headline["low"]}
    turned = headline.assign(mean=-headline["mean"], **ends)
    found = replace(religion.found, frames=Frames({**religion.frames, "headline": turned}))
    text = str(paper_of(found))
    assert row.mean > 0
    assert f"{number(-row.mean)} (89% interval {number(-row.high)} to {number(-row.low)};" in text


def test_probabilities_of_the_write_up_are_those_of_the_page(religion: Analysis) -> None:
    """No probability is 0, because no posterior is certain."""
    small = religion.frames["headline"].assign(p_rope=0.001, p_rope_ceiling=0.999)
    found = replace(religion.found, frames=Frames({**religion.frames, "headline": small}))
    said = re.search(r"within ±\S+ is (\S+); .* exceed (\S+)\.\n", str(paper_of(found)))
    assert said is not None
    assert said.groups() == ("0.01", "0.99")


def test_what_is_cited_is_there(religion: Analysis) -> None:
    paper = religion.write_up()
    there = set(re.findall(r"^@\w+\{(.*),$", paper.bibtex, flags=re.MULTILINE))
    assert set(re.findall(r"@([a-z]+\d{4}|bayesbias)\b", paper.markdown)) == there
    assert repr(paper) == paper.markdown


def test_every_citation_has_an_entry() -> None:
    tables = OF_MODELS, OF_EMBEDDINGS, OF_METHODS
    keys = {key for table in tables for keys in table.values() for key in keys}
    assert keys <= set(bibliography())
    assert set(OF_METHODS) == set(bb.debias.DEBIASING_METHODS)
    assert all(bb.load_model(name) for name in OF_MODELS)


@pytest.mark.usefixtures("mock_nuts")
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
def test_odd_names_stay_text() -> None:
    few = {"models": ("paper",), "method": "nuts", "chains": 2, "draws": 100}
    found = bb.analyze("glove-demo", ODD, seed=1, **few, **ALONE)
    paper = found.write_up()
    assert "No-U-Turn" in paper.markdown
    assert r"list “50% of \$x\_1\$ \& \<b\>”;" in paper.markdown
    assert r"Source of the list: nobody \#1 {yet}." in paper.markdown
    assert r"| stereotype | a\|b\_stereotype | small, quiet, home |" in paper.markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("&lt; k~2~ x^2^ @user #1", r"\&lt; k\~2\~ x\^2\^ \@user \#1"),
        ("l'homme a--b by-group ...", r"l\'homme a\-\-b by-group \.\.\."),
        ("- one", r"\- one"),
        ("12. one", r"12\. one"),
        ("0.12 (−0.1 to 0.3)", "0.12 (−0.1 to 0.3)"),
    ],
)
def test_markdown_shows_texts_literally(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["crossed", "by-group"])
def test_methods_name_the_estimands_of_groups_only_if_groups_have_rows(model: str) -> None:
    pets = {**PETS, "groups": {**PETS["groups"], "kid": ["child", "boy", "girl"]}}
    pets["stereotypes"] = {**PETS["stereotypes"], "kid": ["school", "game", "play"]}
    analysis = bb.analyze("glove-demo", pets, models=[model], **ALONE, draws=100, seed=1)
    formula = "[m(h, S_g) - m(g, S_g)] - [m(h, T) - m(g, T)]"
    assert (formula in analysis.write_up().markdown) == bool(analysis.found.groups)


def test_frames_that_the_headline_does_not_use_are_computed_once_when_read() -> None:
    now, calls = pd.DataFrame({"x": [1]}), list[int]()
    frames = Frames({"now": now, "later": lambda: calls.append(1) or now + 1})
    assert (list(frames), len(frames), calls) == (["now", "later"], 2, [])
    assert frames["later"] is frames["later"]
    assert calls == [1]
    assert dict(pickle.loads(pickle.dumps(frames)))["later"]["x"].item() == 2


@pytest.mark.slow
@pytest.mark.usefixtures("mock_nuts")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_with_student_t_residuals_has_a_report_without_reference_lists(tmp_path) -> None:
    few = {"models": ["robust"], "draws": 30, "chains": 2, "reference_lists": 5}
    found = bb.analyze("glove-demo", PETS, matched=0, progressbar=False, **few)
    assert found.found.without is Without.MODEL
    assert found.report(tmp_path / "out").exists()


@pytest.mark.slow
def test_a_group_without_vectors_has_no_reference_lists() -> None:
    """Its stereotypes stay as those of others, which a list on another topic cannot replace."""
    pets = {**PETS, "groups": {**PETS["groups"], "kid": ["kidzzq", "chyyld"]}}
    pets["stereotypes"] = {**PETS["stereotypes"], "kid": ["school", "game", "play"]}
    with pytest.warns(bb.warnings.NothingDrawn):
        analysis = bb.analyze("glove-demo", pets, **{**FEW, "reference_lists": 20})
    assert analysis.found.without is Without.GROUPS
    assert "kid_stereotype" in set(analysis.table["attribute_set"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.EquidistantWords")
@pytest.mark.parametrize("model", ["change-by-group", "change-crossed"])
def test_landmarks_of_a_change_have_the_estimand_of_its_model(model: str) -> None:
    how = {"matched": 2, "draws": 50, "seed": 1}
    change = bb.analyze_change("glove-demo", "multiclass_hard", "religion", models=(model,), **how)
    own = change.contrasts.query("level == 'overall' and second == 'different'")
    assert {*change.found.frames["landmarks"]["estimand"]} == {*own["estimand"]}
