"""Questions in words, and effects of facets, against arithmetic on the draws."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from builders import FAST, distances, only_row
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.wordlist_lint import find_flaws

WORDS = {"he": "man", "him": "man", "she": "woman", "black-haired": "woman", "man": "man"}


@pytest.fixture(scope="module")
def post() -> DataTree:
    return bb.fit(distances(WORDS), "paper", seed=3, **FAST)


def mean_of(post: DataTree, words: list[str], connection: str) -> np.ndarray:
    means = post["posterior"]["word_mean"].sel(protected_word=words, connection=connection)
    return means.mean("protected_word").values.ravel()


def test_statements_are_arithmetic_on_draws(post: DataTree) -> None:
    men, women = ["he", "him", "man"], ["she", "black-haired"]
    texts = [
        "man: associated - different < woman: associated - different",
        "word man:associated>.5 * `black-haired`: human + 0.4",
        "associated - 2 * different < -0.9",
    ]
    overall = {
        c: post["posterior"]["connection_mean"].sel(connection=c).values.ravel()
        for c in ("associated", "different")
    }
    apart = [
        mean_of(post, men, "associated")
        - mean_of(post, men, "different")
        - mean_of(post, women, "associated")
        + mean_of(post, women, "different"),
        mean_of(post, ["man"], "associated") - mean_of(post, ["black-haired"], "human") / 2 - 0.4,
        overall["associated"] - 2 * overall["different"] + 0.9,
    ]
    frame = bb.hypothesis(post, *texts)
    assert frame["hypothesis"].tolist() == texts
    for row, draws, sign in zip(frame.to_dict("records"), apart, (-1, 1, -1), strict=True):
        assert row["probability"] == pytest.approx((sign * draws > 0).mean())
        assert row["mean"] == pytest.approx(draws.mean())
    groups = bb.contrasts(post, between="groups")
    pair = groups[(groups["first"] == "associated") & (groups["second"] == "different")].iloc[0]
    signs = 1 if pair["protected_group"] == "man" else -1
    assert signs * pair["mean"] == pytest.approx(frame["mean"][0])
    assert len(groups) == 10  # pairs of five connections, one pair of groups


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("associated - different", "one < or > is needed; there are 0"),
        ("associated < 0 < 1", "one < or > is needed; there are 2"),
        ("assocated < 0", "unknown connection 'assocated'; did you mean 'associated'"),
        ("mann: human < 0", "unknown group or word 'mann'; did you mean 'man'"),
        ("human human < 1", "a connection, a number or a sign is lacking"),
        ("human = 1", "'=' means nothing here"),
        ("man: associated - < 1", "a connection, a number or a sign is lacking"),
    ],
)
def test_errors_name_the_statement(post: DataTree, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        bb.hypothesis(post, text)
    assert repr(text) in str(caught.value)


def test_what_stands_before_a_colon_holds_beyond_the_sign(post: DataTree) -> None:
    sides = ["different", "woman: different", "all: different"]
    texts = [f"woman: associated < {right}" for right in sides]
    short, whole, overall = bb.hypothesis(post, *texts)["mean"]
    assert short == whole != overall


GENDER = {"bw": "women", "bm": "men", "ww": "women", "wm": "men", "aw": "women", "am": "men"}
RACE = {"bw": "black", "bm": "black", "ww": "white", "wm": "white", "aw": "asian", "am": "asian"}
FACETS = {"gender": GENDER, "race": RACE}

GAPS = {"bw": -0.3, "bm": -0.1, "ww": -0.05, "wm": 0.0, "aw": -0.1, "am": -0.1, "other": 0.2}
"""Associated − different that the table is made with."""


def table(gaps: dict[str, float]) -> pd.DataFrame:
    """Six words of every group, of which associated lies as far off as its gap says."""
    noise = np.random.default_rng(1).normal(scale=0.002, size=(len(gaps), 6, 6))
    rows = [
        (f"{group}{w}", group, f"{set_}{a}", set_, set_, 0.8 + gap * (set_ == "associated") + e)
        for (group, gap), of_group in zip(gaps.items(), noise, strict=True)
        for w, of_word in enumerate(of_group)
        for a, e in enumerate(of_word)
        for set_ in ("associated", "different")
    ]
    return pd.DataFrame(rows, columns=[*bb.COLUMNS[:5], "cosine_distance"])


@pytest.fixture(scope="module")
def crossed() -> DataTree:
    return bb.fit(table(GAPS), "paper", seed=2, **FAST)


def gap(crossed: DataTree, group: str) -> np.ndarray:
    """Draws of a group's associated − different, of its words by their names."""
    means = crossed["posterior"]["word_mean"]
    words = [str(w) for w in means["protected_word"].values if re.fullmatch(rf"{group}\d", str(w))]
    apart = means.sel(connection="associated") - means.sel(connection="different")
    return apart.sel(protected_word=words).mean("protected_word").values.ravel()


def test_effects_are_arithmetic_on_draws_and_what_was_planted(crossed: DataTree) -> None:
    frame = bb.facet_contrasts(crossed, FACETS)
    g = {group: gap(crossed, group) for group in GAPS}
    expected = {
        "women − men": ((g["bw"] + g["ww"] + g["aw"] - g["bm"] - g["wm"] - g["am"]) / 3, -1 / 12),
        "black − white": ((g["bw"] + g["bm"]) / 2 - (g["ww"] + g["wm"]) / 2, -0.175),
        "black − asian": ((g["bw"] + g["bm"]) / 2 - (g["aw"] + g["am"]) / 2, -0.1),
        "white − asian": ((g["ww"] + g["wm"]) / 2 - (g["aw"] + g["am"]) / 2, 0.075),
        "(women − men) × (black − white)": (g["bw"] - g["bm"] - g["ww"] + g["wm"], -0.15),
        "(women − men) × (black − asian)": (g["bw"] - g["bm"] - g["aw"] + g["am"], -0.2),
        "(women − men) × (white − asian)": (g["ww"] - g["wm"] - g["aw"] + g["am"], -0.05),
    }  # fmt: skip
    assert frame["contrast"].tolist() == list(expected)
    assert frame["facets"].tolist() == ["gender"] + 3 * ["race"] + 3 * ["gender × race"]
    for contrast, (draws, truth) in expected.items():
        row = only_row(frame, contrast=contrast, first="associated", second="different")
        assert row["mean"] == pytest.approx(draws.mean())
        assert row["sd"] == pytest.approx(draws.std(ddof=1))
        assert row["p_direction"] == pytest.approx(max((draws > 0).mean(), (draws < 0).mean()))
        assert row["mean"] == pytest.approx(truth, abs=0.01)  # noise of .002 in 36 cells a group


def test_a_third_facet_is_averaged_over_and_crossed(crossed: DataTree) -> None:
    """Three facets of two labels on eight groups: signs of a Hadamard matrix over draws."""
    names = [f"{a}{b}{c}" for a in "ab" for b in "cd" for c in "ef"]
    gaps = dict(zip(names, np.linspace(-0.3, 0.1, 8) ** 2, strict=True))
    tree = bb.fit(table(gaps), "paper", seed=2, **FAST)
    facets = {f"f{at}": {name: name[at] for name in names} for at in range(3)}
    frame = bb.facet_contrasts(tree, facets)
    draws = np.array([gap(tree, name) for name in names])
    plus = np.array([[1, -1][at] for at in (0, 1)])
    one, both = np.ones(2) / 2, plus
    rows = [
        np.kron(np.kron(*pair), last)
        for *pair, last in [
            (both, one, one), (one, both, one), (one, one, both),
            (both, both, one), (both, one, both), (one, both, both), (both, both, both),
        ]
    ]  # fmt: skip
    assert frame["facets"].iloc[-1] == "f0 × f1 × f2"
    np.testing.assert_allclose(frame["mean"], [(row @ draws).mean() for row in rows], atol=1e-12)


def test_a_list_carries_its_facets(crossed: DataTree) -> None:
    groups = {name: [f"{name}{w}" for w in range(6)] for name in GAPS}
    own = {name: [f"associated{at}"] for at, name in enumerate(GAPS)}
    content = {"groups": groups, "stereotypes": own, "facets": FACETS}
    wordlist = bb.load_wordlist(content)
    assert wordlist.facets["gender"]["bw"] == "women"
    assert len({wordlist, bb.load_wordlist(content)}) == 1
    pd.testing.assert_frame_equal(
        bb.facet_contrasts(crossed, wordlist), bb.facet_contrasts(crossed, FACETS)
    )
    for wrong, text in (
        ({"gender": {"bx": "women"}}, "facets.gender.bx: unknown group 'bx'; did you mean 'bw'"),
        ({"gender": "women"}, "facets.gender: must be a table of labels"),
        ({"gender": {"bw": 1}}, "facets.gender: must be a text in quotes; got 1"),
        ("gender", "facets: must be a table of sets; got"),
    ):
        flaws = [str(flaw) for flaw in find_flaws({"name": "x", **content, "facets": wrong})]
        assert any(flaw.startswith(text) for flaw in flaws), flaws


def test_what_cannot_be_crossed_is_named(crossed: DataTree) -> None:
    lone = {"gender": {"bw": "women", "wm": "men"}, "race": {"bw": "black", "wm": "white"}}
    for facets, text in (
        ({}, "there are no facets; give a dict"),
        (lone, "no group is men black, nor women white; main effects"),
        ({"gender": {"bw": "women"}}, "facet gender: needs two labels or more"),
        ({"gender": GENDER, "race": {**RACE, "other": "white"}}, "other has no label of gender"),
        ({"gender": {**GENDER, "othr": "men"}}, "facet gender: unknown group 'othr'"),
    ):
        with pytest.raises(ValueError, match=re.escape(text)):
            bb.facet_contrasts(crossed, facets)
