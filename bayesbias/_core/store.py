"""Frames as JSON text that reads back exactly, and the files that hold one result each.

JSON rather than CSV or Parquet: CSV forgets types, categories and what a frame carries in its
``attrs``; Parquet needs an optional package. Python writes a float with as many digits as tell it
from every other, so that reading gives back its bits, and a person can still read the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .files import replacing

FORMAT = "bayesbias result 1"
"""First word of every file: what it is, and how it is laid out."""

_SCALARS = (str, bool, int, float, type(None))


def pack_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Give a frame as plain lists and texts; `unpack_frame` makes an equal frame of them.

    Parameters
    ----------
    frame : DataFrame
        Index 0 to n - 1, columns with different names that are texts; of booleans, whole numbers,
        floats, texts or categories; mixed columns of these and None.

    Raises
    ------
    TypeError
        If the frame, a column's type, a value or something in ``attrs`` is none of these.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"a job gives a DataFrame; got a {type(frame).__name__}")
    if not frame.index.equals(pd.RangeIndex(len(frame))):
        raise TypeError("a frame to be kept has the index 0 to n - 1; use reset_index() first")
    names = list(frame.columns)
    if not frame.columns.is_unique or not all(isinstance(name, str) for name in names):
        raise TypeError(f"columns need different names that are texts; got {names}")
    columns = {str(name): _pack_column(str(name), frame[name]) for name in names}
    return {"rows": len(frame), "columns": columns, "attrs": _plain_attrs(frame.attrs)}


def unpack_frame(content: Mapping[str, Any]) -> pd.DataFrame:
    """Make the frame of what `pack_frame` gave."""
    columns = {name: _unpack_column(column) for name, column in content["columns"].items()}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(content["rows"]))
    frame.columns = pd.Index(list(columns), dtype=frame.columns.dtype if columns else "str")
    frame.attrs = dict(content["attrs"])
    return frame


def write_result(path: Path, header: Mapping[str, Any], body: bytes) -> None:
    """Write a result: one line that tells what it is and the hash of the rest, then the rest.

    The header's ``key`` is the file's name without its ending, so that a copy under another
    result's name is noticed.
    """
    head = {"format": FORMAT, **header, "sha256": hashlib.sha256(body).hexdigest()}
    with replacing(path) as temporary:
        temporary.write_bytes(json.dumps(head).encode() + b"\n" + body)


def read_result(path: Path) -> bytes:
    """Read what `write_result` wrote after the first line.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is cut off, was changed, or is something else.
    """
    head, _, body = path.read_bytes().partition(b"\n")
    try:
        header = json.loads(head)
    except ValueError:  # JSON and Unicode errors are ValueErrors
        raise ValueError("its first line is damaged") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"it is no {FORMAT!r}")
    if header.get("key") != path.stem:
        raise ValueError("it holds another result")
    if header.get("sha256") != hashlib.sha256(body).hexdigest():
        raise ValueError("it is cut off or was changed")
    return body


def _pack_column(name: str, column: pd.Series[Any]) -> dict[str, Any]:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return {
            "dtype": "category",
            "ordered": bool(dtype.ordered),
            "categories": _pack_column(name, pd.Series(dtype.categories)),
            "values": column.cat.codes.tolist(),
        }
    text = isinstance(dtype, pd.StringDtype)
    if not (text or (isinstance(dtype, np.dtype) and dtype.kind in "biufO")):
        raise TypeError(f"column {name!r} has the type {dtype}, which results cannot keep")
    values = [None if text and value is pd.NA else value for value in column.tolist()]
    if text:
        values = [value if isinstance(value, str) else None for value in values]
    odd = [value for value in values if not isinstance(value, _SCALARS)]
    if odd or (isinstance(dtype, np.dtype) and dtype.itemsize > 8):
        kind = type(odd[0]).__name__ if odd else dtype
        raise TypeError(f"column {name!r} holds a {kind}, which results cannot keep")
    return {"dtype": str(dtype), "values": values}


def _unpack_column(column: Mapping[str, Any]) -> pd.Series[Any]:
    if column["dtype"] != "category":
        plain: pd.Series[Any] = pd.Series(column["values"], dtype=column["dtype"])
        return plain
    categories = pd.Index(_unpack_column(column["categories"]))
    dtype = pd.CategoricalDtype(categories, ordered=column["ordered"])
    return pd.Series(pd.Categorical.from_codes(column["values"], dtype=dtype))


def _plain_attrs(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(attrs)))
    except TypeError as error:
        raise TypeError(f"the frame's attrs cannot be kept: {error}") from None
    return plain
