"""Covariates in tables: values by word or row, and refusals by name."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import leaning, refused

import bayesbias as bb
from bayesbias.tables.covariates import with_values


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Return the distances of ten words and eight attributes."""
    return bb.distance_table(*leaning())


def test_each_row_has_the_value_of_its_word(table: pd.DataFrame) -> None:
    shares = {word: i / 7 for i, word in enumerate(dict.fromkeys(table["attribute"]))}
    full = bb.with_covariate(table, "share", pd.Series(shares | {"other": 5.0}))
    full = bb.with_covariate(full, "n", {w: int(w[1]) for w in table["protected_word"]}, of=WORD)
    full = bb.with_covariate(full, "row", np.arange(80.0), of="row")
    early = {word: share < 0.5 for word, share in shares.items()}
    full = bb.with_covariate(full, "early", early)
    assert full["early"].tolist() == (full["share"] < 0.5).tolist()
    for row in full.itertuples():
        assert (row.share, row.n) == (shares[row.attribute], int(row.protected_word[1]))
    assert full["row"].tolist() == list(range(80))
    assert full.attrs == table.attrs
    assert "share" not in table


def test_a_file_of_covariates_keeps_words_as_spelled(table: pd.DataFrame, tmp_path: Path) -> None:
    names = dict(
        zip(dict.fromkeys(table["attribute"]), ["007", "7", "nan", "true", *"abcd"], strict=True)
    )
    spelled = table.assign(attribute=table["attribute"].map(names))
    shares = pd.Series({name: i + 0.5 for i, name in enumerate(names.values())}, name="share")
    expected = spelled["attribute"].map(shares).tolist()
    for options in ({}, {"index_label": "word"}, {"sep": ";", "decimal": ","}):
        shares.to_csv(tmp_path / "shares.csv", **options)
        found = with_values(spelled, tmp_path / "shares.csv", ["share:connection"])
        assert found["share"].tolist() == expected


def test_only_the_columns_that_covariates_name_are_read_from_a_file(table, tmp_path) -> None:
    """A spreadsheet also has texts, constants, and numbers of rows."""
    words, path = [*dict.fromkeys(table["attribute"])], tmp_path / "words.csv"
    frame = pd.DataFrame({"word": words, "pos": "noun", "share": np.arange(8.0), "one": 1})
    numbers = range(1, 9)
    for numbered in (frame, frame.reset_index(names=""), frame.assign(id=numbers).iloc[:, ::-1]):
        numbered.to_csv(path, index=False)
        found = with_values(table, path, ["share"])
        assert [*found.columns] == [*table.columns, "share"]
        assert found["share"].tolist() == table["attribute"].map(words.index).tolist()
    more = pd.DataFrame({"word": ["unlisted"], "share": [np.nan]})  # its number is not needed
    pd.concat([frame, more]).to_csv(path, index=False)
    assert with_values(table, path, ["share"]).equals(found)
    frame.set_axis(numbers).to_csv(path)
    refused("'pos': no number for 8 attributes", with_values, table, path, ["pos"])
    refused("got 'word', 'pos'.* for size", with_values, table, path, ["size"])


def test_a_series_of_rows_follows_its_index(table: pd.DataFrame) -> None:
    part = table[table["attribute"] != "x_s0"]
    shuffled = pd.Series(part.index.to_numpy(float), part.index).sample(frac=1, random_state=1)
    found = bb.with_covariate(part, "row", shuffled, of="row")
    assert found["row"].tolist() == part.index.tolist()
    with pytest.raises(ValueError, match="must have the table's index"):
        bb.with_covariate(part, "row", pd.Series(np.arange(70.0)), of="row")


WORD = "protected_word"
ONES = dict.fromkeys([f"{g}_s{i}" for g in "xy" for i in range(4)], 1.0)
MIXED = ONES | {"x_s0": 2.0}

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"values": {w: n for w, n in MIXED.items() if w > "y_s1"}}, "6 attributes .x_s0, x_s1, x_s2"),
    ({"values": MIXED | {"x_s1": np.nan, "y_s2": np.inf}}, "2 attributes .x_s1, y_s2"),
    ({"values": MIXED | {"x_s1": "high"}}, "no number for 1 attribute .x_s1.; 'high' for x_s1 is"),
    ({"values": {w.title(): n for w, n in MIXED.items()}}, "8 attributes .*; 'X_S0' is not 'x_s0'"),
    ({"values": MIXED | {"x_s1": pd.Timestamp("2020-01-01")}}, "1 attribute .x_s1."),
    ({"values": MIXED | {"x_s1": pd.Timedelta(days=2), "y_s1": [2]}}, "2 attributes .x_s1, y_s1"),
    ({"values": MIXED | {"x_s1": 1j}}, "1 attribute .x_s1."),
    ({"values": pd.date_range("2020", periods=80), "of": "row"}, "no number for 80 rows"),
    ({"values": ONES}, "are all 1, so"),
    ({"values": pd.Series([*MIXED.values(), 3.0], [*MIXED, "x_s1"])}, "two values for x_s1"),
    ({"values": [1.0, 2.0]}, "pass of='row'"),
    ({"values": [1.0, 2.0], "of": "row"}, r"80 rows; got list of shape \(2,\)"),
    ({"values": [np.nan, *range(79)], "of": "row"}, "1 row .x0 and x_s0."),
    ({"values": MIXED, "name": "context"}, "have a column 'context'; choose"),
    ({"values": MIXED, "name": "a:b"}, "text without colons"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_unusable_covariates_are_refused_by_name(table, call, message) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        bb.with_covariate(table, **{"name": "share"} | call)


def test_rows_without_a_value_are_named_by_both_words(table: pd.DataFrame) -> None:
    part = table.assign(share=np.where(np.arange(80) == 43, np.nan, np.arange(80) % 7))
    pair = ", ".join(table.loc[43, ["protected_word", "attribute"]])
    refused(f"no value for {pair};", bb.fit, part, covariates="share")


def test_a_covariate_is_never_replaced(table: pd.DataFrame) -> None:
    once = bb.with_covariate(table, "share", MIXED)
    refused("drop your column first", bb.with_covariate, once, "share", MIXED)
