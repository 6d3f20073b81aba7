"""Direct Bias: how far targets point along the principal directions of defining sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors, as_rows, look_up_tuples
from .list_rows import ListRows
from .registry import PAIRS_BY_PLACE, ListScore, Properties, Weights
from .resampling import pooled, ratio
from .result import ScoreResult, Words, not_among, of_words
from .subspace import DEPENDENT, pair_directions, principal_components


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DirectBiasResult(ScoreResult):
    """Direct Bias of targets; see `direct_bias`."""

    per_target: FloatArray
    components: FloatArray
    explained: FloatArray
    k: int
    c: float
    normalised: bool
    defining_sets: tuple[tuple[str, ...], ...] = ()


def direct_bias_of(
    targets: ArrayLike,
    defining_sets: Sequence[ArrayLike],
    *,
    k: int | None = None,
    c: float = 1.0,
    unit: bool = True,
) -> DirectBiasResult:
    """Direct Bias on arrays, (n_targets, n_dims) and (n_members_i, n_dims); see `direct_bias`."""
    if not 0 <= c < np.inf:
        raise ValueError(
            f"c must not be negative, infinite or NaN, got {c}; 1 is usual, 0 only counts targets"
        )
    sets = [as_rows(f"defining set {at}", each) for at, each in enumerate(defining_sets)]
    subspace = principal_components([unit_rows(each) for each in sets] if unit else sets, k)
    components = unit_rows(as_rows("targets", targets)) @ subspace.directions.T
    per_target = np.minimum(np.linalg.norm(components, axis=1), 1.0) ** c
    return DirectBiasResult(
        score=float(per_target.mean()),
        per_target=per_target,
        components=components,
        explained=subspace.explained,
        k=len(subspace.directions),
        c=c,
        normalised=unit,
    )


def direct_bias(
    vectors: WordVectors,
    targets: Words,
    defining_sets: Iterable[Sequence[str]],
    *,
    k: int | None = None,
    c: float = 1.0,
    unit: bool = True,
    drop_shared: bool = False,
) -> DirectBiasResult:
    """Direct Bias: mean over targets of |cos(t, g)|^c, or (sqrt Σ_k cos(t, g_k)²)^c.

    The directions g are the first k principal components of the defining words, centred within
    their sets. For one pair the first component is the pair's difference.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    targets : list of words
    defining_sets : list of pairs (or longer tuples) of words, such as [("she", "he")]
        A set of which a word is missing is left out whole.
    k : int, optional
        Number of components; the size of the sets less one if not given, 1 for pairs.
    c : float
        Strictness, 0 or more; 1 in the literature.
    unit : bool
        Bring defining words to unit length first, as Bolukbasi et al. do.
    drop_shared : bool
        Leave out targets that also stand in a defining set: their direction is what the score is
        measured along.

    Returns
    -------
    DirectBiasResult
        ``score`` and ``per_target`` in [0, 1], 0 for targets orthogonal to the components;
        ``components``, the signed cosines, (n_targets, k), positive towards the first words of
        the sets; ``explained``, the share of variance along each.

    References
    ----------
    Bolukbasi et al. (2016), section 5.2; Manzini et al. (2019) for more than two groups.
    """
    rows, kept, missing = look_up_tuples(vectors, "defining sets", defining_sets)
    targets = not_among(targets, kept) if drop_shared else targets
    made = of_words(
        lambda targets: direct_bias_of(targets, rows, k=k, c=c, unit=unit),
        vectors,
        {"targets": targets},
        parts=["targets"],
    )
    return replace(made, missing={**made.missing, **missing}, defining_sets=kept)


def direction_correlations(
    vectors: WordVectors, pairs: Iterable[Sequence[str]], *, unit: bool = True
) -> pd.DataFrame:
    """Cosines of the pairs' single directions with each other and with their first component.

    Parameters
    ----------
    vectors : KeyedVectors or mapping of str to array
    pairs : list of pairs of words
    unit : bool
        As for `direct_bias`.

    Returns
    -------
    DataFrame
        Square and symmetric, in [-1, 1]; rows and columns are the pairs as ``first - second`` and
        at last ``component``. Low entries in the last row tell that the component that Direct
        Bias measures along does not represent that pair.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, figure 3.
    """
    sets, names = _pairs(vectors, pairs, unit=unit)
    singles = pair_directions([each[0] for each in sets], [each[1] for each in sets])
    both = np.vstack([singles, principal_components(sets, 1).directions])
    names = [*names, "component"]
    return pd.DataFrame(np.clip(both @ both.T, -1.0, 1.0), index=names, columns=names)


def _pairs(
    vectors: WordVectors, pairs: Iterable[Sequence[str]], *, unit: bool
) -> tuple[list[FloatArray], list[str]]:
    """Vectors of pairs of words, and names of their directions."""
    rows, kept, _ = look_up_tuples(vectors, "pairs", pairs)
    wrong = [members for members in kept if len(members) != 2]
    if wrong:
        raise ValueError(f"single directions are those of pairs; got {wrong[0]!r}")
    sets = [unit_rows(each) for each in rows] if unit else list(rows)
    return sets, [f"{first} - {second}" for first, second in kept]


def _resampled(rows: ListRows, weights: Weights) -> FloatArray:
    """Direct Bias of all stereotype words, k = groups - 1 components, c = 1.

    Components of the weighted words come from the eigenvectors of their inner products.
    """
    sets = rows.defining_sets
    unit = unit_rows(sets.reshape(-1, sets.shape[2])).reshape(sets.shape)
    centred = (unit - unit.mean(axis=1, keepdims=True)).reshape(-1, sets.shape[2])
    root = np.sqrt(np.repeat(weights.defining, sets.shape[1], axis=1))
    gram = root[:, :, None] * (centred @ centred.T) * root[:, None, :]
    squares, vectors = np.linalg.eigh(gram)
    k = sets.shape[1] - 1
    squares, vectors = squares[:, -k:], vectors[:, :, -k:] * root[:, :, None]
    along = (centred @ unit_rows(rows.targets).T).T @ vectors
    lengths = np.sqrt(ratio(along**2, squares[:, None, :], 0.0).sum(axis=2).clip(max=1))
    value = (lengths * pooled(weights.stereotypes)).sum(axis=1)
    return np.where(squares[:, 0] > DEPENDENT**2 * squares[:, -1], value, np.nan)


SCORE = ListScore(
    value=lambda rows: direct_bias_of(rows.targets, list(rows.defining_sets)).score,
    scope="all",
    choices="c=1, k=groups-1, unit length",
    resampled=_resampled,
    note=PAIRS_BY_PLACE,
    reading="more difference between groups",
    width=1.0,
    properties=Properties(
        comparable=(True, "it is a mean of |cos|^c, and 0 and 1 are reached for any component"),
        trustworthy=(
            False,
            "it is 0 along a pair's direction that the component leaves out, and can be 1 for a "
            "target that is equally near to both groups",
        ),
        range=("0", "1"),
        source="Schröder et al. (2024), Semantic properties, theorems 5, 6",
    ),
)
