"""SEAT-like scores: WEAT on sentences in place of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .._core.arrays import FloatArray
from ..scores.weam import psi_of
from ..scores.weat import Ddof, effect_sizes
from .encoding import ContextualVectors


@dataclass(frozen=True, eq=False)
class SeatResult:
    """SEAT on all sentences, and WEAT in every context alone; see `seat`.

    Parameters
    ----------
    effect_size : float
        WEAT's d over all sentences of each set together, as May et al. (2019) define it.
    by_context : mapping of str to float
        d in each context: how much the score owes to the sentence.
    missing : tuple of str
        Words left out, since the vectors lack them.
    """

    effect_size: float
    by_context: Mapping[str, float]
    missing: tuple[str, ...]


def seat(
    vectors: ContextualVectors,
    X: Iterable[str],
    Y: Iterable[str],
    A: Iterable[str],
    B: Iterable[str],
    *,
    ddof: Ddof = 1,
) -> SeatResult:
    """WEAT on the sentences that templates make of four lists of words.

    SEAT's own p-value permutes sentences as if they were independent; sentences of one word are
    not, so none is given here. For how sure one may be, fit the model ``contextual``.

    Parameters
    ----------
    vectors : ContextualVectors
        With ``pooling="sentence"`` it is SEAT; with words' own vectors it is its like.
    X, Y, A, B : iterable of str
        Two lists of targets and two of attributes, as for `scores.weat`.
    ddof : {1, 0, "pooled"}
        Of the standard deviation of d; 1 as SEAT has it.

    Returns
    -------
    SeatResult

    Raises
    ------
    ValueError
        If no word of a list has vectors.

    References
    ----------
    May, Wang, Bordia, Bowman, Rudinger (2019), On measuring social biases in sentence encoders.
    """
    rows, missing = rows_of(vectors, {"X": X, "Y": Y, "A": A, "B": B})

    def score(*sets: FloatArray) -> float:
        x, y = (psi_of(each, sets[2], sets[3]) for each in sets[:2])
        value = float(effect_sizes(x, y, ddof))
        if not np.isfinite(value):
            raise ValueError("all targets are alike, so that the effect size is undefined")
        return value

    return SeatResult(
        effect_size=score(*(each.reshape(-1, each.shape[2]) for each in rows.values())),
        by_context={
            context: score(*(each[:, at] for each in rows.values()))
            for at, context in enumerate(vectors.contexts)
        },
        missing=missing,
    )


def rows_of(
    vectors: ContextualVectors, lists: Mapping[str, Iterable[str]]
) -> tuple[dict[str, FloatArray], tuple[str, ...]]:
    """Return the vectors of lists of words, (n_words, n_contexts, n_dims), and what has none."""
    place, rows, missing = {word: at for at, word in enumerate(vectors.words)}, {}, []
    for name, words in ((name, list(words)) for name, words in lists.items()):
        missing += [word for word in words if word not in place]
        at = [place[word] for word in words if word in place]
        if not at:
            raise ValueError(f"no word of {name} has vectors: {', '.join(words) or 'it is empty'}")
        rows[name] = np.asarray(vectors.vectors[at], dtype=np.float64)
    return rows, tuple(dict.fromkeys(missing))
