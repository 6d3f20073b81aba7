"""Half-sibling regression: what class words predict of the other words is subtracted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...embeddings.word_sets import look_up
from ..debiaser import Debiaser
from ..defining_sets import SetsLike
from ..method import DebiasingMethod, Fittable
from ..subspace import bias_directions

ALPHA = 60.0
"""Ridge penalty of the published experiments."""


@dataclass(frozen=True)
class HalfSibling(DebiasingMethod):
    """Half-sibling regression: subtract from each word what class words predict of it.

    With V_D the vectors of the class words (defining, equalise and specific words) as columns, a
    ridge regression predicts every other word's vector from them, its coordinates being the
    observations, and the prediction is subtracted: V_N - V_D (V_DᵀV_D + αI)⁻¹V_Dᵀ V_N. Whatever
    class words and other words share is treated as spurious. Class words stay as they are.

    Parameters
    ----------
    alpha : float
        Ridge penalty, above 0. It works on the scale of the vectors: the smaller the vectors or
        the larger the penalty, the less is subtracted. With as many class words as dimensions
        and a small penalty nearly all of every word is.
    unit : bool
        Bring words to unit length before and after. By default they are used as they come, as
        published.

    References
    ----------
    Yang and Feng (2020), A causal inference method for reducing gender bias in word embedding
    relations, AAAI; α = 60.
    """

    alpha: float = ALPHA
    unit: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha must be above 0 and finite; got {self.alpha}")

    def fit(self, vectors: Fittable, sets: SetsLike) -> Debiaser:
        """Learn the matrix of the regression."""
        _, lists, found = self.read(vectors, sets)
        bias_directions(found, lists)  # refuses sets of which nothing is there
        words = look_up(found, {"class words": sorted(found)}).rows["class words"]
        if self.unit:
            words = words / np.linalg.norm(words, axis=1, keepdims=True)
        # V(VᵀV + αI)⁻¹Vᵀ = (VVᵀ + αI)⁻¹VVᵀ for V = wordsᵀ: a square of the dimensions is solved.
        second, identity = words.T @ words, np.eye(words.shape[1])
        matrix = identity - np.linalg.solve(second + self.alpha * identity, second)
        parameters = {"alpha": float(self.alpha), "unit": self.unit, "class_words": len(words)}
        return Debiaser(
            record=self.record(lists, found, parameters, equalise=True),
            neutral=lambda rows: rows @ matrix,
            kept=lists.kept,
            unit=self.unit,
        )
