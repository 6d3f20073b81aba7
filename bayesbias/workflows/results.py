"""Shared parts of the analyses: fitted models, the frames read from them, and their displays."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .._core.arrays import one_thread
from .._core.files import file_stems, replace_file
from .._core.warnings import BayesbiasWarning, as_ours, heard, warn
from ..model.posterior_files import save_posterior
from ..model.spec import ModelSpec
from ..model.tree import spec_of
from ..posterior.predictive import predictive_check
from ..records.found import Frames, ListRecord, Record
from ..report.page import REPORT, Page
from ..report.pages import IndexPage, page_of, paper_of
from ..report.screen import cell, screen_text, shared
from ..report.sentences import plain
from ..sampling.options import FitOptions
from ..warnings import SlowText
from .output import replace_results, require_place, write_frames, write_report, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from ..report.write_up import WriteUp


type Tell = Callable[[str], object]
"""A function that is called with a short description of the next step."""

type Readings = Mapping[str, Callable[[DataTree, FitOptions], pd.DataFrame | None]]
"""Functions that read frames from a posterior, by name; None if it lacks what a frame needs."""

MOST_WRITTEN = 500  # letters of a value in a call; longer values are replaced by names

LATER = (
    *("summary", "check", "scales", "listed"),
    *("sensitivity", "diagnostics", "influence", "attributes"),
)
"""Frames that are read only on demand; the only warnings that they repeat are those of the fit."""


def quietly(_: str) -> None:
    """Ignore the description of a step."""


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A fitted model: its posterior, and the frames that were read from it, keyed by name."""

    posterior: DataTree
    frames: Frames

    @cached_property
    def spec(self) -> ModelSpec:
        """The model."""
        return spec_of(self.posterior)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.frames[name]


def read_posterior(tree: DataTree, readings: Readings, options: FitOptions) -> ModelResult:
    """Read most frames at once to collect warnings, but defer those in ``LATER``.

    The ``attrs`` of a frame record how its intervals were made; ``n_draws`` is the number of
    independent draws that would give equally precise probabilities.
    """

    def read(name: str) -> pd.DataFrame:
        frame = readings[name](tree, options)
        frame = pd.DataFrame() if frame is None else frame
        error_share = float(frame.attrs.get("error_share", 1))
        frame.attrs |= {**options.intervals, "n_draws": options.n_draws / error_share**2}
        return frame

    parts = {name: partial(read, name) if name in LATER else read(name) for name in readings}
    return ModelResult(tree, Frames(parts))


def fit_models(
    fits: Mapping[str, Callable[[], DataTree]], readings: Readings, options: FitOptions, tell: Tell
) -> dict[str, ModelResult]:
    """Fit each model, given as a function, and read its posterior."""
    results = {}
    for name, fit in fits.items():
        tell(f"fitting {name}")
        tree = fit()
        tell(f"reading and checking {name}")
        results[name] = read_posterior(tree, readings, options)
    return results


def predictive_coverage(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return the shares of measured values that are inside their predictive intervals."""
    probabilities = sorted({0.5, options.ci_prob})
    return predictive_check(tree, probabilities, ci_kind=options.ci_kind, seed=0)


class Fitted:
    """Base class of analyses: a record of what was found, and its displays.

    Every frame of the record is also an attribute, such as ``table``. With several models, the
    frames of models have a column ``model``; `lead` is the main one, which was requested last.
    `call` is the code that repeats the analysis.
    """

    found: Record
    results: Mapping[str, ModelResult]
    call: str = ""

    def __getattr__(self, name: str) -> pd.DataFrame:
        if not name.startswith("_") and name != "found" and name in self.found.frames:
            return self.found.frames[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.found.frames]

    @property
    def frames(self) -> Frames:
        """All frames, keyed by file name; those with rows are written as CSV."""
        return self.found.frames

    @property
    def notices(self) -> tuple[BayesbiasWarning, ...]:
        """The warnings that the analysis issued."""
        return self.found.notices

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """Warnings from the sampler, each with the name of its result."""
        return self.found.warnings

    @property
    def doubts(self) -> list[str]:
        """The `warnings` in words."""
        return list(map(str, self.warnings))

    @property
    def lead(self) -> ModelResult:
        """The result of the main model, which was requested last."""
        return [*self.results.values()][-1]

    @property
    def posterior(self) -> DataTree:
        """The posterior of the main model."""
        return self.lead.posterior

    @property
    def posteriors(self) -> dict[str, DataTree]:
        """The posteriors of all results, keyed by name."""
        return {name: result.posterior for name, result in self.results.items()}

    def page(self) -> Page[Record]:
        """Return the page of the report."""
        return page_of(self.found)

    def verbose(self) -> str:
        """Return the tables and texts that the page folds."""
        return self.page().folded()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the main figure of the report with matplotlib, on new Axes if none are passed.

        Raises
        ------
        ValueError
            If there is no figure, as for a sweep without ranks.
        """
        page = self.page()
        if not (figures := page.plots()):
            raise ValueError(f"there is no figure: {plain(page.answer.sentence)}")
        return next(iter(figures.values()))(ax=ax)

    def write_up(self) -> WriteUp:
        """Write paragraphs for a paper, with references."""
        paper = paper_of(self.found)
        if paper is None:
            raise TypeError(f"there is no write-up of a {type(self).__name__}")
        return paper

    def card(self, path: str | os.PathLike[str]) -> Path:
        """Write the answer as an SVG of 1200 × 630 pixels, with hashes of what was measured."""
        short = ", ".join(f"{name} {value[:12]}" for name, value in self.found.hashes.items())
        origin = f"bayesbias {version('bayesbias')} · {short}"
        path = Path(path).expanduser()
        with replace_file(path) as temporary:
            write_text(temporary, shared(self.page().answer, origin))
        return path

    def report(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the same folder as the command line does, and return the path of its report.

        Parameters
        ----------
        path : str or path
            A folder, which is created if necessary.
        force : bool
            Replace earlier results in the folder; other files are left alone.

        Raises
        ------
        ValueError
            If the folder already has results and `force` is False.
        """
        path = Path(path).expanduser()
        require_place(path, force=force)
        with replace_results(path, force=force) as stage:
            fill_folder(stage, {"": self}, self.call)
        return path / REPORT

    def __str__(self) -> str:
        return screen_text(self.page().answer)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return cell(self.page().answer)


def fill_folder(
    stage: Path,
    results: Mapping[str, Fitted],
    command: str,
    *,
    posteriors: bool = True,
    kinds: Sequence[str] = (),
) -> None:
    """Write an analysis into a folder (key ""), or several into subfolders, with an index."""
    for part, result in results.items():
        folder = stage / part
        folder.mkdir(exist_ok=True)
        if paper := paper_of(result.found):
            write_text(folder / "write-up.md", paper.markdown)
            write_text(folder / "references.bib", paper.bibtex)
        with one_thread():  # the frames that nobody has read are computed here
            write_frames(result.found.frames, folder)
        trees = result.posteriors if posteriors else {}
        stems = file_stems(trees)
        for name, tree in trees.items():
            end = f"-{stems[name]}" if len(trees) > 1 else ""
            save_posterior(tree, folder / f"posterior{end}.nc")
        write_report(result.page(), command, result.found.origin, folder, kinds)
    if len(results) > 1:
        found = {part: one.found for part, one in results.items()}
        page = IndexPage({part: one for part, one in found.items() if isinstance(one, ListRecord)})
        write_report(page, command, {"lists": [*results]}, stage)


def of_models(results: Mapping[str, ModelResult], name: str) -> pd.DataFrame:
    """Join a frame, such as ``summary``, across models, and add a column ``model``."""
    return joined({model: result[name] for model, result in results.items()}, "model")


def joined[K](parts: Mapping[K, pd.DataFrame], *columns: str) -> pd.DataFrame:
    """Join frames: keys become the first columns, and attrs are those of the first."""
    if not any(len(part.columns) for part in parts.values()):
        return pd.DataFrame()
    plain = {key: part.copy() for key, part in parts.items()}
    for part in plain.values():
        part.attrs = {}
    whole: pd.DataFrame = pd.concat(plain, names=[*columns, None])
    whole = whole.reset_index(level=[*columns]).reset_index(drop=True)
    whole.attrs = dict(next(iter(parts.values())).attrs)
    return whole


def written_call(function: str, given: Mapping[str, object], keywords: Mapping[str, object]) -> str:
    """Return a function call as text, with variable names instead of long values and objects."""
    texts = [
        repr(str(value)) if isinstance(value, str | os.PathLike) else name
        for name, value in given.items()
        if value is not None
    ]
    for key, value in keywords.items():
        text = repr(value)
        is_short = len(text) < MOST_WRITTEN and _is_literal(text)
        texts.append(f"{key}={text if is_short else key}")
    return f"{function}({', '.join(texts)})"


def _is_literal(text: str) -> bool:
    """Return whether Python code is a number, a text, or a container of these."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


@contextmanager
def noticed() -> Iterator[list[BayesbiasWarning]]:
    """Collect each warning once, and issue the warnings again when the block ends."""
    notices: list[BayesbiasWarning] = []
    with heard() as found:
        yield notices
    for each in {str(one): one for one in reversed(found)}.values():
        if not isinstance(each, SlowText):
            notices.append(as_ours(each))
        warn(each if isinstance(each, Warning) else UserWarning(each))
