"""The classes of all warnings, for filters and for reading their fields.

`SamplingWarning` is the base class of doubts about a posterior: the numbers are unreliable. All
classes derive from `BayesbiasWarning`, which is a `UserWarning`::

    warnings.filterwarnings("ignore", category=bb.warnings.RepeatedRows)

A new kind of warning is a class with fields and a text; `BayesbiasWarning.text` describes the text.
"""

from __future__ import annotations

from ._core.checks import Argument, counted
from ._core.display import abridged
from ._core.warnings import BayesbiasWarning as BayesbiasWarning
from ._core.warnings import DamagedResults as DamagedResults
from ._core.warnings import OtherWarning as OtherWarning
from ._core.warnings import RunWasStopped as RunWasStopped
from ._core.warnings import SamplingWarning as SamplingWarning


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
    text = "left out "

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        """The message with its hint."""
        of_all = f"{self.n:,} of " * bool(self.total) + counted(self.total or self.n, self.thing)
        names = f" ({abridged(self.names)})" if self.names else ""
        return (
            *super().parts,
            f"{of_all}: {self.reason}{names}",
            "; " * bool(self.hint),
            *self.hint,
        )


class MissingWords(LeftOut):
    """Words of a list that an embedding does not contain."""


class MissingSet(LeftOut):
    """An experiment is left out because an embedding has no word of one of its sets."""


class PairsNotShared(LeftOut):
    """Pairs of words that are not in all embeddings of a joint model."""


class ThinSet(BayesbiasWarning):
    """A set has too few words left."""

    set: str
    found: int
    words: int
    text = "do not rely on {set}: only {found} of {words:word} are left"


class NothingDrawn(BayesbiasWarning):
    """An embedding has too few words to draw matched controls or reference lists from."""

    things: str
    reason: str
    text = "there are no {things}: {reason}"


class RepeatedRows(BayesbiasWarning):
    """Rows of a table that repeat an earlier row exactly."""

    n: int
    total: int
    text = (
        "of {total:row}, {n:repeats|repeat} an earlier row exactly, so intervals are too narrow. "
        "Use table.drop_duplicates() to remove repeats"
    )


class RepeatedPairs(BayesbiasWarning):
    """Rows of a table with the words of an earlier row, but another distance."""

    n: int
    total: int
    text = (
        "of {total:row}, {n:has|have} the words of an earlier row but another distance. They count "
        "as independent, so intervals are too narrow. Keep one row for each pair of words, or fit "
        "each part of the table by itself"
    )


class SameVectors(BayesbiasWarning):
    """Words with equal distances; `role` is protected_word or attribute."""

    role: str
    pairs: tuple[tuple[str, str], ...]


class ExactCopies(SameVectors):
    """Words that are exact copies of others."""

    text = (
        "words in {role} are exact copies of others, with equal distances ({pairs: = }). A model "
        "treats them as different words, so its intervals are too narrow; keep one word for each "
        "vector in the list, or pass {option:drop_duplicates=True}"
    )


class EquidistantWords(SameVectors):
    """Words of different groups that are equally far from every stereotype attribute."""

    text = (
        "words in {role} from different groups are equally far from every stereotype attribute "
        "({pairs: = }), as happens after equalizing. The associated and different distances of a "
        "pair are then equal on average, and their contrast says nothing about the attributes"
    )


class SameSpellings(BayesbiasWarning):
    """Spellings of a list's words that have the same vector as an earlier word of the list."""

    spellings: tuple[tuple[str, str], ...]
    text = "{spellings: as }: these spellings have the same vector and count once"


class WordsInTwoRoles(BayesbiasWarning):
    """Protected words of a list that are also attributes."""

    words: tuple[str, ...]
    text = "{words}: these protected words are also attributes; no word is compared with itself"


class WordsInTwoSets(BayesbiasWarning):
    """Words of a list that are stereotypes of several groups."""

    words: tuple[str, ...]
    text = "{words}: stereotypes of several groups, which count as associated with each of them"


class NoGroupContrast(BayesbiasWarning):
    """Groups with own stereotypes whose relative contrast the table does not identify."""

    groups: tuple[str, ...]
    text = (
        "no row of own minus other stereotypes for {groups}: other groups have no distances to the "
        "same set, or none to the set of a third group. List some stereotypes that no other group "
        "has"
    )


class SeveralEmbeddings(BayesbiasWarning):
    """A table of several embeddings is fitted as if it had only one."""

    embeddings: tuple[str, ...]
    text = (
        "the table has several embeddings ({embeddings}) but is fitted as if it had only one. Each "
        "word counts once per embedding, so intervals are too narrow. Use bb.fit_many(table), or "
        "fit one embedding at a time"
    )


class ListInOneEmbedding(BayesbiasWarning):
    """A joint model predicts a list's contrasts in the embeddings that do not have the list."""

    wordlist: str
    embedding: str
    text = (
        "the list {wordlist!r} is only in {embedding}; its contrasts in the other embeddings are "
        "predicted"
    )


class CopyNotRanked(BayesbiasWarning):
    """A sweep ranks only the first of several embeddings with the same vectors of a list."""

    wordlist: str
    embedding: str
    other: str
    text = (
        "{other} has the same vectors as {embedding} for the list {wordlist!r}, so it has no rank "
        "of its own"
    )


class NotRanked(SamplingWarning):
    """A sweep has no ranks, because the joint model of its embeddings failed."""

    reason: str
    text = "embeddings are not ranked: {reason}"


class OrderIgnored(BayesbiasWarning):
    """The names of embeddings look like an order, but a joint model has no `x`."""

    names: tuple[str, ...]
    text = (
        "estimates are drawn together as if the order of {names} meant nothing; pass x, a number "
        "for each, to fit a trend"
    )


class OnlyListedChanged(BayesbiasWarning):
    """Words outside the list have the same vectors before and after a change."""

    unchanged: int
    words: int
    text = (
        "only the listed words were changed ({unchanged:,} of {words:word} outside the list were "
        "not), so the result says nothing about words like them"
    )


class NoLikeness(BayesbiasWarning):
    """A table has lost the cosines among its words, so a model treats words as unrelated."""

    model: str
    text = (
        "the table has no cosines among its words, so {model} treats similar words as unrelated "
        "and its intervals are too narrow; add them with bb.with_cosines(table, vectors)"
    )


class CosinesOfOthers(BayesbiasWarning):
    """A file of cosines is not of the vectors that its table was made from, and is left out."""

    path: str
    text = (
        "the distances of the table are not those of {path}, which is left out: another table was "
        "saved there. Write tables with bb.write_table, or add cosines with "
        "bb.with_cosines(table, vectors)"
    )


class NoRanks(BayesbiasWarning):
    """Some stereotypes have no frequency rank, so they stay at the mean frequency of the others."""

    n: int
    total: int
    words: tuple[str, ...]
    text = (
        "{n} of {total:stereotype} have no frequency rank and count as average ({words}); add "
        "ranks to the column attribute_rank, or leave these words out"
    )


class SomeAtEqualFrequency(BayesbiasWarning):
    """Contrasts of only some embeddings of a joint model are at equal word frequency."""

    equal: tuple[str, ...]
    others: tuple[str, ...]
    text = (
        "contrasts are at equal word frequency in {equal} but not in {others}, so frequency may be "
        "part of their differences; all tables need ranks and matched controls. To adjust none, "
        "use {option:matched=0}"
    )


class VectorsFromSubwords(BayesbiasWarning):
    """Words outside the vocabulary of a fastText model get vectors from n-grams."""

    words: tuple[str, ...]
    path: str
    text = (
        "words not in the vocabulary of {path} get vectors from n-grams ({words}); with "
        "subwords=False, load_vectors leaves out such words"
    )


class EmptyVectors(BayesbiasWarning):
    """Words whose vectors are all zeros or not finite count as missing."""

    words: tuple[str, ...]
    text = "these words count as missing, because their vectors are zeros or not finite: {words}"


class RepeatedWords(BayesbiasWarning):
    """Words that an embedding has more than once, with different vectors."""

    words: tuple[str, ...]
    text = "these words are there again with other vectors, and the first are used: {words}"


class ColumnsNotRead(BayesbiasWarning):
    """Columns of a table of vectors that are not read as dimensions, each with its use."""

    columns: tuple[str, ...]
    text = "columns that are not read as dimensions: {columns}"


class UnknownFrequency(BayesbiasWarning):
    """Nothing says how frequent words are, so contrasts are not at equal frequency."""

    alphabetical: bool = False
    text = (
        "{alphabetical:words are in alphabetical order|nothing says how frequent words are}, so "
        "differences in frequency are not removed, and words are drawn whatever their frequency; "
        "pass a {alphabetical:file|text file} with frequent words first, or a table with a column "
        "'count' or 'rank'"
    )


class ZeroVectors(BayesbiasWarning):
    """Vectors of zeros, which have no direction that debiasing could change."""

    n: int
    text = "{n:vector of zeros was|vectors of zeros were} not changed"


class LittleRemoved(BayesbiasWarning):
    """Soft debiasing removed only a small share of the bias."""

    removed: float
    strength: float
    weighting: str
    text = (
        "soft debiasing with strength={strength:g} and weighting={weighting!r} removed only "
        "{removed:.2%} of the bias; see `soft` for the effect of the strength"
    )


class FewDirections(BayesbiasWarning):
    """Equalizing needs more directions of bias than were asked for."""

    needed: int
    k: int
    text = (
        "equalizing needs {needed:direction}, but k={k}, so words in a set may get the same "
        "vector. Leave k out, or pass equalize=False"
    )


class ContextIgnored(BayesbiasWarning):
    """A causal encoder makes a word's vector before it reads the rest of the sentence."""

    encoder: str
    templates: tuple[str, ...]
    n_templates: int
    text = (
        "{encoder} is causal, so vectors from some of {n_templates:template} ignore the rest of "
        "the sentence ({templates:1}); put the word later, or use pooling='last'"
    )


class NoAttention(BayesbiasWarning):
    """A language model does not return the attention of each token to each token."""

    model: str
    measures: tuple[str, ...]
    text = (
        "{measures} is left out, because {model} does not return the attention of each token to "
        "each token"
    )


class UnknownTokens(BayesbiasWarning):
    """Pairs with tokens that the vocabulary of a language model lacks."""

    model: str
    n_tokens: int
    pairs: tuple[str, ...]
    text = (
        "the vocabulary of {model} lacks {n_tokens:token} in some pairs ({pairs}). Leave out pairs "
        "with unknown tokens, or use another model"
    )


class FirstTokens(BayesbiasWarning):
    """A causal model cannot score first tokens, in which `n` of `total` pairs differ."""

    model: str
    n: int
    total: int
    pairs: tuple[str, ...]
    text = (
        "the tokenizer of {model} has no token that begins or ends texts, so first tokens are not "
        "scored, in which {n:,} of {total:pair} differ ({pairs}). Use another model"
    )


class RepeatedSentences(BayesbiasWarning):
    """Pairs of the same two sentences as an earlier pair, in either order."""

    n: int
    total: int
    pairs: tuple[str, ...]
    text = (
        "{n:pair has|pairs have} both sentences of an earlier pair ({pairs}), of {total:pair}, and "
        "count again. Keep one of them, unless you compare with a published score"
    )


class NoSharedWords(BayesbiasWarning):
    """Most pairs have two sentences that share no word, and words that no other pair contrasts."""

    n: int
    total: int
    text = (
        "the sentences of {n:,} of {total:pair} share no word, as in languages without blanks "
        "between words. Each such pair is a cluster of its own, so intervals are too narrow; add a "
        "column cluster with what each pair contrasts"
    )


class IncompleteCovariate(BayesbiasWarning):
    """A covariate of sentence pairs has no value in `n` of `total` rows, so it is not used."""

    name: str
    n: int
    total: int
    text = (
        "{name} is empty in {n:,} of {total:row}, so shares are not adjusted for it. Fill it "
        "in, or leave the column out"
    )


class UnfinishedLog(BayesbiasWarning):
    """A log of Inspect with `n` samples lists another number, or (None) does not list them."""

    path: str
    n: int
    expected: int | None
    text = (
        "{path} has {n:sample} but lists {expected:sample}, as after a run that was stopped. If "
        "samples are missing, finish the run with `inspect eval-retry {path}`, or rewrite the log "
        "with `inspect log convert {path} --to json --output-dir json`"
    )


class OddLines(BayesbiasWarning):
    """Lines of a text file that are left out, and how the first three begin."""

    n: int
    dims: int
    lines: tuple[str, ...]
    text = (
        "left out {n:line that is|lines that are} not a word followed by {dims:number}, as the "
        "other lines are: {lines}"
    )


class WrongHeader(BayesbiasWarning):
    """A file has some words more or fewer than its first line promises."""

    found: int
    promised: int
    text = (
        "the first line promises {promised:word}, but there are {found:,}, which were all read; if "
        "words are missing, download the file again"
    )


class KeysWithBlanks(BayesbiasWarning):
    """Keys in word2vec's binary format, which does not mark where keys with blanks end."""

    n: int
    keys: tuple[str, ...]
    text = (
        "{n:key contains|keys contain} blanks ({keys:3}), and where they end was found from the "
        "numbers; check a few, or save the vectors as text"
    )


class ReadAsLatin1(BayesbiasWarning):
    """Words that are not UTF-8; `doubtful` if they do not look like words in Latin-1 either."""

    n: int
    words: tuple[str, ...]
    doubtful: bool
    text = (
        "{n:word is|words are} not UTF-8 and read as Latin-1 ({words:3})"
        "{doubtful:, which looks wrong|}. If the file has another encoding, such as GBK, convert "
        "it: iconv -f GBK -t UTF-8 OLD > NEW"
    )


class NotCached(BayesbiasWarning):
    """A copy of an embedding could not be kept."""

    name: str
    reason: str
    text = "no copy of {name} is kept, and the text is read: {reason}"


class SlowText(BayesbiasWarning):
    """Reading text took long; a hint, which results do not keep."""

    seconds: int
    path: str
    text = (
        "reading {path} took {seconds:second}; `bayesbias convert {path} FOLDER` makes a folder "
        "that opens at once, and `bayesbias run --cache` keeps one for you"
    )


class PriorConflict(SamplingWarning):
    """The prior of the means and the data disagree, so the posterior has several modes."""

    n_modes: int
    text = (
        "the posterior has {n_modes} modes: the prior of connection_mean and the data disagree. "
        "Either the words vary widely, or the mean is far from its prior. Look at bb.sd_summary, "
        "or widen {option:priors}"
    )


class HighParetoK(SamplingWarning):
    """The proposal of the exact sampler is too far from the posterior."""

    k: float
    limit: float
    text = (
        "Pareto k of the exact sampler is {k:.2f}, not below {limit:g}: its draws are unreliable; "
        "use {option:method='nuts'}"
    )


class HighJointParetoK(HighParetoK):
    """The proposal of the joint model of many embeddings is too far from its posterior."""

    text = (
        "Pareto k of the joint model is {k:.2f}, not below {limit:g}: its ranks and differences "
        "are unreliable; raise {option:draws}"
    )


class FewProposals(SamplingWarning):
    """The exact sampler has a small effective sample size."""

    size: float
    limit: int
    text = (
        "there are only {size:.0f} effective proposals, fewer than {limit}: raise {option:draws}, "
        "or use {option:method='nuts'}"
    )


class Divergences(SamplingWarning):
    """Transitions of NUTS diverged."""

    n: int
    text = (
        "{n:transition} diverged, so NUTS may have missed parts of the posterior; raise "
        "{option:target_accept} toward 0.99, or use {option:method='exact'} for a Normal model"
    )


class DivergencesUnknown(SamplingWarning):
    """Draws of another sampler do not record which transitions diverged."""

    text = (
        "these draws have no sample_stats with 'diverging', so divergences cannot be checked. ADVI "
        "has none, and its intervals are often too narrow; compare them with "
        "{option:method='exact'} or pm.sample"
    )


class ChainsDisagree(SamplingWarning):
    """The chains of NUTS have not reached the same distribution."""

    rhat: float
    limit: float
    text = (
        "the chains disagree: R-hat is {rhat:.3f}, above {limit:g}; raise {option:draws} and "
        "{option:tune}"
    )


class FewEffectiveDraws(SamplingWarning):
    """A parameter has a small effective sample size; `kind` is bulk or tail."""

    kind: str
    size: float
    limit: int
    text = (
        "the {kind} effective sample size is {size:.0f} for some parameter, less than {limit}: "
        "raise {option:draws}"
    )


class UnreliableLoo(SamplingWarning):
    """Leave-one-out is unreliable for `n` of `total` rows, whose Pareto k is above the limit."""

    n: int
    total: int
    limit: float
    text = (
        "Pareto k is above {limit:.2f} in {n} of {total} rows; raise draws, or compare with "
        "leave_out='attribute'"
    )
