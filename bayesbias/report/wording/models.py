"""Sentences about the models: what they change, how they fit, what leans on the priors."""

from __future__ import annotations

import pandas as pd

from ...tables.schema import CONNECTIONS
from ...workflows.results import ModelResult
from ...workflows.wordlist import Analysis
from ..numbers import counted, joined, number, percent, probability_name
from . import Line
from .distances import gap_change, overall_means

UNEVEN = 0.05
"""Coverage this far from what it should be, in some connection, is named in a sentence."""


def widths_in_words(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """Word how many times as wide the intervals of every connection, the index, are."""
    ratios = (after["high"] - after["low"]) / (before["high"] - before["low"])
    names = [name for name in CONNECTIONS if name in ratios.index]
    return joined(f"{ratios[name]:.2f} times as wide for {name}" for name in names)


def change_lines(analysis: Analysis, pair: tuple[str, str]) -> list[Line]:
    """Word what each further model changes against the first."""
    base, *others = analysis.results.values()
    return [
        Line(other.spec.name, text)
        for other in others
        for text in change_sentences(base, other, pair)
    ]


def change_sentences(base: ModelResult, other: ModelResult, pair: tuple[str, str]) -> list[str]:
    """Word what changes between two models: widths, places, and the interval of the gap."""
    before, after = overall_means(base), overall_means(other)
    moved = float((after["mean"] - before["mean"]).abs().max())
    first = base.spec.name
    sentences = [
        f"Against {first}, its overall intervals are {widths_in_words(before, after)}; the means "
        f"move by at most {number(moved)}.",
        gap_change(base, other, pair),
    ]
    if _leans(other) and not _leans(base):
        sentences.append(
            "It knows that a word or an attribute may lean to one side by itself, in all its "
            f"distances; {first} counts each of these distances as evidence of its own."
        )
    if other.spec.terms_of("attribute") and not base.spec.terms_of("attribute"):
        sentences.append(
            f"It knows that attribute words repeat: each is measured against every "
            f"protected word, so the distances are not independent, and {first}, which counts "
            "them as if they were, tends to look surer than it may."
        )
    return sentences


def _leans(result: ModelResult) -> bool:
    """Return whether words or attributes have effects that differ between sets or groups."""
    return any(term.constraint == "zero_sum" for term in result.spec.terms)


def loo_sentence(comparison: pd.DataFrame) -> str:
    """Word by how much the best model predicts what was left out better than the others."""
    beaten = joined(
        f"{other['model']} by {number(-other['elpd_diff'], 0)} "
        f"(standard error {number(other['dse'], 0)})"
        for other in comparison.to_dict("records")[1:]
    )
    if comparison["left_out"].iloc[0] == "attribute":
        return (
            "It predicts attribute words that it has not seen best, and beats "
            f"{beaten} in expected log predictive density: each word was left out with all its "
            "distances."
        )
    bad = int(comparison["n_bad_k"].sum())
    doubt = (
        f" The share of {counted(bad, 'row')} is not reliable (bad k: a Pareto k above 0.7), as "
        "they weigh much in the posterior; a difference of few standard errors may be theirs."
    )
    return (
        f"It predicts single left-out distances best, and beats {beaten} in expected log "
        "predictive density. Rows of one attribute word resemble one another, so this flatters a "
        "model that has met the word elsewhere."
        f"{doubt if bad else ''}"
    )


def sensitivity_sentence(result: ModelResult) -> str:
    """Word whether some parameter of a model leans on its prior."""
    frame = result.sensitivity
    leaning = frame[frame["diagnosis"] != ""].to_dict("records")
    if not leaning:
        return "No parameter leans noticeably on the priors: the data decide."
    return (
        "The priors have a noticeable part in "
        f"{joined(f'{row["parameter"]} {row["of"]}'.strip() for row in leaning)}; say so where "
        "these are quoted, or try others with --model and a model of your own."
    )


def coverage_sentence(result: ModelResult, ci_prob: float) -> str:
    """Word how many distances lie where the model expects them, and where intervals are off."""
    frame = _coverage(result, ci_prob)
    parts = frame["coverage"].drop("all")
    off = []
    for which, gap in (("wide", parts - ci_prob), ("narrow", ci_prob - parts)):
        uneven = [f"{name} ({percent(parts[name], 1)} inside)" for name in gap[gap > UNEVEN].index]
        off += [f"too {which} for {joined(uneven)}"] if uneven else []
    ci = probability_name(ci_prob)
    return (
        f"{percent(frame['coverage']['all'], 1)} of {frame['n_rows']['all']:,} distances lie "
        f"inside their {ci} predictive intervals"
        + (f"; against the {ci} they promise, these are {joined(off)}." if off else ".")
    )


def check_texts(result: ModelResult, ci_prob: float) -> tuple[str, str]:
    """Return caption and alternative text of the predictive check."""
    model = result.spec.name
    shares = joined(
        f"{percent(share, 1)} for {name}"
        for name, share in _coverage(result, ci_prob)["coverage"].items()
    )
    return (
        f"Model {model}: the measured distances over where the model expects them.",
        f"Predictive check of model {model}. Inside the {probability_name(ci_prob)} intervals: "
        f"{shares}.",
    )


def scales_texts(result: ModelResult) -> tuple[str, str]:
    """Return caption and alternative text of the standard deviations."""
    model = result.spec.name
    parts = "; ".join(
        f"{row['parameter']} {row['of']} {number(row['mean'])}".replace("  ", " ")
        for _, row in result.scales.iterrows()
    )
    return (
        f"Model {model}: the standard deviations.",
        f"Standard deviations of model {model}, means: {parts}.",
    )


def _coverage(result: ModelResult, ci_prob: float) -> pd.DataFrame:
    return result.check[result.check["ci_prob"] == ci_prob].set_index("connection")
