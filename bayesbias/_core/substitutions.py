"""Collect the words that are read in another spelling, so that every command can name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_READ_AS: ContextVar[dict[str, str] | None] = ContextVar("read_as", default=None)


@contextmanager
def substitutions() -> Iterator[dict[str, str]]:
    """Yield a dict of the words that are read in another form in the block, and their forms."""
    found: dict[str, str] = {}
    before = _READ_AS.set(found)
    try:
        yield found
    finally:
        _READ_AS.reset(before)


def note_substitution(word: str, form: str) -> None:
    """Add a word to the enclosing `substitutions` if it is read in another form."""
    found = _READ_AS.get()
    if found is not None and form != word:
        found[word] = form
