"""The page of sentence pairs: how often language models prefer stereotypes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from .._core.display import Sheet
from ..maskedlm.logs import said
from ..maskedlm.measures import MEASURES
from ..maskedlm.pair_statistics import ALL_TYPES
from ..plots.forest import MOST_ROWS
from ..plots.rates import pair_forest
from ..tables.levels import OVERALL
from .numbers import counted, named, probability
from .wording import fitted_lines, reading_lines
from .writer import Block, Figure, Line, Page, Table, lines, prose, sections, table

if TYPE_CHECKING:
    from ..workflows.pairs import PairAnalysis

BBQ = "BBQ's accuracies and bias scores (Parrish et al., 2022): 0 means no bias, 1 only stereotypes"

SHARE = "Probability that the stereotypical sentence of a new pair is preferred"


def page(analysis: PairAnalysis) -> Page:
    """Return the page about sentence pairs."""
    lead, measures = _preferences(analysis), analysis.frames["measures"]
    caption = "Published measures, over all pairs and by bias type"
    published: list[Block] = [prose("published"), table(measures, caption)]
    if len(analysis.frames["bbq"]):
        published.append(table(analysis.frames["bbq"], BBQ))
    return Page(
        kind="Sentence pairs under language models",
        title=", ".join(analysis.models),
        lede="How often does a language model find the stereotypical sentence of a pair more "
        "probable? For which bias types, and how certain is the answer?",
        sections=sections(
            ("found", "What was found", [lead, _most(analysis), prose("not_people")]),
            ("reading", "How to read this", [_reading(analysis)]),
            ("measured", "What was measured", _measured(analysis)),
            ("types", "Bias types", _types(analysis)),
            ("models", "Comparison of the models", _models(analysis)),
            ("measures", "Published measures", published),
            ("limits", "What you cannot conclude", [lines("limits.pairs")]),
        ),
        facts=_facts(analysis),
        doubts=analysis.doubts,
    )


def _of(frame: pd.DataFrame, quantity: str = "p_stereotypical") -> pd.DataFrame:
    """Return the rows of a quantity, with a dash in rows without a bias type."""
    rows = frame[frame["quantity"] == quantity]
    return rows.assign(bias_type=rows["bias_type"].replace("", "–"))


def sheet(analysis: PairAnalysis) -> Sheet:
    """Return the findings for a terminal or notebook."""
    lead, notes = _preferences(analysis), [*map(str, _most(analysis)), prose("not_people")]
    return Sheet(lead.caption, lead.rows, lead.heads, "\n".join(notes))


def _preferences(analysis: PairAnalysis) -> Table:
    """Return a table of how often stereotypes are preferred, in these pairs and in a new pair."""
    keys, observed = ["measure", "model"], analysis.frames["observed"]
    whole = observed[observed["bias_type"] == ALL_TYPES].set_index(keys)
    shares = _of(analysis.frames["summary"])
    shares = shares[shares["level"] != "bias_type"]
    whole = whole.reindex(pd.MultiIndex.from_frame(shares[keys]))
    shares = shares.assign(pairs=whole["n_pairs"].tolist(), observed=whole["share"].tolist())
    names = (*keys, "level", "pairs", "observed", "mean", "interval", "p_above")
    return replace(table(shares, SHARE, *names), leads=True)


def _most(analysis: PairAnalysis) -> list[Line]:
    """Return each language model's probability of preferring stereotypes most often."""
    if len(analysis.models) < 2:
        return []
    ranks, sentences = _of(analysis.frames["ranks"]), []
    first = ranks[(ranks["level"] == OVERALL) & (ranks["rank"] == 1)]
    for measure, rows in first.groupby("measure", sort=False):
        chances = rows.sort_values("probability", ascending=False).to_dict("records")
        names = named([f"{row['model']} ({probability(row['probability'])})" for row in chances])
        text = f"probability of preferring stereotypes most often: {names}."
        sentences.append(Line(str(measure), text))
    return sentences


def _reading(analysis: PairAnalysis) -> list[Line]:
    names = [name for each in analysis.paired["measure"].unique() for name in each.split(" or ")]
    known = {name: MEASURES[name] for name in names if name in MEASURES}
    measures = "; ".join(f"{n} – {each.title} ({each.reference})" for n, each in known.items())
    models = f"{analysis.spec.name} – {analysis.spec.title}"
    return reading_lines(analysis.settings, "reading.pairs", measures=measures, models=models)


def _measured(analysis: PairAnalysis) -> list[Block]:
    paired = analysis.paired
    counts = paired.groupby(["bias_type", "measure"])["pair_id"].nunique().unstack(fill_value=0)
    wide = counts[paired["measure"].unique()].add_prefix("pairs, ").reset_index()
    blocks: list[Block] = [table(wide, "Sentence pairs by bias type")]
    for record in analysis.scored:
        if pairs := {str(row["pair_id"]) for row in record.get("unscored", [])}:
            blocks.append(
                f"A measure of {record['model']} has no value for {counted(len(pairs), 'pair')} "
                "because a sentence has no tokens that the measure uses; see run.json."
            )
        if record.get("left_out"):
            blocks.append(f"{record['log']}: the results leave out {said(record['left_out'])}.")
    return blocks


def _types(analysis: PairAnalysis) -> list[Block]:
    frames = analysis.frames
    summary = frames["summary"]
    names = ("measure", "level", "bias_type", "model", "mean", "interval", "p_above")
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
        table(frames["observed"], "Observed shares, with intervals from resampling clusters"),
        table(equal, "The same probability if both sentences had equal numbers of tokens", *names),
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
        prose("common"),
        table(frame, caption, *names),
        table(wide.reset_index(), "Probabilities of ranks (1: prefers stereotypes most)"),
    ]


def _facts(analysis: PairAnalysis) -> list[Line]:
    facts = []
    for record in analysis.scored:
        if "log" in record:
            text = f"{record['log']}, a log in the layout {record['layout']}"
            facts.append(Line(", ".join(record["models"]), text))
        else:
            text = f"{record['kind']} language model; {record['dataset']}"
            facts.append(Line(record["model"], text))
    results = {f"{one.spec.name}, {name}": one for name, one in analysis.results.items()}
    return [*facts, *fitted_lines(results, analysis.settings)]
