"""Train embeddings on one text repeatedly, to see how much the seed changes their distances."""

from __future__ import annotations

import inspect
import os
import re
import reprlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.random import default_rng

from .._core.checks import (
    Argument,
    ArgumentError,
    check_choice,
    check_flags,
    check_words,
    is_whole,
)
from .._core.random import Seed, as_seed_sequence
from .._core.reading import read_text
from ..tables.cosines import joined_tables
from ..tables.wordlists import WordListLike, load_wordlist
from .distances import distance_table

MOST_TRAININGS = 100
"""Largest number of training runs."""

TAKEN = {
    "seed": "pass it to bb.retrain",
    "workers": "one thread is used, so that equal seeds give equal tables",
    "sentences": "they are the documents",
    "corpus_file": "pass its path as the documents",
}
"""Settings of gensim's models that `retrain` makes, and what to do instead."""

LEAST = {"vector_size": 2, "window": 1, "epochs": 1, "bucket": 0, "min_n": 0, "word_ngrams": 1}
"""Smallest values of settings that gensim refuses below; with a window of 0, it never ends."""

MOST = {"word_ngrams": 1}
"""Largest values of settings; gensim has no others yet."""

WHOLE = ("vector_size", "epochs", "bucket", "max_final_vocab")
"""Settings that must be whole numbers; gensim rounds others, or has no use for 5.0, either."""

OR_NONE = ("max_vocab_size", "max_final_vocab")
"""Settings that are numbers or None."""


def retrain(
    documents: Iterable[Sequence[str]] | str | Path,
    wordlist: WordListLike,
    n: int = 10,
    *,
    method: str = "word2vec",
    bootstrap: bool = False,
    embedding: str = "text",
    seed: Seed = None,
    settings: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Train several embeddings on one text, and compute a word list's distances in each.

    Parameters
    ----------
    documents : iterable of sequence of str, str, or Path
        Documents as sequences of words, or the path of a UTF-8 text file with one document per
        line. Lines end with a newline (of any system) and are split into words at whitespace. Split
        other texts yourself, as in ``[text.split() for text in texts]``.
    wordlist : str, Path, mapping, or WordList
    n : int
        Number of training runs, from 2 to 100.
    method : {"word2vec", "fasttext"}
    bootstrap : bool
        Draw each run's documents with replacement. By default, only the seeds differ.
    embedding : str
        Name of the text, for the table's column ``embedding``.
    seed : int, SeedSequence, Generator, or None
        Seed for the runs. The same seed gives the same tables, because training uses one thread.
    settings : mapping, optional
        Settings for gensim's model, such as ``{"vector_size": 100, "epochs": 5, "min_count": 5,
        "sg": 1}``.

    Returns
    -------
    DataFrame
        The concatenated long-form tables of all runs, for `fit_many`, with the columns
        ``embedding``, ``wordlist``, and ``replicate``.

    References
    ----------
    Antoniak and Mimno (2018), Evaluating the Stability of Embedding-based Word Similarities,
    Transactions of the Association for Computational Linguistics 6.

    Examples
    --------
    >>> import bayesbias as bb
    >>> tables = bb.retrain("texts.txt", bb.load_wordlist("gender"))  # doctest: +SKIP
    >>> bb.comparison.variance_shares(bb.fit_many(tables, seed=1))  # doctest: +SKIP
    """
    from gensim.models import FastText, Word2Vec

    models: dict[str, Any] = {"word2vec": Word2Vec, "fasttext": FastText}
    check_choice("training method", method, models)
    if not is_whole(n) or not 2 <= n <= MOST_TRAININGS:
        raise ArgumentError(Argument("n"), f" must be from 2 to {MOST_TRAININGS}; got {n!r}")
    check_flags(bootstrap=bootstrap)
    checked = _checked({} if settings is None else settings, models[method], method)
    texts = _texts(documents)
    wordlist, tables = load_wordlist(wordlist), []
    for number, child in enumerate(as_seed_sequence(seed).spawn(n), start=1):
        rng = default_rng(child)
        drawn = rng.integers(len(texts), size=len(texts)) if bootstrap else range(len(texts))
        chosen, model_seed = [texts[i] for i in drawn], int(rng.integers(2**31))
        try:
            model = models[method](chosen, seed=model_seed, workers=1, **checked)
        except RuntimeError:  # of gensim, for an empty vocabulary, or of the caller's functions
            untrained = models[method](**checked)
            untrained.build_vocab(chosen, trim_rule=checked.get("trim_rule"))
            if untrained.wv.key_to_index:
                raise
            raise ValueError(
                "no word of the documents occurs often enough to be trained; choose a smaller "
                "min_count, as in settings={'min_count': 1}"
            ) from None
        table = distance_table(model.wv, wordlist, embedding=embedding)
        tables.append(table.assign(wordlist=wordlist.name, replicate=str(number)))
    return joined_tables(tables)


def _texts(documents: object) -> list[list[str]]:
    """Return the words of each document that has any."""
    if isinstance(documents, str | os.PathLike):
        lines = re.split(r"[\r\n]", read_text(Path(documents).expanduser(), sys.maxsize))
        documents = [line.split() for line in lines]
    if not isinstance(documents, Iterable) or isinstance(documents, bytes):
        raise TypeError(
            f"documents must be lists of words, or the path of a text file; got {documents!r}"
        )
    texts = []
    for place, words in enumerate(documents):
        if isinstance(words, str | bytes) or not isinstance(words, Iterable):
            raise TypeError(
                f"documents[{place}] must be a list of words; got {reprlib.repr(words)}. Split "
                "texts, as in [text.split() for text in texts]"
            )
        texts.append([*words])
        check_words(f"documents[{place}]", texts[-1])
    texts = [words for words in texts if words]
    if not texts:
        raise ValueError("there are no documents to train on")
    return texts


def _checked(settings: object, model: type[Any], method: str) -> dict[str, Any]:
    """Return the settings of a model if all are there and have values that it can use."""
    if not isinstance(settings, Mapping):
        raise ArgumentError(
            Argument("settings"), f" must be a dict, such as {{'epochs': 5}}; got {settings!r}"
        )
    parameters = inspect.signature(model).parameters
    known = [name for name in parameters if name not in TAKEN]
    for name, value in settings.items():
        if name in TAKEN:
            raise ValueError(f"settings must not contain {name!r}: {TAKEN[name]}")
        check_choice(f"setting of {method}", name, known)
        default = parameters[name].default
        if name in OR_NONE or (isinstance(default, Real) and not isinstance(default, bool)):
            _check_number(name, value)
    whole = {name: int(settings[name]) for name in WHOLE if settings.get(name) is not None}
    return {**settings, **whole}


def _check_number(name: str, value: object) -> None:
    """Raise a ValueError for a number that gensim would refuse, or never finish with."""
    if value is None and name in OR_NONE:
        return
    least, most = LEAST.get(name, -inf), MOST.get(name, inf)
    number = float(value) if isinstance(value, Real) else inf
    right = isfinite(number) and least <= number <= most
    if not right or (name in WHOLE and not number.is_integer()):
        kind = "a whole number" if name in WHOLE else "a number"
        ends = f", {least} or more" * (name in LEAST) if name not in MOST else f" up to {most}"
        raise ValueError(f"the setting {name!r} must be {kind}{ends}; got {value!r}")
