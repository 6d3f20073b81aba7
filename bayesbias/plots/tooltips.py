"""What points and bars of a plot say when a report lets its reader point at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist

_TEXTS = "bayesbias_tips"
"""Attribute of an artist that holds the texts of its parts."""


def set_tips(artist: Artist, texts: Iterable[str]) -> None:
    """Attach a text to every point of a line, or part of a collection, in drawing order."""
    setattr(artist, _TEXTS, tuple(texts))


def tips_of(artist: Artist) -> tuple[str, ...]:
    """Return the texts of an artist's parts; none, if it has none."""
    texts: tuple[str, ...] = getattr(artist, _TEXTS, ())
    return texts


def tip(word: str, what: str, *values: float) -> str:
    """Write a tip: who or what it is, and below it the value and its interval, if any."""
    head = f"{word}, {what}" if what else word
    mean, *ends = (f"{value:.3f}".replace("-", "−") for value in values)
    return f"{head}\n{mean}" + (f", interval {ends[0]} to {ends[1]}" if ends else "")
