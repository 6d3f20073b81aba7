"""Many word lists in many embeddings: the tables that one model is fitted to, and scores."""

from __future__ import annotations

import os
import warnings
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
from ..embeddings.load import load_vectors
from ..scores.list_rows import ListRows, list_rows, selections
from ..scores.registry import ListScore, chosen_scores
from ..tables.distances import distance_table, refuse_missing
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
    case : {"exact", "lower", "fallback"}
        As for `load_vectors`.
    drop_duplicates, max_missing
        As for `distance_table`.

    Returns
    -------
    DataFrame
        `distance_table` of all, below each other, with the columns ``embedding`` and ``wordlist``.

    Raises
    ------
    ValueError
        If two lists have one name, there is no list, or as `load_vectors` and `distance_table`,
        which list and embedding.
    TypeError
        If embeddings are no mapping, or something given as a list is none.

    Examples
    --------
    >>> import bayesbias as bb
    >>> glove = bb.load_vectors("glove-demo")
    >>> embeddings = {"glove": glove, "debiased": bb.debias.soft(glove, "gender")}
    >>> table = bb.distance_tables(embeddings, ["gender", "weat7"], case="fallback")
    >>> table.groupby("wordlist")["embedding"].unique().map(list).tolist()
    [['glove', 'debiased'], ['glove', 'debiased']]
    """
    lists = _named_lists(wordlists)
    tables = []
    for embedding, vectors in _loaded(embeddings, lists, case).items():
        for words in lists:
            with _told_of(words.name, repr(embedding)):
                table = distance_table(
                    vectors,
                    words,
                    embedding=embedding,
                    drop_duplicates=drop_duplicates,
                    max_missing=max_missing,
                )
            tables.append(table.assign(wordlist=words.name))
    whole = pd.concat(tables, ignore_index=True)
    whole.attrs.clear()
    return whole


def score_many(
    embeddings: Sources,
    wordlists: Lists,
    scores: Iterable[str] | Mapping[str, ListScore],
    *,
    aggregate: str = "mean",
    unit: bool = False,
    case: str = "exact",
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute scores of every word list in every embedding, and rank the embeddings by them.

    A score of a list is computed on the words that all embeddings have, so that a missing word
    fakes no difference.

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
    max_missing : float, optional
        As for `distance_table`, of the words that all embeddings have.

    Returns
    -------
    DataFrame
        ``score``; ``wordlist`` (with several lists first ``average``, over all of them);
        ``embedding``; ``value``, the mean of the values; ``bias``, the `aggregate` of their
        distances from the value of no bias, where larger is more biased; ``rank`` by ``bias``, 1
        for the most biased, the same for equal ones. ``attrs`` hold the ``aggregate`` and, in
        ``left_out``, the words of every list that were left out.

    Raises
    ------
    ValueError
        If there are fewer than two embeddings, two lists have one name, there is no score, a score
        or aggregate is unknown, or a score is undefined or a set without words, in which list and
        embedding, and which embeddings lack words.
    TypeError
        If embeddings are no mapping, or something given as a list or a score is none.

    Warns
    -----
    UserWarning
        If words are left out because some embedding lacks them.

    Examples
    --------
    >>> import bayesbias as bb
    >>> glove = bb.load_vectors("glove-demo")
    >>> embeddings = {"glove": glove, "debiased": bb.debias.soft(glove, "gender")}
    >>> frame = bb.score_many(embeddings, ["gender"], ["weat"], case="fallback")
    >>> frame[["embedding", "rank"]].to_numpy().tolist()
    [['glove', 1], ['debiased', 2]]
    """
    if aggregate not in AGGREGATES:
        raise ValueError(unknown_name("aggregate", aggregate, AGGREGATES))
    specs = chosen_scores(scores)
    lists = [replace(each, controls={}) for each in _named_lists(wordlists)]
    vectors = _loaded(embeddings, lists, case)
    if len(vectors) < 2:
        raise ValueError(
            f"there is one embedding, {next(iter(vectors))!r}, and ranks need two; for one take "
            "bb.score_table"
        )
    rows, left_out = [], {}
    for words in lists:
        shared, left_out[words.name], lacking = _shared(vectors, words)
        if max_missing is not None:
            with _told_of(words.name, f"all embeddings{lacking}"):
                refuse_missing(
                    load_vectors(next(iter(vectors.values())), shared), words, max_missing
                )
        for embedding, own in vectors.items():
            with _told_of(words.name, f"{embedding!r}{lacking}"):
                held = load_vectors(own, shared)
                if unit:
                    held.vectors = unit_rows(held.vectors)
                listed, _ = list_rows(held, words)
                for score, spec in specs.items():
                    found = _value_and_bias(spec, listed, aggregate)
                    rows.append((score, words.name, embedding, *found))
    cells = pd.DataFrame(rows, columns=["score", "wordlist", "embedding", "value", "bias"])
    frame = _ranked(cells, several=len(lists) > 1)
    frame.attrs = {"aggregate": aggregate, "left_out": left_out}
    return frame


def _value_and_bias(spec: ListScore, rows: ListRows, aggregate: str) -> tuple[float, float]:
    """Return a score's mean over choices of groups, and the aggregate of how far it is off."""
    values = np.array([spec.value(rows.of_groups(at)) for at in selections(rows, spec.scope)])
    apart = values - spec.no_bias
    if aggregate == "abs_mean":
        apart = abs(apart)
    elif spec.direction == "lower":
        apart = -apart
    return float(values.mean()), float(apart.mean())


def _ranked(cells: pd.DataFrame, *, several: bool) -> pd.DataFrame:
    """Add averages over lists, and ranks, the most biased embedding first."""
    parts = []
    for score, of_score in cells.groupby("score", sort=False):
        if several:
            means = of_score.groupby("embedding", sort=False)[["value", "bias"]].mean()
            parts.append(means.reset_index().assign(score=score, wordlist=AVERAGE))
        parts.append(of_score)
    frame = pd.concat(parts)[list(cells)]
    of_list = ["score", "wordlist"]
    frame["rank"] = frame.groupby(of_list)["bias"].rank("min", ascending=False).astype(int)
    order = frame.groupby(of_list, sort=False).ngroup()
    frame = frame.assign(order=order).sort_values(["order", "rank"], kind="stable")
    return frame.drop(columns="order").reset_index(drop=True)


def _shared(
    vectors: Mapping[str, KeyedVectors], wordlist: WordList
) -> tuple[list[str], tuple[str, ...], str]:
    """Return the words that all embeddings have, the others, and who lacks how many of these."""
    wanted = wordlist.words
    lost = {name: [word for word in wanted if word not in own] for name, own in vectors.items()}
    out = [word for word in wanted if any(word in words for words in lost.values())]
    differ = [word for word in out if not all(word in words for words in lost.values())]
    if differ:
        lacking = [name for name, words in lost.items() if set(words) & set(differ)]
        warnings.warn(
            f"{len(differ):,} of {len(wanted):,} words of the list {wordlist.name!r} are not in "
            f"all embeddings, and are left out of all: {abridged(differ)} "
            f"(not in {abridged(lacking)})",
            skip_file_prefixes=OWN_FRAMES,
        )
    shared = [word for word in wanted if word not in set(out)]
    if not shared:
        raise ValueError(
            f"no word of the list {wordlist.name!r} is in all of {', '.join(vectors)}; check their "
            "spelling and case, or leave the list or an embedding out"
        )
    told = " and ".join(f"{name!r} lacks {len(words)}" for name, words in lost.items() if words)
    return shared, tuple(out), f" (of its words {told}, left out of all)" if told else ""


def _named_lists(wordlists: Lists) -> list[WordList]:
    """Load lists, each of which needs a name of its own."""
    if isinstance(wordlists, str | Path | Mapping | WordList):
        wordlists = [wordlists]
    if not isinstance(wordlists, Iterable):
        raise TypeError(
            "wordlists must be a list of what bb.load_wordlist takes, such as ['gender']; got "
            f"{wordlists!r}"
        )
    lists = [load_wordlist(each) for each in wordlists]
    if not lists:
        raise ValueError("there is no word list; name one, or make one with bb.WordList.from_query")
    names = [each.name for each in lists]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"{names.count(twice[0])} lists are called {twice[0]!r}; give each a name of its own, "
            "such as bb.WordList.from_query(..., name='careers')"
        )
    return lists


def _loaded(embeddings: Sources, lists: Sequence[WordList], case: str) -> dict[str, KeyedVectors]:
    """Load the words of all lists from every embedding."""
    if not isinstance(embeddings, Mapping) or not embeddings:
        kind, of = (ValueError, "an empty") if isinstance(embeddings, Mapping) else (TypeError, "a")
        raise kind(
            "embeddings must be a mapping of names to vectors or files, such as "
            f"{{'glove': 'glove-demo'}}; got {of} {type(embeddings).__name__}"
        )
    words = list(dict.fromkeys(word for each in lists for word in each.words))
    return {name: load_vectors(source, words, case) for name, source in embeddings.items()}


@contextmanager
def _told_of(wordlist: str, where: str) -> Iterator[None]:
    """Name the list and the embeddings in errors."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"the list {wordlist!r} in {where}: {error}") from None
