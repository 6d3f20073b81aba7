"""Kept results: what is read back is what was kept, bit for bit, and damage is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import refused
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from bayesbias._core.jobs import pack_frame, read_results, result_key, unpack_frame


def through_text(frame: pd.DataFrame) -> pd.DataFrame:
    return unpack_frame(json.loads(json.dumps(pack_frame(frame))))[0]


@given(
    st.lists(st.tuples(st.floats(allow_nan=False), st.text()), max_size=20),
    st.sampled_from([np.float64, np.float32]),
)
def test_floats_keep_their_bits_and_texts_their_letters(
    rows: list[tuple[float, str]], kind: type
) -> None:
    with np.errstate(over="ignore"):
        numbers = np.asarray([row[0] for row in rows], dtype=kind)
    frame = pd.DataFrame({"x": numbers, "t": pd.Series([row[1] for row in rows], dtype="str")})
    back = through_text(frame)
    assert back["x"].to_numpy().tobytes() == frame["x"].to_numpy().tobytes()
    assert_frame_equal(back, frame, check_exact=True)


def test_types_missing_values_and_attrs_are_kept() -> None:
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", None, "ü\n"], dtype="str"),
            "float": [0.1 + 0.2, np.nan, -np.inf],
            "int8": np.array([1, -2, 3], dtype=np.int8),
            "bool": [True, False, True],
            "mixed": pd.Series([None, 1.5, "x"], dtype=object),
        }
    )
    frame.attrs = {"warnings": ["mind"], "ci_prob": 0.89}
    back = through_text(frame)
    assert_frame_equal(back, frame, check_exact=True)
    assert back.attrs == frame.attrs


ODD_ATTRS = pd.DataFrame({"a": [1]})
ODD_ATTRS.attrs = {"x": object()}

UNKEPT = [
    ({"a": 1}, "a job must return a DataFrame; got a dict"),
    (pd.DataFrame({"a": [1, 2]}, index=[1, 2]), "index values are different"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "shape mismatch"),
    (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), "Timestamp is not JSON"),
    (pd.DataFrame({"a": np.array([1j])}), "complex is not JSON"),
    (pd.DataFrame({"c": pd.Categorical(["b"], ["b", "a"])}), "CategoricalDtype"),
    (ODD_ATTRS, "Object of type object"),
]


@pytest.mark.parametrize(("frame", "fragment"), UNKEPT)
def test_what_would_not_come_back_as_it_is_is_refused(frame: pd.DataFrame, fragment: str) -> None:
    refused(fragment, pack_frame, frame, error=TypeError)


def test_the_key_follows_settings_and_version_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = result_key({"x": 1, "y": [1.5, "z"]})
    assert base == result_key({"y": (1.5, "z"), "x": 1})
    assert base != result_key({"x": 2, "y": [1.5, "z"]})
    assert len(base) == 64
    for odd in (np.float32(1), float("nan")):
        refused("settings must be texts, finite numbers", result_key, {"x": odd})
    monkeypatch.setattr("bayesbias._core.jobs.__version__", "99")
    assert base != result_key({"x": 1, "y": [1.5, "z"]})


DAMAGED = [b"", b"{", b"[" * 100_000, b"\xff", b"null", b"3", b'{"a": 1}']


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_result_is_left_out_with_a_warning(content: bytes, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0.1 + 0.2]})
    (tmp_path / "results").mkdir()
    for key in ("one", "other"):
        (tmp_path / "results" / f"{key}.json").write_text(json.dumps(pack_frame(frame)))
    (tmp_path / "results" / "one.json").write_bytes(content)
    with pytest.warns(UserWarning, match=r"1 result\(s\) in .*results are damaged; they are comp"):
        kept = read_results(tmp_path, ["one", "other", "none"])
    assert list(kept) == ["other"]
    assert_frame_equal(unpack_frame(kept["other"])[0], frame, check_exact=True)
