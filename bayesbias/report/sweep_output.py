"""The folder of a sweep: what it must not run over, and what is written there at the end."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._core.files import replace_file, replace_folder
from ..tables.table_files import write_table
from ..workflows import output as results
from ..workflows.sweep import Plan, Sweep
from ..workflows.sweep_spec import SweepConfig

RECORD = "sweep.json"
FRAMES = ("summary", "contrasts", "cells", "missing")

_OTHERS = tuple(dict.fromkeys((*results.OWN_NAMES, *(f"{name}.csv" for name in FRAMES))))
"""What must not be there unless a sweep wrote it."""


def require_sweep_place(out: Path) -> None:
    """Check, before any work is done, whether a sweep can use a folder.

    A folder with ``sweep.json`` is one that a sweep is to go on in.

    Raises
    ------
    ValueError
        If the folder holds results that are not a sweep's.
    OSError
        If the folder is a file or cannot be written to.
    """
    results.require_folder(out)
    found = [name for name in _OTHERS if (out / name).exists()]
    if found and not (out / RECORD).exists():
        raise ValueError(
            f"{out} holds results that are not a sweep's ({', '.join(found[:3])}); "
            "give another --out"
        )


def begin(plan: Plan, out: Path, command: str) -> None:
    """Make the folder, and mark it as a sweep's before the first cell is fitted."""
    out.mkdir(parents=True, exist_ok=True)
    with replace_file(out / RECORD) as temporary:
        _write_record(plan, temporary, command, state="running")


def write_sweep(sweep: Sweep, out: Path, command: str) -> None:
    """Write frames, figures, the report and the record, which replace earlier ones as a whole."""
    with replace_folder(out, lambda _: _figures(out)) as folder:
        for name in FRAMES:
            frame = sweep.plan.missing if name == "missing" else getattr(sweep, name)
            write_table(frame, folder / f"{name}.csv")
        results.write_page(_page(sweep, folder / results.PLOTS, command), folder)
        state: dict[str, Any] = {"state": "finished", "failed": len(sweep.failures)}
        _write_record(sweep.plan, folder / RECORD, command, **state)


def _figures(out: Path) -> set[str]:
    """Return the names of the figures that an earlier sweep left in the folder."""
    found = (out / results.PLOTS).glob("sweep-*")
    return {path.relative_to(out).as_posix() for path in found if path.suffix in {".png", ".svg"}}


def _page(sweep: Sweep, plots: Path, command: str) -> str:
    """Draw the figures into a folder, and return the report."""
    from .figures import draw_figures
    from .page import render
    from .sweeps import sweep_page

    page = sweep_page(sweep)
    return render(page, draw_figures(page.figures, plots), command, results.versions())


def _write_record(plan: Plan, path: Path, command: str, **state: Any) -> None:  # noqa: ANN401
    record = {
        **state,
        "command": command,
        "config": _plain(plan.config),
        "cells": len(plan.cells),
        "tables": plan.tables.to_dict(orient="records"),
        "versions": results.versions(),
    }
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _plain(config: SweepConfig) -> dict[str, Any]:
    """Return a configuration as plain texts and numbers, models with all that they say."""
    settings = ("title", "method", "draws", "chains", "ci_prob", "rope")
    return {
        **{key: getattr(config, key) for key in settings},
        "seeds": list(config.seeds),
        "embeddings": [asdict(each) for each in config.embeddings],
        "lists": [wordlist.name for wordlist in config.lists],
        "models": [spec.to_dict() for spec in config.models],
    }
