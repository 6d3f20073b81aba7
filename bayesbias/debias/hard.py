"""Hard debiasing: neutralise and equalise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import look_up_tuples
from .applying import debiased, memory_source
from .defining_sets import DefiningSets, load_defining_sets
from .directions import Found, learn_directions
from .record import Debiasing
from .sources import Source
from .transform import VANISHED, Step, Transform, without

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def hard(
    vectors: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    k: int | None = None,
    equalise: bool = True,
) -> KeyedVectors:
    """Hard debiasing for two classes: neutralise and equalise.

    The bias subspace B is spanned by the first k principal components of the defining pairs. With
    w_B the projection of a unit vector w on it, every word that is not specific becomes
    (w - w_B)/‖w - w_B‖. The words of an equalise set of mean μ become
    ν + √(1 - ‖ν‖²) (w_B - μ_B)/‖w_B - μ_B‖ with ν = μ - μ_B: of unit length, and at equal
    distance from every neutral word.

    Parameters
    ----------
    vectors : KeyedVectors
    sets : str, path or DefiningSets
        A name of `defining_sets()`, a TOML file, or sets made by hand; of pairs.
    k : int, optional
        Number of directions that are removed; 1 if not given.
    equalise : bool
        Move the equalise sets; if not, their words stay as they are.

    Returns
    -------
    KeyedVectors
        Unit length, float32; what was done is told by `debiasing(result)`. Words of the
        defining and equalise sets and specific words are not neutralised.

    Raises
    ------
    ValueError
        If the sets are not pairs, no pair is in the embedding, k is more than the independent
        directions, or nothing is left of a word.

    References
    ----------
    Bolukbasi et al. (2016), section 6, with its printed formula; their code differs in one
    thing: it neutralises words of equalise sets first unless these are listed as specific.
    """
    source = memory_source(vectors)
    return debiased(source, learn_hard(source, sets, k=k, equalise=equalise))


def learn_hard(
    source: Source,
    sets: str | Path | DefiningSets,
    *,
    k: int | None = None,
    equalise: bool = True,
) -> Transform:
    """Learn what `hard` does to each word."""
    lists = require_pairs("hard", sets)
    return learn_projection("hard", source, lists, k=k, equalise=equalise, subspace="components")


def require_pairs(method: str, sets: str | Path | DefiningSets) -> DefiningSets:
    """Load lists, and refuse those of more than two classes."""
    lists = load_defining_sets(sets)
    if lists.n_classes != 2:
        raise ValueError(
            f"{method} debiasing is for two classes, and {lists.name!r} has {lists.n_classes} "
            f"({', '.join(lists.classes)}); use multiclass_hard or soft"
        )
    return lists


def learn_projection(
    method: str,
    source: Source,
    lists: DefiningSets,
    *,
    k: int | None,
    equalise: bool,
    subspace: str,
) -> Transform:
    """Learn to neutralise and equalise, for any number of classes."""
    found = source.some(lists.kept)
    learnt = learn_directions(found, lists, k, subspace)
    missing = learnt.missing | missing_specific(found, lists)
    placed: dict[str, FloatArray] = {}
    if equalise:
        placed, absent = equalised_words(found, lists, learnt.directions)
        missing |= absent
    parameters: dict[str, Any] = {
        "k": len(learnt.directions),
        "subspace": subspace,
        "equalise": equalise,
    }
    return Transform(
        record=Debiasing(method, lists.name, parameters, missing),
        steps=(Step(directions=learnt.directions),),
        kept=lists.kept,
        placed=placed,
    )


def missing_specific(found: Found, lists: DefiningSets) -> dict[str, tuple[str, ...]]:
    """Specific words that the embedding lacks, as a record has them."""
    lost = tuple(word for word in lists.specific if word not in found)
    return {"specific words": lost} if lost else {}


def equalised_words(
    found: Found, lists: DefiningSets, directions: FloatArray
) -> tuple[dict[str, FloatArray], dict[str, tuple[str, ...]]]:
    """New vectors of the words of equalise sets, and the words that the embedding lacks.

    A set with a missing word is left out whole, for one word alone cannot be equalised.
    """
    placed: dict[str, FloatArray] = {}
    lost = [word for each in lists.equalise for word in each if word not in found]
    whole = [each for each in lists.equalise if all(word in found for word in each)]
    rows = look_up_tuples(found, "equalise sets", whole)[0] if whole else []
    for members, vectors in zip(whole, rows, strict=True):
        try:
            placed |= dict(zip(members, equalised(vectors, directions), strict=True))
        except ValueError as error:
            raise ValueError(f"equalise set {', '.join(members)}: {error}") from None
    return placed, {"equalise sets": tuple(lost)} if lost else {}


def equalised(rows: ArrayLike, directions: FloatArray) -> FloatArray:
    """Place words of one set at unit length, equal outside the subspace.

    Parameters
    ----------
    rows : (n_members, n_dims) array_like
    directions : (k, n_dims) array of orthonormal rows

    Returns
    -------
    (n_members, n_dims) array

    Raises
    ------
    ValueError
        If a word's part in the subspace is that of the set's mean, so that it has no direction.
    """
    unit = unit_rows(rows)
    outside = without(unit, directions)
    common = outside.mean(axis=0)
    inside = unit - outside
    leaning = inside - inside.mean(axis=0)
    sizes = np.linalg.norm(leaning, axis=1, keepdims=True)
    if (sizes <= VANISHED).any():
        raise ValueError("its words do not differ in the bias subspace; leave it out, or raise k")
    radius = np.sqrt(max(1.0 - float(common @ common), 0.0))
    return np.asarray(common + radius * leaning / sizes)
