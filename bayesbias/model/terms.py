"""Terms of a model's expected value, each with the effects of one factor and their sds.

A factor is a column of the table, such as the protected word. A term gives each level of a factor
(a unit) one random effect, or one per level of another column. The effects of a unit are
``basis @ z``, where the coordinates ``z`` are independent normals with the sds at `Term.sd_index`.
`Term.columns` returns how rows depend on these coordinates. The exact sampler, the PyMC model, and
prior draws all use this description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import UnionType

import numpy as np

from .._core.arrays import FloatArray, IntArray, Numbers
from .._core.checks import check_choice
from .design import COVARIATE, Design, one_hot
from .likeness import covariance

FACTORS = ("protected_word", "protected_group", "attribute", "attribute_set", "context", COVARIATE)
"""Factors that can have effects. Controls belong to no attribute set. The effects of covariates are
slopes, which are multiplied by a row's values in ``Design.x``."""

CROSSINGS = (
    *("connection", "stereotype_connection", "attribute_kind", "attribute_set"),
    *("attribute_column", "protected_group"),
)
"""Columns that effects can be crossed with."""

CONSTRAINTS = {
    "": "",
    "zero_sum": ", which sum to zero",
    "contrast": ", associated versus different",
    "interaction": ", beyond both main effects and the connections",
    "cells": ", which sum to zero over every connection",
}
"""Constraints on the effects of a term, with their descriptions for the write-up.

``zero_sum``: the effects of a unit sum to zero over the levels of ``by``. ``contrast``: the effects
of a unit are the difference between associated and different, split equally between the two.
``interaction``: the effects of groups by sets are orthogonal to groups, sets, and connections; with
two groups and two sets, no effect is left. ``cells``: the effects of groups by columns (sets and
kinds of controls) sum to zero over the cells of every connection. The connection mean is the mean
of these cells.
"""

OF_TABLES = ("interaction", "cells")
"""Constraints that apply to a whole table of groups by columns."""

_WHOLE = {
    "contrast": ("", "stereotype_connection"),
    "interaction": ("protected_group", "attribute_set"),
    "cells": ("protected_group", "attribute_column"),
}
"""The ``of`` and ``by`` that each constraint requires."""


@dataclass(frozen=True)
class Term:
    """Random effects of one factor.

    Parameters
    ----------
    name, of, by, constraint : str
        Name of the effects in the posterior; their factor, one of ``FACTORS``; the column that they
        are crossed with, one of ``CROSSINGS``; and their constraint, one of ``CONSTRAINTS``.
    sd, sd_by : str
        Name of the effects' standard deviation and of its prior; the column whose levels have
        separate sds, either ``by`` or, for attributes, ``attribute_kind``.
    around : str
        ``connection_mean`` if the effects vary around it and include it; empty for a mean of zero.
    correlated : bool
        Whether the effects of a unit are correlated across the levels of ``by``.
    alike : float
        Share of the effects' covariance, in [0, 1], that follows the likeness of the units'
        vectors, if the vectors are known; see `likeness`.
    """

    name: str
    of: str
    sd: str
    by: str = ""
    sd_by: str = ""
    around: str = ""
    constraint: str = ""
    correlated: bool = False
    alike: float = 0.0

    def __post_init__(self) -> None:
        for key, allowed in (
            ("of", FACTORS),
            ("by", CROSSINGS),
            ("sd_by", (self.by, "attribute_kind") if self.of == "attribute" else (self.by,)),
            ("around", ("connection_mean",)),
            ("constraint", CONSTRAINTS),
        ):
            if getattr(self, key) or key == "of":
                check_choice(f"value of {key}", getattr(self, key), filter(None, allowed))
        of_units = self.of in {"protected_word", "attribute"}
        plain = not (self.around or self.sd_by or self.correlated)
        of, by = _WHOLE.get(self.constraint, ("", ""))
        of = of or self.of  # contrasts can be of any factor
        one_sd = not (self.correlated or self.sd_by == self.by)
        alone = of_units and not (self.correlated or self.around)
        rules = {
            "effects that sum to zero need a column in 'by', one sd, and no correlation": (
                self.constraint != "zero_sum" or (self.by and one_sd)
            ),
            f"{self.constraint} effects need of={of!r}, by={by!r}, one sd, and no other keys": (
                self.constraint not in _WHOLE or (plain and (of, by) == (self.of, self.by))
            ),
            "'of' and 'by' must differ": self.of != self.by,
            "correlated effects need words or attributes in 'of' and a column in 'by'": (
                not self.correlated or (of_units and self.by)
            ),
            "alike must be a share in [0, 1], and the effects must be of words or attributes, with "
            f"no means and no correlations; got {self.alike!r}": (
                not self.alike or (alone and 0 < self.alike <= 1)
            ),
            "slopes can have by='connection' or no 'by'; they need one sd and no other keys": (
                self.of != COVARIATE
                or (plain and not self.constraint and self.by in {"", "connection"})
            ),
            "only the effects of words by connection can vary around connection_mean": (
                not self.around or (self.of, self.by) == ("protected_word", "connection")
            ),
        }
        for message, is_kept in rules.items():
            if not is_kept:
                raise ValueError(message)

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimensions of the effects in the posterior."""
        return (self.of, self.by) if self.by else (self.of,)

    @property
    def sd_dims(self) -> tuple[str, ...]:
        """Dimensions of the effects' sd."""
        return (self.sd_by,) if self.sd_by else ()

    @property
    def correlation(self) -> str:
        """Name of the effects' correlations; empty if there are none."""
        return f"{self.name}_correlation" if self.correlated else ""

    @property
    def correlation_factor(self) -> str:
        """Name of the lower Cholesky factor of the correlations, which PyMC samples."""
        return f"{self.correlation}_factor"

    @property
    def correlation_dims(self) -> tuple[str, str]:
        """Dimensions of the correlation matrix."""
        return self.by, f"{self.by}_other"

    @property
    def in_words(self) -> str:
        """Short description of the term."""
        text = f"{self.name} of {self.of}" + (f" by {self.by}" if self.by else "")
        text += f" around {self.around}" if self.around else ""
        return text + CONSTRAINTS[self.constraint] + (", which correlate" * self.correlated)

    @property
    def separate(self) -> bool:
        """Whether a unit has several independent effects, whose sds differ at most along ``by``."""
        plain = not (self.constraint or self.correlated)
        return bool(self.by) and plain and self.sd_by in {"", self.by}

    def adds_to(self, design: Design, others: Iterable[Term]) -> bool:
        """Return True if the design has what the term needs and no other term covers its effects.

        Effects that sum to zero need at least two levels of the column that they are crossed with.
        With exactly two levels, they already cover contrasts between associated and different.
        """
        n = {dim: len(design.coords.get(dim, ())) for dim in self.dims}
        if not all(n.values()) or (self.constraint == "zero_sum" and n[self.by] < 2):
            return False
        if self.constraint != "contrast":
            return self.constraint not in OF_TABLES or bool(self.basis(design).size)
        both = set(design.codes(self.of)[design.of_connection("associated")])
        both &= set(design.codes(self.of)[design.of_connection("different")])
        of_unit = [t.by for t in others if t.of == self.of and t.constraint == "zero_sum"]
        return bool(both) and not any(len(design.coords.get(by, ())) == 2 for by in of_unit)

    def shape(self, design: Design) -> tuple[int, ...]:
        """Return the sizes of the effects' dimensions."""
        return tuple(len(design.coords[dim]) for dim in self.dims)

    def basis(self, design: Design) -> FloatArray:
        """Return the (n_levels, n) linear map from independent coordinates to a unit's effects.

        The columns are orthonormal, so zero-sum effects with sd s have the covariance
        s² (I - 1/n_levels). Constraints in ``OF_TABLES`` have one unit, with a level for each cell.
        """
        n_of, n_by = (*self.shape(design), 1)[:2]
        if self.constraint == "zero_sum":
            return _zero_sum(n_by)
        if self.constraint == "contrast":
            return np.asarray(np.array([[1.0], [-1.0]]) / np.sqrt(2))  # associated, different
        if self.constraint == "interaction":
            groups, sets = np.repeat(np.eye(n_of), n_by, axis=1), np.tile(np.eye(n_by), n_of)
            connections = one_hot(design.set_connection.ravel(), len(design.connections))
            return _null_space(np.vstack([groups, sets, connections]).tobytes(), n_of * n_by)
        if self.constraint == "cells":
            connection = design.column_connection.ravel()
            connections = one_hot(connection, int(connection.max()) + 1)
            empty = np.eye(len(connection))[connection < 0]
            return _null_space(np.vstack([connections, empty]).tobytes(), len(connection))
        return np.eye(n_by)

    def columns(self, design: Design, rows: IntArray) -> FloatArray:
        """Return the (n_rows, n) weights of a unit's coordinates; rows without a level get 0."""
        level = design.codes(self.by)[rows] if self.by else np.zeros(len(rows), dtype=np.int64)
        if self.constraint in OF_TABLES:
            n_by = len(design.coords[self.by])
            level = np.where(level >= 0, design.codes(self.of)[rows] * n_by + level, -1)
        return np.asarray(np.where(level[:, None] >= 0, self.basis(design)[level], 0.0))

    def all_columns(self, design: Design, rows: IntArray) -> FloatArray:
        """Return each row's weights of all units' coordinates as an (n_rows, n_units * n) array."""
        columns = self.columns(design, rows)
        if self.constraint in OF_TABLES:
            return columns
        if self.of == COVARIATE:
            units = design.x[rows] / design.covariate_unit
        else:
            units = one_hot(design.codes(self.of)[rows], len(design.coords[self.of])).T
        return np.asarray((units[:, :, None] * columns[:, None]).reshape(len(rows), -1))

    def sd_index(self, design: Design) -> IntArray:
        """Return the index of the sd that scales each coordinate as an (n_units, n) array."""
        n_units = 1 if self.constraint in OF_TABLES else len(design.coords[self.of])
        shape = n_units, self.basis(design).shape[1]
        if not self.sd_by:
            return np.zeros(shape, dtype=np.int64)
        own = np.arange(shape[1]) if self.sd_by == self.by else design.attribute_kind[:, None]
        return np.array(np.broadcast_to(own, shape))

    def effects(self, design: Design, coordinates: FloatArray) -> FloatArray:
        """Convert (n_draws, n_units, n) coordinates to effects as the posterior stores them."""
        if self.constraint:
            coordinates = coordinates @ self.basis(design).T
        if self.of == COVARIATE:
            coordinates = coordinates / design.covariate_unit[:, None]
        return np.asarray(coordinates.reshape(len(coordinates), *self.shape(design)))

    def projected(self, values: Numbers, design: Design) -> Numbers:
        """Project free (..., n_of, n_by) effects onto the space that the constraint allows.

        The effects can be arrays or PyTensor variables.
        """
        if not self.constraint:
            return values
        basis = self.basis(design)
        return (values.reshape((-1, len(basis))) @ (basis @ basis.T)).reshape(values.shape)

    def unit_covariance(self, design: Design) -> FloatArray | None:
        """Return the (n_units, n_units) covariance for an sd of 1, or None if it is diagonal."""
        matrix, block = design.likeness_of(self.of)
        return covariance(matrix, block, self.alike) if self.alike and matrix.size else None

    def to_dict(self) -> dict[str, object]:
        """Return the entries of the term's table in a model's file, without default values."""
        return {
            key.name: getattr(self, key.name)
            for key in fields(self)
            if key.name != "name" and getattr(self, key.name) != key.default
        }


@cache
def _zero_sum(n: int) -> FloatArray:
    from scipy.linalg import helmert

    return np.asarray(helmert(n).T)


@cache
def _null_space(content: bytes, n: int) -> FloatArray:
    """Return an orthonormal basis of the null space of a matrix of n columns, given as bytes."""
    from scipy.linalg import null_space

    return np.asarray(null_space(np.frombuffer(content).reshape(-1, n)), dtype=np.float64)


def require_kinds(content: Mapping[str, object], kinds: Mapping[str, type | UnionType]) -> None:
    """Raise a ValueError if a key in a model's file is unknown or its value has the wrong type."""
    for key, value in content.items():
        check_choice("key", key, kinds)
        if not isinstance(value, kinds[key]):
            raise ValueError(f"{key} cannot be {value!r:.60}")


def term_from_dict(name: str, content: object) -> Term:
    """Make a term from a table ``[terms.NAME]`` in a model's file."""
    kinds: dict[str, type | UnionType] = {
        key.name: type(key.default) for key in fields(Term) if key.name != "name"
    }
    kinds |= {"of": str, "sd": str, "alike": float | int}
    try:
        if not isinstance(content, Mapping) or {"of", "sd"} - set(content):
            raise ValueError(f"must be a table with the keys 'of' and 'sd'; got {content!r:.60}")
        require_kinds(content, kinds)
        return Term(name, **content)
    except ValueError as error:
        raise ValueError(f"[terms.{name}] {error}") from None
