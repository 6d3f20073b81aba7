"""The frames of a list's record: those read from posteriors, and those computed from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.tree import design_of, index_of, labels, spec_of
from ..posterior.contrasts import contrast_quantiles, contrasts
from ..posterior.diagnostics import diagnostics, influence, prior_sensitivity
from ..posterior.estimands import has_cells
from ..posterior.predictive import effective_sizes
from ..posterior.slopes import slopes
from ..posterior.summaries import sd_summary, summary
from ..records.base import Frames
from ..records.found import Question
from ..records.rows import wide_quantiles, with_quantiles
from ..tables.descriptives import PARTNERS, default_rows, probability_below
from ..tables.word_pairs import block_means, word_pairs
from ..tables.wordlists import WordList
from .results import ModelResult, Readings, joined, of_models, predictive_coverage

if TYPE_CHECKING:
    from xarray import DataTree


def _influence(tree: DataTree) -> pd.DataFrame:
    """Return each word's influence on the main contrast."""
    present = labels(tree, "connection")
    return influence(tree, "associated", next(name for name in PARTNERS if name in present))


def _knows_cosines(tree: DataTree) -> bool:
    design = design_of(tree)
    return bool(design.word_likeness.size and design.attribute_likeness.size)


def _is_complete(tree: DataTree) -> bool:
    """Return whether every protected word has rows of every connection."""
    n_words, n_kinds = (len(labels(tree, name)) for name in ("protected_word", "connection"))
    cells = index_of(tree, "word_index") * n_kinds + index_of(tree, "connection_index")
    return len(np.unique(cells)) == n_words * n_kinds


READINGS: Readings = {
    "summary": lambda tree, of: summary(tree, **of.intervals),
    "contrasts": lambda tree, of: contrasts(tree, **of.reading),
    "check": predictive_coverage,
    "scales": lambda tree, of: sd_summary(tree, **of.intervals),
    "sensitivity": lambda tree, _: prior_sensitivity(tree),
    "diagnostics": lambda tree, _: diagnostics(tree),
    "influence": lambda tree, _: _influence(tree) if spec_of(tree).likelihood == "normal" else None,
    "attributes": lambda tree, of: (
        contrasts(tree, **of.reading, of="attribute") if has_cells(spec_of(tree)) else None
    ),
    "sizes": lambda tree, _: effective_sizes(tree) if _knows_cosines(tree) else None,
    "listed": lambda tree, of: (
        contrasts(tree, **of.reading, over="listed") if _is_complete(tree) else None
    ),
    "quantiles": lambda tree, _: contrast_quantiles(tree),
    "slopes": lambda tree, of: (
        slopes(tree, **of.intervals) if spec_of(tree).terms_of("covariate") else None
    ),
}
"""Functions that read frames from a list's posterior; ``listed`` covers only the list's words."""

FRAMES = (*tuple(READINGS)[:8], "slopes")
"""Frames that are read from each model, with the model's name in the column ``model``."""

ABOUT = ("note", "reference", "license")


def list_frames(
    results: Mapping[str, ModelResult],
    table: pd.DataFrame,
    wordlist: WordList,
    of_words: Mapping[str, pd.DataFrame],
) -> Frames:
    """Return the frames of a list: those of the models, of the table, and of the words."""
    lead = [*results.values()][-1]
    parts: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {
        "table": table,
        "headline": _headline(lead["contrasts"], lead["quantiles"]),
        "words": _words(wordlist, of_words["missing"]),
        "about": pd.DataFrame([{name: getattr(wordlist, name) for name in ABOUT}]),
        **of_words,
        **_raw(table),
        **{name: partial(of_models, results, name) for name in FRAMES},
        **{name: partial(lead.__getitem__, name) for name in ("sizes", "listed")},
        "slope_points": partial(_slope_points, lead),
    }
    return Frames(parts)


def _slope_points(lead: ModelResult) -> pd.DataFrame:
    """Return means by attribute, or by word if these vary more."""
    design, parts = design_of(lead.posterior), {}
    for place, name in enumerate(design.covariates):
        rows = pd.DataFrame({"x": design.x[:, place], "y": design.y})
        rows["attribute"] = np.array(design.attributes)[design.attribute]
        rows["protected_word"] = np.array(design.words)[design.word]
        some = rows[rows["x"] != 0]
        means = [some.groupby(key)[["x", "y"]].mean() for key in ("attribute", "protected_word")]
        most = max(means, key=lambda frame: float(frame["x"].std()))
        parts[name] = most.rename_axis("word").reset_index()
    return joined(parts, "covariate")


def _headline(gaps: pd.DataFrame, quantiles: pd.DataFrame) -> pd.DataFrame:
    """Return the default rows with probabilities and 100 quantiles, both of one mixture."""
    rows = default_rows(gaps).reset_index(drop=True)
    keys = list(zip(rows["level"], rows["protected_group"], strict=True))
    rows = rows.assign(p_closer=probability_below(rows))
    return with_quantiles(rows, wide_quantiles(quantiles, keys))


def _raw(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the raw data behind a contrast: pairs, blocks, and steps."""
    pairs = word_pairs(table)
    blocks = block_means(pairs)
    matching = float(blocks.loc[blocks["own"], "cosine_distance"].mean())
    crossed = float(blocks.loc[~blocks["own"], "cosine_distance"].mean())
    steps = {"matching": matching, "crossed": crossed, "difference": crossed - matching}
    return {
        "pairs": pairs,
        "blocks": blocks,
        "steps": pd.DataFrame(steps.items(), columns=["step", "value"]),
    }


def question_of(pairs: pd.DataFrame) -> Question:
    """Return what can be asked about the groups and sets that were measured."""
    n_groups, n_sets = pairs[["protected_group", "attribute_set"]].nunique()
    if n_sets == 1:
        return Question.SHARED
    return Question.CROSSED if n_groups == 2 else Question.GROUPS


def _words(wordlist: WordList, missing: pd.DataFrame) -> pd.DataFrame:
    """Return the words of each set, with missing ones in brackets."""
    entries = wordlist.to_frame().merge(missing, "left", indicator="found")
    entries["found"] = entries["found"] == "left_only"
    entries["which"] = entries["word"].where(entries["found"], "[" + entries["word"] + "]")
    sets = entries.groupby(["role", "set"], sort=False, as_index=False)
    return sets.agg(words=("word", "size"), found=("found", "sum"), which=("which", ", ".join))
