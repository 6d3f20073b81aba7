"""Many word lists in many embeddings: the tables that one model is fitted to, and scores."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._core.arrays import unit_rows
from .._core.checks import unknown_name
from .._core.display import abridged
from .._core.resources import OWN_FRAMES
from ..embeddings.distances import distance_table
from ..embeddings.load import load_vectors
from ..scores.list_rows import list_rows, selections
from ..scores.registry import ListScore, chosen_scores
from ..tables.cosines import attach_cosines, mean_cosines
from ..tables.levels import AVERAGE
from ..tables.wordlists import WordList, load_wordlist

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Sources = Mapping[str, str | os.PathLike[str] | KeyedVectors]
"""Embeddings by name: whatever `load_vectors` reads."""

type Lists = Iterable[str | Path | Mapping[str, Any] | WordList]
"""Word lists: whatever `load_wordlist` reads."""

AGGREGATES = ("mean", "abs_mean")
"""How the values of several lists become one: as they are, or each without its sign."""


def distance_tables(
    embeddings: Sources,
    wordlists: Lists,
    *,
    case: str = "exact",
    drop_duplicates: bool = False,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute the distances of every word list in every embedding, for `fit_many`.

    Parameters
    ----------
    embeddings : mapping of str to str, path or KeyedVectors
        Embeddings by name, each as for `load_vectors`.
    wordlists : iterable of WordList, str, Path or mapping
        As for `load_wordlist`, each with a name of its own.
    case, drop_duplicates, max_missing
        As for `load_vectors` and `distance_table`.

    Returns
    -------
    DataFrame
        `distance_table` of all, below each other, with the columns ``embedding`` and ``wordlist``.
        It carries the mean cosines among words, if there are 1,000 words at most; where lists have
        more, give `fit_many` the tables one by one.

    Examples
    --------
    >>> table = bb.distance_tables(embeddings, ["gender", "weat7"], case="fallback")
    >>> table.groupby("wordlist")["embedding"].unique().map(list).tolist()
    [['glove', 'debiased'], ['glove', 'debiased']]
    """
    lists = _named_lists(wordlists)
    options: dict[str, Any] = {"drop_duplicates": drop_duplicates, "max_missing": max_missing}
    tables = []
    for embedding, vectors in _loaded(embeddings, lists, case).items():
        for words in lists:
            with _named_in_errors(words.name, embedding):
                table = distance_table(vectors, words, embedding=embedding, **options)
            tables.append(table.assign(wordlist=words.name))
    whole = pd.concat(tables, ignore_index=True)
    whole.attrs.clear()
    cosines = mean_cosines(tables)
    attach_cosines(whole, cosines.index, cosines.to_numpy())
    return whole


def score_many(
    embeddings: Sources,
    wordlists: Lists,
    scores: Iterable[str] | Mapping[str, ListScore],
    *,
    aggregate: str = "mean",
    unit: bool = False,
    case: str = "exact",
) -> pd.DataFrame:
    """Compute scores of every word list in every embedding, and rank the embeddings by them.

    A score of a list is computed on the words that all embeddings have, so that a missing word
    fakes no difference. A warning names the others.

    Parameters
    ----------
    embeddings, wordlists, case
        As for `distance_tables`.
    scores : iterable of str, or mapping of str to ListScore
        Names of ``scores.SCORES``, or scores of your own by name.
    aggregate : {"mean", "abs_mean"}
        How the values of several lists, and of several choices of groups within one, become one:
        by their mean, signed so that a lean against a stereotype takes away from one towards it;
        or by the mean of their sizes.
    unit : bool
        Bring all vectors to unit length first. Without it RND, RIPA and RNSB also rank embeddings
        by how long their vectors are.

    Returns
    -------
    DataFrame
        ``score``; ``wordlist`` (with several lists first ``average``, over all of them);
        ``embedding``; ``value``, the mean of the values; ``bias``, the `aggregate` of their
        distances from the value of no bias, where larger is more biased; ``rank`` by ``bias``, 1
        for the most biased, the same for equal ones. ``attrs`` hold the ``aggregate`` and, in
        ``left_out``, the words of every list that were left out.

    Examples
    --------
    >>> frame = bb.score_many(embeddings, ["gender"], ["weat"], case="fallback")
    >>> frame[["embedding", "value", "rank"]].round(2)
      embedding  value  rank
    0     glove   1.58     1
    1  debiased   1.07     2
    """
    if aggregate not in AGGREGATES:
        raise ValueError(unknown_name("aggregate", aggregate, AGGREGATES))
    specs = chosen_scores(scores)
    lists = [replace(words, controls={}) for words in _named_lists(wordlists)]
    vectors = _loaded(embeddings, lists, case)
    if len(vectors) < 2:
        raise ValueError(
            f"there is one embedding, {next(iter(vectors))!r}, and ranks need two; for one take "
            "bb.score_table"
        )
    rows, left_out = [], {}
    for words in lists:
        shared, left_out[words.name] = _shared(vectors, words)
        for embedding, source in vectors.items():
            held = load_vectors(source, shared)
            if unit:
                held.vectors = unit_rows(held.vectors)
            with _named_in_errors(words.name, embedding):
                listed, _ = list_rows(held, words)
                for score, spec in specs.items():
                    choices = selections(listed, spec.scope)
                    values = np.array([spec.value(listed.of_groups(at)) for at in choices])
                    off = (values - spec.no_bias) * (-1 if spec.direction == "lower" else 1)
                    bias = abs(off).mean() if aggregate == "abs_mean" else off.mean()
                    rows.append((score, words.name, embedding, float(values.mean()), float(bias)))
    cells = pd.DataFrame(rows, columns=["score", "wordlist", "embedding", "value", "bias"])
    if len(lists) > 1:
        of_score = cells.groupby(["score", "embedding"], sort=False, as_index=False)
        means = of_score[["value", "bias"]].mean().assign(wordlist=AVERAGE)
        cells = pd.concat([means, cells], ignore_index=True)[list(cells)]
    keys = ["score", "wordlist"]
    cells["rank"] = cells.groupby(keys)["bias"].rank("min", ascending=False).astype(int)
    by_score, by_list = (pd.factorize(cells[key])[0] for key in keys)
    order = np.lexsort((cells["rank"].to_numpy(), by_list, by_score))
    frame = cells.iloc[order].reset_index(drop=True)
    frame.attrs = {"aggregate": aggregate, "left_out": left_out}
    return frame


def _shared(
    vectors: Mapping[str, KeyedVectors], wordlist: WordList
) -> tuple[list[str], tuple[str, ...]]:
    """Return the words that all embeddings have, and the others, with a warning of these."""
    lacking = {w: [n for n, kv in vectors.items() if w not in kv] for w in wordlist.words}
    shared = [word for word, names in lacking.items() if not names]
    if differ := [word for word, names in lacking.items() if 0 < len(names) < len(vectors)]:
        names = dict.fromkeys(name for word in differ for name in lacking[word])
        warnings.warn(
            f"{len(differ):,} of {len(wordlist.words):,} words of the list {wordlist.name!r} are "
            f"not in all embeddings, and are left out of all: {abridged(differ)} "
            f"(not in {abridged(list(names))})",
            skip_file_prefixes=OWN_FRAMES,
        )
    if not shared:
        raise ValueError(
            f"no word of the list {wordlist.name!r} is in all of {', '.join(vectors)}; leave the "
            "list or an embedding out"
        )
    return shared, tuple(word for word, names in lacking.items() if names)


def _named_lists(wordlists: Lists) -> list[WordList]:
    """Load lists with different names."""
    if isinstance(wordlists, str | Path | Mapping | WordList):
        wordlists = [wordlists]
    lists = [load_wordlist(source) for source in wordlists]
    if not lists:
        raise ValueError("there is no word list")
    (name, count), *_ = Counter(words.name for words in lists).most_common(1)
    if count > 1:
        raise ValueError(f"{count} lists are called {name!r}; give each a name of its own")
    return lists


def _loaded(embeddings: Sources, lists: Sequence[WordList], case: str) -> dict[str, KeyedVectors]:
    """Load the words of all lists from every embedding."""
    if not isinstance(embeddings, Mapping) or not embeddings:
        raise TypeError(
            "embeddings must be a mapping of names to vectors or files, such as "
            f"{{'glove': 'glove-demo'}}; got {embeddings!r}"
        )
    words = list(dict.fromkeys(word for of_list in lists for word in of_list.words))
    return {name: load_vectors(source, words, case) for name, source in embeddings.items()}


@contextmanager
def _named_in_errors(wordlist: str, embedding: str) -> Iterator[None]:
    """Name the list and the embedding in errors."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"the list {wordlist!r} in {embedding!r}: {error}") from None
