"""The page of one word list: what was measured, and what follows; and the index of several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from .. import plots
from ..plots.forest import MOST_ROWS, intervals
from ..plots.forests import MEANINGS as SCALE_MEANINGS
from ..plots.frame import interval_note
from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from . import wording
from .headline import CLOSING, NULLS, headline, leading_rows
from .numbers import ROUNDED, counted, probability_name
from .wording import ALL_GROUPS, MEANINGS, THIN_MEANING
from .writer import Block, Figure, Line, Page, Section, Table, lines, prose, table

if TYPE_CHECKING:
    from ..workflows.reference import Reference
    from ..workflows.wordlist import Analysis


def list_page(analysis: Analysis) -> Page:
    """Return the page of a word list; its detailed figures show the lead model."""
    wordlist, measured = analysis.wordlist, analysis.table
    sections = [
        Section("found", "What was found", _found(analysis)),
        Section("reference", "Other measures", _reference(analysis)),
        Section("since", "Since an earlier run", _since(analysis)),
        Section("reading", "How to read this", [_reading(analysis)]),
        Section("measured", "What was measured", _measured(analysis)),
        Section("missing", "What was missing", _missing(analysis)),
        Section("words", "Groups and words", _means(analysis)),
        Section("contrasts", "Differences", _contrasts(analysis)),
        Section("sizes", "Effective sizes", _sizes(analysis)),
        Section("driving", "Influential words", _driving(analysis)),
        Section("models", "What the model changes", _models(analysis)),
        Section("spread", "How the distances spread", _spread(analysis)),
        Section("neighbors", "Around single words", _neighbors(measured)),
        Section("check", "Does the model fit", _check(analysis)),
        Section("limits", "What may not be concluded", _limits(analysis)),
    ]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{wordlist.title or wordlist.name}, in {analysis.settings.embedding}",
        lede=headline(analysis).about,
        sections=[section for section in sections if section.blocks],
        facts=_facts(analysis),
        doubts=wording.doubts_of(analysis.results),
    )


def band(reference: Reference, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the middle 95% of reference lists for rows of contrasts, overall and by group."""
    keys, ends = ["level", "protected_group"], ["reference_low", "reference_high"]
    merged = rows.merge(reference.of_match("frequency")[[*keys, *ends]], "left", on=keys)
    return merged.astype(dict.fromkeys(ends, np.float64))


def headline_figure(analysis: Analysis) -> Figure:
    """Return the picture of what leads, overall and by group, over its reference lists."""
    first, second = leading_pair(analysis.table)
    rows, rope = leading_rows(analysis), analysis.rope
    if analysis.reference is not None:
        rows = band(analysis.reference, rows)
    draw = partial(plots.contrast_forest, rows, first=first, second=second, rope=rope)
    return Figure(f"headline-{analysis.lead.spec.name}", draw, _caption(analysis, first, second))


def _found(analysis: Analysis) -> list[Block]:
    lead = headline(analysis)
    return [lead.table, headline_figure(analysis), *lead.notes]


def _caption(analysis: Analysis, first: str, second: str) -> str:
    return (
        f"Model {analysis.lead.spec.name}, {probability_name(analysis.settings.ci_prob)} "
        f"intervals. Left of zero: {first} attributes are closer than {second} ones."
    )


def _reference(analysis: Analysis) -> list[Block]:
    reference = analysis.reference
    if reference is None:
        return []
    placed = reference.placed
    rows = placed.assign(
        protected_group=placed["protected_group"].replace("", ALL_GROUPS),
        lists=placed["match"].map(NULLS),
    )
    names = ("lists", "protected_group", "mean", "reference_low", "reference_high", "percentile")
    forest = partial(plots.contrast_forest, placed, second="different")
    scatter = partial(plots.distances_by_rank, analysis.table, reference.ranks)
    return [
        prose("questions"),
        Figure(
            "reference",
            forest,
            f"Reference lists are drawn from {reference.n_words:,} words of the embedding and "
            "read with the spreads of this list.",
        ),
        table(rows, "This list among reference lists", *names),
        *([] if reference.scores.empty else [table(reference.scores, "Scores")]),
        *([] if reference.relative.empty else [table(reference.relative, "Among random words")]),
        prose("frequency"),
        Figure(
            "ranks",
            scatter,
            "Distances and frequency ranks of attribute words; ranks.csv has the ranks of all.",
        ),
    ]


def _since(analysis: Analysis) -> list[Block]:
    if analysis.since is None:
        return []
    return [table(analysis.since, "What changed") if len(analysis.since) else "Nothing changed."]


def _reading(analysis: Analysis) -> list[Line]:
    settings = analysis.settings
    fitted = (
        f"{name} – {each.spec.title or 'no title'}" for name, each in analysis.results.items()
    )
    return lines(
        "reading.list",
        "reading.difference",
        kinds="; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items()),
        ci=probability_name(settings.ci_prob),
        about=settings.about_interval,
        rope=f"±{analysis.rope:.2g}",
        models="; ".join(fitted),
    )


def _measured(analysis: Analysis) -> list[Block]:
    wordlist, rows = analysis.wordlist, analysis.table.groupby("connection", observed=True)
    frame = rows.agg(
        distances=("attribute", "size"),
        attributes=("attribute", "nunique"),
        mean=("cosine_distance", "mean"),
    ).reset_index()
    frame = frame.astype({"connection": str}).rename(columns={"mean": "plain mean"})
    frame.insert(1, "meaning", frame["connection"].map(MEANINGS))
    sets, lost = _sets(wordlist.to_frame()), _sets(analysis.missing)
    n_lost = sets.merge(lost, "left", on=["role", "set"])["words_y"].fillna(0).astype(int)
    source = f" ({wordlist.reference})" if wordlist.reference else ""
    return [
        f"The list {wordlist.name}{source} in the embedding {analysis.settings.embedding}: "
        f"{len(analysis.table):,} distances, one for each pair of a protected word and an "
        "attribute.",
        table(frame, "Distances by connection"),
        table(
            sets.assign(found=sets["words"] - n_lost),
            "The list, set by set",
            *("role", "set", "words", "found", "which"),
        ),
        *([f"License of the list: {wordlist.licence}"] if wordlist.licence else []),
    ]


def _sets(words: pd.DataFrame) -> pd.DataFrame:
    """Return one row a set, with the number of its words and the words."""
    sets = words.groupby(["role", "set"], sort=False)["word"]
    return sets.agg(words="size", which=", ".join).reset_index()


def _missing(analysis: Analysis) -> list[Block]:
    lost = _sets(analysis.missing).rename(columns={"words": "missing"})
    forms = ", ".join(f"{word} as {form}" for word, form in analysis.resolved_forms.items())
    notices: Block = [Line("", text) for text in analysis.notices]
    return [
        *wording.missing_sentences(analysis),
        *([table(lost, "Missing words")] if len(lost) else []),
        *([f"Read in another form (case “{analysis.settings.case}”): {forms}."] if forms else []),
        *(["Warnings on the way:", notices] if notices else []),
    ]


def level_table(
    frame: pd.DataFrame,
    level: str,
    caption: str,
    *,
    ci_prob: float,
    extra: Sequence[str] = ("p_direction", "p_rope"),
) -> Table:
    """Show means or contrasts of one level, the rows that models have in common side by side."""
    frame, name = at_level(frame, level), "connection"
    if "first" in frame:
        frame, name = frame.assign(contrast=frame["first"] + " − " + frame["second"]), "contrast"
    keys = {OVERALL: [], GROUP: ["protected_group"], WORD: ["protected_word", "protected_group"]}
    names = [*keys[level], name]
    columns = (*names, "model", "mean", "interval", *extra)
    return table(_adjacent(frame, *names), caption, *columns, ci_prob=ci_prob)


def _adjacent(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Place rows with equal values next to one another, in the order of the first."""
    return frame.assign(place=frame.groupby([*names], sort=False).ngroup()).sort_values(
        "place", kind="stable"
    )


def _means(analysis: Analysis) -> list[Block]:
    lead, ci_prob = analysis.lead, analysis.settings.ci_prob
    frame = wording.with_marks(analysis, analysis.frame("summary"))
    captions = {
        OVERALL: "Overall mean distances",
        GROUP: "Mean distances by group",
        WORD: "Mean distances by word",
    }
    return [
        prose("means"),
        Figure(
            f"forest-{lead.spec.name}",
            partial(plots.forest, lead.summary),
            f"Model {lead.spec.name}, {probability_name(ci_prob)} intervals: all words, and "
            "each group; see summary.csv.",
        ),
        *(level_table(frame, level, text, ci_prob=ci_prob) for level, text in captions.items()),
    ]


def _contrasts(analysis: Analysis) -> list[Block]:
    lead, settings = analysis.lead, analysis.settings
    first, second = leading_pair(analysis.table)
    marked = wording.with_marks(analysis, analysis.frame("contrasts"))
    rows = contrast_of(lead.contrasts, first, second)
    own: dict[str, Any] = {"first": first, "second": second, "rope": analysis.rope, "words": True}
    draw = partial(plots.contrast_forest, rows, **own)
    show = partial(level_table, ci_prob=settings.ci_prob)
    leading = contrast_of(marked, first, second)
    return [
        wording.closeness_sentence(analysis),
        f"{first.capitalize()} − {second} with the words that it averages over, and all other "
        "differences.",
        Figure(f"contrasts-{lead.spec.name}", draw, _caption(analysis, first, second)),
        show(leading, GROUP, "This difference by group"),
        show(leading, WORD, "This difference by word"),
        show(marked, OVERALL, "All differences, overall"),
    ]


def _driving(analysis: Analysis) -> list[Block]:
    lead = analysis.lead
    if lead.influence.empty:
        return []
    first, second = leading_pair(analysis.table)
    names = ("name", "of", "mean_without", "change", "sds")
    return [
        prose(
            "influence",
            contrast=f"{first.capitalize()} − {second}",
            sentence=wording.influence_sentence(lead),
        ),
        Figure(
            "influence",
            partial(plots.influence, lead.influence),
            f"Model {lead.spec.name}. Each line ends where the contrast is without that word; see "
            "influence.csv.",
        ),
        table(lead.influence, "The contrast without each word", *names),
    ]


def _models(analysis: Analysis) -> list[Block]:
    frame = analysis.comparison
    if frame is None:
        return []
    rows = frame["left_out"].iloc[0] == "row"
    names = ("model", "elpd", "p" if rows else "se", "elpd_diff", "dse")
    caption = "distances left out (PSIS-LOO)" if rows else "attribute words left out"
    return [
        f"The same distances under {len(analysis.results)} models.",
        wording.model_lines(analysis),
        table(frame, f"Prediction of {caption}", *names, "n_bad_k" if rows else "n_words"),
        [Line(frame["model"].iloc[0], wording.loo_sentence(frame))],
    ]


def _spread(analysis: Analysis) -> list[Block]:
    lead, frame = analysis.lead, analysis.frame("scales")
    frame = frame[frame["parameter"].isin(list(SCALE_MEANINGS))]
    frame = frame.assign(
        spread=frame["parameter"].map(SCALE_MEANINGS), of=frame["of"].replace("", "all")
    )
    names = ("spread", "of", "model", "mean", "interval")
    return [
        prose("spread"),
        Figure(
            "distributions",
            partial(plots.distributions, analysis.table),
            "All measured distances by connection, and the band that MAC gives around 1.",
        ),
        Figure(
            f"scales-{lead.spec.name}",
            partial(plots.scales, lead.scales),
            f"Model {lead.spec.name}: the standard deviations.",
        ),
        table(frame, "Standard deviations", *names, ci_prob=analysis.settings.ci_prob),
    ]


def _neighbors(measured: pd.DataFrame) -> list[Block]:
    """Return the surroundings of the first word of every group, of eight groups at most."""
    words = measured.drop_duplicates("protected_group")[["protected_group", "protected_word"]]
    figures = []
    for place, (group, word) in enumerate(words.head(8).itertuples(index=False), 1):
        ending = re.sub(r"[^a-z0-9]+", "-", str(word).lower()).strip("-")[:40] or "word"
        draw = partial(plots.neighbourhood, measured, str(word))
        caption = f"The attributes around “{word}”, of the group “{group}”."
        figures.append(Figure(f"neighbourhood-{place}-{ending}", draw, caption))
    return [
        prose("neighbors"),
        *figures,
    ]


def _sizes(analysis: Analysis) -> list[Block]:
    rows = analysis.lead.sizes
    if rows.empty:
        return []
    shown = rows.assign(
        role=rows["role"].str.replace("_", " "),
        n_effective=rows["n_effective"].map("{:.1f}".format),
    )
    shown = shown.rename(columns={"n_words": "words", "n_effective": "count as"})
    return [prose("sizes"), table(shown, "Effective sizes", "role", "name", "words", "count as")]


def _check(analysis: Analysis) -> list[Block]:
    lead, ci_prob = analysis.lead, analysis.settings.ci_prob
    ci, results = probability_name(ci_prob), analysis.results
    intervals = lead.predictive[ci_prob]
    draw = partial(plots.predictive_check, lead.posterior, ci_prob=ci_prob, intervals=intervals)
    sensitivity = _adjacent(analysis.frame("sensitivity"), "parameter", "of")
    sensitivity = sensitivity.replace({"of": {"": "all"}, "diagnosis": {"": "–"}})
    names = ("parameter", "of", "model", "prior", "likelihood", "diagnosis")
    return [
        prose("check", ci=ci),
        [Line(name, wording.coverage_sentence(each, ci_prob)) for name, each in results.items()],
        Figure(
            f"check-{lead.spec.name}",
            draw,
            f"Model {lead.spec.name}: the measured distances over where the model expects them.",
        ),
        coverage_table(analysis.frame("check")),
        prose("priors"),
        [Line(name, wording.sensitivity_sentence(each)) for name, each in results.items()],
        table(sensitivity, "Sensitivity by power-scaling", *names),
    ]


def coverage_table(frame: pd.DataFrame, counted: str = "distances") -> Table:
    """Show the share of what was measured inside the predictive intervals."""
    frame = frame.rename(columns={"n_rows": counted})
    names = ("model", "ci_prob", "connection", counted, "coverage")
    return table(frame, "Predictive coverage", *names)


def _limits(analysis: Analysis) -> list[Block]:
    note = analysis.wordlist.note
    own = f"The list's own note: {note}" if note else "The list has no note of its own."
    return [
        [
            *lines("limits.people"),
            Line("Listing a stereotype does not endorse it", own),
            Line("Few words carry much", wording.few_attributes(analysis)),
            *lines("limits.list"),
        ],
    ]


def _facts(analysis: Analysis) -> list[Line]:
    wordlist, settings, lead = analysis.wordlist, analysis.settings, analysis.lead
    title = f": {wordlist.title}" if wordlist.title else ""
    fitted = [
        Line(
            f"Model {name}",
            f"{result.spec.reference or 'No reference.'} Fitted by "
            f"{result.posterior.attrs['method']} ({result.posterior.attrs['method_reason']}), "
            f"{settings.chains} × {settings.draws} draws, seed {result.posterior.attrs['seed']}.",
        )
        for name, result in analysis.results.items()
    ]
    return [
        Line("Word list", f"{wordlist.name}{title}"),
        Line("Embedding", settings.vectors),
        Line("Vectors used, SHA-256", analysis.vectors_hash),
        *fitted,
        Line("Table, SHA-256", str(lead.posterior.attrs["table_hash"])),
    ]


def index_page(entries: Sequence[tuple[Analysis, str]]) -> Page:
    """Return the page that leads to the reports of several lists, with the contrast of each.

    With each analysis goes the path of its report from the index, with forward slashes.
    """
    settings = entries[0][0].settings
    rows = pd.concat([_index_rows(analysis) for analysis, _ in entries], ignore_index=True)
    rows.attrs |= settings.intervals
    names = ("list", "group", "contrast", "mean", "interval", "p_direction", "words missing")
    links = [
        Line(
            analysis.wordlist.title or analysis.wordlist.name,
            ", ".join(headline(analysis).table.rows[0][1:3]),
            quote(path),
        )
        for analysis, path in entries
    ]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{counted(len(entries), 'word list')}, in {settings.embedding}",
        lede="The same question asked of each list: are stereotypes of a word's own group closer "
        "to it than those of other groups, and how sure is that?",
        sections=[
            Section(
                "lists",
                "All lists",
                [
                    prose("index", ci=probability_name(settings.ci_prob)),
                    links,
                    table(
                        rows,
                        "The contrast that leads every list, overall and by group",
                        *names,
                        ci_prob=settings.ci_prob,
                    ),
                    *_index_figures(rows, settings.rope),
                    *([THIN_MEANING] if rows["thin"].any() else []),
                    ROUNDED,
                    CLOSING,
                ],
            )
        ],
        doubts=[
            f"{analysis.wordlist.name}, {text}"
            for analysis, _ in entries
            for text in wording.doubts_of(analysis.results)
        ],
    )


def _index_rows(analysis: Analysis) -> pd.DataFrame:
    """Return the rows of the contrast that leads: overall, then every group."""
    rows = leading_rows(analysis)
    lost = f"{len(analysis.missing)} of {len(analysis.wordlist.to_frame())}"
    return rows.assign(
        label=rows["of"],
        group=rows["of"],
        list=analysis.wordlist.name,
        contrast=" − ".join(leading_pair(analysis.table)),
        **{"words missing": [lost, *[""] * (len(rows) - 1)]},
    )


def _index_figures(rows: pd.DataFrame, rope: float | None) -> Iterator[Figure]:
    """Yield forests of the lists, as many in each as it holds; one for each contrast."""
    count = 0
    for contrast, of_contrast in rows.groupby("contrast", sort=False):
        first, second = str(contrast).split(" − ")
        title = f"{str(contrast).capitalize()}, list by list"
        draw = partial(intervals, by="list", pair=(first, second), rope=rope, directions=True)
        for _, part in blocks_of(of_contrast, "list"):
            count += 1
            plot = partial(draw, part, title=title, note=interval_note(part))
            yield Figure(f"lists-{count}", plot, f"{title}, overall and by group.")


def blocks_of(frame: pd.DataFrame, by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Break rows in blocks into what fits into figures, with an ending for their names.

    Of a block with more rows than one figure holds the first ones are drawn.
    """
    if frame.empty:
        return
    sizes = frame.groupby(by, sort=False).size().clip(upper=MOST_ROWS - 1) + 1
    pages = frame[by].map(sizes.cumsum().sub(1) // MOST_ROWS)
    for number, part in frame.groupby(pages, sort=False):
        rows = part.groupby(by, sort=False).head(MOST_ROWS - 1)
        yield f"-{number + 1}" if pages.nunique() > 1 else "", rows
