"""Subsets of words and pairs against the finite-population variance and direct computation."""

import numpy as np
import pandas as pd
import pytest
from builders import leaning, refused

import bayesbias as bb
from bayesbias.workflows.stability import _Sample


def test_subsets_have_the_variance_of_a_finite_population() -> None:
    """A mean over n of N values has the variance (1 - n/N) s² / n; each word is in n/N of them."""
    rng = np.random.default_rng(3)
    values, n_subsets = rng.normal(size=12), 4000
    sample = _Sample({"a": np.arange(12), "b": np.arange(100, 112)}, lambda _: {}, {}, ("a", "b"))
    for share, n in ((0.5, 6), (0.75, 9)):
        subsets = [sample.subset(share, rng) for _ in range(n_subsets)]
        means = np.array([values[subset["a"]].mean() for subset in subsets])
        expected = (1 - n / 12) * values.var(ddof=1) / n
        # Four standard errors of a variance, about expected * sqrt(2 / n_subsets) each.
        assert means.var() == pytest.approx(expected, rel=4 * np.sqrt(2 / n_subsets))
        assert means.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(expected / n_subsets))
        assert all((s["b"] == s["a"] + 100).all() and len(s["a"]) == n for s in subsets)


def test_a_list_s_subsets_are_measured_like_the_list() -> None:
    vectors, words = leaning("xy")
    frame = bb.stability(vectors, words, shares=[0.5], n_subsets=3, scores=["mac"], seed=1)
    whole = frame.set_index(["measure", "of"])["whole"]
    assert whole["mac", "x, y"] == pytest.approx(bb.scores.mac(vectors, words).score)
    row = bb.contrasts(bb.fit(bb.distance_table(vectors, words), seed=2)).iloc[0]
    assert whole["posterior", "all"] == pytest.approx(row["mean"], abs=0.1 * row["sd"])
    assert (frame["lowest"] <= frame["highest"]).all()
    assert frame["same_side"].between(0, 1).all()
    assert (frame["n"] == 3).all()
    refused(r"shares must lie in \(0, 1\)", bb.stability, vectors, words, shares=[1.0])


def scored(n: int = 60) -> pd.DataFrame:
    """Return pairs of two bias types."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "model": "one",
            "measure": "pll",
            "pair_id": [f"p{i}" for i in range(n)],
            "bias_type": ["age", "race"] * (n // 2),
            "difference": rng.normal(0.5, 1, n),
        }
    )


def test_pairs_keep_their_share_of_every_bias_type() -> None:
    n, paired = 60, scored()
    frame = bb.stability(paired, shares=[0.5], n_subsets=4, seed=1).set_index("measure")
    preferred = (paired["difference"] > 0).astype(float)
    assert frame.loc["share", "whole"] == preferred.mean()
    assert frame.loc["posterior", "whole"] == pytest.approx(preferred.mean(), abs=0.05)
    steps = np.array(frame.loc["share", ["lowest", "highest"]], dtype=float) * n / 2
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)  # 15 pairs of each type


def test_subsets_of_pairs_have_the_covariates_of_all_pairs() -> None:
    """A subset can lack the one row without a number of tokens."""
    paired, options = scored(), {"shares": [0.5], "n_subsets": 4, "seed": 1}
    tokens = 2.0 * (paired["difference"] > 0)
    tokens[0] = np.nan
    with pytest.warns(bb.warnings.IncompleteCovariate) as told:
        frame = bb.stability(paired.assign(token_difference=tokens), **options)
    assert [warning.message.n for warning in told] == [1]
    pd.testing.assert_frame_equal(frame, bb.stability(paired, **options))
