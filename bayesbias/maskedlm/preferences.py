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
        Covariates, token counts in units of their sds.
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

    def design(self, y: FloatArray, name: str) -> Design:
        """Return the design of one outcome, as `bayesbias.fit_design` and ``build_model`` take it.

        Bias types take the role of protected words, clusters that of attributes.
        """
        return Design(
            words=self.bias_types,
            groups=("bias types",),
            connections=(name,),
            attributes=self.clusters,
            kinds=("clusters",),
            word_group=np.zeros(len(self.bias_types), dtype=np.int64),
            attribute_kind=np.zeros(len(self.clusters), dtype=np.int64),
            word=self.bias_type,
            connection=np.zeros(len(y), dtype=np.int64),
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
    return paired[paired["measure"] == (measure or known[0])].reset_index(drop=True)


def preferences(paired: pd.DataFrame, measure: str | None = None) -> Preferences:
    """Index the preferences of one measure; `fit_pairs` lists the columns that are read."""
    chosen = one_measure(paired, measure)
    cluster = chosen["cluster" if "cluster" in chosen.columns else "pair_id"]
    chosen = chosen.assign(cluster=cluster.astype(str), bias_type=chosen["bias_type"].fillna(""))
    chosen["bias_type"] = chosen["bias_type"].astype(str)
    _refuse_bad_rows(chosen)
    order = list(chosen["model"].unique())
    wide = chosen.pivot(index="pair_id", columns="model", values="difference")[order]
    shared = wide.dropna()
    if shared.empty:
        raise ValueError("the language models share no pair; score all of them on the same pairs")
    first = chosen.drop_duplicates("pair_id").set_index("pair_id")
    pairs = first[first.index.isin(shared.index)]
    names = sorted(pairs["bias_type"].unique())
    clusters, cluster_names = codes_and_names(pairs["cluster"])
    covariates = dict(_covariates(chosen, pairs))
    return Preferences(
        models=tuple(map(str, order)),
        bias_types=tuple(names),
        clusters=tuple(cluster_names),
        covariates=tuple(covariates),
        bias_type=np.searchsorted(names, pairs["bias_type"]).astype(np.int64),
        cluster=clusters.astype(np.int64),
        x=np.column_stack([*covariates.values()]) if covariates else np.zeros((len(pairs), 0)),
        y=0.5 + 0.5 * np.sign(shared.loc[pairs.index].to_numpy(dtype=np.float64)),
        n_left_out=len(wide) - len(shared),
    )


def _refuse_bad_rows(chosen: pd.DataFrame) -> None:
    """Raise a ValueError that names the first row that no model can use."""
    twice = chosen.duplicated(["model", "pair_id"])
    if twice.any():
        name, model = chosen.loc[twice, ["pair_id", "model"]].iloc[0]
        raise ValueError(f"pair {name!r} is there twice under {model!r}")
    empty = chosen["bias_type"].str.strip() == ""
    if empty.any():
        row = int(empty.argmax())
        raise ValueError(f"row {row}, pair {chosen['pair_id'].iloc[row]!r}, has an empty bias_type")
    for name in [name for name in ("difference", TOKENS) if name in chosen.columns]:
        finite = np.isfinite(chosen[name].to_numpy(dtype=np.float64))
        if not finite.all():
            row = int(np.argmin(finite))
            raise ValueError(f"{name} must be finite; got {chosen[name].iloc[row]} in row {row}")
    split = chosen.groupby("pair_id")["cluster"].nunique() > 1
    if split.any():
        pair = split.idxmax()
        raise ValueError(f"pair {pair!r} is in two clusters; give it one for all language models")


def _covariates(chosen: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[tuple[str, FloatArray]]:
    """Yield the covariates that vary; token counts once for all tokenizers that agree on them."""
    if TOKENS in chosen.columns:
        counts = chosen.pivot(index="pair_id", columns="model", values=TOKENS).loc[pairs.index]
        different = counts.T.drop_duplicates().T
        for model, column in different.items():
            values = column.to_numpy(dtype=np.float64)
            if values.std() > 0:
                name = TOKENS if different.shape[1] == 1 else f"{TOKENS}, {model}"
                yield name, values / values.std()
    if "direction" in chosen.columns and pairs["direction"].nunique() > 1:
        yield "direction", np.where(pairs["direction"].astype(str) == "antistereo", -1.0, 1.0)
