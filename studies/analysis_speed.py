"""Time an analysis in a new process: libraries, the first analysis, the next one, and a run.

``loops`` is in units of 20 million squares in the same Python, because machines differ by a factor
of three. The ``ratio`` is to the next analysis, in the same process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

TASKS = (
    "import numpy, pandas, and scipy",
    "import bayesbias, and analyze religion for the first time",
    "analyze religion again",
    "a loop of 20 million squares",
)
"""What `SCRIPT` times, in this order."""

SCRIPT = """
import json, time
marks = [time.process_time()]
import numpy, pandas, scipy.interpolate, scipy.linalg, scipy.optimize, scipy.sparse, scipy.special
marks.append(time.process_time())
import bayesbias
for _ in range(2):
    bayesbias.analyze("glove-demo", "religion", seed=1, progressbar=False)
    marks.append(time.process_time())
total = 0
for i in range(20_000_000):
    total += i * i
marks.append(time.process_time())
print(json.dumps([after - before for before, after in zip(marks, marks[1:])]))
"""
"""A program that prints the processor seconds of each task."""


RUN = "bayesbias run religion"


def rows(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the shortest processor times of each task, in as many new processes as ``repeats``.

    The first process compiles modules, and the others read them.
    """
    found = [[*json.loads(_output("-c", SCRIPT)), _run()] for _ in range(repeats)]
    seconds = np.min(found, axis=0)
    for task, own in zip((*TASKS, RUN), seconds, strict=True):
        loops, ratio = own / seconds[3], own / seconds[2]
        yield {"task": task, "processor_s": own, "loops": loops, "ratio": ratio}


def _run() -> float:
    """Return the processor seconds of the command, which writes a whole folder."""
    before = _of_processes()
    with tempfile.TemporaryDirectory() as folder:
        _output("-m", "bayesbias", *RUN.split()[1:], "--out", folder, "--force")
    return _of_processes() - before


def _output(*arguments: str) -> str:
    """Return what a new Python prints. It keeps modules that it compiles."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


def _of_processes() -> float:
    """Return the processor seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
