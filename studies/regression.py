"""Slopes of covariates: bias, coverage, a confounded null, and cost, checked by dense algebra.

Tables have effects of words, attributes, and leans, and planted slopes of four kinds of covariates.
In the confounded null, rare words go with rare attributes, and only their product moves distances.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.stats import norm

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias._core.intervals import describe_mixtures
from bayesbias.model.covariates import SLOPE, with_slopes
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.nulls import Scenario
from bayesbias.posterior.mixtures import contrast_weights
from bayesbias.sampling.collapsed import log_density, moments
from bayesbias.sampling.effects import draw_effects, shared_effects
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.parameters import log_prior, parameters_of
from bayesbias.sampling.reduction import Collapsed, collapse

SCENARIO = Scenario(
    n_words=8,
    n_attributes=8,
    word_sd=0.03,
    attribute_sd=0.05,
    word_bias_sd=0.04,
    attribute_bias_sd=0.04,
    cell_sd=0.05,
    controls=("neutral",),
)
PLANTED = {"of_attribute": 0.03, "of_word": -0.02, "share:protected_group": 0.04, "product": 0.015}
LEAN_SD = 0.04 / 2**0.5  # of a coordinate; the difference between two sets has sqrt(2) times this
TRUE_SDS = {"level_sd": 0.03, "lean_sd": LEAN_SD, "attribute_sd": 0.05, "sigma": 0.05}
TRUE_SDS["attribute_lean_sd"] = LEAN_SD
NONE = 1e-4  # sd of effects that tables do not have
CI_PROB, DRAWS = 0.89, 1000
CONFOUNDED = -0.03  # slope of the product of ranks
APART = 0.8  # how much rarer one group's words and one set's attributes are
COLUMNS = (0, 1, 3, 10)  # numbers of covariates whose cost is measured


@dataclass(frozen=True)
class Found:
    """The mean and interval of one quantity in one fit."""

    mean: float
    low: float
    high: float


def study(size: int = 1000) -> pd.DataFrame:
    """Fit ``size`` tables of each kind; rows are quantities, with bias, coverage, or cost."""
    with one_thread():
        rows = [*_recovered(size), *_confounded(size), *_dense(), *_costs()]
    return pd.DataFrame(rows)


def _recovered(size: int) -> Iterator[dict[str, object]]:
    batch, found = SCENARIO.simulate(size, SeedSequence(11)), dict[str, list[Found]]()
    for index, child in enumerate(SeedSequence(5).spawn(size)):
        rng = default_rng(child)
        table = _with_covariates(batch.table(index), rng)
        for names in ([name] for name in PLANTED):
            _add(found, "alone", table, names, rng)
        _add(found, "together", table, [*PLANTED], rng)
    for key, fits in found.items():
        yield _summary(key, fits, PLANTED[key.partition(" ")[0]])


def _add(
    found: dict[str, list[Found]],
    how: str,
    table: pd.DataFrame,
    names: Sequence[str],
    rng: Generator,
) -> None:
    """Fit a table with planted slopes, and keep each slope."""
    planted = table["cosine_distance"].copy()
    for name in names:
        planted += PLANTED[name] * _column(table, name)
    design, spec = make_design(table), load_model("by-group")
    design, spec = with_slopes(replace(design, y=planted.to_numpy()), spec, table, names)
    posterior = collapse(design, spec)
    weights = np.eye(len(design.covariates))
    rows = []
    for name in names:
        places = [
            i
            for i, label in enumerate(design.covariates)
            if label.split(":")[0] == name.split(":")[0]
        ]
        rows.append(weights[places[0]] - (weights[places[1]] if len(places) > 1 else 0))
    own = _slope_weights(posterior) @ np.array(rows).T
    for name, fit in zip(names, _described(posterior, own, rng), strict=True):
        found.setdefault(f"{name} {how}", []).append(fit)
    for name, fit in zip(names, _at_true_sds(posterior, own), strict=True):
        found.setdefault(f"{name} {how}, sds known", []).append(fit)


def _confounded(size: int) -> Iterator[dict[str, object]]:
    batch, found = SCENARIO.simulate(size, SeedSequence(12)), dict[str, list[Found]]()
    ranks = ["of_words", "of_attributes", "of_words:of_attributes"]
    for index, child in enumerate(SeedSequence(6).spawn(size)):
        rng = default_rng(child)
        table = batch.table(index)
        word, attribute = (_values(table[name], rng) for name in ("protected_word", "attribute"))
        first = table["protected_group"] == table["protected_group"].iloc[0]
        word += np.where(first, APART, -APART)
        sets = [
            table.loc[rows & (table["connection"] == "associated"), "attribute_set"]
            for rows in (first, ~first)
        ]
        attribute += APART * np.subtract(
            *(table["attribute_set"].isin(own) for own in sets), dtype=float
        )
        table = table.assign(of_words=word, of_attributes=attribute)
        moved = table["cosine_distance"] + CONFOUNDED * _column(table, ranks[2])
        design = replace(make_design(table), y=moved.to_numpy())
        for how, names in (("no covariates", []), ("ranks and product", ranks)):
            posterior = collapse(*with_slopes(design, load_model("by-group"), table, names))
            weights = contrast_weights(posterior)[:, 0, :1]
            found.setdefault(how, []).extend(_described(posterior, weights, rng))
    for how, fits in found.items():
        yield _summary(f"contrast without bias, {how}", fits, 0.0)


def _with_covariates(table: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    of = {"of_attribute": "attribute", "of_word": "protected_word", "share": "attribute"}
    table = table.assign(**{name: _values(table[column], rng) for name, column in of.items()})
    product = (table[name] - table[name].mean() for name in ("of_attribute", "of_word"))
    return table.assign(product=np.prod([*product], axis=0))


def _values(words: pd.Series, rng: Generator) -> FloatArray:
    """Return a standard normal number for every word, in all of its rows."""
    code = pd.factorize(words)[0]
    return np.asarray(rng.standard_normal(code.max() + 1)[code])


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    """Return a centered covariate; by group, it has half the slope's difference in each."""
    first, _, second = name.partition(":")
    column = table[first] - table[first].mean()
    if second == "protected_group":
        return column * np.where(table[second] == table[second].iloc[0], 0.5, -0.5)
    return column * (table[second] - table[second].mean()) if second else column


def _slope_weights(posterior: Collapsed) -> FloatArray:
    every = shared_effects(posterior, np.eye(len(posterior.layout.shared_parameter)))
    return every[SLOPE]


def _described(posterior: Collapsed, weights: FloatArray, rng: Generator) -> list[Found]:
    drawn = sample_exact(posterior, DRAWS, rng, effects=False)
    means, variances = moments(posterior, drawn.parameters, weights)
    frame = describe_mixtures(means[..., 0], np.sqrt(variances), CI_PROB, "hdi", rope=0)
    return [Found(*row) for row in frame[["mean", "low", "high"]].itertuples(index=False)]


def _at_true_sds(posterior: Collapsed, weights: FloatArray) -> list[Found]:
    """Return slopes given the sds that tables are drawn with: what no estimate of sds can beat."""
    sds = {}
    for block in posterior.blocks:
        sds[block.name] = np.full((1, block.where.stop - block.where.start), NONE)
        own = slice(1) if block.name == "attribute_lean_sd" else slice(None)  # controls do not lean
        sds[block.name][:, own] = TRUE_SDS.get(block.name, NONE)
    means, variances = moments(posterior, parameters_of(posterior.blocks, sds), weights)
    reach = norm.ppf((1 + CI_PROB) / 2) * np.sqrt(variances[0])
    return [Found(m, m - r, m + r) for m, r in zip(means[0, :, 0], reach, strict=True)]


def _summary(name: str, fits: Sequence[Found], truth: float) -> dict[str, object]:
    means = np.array([fit.mean for fit in fits])
    return {
        "quantity": name,
        "tables": len(fits),
        "truth": truth,
        "bias": means.mean() - truth,
        "se_of_bias": means.std(ddof=1) / np.sqrt(len(fits)),
        "coverage": np.mean([fit.low <= truth <= fit.high for fit in fits]),
        "width": np.mean([fit.high - fit.low for fit in fits]),
    }


def _religion(n_covariates: int) -> Collapsed:
    """Return the religion list in GloVe with random covariates of its attributes and pairs."""
    table = bb.distance_table("glove-demo", "religion")
    rng, names = default_rng(7), [f"x{i}" for i in range(n_covariates)]
    random = rng.standard_normal((n_covariates, len(table)))
    columns = {
        name: _values(table["attribute"], rng) + row
        for name, row in zip(names, random, strict=True)
    }
    wide = table.assign(**columns)
    wide.attrs = table.attrs
    return collapse(*with_slopes(make_design(table), load_model("by-group"), wide, names))


def _costs(repeats: int = 50, n: int = 256) -> Iterator[dict[str, object]]:
    """Yield the processor time of a density, in milliseconds; the fastest of several repeats."""
    posteriors = {count: _religion(count) for count in COLUMNS}
    seconds = dict.fromkeys(COLUMNS, np.inf)
    for _ in range(repeats):  # in turn, because other processes slow down some repeats
        for count, posterior in posteriors.items():
            points = default_rng(8).normal(np.log(0.06), 0.3, (n, posterior.n_parameters))
            start = time.process_time()
            log_density(posterior, points)
            seconds[count] = min(seconds[count], time.process_time() - start)
    for count, fastest in seconds.items():
        own, ratio = 1000 * fastest / n, fastest / seconds[COLUMNS[0]]
        yield {"quantity": f"ms a density, {count} covariates", "value": own, "ratio": ratio}


def _dense() -> Iterator[dict[str, object]]:
    """Yield the largest gap to dense algebra, with likeness, products, and missing pairs."""
    table = _with_covariates(SCENARIO.table(seed=2), default_rng(3))
    design, rng = make_design(table), default_rng(4)
    found = {}
    for name, block in (("word", design.word_group), ("attribute", design.attribute_column)):
        unit = rng.standard_normal((len(block), 5))
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        found[f"{name}_likeness"] = (unit @ unit.T) * (block[:, None] == block)
    design, spec = with_slopes(replace(design, **found), load_model("by-group"), table, [*PLANTED])
    design = design.take(np.flatnonzero(rng.random(len(design.y)) > 0.03))
    posterior = collapse(design, spec)
    points = rng.normal(np.log(0.06), 0.4, (5, posterior.n_parameters))
    exact = log_density(posterior, points) - log_prior(posterior.spec, posterior.blocks, points)
    dense = [_dense_density(posterior, point) for point in points]
    yield {
        "quantity": f"gap to dense algebra, {posterior.n_gaps} missing pairs, 5 slopes",
        "value": np.ptp(exact - dense),
    }


def _dense_density(posterior: Collapsed, point: FloatArray) -> float:
    """Return the log density of all rows, from their covariance."""
    design, spec = posterior.design, posterior.spec
    values = draw_effects(posterior, point[None], None) | spec.fixed
    every = np.arange(len(design.y))
    means = np.eye(len(design.connections))[design.connection]
    total = spec.priors["connection_mean"].parameters["sd"] ** 2 * means @ means.T
    for term in spec.terms:
        sds = np.ravel(values[term.sd])[term.sd_index(design)]
        units = term.unit_covariance(design)
        units = np.eye(len(sds)) if units is None else units
        prior = np.kron(units, np.eye(sds.shape[1])) * np.outer(sds.ravel(), sds.ravel())
        columns = term.all_columns(design, every)
        total = total + columns @ prior @ columns.T
    total[every, every] += np.ravel(values["sigma"])[design.connection] ** 2
    rest = design.y - spec.center
    return float(-0.5 * (np.linalg.slogdet(total)[1] + rest @ np.linalg.solve(total, rest)))
