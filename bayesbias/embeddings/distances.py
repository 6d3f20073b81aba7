"""Build the long-form table of cosine distances from vectors and a word list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Real

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError, check_flags
from .._core.warnings import warn
from ..tables.copies import without_copies
from ..tables.cosines import attach_vectors
from ..tables.schema import (
    COLUMNS,
    CONTROLS,
    FEWEST_LEFT,
    MOST_MISSING,
    RANKS,
    STEREOTYPES,
    Checked,
    checked,
    connections_present,
)
from ..tables.spellings import KeyedVectors, first_spellings
from ..tables.wordlist_files import HEADS
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from ..warnings import LeftOut, SameSpellings, ThinSet, WordsInTwoRoles, WordsInTwoSets
from .formats.keyed import known_ranks, require_directions
from .load import VectorsLike, vectors_in_memory

WORDS = ("protected_word", "attribute")


def distance_table(
    vectors: VectorsLike,
    wordlist: WordListLike,
    *,
    embedding: str | None = None,
    drop_duplicates: bool = False,
    max_missing: float | None = None,
) -> pd.DataFrame:
    """Compute the cosine distances between every protected word and every attribute of a word list.

    Stereotypes of a word's own group are ``associated``, and those of other groups are
    ``different``. Control words are ``neutral``, ``human``, or ``matched``. Each pair has one row;
    if several connections apply, it has the first. Groups with the same stereotypes share a set,
    the smallest; for other groups, a word of several sets is in the smallest of them. No word
    is compared with itself, and spellings with the same vector count once. Missing words have no
    rows; `missing_words` lists them.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame, or tuple
        Vectors in any form that `load_vectors` accepts; words are looked up as spelled in the list.
    wordlist : str, Path, mapping, or WordList
        Word list in any form that `load_wordlist` accepts; it must have groups.
    embedding : str, optional
        Value for a new column ``embedding``, which distinguishes tables that you concatenate.
    drop_duplicates : bool
        Leave out exact copies of earlier words. By default, copies only cause a warning.
    max_missing : float, optional
        Largest share of a set's words that may be missing, in [0, 1]. There is no limit by default;
        in WEFE, the default is 0.2.

    Returns
    -------
    DataFrame
        One row per pair, with the columns ``COLUMNS``. ``cosine_distance`` is 1 - cosine
        similarity, in [0, 2]. For vectors from `load_vectors`, or with gensim's word counts, the
        columns ``protected_word_rank`` and ``attribute_rank`` contain frequency ranks. ``.attrs``
        contains the directions of the words.

    Raises
    ------
    ValueError
        If fewer than two groups have vectors; if a set lacks more than ``max_missing`` of its
        words; if two groups share a word in two spellings; or if a connection has no rows.

    Warns
    -----
    EmptyVectors
        If vectors of listed words are all zeros or not finite. These words count as missing.
    ThinSet
        If no word of a set has a vector.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table("glove-demo", "religion")
    >>> table[["protected_word", "attribute", "cosine_distance"]].head(3).round(2)
      protected_word attribute  cosine_distance
    0        judaism    greedy             1.04
    1        judaism     cheap             0.95
    2        judaism     hairy             1.03
    """
    refuse_lists("distance_table(vectors, wordlist)", vectors)
    check_flags(drop_duplicates=drop_duplicates)
    wordlist = load_wordlist(wordlist)
    held = vectors_in_memory(vectors, wordlist)
    table = measure(held, wordlist, embedding, max_missing, drop_duplicates=drop_duplicates)
    sets = _losses(held, wordlist)
    lost = sets[(sets["found"] == 0) & (sets["role"] != "baseline")]
    for name, n in zip(lost["set"], lost["words"], strict=True):
        warn(ThinSet(name, 0, int(n), about=wordlist.name))
    return table.rows


def measure(
    vectors: VectorsLike,
    wordlist: WordListLike,
    embedding: str | None = None,
    max_missing: float | None = None,
    *,
    drop_duplicates: bool = False,
) -> Checked:
    """Return the table of `distance_table`, with the codes of its columns."""
    wordlist = load_wordlist(wordlist)
    vectors = vectors_in_memory(vectors, wordlist)
    if max_missing is not None:
        refuse_missing(vectors, wordlist, max_missing)
    spellings = first_spellings(vectors, wordlist.words)
    _check_words(spellings, wordlist, getattr(vectors, "hint", ()))
    pairs = _pairs(spellings, wordlist)
    names = words_of(pairs)
    directions = directions_of(names, vectors)
    (rows, first), (columns, second) = (pd.factorize(pairs[name]) for name in WORDS)
    one, other = (directions[pd.Index(names).get_indexer(words)] for words in (first, second))
    pairs["cosine_distance"] = 1.0 - np.clip((one @ other.T)[rows, columns], -1.0, 1.0)
    if embedding is not None:
        pairs["embedding"] = embedding
    if (ranks := known_ranks(vectors)) is not None:
        of_word = {word: ranks[vectors.key_to_index[word]] for word in names}
        for name, word in zip(RANKS, WORDS, strict=True):
            pairs[name] = pairs[word].map(of_word)
    table = checked(pairs)
    attach_vectors(table.rows, names, directions)
    left = without_copies(table.rows, "these vectors", drop=drop_duplicates)
    return table if left is table.rows else checked(left)


def words_of(table: pd.DataFrame) -> list[str]:
    """Return the different words of a table, starting with the protected words."""
    return [*map(str, pd.unique(pd.concat([table[name].astype(object) for name in WORDS])))]


def directions_of(words: list[str], vectors: KeyedVectors) -> FloatArray:
    """Return the vectors of words, scaled to length one."""
    matrix = np.asarray(vectors[words], dtype=np.float64)
    require_directions(words, matrix)
    return unit_rows(matrix)


def missing_words(vectors: VectorsLike, wordlist: WordListLike) -> pd.DataFrame:
    """Return the words in a list that have no vectors.

    Returns
    -------
    DataFrame
        One row per set and missing word: ``role`` (protected, stereotype, control, or baseline),
        ``set``, and ``word``. The frame is empty if no word is missing.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.missing_words("glove-demo", "religion")
          role      set      word
    0  control  neutral  literaly
    """
    wordlist = load_wordlist(wordlist)
    vectors = vectors_in_memory(vectors, wordlist)
    frame = wordlist.to_frame()
    present = frame["word"].isin(list(vectors.key_to_index))
    return frame.loc[~present, [*HEADS]].reset_index(drop=True)


def undersized_sets(vectors: VectorsLike, wordlist: WordListLike) -> pd.DataFrame:
    """Return the sets that lack more than a fifth of their words, or have fewer than three left.

    By default, WEFE (Badilla et al., 2020) requires at least four fifths of a set's words.

    Returns
    -------
    DataFrame
        One row per set, in list order: ``role`` (protected, stereotype, control, or baseline),
        ``set``, ``words`` (number in the list), ``found`` (number of different vectors), and
        ``share`` (fraction of words that are missing). The frame is empty if no set is too small.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.undersized_sets("glove-demo", "weat10")  # its names are capitalized
            role                 set  words  found  share
    0  protected  young_people_names      8      0    1.0
    1  protected    old_people_names      8      0    1.0
    """
    wordlist = load_wordlist(wordlist)
    sets = _losses(vectors_in_memory(vectors, wordlist), wordlist)
    thin = (sets["share"] > MOST_MISSING) | (sets["found"] < FEWEST_LEFT)
    return sets[thin].reset_index(drop=True)


def refuse_missing(vectors: KeyedVectors, wordlist: WordList, most: float) -> None:
    """Raise an ArgumentError if more than a given share of a set's words is missing."""
    if isinstance(most, bool) or not isinstance(most, Real) or not 0 <= most <= 1:
        raise ArgumentError(Argument("max_missing"), f" must lie in [0, 1]; got {most!r}")
    sets = _losses(vectors, wordlist)
    bad = sets[sets["share"] > most]
    if not bad.empty:
        left = (f"{row.set} ({row.found} of {row.words} left)" for row in bad.itertuples())
        raise ArgumentError(
            f"over {100 * most:g}% of the words are missing from these sets of {wordlist.name!r}: "
            f"{', '.join(left)}. Use an embedding with these words, correct the list, or increase ",
            Argument("max_missing"),
        )


def _losses(vectors: KeyedVectors, wordlist: WordList) -> pd.DataFrame:
    """Return the number of words in each set, the number of words found, and the share missing."""
    first = first_spellings(vectors, wordlist.words)
    frame = wordlist.to_frame()
    sets = frame.assign(first=frame["word"].map(first)).groupby(["role", "set"], sort=False)
    words, found = sets.size(), sets["first"].nunique()
    share = (words - sets["first"].count()) / words
    return pd.DataFrame({"words": words, "found": found, "share": share}).reset_index()


def homes_of(spellings: Mapping[str, str], wordlist: WordList) -> dict[str, str]:
    """Return the group of each protected word, in its first spelling.

    Raise a ValueError if two groups have the same word.
    """
    homes: dict[str, str] = {}
    for group, words in wordlist.groups.items():
        for word in words:
            first = spellings.get(word, word)
            if homes.setdefault(first, group) != group:
                raise ValueError(
                    f"{first!r} (group {homes[first]}) and {word!r} (group {group}) have the same "
                    "vector; a protected word can belong to only one group, so remove one of them"
                )
    return homes


def _check_words(
    spellings: Mapping[str, str], wordlist: WordList, hint: Sequence[str | Argument]
) -> None:
    """Raise an error for too few groups or shared words; warn about words in two roles or sets.

    The hint says how missing words may be read.
    """
    name, groups = repr(wordlist.name), wordlist.groups
    if not groups:
        raise ValueError(f"the list {name} contains only control words; use a list with groups")
    lost = [f"{g} ({', '.join(w)})" for g, w in groups.items() if spellings.keys().isdisjoint(w)]
    if len(groups) - len(lost) < 2:
        raise ArgumentError(
            f"no protected word in these groups has a vector: {'; '.join(lost)}. A comparison "
            "needs two groups; ",
            *(hint or ("check the spelling, or choose another embedding",)),
        )
    homes = homes_of(spellings, wordlist)
    same = [(word, first) for word, first in spellings.items() if word != first]
    sets = (*wordlist.stereotypes.values(), *wordlist.controls.values())
    both = sorted(homes.keys() & {spellings.get(word) for words in sets for word in words})
    if same:
        warn(SameSpellings(tuple(same), about=wordlist.name))
    if both:
        warn(WordsInTwoRoles(tuple(both), about=wordlist.name))
    own = [{spellings.get(word) for word in words} for words in wordlist.stereotypes.values()]
    times = Counter(chain.from_iterable(own))
    if shared := sorted(word for word, n in times.items() if word and n > 1):
        warn(WordsInTwoSets(tuple(shared), about=wordlist.name))
    _warn_of_controls(spellings, wordlist)


def _warn_of_controls(spellings: Mapping[str, str], wordlist: WordList) -> None:
    """Name the controls that count as stereotypes, or as controls of an earlier kind."""
    taken = {spellings.get(word) for words in wordlist.stereotypes.values() for word in words}
    again: list[str] = []
    for words in wordlist.controls.values():
        own = {spellings[word] for word in words if word in spellings}
        again += sorted(own & taken)
        taken |= own
    if again:
        why = "already a stereotype, or a control of another kind"
        warn(LeftOut(len(again), 0, "control", why, tuple(again), about=wordlist.name))


def sets_of(
    group: str, spellings: Mapping[str, str], wordlist: WordList
) -> list[tuple[str, str, list[str]]]:
    """Return the connection, name, and words with vectors of the sets in a group's rows.

    Each stereotype is in one set: the group's own, or else the smallest. Groups with the same
    stereotypes share a set. Sizes are those in the list, so sets in other embeddings agree.
    """
    found = {
        other: [spellings[word] for word in words if word in spellings]
        for other, words in wordlist.stereotypes.items()
    }
    contents = {
        other: frozenset(spellings.get(word, word) for word in words)
        for other, words in wordlist.stereotypes.items()
    }
    names, homes = dict[frozenset[str], str](), dict[str, str]()
    smallest_first = sorted(found, key=lambda other: len(contents[other]))
    for other in smallest_first:
        names.setdefault(contents[other], wordlist.set_name(other))
    for other in sorted(smallest_first, key=lambda other: other != group):
        for word in found[other]:
            homes.setdefault(word, other)
    sets = [
        (
            STEREOTYPES[other != group],
            names[contents[other]],
            [word for word in words if homes[word] == other],
        )
        for other, words in sorted(found.items(), key=lambda item: item[0] != group)
    ]
    sets += [
        (kind, kind, [spellings[word] for word in words if word in spellings])
        for kind, words in wordlist.controls.items()
    ]
    return sets


def _pairs(spellings: Mapping[str, str], wordlist: WordList) -> pd.DataFrame:
    """Return each pair of words with vectors once, in first spellings and without distances."""
    rows = []
    for group, protected in wordlist.groups.items():
        sets = sets_of(group, spellings, wordlist)
        rows += [
            (word, group, attribute, set_name, connection)
            for word in dict.fromkeys(spellings[w] for w in protected if w in spellings)
            for connection, set_name, attributes in sets
            for attribute in attributes
        ]
    pairs = pd.DataFrame(rows, columns=list(COLUMNS[:5]), dtype=object)
    pairs = pairs.drop_duplicates(list(WORDS))
    pairs = pairs[pairs["protected_word"] != pairs["attribute"]].reset_index(drop=True)
    expected = [*STEREOTYPES, *(name for name in CONTROLS if name in wordlist.controls)]
    present = connections_present(pairs)
    if "different" not in present and "associated" in present:
        raise ValueError(
            f"the groups of {wordlist.name!r} have the same stereotypes, as far as these are in "
            "the embedding, so none is a different one; list some that only one group has"
        )
    if without := [name for name in expected if name not in present]:
        raise ValueError(
            f"the table of {wordlist.name!r} has no rows for {', '.join(without)}, because no "
            "pair of the required words is in the embedding. Use an embedding with more of the "
            "list's words. You can also remove controls from the list's [controls]"
        )
    return pairs
