"""The base of all warnings, whose fields are what was found; `str` puts them into words."""

from __future__ import annotations

import contextlib
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from string import Formatter
from threading import Lock
from typing import Any, ClassVar, Self, dataclass_transform

from .checks import Argument, NamesArguments, counted
from .display import abridged

_SKIPPED = str(Path(__file__).resolve().parent.parent), contextlib.__file__.removesuffix(".py")
"""Path prefixes that warnings skip: the package and contextlib. A complete path does not match."""


_IGNORED: ContextVar[tuple[type[Warning], ...]] = ContextVar("ignored", default=())
_KINDS = UserWarning, RuntimeWarning
"""Classes of other packages' warnings that are collected; the others are for developers."""
_HEARD: ContextVar[list[Warning | str] | None] = ContextVar("heard", default=None)


def warn(warning: Warning) -> None:
    """Issue a warning that points to the first line outside the package."""
    if isinstance(warning, _IGNORED.get()):
        return
    if (found := _HEARD.get()) is not None:
        found.append(warning)
    else:
        warnings.warn(warning, skip_file_prefixes=_SKIPPED)


@contextlib.contextmanager
def ignored(*kinds: type[Warning]) -> Iterator[None]:
    """Issue no warnings of these classes in a block, whatever other threads do."""
    before = _IGNORED.set((*_IGNORED.get(), *kinds))
    try:
        yield
    finally:
        _IGNORED.reset(before)


@contextlib.contextmanager
def heard() -> Iterator[list[Warning | str]]:
    """Collect the warnings of a block; blocks in several threads may overlap.

    Python's filters belong to the whole process. So warnings of other packages may be missed while
    one of the blocks changes filters; ours are not.
    """
    found: list[Warning | str] = []
    with _HOOK:
        before = _HEARD.set(found)
        try:
            yield found
        finally:
            _HEARD.reset(before)


@contextlib.contextmanager
def without(kind: type[Warning], beginning: str = "") -> Iterator[None]:
    """Drop warnings of other packages in a block, by class and beginning, as `ignored` does ours.

    The block's other warnings are issued when it ends.
    """
    with heard() as found:
        yield
    for one in found:
        if not (isinstance(one, kind) and str(one).startswith(beginning)):
            warn(one if isinstance(one, Warning) else UserWarning(one))


@contextlib.contextmanager
def _hooked() -> Iterator[None]:
    """Give user and runtime warnings of other packages to the block of their thread."""
    with warnings.catch_warnings():
        for kind in _KINDS:
            warnings.simplefilter("always", kind)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:  # noqa: ANN401
            found = _HEARD.get()
            if found is None or not issubclass(category, _KINDS):
                shown(message, category, *where)
            else:
                found.append(message)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


class Overlapping:
    """A context that the first of several overlapping blocks enters, and the last one leaves."""

    def __init__(self, make: Callable[[], contextlib.AbstractContextManager[object]]) -> None:
        self._make, self._lock, self._n, self._stack = make, Lock(), 0, contextlib.ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._n:
                self._stack.enter_context(self._make())
            self._n += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n -= 1
            if not self._n:
                self._stack.close()


_HOOK = Overlapping(_hooked)


@dataclass_transform(field_specifiers=(field,))
class _WithFields(NamesArguments, UserWarning):
    """A warning whose subclasses are dataclasses."""

    def __init_subclass__(cls) -> None:
        dataclass(unsafe_hash=True)(cls)


class BayesbiasWarning(_WithFields):
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

    - ``{n:word}`` or ``{n:word is|words are}`` is a count with its noun (None is unknown),
    - ``{flag:text|other text}`` is the first text if the flag is True,
    - ``{names}`` lists the first few strings of a tuple, and ``{pairs: = }`` the first few pairs,
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
    """Format a field: counts with their noun, tuples as lists, flags as one of two texts."""
    if isinstance(value, tuple):
        nested = value and isinstance(value[0], tuple)
        return abridged(list(map(how.join, value))) if nested else abridged(value, int(how or 8))
    one, _, other = how.partition("|")
    if isinstance(value, bool):
        return one if value else other
    if value is None:
        return "an unknown number"
    if isinstance(value, int) and how[:1].isalpha():
        return counted(value, one, other or None)
    return format(value, how)


def as_ours(warning: Warning | str) -> BayesbiasWarning:
    """Return a warning that can be kept: one of ours as it is, others by their text."""
    if isinstance(warning, BayesbiasWarning):
        return warning
    return OtherWarning(type(warning).__name__, str(warning))


class OtherWarning(BayesbiasWarning):
    """A warning of another package, kept as the name of its class and its text."""

    category: str
    message: str
    text = "{message}"


class SamplingWarning(BayesbiasWarning):
    """Base class of the doubts about a posterior; commands then end with exit status 3.

    Examples
    --------
    >>> import bayesbias as bb
    >>> one = bb.warnings.FewProposals(size=80, limit=400)
    >>> print(isinstance(one, bb.SamplingWarning), one)
    True there are only 80 effective proposals, fewer than 400: raise draws, or use method='nuts'
    """


class DamagedResults(BayesbiasWarning):
    """Saved results that cannot be read and are computed again."""

    n: int
    folder: str
    text = "{n:damaged result} in {folder} will be computed again"


class RunWasStopped(BayesbiasWarning):
    """A run was stopped while it was writing; earlier results were restored if there were any."""

    path: str
    restored: bool
    text = (
        "a run was stopped before it finished writing {path}; {restored:the earlier results were "
        "restored|its partial output was removed}"
    )


def to_dict(warning: BayesbiasWarning) -> dict[str, Any]:
    """Return the class and the fields of a warning, for JSON."""
    return {"class": type(warning).__name__, **asdict(warning)}


def from_dict(kept: Mapping[str, Any] | str) -> BayesbiasWarning:
    """Make the warning that `to_dict` kept, or that an earlier version kept as text."""
    if isinstance(kept, str):
        return OtherWarning("UserWarning", kept)
    public = import_module(f"{__package__.partition('.')[0]}.warnings")
    kind: type[BayesbiasWarning] = getattr(public, kept["class"])
    return kind(**{name: _field(value) for name, value in kept.items() if name != "class"})


def _field(value: Any) -> Any:  # noqa: ANN401
    """Convert lists of JSON to tuples, and mappings to arguments."""
    if isinstance(value, list):
        return tuple(map(_field, value))
    return Argument(**value) if isinstance(value, Mapping) else value
