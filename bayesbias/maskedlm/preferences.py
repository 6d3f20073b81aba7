"""Preferences of language models between paired sentences, indexed for a statistical model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.warnings import warn
from ..model.design import Design
from ..tables.schema import codes_and_names
from ..warnings import IncompleteCovariate
from .datasets import DIRECTIONS, NEEDS_DIRECTION, check_paired, labeled, refuse_rows

NEEDED_COLUMNS = ("model", "measure", "pair_id", "bias_type", "difference")

TOKENS = "token_difference"


@dataclass(frozen=True)
class Preferences:
    """Preferences between the sentences of pairs that all language models have scored.

    ``y`` has shape (n_pairs, n_models) and contains 1, 0, and, for ties, 1/2. The design has one
    row per pair. Bias types serve as protected words, and clusters serve as attributes.
    ``n_left_out`` is the number of pairs that at least one language model has not scored.
    """

    models: tuple[str, ...]
    y: FloatArray
    design: Design
    n_left_out: int

    def design_of(self, y: FloatArray, name: str) -> Design:
        """Return one outcome's design for `fit_design` and `build_model`."""
        return replace(self.design, y=y, connections=(name,))


def one_measure(paired: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    """Return the rows of one measure; ``measure`` is required if there are several measures.

    Numbers of tokens are left out, with a warning, if some of them are missing.
    """
    paired = labeled(paired, NEEDED_COLUMNS)
    known = [*paired["measure"].unique()]
    if measure is None and len(known) != 1:
        raise ValueError(f"pass a measure; measures with scores: {', '.join(known) or 'none'}")
    if measure is not None:
        check_choice("measure", measure, known)
    chosen = paired[paired["measure"] == (measure or known[0])].reset_index(drop=True)
    if TOKENS in chosen.columns and (n := int(chosen[TOKENS].isna().sum())):
        warn(IncompleteCovariate(TOKENS, n, len(chosen)))
        return chosen.drop(columns=TOKENS)
    return chosen


def preferences(paired: pd.DataFrame, measure: str | None = None) -> Preferences:
    """Return the preferences for one measure, from the columns that `fit_pairs` lists."""
    chosen = one_measure(paired, measure)
    numbers = [name for name in ("difference", TOKENS) if name in chosen.columns]
    chosen = check_paired(chosen, NEEDED_COLUMNS, numbers)
    if "cluster" not in chosen.columns:
        chosen = chosen.assign(cluster=chosen["pair_id"])
    faults = {"occurs twice under this model": chosen.duplicated(["model", "pair_id"])}
    of_pair, several = chosen.groupby("pair_id"), "is in two {}s; use the same one for all models"
    for name in ("bias_type", "cluster", "direction"):
        if name in chosen:
            faults[several.format(name)] = of_pair[name].transform("nunique") > 1
    if "direction" in chosen.columns:
        faults[NEEDS_DIRECTION] = ~chosen["direction"].isin(DIRECTIONS)
    refuse_rows(chosen, faults)
    order = list(chosen["model"].unique())
    wide = chosen.pivot(index="pair_id", columns="model", values="difference")[order]
    shared = wide.dropna()
    if shared.empty:
        raise ValueError("no pair has scores from every model; use the same pairs for all")
    first = chosen.drop_duplicates("pair_id").set_index("pair_id")
    pairs = first[first.index.isin(shared.index)]
    types, clusters = pd.Categorical(pairs["bias_type"]), codes_and_names(pairs["cluster"])
    covariates = dict(_covariates(chosen, pairs))
    y = 0.5 + 0.5 * np.sign(shared.loc[pairs.index].to_numpy(dtype=np.float64))
    design = Design(
        words=tuple(types.categories),
        groups=("bias types",),
        connections=("preference",),
        attributes=tuple(clusters[1]),
        kinds=("clusters",),
        word_group=np.zeros(len(types.categories), dtype=np.int64),
        attribute_kind=np.zeros(len(clusters[1]), dtype=np.int64),
        word=types.codes.astype(np.int64),
        connection=np.zeros(len(y), dtype=np.int64),
        attribute=clusters[0].astype(np.int64),
        y=y[:, 0],
        outcome="preference",
        covariates=tuple(covariates),
        x=np.column_stack([*covariates.values()]) if covariates else np.zeros((len(y), 0)),
    )
    return Preferences(tuple(order), y, design, len(wide) - len(shared))


def _covariates(chosen: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[tuple[str, FloatArray]]:
    """Yield the covariates that vary: token differences in units of their sd, and direction."""
    if TOKENS in chosen.columns:
        counts = chosen.pivot(index="pair_id", columns="model", values=TOKENS).loc[pairs.index]
        different = counts.T.drop_duplicates().T
        for model, column in different.items():
            values = column.to_numpy(dtype=np.float64)
            if np.ptp(values) > 0:  # the sd of equal numbers can be a rounding error
                name = TOKENS if different.shape[1] == 1 else f"{TOKENS}, {model}"
                yield name, values / values.std()
    if "direction" in chosen.columns and pairs["direction"].nunique() > 1:
        yield "direction", np.where(pairs["direction"] == "antistereo", -1.0, 1.0)
