"""`hypothesis_rates`: how often WEAT and SAME find a bias, the list's hypothesis right or wrong.

WEAT asks whether the groups go with the attribute sets as the list has them. SAME takes all
attributes together, and asks whether they lean to either group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError
from .._core.random import Seed, as_seed_sequence
from ..nulls import Batch
from ..nulls import scenario as named_scenario
from ..nulls.base import BaseScenario, IntArray, check_count
from ..scores.permutation import permutation_p_values
from .choices import Choices
from .rates import wilson

MOST_SPLITS = 20_000
"""Splits of the protected words that are all counted: those of 8 + 8 words are 12,870."""

BLOCK = 100
"""Tables that are simulated at once."""

TIE = 1e-12
"""Two values of SAME tie if they differ by less: they are means of cosines in float64."""


def hypothesis_rates(
    scenario: str | BaseScenario = "unit-vectors",
    effects: Sequence[float] = (0.0, 0.04, 0.08),
    n: int = 1000,
    *,
    alpha: float = 0.05,
    seed: Seed = None,
) -> pd.DataFrame:
    """Count how often WEAT and SAME find a bias under a right and under a wrong hypothesis.

    An effect is planted: attributes A lie closer to the words X, attributes B to Y. The right
    hypothesis names the sets so. The wrong one exchanges half of A with half of B: every attribute
    leans as before, and none of it shows in the difference between the sets.

    Parameters
    ----------
    scenario : str or scenario
        Of two groups, whose words have vectors: ``unit-vectors``, ``vocabulary``,
        ``vocabulary-topics``, or one of your own of these kinds.
    effects : sequence of float
        Planted effects, in units of distance; 0 gives false alarms.
    n : int
        Tables of each effect.
    alpha : float
        Level of the tests, in (0, 1).
    seed : int, SeedSequence, Generator or None
        Recorded in the frame's ``attrs``.

    Returns
    -------
    DataFrame
        One row an effect, hypothesis and score: ``effect``, ``hypothesis`` (``right`` or
        ``wrong``), ``score`` (``weat`` or ``same``), ``n``, ``rate``, the share of tables with
        p at most ``alpha``, and its 95% Wilson interval ``low`` to ``high``. The p-value of both is
        exact, over all ways to deal the protected words out to X and Y: two-sided for WEAT, and
        for SAME the share with a score at least as large, since SAME is a size. SAME is the same
        under both hypotheses.

    Raises
    ------
    ValueError
        If the scenario has no vectors, is not of two groups with sets of one even size, or has too
        many words to count all splits.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score, section 6. Their program deals words out to
    groups with noise for the same reason (``partition_target_groups`` in
    src/pretrain_simulation.py of HammerLabML/PLMBiasMeasureBenchmark at 0496720).

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.calibration.hypothesis_rates(effects=[0.1], n=20, seed=1)
    >>> frame[["hypothesis", "score"]].values.tolist()
    [['right', 'weat'], ['right', 'same'], ['wrong', 'weat'], ['wrong', 'same']]
    """
    Choices(alpha=alpha)  # which checks it
    made = named_scenario(scenario) if isinstance(scenario, str) else scenario
    if not isinstance(made, BaseScenario):
        raise TypeError(f"scenario must be a name or a scenario, got {type(made).__name__}")
    exchanged, counted, sequence = _exchanged(made), check_count(n), as_seed_sequence(seed)
    rows = []
    for effect, own in zip(effects, sequence.spawn(len(effects)), strict=True):
        planted = replace(made, effect=effect)
        sizes = np.diff(np.arange(0, counted + BLOCK, BLOCK).clip(max=counted))
        blocks = [
            _p_values(planted.simulate(int(size), each), exchanged)
            for size, each in zip(sizes, own.spawn(len(sizes)), strict=True)
        ]
        right, wrong, size = np.concatenate(blocks, axis=1)
        for hypothesis, weat in (("right", right), ("wrong", wrong)):
            for score, p_values in (("weat", weat), ("same", size)):
                claims = int((p_values <= alpha).sum())
                share = (counted, claims / counted, *wilson(claims, counted))
                rows.append((effect, hypothesis, score, *share))
    names = ("effect", "hypothesis", "score", "n", "rate", "low", "high")
    frame = pd.DataFrame(rows, columns=list(names))
    frame.attrs = {"alpha": alpha, "seed": sequence.entropy}
    return frame


def _exchanged(scenario: BaseScenario) -> IntArray:
    """Places of the attributes after half of the first set was exchanged with half of the second.

    Control words are left out.
    """
    words, sizes = scenario.layout.word_sizes, scenario.layout.set_sizes[:2]
    if len(words) != 2 or sizes[0] != sizes[1] or sizes[0] % 2:
        raise ArgumentError(
            Argument("scenario"),
            " must have two groups and sets of one even size, so that halves can be exchanged; got "
            f"{len(words)} groups and sets of {sizes[0]} and {sizes[1]}",
        )
    if comb(sum(words), words[0]) > MOST_SPLITS:
        raise ArgumentError(
            Argument("scenario"),
            f" has {words[0]} + {words[1]} words, whose splits cannot all be counted; 8 + 8 can",
        )
    size, half = sizes[0], sizes[0] // 2
    first, second = np.arange(size), np.arange(size, 2 * size)
    return np.concatenate([first[:half], second[:half], first[half:], second[half:]])


def _p_values(batch: Batch, exchanged: IntArray) -> FloatArray:
    """Return p of WEAT under the right and the wrong hypothesis, and of SAME, (3, n_tables)."""
    if not batch.word_cosines.size:
        raise ArgumentError(
            Argument("scenario"),
            " has distances but no vectors, and SAME needs the cosines of the protected words; "
            "choose unit-vectors, vocabulary or vocabulary-topics",
        )
    n_x, n_a = batch.layout.word_sizes[0], len(exchanged)
    cosines = 1 - batch.distances[:, :, :n_a]
    found = []
    for order in (np.arange(n_a), exchanged):
        own, other = np.split(cosines[:, :, order], 2, axis=2)
        association = own.mean(axis=2) - other.mean(axis=2)
        found.append(permutation_p_values(association, n_x).p_value)
    return np.stack([*found, same_p_values(cosines, batch.word_cosines, n_x)])


def same_p_values(cosines: FloatArray, word_cosines: FloatArray, n_x: int) -> FloatArray:
    """Share of all splits of the protected words under which SAME is as large as under the given.

    Parameters
    ----------
    cosines : (n_tables, n_words, n_targets) float
        Of protected words, those of X first, with the targets.
    word_cosines : (n_tables, n_words, n_words) float
        Of the protected words with one another.
    n_x : int
        Words of X.

    Returns
    -------
    (n_tables,) float
    """
    weights = _splits(word_cosines.shape[1], n_x)
    found = np.empty(len(cosines))
    for at, (along, gram) in enumerate(zip(cosines, word_cosines, strict=True)):
        length = np.sqrt(((weights @ gram) * weights).sum(axis=1))
        score = np.abs(weights @ along).mean(axis=1) / length
        found[at] = (score >= score[0] - TIE).mean()
    return found


def _splits(n_words: int, n_x: int) -> FloatArray:
    """Weights of â_X - â_Y under every split, the given one first, (n_splits, n_words)."""
    inside = list(combinations(range(n_words), n_x))
    weights = np.full((len(inside), n_words), -1 / (n_words - n_x))
    np.put_along_axis(weights, np.array(inside), 1 / n_x, axis=1)
    return weights
