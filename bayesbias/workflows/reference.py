"""Read lists from an embedding in one pass, and what their contrasts are compared with."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.warnings import SamplingWarning, as_ours, heard, ignored, warn
from ..background.pools import (
    WORDS_SEED,
    Pool,
    Pools,
    TooFewWordsError,
    draw_pools,
    with_drawn,
    word_seeds,
)
from ..background.reference_words import draw_lists, topic_neighbors, with_matched, words_present
from ..background.vocabulary_contrasts import list_contrasts, placed_among
from ..embeddings.convert import cached
from ..embeddings.distances import measure, missing_words, undersized_sets
from ..embeddings.formats.keyed import frequency_ranks
from ..embeddings.load import VectorsLike, pick
from ..embeddings.registry import open_embedding
from ..embeddings.source import Embedding
from ..model.frequency import MATCHED
from ..model.spec import ModelSpec
from ..posterior.baseline_words import baseline_contrasts
from ..posterior.splits import split_by_baseline
from ..records.found import Frames, Without
from ..scores.table import score_table
from ..tables.covariates import with_values
from ..tables.descriptives import contrast_of, default_rows
from ..tables.schema import STEREOTYPES, Checked, checked
from ..tables.spellings import first_spellings, resolved_forms
from ..tables.wordlists import WordList
from ..warnings import NothingDrawn, SameSpellings, SameVectors
from .results import ModelResult, joined
from .ruler import landmark_lists, landmark_rows, landmark_words
from .settings import Settings

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from typing_extensions import TypeIs

    from ..contextual import ContextualVectors


UNDRAWN = "matched controls and no reference lists"

SCORES = ("weat", "mac", "same")
"""Published scores that reports show with the contrasts."""


@dataclass(frozen=True, eq=False)
class Held:
    """A list in an embedding or in contexts: its vectors, and the words drawn for it."""

    vectors: KeyedVectors | ContextualVectors
    wordlist: WordList
    settings: Settings
    pool: Pool | None = None

    @property
    def parts(self) -> list[KeyedVectors]:
        """The vectors in each context, or the only ones."""
        if in_contexts(self.vectors):
            return [self.vectors.in_context(context) for context in self.vectors.contexts]
        return [self.vectors]

    def matched(self) -> Held:
        """Add matched controls and their vectors, if they are requested and not in the list."""
        pool, n, own = self.pool, self.settings.matched, self.wordlist
        if in_contexts(self.vectors) or pool is None or not n or MATCHED in own.controls:
            return self
        with warned_if_too_few("matched controls"):
            wider = with_matched(own, pool, default_rng(word_seeds()[1]), n=n)
            vectors = with_drawn(self.vectors, wider.controls[MATCHED], pool)
            return replace(self, vectors=vectors, wordlist=wider)
        return self

    def measured(self) -> Checked:
        """Return the distances of the list, with the values of covariates if there are some."""
        if in_contexts(self.vectors):
            from ..contextual import contextual_table

            most = self.settings.max_missing
            table = checked(contextual_table(self.vectors, self.wordlist, max_missing=most))
        else:
            how = self.settings.chosen("embedding", "max_missing")
            table = measure(self.vectors, self.wordlist, **how)
        values, names = self.settings.covariate_values, self.settings.covariates
        return replace(table, rows=with_values(table.rows, values, names)) if values else table

    def of_words(self) -> dict[str, pd.DataFrame]:
        """Return the missing words, the sets that are too small, and the forms of the others."""
        keyed, asked = self.parts[0], set(self.wordlist.words)
        frames = {
            "missing": missing_words(keyed, self.wordlist),
            "thin": undersized_sets(keyed, self.wordlist),
        }
        others = getattr(keyed, "others", {})
        for name, forms in (("forms", resolved_forms(keyed)), ("others", others)):
            rows = [(word, form) for word, form in forms.items() if word in asked]
            frames[name] = pd.DataFrame(rows, columns=["word", "form"])
        return frames

    def hash(self) -> str:
        """Return a SHA-256 of the words and their vectors in all contexts, for all formats."""
        digest = hashlib.sha256()
        for part in self.parts:
            for word in sorted(word for word in self.wordlist.words if word in part.key_to_index):
                row = np.ascontiguousarray(part[word], dtype="<f4")
                digest.update(word.encode() + b"\0" + row.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Source:
    """An embedding that is read once for several lists, or contexts, and words drawn from it."""

    vectors: Embedding | ContextualVectors
    settings: Settings
    pools: Pools | None = None

    def read(self, wordlist: WordList) -> Held:
        """Return a list with its vectors, those of the landmarks, and words drawn for it."""
        if in_contexts(self.vectors):
            return Held(self.vectors, wordlist, self.settings)
        how = self.settings.chosen("case", "strip_accents", "subwords")
        also, pool = landmark_words() if self.pools else (), None
        vectors = pick(self.vectors, wordlist.words, also=also, **how)
        if self.pools:
            with warned_if_too_few(UNDRAWN):
                pool = self.pools.of(wordlist.words)
        return Held(vectors, wordlist, self.settings, pool)

    def landmarks(self, held: Held, spec: ModelSpec) -> pd.DataFrame:
        """Return the landmarks in an embedding from which words can be drawn.

        No landmark is measured with covariates, which make another measure of a list.
        """
        is_same = spec.likelihood == "normal" and not self.settings.covariates
        if in_contexts(held.vectors) or self.pools is None or not is_same:
            return pd.DataFrame()
        return landmark_rows(held.vectors, self.pools, spec, self.settings, self.settings.matched)


def read_source(
    source: VectorsLike | ContextualVectors, lists: Sequence[WordList], settings: Settings
) -> Source:
    """Read the words of all lists and landmarks, and draw words for controls, in one pass.

    No words are drawn if none are needed. If the embedding has too few words, warn. Words in
    contexts have no words to draw from.
    """
    if in_contexts(source):
        return Source(source, settings)
    if settings.encoder:
        from ..contextual import contextual_vectors

        words = list(dict.fromkeys(word for wordlist in lists for word in wordlist.words))
        how = settings.chosen("layer", "pooling", "progressbar")
        contexts = contextual_vectors(settings.encoder, words, settings.templates, **how)
        return Source(contexts, settings)
    reading = settings.chosen("allow_pickle", "progressbar")
    copy = cached(source, **reading) if settings.cache else source
    opened, pools = open_embedding(copy, **settings.chosen("key", "limit"), **reading), None
    if copy is not source:
        opened.name = str(source)
    if settings.matched or settings.reference_lists:
        listed = [one.words for one in (*lists, *landmark_lists().values())]
        drawing: dict[str, Any] = {"case": settings.case, "rng": default_rng(word_seeds()[0])}
        with warned_if_too_few(UNDRAWN):
            pools = draw_pools(opened, listed, by_rank=True, **drawing)
    elif len(lists) > 1:
        opened.keep(word for one in lists for word in one.words)
    return Source(opened, settings, pools)


@contextmanager
def warned_if_too_few(what: str) -> Iterator[None]:
    """Warn about what is left out, rather than stop, if an embedding has too few words."""
    try:
        yield
    except TooFewWordsError as reason:
        warn(NothingDrawn(what, str(reason)))


def in_contexts(vectors: object) -> TypeIs[ContextualVectors]:
    """Return whether vectors are contextual, without importing their module."""
    return hasattr(vectors, "in_context")


def read_against(held: Held, lead: ModelResult) -> tuple[Frames, Without | None]:
    """Compare the contrasts of a list with those of reference lists.

    Frames are keyed by file name. ``reference`` contains the default rows of contrasts, with their
    places among reference lists. ``reference_lists`` contains every list's contrasts, with its kind
    in ``match``. If there are no reference lists, the reason is returned instead of frames.
    """
    settings, pool, wordlist = held.settings, held.pool, held.wordlist
    for reason, holds in (
        (Without.REQUEST, not settings.reference_lists),
        (Without.COVARIATES, settings.covariates),
        (Without.MODEL, lead.spec.likelihood != "normal"),
        (Without.CONTEXTS, in_contexts(held.vectors)),
    ):
        if holds:
            return Frames({}), reason
    if pool is None or in_contexts(held.vectors):
        return Frames({}), Without.WORDS
    headline = default_rows(lead["contrasts"])
    own = replace(wordlist, controls=_matched_of(wordlist))
    known = _with_controls(pool, own, held.vectors)
    lost = [name for name in own.stereotypes if known.found.keys().isdisjoint(own.groups[name])]
    if lost:
        warn(NothingDrawn("reference lists", f"no word of {', '.join(lost)} has a vector"))
        return Frames({}), Without.GROUPS
    present = words_present(own, known.found, known.spellings)
    table, rng = measure(known.keyed, present), default_rng(word_seeds()[3])
    how: dict[str, Any] = {"vary": "stereotypes", "n_lists": settings.reference_lists}
    with warned_if_too_few("reference lists"):
        drawn = draw_lists(known, present, match="topics", rng=rng, **how)
        lists = contrast_of(
            list_contrasts(table, present, lead.posterior, known, drawn), *STEREOTYPES
        )
        lists = lists[lists["protected_group"].isin(headline["protected_group"])]
        frames = {"reference": placed_among(headline, lists), "reference_lists": lists}
        for name, frame in frames.items():  # words on other topics are the only kind
            frames[name] = joined({"topics": frame}, "match").drop(columns=["first", "second"])
        frames["reference_lists"].attrs["n_words"] = len(pool.words)
        return Frames(frames), None
    return Frames({}), Without.WORDS


def split_rows(held: Held, lead: ModelResult) -> pd.DataFrame:
    """Return the parts of two groups relative to controls and to neighbors of the stereotypes."""
    vectors, pool, wordlist = held.vectors, held.pool, held.wordlist
    if in_contexts(vectors):
        return pd.DataFrame()
    if pool is None or len(wordlist.groups) != 2:
        return split_by_baseline(lead.posterior)
    near = tuple(pool.words[row] for row in topic_neighbors(pool, wordlist))
    if not near:
        return split_by_baseline(lead.posterior)
    with ignored(SameVectors):  # of words that nobody listed
        wider = replace(wordlist, controls={"neutral": near})
        table = measure(with_drawn(vectors, near, pool), wider).rows
    return split_by_baseline(lead.posterior, table[table["connection"] == "neutral"])


def baseline_rows(held: Held, lead: ModelResult) -> pd.DataFrame:
    """Return the contrasts of groups relative to each set of baseline words in a list."""
    wordlist, settings = held.wordlist, held.settings
    if in_contexts(held.vectors) or not wordlist.baseline:
        return pd.DataFrame()
    groups, controls = {**wordlist.groups, **wordlist.baseline}, _matched_of(wordlist)
    wider = replace(wordlist, groups=groups, controls=controls, baseline={})
    table = measure(held.vectors, wider).rows
    reading = {**settings.intervals, "rope": lead["contrasts"].attrs["rope"]}
    options, frames = settings.of_fit(progressbar=False), list[pd.DataFrame]()
    for name in wordlist.baseline:
        with heard() as found:
            frames.append(baseline_contrasts(table, name, options=options, **reading))
        for one in map(as_ours, found):
            is_doubt = isinstance(one, SamplingWarning)
            warn(one.concerning(f"baseline words {name}") if is_doubt else one)
    rows = pd.concat(frames, ignore_index=True)
    rows.attrs |= {**reading, "n_draws": settings.n_draws}
    return rows


def _matched_of(wordlist: WordList) -> dict[str, tuple[str, ...]]:
    """Return only the matched controls of a list, if there are any."""
    return {name: words for name, words in wordlist.controls.items() if name == MATCHED}


def _with_controls(pool: Pool, wordlist: WordList, vectors: KeyedVectors) -> Pool:
    """Return a pool in which the list's words are found, including its matched controls."""
    ranks = dict(frequency_ranks(vectors).itertuples(index=False, name=None))
    held = {word: vectors[word] for word in wordlist.words if word in vectors}
    held_ranks = {word: int(pool.found_ranks.get(word) or ranks[word]) for word in held}
    spellings = first_spellings(vectors, wordlist.words)
    return replace(pool, found=held, found_ranks=held_ranks, spellings=spellings)


def published_scores(held: Held) -> pd.DataFrame:
    """Compute published scores of the groups that have stereotypes.

    The frame is empty if fewer than two groups have some, and for words in contexts.
    """
    vectors, ci_prob = held.vectors, held.settings.ci_prob
    if in_contexts(vectors) or (some := scored_list(held.wordlist, vectors.key_to_index)) is None:
        return pd.DataFrame()
    with ignored(SameSpellings):  # which the distances have named
        return score_table(vectors, some, scores=SCORES, ci_prob=ci_prob, seed=WORDS_SEED)


def scored_list(wordlist: WordList, found: Container[str]) -> WordList | None:
    """Return the groups that have words and stereotypes, or None if there are fewer than two."""
    known = (g for g in wordlist.stereotypes if any(word in found for word in wordlist.groups[g]))
    stereotypes = {group: wordlist.stereotypes[group] for group in known}
    present = words_present(replace(wordlist, stereotypes=stereotypes), found)
    groups = {name: of for name, of in present.groups.items() if name in present.stereotypes}
    return replace(present, groups=groups) if len(groups) > 1 else None
