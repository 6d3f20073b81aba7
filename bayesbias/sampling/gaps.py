"""Fill missing pairs of words, so that units with similar vectors stay in one class.

The likeness of words needs classes that contain whole blocks, and a missing pair would split a
class. A row for each missing pair makes blocks whole again. This row has a column of its own, whose
coefficient has a flat prior. The row therefore says nothing: the density of all other rows is
exactly the same as without the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .._core.arrays import IntArray
from ..model.design import Design
from ..model.spec import ModelSpec

MOST_GAPS = 2_000
"""Largest number of missing pairs to fill; their matrix must be factored for every density."""


def uses_likeness(spec: ModelSpec, design: Design) -> bool:
    """Return whether similar words or attributes have similar effects in a model of a design."""
    return any(term.alike and design.likeness_of(term.of)[0].size for term in spec.terms)


def filled(design: Design, spec: ModelSpec) -> Design:
    """Return a design with a row for every missing pair, after all other rows.

    All pairs of a group's words and a column's attributes get equally many rows of each kind that
    the model tells apart; words and attributes without any rows get none. The outcome of these rows
    is the center, and their covariates are zero.
    """
    if not uses_likeness(spec, design):
        return design
    rows, words, attributes = map(np.concatenate, zip(*_gaps(design, spec), strict=True))
    if len(rows) > MOST_GAPS:
        raise ValueError(
            f"{len(rows):,} pairs of words are missing, but the exact sampler can take only "
            f"{MOST_GAPS:,} into account if similar words have similar effects; leave out words or "
            "attributes with many missing pairs, or use a model without likeness, such as crossed"
        )
    parts = ["connection", *(name for name in ("context", "set") if len(getattr(design, name)))]
    new: dict[str, Any] = {"word": words, "attribute": attributes}
    new |= {name: getattr(design, name)[rows] for name in parts}
    new["y"] = np.full(len(rows), spec.center)
    if design.covariates:
        new["x"] = np.zeros((len(rows), len(design.covariates)))
    for name, own in new.items():
        new[name] = np.concatenate([getattr(design, name), own])
    return replace(design, **new)


def _gaps(design: Design, spec: ModelSpec) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield a similar row, the word, and the attribute of each missing row, by kind of row."""
    kinds = [design.word_group[design.word], design.attribute_column[design.attribute]]
    kinds += [design.connection, *([design.set] if len(design.set) else [])]
    kinds += [design.context] if spec.terms_of("context") else []
    measured = np.unique(design.word), np.unique(design.attribute)
    _, first, kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    for index, row in enumerate(first):
        own = np.flatnonzero(kind.ravel() == index)
        words = measured[0][design.word_group[measured[0]] == kinds[0][row]]
        attributes = measured[1][design.attribute_column[measured[1]] == kinds[1][row]]
        count = np.zeros((len(words), len(attributes)), dtype=np.int64)
        place = np.searchsorted(words, design.word[own])
        np.add.at(count, (place, np.searchsorted(attributes, design.attribute[own])), 1)
        lacking = (count.max() - count).ravel()
        word, attribute = (grid.ravel() for grid in np.meshgrid(words, attributes, indexing="ij"))
        yield np.full(lacking.sum(), row), np.repeat(word, lacking), np.repeat(attribute, lacking)
