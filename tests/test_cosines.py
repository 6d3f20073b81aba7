"""Cosines of protected words, which travel with the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import leaning
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.nulls import scenario
from bayesbias.tables.cosines import word_cosines
from bayesbias.tables.table_files import read_table, write_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Six-dimensional vectors of two groups of five words."""
    vectors, words = leaning()
    keyed = KeyedVectors(6)
    keyed.add_vectors(list(vectors), np.array(list(vectors.values())))
    return bb.distance_table(keyed, words)


def test_cosines_are_those_of_the_words_in_any_order(table: pd.DataFrame, tmp_path: Path) -> None:
    vectors, _ = leaning()
    write_table(table, tmp_path / "table.parquet")
    words = ["y3", "x1", "x2"]
    unit = np.array([vectors[word] / np.linalg.norm(vectors[word]) for word in words])
    for carrier in (table, read_table(tmp_path / "table.parquet")):
        found = word_cosines(carrier.sample(frac=1, random_state=1), words)
        np.testing.assert_allclose(found, unit @ unit.T, atol=1e-6)  # float32 vectors
    assert not word_cosines(table, ["x1", "unknown"]).size


def test_simulated_tables_carry_the_cosines_of_their_batch() -> None:
    batch = scenario("unit-vectors").simulate(3, seed=1).first(2)
    for index in range(2):
        table = batch.table(index)
        found = word_cosines(table, table["protected_word"].unique().tolist())
        np.testing.assert_array_equal(found, batch.word_cosines[index])
    assert "word_cosines" not in scenario("independent").table(1).attrs
