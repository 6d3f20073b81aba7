"""Threads of linear algebra."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[object]:
    """Compute with one thread where matrices are small: a posterior takes half the time."""
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> Any:  # noqa: ANN401
    import scipy.optimize  # noqa: F401 (brings libraries of its own, which the controller must see)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
