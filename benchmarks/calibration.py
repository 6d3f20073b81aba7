"""Null tables and what methods claim in them: exact WEAT p-values, and posteriors of models.

10,000 null tables of 8 + 8 protected words and 8 + 8 attributes are simulated and tested by WEAT
with all 12,870 splits, in one process; 1,000 are fitted with `paper` and with `crossed` in two
processes, 4,000 draws each. Beside it the same posteriors by PyMC's NUTS (2,000 draws), timed on
two tables once it is warm and multiplied up, in two processes too. Processor seconds are those of
one process and 20 tables, multiplied up: a busy machine disturbs them less.
"""

from __future__ import annotations

import sys
from time import perf_counter, process_time
from typing import Any

import pandas as pd

import bayesbias as bb
from bayesbias.calibration import calibrate

FAST_TABLES, POSTERIOR_TABLES, NUTS_TABLES = 10_000, 1_000, 2
MODELS = ("paper", "crossed")
PROCESSES, CPU_TABLES = 2, 20
GOAL_WEAT, GOAL_POSTERIORS = 5.0, 600.0


def main(*, quick: bool = False) -> str:
    """Time both and give a Markdown table."""
    share = 0.02 if quick else 1.0
    n_fast, n_fits = int(FAST_TABLES * share), int(POSTERIOR_TABLES * share)
    calibrate("independent", "weat-p", n=50, seed=0)  # imports
    start = perf_counter()
    weat = calibrate("independent", "weat-p", n=n_fast, seed=1)
    middle = perf_counter()
    methods = [f"{spec}-hpdi" for spec in MODELS]
    posteriors = calibrate("independent", methods, n=n_fits, seed=1, n_jobs=PROCESSES)
    end = perf_counter()
    processor = process_time()
    calibrate("independent", methods, n=CPU_TABLES, seed=2)
    processor = (process_time() - processor) * n_fits / CPU_TABLES
    lines = [
        "| what | tables | s | goal, s | claims where there is nothing (95% Monte Carlo) | "
        "promised |",
        "|---|---|---|---|---|---|",
        _line("WEAT, exact p", n_fast, middle - start, GOAL_WEAT * share, weat.iloc[0]),
        *(
            _line(f"{spec}, HPDI", n_fits, None, None, row)
            for spec, (_, row) in zip(MODELS, posteriors.iterrows(), strict=True)
        ),
        f"| both posteriors, two processes | {n_fits:,} | {end - middle:.1f} | "
        f"{GOAL_POSTERIORS * share:g} {_met(end - middle, GOAL_POSTERIORS * share)} | | |",
        f"| both posteriors, processor seconds | {n_fits:,} | {processor:.1f} | | | |",
    ]
    nuts = _nuts_seconds() * n_fits / PROCESSES
    lines.append(
        f"| the same by NUTS, from {NUTS_TABLES} tables | {n_fits:,} | {nuts:,.0f} | | | |"
    )
    lines.append(f"| times faster than NUTS | | {nuts / (end - middle):.0f} | | | |")
    return "\n".join(lines)


def _line(what: str, n: int, seconds: float | None, goal: float | None, row: pd.Series[Any]) -> str:
    timed = "| |" if seconds is None or goal is None else _timed(seconds, goal)
    return (
        f"| {what} | {n:,} | {timed} {row['rate']:.4f} ({row['low']:.4f}, {row['high']:.4f}) | "
        f"{row['nominal']:.2f} |"
    )


def _timed(seconds: float, goal: float) -> str:
    return f"{seconds:.2f} | {goal:g} {_met(seconds, goal)} |"


def _met(seconds: float, goal: float) -> str:
    return "met" if seconds < goal else "**missed**"


def _nuts_seconds() -> float:
    """Seconds of NUTS for one table under both models, compilation left out."""
    batch = bb.nulls.Scenario().simulate(NUTS_TABLES + 1, seed=2)
    spent = 0.0
    for spec in MODELS:
        for index in range(NUTS_TABLES + 1):
            start = perf_counter()
            bb.fit(batch.table(index), spec, method="nuts", draws=1000, chains=2, seed=1,
                   progressbar=False)  # fmt: skip
            spent += perf_counter() - start if index else 0.0
    return spent / NUTS_TABLES


if __name__ == "__main__":
    print(main(quick="--quick" in sys.argv[1:]))
