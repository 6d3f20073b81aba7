"""What whole analyses share: fitted models with the frames read from them, and notices."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from .._core.display import Sheet, Shown
from .._core.resources import warn
from ..model.spec import ModelSpec
from ..model.tree import spec_of, warnings_of
from ..posterior.predictive import predictive_check
from ..report.writer import REPORT
from ..sampling.options import FitOptions
from .output import fill_folder, replace_results, require_place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from ..report.write_up import WriteUp
    from ..report.writer import Figure, Page

type Tell = Callable[[str], object]
"""Is called with what is done next, in a few words."""

type Reading = Callable[[DataTree, FitOptions], pd.DataFrame]
type Readings = Mapping[str, Reading]
"""What is read from a posterior, by the frames' names."""


MOST_WRITTEN = 500
"""Characters of a value that the call of a function has in full."""


def quietly(_: str) -> None:
    """Tell nobody of a step."""


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A fitted model: its posterior, and the frames that were read from it, by name."""

    posterior: DataTree
    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def spec(self) -> ModelSpec:
        """The model."""
        return spec_of(self.posterior)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the sampler warned of; nothing if the posterior may be trusted."""
        return tuple(warnings_of(self.posterior))

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.frames[name]


def read_posterior(tree: DataTree, readings: Readings, options: FitOptions) -> ModelResult:
    """Read frames from a posterior, all at once: warnings come while they are noticed.

    Frames know in their ``attrs`` how their intervals were made, and ``n_draws``, how many draws
    would give shares as precise as theirs.
    """
    frames = {name: read(tree, options) for name, read in readings.items()}
    for frame in frames.values():
        error_share = float(frame.attrs.get("error_share", 1))
        frame.attrs |= {**options.intervals, "n_draws": options.n_draws / error_share**2}
    return ModelResult(tree, frames)


def fit_models(
    fits: Iterable[tuple[str, Callable[[], DataTree]]],
    readings: Readings,
    options: FitOptions,
    tell: Tell,
) -> dict[str, ModelResult]:
    """Fit models one after the other, given by name and what fits them, and read the posteriors."""
    results = {}
    for name, fit in fits:
        tell(f"fitting {name}")
        tree = fit()
        tell(f"reading and checking {name}")
        result = read_posterior(tree, readings, options)
        results[result.spec.name] = result
    return results


def predictive_coverage(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return the shares of what was measured inside its predictive intervals."""
    probabilities = sorted({0.5, options.ci_prob})
    return predictive_check(tree, probabilities, ci_kind=options.ci_kind, seed=0)


class Fitted(Shown):
    """Base of analyses: results by name, in the requested order, and the module of the page."""

    _pages: ClassVar[Any]
    results: Mapping[str, ModelResult]

    @property
    def doubts(self) -> list[str]:
        """Warnings of the sampler, each with the name of its result."""
        return [f"{name}: {text}" for name, one in self.results.items() for text in one.warnings]

    @property
    def posteriors(self) -> dict[str, DataTree]:
        """The posteriors of all results, by name."""
        return {name: result.posterior for name, result in self.results.items()}

    def page(self) -> Page:
        """Return the page of the report."""
        page: Page = self._pages.page(self)
        return page

    def _sheet(self, *, roomy: bool) -> Sheet:
        sheet: Sheet = self._pages.sheet(self)
        return sheet

    def __repr__(self) -> str:
        return str(self)


class ModelAnalysis(Fitted):
    """Base of the analyses of a list and of a change: one result per model; the last leads.

    A class names its frames and those of its models.
    """

    _frames: ClassVar[tuple[str, ...]]
    _model_frames: ClassVar[tuple[str, ...]]
    notices: tuple[str, ...]
    call: str

    @property
    def lead(self) -> ModelResult:
        """The result of the lead model, the last one requested, which has the detailed figures."""
        return [*self.results.values()][-1]

    @property
    def posterior(self) -> DataTree:
        """The posterior of the lead model."""
        return self.lead.posterior

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the lead model, as from `bayesbias.contrasts`."""
        return self.lead["contrasts"]

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence in the frames."""
        return float(self.contrasts.attrs["rope"])

    def frame(self, name: str) -> pd.DataFrame:
        """Join one of the frames of all models, such as ``summary``, with a column ``model``."""
        return joined({model: result[name] for model, result in self.results.items()}, "model")

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """Frames to write as CSV, by file name."""
        frames = {name: getattr(self, name) for name in self._frames}
        return frames | {name: self.frame(name) for name in self._model_frames}

    def plot(self) -> Axes:
        """Draw the main contrast, overall and by group."""
        figure: Figure = self._pages.headline_figure(self)
        return figure.draw()

    def write_up(self) -> WriteUp:
        """Write paragraphs for a paper, with references."""
        paper: WriteUp = self._pages.write_up(self)
        return paper

    def record(self) -> dict[str, Any]:
        """Return the sources of the numbers."""
        return {
            "models": {model: result.spec.to_dict() for model, result in self.results.items()},
            "warnings": list(self.notices),
        }

    def report(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the folder that the command writes, and return the path of its report.

        Parameters
        ----------
        path : str or path
            A folder, which is created if necessary.
        force : bool
            Replace earlier results in it; other files are left alone.

        Raises
        ------
        ValueError
            If the folder already holds results and `force` is not given.
        """
        require_place(Path(path), force=force)
        with replace_results(Path(path), force=force) as stage:
            fill_folder(stage, {"": self}, self.call)
        return Path(path) / REPORT

    @property
    def texts(self) -> dict[str, str]:
        """The write-up, by file name."""
        paper = self.write_up()
        return {"write-up.md": paper.markdown, "references.bib": paper.bibtex}


def joined(parts: Mapping[Any, pd.DataFrame], *columns: str) -> pd.DataFrame:
    """Join frames with the key of each in the first columns; the attrs are those of the first."""
    if not parts:
        return pd.DataFrame(columns=[*columns])
    plain = {key: part.copy() for key, part in parts.items()}
    for part in plain.values():
        part.attrs = {}
    whole: pd.DataFrame = pd.concat(plain, names=[*columns, None])
    whole = whole.reset_index(level=[*columns]).reset_index(drop=True)
    whole.attrs = dict(next(iter(parts.values())).attrs)
    return whole


def written_call(function: str, given: Mapping[str, object], keywords: Mapping[str, object]) -> str:
    """Write the call of a function, with names and paths as they are, and objects by their name.

    Keywords are written by their name, too, if their value is long, as that of a model is.
    """
    texts = [
        repr(str(value)) if isinstance(value, str | os.PathLike) else name
        for name, value in given.items()
        if value is not None
    ]
    for key, value in keywords.items():
        text = repr(value)
        texts.append(f"{key}={text if len(text) < MOST_WRITTEN else key}")
    return f"{function}({', '.join(texts)})"


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
        warn(each.message, each.category)
