"""More than two embeddings: the same pairs of words in each, compared two by two."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from .._core.random import as_seed_sequence
from ..model.defaults import RECOMMENDED
from ..model.spec import ModelSpec
from ..posterior.contrasts import contrasts
from ..posterior.summaries import in_front
from ..sampling.options import (
    DEFAULT_ROPE,
    FitKeywords,
    FitOptions,
    fit_options,
    shows_fit_keywords,
)
from ..tables.schema import require_columns, validate
from .changes import changes
from .joint import compare

if TYPE_CHECKING:
    from xarray import DataTree

type EmbeddingPair = tuple[str, str]

KINDS = {"connections": changes, "contrasts": contrasts}
"""What can be compared between embeddings: means, or differences of connections."""


@shows_fit_keywords
def compare_embeddings(
    table: pd.DataFrame,
    model: str | Path | ModelSpec = RECOMMENDED["change"],
    *,
    priors: Mapping[str, Any] | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> dict[EmbeddingPair, DataTree]:
    """Compare every two embeddings of one table, row by row.

    Parameters
    ----------
    table : DataFrame
        A long-form table with the column ``embedding``, such as the tables of several embeddings
        put below each other with ``pd.concat``.
    model, priors, options, **keywords
        As for `compare`.

    Returns
    -------
    dict of (str, str) to DataTree
        For every two embeddings, in the order of the table, the posterior of second - first.

    Raises
    ------
    ValueError
        If the column is missing or names fewer than two embeddings, and as `compare` does.

    Notes
    -----
    Each comparison is a model of its own on the rows that its two embeddings share. With three
    embeddings A, B, C, the means of C - A are therefore those of (B - A) + (C - B) only up to how
    far each is drawn to its overall mean.
    """
    require_columns(table, ("embedding",))
    valid = validate(table)
    valid["embedding"] = valid["embedding"].astype(str)
    parts = {str(name): part for name, part in valid.groupby("embedding", sort=False)}
    if len(parts) < 2:
        raise ValueError(
            f"the table has one embedding, {next(iter(parts))!r}; comparing needs two or more"
        )
    chosen = list(combinations(parts, 2))
    options = fit_options(options, keywords)
    seeds = as_seed_sequence(options.seed).spawn(len(chosen))
    return {
        (first, second): compare(
            parts[first],
            parts[second],
            model,
            priors=priors,
            options=options.of_fit(seed=own),
        )
        for (first, second), own in zip(chosen, seeds, strict=True)
    }


def embedding_changes(
    trees: Mapping[EmbeddingPair, DataTree],
    of: str = "contrasts",
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
) -> pd.DataFrame:
    """Differences between embeddings in one frame.

    Parameters
    ----------
    trees : mapping of (str, str) to DataTree
        As `compare_embeddings` gives it.
    of : {"contrasts", "connections"}
        Differences of contrasts, such as associated - human, or of the means of connections.
        Embeddings differ in how close words lie altogether, which says nothing about bias;
        contrasts are free of it.
    ci_prob, rope, ci_kind
        As for `bb.contrasts`.

    Returns
    -------
    DataFrame
        ``first_embedding``, ``second_embedding``, then the columns of `bb.contrasts` or
        `changes`, of second - first.
    """
    if of not in KINDS:
        raise ValueError(unknown_name("kind of difference", of, KINDS))
    frames = []
    for (first, second), tree in trees.items():
        frame = KINDS[of](tree, ci_prob, rope, ci_kind)
        frames.append(in_front(frame, first_embedding=first, second_embedding=second))
    joined = pd.concat(frames, ignore_index=True)
    joined.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return joined
