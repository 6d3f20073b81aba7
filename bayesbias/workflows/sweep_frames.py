"""The frames of a sweep's cells, in a temporary file until they are read.

A cell's frames have some hundred rows each, and a sweep has thousands of cells. While they run, the
parent holds only where each cell's columns start in the file. Numbers are written as they are, and
texts as places in one list of all distinct texts. A joined frame reads its columns one by one.
"""

from __future__ import annotations

import json
import tempfile
import weakref
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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

ABSENT = -1
"""Place of a missing text, as pandas' ``take`` has it."""

_NUMBERS = frozenset({"float64", "float32", "int64", "int32", "bool"})
"""Types of columns that are written as they are."""

type Columns = tuple[tuple[str, str], ...]
"""The names of a frame's columns, and their types."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a cell's frames start in the file, their columns by name, and their numbers of rows."""

    start: int
    layout: Mapping[str, Columns]
    sizes: Mapping[str, int]
    end: int

    def place(self, name: str) -> tuple[int, int]:
        """Return where a frame starts and ends."""
        at = self.start
        for one, columns in self.layout.items():
            end = at + self.sizes[one] * _width(columns)
            if one == name:
                return at, end
            at = end
        raise KeyError(name)

    @property
    def about(self) -> tuple[int, int]:
        """Where the text about the cell starts and ends."""
        return max(self.place(name)[1] for name in self.layout), self.end


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
        self._same: dict[Hashable, Any] = {}

    def keep(self, packed: Mapping[str, Any]) -> Kept:
        """Write the columns of a cell's packed frames to the file.

        A ValueError, TypeError, or KeyError is raised if they are damaged.
        """
        columns, about = packed["columns"], dict(packed["attrs"])
        owner, parts, layout, sizes = columns["frame"], list[bytes](), {}, {}
        if {len(values) for values in columns.values()} != {len(owner)}:
            raise ValueError("the columns of a result have different lengths")
        for name, own in about.pop("columns").items():
            rows = [row for row, one in enumerate(owner) if one == name]
            layout[name] = tuple((column, str(packed["dtypes"][column])) for column in own)
            sizes[name] = len(rows)
            for column, kind in layout[name]:
                values = columns[column]
                parts.append(self._coded([values[row] for row in rows], kind).tobytes())
        content = b"".join([*parts, json.dumps(about).encode()])
        with self._lock:
            start = self._file.seek(0, SEEK_END)
            self._file.write(content)
        same = self._same.setdefault  # equal descriptions of cells are held once
        layout = same(tuple(layout.items()), layout)
        return Kept(start, layout, same(tuple(sizes.items()), sizes), start + len(content))

    def about(self, kept: Kept) -> dict[str, Any]:
        """Return what else was said about a cell: the ``attrs`` of its packed frames."""
        found: dict[str, Any] = json.loads(self._read(*kept.about))
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
        alike: dict[Columns, list[int]] = {}
        for place, (_, kept) in enumerate(cells):
            if name in kept.layout:
                alike.setdefault(kept.layout[name], []).append(place)
        parts = [
            self._alike(name, columns, [cells[place] for place in places], keys)
            for columns, places in alike.items()
        ]
        if len(parts) < 2:
            return parts[0] if parts else pd.DataFrame(columns=[*keys])
        order = list(chain.from_iterable(alike.values()))
        owner = np.repeat(order, [cells[place][1].sizes[name] for place in order])
        whole = pd.concat(parts, ignore_index=True)
        return whole.take(np.argsort(owner, kind="stable")).reset_index(drop=True)

    def pieces(
        self, name: str, cells: Sequence[Cell], keys: Sequence[str]
    ) -> Iterator[pd.DataFrame]:
        """Yield a joined frame in pieces with equal columns and types, so that memory is level."""
        first = {kept.layout.get(name): (names, kept) for names, kept in reversed(cells)}
        like = self.joined(name, [*reversed(first.values())], keys)
        if not cells:
            yield like
        for batch in batched(cells, AT_ONCE):
            piece = self.joined(name, batch, keys)
            yield piece.reindex(columns=like.columns).astype(like.dtypes.to_dict())

    def _alike(
        self,
        name: str,
        columns: Sequence[tuple[str, str]],
        cells: Sequence[Cell],
        keys: Sequence[str],
    ) -> pd.DataFrame:
        """Return the rows of cells with the same columns."""
        sizes, done = [kept.sizes[name] for _, kept in cells], 0
        found = [np.empty(sum(sizes), _stored(kind)) for _, kind in columns]
        for (_, kept), rows in zip(cells, sizes, strict=True):
            content, at = self._read(*kept.place(name)), 0
            for into in found:
                into[done : done + rows] = np.frombuffer(content, into.dtype, rows, at)
                at += rows * into.itemsize
            done += rows
        made = {
            key: np.repeat(np.array([names[place] for names, _ in cells], object), sizes)
            for place, key in enumerate(keys)
        }
        texts = [*self._texts]
        for (column, kind), values in zip(columns, found, strict=True):
            made[column] = _decoded(values, kind, texts)
        return pd.DataFrame(made)

    def _coded(self, values: Sequence[Any], kind: str) -> NDArray[Any]:
        """Return numbers as they are, and other values as places in the list of texts."""
        if kind in _NUMBERS:
            return np.array(values, kind)
        if kind != "str":
            return self._coded([json.dumps([value]) for value in values], "str")
        if wrong := {*map(type, values)} - {str, float, type(None)}:  # NaN is a float
            raise TypeError(f"a column of texts has values of type {wrong}")
        codes = (
            self._texts.setdefault(value, len(self._texts)) if isinstance(value, str) else ABSENT
            for value in values
        )
        return np.fromiter(codes, _stored(kind), len(values))

    def _read(self, start: int, end: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            return self._file.read(end - start)


def _decoded(values: NDArray[Any], kind: str, texts: Sequence[str]) -> Any:  # noqa: ANN401
    if kind in _NUMBERS:
        return values
    if kind == "str":
        return pd.array(texts, dtype="str").take(values, allow_fill=True)
    return pd.Series([json.loads(texts[code])[0] for code in values], dtype=kind)


def _stored(kind: str) -> np.dtype[Any]:
    """Return the type of a column in the file: its own, or that of places in the list of texts."""
    return np.dtype(kind if kind in _NUMBERS else np.int32)


@cache
def _width(columns: Columns) -> int:
    """Return the number of bytes of a row."""
    return sum(_stored(kind).itemsize for _, kind in columns)
