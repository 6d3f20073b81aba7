"""The cache of results: what is read back is what was kept, bit for bit, and damage is noticed."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from bayesbias._core.store import open_store, pack_frame, result_key, unpack_frame


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


def test_types_missing_values_and_attrs_are_kept() -> None:
    frame = pd.DataFrame(
        {
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


ODD_ATTRS = pd.DataFrame({"a": [1]})
ODD_ATTRS.attrs = {"x": object()}


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (pd.DataFrame({"a": [1, 2]}, index=[1, 2]), "index values are different"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "shape mismatch"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), "Timestamp is not JSON"),
        (pd.DataFrame({"a": np.array([1j])}), "complex is not JSON"),
        (pd.DataFrame({"c": pd.Categorical(["b"], ["b", "a"])}), "CategoricalDtype"),
        (ODD_ATTRS, "Object of type object"),
    ],
)
def test_what_would_not_come_back_as_it_is_is_refused(frame: pd.DataFrame, why: str) -> None:
    with pytest.raises(TypeError, match=f"cannot be kept as JSON: .*{why}"):
        pack_frame(frame)


def test_the_key_follows_settings_and_version_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = result_key({"x": 1, "y": [1.5, "z"]})
    assert base == result_key({"y": (1.5, "z"), "x": 1})
    assert base != result_key({"x": 2, "y": [1.5, "z"]})
    assert len(base) == 64
    for odd in (np.float32(1), float("nan")):
        with pytest.raises(ValueError, match="settings must be texts, finite numbers"):
            result_key({"x": odd})
    monkeypatch.setattr("bayesbias._core.store.__version__", "99")
    assert base != result_key({"x": 1, "y": [1.5, "z"]})


def test_many_results_are_found_again(tmp_path: Path) -> None:
    results = {f"key {i}": {"value": i / 3} for i in range(1200)}
    with open_store(tmp_path / "store") as store:
        store.keep(results)
    with open_store(tmp_path / "store") as store:
        assert store.find([*results, "another"]) == results
        store.keep({"key 1": None})
        assert store.find(["key 1", "key 1"]) == {"key 1": None}


def test_no_changed_byte_gives_another_result(tmp_path: Path) -> None:
    """Wherever it is: the result comes back, or it is missing, or the file is refused."""
    path = tmp_path / "store"
    with open_store(path) as store:
        store.keep({"key": "some content" * 20})
    content = path.read_bytes()
    told = 0
    for offset in range(len(content)):
        if not content[offset] and offset % 16:  # most of the file is room that is empty
            continue
        path.write_bytes(content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :])
        with (
            warnings.catch_warnings(record=True) as seen,
            contextlib.suppress(ValueError, OSError),
            open_store(path) as store,
        ):
            warnings.simplefilter("always")
            assert store.find(["key"]) in ({"key": "some content" * 20}, {})
        told += any("are damaged; they are computed again" in str(one.message) for one in seen)
    assert told >= 20 * 12 + 64, "every byte of the content and of its hash"


def test_a_result_under_another_ones_key_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with open_store(path) as store:
        store.keep({"one": 1.0, "other": 2.0})
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM results WHERE key = 'other'")
        connection.execute("UPDATE results SET key = 'other'")
    connection.close()
    with (
        open_store(path) as store,
        pytest.warns(UserWarning, match=r"1 result\(s\) in .*store are damaged"),
    ):
        assert store.find(["one", "other"]) == {}


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_file_that_is_cut_off_or_something_else_is_told_of(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "store"
    with open_store(path) as store:
        store.keep({f"key {i}": "content" for i in range(100)})
    path.write_bytes(path.read_bytes()[:keep])
    if keep == 0:  # as if it were new
        with open_store(path) as store:
            assert store.find(["key 1"]) == {}
        return
    with (
        pytest.raises(ValueError, match=r"store is no file of results, or is damaged \(.*move it"),
        open_store(path) as store,
    ):
        store.find([f"key {i}" for i in range(100)])


def test_places_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        open_store(tmp_path / "nowhere" / "store").__enter__()
    with pytest.raises(OSError, match=f"results cannot be kept in {tmp_path}: unable to open"):
        open_store(tmp_path).__enter__()


WRITER = """
import sys
from bayesbias._core.store import open_store
with open_store(sys.argv[1]) as store:
    for i in range(200):
        store.keep({f"{sys.argv[2]} {i}": i})
"""


def test_two_processes_use_a_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    runs = [subprocess.Popen([sys.executable, "-c", WRITER, path, name]) for name in "ab"]
    assert [run.wait(timeout=100) for run in runs] == [0, 0]
    with open_store(path) as store:
        assert len(store.find(f"{name} {i}" for name in "ab" for i in range(200))) == 400


def test_a_header_without_a_database_is_damage(tmp_path: Path) -> None:
    """SQLite calls it an unsupported format, by the class of errors of full disks."""
    path = tmp_path / "results.sqlite"
    path.write_bytes(b"SQLite format 3\x00\x10\x00\x01\x01\x00@  " * 2)
    with pytest.raises(ValueError, match="is damaged"), open_store(path):
        pass
