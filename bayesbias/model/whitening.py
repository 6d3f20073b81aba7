"""Coordinates in which the effects of a model are nearly independent, so that NUTS mixes.

Data tell sums of effects: the mean of a connection, those of its words and those of its attributes
are nearly aliased. Units whose rows have the same partners are a class; the effects of its units
are their mean and deviations from it, which sum to zero. Deviations of one factor hardly touch
those of another, and the few means of all classes are held jointly.

Effects are F u with u ~ Normal(0, I), where F has the sds. Were the likelihood Normal, with rows of
the precision G and the pull r, u would have the posterior precision LL' = I + F'GF and the mean
(LL')⁻¹F'r. The coordinates are z = L'u - L⁻¹F'r: given the sds Normal(0, I) then. For Normal models
of whole designs that is exact: what is left for NUTS is the density of the sds, effects integrated
out, in which rows are not needed. For others it only places the coordinates: the model is the same,
whatever G and r are. Interactions of groups and sets, and slopes of covariates, have coordinates of
their own, and need rows.
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

LOG_2_PI = math.log(2 * math.pi)

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

    def spread(self, deviations: Any) -> Any:  # noqa: ANN401
        """Return what units deviate by, (n_units, d), of their (n, d) coordinates.

        These are in the orthonormal basis that PyMC's ``ZeroSumNormal`` has, class by class: all
        but the last unit have a coordinate, and less what makes the sum zero.
        """
        import pytensor.tensor as pt

        n, size = len(self.of_deviation), self.sizes[self.classes]
        place = np.full(len(self.classes), n)
        for k in range(len(self.sizes)):
            place[np.flatnonzero(self.classes == k)[:-1]] = np.flatnonzero(self.of_deviation == k)
        share = 1 / (np.sqrt(size) + np.where(place < n, size, 0))
        of_class = (np.arange(len(self.sizes))[:, None] == self.of_deviation).astype(float)
        sums = (of_class[:, :, None] * deviations).sum(axis=1)
        padded = pt.concatenate([deviations, pt.zeros((1, deviations.shape[1]))])
        return padded[place] - share[:, None] * sums[self.classes]

    def coordinates(self, values: FloatArray) -> FloatArray:
        """Return coordinates of the deviations of (n_units, d) values; the converse of `spread`."""
        found = np.zeros((len(self.of_deviation), values.shape[1]))
        for k, size in enumerate(self.sizes):
            own = values[self.classes == k]
            found[self.of_deviation == k] = zero_sum_basis(size).T @ own
        return found


class Whitening:
    """The constants of the coordinates for a design and a model; see the module.

    Parameters
    ----------
    design : Design
    spec : ModelSpec

    Attributes
    ----------
    integrates_out : bool
        Whether, given the sds, the coordinates are Normal(0, 1), so that no rows are needed.
    """

    def __init__(self, design: Design, spec: ModelSpec) -> None:
        self.design, self.spec = design, spec
        noise, y = design.codes(spec.noise_factor), design.y - spec.centre
        n_noise = len(design.coords[spec.noise_factor])
        self.rows = np.bincount(noise, minlength=n_noise)
        self.squares = np.bincount(noise, y**2, minlength=n_noise)
        self.factors: list[Factor] = []
        apart = tuple(term for term in spec.terms if not term.has_own_coordinates)  # few
        terms = [found for name in FACTORS if (found := tuple(t for t in apart if t.of == name))]
        self.n_means = len(design.connections)
        names = [found[0].of for found in terms]
        by_partners = [_classes(design, name) for name in names]
        whole = all(each.max() < MOST_CLASSES for each in by_partners)
        self.integrates_out = whole and spec.likelihood == "normal" and apart == spec.terms
        self.integrates_out &= spec.sigma != "protected_word"  # words alike in partners differ
        classes = [
            each if each.max() < MOST_CLASSES else _classes(design, name, few=True)
            for name, each in zip(names, by_partners, strict=True)
        ]
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
        """X'X and X'y of each residual sd's rows: of class means jointly, of deviations alone."""
        n_noise, y = len(self.rows), self.design.y - self.spec.centre
        loading = np.zeros((len(y), self.n_means))
        rows = np.arange(len(y))[:, None]
        loading[rows, self.design.connection[:, None]] = 1
        for factor in self.factors:
            loading[rows, factor.means[factor.classes[factor.of_row]]] = factor.loading
        gram = np.zeros((n_noise, self.n, self.n))
        pull = np.zeros((n_noise, self.n_means))
        apart = y - loading @ np.linalg.lstsq(loading, y)[0]
        pulls = [
            np.zeros((n_noise, len(each.of_deviation), each.loading.shape[1]))
            for each in self.factors
        ]
        noise = self.design.codes(self.spec.noise_factor)
        for c in range(n_noise):
            own = np.flatnonzero(noise == c)
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
                found[c] = factor.coordinates(sums)
        return gram, pull, pulls

    def effects(
        self,
        sds: Mapping[str, Any],
        correlation_factors: Mapping[str, Any],
        precision: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Add the coordinates to the PyMC model at hand, and make every term's effects of them.

        If ``integrates_out``, the likelihood is added too, effects integrated out, and the
        coordinates are Normal(0, 1); else what makes the prior of the coordinates that of effects.

        Parameters
        ----------
        sds, correlation_factors : mapping of str to tensor
            By the names that terms give them.
        precision : (n_noise,) tensor
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

        blocks = [(np.arange(self.n_means)[None], self.pull[:, None])]
        blocks += [
            (each.deviations[each.of_deviation], pull)
            for each, pull in zip(self.factors, self.pulls, strict=True)
        ]
        z = pm.Normal(COORDINATES, shape=sum(place.size for place, _ in blocks))
        scale = self._scale(sds, correlation_factors)
        gram = _weighted("gram", precision, self.gram)
        lower = cholesky(pt.eye(self.n) + scale.T @ gram @ scale)
        whitening = solve_triangular(lower, pt.eye(self.n), lower=True).T
        found: list[Any] = []
        fitted, moved, start = 0.0, 0.0, 0
        for number, (place, pull) in enumerate(blocks):
            if not place.size:  # every unit is a class of its own
                found.append(None)
                continue
            # Products here are sums of products: Numba compiles those of matrices for long.
            at = place[:, :, None], place[:, None, :]
            f, w = scale[at], whitening[at]
            pulled = _weighted(f"pull_{number}", precision, pull)
            mean = (w * (f * pulled[:, :, None]).sum(axis=1)[:, :, None]).sum(axis=1)
            own = z[start : start + place.size].reshape(place.shape)
            u = (w * (own + mean)[:, None]).sum(axis=2)
            found.append((f * u[:, None]).sum(axis=2))
            fitted, moved, start = fitted + (mean**2).sum(), moved + (u**2).sum(), start + own.size
        density = -(self._copies() * pt.log(pt.diag(lower))).sum()
        if self.integrates_out:
            log_precision = (self.rows * pt.log(precision)).sum() - len(self.design.y) * LOG_2_PI
            density += (fitted + log_precision - (self.squares * precision).sum()) / 2
        else:  # the prior of u in place of that of z; the Jacobian of u in z is 1 / det L
            density += ((z**2).sum() - moved) / 2
        pm.Potential("density_of_effects", density)
        return self._effects(found[0][0], found[1:])

    def _copies(self) -> FloatArray:
        """How many units have each of the n coordinates."""
        found = np.ones(self.n)
        for factor in self.factors:
            several = factor.sizes > 1
            found[factor.deviations[several]] = (factor.sizes[several] - 1)[:, None]
        return found

    def _effects(self, means: Any, deviations: list[Any]) -> dict[str, Any]:  # noqa: ANN401
        """Add deviations up with the means of classes, and split the sums into terms."""
        effects = {"connection_mean": means[: len(self.design.connections)]}
        for factor, own in zip(self.factors, deviations, strict=True):
            total = means[factor.means][factor.classes]
            if own is not None:
                total = total + factor.spread(own)
            effects |= self._by_term(factor, total)
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
                own = (own[:, None] * term.basis(self.design)).sum(axis=2)
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


def _weighted(name: str, precision: Any, constants: FloatArray) -> Any:  # noqa: ANN401
    """Sum over residual sds of their precision times their constants, which are not compiled in."""
    import pytensor

    return (precision[:, None, None] * pytensor.shared(constants, name=name)).sum(axis=0)


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


def _classes(design: Design, factor: str, *, few: bool = False) -> IntArray:
    """Class of every unit of a factor: those that have the same partners equally often are alike.

    With ``few``, those that have partners of the same groups, sets, kinds and connections.
    """
    unit, many = design.codes(factor), {"protected_word", "attribute", "context"}
    others = [name for name in design.coords if name != factor and not (few and name in many)]
    keys = np.column_stack([design.codes(name) for name in others])
    partner = np.unique(keys, axis=0, return_inverse=True)[1]
    rows = np.zeros((len(design.coords[factor]), partner.max() + 1), dtype=int)
    np.add.at(rows, (unit, partner), 1)
    alike = rows > 0 if few else rows
    return np.asarray(np.unique(alike, axis=0, return_inverse=True)[1].ravel())


def _n_coordinates(design: Design, term: Term) -> int:
    """Independent effects of one unit."""
    return int(term.basis(design).shape[1])
