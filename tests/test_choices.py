"""Choices that users rely on: an option has one default everywhere, and limits have a source."""

import importlib
import inspect
import pkgutil
from collections import defaultdict

import pytest
from scipy.stats import norm

import bayesbias as bb

SHARED = (
    *("allow_pickle", "drop_duplicates", "force", "progressbar", "strip_accents", "subwords"),
    *("compile", "alpha", "chains", "ci_prob", "draws", "tune", "n_jobs", "batch_size", "C"),
    *("ddof", "unit", "effect", "n_attributes", "n_words", "layer", "matched", "ranks"),
    *("n_resamples", "rope", "reference_lists", "seed", "n"),
)
"""Options that several functions have."""

RECORDS = ("Record", "ListRecord", "ChangeRecord", "PairRecord", "SweepRecord")
OWN = {
    "draws": {"influence", "calibrate", "Choices", "background"},
    "chains": {"assemble"},
    "effect": {"plan"},
    "n_resamples": {"relative", "Distribution.relative_bias", "correlate", "observed_shares"},
    "n": {"calibrate", "closeness_dots", "contrast_quantiles", "retrain"},
    "progressbar": {"contextual_vectors"},
    "rope": {*RECORDS},
    "unit": {"direct_bias", "Debiaser", "inverted_tail"},
}
"""Functions with a default of their own, for each parameter."""

LIMITS = {
    # Vehtari et al. (2021), Bayesian Analysis 16; Vehtari et al. (2024), JMLR 25
    "sampling.doubts": {"RHAT_LIMIT": 1.01},
    "sampling.importance": {"PARETO_K_LIMIT": 0.7, "ESS_LIMIT": 400},
    "posterior.diagnostics": {"SENSITIVE": 0.05},  # Kallioinen et al. (2024)
    "nulls.additive": {"PAPER_SD": 0.08},  # Dobrzeniecka and Urbaniak (2024)
    "background.frames": {"WIDTH": pytest.approx(norm.ppf(0.975), abs=1e-6)},
}
"""Numbers with a published source, keyed by module."""


def options() -> dict[str, dict[str, object]]:
    """Return all defaults that are numbers or truth values, keyed by option and by function."""
    found: dict[str, dict[str, object]] = defaultdict(dict)
    for module in pkgutil.walk_packages(bb.__path__, "bayesbias."):
        if "__main__" in module.name:
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if getattr(thing, "__module__", "") != module.name or name[0] == "_":
                continue
            methods = vars(thing).items() if inspect.isclass(thing) else ()
            calls = {f"{name}.{key}": one for key, one in methods if inspect.isfunction(one)}
            for key, call in {name: thing, **calls}.items():
                if callable(call) and not key.endswith("__"):
                    try:
                        given = inspect.signature(call).parameters.values()
                    except ValueError:
                        continue
                    for one in given:
                        if isinstance(one.default, bool | int | float | tuple):
                            found[one.name][key] = one.default
    return found


def test_every_option_has_one_default() -> None:
    """The functions that share an option agree, except for those that are listed."""
    found = options()
    for name, own in OWN.items():
        assert own <= found[name].keys(), name
    for name in SHARED:
        rest = {call: one for call, one in found[name].items() if call not in OWN.get(name, set())}
        assert len(rest) > 1, name
        assert len({(type(one), one) for one in rest.values()}) == 1, (name, rest)


def test_limits_and_priors_are_those_of_their_sources() -> None:
    for module, expected in LIMITS.items():
        found = vars(importlib.import_module(f"bayesbias.{module}"))
        assert {name: found[name] for name in expected} == expected, module
