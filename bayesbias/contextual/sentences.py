"""Templates, which are sentences with a place for a word, and natural sentences for each word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import NamedTuple

from .._core.characters import OPTIONAL, letters
from .._core.reading import located, read_toml
from .._core.resources import toml_path
from ..tables.schema import require_columns
from ..tables.table_files import read_csv

PLACE = "{}"
"""The place for the word in a template."""


class Sentence(NamedTuple):
    """A sentence, and the positions where its word starts and stops."""

    text: str
    start: int
    stop: int


def load_templates(source: str | Path | Iterable[str] = "bleached") -> tuple[str, ...]:
    """Load templates from a bundled set or a TOML file, or check templates that you pass.

    The bundled sets are ``bleached`` and ``seat-names``. A TOML file has a list named
    ``templates``. Each template has one placeholder, ``{}``, for a word.
    """
    if isinstance(source, str | Path):
        path = toml_path(source, "contexts", "set of templates")
        with located(path):
            return load_templates(list(read_toml(path).get("templates", ())))
    templates = tuple(source)
    if not templates:
        raise ValueError("pass at least one template, such as 'This is {}.'")
    for template in templates:
        if not isinstance(template, str) or template.count(PLACE) != 1:
            raise ValueError(
                f"the template {template!r} must have exactly one place {PLACE} for the word, "
                "as in 'This is {}.'"
            )
    if len(set(templates)) < len(templates):
        raise ValueError(f"two of these templates are the same: {', '.join(templates):.200}")
    return templates


def load_sentences(path: str | Path) -> dict[str, list[str]]:
    """Read words and natural sentences from a CSV file with columns ``word`` and ``sentence``.

    A word's sentences keep the order of the file; repeats are dropped. A word must be in its
    sentence, in its exact spelling or ignoring case; a ValueError names the first that is not.
    """
    sentences: dict[str, list[str]] = {}
    path = Path(path).expanduser()
    with located(path):
        frame = read_csv(path, dtype=str, keep_default_na=False)
        require_columns(frame, ("word", "sentence"))
        for word, text in frame[["word", "sentence"]].drop_duplicates().itertuples(index=False):
            natural_sentence(text, word)  # raises if the word is absent
            sentences.setdefault(word, []).append(text)
    return sentences


def natural_sentence(text: str, word: str) -> Sentence:
    """Find a word's first whole-word occurrence in a sentence.

    An exact spelling comes before one that ignores case. If there is none, optional marks may
    follow the word, such as a case vowel in Arabic.
    """
    forms = {word, *(unicodedata.normalize(form, word) for form in ("NFC", "NFD"))}
    some, within = "|".join(map(re.escape, forms)), letters()
    for more, case in product(("", f"[{OPTIONAL}]*"), ("", "i")) if word else ():
        found = re.search(rf"(?<![{within}])(?{case}:{some})(?={more}(?![{within}]))", text)
        if found:
            return Sentence(text, *found.span())
    raise ValueError(f"the word {word!r} is not in its sentence {text!r:.80}")


def sentence(template: str, word: str) -> Sentence:
    """Fill a template with a word, and capitalize the first letter of the sentence.

    Letters without a single capital, such as ß, stay as they are.
    """
    start = template.index(PLACE)
    text = template.replace(PLACE, word)
    first = text[:1].upper()
    text = first + text[1:] if len(first) == 1 else text
    return Sentence(text, start, start + len(word))
