"""Posterior scores, compared with the draws and with the scores themselves."""

import numpy as np
import pandas as pd
import pytest
from builders import refused
from xarray import DataTree

import bayesbias as bb
from bayesbias import WordList, posterior_scores, scores
from bayesbias._core.intervals import hdi
from bayesbias.model.tree import labels, stacked

ROUNDING = 1e-12
"""Tolerance for sums of dozens of float64 distances."""


def toy(groups: str = "xy", sizes: tuple[int, ...] = (4, 3)):
    """Return vectors and a list with this many words per group, and 4 or 5 stereotypes."""
    random = np.random.default_rng(0)
    words = WordList(
        name="toy",
        groups={g: tuple(f"{g}{i}" for i in range(n)) for g, n in zip(groups, sizes, strict=True)},
        stereotypes={
            g: tuple(f"{g}_s{i}" for i in range(4 + at % 2)) for at, g in enumerate(groups)
        },
        controls={"neutral": ("n0", "n1"), "human": ("h0", "h1")},
    )
    lean = dict(zip(groups, np.eye(6), strict=False))
    vectors = {w: random.normal(size=6) + 1.5 * lean.get(w[0], np.zeros(6)) for w in words.words}
    return vectors, words


def observed(table: pd.DataFrame) -> dict[str, float]:
    frame = posterior_scores(bb.fit(table, "paper", draws=50, seed=1))
    return dict(frame.set_index("score")["observed"])


@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (3, 4, 2)])
def test_observed_values_are_the_scores_of_the_words(sizes: tuple[int, ...]) -> None:
    vectors, words = toy("xyz"[: len(sizes)], sizes)
    table = bb.distance_table(vectors, words)
    groups, sets = list(words.groups.values()), list(words.stereotypes.values())
    expected = {"gweat": scores.gweat(vectors, groups, sets).score}
    if len(sizes) == 2:  # three groups do not form a single pair
        weat = scores.weat(vectors, *groups, *sets)
        s_x, s_y = weat.association[: sizes[0]], weat.association[sizes[0] :]
        expected["weat_mean_difference"] = s_x.mean() - s_y.mean()
        expected["weat_effect_size"] = weat.effect_size
        # As the docstring says, the statistic follows from the group means.
        statistic = sizes[0] * s_x.mean() - sizes[1] * s_y.mean()
        assert statistic == pytest.approx(weat.statistic)
    expected["mac"] = scores.mac_of_table(table).score
    found = observed(table)
    assert found == pytest.approx(expected, abs=1e-6)  # a dict of vectors is stored in float32
    gaps = []  # gWEAT in distances
    means = table.groupby(["protected_group", "attribute_set", "protected_word"])
    means = means["cosine_distance"].mean().groupby(level=[0, 1]).mean()
    for group in words.groups:
        others = [words.set_name(other) for other in words.groups if other != group]
        gaps.append(means[group][others].mean() - means[group][words.set_name(group)])
    assert found["gweat"] == pytest.approx((len(sizes) - 1) * np.mean(gaps), abs=ROUNDING)


@pytest.mark.parametrize("shared", [False, True])
def test_mac_is_the_mean_over_sets_and_gweat_takes_a_groups_sets_as_one(shared: bool) -> None:
    """Group x has sets of one and four words; y may have the first one too."""
    vectors, words = toy()
    table = bb.distance_table(vectors, words)
    is_first = table["attribute"] == "x_s0"
    table["attribute_set"] = table["attribute_set"].mask(is_first, "first")
    if shared:
        table["connection"] = table["connection"].mask(is_first, "associated")
    found = observed(table)
    assert found["mac"] == pytest.approx(scores.mac_of_table(table).score, abs=ROUNDING)
    if not shared:
        lists = [list(words.groups.values()), list(words.stereotypes.values())]
        expected = scores.gweat(vectors, *lists).score
        assert found["gweat"] == pytest.approx(expected, abs=1e-6)  # float32 vectors


def test_posteriors_by_hand_from_the_draws() -> None:
    """Loop over draws, words, and sets. The model has attribute effects."""
    crossed = bb.fit(bb.distance_table(*toy()), "crossed", draws=500, chains=2, seed=1)
    means, effects = stacked(crossed, "word_mean"), stacked(crossed, "attribute_effect")
    names, words = labels(crossed, "attribute"), labels(crossed, "protected_word")
    connections = labels(crossed, "connection")
    sets = {g: [at for at, name in enumerate(names) if name.startswith(f"{g}_s")] for g in "xy"}
    by_hand = []
    for draw in range(len(means)):
        cells, s = [], {"x": [], "y": []}
        for at, word in enumerate(words):
            distance = {}
            for group, attributes in sets.items():
                kind = connections.index("associated" if word[0] == group else "different")
                distance[group] = means[draw, at, kind] + effects[draw, attributes].mean()
            cells += distance.values()
            s[word[0]].append(distance["y"] - distance["x"])
        difference = np.mean(s["x"]) - np.mean(s["y"])
        sd = np.std([*s["x"], *s["y"]], ddof=1)
        by_hand.append((np.mean(cells), difference, difference / sd))
    draws = np.array(by_hand)
    frame = posterior_scores(crossed).set_index("score").drop("gweat")
    np.testing.assert_allclose(frame["mean"], draws.mean(axis=0))
    np.testing.assert_allclose(frame["sd"], draws.std(axis=0, ddof=1))
    np.testing.assert_allclose(frame[["low", "high"]], hdi(draws, 0.89))


def test_a_word_without_rows_of_a_set_and_a_single_group_have_mac_only() -> None:
    table = bb.distance_table(*toy(sizes=(3, 3)))
    is_first = table["protected_word"] == "x0"
    cut = table[~(is_first & (table["connection"] == "different"))]
    expected = observed(table[~is_first]) | {"mac": scores.mac_of_table(cut).score}
    assert observed(cut) == pytest.approx(expected, abs=ROUNDING)
    one = table[table["protected_group"] == "x"]
    assert observed(one) == pytest.approx({"mac": scores.mac_of_table(one).score}, abs=ROUNDING)


def test_an_attribute_of_two_sets_belongs_to_the_own_one_first(change_tree: DataTree) -> None:
    vectors, words = toy("xyz", (2, 2, 2))
    both = {g: (*ws, "x_s0") if g == "y" else ws for g, ws in words.stereotypes.items()}
    with pytest.warns(bb.warnings.WordsInTwoSets):
        table = bb.distance_table(vectors, WordList("toy", words.groups, both))
    mac = scores.mac_of_table(table).score
    assert observed(table)["mac"] == pytest.approx(mac, abs=ROUNDING)
    refused("scores need a posterior of distances, but this is", posterior_scores, change_tree)
