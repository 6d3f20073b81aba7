"""Convert frames of other libraries to pandas."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .checks import require_extra


def is_frame(source: object) -> bool:
    """Return whether an object is a table of pandas, or of a library with a way to pandas."""
    ways = ("__arrow_c_stream__", "to_pandas", "collect_schema")
    return isinstance(source, pd.DataFrame | pd.Series) or any(hasattr(source, w) for w in ways)


def as_pandas(source: Any) -> pd.DataFrame:  # noqa: ANN401
    """Return a DataFrame, given one, a Series, or a frame of polars, pyarrow, DuckDB, or others.

    Frames convert themselves with ``to_pandas``, or pandas and pyarrow convert them through Arrow's
    PyCapsule interface.
    """
    if isinstance(source, pd.DataFrame):
        return source
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):
        source = source.collect()  # a lazy frame of polars
    if not isinstance(source, pd.Series):
        if not hasattr(source, "to_pandas"):
            library = type(source).__module__.partition(".")[0]
            require_extra(f"frames of {library}", "parquet", "pyarrow")
            frame: Any = pd.DataFrame  # pandas-stubs lack from_arrow
            source = frame.from_arrow(source)
        else:
            source = source.to_pandas()
    return source.to_frame() if isinstance(source, pd.Series) else source
