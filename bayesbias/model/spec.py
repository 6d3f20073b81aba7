"""Specify hierarchical models in small TOML files, which also give the reason for each choice.

Models can only combine the options defined here. For models with arbitrary formulas, use Bambi.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.checks import check_choice
from .._core.reading import located, read_text, read_toml
from .._core.resources import bundled_names, toml_path
from ..tables.schema import ROUNDING
from .priors import Prior
from .terms import CROSSINGS, FACTORS, Term, require_kinds, term_from_dict

if TYPE_CHECKING:
    from .design import Design

type Priors = Mapping[str, Prior | Mapping[str, object]]
"""Priors to replace, by name: a `Prior`, or the parameters that change; see `with_priors`."""

WORD_MEAN = "word_mean"
"""Name of the means of words by connection in every posterior."""

_DIMENSIONS = {*FACTORS, *CROSSINGS, "chain", "draw"}
"""Dimensions of all posteriors, which no variable can be called."""

CHOICES = {
    "outcome": ("distance", "change", "preference"),
    "likelihood": ("normal", "student_t"),
    "sigma": ("common", "connection", "protected_word"),
    "scale": ("absolute", "spread"),
}
"""Options of a model; the first value of each is the default.

``outcome``: the modeled quantity, for which the priors are chosen; see ``OUTCOMES``.
``sigma``: one residual sd, or one per connection or protected word.
``scale``: the unit of priors of sds: distances, or the sd of the table's stereotype rows.
"""

OUTCOMES = {
    "distance": "distances",
    "change": "changes in distances, which bb.fit_change fits",
    "preference": "preferences between paired sentences, which fit_pairs fits",
}
"""Description of each outcome."""

_TEXTS, _TABLES = ("name", "title", "reference", "note"), ("terms", "priors")


@dataclass(frozen=True)
class ModelSpec:
    """A model with its outcome, likelihood, terms, and priors.

    Parameters
    ----------
    name, title, reference, note : str
    outcome, likelihood, sigma, scale : str
        ``CHOICES`` lists the values that each parameter accepts.
    terms : tuple of Term
        Random effects that, with ``connection_mean``, add up to the expected outcome.
    priors : mapping of str to Prior
        Exactly the priors that the model needs: those for ``connection_mean``, ``sigma``, and the
        terms' sds and correlations. A Student-t likelihood also needs a prior for ``nu``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> spec = bb.load_model("crossed")
    >>> [term.name for term in spec.terms]
    ['word_mean', 'attribute_effect']
    """

    name: str
    priors: Mapping[str, Prior]
    outcome: str = "distance"
    likelihood: str = "normal"
    sigma: str = "common"
    scale: str = "absolute"
    terms: tuple[Term, ...] = ()
    title: str = ""
    reference: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "priors", dict(self.priors))
        for key, choices in CHOICES.items():
            check_choice(f"value of {key}", getattr(self, key), choices)
        self._check_terms()
        needed, matrices = self.needed_priors, [term.correlation for term in self.terms]
        for name in self.priors:
            check_choice("parameter", name, needed)
        for name in needed:
            if name not in self.priors:
                raise ValueError(f"the model {self.name!r} has no prior for {name}")
            takes = "a normal" if name == "connection_mean" else "a positive"
            self.priors[name].require(name, "an lkj" if name in matrices else takes)
        several = {term.sd for term in self.terms if term.sd_dims}
        several |= {"sigma"} if self.likelihood == "normal" else set()
        for name in self.fixed:
            if name in several:
                raise ValueError(f"{name} cannot be fixed; use a narrow prior, such as lognormal")

    def __repr__(self) -> str:
        return f"ModelSpec({self.name!r}, {len(self.terms)} terms)"

    def _check_terms(self) -> None:
        if not self.terms_of("protected_word"):
            raise ValueError(f"the model {self.name!r} has no term for protected_word")
        sds = {term.sd: term.sd_dims for term in self.terms}
        parts = ["connection_mean", "sigma", "nu", *sds]
        for term in self.terms:
            parts += [term.name, term.correlation] if term.correlated else [term.name]
            if sds[term.sd] != term.sd_dims:
                raise ValueError(f"two terms use {term.sd} but differ in sd_by; rename one sd")
        taken = _DIMENSIONS.union(*(t.correlation_dims for t in self.terms if t.correlated))
        for name in parts:
            if name in taken or not name or "/" in name:
                raise ValueError(
                    f"{name!r} cannot be the name of a part of a model; use no slash, and no name "
                    "of a column"
                )
        twice = [name for index, name in enumerate(parts) if name in parts[:index]]
        if twice:
            raise ValueError(f"two parts of the model are called {twice[0]!r}; rename one")
        if sum(bool(term.around) for term in self.terms) > 1:
            raise ValueError("only one term can vary around connection_mean")
        of_words = [*self.terms_of("protected_word"), *self.terms_of("protected_group")]
        if any(term.name == WORD_MEAN for term in self.terms) and not (
            len(of_words) == 1 and of_words[0].name == WORD_MEAN and of_words[0].around
        ):
            raise ValueError(
                f"the posterior has the means of words as {WORD_MEAN}; only a model's one term of "
                "words, around connection_mean, can have this name"
            )
        for factor in FACTORS:
            if sum(term.correlated for term in self.terms_of(factor)) > 1:
                raise ValueError(f"only one {factor} term can be correlated")

    @property
    def needed_priors(self) -> tuple[str, ...]:
        """Names of the priors that the model's structure needs, in standard order."""
        names = ["connection_mean", *(t.sd for t in self.terms_of("protected_word")), "sigma"]
        names += [term.sd for term in self.terms]
        names += [term.correlation for term in self.terms if term.correlated]
        names += ["nu"] if self.likelihood == "student_t" else []
        return tuple(dict.fromkeys(names))

    @property
    def center(self) -> float:
        """Return the prior mean of the connection means."""
        return self.priors["connection_mean"].parameters["mean"]

    @property
    def around_means(self) -> bool:
        """Whether a term varies around the connection means, and so includes them."""
        return any(term.around for term in self.terms)

    @property
    def sigma_dims(self) -> tuple[str, ...]:
        """Dimensions of the residual sd."""
        return () if self.sigma == "common" else (self.sigma,)

    @property
    def fixed(self) -> dict[str, float]:
        """Values of the parameters that the model fixes, keyed by name."""
        return {
            name: prior.parameters["value"]
            for name, prior in self.priors.items()
            if prior.family == "fixed"
        }

    def __hash__(self) -> int:
        return hash(self.name)

    def terms_of(self, factor: str) -> tuple[Term, ...]:
        """Return the terms of a factor, such as ``attribute``."""
        return tuple(term for term in self.terms if term.of == factor)

    def correlation_coords(self, design: Design) -> dict[str, list[str]]:
        """Return the coordinates of each correlation matrix's second dimension."""
        correlated = [term for term in self.terms if term.correlated]
        return {term.correlation_dims[1]: design.coords[term.by] for term in correlated}

    def fitting(self, design: Design, priors: Priors | None = None) -> ModelSpec:
        """Return the model without terms that add nothing to a design, with ``scale="absolute"``.

        Raise a ValueError for context effects with fewer than two contexts, for slopes without
        covariates, for ambiguous sets, or if one of the ``priors`` to replace is of a term that
        adds nothing.
        """
        if priors:
            spec = self.with_priors(priors).fitting(design)
            if idle := [name for name in priors if name not in spec.needed_priors]:
                raise ValueError(
                    f"the prior of {idle[0]} has no effect, because this part of {self.name!r} is "
                    "left out for so few groups and sets; leave out the prior, too"
                )
            return spec
        if self.terms_of("context") and len(design.contexts) < 2:
            lack = "only one context" if design.contexts else "no 'context' column"
            raise ValueError(
                f"the model {self.name!r} has context effects, but the table has {lack}; measure "
                "distances in two or more contexts (templates), or use a model without context "
                "effects, such as crossed"
            )
        if (slopes := self.terms_of("covariate")) and not design.covariates:
            raise ValueError(
                f"the model {self.name!r} has slopes of covariates ({slopes[0].name}), but there "
                "are none; name columns of the table, as in bb.fit(table, covariates=['share'])"
            )
        if any("attribute_set" in term.dims for term in self.terms):
            design.require_clear_sets(self.name)
        gone = [term.name for term in self.terms if not term.adds_to(design, self.terms)]
        spec = self.without(*gone) if gone else self
        if self.scale == "absolute":
            return spec
        unit = max(design.spread, ROUNDING)  # other code rejects tables without spread
        scaled = {
            name: prior if name in {"connection_mean", "nu"} else prior.scaled(unit)
            for name, prior in spec.priors.items()
        }
        return replace(spec, priors=scaled, scale="absolute")

    def without(self, *names: str) -> ModelSpec:
        """Return a copy without the named terms and the priors that only these terms use."""
        kept = tuple(term for term in self.terms if term.name not in names)
        needed, before = (
            {prior for term in terms for prior in (term.sd, term.correlation)}
            for terms in (kept, self.terms)
        )
        priors = {n: prior for n, prior in self.priors.items() if n not in before - needed}
        return replace(self, terms=kept, priors=priors)

    def with_priors(self, overrides: Priors, name: str = "") -> ModelSpec:
        """Return a copy with some priors replaced and, optionally, another name.

        An override can have a new ``family``, or only new parameters for the current family, as in
        ``{"connection_mean": {"sd": 0.1}}``.
        """
        priors = dict(self.priors)
        for key, new in overrides.items():
            check_choice("parameter", key, self.needed_priors)
            priors[key] = new if isinstance(new, Prior) else _overridden(key, priors[key], new)
        return replace(self, priors=priors, name=name or self.name)

    def to_dict(self) -> dict[str, object]:
        """Return the model as plain strings and numbers, in the layout of its TOML file."""
        content: dict[str, object] = {key: getattr(self, key) for key in (*_TEXTS, *CHOICES)}
        content["terms"] = {term.name: term.to_dict() for term in self.terms}
        content["priors"] = {
            name: {"family": prior.family, **prior.parameters, "reason": prior.reason}
            for name, prior in self.priors.items()
        }
        return content


def models(outcome: str | None = None) -> list[str]:
    """Return the names of the bundled models, for one outcome or for all.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.models("change")
    ['change', 'change-by-group', 'change-crossed', 'change-maximal']
    """
    names = bundled_names("models", ".toml")
    if outcome is None:
        return names
    return [name for name in names if load_model(name).outcome == outcome]


def load_model(source: str | Path | ModelSpec, outcome: str | None = None) -> ModelSpec:
    """Load a bundled model by name, or a TOML file by path.

    Parameters
    ----------
    source : str, Path, or ModelSpec
        A name from `models()`, a path, or a ModelSpec, which is returned unchanged.
    outcome : str, optional
        Outcome that the model must have: a key of ``OUTCOMES``. The default allows any outcome.

    Raises
    ------
    ValueError
        For an unknown name, a file that is not a model, or a model for another outcome.
    FileNotFoundError
        If the file does not exist.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.load_model("crossed").sigma
    'connection'
    """
    spec = source if isinstance(source, ModelSpec) else _read_model(source)
    if outcome is not None and spec.outcome != outcome:
        raise ValueError(
            f"the model {spec.name!r} is for {OUTCOMES[spec.outcome]}, but the data are "
            f"{OUTCOMES[outcome].partition(',')[0]}; use {', '.join(models(outcome))}, or "
            f"your own model with outcome = {outcome!r} and suitable priors"
        )
    return spec


def model_text(source: str | Path) -> str:
    """Return the text of a model file, including comments, from its bundled name or path."""
    return read_text(toml_path(source, "models", "model"))


def _read_model(source: str | Path) -> ModelSpec:
    path = toml_path(source, "models", "model")
    with located(path):
        return spec_from_dict({"name": path.stem, **read_toml(path)})


def spec_from_dict(content: Mapping[str, object]) -> ModelSpec:
    """Make a model from the content of its TOML file; the inverse of `ModelSpec.to_dict`."""
    require_kinds(
        content, dict.fromkeys((*_TEXTS, *CHOICES), str) | dict.fromkeys(_TABLES, Mapping)
    )
    known: dict[str, Any] = {**content}
    priors = {name: _prior(name, raw) for name, raw in known.get("priors", {}).items()}
    texts = {f"the same prior as {name}": prior.reason for name, prior in priors.items()}
    for name, prior in priors.items():
        reason = prior.reason
        for _ in texts:  # a reason may refer to another prior, whose reason may refer to a third
            reason = texts.get(reason, reason)
        priors[name] = replace(prior, reason=reason)
    terms = tuple(term_from_dict(*item) for item in known.get("terms", {}).items())
    return ModelSpec(**{**known, "terms": terms, "priors": priors})


def _prior(name: str, raw: object) -> Prior:
    if not isinstance(raw, Mapping) or "family" not in raw:
        raise ValueError(f"[priors.{name}] needs a family and its parameters; got {raw!r:.60}")
    parameters = {key: value for key, value in raw.items() if key not in {"family", "reason"}}
    try:
        return Prior(str(raw["family"]), parameters, str(raw.get("reason", "")))
    except ValueError as error:
        raise ValueError(f"[priors.{name}] {error}") from None


def _overridden(key: str, prior: Prior, new: object) -> Prior:
    if not isinstance(new, Mapping) or (
        "family" not in new and set(new) - {"reason", *prior.parameters}
    ):
        raise ValueError(
            f"for {key}, pass a family with its parameters, such as "
            "{'family': 'exponential', 'rate': 10}, or only a new "
            f"{' or '.join(prior.parameters)} for the {prior.family} prior; got {new!r:.60}"
        )
    same = {} if "family" in new else {"family": prior.family, **prior.parameters}
    return _prior("override", {"reason": "set by the caller", **same, **new})
