"""Leaving one word out against a dense normal."""

from __future__ import annotations

import numpy as np
import pytest
from builders import groups_by_sets
from dense_oracle import covariance, in_rows, residual_variance
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.tree import design_of, spec_of, stacked


@pytest.fixture(scope="module")
def post() -> DataTree:
    """Two groups of four words, two sets of six attributes; one attribute drives the contrast."""
    rng = np.random.default_rng(2)
    table = groups_by_sets("xy", 4, 6)
    table["cosine_distance"] = 0.9 + rng.normal(0, 0.05, len(table))
    driven = (table["attribute"] == "x-3") & (table["connection"] == "associated")
    table.loc[driven, "cosine_distance"] -= 0.5
    return bb.fit(table, draws=50, chains=2, seed=1)


def test_means_without_a_word_equal_a_dense_conditional(post: DataTree) -> None:
    frame = bb.influence(post, draws=1).set_index("name")
    design, spec = design_of(post), spec_of(post)
    names = [*(term.sd for term in spec.terms if term.sd not in spec.fixed), "sigma"]
    names += [term.correlation for term in spec.terms if term.correlated]
    values = {name: stacked(post, name)[0] for name in names}
    rows = in_rows(design, spec)
    prior = covariance(design, spec, values)
    noise = residual_variance(design, spec, values)
    for name, left in (("x1", design.word == 1), ("x-3", design.attribute == 3)):
        kept = rows[~left]
        whole = kept @ prior @ kept.T + np.diag(noise[~left])
        means = 1 + prior[:2] @ kept.T @ np.linalg.solve(whole, design.y[~left] - 1)
        # Double precision, over matrices of condition below 1e6.
        assert frame.loc[name, "mean_without"] == pytest.approx(means[0] - means[1], abs=1e-8)


def test_what_drives_the_contrast_comes_first(post: DataTree) -> None:
    frame = bb.influence(post)
    assert (frame.loc[0, "factor"], frame.loc[0, "name"], frame.loc[0, "of"]) == (
        "attribute",
        "x-3",
        "x",
    )
    assert frame.loc[0, "change"] > 0  # without it the contrast is less negative
    assert len(frame) == 8 + 12
    assert frame.loc[0, "n_rows"] == 8
    assert bb.plots.influence(frame).get_xlabel()
