"""The frames of a sweep's cells: pandas joins them likewise, and memory does not grow with them."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from pandas.testing import assert_frame_equal

from bayesbias._core.jobs import pack_frame
from bayesbias.workflows.results import joined
from bayesbias.workflows.sweep_frames import IN_MEMORY, CellFrames

KEYS = ("embedding", "model")


def some_frames(place: int, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Return two frames of a cell; every third cell has columns that others lack."""
    n = int(rng.integers(1, 5))
    words = pd.Series(rng.choice(["", "é", "a,b", None], n), dtype="str")
    one = pd.DataFrame({"word": words, "mean": rng.normal(size=n), "n": rng.integers(9, size=n)})
    one.loc[0, "mean"] = np.nan
    if place % 3 == 0:
        mixed = pd.Series([1, "1", None, 0.5][:n], dtype=object)
        one = one.assign(flag=rng.random(n) < 0.5, mixed=mixed)
    return {"contrasts": one, "summary": one[["mean"]].astype(np.float32)}


def packed(frames: dict[str, pd.DataFrame], **about: object) -> dict[str, Any]:
    whole = joined(frames, "frame")
    whole.attrs = {"columns": {name: list(one) for name, one in frames.items()}, **about}
    return pack_frame(whole)


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_frames_are_those_that_pandas_joins(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in pieces, if cells have other columns, and if jobs share a result."""
    monkeypatch.setattr("bayesbias.workflows.sweep_frames.AT_ONCE", 10)
    rng, frames = np.random.default_rng(n), CellFrames()
    given = [some_frames(place, rng) for place in range(n)]
    kept = [frames.keep(packed(one, rows=place)) for place, one in enumerate(given)]
    cells = [((f"e{place}", "m"), one) for place, one in enumerate(kept)]
    cells.append((("copy", "m"), kept[0]))
    for name in ("contrasts", "summary"):
        alone = [joined(one, "frame").query("frame == @name")[[*one[name]]] for one in given]
        parts = {cells[place][0]: one for place, one in enumerate([*alone, alone[0]])}
        expected = joined(parts, *KEYS)
        assert_frame_equal(frames.joined(name, cells, KEYS), expected, check_exact=True)
        pieces = [*frames.pieces(name, cells, KEYS)]
        assert len(pieces) == -(-len(cells) // 10)
        assert_frame_equal(pd.concat(pieces, ignore_index=True), expected, check_exact=True)
    assert [frames.about(one) for one in kept] == [{"rows": place} for place in range(n)]


@pytest.mark.seconds
def test_memory_does_not_grow_with_the_cells() -> None:
    """The parent holds a start, an end, and two references for each cell: some 200 bytes.

    The columns of such a cell have 57 kB as a frame. Those in the file's buffer do not count.
    """
    rng, frames = np.random.default_rng(1), CellFrames()
    columns = {"level": ["word"] * 500, "word": [f"w{i}" for i in range(500)]}
    numbers = {name: rng.normal(size=500) for name in ("mean", "sd", "low", "high")}
    content = packed({"contrasts": pd.DataFrame({**columns, **numbers})})
    for _ in range(IN_MEMORY // 16_000):  # fill the buffer: a row has four numbers and two places
        frames.keep(content)
    tracemalloc.start()
    kept = [frames.keep(content) for _ in range(300)]
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 300 * 500
    assert len(frames.joined("contrasts", [((), one) for one in kept], ())) == 300 * 500


def test_damaged_results_are_refused() -> None:
    """The parent then computes the cell again."""
    whole = packed(some_frames(1, np.random.default_rng(1)))
    short = {**whole["columns"], "mean": whole["columns"]["mean"][1:]}
    refused("different lengths", CellFrames().keep, {**whole, "columns": short})
    for changes, error in (
        ({"columns": {**whole["columns"], "word": [3] * len(short["word"])}}, TypeError),
        ({"columns": {**whole["columns"], "mean": ["x"] * len(short["word"])}}, ValueError),
        ({"dtypes": {}}, KeyError),
        ({"attrs": {}}, KeyError),
    ):
        with pytest.raises(error):
            CellFrames().keep({**whole, **changes})
