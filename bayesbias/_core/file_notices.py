"""Notices about what was found in files of vectors."""

from __future__ import annotations

from dataclasses import dataclass

from .warnings import BayesbiasWarning


@dataclass(unsafe_hash=True)
class OddLines(BayesbiasWarning):
    """Lines of a text file that are left out, and how the first three begin."""

    n: int
    dims: int
    lines: tuple[str, ...]
    text = (
        "left out {n:line that is|lines that are} not a word followed by {dims:number}, as the "
        "other lines are: {lines}"
    )


@dataclass(unsafe_hash=True)
class WrongHeader(BayesbiasWarning):
    """A file has some words more or fewer than its first line promises."""

    found: int
    promised: int
    text = (
        "the first line promises {promised:word}, but there are {found:,}, which were all read; if "
        "words are missing, download the file again"
    )


@dataclass(unsafe_hash=True)
class KeysWithBlanks(BayesbiasWarning):
    """Keys in word2vec's binary format, which does not mark where keys with blanks end."""

    n: int
    keys: tuple[str, ...]
    text = (
        "{n:key contains|keys contain} blanks ({keys:3}), and where they end was found from the "
        "numbers; check a few, or save the vectors as text"
    )


@dataclass(unsafe_hash=True)
class ReadAsLatin1(BayesbiasWarning):
    """Words that are not UTF-8; `doubtful` if they do not look like words in Latin-1 either."""

    n: int
    words: tuple[str, ...]
    doubtful: bool
    text = (
        "the file is not UTF-8, so {n:word was|words were} read as Latin-1 ({words:3}){doubt}. If "
        "the encoding is another, such as GBK, convert it: iconv -f GBK -t UTF-8 OLD > NEW"
    )

    @property
    def doubt(self) -> str:
        """Whether this looks wrong."""
        return ", which looks wrong" if self.doubtful else ""


@dataclass(unsafe_hash=True)
class SlowText(BayesbiasWarning):
    """Reading text took long; a hint, which results do not keep."""

    seconds: int
    path: str
    text = (
        "reading {path} took {seconds:second}; `bayesbias convert {path} FOLDER` makes a folder "
        "that opens at once"
    )
