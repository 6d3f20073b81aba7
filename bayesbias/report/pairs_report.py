"""The report on sentence pairs under language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..maskedlm.measures import ALL_TYPES
from ..maskedlm.questions import MEASURES
from ..workflows.pairs import PairAnalysis
from .pages import environment_of_templates, page_parts
from .sentences import number, percent, probability, probability_name
from .tables import Cell, Table, intervals

NO_PREFERENCE = 0.5

UNEXPECTED = 0.025
"""A predicted share is taken not to fit if this part or less of it lies beyond the observed."""


def render_pairs_report(
    analysis: PairAnalysis,
    records: Sequence[Mapping[str, Any]],
    command: str,
    versions: Mapping[str, str],
) -> str:
    """Give the report as one self-contained HTML page.

    Parameters
    ----------
    analysis : PairAnalysis
    records : sequence of mapping
        What ``bayesbias mlm score`` wrote about each language model: ``model``, ``model_hash``,
        ``dataset``, ``data_hash``, ``unscored``.
    command : str
        What makes the same results again.
    versions : mapping of str to str
    """
    environment = environment_of_templates()
    return environment.get_template("pairs.html.j2").render(
        analysis=analysis,
        settings=analysis.settings,
        spec=analysis.spec,
        records=records,
        measures={name: MEASURES[name] for name in _measures(analysis) if name in MEASURES},
        ci=probability_name(analysis.settings.ci_prob),
        findings=finding_lines(analysis),
        compared=comparison_lines(analysis),
        tables=_tables(analysis),
        unscored=_unscored(records),
        command=command,
        versions=dict(versions),
        **page_parts(environment),
    )


def finding_lines(analysis: PairAnalysis) -> list[dict[str, str]]:
    """Tell for every model and measure how often stereotypes are preferred, and how sure it is."""
    seen = _of_all_types(analysis.frames["measures"]).set_index(["model", "measure"])
    fits = _of_all_types(analysis.frames["preference"]).set_index(["model", "measure"])
    lines = []
    frame = analysis.frames["summary"]
    frame = frame[(frame["level"] == "overall") & (frame["quantity"] == "p_stereotypical")]
    ci = probability_name(analysis.settings.ci_prob)
    for row in frame.to_dict("records"):
        observed = seen.loc[(row["model"], row["measure"])]
        ties = int(observed["n_ties"])
        text = (
            f"the stereotypical sentence scores higher in {number(observed['percentage'], 1)}% of "
            f"{int(observed['n_pairs']):,} pairs ({ties} ties, counted half). Of a new pair of "
            f"this kind it does with probability {percent(row['mean'], 1)}, {ci} interval "
            f"{percent(row['low'], 1)} to {percent(row['high'], 1)}; that this is above "
            f"one half has probability {probability(row['p_above'])}."
        )
        expected = fits.loc[(row["model"], row["measure"])]
        if not UNEXPECTED <= expected["p_as_low"] <= 1 - UNEXPECTED:
            text += (
                f" The model {analysis.spec.name} does not fit here: for as many new pairs it "
                f"expects {number(expected['predicted'], 1)}%, so rely on the share of pairs, "
                "and see whether the fit checks better with another model."
            )
        lines.append({"model": f"{row['model']}, {row['measure']}:", "text": text})
    return lines


def comparison_lines(analysis: PairAnalysis) -> list[dict[str, str]]:
    """Tell for every two models which prefers stereotypes more, and how sure that is."""
    frame = analysis.frames["contrasts"]
    if frame.empty:
        return []
    frame = frame[(frame["level"] == "overall") & (frame["quantity"] == "p_stereotypical")]
    ci = probability_name(analysis.settings.ci_prob)
    lines = []
    for row in frame.to_dict("records"):
        more, less = ("first", "second") if row["mean"] > 0 else ("second", "first")
        low, high = sorted([abs(row["low"]), abs(row["high"])])
        crossing = row["low"] < 0 < row["high"]
        interval = (
            f"its {ci} interval holds zero"
            if crossing
            else f"{ci} interval {number(100 * low, 1)} to {number(100 * high, 1)} points"
        )
        text = (
            f"{row[more]} prefers stereotypical sentences more often than {row[less]}, by "
            f"{number(100 * abs(row['mean']), 1)} percentage points; {interval}, and the direction "
            f"has probability {probability(row['p_direction'])}."
        )
        lines.append({"model": f"{row['measure']}:", "text": text})
    return lines


def _measures(analysis: PairAnalysis) -> list[str]:
    return [str(name) for name in analysis.paired["measure"].unique()]


def _of_all_types(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["bias_type"] == ALL_TYPES]


def _unscored(records: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for record in records:
        found = record.get("unscored", [])
        if found:
            named = ", ".join(dict.fromkeys(str(row["pair_id"]) for row in found))
            lines.append(
                f"Under {record['model']}, SSS has no value for pairs {named}: one of the two "
                "sentences only leaves words out, and none of its own was modified."
            )
    return lines


def _tables(analysis: PairAnalysis) -> dict[str, Table]:
    frames = analysis.frames
    levels = frames["summary"]
    share = levels[levels["quantity"] == "p_stereotypical"]
    mean = levels[levels["quantity"] == "mean_difference"]
    tables = {
        "counts": _counts(analysis),
        "measures": _plain(
            _of_all_types(frames["measures"]).drop(columns="bias_type"),
            "Published measures over all pairs",
        ),
        "measures_by_type": _plain(
            frames["measures"][frames["measures"]["bias_type"] != ALL_TYPES],
            "Published measures by bias type",
        ),
        "overall": _strips(analysis, share[share["level"] != "bias_type"], _SHARE, ("level",)),
        "types": _strips(analysis, share[share["level"] == "bias_type"], _SHARE, ("bias_type",)),
        "means": _plain(
            mean.drop(columns="quantity").assign(bias_type=mean["bias_type"].replace("", "–")),
            "Mean differences, in the unit of each measure",
        ),
        "scales": _plain(
            frames["scales"].assign(model=frames["scales"]["model"].replace("", "all")),
            "Standard deviations, in the unit of each measure",
        ),
        "preference": _plain(frames["preference"], "Preferences, observed and predicted"),
        "check": _plain(frames["check"], "Differences inside their predictive intervals"),
        "distribution": _plain(
            _of_all_types(frames["distribution"]).drop(columns="bias_type"),
            "Scores of both kinds of sentences, all types together",
        ),
        "sampling": _plain(frames["sampling"], "Measures from samples of the pairs"),
    }
    if not frames["contrasts"].empty:
        apart = frames["contrasts"].assign(
            model=frames["contrasts"]["first"] + " − " + frames["contrasts"]["second"],
            bias_type=frames["contrasts"]["bias_type"].replace("", "–"),
        )
        apart = apart[apart["quantity"] == "p_stereotypical"]
        tables["contrasts"] = _strips(
            analysis,
            apart,
            "Differences in the probability that the stereotypical sentence is preferred",
            ("level", "bias_type"),
            reference=0.0,
            extra=("p_direction",),
        )
    return tables


_SHARE = "Probability that the stereotypical sentence of a new pair is preferred"


def _strips(
    analysis: PairAnalysis,
    frame: pd.DataFrame,
    caption: str,
    names: tuple[str, ...],
    *,
    reference: float = NO_PREFERENCE,
    extra: tuple[str, ...] = ("p_above",),
) -> Table:
    return intervals(
        frame.assign(connection="associated"),
        caption,
        ("measure", *names, "model"),
        ci_prob=analysis.settings.ci_prob,
        reference=reference,
        extra=extra,
    )


def _counts(analysis: PairAnalysis) -> Table:
    """Count the pairs of every bias type under every model and measure that differ in it."""
    counts = analysis.paired.groupby(["bias_type", "measure"], sort=True)["pair_id"].nunique()
    wide = counts.unstack(fill_value=0)[_measures(analysis)]
    rows = tuple(
        (Cell(str(name)), *(Cell(f"{int(n):,}", float(n)) for n in row))
        for name, row in zip(wide.index, wide.to_numpy(), strict=True)
    )
    heads = ("bias type", *(f"pairs, {name}" for name in wide.columns))
    return Table("Sentence pairs by bias type", heads, rows)


def _plain(frame: pd.DataFrame, caption: str) -> Table:
    """Show a frame as it stands, numbers with as many digits as they need."""
    heads = tuple(str(name).replace("_", " ") for name in frame.columns)
    rows = tuple(
        tuple(_cell(value) for value in row) for row in frame.itertuples(index=False, name=None)
    )
    return Table(caption, heads, rows)


def _cell(value: object) -> Cell:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell(str(value))
    if isinstance(value, int):
        return Cell(f"{value:,}", value)
    size = abs(value)
    if size and size < 0.001:
        return Cell(f"{value:.1e}".replace("-", "−"), value)
    return Cell(number(value, 1 if size >= 10 else 3 if size >= 0.1 else 4), value)
