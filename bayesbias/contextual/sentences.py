"""Templates, sentences with a place for a word; and natural sentences of each word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .._core.checks import unknown_name
from .._core.reading import located, parse_toml, read_text
from .._core.resources import bundled_names, toml_path
from ..tables.schema import require_columns
from ..tables.table_files import read_csv

PLACE = "{}"
"""Where a template takes its word."""

_TEXTS = ("name", "title", "reference", "licence", "note")


@dataclass(frozen=True)
class Templates:
    """Templates, each with one place ``{}`` for a word; a ValueError if one is no such template."""

    templates: tuple[str, ...]
    name: str = "own"
    title: str = ""
    reference: str = ""
    licence: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not self.templates:
            raise ValueError("at least one template is needed, such as 'This is {}.'")
        for template in self.templates:
            if not isinstance(template, str) or template.count(PLACE) != 1:
                raise ValueError(
                    f"the template {template!r} must have exactly one place {PLACE} for the word, "
                    "as in 'This is {}.'"
                )
            if self.templates.count(template) > 1:
                raise ValueError(f"the template {template!r} is given twice")


@dataclass(frozen=True)
class Sentence:
    """A word in a sentence, and between which characters it stands."""

    text: str
    start: int
    stop: int


def template_sets() -> list[str]:
    """Return the names of the bundled sets of templates."""
    return bundled_names("contexts", ".toml")


def load_templates(source: str | Path | Templates | Iterable[str] = "bleached") -> Templates:
    """Load a bundled set of templates by name, a TOML file by path, or take sentences as given.

    Raises
    ------
    ValueError
        If the name is unknown, or the file or the sentences are no templates.
    FileNotFoundError
        If there is no such file.
    """
    if isinstance(source, Templates):
        return source
    if not isinstance(source, str | Path):
        return Templates(tuple(source))
    path = toml_path(source, "contexts", "set of templates")
    with located(path):
        content = parse_toml(read_text(path), "templates")
        for key in content:
            if key not in (*_TEXTS, "templates"):
                raise ValueError(unknown_name("key", key, (*_TEXTS, "templates")))
        texts = {key: str(content[key]).strip() for key in _TEXTS if key in content}
        return Templates(tuple(content.get("templates", ())), **{"name": path.stem, **texts})


def load_sentences(path: str | Path) -> dict[str, list[str]]:
    """Read natural sentences of words: a CSV with the columns ``word`` and ``sentence``.

    Returns
    -------
    dict of str to list of str
        The sentences of every word, in the order of the file, each once.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing, or a word does not stand in its sentence.
    """
    sentences: dict[str, list[str]] = {}
    if not Path(path).is_file():
        raise FileNotFoundError(f"no file of sentences at {path}")
    with located(Path(path)):
        frame = read_csv(Path(path), dtype=str, keep_default_na=False)
        require_columns(frame, ("word", "sentence"))
        for word, text in frame[["word", "sentence"]].drop_duplicates().itertuples(index=False):
            natural_sentence(text, word)  # raises where it is not there
            sentences.setdefault(word, []).append(text)
    return sentences


def natural_sentence(text: str, word: str) -> Sentence:
    """Return where a word first stands in a sentence, in whatever case and not within another."""
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) if word else None
    if match is None:
        raise ValueError(f"the word {word!r} does not stand in its sentence {text!r:.80}")
    return Sentence(text, *match.span())


def sentence(template: str, word: str) -> Sentence:
    """Return a template with a word in it; at its start it gets a capital letter."""
    start = template.index(PLACE)
    text = template.replace(PLACE, word)
    return Sentence(text[:1].upper() + text[1:], start, start + len(word))
