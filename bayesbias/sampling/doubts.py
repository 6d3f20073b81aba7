"""Describe a fit, and warn about reasons to distrust it, such as chains that disagree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core.warnings import SamplingWarning, warn
from ..model.layout import describe
from ..model.spec import ModelSpec
from ..model.tree import keep_warnings, varying
from ..warnings import (
    ChainsDisagree,
    Divergences,
    DivergencesUnknown,
    FewEffectiveDraws,
    FewProposals,
    HighParetoK,
    PriorConflict,
)
from .importance import ESS_LIMIT, PARETO_K_LIMIT

if TYPE_CHECKING:
    from xarray import DataTree

RHAT_LIMIT = 1.01
"""Limit from Vehtari, Gelman, Simpson, Carpenter, and Bürkner (2021), Bayesian Analysis 16."""


def describe_fit(tree: DataTree, spec: ModelSpec, **origin: str) -> None:
    """Store a posterior's model, origin, and warnings in its attributes, and issue the warnings."""
    describe(tree, spec, **origin)
    doubts = list(_doubts(tree))
    keep_warnings(tree, doubts)
    for doubt in doubts:
        warn(doubt)


def _doubts(tree: DataTree) -> Iterator[SamplingWarning]:
    """Yield the reasons to distrust a posterior; the checks depend on how it was sampled."""
    stats = tree["sample_stats"]
    if "pareto_k" not in stats:
        yield from _doubts_of_chains(tree)
        return
    n_modes, k, ess = (float(stats[name]) for name in ("n_modes", "pareto_k", "importance_ess"))
    yield from doubts_of_exact(int(n_modes), k, ess)


def doubts_of_exact(n_modes: int, k: float, ess: float) -> Iterator[SamplingWarning]:
    """Yield the reasons to distrust exact draws: several modes, a high Pareto k, and a low ESS."""
    if n_modes > 1:
        yield PriorConflict(n_modes)
    if not k < PARETO_K_LIMIT:
        yield HighParetoK(k, PARETO_K_LIMIT)
    if ess < ESS_LIMIT:
        yield FewProposals(ess, ESS_LIMIT)


def of_chains(tree: DataTree) -> dict[str, float]:
    """Return the divergences (if known), largest R-hat, and smallest effective sample sizes."""
    import arviz_stats as az

    posterior = varying(tree)
    values: dict[str, float] = {}
    if "diverging" in tree["sample_stats"]:
        values["divergences"] = int(tree["sample_stats"]["diverging"].sum())
    values["rhat"] = max(float(rhat.max()) for rhat in az.rhat(posterior).data_vars.values())
    for kind in ("bulk", "tail"):
        sizes = az.ess(posterior, method=kind).data_vars.values()
        values[f"ess_{kind}"] = min(float(ess.min()) for ess in sizes)
    return values


def _doubts_of_chains(tree: DataTree) -> Iterator[SamplingWarning]:
    values = of_chains(tree)
    if "divergences" not in values:
        yield DivergencesUnknown()
    elif values["divergences"]:
        yield Divergences(int(values["divergences"]))
    if tree["posterior"].sizes["chain"] > 1 and not values["rhat"] < RHAT_LIMIT:
        yield ChainsDisagree(values["rhat"], RHAT_LIMIT)
    for kind in ("bulk", "tail"):
        least = values[f"ess_{kind}"]
        if least < ESS_LIMIT:
            yield FewEffectiveDraws(kind, least, ESS_LIMIT)
