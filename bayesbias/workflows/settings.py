"""The options of a whole analysis: one object for the function, the command and a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .._core.checks import Argument, ArgumentError, is_whole, unknown_name
from ..background.reference_words import N_MATCHED
from ..background.vocabulary_contrasts import N_LISTS
from ..embeddings.load import CASES
from ..model.defaults import DEFAULT_MODELS
from ..model.spec import ModelSpec, load_model
from ..sampling.options import FitOptions

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
        if not is_whole(self.matched) or self.matched < 0:
            text = f" must be a whole number, 0 or more; got {self.matched!r}"
            raise ArgumentError(Argument("matched"), text)
        few = self.reference_lists
        if not is_whole(few) or few < 0 or few == 1:
            text = f" must be 0, or 2 or more for a range; got {few!r}"
            raise ArgumentError(Argument("reference_lists"), text)

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return some of the settings, as keywords of a function."""
        return {name: getattr(self, name) for name in names}

    @property
    def embedding(self) -> str:
        """What the embedding is called in tables and reports: a file's name without its folder."""
        return Path(self.vectors).name or self.vectors


def settings_of[S: FitOptions](kind: type[S], keywords: Mapping[str, Any]) -> S:
    """Make the settings of an analysis; raise a TypeError for a keyword that is none."""
    known = [key.name for key in fields(kind)]
    for name in keywords:
        if name not in known:
            raise TypeError(unknown_name("setting of an analysis", name, known))
    return kind(**keywords)


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances whose names can stand side by side and in file names."""
    specs = [load_model(source, "distance") for source in models]
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two models are called {name!r}; give the copy a name of its own")
        if not name.strip() or any(mark in name for mark in "/\\\0"):
            raise ValueError(
                f"the model's name {name!r} must be usable in a file name; remove slashes"
            )
    return specs
