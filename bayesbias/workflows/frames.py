"""The frames of records of lists and of changes: from posteriors, from tables, and of words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import comparison
from .._core.checks import counted
from ..comparison.joint import posterior_at
from ..comparison.pairing import ENDS
from ..model.tree import design_of, index_of, labels, spec_of
from ..posterior.contrasts import contrast_quantiles, contrasts
from ..posterior.diagnostics import diagnostics, influence, prior_sensitivity
from ..posterior.estimands import PLAIN, WITHIN, has_cells
from ..posterior.predictive import effective_sizes
from ..posterior.slopes import slopes
from ..posterior.summaries import sd_summary, summary
from ..records.found import Frames, Question
from ..records.rows import wide_quantiles, with_quantiles
from ..tables.descriptives import PARTNERS, default_rows, probability_below
from ..tables.levels import OVERALL, at_level
from ..tables.schema import STEREOTYPES
from ..tables.word_pairs import block_means, lean_changes, word_pairs
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


LIST_READINGS: Readings = {
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

FRAMES = (*tuple(LIST_READINGS)[:8], "slopes")
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
        "words": words_by_set(wordlist, of_words["missing"]),
        "about": pd.DataFrame([{name: getattr(wordlist, name) for name in ABOUT}]),
        **of_words,
        **_raw(table),
        **{name: partial(of_models, results, name) for name in FRAMES},
        **{name: partial(lead.__getitem__, name) for name in ("sizes", "listed")},
    }
    return Frames(parts)


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


def question_of(pairs: pd.DataFrame, gaps: pd.DataFrame) -> Question:
    """Return what the overall contrast answers about the groups and sets that were measured."""
    n_groups, n_sets = pairs[["protected_group", "attribute_set"]].nunique()
    estimand = set(at_level(default_rows(gaps), OVERALL)["estimand"])
    own = pairs[pairs["own"]]
    is_shared = own["attribute_set"].nunique() == 1 and own["protected_group"].nunique() < n_groups
    if n_groups == 1:
        return Question.ALONE
    if WITHIN in estimand or (PLAIN in estimand and not is_shared):
        return Question.OWN
    if is_shared:
        return Question.SHARED
    return Question.CROSSED if n_groups == n_sets == 2 else Question.GROUPS


def words_by_set(wordlist: WordList, missing: pd.DataFrame) -> pd.DataFrame:
    """Return the words of each set, with missing ones in brackets."""
    entries = wordlist.to_frame().merge(missing, "left", indicator="found")
    entries["found"] = entries["found"] == "left_only"
    entries["which"] = entries["word"].where(entries["found"], "[" + entries["word"] + "]")
    sets = entries.groupby(["role", "set"], sort=False, as_index=False)
    return sets.agg(words=("word", "size"), found=("found", "sum"), which=("which", ", ".join))


def _has_stereotypes(tree: DataTree) -> bool:
    return set(STEREOTYPES) <= set(labels(tree, "connection"))


def _dots(tree: DataTree) -> pd.DataFrame:
    """Return 100 quantiles of the difference before, after, and of its change, in ``when``."""
    parts = {when: contrast_quantiles(posterior_at(tree, when)) for when in ENDS}
    return joined({**parts, "removed": contrast_quantiles(tree)}, "when")


CHANGE_READINGS: Readings = {
    "changes": lambda tree, of: comparison.changes(tree, **of.reading),
    "orders": lambda tree, of: (
        comparison.order_changes(tree, *STEREOTYPES, **of.reading)
        if _has_stereotypes(tree)
        else None
    ),
    "contrasts": lambda tree, of: contrasts(tree, **of.reading),
    "alignment": lambda tree, of: comparison.alignment(tree, **of.intervals),
    "check": predictive_coverage,
    "scales": lambda tree, of: sd_summary(tree, **of.intervals),
    "diagnostics": lambda tree, _: diagnostics(tree),
    "dots": lambda tree, _: _dots(tree) if _has_stereotypes(tree) else None,
}
"""Functions that read frames from the posterior of a change; all but the dots are kept."""


def change_frames(
    results: Mapping[str, ModelResult],
    before: pd.DataFrame,
    after: pd.DataFrame,
    pairs: comparison.Pairs,
) -> Frames:
    """Return the frames of a change: those of the models, and those computed from both tables."""
    ends, removed = _end_frames([*results.values()][-1])
    parts: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {
        **{"table_before": before, "table_after": after},
        **{"before_after": ends, "removed": removed},
        **{"pairs": pairs.rows, "unpaired": pairs.unpaired},
        "leans": lean_changes(pairs.rows),
        "word_pairs": word_pairs(before),
        **{name: partial(of_models, results, name) for name in CHANGE_READINGS if name != "dots"},
    }
    return Frames(parts)


def _end_frames(lead: ModelResult) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the distances before and after, and after minus before: positive moved away."""
    orders, dots = lead["orders"], lead["dots"]
    if orders.empty:
        return pd.DataFrame(columns=["when"]), pd.DataFrame(columns=["level"])
    keys = [*dict.fromkeys(zip(dots["level"], dots["protected_group"], strict=True))]
    rows = orders.set_index(["level", "protected_group"], drop=False).loc[keys]
    rows = rows[rows["level"] != "word"].reset_index(drop=True)
    whole, ends = at_level(rows, OVERALL), []
    for when in ENDS:
        names = {when: "mean", f"{when}_low": "low", f"{when}_high": "high"}
        end = whole[[*names, f"p_closer_{when}"]].rename(columns=names)
        end = end.rename(columns={f"p_closer_{when}": "p_closer"}).assign(when=when)
        values = wide_quantiles(dots[dots["when"] == when], [(OVERALL, "")])
        ends.append(with_quantiles(end, values))
    removed = rows.assign(p_closer=1 - probability_below(rows))
    of_removed = wide_quantiles(dots[dots["when"] == "removed"], keys)
    removed = with_quantiles(removed, of_removed)
    removed.attrs = orders.attrs
    return pd.concat(ends, ignore_index=True), removed


def pairing_text(attrs: Mapping[Hashable, int]) -> str:
    """Say how many rows were paired, repeated, or left out."""
    lost = attrs["n_unpaired_before"] + attrs["n_unpaired_after"]
    return (
        counted(attrs["n_pairs"], "pair")
        + (f" ({attrs['n_repeated']:,} repeated)" if attrs["n_repeated"] else "")
        + (f"; {counted(lost, 'row')} without a partner left out" if lost else "")
    )
