"""Ask whether a word embedding is biased, and how sure one may be.

Cosine distances between protected words and attributes become a long-form table; hierarchical
models are fitted to it and read as intervals, contrasts and checks. Every public name is loaded
when it is first used, so that importing the package is quick.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import background as background
    from . import calibration as calibration
    from . import comparison as comparison
    from . import contextual as contextual
    from . import debias as debias
    from . import descriptives as descriptives
    from . import extrinsic as extrinsic
    from . import maskedlm as maskedlm
    from . import nulls as nulls
    from . import plots as plots
    from . import scores as scores
    from .attribute_folds import attribute_kfold as attribute_kfold
    from .cards import ModelCard as ModelCard
    from .cards import load_card as load_card
    from .cards import model_cards as model_cards
    from .checks import check as check
    from .comparison.joint import compare as compare
    from .contrasts import associated_human_gap as associated_human_gap
    from .contrasts import contrasts as contrasts
    from .conversion import convert_vectors as convert_vectors
    from .distances import distance_table as distance_table
    from .distances import missing_words as missing_words
    from .distances import read_table as read_table
    from .distances import write_table as write_table
    from .fitting import fit as fit
    from .model_comparison import compare_models as compare_models
    from .models import build_model as build_model
    from .models import graph as graph
    from .posterior import SamplingWarning as SamplingWarning
    from .posterior import load_posterior as load_posterior
    from .posterior import save_posterior as save_posterior
    from .posterior_scores import posterior_scores as posterior_scores
    from .posterior_scores import with_posterior_scores as with_posterior_scores
    from .predictive import add_log_likelihood as add_log_likelihood
    from .priors import Prior as Prior
    from .schema import COLUMNS as COLUMNS
    from .schema import CONNECTIONS as CONNECTIONS
    from .schema import validate as validate
    from .scores.table import score_table as score_table
    from .sensitivity import prior_sensitivity as prior_sensitivity
    from .summaries import scales as scales
    from .summaries import summary as summary
    from .sweep import plan_sweep as plan_sweep
    from .sweep import run_sweep as run_sweep
    from .sweep_config import load_sweep as load_sweep
    from .vectors import load_vectors as load_vectors
    from .vectors import read_as as read_as
    from .vectors import save_vectors as save_vectors
    from .vectors import vector_blocks as vector_blocks
    from .vocabulary_contrasts import vocabulary_contrasts as vocabulary_contrasts
    from .wordlist_check import check_wordlist as check_wordlist
    from .wordlists import WordList as WordList
    from .wordlists import load_wordlist as load_wordlist
    from .wordlists import wordlists as wordlists

__version__ = "0.1.0"

_HOMES: dict[str, tuple[str, ...]] = {
    "schema": (
        "COLUMNS",
        "CONNECTIONS",
        "validate",
    ),
    "wordlists": (
        "WordList",
        "load_wordlist",
        "wordlists",
    ),
    "wordlist_check": ("check_wordlist",),
    "vectors": (
        "load_vectors",
        "read_as",
        "save_vectors",
        "vector_blocks",
    ),
    "conversion": ("convert_vectors",),
    "vocabulary_contrasts": ("vocabulary_contrasts",),
    "distances": (
        "distance_table",
        "missing_words",
        "read_table",
        "write_table",
    ),
    "cards": (
        "ModelCard",
        "load_card",
        "model_cards",
    ),
    "priors": ("Prior",),
    "models": (
        "build_model",
        "graph",
    ),
    "fitting": ("fit",),
    "posterior": (
        "SamplingWarning",
        "load_posterior",
        "save_posterior",
    ),
    "comparison.joint": ("compare",),
    "scores.table": ("score_table",),
    "model_comparison": ("compare_models",),
    "attribute_folds": ("attribute_kfold",),
    "sensitivity": ("prior_sensitivity",),
    "posterior_scores": ("posterior_scores", "with_posterior_scores"),
    "predictive": ("add_log_likelihood",),
    "summaries": (
        "scales",
        "summary",
    ),
    "contrasts": (
        "associated_human_gap",
        "contrasts",
    ),
    "checks": ("check",),
    "sweep_config": ("load_sweep",),
    "sweep": (
        "plan_sweep",
        "run_sweep",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
_MODULES = (
    "comparison",
    "background",
    "scores",
    "plots",
    "descriptives",
    "debias",
    "nulls",
    "calibration",
    "maskedlm",
    "contextual",
    "extrinsic",
)

__all__ = [*_HOME_OF, *_MODULES, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name in _HOME_OF:
        value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__") and name.endswith("__"))
    return sorted({*own, *__all__})


class _Package(ModuleType):
    """Keeps `wordlists` and `contrasts` the functions when the modules of these names load."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and name in _HOME_OF:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
