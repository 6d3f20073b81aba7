"""Half-sibling regression: subtract what class words predict about the other words."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..._core.checks import Argument, ArgumentError
from ...embeddings.word_sets import look_up
from ..method import Debiaser, Material, debiasing_method
from ..subspace import bias_directions


@debiasing_method()
def half_sibling(material: Material, *, alpha: float = 60.0, unit: bool = False) -> Debiaser:
    """Apply half-sibling regression: subtract from each word what class words predict about it.

    The columns of V_D are the vectors of the class words (defining, equalize, and specific words).
    A ridge regression predicts every other word's vector from them, and the prediction is
    subtracted: V_N - V_D (V_DᵀV_D + αI)⁻¹V_Dᵀ V_N. Anything that class words and other words share
    is treated as spurious. Class words are not changed.

    Parameters
    ----------
    alpha : float
        Ridge penalty, above 0. With a larger penalty or shorter vectors, less is subtracted.
    unit : bool
        Whether to scale vectors to unit length before and after; the published method does not.

    References
    ----------
    Yang and Feng (2020), A causal inference method for reducing gender bias in word embedding
    relations, AAAI; α = 60.
    """
    if not isinstance(alpha, Real) or not 0 < alpha < np.inf:
        raise ArgumentError(Argument("alpha"), f" must be above 0 and finite; got {alpha!r}")
    bias_directions(material.vectors, material.sets)  # refuses sets without known words
    words = look_up(material.vectors, {"class words": sorted(material.vectors)}).rows["class words"]
    if unit:
        words = words / np.linalg.norm(words, axis=1, keepdims=True)
    # V(VᵀV + αI)⁻¹Vᵀ = (VVᵀ + αI)⁻¹VVᵀ for V = wordsᵀ, which needs one n_dims x n_dims system.
    second, identity = words.T @ words, np.eye(words.shape[1])
    matrix = identity - np.linalg.solve(second + alpha * identity, second)
    return material.debiaser(
        {"alpha": float(alpha), "unit": unit, "class_words": len(words)},
        equalize=True,
        neutral=lambda rows: rows @ matrix,
        unit=unit,
    )
