"""The classes of all warnings, for filters and for reading their fields.

`SamplingWarning` is the base class of doubts about a posterior: the numbers are unreliable. All
classes derive from `BayesbiasWarning`, which is a `UserWarning`::

    warnings.filterwarnings("ignore", category=bb.warnings.RepeatedRows)

A new kind of warning is a class with fields. Its docstring is the message, with the fields in
braces; `BayesbiasWarning.text` describes them.
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
    """do not rely on {set}: only {found} of {words:word} are left."""

    set: str
    found: int
    words: int


class NothingDrawn(BayesbiasWarning):
    """there are no {things}: {reason}."""

    things: str
    reason: str


class RepeatedRows(BayesbiasWarning):
    """of {total:row}, {n:repeats|repeat} an earlier row exactly, so intervals are too narrow. Use
    table.drop_duplicates() to remove repeats.
    """

    n: int
    total: int


class RepeatedPairs(BayesbiasWarning):
    """of {total:row}, {n:has|have} the words of an earlier row but another distance. They count as
    independent, so intervals are too narrow. Keep one row for each pair of words, or fit each part
    of the table by itself.
    """

    n: int
    total: int


class SameVectors(BayesbiasWarning):
    """Words with equal distances; `role` is protected_word or attribute."""

    role: str
    pairs: tuple[tuple[str, str], ...]


class ExactCopies(SameVectors):
    """words in {role} are exact copies of others, with equal distances ({pairs: = }). A model
    treats them as different words, so its intervals are too narrow; keep one word for each vector
    in the list, or pass {option:drop_duplicates=True}.
    """


class EquidistantWords(SameVectors):
    """words in {role} from different groups are equally far from every stereotype attribute
    ({pairs: = }), as happens after equalizing. The associated and different distances of a pair are
    then equal on average, and their contrast says nothing about the attributes.
    """


class SameSpellings(BayesbiasWarning):
    """{spellings: as }: these spellings have the same vector and count once."""

    spellings: tuple[tuple[str, str], ...]


class WordsInTwoRoles(BayesbiasWarning):
    """{words}: these protected words are also attributes; no word is compared with itself."""

    words: tuple[str, ...]


class SeveralEmbeddings(BayesbiasWarning):
    """the table has several embeddings ({embeddings}) but is fitted as if it had only one. Each
    word counts once per embedding, so intervals are too narrow. Use bb.fit_many(table), or fit one
    embedding at a time.
    """

    embeddings: tuple[str, ...]


class ListInOneEmbedding(BayesbiasWarning):
    """the list {wordlist!r} is only in {embedding}; its contrasts in the other embeddings are
    predicted.
    """

    wordlist: str
    embedding: str


class OrderIgnored(BayesbiasWarning):
    """estimates are drawn together as if the order of {names} meant nothing; pass x, a number for
    each, to fit a trend.
    """

    names: tuple[str, ...]


class OnlyListedChanged(BayesbiasWarning):
    """only the listed words were changed ({unchanged:,} of {words:word} outside the list were not),
    so the result says nothing about words like them.
    """

    unchanged: int
    words: int


class NoLikeness(BayesbiasWarning):
    """the table has no cosines among its words, so {model} treats similar words as unrelated and
    its intervals are too narrow; add them with bb.with_cosines(table, vectors).
    """

    model: str


class NoRanks(BayesbiasWarning):
    """{n} of {total:stereotype} have no frequency rank and count as average ({words}); add ranks to
    the column attribute_rank, or leave these words out.
    """

    n: int
    total: int
    words: tuple[str, ...]


class VectorsFromSubwords(BayesbiasWarning):
    """words not in the vocabulary of {path} get vectors from n-grams ({words}); with
    subwords=False, load_vectors leaves out such words.
    """

    words: tuple[str, ...]
    path: str


class EmptyVectors(BayesbiasWarning):
    """these words count as missing, because their vectors are zeros or not finite: {words}."""

    words: tuple[str, ...]


class RepeatedWords(BayesbiasWarning):
    """these words are there again with other vectors, and the first are used: {words}."""

    words: tuple[str, ...]


class ColumnsNotRead(BayesbiasWarning):
    """columns that are not read as dimensions: {columns}."""

    columns: tuple[str, ...]


class UnknownFrequency(BayesbiasWarning):
    """{alphabetical:words are in alphabetical order|nothing says how frequent words are}, so their
    order stands for their frequency when words of similar frequency are drawn; pass a
    {alphabetical:file|text file} with frequent words first, or a table with a column 'count' or
    'rank'.
    """

    alphabetical: bool = False


class ZeroVectors(BayesbiasWarning):
    """{n:vector of zeros was|vectors of zeros were} not changed."""

    n: int


class LittleRemoved(BayesbiasWarning):
    """soft debiasing with strength={strength:g} and weighting={weighting!r} removed only
    {removed:.2%} of the bias; see `soft` for the effect of the strength.
    """

    removed: float
    strength: float
    weighting: str


class FewDirections(BayesbiasWarning):
    """equalizing needs {needed:direction}, but k={k}, so words in a set may get the same vector.
    Leave k out, or pass equalize=False.
    """

    needed: int
    k: int


class ContextIgnored(BayesbiasWarning):
    """{encoder} is causal, so vectors from some of {n_templates:template} ignore the rest of the
    sentence ({templates:1}); put the word later, or use pooling='last'.
    """

    encoder: str
    templates: tuple[str, ...]
    n_templates: int


class UnknownTokens(BayesbiasWarning):
    """the vocabulary of {model} lacks {n_tokens:token} in some pairs ({pairs}). Leave out pairs
    with unknown tokens, or use another model.
    """

    model: str
    n_tokens: int
    pairs: tuple[str, ...]


class UnfinishedLog(BayesbiasWarning):
    """{path} has {n:sample} but lists {expected:sample}, as after a run that was stopped. If
    samples are missing, finish the run with `inspect eval-retry {path}`, or rewrite the log with
    `inspect log convert {path} --to json --output-dir json`.
    """

    path: str
    n: int
    expected: int | None


class OddLines(BayesbiasWarning):
    """left out {n:line that is|lines that are} not a word followed by {dims:number}, as the other
    lines are: {lines}.
    """

    n: int
    dims: int
    lines: tuple[str, ...]


class WrongHeader(BayesbiasWarning):
    """the first line promises {promised:word}, but there are {found:,}, which were all read; if
    words are missing, download the file again.
    """

    found: int
    promised: int


class KeysWithBlanks(BayesbiasWarning):
    """{n:key contains|keys contain} blanks ({keys:3}), and where they end was found from the
    numbers; check a few, or save the vectors as text.
    """

    n: int
    keys: tuple[str, ...]


class ReadAsLatin1(BayesbiasWarning):
    """the file is not UTF-8, so {n:word was|words were} read as Latin-1 ({words:3}){doubtful:,
    which looks wrong|}. If the encoding is another, such as GBK, convert it: iconv -f GBK -t UTF-8
    OLD > NEW.
    """

    n: int
    words: tuple[str, ...]
    doubtful: bool


class NotCached(BayesbiasWarning):
    """no copy of {name} is kept, and the text is read: {reason}."""

    name: str
    reason: str


class SlowText(BayesbiasWarning):
    """reading {path} took {seconds:second}; `bayesbias convert {path} FOLDER` makes a folder that
    opens at once, and `bayesbias run --cache` keeps one for you.
    """

    seconds: int
    path: str


class PriorConflict(SamplingWarning):
    """the posterior has {n_modes} modes: the prior of connection_mean and the data disagree. Either
    the words vary widely, or the mean is far from its prior. Look at bb.sd_summary, or widen
    {option:priors}.
    """

    n_modes: int


class HighParetoK(SamplingWarning):
    """Pareto k of the exact sampler is {k:.2f}, not below {limit:g}: its draws are unreliable; use
    {option:method='nuts'}.
    """

    k: float
    limit: float


class HighJointParetoK(HighParetoK):
    """Pareto k of the joint model is {k:.2f}, not below {limit:g}: its ranks and differences are
    unreliable; raise {option:draws}.
    """


class FewProposals(SamplingWarning):
    """there are only {size:.0f} effective proposals, fewer than {limit}: raise {option:draws}, or
    use {option:method='nuts'}.
    """

    size: float
    limit: int


class Divergences(SamplingWarning):
    """{n:transition} diverged, so NUTS may have missed parts of the posterior; raise
    {option:target_accept} toward 0.99, or use {option:method='exact'} for a Normal model.
    """

    n: int


class DivergencesUnknown(SamplingWarning):
    """these draws have no sample_stats with 'diverging', so divergences cannot be checked. ADVI has
    none, and its intervals are often too narrow; compare them with {option:method='exact'} or
    pm.sample.
    """


class ChainsDisagree(SamplingWarning):
    """the chains disagree: R-hat is {rhat:.3f}, above {limit:g}; raise {option:draws} and
    {option:tune}.
    """

    rhat: float
    limit: float


class FewEffectiveDraws(SamplingWarning):
    """the {kind} effective sample size is {size:.0f} for some parameter, less than {limit}: raise
    {option:draws}.
    """

    kind: str
    size: float
    limit: int


class UnreliableLoo(SamplingWarning):
    """Pareto k is above {limit:.2f} in {n} of {total} rows; raise draws, or compare with
    leave_out='attribute'.
    """

    n: int
    total: int
    limit: float
