"""Handle spellings: forms to look up, the forms found, and spellings that share a vector."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import gensim.models

type KeyedVectors = gensim.models.KeyedVectors
"""gensim's class, defined here because importing gensim takes more than a second."""

FORM = "matched_form"
"""Name of the vector attribute that stores the form in which each word was found."""

CASES = ("exact", "lower", "fallback")
"""Ways to look up a word: as spelled, in lower case, or as spelled and then in lower case."""


def forms_of(word: str, case: str = "exact", *, strip_accents: bool = False) -> tuple[str, ...]:
    """Return the forms in which a word is looked up, in order of preference.

    The word comes first, as spelled or in lower case, followed by variants with composed letters
    (Unicode's NFC) and with underscores for spaces (``New_York``). Forms without accents come last.
    """
    cased = {"exact": (word,), "lower": (word.lower(),), "fallback": (word, word.lower())}[case]
    forms = [form for one in cased for form in (one, unicodedata.normalize("NFC", one))]
    if strip_accents:
        forms += [without_accents(one) for one in cased]
    return tuple(dict.fromkeys(text for form in forms for text in (form, form.replace(" ", "_"))))


def without_accents(word: str) -> str:
    """Return a word without accents: ``cafe`` for ``café``. Letters such as ``ø`` stay the same."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(p for p in parts if not unicodedata.combining(p)))


def every_form(word: str) -> tuple[str, ...]:
    """Return all forms of a word, and the exact forms of its capitalized spellings."""
    capitals = (word.capitalize(), word.title(), word.upper())
    written = [form for text in capitals for form in forms_of(text)]
    return tuple(dict.fromkeys([*forms_of(word, "fallback", strip_accents=True), *written]))


def choose(
    asked: Iterable[str], found: Mapping[str, object], case: str, *, strip_accents: bool = False
) -> dict[str, str]:
    """Map each available word to the form in which it was found, in the source's order."""
    askers: dict[str, list[str]] = defaultdict(list)
    for word in asked:
        forms = forms_of(word, case, strip_accents=strip_accents)
        form = next((form for form in forms if form in found), None)
        if form is not None:
            askers[form].append(word)
    return {word: form for form in found for word in askers[form]}


def resolved_forms(vectors: KeyedVectors) -> dict[str, str]:
    """Map words to the forms in which `load_vectors` found them, if the two differ.

    Examples
    --------
    >>> import bayesbias as bb
    >>> vectors = bb.load_vectors("glove-demo", ["He", "she"], case="fallback")
    >>> bb.resolved_forms(vectors)
    {'He': 'he'}
    """
    forms = vectors.expandos.get(FORM, ())
    pairs = zip(vectors.index_to_key, forms, strict=False)  # words added later have no form
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
