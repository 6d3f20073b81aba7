"""Reference distributions of an embedding: ψ of all its words, checked, for many experiments."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, ArgumentWarning, unknown_name
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.load import CASES, open_embedding
from .experiment import Experiment
from .projection import Projection, project
from .psi_distribution import FEWEST_WORDS, Distribution

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Source = str | os.PathLike[str] | KeyedVectors
"""A path, the name of a bundled embedding, or loaded vectors."""

DUPLICATES = ("error", "first")
"""What to do with words that stand twice: refuse the source, or let the first one count."""

LACKING = ("error", "skip")
"""What to do with experiments of which a set has no word at all: refuse, or leave them out."""


def distribution(
    source: Source,
    Z: Iterable[str],
    Z2: Iterable[str],
    *,
    case: str = "exact",
    duplicates: str = "error",
    rows: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Distribution:
    """Compute ψ of every word of an embedding for two attribute sets.

    Parameters
    ----------
    source : str, path or KeyedVectors
        As for `load_vectors`. A file is read in chunks, in memory that does not grow with the
        length of its vectors: what is kept is a number and the letters of every word.
    Z, Z2 : iterable of str
        Attribute words. ψ is positive for words nearer to Z.
    case : {"exact", "lower", "fallback"}
        How words are looked up, here and by the methods of the result.
    duplicates : {"error", "first"}
        Refuse a source that has a word twice, or let the first one count.
    rows : int, optional
        Words of a chunk; makes no difference to the numbers.
    allow_pickle, progressbar : bool
        As for `load_vectors`.

    Returns
    -------
    Distribution
        With ``psi``, ``mean``, ``sd``, ``fit``, ``phi(words)`` and ``relative_bias(X, Y)``.

    Raises
    ------
    ValueError
        If no word of a set is there, the source holds fewer than three words with a direction,
        or has words twice; or if the file is damaged.

    Warns
    -----
    UserWarning
        If words have no direction (all zeros, or not finite); they are left out.

    References
    ----------
    Smarda (2021), background distributions of word embeddings.
    """
    pairs = {"background": (_listed("Z", Z), _listed("Z2", Z2))}
    return distributions(
        source,
        pairs,
        case=case,
        duplicates=duplicates,
        rows=rows,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )["background"]


def distributions(
    source: Source,
    experiments: Mapping[str, Experiment | tuple[Iterable[str], Iterable[str]]],
    *,
    case: str = "exact",
    duplicates: str = "error",
    lacking: str = "error",
    rows: int | None = None,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> dict[str, Distribution]:
    """Compute the reference distributions of many experiments, in one pass over the embedding.

    Parameters
    ----------
    source
        As for `distribution`, and so are all other arguments.
    experiments : mapping of str to Experiment or (Z, Z2)
        `experiments()` makes them of word lists.
    lacking : {"error", "skip"}
        Refuse experiments of which Z or Z2 has no word in the embedding; or leave these out, and
        those of which X or Y has none, with a warning each.

    Returns
    -------
    dict of str to Distribution
        They share one vocabulary.

    Raises
    ------
    ValueError
        As `distribution` does, or if no experiment is left.

    Warns
    -----
    UserWarning
        As `distribution` does, and for every experiment that is left out.
    """
    for kind, given, known in (
        ("lacking", lacking, LACKING),
        ("case", case, CASES),
        ("duplicates", duplicates, DUPLICATES),
    ):
        if given not in known:
            raise ValueError(unknown_name(kind, str(given), known))
    pairs = {}
    for name, each in experiments.items():
        Z, Z2 = (each.Z, each.Z2) if isinstance(each, Experiment) else each
        pairs[name] = (_listed(f"Z of {name}", Z), _listed(f"Z2 of {name}", Z2))
    if not pairs:
        raise ValueError("there are no experiments; name one or more")
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    projected = project(embedding, list(pairs.values()), case, rows)
    vocabulary, psi = _usable(projected, duplicates)
    made: dict[str, Distribution] = {}
    reasons: list[ValueError] = []
    for (name, pair), values, found in zip(pairs.items(), psi, projected.found, strict=True):
        sides = zip(found, pair, strict=True)
        lost = tuple(word for side, words in sides for word in words if word not in side)
        Z, Z2 = map(tuple, found)
        found_one = Distribution(name, values, vocabulary, Z, Z2, lost, case)
        try:
            _require_sets(found_one, pair, experiments[name] if lacking == "skip" else None)
        except ValueError as error:
            if lacking == "error":
                raise
            reasons.append(error)
        else:
            made[name] = found_one
    if not made:
        raise reasons[0]
    for reason in reasons:
        warnings.warn(
            ArgumentWarning(*reason.args, "; it is left out"), skip_file_prefixes=OWN_FRAMES
        )
    return made


def _require_sets(
    each: Distribution, pair: tuple[tuple[str, ...], tuple[str, ...]], asked: object
) -> None:
    """Raise a ValueError if Z, Z2, or a set of the experiment asked for has no word."""
    for name, words, found in zip(("Z", "Z2"), pair, (each.Z, each.Z2), strict=True):
        if not found:
            raise ArgumentError(
                f"{each.name}: none of the {len(words)} words of {name} is in the embedding "
                f"({abridged(words)}); check their spelling and case (",
                Argument("case", "lower"),
                ", ",
                Argument("case", "fallback"),
                ")",
            )
    if isinstance(asked, Experiment):
        for name, words in (("X", asked.X), ("Y", asked.Y)):
            each.found(words, name)


def _usable(projected: Projection, duplicates: str) -> tuple[list[str], list[FloatArray]]:
    """Leave out words without a direction, and words that have stood before."""
    vocabulary, psi, twice = projected.vocabulary, projected.psi, projected.twice
    if len(twice) and duplicates == "error":
        shown = ", ".join(repr(vocabulary[row]) for row in twice[:5].tolist())
        raise ArgumentError(
            f"{len(twice)} word(s) stand in the embedding more than once ({shown}), so that they "
            "would count twice and have two vectors; fix the file, or let the first of each "
            "count with ",
            Argument("duplicates", "first"),
        )
    kept = ~np.isnan(psi[0])
    if lost := np.flatnonzero(~kept).tolist():
        warnings.warn(
            f"{len(lost)} word(s) have no direction (all zeros, or not finite) and are left out: "
            + ", ".join(repr(vocabulary[row]) for row in lost[:5]),
            skip_file_prefixes=OWN_FRAMES,
        )
    kept[twice] = False
    if kept.sum() < FEWEST_WORDS:
        raise ValueError(
            f"the embedding holds {int(kept.sum())} words with a direction; a background needs "
            f"{FEWEST_WORDS} or more"
        )
    if kept.all():
        return vocabulary, psi
    return list(compress(vocabulary, kept)), [values[kept] for values in psi]


def _listed(name: str, given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of words; got the string {given!r}")
    words = tuple(given)
    if not words:
        raise ValueError(f"{name} is empty; at least one word is needed")
    if len(set(words)) < len(words):
        twice = next(word for word in words if words.count(word) > 1)
        raise ValueError(f"{name} holds {twice!r} more than once; keep one of each")
    return words
