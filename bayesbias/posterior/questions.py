"""Answer written questions about a posterior."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws, describe_mixtures
from ..model.frequency import frequency_of
from ..model.tree import DataTree, design_of, labels, spec_of
from ..tables.levels import OVERALL, WORD
from .contrasts import contrast_draws
from .estimands import WITHIN, compares_stereotypes, has_cells, pair_place
from .mixtures import mixtures
from .summaries import Reading, in_front, is_exact, level_means, reads_posterior

BIAS = "bias"
"""Name for the default row of a group or word: own minus other stereotypes."""

MEAN = "mean distance"
"""Estimand of single connections."""

_NAME = r"(?:word\s+)?(?:`[^`]+`|[^\W\d]\w*)"

_TERM = re.compile(
    rf"\s*(?P<sign>[-+]?)\s*(?:(?P<of>{_NAME})\s*:\s*)?"
    rf"(?:(?P<number>\d+\.?\d*|\.\d+)|(?P<name>{_NAME}))\s*"
)
"""A number or a name, with its sign and, before a colon, the group or word that it is about."""

_THAN = re.compile(r"[<>](?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""A comparison that is not part of a name in backquotes."""


@reads_posterior
def hypothesis(
    tree: DataTree,
    *hypotheses: str,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    over: str = "population",
) -> pd.DataFrame:
    """Compute the probabilities of written statements about contrasts.

    A difference between two connections is the row of `contrasts` with the same names.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.
    *hypotheses : str
        For example, ``"muslim < christian - 0.05"``. Both sides of ``>`` or ``<`` are sums and
        differences of numbers and terms. A group, a protected word, or ``all`` stands for its
        default contrast, own stereotypes minus other stereotypes; ``muslim: bias`` is the same.
        Contrasts are distances, so the smaller one is the group closer to its own stereotypes.
        ``muslim: associated - human`` compares two connections, and a single connection is its mean
        distance in `summary`. The name before a colon applies up to the next colon; without one,
        connections are overall. If a group and a word share a name, ``word muslim`` is the word.
        Put names with spaces or hyphens in backquotes.
    ci_prob, ci_kind, over
        The same as in `contrasts`.

    Returns
    -------
    DataFrame
        One row per statement: ``hypothesis``, ``probability`` that it is true, ``estimand`` (as in
        `contrasts`, or ``mean distance``), ``frequency``, and ``mean``, ``sd``, ``low``, and
        ``high`` of the left side minus the right side.

    Raises
    ------
    ValueError
        If a statement cannot be read, or if a contrast is not identified. In a list of two groups,
        groups have no default contrast.

    Examples
    --------
    >>> bb.hypothesis(post, "muslim < christian - 0.05")["probability"].round(2)
    0    0.89
    Name: probability, dtype: float64
    """
    if not hypotheses:
        raise ValueError("pass at least one hypothesis, such as 'muslim < christian - 0.05'")
    known = _known(tree, over)
    statements = [_read(text, known) for text in hypotheses]
    reading: Reading = {"ci_prob": ci_prob, "rope": 0.0, "ci_kind": ci_kind}
    parts = [_described(one, known, tree, reading) for one in statements]
    frame = in_front(
        pd.concat(parts, ignore_index=True),
        hypothesis=list(hypotheses),
        probability=[float(part.attrs["probability"]) for part in parts],
        estimand=[one.estimand(known) for one in statements],
        frequency=str(frequency_of(design_of(tree))),
    )
    frame.attrs = {"ci_prob": float(ci_prob), "ci_kind": ci_kind}
    return frame


@dataclass(frozen=True, eq=False)
class _Known:
    """What statements can be about."""

    connections: list[str]
    subjects: Mapping[str, int]  # level of each group and word
    gaps: FloatArray  # (n_draws, n_levels, n_pairs)
    estimands: np.ndarray  # (n_levels, n_pairs)
    means: FloatArray  # (n_draws, n_levels, n_connections)
    n_exact: int  # number of levels whose distribution is known exactly
    defaults: frozenset[int]  # levels with a default row


def _known(tree: DataTree, over: str) -> _Known:
    levels, gaps, estimands = contrast_draws(tree, over)
    subjects = dict[str, int]()
    for place, (level, group, word) in enumerate(levels.itertuples(index=False, name=None)):
        if level == WORD:
            subjects[f"word {word}"] = place
        subjects.setdefault(word or group or "all", place)
    design, spec = design_of(tree), spec_of(tree)
    exact = over == "population" and is_exact(tree)
    pooled = has_cells(spec) and over == "population"
    return _Known(
        labels(tree, "connection"),
        subjects,
        gaps,
        estimands,
        level_means(tree, over)[1],
        n_exact=(1 + len(design.groups) * has_cells(spec)) * exact,
        defaults=frozenset(
            place
            for place, level in enumerate(levels["level"])
            if compares_stereotypes(design)
            and (level == OVERALL or not pooled or estimands[place, 0] != WITHIN)
        ),
    )


@dataclass(frozen=True, eq=False)
class _Statement:
    """The left side minus the right side, as a sum of a number, contrasts, and mean distances."""

    text: str
    sign: int  # -1 if the statement says that the difference is below zero, or 1
    number: float
    rows: dict[tuple[int, int], float]  # coefficients, keyed by level and pair
    means: dict[tuple[int, int], float]  # coefficients, keyed by level and connection

    def estimand(self, known: _Known) -> str:
        """Return the estimands in the statement."""
        names = [str(known.estimands[row]) for row in self.rows] + [MEAN] * bool(self.means)
        return " and ".join(dict.fromkeys(names))


def _read(text: str, known: _Known) -> _Statement:
    """Read a statement."""
    than = _THAN.findall(text)
    if len(than) != 1:
        raise ValueError(f"{text!r}: use exactly one < or >, not {len(than)}")
    number, rows, by_level = 0.0, dict[tuple[int, int], float](), dict[int, dict[str, float]]()
    for size, subject, name in _terms(text):
        if name is None:
            number += size
            continue
        level = _level(text, subject or "all", known)
        is_bias = name == BIAS and BIAS not in known.connections
        if not is_bias and name not in known.connections:
            level, is_bias = _level(text, name, known), True
        if is_bias and level not in known.defaults:
            raise ValueError(f"{text!r}: {_not_identified(subject or name)}")
        pair = {"associated": size, "different": -size} if is_bias else {name: size}
        own = by_level.setdefault(level, defaultdict(float))
        for connection, weight in pair.items():
            own[connection] += weight
    means = dict[tuple[int, int], float]()
    for level, weights in by_level.items():
        left = {name: size for name, size in weights.items() if size}
        if sum(left.values()):
            means |= {(level, known.connections.index(k)): size for k, size in left.items()}
        elif left:
            rows |= _row_of(text, level, left, known)
    return _Statement(text, -1 if than[0] == "<" else 1, number, rows, means)


def _terms(text: str) -> Iterator[tuple[float, str, str | None]]:
    """Yield the coefficient, subject, and name of each term; the name is None for a number."""
    subject = ""
    for side, sign in zip(_THAN.split(text), (1.0, -1.0), strict=True):
        place = 0
        while place < len(side) or not place:
            term = _TERM.match(side, place)
            if term is None or (place and not term["sign"]):
                raise ValueError(
                    f"{text!r}: {side[place:].strip()!r} is not a number or a name; use names, "
                    "numbers, + and -"
                )
            subject = _plain(term["of"]) if term["of"] else subject
            size = -sign if term["sign"] == "-" else sign
            if term["number"]:
                yield size * float(term["number"]), subject, None
            else:
                yield size, subject, _plain(term["name"])
            place = term.end()


def _plain(name: str) -> str:
    return " ".join(name.replace("`", "").split())


def _level(text: str, subject: str, known: _Known) -> int:
    if subject not in known.subjects:
        choices = [*known.subjects, *known.connections]
        raise ValueError(
            f"{text!r}: {unknown_name('group, word, or connection', subject, choices)}"
        )
    return known.subjects[subject]


def _not_identified(subject: str) -> str:
    return (
        f"the table does not identify a contrast for {subject!r}, because it needs sets that are "
        "different for this group and another; with two groups, ask about all, or about words"
    )


def _row_of(
    text: str, level: int, weights: Mapping[str, float], known: _Known
) -> dict[tuple[int, int], float]:
    """Return the row of contrasts, and its coefficient, that is the difference of two names."""
    if len(weights) != 2:
        raise ValueError(f"{text!r}: compare two connections at a time, not {len(weights)}")
    (first, size), (second, _) = weights.items()
    pair, sign = pair_place(known.connections, first, second)
    if not np.isfinite(known.gaps[0, level, pair]):
        subject = next(name for name, place in known.subjects.items() if place == level)
        raise ValueError(f"{text!r}: {_not_identified(subject)}")
    return {(level, pair): sign * size}


def _described(
    statement: _Statement, known: _Known, tree: DataTree, reading: Reading
) -> pd.DataFrame:
    """Describe the difference between both sides, exactly if it is a sum of exact contrasts."""
    from scipy.special import ndtr

    columns = ["mean", "sd", "low", "high"]
    if statement.rows and not statement.means and max(statement.rows)[0] < known.n_exact:

        def total(of: FloatArray) -> FloatArray:
            parts = [size * of[:, level, pair] for (level, pair), size in statement.rows.items()]
            return np.sum(parts, axis=0)[:, None]

        means, sds = mixtures(tree, total)
        frame = describe_mixtures(means + statement.number, sds, **reading)[columns]
        frame.attrs["probability"] = ndtr(statement.sign * (means + statement.number) / sds).mean()
        return frame
    draws = np.full((len(known.gaps), 1), statement.number)
    for values, weights in ((known.gaps, statement.rows), (known.means, statement.means)):
        for (level, place), size in weights.items():
            draws += size * values[:, level, [place]]
    frame = describe_draws(draws, reading["ci_prob"], reading["ci_kind"])
    frame.attrs["probability"] = (statement.sign * draws > 0).mean()
    return frame
