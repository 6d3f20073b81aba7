"""The methods, by name: what each measures, when it claims a bias, and what its null is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.checks import unknown_name
from ..model.spec import ModelSpec, load_model
from .choices import Choices
from .posteriors import ChangeSource, PosteriorSource, UnpooledSource
from .sources import MAC, T_TESTS, WEAT, Source
from .truth import OTHERS, level_name

Says = Literal["claims", "covers"]
BoolArray = NDArray[np.bool_]
Reading = Callable[[pd.DataFrame, Choices], "pd.Series[bool]"]

LARGE = 0.8
"""Cohen's (1988) large effect, by which WEAT's d is commonly read."""

DU_EXAMPLE = 1.267
"""|d| of the null example of Dobrzeniecka and Urbaniak (2024), with the population sd."""

CALISKAN_LOWEST = 1.81
"""Lowest of the scores that they quote from Caliskan et al. (2017) for biased lists, 2.06 to 1.81.
"""

MODELS = (
    "paper",
    "paper-figures",
    "crossed",
    "maximal",
    "maximal-topics",
    "change-crossed",
    "change-maximal",
)
"""Models whose readings have a name."""


@dataclass(frozen=True)
class Method:
    """A way to a verdict.

    Parameters
    ----------
    title : str
        What it does, in a line.
    null : str
        What its null hypothesis says.
    source : Source
        What it reads.
    question : str
        What it is about; see `truth.truth_columns`.
    verdict : function of a source's frame and the choices
        One True or False a table.
    nominal : function of the choices
        The share of True that it promises: of false alarms, or of covered truths; NaN for none.
    says : {"claims", "covers"}
        Whether True is a claim of bias, or an interval that holds the truth.
    practical : bool
        Whether a bias smaller than the ROPE counts as none.
    interval : str
        Level whose interval it reads, or empty.
    """

    title: str
    null: str
    source: Source
    question: str
    verdict: Reading
    nominal: Callable[[Choices], float]
    says: Says = "claims"
    practical: bool = False
    interval: str = ""


def _promised_nothing(_: Choices) -> float:
    return float("nan")


def _test(title: str, null: str, source: Source, question: str, column: str) -> Method:
    """Return a test by its p-value, which promises its level."""

    def verdict(frame: pd.DataFrame, choices: Choices) -> pd.Series[bool]:
        return frame[column] <= choices.alpha

    return Method(title, null, source, question, verdict, lambda choices: choices.alpha)


def _size(about: str, column: str, threshold: float) -> Method:
    """Return a reading of WEAT's d by its size, which promises nothing."""

    def verdict(frame: pd.DataFrame, _: Choices) -> pd.Series[bool]:
        return frame[column].abs() >= threshold

    title, null = f"WEAT, |d| from {threshold} on, {about}", "none: a size, not a test"
    return Method(title, null, WEAT, "overall", verdict, _promised_nothing)


CALIBRATED_METHODS: dict[str, Method] = {
    "weat-p": _test(
        "WEAT, exact two-sided permutation p",
        "which words are X and which are Y makes no difference to s(w)",
        WEAT, "overall", "p_value",
    ),
    "weat-d-large": _size("sample sd (Cohen's large)", "effect_size_sample", LARGE),
    "weat-d-example": _size(
        "population sd (the null example's)", "effect_size_population", DU_EXAMPLE
    ),
    "weat-d-caliskan": _size(
        "sample sd (lowest quoted from Caliskan et al.)", "effect_size_sample", CALISKAN_LOWEST
    ),
    "mac-paired-t": _test(
        "MAC, paired t-test before and after a debiasing",
        "mean distances by word and set are the same before and after",
        MAC, "overall", "p_value",
    ),
    "t-cells-groups": _test(
        "t-test on cells, X against Y words, distances to A",
        "X and Y cells have one mean, and cells are independent",
        T_TESTS, "groups", "p_cells_groups",
    ),
    "t-cells-sets": _test(
        "t-test on cells, set A against B, all words",
        "A and B cells have one mean, and cells are independent",
        T_TESTS, "sets", "p_cells_sets",
    ),
    "t-word-means": _test(
        "t-test on word means, X against Y, distances to A",
        "X and Y words have one mean, and words are independent",
        T_TESTS, "groups", "p_word_means",
    ),
    "t-attribute-means": _test(
        "t-test on attribute means, A against B, all words",
        "A and B attributes have one mean, and attributes are independent",
        T_TESTS, "sets", "p_attribute_means",
    ),
}  # fmt: skip
"""Methods by name; those of models, ``MODEL-hpdi``, ``MODEL-rope`` and ``MODEL-coverage``, with the
names of other levels behind them, are added below; see `posterior_methods`."""


def _outside(level: str, *, practical: bool) -> Reading:
    """Return whether a level's interval lies outside zero, or outside the ROPE."""

    def verdict(frame: pd.DataFrame, choices: Choices) -> pd.Series[bool]:
        if level == "any word":
            margin = frame["any word margin"]
        else:
            margin = frame[f"{level} low"].clip(lower=-frame[f"{level} high"])
        return margin > (choices.rope if practical else 0.0)

    return verdict


def _covering(level: str) -> Reading:
    def verdict(frame: pd.DataFrame, _: Choices) -> pd.Series[bool]:
        return frame[f"truth {level}"].between(frame[f"{level} low"], frame[f"{level} high"])

    return verdict


_OF_CONTRAST = {
    "overall": "the overall contrast",
    "group": "the first group's contrast",
    "between groups": "the first group's contrast less the second's",
    "word": "the first word's contrast",
}

_OF_BOTH = {
    level_name(other, level): f"{what} with {connection}" if other else what
    for other, connection in OTHERS.items()
    for level, what in _OF_CONTRAST.items()
} | {"weat": "WEAT's mean difference", "any word": "any word's contrast"}

UNPOOLED = "unpooled word"
_ENDS = ("before", "after")

LEVELS = {
    "distance": _OF_BOTH | {UNPOOLED: "the first word's contrast, not pooled with others'"},
    "change": {level: f"the change of {what}" for level, what in _OF_BOTH.items()}
    | {
        f"{end} {level}": f"{_OF_CONTRAST[level]} {end}"
        for end in _ENDS
        for level in ("overall", "group")
    },
}
"""What is read of a posterior, by the outcome that its model is for: name and words."""

_SOURCES = {"distance": PosteriorSource, "change": ChangeSource}


def posterior_methods(spec: str | Path | ModelSpec) -> dict[str, Method]:
    """Return the readings of a model's posterior as methods, by name.

    Parameters
    ----------
    spec : str, Path or ModelSpec
        A bundled Normal model of distances or of changes, the path of one, or a model.

    Returns
    -------
    dict of str to Method
        ``NAME-hpdi`` (the HPDI of the contrast excludes 0), ``NAME-rope`` (it lies outside the
        region of practical equivalence) and ``NAME-coverage`` (it holds the true contrast), each
        for the overall contrast associated - different, and with ``-group``, ``-between-groups``
        (of the first group less the second), ``-word``, ``-any-word`` behind it; with ``-human``,
        ``-human-group``, ``-human-between-groups`` and ``-human-word`` for associated - human; with
        ``-weat`` for WEAT's mean difference (`bayesbias.posterior_scores`). Models of distances
        have ``-unpooled-word`` besides (`bayesbias.unpooled_contrasts`). Models of changes are
        about the change of all these, and with ``-before``, ``-before-group``, ``-after`` and
        ``-after-group`` about both ends of it.

    Raises
    ------
    ValueError
        If the model is for another outcome, or its likelihood is not Normal.
    """
    loaded = load_model(spec)
    if loaded.outcome not in LEVELS:
        loaded = load_model(loaded, "distance")
    if loaded.likelihood != "normal":
        raise ValueError(
            f"the model {loaded.name!r} has a {loaded.likelihood} likelihood; thousands of fits "
            "need the exact sampler, which takes Normal models"
        )
    source, alone = _SOURCES[loaded.outcome](loaded), UnpooledSource(loaded)
    found: dict[str, Method] = {}
    for level, what in LEVELS[loaded.outcome].items():
        found |= _readings(alone if level == UNPOOLED else source, level, what)
    return found


def _readings(source: PosteriorSource, level: str, what: str) -> dict[str, Method]:
    """Return the readings of one level."""
    slug = level.replace(" ", "-").removesuffix("overall").rstrip("-")
    end, interval = f"-{slug}" if slug else "", "" if level == "any word" else level
    name, title = source.spec.name, f"{source.spec.name}, HPDI of {what}"
    found = {}
    for reading, practical, null in (
        ("hpdi", False, f"{what} is 0"),
        ("rope", True, f"{what} is smaller than the ROPE"),
    ):
        promise = (lambda it: 1 - it.ci_prob) if interval and not practical else _promised_nothing
        found[f"{name}-{reading}{end}"] = Method(
            f"{title} outside {'the ROPE' if practical else '0'}", null, source, level,
            _outside(level, practical=practical), promise,
            practical=practical, interval=interval,
        )  # fmt: skip
    if interval:
        found[f"{name}-coverage{end}"] = Method(
            f"{title} holds the truth", "none: coverage", source, level, _covering(level),
            lambda it: it.ci_prob, says="covers", interval=interval,
        )  # fmt: skip
    return found


for _spec in MODELS:
    CALIBRATED_METHODS.update(posterior_methods(_spec))


def method(name: str) -> Method:
    """Return the method of that name.

    Raises
    ------
    ValueError
        If the name is unknown; the nearest is named.
    """
    if name not in CALIBRATED_METHODS:
        raise ValueError(unknown_name("method", name, CALIBRATED_METHODS))
    return CALIBRATED_METHODS[name]
