"""The page on one word list: what was measured, and what follows."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial

import pandas as pd

from .. import plots
from ..plots.forests import MEANINGS as SCALE_MEANINGS
from ..tables.descriptives import contrast_of
from ..tables.levels import GROUP, OVERALL, WORD
from ..workflows.reference import Reference, band
from ..workflows.wordlist import Analysis
from .figures import Figure, figures_of
from .page import Page, Section, section
from .tables import (
    Table,
    beside,
    coverage_table,
    frame_table,
    interval_table,
    of_level,
    plain_table,
)
from .wording import (
    ALL_GROUPS,
    MEANINGS,
    Line,
    distances,
    doubts_of,
    headline_rows,
    lines_of,
    models,
)
from .wording import reference as said_of
from .wording.numbers import signed
from .wording.thin import with_marks

MOST_GROUPS = 8
"""Groups of which one word's neighbourhood is drawn."""


def list_page(analysis: Analysis) -> Page:
    """Return the page of one word list."""
    lead, ci_prob = analysis.lead.spec.name, analysis.settings.ci_prob
    sections, doubts = _sections(analysis), doubts_of(analysis.results)
    return Page("list.html.j2", analysis, sections, ci_prob, doubts, lead)


def _sections(analysis: Analysis) -> list[Section]:
    pair, figures = distances.gap_pair(analysis), _figures(analysis)
    gaps = {level: _contrasts(analysis, level, pair) for level in (GROUP, WORD)}
    closeness = distances.closeness_sentences(analysis)
    changes, ci_prob = models.change_lines(analysis, pair), analysis.settings.ci_prob
    best = analysis.comparison
    several = section(
        "models",
        "What the model changes",
        changes=changes,
        comparison=_comparison(analysis),
        loo=[] if best is None else [Line(best["model"].iloc[0], models.loo_sentence(best))],
    )
    return [
        section(
            "found",
            "What was found",
            figures["found"],
            headline=distances.headline(analysis),
            closeness=[*closeness[:1], *said_of.place_sentences(analysis)],
        ),
        *_reference_sections(analysis, figures),
        *_since_sections(analysis),
        section("reading", "How to read this"),
        section(
            "measured",
            "What was measured",
            distances=_distances(analysis.table),
            counts=_counts(analysis),
        ),
        section(
            "missing",
            "What was missing",
            table=_missing(analysis.missing),
            sentences=distances.missing_sentences(analysis),
        ),
        section("overall", "Overall", means=means(analysis, OVERALL)),
        section(
            "words",
            "Groups and words",
            figures["words"],
            groups=means(analysis, GROUP),
            words=means(analysis, WORD),
        ),
        section(
            "contrasts",
            "Differences",
            figures["contrasts"],
            overall=_contrasts(analysis, OVERALL),
            groups=gaps[GROUP],
            words=gaps[WORD],
        ),
        *_driving(analysis, figures),
        *([several] if changes else []),
        section("spread", "How the distances spread", figures["spread"], table=_spreads(analysis)),
        section("neighbourhood", "Around single words", _neighbourhoods(analysis.table)),
        section(
            "check",
            "Does the model fit",
            figures["check"],
            coverage=coverage_table(analysis.frame("check"), "Predictive coverage", "distances"),
            coverage_lines=lines_of(
                analysis.results, partial(models.coverage_sentence, ci_prob=ci_prob)
            ),
            sensitivity=_sensitivity(analysis),
            sensitivity_lines=lines_of(analysis.results, models.sensitivity_sentence),
        ),
        section(
            "limits",
            "What may not be concluded",
            conclusions=said_of.conclusions(analysis),
            closeness=closeness,
            few=[distances.few_attributes(analysis)],
        ),
        section("provenance", "Provenance"),
    ]


def _reference_sections(analysis: Analysis, figures: dict[str, list[Figure]]) -> list[Section]:
    """Return the section that joins the measures, where the list was read against others."""
    reference = analysis.reference
    if reference is None:
        return []
    return [
        section(
            "reference",
            "The same question, otherwise asked",
            figures["reference"],
            lines=said_of.pair_lines(analysis),
            whole=[text] if (text := said_of.whole_list(reference)) else [],
            places=_places(reference),
        )
    ]


def _driving(analysis: Analysis, figures: dict[str, list[Figure]]) -> list[Section]:
    """Return the section on the words that the contrast hangs on, of a Normal model."""
    frame = analysis.lead.influence
    if frame.empty:
        return []
    columns = {
        "name": ("left out", None),
        "of": ("of", None),
        "mean_without": ("without it", signed),
        "change": ("change", signed),
        "sds": ("in posterior sds", signed),
    }
    table = frame_table(frame, "The contrast without each word", *columns, columns=columns)
    return [
        section(
            "driving",
            "Which words it hangs on",
            figures["driving"],
            table=table,
            sentences=[distances.influence_sentence(analysis.lead)],
        )
    ]


def _since_sections(analysis: Analysis) -> list[Section]:
    """Return the section on an earlier run, where there is one to compare with."""
    if analysis.since is None:
        return []
    if analysis.since.empty:
        return [
            section("since", "Since an earlier run", sentences=["Nothing changed."], table=None)
        ]
    table = plain_table(analysis.since, "What changed")
    return [section("since", "Since an earlier run", sentences=[], table=table)]


def _places(reference: Reference) -> Table:
    """Show where the contrasts lie among reference lists."""
    frame = reference.placed.rename(columns={"match": "lists"})
    frame = frame.assign(
        lists=frame["lists"].map(said_of.SHORT),
        protected_group=frame["protected_group"].replace("", ALL_GROUPS),
    )
    caption, columns = "This list among reference lists", said_of.COLUMNS
    return frame_table(frame, caption, *columns, columns=columns)


def _figures(analysis: Analysis) -> dict[str, list[Figure]]:
    """Return the figures of all sections: the measured distances, then those of every model."""
    pair, ci_prob = distances.gap_pair(analysis), analysis.settings.ci_prob
    texts = distances.distribution_texts(analysis.table)
    found = defaultdict(list)
    found["spread"].append(
        Figure("distributions", partial(plots.distributions, analysis.table), texts)
    )
    gap = partial(plots.contrast_forest, first=pair[0], second=pair[1], rope=analysis.settings.rope)
    texts = distances.contrast_texts(analysis.lead, pair, ci_prob)
    lead = analysis.lead.spec.name
    rows, reference = headline_rows(distances.leading_contrast(analysis)), analysis.reference
    if reference is not None:
        rows = band(reference, rows)
        found["reference"] = [
            Figure(
                "reference",
                partial(plots.contrast_forest, reference.placed, second="different"),
                said_of.reference_texts(reference),
            ),
            Figure(
                "ranks",
                partial(plots.distances_by_rank, analysis.table, reference.ranks),
                said_of.rank_texts(analysis.table, reference),
            ),
        ]
    driving = analysis.lead.influence
    if not driving.empty:
        found["driving"] = [
            Figure(
                "influence",
                partial(plots.influence, driving),
                distances.influence_texts(analysis.lead),
            )
        ]
    found["found"] = figures_of(rows, f"headline-{lead}", gap, texts, lead, narrow=True)
    for model, result in analysis.results.items():
        texts = distances.forest_texts(result, ci_prob)
        found["words"] += figures_of(result.summary, f"forest-{model}", plots.forest, texts, model)
        rows = contrast_of(result.contrasts, *pair)
        texts = distances.contrast_texts(result, pair, ci_prob)
        found["contrasts"] += figures_of(rows, f"contrasts-{model}", gap, texts, model)
        intervals = result.predictive[ci_prob]
        check = partial(
            plots.predictive_check, result.posterior, ci_prob=ci_prob, intervals=intervals
        )
        texts = models.check_texts(result, ci_prob)
        found["check"].append(Figure(f"check-{model}", check, texts, model))
        scales, texts = partial(plots.scales, result.scales), models.scales_texts(result)
        found["spread"].append(Figure(f"scales-{model}", scales, texts, model))
    return found


def _neighbourhoods(table: pd.DataFrame) -> list[Figure]:
    """Return the surroundings of the first word of every group."""
    first = table.drop_duplicates("protected_group")[["protected_group", "protected_word"]]
    figures = []
    for at, (group, word) in enumerate(first.head(MOST_GROUPS).itertuples(index=False), 1):
        ending = re.sub(r"[^a-z0-9]+", "-", str(word).lower()).strip("-")[:40] or "word"
        draw = partial(plots.neighbourhood, table, str(word))
        texts = distances.neighbourhood_texts(table, word, group)
        figures.append(Figure(f"neighbourhood-{at}-{ending}", draw, texts))
    return figures


def means(analysis: Analysis, level: str) -> Table:
    """Show the means of one level under every model, side by side."""
    caption = "Overall mean distances" if level == OVERALL else f"Mean distances by {level}"
    frame, names = of_level(with_marks(analysis, analysis.frame("summary")), level)
    return interval_table(frame, caption, *names, ci_prob=analysis.settings.ci_prob, reference=1.0)


def _contrasts(analysis: Analysis, level: str, pair: tuple[str, str] | None = None) -> Table:
    """Show the contrasts of one level: of one pair, or of all pairs."""
    frame, ci_prob = analysis.frame("contrasts"), analysis.settings.ci_prob
    frame = with_marks(analysis, contrast_of(frame, *pair) if pair else frame)
    frame, names = of_level(frame, level)
    caption = f"Differences, {level if level == OVERALL else f'by {level}'}"
    return interval_table(frame, caption, *names, ci_prob=ci_prob, reference=0.0)


def _spreads(analysis: Analysis) -> Table:
    """Show standard deviations; degrees of freedom, which are none, are left out."""
    frame = analysis.frame("scales")
    frame = frame[frame["parameter"].isin(list(SCALE_MEANINGS))]
    spread, of = frame["parameter"].map(SCALE_MEANINGS), frame["of"].replace("", "all")
    return interval_table(
        frame.assign(spread=spread, connection=frame["of"], of=of),
        "Standard deviations",
        "spread",
        "of",
        "model",
        ci_prob=analysis.settings.ci_prob,
        reference=None,
    )


def _sets(words: pd.DataFrame) -> pd.DataFrame:
    """Return one row a set, with the number of its words and the words."""
    sets = words.groupby(["role", "set"], sort=False)["word"]
    return sets.agg(words="size", which=", ".join).reset_index()


def _counts(analysis: Analysis) -> Table:
    """Show what was asked for and what was found, set by set."""
    sets, lost = _sets(analysis.wordlist.to_frame()), _sets(analysis.missing)
    n_lost = sets.merge(lost, "left", on=["role", "set"])["words_y"].fillna(0).astype(int)
    sets = sets.assign(found=sets["words"] - n_lost)
    return frame_table(sets, "The list, set by set", "role", "set", "words", "found", "which")


def _missing(missing: pd.DataFrame) -> Table:
    """Show the words that the embedding lacks, set by set."""
    sets = _sets(missing).rename(columns={"words": "missing"})
    return frame_table(sets, "Missing words", "role", "set", "missing", "which")


def _distances(table: pd.DataFrame) -> Table:
    """Show rows, attributes and the plain mean distance of each connection."""
    rows = table.groupby("connection", observed=True)
    attributes, distance = rows["attribute"], rows["cosine_distance"]
    frame = pd.DataFrame(
        {
            "distances": attributes.size(),
            "attributes": attributes.nunique(),
            "plain mean": distance.mean(),
        }
    ).reset_index()
    frame = frame.assign(meaning=frame["connection"].astype(str).map(MEANINGS))
    names = ("connection", "meaning", "distances", "attributes", "plain mean")
    return frame_table(frame, "Distances by connection", *names)


def _comparison(analysis: Analysis) -> Table:
    """Show expected log predictive densities of the models, best first."""
    frame = pd.DataFrame() if analysis.comparison is None else analysis.comparison
    if frame.empty or frame["left_out"].iloc[0] == "attribute":
        names = ("model", "elpd", "se", "elpd_diff", "dse", "n_words")
        return frame_table(frame, "Prediction of attribute words left out", *names)
    names = ("model", "elpd", "p", "elpd_diff", "dse", "n_bad_k")
    return frame_table(frame, "Prediction of distances left out (PSIS-LOO)", *names)


def _sensitivity(analysis: Analysis) -> Table:
    """Show the sensitivity of every model's parameters to their priors and to the data."""
    frame = beside(analysis.frame("sensitivity"), "parameter", "of")
    frame = frame.replace({"of": {"": "all"}, "diagnosis": {"": "–"}})
    names = ("parameter", "of", "model", "prior", "likelihood", "diagnosis")
    return frame_table(frame, "Sensitivity by power-scaling", *names)
