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
from .sufficient import CellClasses, Statistics, sufficient_statistics

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
    if np.ptp(design.y) == 0:
        raise ValueError(f"all {len(design.y)} distances are equal; there is nothing to estimate")
    if spec.context_effects != "none":
        design.require_contexts(spec.name)
    statistics = sufficient_statistics(
        design,
        spec.priors["connection_mean"].parameters["mean"],
        with_attributes=spec.attribute_effects != "none",
        grouped=spec.group_effects != "none",
        with_contexts=spec.context_effects != "none",
    )
    blocks = _sd_blocks(design, spec)
    cells = _cell_side(statistics)
    attributes = _attribute_side(statistics, blocks)
    grouped = spec.group_effects != "none"
    means = _MeansOf(statistics, len(design.groups) if grouped else 0)
    between = _between(statistics)
    with_cells, with_attributes = means.cross_cells(), means.cross_attributes()
    first = len(cells.sd_index) >= len(attributes.sd_index)
    cross = between if first else between.transpose(0, 2, 1)
    to_means = (with_cells, with_attributes) if first else (with_attributes, with_cells)
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
        means_gram=means.gram(),
        means_projection=means.projection(),
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


@dataclass(frozen=True)
class _MeansOf:
    """Design of the connection means, and of group means and context effects beside them.

    Means reach whole classes of cells; contexts go across them, and come last.
    """

    statistics: Statistics
    n_groups: int

    def _members(self) -> FloatArray:
        """Which cell classes each mean reaches, (n_means, n_cell_classes)."""
        cells = self.statistics.cells
        n = len(self.statistics.rows)
        members = [_one_hot(cells.connection, n)]
        if self.n_groups:
            members.append(_one_hot(cells.parent, n * self.n_groups))
        return np.concatenate(members)

    def gram(self) -> FloatArray:
        cells, members = self.statistics.cells, self._members()
        rows = _by_connection(cells, cells.size * cells.count, len(self.statistics.rows))
        gram = np.asarray(np.einsum("ir,cr,jr->cij", members, rows, members, optimize=True))
        contexts = self.statistics.contexts
        if contexts is None:
            return gram
        weight = _by_connection(cells, cells.size, len(self.statistics.rows))
        across = np.einsum("ir,cr,rt->cit", members, weight, contexts.of_cell, optimize=True)
        own = contexts.rows[:, :, None] * np.eye(contexts.rows.shape[1])
        return np.block([[gram, across], [across.transpose(0, 2, 1), own]])

    def projection(self) -> FloatArray:
        cells, members = self.statistics.cells, self._members()
        sums = _by_connection(
            cells, cells.mean_sum * np.sqrt(cells.size), len(self.statistics.rows)
        )
        projection = np.asarray(sums @ members.T)
        contexts = self.statistics.contexts
        return projection if contexts is None else np.hstack([projection, contexts.sums])

    def cross_cells(self) -> FloatArray:
        cells, members = self.statistics.cells, self._members()
        rows = _by_connection(cells, np.sqrt(cells.size) * cells.count, len(self.statistics.rows))
        cross = np.asarray(rows[:, :, None] * members.T[None])
        contexts = self.statistics.contexts
        if contexts is None:
            return cross
        weight = _by_connection(cells, np.sqrt(cells.size), len(self.statistics.rows))
        return np.concatenate([cross, weight[:, :, None] * contexts.of_cell], axis=2)

    def cross_attributes(self) -> FloatArray:
        cells, attributes = self.statistics.cells, self.statistics.attributes
        members = self._members()
        n = len(self.statistics.rows)
        contexts = self.statistics.contexts
        if attributes is None:
            n_contexts = 0 if contexts is None else contexts.rows.shape[1]
            return np.zeros((n, 0, len(members) + n_contexts))
        weight = _by_connection(cells, cells.size, n)
        rows = np.einsum("ir,cr,rq->cqi", members, weight, self.statistics.incidence, optimize=True)
        if contexts is not None:
            rows = np.concatenate([rows, contexts.of_attribute], axis=2)
        return np.asarray(rows * np.sqrt(attributes.size)[None, :, None])


def _by_connection(cells: CellClasses, values: FloatArray, n: int) -> FloatArray:
    return _one_hot(cells.connection, n) * values
