"""Multiclass hard debiasing: neutralise and equalise for any number of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..debiaser import Debiaser
from ..defining_sets import SetsLike
from ..method import DebiasingMethod, Fittable
from ..projection import fit_projection


@dataclass(frozen=True)
class MulticlassHard(DebiasingMethod):
    """Hard debiasing for two classes or more.

    As `hard`, with a bias subspace of as many dimensions as there are classes less one. For pairs
    and the default subspace the result is that of `hard`.

    Parameters
    ----------
    k : int, optional
        Number of directions that are removed; number of classes less one if not given.
    equalise : bool
        Move the equalise sets. If not, their words stay as they are.
    subspace : {"components", "means"}
        Principal components of the centred sets, as published, or the span of the differences of
        the classes' means. SAME measures along the latter: then neutral words have a SAME of 0
        against the classes' words as they were before.

    Raises
    ------
    ValueError
        As `hard`, but for sets of any one length.

    References
    ----------
    Manzini, Lim, Tsvetkov and Black (2019), section 3; the subspace of means: Schröder, Schulz
    and Hammer (2024), equations 13-15.
    """

    k: int | None = None
    equalise: bool = True
    subspace: str = "components"
    default_sets: ClassVar[str] = "religion"

    def fit(self, vectors: Fittable, sets: SetsLike) -> Debiaser:
        """Learn the bias subspace."""
        return fit_projection(
            self, vectors, sets, k=self.k, equalise=self.equalise, subspace=self.subspace
        )
