"""`bayesbias scores`: every cosine score of a word list as one table."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.defaults import RECOMMENDED
from ..sampling.options import FitOptions
from . import options
from .options import LIST_READING, Force, ListReading, Model, OneList, OutFile
from .screen import SCREEN, Screen, complain

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {"score": "score", "groups": "of"} | {
    f"{name}>": name for name in ("value", "low", "high", "p")
}
"""Columns of the tables."""

BOOTSTRAP = (
    "Bootstrap intervals say how scores move with other words; p is exact, {alternative}, and is "
    "about the split of these words into two."
)
POSTERIOR = (
    "Posterior intervals are about these words, and narrower for that: they do not say how scores "
    "move with other words."
)
"""Stand below the tables."""


@options.takes_fit("draws", "chains", "rope")
def scores(
    wordlist: OneList,
    /,
    *,
    reading: ListReading = LIST_READING,
    n_resamples: int = 1000,
    alternative: str = "two-sided",
    posterior: bool = False,
    model: Model = RECOMMENDED["distance"],
    fitting: FitOptions,
    out: OutFile | None = None,
    force: Force = False,
    screen: Screen = SCREEN,
) -> int:
    """Compute every cosine score of a word list, with intervals and exact p-values.

    The protected words of the list's groups are X and Y, their stereotypes A and B; scores of two
    groups are computed on every pair. Intervals come from resampling the words; with
    `--posterior` a model is fitted and the posteriors of MAC, gWEAT and WEAT join the table. What
    a score measures, its range and its direction: `bayesbias docs scores`. Exit code 3 if the
    sampler warned; the table is written all the same.

    Examples: `bayesbias scores gender`,
    `bayesbias scores weat1 --vectors GoogleNews.bin --alternative greater --out weat1.csv`,
    `bayesbias scores religion --posterior --model crossed`

    Parameters
    ----------
    n_resamples : int
        Resamplings of the words, for the intervals.
    alternative : str
        Of WEAT's p-value: two-sided, greater or less.
    posterior : bool
        Fit a model and add the posteriors of scores.
    model : str
        The model for --posterior.
    out : Path
        Where the table goes, .csv.
    """
    from ..embeddings.distances import (
        distance_table,
        missing_words,
        refuse_missing,
        undersized_sets,
    )
    from ..posterior.posterior_scores import with_posterior_scores
    from ..report.wording import THIN_MEANING, sets_in_words, thin_names
    from ..sampling.fit import fit
    from ..scores.permutation import named_alternative
    from ..scores.table import score_table
    from ..tables.schema import THIN_MARK
    from ..tables.table_files import write_table
    from ..tables.wordlists import load_wordlist
    from ..workflows.output import require_file_place

    loaded, tested = load_wordlist(wordlist), named_alternative(alternative)
    if out is not None:
        require_file_place(out, (".csv",), force=force)
    read = reading.load(loaded, screen)
    # Controls play no part; a list of nothing else is refused below.
    uncontrolled = replace(loaded, controls={}) if loaded.groups else loaded
    if reading.max_missing is not None:
        refuse_missing(read, uncontrolled, reading.max_missing)
    frame = score_table(
        read,
        loaded,
        ci_prob=fitting.ci_prob,
        n_resamples=n_resamples,
        alternative=tested,
        seed=fitting.seed,
    )
    doubts: list[str] = []
    if posterior:
        table = distance_table(read, loaded)
        fitted = fit(table, model, options=fitting)
        frame = with_posterior_scores(frame, fitted, ci_kind=fitting.ci_kind)
        doubts = frame.attrs["warnings"]
    lost = missing_words(read, loaded)
    if words := ", ".join(dict.fromkeys(lost["word"][lost["role"] != "control"])):
        complain(f"not in the embedding, and left out: {words}")
    if out is not None:
        write_table(frame, out)
    thin = undersized_sets(read, uncontrolled)
    if len(thin):
        screen.say(f"Too few words of {sets_in_words(thin)}.")
    few = set(thin_names(thin, loaded.groups, loaded.set_name))
    marks = [f" {THIN_MARK}" if few & {*of.split(", ")} else "" for of in frame["groups"]]
    title = f"{loaded.name} in {Path(reading.vectors).name or reading.vectors}"
    _show(frame, frame["groups"] + marks, title, screen)
    if len(thin):
        screen.say(THIN_MEANING)
    if out is not None:
        screen.say(f"Table: {out}")
    return options.WARNED if doubts else 0


def _show(frame: pd.DataFrame, of: pd.Series[str], title: str, screen: Screen) -> None:
    """Print the scores with their intervals, how to read them, and why some have no value."""
    from ..plots.frame import interval_name

    numbers = {name: frame[name].map(_number) for name in ("value", "low", "high")}
    p_values = frame["p_value"].map("{:.2g}".format, na_action="ignore").fillna("")
    shown = frame.assign(of=of, p=p_values, **numbers)
    for interval, part in shown.groupby("interval", sort=False):
        head, note = f"{100 * frame.attrs['ci_prob']:g}% bootstrap intervals", POSTERIOR
        if interval == "bootstrap":
            head, note = f"scores, {head}", BOOTSTRAP.format(alternative=frame.attrs["alternative"])
        else:
            head = f"posterior means, {interval_name(frame)}"
        screen.frame(f"{title}: {head}", part, COLUMNS)
        screen.say(note)
    keys = ["direction", "reading", "no_bias"]
    for (direction, reading, no_bias), part in frame.groupby(keys, sort=False):
        names = ", ".join(dict.fromkeys(part["score"]))
        screen.say(f"{str(direction).capitalize()} than {no_bias:g} means {reading}: {names}.")
    for row in frame[frame["value"].isna()].to_dict("records"):
        screen.say(f"No {row['score']} of {row['groups']}: {row['note']}")
    if (frame["score"] == "weat_statistic").any():
        screen.say("weat is WEAT's effect size, weat_statistic its sum; both have the same p.")
    screen.say("What each score measures, and its traps: `bayesbias docs scores`.")


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.01 else f"{value:.2g}"
