"""Hard debiasing, of two classes and of more: neutralize and equalize."""

from __future__ import annotations

from functools import partial

from ..._core.resources import warn
from ..method import Debiaser, Material, debiasing_method
from ..subspace import bias_directions, equalized_words, without


@debiasing_method(default_sets="religion")
def multiclass_hard(material: Material, *, k: int | None = None, equalize: bool = True) -> Debiaser:
    """Hard debiasing for two classes or more, as `hard` does it for pairs.

    Parameters
    ----------
    k : int, optional
        Number of directions that are removed; number of classes less one if not given.
    equalize : bool
        Move the equalize sets. If not, their words stay as they are.

    References
    ----------
    Manzini, Lim, Tsvetkov and Black (2019), section 3.
    """
    return _projected(material, k, equalize)


@debiasing_method()
def hard(material: Material, *, k: int | None = None, equalize: bool = True) -> Debiaser:
    """Hard debiasing for two classes: neutralize and equalize.

    The bias subspace B is spanned by the first k principal components of the defining pairs. With
    w_B the projection of a unit vector w on it, every word that is not specific becomes
    (w - w_B)/‖w - w_B‖. The words of an equalize set of mean μ become
    ν + √(1 - ‖ν‖²) (w_B - μ_B)/‖w_B - μ_B‖ with ν = μ - μ_B: of unit length, and at equal
    distance from every neutral word. Words of the defining and equalize sets and specific words
    are not neutralized.

    Parameters
    ----------
    k : int, optional
        Number of directions that are removed; number of classes less one if not given.
    equalize : bool
        Move the equalize sets. If not, their words stay as they are.

    References
    ----------
    Bolukbasi et al. (2016), section 6, with its printed formula. Their code differs: it neutralizes
    every word that is not listed as specific, so also those of the equalize sets, before these are
    equalized, and those of the defining sets (*Mary* and *John* of their list, which move by .31
    and .25 in GoogleNews); and it takes each equalize pair in lower, title and upper case.
    """
    return _projected(material, k, equalize)


def _projected(material: Material, k: int | None, equalize: bool) -> Debiaser:
    vectors, lists = material.vectors, material.sets
    directions = bias_directions(vectors, lists, k)
    placed = equalized_words(vectors, lists, directions) if equalize else {}
    if placed and len(directions) < lists.n_classes - 1:
        warn(
            f"equalizing sets of {lists.n_classes} words takes {lists.n_classes - 1} directions, "
            f"and k={len(directions)} are removed; words of a set may get one vector. Leave k out, "
            "or pass equalize=False"
        )
    return material.debiaser(
        {"k": len(directions), "equalize": equalize},
        equalize=equalize,
        neutral=partial(without, directions=directions),
        placed=placed,
    )
