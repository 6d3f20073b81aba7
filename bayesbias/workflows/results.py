"""What the results of all workflows share: fitted models, the frames read from them, notices."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._core.display import Shown
from .._core.resources import AFTER_WITH, OWN_FRAMES
from ..model.spec import ModelSpec
from ..model.tree import design_of, labels, spec_of, warnings_of
from ..posterior.contrasts import contrast_draws, contrasts
from ..posterior.diagnostics import diagnostics, influence, prior_sensitivity
from ..posterior.predictive import effective_sizes, predictive_check
from ..posterior.summaries import sd_summary, summary
from ..sampling.options import FitOptions
from ..tables.descriptives import PARTNERS
from ..tables.levels import GROUP
from .output import REPORT, replace_results, require_place, write_results

if TYPE_CHECKING:
    from xarray import DataTree

Tell = Callable[[str], None]
"""Is called with what is done next, in a few words."""


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A fitted model, and the frames that are read from it, each when it is first asked for.

    Frames are as the functions of their names return them. The posterior may be of distances or of
    changes; `sensitivity`, `diagnostics` and `influence` are of distances.
    """

    posterior: DataTree
    settings: FitOptions

    @cached_property
    def spec(self) -> ModelSpec:
        """The model."""
        return spec_of(self.posterior)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the sampler warned of; nothing if the posterior may be trusted."""
        return tuple(warnings_of(self.posterior))

    @cached_property
    def summary(self) -> pd.DataFrame:  # noqa: D102
        return summary(self.posterior, **self.settings.intervals)

    @cached_property
    def contrasts(self) -> pd.DataFrame:  # noqa: D102
        return contrasts(self.posterior, **self.settings.reading)

    @cached_property
    def listed(self) -> pd.DataFrame:
        """Contrasts over the very words of the table."""
        return contrasts(self.posterior, **self.settings.reading, over="listed")

    @cached_property
    def group_draws(self) -> pd.DataFrame:
        """Draws of each group's contrast of the first two connections."""
        levels, gaps, _ = contrast_draws(self.posterior, "population")
        is_group = (levels["level"] == GROUP).to_numpy()
        return pd.DataFrame(gaps[:, is_group, 0], columns=levels["protected_group"][is_group])

    @cached_property
    def check(self) -> pd.DataFrame:  # noqa: D102
        probabilities = sorted({0.5, self.settings.ci_prob})
        kind = self.settings.ci_kind
        return predictive_check(self.posterior, probabilities, ci_kind=kind, seed=0)

    @cached_property
    def sizes(self) -> pd.DataFrame:
        """Effective sizes of groups and sets; empty where the table carries no cosines."""
        design = design_of(self.posterior)
        if not design.word_likeness.size or not design.attribute_likeness.size:
            return pd.DataFrame()
        return effective_sizes(self.posterior)

    @cached_property
    def scales(self) -> pd.DataFrame:  # noqa: D102
        return sd_summary(self.posterior, **self.settings.intervals)

    @cached_property
    def sensitivity(self) -> pd.DataFrame:  # noqa: D102
        return prior_sensitivity(self.posterior)

    @cached_property
    def diagnostics(self) -> pd.DataFrame:  # noqa: D102
        return diagnostics(self.posterior)

    @cached_property
    def influence(self) -> pd.DataFrame:
        """Influence on the contrast that leads; empty for a model that is not Normal."""
        if self.spec.likelihood != "normal":
            return pd.DataFrame()
        present = labels(self.posterior, "connection")
        second = next(name for name in PARTNERS if name in present)
        return influence(self.posterior, "associated", second)


class OfModels[R: ModelResult](Shown):
    """What analyses of a list and of a change share: one result a model, in the order asked for."""

    results: Mapping[str, R]
    notices: tuple[str, ...]
    call: str

    @property
    def lead(self) -> R:
        """The result of the model that detailed figures are drawn from: the last one asked for."""
        return next(reversed(list(self.results.values())))

    @property
    def posterior(self) -> DataTree:
        """The posterior of the model that leads."""
        return self.lead.posterior

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the model that leads, as `bayesbias.contrasts` returns them."""
        return self.lead.contrasts

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence that the frames were read with."""
        return float(self.contrasts.attrs["rope"])

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
        return joined({key: getattr(one, name) for key, one in self.results.items()}, "model")

    def report(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the folder that the command writes, and return the path of its report.

        Parameters
        ----------
        path : str or path
            A folder; it is made if it is not there.
        force : bool
            Replace earlier results in it; files of others are left alone.

        Raises
        ------
        ValueError
            If the folder holds results already, and `force` is not given.
        """
        require_place(Path(path), force=force)
        with replace_results(Path(path), force=force) as stage:
            write_results(self, stage, self.call)  # type: ignore[arg-type]  # subclasses have pages
        return Path(path) / REPORT

    def __repr__(self) -> str:
        return str(self)


def joined(parts: Mapping[Any, pd.DataFrame], *columns: str) -> pd.DataFrame:
    """Join frames, without their attrs, with the key of each in the first columns."""
    if not parts:
        return pd.DataFrame(columns=[*columns])
    plain = {key: part.copy() for key, part in parts.items()}
    for part in plain.values():
        part.attrs = {}
    whole: pd.DataFrame = pd.concat(plain, names=[*columns, None])
    return whole.reset_index(level=[*columns]).reset_index(drop=True)


def written_call(function: str, given: Mapping[str, object], keywords: Mapping[str, object]) -> str:
    """Write the call of a function, with names and paths as they are, and objects by their name."""
    texts = [
        repr(str(value)) if isinstance(value, str | os.PathLike) else name
        for name, value in given.items()
        if value is not None
    ]
    return f"{function}({', '.join([*texts, *(f'{key}={v!r}' for key, v in keywords.items())])})"


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
