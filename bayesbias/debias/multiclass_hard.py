"""Multiclass hard debiasing: neutralise and equalise for any number of classes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .applying import debiased, memory_source
from .defining_sets import DefiningSets, load_defining_sets
from .hard import learn_projection
from .sources import Source
from .transform import Transform

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def multiclass_hard(
    vectors: KeyedVectors,
    sets: str | Path | DefiningSets = "religion",
    *,
    k: int | None = None,
    equalise: bool = True,
    subspace: str = "components",
) -> KeyedVectors:
    """Hard debiasing for two classes or more.

    As `hard`, with a bias subspace of as many dimensions as there are classes less one.

    Parameters
    ----------
    vectors : KeyedVectors
    sets : str, path or DefiningSets
        A name of `defining_sets()`, a TOML file, or sets made by hand; of pairs or longer tuples.
    k : int, optional
        Number of directions that are removed; number of classes less one if not given.
    equalise : bool
        Move the equalise sets; if not, their words stay as they are.
    subspace : {"components", "means"}
        Principal components of the centred sets, as published, or the span of the differences of
        the classes' mean vectors, along which SAME measures: then neutral words have a SAME of 0
        against the classes' words as they were before.

    Returns
    -------
    KeyedVectors
        See `hard`. For pairs and the default subspace the result is that of `hard`.

    Raises
    ------
    ValueError
        As `hard`, but for sets of any one length.

    References
    ----------
    Manzini, Lim, Tsvetkov and Black (2019), section 3; the subspace of means: Schröder, Schulz
    and Hammer (2024), equations 13-15.
    """
    source = memory_source(vectors)
    learnt = learn_multiclass_hard(source, sets, k=k, equalise=equalise, subspace=subspace)
    return debiased(source, learnt)


def learn_multiclass_hard(
    source: Source,
    sets: str | Path | DefiningSets,
    *,
    k: int | None = None,
    equalise: bool = True,
    subspace: str = "components",
) -> Transform:
    """Learn what `multiclass_hard` does to each word."""
    lists = load_defining_sets(sets)
    return learn_projection(
        "multiclass_hard", source, lists, k=k, equalise=equalise, subspace=subspace
    )
