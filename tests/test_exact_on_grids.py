"""Posterior moments of the exact sampler against sums over a fine grid of all sds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import grid, model_named
from dense_oracle import covariance, in_rows

from bayesbias.model.design import Design, make_design
from bayesbias.model.spec import ModelSpec
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.reduction import collapse

MODELS = (
    *("paper", "paper-figures", "crossed", "crossed around groups", "contextual", "maximal"),
    *("change", "change-crossed", "change-maximal"),
)
"""Models of distances and changes; with one connection those of language models are the same."""

N_DRAWS, N_POINTS, COARSE = 160_000, 25, 13

TOLERANCE = 0.013
"""In posterior sds: four standard errors of so many draws, an effective proposal for each."""


@pytest.fixture(scope="module")
def neutral() -> Design:
    """Five words of two groups by four neutral attributes with gaps, in two contexts: 17 rows."""
    rng = np.random.default_rng(11)
    word, attribute = (0.08 * rng.standard_normal(n) for n in (5, 4))
    distances = 0.9 + (word[:, None] + attribute).ravel() + 0.06 * rng.standard_normal(20)
    table = grid(5, 4, distances, ("neutral",)).assign(context=["one", "two"] * 10)
    return make_design(table.drop(index=[2, 9, 16]))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_moments_are_those_of_sums_over_a_grid(neutral: Design, name: str) -> None:
    spec = model_named(name)
    design = replace(neutral, y=neutral.y - 0.9) if spec.outcome == "change" else neutral
    posterior = collapse(design, spec)
    names = [block.name for block in posterior.blocks if not block.n_correlated]
    expected = grid_moments(design, posterior.spec, names)
    drawn = sample_exact(posterior, N_DRAWS, np.random.default_rng(1)).values
    for each, (mean, sd) in expected.items():
        values = drawn[each].reshape(N_DRAWS)
        assert abs(values.mean() - mean) < TOLERANCE * sd, each
        assert values.std() == pytest.approx(sd, rel=0.03), each  # tails of sds widen its error


def grid_moments(
    design: Design, spec: ModelSpec, names: list[str]
) -> dict[str, tuple[float, float]]:
    """Mean and sd of the connection mean and of every sd, of which there is one each.

    The dense normal of all rows, on a grid of log sds that a coarse one has placed.
    """
    rows = in_rows(design, spec)
    correlations = {term.correlation: np.eye(1) for term in spec.terms if term.correlated}

    def of_rows(**sds: float) -> np.ndarray:
        values = {name: np.array([sds.get(name, 0.0)]) for name in names}
        return np.asarray(rows @ covariance(design, spec, values | correlations) @ rows.T)

    of_mean = of_rows()  # the prior of the connection mean, which is there whatever the sds
    parts = [of_rows(**{name: 1.0}) - of_mean for name in names]
    parts[names.index("sigma")] = np.eye(len(rows))
    prior = spec.priors["connection_mean"].parameters
    y, variance = design.y - prior["mean"], prior["sd"] ** 2

    def on(axes: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Weights, sds, and conditional means and variances of the mean, on all points."""
        sds = np.exp(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)))
        log_prior = np.log(sds).sum(axis=1)  # the density is of the logs
        for sd, name in zip(sds.T, names, strict=True):
            log_prior += spec.priors[name].log_density(sd)
        found = []
        for some in np.array_split(sds, 1 + len(sds) // 20_000):
            factor = np.linalg.cholesky(np.einsum("nk,kij->nij", some**2, parts) + of_mean)
            right = np.stack([y, np.ones(len(y))], axis=1)
            apart, one = np.moveaxis(np.linalg.solve(factor, right), -1, 0)
            log_det = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
            evidence = -0.5 * ((apart**2).sum(axis=1) + log_det)
            shift, shrunk = (apart * one).sum(axis=1), (one**2).sum(axis=1)
            found.append((evidence, variance * shift, variance - variance**2 * shrunk))
        evidence, mean, left = (np.concatenate(each) for each in zip(*found, strict=True))
        weight = np.exp(evidence + log_prior - (evidence + log_prior).max())
        return weight / weight.sum(), sds, prior["mean"] + mean, left

    weight, sds, *_ = on([np.linspace(-8.0, 1.0, COARSE)] * len(names))
    centre = weight @ np.log(sds)
    spread = np.sqrt(weight @ (np.log(sds) - centre) ** 2) + 0.2
    ends = zip(np.maximum(centre - 7 * spread, -9.0), centre + 6 * spread, strict=True)
    weight, sds, mean, left = on([np.linspace(low, high, N_POINTS) for low, high in ends])
    overall = weight @ mean
    found = {"connection_mean": (overall, np.sqrt(weight @ (left + mean**2) - overall**2))}
    for name, sd in zip(names, sds.T, strict=True):
        found[name] = weight @ sd, np.sqrt(weight @ sd**2 - (weight @ sd) ** 2)
    return found
