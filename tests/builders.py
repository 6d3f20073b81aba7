"""Builders that several test modules share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bayesbias.embeddings.load import load_vectors
from bayesbias.report.figures import draw_figures
from bayesbias.report.lists import list_page
from bayesbias.report.page import render
from bayesbias.tables.wordlists import WordList, load_wordlist
from bayesbias.workflows.analysis import Analysis, Settings, analyse
from bayesbias.workflows.output import versions

SCRIPT = "<script>alert(1)</script>"
QUOTES = "\"><img src=x onerror='alert(2)'>"
CLOSING = "</svg></title></td><script>alert(3)</script>"
HEBREW, ARABIC = "שלום", "سلام"
OVERRIDE = "abc\u202edef"
LONG = "donaudampfschifffahrt" * 15
HOSTILE_WORDS = [SCRIPT, QUOTES, CLOSING, HEBREW, ARABIC, OVERRIDE, LONG]
HOSTILE_ATTRIBUTES = ["$x^2$", "{{7*7}}", "]]>", "-->", "a&b", "&lt;b&gt;", 'id="f0-x"']
HOSTILE = [*HOSTILE_WORDS, *HOSTILE_ATTRIBUTES]


def hostile_analysis() -> Analysis:
    """An analysis whose words, groups, title and note try to be more than text."""
    from gensim.models import KeyedVectors

    one, two = "<b>one</b>", LONG.upper()
    wordlist = WordList(
        name="hostile",
        groups={one: HOSTILE_WORDS[:4], two: HOSTILE_WORDS[4:]},
        stereotypes={one: HOSTILE_ATTRIBUTES[:3], two: HOSTILE_ATTRIBUTES[3:]},
        controls={
            "human": ["eat", SCRIPT.upper()],
            "neutral": ["</style>", LONG[::-1], "not there"],
        },
        title=f"</title>{SCRIPT} {LONG}",
        note=f"{SCRIPT}\n{{% raw %}} {OVERRIDE} {LONG}",
        reference=QUOTES,
        licence=f"{CLOSING}<i>free</i>",
    )
    there = [word for word in wordlist.words if word != "not there"]
    vectors = KeyedVectors(8)
    vectors.add_vectors(there, np.random.default_rng(3).standard_normal((len(there), 8)))
    return analyse(load_vectors(vectors), wordlist, Settings(vectors="<u>v</u>.txt", draws=200))


def religion_analysis(draws: int = 1000) -> Analysis:
    """The main job: religion in the bundled embedding."""
    wordlist = load_wordlist("religion")
    return analyse(load_vectors("glove-demo", wordlist), wordlist, Settings(draws=draws))


def drawn_page(analysis: Analysis, folder: Path) -> str:
    """The page of a word list with all its figures, made by a hostile command."""
    page = list_page(analysis)
    drawn = draw_figures(page.figures, folder)
    return render(page, drawn, f"bayesbias run {SCRIPT} {LONG}", versions())
