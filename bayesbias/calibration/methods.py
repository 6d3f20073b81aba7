"""What methods measure, and when they claim bias."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from numpy.random import SeedSequence

from .._core.checks import check_choice, check_numbers, unknown_name
from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.spec import ModelSpec, load_model, models
from ..nulls import Batch
from ..sampling.options import LEAST_DRAWS, SIMULATED_ROPE, check_rope
from .measures import OTHERS, measure_score, truth_columns
from .posteriors import UNPOOLED, measure_posteriors

READINGS = {
    "hpdi": "the HPDI excludes 0",
    "rope": "the HPDI is outside the region of practical equivalence",
    "coverage": "the HPDI contains the true value",
}
"""Descriptions of the readings of an interval."""

ANY_WORD = "any word"

_LEVELS = ("overall", "group", "between groups", "word")
_OF_ALL = (*(other + level for other in OTHERS for level in _LEVELS), "weat", ANY_WORD)

LEVELS = {
    "distance": (*_OF_ALL, UNPOOLED),
    "change": (*_OF_ALL, "before overall", "before group", "after overall", "after group"),
}
"""Levels of a posterior, keyed by its model's outcome; see `measures.truth_columns`."""


@dataclass(frozen=True)
class Choices:
    """Thresholds for claims, and settings for drawing posteriors, as in `calibrate`."""

    alpha: float = 0.05
    ci_prob: float = DEFAULT_CI_PROB
    rope: float = SIMULATED_ROPE
    draws: int = 4000

    def __post_init__(self) -> None:
        check_probability(self.alpha, "alpha")
        check_probability(self.ci_prob)
        check_rope(self.rope)
        check_numbers(least=LEAST_DRAWS, draws=self.draws)
        for name in ("alpha", "ci_prob", "rope"):  # of NumPy, in single precision
            object.__setattr__(self, name, float(getattr(self, name)))


@dataclass(frozen=True)
class Method:
    """A rule for claiming bias; `posterior_method` makes the rules for models.

    Parameters
    ----------
    source : str or ModelSpec
        A score in ``measures.SCORES``, or a model whose posterior is used.
    level : str
        The question; see `measures.truth_columns`.
    reading : str
        One of `READINGS`, ``test`` (p is at most alpha), or ``size`` (a threshold is reached).
    column : str
        The column that a test or size uses.
    threshold : float
        Threshold of a size.
    title : str
        Description of a test or size.
    """

    source: str | ModelSpec
    level: str
    reading: str
    column: str = ""
    threshold: float = float("nan")
    title: str = ""

    def settings(self, choices: Choices) -> dict[str, object]:
        """Return the settings that determine the statistics; several methods can share them."""
        made_by = f"{type(self).__module__}.{type(self).__qualname__}"
        if isinstance(self.source, str):
            return {"class": made_by, "score": self.source}
        drawn = {"ci_prob": choices.ci_prob, "draws": choices.draws}
        model = {"model": self.source.to_dict(), "unpooled": self.level == UNPOOLED}
        return {"class": made_by, **model, **drawn}

    def measure(self, batch: Batch, seed: SeedSequence, choices: Choices) -> pd.DataFrame:
        """Return each table's truth and statistics for all methods with the same settings."""
        if isinstance(self.source, str):
            frame = measure_score(self.source, batch, seed)
            return pd.concat([frame, truth_columns(batch)], axis=1)
        unpooled, how = self.level == UNPOOLED, (choices.ci_prob, choices.draws)
        return measure_posteriors(self.source, batch, seed, *how, unpooled=unpooled)

    def verdicts(self, frame: pd.DataFrame, choices: Choices) -> pd.Series[bool]:
        """Return, for each table, whether bias is claimed or the truth is covered."""
        if self.reading == "test":
            return frame[self.column] <= choices.alpha
        if self.reading == "size":
            return frame[self.column].abs() >= self.threshold
        if self.level == ANY_WORD:
            return frame["any word margin"] > self.smallest(choices)
        low, high = frame[f"{self.level} low"], frame[f"{self.level} high"]
        if self.reading == "coverage":
            return frame[f"truth {self.level}"].between(low, high)
        return low.clip(lower=-high) > self.smallest(choices)

    def smallest(self, choices: Choices) -> float:
        """Return the largest absolute difference that does not matter."""
        return choices.rope if self.reading == "rope" else 0.0

    def nominal(self, choices: Choices) -> float:
        """Return the nominal share of false alarms or of covered truths; NaN if there is none."""
        if self.level == ANY_WORD:
            return float("nan")
        promised = {"test": choices.alpha, "hpdi": 1 - choices.ci_prob, "coverage": choices.ci_prob}
        return promised.get(self.reading, float("nan"))


def _test(source: str, level: str, column: str, title: str) -> Method:
    return Method(source, level, "test", column, title=title)


def _size(threshold: float, sd: str, about: str) -> Method:
    title = f"WEAT, |d| at least {threshold}, {sd} sd ({about})"
    return Method("WEAT", "overall", "size", f"effect_size_{sd}", threshold, title)


# fmt: off
SCORE_METHODS = {
    "weat-p": _test("WEAT", "overall", "p_value", "WEAT, exact two-sided permutation p"),
    # Thresholds: Cohen's (1988) large effect; |d| of Dobrzeniecka and Urbaniak's (2024) null
    # example; and the lowest score that they quote from Caliskan et al. (2017), 1.81 to 2.06.
    "weat-d-large": _size(0.8, "sample", "Cohen's large"),
    "weat-d-example": _size(1.267, "population", "the null example's"),
    "weat-d-caliskan": _size(1.81, "sample", "lowest quoted from Caliskan et al."),
    "mac-paired-t": _test("MAC", "overall", "p_value",
        "MAC, paired t-test before and after debiasing"),
    "t-cells-groups": _test("t-tests", "groups", "p_cells_groups",
        "t-test on cells, X versus Y, distances to A"),
    "t-cells-sets": _test("t-tests", "sets", "p_cells_sets",
        "t-test on cells, A versus B, all words"),
    "t-word-means": _test("t-tests", "groups", "p_word_means",
        "t-test on word means, X versus Y, distances to A"),
    "t-attribute-means": _test("t-tests", "sets", "p_attribute_means",
        "t-test on attribute means, A versus B, all words"),
}
"""Tests and sizes without a model, keyed by name."""
# fmt: on


def normal_models() -> list[str]:
    """Return the names of the bundled Normal models for simulated tables, which lack contexts."""
    specs = [load_model(name) for outcome in LEVELS for name in models(outcome)]
    return [
        spec.name for spec in specs if spec.likelihood == "normal" and not spec.terms_of("context")
    ]


def posterior_method(
    model: str | Path | ModelSpec, level: str = "overall", reading: str = "hpdi"
) -> Method:
    """Make a method from a reading of a model's posterior.

    Parameters
    ----------
    model : str, Path, or ModelSpec
        A bundled Normal model for distances or changes, the path of a model file, or a model.
    level : str
        One of `LEVELS` for the model's outcome. For the contrast associated - different, pass
        ``overall``, ``group`` (the first), ``between groups`` (the first minus the second),
        ``word`` (the first), or ``any word``. All but the last can have the prefix ``human``, for
        associated - human. With ``unpooled word``, the first word is fitted without the others
        (``named`` in `contrasts`). ``weat`` is WEAT's mean difference (see `posterior_scores`). For
        models of changes, levels without ``before`` or ``after`` describe changes.
    reading : {"hpdi", "rope", "coverage"}
        See `READINGS`.

    Examples
    --------
    >>> import bayesbias as bb
    >>> mine = bb.load_model("crossed").with_priors({"connection_mean": {"sd": 0.1}})
    >>> bb.calibration.posterior_method(mine, "group", "rope").level
    'group'
    """
    spec = load_model(model)
    if spec.outcome not in LEVELS:
        spec = load_model(spec, "distance")
    if spec.likelihood != "normal":
        raise ValueError(
            f"the model {spec.name!r} has a {spec.likelihood} likelihood, but thousands of fits "
            "need the exact sampler; choose a Normal model"
        )
    if spec.terms_of("context"):
        raise ValueError(
            f"the model {spec.name!r} has context effects, but simulated tables have no contexts; "
            f"choose one of {', '.join(normal_models())}"
        )
    readings = ("hpdi", "rope") if level == ANY_WORD else tuple(READINGS)
    known = {"level": (level, LEVELS[spec.outcome]), "reading": (reading, readings)}
    for name, (given, choices) in known.items():
        check_choice(name, given, choices)
    return Method(spec, level, reading)


def method(name: str) -> Method:
    """Return the method with the given name.

    Names are those of `SCORE_METHODS`, or a model, reading, and level joined by hyphens, such as
    ``crossed-rope-group``. If the level is omitted, as in ``maximal-hpdi``, it is ``overall``.

    Examples
    --------
    >>> method("maximal-hpdi-between-groups").level
    'between groups'
    """
    if name in SCORE_METHODS:
        return SCORE_METHODS[name]
    parts = re.fullmatch(rf"(.+)-({'|'.join(READINGS)})(?:-(.+))?", name)
    if parts is None:
        of_models = (f"{model}-{reading}" for model in normal_models() for reading in READINGS)
        raise ValueError(unknown_name("method", name, (*SCORE_METHODS, *of_models)))
    model, reading, level = parts.groups(default="")
    level = level.replace("-", " ")
    if level in {"", "human", "before", "after"}:
        level = f"{level} overall".strip()
    return posterior_method(model, level, reading)
