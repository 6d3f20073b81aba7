"""Options shared by commands, for embeddings, fits, and results, and the command to repeat a run.

cyclopts makes a command's options from its signature and docstring, and flattens dataclasses.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from cyclopts import Parameter as Option

import bayesbias as bb

from ..model.defaults import DEFAULT_MODELS
from ..sampling.options import FitOptions
from ..workflows.settings import ChangeSettings, Settings
from .screen import NAME, QUIET, say, steps

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from ..workflows.results import Fitted

FAILED, WARNED = 1, 3
"""Exit codes for a check that found errors, and for results with sampling warnings."""

SEED = 1
"""Default of ``--seed``, so that two runs of the same command give the same numbers."""

WITHOUT_NUMBERS = {
    **dict.fromkeys(("--out", "-o", "--plots", "--keep", "--compare-to"), True),
    **dict.fromkeys(("--jobs", "-j"), True),
    **dict.fromkeys(("--force", "--open", "--posteriors", "--verbose"), False),
}
"""Options that do not affect numbers, and whether they take a value."""


def _require_processes(_: object, jobs: int) -> None:
    """Raise a ValueError for no processes."""
    if jobs == 0:
        raise ValueError("Pass 1 or more, or -1 for one process per core.")


Models = Annotated[tuple[str, ...], Option(name="--model", alias="-m", show_default=False)]
Model = Annotated[str, Option(alias="-m")]
OneList = Annotated[str, Option(help="Name of a bundled list, or path to a file.")]
OutFile = Annotated[Path, Option(alias="-o")]
OutFolder = Annotated[Path, Option(alias="-o", help="Folder for the results.")]
Force = Annotated[bool, Option(help="Replace earlier results; other files are left alone.")]
AllowPickle = Annotated[
    bool,
    Option(help="Allow pickle files, which can run any code. Use only for files you trust."),
]
Jobs = Annotated[
    int,
    Option(
        alias="-j", help="Number of processes; -1 for one per core.", validator=_require_processes
    ),
]
Seed = Annotated[int, Option(help="The same seed always gives the same results.")]
CiProb = Annotated[float, Option(help="Probability of an interval, in (0, 1).")]
Alpha = Annotated[float, Option(help="Significance level, in (0, 1).")]
BiasTypes = Annotated[
    list[str] | None, Option(name="--bias-type", help="Use only this bias type; may be repeated.")
]


@Option(name="*")
@dataclass(frozen=True)
class Reading:
    """How an embedding is read.

    Parameters
    ----------
    vectors : str
        A bundled embedding (glove-demo), a name from gensim's downloader, a file, or a folder that
        `bayesbias convert` or `debias` wrote. See `bayesbias docs own-words` for the formats.
    case : str
        How to look up words: exact, lower (lower case), or fallback (as spelled, then lower case).
    key : str
        Pattern of keys with a prefix or suffix, such as /c/en/{word} or {word}_NOUN.
    limit : int
        Read only the first words of the embedding, this many.
    """

    vectors: Annotated[str, Option(alias="-v")] = "glove-demo"
    case: str = "exact"
    key: str = ""
    limit: int | None = None
    allow_pickle: AllowPickle = False


@Option(name="*")
@dataclass(frozen=True)
class ListReading(Reading):
    """How the words of a list are read from an embedding.

    Parameters
    ----------
    strip_accents : bool
        If a word is not found with its accents, look it up without them.
    subwords : bool
        Make vectors from n-grams for words that are not in a fastText model.
    max_missing : float
        Refuse a list if a set loses more than this share of its words; the default is no limit.
    """

    strip_accents: bool = False
    subwords: Annotated[bool, Option(negative="--no-subwords")] = True
    max_missing: float | None = None

    @property
    def name(self) -> str:
        """The embedding's name; for a file, its name without the folder."""
        return Path(self.vectors).name or self.vectors

    def load(self, words: bb.WordList) -> KeyedVectors:
        """Read the vectors of a list's words."""
        names = ("case", "key", "limit", "allow_pickle", "strip_accents", "subwords")
        how: dict[str, Any] = {name: getattr(self, name) for name in names}
        return bb.load_vectors(self.vectors, words, **how, progressbar=not QUIET.get())


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class Fitting(FitOptions):
    """The fit options on the command line."""

    seed: int = SEED
    progressbar: Annotated[bool, Option(parse=False)] = True

    @property
    def shown(self) -> Self:
        """The options, with a progress bar unless the command is quiet."""
        return replace(self, progressbar=not QUIET.get())


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class Measuring(ListReading, Fitting, Settings):
    """The settings for analyzing lists."""

    models: Models = ()
    covariates: Annotated[tuple[str, ...], Option(name="--covariate", show_default=False)] = ()


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class Comparing(Fitting, ChangeSettings):
    """The settings for analyzing a change."""

    names: Annotated[None, Option(parse=False)] = None
    models: Models = DEFAULT_MODELS["change"]
    allow_pickle: AllowPickle = False


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class FittingAlone(Fitting):
    """The fit options except `rope`."""

    rope: Annotated[float | None, Option(parse=False)] = None


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class Results:
    """How a folder of results is written and shown.

    Parameters
    ----------
    plots : str
        Also write the report's figures as files: png, svg, or png,svg.
    verbose : bool
        Also print the tables that the report folds.
    open_report : bool
        Open the report in a browser.
    """

    plots: Literal["png", "svg", "png,svg"] | None = None
    force: Force = False
    verbose: bool = False
    open_report: Annotated[bool, Option(name="--open")] = False

    def write(
        self,
        out: Path,
        make: Callable[[Callable[[str], object]], Sequence[Fitted]],
        parts: Sequence[str] = ("",),
        **how: Any,  # noqa: ANN401
    ) -> int:
        """Compute, write, and print analyses, and return the exit code.

        One analysis is written into the folder; several are written into its subfolders `parts`.
        """
        from ..workflows import output
        from ..workflows.results import fill_folder

        output.require_place(out, [part for part in parts if part], force=self.force)
        with steps() as tell:
            results = dict(zip(parts, make(tell), strict=True))
            tell("writing the report")
            how |= {"kinds": self.plots.split(",") if self.plots else []}
            with output.replace_results(out, force=self.force) as stage:
                fill_folder(stage, results, command_line(), **how)
        texts = [text for one in results.values() for text in self._texts(one)]
        lines = (line for text in texts for line in text.splitlines())
        return self.finish(lines, out, doubtful=any(one.warnings for one in results.values()))

    def _texts(self, result: Fitted) -> list[str]:
        """Return what is printed about a result."""
        return [str(result), *(["", result.verbose()] if self.verbose else [])]

    def finish(self, lines: Iterable[str], out: Path, *, doubtful: bool) -> int:
        """Print the results and the report's path, open it on request, and return the exit code."""
        page = out / "report.html"
        say(*lines, f"Report: {page}")
        if self.open_report:
            import webbrowser

            webbrowser.open(page.absolute().as_uri())
        return WARNED if doubtful else 0


READING, LIST_READING, RESULTS = Reading(), ListReading(), Results()
FITTING_ALONE, MEASURING, COMPARING = FittingAlone(), Measuring(), Comparing()

TOKENS: ContextVar[list[str]] = ContextVar("tokens")


def command_line() -> str:
    """Return the current command without the options that do not affect numbers."""
    tokens, kept = iter(TOKENS.get()), [NAME]
    for token in tokens:
        name, equals, _ = token.partition("=")
        if name not in WITHOUT_NUMBERS:
            kept.append(token)
        elif WITHOUT_NUMBERS[name] and not equals:
            next(tokens, None)
    return shlex.join(kept)


def require_no_embedding(names: Sequence[str], command: str) -> None:
    """If an embedding is among the lists, raise a ValueError that shows how to pass it."""
    from .._core.resources import bundled_names
    from ..embeddings.registry import ENDINGS, GENSIM_NAMES
    from ..tables.wordlist_files import ENDINGS as OF_LISTS

    endings = {*ENDINGS}.difference(OF_LISTS)
    known = {*bundled_names("vectors", ".npz"), *GENSIM_NAMES}
    for name in names:
        path = Path(name)
        if name in known or path.suffix.lower() in endings or (path / "vectors.npy").is_file():
            lists = " ".join(other for other in names if other != name) or "LIST"
            call = f"{NAME} {command} {lists} --vectors {name}"
            raise ValueError(f"{name!r} is an embedding; write `{call}`")


def require_file(out: Path | None, *endings: str, force: bool) -> None:
    """Check that a requested file can be written, before any work is done."""
    from .._core.files import recover

    if out is None:
        return
    recover(out)
    if out.suffix not in endings:
        raise ValueError(f"--out must end in {' or '.join(endings)}; got {out.name!r}")
    if out.is_dir():
        raise IsADirectoryError(f"{out} is a folder; pass a file name with --out")
    if out.exists() and not force:
        raise ValueError(f"{out} already exists; pass --force to replace it")
    if not out.absolute().parent.is_dir():
        raise FileNotFoundError(f"cannot write {out.name}: there is no folder {out.parent}")
