"""Shared parts of the analyses: fitted models, the frames read from them, and warnings."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from .._core.files import replace_file
from .._core.warnings import BayesbiasWarning, as_ours, warn
from ..model.spec import ModelSpec
from ..model.tree import spec_of, warnings_of
from ..posterior.predictive import predictive_check
from ..records.base import FittedModel, Frames, Record
from ..report.answer import Answer
from ..report.card import cell, shared
from ..report.page import REPORT, Page
from ..report.screen import screen_text
from ..report.write_up import WriteUp
from ..sampling.options import FitOptions
from ..warnings import SlowText
from .model_texts import model_text
from .output import fill_folder, replace_results, require_place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree


type Tell = Callable[[str], object]
"""A function that is called with a short description of the next step."""

type Reading = Callable[[DataTree, FitOptions], pd.DataFrame]
type Readings = Mapping[str, Reading]
"""Functions that read frames from a posterior, keyed by frame name."""


MOST_WRITTEN = 500
"""Maximum length of a value in a call, in characters. Longer values are replaced by names."""


def quietly(_: str) -> None:
    """Ignore the description of a step."""


LATER = (
    *("summary", "check", "scales", "sensitivity", "diagnostics", "influence", "sizes", "listed"),
    "quantiles",
)
"""Frames that are computed only when they are first read, because the headline does not use them.

The only warnings that they repeat are those of the fit."""


@dataclass(frozen=True, eq=False)
class ModelResult:
    """A fitted model: its posterior, and the frames that were read from it, keyed by name."""

    posterior: DataTree
    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def spec(self) -> ModelSpec:
        """The model."""
        return spec_of(self.posterior)

    @property
    def warnings(self) -> tuple[BayesbiasWarning, ...]:
        """Warnings from the sampler; empty if there were none."""
        return warnings_of(self.posterior)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.frames[name]


def read_posterior(tree: DataTree, readings: Readings, options: FitOptions) -> ModelResult:
    """Read most frames from a posterior at once to collect warnings, but defer those in ``LATER``.

    The ``attrs`` of a frame record how its intervals were made. In them, ``n_draws`` is the number
    of independent draws that would give equally precise probabilities.
    """

    def read(name: str) -> pd.DataFrame:
        frame = readings[name](tree, options)
        error_share = float(frame.attrs.get("error_share", 1))
        frame.attrs |= {**options.intervals, "n_draws": options.n_draws / error_share**2}
        return frame

    parts = {name: partial(read, name) if name in LATER else read(name) for name in readings}
    return ModelResult(tree, Frames(parts))


def fit_models(
    fits: Iterable[tuple[str, Callable[[], DataTree]]],
    readings: Readings,
    options: FitOptions,
    tell: Tell,
) -> dict[str, ModelResult]:
    """Fit each model, given as a name and a function, and read its posterior."""
    results = {}
    for name, fit in fits:
        tell(f"fitting {name}")
        tree = fit()
        tell(f"reading and checking {name}")
        result = read_posterior(tree, readings, options)
        results[result.spec.name] = result
    return results


def predictive_coverage(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return the shares of measured values that are inside their predictive intervals."""
    probabilities = sorted({0.5, options.ci_prob})
    return predictive_check(tree, probabilities, ci_kind=options.ci_kind, seed=0)


class Fitted:
    """Base class for analyses: a record of what was found, shown by the report's components."""

    results: Mapping[str, ModelResult]

    @property
    def found(self) -> Record:
        """What was found, as data."""
        raise NotImplementedError

    @property
    def answer(self) -> Answer:
        """What pages, terminals, and notebooks lead with."""
        return self.page().answer

    def page(self) -> Page:
        """Return the page of the report."""
        raise NotImplementedError

    @property
    def warnings(self) -> list[BayesbiasWarning]:
        """Warnings from the sampler, each with the name of its result."""
        named = self.results.items()
        return [doubt.concerning(name) for name, one in named for doubt in one.warnings]

    @property
    def doubts(self) -> list[str]:
        """The `warnings` in words."""
        return list(map(str, self.warnings))

    @property
    def posteriors(self) -> dict[str, DataTree]:
        """The posteriors of all results, keyed by name."""
        return {name: result.posterior for name, result in self.results.items()}

    @property
    def fitted(self) -> tuple[FittedModel, ...]:
        """The models, and how each was fitted."""
        return tuple(fitted_model(name, result) for name, result in self.results.items())

    def verbose(self) -> str:
        """Return the tables and texts that the page folds."""
        page = self.page()
        return "\n\n".join(fold.text() for fold in (*page.folds, *page.details))

    def card(self, path: str | os.PathLike[str]) -> Path:
        """Write the answer as an SVG of 1200 × 630 pixels, with hashes of what was measured."""
        short = ", ".join(f"{name} {value[:12]}" for name, value in self.found.hashes.items())
        origin = f"bayesbias {version('bayesbias')} · {short}"
        with replace_file(Path(path)) as temporary:
            temporary.write_text(shared(self.answer, origin), encoding="utf-8")
        return Path(path)

    def __str__(self) -> str:
        return screen_text(self.answer)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return cell(self.answer)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ANN401
        printer.text(f"{type(self).__name__}(...)" if cycle else str(self))


def fitted_model(name: str, result: ModelResult) -> FittedModel:
    """Describe a model and how it was fitted."""
    fit, spec, sizes = result.posterior.attrs, result.spec, result.posterior["posterior"].sizes
    return FittedModel(
        name=name,
        title=spec.title,
        reference=spec.reference,
        method=str(fit["method"]),
        reason=str(fit["method_reason"]),
        draws=f"{sizes['chain']} × {sizes['draw']} draws",
        seed=str(fit["seed"]),
        text=model_text(result.posterior) if spec.outcome == "distance" else None,
        doubts=result.warnings,
    )


class ModelAnalysis(Fitted):
    """Base class for analyses with one result per model; the last model is the main one."""

    _frames: ClassVar[tuple[str, ...]]
    _model_frames: ClassVar[tuple[str, ...]]
    notices: tuple[BayesbiasWarning, ...]
    call: str

    @property
    def lead(self) -> ModelResult:
        """The result of the lead model (the last one requested), shown in detailed figures."""
        return [*self.results.values()][-1]

    @property
    def posterior(self) -> DataTree:
        """The posterior of the lead model."""
        return self.lead.posterior

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the lead model, as `bayesbias.contrasts` returns them."""
        return self.lead["contrasts"]

    @property
    def rope(self) -> float:
        """Half-width of the region of practical equivalence in the frames."""
        return float(self.contrasts.attrs["rope"])

    def frame(self, name: str) -> pd.DataFrame:
        """Join a frame, such as ``summary``, across models, and add a column ``model``."""
        return joined({model: result[name] for model, result in self.results.items()}, "model")

    @property
    def frames(self) -> dict[str, pd.DataFrame | None]:
        """Frames to write as CSV, keyed by file name."""
        frames = {name: getattr(self, name) for name in self._frames}
        return frames | {name: self.frame(name) for name in self._model_frames}

    def plot(self) -> Axes:
        """Draw the main figure of the report with matplotlib."""
        return next(iter(self.page().plots.values()))()

    def write_up(self) -> WriteUp:
        """Write paragraphs for a paper, with references."""
        raise NotImplementedError

    def record(self) -> dict[str, Any]:
        """Return a record of where the numbers come from."""
        return {
            "models": {model: result.spec.to_dict() for model, result in self.results.items()},
            "warnings": list(map(str, self.notices)),
        }

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
        require_place(Path(path), force=force)
        with replace_results(Path(path), force=force) as stage:
            fill_folder(stage, {"": self}, self.call)
        return Path(path) / REPORT

    @property
    def texts(self) -> dict[str, str]:
        """The write-up and its references, keyed by file name."""
        paper = self.write_up()
        return {"write-up.md": paper.markdown, "references.bib": paper.bibtex}


def joined(parts: Mapping[Any, pd.DataFrame], *columns: str) -> pd.DataFrame:
    """Join frames; add their keys as the first columns, and keep the first frame's attrs."""
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
    """Return a function call as text, with variable names instead of long values and objects."""
    texts = [
        repr(str(value)) if isinstance(value, str | os.PathLike) else name
        for name, value in given.items()
        if value is not None
    ]
    for key, value in keywords.items():
        text = repr(value)
        literal = len(text) < MOST_WRITTEN and not re.search(r"\w\(", text)
        texts.append(f"{key}={text if literal else key}")
    return f"{function}({', '.join(texts)})"


@contextmanager
def noticed() -> Iterator[list[BayesbiasWarning]]:
    """Collect each warning once, and issue the warnings again when the block ends."""
    notices: list[BayesbiasWarning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notices
    for each in {str(one.message): one.message for one in reversed(caught)}.values():
        if isinstance(each, UserWarning | RuntimeWarning) and not isinstance(each, SlowText):
            notices.append(as_ours(each))
        warn(each if isinstance(each, Warning) else UserWarning(each))
