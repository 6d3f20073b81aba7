"""What the results of all workflows share: fitted models, the frames read from them, notices."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._core.arrays import FloatArray
from .._core.resources import AFTER_WITH, OWN_FRAMES
from ..model.spec import ModelSpec
from ..model.tree import spec_of, warnings_of
from ..posterior.contrasts import contrasts
from ..posterior.predictive import coverage, predictive_intervals
from ..posterior.summaries import sd_summary
from ..sampling.options import FitOptions

if TYPE_CHECKING:
    from xarray import DataTree

Tell = Callable[[str], None]
"""Is told what is being done, in a few words."""


FRAMES = (
    "summary",
    "contrasts",
    "check",
    "scales",
    "sensitivity",
    "diagnostics",
    "influence",
)
"""Frames of a `ModelResult` that are written, one row's model in its column ``model``."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """A fitted model and the frames that are read from any, as functions of their names give them.

    `predictive` are the intervals that `check` counts in, (n_rows, 2) by probability. `warnings`
    are what the sampler warned of; none if the posterior may be trusted.
    """

    spec: ModelSpec
    posterior: DataTree
    contrasts: pd.DataFrame
    predictive: Mapping[float, FloatArray]
    check: pd.DataFrame
    scales: pd.DataFrame
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelResult(Result):
    """One model of a list's distances.

    ``sensitivity`` is as `prior_sensitivity` gives it, ``diagnostics`` as `diagnostics`;
    ``influence`` as `influence`, of the pair of `leading_pair`; it is empty of a model that is not
    Normal.
    """

    summary: pd.DataFrame
    sensitivity: pd.DataFrame
    diagnostics: pd.DataFrame
    influence: pd.DataFrame


class OfModels[R: Result]:
    """What a list's and a change's results share: one result a model, in the order asked for."""

    results: Mapping[str, R]

    @property
    def lead(self) -> R:
        """The result of the model that detailed figures are drawn from: the last one asked for."""
        return next(reversed(list(self.results.values())))

    @property
    def doubtful(self) -> bool:
        """Whether some posterior carries a sampling warning."""
        return any(result.warnings for result in self.results.values())

    @property
    def posteriors(self) -> dict[str, DataTree]:
        """The posteriors of all models."""
        return {model: result.posterior for model, result in self.results.items()}

    def frame(self, name: str) -> pd.DataFrame:
        """Join one of the frames of all models, such as ``summary``, with a column ``model``."""
        parts = {model: getattr(result, name) for model, result in self.results.items()}
        return joined(parts, "model")


def joined(parts: Mapping[str, pd.DataFrame], column: str) -> pd.DataFrame:
    """Join frames, without their attrs, with the name of each in a first column."""
    plain = {name: part.copy() for name, part in parts.items()}
    for part in plain.values():
        part.attrs = {}
    return pd.concat(plain, names=[column]).reset_index(level=0).reset_index(drop=True)


def read_any(tree: DataTree, settings: FitOptions) -> dict[str, Any]:
    """Read from a posterior what every `Result` holds."""
    probabilities = sorted({0.5, settings.ci_prob})
    predictive = predictive_intervals(tree, probabilities, ci_kind=settings.ci_kind, seed=0)
    return {
        "spec": spec_of(tree),
        "posterior": tree,
        "contrasts": contrasts(tree, **settings.reading),
        "predictive": predictive,
        "check": coverage(tree, predictive),
        "scales": sd_summary(tree, **settings.intervals),
        "warnings": tuple(warnings_of(tree)),
    }


@contextmanager
def noticed() -> Iterator[list[str]]:
    """Collect the texts of warnings, each once, and issue them again when the block ends."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    for each in {str(one.message): one for one in reversed(caught)}.values():
        if issubclass(each.category, UserWarning | RuntimeWarning):
            texts.append(str(each.message))
        warnings.warn(
            each.message, each.category, stacklevel=AFTER_WITH, skip_file_prefixes=OWN_FRAMES
        )
