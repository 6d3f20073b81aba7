"""How two sets of scores differ: percentage score, KLS, JSS. Needs no language model.

KLS and JSS (Liu, 2024) are here because they are published and used; `kls` and `jss` state their
limits. For a difference with its uncertainty see `bayesbias.maskedlm.fit_pairs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from ..tables.schema import require_columns
from .datasets import ROLES

VARIANTS = ("printed", "published")
"""JSS with the true mixture, in bits, as the paper prints it; and as its code computes it."""

ALL_TYPES = "all"
"""Bias type under which a frame has the measure over all pairs."""

STATISTICS = ("percentage", "kls", "jss", "jss_published")
"""The measures of two sets of scores, as frames call them."""

PANELS, NODES = 12, 20
"""Quadrature: each Normal is cut at every sd up to this many, with so many nodes a panel."""


@dataclass(frozen=True)
class PercentageScore:
    """Share of pairs whose stereotypical sentence scores higher, in percent; ties count half."""

    score: float
    n_pairs: int
    n_ties: int


def percentage_score(stereo: ArrayLike, anti: ArrayLike) -> PercentageScore:
    """Share of pairs whose stereotypical sentence scores higher, in percent.

    50 is no preference. CrowS-Pairs' own code counts a tie against the stereotype; here it counts
    half.

    Parameters
    ----------
    stereo, anti : (n_pairs,) float
        Scores of the two sentences of each pair.

    Examples
    --------
    >>> from bayesbias import maskedlm
    >>> maskedlm.percentage_score([-20.0, -31.5, -8.0], [-22.5, -30.0, -8.0])
    PercentageScore(score=50.0, n_pairs=3, n_ties=1)
    """
    first, second = _paired(stereo, anti)
    ties = int((first == second).sum())
    score = 100.0 * (int((first > second).sum()) + 0.5 * ties) / len(first)
    return PercentageScore(score, len(first), ties)


@dataclass(frozen=True)
class Normals:
    """Two Normals: of the stereotypical and of the anti-stereotypical scores."""

    means: tuple[float, float]
    sds: tuple[float, float]

    @staticmethod
    def fit(stereo: ArrayLike, anti: ArrayLike) -> Normals:
        """Fit a Normal to each set of scores, sds with n - 1; a ValueError if they have none."""
        scores = _paired(stereo, anti)
        if len(scores[0]) < 2:
            raise ValueError(f"an sd needs 2 pairs or more; got {len(scores[0])}")
        sds = [float(values.std(ddof=1)) for values in scores]
        if not min(sds) > 0:
            what = "stereotypical" if not sds[0] > 0 else "anti-stereotypical"
            raise ValueError(f"all {what} scores are equal; no Normal fits them")
        return Normals((float(scores[0].mean()), float(scores[1].mean())), (sds[0], sds[1]))

    def kls(self) -> float:
        """KLS of the two; see `bayesbias.maskedlm.kls`."""
        (mean, other_mean), (sd, other_sd) = self.means, self.sds
        both = _kl(mean, sd, other_mean, other_sd), _kl(other_mean, other_sd, mean, sd)
        if not sum(both) > 0:
            raise ValueError(
                f"KLS is not defined where both Normals are the same (mean {mean:g}, sd {sd:g}): "
                "both divergences are zero"
            )
        return 100.0 * max(both) / sum(both)

    def jss(self, variant: str = "printed") -> float:
        """JSS of the two; see `bayesbias.maskedlm.jss`."""
        if variant not in VARIANTS:
            raise ValueError(unknown_name("variant of JSS", variant, VARIANTS))
        spread = abs(self.sds[0] - self.sds[1])
        if variant == "printed":
            return 100.0 * (1.0 - self.js_divergence()) / (1.0 + spread)
        # The published code folds a value above one back to its inverse.
        js, spread = (min(x, 1.0) / max(x, 1.0) for x in (self.js_to_a_normal(), spread))
        return 100.0 * (1.0 - js) / (1.0 + spread)

    def js_divergence(self) -> float:
        """Jensen-Shannon divergence in bits, in [0, 1], by Gauss-Legendre quadrature."""
        parts = list(zip(self.means, self.sds, strict=True))
        steps = np.arange(-PANELS, PANELS + 1)
        cuts = np.unique(np.concatenate([mean + sd * steps for mean, sd in parts]))
        node, weight = np.polynomial.legendre.leggauss(NODES)
        half = np.diff(cuts)[:, None] / 2
        x = ((cuts[:-1] + cuts[1:])[:, None] / 2 + half * node).ravel()
        logs = np.stack(
            [-0.5 * ((x - m) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2 * np.pi) for m, sd in parts]
        )
        mixture = np.logaddexp(*logs) - np.log(2)
        bits = (np.exp(logs) * (logs - mixture) * (half * weight).ravel()).sum() / (2 * np.log(2))
        return float(np.clip(bits, 0.0, 1.0))

    def js_to_a_normal(self) -> float:
        """Mean divergence to one Normal, in nats, which the published code takes for JS.

        That Normal has the mean of the means and the root mean square of the sds. It is no bound on
        the true divergence, and grows without limit.
        """
        mean = sum(self.means) / 2
        sd = float(np.sqrt((self.sds[0] ** 2 + self.sds[1] ** 2) / 2))
        return sum(_kl(*part, mean, sd) for part in zip(self.means, self.sds, strict=True)) / 2


def kls(stereo: ArrayLike, anti: ArrayLike) -> float:
    r"""KLS of Liu (2024): how unlike the two Kullback-Leibler divergences of two Normals are.

    .. math:: 100 \frac{\max(KL_1, KL_2)}{KL_1 + KL_2}

    with :math:`KL_1` from the Normal fitted to the stereotypical scores to that of the
    anti-stereotypical ones, and :math:`KL_2` the other way; sds with n - 1.

    Parameters
    ----------
    stereo, anti : (n_pairs,) float

    Returns
    -------
    float
        In [50, 100]. It is exactly 50 whenever the two sds are equal, however far apart the means
        are: read it as a comparison of sds.

    Raises
    ------
    ValueError
        If the two Normals coincide, where it is 0/0, or an sd is zero.

    Examples
    --------
    >>> from bayesbias import maskedlm
    >>> maskedlm.kls([-1.0, 0.0, 1.0], [99.0, 100.0, 101.0])
    50.0
    """
    return Normals.fit(stereo, anti).kls()


def jss(stereo: ArrayLike, anti: ArrayLike, variant: str = "printed") -> float:
    r"""JSS of Liu (2024): overlap of two Normals, divided by how their sds differ.

    .. math:: 100 \frac{1 - JS}{1 + |\sigma_{st} - \sigma_{at}|}

    Parameters
    ----------
    stereo, anti : (n_pairs,) float
    variant : {"printed", "published"}
        ``printed``: JS to the true mixture of the two Normals, in bits, by quadrature.
        ``published``, as the published code has it: JS to a Normal instead of the mixture, in nats,
        and both JS and the difference of sds above 1 folded back to their inverse.

    Returns
    -------
    float
        In [0, 100], 100 where the Normals coincide. The sign of the difference is lost: a model
        that prefers stereotypes and one that prefers their opposites score alike. JSS changes when
        all scores are multiplied by a constant.
    """
    return Normals.fit(stereo, anti).jss(variant)


def measure_table(paired: pd.DataFrame) -> pd.DataFrame:
    """Percentage score, KLS and JSS of every model, measure and bias type.

    Parameters
    ----------
    paired : DataFrame
        From `paired_scores`.

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``bias_type``, ``n_pairs``, ``n_ties``, ``percentage``, ``kls``,
        ``jss``, ``jss_published``. Rows of the bias type ``all`` have the mean over types weighted
        by their pairs, as published; for the percentage that is the share of all pairs. NaN stands
        where a measure is not defined (fewer than two pairs, equal scores, Normals that coincide),
        and the means are those of the other types.
    """
    rows = []
    for (model, measure), part in groups(paired):
        types = sides_by_type(part)
        sizes = [len(stereo) for stereo, _ in types.values()]
        ties = [int((stereo == anti).sum()) for stereo, anti in types.values()]
        for name, n, k, sides in zip(types, sizes, ties, types.values(), strict=True):
            rows.append((model, measure, name, n, k, *statistics(*sides)))
        rows.append((model, measure, ALL_TYPES, sum(sizes), sum(ties), *weighted(types.values())))
    columns = ["model", "measure", "bias_type", "n_pairs", "n_ties", *STATISTICS]
    return pd.DataFrame(rows, columns=columns)


def groups(paired: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Return the paired scores of every model and measure, in the order they come."""
    require_columns(paired, ("model", "measure", "pair_id", "bias_type", *ROLES, "difference"))
    if paired.empty:
        raise ValueError("there are no paired scores")
    for (model, measure), part in paired.groupby(["model", "measure"], sort=False):
        yield (str(model), str(measure)), part


def sides_by_type(part: pd.DataFrame) -> dict[str, FloatArray]:
    """Return the two scores of the pairs of every bias type, (2, n_pairs), sorted by type."""
    return {
        str(name): pairs[list(ROLES)].to_numpy(dtype=np.float64).T
        for name, pairs in part.groupby("bias_type", sort=True)
    }


def statistics(stereo: FloatArray, anti: FloatArray) -> list[float]:
    """Compute all `STATISTICS` of two sets of scores, NaN where one is not defined."""
    values = [percentage_score(stereo, anti).score, np.nan, np.nan, np.nan]
    try:
        normals = Normals.fit(stereo, anti)
    except ValueError:  # too few scores, or equal ones
        return values
    values[2:] = normals.jss(), normals.jss("published")
    with suppress(ValueError):  # Normals that coincide
        values[1] = normals.kls()
    return values


def weighted(types: Iterable[FloatArray]) -> list[float]:
    """Return the means of all `STATISTICS` over types, (2, n_pairs) each, weighted by pairs."""
    types = list(types)
    values = np.array([statistics(*sides) for sides in types])
    sizes = np.array([sides.shape[1] for sides in types])[:, None] * np.isfinite(values)
    total, n = np.nansum(values * sizes, axis=0), sizes.sum(axis=0)
    return [float(x) for x in np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)]


def _paired(stereo: ArrayLike, anti: ArrayLike) -> tuple[FloatArray, FloatArray]:
    scores = np.asarray(stereo, dtype=np.float64), np.asarray(anti, dtype=np.float64)
    if scores[0].ndim != 1 or scores[0].shape != scores[1].shape or not len(scores[0]):
        raise ValueError(
            "stereo and anti must be one-dimensional and of one length, a score for each pair; "
            f"got shapes {scores[0].shape} and {scores[1].shape}"
        )
    for values, what in zip(scores, ("stereo", "anti"), strict=True):
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"{what} must be finite; got {values[row]} in place {row}")
    return scores


def _kl(mean: float, sd: float, other_mean: float, other_sd: float) -> float:
    """Kullback-Leibler divergence from one Normal to another, in nats."""
    squares = (sd**2 + (mean - other_mean) ** 2) / (2 * other_sd**2)
    return float(np.log(other_sd / sd) + squares - 0.5)
