from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from builders import cosine, leaning, normals, refused
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.scores import (
    associations,
    effect_sizes,
    weat,
    weat_of,
    weat_of_associations,
)

ROUNDING = 1e-10
"""A sum of cosines over a difference of them, both in float64."""


def association(w, A, B) -> float:
    return statistics.fmean(cosine(w, a) for a in A) - statistics.fmean(cosine(w, b) for b in B)


@given(seed=st.integers(0, 10_000), n_x=st.integers(2, 5), n_y=st.integers(2, 5))
def test_against_plain_loops(seed: int, n_x: int, n_y: int) -> None:
    X, Y, A, B = (rows.tolist() for rows in normals(seed, n_x, n_y, 3, 2, dims=4))
    x, y = ([association(w, A, B) for w in words] for words in (X, Y))
    difference = statistics.fmean(x) - statistics.fmean(y)
    within = sum((v - statistics.fmean(x)) ** 2 for v in x)
    within += sum((v - statistics.fmean(y)) ** 2 for v in y)
    sds = {
        0: statistics.pstdev(x + y),
        1: statistics.stdev(x + y),
        "pooled": math.sqrt(within / (n_x + n_y - 2)),
    }
    for ddof, sd in sds.items():
        result = weat_of(X, Y, A, B, ddof=ddof)
        assert result.statistic == pytest.approx(math.fsum(x) - math.fsum(y), abs=ROUNDING)
        assert result.effect_size == pytest.approx(difference / sd, abs=ROUNDING, rel=ROUNDING)
        assert result.score == result.effect_size
        assert result.association == pytest.approx(x + y, abs=ROUNDING)
        assert (result.ddof, result.n_x, result.n_y) == (ddof, n_x, n_y)


@given(seed=st.integers(0, 10_000))
def test_signs_scales_and_bounds(seed: int) -> None:
    random = np.random.default_rng(seed)
    X, Y, A, B = (random.normal(size=(3, 4)) for _ in range(4))
    result = weat_of(X, Y, A, B)
    for swapped in (weat_of(Y, X, A, B), weat_of(X, Y, B, A)):
        assert swapped.effect_size == pytest.approx(-result.effect_size, abs=ROUNDING)
        assert swapped.p_value == result.p_value
    lengths = random.uniform(0.1, 10, size=(3, 1))
    assert weat_of(X * lengths, Y, A / lengths, B).effect_size == pytest.approx(
        result.effect_size, abs=ROUNDING
    )
    assert abs(result.effect_size) <= 2 * math.sqrt(5 / 6) + ROUNDING
    assert abs(weat_of(X, Y, A, B, ddof=0).effect_size) <= 2 + ROUNDING


@pytest.mark.parametrize(
    ("name", "published"),
    # Computed on this subset by another program, ddof 1, to two places. Caliskan et al. (2017),
    # table 2, print 1.54, 1.63, 0.58, 1.89, 0.97, 1.24 and 1.30 for GoogleNews as well.
    [(1, 1.54), (2, 1.63), (3, 0.58), (6, 1.89), (7, 0.97), (8, 1.24), (9, 1.30)],
)
def test_effect_sizes_on_google_news(google_news, name: int, published: float) -> None:
    words = bb.load_wordlist(f"weat{name}")
    X, Y = words.groups.values()
    A, B = (words.stereotypes[group] for group in words.groups)
    result = weat(google_news, X, Y, A, B)
    assert result.effect_size == pytest.approx(published, abs=0.005)  # half its last place
    assert result.p_bounds[1] <= 1.01 * result.p_bounds[0]


TOY = {"x": [1.0, 0.0], "y": [0.0, 1.0], "u": [1.0, 0.2], "v": [0.1, 1.0], "e": [1.0, 1.0]}


def test_missing_words_are_reported_and_left_out() -> None:
    result = weat(TOY, ["x", "gone"], ["y"], ["u"], ["v", "lost"])
    assert result.missing == {"X": ("gone",), "B": ("lost",)}
    assert result.words == ("x", "y")
    assert result.effect_size == weat(TOY, ["x"], ["y"], ["u"], ["v"]).effect_size
    with pytest.raises(ValueError, match="none of the 1 words of Y is in the embedding"):
        weat(TOY, ["x"], ["gone"], ["u"], ["v"])


def test_separability_is_the_area_under_the_roc_curve() -> None:
    """By hand: of 2 x 2 pairs two are above, one ties."""
    assert weat_of_associations([0.3, 0.1], [0.2, 0.1]).separability == (2 + 1 / 2) / 4
    assert weat_of_associations([3.0, 2.0], [1.0, 0.0]).separability == 1.0


def test_three_words_have_a_pooled_sd() -> None:
    # Σ(x - 2)² = 2 over one degree of freedom.
    assert effect_sizes([1.0, 3.0], [5.0], "pooled") == pytest.approx((2 - 5) / math.sqrt(2))


def test_bad_input_is_named() -> None:
    for s_x, s_y, shape in (([], [1.0], "0 and 1"), ([1.0], [], "1 and 0")):
        refused(f"at least one association each; got {shape}", effect_sizes, s_x, s_y)
    of = weat_of_associations
    number = "must be one finite number a word; got shape"
    refused(rf"of Y {number} \(2,\) w", of, [1.0, 2.0], [1.0, np.nan])
    refused(rf"of X {number} \(\)$", of, 1.0, [1.0])
    equal = r"association 0\.25 \(sd below 1e-12\); the statistic is 0"
    refused(equal, of, [0.25, 0.25], [0.25])
    refused(r"ddof must be one of \(0, 1, 'pooled'\), got 2", of, [1.0], [2.0], ddof=2)
    refused("needs at least three words", of, [1.0], [2.0], ddof="pooled")
    refused("no association varies within X or Y", of, [1.0, 1.0], [0.0, 0.0], ddof="pooled")


def test_many_data_sets_at_once() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(50, 8)), random.normal(size=(50, 8))
    for ddof in (0, 1, "pooled"):
        alone = [float(effect_sizes(a, b, ddof)) for a, b in zip(x, y, strict=True)]
        assert effect_sizes(x, y, ddof).tolist() == alone
    x[3] = y[3] = 0.25
    assert np.flatnonzero(np.isnan(effect_sizes(x, y))).tolist() == [3]


def test_associations_of_a_list_are_those_of_weat_pair_by_pair() -> None:
    vectors, words = leaning("xyz")
    frame = associations(vectors, words)
    assert len(frame) == 3 * 2 * 5
    for (first, second), part in frame.groupby(["first", "second"]):
        A, B = (words.stereotypes[group] for group in (first, second))
        result = weat(vectors, words.groups[first], words.groups[second], A, B)
        assert part["word"].tolist() == [*words.groups[first], *words.groups[second]]
        assert part["group"].tolist() == [first] * 5 + [second] * 5
        for name in ("effect_size", "separability"):
            assert part[name].unique().tolist() == [pytest.approx(getattr(result, name))]
        rows = [[vectors[word] for word in each] for each in (A, B)]
        by_hand = [association(vectors[word], *rows) for word in part["word"]]
        assert part["association"].tolist() == pytest.approx(by_hand, abs=ROUNDING)
