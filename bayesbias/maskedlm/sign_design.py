"""What ``pairs-signs`` knows of every pair: which sentence is preferred, and its factors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from ..model.design import IntArray
from ..tables.schema import codes_and_names
from .cluster_weights import ClusterWeights, cluster_weights

TOKENS = "token_difference"

EQUAL = "_equal_length"
"""Ending of the names of shares in which the sentences of a pair have as many tokens."""

COVARIATES = (TOKENS, "direction")
"""Columns of paired scores with a slope; one that is absent or the same in all rows has none."""


@dataclass(frozen=True)
class SignDesign:
    """Preferences of one measure, and the types, models, pairs and clusters they belong to.

    ``y`` is 1 where the stereotypical sentence is preferred, 0 where the other is, 1/2 in a tie;
    ``x`` has the covariates in their sds, (n_rows, n_covariates).
    """

    bias_types: tuple[str, ...]
    language_models: tuple[str, ...]
    pairs: tuple[str, ...]
    clusters: tuple[str, ...]
    covariates: tuple[str, ...]
    bias_type: IntArray
    language_model: IntArray
    pair: IntArray
    cluster: IntArray
    x: FloatArray
    y: FloatArray

    @property
    def positive(self) -> np.ndarray:
        """Whether the stereotypical sentence is preferred; ties in turn, so that half of them are.

        The turns are those of each language model, in the order of its rows.
        """
        found = self.y > 0.5
        for model in range(len(self.language_models)):
            ties = np.flatnonzero((self.y == 0.5) & (self.language_model == model))
            found[ties[::2]] = True
        return found

    @cached_property
    def weights(self) -> ClusterWeights:
        """What the weights of clusters are drawn from."""
        return cluster_weights(self.bias_type, self.cluster, self.clusters)


def sign_design(chosen: pd.DataFrame) -> SignDesign:
    """Index paired scores of one measure, rows as `paired_scores` makes them.

    Without a column ``cluster`` every pair is one of its own.
    """
    types, type_names = codes_and_names(chosen["bias_type"].astype(str))
    names = sorted(type_names)
    order = np.array([names.index(name) for name in type_names])
    models, model_names = codes_and_names(chosen["model"])
    pairs, pair_names = codes_and_names(chosen["pair_id"])
    clusters, cluster_names = clusters_of(chosen)
    found = covariates_of(chosen)
    difference = chosen["difference"].to_numpy(dtype=np.float64)
    if not np.isfinite(difference).all():
        row = int(np.argmin(np.isfinite(difference)))
        raise ValueError(f"difference must be finite; got {difference[row]} in row {row}")
    return SignDesign(
        bias_types=tuple(names),
        language_models=tuple(model_names),
        pairs=tuple(pair_names),
        clusters=tuple(cluster_names),
        covariates=tuple(found),
        bias_type=order[types],
        language_model=models.astype(np.int64),
        pair=pairs.astype(np.int64),
        cluster=clusters,
        x=np.column_stack([*found.values()]) if found else np.zeros((len(chosen), 0)),
        y=0.5 + 0.5 * np.sign(difference),
    )


def clusters_of(chosen: pd.DataFrame) -> tuple[IntArray, list[str]]:
    """Return the cluster of every row and the clusters' names; a pair is its own if none is known.

    Raises
    ------
    ValueError
        If a pair is in two.
    """
    pairs, names = codes_and_names(chosen["pair_id"])
    known = "cluster" if "cluster" in chosen.columns else "pair_id"
    clusters, cluster_names = codes_and_names(chosen[known].astype(str))
    of_pair = np.zeros(len(names), dtype=np.int64)
    of_pair[pairs] = clusters
    if (of_pair[pairs] != clusters).any():
        pair = names[int(pairs[(of_pair[pairs] != clusters).argmax()])]
        raise ValueError(f"pair {pair!r} is in two clusters; give it one for all language models")
    return clusters.astype(np.int64), cluster_names


def covariates_of(chosen: pd.DataFrame) -> dict[str, FloatArray]:
    """Return the covariates that say something, in their sds, by name."""
    return {name: x for name in COVARIATES if (x := _covariate(chosen, name)) is not None}


def _covariate(chosen: pd.DataFrame, name: str) -> FloatArray | None:
    """Values of a covariate in its sds, or None where it is absent or says nothing."""
    if name not in chosen.columns:
        return None
    if name == "direction":
        values = np.where(chosen[name].astype(str) == "antistereo", -1.0, 1.0)
    else:
        values = chosen[name].to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{name} must be finite; got {values[row]} in row {row}")
    sd = float(values.std())
    return values / (sd if name != "direction" else 1.0) if sd > 0 else None
