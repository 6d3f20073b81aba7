"""Processor seconds of `bayesbias run religion`, as a whole and part by part.

The bundled list under the bundled vectors, with the options that the command has by itself: table,
two models, 4,000 draws each, all readings, figures and the page. As a whole the command runs in
fresh processes, byte code and page cache warm; by parts it runs once more in a process of its own
that has imported beforehand whatever the command imports on its way. Figures are of the
processor, user and system, in one thread, which a busy machine disturbs less than the clock.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 3

BEFORE, GOAL = 10.4, 4.0
"""Seconds of the whole command when leave-one-out went row by row, and those to stay below."""

COMMAND = ("run", "religion", "--quiet", "--force", "--out")

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")

PARTS = {
    "vectors and table": ("cli.run._vectors", "workflows.wordlist.distance_table"),
    "two fits": ("workflows.wordlist.fit",),
    "summaries, contrasts, scales": (
        "workflows.wordlist.summary",
        "workflows.wordlist.contrasts",
        "workflows.wordlist.scales",
    ),
    "predictive checks": ("workflows.wordlist.predictive_intervals", "workflows.wordlist.coverage"),
    "prior sensitivity": ("workflows.wordlist.prior_sensitivity",),
    "comparison of the models": ("workflows.wordlist._compared",),
    "CSV files and posteriors": ("workflows.output.write_frames",),
    "figures": ("report.figures.draw_figures",),
    "page": ("report.page.render",),
}
"""What is timed, by the functions in the places where they are called."""

YARDSTICK = """
import time
start = time.process_time()
sum(range(10**7))
print(time.process_time() - start)
"""

MODULES = """
import sys
from bayesbias.cli import main
main(sys.argv[1:])
print("\\n".join(sys.modules))
"""

BY_PARTS = """
import json, sys, time
from importlib import import_module
modules, parts, arguments = map(json.loads, sys.argv[1:])
for name in modules:
    try:
        import_module(name)
    except ImportError:  # made by others on their way
        pass
spent = {"imports": time.process_time()}

def timed(part, function):
    def run(*given, **named):
        start = time.process_time()
        try:
            return function(*given, **named)
        finally:
            spent[part] += time.process_time() - start
    return run

for part, functions in parts.items():
    spent[part] = 0.0
    for path in functions:
        module, _, name = f"bayesbias.{path}".rpartition(".")
        module = import_module(module)
        setattr(module, name, timed(part, getattr(module, name)))
from bayesbias.cli import main
main(arguments)
spent["all else"] = time.process_time() - sum(spent.values())
print(json.dumps(spent))
"""


def whole(folder: Path) -> float:
    """Processor seconds of the command in a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run("-m", "bayesbias", *COMMAND, str(folder))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_parts(folder: Path) -> dict[str, float]:
    """Processor seconds of every part, in a process that has done its imports."""
    arguments = [*COMMAND, str(folder)]
    modules = _run("-c", MODULES, *arguments).split()
    told = _run("-c", BY_PARTS, *map(json.dumps, (modules, PARTS, arguments)))
    spent: dict[str, float] = json.loads(told)
    return spent


def _run(*arguments: str) -> str:
    environment = os.environ | ONE_THREAD
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, env=environment
    ).stdout


def main() -> str:
    """Run the benchmark and give its table in Markdown."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "religion"
        _run("-m", "bayesbias", *COMMAND, str(folder))  # leaves byte code and files in memory
        totals = [whole(folder) for _ in range(REPEATS)]
        yardstick = float(_run("-c", YARDSTICK))
        spent = by_parts(folder)
    total = statistics.median(totals)
    met = "met" if total <= GOAL else "not met"
    rows = [f"| {part} | {seconds:.2f} |" for part, seconds in spent.items()]
    return "\n".join(
        [
            "### From the list to the page",
            "",
            "| part | processor seconds |",
            "|---|---|",
            *rows,
            f"| **the whole command** | **{total:.2f}** ({min(totals):.2f} to {max(totals):.2f}) |",
            f"| the same before, as measured at another time | {BEFORE} |",
            f"| yardstick: `sum(range(10**7))`, here and now | {yardstick:.2f} |",
            "",
            f"Goal: {GOAL:g} seconds, {met}. The whole is the median of {REPEATS} fresh processes, "
            "with their range; parts are of one run.",
        ]
    )


if __name__ == "__main__":
    print(main())
