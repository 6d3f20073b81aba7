"""The folder of a sweep: what it must not run over, and what is written there at the end."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .._core.files import replace_file, replace_folder
from .._core.jobs import RESULTS
from ..tables.table_files import write_table
from . import output
from .sweep import Plan, Sweep

RECORD = "sweep.json"
FRAMES = (
    *("summary", "contrasts", "differences", "ranks", "rank_differences", "shares"),
    *("cells", "missing"),
)
"""Frames that are written as CSV."""


def require_sweep_place(out: Path) -> None:
    """Raise an error, before any work is done, if a sweep cannot use a folder.

    A folder with ``sweep.json`` is one that a sweep goes on in; other results are in its way.
    """
    for folder in (out, out / RESULTS):
        output.require_folder(folder)
    names = dict.fromkeys((*output.OWN_NAMES, *(f"{name}.csv" for name in FRAMES)))
    present = [name for name in names if (out / name).exists()]
    if present and not (out / RECORD).exists():
        raise ValueError(
            f"{out} holds results that are not a sweep's ({', '.join(present[:3])}); "
            "give another --out"
        )


def begin(plan: Plan, out: Path, command: str) -> None:
    """Make the folder, and mark it as a sweep's before the first cell is fitted.

    The record of an earlier sweep stays with its results, until all of them are replaced.
    """
    out.mkdir(parents=True, exist_ok=True)
    if not (out / RECORD).exists():
        with replace_file(out / RECORD) as temporary:
            _write_record(plan, temporary, command, state="running")


def write_sweep(sweep: Sweep, out: Path, command: str) -> None:
    """Write frames, figures, the report and the record, which replace earlier ones as a whole."""
    from ..report.sweep_page import sweep_page
    from ..report.writer import write_page

    figures = (out / output.PLOTS).glob("sweep-*.[ps][nv]g")
    earlier = {path.relative_to(out).as_posix() for path in figures}
    with replace_folder(out, lambda _: earlier) as folder:
        for name in FRAMES:
            frame = sweep.plan.missing if name == "missing" else getattr(sweep, name)
            write_table(frame, folder / f"{name}.csv")
        record = {"command": command, "versions": output.versions()}
        write_page(sweep_page(sweep), record, folder, RECORD, kinds=("png", "svg"))
        failed = len(sweep.failures)
        _write_record(sweep.plan, folder / RECORD, command, state="finished", failed=failed)


def _write_record(plan: Plan, path: Path, command: str, **state: str | int) -> None:
    config = plan.config
    settings = ("title", "method", "draws", "chains", "seed", "ci_prob", "rope")
    record = {
        **state,
        "command": command,
        "config": {
            **{key: getattr(config, key) for key in settings},
            "embeddings": [asdict(each) for each in config.embeddings],
            "lists": [wordlist.name for wordlist in config.lists],
            "models": [spec.to_dict() for spec in config.models],
        },
        "cells": len(plan.cells),
        "tables": plan.tables.to_dict(orient="records"),
        "versions": output.versions(),
    }
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
