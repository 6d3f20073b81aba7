"""Describe models for pages and papers: how they were fitted, their likelihood, and priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.warnings import BayesbiasWarning
from ..model.priors import Prior
from ..model.spec import ModelSpec
from ..model.tree import design_of, spread_of, warnings_of
from ..records.found import FittedModel, ModelText
from ..sampling.options import FitOptions
from .results import ModelResult

INDICES = {
    **{"connection": "c", "stereotype_connection": "c", "protected_word": "w", "attribute": "a"},
    **{"protected_group": "g", "attribute_kind": "k", "attribute_set": "s"},
    **{"attribute_column": "j", "context": "t"},
}
"""Indices in the formula, keyed by column."""

UNSCALED = ("connection_mean", "nu")
"""Parameters whose priors are not in units of spread."""


def run_fields(
    results: Mapping[str, ModelResult],
    options: FitOptions,
    notices: Sequence[BayesbiasWarning],
    hashes: Mapping[str, str],
    **origin: object,
) -> dict[str, Any]:
    """Return the fields that records of lists and of changes have in common."""
    specs = {name: one.spec.to_dict() for name, one in results.items()}
    about = {"models": specs, "warnings": list(map(str, notices)), **origin, "hashes": hashes}
    return {
        "models": tuple(fitted(name, one) for name, one in results.items()),
        "ci_prob": options.ci_prob,
        "notices": tuple(notices),
        "hashes": hashes,
        "origin": about,
    }


def fitted(name: str, result: ModelResult) -> FittedModel:
    """Describe a model and how it was fitted."""
    tree, spec = result.posterior, result.spec
    sizes, text = tree["posterior"].sizes, None
    if spec.outcome != "preference":
        spread = design_of(tree).spread if spec.outcome == "change" else float(spread_of(tree))
        sigma = "".join([r"\sigma", *(f"_{INDICES[name]}" for name in spec.sigma_dims)])
        effects = tuple(term.in_words.replace("_", " ") for term in spec.terms)
        priors = tuple(_priors(spec, spread))
        text = ModelText(_formula(spec, sigma), sigma, effects, priors, spread)
    return FittedModel(
        name=name,
        reference=spec.reference,
        method=str(tree.attrs["method"]),
        reason=str(tree.attrs["method_reason"]),
        draws=f"{sizes['chain']} × {sizes['draw']} draws",
        seed=str(tree.attrs["seed"]),
        text=text,
        doubts=warnings_of(tree),
    )


def _formula(spec: ModelSpec, sigma: str) -> str:
    """Write the likelihood of a model."""
    means = [] if spec.around_means else [r"\mu_c"]
    for term in spec.terms:
        if term.of == "covariate":
            continue
        indices = ",".join(INDICES[name] for name in (term.of, term.by) if name in INDICES)
        means.append(rf"\mathrm{{{term.name.replace('_', chr(92) + ' ')}}}_{{{indices}}}")
    if spec.terms_of("covariate"):
        means.append(r"\sum_x \mathrm{slope}_x x_i")
    student = spec.likelihood == "student_t"
    family = r"\mathrm{StudentT}(\nu, " if student else r"\mathrm{Normal}("
    return rf"y_i \sim {family}{' + '.join(means)}, {sigma})"


def _priors(spec: ModelSpec, spread: float) -> list[tuple[str, str, str, str]]:
    """Return parameter names, family, text, and reason; equal priors appear once."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for name, prior in spec.priors.items():
        in_spreads = prior.family != "lkj" and name not in UNSCALED and spread > 0
        text = _written(prior.scaled(1 / spread) if in_spreads else prior, in_spreads=in_spreads)
        named = name.replace("_", " ").replace("sigma", "residual sd")
        key = prior.family, text, prior.reason.replace("_", " ")
        groups.setdefault(key, []).append(named)
    return [(", ".join(names), *key) for key, names in groups.items()]


def _written(prior: Prior, *, in_spreads: bool) -> str:
    """Write a prior in words, on request with its parameters in units of spread."""
    family = "LKJ" if prior.family == "lkj" else prior.family.capitalize().replace("_", "-")
    values = {key.replace("_", " "): value for key, value in prior.parameters.items()}
    if prior.family == "exponential":
        values = {"mean": 1 / values["rate"]}
    texts = {key: f"{value:.3g}" for key, value in values.items()}
    if in_spreads:
        texts = {key: f"{x} {'spread' if x == '1' else 'spreads'}" for key, x in texts.items()}
    if prior.family == "fixed":
        return f"fixed at {texts['value']}"
    return f"{family} with {' and '.join(f'{key} {text}' for key, text in texts.items())}"
