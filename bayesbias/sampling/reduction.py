"""The constants of a Normal model's collapsed posterior: all that does not move with the sds.

`collapsed` explains the model; here its matrices are made once from the sufficient statistics.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError
from ..model.design import Design, IntArray
from ..model.spec import ModelSpec
from ..model.terms import Term
from .parameters import Block, parameter_blocks
from .sufficient import (
    Classes,
    RowTypes,
    between,
    classes_of,
    one_hot,
    random_units,
    row_types,
    sd_parameters,
)

SMALLEST_SIGMA = 1e-6
"""Residual sds below this get no weight: distances of float32 vectors are not known better, and
double precision gives out beyond."""

UNPOOLED_SD = 0.2
"""Prior sd of the effects of a word that is not pooled with others: wide, as bias goes."""

MUCH_WORK = 500_000
"""Multiplications a density from which on a fit takes seconds, and missing pairs are named."""

MOST_NUMBERS = 200_000
"""Numbers in the largest array while densities are evaluated in blocks: 1.6 MB stay in a cache."""


@dataclass(frozen=True)
class Shared:
    """Effects that reach across words and attributes: means of connections, groups, contexts.

    Parameters
    ----------
    terms : tuple of Term
        Those next to the connection means, which come first.
    loading : (n_types, n) float
    parameter : (n,) int
        Which log sd scales each; -1 for the connection means, whose prior sd is known.
    """

    terms: tuple[Term, ...]
    loading: FloatArray
    parameter: IntArray


@dataclass(frozen=True)
class Collapsed:
    """All that the posterior of the parameters and of the effects given them needs.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
    blocks : tuple of Block
        Layout of the vector of parameters.
    rows : (n_noise,) float
        Rows by residual precision: those of a connection, or of what else the model's sigma is by.
    unpooled_sd : float
        Prior sd of the effects of a word that is not pooled; its log comes behind the parameters.
    centre : float
        What all outcomes are measured from: the prior mean of the connection means.
    sides : tuple of Classes
        Of the words, and of the attributes if they have effects. The first is the larger one, which
        is eliminated first; the other is kept.
    shared : Shared
    cross : (n_noise, n_eliminated, d, n_kept + 1) float
        Coupling of the eliminated classes with what is kept: the other side, then shared effects;
        and in the last column with the outcome, less the centre.
    gram : (n_noise, n_kept + 1, n_kept + 1) float
        X'X of what is kept, and the outcome's products with it and with itself in the last place.
    alike : tuple of Collapsed
        Of other outcomes of the same rows under the same model, independent of this one given the
        parameters, which they share: all of them tell of these.
    """

    design: Design
    spec: ModelSpec
    blocks: tuple[Block, ...]
    rows: FloatArray
    unpooled_sd: float
    centre: float
    sides: tuple[Classes, ...]
    shared: Shared
    cross: FloatArray
    gram: FloatArray
    alike: tuple[Collapsed, ...] = ()

    @property
    def eliminated(self) -> Classes:
        """The side that is eliminated first."""
        return self.sides[0]

    @property
    def n_parameters(self) -> int:
        """Length of the vector of parameters."""
        return int(self.blocks[-1].where.stop)

    @property
    def is_sd(self) -> np.ndarray:
        """Which parameters are log sds, (n_parameters,) bool."""
        found = np.zeros(self.n_parameters, dtype=bool)
        for block in self.blocks:
            found[block.where] = not block.n_correlated
        return found

    @property
    def rows_at_once(self) -> int:
        """How many vectors of parameters are worked on together, for bounded memory."""
        return int(max(1, MOST_NUMBERS // (self.cross[0].size + self.gram[0].size)))

    @property
    def draws_at_once(self) -> int:
        """How many of them effects are drawn for together."""
        most = max(side.apart[0].size for side in self.sides)
        return int(max(1, min(self.rows_at_once, MOST_NUMBERS // most)))

    def block(self, name: str) -> Block:
        """Return the block of that name."""
        return next(block for block in self.blocks if block.name == name)


def collapse(
    design: Design, spec: ModelSpec, unpooled: int | None = None, unpooled_sd: float = UNPOOLED_SD
) -> Collapsed:
    """Reduce a design under a Normal model to what its collapsed posterior needs.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
    unpooled : int, optional
        A protected word whose effects have the sd ``unpooled_sd`` and tell nothing of other words.
    unpooled_sd : float

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
        raise ValueError(
            f"all {len(design.y)} distances are equal, or as good as; there is nothing to estimate"
        )
    spec = spec.fitting(design)
    centre = spec.centre
    y = design.y - centre
    types = row_types(design, spec)
    blocks = parameter_blocks(design, spec)
    named = {block.name: block for block in blocks}
    units = [
        random_units(design, terms, types, named, unpooled=unpooled)
        for factor in ("protected_word", "attribute")
        if (terms := spec.terms_of(factor))
    ]
    partners = [each.of_row for each in reversed(units)] if len(units) == 2 else [None]
    sides = tuple(
        classes_of(each, y, types, partner) for each, partner in zip(units, partners, strict=True)
    )
    shared = shared_effects(design, spec, types, named)
    sides = tuple(sorted(sides, key=lambda side: -side.n_coordinates))
    cross, gram = _matrices(sides, shared, types, y)
    _log_gaps(design, cross)
    return Collapsed(
        design=design,
        spec=spec,
        blocks=blocks,
        rows=np.bincount(design.codes(spec.noise_factor), minlength=types.n_noise).astype(float),
        unpooled_sd=unpooled_sd,
        centre=centre,
        sides=sides,
        shared=shared,
        cross=cross,
        gram=gram,
    )


def _log_gaps(design: Design, cross: FloatArray) -> None:
    """Log that missing pairs of words make a fit slow, where they do."""
    pairs = np.unique(design.word * len(design.attributes) + design.attribute)
    missing = len(design.words) * len(design.attributes) - len(pairs)
    if missing and cross[0].size * cross.shape[-1] > MUCH_WORK:
        logging.getLogger(__name__).warning(
            "%s of %s pairs of words have no row, so that few words have the same partners: the "
            "exact sampler takes several times as long. Leaving out words or attributes with gaps "
            "makes it fast",
            f"{missing:,}",
            f"{missing + len(pairs):,}",
        )


def shared_effects(
    design: Design, spec: ModelSpec, types: RowTypes, blocks: dict[str, Block]
) -> Shared:
    """Lay out the effects that reach across words and attributes."""
    n = len(design.connections)
    terms = tuple(t for t in spec.terms if t.of not in {"protected_word", "attribute"})
    loading, parameter = [one_hot(types.connection, n).T], [np.full(n, -1)]
    for term in terms:
        basis = term.joint_basis(design)
        loading.append(_places(design, term, types) @ basis)
        n_each = basis.shape[1] // (1 if term.interaction else len(design.coords[term.of]))
        of_each = sd_parameters(term, blocks, n_each)
        parameter.append(np.tile(of_each, basis.shape[1] // n_each))
    return Shared(terms, np.hstack(loading), np.concatenate(parameter))


def _places(design: Design, term: Term, types: RowTypes) -> FloatArray:
    """How rows of each type depend on all effects of a term, (n_types, n_of * n_by)."""
    n_types, n_by = len(types.first), len(design.coords[term.by]) if term.by else 1
    by = design.codes(term.by)[types.first] if term.by else np.zeros(n_types, dtype=np.int64)
    if term.is_slope:
        found = design.x[types.first, :, None] * one_hot(by, n_by).T[:, None]
        return np.asarray(found.reshape(n_types, -1))
    own, n_of = design.codes(term.of)[types.first], len(design.coords[term.of])
    there = (own >= 0) & (by >= 0)  # controls belong to no set
    return one_hot(np.where(there, own * n_by + by, -1), n_of * n_by).T


def _matrices(
    sides: tuple[Classes, ...], shared: Shared, types: RowTypes, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Coupling of the eliminated side with the rest and the outcome, and that of the rest."""
    n = types.n_noise
    by_noise = one_hot(types.noise, n)
    rows = by_noise * np.bincount(types.of_row, minlength=len(types.first))
    gram = np.einsum("ct,ti,tj->cij", rows, shared.loading, shared.loading, optimize=True)
    outcome = (by_noise * np.bincount(types.of_row, y)) @ shared.loading
    cross = [_with_shared(sides[0], shared, by_noise), sides[0].projection]
    if len(sides) == 2:
        first, kept = sides
        cross.insert(0, between(first, kept, types))
        to_shared = _with_shared(kept, shared, by_noise)
        gram = np.block([[_block_diagonal(kept), to_shared], [to_shared.transpose(0, 2, 1), gram]])
        outcome = np.hstack([kept.projection.reshape(n, -1), outcome])
    squares = by_noise @ np.bincount(types.of_row, y**2)
    gram = np.block([[gram, outcome[..., None]], [outcome[:, None], squares[:, None, None]]])
    shape = n, *sides[0].parameter.shape, -1
    return np.concatenate([each.reshape(shape) for each in cross], axis=3), gram


def _block_diagonal(side: Classes) -> FloatArray:
    """X'X of a side's classes, (n_noise, n_coordinates, n_coordinates)."""
    n, n_classes, d, _ = side.gram.shape
    found = np.zeros((n, n_classes, d, n_classes, d))
    diagonal = np.arange(n_classes)
    found[:, diagonal, :, diagonal] = side.gram.transpose(1, 0, 2, 3)
    return found.reshape(n, n_classes * d, n_classes * d)


def _with_shared(side: Classes, shared: Shared, by_noise: FloatArray) -> FloatArray:
    """Coupling of a side's classes with shared effects, (n_noise, n_coordinates, n)."""
    rows = side.rows * np.sqrt(side.size)[:, None]
    loadings = side.units.loading, shared.loading
    found = np.einsum("qt,ct,ti,tj->cqij", rows, by_noise, *loadings, optimize=True)
    return np.asarray(found.reshape(len(found), side.n_coordinates, -1))
