"""Compare the labels that rows of vectors carry with the words that they are to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..._core.display import abridged
from .columns import NUMBERED, WORD_NAMES

type Labels = Mapping[str, Iterable[Any]]
"""Labels of the same rows by their names, such as *text* and *id*."""

INDEX = "the index"
"""The name of the labels of frames, and of the keys of dicts."""

REQUESTS = "the ids of requests"
"""The name of the labels of results of a batch, which come back in any order."""

TEXT_NAMES = (*WORD_NAMES[: WORD_NAMES.index("name")], INDEX, REQUESTS)
"""Names of labels that are the texts of rows; others, such as ids, may be of any kind."""


def order_of_words(words: Iterable[Any], labels: Labels) -> list[int] | None:
    """Return the rows of words whose vectors have labels; None if the vectors are in order.

    Numbers, ids, and texts that are no words, such as prompts, say nothing about the order. A
    ValueError is raised if some texts are words and others are not.
    """
    wanted, found = texts_of(words), {name: texts_of(one) for name, one in labels.items()}
    for one in found.values():
        if one == wanted:
            return None
        place = {label: row for row, label in enumerate(one)}
        if len(place) == len(one) == len(wanted) and place.keys() == {*wanted}:
            return [place[word] for word in wanted]
    if len(found.get(REQUESTS, ())) > 1:
        raise ValueError(
            "results of a batch come back in any order, and their ids are not the words and do not "
            f"count up ({abridged(found[REQUESTS], 3)}). Put the results in the order of the words "
            "by their ids, and pass (words, vectors)"
        )
    known = {*wanted}
    for name, one in found.items():
        numbers = all(label.isdecimal() for label in one)
        if name in TEXT_NAMES and not numbers and not known.isdisjoint(one):
            both = [(w, label) for w, label in zip(wanted, one, strict=False) if w != label]
            shown = f"{both[0][1]!r} at {both[0][0]!r}" if both else f"{len(one)} for {len(wanted)}"
            raise ValueError(
                f"some labels of the vectors are words, but not all, or not once ({shown}). If the "
                "vectors are in the order of the words, pass (words, array) without labels"
            )
    return None


def order_of_requests(ids: Sequence[Any]) -> list[int] | None:
    """Return the rows in the order of ids such as ``request-7``; None if they do not count up."""
    found = [one for one in map(NUMBERED.fullmatch, map(str, ids)) if one]
    numbers = [int(one[2]) for one in found]
    alike = len(found) == len(ids) > 0 and len({one[1] for one in found}) == 1
    if not alike or sorted(numbers) != [*range(min(numbers), min(numbers) + len(numbers))]:
        return None
    return sorted(range(len(numbers)), key=numbers.__getitem__)


def order_of_indices(indices: Sequence[Any]) -> list[int]:
    """Return the rows of a response in the order of their indices.

    Rows keep their order if indices restart, as in the responses to several requests, and if they
    are no whole numbers.
    """
    rows = [*range(len(indices))]
    absent = [pd.api.types.is_scalar(index) and pd.isna(index) for index in indices]
    present = [_whole(index) for index, no in zip(indices, absent, strict=True) if not no]
    numbers = [index for index in present if index is not None]
    if not numbers or len(numbers) < len(present):
        return rows
    if len({*numbers}) == len(rows):
        return sorted(rows, key=numbers.__getitem__)
    steps = {other - one for one, other in pairwise(numbers) if other != numbers[0]}
    if steps <= {1} or (len(numbers) < len(rows) and min(steps) > 0):
        return rows
    raise ValueError(
        "the items of a response need an index each, which occurs once, or counts up in each "
        f"request; got {abridged([*map(repr, indices)], 6)}. Put the vectors in the order of the "
        "words, and pass (words, vectors)"
    )


def _whole(index: object) -> int | None:
    """Return an index as a whole number, or None."""
    if isinstance(index, str):
        return int(index) if index.strip().isdecimal() else None
    if isinstance(index, int | float | np.integer | np.floating) and float(index).is_integer():
        return None if isinstance(index, bool) else int(index)
    return None


def texts_of(labels: Iterable[Any]) -> list[str]:
    """Return labels as text, or an empty list if some are something else."""
    texts = [one.decode(errors="replace") if isinstance(one, bytes) else one for one in labels]
    return texts if all(isinstance(one, str) for one in texts) else []
