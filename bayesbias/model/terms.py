"""The terms that a model's expected value is the sum of: effects of one factor, each with its sds.

A factor is a column of the table such as the protected word; a term gives each of its levels a
random effect, or one for each level of another column that it is crossed with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .design import COVARIATE, Design

FACTORS = (
    *("protected_word", "protected_group", "attribute", "attribute_set", "context"),
    COVARIATE,
)
"""What effects may belong to. Controls belong to no attribute set; effects
of covariates are slopes: a row has them times its values, see ``Design.x``."""

CROSSINGS = ("connection", "attribute_kind", "attribute_set", "protected_group")
"""What they may be crossed with."""

_SIGN = {"associated": 1.0, "different": -1.0}


@dataclass(frozen=True)
class Term:
    """Random effects of one factor.

    Parameters
    ----------
    name : str
        Name of the effects in the posterior.
    of : str
        Their factor, one of ``FACTORS``.
    sd : str
        Name of their standard deviation, which has a prior of that name.
    by : str
        What they are crossed with, one of ``CROSSINGS``: an effect for each of its levels.
    sd_by : str
        What the sd has one value for each level of: ``by``, or a property of the factor's levels.
    around : str
        The means that they vary around, by name; around zero if empty. They are means themselves.
    zero_sum : bool
        Whether the effects of one level of the factor sum to zero over the levels of ``by``.
    correlated : bool
        Whether the effects of one level of the factor are correlated over the levels of ``by``,
        with a prior of the name `correlation`.
    contrast : bool
        Whether the effects of one level of the factor are the difference between associated and
        different, half of it in either, and nothing in controls.
    interaction : bool
        Whether effects of groups by sets are what neither group, nor set, nor connection says: they
        are orthogonal to all three. With two groups and two sets nothing is left.
    """

    name: str
    of: str
    sd: str
    by: str = ""
    sd_by: str = ""
    around: str = ""
    zero_sum: bool = False
    correlated: bool = False
    contrast: bool = False
    interaction: bool = False

    def __post_init__(self) -> None:
        for key, allowed in (
            ("of", FACTORS),
            ("by", ("", *CROSSINGS)),
            ("sd_by", ("", *CROSSINGS)),
        ):
            if getattr(self, key) not in allowed:
                raise ValueError(f"{key}: {unknown_name('column', getattr(self, key), allowed)}")
        self._check_sds()
        self._check_mean()

    def _check_sds(self) -> None:
        if (self.zero_sum or self.correlated) and not self.by:
            raise ValueError("zero_sum and correlated need a column that effects are crossed with")
        if self.zero_sum and (self.correlated or (self.by and self.sd_by == self.by)):
            raise ValueError("effects that sum to zero are alike: one sd, and no correlation")
        if self.contrast and (
            self.by != "connection" or self.around or self.sd_by or self.zero_sum or self.correlated
        ):
            raise ValueError("contrasts are by connection, with one sd and nothing else")
        if self.interaction and (
            (self.of, self.by) != ("protected_group", "attribute_set")
            or self.zero_sum
            or self.correlated
            or self.sd_by
            or self.contrast
        ):
            raise ValueError(
                "interactions are of protected_group by attribute_set, with one sd and nothing else"
            )
        own = {"", self.by} | ({"attribute_kind"} if self.of == "attribute" else set())
        if self.sd_by not in own:
            may = " or ".join(sorted(own - {""})) or "nothing"
            raise ValueError(f"effects of {self.of} may have an sd by {may}; got {self.sd_by!r}")
        plain = not (self.zero_sum or self.correlated or self.around)
        if self.is_slope and not (plain and self.by in {"", "connection"} and not self.sd_by):
            raise ValueError("slopes are by connection or of all, with one sd and nothing else")
        if self.correlated and self.of not in {"protected_word", "attribute"}:
            raise ValueError("only effects of words and of attributes may be correlated")

    def _check_mean(self) -> None:
        if self.around and (self.by != "connection" or not self.of.startswith("protected_")):
            raise ValueError(
                "only words and groups vary around means, by connection; got "
                f"of = {self.of!r}, by = {self.by!r}"
            )

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimensions of the effects in the posterior."""
        return (self.of, self.by) if self.by else (self.of,)

    @property
    def sd_dims(self) -> tuple[str, ...]:
        """Dimensions of their sd."""
        return (self.sd_by,) if self.sd_by else ()

    @property
    def correlation(self) -> str:
        """Name of the correlations of the effects; empty if there are none."""
        return f"{self.name}_correlation" if self.correlated else ""

    @property
    def correlation_factor(self) -> str:
        """Name of the lower Cholesky factor of the correlations, which PyMC samples."""
        return f"{self.correlation}_factor"

    @property
    def correlation_dims(self) -> tuple[str, str]:
        """Dimensions of the matrix of correlations."""
        return self.by, f"{self.by}_other"

    @property
    def in_words(self) -> str:
        """What the term is, in a few words."""
        said = f"{self.name} of {self.of}" + (f" by {self.by}" if self.by else "")
        said += f" around {self.around}" if self.around else ""
        said += ", which sum to zero" if self.zero_sum else ""
        said += ", associated against different" if self.contrast else ""
        said += ", beyond both and the connections" if self.interaction else ""
        return said + (", which correlate" if self.correlated else "")

    def basis(self, design: Design) -> FloatArray:
        """Effects of one unit as a linear map of independent coordinates, (n_levels, n).

        Zero-sum effects have one coordinate fewer, contrasts have one; the columns are orthonormal,
        so that zero-sum effects of sd s have the covariance s² (I - 1/n_levels).
        """
        from scipy.linalg import helmert

        n_levels = len(design.coords[self.by]) if self.by else 1
        if self.contrast:
            signs = [_SIGN.get(connection, 0.0) for connection in design.connections]
            return np.asarray(np.array(signs)[:, None] / np.sqrt(2))
        return np.asarray(helmert(n_levels).T) if self.zero_sum else np.eye(n_levels)

    def adds_to(self, design: Design, others: Iterable[Term]) -> bool:
        """Whether a design has what the term needs, and other terms do not say the same.

        Effects that sum to zero need two levels of what they are crossed with. Zero-sum effects of
        two sets, or groups, are contrasts of associated against different themselves.
        """
        n = {column: len(design.coords.get(column, ())) for column in (self.of, self.by) if column}
        if not all(n.values()) or (self.zero_sum and n[self.by] < 2):
            return False
        if self.interaction:
            return bool(self.joint_basis(design).size)
        if not self.contrast:
            return True
        both = set(design.codes(self.of)[design.of_connection("associated")])
        both &= set(design.codes(self.of)[design.of_connection("different")])
        alike = [term.by for term in others if term.of == self.of and term.zero_sum]
        return bool(both) and not any(len(design.coords.get(by, ())) == 2 for by in alike)

    @property
    def is_slope(self) -> bool:
        """Whether the effects are slopes of covariates."""
        return self.of == COVARIATE

    @property
    def is_projected(self) -> bool:
        """Whether PyMC samples free effects, of which only a part counts: see `projected`."""
        return self.interaction or self.contrast

    def projected(self, design: Design, values: FloatArray) -> FloatArray:
        """Free effects without what the model takes no notice of, (..., n_of, n_by)."""
        basis = self.basis(design) if self.contrast else self.joint_basis(design)
        flat = values if self.contrast else values.reshape(*values.shape[:-2], -1)
        return np.asarray((flat @ basis @ basis.T).reshape(values.shape))

    def joint_basis(self, design: Design) -> FloatArray:
        """Effects of all levels as a linear map of independent coordinates, (n_of * n_by, n)."""
        n_of = len(design.coords[self.of])
        if not self.interaction:
            basis = self.basis(design)
            return np.asarray(np.kron(np.eye(n_of), basis), dtype=np.float64)
        from scipy.linalg import null_space

        n_by = len(design.coords[self.by])
        groups, sets = np.repeat(np.eye(n_of), n_by, axis=1), np.tile(np.eye(n_by), n_of)
        connections = [(design.set_connection == i).ravel() for i in range(len(design.connections))]
        basis = null_space(np.vstack([groups, sets, *connections]))
        return basis.astype(np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return what the model's file says of the term: all that is not as by default."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "name" and getattr(self, each.name) != each.default
        }


def word_averages(design: Design, term: Term, values: FloatArray) -> FloatArray:
    """Average a term's effects over the attributes of every connection, for every word.

    Parameters
    ----------
    design : Design
    term : Term
        Of protected words or of their groups.
    values : (n, n_levels) or (n, n_levels, n_levels of ``term.by``) float

    Returns
    -------
    (n, n_words, n_connections) float
    """
    if term.of == "protected_group":
        values = values[:, design.word_group]
    if not term.by:
        return np.repeat(values[:, :, None], len(design.connections), axis=2)
    shares = level_shares(design, term.by)
    return np.asarray(np.einsum("nwl,wcl->nwc", values, shares, optimize=True))


def level_shares(design: Design, column: str) -> FloatArray:
    """Share of every level of a column in the rows of a word's group, by connection.

    Returns
    -------
    (n_words, n_connections, n_levels) float
        Those of the group, so that words with gaps are averaged as the others of their group; of
        all groups where this one has no rows. Rows that have no level count, too.
    """
    n_levels = len(design.coords[column])
    rows = np.zeros((len(design.groups), len(design.connections), n_levels + 1))
    place = design.codes("protected_group"), design.connection, design.codes(column)
    np.add.at(rows, place, 1.0)  # level -1, which is none, comes last
    rows = np.where(rows.sum(axis=2, keepdims=True) > 0, rows, rows.sum(axis=0))
    shares = rows[:, :, :-1] / rows.sum(axis=2, keepdims=True)
    return np.asarray(shares[design.word_group])


def term_from_dict(name: str, content: object) -> Term:
    """Make a term of a table ``[terms.NAME]`` of a model's file."""
    if not isinstance(content, Mapping):
        raise ValueError(f"[terms.{name}] must be a table; got {content!r:.60}")
    known = [each.name for each in fields(Term) if each.name != "name"]
    for key, value in content.items():
        if key not in known:
            raise ValueError(f"[terms.{name}] {unknown_name('key', key, known)}")
        flags = {"zero_sum", "correlated", "contrast", "interaction"}
        wanted = (bool, "true or false") if key in flags else (str, "text")
        if not isinstance(value, wanted[0]):
            raise ValueError(f"[terms.{name}] {key} must be {wanted[1]}; got {value!r:.60}")
    for key in ("of", "sd"):
        if key not in content:
            raise ValueError(f"[terms.{name}] lacks {key}")
    try:
        return Term(name, **content)
    except ValueError as error:
        raise ValueError(f"[terms.{name}] {error}") from None
