"""ψ of every word of an embedding for many pairs of attribute sets, in one pass over the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions.

The directions need the attribute words, which are in the same file. They are searched first, and
only as far as the last of them: files are ordered by frequency, and attributes are common words.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from itertools import compress

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, ArgumentWarning, unknown_name
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.load import CASES, VectorsLike, choose, open_embedding
from ..embeddings.source import Embedding, Vector, first_of_each
from ..embeddings.word_sets import WordSets, look_up
from .experiment import Experiment
from .psi_distribution import FEWEST_WORDS, Distribution

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""


def distribution(
    source: VectorsLike,
    Z: Iterable[str],
    Z2: Iterable[str],
    *,
    case: str = "exact",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Distribution:
    """Compute ψ of every word of an embedding for two attribute sets.

    Parameters
    ----------
    source
        As for `load_vectors`. A file is read in chunks, in memory that does not grow with the
        length of its vectors: only a number and the letters of every word are kept. Of a word that
        stands twice the first counts.
    Z, Z2 : iterable of str
        Attribute words. ψ is positive for words closer to Z.
    case : {"exact", "lower", "fallback"}
        How words are looked up, here and by the methods of the result.
    allow_pickle, progressbar : bool
        As for `load_vectors`.

    Returns
    -------
    Distribution
        With ``psi``, ``mean``, ``sd``, ``fit``, ``phi(words)`` and ``relative_bias(X, Y)``.

    Warns
    -----
    UserWarning
        If words have no direction (all zeros, or not finite); they are left out.

    References
    ----------
    Smarda (2021), background distributions of word embeddings.
    """
    return distributions(
        source,
        {"background": (Z, Z2)},
        case=case,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )["background"]


def distributions(
    source: VectorsLike,
    experiments: Mapping[str, Experiment | tuple[Iterable[str], Iterable[str]]],
    *,
    case: str = "exact",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> dict[str, Distribution]:
    """Compute the reference distributions of many experiments, in one pass over the embedding.

    Parameters
    ----------
    source, case, allow_pickle, progressbar
        As for `distribution`, and so are errors and warnings.
    experiments : mapping of str to Experiment or (Z, Z2)
        `experiments()` makes them of word lists. One with a set that has no word in the embedding
        is left out with a warning, and refused if no other experiment remains.

    Returns
    -------
    dict of str to Distribution
        They share one vocabulary.
    """
    if case not in CASES:
        raise ValueError(unknown_name("case", str(case), CASES))
    if not experiments:
        raise ValueError("there are no experiments; name one or more")
    sets = {name: _sets(experiment) for name, experiment in experiments.items()}
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    known = _known_sets(embedding, sets, case)
    means = {
        name: [unit_rows(found.rows[side]).mean(axis=0) for side in ("Z", "Z2")]
        for name, found in known.items()
    }
    vocabulary, psi = _psi(embedding, np.stack([Z - Z2 for Z, Z2 in means.values()]))
    made = {}
    for (name, found), values in zip(known.items(), psi, strict=True):
        missing = (*found.missing.get("Z", ()), *found.missing.get("Z2", ()))
        attributes = found.words["Z"], found.words["Z2"]
        made[name] = Distribution(name, values, vocabulary, *attributes, missing, case)
    return made


def _sets(given: Experiment | tuple[Iterable[str], Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the sets of an experiment that must have words."""
    if isinstance(given, Experiment):
        return {side: getattr(given, side) for side in ("Z", "Z2", "X", "Y")}
    Z, Z2 = given
    if isinstance(Z, str) or isinstance(Z2, str):
        raise TypeError(f"Z and Z2 must be lists of words; got {Z!r} and {Z2!r}")
    return {"Z": tuple(Z), "Z2": tuple(Z2)}


def _known_sets(
    embedding: Embedding, sets: Mapping[str, Mapping[str, tuple[str, ...]]], case: str
) -> dict[str, WordSets]:
    """Look the sets of every experiment up; warn of those that lack a whole set."""
    words = {word for of_one in sets.values() for listed in of_one.values() for word in listed}
    vectors = _vectors(embedding, words, case)
    known: dict[str, WordSets] = {}
    reasons = []
    for name, of_one in sets.items():
        try:
            known[name] = look_up(vectors, of_one)
        except ValueError as error:
            lower = ("; for an embedding in lower case pass ", Argument("case", "fallback"))
            reasons.append((f"{name}: {error}", *lower))
    if not known:
        raise ArgumentError(*reasons[0])
    for reason in reasons:
        warnings.warn(ArgumentWarning(*reason, "; it is left out"), skip_file_prefixes=OWN_FRAMES)
    return known


def _vectors(embedding: Embedding, words: set[str], case: str) -> dict[str, Vector]:
    """Read the vectors of words in the forms that the case allows; stops when all are found."""
    first_choice = {word.lower() for word in words} if case == "lower" else words
    found: dict[str, Vector] = {}
    for chunk in embedding.chunks(wanted=words | {word.lower() for word in words}):
        for word, vector in zip(chunk.words, chunk.vectors, strict=True):
            found.setdefault(word, vector)
        if found.keys() >= first_choice:
            break
    return {word: found[form] for word, form in choose(words, found, case).items()}


def _psi(embedding: Embedding, directions: FloatArray) -> tuple[list[str], FloatArray]:
    """Compute the words that have a direction and their ψ, (n_experiments, n_words)."""
    words: list[str] = []
    parts = []
    for chunk in first_of_each(embedding.chunks(), []):
        words += chunk.words
        parts.append(products(chunk.vectors, directions))
    psi = np.concatenate(parts, axis=1)
    kept = ~np.isnan(psi[0])
    if not kept.all():
        shown = abridged([repr(words[row]) for row in np.flatnonzero(~kept).tolist()], 5)
        warnings.warn(
            f"{(~kept).sum()} word(s) have no direction (all zeros, or not finite) and are left "
            f"out: {shown}",
            skip_file_prefixes=OWN_FRAMES,
        )
        words, psi = list(compress(words, kept)), psi[:, kept]
    if len(words) < FEWEST_WORDS:
        raise ValueError(
            f"the embedding holds {len(words)} words with a direction; a background needs "
            f"{FEWEST_WORDS} or more"
        )
    return words, psi


def products(vectors: Vector, directions: FloatArray) -> FloatArray:
    """Compute the products of every vector, scaled to unit length, with every direction.

    The sums of a vector do not depend on the vectors around it. NaN for vectors that are all zeros,
    not finite, or shorter than `SHORTEST`.
    """
    rows = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        usable = (lengths > SHORTEST) & np.isfinite(lengths)
        sums = np.einsum("kd,nd->kn", directions, rows) / np.where(usable, lengths, np.nan)
    return np.asarray(sums)
