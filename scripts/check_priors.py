"""Show where published tables lie among those that a model's priors expect.

    python scripts/check_priors.py FOLDER --models maximal crossed

For every CSV table of the folder `bb.prior_predictive` draws tables of the same words. Printed as
Markdown: for each figure and model the range over the tables of what was observed, the median ends
of the prior's 89% intervals, in how many tables the observed figure lies outside of them, and the
least, the median and the largest share of prior tables with a smaller figure than observed.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

import bayesbias as bb


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", default=["maximal", "crossed"])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    frames = []
    for path in sorted(chosen.folder.glob("*.csv")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing-word marks and repeated rows, as published
            table = bb.read_table(path)
        for model in chosen.models:
            frame = bb.prior_predictive(model, table, draws=chosen.draws, seed=chosen.seed)
            frames.append(frame.assign(model=model))
    print(as_markdown(pd.concat(frames, ignore_index=True)))


def as_markdown(frame: pd.DataFrame) -> str:
    """Return a row a figure and model."""
    lines = [
        "| figure | of | model | observed | prior | share below |",
        "|---|---|---|---|---|---|",
    ]
    for (statistic, of, model), part in frame.groupby(["statistic", "of", "model"], sort=False):
        low, high = part["low"].median(), part["high"].median()
        observed = f"{part['observed'].min():.2f} to {part['observed'].max():.2f}"
        shares = part["share_below"]
        below = f"{shares.min():.3f}, {shares.median():.3f}, {shares.max():.3f}"
        outside = (~part["observed"].between(part["low"], part["high"])).sum()
        cells = (statistic, of, model, observed, f"{low:.2f} to {high:.2f}", outside, below)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
