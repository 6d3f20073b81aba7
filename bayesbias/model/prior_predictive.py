"""Run prior predictive checks, which show the tables that a model expects before it sees data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import FloatArray, IntArray
from .._core.checks import check_numbers
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws
from .._core.random import Seed, as_seed_sequence
from ..tables.schema import LARGEST_DISTANCE
from .design import Design
from .effects import draw_effects, draw_parameters, word_means
from .indexing import make_design
from .layout import assemble
from .likelihood import NUMBERS_AT_ONCE, Rows
from .spec import ModelSpec, Priors, load_model

if TYPE_CHECKING:
    from xarray import DataTree

DEFAULT_DRAWS = 1_000
"""Number of tables to draw, which gives a share of one half a Monte Carlo error of .016."""

type Key = tuple[str, str]
"""A statistic and its connection or pair of connections."""


def prior_predictive(
    model: str | Path | ModelSpec,
    table: pd.DataFrame | Design,
    *,
    priors: Priors | None = None,
    draws: int = DEFAULT_DRAWS,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compare a table with tables drawn from a model's prior.

    Whole tables with the same words as yours are drawn from the prior and summarized. A prior is
    poor if few of these tables look realistic, or if your table is very unlikely under the prior.

    Parameters
    ----------
    model : str, Path, or ModelSpec
        A bundled model's name, the path of a model, or a ModelSpec.
    table : DataFrame or Design
        A long-form table, or a design with any outcome.
    priors : mapping, optional
        Priors to replace, such as ``{"sigma": {"rate": 2.0}}``.
    draws : int
        Number of tables to draw from the prior.
    ci_prob, ci_kind
        Probability and kind (``hdi`` or ``eti``) of the intervals.
    seed : int, SeedSequence, Generator, or None
        Seed for the draws. None draws a fresh seed, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        One row per statistic: ``statistic``, ``of`` (one or two connections, or empty), and
        ``observed``; ``mean``, ``sd``, ``low``, and ``high`` of the drawn tables; and
        ``share_below``, the share of drawn tables with a smaller value (ties count half). Each
        connection has ``mean``, ``sd``, ``sd_of_words``, and ``sd_of_attributes`` (sds of the means
        of protected words and of attributes). Every pair of ``associated`` and another connection
        has the ``difference`` of means and the ``correlation`` of protected words' means.
        ``share_outside`` is the share of distances outside [0, 2]. Sds need at least two units, and
        correlations need three; statistics with fewer units are left out. ``.attrs`` stores
        ``model``, ``draws``, ``ci_prob``, ``ci_kind``, and ``seed``.

    References
    ----------
    Gabry, Simpson, Vehtari, Betancourt, and Gelman (2019), Visualization in Bayesian workflow,
    Journal of the Royal Statistical Society A 182.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> frame = bb.prior_predictive("maximal", table, draws=20, seed=1)
    >>> frame[["statistic", "of", "observed", "low", "high"]].head(3).round(2)
      statistic          of  observed   low  high
    0      mean  associated      0.87  0.66  1.40
    1      mean   different      0.91  0.42  1.35
    2      mean     neutral      0.96  0.62  1.35
    """
    check_numbers(draws=draws)
    design = table if isinstance(table, Design) else make_design(table)
    spec = load_model(model, None if isinstance(table, Design) else "distance")
    spec = spec.fitting(design, priors)
    sequence = as_seed_sequence(seed)
    observed = {key: of for key, (of,) in figures(design, design.y[None]) if np.isfinite(of)}
    rng, rows = default_rng(sequence), np.arange(len(design.y))
    tree, at_once = draw_prior(design, spec, draws, rng), max(1, NUMBERS_AT_ONCE // len(rows))
    parts = (slice(start, start + at_once) for start in range(0, draws, at_once))
    drawn = [dict(figures(design, Rows(tree, part).predict(rows, rng))) for part in parts]
    values = np.column_stack([np.concatenate([part[key] for part in drawn]) for key in observed])
    actual = np.array(list(observed.values()))
    frame = describe_draws(values, ci_prob, ci_kind)
    statistic, of = zip(*observed, strict=True)
    frame = frame.assign(statistic=statistic, of=of, observed=actual)
    frame = frame[["statistic", "of", "observed", *frame.columns[:-3]]]
    equal = (values == actual).mean(axis=0)
    frame["share_below"] = (values < actual).mean(axis=0) + 0.5 * equal
    frame.attrs |= {"model": spec.name, "draws": draws, "seed": sequence.entropy}
    return frame


def draw_prior(design: Design, spec: ModelSpec, draws: int, rng: Generator) -> DataTree:
    """Draw parameters, effects, and word means from the prior, in the layout of a posterior."""
    values = draw_parameters(design, spec, draws, rng)
    values |= draw_effects(design, spec.terms, values, rng)
    if "word_mean" not in values:
        values["word_mean"] = word_means(design, spec, values)
    free = {name: drawn for name, drawn in values.items() if name not in spec.fixed}
    return assemble(design, spec, free)


def figures(design: Design, tables: FloatArray) -> Iterator[tuple[Key, FloatArray]]:
    """Compute statistics of (n, n_rows) tables as (n,) arrays; see `prior_predictive`."""
    rows = {name: design.of_connection(name) for name in design.connections}
    means = {name: tables[:, of].mean(axis=1) for name, of in rows.items()}
    yield from ((("mean", name), mean) for name, mean in means.items())
    units = {"": None, "_of_words": design.word, "_of_attributes": design.attribute}
    for kind, codes in units.items():
        for name, of in rows.items():
            values = tables[:, of]
            if codes is not None:
                values = _unit_means(values, codes[of], np.unique(codes[of]))
            if values.shape[1] >= 2:
                yield (f"sd{kind}", name), values.std(axis=1, ddof=1)
    own, *others = design.connections if "associated" in design.connections else ("",)
    for name in others:
        yield ("difference", f"{own} - {name}"), means[own] - means[name]
    for name in others:
        ends = [(tables[:, of], design.word[of]) for of in (rows[own], rows[name])]
        words = np.intersect1d(ends[0][1], ends[1][1])
        if len(words) >= 3:
            pair = (_unit_means(values, codes, words) for values, codes in ends)
            yield ("correlation", f"{own}, {name}"), _correlation(*pair)
    if design.outcome == "cosine_distance":
        outside = (tables < 0) | (tables > LARGEST_DISTANCE)
        yield ("share_outside", ""), outside.mean(axis=1)


def _unit_means(tables: FloatArray, codes: IntArray, units: IntArray) -> FloatArray:
    """Average the rows of every unit in every table, (n, n_units)."""
    is_unit = codes[:, None] == units
    return np.asarray(tables @ is_unit / is_unit.sum(axis=0))


def _correlation(one: FloatArray, other: FloatArray) -> FloatArray:
    """Compute correlations over units, (n,), of (n, n_units) values; NaN if units are equal."""
    one, other = (values - values.mean(axis=1, keepdims=True) for values in (one, other))
    with np.errstate(invalid="ignore"):
        scale = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
        return np.asarray((one * other).sum(axis=1) / scale)
