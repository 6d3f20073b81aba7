"""Cosines of a table's protected words among themselves, which travel with the table.

A table that is made of vectors carries them. For one that came without vectors they are estimated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .schema import CONNECTIONS, validate_table

WORD_COSINES = "word_cosines"
"""Their name in the table's ``attrs``. They are a text there, which pandas copies, compares and
writes to Parquet files; CSV files have no place for it."""


MOST_WORDS = 500
"""Words of which cosines are attached; `kernel` would not be fitted to more in a day."""

CONTROLS = CONNECTIONS[2:]
"""Connections of attributes that belong to no stereotype."""

FEWEST_CONTROLS = 20
"""Control attributes that cosines are estimated from; of fewer little but noise is learnt."""


def attach_word_cosines(table: pd.DataFrame, words: Iterable[str], cosines: FloatArray) -> None:
    """Attach cosines of protected words, (n_words, n_words), to a table, unless they are many."""
    if len(cosines) > MOST_WORDS:
        return
    content = {"words": [*map(str, words)], "cosines": cosines.tolist()}
    table.attrs[WORD_COSINES] = json.dumps(content)


def word_cosines(table: pd.DataFrame, words: Sequence[str]) -> FloatArray:
    """Return the cosines of words that a table carries, (n_words, n_words).

    (0, 0) if it carries none, or not those of all the words.
    """
    content = json.loads(table.attrs.get(WORD_COSINES, '{"words": []}'))
    place = {word: index for index, word in enumerate(content["words"])}
    if not place or any(word not in place for word in words):
        return np.zeros((0, 0))
    chosen = [place[word] for word in words]
    return np.asarray(content["cosines"], dtype=np.float64)[np.ix_(chosen, chosen)]


def estimate_word_cosines(table: pd.DataFrame) -> pd.DataFrame:
    """Attach cosines of the protected words, estimated from the control attributes.

    Distances are linear in unit vectors, so that over attributes drawn at random those of two words
    covary as the words' cosine. Turned round, their covariance over the control attributes tells
    the cosines, up to a factor, which the model `kernel` learns. Few controls tell it with much
    noise: it is drawn towards words of no covariance (Ledoit and Wolf, 2004, Journal of
    Multivariate Analysis 88), as far as these numbers of words and controls ask for.

    Parameters
    ----------
    table : DataFrame
        A long-form table that was made without vectors at hand, such as a published one.

    Returns
    -------
    DataFrame
        The validated table, with estimates in its ``attrs`` in place of cosines; their mean
        variance is one. `fit` takes them for known: what is uncertain about them is not in its
        intervals, and the controls are counted twice.

    Raises
    ------
    ValueError
        If the table carries the cosines, it is of several embeddings, fewer than 20 control
        attributes have a distance to every protected word, or all these distances are equal.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.read_table("religion.csv")  # doctest: +SKIP
    >>> bb.fit(bb.estimate_word_cosines(table), "kernel", seed=1)  # doctest: +SKIP
    """
    found = validate_table(table)
    if "embedding" in found and (several := found["embedding"].nunique()) > 1:
        raise ValueError(
            f"the table is of {several} embeddings, in which words have other cosines; pass one "
            "embedding at a time"
        )
    if word_cosines(found, [*found["protected_word"].unique()]).size:
        raise ValueError(
            "the table has the cosines of its words already, and bb.fit(table, 'kernel') takes "
            f"them; to have estimates in their place drop table.attrs[{WORD_COSINES!r}] first"
        )
    controls = found[found["connection"].isin(CONTROLS)]
    wide = controls.pivot_table(
        index=["connection", "attribute"],
        columns="protected_word",
        values="cosine_distance",
        observed=True,
    ).reindex(columns=found["protected_word"].unique())
    wide = wide.dropna()
    if len(wide) < FEWEST_CONTROLS:
        raise ValueError(
            f"cosines are estimated from {FEWEST_CONTROLS} or more control attributes (neutral, "
            f"human, matched) with a distance to every protected word; the table has {len(wide)}: "
            "make the table by bb.distance_table, which attaches the cosines, or take a model "
            "without, such as maximal"
        )
    apart = wide - wide.groupby(level="connection", observed=True).transform("mean")
    covariance = shrunken_covariance(apart.to_numpy())
    if not covariance.any():
        raise ValueError("all distances of a protected word to control attributes are equal")
    scale = np.diag(covariance).mean()
    attach_word_cosines(found, wide.columns, covariance / scale)
    return found


def shrunken_covariance(x: FloatArray) -> FloatArray:
    r"""Covariance of the columns of x, drawn towards a multiple of the identity.

    :math:`\Sigma^* = (1 - \rho) S + \rho \mu I`, of the least expected squared error for any
    distribution (Ledoit and Wolf, 2004, lemmas 3.2 to 3.4, theorem 3.2).

    Parameters
    ----------
    x : (n, p) float
        Columns of mean zero.

    Returns
    -------
    (p, p) float
    """
    n, p = x.shape
    sample = x.T @ x / n
    target = np.trace(sample) / p * np.eye(p)
    distance = ((sample - target) ** 2).sum()
    error = ((x**2).sum(axis=1) ** 2).sum() / n**2 - (sample**2).sum() / n
    share = min(error / distance, 1.0) if distance > 0 else 1.0
    return np.asarray(share * target + (1 - share) * sample)
