"""Decode words as UTF-8, or as Latin-1 if a file is not in UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from .._core.warnings import warn
from ..warnings import ReadAsLatin1

ODD = "backslashreplace"
"""Error handler for decoding bytes that are not UTF-8."""

LATIN = "bayesbias-latin-1"
"""Error handler that decodes as Latin-1 the bytes that Windows (cp1252) has no letter for."""

MOST_KEPT = 50
"""Number of words that are kept as examples."""

MOST_SPECIAL = 0.5
"""Largest share of special letters in words of languages that Latin-1 was made for."""


class Decoder:
    """Decode words one by one, and count those that are not UTF-8.

    Single damaged words of a UTF-8 file, such as words that word2vec cut off, are read with
    escapes. If most words with special letters so far are not UTF-8, they are read as Latin-1.
    """

    def __init__(self) -> None:
        self.good, self.bad, self.n_latin, self.latin = 0, 0, 0, list[str]()

    def __call__(self, word: bytes) -> str:
        """Return a word as text."""
        try:
            text = word.decode()
        except UnicodeDecodeError:
            self.bad += 1
            if self.bad <= self.good:
                return word.decode(errors=ODD)
            text = word.decode("cp1252", errors=LATIN)
            self.n_latin += 1
            if self.n_latin <= MOST_KEPT:
                self.latin.append(text)
            return text
        self.good += not text.isascii()
        return text

    def close(self, path: Path) -> None:
        """Warn if words were read as Latin-1."""
        if self.n_latin:
            warn_of_latin(self.n_latin, self.latin, path)


def warn_of_latin(n: int, words: Sequence[str], path: Path, *, strict: bool = False) -> None:
    """Warn that words were read as Latin-1; if they do not look like it, say so, or raise."""
    text = "".join(words if strict else words[:MOST_KEPT])
    special = sum(letter > "\x7f" for letter in text)
    doubtful = special > MOST_SPECIAL * len(text) or any("\x7f" < a < "\xa0" for a in text)
    if doubtful and strict:
        raise ValueError(
            "the text is not in UTF-8; save it as CSV in UTF-8. In Excel, choose the type CSV UTF-8"
        )
    warn(ReadAsLatin1(n, tuple(words[:MOST_KEPT]), doubtful, about=str(path)))


def _as_latin(error: UnicodeError) -> tuple[str, int]:
    """Return the letters of Latin-1 for the bytes of an error, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(LATIN, _as_latin)
