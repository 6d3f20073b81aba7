"""ψ of every word of an embedding for many pairs of attribute sets, in one pass over the file.

With û the unit vector of a word and m, m' the mean unit vectors of Z and Z', ψ(w) = û·(m - m'), so
that all experiments together are one product of the vectors with a few directions.

The directions need the attribute words, which are in the same file. They are searched first, and
only as far as the last of them: files are ordered by frequency, and attributes are common words. A
file that lacks one of them is read twice from end to end.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, ArgumentWarning, unknown_name
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.load import CASES, VectorsLike, choose, open_embedding
from ..embeddings.source import Embedding, Vector
from ..embeddings.word_sets import WordSets, look_up
from .experiment import Experiment
from .psi_distribution import FEWEST_WORDS, Distribution

CHOICES = {"case": CASES, "duplicates": ("error", "first"), "lacking": ("error", "skip")}

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
        As for `distribution`, and so are errors and warnings.
    experiments : mapping of str to Experiment or (Z, Z2)
        `experiments()` makes them of word lists.
    lacking : {"error", "skip"}
        Refuse experiments of which Z or Z2 has no word in the embedding; or leave these out, and
        those of which X or Y has none, with a warning each.

    Returns
    -------
    dict of str to Distribution
        They share one vocabulary.
    """
    for kind, given in (("lacking", lacking), ("case", case), ("duplicates", duplicates)):
        if given not in CHOICES[kind]:
            raise ValueError(unknown_name(kind, str(given), CHOICES[kind]))
    if not experiments:
        raise ValueError("there are no experiments; name one or more")
    sets = {name: _sets(asked, lacking) for name, asked in experiments.items()}
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    words = {word for named in sets.values() for listed in named.values() for word in listed}
    vectors = _vectors(embedding, words, case)
    attributes: dict[str, WordSets] = {}
    reasons = []
    for name, named in sets.items():
        try:
            attributes[name] = look_up(vectors, named)
        except ValueError as error:
            lower = ("; for an embedding in lower case pass ", Argument("case", "fallback"))
            reasons.append(ArgumentError(f"{name}: {error}", *lower))
    if reasons and (lacking == "error" or not attributes):
        raise reasons[0]
    for reason in reasons:
        warnings.warn(
            ArgumentWarning(*reason.args, "; it is left out"), skip_file_prefixes=OWN_FRAMES
        )
    means = [
        [unit_rows(found.rows[side]).mean(axis=0) for side in ("Z", "Z2")]
        for found in attributes.values()
    ]
    vocabulary, psi = _psi(embedding, np.stack([Z - Z2 for Z, Z2 in means]), duplicates)
    return {
        name: Distribution(
            name,
            values,
            vocabulary,
            found.words["Z"],
            found.words["Z2"],
            tuple(word for side in ("Z", "Z2") for word in found.missing.get(side, ())),
            case,
        )
        for (name, found), values in zip(attributes.items(), psi, strict=True)
    }


def _sets(asked: Experiment | tuple[Iterable[str], Iterable[str]], lacking: str) -> dict[str, Any]:
    """Return the sets of an experiment that must have words."""
    if not isinstance(asked, Experiment):
        Z, Z2 = asked
        if isinstance(Z, str) or isinstance(Z2, str):
            raise TypeError(f"Z and Z2 must be lists of words; got {Z!r} and {Z2!r}")
        return {"Z": tuple(Z), "Z2": tuple(Z2)}
    sets = {"Z": asked.Z, "Z2": asked.Z2}
    return sets | {"X": asked.X, "Y": asked.Y} if lacking == "skip" else sets


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


def _psi(
    embedding: Embedding, directions: FloatArray, duplicates: str
) -> tuple[list[str], list[FloatArray]]:
    """Compute the words and their ψ, without words of no direction and repeated words."""
    words: list[str] = []
    parts = []
    for chunk in embedding.chunks():
        words += chunk.words
        parts.append(products(chunk.vectors, directions))
    psi = list(np.concatenate(parts, axis=1))
    repeated = pd.Index(words, dtype=object).duplicated()
    if repeated.any() and duplicates == "error":
        shown = abridged([repr(words[row]) for row in np.flatnonzero(repeated).tolist()], 5)
        raise ArgumentError(
            f"{repeated.sum()} word(s) are in the embedding more than once ({shown}), so that they "
            "would count twice and have two vectors; fix the file, or let the first of each count "
            "with ",
            Argument("duplicates", "first"),
        )
    flat = np.isnan(psi[0])
    if flat.any():
        shown = abridged([repr(words[row]) for row in np.flatnonzero(flat).tolist()], 5)
        warnings.warn(
            f"{flat.sum()} word(s) have no direction (all zeros, or not finite) and are left out: "
            + shown,
            skip_file_prefixes=OWN_FRAMES,
        )
    kept = ~(flat | repeated)
    if kept.sum() < FEWEST_WORDS:
        raise ValueError(
            f"the embedding holds {kept.sum()} words with a direction; a background needs "
            f"{FEWEST_WORDS} or more"
        )
    if kept.all():
        return words, psi
    return list(compress(words, kept)), [values[kept] for values in psi]


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
