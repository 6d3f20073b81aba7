"""Half-sibling regression: what class words predict of the other words is subtracted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._core.arrays import FloatArray
from ..embeddings.word_sets import look_up
from .applying import debiased, memory_source
from .defining_sets import DefiningSets, load_defining_sets
from .directions import learn_directions
from .hard import missing_specific
from .record import Debiasing
from .sources import Source
from .transform import Step, Transform

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ALPHA = 60.0
"""Ridge penalty of the published experiments."""


def half_sibling(
    vectors: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    alpha: float = ALPHA,
    unit: bool = False,
) -> KeyedVectors:
    """Half-sibling regression.

    With V_D the vectors of the class words (defining, equalise and specific words) as columns, a
    ridge regression predicts every other word's vector from them, its coordinates being the
    observations, and the prediction is subtracted: V_N - V_D (V_DᵀV_D + αI)⁻¹V_Dᵀ V_N. Whatever
    class words and other words share is taken for spurious.

    Parameters
    ----------
    vectors : KeyedVectors
    sets : str, path or DefiningSets
        A name of `defining_sets()`, a TOML file, or sets made by hand; of any number of classes.
    alpha : float
        Ridge penalty, above 0. It works on the scale of the vectors: the smaller the vectors or
        the larger the penalty, the less is subtracted. With as many class words as dimensions
        and a small penalty nearly all of every word is.
    unit : bool
        Bring words to unit length before and after; by default they are used as they come, as
        published.

    Returns
    -------
    KeyedVectors
        float32; class words stay as they are. `debiasing(result)` tells what was done.

    Raises
    ------
    ValueError
        If alpha is not above 0, or no defining set is in the embedding.

    References
    ----------
    Yang and Feng (2020), A causal inference method for reducing gender bias in word embedding
    relations, AAAI; α = 60.
    """
    source = memory_source(vectors)
    return debiased(source, learn_half_sibling(source, sets, alpha=alpha, unit=unit))


def learn_half_sibling(
    source: Source,
    sets: str | Path | DefiningSets,
    *,
    alpha: float = ALPHA,
    unit: bool = False,
) -> Transform:
    """Learn what `half_sibling` does to each word."""
    if not 0 < alpha < np.inf:
        raise ValueError(f"alpha must be above 0 and finite; got {alpha}")
    lists = load_defining_sets(sets)
    found = source.some(lists.kept)
    missing = learn_directions(found, lists).missing | missing_specific(found, lists)
    absent = tuple(word for each in lists.equalise for word in each if word not in found)
    if absent:
        missing["equalise sets"] = absent
    rows = look_up(found, {"class words": sorted(found)}).rows["class words"]
    if unit:
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    parameters = {"alpha": float(alpha), "unit": unit, "class_words": len(rows)}
    return Transform(
        record=Debiasing("half_sibling", lists.name, parameters, missing),
        steps=(Step(matrix=np.eye(rows.shape[1]) - smoother(rows, alpha)),),
        kept=lists.kept,
        unit=unit,
    )


def smoother(rows: FloatArray, alpha: float) -> FloatArray:
    """The matrix V(VᵀV + αI)⁻¹Vᵀ for V = rowsᵀ: what a ridge regression keeps of any vector.

    By the identity V(VᵀV + αI)⁻¹Vᵀ = (VVᵀ + αI)⁻¹VVᵀ only a square of the dimensions is solved.
    """
    second = rows.T @ rows
    return np.asarray(np.linalg.solve(second + alpha * np.eye(len(second)), second))
