"""The options of whole analyses: one object each for the function, the command and a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.checks import Argument, ArgumentError, is_whole, unknown_name
from ..model.defaults import DEFAULT_MODELS
from ..sampling.options import FitOptions

if TYPE_CHECKING:
    from ..model.spec import ModelSpec
    from ..tables.wordlists import WordList

CONTEXTUAL_MODELS = ("crossed", "contextual")
"""For words in contexts: without and with effects of the contexts."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure and to fit: the options of a fit, and of what it is fitted to.

    `vectors` are a bundled embedding's name or a file's path. `case`, `strip_accents`, `subwords`
    and `allow_pickle` are for `load_vectors`, `max_missing` is for `distance_table`.

    Parameters
    ----------
    models : tuple of str
        Names or paths; may be repeated. The report leads with the last one. By default by-group;
        with an encoder, crossed and contextual.
    matched : int
        Control words as frequent as each stereotype, drawn from the embedding; 0 for none.
    reference_lists : int
        Reference lists of each kind (equally frequent words, other topics as stereotypes); 0 for
        none.
    encoder : str
        Measure words in sentences: an encoder's folder or Hugging Face name; needs the extra mlm.
    templates : str
        With an encoder: sentences for the words, a bundled set or a .toml file.
    pooling : str
        With an encoder: word (the word's own tokens in the sentence) or sentence.
    layer : int
        With an encoder: layer to read, -1 the last.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = ()
    case: str = "exact"
    strip_accents: bool = False
    subwords: bool = True
    max_missing: float | None = None
    allow_pickle: bool = False
    matched: int = 5
    reference_lists: int = 100
    encoder: str = ""
    templates: str = "bleached"
    pooling: str = "word"
    layer: int = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        default = CONTEXTUAL_MODELS if self.encoder else DEFAULT_MODELS["distance"]
        object.__setattr__(self, "models", tuple(self.models or default))
        for name, few in (("matched", ()), ("reference_lists", (1,))):
            count = getattr(self, name)
            if not is_whole(count) or count < 0 or count in few:
                text = f" must be 0, or {2 if few else 1} or more; got {count!r}"
                raise ArgumentError(Argument(name), text)

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return some of the settings, as keywords of a function."""
        return {name: getattr(self, name) for name in names}

    @property
    def embedding(self) -> str:
        """What the embedding is called in tables and reports: a file's name without its folder."""
        source = self.encoder or self.vectors
        return Path(source).name or source


@dataclass(frozen=True)
class ChangeSettings(FitOptions):
    """How to fit and read a change: the options of a fit, and what the two ends are called.

    Parameters
    ----------
    models : tuple of str
        Names or paths of models for changes; may be repeated. The report leads with the last one.
        By default change-by-group.
    case : str
        How words are looked up: exact, lower or fallback.
    recover_words : int
        Number of words that lean most toward each class, for tests of whether bias can be recovered.
    drop_duplicates : bool
        Leave out words that share the vector of an earlier word, before or after.
    """

    names: tuple[str, str] | None = None
    models: tuple[str, ...] = DEFAULT_MODELS["change"]
    case: str = "exact"
    allow_pickle: bool = False
    recover_words: int = 500
    drop_duplicates: bool = False


def settings_of[S: FitOptions](kind: type[S], keywords: Mapping[str, Any]) -> S:
    """Make the settings of an analysis; raise a TypeError for a keyword that is none."""
    known = [key.name for key in fields(kind)]
    for name in keywords:
        if name not in known:
            raise TypeError(unknown_name("setting of an analysis", name, known))
    return kind(**keywords)


def require_names(kind: str, names: Sequence[str]) -> None:
    """Raise a ValueError unless there are names, which can be printed, and no two are equal."""
    if not names:
        raise ValueError(f"{kind} is empty; give one or more of them")
    for name in names:
        if not name.strip() or not name.isprintable():
            raise ValueError(f"{kind} holds the name {name!r}, which cannot be printed")
        if names.count(name) > 1:
            raise ValueError(f"{kind} holds {name!r} twice; each needs a name of its own")


def require_lists(lists: Sequence[WordList]) -> None:
    """Raise a ValueError unless there are lists with names of their own, and with groups."""
    require_names("lists", [wordlist.name for wordlist in lists])
    for wordlist in lists:
        if not wordlist.groups:
            raise ValueError(
                f"the list {wordlist.name!r} has control words only; give one with groups"
            )


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances whose names can stand side by side and in file names."""
    from ..model.spec import load_model

    specs = [load_model(source, "distance") for source in models]
    require_names("models", [spec.name for spec in specs])
    for spec in specs:
        if {"/", "\\"} & set(spec.name):
            raise ValueError(
                f"the model's name {spec.name!r} must be usable in a file name; remove slashes"
            )
    return specs
