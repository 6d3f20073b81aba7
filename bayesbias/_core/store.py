"""Results of jobs, one JSON file each, named by a hash of what decides the result.

Python writes a float with as many digits as tell it from every other, so that reading gives back
its bits.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__
from .files import replace_file
from .reading import read_json

RESULTS = "results"
"""Name of the folder of results in a folder of output."""


def result_key(settings: object) -> str:
    """Return the SHA-256, in hexadecimal, of what decides a result and of the package's version.

    A ValueError is raised if it is not made of texts, finite numbers, lists and mappings.
    """
    content = {"settings": settings, "version": __version__}
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"settings must be texts, finite numbers, lists and mappings; got {settings!r}: {error}"
        ) from None
    return hashlib.sha256(text.encode()).hexdigest()


def write_result(folder: Path, key: str, result: Mapping[str, Any]) -> None:
    """Write a result of `pack_frame`, and what else is to stand in its file, as a whole."""
    (folder / RESULTS).mkdir(parents=True, exist_ok=True)
    with replace_file(folder / RESULTS / f"{key}.json") as temporary:
        temporary.write_text(json.dumps(result), encoding="utf-8")


def read_results(folder: Path, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the results that are there, by key; warn of damaged ones, and leave them out."""
    results, damaged = {}, 0
    for key in keys:
        path = folder / RESULTS / f"{key}.json"
        try:
            result = read_json(path)
            unpack_frame(result)
            results[key] = result
        except FileNotFoundError:
            continue
        except (ValueError, TypeError, LookupError, AttributeError):
            damaged += 1
    if damaged:
        text = f"{damaged} result(s) in {folder / RESULTS} are damaged; they are computed again"
        warnings.warn(text, stacklevel=3)
    return results


def pack_frame(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame, with no warnings yet, as plain lists and texts, which `unpack_frame` reads.

    A TypeError is raised if the frame would not come back as it is: with another index than 0 to
    n - 1, or values that are no booleans, numbers, texts or None.
    """
    from pandas.testing import assert_frame_equal

    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"a job must return a DataFrame; got a {type(frame).__name__}")
    content = {
        "columns": {name: column.tolist() for name, column in frame.items()},
        "dtypes": {name: str(column.dtype) for name, column in frame.items()},
        "attrs": frame.attrs,
        "warnings": [],
    }
    try:
        packed: dict[str, Any] = json.loads(json.dumps(content))
        assert_frame_equal(unpack_frame(packed)[0], frame, check_exact=True)
    except (TypeError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split())
        raise TypeError(f"the frame cannot be kept as JSON: {reason}") from None
    return packed


def unpack_frame(packed: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame and the warnings of what `pack_frame` returned."""
    columns = {
        name: pd.Series(values, dtype=packed["dtypes"][name])
        for name, values in packed["columns"].items()
    }
    frame = pd.DataFrame(columns)
    frame.attrs = dict(packed["attrs"])
    return frame, [str(text) for text in packed["warnings"]]
