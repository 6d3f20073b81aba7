"""Threads of linear algebra."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Compute with one thread where matrices are small.

    Threads that wait for small matrices cost more than they compute: with one thread a posterior
    takes half the time.
    """
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    import scipy.optimize  # noqa: F401 (brings libraries of its own, which are to be seen)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
