"""ψ of every word of an embedding for many pairs of attribute sets, in one pass over the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions.

The directions need the attribute words, which are in the same file. They are searched first, and
only as far as the last of them: files are ordered by frequency, and attributes are common words. A
file that lacks one of them is read twice from end to end.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, ArgumentWarning, unknown_name
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.load import CASES, VectorsLike, choose, open_embedding
from ..embeddings.source import Embedding, Vector
from .distribution import FEWEST_WORDS, Distribution
from .experiment import Experiment

type Words = tuple[str, ...]

CHOICES = {
    "case": CASES,
    "duplicates": ("error", "first"),
    "lacking": ("error", "skip"),
}

SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""


def distribution(
    source: VectorsLike,
    Z: Iterable[str],
    Z2: Iterable[str],
    *,
    case: str = "exact",
    duplicates: str = "error",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> Distribution:
    """Compute ψ of every word of an embedding for two attribute sets.

    Parameters
    ----------
    source
        As for `load_vectors`. A file is read in chunks, in memory that does not grow with the
        length of its vectors: only a number and the letters of every word are kept.
    Z, Z2 : iterable of str
        Attribute words. ψ is positive for words closer to Z.
    case : {"exact", "lower", "fallback"}
        How words are looked up, here and by the methods of the result.
    duplicates : {"error", "first"}
        Refuse a source that has a word twice, or let the first one count.
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
    return distributions(
        source,
        {"background": (Z, Z2)},
        case=case,
        duplicates=duplicates,
        allow_pickle=allow_pickle,
        progressbar=progressbar,
    )["background"]


def distributions(
    source: VectorsLike,
    experiments: Mapping[str, Experiment | tuple[Iterable[str], Iterable[str]]],
    *,
    case: str = "exact",
    duplicates: str = "error",
    lacking: str = "error",
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> dict[str, Distribution]:
    """Compute the reference distributions of many experiments, in one pass over the embedding.

    Parameters
    ----------
    source, case, duplicates, allow_pickle, progressbar
        As for `distribution`.
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
    for kind, given in (("lacking", lacking), ("case", case), ("duplicates", duplicates)):
        if given not in CHOICES[kind]:
            raise ValueError(unknown_name(kind, str(given), CHOICES[kind]))
    if not experiments:
        raise ValueError("there are no experiments; name one or more")
    pairs = [
        (each.Z, each.Z2) if isinstance(each, Experiment) else each for each in experiments.values()
    ]
    listed = [(_listed("Z", Z), _listed("Z2", Z2)) for Z, Z2 in pairs]
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    vectors, n_dims = _attributes(embedding, listed, case)
    forms = [[_forms(words, vectors, case) for words in pair] for pair in listed]
    means = [[_mean(chosen, vectors, n_dims) for chosen in pair] for pair in forms]
    vocabulary, psi = _psi(embedding, np.stack([Z - Z2 for Z, Z2 in means]), duplicates)
    made: dict[str, Distribution] = {}
    reasons: list[ValueError] = []
    for at, (name, asked) in enumerate(experiments.items()):
        Z, Z2 = map(tuple, forms[at])
        lost = [
            word
            for words, there in zip(listed[at], forms[at], strict=True)
            for word in words
            if word not in there
        ]
        one = Distribution(name, psi[at], vocabulary, Z, Z2, tuple(lost), case)
        try:
            _require_sets(one, listed[at], asked if lacking == "skip" else None)
        except ValueError as error:
            if lacking == "error":
                raise
            reasons.append(error)
        else:
            made[name] = one
    if not made:
        raise reasons[0]
    for reason in reasons:
        warnings.warn(
            ArgumentWarning(*reason.args, "; it is left out"), skip_file_prefixes=OWN_FRAMES
        )
    return made


def _attributes(
    embedding: Embedding, pairs: Sequence[tuple[Words, Words]], case: str
) -> tuple[dict[str, Vector], int]:
    """Find the vectors of attribute words, in any form that may count, and their length."""
    words = {word for pair in pairs for side in pair for word in side}
    first_choice = {word.lower() for word in words} if case == "lower" else words
    start = next(embedding.chunks(), None)
    if start is None:
        raise ValueError("the embedding holds no words")
    vectors: dict[str, Vector] = {}
    for chunk in embedding.chunks(wanted={form for word in words for form in (word, word.lower())}):
        for word, vector in zip(chunk.words, chunk.vectors, strict=True):
            vectors.setdefault(word, vector)
        if vectors.keys() >= first_choice:
            break
    for form, vector in vectors.items():
        if not (np.isfinite(vector).all() and vector.any()):
            raise ValueError(
                f"the vector of the attribute word {form!r} is all zeros or not finite; "
                "leave it out"
            )
    return vectors, start.vectors.shape[1]


def _forms(words: Words, vectors: Mapping[str, Vector], case: str) -> dict[str, str]:
    """Map the words that are there to the form that is read, in the order of the set."""
    forms = choose(words, vectors, case)
    return {word: forms[word] for word in words if word in forms}


def _mean(forms: Mapping[str, str], vectors: Mapping[str, Vector], n_dims: int) -> FloatArray:
    """Compute the mean unit vector of words; zeros if there are none."""
    if not forms:
        return np.zeros(n_dims)
    return np.asarray(unit_rows([vectors[form] for form in forms.values()]).mean(axis=0))


def _require_sets(one: Distribution, pair: tuple[Words, Words], asked: object) -> None:
    """Raise a ValueError if Z, Z2, or a set of the experiment asked for has no word."""
    for name, words, there in zip(("Z", "Z2"), pair, (one.Z, one.Z2), strict=True):
        if not there:
            raise ArgumentError(
                f"{one.name}: none of the {len(words)} words of {name} is in the embedding "
                f"({abridged(words)}); check their spelling and case (",
                Argument("case", "lower"),
                ", ",
                Argument("case", "fallback"),
                ")",
            )
    if isinstance(asked, Experiment):
        one.psi_of_set(asked.X, "X")
        one.psi_of_set(asked.Y, "Y")


def _psi(
    embedding: Embedding, directions: FloatArray, duplicates: str
) -> tuple[list[str], list[FloatArray]]:
    """Compute the words and their ψ, without words of no direction and repeated words."""
    words: list[str] = []
    parts = []
    for chunk in embedding.chunks():
        words += chunk.words
        parts.append(products(chunk.vectors, directions))
    twice = _repeated(words, duplicates)
    psi = list(np.concatenate(parts, axis=1))
    kept = ~np.isnan(psi[0])
    if lost := np.flatnonzero(~kept).tolist():
        warnings.warn(
            f"{len(lost)} word(s) have no direction (all zeros, or not finite) and are left out: "
            + abridged([repr(words[row]) for row in lost], 5),
            skip_file_prefixes=OWN_FRAMES,
        )
    kept[twice] = False
    if kept.sum() < FEWEST_WORDS:
        raise ValueError(
            f"the embedding holds {int(kept.sum())} words with a direction; a background needs "
            f"{FEWEST_WORDS} or more"
        )
    if kept.all():
        return words, psi
    return list(compress(words, kept)), [values[kept] for values in psi]


def _repeated(words: list[str], duplicates: str) -> NDArray[np.intp]:
    """Return the rows of words that are there before; an ArgumentError if these are refused."""
    rows = np.flatnonzero(pd.Index(words, dtype=object).duplicated())
    if len(rows) and duplicates == "error":
        raise ArgumentError(
            f"{len(rows)} word(s) are in the embedding more than once "
            f"({', '.join(repr(words[row]) for row in rows[:5].tolist())}), so that they would "
            "count twice and have two vectors; fix the file, or let the first of each count with ",
            Argument("duplicates", "first"),
        )
    return rows


def products(vectors: Vector, directions: FloatArray) -> FloatArray:
    """Compute the products of every vector, brought to unit length, with every direction.

    The sums of a vector do not depend on the vectors around it. NaN for vectors that are all zeros,
    not finite, or shorter than `SHORTEST`.
    """
    rows = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        usable = (lengths > SHORTEST) & np.isfinite(lengths)
        sums = np.einsum("kd,nd->kn", directions, rows) / np.where(usable, lengths, np.nan)
    return np.asarray(sums)


def _listed(name: str, given: Iterable[str]) -> Words:
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of words; got the string {given!r}")
    words = tuple(given)
    if not words:
        raise ValueError(f"{name} is empty; at least one word is needed")
    if repeated := next((word for word in words if words.count(word) > 1), None):
        raise ValueError(f"{name} holds {repeated!r} more than once; keep one of each")
    return words
