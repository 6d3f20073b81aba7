"""The page of a sweep: the same measure in many embeddings, and how they rank."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .. import plots
from ..records.sweeps import SweepRecord
from ..records.verdicts import Verdict
from ..tables.levels import AVERAGE, OVERALL, at_level
from .answer import Answer
from .dots import MANY, DotPicture, axis_for
from .list_page import UNIT
from .numbers import MOST_RANKS, counted, number, probability, probability_name
from .page import LIMITS, Facts, Fold, Page, box, fold
from .parts import digits_of, dot_row, fitted_facts, how_to_read
from .sentences import Marked, Sentence, opening, plain
from .tables import Table, table


def page(record: SweepRecord) -> Page:
    """Return the page about a sweep."""
    ranked = len(record.frames["ranks"]) > 0
    sizes = f"{counted(len(record.embeddings), 'embedding')} × {counted(len(record.lists), 'list')}"
    size = f"{sizes} × {counted(record.n_models, 'model')}"
    limit = "A smaller difference after debiasing does not show that bias is gone."
    caption = '<p class="cap">Each dot is 1% of the probability. All rows are in one model.</p>'
    answer = sweep_answer(record)
    main = answer.picture.svg() + caption if answer.picture else _contrasts(record).html()
    plotted = {}
    if ranked:
        plotted["closeness"] = partial(plots.closeness, record.frames["dots"], label="embedding")
    return Page(
        title=record.title,
        kicker=f"{record.title} · {size}",
        answer=answer,
        main=main + box(f"{LIMITS} {limit}"),
        side=_ranks(record) if ranked else "",
        folds=[how_to_read(record, "the difference")],
        details=list(_details(record)),
        plots=plotted,
    )


def sweep_answer(record: SweepRecord) -> Answer:
    """Return what the page leads with."""
    failed, drawn = len(record.frames["failures"]), None
    if len(record.frames["ranks"]):
        drawn = sweep_picture(record)
    some = [f"{counted(failed, 'cell')} failed; repeat the command to retry."] if failed else []
    return Answer(
        sweep_sentence(record),
        _deck(record),
        drawn,
        [*(f"Do not rely on these numbers yet: {one}" for one in record.notices), *some],
    )


def sweep_sentence(record: SweepRecord) -> Sentence:
    """Name the embedding that probably has the largest difference, or say that one cannot tell."""
    cells = len(record.frames["cells"])
    if record.frames["ranks"].empty:
        done = cells - len(record.frames["failures"])
        return (f"{done} of {counted(cells, 'cell')} have a result; no ranks were computed.",)
    ranks = record.ranks
    top = ranks.sort_values("p_most").iloc[-1]
    among = f"among {counted(len(ranks), 'embedding')}"
    of = "average difference" if record.leading == AVERAGE else "difference"
    lists = record.leading if record.leading != AVERAGE else counted(len(record.lists), "list")
    claim = f"{top['embedding']} has the largest {of} ({lists})"
    verdict = Verdict(float(top["p_most"]))
    if not verdict.holds:
        chances = f"{verdict.percent} to {100 - verdict.percent}"
        return (Marked(f"We cannot tell ({chances})", verdict), f" whether, {among}, {claim}.")
    return (opening(verdict), f", {among}, {claim}.")


def _deck(record: SweepRecord) -> str:
    if record.frames["ranks"].empty:
        return ""
    sizes = [row.mean for row in record.rows]
    return (
        f"Matching pairs are {number(min(sizes), 2)} to {number(max(sizes), 2)} closer "
        "than crossed pairs. The model draws estimates together where data are few."
    )


def sweep_picture(record: SweepRecord) -> DotPicture:
    """Return the dots of each embedding."""
    digits = digits_of(record.rows)
    rows = [dot_row(row, row.key, "", digits) for row in record.rows]
    values = [value for row in rows for value in row.values]
    spoken = "; ".join(f"{row.label} {' '.join(row.right)}" for row in rows)
    label = f"{plain(sweep_sentence(record))} Closer by: {spoken}."
    sides = ("reverse", "with the stereotype")
    tallest = max(28.0, 340.0 / len(rows))
    return DotPicture(rows, (), sides, UNIT, label, axis_for(values, MANY), min(tallest, 84.0))


def _ranks(record: SweepRecord) -> str:
    rows = tuple(
        (str(row["embedding"]), number(-row["mean"]), probability(row["p_most"]))
        for row in record.ranks.to_dict("records")
    )
    whole = Table("Which is largest?", ("", "closer by", "P(largest)"), (False, True, True), rows)
    return whole.html() + '<p class="foot">In the order given: the ranking is uncertain.</p>'


def _contrasts(record: SweepRecord) -> Table:
    """Return the overall difference in every cell, with marks for sets with too few words."""
    frame = record.frames["contrasts"]
    if len(frame):
        is_led = (frame["first"] == "associated") & (frame["second"] == "different")
        attrs, frame = frame.attrs, at_level(frame[is_led], OVERALL)
        thin = record.frames["thin"]
        cells = set(zip(thin["embedding"], thin["list"], strict=True)) if len(thin) else set()
        found = zip(frame["embedding"], frame["list"], strict=True)
        frame = frame.assign(thin=[cell in cells for cell in found])
        frame.attrs = attrs
    names = ("embedding", "list", "model", "mean", "interval", "p_direction", "p_rope")
    return table(frame, "associated − different, overall", *names)


def _details(record: SweepRecord) -> Iterator[Fold]:
    frames = record.frames
    yield fold("What did each cell give?", _contrasts(record))
    if len(frames["ranks"]):
        ranks = frames["ranks"].assign(list=frames["ranks"]["wordlist"])
        ranks.attrs = frames["ranks"].attrs
        chances = ("p_most", *(f"p_rank_{rank}" for rank in range(2, MOST_RANKS + 1)))
        shown = table(ranks, "", "list", "embedding", "mean", "interval", *chances)
        yield fold("How do embeddings rank in each list?", shown)
        rows = frames["differences"]
        rows = rows.assign(list=rows["wordlist"], difference=rows["first"] + " − " + rows["second"])
        rows.attrs = frames["differences"].attrs
        pairs = ("list", "difference", "mean", "interval", "p_direction", "p_rope")
        text = (
            "`bayesbias compare` compares two embeddings pair by pair, which is more precise, "
            "because anything that both share cancels out."
        )
        yield fold("How do embeddings differ?", table(rows, "", *pairs), text)
        parts = table(frames["shares"], "Share of the variance", "part", "mean", "interval")
        yield fold("Is it the embedding or the list?", parts)
    names = ("embedding", "list", "distances", "words missing")
    sizes = frames["tables"].rename(columns={"rows": "distances", "missing": "words missing"})
    lost = "Embeddings that lack different words answer slightly different questions."
    yield fold("What was measured?", table(sizes, "", *names), lost)
    if len(frames["failures"]):
        reasons = ("embedding", "list", "model", "error", "message")
        yield fold("What failed?", table(frames["failures"], "", *reasons))
    ci = probability_name(record.ci_prob)
    made = (("Settings", record.settings), ("Intervals", ci), *record.sources)
    yield fold("How was it computed?", Facts(made), fitted_facts(record))
