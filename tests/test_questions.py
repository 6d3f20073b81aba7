"""Questions in words, and effects of facets, compared with arithmetic on the draws."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import FAST, distances, only_row, refused, table_of
from xarray import DataTree

import bayesbias as bb
from bayesbias.posterior.facets import facet_effects

WORDS = {"he": "man", "him": "man", "she": "woman", "black-haired": "woman", "man": "man"}


@pytest.fixture(scope="module")
def post() -> DataTree:
    return bb.fit(distances(WORDS), "paper", seed=3, **FAST)


def mean_of(post: DataTree, words: list[str], connection: str) -> np.ndarray:
    means = post["posterior"]["word_mean"].sel(protected_word=words, connection=connection)
    return means.mean("protected_word").values.ravel()


def test_statements_are_arithmetic_on_draws(post: DataTree) -> None:
    texts = [
        "man: associated - different < woman: associated - different",
        "word man:associated>`black-haired`: human + 0.4",
        "associated - 0.9 < -.1 + .05",
        "woman: different > associated",  # text before a colon is about more than the sign
    ]
    of = {"man": ["he", "him", "man"], "woman": ["she", "black-haired"]}
    gaps = {
        group: mean_of(post, words, "associated") - mean_of(post, words, "different")
        for group, words in of.items()
    }
    overall = post["posterior"]["connection_mean"].stack(draws=["chain", "draw"])
    differences = [
        gaps["man"] - gaps["woman"],
        mean_of(post, ["man"], "associated") - mean_of(post, ["black-haired"], "human") - 0.4,
        (overall.sel(connection="associated") - 0.85).data,
        -gaps["woman"],
    ]
    frame = bb.hypothesis(SimpleNamespace(posterior=post), *texts)  # a result that contains it
    assert frame["hypothesis"].tolist() == texts
    for row, draws, sign in zip(frame.itertuples(), differences, (-1, 1, -1, 1), strict=True):
        assert row.probability == pytest.approx((sign * draws > 0).mean())
        assert row.mean == pytest.approx(draws.mean())
    groups = bb.contrasts(post, between="groups")
    assert len(groups) == 10  # all pairs of five connections, and one pair of groups
    pair = only_row(groups, first="associated", second="different")
    assert (pair["protected_group"], pair["other_group"]) == ("man", "woman")
    assert pair["mean"] == pytest.approx(frame["mean"][0])


def test_names_in_other_scripts_need_no_backquotes() -> None:
    words = {"वह": "लड़का", "उसे": "लड़का", "she": "लड़की", "her": "लड़की"}
    tree = bb.fit(distances(words), "paper", seed=3, **FAST)
    text = "लड़का: associated < लड़की: associated"
    quoted = text.replace("लड़का", "`लड़का`").replace("लड़की", "`लड़की`")
    one, other = bb.hypothesis(tree, text, quoted)["mean"]
    assert one == other


GENDER = {"bw": "women", "bm": "men", "ww": "women", "wm": "men", "aw": "women", "am": "men"}
RACE = {"bw": "black", "bm": "black", "ww": "white", "wm": "white", "aw": "asian", "am": "asian"}
FACETS = {"gender": GENDER, "race": RACE}

GAPS = {"bw": -0.3, "bm": -0.1, "ww": -0.05, "wm": 0.0, "aw": -0.1, "am": -0.1, "other": 0.2}
"""The table's planted associated − different."""


def crossed(gaps: dict[str, float]) -> DataTree:
    """Return six words per group, whose associated distances are shifted by the group's gap."""
    noise = np.random.default_rng(1).normal(scale=0.002, size=(len(gaps), 6, 6))
    rows = [
        (f"{group}{w}", group, f"{set_}{a}", set_, set_, 0.8 + gap * (set_ == "associated") + e)
        for (group, gap), of_group in zip(gaps.items(), noise, strict=True)
        for w, of_word in enumerate(of_group)
        for a, e in enumerate(of_word)
        for set_ in ("associated", "different")
    ]
    table = pd.DataFrame(rows, columns=[*bb.COLUMNS[:5], "cosine_distance"])
    return bb.fit(table, "paper", seed=2, **FAST)


def gap(tree: DataTree, group: str) -> np.ndarray:
    """Return draws of a group's associated − different, from its words' names."""
    names = map(str, tree["posterior"]["protected_word"].values)
    words = [word for word in names if re.fullmatch(rf"{group}\d", word)]
    return mean_of(tree, words, "associated") - mean_of(tree, words, "different")


def test_effects_of_facets_are_arithmetic_on_draws_and_what_was_planted() -> None:
    tree = crossed(GAPS)
    wordlist = bb.load_wordlist(
        {
            "groups": {name: [f"{name}{w}" for w in range(6)] for name in GAPS},
            "stereotypes": {name: [f"own{at}"] for at, name in enumerate(GAPS)},
            "facets": FACETS,
        }
    )
    frame = bb.contrasts(tree, between=wordlist.facets)
    g = {group: gap(tree, group) for group in GAPS}
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
    for row, (draws, truth) in zip(frame.itertuples(), expected.values(), strict=True):
        assert row.mean == pytest.approx(draws.mean())
        assert row.sd == pytest.approx(draws.std(ddof=1))
        assert row.mean == pytest.approx(truth, abs=0.01)  # noise of .002 in 36 cells per group


def test_groups_with_the_same_labels_are_averaged() -> None:
    draws = np.random.default_rng(1).normal(size=(7, 5, 2))
    one, two, bm, ww, wm = draws.swapaxes(0, 1)
    facets = {
        "gender": {"one": "women", "two": "women", "bm": "men", "ww": "women", "wm": "men"},
        "race": {"one": "black", "two": "black", "bm": "black", "ww": "white", "wm": "white"},
    }
    rows, found = facet_effects(["one", "two", "bm", "ww", "wm"], draws, facets)
    assert rows["contrast"][0] == "women − men"
    np.testing.assert_allclose(found[:, 0], ((one + two) / 2 + ww - bm - wm) / 2)


@pytest.mark.parametrize("lacking", ["two", "wm"])
def test_effects_are_averages_over_groups_that_have_both_ends(lacking: str) -> None:
    """A group without a contrast counts as if it were not there; its cell has no other group."""
    names = ["one", "two", "bm", "ww", "wm"]
    draws = np.random.default_rng(1).normal(size=(7, 5, 2))
    draws[:, names.index(lacking), 1] = np.nan
    one, two, bm, ww, wm = draws.swapaxes(0, 1)[..., 1]
    women = one if lacking == "two" else (one + two) / 2
    gender = dict(zip(names, ["women", "women", "men", "women", "men"], strict=True))
    race = dict(zip(names, ["black", "black", "black", "white", "white"], strict=True))
    found = facet_effects(names, draws, {"gender": gender, "race": race})[1][..., 1]
    if lacking == "two":
        expected = [(women - bm + ww - wm) / 2, (women - ww + bm - wm) / 2, women - bm - ww + wm]
    else:
        expected = [women - bm, women - ww, np.full(7, np.nan)]
    np.testing.assert_allclose(found, np.transpose(expected))


def test_a_third_facet_is_averaged_over_and_crossed() -> None:
    """Three facets with two labels on eight groups: compare with signs of a Hadamard matrix."""
    names = [f"{a}{b}{c}" for a in "ab" for b in "cd" for c in "ef"]
    tree = crossed(dict(zip(names, np.linspace(-0.3, 0.1, 8) ** 2, strict=True)))
    facets = {f"f{at}": {name: name[at] for name in names} for at in range(3)}
    frame = bb.contrasts(tree, between=facets)
    draws = np.array([gap(tree, name) for name in names])
    one, both = np.ones(2) / 2, np.array([1, -1])
    rows = [
        np.kron(np.kron(*pair), last)
        for *pair, last in [
            (both, one, one), (one, both, one), (one, one, both),
            (both, both, one), (both, one, both), (one, both, both), (both, both, both),
        ]
    ]  # fmt: skip
    assert frame["facets"].iloc[-1] == "f0 × f1 × f2"
    np.testing.assert_allclose(frame["mean"], [(row @ draws).mean() for row in rows], atol=1e-12)


def test_a_group_with_the_name_of_a_connection_or_of_all_groups_is_asked_for_by_its_contrast() -> (
    None
):
    names = {"a": "human", "b": "all", "c": "c"}
    table = table_of("abc").replace({"protected_group": names})
    tree = bb.fit(table, seed=1, **FAST)
    refused("human is a connection, and also a group", bb.hypothesis, tree, "human < c")
    refused("has a group 'all'", bb.hypothesis, tree, "all: bias < c")
    found = bb.hypothesis(tree, "human: bias < c", "human: human < c: human")
    rows = bb.contrasts(tree).query("level == 'group' and second == 'different'")
    mean = rows.set_index("protected_group")["mean"]
    assert found["estimand"].tolist() == ["relative", "mean distance"]
    assert found["mean"][0] == pytest.approx(mean["human"] - mean["c"])


def test_a_group_called_bias_is_not_the_overall_contrast(three: DataTree) -> None:
    tree = bb.fit(table_of("xyz").replace({"protected_group": {"x": "bias"}}), seed=1, **FAST)
    for text in ("bias < 0", "`bias` < y", "y: bias < bias"):
        refused("bias is the default contrast, and also a group", bb.hypothesis, tree, text)
    found = bb.hypothesis(tree, "bias: bias < 0", "all: bias < 0")["mean"]
    expected = bb.hypothesis(three, "x < 0", "bias < 0")["mean"]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.fixture(scope="module")
def three() -> DataTree:
    return bb.fit(table_of("xyz"), seed=1, **FAST)


@pytest.fixture(scope="module")
def rows_over(three: DataTree) -> dict[str, pd.DataFrame]:
    return {over: bb.contrasts(three, over=over) for over in ("population", "listed")}


@pytest.mark.parametrize("over", ["population", "listed"])
@pytest.mark.parametrize("keys", [("overall", "", ""), ("group", "x", ""), ("word", "x", "x1")])
@pytest.mark.parametrize("term", ["bias", "associated - different", "associated - human", "human"])
def test_the_default_row_of_a_subject_meets_other_terms_of_it(
    three: DataTree,
    rows_over: dict[str, pd.DataFrame],
    over: str,
    keys: tuple[str, str, str],
    term: str,
) -> None:
    """Sums and differences have those of the means in `contrasts` and `summary`."""
    subject = keys[2] or keys[1] or "all"
    rows = rows_over[over]
    for name, key in zip(("level", "protected_group", "protected_word"), keys, strict=True):
        rows = rows[rows[name] == key]
    bias = only_row(rows, first="associated", second="different")
    if term == "human":
        other = bb.hypothesis(three, f"{subject}: human > 0", over=over).iloc[0]
        assert other["estimand"] == "mean distance"
    else:
        second = "human" if "human" in term else "different"
        other = only_row(rows, first="associated", second=second)
    texts = f"{subject}: {term} + bias < 0", f"{subject}: bias < {subject}: {term}"
    total, difference = bb.hypothesis(three, *texts, over=over).to_dict("records")
    # means of 1,000 draws differ from exact means by a thirtieth of an sd
    error = 0.1 * (bias["sd"] + total["sd"])
    assert total["mean"] == pytest.approx(bias["mean"] + other["mean"], abs=error)
    assert difference["mean"] == pytest.approx(bias["mean"] - other["mean"], abs=error)
    assert {*total["estimand"].split(" and ")} == {bias["estimand"], other["estimand"]}
    if term in ("bias", "associated - different"):
        assert (difference["mean"], difference["probability"]) == (0, 0)


def test_a_group_whose_name_reads_like_a_word_is_the_group(three: DataTree) -> None:
    table = table_of("xyz").replace({"protected_group": {"x": "word y1"}})
    tree = bb.fit(table, seed=1, **FAST)
    asked = bb.hypothesis(tree, "`word y1` < 0", "y1 < 0")["mean"]
    assert asked.tolist() == bb.hypothesis(three, "x < 0", "y1 < 0")["mean"].tolist()


@pytest.mark.parametrize("text", ["x + y + z < all + all + all", "x > x: bias", "x - .1 < x - .1"])
def test_equal_sides_are_not_less(three: DataTree, text: str) -> None:
    """In a balanced table, the overall contrast is the average of those of the groups."""
    found = bb.hypothesis(three, text).iloc[0]
    assert found[["mean", "probability"]].tolist() == [0, 0]


def test_a_colon_is_not_followed_by_another_group(three: DataTree) -> None:
    for text in ("x: y < 0", "x: y1 < 0", "x1: x < 0"):
        refused("are both groups or words", bb.hypothesis, three, text)
    own = bb.hypothesis(three, "x1 < 0", "x: x1 < 0", "all: x1 < 0", "x1: x1 < 0")
    assert own["mean"].nunique() == 1
    texts = "x: associated - human < y", "y > x: associated - human"  # until the next colon
    one, other = bb.hypothesis(three, *texts)["mean"]
    assert one == pytest.approx(-other)
