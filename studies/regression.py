"""Slopes of covariates: bias, coverage, a confounded null, and cost.

Tables have effects of words, attributes, and leans, and planted slopes of four kinds of covariates.
In the confounded null, rare words go with rare attributes, and only their product moves distances.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.arrays import FloatArray, one_thread
from bayesbias.model.covariates import with_slopes
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model
from bayesbias.nulls import Scenario
from bayesbias.sampling.collapsed import log_density
from bayesbias.sampling.reduction import Collapsed, collapse

from ._timing import in_turns

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
LABELS = {"share:protected_group": "share: X − Y"}  # of slopes, where not the covariate's own
RANKS = ["of_words", "of_attributes", "of_words:of_attributes"]
CONFOUNDED = -0.03  # slope of the product of ranks
APART = 0.8  # how much rarer one group's words and one set's attributes are
COLUMNS = (0, 1, 3, 10)  # numbers of covariates whose cost is measured


def study(size: int = 1000) -> pd.DataFrame:
    """Fit ``size`` tables of each kind; rows are quantities, with bias, coverage, or cost."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.warnings.NoLikeness)
        found = pd.DataFrame([*_recovered(size), *_confounded(size)])
    found["covered"] = found["truth"].between(found["low"], found["high"])
    found["width"] = found["high"] - found["low"]
    of = found.groupby("quantity", sort=False)
    means = of[["truth", "mean", "covered", "width"]].mean()
    rows = pd.DataFrame(
        {
            "tables": of.size(),
            "truth": means["truth"],
            "bias": means["mean"] - means["truth"],
            "se_of_bias": of["mean"].sem(),
            "coverage": means["covered"],
            "width": means["width"],
        }
    )
    return pd.concat([rows.reset_index(), pd.DataFrame(_costs())], ignore_index=True)


def _recovered(size: int) -> Iterator[dict[str, object]]:
    """Yield each slope of each table, fitted alone and together with the others."""
    batch = SCENARIO.simulate(size, SeedSequence(11))
    ways = [("alone", [name]) for name in PLANTED] + [("together", [*PLANTED])]
    for index, child in enumerate(SeedSequence(5).spawn(size)):
        table = _with_covariates(batch.table(index), default_rng(child))
        for how, names in ways:
            moved = sum(PLANTED[name] * _column(table, name) for name in names)
            slopes = bb.slopes(_fitted(table, moved, names, index)).set_index("covariate")
            for name in names:
                row = slopes.loc[LABELS.get(name, name), ["mean", "low", "high"]]
                yield {"quantity": f"{name} {how}", "truth": PLANTED[name], **row}


def _confounded(size: int) -> Iterator[dict[str, object]]:
    """Yield the overall contrast of each table, without and with covariates."""
    batch = SCENARIO.simulate(size, SeedSequence(12))
    for index, child in enumerate(SeedSequence(6).spawn(size)):
        rng, table = default_rng(child), batch.table(index)
        word, attribute = (_values(table[name], rng) for name in ("protected_word", "attribute"))
        first = table["protected_group"] == table["protected_group"].iloc[0]
        word += np.where(first, APART, -APART)
        own = table["connection"] == "associated"
        for rows, shift in ((first, APART), (~first, -APART)):
            attribute[table["attribute_set"].isin(table.loc[rows & own, "attribute_set"])] += shift
        table = table.assign(of_words=word, of_attributes=attribute)
        for how, names in (("no covariates", []), ("ranks and product", RANKS)):
            post = _fitted(table, CONFOUNDED * _column(table, RANKS[2]), names, index)
            row = bb.contrasts(post).loc[0, ["mean", "low", "high"]]
            yield {"quantity": f"contrast without bias, {how}", "truth": 0.0, **row}


def _fitted(
    table: pd.DataFrame, moved: pd.Series, covariates: Sequence[str], seed: int
) -> DataTree:
    """Fit a table whose distances are moved."""
    table = table.assign(cosine_distance=table["cosine_distance"] + moved)
    return bb.fit(table, "by-group", covariates=covariates, draws=250, seed=seed)


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
    """Yield the processor time of a density in milliseconds."""
    tasks = {}
    for count in COLUMNS:
        posterior = _religion(count)
        points = default_rng(8).normal(np.log(0.06), 0.3, (n, posterior.n_parameters))
        tasks[f"ms a density, {count} covariates"] = lambda posterior=posterior, points=points: (
            log_density(posterior, points)
        )
    for row, _ in in_turns(tasks, repeats):
        own = 1000 * float(str(row["processor_s"])) / n
        yield {"quantity": row["by"], "value": own, "ratio": row["ratio"]}
