"""Time tasks that take turns, and keep the fastest of several repeats."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np

PAUSE = 0.5
"""Seconds before each task, in which threads of linear algebra stop spinning."""


def in_turns[T](
    tasks: Mapping[str, Callable[[], T]], repeats: int = 1
) -> Iterator[tuple[dict[str, object], T]]:
    """Yield a row for each task, and its last result; ``ratio`` is to the first task's time.

    Tasks take turns because other processes slow down some repeats.
    """
    seconds, results = np.full((len(tasks), repeats, 2), np.inf), {}
    for repeat in range(repeats):
        for own, (name, task) in zip(seconds, tasks.items(), strict=True):
            time.sleep(PAUSE)
            start = time.process_time(), time.perf_counter()
            results[name] = task()
            own[repeat] = time.process_time() - start[0], time.perf_counter() - start[1]
    fastest = seconds.min(axis=1)
    for (name, result), (processor, clock) in zip(results.items(), fastest.tolist(), strict=True):
        ratio = processor / fastest[0, 0]
        yield {"by": name, "processor_s": processor, "clock_s": clock, "ratio": ratio}, result


def seconds_of(task: Callable[[], object]) -> float:
    """Return the processor time of one run of a task."""
    start = time.process_time()
    task()
    return time.process_time() - start
