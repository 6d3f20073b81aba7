"""Refit the 18 published tables and write "The published posteriors" of docs/validation.md.

    BAYESBIAS_DATA=FOLDER python scripts/build_published_posteriors.py

It takes some five minutes of one core. What stands between the two marks of the page is replaced.
"""

from __future__ import annotations

import os
from pathlib import Path

import bayesbias as bb
from bayesbias._core.files import replace_file
from studies.literature.figures import COVERAGE, TOLERANCES, differences
from studies.literature.sources import TABLES, fitted, plotted, published_table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation.md"
MARKS = ("<!-- published: begin -->", "<!-- published: end -->")
MODELS = ("paper-figures", "paper", "crossed", "maximal")
CHECKED = ("paper", "paper-figures", "crossed", "maximal")


def main() -> None:
    os.environ.setdefault("BAYESBIAS_DATA", str(ROOT.parent / "shared" / "data"))
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with replace_file(PAGE) as temporary:
        temporary.write_text(before + section() + after, encoding="utf-8")


def section() -> str:
    """Return what stands between the marks, with them."""
    apart = {name: differences(name) for name in TABLES}
    worst = {key: max(each[key] for each in apart.values()) for key in TOLERANCES}
    lines = [f"| table | {' | '.join(TOLERANCES)} |", "|---|" + "---|" * len(TOLERANCES)]
    for name, found in (apart | {"the worst": worst}).items():
        lines.append(f"| {name} | " + " | ".join(f"{each:.4f}" for each in found.values()) + " |")
    lines += [
        "",
        "Overall means with 89% percentile intervals, as plotted and under four models:",
        "",
    ]
    models = " | ".join(f"`{model}`" for model in MODELS)
    lines += [f"| table | connection | as plotted | {models} |"]
    lines += ["|---|---|---|" + "---|" * len(MODELS)]
    for name in TABLES:
        lines += _beside(name)
        print(name, flush=True)
    lines += ["", *_coverage()]
    return "\n".join([MARKS[0], "", *lines, "", MARKS[1]])


def _coverage() -> list[str]:
    """Predictive checks of all tables that have a published one."""
    checked = [f"`{model}`" for model in CHECKED]
    lines = [
        "Predictive checks: percent of the distances inside 89% and 50% predictive intervals, as "
        "printed (of one residual sd, as in `paper`) and here:",
        "",
        f"| table | as printed | {' | '.join(checked)} |",
        "|---|---|" + "---|" * len(checked),
    ]
    for name, printed in COVERAGE.items():
        cells = [", ".join(map(str, printed))]
        for model in CHECKED:
            found = bb.check(fitted(name, None, model), seed=0)
            inside = found[found["connection"] == "all"].set_index("ci_prob")["coverage"]
            cells.append(", ".join(f"{100 * inside[prob]:.1f}" for prob in (0.89, 0.5)))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _beside(name: str) -> list[str]:
    """Rows of one table, one a connection."""
    frames = {"plotted": plotted(name)}
    for model in MODELS:
        tree = bb.fit(published_table(name), model, method="exact", draws=4_000, seed=1)
        frames[model] = bb.summary(tree, ci_kind="eti")
    lines = []
    for connection in bb.CONNECTIONS[:4]:
        cells = []
        for frame in frames.values():
            row = frame[(frame["level"] == "overall") & (frame["connection"] == connection)].iloc[0]
            cells.append(f"{row['mean']:.3f} ({row['low']:.3f}, {row['high']:.3f})")
        lines.append(f"| {name} | {connection} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
