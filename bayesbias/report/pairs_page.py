"""The page of sentence pairs: how often language models prefer stereotypes, and how sure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..maskedlm.measures import ALL_TYPES
from ..maskedlm.questions import MEASURES
from ..plots.forest import MOST_ROWS
from ..plots.rates import pair_forest
from ..tables.levels import OVERALL, at_level
from .headline import CLOSING
from .numbers import counted, graded, number, percent, probability, probability_name
from .writer import Block, Figure, Line, Page, Section, lines, prose, table

if TYPE_CHECKING:
    from ..workflows.pairs import PairAnalysis

MOST_PAIRS = 3
"""Models up to which every difference has a sentence; the table has all."""

SHARE = "Probability that the stereotypical sentence of a new pair is preferred"


def page(analysis: PairAnalysis) -> Page:
    """Return the page of sentence pairs."""
    measures, published = analysis.frames["measures"], list[Block]()
    if len(measures):
        caption = "Published measures, over all pairs and by bias type"
        published = [prose("published"), table(measures, caption)]
    sections = [
        Section("found", "What was found", _found(analysis)),
        Section("reading", "How to read this", [_reading(analysis)]),
        Section("measured", "What was measured", _measured(analysis)),
        Section("types", "Bias types", _types(analysis)),
        Section("models", "Which model more", _models(analysis)),
        Section("measures", "Published measures", published),
        Section("limits", "What you cannot conclude", [lines("limits.pairs")]),
    ]
    return Page(
        kind="Sentence pairs under language models",
        title=", ".join(analysis.models),
        lede="How often a language model finds the stereotypical sentence of a pair more "
        "probable, for which kinds of stereotypes, how certain that is, and what you cannot "
        "conclude.",
        sections=[section for section in sections if section.blocks],
        facts=_facts(analysis),
        doubts=analysis.doubts,
    )


def _of(frame: pd.DataFrame, quantity: str = "p_stereotypical") -> pd.DataFrame:
    """Return the rows of a quantity, with a dash where a row is of no single bias type."""
    rows = frame[frame["quantity"] == quantity]
    return rows.assign(bias_type=rows["bias_type"].replace("", "–"))


def _found(analysis: PairAnalysis) -> list[Block]:
    shares = _of(analysis.frames["summary"])
    shares = shares[shares["level"] != "bias_type"]
    names = ("measure", "level", "model", "mean", "interval", "p_above")
    return [preference_lines(analysis), table(shares, SHARE, *names), CLOSING]


def preference_lines(analysis: PairAnalysis) -> list[Line]:
    """Word for every model and measure how often stereotypes are preferred, and how sure it is."""
    observed, ci = analysis.frames["observed"], probability_name(analysis.settings.ci_prob)
    whole = observed[observed["bias_type"] == ALL_TYPES].set_index(["model", "measure"])
    summary = _of(analysis.frames["summary"])
    sentences = []
    for row in summary[summary["level"] == "overall"].to_dict("records"):
        share = whole.loc[(row["model"], row["measure"])]
        text = (
            f"the stereotypical sentence scores higher in {percent(share['share'], 1)} of "
            f"{int(share['n_pairs']):,} pairs ({int(share['n_ties'])} ties, counted half); "
            f"with other contrasts of words instead of these {int(share['n_clusters']):,}, in "
            f"{percent(share['low'], 1)} to {percent(share['high'], 1)} ({ci} interval, by "
            "resampling them). "
            f"Of a new pair of this kind it does with probability {percent(row['mean'], 1)}, {ci} "
            f"interval {percent(row['low'], 1)} to {percent(row['high'], 1)}; that this is above "
            f"one half has probability {graded(row['p_above'], analysis.settings.n_draws)}."
        )
        sentences.append(Line(f"{row['model']}, {row['measure']}", text))
    return sentences


def comparison_lines(analysis: PairAnalysis) -> list[Line]:
    """Word which language model prefers stereotypes most, by how much, and how sure that is."""
    count, ci = len(analysis.models), probability_name(analysis.settings.ci_prob)
    sentences = []
    if count > 2:
        ranks = _of(analysis.frames["ranks"])
        first = ranks[(ranks["level"] == "overall") & (ranks["rank"] == 1)]
        for measure, rows in first.groupby("measure", sort=False):
            most, second = (
                f"{row['model']} {probability(row['probability'])}"
                for row in rows.nlargest(2, "probability").to_dict("records")
            )
            text = f"prefers stereotypical sentences most often with probability: {most}, {second}."
            sentences.append(Line(str(measure), text))
    frame = _of(analysis.frames["contrasts"]) if 1 < count <= MOST_PAIRS else pd.DataFrame()
    for row in at_level(frame, OVERALL).to_dict("records") if len(frame) else ():
        more, less = ("first", "second") if row["mean"] > 0 else ("second", "first")
        low, high = sorted(np.sign(row["mean"]) * np.array([row["low"], row["high"]]))
        text = (
            f"{row[more]} prefers stereotypical sentences more often than {row[less]}, by "
            f"{number(100 * abs(row['mean']), 1)} percentage points ({ci} interval "
            f"{number(100 * low, 1)} to {number(100 * high, 1)}); the direction has probability "
            f"{graded(row['p_direction'], analysis.settings.n_draws)}."
        )
        sentences.append(Line(row["measure"], text))
    return sentences


def _reading(analysis: PairAnalysis) -> list[Line]:
    names = [name for each in analysis.paired["measure"].unique() for name in each.split(" or ")]
    known = {name: MEASURES[name] for name in names if name in MEASURES}
    measures = "; ".join(f"{n} – {each.title} ({each.reference})" for n, each in known.items())
    settings, spec = analysis.settings, analysis.spec
    return lines(
        "reading.pairs",
        measures=measures,
        ci=probability_name(settings.ci_prob),
        about=settings.about_interval,
        models=f"{spec.name} – {spec.title}",
    )


def _measured(analysis: PairAnalysis) -> list[Block]:
    paired = analysis.paired
    counts = paired.groupby(["bias_type", "measure"])["pair_id"].nunique().unstack(fill_value=0)
    wide = counts[paired["measure"].unique()].add_prefix("pairs, ").reset_index()
    blocks: list[Block] = [table(wide, "Sentence pairs by bias type")]
    for record in analysis.scored:
        if pairs := {str(row["pair_id"]) for row in record.get("unscored", [])}:
            blocks.append(
                f"Some measure of {record['model']} has no value for {counted(len(pairs), 'pair')} "
                "with a sentence that lacks the tokens that it is made of; see run.json."
            )
        if record.get("left_out"):
            answers = counted(record["left_out"], "answer")
            blocks.append(f"{record['log']}: {answers} without a choice, left out.")
    return blocks


def _types(analysis: PairAnalysis) -> list[Block]:
    frames = analysis.frames
    summary = frames["summary"]
    names = ("measure", "level", "bias_type", "model", "mean", "interval", "p_above")
    scales = frames["scales"].assign(model=frames["scales"]["model"].replace("", "all"))
    figures = []
    for measure, rows in summary.groupby(summary["measure"].astype(str), sort=False):
        if (rows["quantity"] == "p_stereotypical").sum() <= MOST_ROWS:
            text = f"Shares of pairs whose stereotypical sentence is preferred, by {measure}."
            name = f"shares-{measure}".replace(" ", "-")
            figures.append(Figure(name, partial(pair_forest, rows), text))
    equal = _of(summary, "p_equal_length")
    return [
        prose("types"),
        *figures,
        table(_of(summary).query("level == 'bias_type'"), SHARE, *names),
        table(frames["observed"], "Observed shares, with intervals by resampling clusters"),
        table(equal, "The same, if both sentences had as many tokens", *names),
        table(scales, "Standard deviations, and slopes of covariates"),
    ]


def _models(analysis: PairAnalysis) -> list[Block]:
    if len(analysis.models) < 2:
        return []
    frame, ranks = _of(analysis.frames["contrasts"]), _of(analysis.frames["ranks"])
    frame = frame.assign(model=frame["first"] + " − " + frame["second"])
    keys = ["measure", "level", "bias_type", "model"]
    wide = ranks.pivot_table("probability", keys, "rank", sort=False)
    wide.columns = pd.Index([f"P(rank {rank})" for rank in wide.columns])
    caption = "Differences in the probability that the stereotypical sentence is preferred"
    names = (*keys, "mean", "interval", "p_direction")
    return [
        comparison_lines(analysis),
        prose("common"),
        table(frame, caption, *names),
        table(wide.reset_index(), "Probabilities of ranks: 1 prefers stereotypes most often"),
    ]


def _facts(analysis: PairAnalysis) -> list[Line]:
    settings, spec, facts = analysis.settings, analysis.spec, list[Line]()
    for record in analysis.scored:
        if "log" in record:
            text = f"{record['log']}, a log in the layout {record['layout']}"
            facts.append(Line(", ".join(record["models"]), text))
        else:
            text = f"{record['kind']} language model; {record['dataset']}"
            facts.append(Line(record["model"], text))
    methods = "; ".join(f"{n} by {tree.attrs['method']}" for n, tree in analysis.posteriors.items())
    fitted = (
        f"{spec.reference or 'No reference'}. {settings.chains} × {settings.draws} draws, seed "
        f"{settings.seed}: {methods}."
    )
    return [*facts, Line(f"Model {spec.name}", fitted)]
