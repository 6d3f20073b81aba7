"""Simulation-based calibration of the exact sampler.

Parameters and tables are drawn from the PyMC version of a model, the exact sampler fits each table,
and every true value is ranked among its posterior draws. If the sampler is correct, the ranks are
uniform (Talts, Betancourt, Simpson, Vehtari and Gelman, 2018). The check uses simultaneous bands
for the difference between their empirical distribution and the uniform one, as drawn by ArviZ
(Säilynoja, Bürkner and Vehtari, 2022, Statistics and Computing 32).

PyMC draws from the prior, so the check also shows that the exact sampler and the PyMC model have
the same posterior. Like the models, the tables are not clipped to [0, 2]. In the form ``ranks``,
slopes on log rank are added to the distances, and equal frequency must remove them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.random import SeedSequence, default_rng

from bayesbias._core.arrays import FloatArray, unit_rows
from bayesbias.model.design import Design
from bayesbias.model.frequency import Frequency, at_equal_frequency, frequency_of
from bayesbias.model.indexing import make_design
from bayesbias.model.likelihood import expected_rows
from bayesbias.model.spec import ModelSpec, load_model
from bayesbias.model.tree import variable_dims
from bayesbias.posterior.estimands import (
    has_cells,
    population_gaps,
    slope_errors,
    with_slope_errors,
)
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.pymc_models import build_model
from bayesbias.sampling.reduction import collapse
from bayesbias.tables.cosines import attach_cosines
from bayesbias.tables.schema import RANKS

from ._default import table_of

MODELS = ("paper", "paper-figures", "crossed")
MAXIMAL = ("maximal", "maximal-topics", "change-maximal", "by-group")
"""Models with about ten or more sds, whose fits to a table take ten times as long."""

TABLES = 1_000
DRAWS = 999  # posterior draws for each table; with 999, a rank has 1,000 possible values

BAND = 0.99
NULL_SIMULATIONS = 20_000  # number of simulated sets of uniform ranks for calibrating the bands

EFFECTS_SHOWN = 3
LIMIT_K, LIMIT_ESS = 0.7, 400  # limits at which `fit` warns


@dataclass(frozen=True)
class Calibration:
    """Ranks of true values among posterior draws, over many simulated tables."""

    names: tuple[str, ...]  # quantities whose ranks are taken
    ranks: np.ndarray  # (n_tables, n_quantities), number of draws below the true value
    pareto_k: FloatArray  # (n_tables,), as the sampler reports; no table is left out
    ess: FloatArray  # (n_tables,), as the sampler reports


DESIGNS = ("regular", "irregular", "three groups", "alike", "ranks")

UNIT = 0.1  # fixed spread for models whose priors are in units of the table's spread


def spec_by_name(name: str) -> ModelSpec:
    """Return a bundled model with priors that do not depend on the table."""
    spec = load_model(name)
    if spec.scale == "absolute":
        return spec
    scaled = {n: p if n == "connection_mean" else p.scaled(UNIT) for n, p in spec.priors.items()}
    return replace(spec, priors=scaled, scale="absolute")


def small_design(form: str = "regular") -> Design:
    """Make a design: two groups of 3 words, 2 x 3 stereotypes, 6 neutral and 5 human attributes.

    It has 102 rows. With three groups, the design has 180 rows, and the model has terms that two
    groups do not need. The irregular form lacks 15% of the pairs at random, and one pair occurs
    twice. The form ``alike`` has three groups, and cosines of random vectors in six dimensions. The
    form ``ranks`` has three groups, 30 matched words as its controls, and ranks.
    """
    n = 2 if form in {"regular", "irregular"} else 3
    controls = {"matched": 30} if form == "ranks" else {"neutral": 6, "human": 5}
    sets = [*(f"group {i}" for i in range(n)), *controls]
    column = np.repeat(range(len(sets)), [*[3] * n, *controls.values()])
    codes = np.repeat(range(n), 3), column, np.arange(n)
    table = table_of(np.ones((3 * n, len(column))), codes, sets, "group ")
    if form == "irregular":
        table = table.sample(frac=0.85, random_state=1)
        table = pd.concat([table, table.iloc[[0]]], ignore_index=True)
    if form == "ranks":
        ranks = default_rng(1).integers(100, 20_000, table["attribute"].nunique())
        table[RANKS[0]], table[RANKS[1]] = 1_000.0, ranks[pd.factorize(table["attribute"])[0]] * 1.0
    if form == "alike":
        words = pd.unique(table[["protected_word", "attribute"]].to_numpy().ravel())
        vectors = unit_rows(default_rng(1).standard_normal((len(words), 6)))
        attach_cosines(table, words, vectors @ vectors.T)
    return make_design(table)


def calibrate(
    spec: str, design: Design, n_tables: int = TABLES, seed: int = 1, processes: int = 2
) -> Calibration:
    """Simulate tables from a model's priors, fit each, and rank the true values.

    Equal seeds give equal ranks for any number of processes.
    """
    truths, tables = _simulated(spec, design, n_tables, seed)
    tables = tables + _frequency_effects(design, n_tables, seed)
    seeds = SeedSequence(seed).spawn(n_tables)
    found = Parallel(n_jobs=processes)(
        delayed(_ranked)(
            spec, replace(design, y=y), {name: each[i] for name, each in truths.items()}, seeds[i]
        )
        for i, y in enumerate(tables)
    )
    ranks, pareto_k, ess = (np.array(each) for each in zip(*found, strict=True))
    first = {name: values[:1] for name, values in truths.items()}
    names = tuple(_quantities(first, design, spec_by_name(spec).fitting(design)))
    return Calibration(names, ranks, pareto_k, ess)


def band_p_values(ranks: np.ndarray, seed: int = 0) -> FloatArray:
    """Return the p-value of each quantity's ranks for a simultaneous test of uniformity.

    If p is below 1 - `BAND`, the ranks leave the simultaneous band somewhere. The simulation is
    that of `arviz_stats.ecdf_utils.simulate_confidence_bands`, which returns only the bands. With
    p-values, a test can allow for the number of quantities.
    """
    null = _null_tails(len(ranks), seed)
    ours = [_least_tail(values) for values in spread_out(ranks).T]
    return np.array([(1 + (null <= value).sum()) / (1 + len(null)) for value in ours])


@cache
def _null_tails(n: int, seed: int) -> FloatArray:
    rng = default_rng(seed)
    return np.array([_least_tail(rng.random(n)) for _ in range(NULL_SIMULATIONS)])


def spread_out(ranks: np.ndarray, seed: int = 0) -> FloatArray:
    """Return ranks as numbers in [0, 1) that are uniform if the ranks are."""
    return np.asarray((ranks + default_rng(seed).random(ranks.shape)) / (DRAWS + 1))


def judged(calibration: Calibration) -> pd.DataFrame:
    """Return each quantity's p-value, and the mean and sd of its ranks as shares (.5 and .289)."""
    shares = (calibration.ranks + 0.5) / (DRAWS + 1)
    return pd.DataFrame(
        {
            "quantity": calibration.names,
            "mean": shares.mean(axis=0),
            "sd": shares.std(axis=0),
            "p": band_p_values(calibration.ranks),
        }
    )


def doubtful(calibration: Calibration) -> FloatArray:
    """Return the shares of tables that have a high Pareto k or too few effective proposals."""
    high, few = calibration.pareto_k >= LIMIT_K, calibration.ess < LIMIT_ESS
    return np.array([high.mean(), few.mean()])


def _simulated(
    spec: str, design: Design, n_tables: int, seed: int
) -> tuple[dict[str, FloatArray], FloatArray]:
    """Draw parameters, (n_tables, ...), and distances, (n_tables, n_rows), from the PyMC model."""
    import pymc as pm

    with build_model(design, spec_by_name(spec)):
        tree = pm.sample_prior_predictive(n_tables, random_seed=seed)
    truths = {str(name): values.values[0] for name, values in tree["prior"].data_vars.items()}
    for term in spec_by_name(spec).fitting(design).terms:
        truths[term.name] = term.projected(truths[term.name], design)
    return truths, tree["prior_predictive"][design.outcome].values[0]


def _frequency_effects(design: Design, n_tables: int, seed: int) -> FloatArray | float:
    """Draw the effects of the attributes' ranks, (n_tables, n_rows), with a slope for each word."""
    if frequency_of(design) is not Frequency.EQUAL:
        return 0.0
    slopes = default_rng(seed).normal(UNIT / 2, UNIT / 2, (n_tables, len(design.words)))
    ranks = np.log(design.attribute_rank)
    position = ranks - ranks[np.unique(design.attribute[design.set >= 0])].mean()
    return np.asarray(slopes[:, design.word] * position[design.attribute])


def _ranked(
    spec: str, design: Design, truth: dict[str, FloatArray], seed: SeedSequence
) -> tuple[np.ndarray, float, float]:
    fitting, design = spec_by_name(spec).fitting(design), at_equal_frequency(design)
    found = sample_exact(collapse(design, fitting), DRAWS, default_rng(seed))
    errors = slope_errors(design, DRAWS)
    values = with_slope_errors(design, fitting, found.values.__getitem__, errors)
    drawn = _quantities({name: values(name) for name in found.values}, design, fitting)
    true = {name: np.asarray(value)[None] for name, value in truth.items()}
    true = _quantities(true, design, fitting)
    ranks = [(drawn[name] < value[0]).sum() for name, value in true.items()]
    return np.array(ranks), found.pareto_k, found.importance_ess


def _quantities(
    values: dict[str, FloatArray], design: Design, spec: ModelSpec
) -> dict[str, FloatArray]:
    """Return all quantities that are ranked, (n,) each, from values of shape (n, ...).

    If only parameters were ranked, a sampler that returns the prior would pass. It would fail for
    the log likelihood, so that is ranked too (Modrák et al., 2025, Bayesian Analysis 20).
    """
    dims, correlations = variable_dims(spec), {term.correlation for term in spec.terms}
    found = {}
    for name in [name for name in spec.needed_priors if name not in spec.fixed]:
        for place in np.ndindex(values[name].shape[1:]):
            if name not in correlations or place[0] < place[1]:
                found[_label(name, dims[name], place, design)] = values[name][:, *place]
    for term in spec.terms:
        shape = values[term.name].shape[1:]
        if term.constraint == "contrast":  # controls have none
            shape = (shape[0], 1)
        for i in np.linspace(0, np.prod(shape) - 1, EFFECTS_SHOWN).astype(int):
            place = tuple(map(int, np.unravel_index(i, shape)))
            found[_label(term.name, term.dims, place, design)] = values[term.name][:, *place]
    word_mean = values["word_mean"]
    for i in range(len(design.connections)):
        place = (0, len(design.words) - 1)[i % 2], i
        label = _label("word_mean", ("protected_word", "connection"), place, design)
        found[label] = word_mean[:, *place]
    contrast = values["connection_mean"][:, 0] - values["connection_mean"][:, 1]
    found["associated - different"] = contrast
    apart = word_mean[..., 0] - word_mean[..., 1]
    of_groups = [apart[:, design.word_group == g].mean(axis=1) for g in range(len(design.groups))]
    if has_cells(spec):
        gaps = population_gaps(design, spec, values.__getitem__)[..., 0]
        found["associated - different"] = gaps[:, 0]
        relative, of_words = np.split(gaps[:, 1:], [len(design.groups)], axis=1)
        of_groups = list(relative.T)
        found["associated - different, first word"] = of_words[:, 0]
        found["associated - different, first less second group"] = relative[:, 0] - relative[:, 1]
    for name, of_group in zip(design.groups, of_groups, strict=True):
        found[f"associated - different, {name}"] = of_group
    if frequency_of(design) is Frequency.EQUAL:  # estimated slopes are not part of the model
        return {name: values for name, values in found.items() if name.startswith("associated -")}
    return found | {"log likelihood": _log_likelihood(values, design, spec)}


def _label(name: str, dims: Sequence[str], place: Sequence[int], design: Design) -> str:
    """Name a value as ArviZ does."""
    coords = [design.coords[dim.removesuffix("_other")] for dim in dims]
    at = ", ".join(names[i] for names, i in zip(coords, place, strict=True))
    return f"{name}[{at}]" if at else name


def _log_likelihood(values: dict[str, FloatArray], design: Design, spec: ModelSpec) -> FloatArray:
    expected = expected_rows(spec, design.codes, values.__getitem__)
    sigma = values["sigma"]
    sd = sigma[:, None] if sigma.ndim == 1 else sigma[:, design.connection]
    return np.asarray((-0.5 * ((design.y - expected) / sd) ** 2 - np.log(sd)).sum(axis=1))


def _least_tail(values: FloatArray) -> float:
    """Return the smallest pointwise tail probability of an empirical distribution, at all i / n."""
    from arviz_stats.ecdf_utils import compute_ecdf
    from scipy.special import bdtr

    n = len(values)
    at = np.arange(1, n) / n
    counts = np.rint(compute_ecdf(values, at) * n)
    return float(min(bdtr(counts, n, at).min(), bdtr(n - counts, n, 1 - at).min()))


def study(size: int = TABLES) -> pd.DataFrame:
    """Return how many quantities leave their 99% band and the smallest p, by model and design."""
    rows = []
    for spec in (*MODELS, *MAXIMAL):
        for form in DESIGNS if spec == "by-group" else DESIGNS[:3]:
            calibration = calibrate(spec, small_design(form), size)
            p = judged(calibration)["p"]
            high, few = doubtful(calibration)
            row = {"model": spec, "design": form, "tables": size, "quantities": len(p)}
            row |= {"outside": (p < 1 - BAND).sum(), "expected": len(p) * (1 - BAND)}
            rows.append(row | {"smallest_p": p.min(), "pareto_k_high": high, "few_draws": few})
    return pd.DataFrame(rows)
