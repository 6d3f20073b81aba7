"""The frames of a list's record: those read from posteriors, and those computed from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.tree import design_of, index_of, labels, spec_of
from ..posterior.contrasts import contrast_quantiles, contrasts
from ..posterior.diagnostics import diagnostics, influence, prior_sensitivity
from ..posterior.predictive import effective_sizes
from ..posterior.slopes import slopes
from ..posterior.summaries import sd_summary, summary
from ..records.lists import Question
from ..records.rows import QUANTILES, with_quantiles
from ..sampling.options import FitOptions
from ..tables.descriptives import PARTNERS, default_rows, probability_below
from ..tables.word_pairs import baseline_leans, block_means, word_leans, word_pairs
from ..tables.wordlists import WordList
from .results import Readings, predictive_coverage

if TYPE_CHECKING:
    from xarray import DataTree


def _influence(tree: DataTree, _: FitOptions) -> pd.DataFrame:
    """Return each word's influence on the main contrast, or nothing if the model is not Normal."""
    if spec_of(tree).likelihood != "normal":
        return pd.DataFrame()
    present = labels(tree, "connection")
    return influence(tree, "associated", next(name for name in PARTNERS if name in present))


def _sizes(tree: DataTree, _: FitOptions) -> pd.DataFrame:
    """Return the effective sizes of groups and sets, or an empty frame without cosines."""
    design = design_of(tree)
    known = design.word_likeness.size and design.attribute_likeness.size
    return effective_sizes(tree) if known else pd.DataFrame()


def _listed(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return contrasts for exactly the words of a table, or nothing if a connection is missing."""
    n_words, n_kinds = (len(labels(tree, name)) for name in ("protected_word", "connection"))
    cells = index_of(tree, "word_index") * n_kinds + index_of(tree, "connection_index")
    if len(np.unique(cells)) < n_words * n_kinds:
        return pd.DataFrame()
    return contrasts(tree, **options.reading, over="listed")


def _slopes(tree: DataTree, options: FitOptions) -> pd.DataFrame:
    """Return the slopes of covariates, or nothing if the model has none."""
    if not spec_of(tree).terms_of("covariate"):
        return pd.DataFrame()
    return slopes(tree, **options.intervals)


READINGS: Readings = {
    "summary": lambda tree, options: summary(tree, **options.intervals),
    "contrasts": lambda tree, options: contrasts(tree, **options.reading),
    "check": predictive_coverage,
    "scales": lambda tree, options: sd_summary(tree, **options.intervals),
    "sensitivity": lambda tree, _: prior_sensitivity(tree),
    "diagnostics": lambda tree, _: diagnostics(tree),
    "influence": _influence,
    "sizes": _sizes,
    "listed": _listed,
    "quantiles": lambda tree, _: contrast_quantiles(tree),
    "slopes": _slopes,
}
"""Functions that read frames from a list's posterior; ``listed`` covers only the list's words."""

FRAMES = (*tuple(READINGS)[:7], "slopes")
"""Frames that are written for each model, with the model's name in the column ``model``."""


def headline_frame(gaps: pd.DataFrame, quantiles: pd.DataFrame) -> pd.DataFrame:
    """Return the default rows of contrasts with their probabilities and 100 quantiles.

    Both frames come from one mixture, so dots and probabilities agree.
    """
    rows = default_rows(gaps).reset_index(drop=True)
    wide = quantiles.pivot_table("value", ["level", "protected_group"], "probability", sort=False)
    values = wide.loc[list(zip(rows["level"], rows["protected_group"], strict=True))].to_numpy()
    rows = rows.assign(p_closer=probability_below(rows))
    return with_quantiles(rows, values[:, : len(QUANTILES)])


def table_frames(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the raw data behind a contrast: pairs, blocks, leans, baselines, and steps."""
    pairs, leans = word_pairs(table), word_leans(table)
    blocks = block_means(pairs)
    matching = float(blocks.loc[blocks["own"], "cosine_distance"].mean())
    crossed = float(blocks.loc[~blocks["own"], "cosine_distance"].mean())
    steps = {"matching": matching, "crossed": crossed, "difference": crossed - matching}
    return {
        "pairs": pairs,
        "blocks": blocks,
        "leans": leans,
        "baselines": baseline_leans(leans),
        "steps": pd.DataFrame(steps.items(), columns=["step", "value"]),
    }


def question_of(pairs: pd.DataFrame) -> Question:
    """Return what can be asked about the groups and sets that were measured."""
    n_groups, n_sets = pairs[["protected_group", "attribute_set"]].nunique()
    if n_sets == 1:
        return Question.SHARED
    return Question.CROSSED if n_groups == 2 else Question.GROUPS


def words_frame(wordlist: WordList, missing: pd.DataFrame) -> pd.DataFrame:
    """Return the words of each set, with missing ones in brackets."""
    entries = wordlist.to_frame().merge(missing, "left", indicator="found")
    entries["found"] = entries["found"] == "left_only"
    entries["which"] = entries["word"].where(entries["found"], "[" + entries["word"] + "]")
    sets = entries.groupby(["role", "set"], sort=False, as_index=False)
    return sets.agg(words=("word", "size"), found=("found", "sum"), which=("which", ", ".join))


def about_frames(
    wordlist: WordList, forms: Mapping[str, str], others: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """Return the note, source, and license of a list, and the forms of its words.

    ``forms`` are those in which words were found, and ``others`` those of missing words.
    """
    about = {name: getattr(wordlist, name) for name in ("note", "reference", "license")}
    frames = {"forms": forms, "others": others}
    return {"about": pd.DataFrame([about])} | {
        name: pd.DataFrame(list(pairs.items()), columns=["word", "form"])
        for name, pairs in frames.items()
    }
