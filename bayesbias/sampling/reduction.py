"""The constants of a Normal model's collapsed posterior: all that does not move with the sds.

`collapsed` explains the model; here its matrices are made once from the sufficient statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError
from ..model.design import Design, IntArray
from ..model.spec import ModelSpec
from .sufficient import Statistics, sufficient_statistics

SMALLEST_SIGMA = 1e-6
"""Residual sds below this get no weight: distances of float32 vectors are not known better, and
double precision gives out beyond."""

MOST_NUMBERS = 200_000
"""Numbers in the largest array while densities are evaluated in blocks: 1.6 MB stay in a cache."""


@dataclass(frozen=True)
class SdBlock:
    """One named block of standard deviations: its dimensions and its place in the vector."""

    name: str
    dims: tuple[str, ...]
    where: slice


@dataclass(frozen=True)
class Side:
    """Effects whose precision among themselves is diagonal: cells, or attributes.

    Their classes have further coordinates, alike in precision and uncoupled from all others.
    """

    gram: FloatArray  # (n_connections, n): diagonal of X'X, to be weighed by residual precision
    projection: FloatArray  # (n_connections, n): X'(y - m0), weighed likewise
    sd_index: IntArray  # (n,): which sd scales each effect
    n_deviations: FloatArray  # (n,): further coordinates of the class
    deviation: FloatArray  # (n_connections, n_connections, n): cross-products of their projections


@dataclass(frozen=True)
class Collapsed:
    """All that the posterior of the log sds and of the effects given them needs."""

    design: Design
    spec: ModelSpec
    statistics: Statistics
    blocks: tuple[SdBlock, ...]  # layout of the vector of log sds
    eliminated: Side  # the larger of the two sides
    kept: Side  # the smaller one; without effects for models without attribute effects
    cells_eliminated: bool  # which of the two the cells are
    cross: FloatArray  # (n_connections, n_eliminated, n_kept + n_means)
    coupling: FloatArray  # (n_connections, n_kept, n_means)
    means_gram: FloatArray  # (n_connections, n_means, n_means)
    means_projection: FloatArray  # (n_connections, n_means)

    @cached_property
    def mean_of(self) -> IntArray | None:
        """The only mean that each eliminated effect is coupled with, (n_eliminated,).

        None where effects are kept, or some effect or row has two means: connection and group.
        """
        coupled = self.cross.any(axis=0)
        # Every row has an eliminated effect, so whatever else it has two of meets in that one.
        if (coupled.sum(axis=1) > 1).any():
            return None
        return np.asarray(coupled.argmax(axis=1))

    @property
    def n_sds(self) -> int:
        """Length of the vector of log sds."""
        return int(self.blocks[-1].where.stop)

    @property
    def rows_at_once(self) -> int:
        """How many vectors of log sds are worked on together, for bounded memory."""
        return max(1, MOST_NUMBERS // int(self.cross[0].size + self.means_gram[0].size + 1))

    def block(self, name: str) -> SdBlock | None:
        """Return the block of that name, if the model has it."""
        return next((block for block in self.blocks if block.name == name), None)


def collapse(design: Design, spec: ModelSpec) -> Collapsed:
    """Reduce a design under a Normal model to what its collapsed posterior needs.

    Raises
    ------
    ValueError
        If the model's likelihood is not normal, the distances do not vary (no residual sd can be
        learnt from them), or the model has context effects and the design no contexts.
    """
    if spec.likelihood != "normal":
        raise ArgumentError(
            f"the model {spec.name!r} has a {spec.likelihood} likelihood, and effects integrate "
            "out of normal models only; use ",
            Argument("method", "nuts"),
        )
    if design.y.std() <= 2 * SMALLEST_SIGMA:
        n = len(design.y)
        raise ValueError(
            f"all {n} distances are equal, or as good as; there is nothing to estimate"
        )
    if spec.context_effects != "none":
        design.require_contexts(spec.name)
    grouped = spec.group_effects != "none"
    statistics = sufficient_statistics(
        design,
        spec.priors["connection_mean"].parameters["mean"],
        with_attributes=spec.attribute_effects != "none",
        grouped=grouped,
        with_contexts=spec.context_effects != "none",
    )
    blocks = _sd_blocks(design, spec)
    cells = _cell_side(statistics)
    attributes = _attribute_side(statistics, blocks)
    gram, projection, *to_means = _means(statistics, len(design.groups) if grouped else 0)
    between = _between(statistics)
    first = len(cells.sd_index) >= len(attributes.sd_index)
    cross = between if first else between.transpose(0, 2, 1)
    to_means = to_means if first else to_means[::-1]
    return Collapsed(
        design=design,
        spec=spec,
        statistics=statistics,
        blocks=blocks,
        eliminated=cells if first else attributes,
        kept=attributes if first else cells,
        cells_eliminated=first,
        cross=np.concatenate([cross, to_means[0]], axis=2),
        coupling=to_means[1],
        means_gram=gram,
        means_projection=projection,
    )


def _sd_blocks(design: Design, spec: ModelSpec) -> tuple[SdBlock, ...]:
    layout: list[tuple[str, tuple[str, ...]]] = [("connection_sd", ("connection",))]
    layout += [("sigma", ("connection",) if spec.sigma == "connection" else ())]
    if spec.attribute_effects != "none":
        by_kind = spec.attribute_effects == "kind"
        layout += [("attribute_sd", ("attribute_kind",) if by_kind else ())]
    if spec.group_effects != "none":
        layout += [("group_sd", ("connection",))]
    if spec.context_effects != "none":
        layout += [("context_sd", ())]
    sizes = {name: len(labels) for name, labels in design.coords.items()}
    blocks, start = [], 0
    for name, dims in layout:
        stop = start + (sizes[dims[0]] if dims else 1)
        blocks.append(SdBlock(name, dims, slice(start, stop)))
        start = stop
    return tuple(blocks)


def _cell_side(statistics: Statistics) -> Side:
    cells = statistics.cells
    one_hot = _one_hot(cells.connection, len(statistics.rows))
    return Side(
        gram=one_hot * cells.count,
        projection=one_hot * cells.mean_sum,
        sd_index=cells.connection,
        n_deviations=cells.size - 1,
        deviation=one_hot[:, None] * one_hot[None] * cells.deviation,
    )


def _attribute_side(statistics: Statistics, blocks: tuple[SdBlock, ...]) -> Side:
    n = len(statistics.rows)
    attributes = statistics.attributes
    if attributes is None:
        none = np.zeros((n, 0))
        return Side(none, none, np.zeros(0, np.int64), np.zeros(0), np.zeros((n, n, 0)))
    block = next(block for block in blocks if block.name == "attribute_sd")
    own = attributes.kind if block.dims else np.zeros_like(attributes.kind)
    return Side(
        gram=attributes.count,
        projection=attributes.mean_sum,
        sd_index=block.where.start + own,
        n_deviations=attributes.size - 1,
        deviation=attributes.deviation,
    )


def _between(statistics: Statistics) -> FloatArray:
    """Coupling of cells and attributes, (n_connections, n_cells, n_attributes)."""
    cells, attributes = statistics.cells, statistics.attributes
    one_hot = _one_hot(cells.connection, len(statistics.rows))
    if attributes is None:
        return np.zeros((*one_hot.shape, 0))
    rows = statistics.incidence * np.sqrt(cells.size)[:, None] * np.sqrt(attributes.size)
    return np.asarray(one_hot[:, :, None] * rows)


def _one_hot(index: IntArray, n: int) -> FloatArray:
    return np.asarray(np.arange(n)[:, None] == index, dtype=np.float64)


def _means(statistics: Statistics, n_groups: int) -> tuple[FloatArray, ...]:
    """Gram and projection of the means, and their coupling with cells and with attributes.

    Means of connections and groups reach whole classes of cells; contexts go across them, and come
    last.
    """
    cells, attributes, contexts = statistics.cells, statistics.attributes, statistics.contexts
    own = _one_hot(cells.connection, len(statistics.rows))
    members = own
    if n_groups:
        members = np.concatenate([own, _one_hot(cells.parent, len(own) * n_groups)])
    rows = own * (cells.size * cells.count)
    gram = np.asarray(np.einsum("ir,cr,jr->cij", members, rows, members, optimize=True))
    projection = np.asarray((own * (cells.mean_sum * np.sqrt(cells.size))) @ members.T)
    with_cells = (own * (np.sqrt(cells.size) * cells.count))[:, :, None] * members.T[None]
    size = own * cells.size
    if contexts is not None:
        across = np.einsum("ir,cr,rt->cit", members, size, contexts.of_cell, optimize=True)
        diagonal = contexts.rows[:, :, None] * np.eye(contexts.rows.shape[1])
        gram = np.block([[gram, across], [across.transpose(0, 2, 1), diagonal]])
        projection = np.hstack([projection, contexts.sums])
        one_each = (own * np.sqrt(cells.size))[:, :, None] * contexts.of_cell
        with_cells = np.concatenate([with_cells, one_each], axis=2)
    if attributes is None:
        return gram, projection, with_cells, np.zeros((len(own), 0, gram.shape[1]))
    reached = np.einsum("ir,cr,rq->cqi", members, size, statistics.incidence, optimize=True)
    if contexts is not None:
        reached = np.concatenate([reached, contexts.of_attribute], axis=2)
    return gram, projection, with_cells, reached * np.sqrt(attributes.size)[None, :, None]
