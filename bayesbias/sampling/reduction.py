"""The constants of a Normal model's collapsed posterior: all that does not move with the sds.

`collapsed` explains the model; here its matrices are made once from the sufficient statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    loadings,
    one_hot,
    random_units,
    row_types,
    sd_parameters,
)

MOST_NUMBERS = 200_000
"""Numbers in the largest array while densities are evaluated in blocks: 1.6 MB stay in a cache."""


@dataclass(frozen=True)
class Shared:
    """Effects that reach across words and attributes: means of connections, groups, contexts.

    Parameters
    ----------
    terms : tuple of Term
        Those beside the connection means, which come first.
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
    rows, squares : (n_connections,) float
        Rows, and their sum of squares about ``centre``, by connection.
    centre : float
        What all outcomes are measured from: the prior mean of the connection means.
    words : Classes
    attributes : Classes or None
        None for models without attribute effects.
    shared : Shared
    words_eliminated : bool
        Whether the words are the larger side, which is eliminated first; attributes otherwise.
    cross : (n_connections, n_eliminated, d, n_kept) float
        Coupling of the eliminated classes with what is kept: the other side, then shared effects.
    gram : (n_connections, n_kept, n_kept) float
    projection : (n_connections, n_kept) float
    """

    design: Design
    spec: ModelSpec
    blocks: tuple[Block, ...]
    rows: FloatArray
    squares: FloatArray
    centre: float
    words: Classes
    attributes: Classes | None
    shared: Shared
    words_eliminated: bool
    cross: FloatArray
    gram: FloatArray
    projection: FloatArray

    @property
    def eliminated(self) -> Classes:
        """The larger side."""
        if self.attributes is None or self.words_eliminated:
            return self.words
        return self.attributes

    @property
    def kept(self) -> Classes | None:
        """The smaller side; None for models without attribute effects."""
        return self.attributes if self.words_eliminated else self.words

    @property
    def n_parameters(self) -> int:
        """Length of the vector of parameters."""
        return self.blocks[-1].where.stop

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
        size = self.cross[0].size + self.shared.loading.shape[1] ** 2 + 1
        return max(1, MOST_NUMBERS // size)

    def block(self, name: str) -> Block:
        """Return the block of that name."""
        return next(block for block in self.blocks if block.name == name)


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
    spec = spec.fitting(design)
    n = len(design.connections)
    centre = spec.priors["connection_mean"].parameters["mean"]
    y = design.y - centre
    types = row_types(design, spec.terms)
    blocks = parameter_blocks(design, spec)
    named = {block.name: block for block in blocks}
    words = random_units(design, spec.terms_of("protected_word"), types, named)
    attributes = None
    if terms := spec.terms_of("attribute"):
        attributes = random_units(design, terms, types, named)
    of_attribute = None if attributes is None else attributes.of_row
    word_classes = classes_of(words, y, types, of_attribute, n)
    attribute_classes = None
    if attributes is not None:
        attribute_classes = classes_of(attributes, y, types, words.of_row, n)
    shared = _shared(design, spec, types, named)
    return Collapsed(
        design=design,
        spec=spec,
        blocks=blocks,
        rows=np.bincount(design.connection, minlength=n).astype(float),
        squares=np.bincount(design.connection, y**2, minlength=n),
        centre=centre,
        words=word_classes,
        attributes=attribute_classes,
        shared=shared,
        **_matrices(word_classes, attribute_classes, shared, types, y),
    )


def _shared(design: Design, spec: ModelSpec, types: RowTypes, blocks: dict[str, Block]) -> Shared:
    n = len(design.connections)
    terms = tuple(t for t in spec.terms if t.of not in {"protected_word", "attribute"})
    loading, parameter = [one_hot(types.connection, n).T], [np.full(n, -1)]
    for term in terms:
        n_levels = len(design.coords[term.of])
        own = one_hot(design.codes(term.of)[types.first], n_levels).T
        crossed = loadings(design, term, types)
        loading.append((own[:, :, None] * crossed[:, None]).reshape(len(own), -1))
        parameter.append(np.tile(sd_parameters(term, blocks, crossed.shape[1]), n_levels))
    return Shared(terms, np.hstack(loading), np.concatenate(parameter))


def _matrices(
    words: Classes, attributes: Classes | None, shared: Shared, types: RowTypes, y: FloatArray
) -> dict[str, Any]:
    """Which side is eliminated, and the constant matrices of the two stages."""
    by_connection = one_hot(types.connection, len(words.gram))
    rows = by_connection * np.bincount(types.of_row, minlength=len(types.first))
    loading = shared.loading
    gram = np.einsum("ct,ti,tj->cij", rows, loading, loading, optimize=True)
    projection = (by_connection * np.bincount(types.of_row, y)) @ loading
    with_shared = [_with_shared(side, shared, by_connection) for side in (words, attributes) if side]
    if attributes is None:
        return {
            "words_eliminated": True,
            "cross": with_shared[0],
            "gram": gram,
            "projection": projection,
        }
    first = words.n_coordinates >= attributes.n_coordinates
    out, kept = (words, attributes) if first else (attributes, words)
    cross = between(out, kept, types)
    n, n_kept = len(gram), kept.n_coordinates
    to_shared = with_shared[1 if first else 0].reshape(n, n_kept, -1)
    own = np.zeros((n, n_kept, n_kept))
    d = kept.parameter.shape[1]
    for index in range(len(kept.size)):
        where = slice(index * d, index * d + d)
        own[:, where, where] = kept.gram[:, index]
    return {
        "words_eliminated": first,
        "cross": np.concatenate(
            [cross.reshape(*cross.shape[:3], n_kept), with_shared[0 if first else 1]], axis=3
        ),
        "gram": np.block([[own, to_shared], [to_shared.transpose(0, 2, 1), gram]]),
        "projection": np.hstack([kept.projection.reshape(n, n_kept), projection]),
    }


def _with_shared(side: Classes, shared: Shared, by_connection: FloatArray) -> FloatArray:
    """Coupling of a side's classes with shared effects, (n_connections, n_classes, d, n)."""
    rows = side.rows * np.sqrt(side.size)[:, None]
    return np.asarray(
        np.einsum(
            "qt,ct,ti,tj->cqij",
            rows,
            by_connection,
            side.units.loading,
            shared.loading,
            optimize=True,
        )
    )
