"""Vectors as a Parquet file: a row a word, with the words as index or first column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..source import Embedding, one_line
from .keyed import as_keyed, keyed_chunks

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def read_parquet(source: Embedding) -> KeyedVectors:
    """Read a frame; the first column of texts holds the words if the index does not."""
    try:
        frame = pd.read_parquet(source.path)
        if frame.index.inferred_type != "string" and len(frame.columns):
            frame = frame.set_index(frame.columns[0])
        return as_keyed(frame)
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'bayesbias[parquet]'") from None
    except (ValueError, TypeError, LookupError, ArithmeticError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        text = f"{source.path} is damaged, or no Parquet file of vectors ({one_line(error)})"
        raise ValueError(text) from None


chunks = keyed_chunks(read_parquet)
