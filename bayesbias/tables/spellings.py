"""Handle spellings: forms to look up, the forms found, and spellings that share a vector."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from .._core.characters import code_point, letters, mistaken, plainly, script_of, unseen
from .._core.checks import Argument
from .._core.substitutions import note_substitution

if TYPE_CHECKING:
    import gensim.models

type KeyedVectors = gensim.models.KeyedVectors
"""gensim's class, defined here because importing gensim takes more than a second."""

FORM = "matched_form"
"""Name of the vector attribute that stores the form in which each word was found."""

CASES = ("exact", "lower", "fallback")
"""Ways to look up a word: as spelled, in lower case, or as spelled and then in lower case."""


WORD = "{word}"
"""Place of the word in the pattern of an embedding's keys, such as ``/c/en/{word}``."""

REMEMBERED = 10_000
"""Number of words whose forms are remembered, because a sweep asks for them in every embedding."""


@lru_cache(REMEMBERED)
def forms_of(word: str, case: str = "exact", *, strip_accents: bool = False) -> tuple[str, ...]:
    """Return the forms in which a word is looked up, in order of preference.

    The word comes first, as spelled or in lower case, followed by variants with composed and with
    decomposed letters (Unicode's NFC and NFD) and with underscores for spaces (``New_York``). Forms
    without accents come last.
    """
    cased = {"exact": (word,), "lower": (_lower(word),), "fallback": (word, _lower(word))}[case]
    if word.isascii():
        forms = [*cased]
    else:
        forms = [form for one in cased for form in (one, _as("NFC", one), _as("NFD", one))]
        if strip_accents:
            forms += [without_accents(one) for one in cased]
    return tuple(dict.fromkeys(text for form in forms for text in (form, form.replace(" ", "_"))))


def _as(form: Literal["NFC", "NFD"], word: str) -> str:
    return unicodedata.normalize(form, word)


def _lower(word: str) -> str:
    """Return a word in lower case; the dot of a Turkish İ becomes part of the i."""
    return word.lower().replace("i\u0307", "i") if "\u0130" in word else word.lower()


def without_accents(word: str) -> str:
    """Return a word without the accents of Latin letters: ``cafe`` for ``café``.

    Letters such as ``ø`` stay the same, as do marks of other scripts: й is not и, and が is not か.
    """
    if word.isascii():
        return word
    kept, latin = [], False
    for part in _as("NFD", word):
        if not unicodedata.combining(part):
            latin = script_of(part) == "LATIN"
        elif latin:
            continue
        kept.append(part)
    return _as("NFC", "".join(kept))


@lru_cache(REMEMBERED)
def every_form(word: str) -> tuple[str, ...]:
    """Return all forms of a word, and forms that only hints use.

    These are capitalized spellings, the word as it looks (see `plainly`), and Turkish spellings:
    i for dotless ı, and ı for I.
    """
    looks = dict.fromkeys((word, plainly(word)))
    capitals = [text for one in looks for text in (one.capitalize(), one.title(), one.upper())]
    turkish = [text for one in looks for text in (one.replace("ı", "i"), _with_dotless(one))]
    others = [form for text in (*capitals, *turkish) for form in forms_of(text)]
    forms = [form for one in looks for form in forms_of(one, "fallback", strip_accents=True)]
    return tuple(dict.fromkeys([*forms, *others]))


def _with_dotless(word: str) -> str:
    return word.replace("I", "ı").lower() if "I" in word else word


def choose(
    asked: Iterable[str], found: Mapping[str, object], case: str, *, strip_accents: bool = False
) -> dict[str, str]:
    """Map each available word to the form in which it was found, in the source's order."""
    askers: dict[str, list[str]] = defaultdict(list)
    for word in asked:
        forms = forms_of(word, case, strip_accents=strip_accents)
        form = next((form for form in forms if form in found), None)
        if form is not None:
            note_substitution(word, form)
            askers[form].append(word)
    return {word: form for form in found for word in askers[form]}


def arguments_for(word: str, form: str, case: str, *, strip_accents: bool) -> tuple[Argument, ...]:
    """Return the arguments, other than those already set, with which a form would be found.

    If no arguments find it, return none.
    """
    for other, without in ((case, True), ("fallback", strip_accents), ("fallback", True)):
        if form in forms_of(word, other, strip_accents=without):
            changed = [Argument("case", other)] * (other != case)
            return (*changed, *([Argument("strip_accents", True)] * (without != strip_accents)))
    return ()


def other_forms(words: Iterable[str], forms: Collection[str]) -> dict[str, str]:
    """Map missing words to the first available form that only hints use."""
    available = forms if isinstance(forms, Mapping) else {*forms}
    found = {word: [form for form in every_form(word) if form in available] for word in words}
    return {word: some[0] for word, some in found.items() if some}


def spelling_hint(
    others: Mapping[str, str], case: str, *, strip_accents: bool
) -> tuple[str | Argument, ...]:
    """Say how one of the missing words is spelled, and with which arguments it would be found."""
    ways = {w: arguments_for(w, f, case, strip_accents=strip_accents) for w, f in others.items()}
    if not ways:
        return ()
    word = min(ways, key=lambda one: (not ways[one], one))
    odd = f" (the list's spelling has {found})" if (found := oddities(word)) else ""
    hint = f"{word!r} is spelled {others[word]!r} there{odd}. Use that spelling"
    first, *more = ways[word] or (None,)
    if first is None:
        return (hint,)
    return (f"{hint}, or pass ", first, *(part for one in more for part in (" and ", one)))


def oddities(word: str) -> str:
    """Name the unseen and mistaken characters of a word, or return an empty string."""
    odd = dict.fromkeys([*unseen(word), *mistaken(word)])
    return ", ".join(code_point(letter) for letter in odd)


def key_of_many(words: Iterable[str], keys: Iterable[str]) -> str:
    """Return the pattern of keys that contain words with a prefix or suffix, such as a tag.

    The pattern, such as ``/c/en/{word}``, is the one that the most words have, if at least two
    words and a fifth of all words have it; otherwise, an empty string is returned.
    """
    asked = {form: word for word in words for form in forms_of(word, "fallback")}
    found: dict[str, set[str]] = defaultdict(set)
    parts = re.compile(rf"(?:(?![\d_])[{letters()}])+")
    for key in keys:
        for part in parts.finditer(key):
            if part[0] != key and part[0] in asked:
                pattern = f"{key[: part.start()]}{WORD}{key[part.end() :]}"
                if pattern.isprintable():
                    found[pattern].add(asked[part[0]])
    best = max(found, key=lambda pattern: len(found[pattern]), default="")
    enough = max(2, len({*asked.values()}) / 5)
    return best if best and len(found[best]) >= enough else ""


def resolved_forms(vectors: KeyedVectors) -> dict[str, str]:
    """Map words to the forms in which `load_vectors` found them, if the two differ.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors = bb.load_vectors("glove-demo", ["He", "she"], case="fallback")
    >>> bb.resolved_forms(vectors)
    {'He': 'he'}
    """
    forms = getattr(vectors, "expandos", {}).get(FORM, ())  # a dict has the words as they are
    pairs = zip(getattr(vectors, "index_to_key", ()), forms, strict=False)  # later words have none
    return {word: str(form) for word, form in pairs if form and form != word}


def first_spellings(vectors: Container[str], words: Iterable[str]) -> dict[str, str]:
    """Map each word that has a vector to the first word that was found in the same form."""
    forms = getattr(vectors, "expandos", {}).get(FORM, ())
    rows = getattr(vectors, "key_to_index", {})
    first: dict[str, str] = {}
    spellings = {}
    for word in words:
        if word in vectors:
            row = rows.get(word, len(forms))
            form = str(forms[row] or word) if row < len(forms) else word  # later words have none
            spellings[word] = first.setdefault(form, word)
    return spellings
