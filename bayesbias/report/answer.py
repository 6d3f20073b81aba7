"""Answers: what pages, terminals, notebooks, and cards lead with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .dots import DotPicture
from .sentences import Sentence


@dataclass(frozen=True)
class Answer:
    """A sentence with its verdict, the size, the picture, and reasons not to rely on them."""

    sentence: Sentence
    deck: str
    picture: DotPicture | None
    alerts: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def drawn(self) -> str:
        """The picture as SVG in both widths; empty without a picture."""
        return self.picture.svg() if self.picture else ""
