"""What commands share: options of an embedding, of a fit and of results; the command that repeats.

cyclopts makes the options of a command from its signature and docstring, and flattens dataclasses.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter as Option

import bayesbias as bb

from ..sampling.options import FitOptions
from .screen import NAME, QUIET, say

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

FAILED, WARNED = 1, 3
"""Exit codes: of a check that found errors, and of results with sampling warnings."""

SEED = 1
"""Default of ``--seed``: two runs of one command give the same numbers."""

WITHOUT_NUMBERS = {
    **dict.fromkeys(("--out", "-o", "--plots", "--keep", "--compare-to"), True),
    **dict.fromkeys(("--jobs", "-j", "--dask"), True),
    **dict.fromkeys(("--force", "--open", "--posteriors"), False),
}
"""Options that no number depends on, and whether they take a value."""

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
Jobs = Annotated[int, Option(alias="-j", help="Processes; -1 for one a core.")]
Plots = Annotated[
    Literal["png", "svg", "png,svg"] | None,
    Option(help="Also write the report's figures as files: png, svg or png,svg."),
]
OpenReport = Annotated[bool, Option(name="--open", help="Open the report in a browser.")]
Hidden = Annotated[bool, Option(parse=False)]


@Option(name="*")
@dataclass(frozen=True)
class Reading:
    """How an embedding is read.

    Parameters
    ----------
    vectors : str
        A bundled embedding (glove-demo), a name of gensim's downloader, or a file: .bin .txt .vec
        (also in .gz or .zip) .npz .kv .model. See `bayesbias docs own-words`.
    case : str
        How words are looked up: exact, lower (in lower case), or fallback (as they stand, else in
        lower case).
    """

    vectors: Annotated[str, Option(alias="-v")] = "glove-demo"
    case: str = "exact"
    allow_pickle: AllowPickle = False


@Option(name="*")
@dataclass(frozen=True)
class ListReading(Reading):
    """How the words of a list are read from an embedding.

    Parameters
    ----------
    strip_accents : bool
        Look words up without accents where they lack with them.
    subwords : bool
        Make vectors of words that a fastText model lacks, of their n-grams.
    max_missing : float
        Refuse a list if a set lost more than this share of its words; by default it is marked.
    """

    strip_accents: bool = False
    subwords: bool = True
    max_missing: float | None = None

    @property
    def name(self) -> str:
        """The embedding's name, or its file's without the folder."""
        return Path(self.vectors).name or self.vectors

    def load(self, words: bb.WordList) -> KeyedVectors:
        """Read the vectors of words."""
        names = ("strip_accents", "subwords", "allow_pickle")
        kept = {name: getattr(self, name) for name in names}
        return bb.load_vectors(self.vectors, words, self.case, progressbar=not QUIET.get(), **kept)


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class Fitting(FitOptions):
    """The options of a fit that commands have."""

    seed: int = SEED
    progressbar: Hidden = True

    @property
    def shown(self) -> Fitting:
        """The options, with a progress bar if anything is to be shown."""
        return replace(self, progressbar=not QUIET.get())


@Option(name="*")
@dataclass(frozen=True, kw_only=True)
class FittingAlone(Fitting):
    """The options of a fit whose differences are not read."""

    rope: Annotated[float | None, Option(parse=False)] = None


READING, LIST_READING = Reading(), ListReading()
FITTING, FITTING_ALONE = Fitting(), FittingAlone()

TOKENS: ContextVar[list[str]] = ContextVar("tokens")
"""Arguments of the command under way."""


def command_line() -> str:
    """Write the command under way without the options that no number depends on."""
    tokens, kept = iter(TOKENS.get()), [NAME]
    for token in tokens:
        name, equals, _ = token.partition("=")
        if name not in WITHOUT_NUMBERS:
            kept.append(token)
        elif WITHOUT_NUMBERS[name] and not equals:
            next(tokens, None)
    return shlex.join(kept)


def require_lists(names: Sequence[str], command: str) -> None:
    """Raise a ValueError that says how to name an embedding, if one stands among the lists."""
    from .._core.resources import bundled_names
    from ..embeddings.registry import ENDINGS, GENSIM_NAMES

    known = {*bundled_names("vectors", ".npz"), *GENSIM_NAMES}
    for name in names:
        path = Path(name)
        if name in known or path.suffix.lower() in ENDINGS or (path / "vectors.npy").is_file():
            lists = " ".join(other for other in names if other != name) or "LIST"
            call = f"{NAME} {command} {lists} --vectors {name}"
            raise ValueError(f"{name!r} is an embedding; write `{call}`")


def require_file(out: Path | None, *endings: str, force: bool) -> None:
    """Check, before any work is done, whether a file can be written, if one is asked for."""
    from ..workflows.output import require_file_place

    if out is not None:
        require_file_place(out, endings, force=force)


def kinds(plots: str | None) -> list[str]:
    """Return the kinds of files that figures are written as."""
    return plots.split(",") if plots else []


def finish(
    lines: Iterable[str], out: Path, *, open_report: bool = False, doubtful: bool = False
) -> int:
    """Print what was found and where the report is, open it if asked; return the exit code."""
    page = out / "report.html"
    say(*lines, f"Report: {page}")
    if open_report:
        import webbrowser

        webbrowser.open(page.absolute().as_uri())
    return WARNED if doubtful else 0
