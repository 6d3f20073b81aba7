"""Coordinates in which the effects of a model are nearly independent, so that NUTS mixes.

Data tell sums of effects: the mean of a connection, those of its words and those of its attributes
are nearly aliased. Units whose rows have the same partners are a class; the effects of its units
are their mean and deviations from it, which sum to zero. Deviations of one factor hardly touch
those of another, and the few means of all classes are held jointly.

Effects are F u with u ~ Normal(0, I), where F has the sds. Were the likelihood Normal, with rows of
the precision G and the pull r, u would have the posterior precision LL' = I + F'GF and the mean
(LL')⁻¹F'r. The coordinates are z = L'u - L⁻¹F'r: given the sds Normal(0, I) then. For Normal models
of whole designs that is exact, and NUTS moves as on the density of the sds, effects integrated out.
For others it only places the coordinates: the model is the same, whatever G and r are.
Interactions of groups and sets, which are few, have coordinates of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.arrays import FloatArray
from .design import Design, IntArray
from .spec import ModelSpec
from .terms import FACTORS, Term

COORDINATES = "whitened"
"""Name of the coordinates among the variables of the PyMC model."""

MOST_CLASSES = 16
"""Classes of a factor's units by all their partners; if there are more, as gaps make them, units
are sorted by groups and sets of partners only."""


@dataclass(frozen=True)
class Factor:
    """The effects of all units of one factor.

    Parameters
    ----------
    terms : tuple of Term
    of_row : (n_rows,) int
        Unit of each row.
    classes : (n_units,) int
    loading : (n_rows, d) float
        How a row depends on the coordinates of its unit, which are those of one term after another.
    means : (n_classes, d) int
        Places of the means of classes among the rows of F.
    deviations : (n_classes, d) int
        The same of the deviations; -1 in a class of one unit, which has none.
    """

    terms: tuple[Term, ...]
    of_row: IntArray
    classes: IntArray
    loading: FloatArray
    means: IntArray
    deviations: IntArray

    @property
    def sizes(self) -> IntArray:
        """Units of each class."""
        return np.bincount(self.classes)

    @property
    def first(self) -> IntArray:
        """A unit of each class."""
        return np.unique(self.classes, return_index=True)[1]

    @property
    def of_deviation(self) -> IntArray:
        """Class of each of the deviations, (n,): a class has one fewer than units."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes - 1)

    @property
    def basis(self) -> FloatArray:
        """Orthonormal basis of vectors that sum to zero in every class, (n_units, n)."""
        found = np.zeros((len(self.classes), len(self.of_deviation)))
        for k, size in enumerate(self.sizes):
            members = np.flatnonzero(self.classes == k)
            found[np.ix_(members, self.of_deviation == k)] = zero_sum_basis(size)
        return found


class Whitening:
    """The constants of the coordinates for a design and a model; see the module.

    Parameters
    ----------
    design : Design
    spec : ModelSpec
    """

    def __init__(self, design: Design, spec: ModelSpec) -> None:
        self.design, self.spec = design, spec
        self.factors: list[Factor] = []
        apart = tuple(term for term in spec.terms if not term.interaction)  # those are few
        terms = [found for name in FACTORS if (found := tuple(t for t in apart if t.of == name))]
        self.n_means = len(design.connections)
        classes = [_classes(design, found[0].of) for found in terms]
        n_coordinates = [sum(_n_coordinates(design, term) for term in found) for found in terms]
        n_classes = [1 + int(each.max()) for each in classes]
        self.n_means += sum(np.multiply(n_coordinates, n_classes))
        mean, deviation = len(design.connections), self.n_means
        for found, own, d, n in zip(terms, classes, n_coordinates, n_classes, strict=True):
            means = mean + np.arange(n * d).reshape(n, d)
            several = np.bincount(own) > 1
            deviations = np.full((n, d), -1)
            deviations[several] = deviation + np.arange(several.sum() * d).reshape(-1, d)
            mean, deviation = mean + n * d, deviation + int(several.sum()) * d
            of_row, loading = design.codes(found[0].of), _loading(design, found)
            self.factors.append(Factor(found, of_row, own, loading, means, deviations))
        self.n = deviation
        self.gram, self.pull, self.pulls = self._from_rows()

    def _from_rows(self) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
        """X'X and X'y of every connection's rows: of class means jointly, of deviations alone."""
        n_connections, y = len(self.design.connections), self.design.y - self.spec.centre
        loading = np.zeros((len(y), self.n_means))
        rows = np.arange(len(y))[:, None]
        loading[rows, self.design.connection[:, None]] = 1
        for factor in self.factors:
            loading[rows, factor.means[factor.classes[factor.of_row]]] = factor.loading
        gram = np.zeros((n_connections, self.n, self.n))
        pull = np.zeros((n_connections, self.n_means))
        apart = y - loading @ np.linalg.lstsq(loading, y)[0]
        pulls = [
            np.zeros((n_connections, len(each.of_deviation), each.loading.shape[1]))
            for each in self.factors
        ]
        for c in range(n_connections):
            own = np.flatnonzero(self.design.connection == c)
            gram[c, : self.n_means, : self.n_means] = loading[own].T @ loading[own]
            pull[c] = y[own] @ loading[own]
            for factor, found in zip(self.factors, pulls, strict=True):
                unit, x = factor.of_row[own], factor.loading[own]
                for k in np.flatnonzero(factor.sizes > 1):
                    of_class = x[factor.classes[unit] == k]
                    place = np.ix_(factor.deviations[k], factor.deviations[k])
                    gram[c][place] = of_class.T @ of_class / factor.sizes[k]  # of its average unit
                sums = np.zeros((len(factor.classes), x.shape[1]))
                np.add.at(sums, unit, apart[own, None] * x)
                found[c] = factor.basis.T @ sums
        return gram, pull, pulls

    def effects(
        self,
        sds: Mapping[str, Any],
        correlation_factors: Mapping[str, Any],
        precision: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Add the coordinates to the PyMC model at hand, and make every term's effects of them.

        Parameters
        ----------
        sds, correlation_factors : mapping of str to tensor
            By the names that terms give them.
        precision : (n_connections,) tensor
            What one row tells of its expected value.

        Returns
        -------
        dict of str to tensor
            Deviations of every term's effects from the means that they vary around, and those of
            ``connection_mean`` from their prior mean.
        """
        import pymc as pm
        import pytensor.tensor as pt
        from pytensor.tensor.linalg import cholesky, solve_triangular

        n, shapes = int(self.n_means), [each.shape[1:] for each in self.pulls]
        z = pm.Normal(COORDINATES, shape=n + sum(map(math.prod, shapes)))
        scale = self._scale(sds, correlation_factors)
        gram = pt.tensordot(precision, self.gram, 1)
        lower = cholesky(pt.eye(self.n) + scale.T @ gram @ scale)
        whiten = solve_triangular(lower, pt.eye(self.n), lower=True).T
        scaled = scale @ whiten
        moved = z[:n] + (precision @ self.pull) @ scaled[:n, :n]
        means = scaled[:n, :n] @ moved
        # The prior of u in place of that of z; the Jacobian of u in z is 1 / det L.
        density = (z**2).sum() - ((whiten[:n, :n] @ moved) ** 2).sum()
        copies = np.ones(self.n)
        effects = {"connection_mean": means[: len(self.design.connections)]}
        start = n
        for factor, pull, shape in zip(self.factors, self.pulls, shapes, strict=True):
            own = means[factor.means][factor.classes]
            if shape[0]:
                copies[factor.deviations] = (factor.sizes - 1)[:, None]
                place = factor.deviations[factor.of_deviation]
                at = place[:, :, None], place[:, None, :]
                pulled = pt.tensordot(precision, pull, 1)
                moved = z[start : start + math.prod(shape)].reshape(shape)
                moved = moved + (scaled[at] * pulled[:, :, None]).sum(axis=1)
                density -= ((whiten[at] * moved[:, None]).sum(axis=2) ** 2).sum()
                own = own + factor.basis @ (scaled[at] * moved[:, None]).sum(axis=2)
                start += math.prod(shape)
            effects |= self._by_term(factor, own)
        pm.Potential("density_of_effects", density / 2 - (copies * pt.log(pt.diag(lower))).sum())
        return effects

    def _scale(self, sds: Mapping[str, Any], correlation_factors: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """Make the matrix of the sds, F, (n, n)."""
        import pytensor.tensor as pt

        start = np.arange(len(self.design.connections))
        rows, columns, values = [start], [start], [pt.full(start.shape, self.spec.mean_sd)]
        for factor in self.factors:
            offset, several = 0, factor.sizes > 1
            for term in factor.terms:
                d = _n_coordinates(self.design, term)
                i, j = np.tril_indices(d) if term.correlated else np.diag_indices(d)
                own = self._sds_of_classes(term, factor, sds[term.sd])[:, i]
                if term.correlated:
                    own = own * correlation_factors[term.correlation][i, j]
                rows += [factor.means[:, offset + i], factor.deviations[several][:, offset + i]]
                columns += [factor.means[:, offset + j], factor.deviations[several][:, offset + j]]
                values += [own / np.sqrt(factor.sizes)[:, None], own[np.flatnonzero(several)]]
                offset += d
        row, column = (np.concatenate([np.ravel(x) for x in each]) for each in (rows, columns))
        found = pt.concatenate([each.ravel() for each in values])
        return pt.zeros((self.n, self.n))[row, column].set(found)

    def _sds_of_classes(self, term: Term, factor: Factor, sd: Any) -> Any:  # noqa: ANN401
        """Sds of a term's coordinates for a unit of each class, (n_classes, d)."""
        if term.sd_by not in {"", term.by}:
            sd = sd[self.design.attribute_kind[factor.first]][:, None]
        return sd * np.ones((len(factor.sizes), _n_coordinates(self.design, term)))

    def _by_term(self, factor: Factor, coordinates: Any) -> dict[str, Any]:  # noqa: ANN401
        """Split the coordinates of units, (n_units, d), into the effects of terms."""
        effects, start = {}, 0
        for term in factor.terms:
            d = _n_coordinates(self.design, term)
            own = coordinates[:, start : start + d]
            if term.zero_sum or term.contrast:
                own = own @ term.basis(self.design).T
            effects[term.name] = own if term.by else own[:, 0]
            start += d
        return effects


def zero_sum_basis(n: int) -> FloatArray:
    """Orthonormal basis of the vectors of length n that sum to zero, (n, n - 1).

    As in PyMC's ``ZeroSumNormal``: the identity, less what makes sums zero.
    """
    basis = np.eye(n)[:, :-1] - 1 / (np.sqrt(n) + n)
    basis[-1] = -1 / np.sqrt(n)
    return np.asarray(basis)


def _loading(design: Design, terms: tuple[Term, ...]) -> FloatArray:
    """How rows depend on the coordinates of their unit, (n_rows, d)."""
    columns = []
    for term in terms:
        if term.by:
            codes = design.codes(term.by)
            columns.append(term.basis(design)[codes] * (codes >= 0)[:, None])
        else:
            columns.append(np.ones((len(design.y), 1)))
    has_unit = design.codes(terms[0].of) >= 0  # controls belong to no attribute set
    return np.hstack(columns) * has_unit[:, None]


def _classes(design: Design, factor: str) -> IntArray:
    """Class of every unit of a factor: those that have the same partners are alike."""
    unit = design.codes(factor)
    others = [name for name in design.coords if name != factor]
    few = [name for name in others if name not in {"protected_word", "attribute", "context"}]
    classes = np.zeros(0, dtype=np.int64)
    for columns in (others, few):
        keys = np.column_stack([design.codes(name) for name in columns])
        partner = np.unique(keys, axis=0, return_inverse=True)[1]
        met = np.zeros((len(design.coords[factor]), partner.max() + 1), dtype=bool)
        met[unit, partner] = True
        classes = np.unique(met, axis=0, return_inverse=True)[1]
        if classes.max() < MOST_CLASSES:
            break
    return np.asarray(classes)


def _n_coordinates(design: Design, term: Term) -> int:
    """Independent effects of one unit."""
    return int(term.basis(design).shape[1])
