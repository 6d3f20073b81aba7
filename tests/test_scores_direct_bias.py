from __future__ import annotations

import json

import numpy as np
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st

from bayesbias.scores import direct_bias, direct_bias_of, direction_correlations

ROUNDING = 1e-9
"""Singular vectors of small random matrices in float64."""


def unit(v):
    return v / np.linalg.norm(v)


@given(seed=st.integers(0, 10_000), c=st.sampled_from([0.5, 1.0, 2.0]))
def test_one_pair_is_its_difference(seed: int, c: float) -> None:
    random = np.random.default_rng(seed)
    targets, pair = random.normal(size=(5, 4)), random.normal(size=(2, 4))
    g = unit(unit(pair[0]) - unit(pair[1]))
    expected = [abs(unit(t) @ g) ** c for t in targets]
    result = direct_bias_of(targets, [pair], c=c)
    assert result.per_target == pytest.approx(expected, abs=ROUNDING)
    assert result.score == pytest.approx(np.mean(expected), abs=ROUNDING)
    assert result.explained.tolist() == pytest.approx([1.0])


@given(seed=st.integers(0, 10_000), k=st.integers(1, 3))
def test_against_the_eigenvectors_of_the_covariance(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    targets, sets = random.normal(size=(5, 4)), random.normal(size=(4, 3, 4))
    covariance = np.zeros((4, 4))
    for each in sets:
        members = [unit(v) for v in each]
        for member in members:
            centred = member - sum(members) / 3
            covariance += np.outer(centred, centred)
    directions = np.linalg.eigh(covariance)[1][:, ::-1][:, :k]
    expected = [np.sqrt(sum((unit(t) @ directions) ** 2)) for t in targets]
    result = direct_bias_of(targets, list(sets), k=k)
    assert result.per_target == pytest.approx(expected, abs=1e-7)  # near-equal eigenvalues turn
    assert result.k == k


def test_components_default_to_groups_less_one() -> None:
    random = np.random.default_rng(0)
    assert direct_bias_of(random.normal(size=(2, 5)), list(random.normal(size=(3, 2, 5)))).k == 1
    assert direct_bias_of(random.normal(size=(2, 5)), list(random.normal(size=(3, 3, 5)))).k == 2


@pytest.mark.parametrize("seed", range(20))
def test_rounding_does_not_leave_the_range(seed: int) -> None:
    pair = np.random.default_rng(seed).normal(size=(2, 30))
    along = unit(pair[0]) - unit(pair[1])
    result = direct_bias_of(np.outer([1, -0.3, 7], along), [pair])
    assert result.per_target.max() <= 1
    assert result.score == pytest.approx(1, abs=ROUNDING)


def test_strictness_0_counts_targets() -> None:
    result = direct_bias_of(np.eye(3), [np.eye(3)[:2]], c=0)
    assert result.per_target.tolist() == [1, 1, 1]
    assert (result.c, result.normalised) == (0, True)


TOY = {
    "he": [1.0, 0.0, 0.0],
    "she": [0.0, 1.0, 0.0],
    "t": [3.0, 0.0, 4.0],
    "man": [2.0, 0.0, 0.0],
    "woman": [0.0, 5.0, 0.0],
}


def test_by_hand_on_words() -> None:
    result = direct_bias(TOY, ["t", "gone"], [("he", "she"), ("man", "wo-man")])
    assert result.score == pytest.approx(0.6 / np.sqrt(2))
    assert result.components[0, 0] == pytest.approx(0.6 / np.sqrt(2))  # towards the first: he
    assert result.missing == {"targets": ("gone",), "defining sets": ("wo-man",)}
    assert result.defining_sets == (("he", "she"),)
    refused("c must not be negative", direct_bias, TOY, ["t"], [("he", "she")], c=-1)


def test_vectors_as_they_are() -> None:
    result = direct_bias(TOY, ["t"], [("man", "woman")], unit=False)
    assert result.score == pytest.approx(2 * 0.6 / np.sqrt(29))
    assert not result.normalised


def test_correlations_of_directions() -> None:
    frame = direction_correlations(TOY, [("he", "she"), ("woman", "man")])
    assert list(frame.index) == list(frame.columns) == ["he - she", "woman - man", "component"]
    assert frame.loc["he - she", "woman - man"] == pytest.approx(-1)
    assert np.diag(frame).tolist() == pytest.approx([1, 1, 1])
    # As they are, man - woman is (2, -5); of unit length it is along he - she.
    pairs = [("he", "she"), ("man", "woman")]
    assert direction_correlations(TOY, pairs).iloc[0, 1] == pytest.approx(1)
    as_they_are = direction_correlations(TOY, pairs, unit=False).iloc[0, 1]
    assert as_they_are == pytest.approx(7 / np.sqrt(2 * 29))
    random = np.random.default_rng(0).normal(size=(40, 30))
    vectors = {f"w{at}": row for at, row in enumerate(random)}
    ends = [(f"w{2 * at}", f"w{2 * at + 1}") for at in range(20)]
    both = direction_correlations(vectors, [*ends, *(pair[::-1] for pair in ends)])
    assert (both.max(axis=None), both.min(axis=None)) == (1, -1)  # in spite of rounding
    refused(r"^pairs must hold pairs", direction_correlations, TOY, [("he",)])
    with pytest.raises(ValueError, match="single directions are those of pairs"):
        direction_correlations(TOY, [("he", "she", "t")])


def test_definitional_pairs_on_google_news(google_news, shared_data) -> None:
    """SP figure 3's point: pairs agree with the component more or less, none against it."""
    pairs = json.loads((shared_data / "wordlists" / "definitional_pairs.json").read_text())
    frame = direction_correlations(google_news, pairs)
    last = frame["component"].iloc[:-1].abs()
    assert len(last) > 5
    assert last.min() > 0.2
    assert last.max() < 1
