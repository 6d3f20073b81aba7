"""How much a language model prefers stereotypical sentences, and how sure that is.

The difference of the two scores of a pair is modelled like a distance elsewhere in the package:
bias types stand for protected words, language models for connections, and clusters of sentence
pairs, which all models read, for attributes. Bias types are contexts as well: what all models find
in a type is the effect of a context, and what one finds beyond it the mean of a word.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..model.design import Design
from ..model.spec import ModelSpec, load_model
from ..sampling.fit import fit_design
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.schema import codes_and_names, require_columns, table_hash
from .pairs_posterior import SCALES
from .sign_design import COVARIATES, clusters_of, covariates_of, sign_design
from .signs import fit_signs

if TYPE_CHECKING:
    from xarray import DataTree

DEFAULT_MODEL = "pairs-signs"
"""Model of sentence pairs unless asked otherwise: of shares, not of mean differences."""

NEEDED_COLUMNS = ("model", "measure", "pair_id", "bias_type", "difference")


def pair_design(paired: pd.DataFrame, measure: str | None = None) -> Design:
    """Index paired scores as a design: bias types, models, clusters of pairs, and the differences.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`; at least ``NEEDED_COLUMNS``. Without a column ``cluster`` every pair
        is one of its own.
    measure : str, optional
        Which measure; needed if there are several.

    Raises
    ------
    ValueError
        If the measure is unknown or not named, a pair is there twice or in two clusters, a bias
        type is empty, or a model has no pair of some type.
    """
    chosen = _checked(one_measure(paired, measure))
    names, types = np.unique(chosen["bias_type"].astype(str), return_inverse=True)
    kinds = tuple(map(str, names))
    models, model_names = codes_and_names(chosen["model"])
    clusters, cluster_names = clusters_of(chosen)
    covariates = covariates_of(chosen)
    return Design(
        words=kinds,
        groups=("pairs",),
        connections=tuple(model_names),
        attributes=tuple(cluster_names),
        kinds=("pair",),
        word_group=np.zeros(len(kinds), dtype=np.int64),
        attribute_kind=np.zeros(len(cluster_names), dtype=np.int64),
        word=types,
        connection=models,
        attribute=clusters,
        y=chosen["difference"].to_numpy(dtype=np.float64),
        outcome="difference",
        contexts=kinds,
        context=types,
        covariates=tuple(covariates),
        x=np.column_stack([*covariates.values()]) if covariates else np.zeros((0, 0)),
    )


def one_measure(paired: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    """Return the rows of one measure, which must be named where there are several."""
    require_columns(paired, NEEDED_COLUMNS)
    known = [str(name) for name in paired["measure"].unique()]
    if measure is None and len(known) != 1:
        raise ValueError(
            f"name the measure to model; there are {', '.join(known) or 'no scores at all'}"
        )
    if measure is not None and measure not in known:
        raise ValueError(unknown_name("measure", measure, known))
    return paired[paired["measure"] == (measure or known[0])].reset_index(drop=True)


def _checked(chosen: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a measure, or raise a ValueError if they cannot be modelled."""
    twice = chosen.duplicated(["model", "pair_id"])
    if twice.any():
        again = chosen[twice].iloc[0]
        raise ValueError(f"pair {again['pair_id']!r} is there twice under {again['model']!r}")
    empty = chosen["bias_type"].isna() | (chosen["bias_type"].astype(str).str.strip() == "")
    if empty.any():
        row = int(empty.to_numpy().argmax())
        raise ValueError(f"row {row}, pair {chosen['pair_id'].iloc[row]!r}, has an empty bias_type")
    counts = pd.crosstab(chosen["bias_type"], chosen["model"])
    lacking = np.argwhere(counts.to_numpy() == 0)
    if len(lacking):
        bias_type, model = counts.index[lacking[0, 0]], counts.columns[lacking[0, 1]]
        raise ValueError(
            f"the model {model!r} has no pair of the bias type {bias_type!r}, which others have; "
            "score all models on the same pairs"
        )
    return chosen


@shows_fit_keywords
def fit_pairs(
    paired: pd.DataFrame,
    measure: str | None = None,
    model: str | Path | ModelSpec = DEFAULT_MODEL,
    *,
    priors: Mapping[str, Any] | None = None,
    unit: float | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Model which sentences are preferred, or by how much, by bias type and language model.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`, of one language model or several, or from `read_scores`.
    measure : str, optional
        Which measure; needed if there are several.
    model : str, Path or ModelSpec
        ``pairs-signs`` (probit of the preferences, Gibbs sampler), for the share of pairs whose
        stereotypical sentence is preferred; ``pll`` (Normal, exact sampler) and ``pll-robust``
        (Student-t, NUTS), for mean differences; or a model of your own. What language models
        would share is left out where there is one. All read the columns ``cluster``,
        ``direction`` and ``token_difference`` too; without the first, pairs count as independent,
        and without the others there are no slopes of them. Ties count half in shares.
    unit : float, optional
        For models of differences: how large in the scores at hand is what the model's priors call
        one nat. By default 1 for sums of log probabilities and SSS; the mean of 1 / n over the
        pairs for AUL and other means over n tokens; of 1 / n² for AULA, whose weights are about
        1 / n besides.
    priors : mapping, optional
        Overrides, in the unit of the scores: ``{"connection_mean": {"sd": 1.0}}``.
    options, **keywords
        As for `bayesbias.fit`.

    Returns
    -------
    xarray.DataTree
        Of ``pairs-signs`` with the dimensions ``bias_type``, ``language_model`` and ``covariate``;
        the shares are ``share``, ``overall_share`` and ``population_share``, see `pair_summary`.
        Of other models as `bayesbias.fit` gives it, with ``protected_word`` the bias types,
        ``connection`` the language models, ``attribute`` the clusters of pairs and ``context`` the
        bias types again. Read it with `pair_summary` and the like. The attributes ``measure``,
        ``unit`` and ``model_scales`` say what was modelled: with several language models,
        differences divided by the relative size of each model's (`model_scales`); what is read
        from it is in the unit of the scores again.

    Raises
    ------
    ValueError
        If paired scores, model, unit or a number is not valid.
    """
    chosen = one_measure(paired, measure)
    spec = model_of_pairs(model)
    if spec.likelihood == "probit":
        spec = spec.with_priors(dict(priors or {}))
        return _fit_preferences(_checked(chosen), spec, options, keywords)
    relative = model_scales(chosen)
    scale = chosen["model"].astype(str).map(relative)
    design = pair_design(chosen.assign(difference=chosen["difference"] / scale))
    named = str(chosen["measure"].iloc[0])
    size = _unit(named, chosen) if unit is None else unit
    if not (isinstance(size, int | float) and math.isfinite(size) and size > 0):
        raise ValueError(f"unit must be a positive number; got {unit!r}")
    spec = spec_for(design, spec_in_units(spec, size))
    hashed = table_hash(chosen[_used(chosen)])
    tree = fit_design(design, spec, priors=priors, options=options, table_hash=hashed, **keywords)
    tree.attrs |= {"measure": named, "unit": float(size), SCALES: json.dumps(relative)}
    return tree


def model_of_pairs(model: str | Path | ModelSpec) -> ModelSpec:
    """Load a model of sentence pairs: of preferences, or of differences of scores."""
    spec = load_model(model)
    return spec if spec.outcome == "preference" else load_model(spec, "score_difference")


def _fit_preferences(
    chosen: pd.DataFrame, spec: ModelSpec, options: FitOptions | None, keywords: FitKeywords
) -> DataTree:
    hashed = table_hash(chosen[_used(chosen)])
    told = {"measure": str(chosen["measure"].iloc[0]), "table_hash": hashed}
    return fit_signs(sign_design(chosen), spec, fit_options(options, keywords), told)


def _used(chosen: pd.DataFrame) -> list[str]:
    """Columns that models read."""
    return [name for name in (*NEEDED_COLUMNS, "cluster", *COVARIATES) if name in chosen.columns]


def model_scales(chosen: pd.DataFrame) -> dict[str, float]:
    """Return how large each model's differences are, against the geometric mean of all models'.

    That is apart from what a regression on their covariates says: two models may spread as far
    because of lengths, and the one by nothing else. A model that is surer of its words has larger
    differences for the same preferences. Effects of pairs are shared by models only once that is
    divided out; otherwise the larger model's spread would pass for noise of its own. The sds that
    are divided by are taken as known.
    """
    sds = chosen.groupby("model", sort=False)["difference"].std(ddof=1)
    if len(sds) == 1:
        return {str(sds.index[0]): 1.0}
    x = np.column_stack([np.ones(len(chosen)), *covariates_of(chosen).values()])
    y = chosen["difference"].to_numpy(dtype=np.float64)
    for name in sds.index[sds > 0] if x.shape[1] > 1 else ():
        own = (chosen["model"] == name).to_numpy()
        rest = y[own] - x[own] @ np.linalg.lstsq(x[own], y[own])[0]
        sds[name] = np.sqrt((rest**2).sum() / max(own.sum() - x.shape[1], 1))
    for name, sd in sds.items():
        if not sd > 0:
            raise ValueError(f"the differences of {name!r} are all equal, or there is one only")
    relative = sds / np.exp(np.log(sds).mean())
    return {str(name): float(value) for name, value in relative.items()}


def _unit(measure: str, chosen: pd.DataFrame) -> float:
    """Return what one nat of a whole sentence is in a score, from the number of tokens alone."""
    power = {"aul": 1, "aula": 2, "pll-mean": 1, "log-likelihood-mean": 1}.get(measure, 0)
    if power == 0:
        return 1.0
    if "n_scored" not in chosen.columns:
        raise ValueError(
            f"{measure} is a mean over tokens: the frame needs the column n_scored, or pass unit="
        )
    return float((1.0 / chosen["n_scored"].to_numpy(dtype=np.float64) ** power).mean())


def spec_in_units(spec: ModelSpec, unit: float) -> ModelSpec:
    """Rescale a model's priors, so that one of their units is `unit` in the outcome."""
    if unit == 1:
        return spec
    return spec.with_priors(
        {name: prior.times(unit) for name, prior in spec.priors.items() if name != "nu"}
    )


def spec_for(design: Design, spec: ModelSpec) -> ModelSpec:
    """Leave out effects that a design cannot tell from others.

    A cluster of one pair has one row under a language model, and what this finds there is part of
    its residual. With one language model, what it shares with others is part of its own: of a type
    of its mean, of a cluster of its residual if the cluster is a pair. A single type is part of
    the mean of all.
    """
    cells = design.attribute * len(design.connections) + design.connection
    alone, single = len(design.connections) == 1, bool((np.bincount(cells) < 2).all())
    gone = ["context_effect"] if alone or len(design.words) == 1 else []
    gone += ["cluster_effect"] if alone or single else []
    gone += ["attribute_effect"] if alone and single else []
    gone += [] if design.covariates else ["slope"]
    return spec.without(*gone)
