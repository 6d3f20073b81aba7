"""Compare a group's own stereotypes with others, relative to words that belong to no group."""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from .._core.checks import check_choice
from .._core.display import abridged
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from ..model.frequency import MATCHED
from ..model.indexing import make_design
from ..sampling.fit import fit
from ..sampling.options import ROPE_SHARE, FitKeywords, FitOptions
from ..tables.levels import GROUP
from ..tables.schema import STEREOTYPES, validate_table
from .contrasts import contrasts


def baseline_contrasts(
    table: pd.DataFrame,
    baseline: str,
    *,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> pd.DataFrame:
    r"""Compute contrasts within each group, relative to words that belong to no group.

    For a group g with its own set S, other sets R, and baseline words B, the contrast of mean
    distances m is `[m(g, S) - m(B, S)] - [m(g, R) - m(B, R)]`. If a set is close to all groups and
    equally close to the baseline words, that closeness cancels out. Of the controls, only matched
    words are used, to remove differences in frequency. Each group is fitted with only the baseline
    words, so other groups do not affect its result.

    Parameters
    ----------
    table : DataFrame
        A long-form table in which the baseline words are a group without stereotypes of its own.
    baseline : str
        Name of this group.
    ci_prob, rope, ci_kind
        The same as in `contrasts`.
    options, **keywords
        Options for `fit`, such as ``seed`` and ``draws``.

    Returns
    -------
    DataFrame
        One row per group, associated minus different, with the columns of `contrasts`;
        ``estimand`` is ``within, less`` followed by the baseline's name. The frame is empty if the
        table has only one set. The default of ``rope`` is a share of the sd of all groups'
        stereotype distances.

    Examples
    --------
    >>> people = ["person", "people", "someone", "anyone", "human", "citizen", "friend", "worker"]
    >>> words = {"groups": {**wordlist.groups, "people": people},
    ...          "stereotypes": dict(wordlist.stereotypes)}
    >>> frame = bb.baseline_contrasts(bb.distance_table("glove-demo", words), "people", seed=1)
    >>> frame[["protected_group", "mean", "low", "high"]].round(2)
      protected_group  mean   low  high
    0             jew  0.07 -0.08  0.22
    1       christian -0.15 -0.29 -0.00
    2          muslim -0.03 -0.16  0.09
    """
    known = validate_table(table)
    groups = known["protected_group"]
    check_choice("group", baseline, groups.unique())
    is_own = known["connection"] == STEREOTYPES[0]
    own = [*known.loc[is_own & (groups == baseline), "attribute"].unique()]
    if own:
        raise ValueError(
            f"the baseline must be a group without stereotypes, but {baseline!r} has associated "
            f"rows ({abridged(own)}); choose another group, or leave out its stereotypes"
        )
    rope = ROPE_SHARE * make_design(known).spread if rope is None else rope
    is_used = known["connection"].isin([*STEREOTYPES, MATCHED])
    frames = list[pd.DataFrame]()
    for group in groups[is_own].unique():
        rows = is_used & groups.isin([group, baseline])
        post = fit(known[rows], options=options, **keywords)
        frame = contrasts(post, ci_prob, rope, ci_kind)
        is_group = (frame["level"] == GROUP) & (frame["protected_group"] == group)
        is_main = (frame["first"] == STEREOTYPES[0]) & (frame["second"] == STEREOTYPES[1])
        frames.append(frame[is_group & is_main])
    joined = pd.concat(frames, ignore_index=True).assign(estimand=f"within, less {baseline}")
    doubts = [doubt for frame in frames for doubt in frame.attrs["warnings"]]
    joined.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind, "rope": rope, "warnings": doubts}
    return joined
