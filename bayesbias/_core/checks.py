"""Check arguments, and raise errors that name the invalid argument."""

from __future__ import annotations

import os
import reprlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from numbers import Integral
from typing import Any, TypeGuard

from .display import abridged


@dataclass(frozen=True)
class Argument:
    """A function argument named in a message, with an optional suggested value."""

    name: str
    value: object = None

    def __str__(self) -> str:
        """Return the argument in Python notation."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class NamesArguments(Exception):  # noqa: N818  a mixin for errors and warnings
    """A message made of text and arguments; the command line shows each argument as an option."""

    def __init__(self, *parts: str | Argument) -> None:
        super().__init__(*parts)

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        """The message, as text and arguments."""
        return self.args

    def __str__(self) -> str:
        """Return the message with its arguments in Python notation."""
        return self.spelled(str)

    def spelled(self, spell: Callable[[Argument], str]) -> str:
        """Return the message, with each argument converted to text by `spell`."""
        return "".join(spell(part) if isinstance(part, Argument) else part for part in self.parts)


class ArgumentError(NamesArguments, ValueError):
    """A ValueError that names arguments."""


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> str:
    """Return a message for an unknown name, with the known names and any close match."""
    known = sorted(choices)
    near = get_close_matches(name.lower(), known, n=1)
    hint = f"; did you mean {near[0]!r}? Known" if near else "; known"
    return f"unknown {kind} {name!r}{hint}: {', '.join(known)}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun, such as "1 word" or "2 words"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def check_choice(kind: str, name: object, choices: Iterable[str]) -> None:
    """Raise a ValueError if a name is not among the choices."""
    if name not in (known := [*choices]):
        raise ValueError(unknown_name(kind, str(name), known))


def check_listed(what: str, words: object) -> None:
    """Raise a TypeError for a string, whose letters are not words."""
    if isinstance(words, str):
        raise TypeError(f"{what} must be a list of words; for one word, pass [{words!r}]")


def check_once(what: str, names: Iterable[str]) -> None:
    """Raise a ValueError for names that occur more than once."""
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{what} contains {abridged(twice)} more than once; keep one of each")


def check_words(what: str, words: object) -> None:
    """Raise a TypeError for a string, whose letters are not words, and for words not of text."""
    check_listed(what, words)
    listed = words if isinstance(words, list | tuple | set | frozenset) else ()
    if odd := [word for word in listed if not isinstance(word, str)]:
        raise TypeError(f"the words of {what} must be text; got {reprlib.repr(odd[0])}")


def check_path(what: str, source: object, allowed: str = "a path") -> None:
    """Raise a TypeError, which says what is allowed, unless a source is a name or a path."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"{what} must be {allowed}; got the {type(source).__name__} "
            + " ".join(reprlib.repr(source).split())
        )


def require_extra(what: str, extra: str, *packages: str) -> None:
    """If a package is not installed, raise an ImportError that names the extra to install."""
    if missing := [name for name in packages if find_spec(name) is None]:
        text = f"{what} require {' and '.join(packages)}; run pip install 'bayesbias[{extra}]'"
        raise ModuleNotFoundError(f"{text} ({missing[0]} is missing)", name=missing[0])


def check_numbers(*, least: int = 1, **numbers: int) -> None:
    """Raise an ArgumentError for the first value that is not a whole number or is below `least`."""
    for name, value in numbers.items():
        if not is_whole(value) or value < least:
            text = f" must be a whole number, {least} or more; got {value!r}"
            raise ArgumentError(Argument(name), text)


def check_labels(given: Mapping[str, object], of: str = "index") -> None:
    """Raise a ValueError if the labels of Series or frames differ: their numbers are read in order.

    `of` names the labels, index or columns. Arrays and lists have none and are not compared.
    """
    found: dict[str, Any] = {name: getattr(one, of, None) for name, one in given.items()}
    known = [(name, labels) for name, labels in found.items() if hasattr(labels, "equals")]
    for name, labels in known:
        first, usual = known[0]
        if labels is not usual and not labels.equals(usual):
            text = " and ".join(" ".join(reprlib.repr([*each]).split()) for each in (usual, labels))
            raise ValueError(
                f"{first} and {name} have different labels ({text}), but their numbers are read in "
                "order. Select the same labels in the same order, or pass arrays (.to_numpy())"
            )


def check_filled(labels: Mapping[str, object]) -> None:
    """Raise a ValueError if a label is missing, because its row would not count."""
    import numpy as np
    import pandas as pd

    for name, given in labels.items():
        if (lost := pd.isna(np.asarray(given, dtype=object))).any():
            row = int(np.argwhere(lost)[0, 0])
            raise ValueError(f"there is no {name} in row {row}; fill it in, or leave the row out")


def check_flags(**flags: object) -> None:
    """Raise an ArgumentError unless all values are True or False; any text would be true."""
    for name, value in flags.items():
        if type(value).__name__ not in {"bool", "bool_"}:  # of Python and of NumPy
            raise ArgumentError(Argument(name), f" must be True or False; got {value!r}")


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number; booleans do not count."""
    return isinstance(value, Integral) and not isinstance(value, bool)
