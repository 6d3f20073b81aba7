"""Choices that users rely on: an option's default, and limits and priors with a source.

Defaults are those in docs and on the command line. An option has one default everywhere.
"""

import importlib
import inspect
import pkgutil
from collections import defaultdict

import pytest
from scipy.stats import norm

import bayesbias as bb
from bayesbias.comparison.joint import LEVEL_PRIOR

DEFAULTS = {
    "allow_pickle": False, "bootstrap": False, "drop_duplicates": False, "force": False,
    "progressbar": True, "strip_accents": False, "subwords": True, "compile": False,
    "alpha": 0.05, "chains": 4, "ci_prob": 0.89, "ci_probs": (0.5, 0.89), "draws": 1000,
    "n_draws": 1000, "tune": 1000, "n_jobs": 1, "rounding": 0.0, "batch_size": 64,
    "words": (8, 16, 32), "attributes": (8, 16, 32), "clusters": (1, 4),
    "C": 1.0, "average": True, "c": 1.0, "ddof": 1, "power": 0.5, "unit": False, "no_bias": 0.0,
    "effect": 0.0, "cell_sd": 0.08, "mean": 1.0, "n_attributes": 8, "n_words": 8,
    "attribute_bias_sd": 0.0, "attribute_sd": 0.0, "word_bias_sd": 0.0, "word_sd": 0.0,
    "layer": -1, "turn": 0, "matched": 5, "n_lists": 100, "n_tables": 200, "ranks": (0, None),
    "neighbors": 100, "vocabulary": 50_000, "n_resamples": 1000, "n_samples": 10_000,
    "n_subsets": 20, "shares": (0.5, 0.75), "n_models": 20, "n_points": 300, "rope": 0.02,
    "reference_lists": 100, "seed": 1, "correlated": False, "alike": 0.0,
    "means_only": False, "transposed": False, "n": 5,
}  # fmt: skip
"""Numbers and truth values that are defaults, keyed by parameter."""

RECORDS = ("Record", "ListRecord", "ChangeRecord", "PairRecord", "SweepRecord")
OWN = {
    "chains": {"assemble": 1},
    "draws": {"influence": 20, "calibrate": 4000, "Choices": 4000, "background": 100_000},
    "effect": {"plan": 0.05},
    "n_resamples": {
        **{"relative": 100_000, "Distribution.relative_bias": 100_000},
        **{"correlate": 2000, "observed_shares": 2000},
    },
    "n": {"calibrate": 1000, "closeness_dots": 100, "contrast_quantiles": 100, "retrain": 10},
    "progressbar": {"contextual_vectors": False},
    "rope": dict.fromkeys(RECORDS, 0.0),
    "unit": {"direct_bias": True, "Debiaser": True, "inverted_tail": 0.0},
    "words": {"forest": False, "contrast_forest": False},
}
"""Functions with a default of their own, for each parameter."""

LIMITS = {
    # Vehtari et al. (2021, 2024); reading.md
    "sampling.doubts": {"RHAT_LIMIT": 1.01},
    "sampling.importance": {"PARETO_K_LIMIT": 0.7, "ESS_LIMIT": 400},
    "calibration.posteriors": {"KEPT": 0.7},
    # shares of the spread of stereotypes, and priors in units of distance, from published tables
    "sampling.options": {"ROPE_SHARE": 0.15, "LEAST_DRAWS": 25, "LEAST_CHAIN": 4},
    "sampling.scales": {"UNPOOLED_SD": 0.2},
    "posterior.attributes": {"BETWEEN": 0.4, "N_SDS": 2000, "SEED": 53},
    "posterior.planning": {
        "TYPICAL_SPREAD": 0.135,
        "TYPICAL_LIKENESS": (0.23, 0.10),
        "TYPICAL_SDS": {
            **{"level_sd": 0.18, "kind_level_sd": 0.4, "lean_sd": 0.2, "own_lean_sd": 0.12},
            **{"attribute_sd": 0.56, "attribute_lean_sd": 0.34, "attribute_own_lean_sd": 0.18},
            "sigma": 0.52,
        },
    },
    "comparison.joint": {"UNCHANGED_SD": 0.01, "PRIOR_PAIRS": 5.0},
    "maskedlm.fitting": {"SD_OF_PREFERENCES": 0.5},
    "nulls.additive": {"PAPER_SD": 0.08},
    # what is too little, too much, or too different
    "posterior.diagnostics": {"SENSITIVE": 0.05, "TAIL": 0.05},
    "posterior.loo": {"N_FOLDS": 10},
    "comparison.before_after": {"N_UNLISTED": 1000, "FEWEST_UNLISTED": 20, "MOST_UNCHANGED": 0.95},
    "comparison.order": {"LEAST_VALUES": 4},
    "tables.schema": {"LARGEST_DISTANCE": 2.0, "MOST_MISSING": 0.2, "FEWEST_LEFT": 3},
    "tables.copies": {"FEWEST": 3},
    "tables.descriptives": {"UNRELATED": 1.0, "FEWEST_FOR_DENSITY": 3},
    "background.reference_words": {"N_MATCHED": 5, "TOLERANCE": 0.2, "NEIGHBORS": 1000},
    "background.psi_distribution": {"FEWEST_WORDS": 3, "N_RESAMPLES": 100_000},
    "background.pools": {"POOL_SIZE": 20_000, "WORDS_SEED": 0},
    "background.topics": {"NARROWEST": 0.1},
    "debias.recovery": {"FOLDS": 5, "N_WORDS": 500},
    "maskedlm.shares": {"LEAST_REST": 0.5},
    "model.frequency": {"FEWEST": 3},
    # probabilities of intervals
    "_core.intervals": {"ERROR_SHARE": 0.25},
    "background.frames": {"WIDTH": pytest.approx(norm.ppf(0.975), abs=1e-6)},
    "calibration.rates": {"MONTE_CARLO": 0.95},
}
"""Numbers that results depend on, keyed by module."""


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
    found = options()
    for name, expected in DEFAULTS.items():
        own = OWN.get(name, {})
        assert own.keys() <= found[name].keys(), name
        assert len(found[name]) > len(own), name
        for call, default in found[name].items():
            wanted = own.get(call, expected)
            assert (type(default), default) == (type(wanted), wanted), (name, call)


def test_limits_and_priors_are_those_of_their_sources() -> None:
    for module, expected in LIMITS.items():
        found = vars(importlib.import_module(f"bayesbias.{module}"))
        assert {name: found[name] for name in expected} == expected, module
    assert LEVEL_PRIOR.parameters == {"mean": 1.0, "sd": 0.3}
