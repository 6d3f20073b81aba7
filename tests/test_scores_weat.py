from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.scores import effect_sizes, weat, weat_of, weat_of_associations

ROUNDING = 1e-10
"""A sum of cosines over a difference of them, both in float64."""


def cosine(a, b) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def association(w, A, B) -> float:
    return statistics.fmean(cosine(w, a) for a in A) - statistics.fmean(cosine(w, b) for b in B)


@given(seed=st.integers(0, 10_000), n_x=st.integers(2, 5), n_y=st.integers(2, 5))
def test_against_plain_loops(seed: int, n_x: int, n_y: int) -> None:
    random = np.random.default_rng(seed)
    X, Y, A, B = (random.normal(size=(n, 4)).tolist() for n in (n_x, n_y, 3, 2))
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


@pytest.fixture(scope="module")
def google_news(shared_data):
    from gensim.models import KeyedVectors

    path = shared_data / "vectors" / "googlenews_subset.bin"
    return KeyedVectors.load_word2vec_format(path, binary=True)


TOY = {"x": [1.0, 0.0], "y": [0.0, 1.0], "u": [1.0, 0.2], "v": [0.1, 1.0], "e": [1.0, 1.0]}


def test_missing_words_are_reported_and_left_out() -> None:
    result = weat(TOY, ["x", "gone"], ["y"], ["u"], ["v", "lost"])
    assert result.missing == {"X": ("gone",), "B": ("lost",)}
    assert result.words == ("x", "y")
    assert result.effect_size == weat(TOY, ["x"], ["y"], ["u"], ["v"]).effect_size
    with pytest.raises(ValueError, match="none of the 1 words of Y is in the embedding"):
        weat(TOY, ["x"], ["gone"], ["u"], ["v"])


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="X and Y share x"):
        weat(TOY, ["x"], ["x", "y"], ["u"], ["v"])
    with pytest.raises(ValueError, match="A is empty"):
        weat(TOY, ["x"], ["y"], [], ["v"])
    with pytest.raises(ValueError, match="undefined: all words have the same association"):
        weat(TOY, ["x"], ["y"], ["e"], ["e"])
    with pytest.raises(ValueError, match="ddof must be one of"):
        weat(TOY, ["x"], ["y"], ["u"], ["v"], ddof=2)
    with pytest.raises(ValueError, match="needs at least three words"):
        weat(TOY, ["x"], ["y"], ["u"], ["v"], ddof="pooled")
    with pytest.raises(ValueError, match="no association varies within X or Y"):
        weat_of_associations([1.0, 1.0], [0.0, 0.0], ddof="pooled")


def test_many_data_sets_at_once() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(50, 8)), random.normal(size=(50, 8))
    together = effect_sizes(x, y)
    assert together.tolist() == [float(effect_sizes(a, b)) for a, b in zip(x, y, strict=True)]
    x[3] = y[3] = 0.25
    assert np.flatnonzero(np.isnan(effect_sizes(x, y))).tolist() == [3]
