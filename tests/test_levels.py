"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias.tables.levels import LEVELS, at_level


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = bb.contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)


def test_selected_words_keep_their_contrasts_and_rows_are_refused(
    crossed_posterior: DataTree,
) -> None:
    words = ["hers", "he"]
    chosen = crossed_posterior.sel(protected_word=words)
    whole = bb.contrasts(crossed_posterior).query("protected_word in @words").drop(columns="p_most")
    part = at_level(bb.contrasts(chosen), "word").drop(columns="p_most")  # of fewer words
    keys = ["protected_word", "first", "second"]
    pd.testing.assert_frame_equal(
        part.sort_values(keys, ignore_index=True), whole.sort_values(keys, ignore_index=True)
    )
    single = crossed_posterior.sel(protected_word="he")
    for read, tree, fragment in (
        (lambda tree: bb.contrasts(tree, over="listed"), chosen, "labels of protected_word"),
        (bb.posterior_scores, chosen, "labels of protected_word were selected"),
        (bb.influence, chosen, "pass the whole posterior"),
        (bb.summary, crossed_posterior.sel(protected_group=["woman"]), "of protected_group"),
        (bb.predictive_check, crossed_posterior.isel(connection=[1, 0, 2, 3]), "of connection"),
        (bb.summary, single, r"select a list, such as post.sel\(protected_word=\['he'\]\)"),
    ):
        with pytest.raises(ValueError, match=fragment):
            read(tree)
