"""Compare the labels that rows of vectors carry with the words that they are to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core.checks import is_whole
from ..._core.display import abridged

PASS_ARRAYS = "If the vectors are in the order of the words, pass (words, array) without labels"


def order_of_words(words: Iterable[Any], labels: Iterable[Any]) -> NDArray[np.intp] | None:
    """Return the rows of words whose vectors have labels; None if they are in order.

    Labels are the same words, in any order, or numbers that rise. Other numbers and words raise a
    ValueError; labels of other types are ignored.
    """
    words, labels = [*map(_text, words)], [*map(_text, labels)]
    if words == labels:
        return None
    place = {label: row for row, label in enumerate(labels)} if _are_texts(labels) else {}
    if len(place) == len(labels) == len(words) and place.keys() == {*words}:
        return np.array([place[word] for word in words], dtype=np.intp)
    numbers = whole_numbers(labels)
    if numbers is None and _are_texts(labels):
        odd = next((pair for pair in zip(words, labels, strict=False) if pair[0] != pair[1]), None)
        shown = f"{odd[1]!r} at {odd[0]!r}" if odd else f"{len(labels):,} for {len(words):,} words"
        raise ValueError(
            f"the vectors have labels that are not the same words ({shown}). {PASS_ARRAYS}"
        )
    if numbers is not None and any(one >= other for one, other in pairwise(numbers)):
        raise ValueError(
            f"the vectors have numbers that do not rise ({abridged([*map(str, numbers)], 4)}), so "
            f"they may be in another order than the words. {PASS_ARRAYS}"
        )
    return None


def order_of_indices(indices: Sequence[Any]) -> list[int]:
    """Return the rows of a response in the order of their indices.

    If the indices restart, as in the responses to several requests, rows keep their order.
    """
    rows = [*range(len(indices))]
    if all(index is None for index in indices):
        return rows
    numbers = whole_numbers(indices)
    if numbers is not None:
        if len({*numbers}) == len(numbers):
            return sorted(rows, key=numbers.__getitem__)
        if numbers[0] in (0, 1) and all(
            other in (one + 1, numbers[0]) for one, other in pairwise(numbers)
        ):
            return rows
    raise ValueError(
        "the items of a response need an index each, which is a whole number and occurs once, or "
        f"counts up in each request; got {abridged([*map(repr, indices)], 6)}. Put the vectors in "
        "the order of the words, and pass (words, vectors)"
    )


def whole_numbers(labels: Iterable[Any]) -> list[int] | None:
    """Return labels as whole numbers, also of text, or None if some are something else."""
    labels = [*labels]
    if all(is_whole(one) or (isinstance(one, str) and one.strip().isdecimal()) for one in labels):
        return [*map(int, labels)]
    return None


def _text(label: object) -> object:
    return label.decode(errors="replace") if isinstance(label, bytes) else label


def _are_texts(labels: Iterable[object]) -> bool:
    return all(isinstance(label, str) for label in labels)
