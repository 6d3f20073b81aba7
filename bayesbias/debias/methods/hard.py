"""Hard debiasing: neutralise and equalise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..debiaser import Debiaser
from ..defining_sets import SetsLike
from ..method import DebiasingMethod, Fittable
from ..projection import fit_projection


@dataclass(frozen=True)
class Hard(DebiasingMethod):
    """Hard debiasing for two classes: neutralise and equalise.

    The bias subspace B is spanned by the first k principal components of the defining pairs. With
    w_B the projection of a unit vector w on it, every word that is not specific becomes
    (w - w_B)/‖w - w_B‖. The words of an equalise set of mean μ become
    ν + √(1 - ‖ν‖²) (w_B - μ_B)/‖w_B - μ_B‖ with ν = μ - μ_B: of unit length, and at equal
    distance from every neutral word. Words of the defining and equalise sets and specific words
    are not neutralised.

    Parameters
    ----------
    k : int, optional
        Number of directions that are removed; number of classes less one if not given.
    equalise : bool
        Move the equalise sets. If not, their words stay as they are.

    Raises
    ------
    ValueError
        If the sets are not pairs, no pair is in the embedding, k is more than the independent
        directions, or nothing is left of a word.

    References
    ----------
    Bolukbasi et al. (2016), section 6, with its printed formula. Their code differs: it neutralises
    every word that is not listed as specific, so also those of the equalise sets, before these are
    equalised, and those of the defining sets (*Mary* and *John* of their list, which move by .31
    and .25 in GoogleNews); and it takes each equalise pair in lower, title and upper case, as
    `DefiningSets.with_case_variants` does.
    """

    k: int | None = None
    equalise: bool = True
    two_classes: ClassVar[bool] = True

    def fit(self, vectors: Fittable, sets: SetsLike) -> Debiaser:
        """Learn the bias subspace."""
        return fit_projection(self, vectors, sets, k=self.k, equalise=self.equalise)
