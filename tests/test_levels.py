"""Rows of a frame by level."""

from __future__ import annotations

from collections.abc import Iterator

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
    original = summaries.levels

    def more(tree: DataTree) -> Iterator[summaries.Level]:
        yield from original(tree)
        yield summaries.Level("half", "", "", stacked(tree, "word_mean")[:, :2].mean(axis=1))

    monkeypatch.setattr(summaries, "levels", more)
    for read in (bb.summary, bb.contrasts):
        assert len(at_level(read(crossed_posterior), "half"))
