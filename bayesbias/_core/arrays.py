"""Scale rows to length one, and limit the number of threads for linear algebra."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

if TYPE_CHECKING:
    from pytensor.tensor import TensorVariable
    from threadpoolctl import ThreadpoolController

type Numbers = FloatArray | TensorVariable
"""An array, or a PyTensor variable that stands for one."""


def unit_rows(vectors: ArrayLike) -> FloatArray:
    """Scale every row of an (n, n_dims) array to length one; the result is float64.

    If any rows are all zeros or not finite, raise a ValueError that lists them.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"vectors must be the rows of a matrix; got shape {rows.shape}")
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    bad = ~(np.isfinite(largest[:, 0]) & (largest[:, 0] > 0))
    if bad.any():
        raise ValueError(f"leave out rows {np.flatnonzero(bad).tolist()} (all zeros or not finite)")
    scaled = rows / largest  # keeps squares from overflowing or vanishing
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def as_floats(numbers: ArrayLike) -> FloatArray:
    """Return numbers as float64; those that are masked are NaN."""
    masked: FloatArray = np.ma.MaskedArray(numbers, dtype=np.float64)
    return np.asarray(np.ma.filled(masked, np.nan))


def precision_of(numbers: ArrayLike) -> float:
    """Return the relative precision of numbers of their type, such as 2^-23 for float32.

    It is 0 for types that have no floating point.
    """
    dtype = np.asarray(numbers).dtype
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def require_memory(n_bytes: float, what: str) -> None:
    """Raise a MemoryError with the needed size if the machine or process has too little memory."""
    posix = hasattr(os, "sysconf")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if posix else n_bytes
    try:
        if n_bytes > machine:
            raise MemoryError
        np.empty(int(n_bytes), np.uint8)  # allocated, but never filled
    except MemoryError:
        raise MemoryError(f"{what} needs about {n_bytes / 1e9:,.1f} GB") from None


def one_thread() -> AbstractContextManager[object]:
    """Limit linear algebra to one thread, because more are slower for small matrices."""
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    import scipy.optimize  # noqa: F401 (loads more libraries, which the controller must find)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
