"""The settings of whole analyses, shared by functions, commands, and sweeps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.checks import Argument, ArgumentError, check_numbers, is_whole, unknown_name
from ..model.defaults import DEFAULT_MODELS
from ..sampling.options import FitOptions

if TYPE_CHECKING:
    from ..model.spec import ModelSpec
    from ..tables.wordlists import WordList

OF_VECTORS = (
    *("vectors", "case", "strip_accents", "subwords", "key", "limit", "allow_pickle", "cache"),
    *("matched", "reference_lists"),
)
OF_ENCODERS = ("templates", "pooling", "layer")
"""Settings that only embeddings have, and settings that only encoders have."""

OFF = {"matched": 0, "reference_lists": 0, "subwords": False}
"""Values that ask for nothing."""

CONTEXTUAL_MODELS = ("crossed", "contextual")
"""Default models for words in contexts, without and with context effects."""


@dataclass(frozen=True)
class Settings(FitOptions):
    """How to measure distances and fit models.

    `vectors`, `case`, `strip_accents`, `subwords`, `key`, `limit`, and `allow_pickle` are passed
    to `load_vectors`, and `max_missing` is passed to `distance_table`.

    Parameters
    ----------
    models : tuple of str
        Names or paths of models; may be repeated. The last one is the main model. The default is
        by-group, or crossed and contextual for an encoder.
    cache : bool
        Keep a copy of an embedding in text in the user's cache folder, which opens at once.
    matched : int
        Number of equally frequent control words to draw for each stereotype; 0 for none.
    reference_lists : int
        Number of reference lists, in which words on other topics replace the stereotypes; 0 for
        none.
    covariates : tuple of str
        Covariates with slopes, as in `bayesbias.fit`, such as log_rank_attribute. There are no
        reference lists then, because their words have other values.
    covariate_values : str
        CSV file of covariates of words: its first column contains words, the others numbers. They
        describe attributes, and all of them need a number, also controls (use matched=0 for none
        that are drawn), or protected words if no attribute has one. To choose, call the first
        column ``attribute`` or ``protected_word``.
    encoder : str
        Folder or Hugging Face name of an encoder for words in sentences; requires the mlm extra.
    templates : str
        For an encoder: the sentences that contain the words, as a bundled set or a .toml file.
    pooling : str
        For an encoder: use the word's tokens (word), all tokens (sentence), or one (cls or last).
    layer : int
        For an encoder: the layer to read; -1 is the last.
    """

    vectors: str = "glove-demo"
    models: tuple[str, ...] = ()
    case: str = "exact"
    strip_accents: bool = False
    subwords: bool = True
    key: str = ""
    limit: int | None = None
    max_missing: float | None = None
    allow_pickle: bool = False
    cache: bool = False
    matched: int = 5
    reference_lists: int = 100
    covariates: tuple[str, ...] = ()
    covariate_values: str = ""
    encoder: str = ""
    templates: str = "bleached"
    pooling: str = "word"
    layer: int = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        default = CONTEXTUAL_MODELS if self.encoder else DEFAULT_MODELS["distance"]
        object.__setattr__(self, "models", _several(self.models or default))
        settle_covariates(self, self.covariates, self.covariate_values)
        require_count("matched", self.matched)
        require_count("reference_lists", self.reference_lists, (1,))
        if self.encoder:
            self.refuse_of_vectors()
        else:
            why = " is for words in contexts; choose their model with "
            refuse_unused(self.chosen(*OF_ENCODERS), why, Argument("encoder"))

    def refuse_of_vectors(self) -> None:
        """Raise an ArgumentError for a setting that has no effect on words in contexts."""
        why = " has no effect on words in contexts; leave it out"
        refuse_unused(self.chosen(*OF_VECTORS), why)

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return some of the settings as keyword arguments for a function."""
        return {name: getattr(self, name) for name in names}

    @property
    def embedding(self) -> str:
        """The embedding's name in tables and reports; for a file, its name without the folder."""
        source = self.encoder or self.vectors
        return encodable(Path(source).name or source)


class NamedSettings(Settings):
    """The settings for vectors with a name of their own, which is no path."""

    @property
    def embedding(self) -> str:
        """The embedding's name in tables and reports."""
        return encodable(self.vectors)


@dataclass(frozen=True)
class ChangeSettings(FitOptions):
    """How to fit and summarize a change; `names` are the names of both embeddings or tables.

    Parameters
    ----------
    models : tuple of str
        Names or paths of models to fit to the change; may be repeated. The last one is the main
        model. The default is change-by-group.
    case : str
        How to look up words: exact, lower, or fallback.
    matched : int
        Number of equally frequent control words to draw for each stereotype; 0 for none.
    recover_words : int
        How many of the most biased words per class to use when testing for recoverable bias; 500 by
        default, or fewer if fewer lean toward a class.
    drop_duplicates : bool
        Leave out words that have the same vector as an earlier word in either table.
    """

    names: tuple[str, str] | None = None
    models: tuple[str, ...] = DEFAULT_MODELS["change"]
    case: str = "exact"
    allow_pickle: bool = False
    matched: int = 5
    recover_words: int | None = None
    drop_duplicates: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "models", _several(self.models))
        require_count("matched", self.matched)
        if self.names is not None and (isinstance(self.names, str) or len(self.names) != 2):
            need = f" must be two names, of before and after; got {self.names!r}"
            raise ArgumentError(Argument("names"), need)
        if self.recover_words is not None:
            check_numbers(recover_words=self.recover_words)

    def refuse_of_vectors(self, **others: object) -> None:
        """Raise an ArgumentError for a setting that has no effect on two tables."""
        names = ("case", "allow_pickle", "matched", "recover_words")
        own = {name: getattr(self, name) for name in names}
        refuse_unused(own | others, " is for embeddings, not for tables; leave it out")


def encodable(name: str) -> str:
    """Escape invalid Unicode, which file names can contain."""
    return name.encode("utf-8", "backslashreplace").decode()


def refuse_unused(given: Mapping[str, object], *why: str | Argument) -> None:
    """Raise an ArgumentError for the first setting that was changed, but has no effect."""
    usual = {key.name: key.default for key in fields(Settings)}
    for name, value in given.items():
        if all(value != idle for idle in (None, usual.get(name), OFF.get(name))):
            raise ArgumentError(Argument(name), *why)


def settle_covariates(settings: FitOptions, named: Sequence[str], values: object) -> None:
    """Keep covariates as a tuple and their file as text; raise an ArgumentError if unusable."""
    if not isinstance(values, str | os.PathLike):
        need = f" must be the path of a CSV file; got {type(values).__name__}"
        raise ArgumentError(Argument("covariate_values"), need)
    names = _several(named)
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise ArgumentError(Argument("covariates"), f" must be names of columns; got {named!r:.60}")
    object.__setattr__(settings, "covariates", names)
    object.__setattr__(settings, "covariate_values", str(values))
    if values and not named:
        raise ArgumentError(
            Argument("covariate_values"), " needs ", Argument("covariates"), ", their names"
        )


def _several(given: object) -> tuple[Any, ...]:
    """Return one name, path, or model, or several of them, as a tuple."""
    if isinstance(given, str | os.PathLike) or not isinstance(given, Iterable):
        return (given,)
    return (*given,)


def require_count(name: str, count: object, few: Sequence[int] = ()) -> None:
    """Raise an ArgumentError unless a count is 0 or more, and not one of a `few`."""
    if not is_whole(count) or count < 0 or count in few:
        text = f" must be a whole number, 0{', or 2' if few else ''} or more; got {count!r}"
        raise ArgumentError(Argument(name), text)


def settings_of[S: FitOptions](kind: type[S], keywords: Mapping[str, Any]) -> S:
    """Make the settings for an analysis; raise a TypeError for an unknown keyword."""
    known = [key.name for key in fields(kind)]
    for name in keywords:
        if name not in known:
            hint = "; for priors, pass models=[bb.load_model(NAME).with_priors({...}, name=...)]"
            text = unknown_name("setting of an analysis", name, known)
            raise TypeError(text + hint * (name in {"prior", "priors"}))
    return kind(**keywords)


def require_names(kind: str, names: Sequence[str]) -> None:
    """Raise a ValueError if a name cannot be printed or occurs twice, or if there are no names."""
    if not names:
        raise ValueError(f"there are no {kind}; add at least one")
    for name in names:
        if not name.strip() or not name.isprintable():
            raise ValueError(f"the {kind} include the name {name!r}, which cannot be printed")
        if names.count(name) > 1:
            raise ValueError(f"the {kind} include {name!r} twice; give each a different name")


def require_lists(lists: Sequence[WordList]) -> None:
    """Raise a ValueError if there are no lists, if one has no groups, or if a name occurs twice."""
    require_names("lists", [wordlist.name for wordlist in lists])
    for wordlist in lists:
        if not wordlist.groups:
            raise ValueError(f"the list {wordlist.name!r} has only controls; add groups")


def load_models(models: Sequence[str]) -> list[ModelSpec]:
    """Load models for distances; check that their names differ and can be used in file names."""
    from ..model.spec import load_model

    specs = [load_model(source, "distance") for source in models]
    require_names("models", [spec.name for spec in specs])
    for spec in specs:
        if {"/", "\\"} & set(spec.name):
            raise ValueError(
                f"the model name {spec.name!r} must be a valid file name; remove slashes"
            )
    return specs
