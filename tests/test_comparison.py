"""Changes between two tables: pairing of rows, single numbers, and the posterior."""

import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import leaning, pair_table, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from scipy.stats import ttest_rel

import bayesbias as bb
from bayesbias import comparison
from bayesbias.comparison import bias_before_after, scores_before_after
from bayesbias.comparison.before_after import SCORE_CHANGE_COLUMNS, load_frequent
from bayesbias.comparison.pairing import pair
from bayesbias.comparison.runs import runs_of
from bayesbias.debias import DefiningSets, load_defining_sets, remaining_bias
from bayesbias.model.indexing import make_design
from bayesbias.scores import SCORES, ListScore
from bayesbias.scores.list_rows import ListRows, list_rows
from bayesbias.scores.table import resamples
from bayesbias.tables.schema import COLUMNS, CONNECTIONS, IDS
from bayesbias.warnings import OnlyListedChanged, WordsInTwoSets
from bayesbias.workflows.change import _scores
from bayesbias.workflows.change_ends import read_ends
from bayesbias.workflows.settings import ChangeSettings

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.warnings.SameVectors")
"""Known warnings: debiased tables repeat words or distances; test_tables.py covers them."""

BEFORE = [
    ("he", "nurse", "different", 0.9),
    ("he", "pilot", "associated", 0.5),
    ("he", "pilot", "associated", 0.6),
    ("he", "clock", "neutral", 1.0),
]
AFTER = [
    ("he", "pilot", "associated", 0.7),
    ("he", "pilot", "associated", 0.9),
    ("he", "nurse", "different", 0.8),
    ("he", "walk", "human", 0.3),
]


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resample words 20 times in analyses of changes, instead of 1,000 times."""
    few = partial(scores_before_after, n_resamples=20)
    monkeypatch.setattr(comparison, "scores_before_after", few)


@pytest.mark.seconds
@pytest.mark.usefixtures("few_resamples")
def test_a_change_of_only_the_listed_words_is_said() -> None:
    (rng, more), (listed, words) = np.random.default_rng(2).spawn(2), leaning(n=3)
    before = listed | {str(i): more.normal(size=6) for i in range(40)}
    after = before | {word: row + 0.3 * rng.normal(size=6) for word, row in listed.items()}
    options = {"draws": 100, "seed": 1, "progressbar": False, "matched": 0}
    sets = words.stereotypes | {"x": (*words.stereotypes["x"], "y_s0")}
    with pytest.warns(bb.warnings.BayesbiasWarning):
        change = bb.analyze_change(before, after, replace(words, stereotypes=sets), **options)
    shared = WordsInTwoSets(("y_s0",), about=words.name)  # found at both ends, but kept once
    assert [change.notices.count(one) for one in (OnlyListedChanged(40, 40), shared)] == [1, 1]


@pytest.mark.seconds
@pytest.mark.usefixtures("few_resamples")
def test_ends_of_different_dimensions_are_compared_by_their_distances() -> None:
    """In more dimensions, turned vectors have the same distances; one word gets another vector."""
    rng, (before, words) = np.random.default_rng(1), leaning("xyz", n=3)
    before |= {str(i): rng.normal(size=6) for i in range(40)}
    turn = np.linalg.qr(rng.normal(size=(9, 6)))[0].T
    after = {word: row @ turn for word, row in before.items()} | {"x0": np.eye(9)[0]}
    options = {"draws": 100, "seed": 1, "progressbar": False, "matched": 0}
    pairs = bb.analyze_change(before, after, words, **options).pairs
    moved = pairs["protected_word"] == "x0"
    assert (pairs.loc[moved, "change"].abs() > 1e-3).all()
    np.testing.assert_allclose(pairs.loc[~moved, "change"], 0, atol=1e-6)  # single precision


@pytest.mark.seconds
@pytest.mark.usefixtures("few_resamples")
def test_scores_before_and_after_are_those_of_words_and_groups_that_both_ends_have() -> None:
    rng, (before, words) = np.random.default_rng(3), leaning("xyz", n=3)
    after = {word: row + 0.3 * rng.normal(size=6) for word, row in before.items()}
    del after["x_s0"]
    listed = replace(words, stereotypes={g: words.stereotypes[g] for g in "xy"})
    options = {"draws": 100, "seed": 1, "progressbar": False, "matched": 0}
    with pytest.warns(bb.warnings.BayesbiasWarning):
        found = bb.analyze_change(before, after, listed, **options).scores
    sets = {"x": words.stereotypes["x"][1:], "y": words.stereotypes["y"]}
    both = replace(words, groups={g: words.groups[g] for g in "xy"}, stereotypes=sets)
    expected = bb.comparison.scores_before_after(
        *map(bb.load_vectors, (before, after)), both, seed=0
    )
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.seconds
@pytest.mark.usefixtures("few_resamples")
@pytest.mark.parametrize("lost", [("", "x0 x1 x2 x3"), ("x0 x1", "x2 x3")])
def test_sets_of_which_both_ends_have_few_words_are_named(lost: tuple[str, str]) -> None:
    rng, (vectors, words) = np.random.default_rng(3), leaning(n=6)
    moved = {word: row + 0.3 * rng.normal(size=6) for word, row in vectors.items()}
    before, after = (
        {word: row for word, row in of.items() if word not in left.split()}
        for of, left in zip((vectors, moved), lost, strict=True)
    )
    options = {"draws": 100, "seed": 1, "progressbar": False, "matched": 0}
    with pytest.warns(bb.warnings.BayesbiasWarning):
        notices = bb.analyze_change(before, after, words, **options).notices
    thin = [notice for notice in notices if isinstance(notice, bb.warnings.ThinSet)]
    assert thin == [bb.warnings.ThinSet("x", 2, 6)]


def test_rows_pair_by_hand_and_repeated_ones_in_their_order() -> None:
    pairs = pair(pair_table(BEFORE), pair_table(AFTER))
    assert pairs.rows[["attribute", "before", "after"]].to_numpy().tolist() == [
        ["nurse", 0.9, 0.8],
        ["pilot", 0.5, 0.7],
        ["pilot", 0.6, 0.9],
    ]
    assert pairs.rows["change"].tolist() == pytest.approx([-0.1, 0.2, 0.3])
    assert pairs.n_repeated == 1
    left = pairs.unpaired[["table", "attribute", COLUMNS[-1]]].to_numpy().tolist()
    assert left == [["before", "clock", 1.0], ["after", "walk", 0.3]]
    once = pair(pair_table(BEFORE), pair_table(AFTER[:1])).unpaired  # repeats in only one table
    assert once[["table", COLUMNS[-1]]].to_numpy().tolist() == [
        ["before", y] for y in (0.9, 0.6, 1)
    ]


def test_changes_keep_the_likeness_of_words() -> None:
    (before, words), rng = leaning(n=3), np.random.default_rng(4)
    after = {word: row + 0.3 * rng.normal(size=6) for word, row in before.items()}
    tables = [bb.distance_table(vectors, words) for vectors in (before, after)]
    design, own = pair(*tables).design(), make_design(tables[0])
    np.testing.assert_array_equal(design.word_likeness, own.word_likeness)
    np.testing.assert_array_equal(design.attribute_likeness, own.attribute_likeness)


def test_context_is_part_of_the_pair_if_both_tables_have_it() -> None:
    one = pair_table(BEFORE[1:3]).assign(context=["a", "b"])
    other = pair_table(AFTER[:2]).assign(context=["b", "a"])
    assert pair(one, other).rows["after"].tolist() == [0.9, 0.7]
    refused("only the table before has contexts", pair, one, other.drop(columns="context"))
    same = pair(one.assign(context="a"), other.drop(columns="context"))  # one context needs no mark
    assert same.rows["after"].tolist() == [0.7, 0.9]
    noted = pair(one.assign(note="x"), other.assign(more="y")).rows
    assert [*noted["note"]] == ["x", "x"]


@settings(max_examples=5)
@given(st.permutations(range(16)))
def test_the_order_of_rows_without_repeats_does_not_matter(order: list[int]) -> None:
    keys = [(f"w{i // 8}", f"a{i % 8}", CONNECTIONS[i % 4], 0.02 * i) for i in range(16)]
    before, after = pair_table(keys), pair_table(keys).assign(cosine_distance=0.9)
    shuffled = after.iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(pair(before, shuffled).rows, pair(before, after).rows)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ({"protected_word": "she"}, r"no rows in common \(before .*'he nurse.*after .*'she pilot"),
        ({"protected_group": "h"}, "'he' is in the group 'g' before but 'h' after"),
        ({"embedding": list("xyxy")}, r"'after' has 2 embeddings \(x, y\).* use fit_many"),
        ({"attribute_set": "t"}, "'pilot' .*'g' is in the set 's' before but 't'"),
        (
            {"attribute_set": [*"stss"]},
            "'pilot' .* attribute_set 's' in one row and 't' in another",
        ),
        (
            {"attribute_set": [*"tsss"]},
            "'pilot' .* attribute_set 't' in one row and 's' in another",
        ),
        ({"connection": "human"}, "'pilot' .* the connection 'associated' before but 'human'"),
        ({"connection": "odd"}, "odd"),
    ],
)
def test_tables_that_cannot_be_paired_say_why(after: dict[str, Any], message: str) -> None:
    refused(message, pair, pair_table(BEFORE), pair_table(AFTER).assign(**after))


@pytest.mark.parametrize(
    ("protected", "lacking"), [("x0", ""), ("Rose", ""), ("Rose", "rose")]
)  # The first spelling of an attribute may be that of a protected word.
def test_only_rows_in_the_same_set_are_paired_if_spellings_share_a_vector(
    protected: str, lacking: str
) -> None:
    """One of the embeddings has both spellings as one attribute, which is in the sets of both."""
    vectors, words = leaning("xyz", n=3)
    vectors |= {"Rose": vectors["x_s0"], "rose": vectors["y_s0"]}
    listed = replace(
        words,
        groups=words.groups | {"x": (protected, "x1", "x2")},
        stereotypes={
            "y": (*words.stereotypes["y"], "rose"),
            "x": (*words.stereotypes["x"], "Rose"),
        },
    )
    cased = {word: row for word, row in vectors.items() if word != lacking}
    lower = {word.lower(): row + 0.1 for word, row in vectors.items()}
    with warnings.catch_warnings(action="ignore", category=bb.warnings.BayesbiasWarning):
        tables = [
            bb.distance_table(bb.load_vectors(ends, listed, case="fallback"), listed)
            for ends in (cased, lower)
        ]
    rows = [{*table[[*IDS]].itertuples(index=False, name=None)} for table in tables]
    for order in (1, -1):
        pairs = pair(*tables[::order])
        left = pairs.unpaired[["table", *IDS]].itertuples(index=False, name=None)
        first, second = rows[::order]
        assert {*pairs.rows[[*IDS]].itertuples(index=False, name=None)} == first & second
        assert {*left} == {("before", *row) for row in first - second} | {
            ("after", *row) for row in second - first
        }
        runs = runs_of(
            "toy", {(name, ""): t for name, t in zip("ab", tables[::order], strict=True)}
        )
        assert len(runs.design.y) == len(first & second)
        assert runs.n_left_out == len(first ^ second)


def test_matched_words_may_be_listed_in_the_other_table() -> None:
    drawn = [*AFTER, ("he", "clock", "matched", 0.9)]
    pairs = pair(pair_table(BEFORE), pair_table(drawn))
    assert pairs.unpaired["connection"].tolist() == ["neutral", "human", "matched"]


@pytest.mark.parametrize(
    "name",
    ["level_1", "index", "table", "_merge", "repeat", "number", "cosine_distance_after", 0],
)
def test_other_columns_may_have_any_name(name: str | int) -> None:
    before, after = pair_table(BEFORE), pair_table(AFTER)
    expected = pair(before, after)
    found = pair(before.assign(**{"note": 3}).rename(columns={"note": name}), after)
    assert found.rows.pop(name).tolist() == [3, 3, 3]
    assert found.rows.to_dict("list") == expected.rows.to_dict("list")
    assert found.unpaired.to_dict("list") == expected.unpaired.to_dict("list")


WORDS = leaning(n=3)[1]


def toy(seed: int, words: tuple[str, ...] = WORDS.words) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(5) for word in words}


def test_scores_are_those_of_either_embedding() -> None:
    before, after = toy(1), toy(2)
    frame = scores_before_after(before, after, WORDS, n_resamples=50, seed=0)
    assert list(frame.columns) == list(SCORE_CHANGE_COLUMNS)
    for when, vectors in (("before", before), ("after", after)):
        own = bb.score_table(vectors, WORDS, n_resamples=50, seed=0, scores=frame["score"])
        assert frame[when].tolist() == pytest.approx(own["value"].tolist())
    assert np.allclose(frame["change"], frame["after"] - frame["before"])
    assert (frame["low"] <= frame["high"]).all()
    assert frame["p_value"].notna().tolist() == [True, False, False, False]
    words = [bb.scores.mac(vectors, WORDS).per_word.to_numpy() for vectors in (after, before)]
    assert frame["t"][0] == pytest.approx(ttest_rel(*map(np.ravel, words)).statistic)


def test_intervals_of_the_change_keep_words_together() -> None:
    """Rotating and scaling all vectors leaves every score the same, for any words."""
    before = toy(1)
    q, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))
    after = {word: 3 * q @ vector for word, vector in before.items()}
    frame = scores_before_after(before, after, WORDS, n_resamples=50, seed=0)
    assert np.allclose(frame[["change", "low", "high"]], 0, atol=1e-9)
    same = scores_before_after(before, before, WORDS, n_resamples=20, seed=0).set_index("score")
    assert same[["change", "low", "high"]].eq(0).all(axis=None)
    assert "the t-test is undefined" in same["note"]["mac"]


def test_intervals_of_the_change_are_those_of_changes_of_drawn_words() -> None:
    before, after = toy(1), toy(2)
    total = {"sum": ListScore(lambda rows: float(rows.protected[0].sum()), "ordered")}
    found = scores_before_after(before, after, WORDS, scores=total, n_resamples=50, seed=0).iloc[0]
    picks = resamples(list_rows(before, WORDS)[0], 50, 0).protected[0]
    moved = np.array([(after[word] - before[word]).sum() for word in WORDS.groups["x"]])
    ends = np.quantile(moved[picks].sum(axis=1), [0.055, 0.945])
    assert (found["low"], found["high"]) == pytest.approx(tuple(ends))
    assert found["change"] == pytest.approx(moved.sum())


def test_bands_count_distances_of_both_tables() -> None:
    rng = np.random.default_rng(0)
    before, after = (
        pd.DataFrame({"cosine_distance": rng.normal(1, sd, 40)}).assign(
            protected_word="w",
            protected_group="g",
            attribute=[f"a{i}" for i in range(40)],
            attribute_set="s",
            connection="associated",
            embedding="e",
        )
        for sd in (0.2, 0.1)
    )
    whole, before = before, before[5:]
    for half in (0.15, None):
        with pytest.warns(bb.warnings.LeftOut) as told:
            row = comparison.band_shares(whole, after[5:][::-1], half).iloc[0]
        assert [(one.message.n, one.message.total) for one in told] == [(5, 40)]
        width = half or np.ceil(100 * abs(1 - before["cosine_distance"].mean())) / 100
        for when, table in (("before", before), ("after", after)):
            inside = (table["cosine_distance"][-35:] - 1).abs() <= width
            assert row[f"share_{when}"] == inside.mean()
        assert (row["band_low"], row["band_high"]) == pytest.approx((1 - width, 1 + width))


def test_words_of_one_embedding_only_are_named() -> None:
    after = {word: vector for word, vector in toy(2).items() if word != "y_s0"}
    both = toy(1), toy(2), WORDS
    refused("only one embedding: y_s0", scores_before_after, toy(1), after, WORDS)
    spelled = replace(  # a spelling in the same set, and one in another
        WORDS,
        groups=WORDS.groups | {"x": (*WORDS.groups["x"], "X0")},
        stereotypes=WORDS.stereotypes | {"y": (*WORDS.stereotypes["y"], "X_S0")},
    )
    merged = bb.load_vectors(toy(1), spelled, case="fallback")
    apart = toy(2, (*WORDS.words, "X0", "X_S0"))
    with pytest.warns(bb.warnings.SameSpellings):
        refused("only one embedding: X0, X_S0;", scores_before_after, merged, apart, spelled)
    refused("did you mean 'weat'", scores_before_after, *both, scores=["weatt"])
    refused("pass 0.89", scores_before_after, *both, ci_prob=89)


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.SameSpellings")
def test_a_change_is_scored_by_words_that_count_in_both_embeddings() -> None:
    spelled = replace(WORDS, groups=WORDS.groups | {"x": (*WORDS.groups["x"], "X0")})
    merged = bb.load_vectors(toy(1), spelled, case="fallback")
    apart = bb.load_vectors(toy(2, (*WORDS.words, "X0")))
    ends = read_ends(merged, apart, spelled, None, ChangeSettings(matched=0, progressbar=False))
    found = _scores(ends, spelled, ChangeSettings())
    assert_frame_equal(found, scores_before_after(toy(1), toy(2), WORDS, seed=0), rtol=1e-5)


def test_notes_of_changes_are_those_of_single_embeddings() -> None:
    """Also of scores that are undefined, for the list or for some resamplings."""
    words = replace(
        WORDS,
        groups=WORDS.groups | {"x": (*WORDS.groups["x"], "absent")},
        stereotypes={"x": ("x0", "x_s1"), "y": ("y_s0", "y_s1")},
    )

    def defined(rows: ListRows) -> float:
        if len({*rows.protected_words[0].tolist()}) < 2:
            raise ValueError("too few words")
        return 1.0

    for stereotypes in (words.stereotypes, {"x": ("x0",), "y": ("y_s0",)}):
        listed = replace(words, stereotypes=stereotypes)
        own = {"some": ListScore(defined, "all"), "mac": SCORES["mac"], "weat": SCORES["weat"]}
        options = {"scores": own, "n_resamples": 60, "seed": 0}
        found = scores_before_after(toy(1), toy(2), listed, **options).set_index("score")
        alone = bb.score_table(toy(1), listed, **options).set_index("score")
        names = ["some", *["mac"] * bool(np.isnan(alone["value"]["mac"])), "weat"]
        assert found["note"][names].tolist() == alone["note"][names].tolist()
        assert "resamplings" in alone["note"]["some"]
        assert found["note"].str.endswith("absent").all()
        assert found["t"].notna()["mac"] == alone["value"].notna()["mac"]


def test_only_mac_has_the_t_test_of_mac() -> None:
    mean = ListScore(lambda rows: float(rows.targets.mean()), "all")
    scores = {"mac": mean, "theirs": SCORES["mac"]}
    found = scores_before_after(toy(1), toy(2), WORDS, scores=scores, n_resamples=5, seed=0)
    assert found["t"].notna().tolist() == [False, True]


def test_directions_of_bias_are_of_words_that_both_embeddings_have(monkeypatch) -> None:
    """Equal vectors have equal scores, whatever words either lacks."""
    checks = pd.DataFrame(columns=["check", "measure", "before", "after", "chance", "n"])
    monkeypatch.setattr("bayesbias.comparison.before_after.remaining_bias", lambda *_, **__: checks)
    pairs = [(f"a{i}", f"b{i}") for i in range(4)]
    sets = DefiningSets(pairs, targets=["t0", "t1"])
    vectors = toy(1, (*sets.kept, *sets.targets))
    ends = [
        bb.load_vectors({word: row for word, row in vectors.items() if word != lost})
        for lost in ("a0", "b1")
    ]
    with pytest.warns(bb.warnings.MissingWords) as told:
        found = bias_before_after(*ends, sets).set_index("check")
    assert [one.message.names for one in told] == [("a0", "b1")]
    assert found["before"].tolist() == found["after"].tolist()
    expected = bb.scores.direct_bias(vectors, sets.targets, pairs[2:]).score
    assert found["after"]["direct_bias"] == pytest.approx(expected, rel=1e-5)
    with pytest.warns(bb.warnings.MissingWords):
        refused("no defining set", bias_before_after, *ends, replace(sets, defining=pairs[:2]))


@pytest.mark.seconds
def test_bias_before_after_is_made_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = bb.load_vectors("glove-demo")
    after = bb.debias.hard(vectors, "gender")
    sets = load_defining_sets("gender").in_case("fallback", vectors)
    found = bias_before_after(vectors, after, "gender", n_words=40, seed=2)
    with pytest.warns(bb.warnings.MissingWords) as caught:
        own = bias_before_after(vectors, after, replace(sets, name="own"), n_words=40, seed=2)
    assert own.equals(found)
    targets = [word for word in sets.targets if word in vectors]
    assert {*caught[0].message.names} == {*sets.targets} - {*targets}
    rows = found.set_index("check")
    for when, each in (("before", vectors), ("after", after)):
        bias = bb.scores.direct_bias(each, targets, sets.defining).score
        assert rows[when]["direct_bias"] == bias
        assert rows[when]["same"] == bb.scores.same(each, targets, sets.groups).score
    known = replace(sets, targets=tuple(targets))
    checks = remaining_bias(vectors, after, known, n_words=40, seed=2)
    refused("n_words must be", bias_before_after, vectors, after, known, n_words=99_999)
    assert found.iloc[2:].reset_index(drop=True).equals(checks)
    monkeypatch.setattr("bayesbias.comparison.before_after.remaining_bias", lambda *_, **__: checks)
    fewer = bb.load_vectors(
        {word: after[word] for word in after.index_to_key if word != targets[0]}
    )
    less = bias_before_after(vectors, fewer, "gender", n_words=40, seed=2).set_index("check")
    assert less["before"]["same"] == bb.scores.same(vectors, targets[1:], sets.groups).score
    bare = DefiningSets(sets.defining, specific=sets.specific)
    assert "direct_bias" not in set(bias_before_after(vectors, after, bare, n_words=40)["check"])


def test_only_the_frequent_words_and_those_of_the_sets_are_loaded(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("bayesbias.comparison.before_after.VOCABULARY", 100)
    path = tmp_path / "some.txt"
    words = [f"w{i}" for i in range(1000)] + ["she", "he", "doctor", "caf\xe9"]
    path.write_text("".join(f"{word} {at} 1\n" for at, word in enumerate(words)), "utf-8")
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 256)
    sets = DefiningSets([("she", "he")], targets=["doctor", "caf\xe9", "absent"])
    loaded = load_frequent(str(path), sets)
    assert loaded.index_to_key == [*words[:100], *words[-4:]]
    assert loaded["doctor"].tolist() == [1002, 1]


def test_religion_reddit_mac_before_and_after(debiased_religion: tuple[pd.DataFrame, ...]) -> None:
    """The paper's Table 2 prints .859 and .934, but the data give .8614 and .9334."""
    got = comparison.mac_before_after(*debiased_religion).iloc[0]
    assert got["before"] == pytest.approx(0.8614, abs=5e-5)  # as rounded
    assert got["after"] == pytest.approx(0.9334, abs=5e-5)
    assert got["change"] == pytest.approx(got["after"] - got["before"])
    assert got["no_bias"] == 1  # the mean distance of orthogonal words
    means = [
        table[table["connection"].isin(["associated", "different"])]
        .groupby(["protected_word", "attribute_set"])["cosine_distance"]
        .mean()
        for table in debiased_religion
    ]
    test = ttest_rel(means[1], means[0])
    assert (got["t"], got["p_value"]) == pytest.approx((test.statistic, test.pvalue))
    assert got["n_pairs"] == 45


def test_ends_are_named_by_their_files_or_by_their_place(tmp_path: Path) -> None:
    held, words = bb.load_vectors("glove-demo"), bb.load_wordlist("weat7")
    files = [tmp_path / folder / "v.npz" for folder in ("old", "new")]
    for path in files:
        path.parent.mkdir()
        np.savez(path, words=held.index_to_key, vectors=held.vectors)
    settings = ChangeSettings(matched=0, progressbar=False)
    for names, ends in {
        ("before", "after"): (held, held),
        ("v.npz", "after"): (files[0], held),
        (str(files[0]), str(files[1])): files,
    }.items():
        assert read_ends(*ends, words, None, settings).names == names
