"""Characters that readers cannot see or mistake for others, named by their code points."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

_CYRILLIC = dict(
    zip("авеѕіјкмнорстухһԁԛԝАВЕЅІЈКМНОРСТУХӀ", "abesijkmhopctyxhdqwABESIJKMHOPCTYXI", strict=True)
)
_GREEK = dict(zip("οαινυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oaivuABEZHIKMNOPTYX", strict=True))
_MARKS = dict.fromkeys("\u2018\u2019\u2032\u00b4\uff07", "'")
_MARKS |= dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")

LOOKALIKES = {
    ("CYRILLIC", "LATIN"): _CYRILLIC,
    ("LATIN", "CYRILLIC"): {latin: letter for letter, latin in reversed(_CYRILLIC.items())},
    ("GREEK", "LATIN"): _GREEK,
    ("LATIN", "GREEK"): {latin: letter for letter, latin in reversed(_GREEK.items())},
}
"""Letters of one script that look like letters of another script."""

JOINERS = "\u200c\u200d"
"""Characters without width that many scripts, but not these, need between letters."""

OPTIONAL = "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed" + JOINERS
"""Marks that may be left out at the end of a word: those of Hebrew and Arabic, and joiners."""

EUROPEAN = ("LATIN", "CYRILLIC", "GREEK")


@cache
def letters() -> str:
    r"""Return what finds the letters of words between a pattern's brackets.

    This is ``\w`` with joiners and with marks, which vowels are in many scripts. The selectors of
    text and emoji are no part of words.
    """
    selectors = range(0xFE0E, 0xFE10)
    kinds = groupby(
        map(chr, range(0x300, 0x20000)), lambda c: is_mark(c) and ord(c) not in selectors
    )
    runs = [[*characters] for marks, characters in kinds if marks]
    return rf"\w{JOINERS}" + "".join(f"{run[0]}-{run[-1]}" for run in runs)


def words_in(text: str, within: str = "") -> list[str]:
    """Return the words of a text, with composed letters; they may have the characters `within`."""
    return _word(within).findall(unicodedata.normalize("NFC", text))


@cache
def _word(within: str) -> re.Pattern[str]:
    return re.compile(rf"[\w{within}][{letters()}{within}]*")


def is_mark(character: str) -> bool:
    """Return whether a character is an accent, a vowel sign, or another mark on a letter."""
    return unicodedata.category(character).startswith("M")


def has_only_letters(word: str) -> bool:
    """Return whether a word consists of letters with their marks and joiners."""
    if word.isascii() or word.isalpha():
        return word.isalpha()
    parts = (letter.isalpha() or letter in JOINERS or is_mark(letter) for letter in word)
    return word[:1].isalpha() and all(parts)


def code_point(character: str) -> str:
    """Return a character's code point and name, such as ``U+200B (zero width space)``."""
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")


def script_of(character: str) -> str:
    """Return the first word of a letter's name, such as ``LATIN``; ``""`` if it is no letter."""
    return unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""


def unseen(text: str) -> list[str]:
    """Return the characters that have no width, or that look like an ordinary space."""
    found: list[str] = []
    if text.isascii():
        return found
    for place, letter in enumerate(text):
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        kind, name = unicodedata.category(letter), unicodedata.name(letter, "")
        hidden = kind == "Cf" or name.endswith("FILLER") or letter == "\u034f"
        if letter in JOINERS:
            around = {script_of(before), script_of(after)}
            hidden = not (before and after) or not around.isdisjoint(EUROPEAN)
        elif name.startswith("VARIATION SELECTOR"):
            hidden = not before or before.isalpha()
        if hidden or (kind == "Zs" and letter != " "):
            found.append(letter)
    return found


def mistaken(text: str) -> dict[str, str]:
    """Map characters to those that they look like: letters of the main script, or ASCII marks."""
    if text.isascii():
        return {}
    found = {letter: _MARKS[letter] for letter in text if letter in _MARKS}
    for letter in text:
        kind = unicodedata.decomposition(letter).split(" ")[0]
        if letter.isalnum() and kind in {"<compat>", "<wide>", "<font>", "<circle>"}:
            found[letter] = unicodedata.normalize("NFKC", letter)
    scripts = [script for letter in text if (script := script_of(letter)) in EUROPEAN]
    if len({*scripts}) == 2:
        rare, main = sorted({*scripts}, key=lambda one: (scripts.count(one), one == "LATIN"))
        letters = {letter for letter in text if script_of(letter) == rare}
        alike = LOOKALIKES.get((rare, main), {})
        if letters <= alike.keys():
            found |= {letter: alike[letter] for letter in letters}
    return found


def plainly(text: str) -> str:
    """Return a text as it looks: without unseen characters and with ordinary letters."""
    if text.isascii():
        return text
    hidden = dict.fromkeys(unseen(text), "")
    hidden |= {letter: " " for letter in hidden if unicodedata.category(letter) == "Zs"}
    seen = text.translate({ord(letter): other for letter, other in hidden.items()})
    return seen.translate({ord(letter): other for letter, other in mistaken(seen).items()}).strip()
