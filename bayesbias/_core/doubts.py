"""Doubts about a posterior: warnings of the samplers, and of leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass

from .warnings import SamplingWarning


@dataclass(unsafe_hash=True)
class PriorConflict(SamplingWarning):
    """The prior of the means and the data disagree, so the posterior has several modes."""

    n_modes: int
    text = (
        "the posterior has {n_modes} modes: the prior of connection_mean and the data disagree. "
        "Either the words vary widely, or the mean is far from its prior. Look at bb.sd_summary, "
        "or widen {option:priors}"
    )


@dataclass(unsafe_hash=True)
class HighParetoK(SamplingWarning):
    """The proposal of the exact sampler is too far from the posterior."""

    k: float
    limit: float
    text = (
        "Pareto k of the exact sampler is {k:.2f}, not below {limit:g}: its draws are unreliable; "
        "use {option:method='nuts'}"
    )


@dataclass(unsafe_hash=True)
class HighJointParetoK(HighParetoK):
    """The proposal of the joint model of many embeddings is too far from its posterior."""

    text = (
        "Pareto k of the joint model is {k:.2f}, not below {limit:g}: its ranks and differences "
        "are unreliable; raise {option:draws}"
    )


@dataclass(unsafe_hash=True)
class FewProposals(SamplingWarning):
    """The exact sampler has a small effective sample size."""

    size: float
    limit: int
    text = (
        "there are only {size:.0f} effective proposals, fewer than {limit}: raise {option:draws}, "
        "or use {option:method='nuts'}"
    )


@dataclass(unsafe_hash=True)
class Divergences(SamplingWarning):
    """Transitions of NUTS diverged."""

    n: int
    text = (
        "{n:transition} diverged, so NUTS may have missed parts of the posterior; raise "
        "{option:target_accept} toward 0.99, or use {option:method='exact'} for a Normal model"
    )


@dataclass(unsafe_hash=True)
class DivergencesUnknown(SamplingWarning):
    """Draws of another sampler do not record which transitions diverged."""

    text = (
        "these draws have no sample_stats with 'diverging', so divergences cannot be checked. ADVI "
        "has none, and its intervals are often too narrow; compare them with "
        "{option:method='exact'} or pm.sample"
    )


@dataclass(unsafe_hash=True)
class ChainsDisagree(SamplingWarning):
    """The chains of NUTS have not reached the same distribution."""

    rhat: float
    limit: float
    text = (
        "the chains disagree: R-hat is {rhat:.3f}, above {limit:g}; raise {option:draws} and "
        "{option:tune}"
    )


@dataclass(unsafe_hash=True)
class FewEffectiveDraws(SamplingWarning):
    """A parameter has a small effective sample size; `kind` is bulk or tail."""

    kind: str
    size: float
    limit: int
    text = (
        "the {kind} effective sample size is {size:.0f} for some parameter, less than {limit}: "
        "raise {option:draws}"
    )


@dataclass(unsafe_hash=True)
class UnreliableLoo(SamplingWarning):
    """Leave-one-out is unreliable for `n` of `total` rows, whose Pareto k is above the limit."""

    n: int
    total: int
    limit: float
    text = (
        "Pareto k is above {limit:.2f} in {n} of {total} rows; raise draws, or compare with "
        "leave_out='attribute'"
    )
