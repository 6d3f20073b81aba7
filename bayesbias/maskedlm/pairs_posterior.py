"""Draws of how often stereotypical sentences are preferred, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core.arrays import FloatArray
from ..model.tree import labels, stacked
from .sign_design import EQUAL

if TYPE_CHECKING:
    from xarray import DataTree

NO_PREFERENCE = 0.5
"""Share of stereotypical preferences of a model that has none."""


@dataclass(frozen=True)
class PairLevel:
    """Draws, (n_draws, n_models), of the shares of one set of bias types, by name."""

    level: str
    bias_type: str
    draws: Mapping[str, FloatArray]


def models_of(tree: DataTree) -> list[str]:
    """Names of the language models of a posterior."""
    return labels(tree, "language_model")


def levels(tree: DataTree) -> Iterator[PairLevel]:
    """Return the draws overall, for the population of bias types, and of every type."""
    quantities = {"p_stereotypical": ""}
    if f"share{EQUAL}" in tree["posterior"]:
        quantities["p_equal_length"] = EQUAL

    def drawn(name: str) -> dict[str, FloatArray]:
        return {key: stacked(tree, name + ending) for key, ending in quantities.items()}

    for name in ("overall", "population"):
        yield PairLevel(name, "", drawn(f"{name}_share"))
    shares = drawn("share")
    for index, name in enumerate(labels(tree, "bias_type")):
        yield PairLevel("bias_type", name, {key: share[:, index] for key, share in shares.items()})
