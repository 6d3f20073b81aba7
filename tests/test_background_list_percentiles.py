"""Random lists, and the pools that they are drawn from."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from background_toys import leaning_list
from builders import refused
from numpy.testing import assert_array_equal
from scipy import stats

import bayesbias as bb
from bayesbias import background as bg


@pytest.fixture(scope="module")
def leaning() -> tuple[Any, bb.WordList]:
    """Two groups that lean to their own stereotypes, among 2,000 words that do not."""
    return leaning_list(6.0, n_words=2000, dims=20, n=6)


def test_the_observed_scores_are_those_of_the_scores(leaning: tuple[Any, bb.WordList]) -> None:
    vectors, words = leaning
    frame = bg.reference_lists(vectors, words, n_lists=20, seed=1).set_index("score")
    x, y, a, b = (*words.groups.values(), *words.stereotypes.values())
    # The pool holds float32 vectors, as the embedding does.
    assert frame["value"]["weat"] == pytest.approx(bb.scores.weat(vectors, x, y, a, b).score)
    assert frame["value"]["mac"] == pytest.approx(bb.scores.mac(vectors, words).score)
    same = bb.scores.same(vectors, [*a, *b], words.groups).score
    assert frame["value"]["same"] == pytest.approx(same)


def test_a_leaning_list_stands_out(leaning: tuple[Any, bb.WordList]) -> None:
    frame = bg.reference_lists(*leaning, vary="both", n_lists=100, seed=2).set_index("score")
    assert frame["percentile"]["weat"] == 1
    assert frame["p_value"]["weat"] == 2 / 101
    assert frame["percentile"]["mac"] == 0
    # Random words lean nowhere: 100 draws of a d that has an sd of at most 1.2.
    assert abs(frame["reference_mean"]["weat"]) < 5 * 1.2 / np.sqrt(100)
    assert frame["reference_low"]["weat"] < 0 < frame["reference_high"]["weat"]
    again = bg.reference_lists(*leaning, vary="both", n_lists=100, seed=2).set_index("score")
    pd.testing.assert_frame_equal(frame, again)


def test_percentiles_of_random_lists_are_even(leaning: tuple[Any, bb.WordList]) -> None:
    """A list that is random itself: its percentiles over 30 lists are spread from 0 to 1."""
    vectors, words = leaning
    rng = np.random.default_rng(5)
    found = []
    for seed in range(30):
        picked = [f"w{i}" for i in rng.choice(2000, 12, replace=False)]
        groups = {"x": picked[:6], "y": picked[6:]}
        other = bb.WordList("random", groups, dict(words.stereotypes))
        frame = bg.reference_lists(vectors, other, scores=["weat"], n_lists=40, seed=seed)
        found.append(frame["percentile"][0])
    # Kolmogorov's .001 point for 30 values is 1.95/sqrt(30) = .36.
    assert stats.kstest(found, "uniform").statistic < 0.36


def test_pools_are_drawn_among_the_ranks_asked_for_in_any_chunks(leaning, monkeypatch) -> None:
    from bayesbias.background.pool import draw_pool

    vectors, _ = leaning

    def draw(size: int, **options: Any) -> Any:
        rng = np.random.default_rng(3)
        return draw_pool(vectors, ["x0", "w150"], ranks=(100, 400), size=size, rng=rng, **options)

    pool = draw(50)
    assert len(set(pool.words)) == 50
    assert all(100 <= int(word[1:]) < 400 and word != "w150" for word in pool.words)
    assert set(pool.found) == {"x0", "w150"}
    assert_array_equal(pool.vectors, vectors[list(pool.words)])
    assert len(draw(9999).words) == 299
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 7 * 80)
    assert draw(50).words == pool.words


def test_what_random_lists_refuse(leaning: tuple[Any, bb.WordList]) -> None:
    for options, what in (
        ({"scores": ["sme"]}, "unknown score 'sme'; did you mean 'same'"),
        ({"vary": "all"}, "unknown vary 'all'"),
        ({"n_lists": 0}, "n_lists must be a whole number from 1 on; got 0"),
        ({"ranks": (99_999, None)}, "no words to sample from at ranks"),
    ):
        refused(what, bg.reference_lists, *leaning, **options)
    words = bb.WordList("l", {"x": ["x0"], "y": ["y0"]}, {"x": ["xs0"], "y": ["no"]})
    refused("none of the 1 words of stereotypes of y", bg.reference_lists, leaning[0], words)
