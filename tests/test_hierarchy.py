"""The equations of many embeddings: outcomes that share parameters, and the model of contrasts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import block_diag
from scipy.stats import multivariate_normal

from bayesbias.comparison.hierarchy import MEAN_SD, PRIORS, SLOPE_SD, Hierarchy
from bayesbias.comparison.runs import Contrasts
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.sampling.collapsed import log_density, moments
from bayesbias.sampling.parameters import log_prior
from bayesbias.sampling.reduction import collapse


@pytest.mark.parametrize("gaps", [False, True])
def test_outcomes_that_share_parameters_add_up(toy_table: pd.DataFrame, *, gaps: bool) -> None:
    """Include missing rows, and controls whose effects correlate with those of stereotypes."""
    rng = np.random.default_rng(1)
    design = make_design(toy_table)
    if gaps:
        design = design.take(np.flatnonzero(rng.random(len(design.y)) < 0.8))
    spec = load_model("change-maximal")
    each = [collapse(replace(design, y=rng.normal(0, 0.1, len(design.y))), spec) for _ in range(4)]
    others = np.array([one.design.y for one in each[1:]])
    joined = collapse(each[0].design, spec, others=others)
    points = np.where(joined.is_sd, rng.normal(-3, 0.3, (4, joined.n_parameters)), 0.3)
    prior = log_prior(joined.spec, joined.blocks, points)
    apart = sum(log_density(one, points) for one in each) - 3 * prior
    np.testing.assert_allclose(log_density(joined, points), apart, rtol=1e-10)
    weights = np.eye(len(joined.layout.shared_parameter))[:, :2]
    means, variances = moments(joined, points, weights)
    for index, one in enumerate(each):
        own = moments(one, points, weights)
        np.testing.assert_allclose(means[..., index], own[0][..., 0], atol=1e-10)
        np.testing.assert_allclose(variances, own[1], rtol=1e-10)


@pytest.mark.parametrize("n_lists", [1, 2])
@pytest.mark.parametrize("x", [None, np.array([1900.0, 1910.0, 1950.0])])
def test_the_hierarchy_equals_a_dense_normal(x: np.ndarray | None, n_lists: int) -> None:
    """Compare every pair of three embeddings, trained twice; one lacks the second list.

    One list has no effects of its own, which its mean, slope, and embeddings include.
    """
    assert (MEAN_SD, SLOPE_SD) == (0.5, 0.05)
    assert {prior.parameters["rate"] for prior in PRIORS.values()} == {1 / 0.05}
    rng = np.random.default_rng(5)
    lists = []
    for embedding in (np.repeat([0, 1, 2], 2), np.repeat([0, 2], 2))[:n_lists]:
        n = len(embedding)
        root = rng.normal(0, 0.03, (n, n))
        mean, spread = rng.normal(-0.05, 0.1, n), root @ root.T + 1e-4 * np.eye(n)
        lists.append(Contrasts(embedding, mean, spread))
    hierarchy = Hierarchy(lists, 3, x)
    sds = {"embedding_sd": 0.05, "list_sd": 0.02, "interaction_sd": 0.04, "training_sd": 0.03}
    sds |= {} if x is None else {"list_slope_sd": 0.06}
    if n_lists == 1:
        sds = {name: sds[name] for name in ("embedding_sd", "training_sd")}
    z = np.zeros(3) if x is None else (x - x.mean()) / x.std()
    assert list(hierarchy.loadings) == list(sds)
    runs = [(at, e) for at, own in enumerate(lists) for e in own.embedding]
    cells = [(at, e) for at in range(n_lists) for e in range(3)]

    def dense(ones: list[tuple[int, int]], others: list[tuple[int, int]]) -> np.ndarray:
        def shared(one: tuple[int, int], other: tuple[int, int]) -> float:
            same = {"list_sd": one[0] == other[0], "embedding_sd": one[1] == other[1]}
            same["interaction_sd"] = one == other
            line = SLOPE_SD**2 + sds.get("list_slope_sd", 0.0) ** 2 * (one[0] == other[0])
            line *= z[one[1]] * z[other[1]]
            return MEAN_SD**2 + line + sum(sds.get(name, 0.0) ** 2 * same[name] for name in same)

        return np.array([[shared(one, other) for other in others] for one in ones])

    whole = dense(runs, runs) + block_diag(*(own.covariance for own in lists))
    whole += sds["training_sd"] ** 2 * np.eye(len(runs))
    n, outcome = 40_000, np.concatenate([own.mean for own in lists])
    many = np.repeat([list(sds.values())], n, axis=0)
    constant = 0.5 * len(outcome) * np.log(2 * np.pi)
    expected = multivariate_normal(cov=whole).logpdf(outcome) + constant
    assert hierarchy.log_likelihood(many[:2]) == pytest.approx(expected, abs=1e-8)
    contrasts, slopes = hierarchy.draw_contrasts(many, np.random.default_rng(1))
    drawn, inverse = contrasts.reshape(n, -1), np.linalg.inv(whole)
    gain = dense(cells, runs) @ inverse
    spread = dense(cells, cells) - gain @ dense(runs, cells)
    if x is not None:
        # Covariance of the slopes, per sd of x.
        own = sds.get("list_slope_sd", 0.0) ** 2 * np.eye(n_lists) + SLOPE_SD**2
        to_runs = np.array([[own[at, other] * z[e] for other, e in runs] for at in range(n_lists)])
        to_cells = np.array(
            [[own[at, other] * z[e] for other, e in cells] for at in range(n_lists)]
        )
        cross = to_cells - to_runs @ inverse @ dense(runs, cells)
        spread = np.block([[spread, cross.T], [cross, own - to_runs @ inverse @ to_runs.T]])
        gain = np.concatenate([gain, to_runs @ inverse])
        drawn = np.hstack([drawn, slopes * x.std()])
        np.testing.assert_allclose(np.cov(drawn.T), spread, atol=4.5 * spread.max() / n**0.5)
    error = np.sqrt(np.diag(spread) / n)
    # The worst of six means is off by 4.5 standard errors in one of 25,000 seeds.
    assert (abs(drawn.mean(axis=0) - gain @ outcome) < 4.5 * error).all()
    # Sds of 40,000 draws have relative errors of 1/sqrt(80,000).
    np.testing.assert_allclose(drawn.std(axis=0), np.sqrt(np.diag(spread)), rtol=4.5 / 80_000**0.5)


@pytest.mark.parametrize("error", [0.05, 1e-4])
def test_the_sd_of_embeddings_has_the_density_of_a_grid(error: float) -> None:
    own = Contrasts(np.arange(5), np.array([-0.2, -0.1, 0.0, 0.02, 0.1]), error**2 * np.eye(5))
    hierarchy, n = Hierarchy([own], 5), 4000
    *_, sds, _ = hierarchy.draw(PRIORS, n, np.random.default_rng(1))
    grid = np.arange(0.0005, 1, 0.001)
    density = np.exp(hierarchy.log_likelihood(grid[:, None]) - 20 * grid)
    density /= density.sum()
    mean = density @ grid
    sd = np.sqrt(density @ (grid - mean) ** 2)
    # Draws without replacement of many weighted proposals: five standard errors of equal weights.
    assert sds["embedding_sd"].mean() == pytest.approx(mean, abs=5 * sd / n**0.5)
