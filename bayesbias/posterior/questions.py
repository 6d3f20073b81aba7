"""Answer written questions about a posterior."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.characters import letters
from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, describe_draws, describe_mixtures
from ..model.frequency import frequency_of
from ..model.tree import DataTree, design_of, labels, spec_of
from ..tables.levels import GROUP, OVERALL, WORD
from .contrasts import contrast_draws
from .estimands import WITHIN, compares_stereotypes, has_cells, pair_names, pair_place
from .mixtures import mixtures
from .summaries import Reading, in_front, is_exact, level_means, reads_posterior

BIAS = "bias"
"""Name for the default row of a group or word: own minus other stereotypes."""

MEAN = "mean distance"
"""Estimand of single connections."""

NOTHING = 1e-12
"""Size of rounding errors in sums of contrasts that are equal by definition."""

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

    A difference between two connections, also on two sides of ``<``, is the row of `contrasts` with
    the same names.

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
    if not hypotheses or not all(isinstance(text, str) for text in hypotheses):
        raise ValueError(
            "pass one or more statements as texts, not as a list, such as "
            "bb.hypothesis(post, 'muslim < christian - 0.05', 'muslim < 0')"
        )
    asked = _Asked(tree, over, {"ci_prob": ci_prob, "rope": 0.0, "ci_kind": ci_kind})
    frame = pd.concat([asked.answer(text) for text in hypotheses], ignore_index=True)
    frame.attrs = {"ci_prob": float(ci_prob), "ci_kind": ci_kind}
    return frame


type Weights = dict[tuple[int, int], float]
"""Coefficients of contrasts or of means, keyed by level and by pair or connection."""


class _Asked:
    """A posterior that statements are about, with the names that they can contain."""

    def __init__(self, tree: DataTree, over: str, reading: Reading) -> None:
        levels, self.gaps, self.estimands = contrast_draws(tree, over)
        self.tree, self.reading, self.design = tree, reading, design_of(tree)
        self.connections, self.means = labels(tree, "connection"), level_means(tree, over)[1]
        self.levels = dict[str, int]()  # of groups and words
        for place, (level, group, word) in enumerate(levels.itertuples(index=False, name=None)):
            if level == WORD:
                self.levels.setdefault(f"word {word}", place)
            self.levels.setdefault(word or group or "all", place)
        of_groups = levels.index[levels["level"] == GROUP]
        place_of = dict(zip(levels.loc[of_groups, "protected_group"], of_groups, strict=True))
        self.around = [
            {place, place_of.get(group, place), self.levels["all"]}
            for place, group in enumerate(levels["protected_group"])
        ]  # the levels that contain each level
        is_population = over == "population"
        is_pooled = is_population and has_cells(spec_of(tree))
        # The first levels have distributions that are known exactly.
        n_shared = 1 + len(self.design.groups) * is_pooled
        self.n_exact = n_shared * (is_population and is_exact(tree))
        is_identified = (self.estimands[:, :1] != WITHIN).any(axis=1)
        has_default = levels["level"].eq(OVERALL).to_numpy() | is_identified | (not is_pooled)
        self.has_default = has_default & compares_stereotypes(self.design)

    def answer(self, text: str) -> pd.DataFrame:
        """Describe the left side minus the right side, exactly if all contrasts are known so."""
        from scipy.special import ndtr

        number, rows, means = self._sums(text)
        sign = -1 if "<" in _THAN.findall(text) else 1
        draws = np.full((len(self.gaps), 1), number)
        draws = draws + _total(self.gaps, rows) + _total(self.means, means)
        draws[abs(draws) < NOTHING] = 0.0
        if rows and not means and max(rows)[0] < self.n_exact and np.ptp(draws) > NOTHING:
            centers, sds = mixtures(self.tree, partial(_total, weights=rows))
            frame = describe_mixtures(centers + number, sds, **self.reading)
            probability = ndtr(sign * (centers + number) / sds).mean()
        else:
            frame = describe_draws(draws, self.reading["ci_prob"], self.reading["ci_kind"])
            probability = (sign * draws > 0).mean()
        names = [str(self.estimands[row]) for row in rows] + [MEAN] * bool(means)
        return in_front(
            frame[["mean", "sd", "low", "high"]],
            hypothesis=text,
            probability=float(probability),
            estimand=" and ".join(dict.fromkeys(names)),
            frequency=str(frequency_of(self.design)),
        )

    def _sums(self, text: str) -> tuple[float, Weights, Weights]:
        """Read a statement as a sum of a number, contrasts, and mean distances."""
        number, by_level = 0.0, dict[int, dict[str, float]]()
        rows: Weights = {}
        means: Weights = {}
        for size, subject, name in _terms(text):
            if name is None:
                number += size
                continue
            if not subject.name and name in self.connections and name in self.levels:
                raise ValueError(
                    f"{text!r}: {name} is a connection, and also a group or word; write "
                    f"'{name}: bias' for the contrast of the group, 'all: {name}' for the mean"
                )
            if name == BIAS and name in self.levels and not subject.is_own:
                raise ValueError(
                    f"{text!r}: {name} is the default contrast, and also a group or word; write "
                    f"'{name}: {name}' for that of the group, 'all: {name}' for the overall one"
                )
            level = self._level(text, subject.name) if subject.name else self.levels["all"]
            if name in self.connections:
                own = by_level.setdefault(level, defaultdict(float))
                own[name] += size
                continue
            if name != BIAS:
                outer, level = level, self._level(text, name)
                if subject.is_own and outer not in self.around[level]:
                    raise ValueError(
                        f"{text!r}: {subject.name!r} and {name!r} are both groups or words; put "
                        f"{BIAS!r} or a connection after the colon"
                    )
            if not self.has_default[level]:
                asked = subject.name if name == BIAS else name
                raise ValueError(f"{text!r}: {_not_identified(asked or 'all')}")
            _add(rows, self._row(text, level, 0), size)
        for level, weights in by_level.items():
            left = {name: size for name, size in weights.items() if size}
            self._check_rows(text, level, left)
            if sum(left.values()):
                means |= {(level, self.connections.index(k)): size for k, size in left.items()}
            elif left:
                if len(left) != 2:
                    raise ValueError(
                        f"{text!r}: compare two connections at a time, not {len(left)}"
                    )
                (first, size), (second, _) = left.items()
                pair, sign = pair_place(self.connections, first, second)
                _add(rows, self._row(text, level, pair), sign * size)
        return number, {row: size for row, size in rows.items() if size}, means

    def _level(self, text: str, subject: str) -> int:
        if subject not in self.levels:
            named = (name for name in self.levels if not name.startswith("word "))
            names = [*named, *self.connections]
            choices = [name if name.isidentifier() else f"`{name}`" for name in names]
            raise ValueError(
                f"{text!r}: {unknown_name('group, word, or connection', subject, choices)}"
            )
        if subject == "all" and subject in self.design.groups:
            raise ValueError(f"{text!r}: the table has a group {subject!r}; give it another name")
        return self.levels[subject]

    def _row(self, text: str, level: int, pair: int) -> tuple[int, int]:
        """Return the place of a row of `contrasts`, if the table identifies it."""
        ends = [names[pair] for names in pair_names(self.connections).values()]
        self._check_rows(text, level, ends)
        if not np.isfinite(self.gaps[0, level, pair]):
            raise ValueError(f"{text!r}: {_not_identified(self._name(level))}")
        return level, pair

    def _check_rows(self, text: str, level: int, connections: Iterable[str]) -> None:
        """Raise a ValueError if a group or word has no rows of a connection."""
        for name in connections:
            if np.isnan(self.means[0, level, self.connections.index(name)]):
                raise ValueError(
                    f"{text!r}: {self._name(level)!r} has no {name} rows, so this mean is unknown; "
                    "ask about other connections"
                )

    def _name(self, level: int) -> str:
        return next(name for name, place in self.levels.items() if place == level)


def _add(weights: Weights, place: tuple[int, int], size: float) -> None:
    weights[place] = weights.get(place, 0.0) + size


def _total(of: FloatArray, weights: Weights) -> FloatArray:
    """Return weighted sums, (n, 1), of contrasts or means, (n, n_levels, ...)."""
    parts = [size * of[:, level, place] for (level, place), size in weights.items()]
    return np.sum(parts, axis=0, initial=0.0).reshape(-1, 1)


@cache
def _term() -> re.Pattern[str]:
    """Return what finds a number or a name, its sign, and the group or word before a colon."""
    name = rf"(?:word\s+)?(?:`[^`]+`|[^\W\d][{letters()}]*)"
    return re.compile(
        rf"\s*(?P<sign>[-+]?)\s*(?:(?P<of>{name})\s*:\s*)?"
        rf"(?:(?P<number>\d+\.?\d*|\.\d+)|(?P<name>{name}))\s*"
    )


class _Subject(NamedTuple):
    """The name before the last colon, or "", and whether the colon is that of the term."""

    name: str
    is_own: bool


def _terms(text: str) -> Iterator[tuple[float, _Subject, str | None]]:
    """Yield the coefficient, subject, and name of each term; the name is None for a number."""
    than, of = _THAN.findall(text), ""
    if len(than) != 1:
        raise ValueError(f"{text!r}: use exactly one < or >, not {len(than)}")
    for side, sign in zip(_THAN.split(text), (1.0, -1.0), strict=True):
        place = 0
        while place < len(side) or not place:
            term = _term().match(side, place)
            if term is None or (place and not term["sign"]):
                raise ValueError(
                    f"{text!r}: {side[place:].strip()!r} is not a number or a name; use names, "
                    "numbers, + and -"
                )
            of = _plain(term["of"]) if term["of"] else of
            subject = _Subject(of, is_own=bool(term["of"]))
            size = -sign if term["sign"] == "-" else sign
            if term["number"]:
                yield size * float(term["number"]), subject, None
            else:
                yield size, subject, _plain(term["name"])
            place = term.end()


def _plain(name: str) -> str:
    return " ".join(name.replace("`", "").split())


def _not_identified(subject: str) -> str:
    return (
        f"the table does not identify a contrast for {subject!r}, because it needs sets that are "
        "different for this group and another; with two groups, ask about all, or about words"
    )
