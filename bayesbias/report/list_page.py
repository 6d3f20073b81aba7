"""The page of one word list: what was measured, and what follows; and the index of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from .. import plots
from ..plots.forest import MOST_ROWS
from ..plots.forests import MEANINGS as SCALE_MEANINGS
from ..tables.descriptives import contrast_of, leading_pair
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from . import wording
from .headline import CLOSING, NULLS, headline, is_relative, leading_rows
from .numbers import ROUNDED, counted, joined, plain_draws, probability_name
from .wording import ALL_GROUPS, MEANINGS, THIN_MEANING
from .writer import Block, Figure, Line, Page, Section, Table, lines, prose, table

if TYPE_CHECKING:
    from ..workflows.wordlist import Analysis

KEYS = {OVERALL: [], GROUP: ["protected_group"], WORD: ["protected_word", "protected_group"]}
"""What names a row of a level."""


def list_page(analysis: Analysis) -> Page:
    """Return the page of a word list; its detailed figures show the lead model."""
    wordlist, since = analysis.wordlist, analysis.since
    lead, changed = headline(analysis), list[Block]()
    if since is not None:
        changed = [table(since, "What changed") if len(since) else "Nothing changed."]
    found = [lead.table, headline_figure(analysis), *lead.notes, *_baseline(analysis)]
    sections = [
        Section("found", "What was found", found),
        Section("reference", "Other measures", _reference(analysis)),
        Section("since", "Since an earlier run", changed),
        Section("reading", "How to read this", [_reading(analysis)]),
        Section("measured", "What was measured", _measured(analysis)),
        Section("words", "Groups and words", _words(analysis)),
        Section("driving", "Influential words", _driving(analysis)),
        Section("models", "What the model changes", _models(analysis)),
        Section("spread", "How the distances spread", _spread(analysis)),
        Section("check", "Does the model fit", _check(analysis)),
        Section("limits", "What may not be concluded", [_limits(analysis)]),
    ]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{wordlist.title or wordlist.name}, in {analysis.settings.embedding}",
        lede=lead.about,
        sections=[section for section in sections if section.blocks],
        facts=_facts(analysis),
        doubts=wording.doubts_of(analysis.results),
    )


def headline_figure(analysis: Analysis) -> Figure:
    """Return the picture of what leads, overall and by group, over its reference lists."""
    first, second = leading_pair(analysis.table)
    rows, lead = leading_rows(analysis), analysis.lead.spec.name
    edge = rows["of"][rows["edge"] != ""].tolist()
    if analysis.reference is not None:
        keys, ends = ["level", "protected_group"], ["reference_low", "reference_high"]
        ranges = analysis.reference.of_match("frequency")[[*keys, *ends]]
        rows = rows.merge(ranges, "left", on=keys).astype(dict.fromkeys(ends, np.float64))
    closer = f"{first} attributes are closer than {second} ones"
    if is_relative(rows):
        closer = "words are closer to their own stereotypes than words of the other groups are"
    caption = (
        f"Model {lead}, {probability_name(analysis.settings.ci_prob)} intervals. Left of zero: "
        f"{closer}."
        f"{f' Borderline: {joined(edge)}.' if edge else ''}"
    )
    draw = partial(plots.contrast_forest, rows, first=first, second=second, rope=analysis.rope)
    return Figure(f"headline-{lead}", draw, caption)


def _baseline(analysis: Analysis) -> list[Block]:
    rows = analysis.baseline
    names = ("protected_group", "estimand", "mean", "interval", "p_direction", "p_rope")
    marks: dict[str, Any] = {"ci_prob": analysis.settings.ci_prob, "rope": analysis.rope}
    marks["n_draws"] = plain_draws(analysis.lead.contrasts, analysis.settings)
    caption = "Own stereotypes less others, relative to baseline words"
    return [prose("baseline"), table(rows, caption, *names, **marks)] if len(rows) else []


def _reference(analysis: Analysis) -> list[Block]:
    reference = analysis.reference
    if reference is None:
        return []
    groups = reference.placed["protected_group"].replace("", ALL_GROUPS)
    rows = reference.placed.assign(
        protected_group=groups, lists=reference.placed["match"].map(NULLS)
    )
    names = ("lists", "protected_group", "mean", "reference_low", "reference_high", "percentile")
    scores = ("score", "groups", "reading", "value", "low", "high", "p_value")
    return [
        prose("questions", n_words=f"{reference.n_words:,}"),
        table(rows, "This list among reference lists", *names),
        *([table(reference.scores, "Scores", *scores)] if len(reference.scores) else []),
        *([table(reference.relative, "Random words")] if len(reference.relative) else []),
    ]


def _reading(analysis: Analysis) -> list[Line]:
    settings = analysis.settings
    fitted = (f"{name} – {one.spec.title or 'no title'}" for name, one in analysis.results.items())
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
    wordlist, settings = analysis.wordlist, analysis.settings
    frame = (
        analysis.table.groupby("connection", observed=True)
        .agg(
            distances=("attribute", "size"),
            attributes=("attribute", "nunique"),
            mean=("cosine_distance", "mean"),
        )
        .rename(columns={"mean": "plain mean", "attributes": "attribute words"})
        .reset_index()
        .astype({"connection": str})
    )
    frame.insert(1, "what it is", frame["connection"].map(MEANINGS))
    sets, lost = _sets(wordlist.to_frame()), _sets(analysis.missing)
    n_lost = sets.merge(lost, "left", on=["role", "set"])["words_y"].fillna(0).astype(int)
    source = f" ({wordlist.reference})" if wordlist.reference else ""
    license_text = f" License of the list: {wordlist.licence}." if wordlist.licence else ""
    forms = ", ".join(f"{word} as {form}" for word, form in analysis.resolved_forms.items())
    read = [f"Read in another form (case “{settings.case}”): {forms}."] if forms else []
    return [
        f"The list {wordlist.name}{source} in the embedding {settings.embedding}: "
        f"{len(analysis.table):,} distances, one for each pair of a protected word and an "
        f"attribute.{license_text}",
        table(frame, "Distances by connection"),
        table(
            sets.assign(found=sets["words"] - n_lost),
            "The list, set by set",
            *("role", "set", "words", "found", "which"),
        ),
        *wording.missing_sentences(analysis),
        *([table(lost, "Missing words")] if len(lost) else []),
        *read,
        *([[Line("Warning", text) for text in analysis.notices]] if analysis.notices else []),
    ]


def _sets(words: pd.DataFrame) -> pd.DataFrame:
    """Return one row a set, with the number of its words and the words."""
    sets = words.groupby(["role", "set"], sort=False)["word"]
    return sets.agg(words="size", which=", ".join).reset_index()


def level_table(
    frame: pd.DataFrame,
    level: str,
    caption: str,
    *,
    extra: Sequence[str] = ("p_direction", "p_rope"),
    **marks: Any,  # noqa: ANN401
) -> Table:
    """Show means or contrasts of one level, the rows that models have in common side by side."""
    frame, name = at_level(frame, level), "connection"
    if "first" in frame:
        frame, name = frame.assign(contrast=frame["first"] + " − " + frame["second"]), "contrast"
    names = [*KEYS[level], name]
    columns = (*names, "model", "mean", "interval", *extra)
    return table(_adjacent(frame, *names), caption, *columns, **marks)


def _adjacent(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Place rows with equal values next to one another, in the order of the first."""
    return frame.assign(place=frame.groupby([*names], sort=False).ngroup()).sort_values(
        "place", kind="stable"
    )


def _words(analysis: Analysis) -> list[Block]:
    """Show mean distances and contrasts, overall, by group and by word."""
    lead, settings, name = analysis.lead, analysis.settings, analysis.lead.spec.name
    first, second = leading_pair(analysis.table)
    means = wording.with_marks(analysis, analysis.frame("summary"))
    every = wording.with_marks(analysis, analysis.frame("contrasts"))
    leading, rope = contrast_of(every, first, second), analysis.rope
    rows = contrast_of(lead.contrasts, first, second)
    own: dict[str, Any] = {"first": first, "second": second, "rope": rope, "words": True}
    ci_prob, title = settings.ci_prob, f"{first.capitalize()} − {second}"
    exact: dict[str, Any] = {
        "n_draws": plain_draws(lead.contrasts, settings),
        "rope": rope,
        "ci_prob": ci_prob,
    }
    drawn = exact | {"n_draws": settings.n_draws}
    return [
        prose("means"),
        Figure(
            f"forest-{name}",
            partial(plots.forest, lead.summary),
            f"Model {name}, {probability_name(ci_prob)} intervals: mean distances of all words, "
            "and of each group; see summary.csv.",
        ),
        level_table(means, OVERALL, "Overall mean distances", ci_prob=ci_prob),
        level_table(means, GROUP, "Mean distances by group", ci_prob=ci_prob),
        level_table(means, WORD, "Mean distances by word", ci_prob=ci_prob),
        wording.closeness_sentence(analysis),
        Figure(
            f"contrasts-{name}",
            partial(plots.contrast_forest, rows, **own),
            f"{title} with the words that it averages over; see contrasts.csv.",
        ),
        level_table(leading, GROUP, f"{title} by group", **exact),
        level_table(leading, WORD, f"{title} by word", **drawn),
        level_table(every, OVERALL, "All differences, overall", **exact),
    ]


def _driving(analysis: Analysis) -> list[Block]:
    lead, blocks, sizes = analysis.lead, list[Block](), analysis.lead.sizes
    if len(lead.influence):
        contrast = " − ".join(leading_pair(analysis.table)).capitalize()
        sentence = wording.influence_sentence(lead)
        names = ("name", "of", "mean_without", "change", "sds")
        blocks = [
            prose("influence", contrast=contrast, sentence=sentence),
            Figure(
                "influence",
                partial(plots.influence, lead.influence, most=6),
                f"Model {lead.spec.name}. Each line ends where the contrast is without that word; "
                "see influence.csv.",
            ),
            table(lead.influence, "The contrast without each word", *names),
        ]
    if len(sizes):
        shown = sizes.assign(
            role=sizes["role"].str.replace("_", " "),
            set=sizes["name"],
            words=sizes["n_words"],
            count_as=sizes["n_effective"].map("{:.1f}".format),
        )
        shown = shown[["role", "set", "words", "count_as"]]
        blocks += [prose("sizes"), table(shown, "Effective sizes")]
    return blocks


def _models(analysis: Analysis) -> list[Block]:
    frame = analysis.comparison
    if frame is None:
        return []
    rows = frame["left_out"].iloc[0] == "row"
    names = ("model", "elpd", "p" if rows else "se", "elpd_diff", "dse")
    caption = f"Prediction of {'distances' if rows else 'attribute words'} left out"
    return [
        wording.model_lines(analysis),
        table(frame, caption, *names, "n_bad_k" if rows else "n_words"),
        wording.comparison_sentence(frame),
    ]


def _spread(analysis: Analysis) -> list[Block]:
    frame = analysis.frame("scales")
    frame = frame[frame["parameter"].isin(list(SCALE_MEANINGS))]
    spread, of = frame["parameter"].map(SCALE_MEANINGS), frame["of"].replace("", "all")
    names, ci_prob = ("spread", "of", "model", "mean", "interval"), analysis.settings.ci_prob
    return [
        prose("spread"),
        Figure(
            "distributions",
            partial(plots.distributions, analysis.table),
            "All measured distances by connection, and the band that MAC gives around 1.",
        ),
        table(frame.assign(spread=spread, of=of), "Standard deviations", *names, ci_prob=ci_prob),
    ]


def _check(analysis: Analysis) -> list[Block]:
    ci_prob, results = analysis.settings.ci_prob, analysis.results
    sensitivity = _adjacent(analysis.frame("sensitivity"), "parameter", "of")
    sensitivity = sensitivity.replace({"of": {"": "all"}, "diagnosis": {"": "–"}})
    names = ("parameter", "of", "model", "prior", "likelihood", "diagnosis")
    return [
        prose("check", ci=probability_name(ci_prob)),
        [Line(name, wording.coverage_sentence(each, ci_prob)) for name, each in results.items()],
        coverage_table(analysis.frame("check")),
        prose("priors"),
        [Line(name, wording.sensitivity_sentence(each)) for name, each in results.items()],
        table(sensitivity, "Sensitivity by power-scaling", *names),
    ]


def coverage_table(frame: pd.DataFrame, counted: str = "distances") -> Table:
    """Show the share of what was measured inside the predictive intervals."""
    names = ("model", "ci_prob", "connection", counted, "coverage")
    return table(frame.rename(columns={"n_rows": counted}), "Predictive coverage", *names)


def _limits(analysis: Analysis) -> list[Line]:
    note = analysis.wordlist.note
    own = f"The list's own note: {note}" if note else "The list has no note of its own."
    return [
        *lines("limits.people"),
        Line("Listing a stereotype does not endorse it", own),
        Line("Few words carry much", wording.few_attributes(analysis)),
        *lines("limits.list"),
    ]


def _facts(analysis: Analysis) -> list[Line]:
    wordlist, settings = analysis.wordlist, analysis.settings
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
        Line("Word list", wordlist.name),
        Line("Embedding", settings.vectors),
        Line("Vectors used, SHA-256", analysis.vectors_hash),
        *fitted,
    ]


def index_page(entries: Sequence[tuple[Analysis, str]]) -> Page:
    """Return the page that leads to the reports of several lists, with the contrast of each.

    With each analysis goes the path of its report from the index, with forward slashes.
    """
    settings = entries[0][0].settings
    rows = pd.concat([_index_rows(analysis) for analysis, _ in entries], ignore_index=True)
    names = ("list", "group", "contrast", "mean", "interval", "p_direction", "words missing")
    n_draws = plain_draws(entries[0][0].contrasts, settings)
    draw = partial(table, ci_prob=settings.ci_prob, n_draws=n_draws)
    links, doubts = [], []
    for analysis, path in entries:
        name = analysis.wordlist.name
        text = ", ".join(headline(analysis).table.rows[0][1:3])
        links.append(Line(analysis.wordlist.title or name, text, quote(path)))
        doubts += [f"{name}, {doubt}" for doubt in wording.doubts_of(analysis.results)]
    blocks: list[Block] = [
        prose("index", ci=probability_name(settings.ci_prob)),
        links,
        draw(rows, "The contrast that leads every list, overall and by group", *names),
        *([THIN_MEANING] if rows["thin"].any() else []),
        ROUNDED,
        CLOSING,
    ]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{counted(len(entries), 'word list')}, in {settings.embedding}",
        lede="The same question asked of each list: are stereotypes of a word's own group closer "
        "to it than those of other groups, and how sure is that?",
        sections=[Section("lists", "All lists", blocks)],
        doubts=doubts,
    )


def _index_rows(analysis: Analysis) -> pd.DataFrame:
    """Return the rows of the contrast that leads: overall, then every group."""
    rows = leading_rows(analysis)
    lost = f"{len(analysis.missing)} of {len(analysis.wordlist.to_frame())}"
    return rows.assign(
        group=rows["of"],
        list=analysis.wordlist.name,
        contrast=" − ".join(leading_pair(analysis.table)),
        **{"words missing": [lost, *[""] * (len(rows) - 1)]},
    )


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
