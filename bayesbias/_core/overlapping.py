"""Share one context among blocks that overlap in several threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from threading import Lock


class Overlapping:
    """A context that the first of several overlapping blocks enters, and the last one leaves."""

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make, self._lock, self._n, self._stack = make, Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._n:
                self._stack.enter_context(self._make())
            self._n += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n -= 1
            if not self._n:
                self._stack.close()
