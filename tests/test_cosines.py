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
from bayesbias.tables.cosines import table_cosines
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
    write_table(table, tmp_path / "table.csv")
    words = ["y3", "x1", "x2"]
    unit = np.array([vectors[word] / np.linalg.norm(vectors[word]) for word in words])
    for carrier in (table, *(read_table(tmp_path / f"table.{end}") for end in ("parquet", "csv"))):
        found = table_cosines(carrier.sample(frac=1, random_state=1), words)
        np.testing.assert_allclose(found, unit @ unit.T, atol=5.1e-5)  # rounded to four decimals
    assert not table_cosines(table, ["x1", "unknown"]).size


def test_simulated_tables_carry_the_cosines_of_their_batch() -> None:
    batch = scenario("vocabulary").simulate(3, seed=1).first(2)
    for index in range(2):
        table = batch.table(index)
        words = [*table["protected_word"].unique(), *table["attribute"].unique()]
        assert batch.cosines is not None
        found = table_cosines(table, words)
        np.testing.assert_allclose(found, batch.cosines[index], atol=5e-5)  # rounded
    assert "cosines" not in scenario("independent").table(1).attrs


def test_cosines_next_to_a_csv_file_follow_the_table(table: pd.DataFrame, tmp_path: Path) -> None:
    place = tmp_path / "table.cosines.csv"
    write_table(table, tmp_path / "table.csv")
    assert place.is_file()
    place.write_text("word,x1\nx1,high\n", encoding="utf-8")
    with pytest.raises(ValueError, match="does not hold the cosines"):
        read_table(tmp_path / "table.csv")
    bare = table.copy()
    bare.attrs.clear()
    write_table(bare, tmp_path / "table.csv")
    assert not place.exists()
