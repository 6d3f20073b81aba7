"""What commands share: options of an embedding, of a fit, of results; and the command that repeats.

cyclopts makes the options of a command from its signature and docstring, and flattens dataclasses.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from inspect import BoundArguments, Parameter, cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter as Option

from ..sampling.options import FitOptions
from .screen import NAME, Screen

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from ..tables.wordlists import WordList

FIT = (
    *("method", "draws", "chains", "tune", "target_accept"),
    *("seed", "ci_prob", "ci_kind", "rope"),
)
"""Fields of `FitOptions` that are options of commands."""

MADE_WITHOUT = {
    *("out", "force", "screen", "open_report", "posteriors", "keep", "plots"),
    *("jobs", "dask", "compare_to", "quiet"),
}
"""Parameters that no number depends on."""

FLAGS = {"open_report": "--open", "reference_list": "--list"}
"""Options that are not called as their parameter is."""

FAILED, WARNED = 1, 3
"""Exit codes: of a check that found errors, and of results with sampling warnings."""

SEED = 1
"""Default of ``--seed``: two runs of one command give the same numbers."""

EXIT_CODES = (
    "Exit codes: 0 all is well; 1 a check found errors, or cells of a sweep failed; 2 bad input, "
    "nothing was written; 3 results were written, but the sampler warned; 130 interrupted; "
    "141 the reader of stdout went away."
)

Models = Annotated[list[str] | None, Option(name="--model", alias="-m")]
Model = Annotated[str, Option(alias="-m")]
OneList = Annotated[str, Option(help="Name of a bundled list, or path of a .toml file.")]
OutFile = Annotated[Path, Option(alias="-o")]
OutFolder = Annotated[Path, Option(alias="-o", help="Folder for the results.")]
Force = Annotated[bool, Option(help="Replace earlier results; files of others are left alone.")]
AllowPickle = Annotated[
    bool,
    Option(help="Allow files that can run any program when opened: only from people you trust."),
]
Count = Annotated[int, Option(alias="-n")]
Jobs = Annotated[int, Option(alias="-j", help="Processes; -1 for one a core.")]
Plots = Annotated[
    Literal["png", "svg", "png,svg"] | None,
    Option(help="Also write the report's figures as files: png, svg or png,svg."),
]
OpenReport = Annotated[bool, Option(name="--open", help="Open the report in a browser.")]


@Option(name="*")
@dataclass(frozen=True)
class Reading:
    """How an embedding is read.

    Parameters
    ----------
    vectors : str
        A bundled embedding (glove-demo), a name of gensim's downloader
        (glove-wiki-gigaword-100), or a file: .bin .txt .vec, also in .gz or .zip (one of several
        in a .zip: glove.6B.zip::glove.6B.50d.txt), .npz, .kv, .model. See `bayesbias docs
        own-words`.
    case : str
        How words are looked up: exact, lower (in lower case), or fallback (as they stand, else in
        lower case).
    """

    vectors: Annotated[str, Option(alias="-v")] = "glove-demo"
    case: str = "exact"
    allow_pickle: AllowPickle = False


@Option(name="*")
@dataclass(frozen=True)
class FallbackReading(Reading):
    """How the embedding is read: with case fallback, if you do not ask for another."""

    case: str = "fallback"


@Option(name="*")
@dataclass(frozen=True)
class ListReading(Reading):
    """How the words of a list are read from an embedding.

    Parameters
    ----------
    strip_accents : bool
        Look words up without accents where they lack with them.
    max_missing : float
        Refuse a list if a set lost more than this share of its words, as WEFE does with
        0.2. By default such sets are marked.
    """

    strip_accents: bool = False
    max_missing: float | None = None

    def load(self, words: WordList | Collection[str], screen: Screen) -> KeyedVectors:
        """Read the vectors of words."""
        from ..embeddings.load import load_vectors

        return load_vectors(
            self.vectors,
            words,
            self.case,
            strip_accents=self.strip_accents,
            allow_pickle=self.allow_pickle,
            progressbar=not screen.quiet,
        )


READING, LIST_READING, FALLBACK = Reading(), ListReading(), FallbackReading()


class FitChoice:
    """What was chosen of the options of a fit."""


def takes_fit[F: Callable[..., Any]](*without: str) -> Callable[[F], F]:
    """Give a command whose parameter is ``fitting`` the options of a fit, but for some."""
    shown = [each for each in fields(FitOptions) if each.name in FIT and each.name not in without]
    defaults = {each.name: SEED if each.name == "seed" else each.default for each in shown}
    made = make_dataclass(
        "Fitting",
        [(name, type(default), default) for name, default in defaults.items()],
        bases=(FitChoice,),
        namespace={"__doc__": cleandoc(FitOptions.__doc__ or "")},
        frozen=True,
    )

    def decorate(function: F) -> F:
        function.__annotations__["fitting"] = Annotated[made, Option(name="*")]
        function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), "fitting": made()}
        return function

    return decorate


_WORDS: ContextVar[tuple[list[str], dict[str, Any]]] = ContextVar("words")
"""The command under way, and the values of its options by their flags; '' has the arguments."""


@contextmanager
def under_way(chain: Iterable[str], bound: BoundArguments) -> Iterator[None]:
    """Remember a command for `command_line`, and make its options of a fit."""
    bound.apply_defaults()
    screen = bound.arguments.get("screen", Screen())
    shown: dict[str, Any] = {"": []}
    for name, parameter in bound.signature.parameters.items():
        value = bound.arguments[name]
        if isinstance(value, FitChoice):
            bound.arguments[name] = FitOptions(**vars(value), progressbar=not screen.quiet)
        if name in MADE_WITHOUT:
            continue
        if is_dataclass(value):
            shown |= vars(value)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            shown |= value
        elif parameter.kind is Parameter.KEYWORD_ONLY:
            shown[name] = value
        else:
            shown[""] += value if isinstance(value, tuple | list) else [value]
    token = _WORDS.set(([NAME, *chain], shown))
    try:
        yield
    finally:
        _WORDS.reset(token)


def command_line(*idle: str, **settled: object) -> str:
    """Write the command under way with every setting that a number depends on spelled out.

    `idle` are parameters that do nothing in it, `settled` values that were found for others.
    """
    chain, given = _WORDS.get()
    words = [*chain, *(str(value) for value in given[""] if value is not None)]
    for name, value in (given | settled).items():
        if not name or name in idle or value is None or value is False:
            continue
        flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
        values = [] if value is True else value if isinstance(value, list | tuple) else [value]
        once = name == "ranks" or value is True
        words += [flag, *map(str, values)] if once else [w for v in values for w in (flag, str(v))]
    return shlex.join(words)


def kinds(plots: str | None) -> list[str]:
    """Return the kinds of files that figures are written as."""
    return plots.split(",") if plots else []


def finish(
    screen: Screen,
    lines: Iterable[str],
    out: Path,
    *,
    open_report: bool = False,
    doubtful: bool = False,
) -> int:
    """Print what was found and where the report is, open it if asked; return the exit code."""
    page = out / "report.html"
    screen.say(*lines, f"Report: {page}")
    if open_report:
        import webbrowser

        webbrowser.open(page.absolute().as_uri())
    return WARNED if doubtful else 0
