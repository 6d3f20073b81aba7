from __future__ import annotations

import numpy as np
import pytest

from bayesbias import WordList
from bayesbias.scores import SCORES, bootstrap, bootstrap_of
from bayesbias.scores.bootstrap import interval, list_draws, resampled
from bayesbias.scores.list_rows import list_rows, selections


def toy(n_groups: int = 2, size: int = 6, dims: int = 5, seed: int = 0):
    """Random vectors for a list of groups of equal size; one word stands on both sides."""
    random = np.random.default_rng(seed)
    groups = {f"g{i}": tuple(f"p{i}{j}" for j in range(size)) for i in range(n_groups)}
    stereotypes = {f"g{i}": tuple(f"s{i}{j}" for j in range(4 + i)) for i in range(n_groups)}
    stereotypes["g0"] = (*stereotypes["g0"], "p10")
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    return {word: random.normal(size=dims) for word in words.words}, words


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize(
    "name", [name for name, spec in SCORES.items() if spec.draws and name != "rnsb"]
)
def test_all_at_once_is_one_by_one(name: str, n_groups: int) -> None:
    """The score of a resampled list, computed by its own function, is the oracle.

    That of RNSB keeps the classifier and is tested below.
    """
    spec = SCORES[name]
    vectors, words = toy(n_groups)
    rows, _ = list_rows(vectors, words)
    for at in selections(rows, spec.scope):
        some, drawn = rows.of_groups(at), resampled(rows, 40, 1).of_groups(at)
        together = list_draws(spec, some, drawn)
        single = [spec.value(some.of_words(picks)) for picks in drawn.picks]
        # Sums in another order, and squares of what the one-by-one way takes lengths of.
        assert together == pytest.approx(single, abs=1e-7)


def test_targets_of_rnsb_are_resampled() -> None:
    pytest.importorskip("sklearn")
    vectors, words = toy()
    result = bootstrap("rnsb", vectors, words, draws=50)
    assert (result.draws >= 0).all()
    assert np.ptp(result.draws) > 0


def test_interval_of_a_mean_is_that_of_theory() -> None:
    values = np.random.default_rng(0).normal(size=(200, 1))
    result = bootstrap_of(lambda rows: float(rows.mean()), values, draws=4000, ci_prob=0.89)
    error = values.std() / np.sqrt(200)
    # 1.598 is the 94.5% point of the Normal; ends vary by about 3% of it for 4,000 draws.
    assert result.high - values.mean() == pytest.approx(1.598 * error, rel=0.1)
    assert values.mean() - result.low == pytest.approx(1.598 * error, rel=0.1)
    assert result.sd == pytest.approx(error, rel=0.1)
    assert result.score == pytest.approx(values.mean())


def test_seeds() -> None:
    vectors, words = toy()
    first = bootstrap("weat", vectors, words, draws=50, seed=3)
    again = bootstrap("weat", vectors, words, draws=50, seed=np.random.SeedSequence(3))
    other = bootstrap("weat", vectors, words, draws=50, seed=4)
    assert np.array_equal(first.draws, again.draws)
    assert not np.array_equal(first.draws, other.draws)
    assert first.low <= first.high
    assert first.undefined == 0


def test_groups_are_chosen_by_name() -> None:
    vectors, words = toy(3)
    first = bootstrap("weam", vectors, words, groups=("g0", "g2"), draws=20)
    second = bootstrap("weam", vectors, words, groups=("g2", "g0"), draws=20)
    assert first.score != second.score
    with pytest.raises(ValueError, match=r"compares two groups, and there are 3"):
        bootstrap("weat", vectors, words)
    with pytest.raises(ValueError, match="no group 'g9'"):
        bootstrap("weat", vectors, words, groups=("g0", "g9"))
    with pytest.raises(ValueError, match="unknown score 'waet'; did you mean 'weat'"):
        bootstrap("waet", vectors, words)


def test_undefined_resamplings_are_counted() -> None:
    vectors = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [1.0, 0.3], "b": [0.2, 1.0]}
    words = WordList(
        name="n",
        groups={"g": ("x", "y"), "h": ("a", "b")},
        stereotypes={"g": ("a",), "h": ("b",)},
    )
    result = bootstrap("same", {**vectors}, words, draws=200)
    assert result.undefined == 0
    flat = {**vectors, "a": [2.0, 0.0], "b": [0.0, 3.0]}  # groups coincide when drawn alike
    result = bootstrap("weat", flat, words, draws=200)
    assert 0 < result.undefined < 200
    assert np.isnan(result.draws).sum() == result.undefined
    assert np.isfinite([result.low, result.high, result.sd]).all()


def test_bad_input_is_named() -> None:
    vectors, words = toy()
    with pytest.raises(ValueError, match=r"for an 89% interval pass 0\.89"):
        bootstrap("weat", vectors, words, ci_prob=89)
    with pytest.raises(ValueError, match="draws must be at least 2"):
        bootstrap("weat", vectors, words, draws=1)
    assert np.isnan(interval(np.array([np.nan]), 0.5)).all()
