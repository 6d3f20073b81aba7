"""Checks of arguments, and errors that name the argument."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from numbers import Integral
from typing import TypeGuard


@dataclass(frozen=True)
class Argument:
    """An argument of a function as a message names it, with the value to give it, if any."""

    name: str
    value: object = None

    def __str__(self) -> str:
        """Return the argument as Python writes it."""
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class NamesArguments(Exception):  # noqa: N818  a mixin of errors and of warnings
    """A message made of texts and arguments, which the command line writes as its options."""

    def __init__(self, *parts: str | Argument) -> None:
        super().__init__(*parts)

    def __str__(self) -> str:
        """Return the message with its arguments as Python writes them."""
        return self.spelled(str)

    def spelled(self, spell: Callable[[Argument], str]) -> str:
        """Return the message with every argument as `spell` writes it."""
        return "".join(spell(part) if isinstance(part, Argument) else part for part in self.args)


class ArgumentError(NamesArguments, ValueError):
    """A ValueError that names arguments."""


class ArgumentWarning(NamesArguments, UserWarning):
    """A warning that names arguments."""


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> str:
    """Return that a name is unknown, which names there are, and which name is closest."""
    known = sorted(choices)
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}? Known" if near else "; known"
    return f"unknown {kind} {name!r}{hint}: {', '.join(known)}"


def check_choice(kind: str, name: object, choices: Iterable[str]) -> None:
    """Raise a ValueError for a name that is none of the choices."""
    if name not in (known := [*choices]):
        raise ValueError(unknown_name(kind, str(name), known))


def check_path(what: str, source: object, otherwise: str) -> None:
    """Raise a TypeError for what is not a name or a path."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"{what} is given by its name or path, or as {otherwise}; got {type(source).__name__}, "
            + " ".join(reprlib.repr(source).split())
        )


def require_extra(what: str, extra: str, *packages: str) -> None:
    """If a package is not installed, raise an ImportError that names the extra to install."""
    if missing := [name for name in packages if find_spec(name) is None]:
        text = f"{what} need {' and '.join(packages)}: pip install 'bayesbias[{extra}]'"
        raise ModuleNotFoundError(f"{text} ({missing[0]} is missing)", name=missing[0])


def check_numbers(*, least: int = 1, **numbers: int) -> None:
    """Raise an ArgumentError for the first number that is not whole, or below the least."""
    for name, value in numbers.items():
        if not is_whole(value) or value < least:
            text = f" must be a whole number, {least} or more; got {value!r}"
            raise ArgumentError(Argument(name), text)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number; a boolean is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)
