"""Posterior scores: by hand from the draws, and the algebra against the scores themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from xarray import DataTree

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias.model.tree import labels, stacked
from bayesbias.posterior.posterior_scores import posterior_scores

ROUNDING = 1e-12
"""Sums of some dozens of float64 distances."""


def toy(groups: str = "xy", sizes: tuple[int, ...] = (4, 3), seed: int = 0):
    """Vectors and a list: as many words a group as told, four and five stereotypes in turn."""
    random = np.random.default_rng(seed)
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


def table_of(vectors, words) -> pd.DataFrame:
    keyed = KeyedVectors(6, dtype=np.float64)
    keyed.add_vectors(list(vectors), np.array(list(vectors.values())))
    return bb.distance_table(keyed, words)


def fitted(table: pd.DataFrame, spec: str) -> DataTree:
    return bb.fit(table, spec, draws=1000, chains=2, seed=1)


@pytest.fixture(scope="module")
def crossed() -> DataTree:
    return fitted(table_of(*toy()), "crossed")


def value(frame: pd.DataFrame, score: str, column: str = "observed") -> float:
    return float(frame.set_index("score").loc[score, column])


def observed(frame: pd.DataFrame) -> dict[str, float]:
    return dict(frame.set_index("score")["observed"])


@pytest.mark.parametrize("sizes", [(4, 4), (4, 3), (2, 5)])
def test_observed_values_are_the_scores_of_the_words(sizes: tuple[int, int]) -> None:
    vectors, words = toy(sizes=sizes)
    table = table_of(vectors, words)
    frame = posterior_scores(fitted(table, "paper"))
    (X, Y), (A, B) = words.groups.values(), words.stereotypes.values()
    weat = scores.weat(vectors, X, Y, A, B)
    s_x, s_y = weat.association[: len(X)], weat.association[len(X) :]
    found = observed(frame)
    assert found.pop("weat_effect_size") == pytest.approx(weat.effect_size, abs=1e-10)
    mac, gweat = scores.mac_of_table(table).score, scores.gweat(vectors, [X, Y], [A, B]).score
    expected = {"mac": mac, "gweat": gweat, "weat_mean_difference": s_x.mean() - s_y.mean()}
    assert found == pytest.approx(expected, abs=ROUNDING)
    # The statistic follows from the group means, as the docstring says.
    assert len(X) * s_x.mean() - len(Y) * s_y.mean() == pytest.approx(weat.statistic)


def test_gweat_of_three_groups_and_what_it_is_in_distances() -> None:
    vectors, words = toy("xyz", (3, 4, 2))
    table = table_of(vectors, words)
    frame = posterior_scores(fitted(table, "crossed"))
    lists = (list(sets.values()) for sets in (words.groups, words.stereotypes))
    mac, gweat = scores.mac_of_table(table).score, scores.gweat(vectors, *lists).score
    # No pair of groups to compare.
    assert observed(frame) == pytest.approx({"mac": mac, "gweat": gweat}, abs=ROUNDING)
    gaps = []
    for group, part in table.groupby("protected_group"):
        by_set = part.groupby(["attribute_set", "protected_word"])["cosine_distance"].mean()
        by_set = by_set.groupby("attribute_set").mean()
        own = words.set_name(str(group))
        others = [by_set[words.set_name(other)] for other in words.groups if other != group]
        gaps.append(np.mean(others) - by_set[own])
    assert value(frame, "gweat") == pytest.approx(2 * np.mean(gaps), abs=ROUNDING)


def test_posteriors_by_hand_from_the_draws(crossed: DataTree) -> None:
    """Loops over draws, words and sets; the model has attribute effects."""
    means, effects = stacked(crossed, "word_mean"), stacked(crossed, "attribute_effect")
    names, words = labels(crossed, "attribute"), labels(crossed, "protected_word")
    connections = labels(crossed, "connection")
    sets = {g: [at for at, name in enumerate(names) if name.startswith(f"{g}_s")] for g in "xy"}
    macs, differences, sizes = [], [], []
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
        macs.append(np.mean(cells))
        differences.append(difference)
        sizes.append(difference / np.std([*s["x"], *s["y"]], ddof=1))
    frame = posterior_scores(crossed)
    by_hand = {"mac": macs, "weat_mean_difference": differences, "weat_effect_size": sizes}
    for name, draws in by_hand.items():
        assert value(frame, name, "mean") == pytest.approx(np.mean(draws))
        assert value(frame, name, "sd") == pytest.approx(np.std(draws, ddof=1))
        inside = np.mean(
            (np.array(draws) >= value(frame, name, "low"))
            & (np.array(draws) <= value(frame, name, "high"))
        )
        assert inside == pytest.approx(0.89, abs=1e-3)  # one draw in 2,000, on either side


def test_a_word_without_rows_of_a_set_counts_in_mac_only() -> None:
    table = table_of(*toy(sizes=(3, 3)))
    whole = posterior_scores(fitted(table, "paper"))
    cut = table[~((table["protected_word"] == "x0") & (table["connection"] == "different"))]
    frame = posterior_scores(fitted(cut, "paper"))
    assert list(frame["score"]) == list(whole["score"])
    rest = table[table["protected_word"] != "x0"]
    without = posterior_scores(fitted(rest, "paper"))
    expected = observed(without) | {"mac": scores.mac_of_table(cut).score}
    assert observed(frame) == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.filterwarnings("ignore:.*protected words that are attributes too")
def test_attributes_without_rows_of_their_own_group_count() -> None:
    """WEAT's formula on the rows there are, sets told by the words' names.

    A group's only word that is an attribute of its own has no row with itself.
    """
    vectors, words = toy(sizes=(1, 3))
    (own, *others), word = words.stereotypes["x"], words.groups["x"][0]
    words = WordList("toy", words.groups, {**words.stereotypes, "x": (word, own, *others)})
    table = table_of(vectors, words)
    table = table[~((table["protected_group"] == "x") & (table["attribute"] == own))]
    a = table["attribute"].isin(words.stereotypes["x"])
    b = table["attribute"].isin(words.stereotypes["y"])
    means = [table[rows].groupby("protected_word")["cosine_distance"].mean() for rows in (b, a)]
    s = means[0] - means[1]
    x = s.index.str.startswith("x")
    difference = s[x].mean() - s[~x].mean()
    expected = {
        "mac": scores.mac_of_table(table).score,
        "gweat": difference / 2,
        "weat_mean_difference": difference,
        "weat_effect_size": difference / s.std(ddof=1),
    }
    found = observed(posterior_scores(fitted(table, "paper")))
    assert found == pytest.approx(expected, abs=ROUNDING)


def test_one_group_has_mac_only_and_what_has_no_scores_is_refused(change_tree: DataTree) -> None:
    table = table_of(*toy())
    one = table[table["protected_group"] == "x"]
    mac = scores.mac_of_table(one).score
    found = observed(posterior_scores(fitted(one, "paper")))
    assert found == pytest.approx({"mac": mac}, abs=ROUNDING)
    controls = fitted(table[table["connection"].isin(["neutral", "human"])], "paper")
    for tree, fragment in (
        (controls, "no associated or different rows"),
        (change_tree, "scores are of distances, and this posterior is of changes"),
    ):
        with pytest.raises(ValueError, match=fragment):
            posterior_scores(tree)


def test_an_attribute_of_two_sets_belongs_to_the_own_one_first() -> None:
    vectors, words = toy("xyz", (2, 2, 2))
    both = {g: (*ws, "x_s0") if g == "y" else ws for g, ws in words.stereotypes.items()}
    words = WordList("toy", words.groups, both)
    table = table_of(vectors, words)
    frame = posterior_scores(fitted(table, "paper"))
    assert value(frame, "mac") == pytest.approx(scores.mac_of_table(table).score, abs=ROUNDING)
