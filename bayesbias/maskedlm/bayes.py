"""How often a language model prefers stereotypical sentences, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from ..model.spec import ModelSpec, load_model
from ..sampling.options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from ..tables.schema import require_columns, table_hash
from .sign_design import COVARIATES, sign_design
from .signs import fit_signs

if TYPE_CHECKING:
    from xarray import DataTree

DEFAULT_MODEL = "pairs-signs"
"""Model of sentence pairs unless asked otherwise."""

NEEDED_COLUMNS = ("model", "measure", "pair_id", "bias_type", "difference")


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
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Model which sentences are preferred, by bias type and language model.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`, of one language model or several, or from `read_scores`. The columns
        ``cluster``, ``direction`` and ``token_difference`` are read too; without the first, pairs
        count as independent, and without the others there are no slopes of them. Ties count half.
    measure : str, optional
        Which measure; needed if there are several.
    model : str, Path or ModelSpec
        ``pairs-signs`` or a model of preferences of your own. What language models would share is
        left out where there is one.
    priors : mapping, optional
        Overrides, such as ``{"connection_mean": {"sd": 1.0}}``.
    options, **keywords
        As for `bayesbias.fit`.

    Returns
    -------
    xarray.DataTree
        With the dimensions ``bias_type``, ``language_model`` and ``covariate``; the shares are
        ``share``, ``overall_share`` and ``population_share``. Read it with `pair_summary` and the
        like. The attribute ``measure`` says what was modeled.

    Raises
    ------
    ValueError
        If paired scores, model or a number is not valid.
    """
    chosen = _checked(one_measure(paired, measure))
    spec = load_model(model, "preference").with_priors(dict(priors or {}))
    used = [n for n in (*NEEDED_COLUMNS, "cluster", *COVARIATES) if n in chosen.columns]
    attributes = {
        "measure": str(chosen["measure"].iloc[0]),
        "table_hash": table_hash(chosen[used]),
    }
    return fit_signs(sign_design(chosen), spec, fit_options(options, keywords), attributes)
