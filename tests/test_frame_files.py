"""Frames as text: what is read back is what was packed, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from bayesbias._core.store import pack_frame, read_result, unpack_frame, write_result


def through_text(frame: pd.DataFrame) -> pd.DataFrame:
    return unpack_frame(json.loads(json.dumps(pack_frame(frame))))


@given(st.lists(st.floats(allow_nan=False), max_size=20), st.sampled_from([np.float64, np.float32]))
def test_floats_keep_their_bits(values: list[float], kind: type) -> None:
    with np.errstate(over="ignore"):
        frame = pd.DataFrame({"x": np.asarray(values, dtype=kind)})
    back = through_text(frame)
    assert back["x"].dtype == frame["x"].dtype
    assert back["x"].to_numpy().tobytes() == frame["x"].to_numpy().tobytes()


@given(st.lists(st.text(), max_size=10))
def test_texts_stay_as_they_are(values: list[str]) -> None:
    frame = pd.DataFrame({"t": pd.Series(values, dtype="str")})
    assert_frame_equal(through_text(frame), frame, check_exact=True)


def test_types_categories_missing_values_and_attrs_are_kept() -> None:
    order = pd.CategoricalDtype(["associated", "human"], ordered=True)
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["human", None, "associated"], dtype=order),
            "loose": pd.Categorical([3, 1, 3]),
            "text": pd.Series(["a", None, "ü\n"], dtype="str"),
            "float": [0.1 + 0.2, np.nan, -np.inf],
            "int8": np.array([1, -2, 3], dtype=np.int8),
            "large": np.array([2**63 + 1, 0, 2**64 - 1], dtype=np.uint64),
            "bool": [True, False, True],
            "mixed": pd.Series([None, 1.5, "x"], dtype=object),
        }
    )
    frame.attrs = {"warnings": ["mind"], "ci_prob": 0.89}
    back = through_text(frame)
    assert_frame_equal(back, frame, check_exact=True)
    assert back.attrs == frame.attrs
    assert back["category"].cat.ordered


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame(index=pd.RangeIndex(3))]
)
def test_empty_frames_come_back(frame: pd.DataFrame) -> None:
    assert_frame_equal(through_text(frame), frame, check_column_type=False)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (pd.DataFrame({"a": [1, 2]}, index=[1, 2]), "index 0 to n - 1"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "different names"),
        (pd.DataFrame([[1, 2]]), "names that are texts"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), "column 'when' has the type"),
        (pd.DataFrame({"a": pd.Series([[1]], dtype=object)}), "column 'a' holds a list"),
        (pd.DataFrame({"a": np.array([1j])}), "column 'a' has the type complex128"),
        (pd.DataFrame({"a": np.array([1], dtype=np.longdouble)}), "column 'a' holds a longdouble"),
    ],
)
def test_what_cannot_be_kept_is_refused(frame: pd.DataFrame, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        pack_frame(frame)


def test_attrs_that_are_no_plain_values_are_refused() -> None:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = {"x": object()}
    with pytest.raises(TypeError, match="attrs cannot be kept"):
        pack_frame(frame)


def test_a_changed_byte_anywhere_in_the_body_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    write_result(path, {"key": "k"}, b"some body")
    assert read_result(path) == b"some body"
    content = path.read_bytes()
    start = content.index(b"\n") + 1
    for place in range(start, len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        path.write_bytes(bytes(changed))
        with pytest.raises(ValueError, match="cut off or was changed"):
            read_result(path)
