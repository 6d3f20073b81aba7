"""The order of embeddings: a number for each one, such as its decade."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import check_once, unknown_name
from .._core.display import abridged
from ..model.covariates import check_scale
from ..tables.schema import real_numbers

LEAST_VALUES = 4
"""Smallest number of different values of x; a line through three points says little."""

_ORDERED = re.compile(r"\D*(?:1[0-9]{3}|20[0-9]{2})s?(?:[-_]\d\d)*\D*|\d+(?:\.\d+)?")
"""Names that look like years, decades, dates, or numbers."""


def values_of_x(x: Mapping[str, float], embeddings: Sequence[str]) -> FloatArray:
    """Return the (n_embeddings,) values of x, or raise a ValueError that names what is wrong."""
    if not isinstance(x, Mapping | pd.Series):
        raise TypeError(
            "x must be a dict or a Series from each embedding to its number, such as "
            f"{{{embeddings[0]!r}: 1900}}; got {type(x).__name__}"
        )
    named = [(str(name), value) for name, value in x.items()]
    check_once("x", [name for name, _ in named])
    x = dict(named)
    for name in x:
        if name not in embeddings:
            raise ValueError(f"x: {unknown_name('embedding', name, embeddings)}")
    if lacking := [name for name in embeddings if name not in x]:
        raise ValueError(
            f"x has no value for {abridged(lacking)}; add one, or leave out its tables"
        )
    values = real_numbers(pd.Series([x[name] for name in embeddings], dtype=object))
    if not np.isfinite(values).all():
        name = embeddings[int(np.argmin(np.isfinite(values)))]
        raise ValueError(f"x must be a finite number; got {x[name]} for {name!r}")
    if (n := len(np.unique(values))) < LEAST_VALUES:
        raise ValueError(
            f"x has {n} different values, but a trend needs at least {LEAST_VALUES}; leave out x "
            "and compare the embeddings with bb.comparison.embedding_differences"
        )
    check_scale("x", values - (values / len(values)).sum())  # sums of values may be infinite
    return values


def look_ordered(embeddings: Sequence[str]) -> bool:
    """Return whether all names look like years, dates, or numbers."""
    return len(embeddings) >= LEAST_VALUES and all(map(_ORDERED.fullmatch, embeddings))
