"""Options for fitting models and describing posteriors, shared by functions and commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import TypedDict, Unpack

from .._core.checks import (
    Argument,
    ArgumentError,
    check_choice,
    check_flags,
    check_numbers,
    unknown_name,
)
from .._core.intervals import (
    DEFAULT_CI_KIND,
    DEFAULT_CI_PROB,
    check_probability,
    interval_kind,
)
from .._core.random import Seed, check_seed

METHODS = ("auto", "exact", "nuts", "nutpie", "numpyro")
"""Sampling methods. ``nuts`` is PyMC's NUTS; nutpie and numpyro need the extra ``samplers``."""

LEAST_DRAWS, LEAST_CHAIN = 25, 4
"""Smallest numbers of draws, in total and per chain, from which ArviZ can compute diagnostics."""

ROPE_SHARE = 0.15
"""Differences smaller than this share of the sd of stereotype distances count as zero. For GloVe,
that sd is .07 to .18 (median .13) in bundled lists and published tables, so the ROPE is about .02.
This convention is below Cohen's (1988) small effect, .2 sds. You decide which effects matter."""

SIMULATED_ROPE = 0.02
"""Default ROPE for simulated tables, which have a known scale."""


class Intervals(TypedDict):
    """Keyword arguments for intervals."""

    ci_prob: float
    ci_kind: str


class OfContrasts(Intervals):
    """Keyword arguments for contrasts."""

    rope: float | None


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """Options for fitting a model and describing its posterior.

    Parameters
    ----------
    method : {"auto", "exact", "nuts", "nutpie", "numpyro"}
        ``auto`` uses the exact sampler if the model is Normal and Pareto k is below 0.7, and PyMC's
        NUTS otherwise. For Normal models, ``nuts`` samples sds and correlations, and effects follow
        from their exact distribution. The result records the method and the reason.
    draws : int
        Number of draws per chain.
    chains : int
        Number of chains. The exact sampler simply splits its independent draws into chains.
    tune : int
        Number of warm-up steps per chain; used only by NUTS.
    target_accept : float, optional
        Target share of accepted steps, in (0, 1); used only by NUTS. The default is 0.85.
    seed : int, SeedSequence, Generator, or None
        The same seed gives the same results. In Python, None draws a fresh seed, which is recorded.
    ci_prob : float
        Probability of intervals, in (0, 1).
    ci_kind : {"hdi", "eti"}
        Highest-density or equal-tailed intervals.
    rope : float, optional
        Half-width of the region of practical equivalence (ROPE), a distance in [0, 2]. Smaller
        differences count as zero. By convention, the default is .15 times the sd of stereotype
        distances (about .02 in GloVe).
    progressbar : bool
        Whether NUTS shows a progress bar.

    Raises
    ------
    ValueError
        If a value is not allowed.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.FitOptions(draws=500, seed=1).ci_prob
    0.89
    """

    method: str = "auto"
    draws: int = 1000
    chains: int = 4
    tune: int = 1000
    target_accept: float | None = None
    seed: Seed = None
    ci_prob: float = DEFAULT_CI_PROB
    ci_kind: str = DEFAULT_CI_KIND
    rope: float | None = None
    progressbar: bool = True

    def __post_init__(self) -> None:
        flags = [key.name for key in fields(self) if isinstance(key.default, bool)]
        check_flags(**{name: getattr(self, name) for name in flags})
        check_choice("method", self.method, METHODS)
        check_numbers(draws=self.draws, chains=self.chains, tune=self.tune)
        least = max(LEAST_CHAIN, -(-LEAST_DRAWS // self.chains))
        if self.draws < least:
            raise ArgumentError(
                Argument("draws"),
                f" must be at least {least} if chains is {self.chains}, because checks of the "
                f"posterior need {LEAST_CHAIN} draws per chain and {LEAST_DRAWS} in total; got "
                f"{self.draws}. Use 1000 for final results",
            )
        if self.target_accept is not None:
            check_probability(self.target_accept, "target_accept")
        check_seed(self.seed)
        check_probability(self.ci_prob)
        interval_kind(self.ci_kind)
        if self.rope is not None:
            check_rope(self.rope)

    @property
    def n_draws(self) -> int:
        """Total number of draws in all chains."""
        return self.chains * self.draws

    @property
    def intervals(self) -> Intervals:
        """Keyword arguments for intervals: ``ci_prob`` and ``ci_kind``."""
        return {"ci_prob": self.ci_prob, "ci_kind": self.ci_kind}

    @property
    def reading(self) -> OfContrasts:
        """Keyword arguments for contrasts: ``ci_prob``, ``ci_kind``, and ``rope``."""
        return {**self.intervals, "rope": self.rope}

    @property
    def recorded(self) -> dict[str, object]:
        """The options that affect results; a seed object is converted to text."""
        kept = {key.name: getattr(self, key.name) for key in fields(self)}
        del kept["progressbar"]
        plain = self.seed is None or isinstance(self.seed, int)
        return kept if plain else kept | {"seed": str(self.seed)}

    def of_fit(self, **changes: Unpack[FitKeywords]) -> FitOptions:
        """Return these options as `FitOptions`, without a workflow's other fields."""
        own = {key.name: getattr(self, key.name) for key in fields(FitOptions)}
        return replace(FitOptions(**own), **changes)


class FitKeywords(TypedDict, total=False):
    """The fields of `FitOptions` that fitting functions accept as keyword arguments."""

    method: str
    draws: int
    chains: int
    tune: int
    target_accept: float | None
    seed: Seed
    progressbar: bool


def check_rope(rope: float) -> None:
    """Raise an ArgumentError if the half-width of a ROPE is invalid."""
    if not isinstance(rope, Real) or not 0 <= rope <= 2:
        text = f" is a half-width, a distance in [0, 2]; got {rope!r}"
        raise ArgumentError(Argument("rope"), text)


def fit_options(options: FitOptions | None, keywords: FitKeywords) -> FitOptions:
    """Return `options`, or the defaults if it is None, updated with any `keywords`."""
    known = FitKeywords.__annotations__
    for name in keywords:
        if name not in known:
            raise TypeError(unknown_name("fit option", name, known))
    if not isinstance(options, FitOptions | None):
        raise TypeError(f"options must be bb.FitOptions(...); got the {type(options).__name__}")
    return replace(options or FitOptions(), **keywords)


def shows_fit_keywords[F: Callable[..., object]](function: F) -> F:
    """Add to a function's signature the keyword arguments that ``**keywords`` accepts."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = inspect.signature(function)
    shown = [own for own in signature.parameters.values() if own.kind is not own.VAR_KEYWORD]
    shown += [
        inspect.Parameter(key.name, keyword, default=key.default, annotation=key.type)
        for key in fields(FitOptions)
        if key.name in FitKeywords.__annotations__
    ]
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return function
