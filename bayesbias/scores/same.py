"""SAME, the length of the targets' shadows in the bias subspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from .._core.arrays import FloatArray, unit_rows
from ..embeddings.word_sets import WordVectors
from .list_rows import ListRows
from .registry import ListScore
from .result import ScoreResult, Words, read_sets, score_result, without_shared
from .subspace import differences_of_means, gram_schmidt


def same(
    vectors: WordVectors | None,
    targets: Words,
    groups: Mapping[str, Words] | Sequence[Words],
    *,
    drop_shared: bool = False,
) -> ScoreResult:
    """SAME: how far targets point along the directions in which protected groups differ.

    With â_i the mean unit vector of group i and B the Gram-Schmidt basis of â_i - â_0, the bias
    of a target is ‖B t/‖t‖‖, for two groups |cos(t, â_0 - â_1)|; SAME is the mean over targets.

    Parameters
    ----------
    vectors : KeyedVectors, mapping of str to array, or None
    targets : list of words
    groups : lists of words by group, as a mapping or a sequence; two or more
    drop_shared : bool
        Leave out targets that also stand in a group: their direction is what the score is
        measured along.

    Returns
    -------
    ScoreResult
        ``score`` and ``per_target`` in [0, 1], 0 where a target is equally near to all groups
        and 1 where it lies in the bias subspace; neither depends on the order of the groups.
        ``component_GROUP`` does: the cosine with what the difference of that group from the first
        adds to those before it, positive towards that group. ``rank``, the dimensions of the
        subspace, is below n_groups - 1 where group means are linearly dependent. For two groups
        only: ``signed``, cos(t, â_0 - â_1), positive towards the first; ``skew``, its mean;
        ``stereotype``, its population sd.

    Raises
    ------
    ValueError
        If there is one group, a set is empty or missing, or all group means coincide.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, equations 11-16.
    """
    named = (
        dict(groups) if isinstance(groups, Mapping) else {str(i): g for i, g in enumerate(groups)}
    )
    if len(named) < 2:
        raise ValueError(f"SAME compares protected groups and needs two or more; got {len(named)}")
    if drop_shared:
        targets = without_shared(targets, cast("Iterable[Iterable[str]]", named.values()))
    keys = {f"group {name}": words for name, words in named.items()}
    sets = read_sets(vectors, {"targets": targets} | keys)
    units = unit_rows(sets.rows["targets"])
    differences = differences_of_means([unit_rows(sets.rows[key]) for key in keys])
    basis, made_of = gram_schmidt(differences)
    components = units @ basis.T
    parts = {"per_target": _lengths(components)}
    if len(named) == 2:
        parts["signed"] = units @ unit_rows(-differences)[0]
    names = [list(named)[place + 1] for place in made_of]
    parts |= {f"component_{name}": part for name, part in zip(names, components.T, strict=True)}
    details: dict[str, float] = {"rank": len(basis)}
    if "signed" in parts:
        signed = parts["signed"]
        details |= {"skew": float(signed.mean()), "stereotype": float(signed.std())}
    return score_result(parts["per_target"].mean(), sets, "targets", parts, **details)


def _lengths(components: FloatArray) -> FloatArray:
    return np.minimum(np.linalg.norm(components, axis=1), 1.0)


def _value(rows: ListRows) -> float:
    basis, _ = gram_schmidt(differences_of_means(rows.protected_units))
    return float(_lengths(np.vstack(rows.stereotype_units) @ basis.T).mean())


def _signed(rows: ListRows) -> FloatArray:
    (difference,) = differences_of_means(rows.protected_units)
    direction = -difference / np.linalg.norm(difference)
    return np.asarray(np.vstack(rows.stereotype_units) @ direction)


SAME = ListScore(_value, "all", reading="more difference between groups", width=1.0)
SKEW = ListScore(
    lambda rows: float(_signed(rows).mean()),
    "pair",
    reading="stereotypes towards the first group",
    width=2.0,
)
STEREOTYPE = ListScore(
    lambda rows: float(_signed(rows).std()),
    "pair",
    reading="more difference between stereotypes",
    width=1.0,
)
