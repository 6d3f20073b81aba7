"""Preferences of language models between the sentences of pairs, indexed for a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from ..model.design import Design, IntArray
from ..tables.schema import codes_and_names, require_columns

NEEDED_COLUMNS = ("model", "measure", "pair_id", "bias_type", "difference")

TOKENS = "token_difference"


@dataclass(frozen=True)
class Preferences:
    """Preferences of language models on the pairs that all of them have.

    Parameters
    ----------
    models, bias_types, clusters, covariates : tuple of str
    bias_type, cluster : (n_pairs,) int
    x : (n_pairs, n_covariates) float
        Covariates, of which token counts are in their sds.
    y : (n_pairs, n_models) float
        1, 0, or 1/2 in a tie.
    n_left_out : int
        Pairs that some language model lacks.
    """

    models: tuple[str, ...]
    bias_types: tuple[str, ...]
    clusters: tuple[str, ...]
    covariates: tuple[str, ...]
    bias_type: IntArray
    cluster: IntArray
    x: FloatArray
    y: FloatArray
    n_left_out: int

    def axes(self) -> FloatArray:
        """Eigenvectors of the covariance of preferences, (n_models, n_axes)."""
        covariance = np.atleast_2d(np.cov(self.y.T))
        return np.linalg.eigh(covariance)[1] if len(self.models) > 1 else np.ones((1, 1))

    def design(self, y: FloatArray, name: str) -> Design:
        """Return the design of one outcome, as `bayesbias.fit_design` and ``build_model`` take it.

        Bias types stand in the place of protected words, clusters in that of attributes.
        """
        one = np.zeros(len(y), dtype=np.int64)
        return Design(
            words=self.bias_types,
            groups=("bias types",),
            connections=(name,),
            attributes=self.clusters,
            kinds=("clusters",),
            word_group=np.zeros(len(self.bias_types), dtype=np.int64),
            attribute_kind=np.zeros(len(self.clusters), dtype=np.int64),
            word=self.bias_type,
            connection=one,
            attribute=self.cluster,
            y=y,
            outcome="preference",
            covariates=self.covariates,
            x=self.x,
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
    chosen = paired[paired["measure"] == (measure or known[0])].reset_index(drop=True)
    twice = chosen.duplicated(["model", "pair_id"])
    if twice.any():
        again = chosen[twice].iloc[0]
        raise ValueError(f"pair {again['pair_id']!r} is there twice under {again['model']!r}")
    empty = chosen["bias_type"].isna() | (chosen["bias_type"].astype(str).str.strip() == "")
    if empty.any():
        row = int(empty.to_numpy().argmax())
        raise ValueError(f"row {row}, pair {chosen['pair_id'].iloc[row]!r}, has an empty bias_type")
    return chosen


def preferences(paired: pd.DataFrame, measure: str | None = None) -> Preferences:
    """Index the preferences of one measure; see `fit_pairs` for what of a frame is read."""
    chosen = one_measure(paired, measure)
    known = "cluster" if "cluster" in chosen.columns else "pair_id"
    chosen = chosen.assign(cluster=chosen[known].astype(str))
    for name in ("difference", *([TOKENS] if TOKENS in chosen.columns else [])):
        finite = np.isfinite(chosen[name].to_numpy(dtype=np.float64))
        if not finite.all():
            row = int(np.argmin(finite))
            raise ValueError(f"{name} must be finite; got {chosen[name].iloc[row]} in row {row}")
    split = chosen.groupby("pair_id")["cluster"].nunique()
    if (split > 1).any():
        pair = split.index[split > 1][0]
        raise ValueError(f"pair {pair!r} is in two clusters; give it one for all language models")
    order = list(chosen["model"].unique())
    wide = chosen.pivot(index="pair_id", columns="model", values="difference")[order]
    shared = wide.dropna()
    if shared.empty:
        raise ValueError("the language models share no pair; score all of them on the same pairs")
    first = chosen.drop_duplicates("pair_id").set_index("pair_id")
    pairs = first.loc[[name for name in first.index if name in shared.index]]
    names = sorted(pairs["bias_type"].astype(str).unique())
    clusters, cluster_names = codes_and_names(pairs["cluster"])
    covariates = dict(_covariates(chosen, pairs.index))
    return Preferences(
        models=tuple(map(str, order)),
        bias_types=tuple(names),
        clusters=tuple(cluster_names),
        covariates=tuple(covariates),
        bias_type=np.searchsorted(names, pairs["bias_type"].astype(str)).astype(np.int64),
        cluster=clusters.astype(np.int64),
        x=np.column_stack([*covariates.values()]) if covariates else np.zeros((len(pairs), 0)),
        y=0.5 + 0.5 * np.sign(shared.loc[pairs.index].to_numpy(dtype=np.float64)),
        n_left_out=len(wide) - len(shared),
    )


def _covariates(chosen: pd.DataFrame, pairs: pd.Index) -> Iterator[tuple[str, FloatArray]]:
    """Yield the covariates that vary; token counts once for all tokenizers that agree on them."""
    if TOKENS in chosen.columns:
        counts = chosen.pivot(index="pair_id", columns="model", values=TOKENS).loc[pairs]
        different = counts.T.drop_duplicates().T
        for model, column in different.items():
            values = column.to_numpy(dtype=np.float64)
            if values.std() > 0:
                name = TOKENS if different.shape[1] == 1 else f"{TOKENS}, {model}"
                yield name, values / values.std()
    if "direction" in chosen.columns:
        direction = chosen.drop_duplicates("pair_id").set_index("pair_id")["direction"].loc[pairs]
        if direction.nunique() > 1:
            yield "direction", np.where(direction.astype(str) == "antistereo", -1.0, 1.0)
