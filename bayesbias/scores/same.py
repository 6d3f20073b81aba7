"""SAME, the length of the targets' shadows in the bias subspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows, look_up
from .list_rows import ListRows
from .registry import ListScore, Properties, Weights
from .resampling import pooled, ratio
from .result import COLUMNS, ScoreResult, Words, not_among, of_words
from .subspace import DEPENDENT, gram_schmidt, group_differences, group_means


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SameResult(ScoreResult):
    """SAME of targets and protected groups; see `same`."""

    per_target: FloatArray
    components: FloatArray = field(metadata={COLUMNS: "component_groups"})
    signed: FloatArray | None
    rank: int
    component_groups: tuple[str, ...]
    groups: tuple[str, ...] = ()

    @property
    def skew(self) -> float:
        """Mean of the signed values: do targets lean to the first group? Two groups only."""
        return float(self._signed().mean())

    @property
    def stereotype(self) -> float:
        """Population sd of the signed values: do targets differ in leaning? Two groups only."""
        return float(self._signed().std())

    def _signed(self) -> FloatArray:
        if self.signed is None:
            raise ValueError(
                "skew and stereotype are of two groups, and this is of more; pass two of them, or "
                "take the rows same_skew and same_stereotype of score_table"
            )
        return self.signed


def same_of(targets: ArrayLike, groups: Sequence[ArrayLike]) -> SameResult:
    """SAME on arrays, (n_targets, n_dims) and two or more of (n_words_i, n_dims); see `same`."""
    return _same_of(targets, groups, [str(at) for at in range(len(groups))])


def _same_of(targets: ArrayLike, groups: Sequence[ArrayLike], names: Sequence[str]) -> SameResult:
    differences = group_differences(groups)
    basis, made_of = gram_schmidt(differences)
    rows = unit_rows(as_rows("targets", targets))
    components = rows @ basis.T
    per_target = np.minimum(np.linalg.norm(components, axis=1), 1.0)
    signed = rows @ unit_rows(-differences)[0] if len(groups) == 2 else None
    return SameResult(
        score=float(per_target.mean()),
        per_target=per_target,
        components=components,
        signed=signed,
        rank=len(basis),
        component_groups=tuple(str(names[at + 1]) for at in made_of),
    )


def same(
    vectors: WordVectors,
    targets: Words,
    groups: Mapping[str, Iterable[str]] | Sequence[Iterable[str]],
    *,
    drop_shared: bool = False,
) -> SameResult:
    """SAME: how far targets point along the directions in which protected groups differ.

    With â_i the mean unit vector of group i and B the Gram-Schmidt basis of â_i - â_0, the bias
    of a target is ‖B t/‖t‖‖, for two groups |cos(t, â_0 - â_1)|; SAME is the mean over targets.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    targets : list of words
    groups : lists of words by group, as a mapping or a sequence; two or more
    drop_shared : bool
        Leave out targets that also stand in a group: their direction is what the score is
        measured along.

    Returns
    -------
    SameResult
        ``score`` and ``per_target`` in [0, 1], 0 where a target is equally near to all groups
        and 1 where it lies in the bias subspace; neither depends on the order of the groups.
        ``components`` (n_targets, rank) does: each is the cosine with what the difference of one
        of ``component_groups`` from the first group adds to those before it, positive towards
        that group. ``signed`` for two groups only, cos(t, â_0 - â_1),
        positive towards the first. ``rank`` is below n_groups - 1 where group means are
        linearly dependent: the dependent directions are left out. A rank of n_dims, for which
        there must be more groups than dimensions, leaves no room for a target that is equally
        near to all groups: the score is 1 for any targets.

    Raises
    ------
    ValueError
        If there is one group, a set is empty or missing, or all group means coincide.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, equations 11-16.
    """
    named = groups if isinstance(groups, Mapping) else {str(at): g for at, g in enumerate(groups)}
    if len(named) < 2:
        raise ValueError(f"SAME compares protected groups and needs two or more; got {len(named)}")
    keys = {f"group {name}": words for name, words in named.items()}
    targets = not_among(targets, named.values()) if drop_shared else targets
    made = of_words(
        lambda targets, *rows: _same_of(targets, rows, list(named)),
        vectors,
        {"targets": targets} | keys,
        parts=["targets"],
    )
    return replace(made, groups=tuple(map(str, named)))


def group_direction_correlations(
    vectors: WordVectors, groups: Mapping[str, Iterable[str]]
) -> pd.DataFrame:
    """Cosines of the directions in which groups differ, â_i - â_j, with each other.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    groups : mapping of str to list of words
        Three groups or more; two have one direction.

    Returns
    -------
    DataFrame
        Square and symmetric, in [-1, 1]; rows and columns are the pairs of groups as ``first -
        second``. Of two directions with a common first or second group .5 is what groups have
        that are equally far from each other. Near 1, the other two groups are alike against
        the common one; near 0, the two differences are unrelated, so that a bias along one says
        nothing of the other.

    Raises
    ------
    ValueError
        If there are fewer than three groups, or two have the same mean vector.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, on more than two groups.

    Examples
    --------
    >>> import bayesbias as bb
    >>> religion = bb.load_wordlist("religion")
    >>> vectors = bb.load_vectors("glove-demo", words=religion)
    >>> bb.scores.group_direction_correlations(vectors, religion.groups).shape
    (3, 3)
    """
    if len(groups) < 3:
        raise ValueError(
            "directions are compared where there are three groups or more; two groups have one "
            f"direction, and there are {len(groups)}"
        )
    found = look_up(vectors, {f"group {name}": words for name, words in groups.items()})
    means = dict(zip(groups, group_means(list(found.rows.values())), strict=True))
    directions = {}
    for first, second in combinations(means, 2):
        difference = means[first] - means[second]
        if np.linalg.norm(difference) <= DEPENDENT:
            raise ValueError(
                f"the groups {first!r} and {second!r} have the same mean vector, so there is no "
                "direction between them; leave one out"
            )
        directions[f"{first} - {second}"] = unit_rows(difference[None, :])[0]
    rows, names = np.stack(list(directions.values())), list(directions)
    return pd.DataFrame(np.clip(rows @ rows.T, -1.0, 1.0), index=names, columns=names)


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """SAME of all stereotype words: the length of a target's shadow is sqrt(b' K⁺ b)."""
    gram, along = _products(rows, weights)
    inverse = np.linalg.pinv(gram, rcond=DEPENDENT**2, hermitian=True)
    lengths = np.sqrt((along * (inverse @ along)).sum(axis=1).clip(0, 1))
    value = (lengths * pooled(weights.stereotypes)).sum(axis=1)
    longest = np.diagonal(gram, axis1=1, axis2=2).max(axis=1)
    return np.where(longest > DEPENDENT**2, value, np.nan)


def _moments(rows: ListRows, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Skew and stereotype of two groups under resamplings, (n_resamples,) each."""
    gram, along = _products(rows, weights)
    length = np.sqrt(gram[:, 0].clip(0))
    signed = ratio(-along[:, 0], np.broadcast_to(length, along[:, 0].shape), DEPENDENT)
    share = pooled(weights.stereotypes)
    skew = (signed * share).sum(axis=1)
    return skew, np.sqrt(((signed - skew[:, None]) ** 2 * share).sum(axis=1))


def _products(rows: ListRows, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """K = d d' and b = d·t of the differences d of group means and the unit targets t.

    Both are weighted sums of cosines: (n_resamples, n_groups - 1, n_groups - 1) and
    (n_resamples, n_groups - 1, n_targets).
    """
    words = unit_rows(np.vstack(rows.protected))
    differences = _differences(weights.protected)
    gram = differences @ (words @ words.T) @ differences.transpose(0, 2, 1)
    return gram, differences @ (words @ unit_rows(rows.targets).T)


def _differences(weights: Sequence[FloatArray]) -> FloatArray:
    """Weights of â_i - â_0 over all words of all groups, (n_resamples, n_groups - 1, n_words)."""
    sizes = [each.shape[1] for each in weights]
    starts = np.cumsum([0, *sizes])
    made = np.zeros((len(weights[0]), len(weights) - 1, starts[-1]))
    made[:, :, : sizes[0]] = -weights[0][:, None, :]
    for at in range(1, len(weights)):
        made[:, at - 1, starts[at] : starts[at + 1]] = weights[at]
    return made


SCORE = ListScore(
    value=lambda rows: same_of(rows.targets, rows.protected).score,
    scope="all",
    resampled=_resampled,
    reading="more difference between groups",
    width=1.0,
    properties=Properties(
        comparable=(
            True,
            "it is a mean of lengths of shadows of unit vectors; 0 and 1 are reached, if there are "
            "no more groups than dimensions",
        ),
        trustworthy=(True, "a target has no shadow exactly when it is equally near to all groups"),
        range=("0", "1"),
        source="Schröder, Schulz, Hammer (2024), SAME, theorems 1, 2",
    ),
)

SKEW = ListScore(
    value=lambda rows: same_of(rows.targets, rows.protected).skew,
    scope="pair",
    resampled=lambda rows, weights: _moments(rows, weights)[0],
    reading="stereotypes towards the first group",
    width=2.0,
    properties=Properties(
        comparable=(True, "it is a mean of cosines; -1 and 1 are reached"),
        trustworthy=(False, "it is 0 when targets lean to both groups alike"),
        range=("-1", "1"),
    ),
)

STEREOTYPE = ListScore(
    value=lambda rows: same_of(rows.targets, rows.protected).stereotype,
    scope="pair",
    resampled=lambda rows, weights: _moments(rows, weights)[1],
    reading="more difference between stereotypes",
    width=1.0,
    properties=Properties(
        comparable=(True, "it is an sd of cosines; 1 is reached by targets along both directions"),
        trustworthy=(False, "it is 0 when all targets lean alike"),
        range=("0", "1"),
    ),
)
