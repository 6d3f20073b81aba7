"""More than two embeddings, compared two by two."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from builders import FAST, only_row

from bayesbias import comparison


def joint_table(toy_table: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    parts = []
    for name, shift in (("a", 0.0), ("b", 0.05), ("c", 0.15)):
        moved = np.where(toy_table["connection"] == "associated", shift, 0.0)
        noise = 0.01 * rng.standard_normal(len(toy_table))
        distance = toy_table["cosine_distance"] + moved + noise
        parts.append(toy_table.assign(cosine_distance=distance, embedding=name))
    return pd.concat(parts, ignore_index=True)


def test_embeddings_are_compared_two_by_two(toy_table: pd.DataFrame) -> None:
    trees = comparison.compare_embeddings(joint_table(toy_table), seed=1, **FAST)
    assert list(trees) == [("a", "b"), ("a", "c"), ("b", "c")]
    frame = comparison.embedding_changes(trees)
    top = frame[(frame["level"] == "overall") & (frame["first"] == "associated")]
    top = top[top["second"] == "human"]
    for low, high, truth in zip(top["low"], top["high"], (0.05, 0.15, 0.10), strict=True):
        assert low < truth < high
    means = comparison.embedding_changes(trees, "connections")
    assert {"before", "after", "p_towards_one"} <= set(means.columns)
    assert list(means.columns[:2]) == ["first_embedding", "second_embedding"]


def test_google_and_reddit_differ_in_controls_but_not_in_stereotypes(
    published: Callable[[str], pd.DataFrame],
) -> None:
    """The published religion tables; sds are .02 to .05, of 4,000 draws each."""
    names = {"google": "religion_group_google_dataset", "reddit": "religion_group_reddit_dataset"}
    table = pd.concat([published(file).assign(embedding=name) for name, file in names.items()])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*no partner")
        trees = comparison.compare_embeddings(table, "change-crossed", seed=1)
    frame = comparison.embedding_changes(trees).query("level == 'overall'")
    controls = only_row(frame, first="neutral", second="human")
    assert controls["mean"] == pytest.approx(0.064, abs=0.005)
    assert controls["low"] > 0.01  # .025
    stereotypes = frame[frame["first"].isin(["associated", "different"])]
    assert ((stereotypes["low"] < 0) & (stereotypes["high"] > 0)).all()


def test_embeddings_need_two_and_a_kind(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="lacks the column"):
        comparison.compare_embeddings(toy_table)
    with pytest.raises(ValueError, match="has one embedding, 'x'"):
        comparison.compare_embeddings(toy_table.assign(embedding="x"))
    with pytest.raises(ValueError, match="did you mean 'contrasts'"):
        comparison.embedding_changes({}, "contrast")
