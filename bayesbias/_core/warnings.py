"""The base of all warnings, whose fields are what was found; `str` puts them into words."""

from __future__ import annotations

import contextlib
import warnings
from ast import literal_eval
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from string import Formatter
from typing import Any, ClassVar, Self

from .checks import Argument, NamesArguments, counted
from .display import abridged

_SKIPPED = str(Path(__file__).resolve().parent.parent), contextlib.__file__.removesuffix(".py")
"""Path prefixes that warnings skip: the package and contextlib. A complete path does not match."""


def warn(warning: Warning) -> None:
    """Issue a warning that points to the first line outside the package."""
    warnings.warn(warning, skip_file_prefixes=_SKIPPED)


@dataclass(unsafe_hash=True)
class BayesbiasWarning(NamesArguments, UserWarning):
    """Base class of all warnings of this package; filters can name any class.

    Warnings are equal if their class and all fields are equal. `about` names what a warning is
    about, such as a file or a model; it is empty if there is only one candidate.

    Examples
    --------
    >>> import bayesbias as bb
    >>> one = bb.warnings.RepeatedRows(n=2, total=34, about="mine.csv")
    >>> print(one.n, one)
    2 mine.csv: of 34 rows, 2 repeat an earlier row exactly, so intervals are too narrow. Use
    table.drop_duplicates() to remove repeats
    """

    text: ClassVar[str]
    """The message with its fields, in which

    - ``{n:word}`` or ``{n:word is|words are}`` is a count with its noun,
    - ``{names}`` lists the first few strings of a tuple,
    - ``{option:draws}`` or ``{option:method='nuts'}`` is an argument.
    """

    about: str = field(default="", kw_only=True)

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        """The message, as text and arguments."""
        made: list[str | Argument] = [f"{self.about}: "] if self.about else []
        for plain, name, how, conversion in Formatter().parse(self.text):
            made.append(plain)
            if name == "option":
                option, _, value = str(how).partition("=")
                made.append(Argument(option, literal_eval(value) if value else None))
            elif name is not None:
                value = getattr(self, name)
                made.append(repr(value) if conversion else _spelled(value, str(how)))
        return tuple(made)

    def concerning(self, about: str) -> Self:
        """Return this warning about something larger, which is named in front."""
        return replace(self, about=f"{about}: {self.about}" if self.about else about)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **vars(self)), ()


def _spelled(value: object, how: str) -> str:
    """Format a field: counts with their noun, tuples of strings as lists."""
    if isinstance(value, tuple):
        return abridged(value, int(how or 8))
    if isinstance(value, int) and how[:1].isalpha():
        one, _, many = how.partition("|")
        return counted(value, one, many or None)
    return format(value, how)


def as_ours(warning: Warning | str) -> BayesbiasWarning:
    """Return a warning that can be kept: one of ours as it is, others by their text."""
    if isinstance(warning, BayesbiasWarning):
        return warning
    return OtherWarning(type(warning).__name__, str(warning))


@dataclass(unsafe_hash=True)
class OtherWarning(BayesbiasWarning):
    """A warning of another package, kept as the name of its class and its text."""

    category: str
    message: str
    text = "{message}"


@dataclass(unsafe_hash=True)
class SamplingWarning(BayesbiasWarning):
    """Base class of the doubts about a posterior; commands then end with exit status 3.

    Examples
    --------
    >>> import bayesbias as bb
    >>> one = bb.warnings.FewProposals(size=80, limit=400)
    >>> print(isinstance(one, bb.SamplingWarning), one)
    True there are only 80 effective proposals, fewer than 400: raise draws, or use method='nuts'
    """
