"""The options of a whole analysis: one object for the function, the command and a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .._core.checks import Argument, ArgumentError, is_whole, unknown_name
from ..background.reference_words import N_MATCHED
from ..background.vocabulary_contrasts import N_LISTS
from ..embeddings.load import CASES
from ..model.defaults import DEFAULT_MODELS
from ..model.spec import ModelSpec, load_model
from ..sampling.options import FitKeywords, FitOptions

LEAST_DRAWS, LEAST_CHAIN = 25, 4
"""Draws of all chains, and of each: below, ArviZ fits no tail and knows no effective size."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure and to fit: the options of a fit, and of what it is fitted to.

    `vectors` are a bundled embedding's name or a file's path, `models` names or paths. With
    `templates`, a set of sentences, `vectors` is an encoder's name or folder. `case`,
    `strip_accents`, `subwords` and `allow_pickle` are for `load_vectors`, `max_missing` is for
    `distance_table`, `pooling` and `layer` are for `contextual_vectors`. `matched` is how many
    control words as frequent are drawn for each stereotype, and `reference_lists` how many lists
    the contrasts are compared with, of either kind; 0 leaves them out.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = DEFAULT_MODELS["distance"]
    case: str = "exact"
    strip_accents: bool = False
    subwords: bool = True
    max_missing: float | None = None
    allow_pickle: bool = False
    templates: str = ""
    pooling: str = "word"
    layer: int = -1
    matched: int = N_MATCHED
    reference_lists: int = N_LISTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.case not in CASES:
            raise ValueError(unknown_name("case", self.case, CASES))
        least = max(LEAST_CHAIN, -(-LEAST_DRAWS // self.chains))
        if self.draws < least:
            raise ArgumentError(
                Argument("draws"),
                f" must be at least {least} with {self.chains} chain(s), for checks of the "
                f"posterior need {LEAST_DRAWS} in all; got {self.draws}. For results to rely on "
                "take 1000",
            )
        if not self.models:
            raise ValueError("at least one model is needed")
        for name in ("matched", "reference_lists"):
            value, few = getattr(self, name), name == "reference_lists"
            if not is_whole(value) or value < 0 or (few and value == 1):
                allowed = "0, or 2 or more for a range" if few else "a whole number from 0 on"
                raise ArgumentError(Argument(name), f" must be {allowed}; got {value!r}")

    @property
    def embedding(self) -> str:
        """What the embedding is called in tables and reports: a file's name without its folder."""
        return Path(self.vectors).name or self.vectors


class SettingsKeywords(FitKeywords, total=False):
    """The fields of `Settings` that functions take as keywords."""

    ci_prob: float
    ci_kind: str
    rope: float | None
    models: tuple[str, ...]
    case: str
    strip_accents: bool
    subwords: bool
    max_missing: float | None
    allow_pickle: bool
    matched: int
    reference_lists: int


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances whose names can stand side by side and in file names."""
    specs: dict[str, ModelSpec] = {}
    for source in models:
        spec = load_model(source, "distance")
        if spec.name in specs:
            raise ValueError(
                f"two models are called {spec.name!r}; "
                "leave one out, or give the copy a name of its own"
            )
        ending = spec.name.lower().endswith((".png", ".svg"))  # plots are named after models
        if not spec.name.strip() or ending or any(mark in spec.name for mark in "/\\\0"):
            raise ValueError(
                f"the model's name {spec.name!r} must do as part of a file name; "
                "leave slashes, .png and .svg out"
            )
        specs[spec.name] = spec
    return list(specs.values())
