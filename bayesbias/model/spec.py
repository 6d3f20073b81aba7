"""Models as specifications: small TOML files that state a hierarchical model, and why.

What a model can say is a closed set; for free formulas there is Bambi.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .._core.checks import unknown_name
from .._core.resources import bundled_folder, bundled_names
from .priors import Prior

CHOICES = {
    "outcome": ("distance", "change", "score_difference"),
    "likelihood": ("normal", "student_t"),
    "sigma": ("common", "connection"),
    "attribute_effects": ("none", "common", "kind"),
    "group_effects": ("none", "connection"),
    "context_effects": ("none", "common"),
}
"""What a model may choose, the first being the default.

``outcome``: what is modelled, and so what the priors are about; see ``OUTCOMES``.
``sigma``: one residual sd, or one for each connection. ``attribute_effects``: none, effects with
one sd, or with an sd for each kind of attribute (stereotype, neutral, human). ``group_effects``:
words spread around the overall mean, or around a mean of their protected group.
``context_effects``: none, or an effect of each context (template) that distances were measured in.
"""

OUTCOMES = {
    "distance": "distances",
    "change": "changes of distances, as bb.compare fits them",
    "score_difference": "differences of scores of sentence pairs, as fit_pairs fits them",
}
"""What each outcome is, in words."""

_CHOSEN_BY = {
    "attribute_sd": "attribute_effects",
    "group_sd": "group_effects",
    "context_sd": "context_effects",
    "nu": "likelihood",
}
"""Parameters that a model has where it departs from the default of a choice."""

_TEXTS = ("name", "title", "reference", "note")


@dataclass(frozen=True)
class ModelSpec:
    """Which outcome, which likelihood, which effects, which standard deviations, which priors.

    Parameters
    ----------
    name, title, reference, note : str
    outcome, likelihood, sigma, attribute_effects, group_effects, context_effects : str
        One of ``CHOICES`` each.
    priors : mapping of str to Prior
        Exactly the priors the model's structure needs: ``connection_mean``, ``connection_sd``,
        ``sigma``, and where there are such effects ``attribute_sd``, ``group_sd``,
        ``context_sd``, ``nu``.
    """

    name: str
    priors: Mapping[str, Prior]
    outcome: str = "distance"
    likelihood: str = "normal"
    sigma: str = "common"
    attribute_effects: str = "none"
    group_effects: str = "none"
    context_effects: str = "none"
    title: str = ""
    reference: str = ""
    note: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "priors", MappingProxyType(dict(self.priors)))
        for key, choices in CHOICES.items():
            if getattr(self, key) not in choices:
                raise ValueError(f"{key}: {unknown_name('choice', getattr(self, key), choices)}")
        needed = self.needed_priors
        for name in self.priors:
            if name not in needed:
                raise ValueError(f"[priors] {unknown_name('parameter', name, needed)}")
        for name in needed:
            if name not in self.priors:
                raise ValueError(f"the model {self.name!r} lacks the prior of {name}")
            _check_support(name, self.priors[name])

    def __reduce__(self) -> tuple[Any, ...]:
        return (spec_from_dict, (self.to_dict(),))

    @property
    def needed_priors(self) -> tuple[str, ...]:
        """Names of the priors that the model's structure needs, in the order models use."""
        more = [name for name, key in _CHOSEN_BY.items() if getattr(self, key) != CHOICES[key][0]]
        return ("connection_mean", "connection_sd", "sigma", *more)

    def with_priors(self, overrides: Mapping[str, Prior | Mapping[str, Any]]) -> ModelSpec:
        """Return a copy with some priors replaced.

        A mapping may name a new ``family``, or only parameters of the family there is:
        ``{"connection_mean": {"sd": 0.1}}``.
        """
        priors = dict(self.priors)
        for name, new in overrides.items():
            if name not in self.needed_priors:
                raise ValueError(f"priors: {unknown_name('parameter', name, self.needed_priors)}")
            priors[name] = new if isinstance(new, Prior) else _overridden(priors[name], new)
        return replace(self, priors=priors)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain texts and numbers, in the form of its TOML file."""
        content: dict[str, Any] = {key: getattr(self, key) for key in (*_TEXTS, *CHOICES)}
        content["priors"] = {
            name: {"family": prior.family, **prior.parameters, "reason": prior.reason}
            for name, prior in self.priors.items()
        }
        return content


def models(outcome: str | None = None) -> list[str]:
    """Return the names of the bundled models: of all, or of those for an outcome."""
    names = bundled_names("models", ".toml")
    if outcome is None:
        return names
    return [name for name in names if load_model(name).outcome == outcome]


def load_model(source: str | Path | ModelSpec, outcome: str | None = None) -> ModelSpec:
    """Load a bundled model by name, or a TOML file of the same form by path.

    Parameters
    ----------
    source : str, Path or ModelSpec
        A name from `models()`, a path, or a ModelSpec, which is returned as it is.
    outcome : str, optional
        What the model has to be for, a key of ``OUTCOMES``; anything if not given.

    Raises
    ------
    ValueError
        If the name is unknown (the nearest is named), the file is not a model, or the model
        is for another outcome.
    FileNotFoundError
        If there is no such file.
    """
    spec = source if isinstance(source, ModelSpec) else _read_spec(_path_of(source, outcome))
    if outcome is not None and spec.outcome != outcome:
        raise ValueError(
            f"the model {spec.name!r} is for {OUTCOMES[spec.outcome]}, and here are "
            f"{OUTCOMES[outcome].partition(',')[0]}; take {', '.join(models(outcome))}, or a "
            f"model of your own that says outcome = {outcome!r} and has priors for it"
        )
    return spec


def model_text(source: str | Path) -> str:
    """Return the file of a bundled model's name or of a path as it stands, comments and all.

    Raises
    ------
    ValueError, FileNotFoundError
        As `load_model` does.
    """
    path = _path_of(source, None)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}") from None


def _read_spec(path: Path) -> ModelSpec:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        content.setdefault("name", path.stem)
        return spec_from_dict(content)
    except RecursionError:
        raise ValueError(f"{path} nests lists or tables too deeply for a model") from None
    except (ValueError, TypeError) as error:  # TOML and Unicode errors are ValueErrors
        raise ValueError(f"{path}: {error}") from None


def _path_of(source: str | Path, outcome: str | None) -> Path:
    text = str(source)
    if isinstance(source, Path) or text.endswith(".toml") or re.search(r"[/\\]", text):
        path = Path(source)
        if not path.is_file():
            raise FileNotFoundError(f"no model at {path}")
        return path
    if text not in models():
        raise ValueError(
            unknown_name("model", text, models(outcome))
            + "; for a model of your own give its path, ending in .toml"
        )
    return bundled_folder("models") / f"{text}.toml"


def spec_from_dict(content: Mapping[str, Any]) -> ModelSpec:
    """Make a model of the content of its TOML file; the inverse of `ModelSpec.to_dict`."""
    known = (*_TEXTS, *CHOICES, "priors")
    for key, value in content.items():
        if key not in known:
            raise ValueError(unknown_name("key", key, known))
        if key != "priors" and not isinstance(value, str):
            raise ValueError(f"{key} must be text; got {value!r:.60}")
    priors = content.get("priors", {})
    if not isinstance(priors, Mapping):
        raise ValueError("[priors] must be a table of priors")
    fields = {key: value for key, value in content.items() if key != "priors"}
    return ModelSpec(**fields, priors={name: _prior(name, raw) for name, raw in priors.items()})


def _prior(name: str, raw: object) -> Prior:
    if not isinstance(raw, Mapping) or "family" not in raw:
        raise ValueError(f"[priors.{name}] needs a family and its parameters; got {raw!r:.60}")
    parameters = {key: value for key, value in raw.items() if key not in {"family", "reason"}}
    try:
        return Prior(str(raw["family"]), parameters, str(raw.get("reason", "")))
    except ValueError as error:
        raise ValueError(f"[priors.{name}] {error}") from None


def _overridden(prior: Prior, new: object) -> Prior:
    if not isinstance(new, Mapping):
        raise ValueError(f"a prior is given as a mapping such as {{'sd': 0.1}}; got {new!r:.60}")
    if "family" in new:
        return _prior("override", {"reason": "set by the caller", **new})
    return _prior(
        "override",
        {"family": prior.family, **prior.parameters, **new, "reason": "set by the caller"},
    )


def _check_support(name: str, prior: Prior) -> None:
    if name == "connection_mean" and prior.family != "normal":
        raise ValueError(f"connection_mean takes a normal prior; got {prior.family}")
    if name != "connection_mean" and not prior.positive:
        raise ValueError(f"{name} is positive and cannot take the {prior.family} prior")
