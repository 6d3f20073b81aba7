"""Find rows for which no residual sd can be estimated, because effects determine their outcomes.

The density of such an sd is infinite at zero, so the exact sampler fails, and NUTS does not end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.random import default_rng

from .._core.arrays import FloatArray, IntArray
from ..model.design import COVARIATE, Design
from ..model.spec import ModelSpec
from ..model.terms import OF_TABLES, Term
from ..tables.schema import ROUNDING

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NEGLIGIBLE = 1e-4
"""Share of an outcome's sd that counts as no residual; rounded distances leave less than this."""

UNCHANGED_SD = 0.01
"""Known error of changes if effects determine those of a connection, in spreads of the changes.

Rows that did not change are data. Without a known error, their residual sd would be zero.
"""

ZERO_AT_ZERO = {"lognormal", "fixed"}
"""Families of priors whose density vanishes faster at zero than any likelihood grows."""

ENOUGH_ROWS = 5_000
"""Number of rows that are tried first, because residuals of some rows are residuals of all."""

PRECISION = 1e-6
"""Relative precision of a least-squares fit, which is far below what counts as no residual."""


def settled_parts(design: Design, spec: ModelSpec) -> dict[str, FloatArray]:
    """Return the outcomes of connections or words that the model's effects determine.

    Outcomes are also determined if they are equal but for the rounding of distances. The name is
    empty if the model has only one residual sd.
    """
    parts = {"": np.arange(len(design.y))}
    if spec.sigma_dims:
        codes, names = design.codes(spec.sigma), design.coords[spec.sigma]
        parts = {name: np.flatnonzero(codes == index) for index, name in enumerate(names)}
    fitting, prior = spec.fitting(design), spec.priors["sigma"].family
    return {
        name: design.y[rows]
        for name, rows in parts.items()
        if len(rows) > 1
        and (
            design.y[rows].std() <= ROUNDING
            or (prior not in ZERO_AT_ZERO and _is_settled(design, fitting, rows))
        )
    }


def require_variation(design: Design, spec: ModelSpec, about: str = "") -> None:
    """Raise a ValueError if effects determine all outcomes that share a residual sd.

    The known ``rounding`` of a design prevents this. ``about`` names the rows in the message.
    """
    if design.rounding:
        return
    what = {"cosine_distance": "distances", "change": "changes"}.get(design.outcome, "values")
    settled = settled_parts(design, spec)
    everything = sum(map(len, settled.values())) == len(design.y)
    for name, y in ({"": design.y} if everything else settled).items():
        if y.std() <= ROUNDING:
            spread = f", give or take {y.std():.0e}" if np.ptp(y) else ""
            how, advice = f"{round(float(y.mean()), 4):g}{spread}", "use different words"
        else:
            how = "exactly sums of the model's effects"
            advice = "if you made this table, add noise to each pair"
        if name:
            advice = (
                "leave these rows out, leave out words with the same vector, or use a model with "
                "sigma = 'common'"
            )
        raise ValueError(
            f"{about}{': ' if about else ''}all {len(y):,} {what} "
            f"{f'of {name} rows ' if name else ''}are {how}, so no residual sd can be estimated "
            f"from them; {advice}"
        )


def _is_settled(design: Design, spec: ModelSpec, rows: IntArray) -> bool:
    """Return whether effects fit the outcomes of rows exactly, but would not fit any others."""
    y, noise = design.y[rows], default_rng(0).standard_normal(len(rows))
    some = slice(ENOUGH_ROWS)
    least = NEGLIGIBLE * float(y.std())
    if _misfit(y[some], _effects(design, spec, rows[some])) > least:
        return False
    effects = _effects(design, spec, rows)
    return _misfit(y, effects) <= least and _misfit(noise, effects) > NEGLIGIBLE


def _misfit(y: FloatArray, effects: csr_array) -> float:
    """Return the sd that effects leave of an outcome."""
    from scipy.sparse.linalg import lsqr

    centered = y - y.mean()
    coefficients = lsqr(effects, centered, atol=PRECISION, btol=PRECISION)[0]
    return float((centered - effects @ coefficients).std())


def _effects(design: Design, spec: ModelSpec, rows: IntArray) -> csr_array:
    """Return each row's weights of connections and of all terms' coordinates, (n_rows, n)."""
    from scipy.sparse import csr_array, hstack

    means = _by_unit(np.ones((len(rows), 1)), design.connection[rows])
    terms = [_weights(design, term, rows) for term in spec.terms]
    return csr_array(hstack([means, *terms], format="csr"))


def _weights(design: Design, term: Term, rows: IntArray) -> csr_array:
    from scipy.sparse import csr_array

    if term.of == COVARIATE or term.constraint in OF_TABLES:
        return csr_array(term.all_columns(design, rows))
    return _by_unit(term.columns(design, rows), design.codes(term.of)[rows])


def _by_unit(columns: FloatArray, unit: IntArray) -> csr_array:
    """Give each unit its own columns; rows without a unit get zeros."""
    from scipy.sparse import csr_array

    n, width = columns.shape
    place = np.maximum(unit, 0)[:, None] * width + np.arange(width)
    kept = np.where(unit[:, None] >= 0, columns, 0.0)
    rows = width * np.arange(n + 1)
    matrix = csr_array((kept.ravel(), place.ravel(), rows), shape=(n, int(place.max()) + 1))
    matrix.eliminate_zeros()
    return matrix
