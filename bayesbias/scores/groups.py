"""Scores of how close groups are to attributes: RND, ECT, gWEAT, MAC, and RNSB."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._core.arrays import FloatArray, unit_rows
from .._core.checks import Argument, ArgumentError
from ..embeddings.word_sets import WordVectors, look_up
from ..tables.descriptives import set_means
from ..tables.wordlists import WordListLike, load_wordlist
from .result import ScoreResult, Words, read_sets, score_result
from .subspace import DEPENDENT, group_means

TIE_DIGITS = 12
"""Cosines, or their changes, that agree to this many digits are tied; float64 stores cosines to
about 1e-16."""


def rnd(
    vectors: WordVectors | None,
    X: Words,
    Y: Words,
    A: Words,
    *,
    unit: bool = False,
    average: bool = True,
) -> ScoreResult:
    """Compute the relative norm distance: the mean over attributes a of ‖μ_X - a‖ - ‖μ_Y - a‖.

    Parameters
    ----------
    X, Y : lists of words; μ_X and μ_Y are their mean vectors
    A : list of attribute words
        Stereotypes of X and of Y would cancel each other out, so pass one set at a time.
    unit : bool
        Scale all vectors to unit length first, as Garg et al. do.
    average : bool
        Return the mean over attributes. Garg et al. report the sum, which grows with the list.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_attribute`` are negative if attributes are closer to X. The mean is
        within ±‖μ_X - μ_Y‖. It is 0 if attributes are, on average, equally far from X and Y.

    References
    ----------
    Garg, Schiebinger, Jurafsky, Zou (2018), PNAS 115, equation 3.
    """
    sets = read_sets(vectors, {"X": X, "Y": Y, "attributes": A}, disjoint=["X", "Y"])
    distances = relative_distances(*(unit_rows(r) if unit else r for r in sets.rows.values()))
    score = distances.mean() if average else distances.sum()
    return score_result(score, sets, ["attributes"], {"per_attribute": distances})


def relative_distances(X: FloatArray, Y: FloatArray, attributes: FloatArray) -> FloatArray:
    """Return each attribute's distance from the mean of X minus its distance from the mean of Y."""
    to_x, to_y = (np.linalg.norm(rows.mean(axis=0) - attributes, axis=1) for rows in (X, Y))
    return np.asarray(to_x - to_y)


def ect(
    vectors: WordVectors | None, X: Words, Y: Words, A: Words, *, unit: bool = False
) -> ScoreResult:
    """Compute the embedding coherence test (ECT): how similarly both group means rank attributes.

    The score is Spearman's correlation of cos(μ_X, a) and cos(μ_Y, a) over the attributes a.

    Parameters
    ----------
    X, Y : lists of words; μ_X and μ_Y are their mean vectors
    A : list of attribute words, such as the stereotypes of both groups
    unit : bool
        Scale the words of X and Y to unit length before averaging them.

    Returns
    -------
    ScoreResult
        ``score`` is in [-1, 1]. It is 1 if both groups rank the attributes in the same order, so a
        higher score means less bias. ``to_x`` and ``to_y`` are the cosines.

    References
    ----------
    Dev and Phillips (2019), Attenuating bias in word vectors.
    """
    sets = read_sets(vectors, {"X": X, "Y": Y, "attributes": A}, disjoint=["X", "Y"])
    groups = [unit_rows(sets.rows[name]) if unit else sets.rows[name] for name in "XY"]
    cosines = cosines_of_means(groups, unit_rows(sets.rows["attributes"]))
    parts = {"to_x": cosines[0], "to_y": cosines[1]}
    return score_result(rank_correlation(cosines), sets, ["attributes"], parts)


def cosines_of_means(groups: Sequence[FloatArray], attribute_units: FloatArray) -> FloatArray:
    """Return the (n_groups, n_attributes) cosines between group means and attributes."""
    means = [rows.mean(axis=0) for rows in groups]
    for mean, rows in zip(means, groups, strict=True):
        if np.linalg.norm(mean) <= DEPENDENT * np.linalg.norm(rows, axis=1).max():
            raise ValueError("ECT is undefined: the vectors of a group's words cancel each other")
    return np.asarray(unit_rows(means) @ attribute_units.T)


def rank_correlation(cosines: FloatArray) -> float:
    """Return Spearman's correlation of two rows; raise ValueError if it is undefined."""
    from scipy.stats import rankdata

    if cosines.shape[1] < 2:
        raise ValueError("ECT ranks attributes, so it needs at least two; only one is left")
    ranks = rankdata(cosines.round(TIE_DIGITS), axis=1)
    if (ranks.min(axis=1) == ranks.max(axis=1)).any():
        raise ValueError("ECT is undefined: a group's mean is equally close to every attribute")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def gweat(
    vectors: WordVectors | None, groups: Sequence[Words], attribute_sets: Sequence[Words]
) -> ScoreResult:
    """Compute gWEAT, Σ_i (X̄_i - μ)·(Ā_i - Ā), for groups and their attribute sets.

    X̄_i and Ā_i are mean unit vectors of group i and its attribute set; μ and Ā are their means.

    Parameters
    ----------
    groups : two or more lists of words
    attribute_sets : lists of words, one per group; set i belongs to group i

    Returns
    -------
    ScoreResult
        ``score`` is the sum of ``per_group``. It is 0 if there is no association, and positive if
        groups are closer to their own sets. For two groups, it is (mean_X s - mean_Y s)/2 with s as
        in `weat`, which is within ±‖â - b̂‖.

    References
    ----------
    Swinger et al. (2019), What are the biases in my word embedding?; Schröder, Schulz, Hammer
    (2024), equation 3.
    """
    if len(groups) != len(attribute_sets) or len(groups) < 2:
        raise ValueError(
            "gWEAT needs two or more groups and an equal number of attribute sets; "
            f"got {len(groups)} and {len(attribute_sets)}"
        )
    names = [f"group {place}" for place in range(len(groups))]
    attributes = [f"attributes of {name}" for name in names]
    named = dict(zip([*names, *attributes], [*groups, *attribute_sets], strict=True))
    sets = read_sets(vectors, named, disjoint=names)
    means = group_means(list(sets.rows.values()))
    per_group = own_associations(means[: len(names)], means[len(names) :])
    sets.words["groups"] = tuple(names)
    return score_result(per_group.sum(), sets, ["groups"], {"per_group": per_group})


def own_associations(groups: FloatArray, stereotypes: FloatArray) -> FloatArray:
    """Return the inner product of each group's centered mean and its stereotypes' centered mean."""
    centered = groups - groups.mean(axis=0)
    return np.asarray((centered * (stereotypes - stereotypes.mean(axis=0))).sum(axis=1))


def mac(vectors: WordVectors, wordlist: WordListLike) -> ScoreResult:
    """Compute MAC, the mean average cosine distance between words and stereotype sets.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    wordlist : WordList
        Control words are ignored. No word is compared with itself.

    Returns
    -------
    ScoreResult
        ``score`` is in [0, 2]. ``per_word`` has the mean distances, with one row per protected word
        and one column per attribute set. A score of 1, the authors' ideal, means that cosines
        average to zero, not that groups are equally close to the sets.

    References
    ----------
    Manzini, Lim, Tsvetkov, Black (2019), section 3.3.

    Examples
    --------
    >>> round(bb.scores.mac(vectors, wordlist).score, 3)
    0.902
    """
    wordlist = load_wordlist(wordlist)
    if not wordlist.groups or not wordlist.stereotypes:
        raise ValueError(f"MAC needs a list with groups and stereotypes; got {wordlist.name!r}")
    groups = {f"group {name}": words for name, words in wordlist.groups.items()}
    stereotypes = {f"stereotypes of {name}": ws for name, ws in wordlist.stereotypes.items()}
    sets = look_up(vectors, groups | stereotypes)
    names = np.concatenate([sets.names(group) for group in groups])
    units = unit_rows(np.vstack([sets.rows[group] for group in groups]))
    means = {
        wordlist.set_name(owner): mean_distances(
            units, unit_rows(sets.rows[name]), names, sets.names(name)
        )
        for owner, name in zip(wordlist.stereotypes, stereotypes, strict=True)
    }
    return score_result(np.mean([*means.values()]), sets, [*groups], means)


def mean_distances(
    units: FloatArray, other_units: FloatArray, words: NDArray[np.str_], others: NDArray[np.str_]
) -> FloatArray:
    """Return each word's mean cosine distance from a set's other words, as an (n_words,) array.

    Spellings of one vector must have one name.
    """
    counted = words[:, None] != others
    if counted.all():
        return np.asarray(1 - units @ other_units.mean(axis=0))
    if not counted.any(axis=1).all():
        word = str(words[int(np.argmin(counted.any(axis=1)))])
        raise ValueError(f"MAC is undefined for {word!r}: an attribute set has no other word")
    return np.asarray(np.mean(1 - units @ other_units.T, axis=1, where=counted))


def mac_of_table(table: pd.DataFrame) -> ScoreResult:
    """Compute MAC, the mean of each word's mean distance to each set, from a long-form table.

    Only ``associated`` and ``different`` rows are used; repeated rows count every time.
    ``per_word`` is NaN if a word has no row for a set. Such values are ignored.
    """
    means = set_means(table)
    return ScoreResult(float(np.nanmean(means.to_numpy())), means)


def mac_change(before: ScoreResult, after: ScoreResult) -> pd.Series:
    """Test a change as Manzini et al. do, with a paired t-test of averaged distances.

    A pair is a protected word and an attribute set. Pairs share words, and their distances are
    averages, so pairs are dependent and unequally precise (Dobrzeniecka and Urbaniak, 2024, section
    3). The result has the mean ``change``, ``t``, the two-sided ``p_value``, and ``n_pairs``.
    """
    from scipy.stats import ttest_1samp

    one, other = before.per_word, after.per_word
    if not (one.index.equals(other.index) and one.columns.equals(other.columns)):
        raise ValueError("before and after must have the same words and sets in the same order")
    change = (other.to_numpy() - one.to_numpy()).ravel()
    change = change[np.isfinite(change)]
    if len(change) < 2 or np.ptp(change) <= 10.0**-TIE_DIGITS:
        raise ValueError("the t-test is undefined without two pairs whose changes differ")
    t, p_value = ttest_1samp(change, 0.0)
    values = {"change": change.mean(), "t": t, "p_value": p_value, "n_pairs": len(change)}
    return pd.Series(values, dtype=object)


def rnsb(
    vectors: WordVectors | None,
    targets: Words,
    A: Words,
    B: Words,
    *,
    C: float = 1.0,
    unit: bool = False,
) -> ScoreResult:
    """Compute relative negative sentiment bias (RNSB): how much the targets' negativity differs.

    A logistic regression learns to distinguish B (negative) from A (positive). The targets'
    probabilities of B are normalized to sum to one and compared with the uniform distribution.

    Parameters
    ----------
    targets : list of identity words
    A, B : lists of positive words and of negative words
    C : float
        Inverse strength of the ridge penalty on weights and intercept, positive and finite. It
        affects the score.
    unit : bool
        Scale all vectors to unit length first. Otherwise, longer vectors tend to raise the score.

    Returns
    -------
    ScoreResult
        ``score`` is the KL divergence in nats, in [0, log n_targets]. It is 0 if all targets are
        equally negative. Each target has a ``probability`` of B and a ``share``.

    References
    ----------
    Sweeney and Najafian (2019), A transparent framework for evaluating unintended demographic
    bias in word embeddings.
    """
    if not 0 < C < np.inf:
        raise ArgumentError(
            Argument("C"),
            f" must be positive and finite, because weights without a penalty are infinite if a "
            f"plane separates A from B; got {C!r}",
        )
    sets = read_sets(vectors, {"targets": targets, "A": A, "B": B}, disjoint=["A", "B"])
    rows, a, b = (unit_rows(rows) if unit else rows for rows in sets.rows.values())
    logs = negative_log_probability(rows, negative_direction(a, b, C))
    parts = {"probability": np.exp(logs), "share": shares(logs)}
    return score_result(divergence(logs), sets, ["targets"], parts)


def shares(logs: FloatArray) -> FloatArray:
    """Return probabilities that sum to one, given their logarithms before normalizing."""
    from scipy.special import softmax

    return np.asarray(softmax(logs))


def divergence(logs: FloatArray) -> float:
    """Return the KL divergence (in nats) of normalized probabilities from uniform probabilities."""
    from scipy.special import rel_entr

    share = shares(logs)
    return max(float(rel_entr(share, 1 / len(share)).sum()), 0.0)


def negative_direction(A: FloatArray, B: FloatArray, C: float = 1.0) -> FloatArray:
    """Return the (n_dims + 1,) weights of a ridge logistic regression of B versus A.

    The last weight is the intercept. Like the others, the intercept is penalized, because it is the
    weight of an added coordinate that is 1 for all words.
    """
    from sklearn.linear_model import LogisticRegression

    rows = np.pad(np.vstack([A, B]), ((0, 0), (0, 1)), constant_values=1.0)
    axes = np.linalg.svd(rows, full_matrices=False)[2]  # the weights are in the span of the rows
    model = LogisticRegression(
        C=C, fit_intercept=False, solver="newton-cholesky", max_iter=10_000, tol=1e-12
    )
    model.fit(rows @ axes.T, np.repeat([0, 1], [len(A), len(B)]))
    return np.asarray(model.coef_[0] @ axes, dtype=np.float64)


def negative_log_probability(rows: FloatArray, direction: FloatArray) -> FloatArray:
    """Return the log probability of B for each row, from the weights of `negative_direction`."""
    from scipy.special import log_expit

    return np.asarray(log_expit(rows @ direction[:-1] + direction[-1]))
