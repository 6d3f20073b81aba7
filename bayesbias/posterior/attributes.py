r"""Contrasts of single stereotypes: which of a group's stereotype words are close to it.

For attribute a in column j, a stereotype set of group g, the contrast is that of the group (or the
overall one, if groups have none), plus the attribute's deviation:

    r[g, a] = r[g] + Σ_h w[h] u[a, h],    w[g] = 1,  w[h] = -1/n for the n other groups

where u[a, h] are the effects of a in rows of group h, and the others are the groups that the
contrast of g compares in column j. Attributes of a set thus vary around the group's contrast, as
words do (`bayesbias.posterior.estimands`). A group that has the attribute among its own stereotypes
is not one of the others, so an attribute of all groups has no row. If groups have an attribute in
different columns, r[g] compares the means of these columns.

With k contrasts of groups, r has k independent chances of a wrong sign, and with three groups, a
group's contrast has more than twice the sd of the overall one. Here, in contrast to the group's own
row, the contrasts are therefore drawn together (Gelman, Hill, and Yajima, 2012):

    r[g] ~ Normal(mean, τ²),    mean ~ flat,    τ ~ Exponential

Let H be an orthonormal basis of their differences. The differences H r have a Normal distribution
with the mean m and the covariance V of their draws. Observing zero with the sd τ instead of H r
changes every row that correlates with them (Matheron's rule), with ε ~ Normal(0, 1) in each draw:

    row - cov(row, H r) (V + τ² I)⁻¹ (H r + τ ε)

Reference: Gelman, Hill, and Yajima (2012), Why we (usually) don't have to worry about multiple
comparisons, Journal of Research on Educational Effectiveness 5.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.arrays import FloatArray, IntArray
from ..model.design import Design, cell_means
from ..model.effects import level_shares
from ..model.frequency import Frequency, attribute_positions, cell_positions, frequency_of, offsets
from ..model.spec import ModelSpec
from ..model.tree import DataTree, design_of, n_draws, spec_of, stacked
from ..sampling.effects import draws_and_means
from ..sampling.reduction import collapse
from .estimands import (
    RELATIVE,
    Values,
    cell_draws,
    compares_stereotypes,
    has_cells,
    identifies_groups,
    names_of_cells,
    overall_estimand,
    relative_weights,
    shared_gaps,
    slope_errors,
    with_slope_errors,
)
from .mixtures import drawn_parameters
from .summaries import is_exact

BETWEEN = 0.4
"""Prior mean of the sd τ between groups' contrasts, in spreads: about .05 in GloVe vectors. In nine
bundled and published tables, the likeliest τ is 0 (race, nationality) to .45 (religion)."""

GRID = np.geomspace(1e-3, 10, 200)
"""Values of τ, in spreads."""

N_SDS = 2000
"""Least number of draws of the sds to use, if there are more; each contributes two draws of r."""

SEED = 53
"""Seed of the noise, τ, and ε, which do not depend on a posterior's seed."""


def attribute_draws(tree: DataTree) -> tuple[pd.DataFrame, FloatArray]:
    """Return a row of labels and draws, (n_draws, n_rows), for each group's stereotypes.

    For Normal models, each draw of the sds contributes the exact conditional mean plus and minus
    noise from a fixed seed, so the rows depend little on the posterior's seed.
    """
    design, spec = design_of(tree), spec_of(tree)
    if not (has_cells(spec) and compares_stereotypes(design)):
        raise ValueError(
            "rows of attributes need associated and different stereotypes, and a model with a mean "
            f"for every group and set, such as by-group; the model is {spec.name!r}"
        )
    rows = _Rows(design)
    errors = slope_errors(design, n_draws(tree))

    def gaps(values: Values, errors: FloatArray) -> FloatArray:
        moved = with_slope_errors(design, spec, values, errors)
        own = rows.gaps(spec, moved) - rows.slope_gaps(errors)
        return np.hstack([own, shared_gaps(design, spec, moved)[:, 1:, 0]])

    if is_exact(tree):
        posterior = collapse(design, spec)
        some = slice(None, None, max(1, len(errors) // N_SDS))
        parameters, errors = drawn_parameters(tree)[some], errors[some]
        drawn, expected = draws_and_means(posterior, parameters, default_rng(SEED))
        draws, means = gaps(drawn.__getitem__, errors), gaps(expected.__getitem__, 0 * errors)
        draws = np.concatenate([draws, 2 * means - draws])
    else:
        draws = gaps(partial(stacked, tree), errors)
    draws, groups = np.split(draws, [len(rows.group)], axis=1)
    if identifies_groups(design):
        draws = _drawn_together(draws, groups[:, ~np.isnan(groups[0])], design.spread)
    return rows.labels(), draws


class _Rows:
    """The groups and their stereotypes, with the weights w of all groups.

    ``group`` and ``attribute`` are (n_rows,), ``weights`` are (n_rows, n_groups), and ``columns``
    are those of all groups and attributes, (n_groups, n_attributes).
    """

    def __init__(self, design: Design) -> None:
        names = names_of_cells(design)
        own, others = names == "associated", (names == "different").astype(np.float64)
        if identifies_groups(design):
            weights = relative_weights(design)
            own &= np.einsum("ggj->gj", weights) > 0  # not if a group has no contrast
        else:
            others /= np.maximum(others.sum(axis=0), 1)
            weights = np.eye(len(names))[:, :, None] - others
            own &= others.any(axis=0)
        self.design, self.columns = design, np.tile(design.attribute_column, (len(names), 1))
        rows = np.argsort(-design.connection, kind="stable")  # associated comes last
        place = design.codes("protected_group")[rows], design.attribute[rows]
        self.columns[place] = design.codes("attribute_column")[rows]
        group, attribute = np.nonzero(np.take_along_axis(own, self.columns, axis=1))
        of_rows = weights[group, :, self.columns[group, attribute]]
        of_rows /= of_rows[np.arange(len(group)), group][:, None]
        is_own = np.take_along_axis(names == "associated", self.columns, axis=1)
        others = np.where(is_own[:, attribute].T, 0.0, np.minimum(of_rows, 0.0))
        kept = others.any(axis=1)
        self.group, self.attribute = group[kept], attribute[kept]
        of_rows, others = of_rows[kept], others[kept]
        others *= (np.minimum(of_rows, 0.0).sum(axis=1) / others.sum(axis=1))[:, None]
        self.weights = np.maximum(of_rows, 0.0) + others
        self.column = self.columns[self.group, self.attribute]

    def gaps(self, spec: ModelSpec, values: Values) -> FloatArray:
        """Return (n_draws, n_rows) draws of r, with the slopes of whole sets."""
        design, attribute = self.design, self.attribute
        base = 1 + self.group if identifies_groups(design) else np.zeros_like(self.group)
        gaps = shared_gaps(design, spec, values)[:, base, 0]
        if identifies_groups(design):
            several = np.flatnonzero((self.columns[:, attribute] != self.column).any(axis=0))
            cells = cell_draws(design, spec, values)
            gaps[:, several] = np.einsum("ngj,rgj->nr", cells, self._across_columns(several))
        for term in spec.terms_of("attribute"):
            effects = values(term.name)
            effects = effects.reshape(*effects.shape[:2], -1)[:, attribute]
            of_sets = level_shares(design, term.by, "attribute_column")
            shares = np.take_along_axis(of_sets, self.columns[:, attribute, None], axis=1)
            gaps += np.einsum("nrl,grl,rg->nr", effects, shares, self.weights, optimize=True)
        return np.asarray(gaps)

    def _across_columns(self, rows: IntArray) -> FloatArray:
        """Return cell weights of r[g] for rows in several columns, (n, n_groups, n_columns).

        As in `relative_weights`, sets that are different for both groups are the baseline.
        """
        is_different = names_of_cells(self.design) == "different"
        cells = np.zeros((len(rows), *is_different.shape))
        for place, other in zip(*np.nonzero(self.weights[rows] < 0), strict=True):
            row = rows[place]
            baseline = is_different[[self.group[row], other]].all(axis=0)
            weight = self.weights[row, other]
            for g, own in ((self.group[row], -weight), (other, weight)):
                cells[place, g, self.columns[g, self.attribute[row]]] += own
                cells[place, g] -= own * baseline / baseline.sum()
        return cells

    def slope_gaps(self, errors: FloatArray) -> FloatArray:
        """Return how errors of slopes move an attribute beyond its set, (n_draws, n_rows)."""
        positions = np.take_along_axis(cell_positions(self.design), self.columns, axis=1)
        apart = (attribute_positions(self.design) - positions)[:, self.attribute]
        return np.asarray(errors @ (self.weights.T * apart))

    def labels(self) -> pd.DataFrame:
        """Return the labels, and the difference in mean measured distance, without a model."""
        design, frequency = self.design, frequency_of(self.design)
        y = design.y + (offsets(design) if frequency is Frequency.EQUAL else 0.0)
        place = design.codes("protected_group"), design.attribute
        means = cell_means(y, place, (len(design.groups), len(design.attributes)))
        means = means[:, self.attribute]
        lacking = (np.isnan(means) & (self.weights.T != 0)).any(axis=0)
        raw = np.einsum("gr,rg->r", np.nan_to_num(means), self.weights)
        return pd.DataFrame(
            {
                "protected_group": np.take(design.groups, self.group),
                "attribute_set": np.take(design.columns, self.column),
                "attribute": np.take(design.attributes, self.attribute),
                "estimand": RELATIVE if identifies_groups(design) else overall_estimand(design),
                "frequency": str(frequency),
                "raw": np.where(lacking, np.nan, raw),
            }
        )


def _drawn_together(draws: FloatArray, groups: FloatArray, spread: float) -> FloatArray:
    """Return (n_draws, n_rows) draws of r, given those of the contrasts of k groups."""
    from scipy.linalg import helmert

    if groups.shape[1] < 2:
        return draws
    rng, half = default_rng(SEED), -(-len(draws) // 2)
    apart = groups @ helmert(groups.shape[1]).T
    mean, sds = apart.mean(axis=0), spread * GRID
    across = (draws - draws.mean(axis=0)).T @ (apart - mean) / (len(draws) - 1)
    covariance = (apart - mean).T @ (apart - mean) / (len(draws) - 1)
    total = covariance + sds[:, None, None] ** 2 * np.eye(len(mean))
    gain = across @ np.linalg.inv(total)  # (n_sds, n_rows, k - 1)
    fit = np.einsum("i,sij,j->s", mean, np.linalg.inv(total), mean) + np.linalg.slogdet(total)[1]
    log_density = np.log(sds) - sds / (BETWEEN * spread) - fit / 2  # the grid is geometric
    below = np.cumsum(np.exp(log_density - log_density.max()))
    place = np.searchsorted(below / below[-1], (rng.permutation(half) + 0.5) / half)
    noise = rng.standard_normal((half, len(mean)))
    place = np.concatenate([place, place])[: len(draws)]
    noise = np.concatenate([noise, -noise])[: len(draws)]
    apart = apart + sds[place, None] * noise
    return np.asarray(draws - np.einsum("nrk,nk->nr", gain[place], apart))
