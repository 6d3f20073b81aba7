"""The frames of a sweep's cells, in a temporary file until they are read.

A cell's frames have some hundred rows each, and a sweep has thousands of cells. While they run, the
parent holds only where each cell's frames are in the file. Rows are written as structured arrays,
in which texts are places in one list of all distinct texts.
"""

from __future__ import annotations

import json
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import batched, chain
from os import SEEK_END
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..records.found import Joined

AT_ONCE = 100
"""Number of cells in a piece of a joined frame."""

IN_MEMORY = 2**20
"""Bytes up to which the columns stay in memory, as those of small sweeps do."""

CODED = {"str": np.uint32, "object": np.uint64}
"""Types in the file of columns of texts, and of columns of any values, which are JSON there."""

ABOUT = ""
"""Name of the place of the text about a cell."""

type Kept = Mapping[str, tuple[int, int, np.dtype[Any]]]
"""Where each frame of a cell starts in the file, its number of rows, and the type of a row."""

type Cell = tuple[tuple[str, ...], Kept]
"""The texts that name a cell, and where its frames are."""


class CellFrames:
    """Frames of many cells in one temporary file, which ends with this object.

    Examples
    --------
    >>> frames = CellFrames()
    >>> packed = {
    ...     "columns": {"frame": ["contrasts"] * 2, "mean": [0.5, 1.5], "level": ["group", "word"]},
    ...     "dtypes": {"frame": "str", "mean": "float64", "level": "str"},
    ...     "attrs": {"columns": {"contrasts": ["level", "mean"]}, "rows": 8},
    ... }
    >>> kept = frames.keep(packed)
    >>> frames.about(kept)
    {'rows': 8}
    >>> frames.joined("contrasts", [(("demo",), kept), (("other",), kept)], ["embedding"])
      embedding  level  mean
    0      demo  group   0.5
    1      demo   word   1.5
    2     other  group   0.5
    3     other   word   1.5
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed below)
        weakref.finalize(self, self._file.close)
        self._lock = Lock()
        self._texts: dict[str, int] = {}
        self._types: dict[np.dtype[Any], np.dtype[Any]] = {}  # equal types of rows are held once

    def keep(self, packed: Mapping[str, Any]) -> Kept:
        """Write the rows of a cell's packed frames to the file.

        A ValueError, TypeError, or KeyError is raised if they are damaged.
        """
        columns, about = packed["columns"], dict(packed["attrs"])
        owner, arrays = columns["frame"], dict[str, NDArray[Any]]()
        if {len(values) for values in columns.values()} != {len(owner)}:
            raise ValueError("the columns of a result have different lengths")
        for name, own in about.pop("columns").items():
            rows = [row for row, one in enumerate(owner) if one == name]
            kinds = {column: str(packed["dtypes"][column]) for column in own}
            like = np.dtype([(column, CODED.get(kind, kind)) for column, kind in kinds.items()])
            arrays[name] = np.empty(len(rows), self._types.setdefault(like, like))
            for column, kind in kinds.items():
                values = [columns[column][row] for row in rows]
                arrays[name][column] = self._coded(values, kind) if kind in CODED else values
        arrays[ABOUT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        with self._lock:
            places = dict[str, tuple[int, int, np.dtype[Any]]]()
            for name, array in arrays.items():
                places[name] = self._file.seek(0, SEEK_END), len(array), array.dtype
                self._file.write(array.tobytes())
        return places

    def about(self, kept: Kept) -> dict[str, Any]:
        """Return what else was said about a cell: the ``attrs`` of its packed frames."""
        found: dict[str, Any] = json.loads(self._read(kept[ABOUT]).tobytes())
        return found

    def later(
        self, name: str, cells: Sequence[Cell], keys: Sequence[str], attrs: Mapping[Any, Any]
    ) -> Joined:
        """Return a frame of all cells that is joined when it is read, or read in pieces."""

        def described(frame: pd.DataFrame) -> pd.DataFrame:
            frame.attrs = dict(attrs)
            return frame

        return Joined(
            lambda: described(self.joined(name, cells, keys)),
            lambda: map(described, self.pieces(name, cells, keys)),
        )

    def joined(self, name: str, cells: Sequence[Cell], keys: Sequence[str]) -> pd.DataFrame:
        """Return one of the frames for all cells; its first columns name the cells.

        Cells with the same columns are read together. Columns that only others have are empty.
        """
        alike = defaultdict[np.dtype[Any], list[int]](list)
        for place, (_, kept) in enumerate(cells):
            if name in kept:
                alike[kept[name][2]].append(place)
        parts = [self._alike(name, [cells[at] for at in places], keys) for places in alike.values()]
        if len(parts) < 2:
            return parts[0] if parts else pd.DataFrame(columns=[*keys])
        order = list(chain.from_iterable(alike.values()))
        owner = np.repeat(order, [cells[place][1][name][1] for place in order])
        whole = pd.concat(parts, ignore_index=True)
        return whole.take(np.argsort(owner, kind="stable")).reset_index(drop=True)

    def pieces(
        self, name: str, cells: Sequence[Cell], keys: Sequence[str]
    ) -> Iterator[pd.DataFrame]:
        """Yield a joined frame in pieces with equal columns and types, so that memory is level."""
        first = {kept[name][2]: (names, kept) for names, kept in reversed(cells) if name in kept}
        like = self.joined(name, [*reversed(first.values())], keys)
        if not cells:
            yield like
        for batch in batched(cells, AT_ONCE):
            piece = self.joined(name, batch, keys)
            yield piece.reindex(columns=like.columns).astype(like.dtypes.to_dict())

    def _alike(self, name: str, cells: Sequence[Cell], keys: Sequence[str]) -> pd.DataFrame:
        """Return the rows of cells with the same columns, which are filled cell by cell."""
        like, sizes, done = cells[0][1][name][2], [kept[name][1] for _, kept in cells], 0
        names = {key: [of[place] for of, _ in cells] for place, key in enumerate(keys)}
        made = dict[str, Any]()
        for key, own in names.items():
            made[key] = np.repeat(np.array(own, object), sizes)
        found = {column: np.empty(sum(sizes), like[column]) for column in like.names or ()}
        for _, kept in cells:
            rows = self._read(kept[name])
            for column, into in found.items():
                into[done : done + len(rows)] = rows[column]
            done += len(rows)
        texts = pd.array([*self._texts], dtype="str")
        for column, values in found.items():
            made[column] = values
            if values.dtype in CODED.values():
                made[column] = texts.take(values.astype(np.int64) - 1, allow_fill=True)
            if values.dtype == CODED["object"]:
                items = [json.loads(text)[0] for text in made[column]]
                made[column] = pd.Series(items, dtype=object)
        return pd.DataFrame(made)

    def _coded(self, values: Sequence[Any], kind: str) -> list[int]:
        """Return the places of values in the list of texts, from 1; missing texts are at 0."""
        if kind == "object":
            values = [json.dumps([value]) for value in values]
        if wrong := {*map(type, values)} - {str, float, type(None)}:  # NaN is a float
            raise TypeError(f"a column of texts has values of type {wrong}")
        add = self._texts.setdefault
        return [add(text, len(self._texts) + 1) if isinstance(text, str) else 0 for text in values]

    def _read(self, place: tuple[int, int, np.dtype[Any]]) -> NDArray[Any]:
        start, n_rows, like = place
        with self._lock:
            self._file.seek(start)
            return np.frombuffer(self._file.read(n_rows * like.itemsize), like)
