"""Plan the size of a word list: the expected width of intervals, and the power.

Given the sds, the variance of a contrast does not depend on the distances, so it is known for any
number of words (`collapsed.moments`). Intervals are also wider because sds are estimated. The
variance v has parts due to words, attributes, and single pairs, with their degrees of freedom, so
(Satterthwaite, 1946)

    half-width = t √v,    df = v² / Σ_k (v[k]² / df[k])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from numbers import Real

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, IntArray
from .._core.checks import Argument, ArgumentError, check_numbers
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.defaults import RECOMMENDED
from ..model.design import Design
from ..model.indexing import index_table
from ..model.likeness import effective_number
from ..model.spec import ModelSpec, load_model
from ..model.tree import Analyzed, DataTree, design_of, posterior_in, spec_of, stacked
from ..sampling.collapsed import moments
from ..sampling.parameters import parameters_of
from ..sampling.reduction import collapse
from ..tables.schema import CONTROLS
from .estimands import identifies_groups, slope_gaps
from .mixtures import contrast_weights

TYPICAL_SPREAD, TYPICAL_LIKENESS = 0.135, (0.23, 0.10)
"""Medians over 16 bundled lists in the bundled GloVe vectors: the sd of stereotypes' distances, and
the mean likeness of words of a group and of attributes of a set."""

TYPICAL_SDS = {
    **{"level_sd": 0.18, "kind_level_sd": 0.4, "lean_sd": 0.2, "own_lean_sd": 0.12},
    **{"attribute_sd": 0.56, "attribute_lean_sd": 0.34, "attribute_own_lean_sd": 0.18},
    "sigma": 0.52,
}
"""Medians of the same fits: posterior means of the default model's sds, in units of the spread."""

MOST_DRAWS = 40
"""Draws of a pilot's sds to average over."""

NEGLIGIBLE = -12.0
"""Log of an sd that adds nothing."""

MOST_EFFECT = 2
"""Largest difference between two cosine distances."""


def plan(
    pilot: DataTree | Analyzed | None = None,
    *,
    groups: int | None = None,
    words: int | Sequence[int] = (8, 16, 32),
    attributes: int | Sequence[int] = (8, 16, 32),
    clusters: int | Sequence[int] = (1, 4),
    effect: float = 0.05,
    ci_prob: float = DEFAULT_CI_PROB,
) -> pd.DataFrame:
    """Compute the half-width of intervals, and the power, for lists of other sizes.

    Parameters
    ----------
    pilot : DataTree, optional
        A posterior from `fit` for a smaller list of the same kind. Its sds, groups, controls, and
        likeness of words are used. Without a pilot, the sds are typical of bundled lists; for lists
        that were left out of them, half-widths were .3 to 1.6 times those of the fit.
    groups : int, optional
        Number of groups, without a pilot; 2 if omitted.
    words, attributes : int or sequence of int
        Numbers of words per group and of attributes per set.
    clusters : int or sequence of int
        Number of kinds of words in each group and of attributes in each set. Words of one kind are
        as similar as those of a group in the pilot; other kinds have no likeness.
    effect : float
        True contrast, as a difference of distances in [-2, 2], that the interval should tell from
        zero.
    ci_prob : float
        Probability of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        One row per design and level: ``words``, ``attributes``, and ``clusters``;
        ``effective_words`` and ``effective_attributes``, as in `effective_sizes`; ``level``
        (overall or, if groups have a contrast, group); ``half_width``, the expected half of the
        width of the interval of own minus different stereotypes; and ``power``, the probability
        that it excludes zero. The variance due to the frequency slopes of a pilot's groups is
        averaged over the groups whose contrast is identified.

    Examples
    --------
    More words of the same kind tell little more; other kinds of words do.

    >>> columns = ["words", "clusters", "effective_words", "half_width", "power"]
    >>> bb.plan(words=[8, 32], attributes=32)[columns].round(2)
       words  clusters  effective_words  half_width  power
    0      8         1             3.07        0.04   0.72
    1      8         4             6.50        0.03   0.94
    2     32         1             3.94        0.03   0.78
    3     32         4            12.26        0.02   0.99
    """
    check_probability(ci_prob)
    if isinstance(effect, bool) or not isinstance(effect, Real) or not abs(effect) <= MOST_EFFECT:
        text = f" must be one number, from -{MOST_EFFECT} to {MOST_EFFECT}; got {effect!r}"
        raise ArgumentError(Argument("effect"), text)
    pilot = None if pilot is None else posterior_in(pilot)
    if pilot is not None and groups is not None:
        raise ValueError("a pilot has its own groups; leave out groups")
    n_groups = 2 if groups is None else groups
    check_numbers(least=2, groups=n_groups)
    for name, numbers in (("words", words), ("attributes", attributes), ("clusters", clusters)):
        if not len(_listed(numbers)):
            raise ArgumentError(Argument(name), " needs one number or more; got none")
        for number in _listed(numbers):
            check_numbers(least=1, **{name: number})
    old = None if pilot is None else design_of(pilot)
    spec = load_model(RECOMMENDED["distance"]) if pilot is None else _plannable(spec_of(pilot))
    extra = np.zeros(2)
    if old is not None and not {"associated", "different"} <= {*old.connections}:
        raise ValueError("a plan needs a pilot with associated and different stereotypes")
    if old is not None and pilot is not None:
        of_slopes = (slope_gaps(old, spec_of(pilot))[..., 0] ** 2).sum(axis=0)
        of_groups = of_slopes[1:][np.isfinite(of_slopes[1:])]
        extra = np.nan_to_num([of_slopes[0], of_groups.mean() if of_groups.size else 0.0])
    rows = []
    for n_words, n_attributes, n_kinds in product(*map(_listed, (words, attributes, clusters))):
        design = planned_design(old, n_words, n_attributes, n_kinds, n_groups)
        sds = typical_sds(design) if pilot is None else _sds_of(pilot)
        found = half_widths(design, spec, sds, ci_prob=ci_prob, effect=effect, extra=extra)
        sizes = [
            effective_number(design.likeness_of(of)[0], design.likeness_of(of)[1])[: len(names)]
            for of, names in (("protected_word", design.groups), ("attribute", design.sets))
        ]
        labels = (n_words, n_attributes, n_kinds, *(size.mean() for size in sizes))
        rows += [(*labels, level, *pair) for level, pair in found.items()]
    columns = ["words", "attributes", "clusters", "effective_words", "effective_attributes"]
    frame = pd.DataFrame(rows, columns=[*columns, "level", "half_width", "power"])
    frame.attrs = {"ci_prob": ci_prob, "effect": effect}
    return frame


def half_widths(
    design: Design,
    spec: ModelSpec,
    sds: Mapping[str, FloatArray],
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    effect: float = 0.0,
    extra: FloatArray | None = None,
) -> dict[str, tuple[float, float]]:
    """Return the expected half-width and power of the overall and the first group's contrast.

    Groups of a `planned_design` are alike, so the first one stands for all. Results are averages
    over (n, ...) draws of the sds. ``extra`` is variance from elsewhere.
    """
    from scipy.stats import nct, t

    posterior = collapse(design, spec)
    weights = contrast_weights(posterior)[:, : 1 + identifies_groups(design), 0]
    levels = ["overall", "group"][: weights.shape[1]]
    parameters = parameters_of(posterior.blocks, sds)

    def variance(without: str = "") -> FloatArray:
        left_out = parameters.copy()
        for block in posterior.blocks:
            if block.name in {term.sd for term in spec.terms_of(without)} if without else ():
                left_out[:, block.where] = NEGLIGIBLE
        return moments(posterior, left_out, weights)[1]

    total = variance()
    of_words, of_attributes = (total - variance(of) for of in ("protected_word", "attribute"))
    rest = np.maximum(total - of_words - of_attributes, 0)
    n_attributes = np.isin(design.attribute_column, np.arange(len(design.sets))).sum()
    df = len(design.words) - len(design.groups), int(n_attributes) - len(design.sets)
    parts = [of_words**2 / max(df[0], 1), of_attributes**2 / max(df[1], 1)]
    parts.append(rest**2 / max(df[0] * df[1], 1))
    nu = total**2 / np.sum(parts, axis=0)
    sd = np.sqrt(total + (0 if extra is None else extra[: len(levels)]))
    reach = np.asarray(t.ppf((1 + ci_prob) / 2, nu))
    upper, lower = (nct.sf(reach, nu, shift / sd) for shift in (effect, -effect))
    power = np.asarray(upper + lower)  # not cdf(-reach), which is NaN far in the lower tail
    means = np.stack([reach * sd, power]).mean(axis=1)
    return {level: (float(half), float(p)) for level, half, p in zip(levels, *means, strict=True)}


def typical_sds(design: Design) -> dict[str, FloatArray]:
    """Return one draw of the default model's typical sds, for a design's spread."""
    sizes = {
        "kind_level_sd": len(design.kinds),
        "attribute_sd": len(design.kinds),
        "attribute_lean_sd": len(design.kinds),
        "sigma": len(design.connections),
    }
    return {
        name: np.full((1, sizes.get(name, 1)), design.spread * sd)
        for name, sd in TYPICAL_SDS.items()
    }


def planned_design(
    pilot: Design | None, n_words: int, n_attributes: int, kinds: int, n_groups: int = 2
) -> Design:
    """Return a design of groups that have one set each, with likeness within kinds of words."""
    groups = [f"g{i}" for i in range(n_groups)] if pilot is None else [*pilot.groups]
    controls = [] if pilot is None else [name for name in pilot.connections if name in CONTROLS]
    spread = TYPICAL_SPREAD if pilot is None else pilot.spread
    alike = TYPICAL_LIKENESS if pilot is None else likeness_of(pilot)
    words, attributes = (
        pd.DataFrame({of: np.repeat(names, n)}).reset_index(names=unit)
        for unit, of, names, n in (
            ("protected_word", "protected_group", groups, n_words),
            ("attribute", "attribute_set", [*map("of {}".format, groups), *controls], n_attributes),
        )
    )
    rows = words.merge(attributes, how="cross")
    is_own = "of " + rows["protected_group"] == rows["attribute_set"]
    connection = rows["attribute_set"].where(
        rows["attribute_set"].isin(controls), np.where(is_own, "associated", "different")
    )
    y = np.random.default_rng(0).standard_normal(len(rows))
    distance = 1 + spread * y / y.std()
    design = index_table(rows.assign(connection=connection, cosine_distance=distance))
    return replace(
        design,
        word_likeness=_clustered(design.word_group, kinds, alike[0]),
        attribute_likeness=_clustered(design.attribute_column, kinds, alike[1]),
    )


def _clustered(block: IntArray, kinds: int, alike: float) -> FloatArray:
    """Return likeness that is ``alike`` within each of several kinds of a block's units."""
    place = np.arange(len(block)) % np.bincount(block)[0]
    kind = block * kinds + place * kinds // np.bincount(block)[0]
    return np.where(np.eye(len(block)) > 0, 1.0, np.where(kind[:, None] == kind, alike, 0.0))


def likeness_of(design: Design) -> tuple[float, float]:
    """Return the mean likeness of words of a group, and of attributes of a stereotype set."""
    found = []
    for of, n_blocks in (("protected_word", len(design.groups)), ("attribute", len(design.sets))):
        matrix, block = design.likeness_of(of)
        own = (block[:, None] == block) & (block < n_blocks) & ~np.eye(len(block), dtype=bool)
        found.append(float(matrix[own].mean()) if matrix.size and own.any() else 0.0)
    return found[0], found[1]


def _sds_of(pilot: DataTree) -> dict[str, FloatArray]:
    """Return draws of the sds of a pilot, evenly spaced."""
    spec = spec_of(pilot)
    names = {"sigma", *(term.sd for term in spec.terms)} - {*spec.fixed}
    drawn = {name: stacked(pilot, name) for name in sorted(names)}
    step = max(1, len(drawn["sigma"]) // MOST_DRAWS)
    return {name: values[::step] for name, values in drawn.items()}


def _plannable(spec: ModelSpec) -> ModelSpec:
    """Return a model without slopes, or raise a ValueError if its plan cannot be computed."""
    if spec.likelihood != "normal" or spec.sigma == "protected_word":
        raise ValueError(
            f"a plan needs a pilot with a Normal model and the same residual sd for all words, "
            f"such as by-group; the model is {spec.name!r}"
        )
    if any(term.correlated for term in spec.terms):
        raise ValueError(f"a plan needs effects without correlation; the model is {spec.name!r}")
    if spec.terms_of("context"):
        raise ValueError(
            f"a plan needs a pilot without effects of contexts, such as by-group; the model is "
            f"{spec.name!r}"
        )
    return spec.without(*(term.name for term in spec.terms_of("covariate")))


def _listed(numbers: int | Sequence[int]) -> Sequence[int]:
    return numbers if isinstance(numbers, Sequence | np.ndarray) else [numbers]
