"""The page of one word list: what was measured, and what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import pandas as pd

from .. import plots
from ..plots.forests import MEANINGS as SCALE_MEANINGS
from ..tables.descriptives import contrast_of
from ..tables.levels import GROUP, OVERALL, WORD, at_level
from ..tables.schema import THIN_MARK
from ..workflows.reference import band
from ..workflows.wordlist import Analysis
from .numbers import probability_name
from .wording import (
    ALL_GROUPS,
    MEANINGS,
    NO_VERDICTS,
    distances,
    doubts_of,
    headline_rows,
    lines_of,
    models,
)
from .wording import reference as places
from .wording.thin import with_marks
from .writer import Block, Figure, Line, Page, Section, Table, table

MOST_GROUPS = 8
"""Groups for which the neighborhood of one word is drawn."""

QUESTIONS = (
    "Three measures, three questions. The contrast asks whether a group's own stereotypes lie "
    "closer than those of others, for words and attributes like these. WEAT's p asks how many of "
    "all ways to split these very words into two groups differ as much. The z among random words "
    "asks whether two random sets of words of the vocabulary differ as much. Reference lists give "
    "the contrast of other words."
)
FREQUENCY = (
    "Distances follow how frequent words are. That is why the contrast is compared with words of "
    "like frequency."
)
LEFT_OUT = (
    "Every protected word and every attribute is left out in turn. A word that moves the contrast "
    "much is a reason to look at that word, and none to leave it out."
)
SPREAD = (
    "The single distances, before any model: where they spread widely, a mean says little about "
    "any one pair. The models split the spread into standard deviations, in units of distance: "
    "between protected words, between attribute words where the model has that, and what remains "
    "for single pairs."
)
NEIGHBORS = (
    "What lies closest to one protected word of each group: here you see which attributes carry "
    "the means."
)
PRIORS = (
    "Priors and data are weighted a little more and a little less, one after the other; a "
    "parameter that moves with the priors leans on them."
)
ALLOWED = (
    "What the numbers of this list allow to be said, by the interval of the contrast and its place "
    "among reference lists:"
)
NOTHING_ABOUT_PEOPLE = Line(
    "Nothing about people",
    "A distance is about how words are used in the texts that the embedding was made from. It says "
    "nothing on what people of a group are like, and not by itself what the authors of the texts "
    "believed.",
)
NO_VERDICT = Line(
    "No verdict",
    "Neither “biased” nor “fair” follows from an interval. Whether a system built on the embedding "
    "does harm has to be measured on that system.",
)
DIFFERENCE = Line(
    "Difference, probability of direction",
    "First − second; below zero, the first lies closer. The probability of direction is the "
    "probability that the difference has the sign that it most likely has: from 50%, when nothing "
    "is known, to 100%.",
)


def list_page(analysis: Analysis) -> Page:
    """Return the page of one word list."""
    wordlist, measured = analysis.wordlist, analysis.table
    counts = [measured[name].nunique() for name in ("connection", "protected_word")]
    return Page(
        kind="Cosine distances in a word embedding",
        title=f"{wordlist.title or wordlist.name}, in {analysis.settings.embedding}",
        lede=f"How close {counts[0]} kinds of words lie to {counts[1]} protected words of "
        f"{measured['protected_group'].nunique()} groups, how sure that is, and what does not "
        "follow from it.",
        sections=_sections(analysis),
        facts=_facts(analysis),
        doubts=doubts_of(analysis.results),
    )


def _sections(analysis: Analysis) -> list[Section]:
    reference = analysis.reference is not None
    several, moving = len(analysis.results) > 1, not analysis.lead.influence.empty
    since = analysis.since is not None
    return [
        Section("found", "What was found", _found(analysis)),
        *([Section("reference", "Other measures", _reference(analysis))] if reference else []),
        *([Section("since", "Since an earlier run", _since(analysis))] if since else []),
        Section("reading", "How to read this", [_reading(analysis)]),
        Section("measured", "What was measured", _measured(analysis)),
        Section("missing", "What was missing", _missing(analysis)),
        Section("words", "Groups and words", _means(analysis)),
        Section("contrasts", "Differences", _contrasts(analysis)),
        *([Section("driving", "Which words it hangs on", _driving(analysis))] if moving else []),
        *([Section("models", "What the model changes", _models(analysis))] if several else []),
        Section("spread", "How the distances spread", _spread(analysis)),
        Section("neighbors", "Around single words", _neighbors(analysis.table)),
        Section("check", "Does the model fit", _check(analysis)),
        Section("limits", "What may not be concluded", _limits(analysis)),
    ]


def _found(analysis: Analysis) -> list[Block]:
    lead, settings = distances.headline(analysis), analysis.settings
    (first, second), rows = (
        distances.gap_pair(analysis),
        headline_rows(distances.leading_contrast(analysis)),
    )
    if analysis.reference is not None:
        rows = band(analysis.reference, rows)
    draw = partial(plots.contrast_forest, rows, first=first, second=second, rope=settings.rope)
    texts = distances.contrast_texts(analysis.lead, (first, second), settings.ci_prob)
    return [
        lead.about,
        lead.lines,
        Figure(f"headline-{analysis.lead.spec.name}", draw, *texts),
        distances.closeness_sentences(analysis)[0],
        *places.place_sentences(analysis),
        f"{NO_VERDICTS}; see what may not be concluded.",
    ]


def _reference(analysis: Analysis) -> list[Block]:
    reference = analysis.reference
    if reference is None:
        return []
    rows = reference.placed.assign(
        protected_group=reference.placed["protected_group"].replace("", ALL_GROUPS),
        lists=reference.placed["match"].map(places.SHORT),
    )
    names = ("lists", "protected_group", "mean", "reference_low", "reference_high", "percentile")
    forest = partial(plots.contrast_forest, reference.placed, second="different")
    ranks = partial(plots.distances_by_rank, analysis.table, reference.ranks)
    return [
        QUESTIONS,
        Figure("reference", forest, *places.reference_texts(reference)),
        places.pair_lines(analysis),
        *filter(None, [places.whole_list(reference)]),
        table(rows, "This list among reference lists", *names, sign=True),
        FREQUENCY,
        Figure("ranks", ranks, *places.rank_texts(analysis.table, reference)),
    ]


def _since(analysis: Analysis) -> list[Block]:
    if analysis.since is None or analysis.since.empty:
        return ["Nothing changed."]
    return [table(analysis.since, "What changed")]


def _reading(analysis: Analysis) -> list[Line]:
    settings = analysis.settings
    kinds = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items())
    fitted = "; ".join(
        f"{name} – {result.spec.title or 'no title'}" for name, result in analysis.results.items()
    )
    return [
        Line(
            "Distance",
            "Cosine distance, 1 minus the cosine of the angle between two word vectors: 0 for the "
            "same direction, 1 for directions that have nothing in common, 2 for opposite ones. "
            "Smaller is closer: the two words are used in more similar surroundings.",
        ),
        Line("Connection", f"How an attribute stands to a protected word. {kinds}."),
        Line(
            f"{probability_name(settings.ci_prob)} interval",
            f"{settings.about_interval}: given the model and these words, the value lies in it "
            "with that probability.",
        ),
        DIFFERENCE,
        Line(
            "ROPE, probability of no practical difference",
            f"Differences smaller than ±{settings.rope:g} are taken to make no difference in "
            "practice (region of practical equivalence); the probability is that of one so small.",
        ),
        Line("Model", f"Which hierarchical model was fitted: {fitted}."),
    ]


def _measured(analysis: Analysis) -> list[Block]:
    wordlist, rows = analysis.wordlist, analysis.table.groupby("connection", observed=True)
    frame = pd.DataFrame(
        {
            "distances": rows.size(),
            "attributes": rows["attribute"].nunique(),
            "plain mean": rows["cosine_distance"].mean(),
        }
    ).reset_index()
    frame["connection"] = frame["connection"].astype(str)
    frame.insert(1, "meaning", frame["connection"].map(MEANINGS))
    sets, lost = _sets(wordlist.to_frame()), _sets(analysis.missing)
    n_lost = sets.merge(lost, "left", on=["role", "set"])["words_y"].fillna(0).astype(int)
    sets = sets.assign(found=sets["words"] - n_lost)
    source = f" ({wordlist.reference})" if wordlist.reference else ""
    return [
        f"The list {wordlist.name}{source} in the embedding {analysis.settings.embedding}: "
        f"{len(analysis.table):,} distances, one for each pair of a protected word and an "
        "attribute.",
        table(frame, "Distances by connection"),
        table(sets, "The list, set by set", "role", "set", "words", "found", "which"),
        *([f"License of the list: {wordlist.licence}"] if wordlist.licence else []),
    ]


def _sets(words: pd.DataFrame) -> pd.DataFrame:
    """Return one row a set, with the number of its words and the words."""
    sets = words.groupby(["role", "set"], sort=False)["word"]
    return sets.agg(words="size", which=", ".join).reset_index()


def _missing(analysis: Analysis) -> list[Block]:
    lost = _sets(analysis.missing).rename(columns={"words": "missing"})
    forms = ", ".join(f"{word} as {form}" for word, form in analysis.resolved_forms.items())
    notices = [Line("", text) for text in analysis.notices]
    warned: tuple[Block, ...] = ("Warnings on the way:", notices)
    return [
        *distances.missing_sentences(analysis),
        *([table(lost, "Missing words")] if len(lost) else []),
        *([f"Read in another form (case “{analysis.settings.case}”): {forms}."] if forms else []),
        *(warned if notices else ()),
    ]


def level_table(
    frame: pd.DataFrame,
    level: str,
    caption: str,
    *,
    ci_prob: float,
    sign: bool = False,
    extra: Sequence[str] = ("p_direction", "p_rope"),
) -> Table:
    """Show means or contrasts of one level, the rows that models have in common side by side."""
    frame, name = at_level(frame, level), "connection"
    if "first" in frame:
        frame, name = frame.assign(contrast=frame["first"] + " − " + frame["second"]), "contrast"
    keys = {OVERALL: [], GROUP: ["protected_group"], WORD: ["protected_word", "protected_group"]}
    names = [*keys[level], name]
    frame = beside(frame, *names)
    shown = (*names, "model", "mean", "interval", *extra)
    return table(frame, caption, *shown, ci_prob=ci_prob, sign=sign, marked=THIN_MARK)


def beside(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Place the rows that models have in common side by side, in the first one's order."""
    return pd.concat(part for _, part in frame.groupby(list(names), sort=False))


def _means(analysis: Analysis) -> list[Block]:
    lead, ci_prob = analysis.lead, analysis.settings.ci_prob
    frame = with_marks(analysis, analysis.frame("summary"))
    captions = {
        OVERALL: "Overall mean distances",
        GROUP: "Mean distances by group",
        WORD: "Mean distances by word",
    }
    return [
        "The mean distance of each kind of attribute: for the population that the protected words "
        "stand for, for every group and every word. The dashed line is 1.",
        Figure(
            f"forest-{lead.spec.name}",
            partial(plots.forest, lead.summary),
            *distances.forest_texts(lead, ci_prob),
        ),
        *(level_table(frame, level, text, ci_prob=ci_prob) for level, text in captions.items()),
    ]


def _contrasts(analysis: Analysis) -> list[Block]:
    lead, settings = analysis.lead, analysis.settings
    first, second = pair = distances.gap_pair(analysis)
    marked = with_marks(analysis, analysis.frame("contrasts"))
    rows = contrast_of(lead.contrasts, first, second)
    draw = partial(plots.contrast_forest, rows, first=first, second=second, rope=settings.rope)
    show = partial(level_table, ci_prob=settings.ci_prob, sign=True)
    leading = contrast_of(marked, first, second)
    return [
        f"{first.capitalize()} − {second} with the words that it averages over, and all other "
        "differences.",
        Figure(
            f"contrasts-{lead.spec.name}",
            draw,
            *distances.contrast_texts(lead, pair, settings.ci_prob),
        ),
        show(leading, GROUP, "This difference by group"),
        show(leading, WORD, "This difference by word"),
        show(marked, OVERALL, "All differences, overall"),
    ]


def _driving(analysis: Analysis) -> list[Block]:
    frame = analysis.lead.influence
    first, second = distances.gap_pair(analysis)
    names = ("name", "of", "mean_without", "change", "sds")
    return [
        f"{first.capitalize()} − {second}, overall. {LEFT_OUT} "
        f"{distances.influence_sentence(analysis.lead)}",
        Figure(
            "influence",
            partial(plots.influence, frame),
            *distances.influence_texts(analysis.lead),
        ),
        table(frame, "The contrast without each word", *names),
    ]


def _models(analysis: Analysis) -> list[Block]:
    frame = analysis.comparison
    compared: list[Block] = []
    if frame is not None:
        rows = frame["left_out"].iloc[0] == "row"
        names = ("model", "elpd", *(("p",) if rows else ("se",)), "elpd_diff", "dse")
        caption = "distances left out (PSIS-LOO)" if rows else "attribute words left out"
        more = "n_bad_k" if rows else "n_words"
        best = Line(frame["model"].iloc[0], models.loo_sentence(frame))
        compared = [table(frame, f"Prediction of {caption}", *names, more), [best]]
    changes = models.change_lines(analysis, distances.gap_pair(analysis))
    return [f"The same distances under {len(analysis.results)} models.", changes, *compared]


def _spread(analysis: Analysis) -> list[Block]:
    lead, frame = analysis.lead, analysis.frame("scales")
    frame = frame[frame["parameter"].isin(list(SCALE_MEANINGS))]
    frame = frame.assign(
        spread=frame["parameter"].map(SCALE_MEANINGS), of=frame["of"].replace("", "all")
    )
    measured = partial(plots.distributions, analysis.table)
    scales = partial(plots.scales, lead.scales)
    names = ("spread", "of", "model", "mean", "interval")
    return [
        SPREAD,
        Figure("distributions", measured, *distances.distribution_texts(analysis.table)),
        Figure(f"scales-{lead.spec.name}", scales, *models.scales_texts(lead)),
        table(frame, "Standard deviations", *names, ci_prob=analysis.settings.ci_prob),
    ]


def _neighbors(measured: pd.DataFrame) -> list[Block]:
    """Return the surroundings of the first word of every group."""
    words = measured.drop_duplicates("protected_group")[["protected_group", "protected_word"]]
    figures = []
    for at, (group, word) in enumerate(words.head(MOST_GROUPS).itertuples(index=False), 1):
        ending = re.sub(r"[^a-z0-9]+", "-", str(word).lower()).strip("-")[:40] or "word"
        draw = partial(plots.neighbourhood, measured, str(word))
        texts = distances.neighbourhood_texts(measured, word, group)
        figures.append(Figure(f"neighbourhood-{at}-{ending}", draw, *texts))
    return [NEIGHBORS, *figures]


def _check(analysis: Analysis) -> list[Block]:
    lead, ci_prob = analysis.lead, analysis.settings.ci_prob
    ci = probability_name(ci_prob)
    draw = partial(
        plots.predictive_check,
        lead.posterior,
        ci_prob=ci_prob,
        intervals=lead.predictive[ci_prob],
    )
    sensitivity = beside(analysis.frame("sensitivity"), "parameter", "of")
    sensitivity = sensitivity.replace({"of": {"": "all"}, "diagnosis": {"": "–"}})
    names = ("parameter", "of", "model", "prior", "likelihood", "diagnosis")
    return [
        f"A model that fits expects about {ci} of the measured distances inside its {ci} "
        "predictive intervals, in every connection.",
        lines_of(analysis.results, partial(models.coverage_sentence, ci_prob=ci_prob)),
        Figure(f"check-{lead.spec.name}", draw, *models.check_texts(lead, ci_prob)),
        coverage_table(analysis.frame("check")),
        PRIORS,
        lines_of(analysis.results, models.sensitivity_sentence),
        table(sensitivity, "Sensitivity by power-scaling", *names),
    ]


def coverage_table(frame: pd.DataFrame, counted: str = "distances") -> Table:
    """Show the share of what was measured inside the predictive intervals."""
    frame = frame.rename(columns={"n_rows": counted})
    names = ("model", "ci_prob", "connection", counted, "coverage")
    return table(frame, "Predictive coverage", *names)


def _limits(analysis: Analysis) -> list[Block]:
    conclusions = [Line("", text) for text in places.conclusions(analysis)]
    allowed: tuple[Block, ...] = (ALLOWED, conclusions)
    note = analysis.wordlist.note
    closeness = " ".join(distances.closeness_sentences(analysis))
    return [
        *(allowed if conclusions else ()),
        [
            NOTHING_ABOUT_PEOPLE,
            Line(
                "Listing a stereotype does not endorse it",
                f"The list's own note: {note}" if note else "The list has no note of its own.",
            ),
            NO_VERDICT,
            Line(
                "A distance of 1 is not a sign of fairness",
                f"{closeness} Words that occur in ordinary sentences share some of their "
                "surroundings, so a distance below 1 is what ordinary language gives. Compare with "
                "the control words, not with 1.",
            ),
            Line("Few words carry much", distances.few_attributes(analysis)),
            Line(
                "This embedding only",
                "Other texts, another size, another method of training give other vectors, and "
                "what holds here need not hold there.",
            ),
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
        Line("posterior.nc", f"The posterior of {lead.spec.name} once more."),
    ]
