"""Rows of a frame by level."""

from __future__ import annotations

import pandas as pd
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.tree import stacked
from bayesbias.posterior import summaries
from bayesbias.tables.levels import LEVELS, at_level


def test_levels_are_a_partition_of_a_frame(crossed_posterior: DataTree) -> None:
    frame = bb.contrasts(crossed_posterior)
    joined = pd.concat([at_level(frame, level) for level in LEVELS], ignore_index=True)
    pd.testing.assert_frame_equal(joined, frame)


def test_a_level_is_its_name_and_its_draws(
    crossed_posterior: DataTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = stacked(crossed_posterior, "word_mean")[:, :2].mean(axis=1)
    half, known = summaries.Level("half", "", "", draws), summaries.levels
    monkeypatch.setattr(summaries, "levels", lambda tree, over: [*known(tree, over), half])
    read = (bb.summary, bb.contrasts)
    means, gaps = (at_level(each(crossed_posterior), "half")["mean"] for each in read)
    assert means.tolist() == draws.mean(axis=0).tolist()
    assert gaps[0] == pytest.approx(means[0] - means[1])  # rounding of two sums of the same draws


def test_selected_words_keep_their_contrasts_and_rows_are_refused(
    crossed_posterior: DataTree,
) -> None:
    words = ["hers", "he"]
    chosen = crossed_posterior.sel(protected_word=words)
    whole = bb.contrasts(crossed_posterior).query("protected_word in @words")
    part = at_level(bb.contrasts(chosen), "word")
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
        (bb.check, crossed_posterior.isel(connection=[1, 0, 2, 3]), "of connection"),
        (bb.summary, single, r"select a list, such as post.sel\(protected_word=\['he'\]\)"),
    ):
        with pytest.raises(ValueError, match=fragment):
            read(tree)
