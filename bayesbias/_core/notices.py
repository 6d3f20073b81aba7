"""Notices: warnings about word lists, tables, vectors, language models, and files."""

from __future__ import annotations

from dataclasses import dataclass

from .checks import Argument, counted
from .display import abridged
from .warnings import BayesbiasWarning


@dataclass(unsafe_hash=True)
class LeftOut(BayesbiasWarning):
    """`n` things are left out for a reason.

    `total` is 0 if it is unknown. `names` lists the things if they have names, and `hint` says what
    to do.
    """

    n: int
    total: int
    thing: str
    reason: str
    names: tuple[str, ...] = ()
    hint: tuple[str | Argument, ...] = ()
    text = "left out {counts}: {reason}{listed}"

    @property
    def counts(self) -> str:
        """The counts with their noun."""
        known = f"{self.n:,} of {counted(self.total, self.thing)}"
        return known if self.total else counted(self.n, self.thing)

    @property
    def listed(self) -> str:
        """The names in parentheses."""
        return f" ({abridged(self.names)})" if self.names else ""

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        """The message with its hint."""
        return (*super().parts, "; " * bool(self.hint), *self.hint)


@dataclass(unsafe_hash=True)
class MissingWords(LeftOut):
    """Words of a list that an embedding does not contain."""


@dataclass(unsafe_hash=True)
class MissingSet(LeftOut):
    """An experiment is left out because an embedding has no word of one of its sets."""


@dataclass(unsafe_hash=True)
class PairsNotShared(LeftOut):
    """Pairs of words that are not in all embeddings of a joint model."""


@dataclass(unsafe_hash=True)
class ThinSet(BayesbiasWarning):
    """A set has too few words left."""

    set: str
    found: int
    words: int
    text = "do not rely on {set}: only {found} of {words:word} are left"


@dataclass(unsafe_hash=True)
class NothingDrawn(BayesbiasWarning):
    """An embedding has too few words to draw matched controls or reference lists from."""

    things: str
    reason: str
    text = "there are no {things}: {reason}"


@dataclass(unsafe_hash=True)
class RepeatedRows(BayesbiasWarning):
    """Rows of a table that repeat an earlier row exactly."""

    n: int
    total: int
    text = (
        "of {total:row}, {n:repeats|repeat} an earlier row exactly, so intervals are too narrow. "
        "Use table.drop_duplicates() to remove repeats"
    )


@dataclass(unsafe_hash=True)
class SameVectors(BayesbiasWarning):
    """Words with equal distances; `role` is protected_word or attribute."""

    role: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def n(self) -> int:
        """The number of pairs."""
        return len(self.pairs)

    @property
    def named(self) -> str:
        """The pairs, with an equals sign in each."""
        return abridged([" = ".join(pair) for pair in self.pairs], 6)

    @property
    def words(self) -> str:
        """The role in English."""
        return self.role.removesuffix("_word") + " words"


@dataclass(unsafe_hash=True)
class ExactCopies(SameVectors):
    """Words that are exact copies of others."""

    text = (
        "some {words} are exact copies of others, with equal distances ({n:pair}: {named}). A "
        "model treats them as different words, so its intervals are too narrow; keep one word for "
        "each vector in the list, or pass {option:drop_duplicates=True}"
    )


@dataclass(unsafe_hash=True)
class EquidistantWords(SameVectors):
    """Words of different groups that are equally far from every stereotype attribute."""

    text = (
        "some {words} from different groups are equally far from every stereotype attribute "
        "({n:pair}: {named}), as happens after equalizing. The associated and different distances "
        "of a pair are then equal on average, and their contrast says nothing about the attributes"
    )


@dataclass(unsafe_hash=True)
class SameSpellings(BayesbiasWarning):
    """Spellings of a list's words that have the same vector as an earlier word of the list."""

    spellings: tuple[tuple[str, str], ...]
    text = "{named}: these spellings have the same vector and count once"

    @property
    def named(self) -> str:
        """Each spelling with the word that counts."""
        return abridged([" as ".join(pair) for pair in self.spellings])


@dataclass(unsafe_hash=True)
class WordsInTwoRoles(BayesbiasWarning):
    """Protected words of a list that are also attributes."""

    words: tuple[str, ...]
    text = "{words}: these protected words are also attributes; no word is compared with itself"


@dataclass(unsafe_hash=True)
class SeveralEmbeddings(BayesbiasWarning):
    """A table of several embeddings is fitted as if it had only one."""

    embeddings: tuple[str, ...]
    text = (
        "the table has several embeddings ({embeddings}) but is fitted as if it had only one. Each "
        "word counts once per embedding, so intervals are too narrow. Use bb.fit_many(table), or "
        "fit one embedding at a time"
    )


@dataclass(unsafe_hash=True)
class ListInOneEmbedding(BayesbiasWarning):
    """A joint model predicts a list's contrasts in the embeddings that do not have the list."""

    wordlist: str
    embedding: str
    text = (
        "the list {wordlist!r} is only in {embedding}; its contrasts in the other embeddings are "
        "predicted"
    )


@dataclass(unsafe_hash=True)
class OrderIgnored(BayesbiasWarning):
    """The names of embeddings look like an order, but a joint model has no `x`."""

    names: tuple[str, ...]
    text = (
        "estimates are drawn together as if the order of {names} meant nothing; pass x, a number "
        "for each, to fit a trend"
    )


@dataclass(unsafe_hash=True)
class OnlyListedChanged(BayesbiasWarning):
    """Words outside the list have the same vectors before and after a change."""

    unchanged: int
    words: int
    text = (
        "only the listed words were changed ({unchanged:,} of {words:word} outside the list were "
        "not), so the result says nothing about words like them"
    )


@dataclass(unsafe_hash=True)
class NoLikeness(BayesbiasWarning):
    """A table has lost the cosines among its words, so a model treats words as unrelated."""

    model: str
    text = (
        "the table has no cosines among its words, so {model} treats similar words as unrelated "
        "and its intervals are too narrow; add them with bb.with_cosines(table, vectors)"
    )


@dataclass(unsafe_hash=True)
class VectorsFromSubwords(BayesbiasWarning):
    """Words outside the vocabulary of a fastText model get vectors from n-grams."""

    words: tuple[str, ...]
    path: str
    text = (
        "words not in the vocabulary of {path} get vectors from n-grams ({words}); with "
        "subwords=False, load_vectors leaves out such words"
    )


@dataclass(unsafe_hash=True)
class EmptyVectors(BayesbiasWarning):
    """Words whose vectors are all zeros or not finite count as missing."""

    words: tuple[str, ...]
    text = "these words count as missing, because their vectors are zeros or not finite: {words}"


@dataclass(unsafe_hash=True)
class ColumnsNotRead(BayesbiasWarning):
    """Columns of a table of vectors that are not read as dimensions, each with its use."""

    columns: tuple[str, ...]
    text = "columns that are not read as dimensions: {columns}"


@dataclass(unsafe_hash=True)
class UnknownFrequency(BayesbiasWarning):
    """Words are drawn by their order, which may not be that of their frequency."""

    text = (
        "how frequent words are is unknown, so their order stands for it when words of similar "
        "frequency are drawn; pass a file with frequent words first, or a table with a column "
        "'count' or 'rank'"
    )


@dataclass(unsafe_hash=True)
class ZeroVectors(BayesbiasWarning):
    """Vectors of zeros, which have no direction that debiasing could change."""

    n: int
    text = "{n:vector of zeros was|vectors of zeros were} not changed"


@dataclass(unsafe_hash=True)
class LittleRemoved(BayesbiasWarning):
    """Soft debiasing removed only a small share of the bias."""

    removed: float
    strength: float
    weighting: str
    text = (
        "soft debiasing with strength={strength:g} and weighting={weighting!r} removed only "
        "{removed:.2%} of the bias; see `soft` for the effect of the strength"
    )


@dataclass(unsafe_hash=True)
class FewDirections(BayesbiasWarning):
    """Equalizing needs more directions of bias than were asked for."""

    needed: int
    k: int
    text = (
        "equalizing needs {needed:direction}, but k={k}, so words in a set may get the same "
        "vector. Leave k out, or pass equalize=False"
    )


@dataclass(unsafe_hash=True)
class ContextIgnored(BayesbiasWarning):
    """A causal encoder makes a word's vector before it reads the rest of the sentence."""

    encoder: str
    templates: tuple[str, ...]
    n_templates: int
    text = (
        "{encoder} is causal, so vectors from some of {n_templates:template} ignore the rest of "
        "the sentence ({templates:1}); put the word later, or use pooling='last'"
    )


@dataclass(unsafe_hash=True)
class UnknownTokens(BayesbiasWarning):
    """Pairs with tokens that the vocabulary of a language model lacks."""

    model: str
    n_tokens: int
    pairs: tuple[str, ...]
    text = (
        "the vocabulary of {model} lacks {n_tokens:token} in some pairs ({pairs}). Leave out pairs "
        "with unknown tokens, or use another model"
    )


@dataclass(unsafe_hash=True)
class UnfinishedLog(BayesbiasWarning):
    """A log of Inspect with `n` samples lists another number, or (None) does not list them."""

    path: str
    n: int
    expected: int | None
    text = (
        "{path} has {n:sample}, and it {known}, as after a run that was stopped. If samples are "
        "missing, finish the run with `inspect eval-retry {path}`, or rewrite the log with "
        "`inspect log convert {path} --to json --output-dir json`"
    )

    @property
    def known(self) -> str:
        """What the log lists."""
        known = self.expected is not None
        return f"lists {self.expected:,} samples" if known else "does not list its samples"


@dataclass(unsafe_hash=True)
class DamagedResults(BayesbiasWarning):
    """Saved results that cannot be read and are computed again."""

    n: int
    folder: str
    text = "{n:damaged result} in {folder} will be computed again"


@dataclass(unsafe_hash=True)
class RunWasStopped(BayesbiasWarning):
    """A run was stopped while it was writing; earlier results were restored if there were any."""

    path: str
    restored: bool
    text = "a run was stopped before it finished writing {path}; {done}"

    @property
    def done(self) -> str:
        """What was done about it."""
        restored = "the earlier results were restored"
        return restored if self.restored else "its partial output was removed"
