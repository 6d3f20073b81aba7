"""Hard debiasing for two or more classes: neutralize and equalize."""

from __future__ import annotations

from functools import partial

from ..._core.warnings import warn
from ...warnings import FewDirections
from ..method import Debiaser, Material, debiasing_method
from ..subspace import bias_directions, equalized_words, without


@debiasing_method(default_sets="religion")
def multiclass_hard(material: Material, *, k: int | None = None, equalize: bool = True) -> Debiaser:
    """Apply hard debiasing for two or more classes, as `hard` does for pairs.

    Parameters
    ----------
    k : int, optional
        Number of directions to remove. The default is the number of classes minus one.
    equalize : bool
        Whether to equalize; if False, words in equalize sets stay the same.

    References
    ----------
    Manzini, Lim, Tsvetkov, and Black (2019), section 3.
    """
    return _projected(material, k, equalize)


@debiasing_method()
def hard(material: Material, *, k: int | None = None, equalize: bool = True) -> Debiaser:
    """Apply hard debiasing for two classes: neutralize and equalize.

    The first k principal components of the defining pairs span the bias subspace B. Let w_B be the
    projection of a unit vector w onto B. Every neutral word becomes (w - w_B)/‖w - w_B‖. The words
    of an equalize set with mean μ become ν + √(1 - ‖ν‖²) (w_B - μ_B)/‖w_B - μ_B‖ where ν = μ - μ_B.
    These vectors have unit length and are equally distant from every neutral word. Specific words
    and words of the defining and equalize sets are not neutralized.

    Parameters
    ----------
    k : int, optional
        Number of directions to remove. The default is the number of classes minus one.
    equalize : bool
        Whether to equalize; if False, words in equalize sets stay the same.

    References
    ----------
    Bolukbasi et al. (2016), section 6, with the formula as printed. Their code differs: it
    neutralizes every word that is not listed as specific, including words in equalize sets (before
    they are equalized) and words in defining sets (*Mary* and *John*, which move by .31 and .25 in
    GoogleNews). Their code also uses each equalize pair in lower, title, and upper case.

    Examples
    --------
    >>> after = bb.debias.hard("glove-demo")
    >>> bool(abs(after.similarity("nurse", "she") - after.similarity("nurse", "he")) < 1e-6)
    True
    """
    return _projected(material, k, equalize)


def _projected(material: Material, k: int | None, equalize: bool) -> Debiaser:
    vectors, lists = material.vectors, material.sets
    directions = bias_directions(vectors, lists, k)
    placed = equalized_words(vectors, lists, directions) if equalize else {}
    if placed and len(directions) < lists.n_classes - 1:
        warn(FewDirections(lists.n_classes - 1, len(directions)))
    return material.debiaser(
        {"k": len(directions), "equalize": equalize},
        equalize=equalize,
        neutral=partial(without, directions=directions),
        placed=placed,
    )
