"""Sentences made of the numbers: what was found, what changed, what does not follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from ..tables.schema import CONNECTIONS, connections_present
from ..workflows.analysis import Analysis, ModelResult

MEANINGS = {
    "associated": "stereotypes of the word's own group",
    "different": "stereotypes of the other groups",
    "neutral": "neutral words",
    "human": "words about human life in general",
}
"""What the attributes of each connection are, in words."""

PARTNERS = ("human", "neutral", "different")
"""What the associated attributes are compared with: the first of these that the table has."""

UNEVEN = 0.05
"""Coverage this far from what it should be, in some connection, is named in a sentence."""

UNRELATED = 1.0
"""Distance of directions that have nothing in common."""

MOST_DIGITS = 7
"""Digits after the point stay below this."""


def number(value: float, digits: int = 3) -> str:
    """Write a number with a true minus sign, and never as minus zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def signed(value: float, digits: int = 3) -> str:
    """Write a difference: with its sign, unless it rounds to zero."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and float(f"{value:.{digits}f}") != 0 else text


def signed_end(value: float) -> str:
    """Write an end of an interval with its sign: with more digits where it rounds to zero."""
    digits = next((d for d in range(3, MOST_DIGITS) if round(value, d)), 3)
    return signed(value, digits)


def step(
    before: float, after: float, write: Callable[[float, int], str] = number
) -> tuple[str, str, str]:
    """Write two numbers and what lies between them, with as many digits as make them add up."""
    for digits in range(3, MOST_DIGITS):
        first, second, change = (round(value, digits) for value in (before, after, after - before))
        if abs(second - first - change) < 0.5 * 10**-digits:
            break
    return write(before, digits), write(after, digits), signed(after - before, digits)


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a percentage that is 0% or 100% only if the share is 0 or 1."""
    text = f"{100 * share:.{digits}f}%"
    if share not in {0, 1} and text in {f"{0:.{digits}f}%", f"{100:.{digits}f}%"}:
        step = 10.0**-digits
        return f"under {step:g}%" if share < 0.5 else f"over {100 - step:g}%"
    return text


def probability(share_of_draws: float) -> str:
    """Write a posterior probability, which a finite number of draws never makes certain."""
    smallest = 1e-9
    return percent(min(max(share_of_draws, smallest), 1 - smallest))


def probability_name(ci_prob: float) -> str:
    """Write the probability of an interval, ``89%`` for 0.89."""
    return f"{100 * ci_prob:g}%"


def joined(parts: Iterable[str]) -> str:
    """Join texts as a sentence does: a, b and c."""
    items = list(parts)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun: 1 word, 2 words."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def gap_pair(analysis: Analysis) -> tuple[str, str]:
    """Give the pair whose difference is told first: associated − human, where there are both."""
    there = connections_present(analysis.table)
    return "associated", next(name for name in PARTNERS if name in there)


def overall_contrast(result: ModelResult, pair: tuple[str, str]) -> pd.Series:
    """Give the overall row of a model's contrasts for a pair of connections."""
    frame = result.contrasts
    wanted = (frame["first"] == pair[0]) & (frame["second"] == pair[1])
    if not wanted.any():  # contrasts hold each pair once, in the order of CONNECTIONS
        raise ValueError(f"there is no contrast {pair[0]} - {pair[1]}")
    return frame[wanted & (frame["level"] == "overall")].iloc[0]


def overall_means(result: ModelResult) -> pd.DataFrame:
    """Give the overall rows of a model's summary, with the connections as the index."""
    frame = result.summary
    return frame[frame["level"] == "overall"].set_index("connection")


def gap_sentence(result: ModelResult, pair: tuple[str, str], ci_prob: float) -> str:
    """Tell the difference of a pair as a place with an interval, without a verdict."""
    row = overall_contrast(result, pair)
    where = "closer" if row["mean"] < 0 else "farther"
    settled = row["low"] > 0 or row["high"] < 0
    rest = (
        "the whole interval lies on that side of zero"
        if settled
        else f"but the interval includes zero, so it is not settled that they are {where}"
    )
    return (
        f"{pair[0]} − {pair[1]} is {signed(row['mean'])}, with an "
        f"{probability_name(ci_prob)} interval from {signed(row['low'])} to "
        f"{signed(row['high'])}. By the estimate {pair[0]} attributes lie {where} on average "
        f"than {pair[1]} ones; {rest}."
    )


def change_sentences(base: ModelResult, other: ModelResult, pair: tuple[str, str]) -> list[str]:
    """Tell what changes between two models: widths, places, and the interval of the gap."""
    before, after = overall_means(base), overall_means(other)
    names = [name for name in CONNECTIONS if name in before.index]
    widths = [frame["high"] - frame["low"] for frame in (before, after)]
    ratios = widths[1] / widths[0]
    moved = float((after["mean"] - before["mean"]).abs().max())
    first = base.spec.name
    told = [
        f"Against {first}, its overall intervals are "
        + joined(f"{ratios[name]:.2f} times as wide for {name}" for name in names)
        + f"; the means move by at most {number(moved)}.",
        _gap_change(base, other, pair),
    ]
    if base.spec.attribute_effects == "none" and other.spec.attribute_effects != "none":
        told.append(
            f"It knows that attribute words repeat: each is measured against every "
            f"protected word, so the distances are not independent, and {first}, which counts "
            "them as if they were, tends to look surer than it may."
        )
    return told


def loo_sentence(comparison: pd.DataFrame) -> str:
    """Tell which model predicts left-out distances best, and by how much."""
    told = [
        f"{other['model']} by {number(-other['elpd_diff'], 0)} "
        f"(standard error {number(other['dse'], 0)})"
        for other in comparison.to_dict("records")[1:]
    ]
    bad = int(comparison["n_bad_k"].sum())
    doubt = (
        f" The share of {counted(bad, 'row')} is not reliable (bad k: a Pareto k above 0.7), as "
        "they weigh much in the posterior; a difference of few standard errors may be theirs."
    )
    return (
        f"It predicts single left-out distances best, and beats {joined(told)} in expected log "
        "predictive density. Rows of one attribute word resemble one another, so this flatters a "
        "model that has met the word elsewhere; bb.attribute_kfold leaves whole words out."
        f"{doubt if bad else ''}"
    )


def sensitivity_sentence(result: ModelResult) -> str:
    """Tell whether some parameter of a model leans on its prior."""
    frame = result.sensitivity
    leaning = frame[frame["diagnosis"] != ""]
    if leaning.empty:
        return "No parameter leans noticeably on the priors: the data decide."
    names = [f"{row['parameter']} {row['of']}".strip() for row in leaning.to_dict("records")]
    return (
        f"The priors have a noticeable part in {joined(names)}; say so where these are quoted, "
        "or try others with --model and a model of your own."
    )


def closeness_sentences(analysis: Analysis) -> list[str]:
    """Compare human with associated attributes, and both with 1, whatever the data say."""
    result = analysis.lead
    means = overall_means(result)
    told = []
    if "human" in means.index:
        gap = overall_contrast(result, ("associated", "human"))
        told.append(
            f"In this embedding words about human life lie at {number(means['mean']['human'])} "
            f"from the protected words on average, the stereotypes of a word's own group at "
            f"{number(means['mean']['associated'])}: {_order(gap, analysis.settings.rope)} "
            f"(model {result.spec.name})."
        )
    else:
        told.append(
            "This list has no human control words, so it cannot tell whether stereotypes lie "
            "closer than ordinary words about people do."
        )
    told.append(_against_one(means))
    return told


def coverage_sentence(result: ModelResult, ci_prob: float) -> str:
    """Tell how many distances lie where the model expects them, and where intervals are off."""
    frame = result.check[result.check["ci_prob"] == ci_prob].set_index("connection")
    told = (
        f"{percent(frame['coverage']['all'], 1)} of "
        f"{frame['n_rows']['all']:,} distances lie inside their "
        f"{probability_name(ci_prob)} predictive intervals"
    )
    return told + _uneven(frame["coverage"].drop("all"), ci_prob) + "."


def _uneven(parts: pd.Series[float], ci_prob: float) -> str:
    """Name the connections whose intervals are too wide or too narrow; none, no words."""
    told = []
    for which, off in (("wide", parts - ci_prob), ("narrow", ci_prob - parts)):
        names = off[off > UNEVEN].index
        each = [f"{name} ({percent(parts[name], 1)} inside)" for name in names]
        if each:
            told.append(f"too {which} for {joined(each)}")
    promised = f"; against the {probability_name(ci_prob)} they promise, these are "
    return promised + joined(told) if told else ""


def missing_sentence(analysis: Analysis) -> str:
    """Tell how many words of the list the embedding lacks."""
    lost, total = len(analysis.missing), len(analysis.wordlist.to_frame())
    if not lost:
        return f"Nothing: the embedding has all {total:,} words of the list."
    return (
        f"The embedding lacks {lost:,} of the list's {total:,} entries. What is missing is left "
        "out of all numbers; nothing was put in its place."
    )


def unmeasured(analysis: Analysis) -> list[str]:
    """Name groups of which nothing was measured, or nothing of their own stereotypes."""
    table = analysis.table
    own = table["connection"] == "associated"
    told = []
    for group in analysis.wordlist.groups:
        rows = table["protected_group"] == group
        if not rows.any():
            told.append(
                f"No protected word of the group {group} was found: it is left out of everything."
            )
        elif own.any() and not (rows & own).any():
            told.append(
                f"No stereotype of the group {group} was measured: what is said of attributes "
                "associated with it comes from the other groups, by way of the model, not from "
                "data of its own."
            )
    return told


def few_attributes(analysis: Analysis) -> str:
    """Tell how many stereotype words the associated distances come from."""
    table = analysis.table
    rows = table[table["connection"] == "associated"]
    return (
        f"The {len(rows):,} associated distances come from "
        f"{counted(rows['attribute'].nunique(), 'stereotype word')} and "
        f"{counted(rows['protected_word'].nunique(), 'protected word')}. Another choice of words "
        "would give other numbers, and the fewer the words, the more so."
    )


def _width(row: pd.Series) -> float:
    return float(row["high"] - row["low"])


def _gap_change(base: ModelResult, other: ModelResult, pair: tuple[str, str]) -> str:
    before, after = overall_contrast(base, pair), overall_contrast(other, pair)
    told = (
        f"The interval of {pair[0]} − {pair[1]} goes from {_ends(before)} to {_ends(after)}, "
        f"{_width(after) / _width(before):.2f} times as wide."
    )
    sides = [bool(row["low"] > 0 or row["high"] < 0) for row in (before, after)]
    if sides[0] != sides[1]:
        leaves, holds = (base, other) if sides[0] else (other, base)
        told += (
            f" Under {leaves.spec.name} it leaves zero out, under {holds.spec.name} it does not."
        )
    return told


def _ends(row: pd.Series) -> str:
    return f"{signed(row['low'])} … {signed(row['high'])}"


def _order(gap: pd.Series, rope: float) -> str:
    """Tell which lie closer by the estimate of associated − human, and whether that is settled."""
    size = number(abs(gap["mean"]))
    if abs(gap["mean"]) < rope:
        return f"by the estimate they differ by {size}, less than the {rope:g} that counts as none"
    which = "human words" if gap["mean"] > 0 else "stereotypes"
    told = f"by the estimate the {which} are the closer ones, by {size}"
    settled = gap["low"] > 0 or gap["high"] < 0
    return told if settled else f"{told}, which is not settled, for the interval includes zero"


def _against_one(means: pd.DataFrame) -> str:
    there = [name for name in CONNECTIONS if name in means.index]
    nearer = [name for name in there if means["high"][name] < UNRELATED]
    controls = [name for name in nearer if name in {"neutral", "human"}]
    if not nearer:
        return "No kind of attribute lies clearly nearer than 1."
    which = "every kind of attribute" if nearer == there else joined(nearer) + " attributes"
    if not controls:
        return f"The overall intervals of {which} lie below 1."
    among = f"those of {joined(controls)} words among them, " if controls != nearer else ""
    return (
        f"The overall intervals of {which} lie below 1, {among}though no one would call these "
        "stereotypes: being nearer than 1 is no sign of bias by itself."
    )
