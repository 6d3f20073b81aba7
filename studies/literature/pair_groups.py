"""Pairs that contrast two groups by listed terms, and their sentences with these terms masked."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

import pandas as pd

from bayesbias.maskedlm.datasets import ROLES, validate_pairs

type Terms = Mapping[str, Mapping[str, Iterable[str]]]
"""Terms of groups, by bias type and group; terms may be of several words."""

_TOKEN = re.compile(r"[\w'’-]+|[^\w\s]")
_PUNCTUATION = str.maketrans("", "", string.punctuation.replace("-", "") + "’")


def grouped_pairs(pairs: pd.DataFrame, terms: Terms) -> pd.DataFrame:
    """Keep the pairs that differ by terms of two groups only, and name the groups.

    Parameters
    ----------
    pairs : DataFrame
        From `read_pairs`.
    terms : mapping of str to mapping of str to iterable of str
        By bias type and group, such as ``{"gender": {"man": ["he", "his"], "woman": ["she",
        "her"]}}``. Case and punctuation other than hyphens do not count. A term of several groups
        is of the first.

    Returns
    -------
    DataFrame
        The pairs that are left, with ``group``, that of the terms of the stereotypical sentence,
        and ``other``. Every stretch of words in which the sentences differ must be a term of the
        one group here, and of the other there. ``.attrs["left_out"]`` counts the rest by bias type.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score; so does its program
    (HammerLabML/PLMBiasMeasureBenchmark at 29c65b7, src/utils/datasets.py).
    """
    valid = validate_pairs(pairs)
    group_of: dict[str, dict[str, str]] = {}
    for bias_type, groups in terms.items():
        known = group_of.setdefault(bias_type, {})
        for name, of in groups.items():
            for term in of:
                known.setdefault(_plain(term), name)
    named = [
        _groups(first, second, group_of.get(bias_type, {}))
        for bias_type, first, second in valid[["bias_type", *ROLES]].itertuples(index=False)
    ]
    kept = [each is not None for each in named]
    if not any(kept):
        raise ValueError(
            f"none of {len(valid)} pairs contrasts two groups by listed terms; bias types are "
            f"{', '.join(valid['bias_type'].unique())}, listed are {', '.join(terms) or 'none'}"
        )
    found = valid[kept].reset_index(drop=True)
    found[["group", "other"]] = [each for each in named if each is not None]
    rest = valid.loc[[not each for each in kept], "bias_type"]
    found.attrs["left_out"] = rest.value_counts().to_dict()
    return found


def masked_sentence(first: str, second: str, mask: str) -> str:
    """Return the first of two sentences, with one mask for every stretch that the other lacks.

    >>> masked_sentence("Her mum is an African American.", "Her mum is a Swede.", "[MASK]")
    'Her mum is [MASK].'
    """
    places = [each.span() for each in _TOKEN.finditer(first)]
    text = first
    for (start, stop), _ in reversed(_changes(first, second)):
        if stop > start:
            text = text[: places[start][0]] + mask + text[places[stop - 1][1] :]
    return text


def _groups(first: str, second: str, group_of: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the groups whose terms stand in the one sentence and in the other, if it is two."""
    tokens = [_TOKEN.findall(each) for each in (first, second)]
    found: list[set[str | None]] = [set(), set()]
    for change in _changes(first, second):
        for side, (start, stop) in enumerate(change):
            found[side].add(group_of.get(_plain(" ".join(tokens[side][start:stop]))))
    names = [each.pop() if len(each) == 1 else None for each in found]
    if names[0] is None or names[1] is None or names[0] == names[1]:
        return None
    return names[0], names[1]


def _changes(first: str, second: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Stretches of tokens, from and to, in which two sentences differ."""
    tokens = [[token.lower() for token in _TOKEN.findall(each)] for each in (first, second)]
    matcher = SequenceMatcher(None, tokens[0], tokens[1], autojunk=False)
    return [((a, b), (c, d)) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]


def _plain(term: str) -> str:
    return " ".join(term.lower().translate(_PUNCTUATION).split())
