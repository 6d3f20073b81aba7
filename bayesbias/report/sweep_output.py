"""The folder of a sweep: what it must not run over, and what is written there at the end."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._core.files import replacing
from ..tables.distances import write_table
from ..workflows import output as results
from ..workflows.sweep import Plan, Sweep
from ..workflows.sweep_spec import SweepConfig

RECORD = "sweep.json"
FRAMES = ("summary", "contrasts", "cells", "missing")

_OTHERS = tuple(dict.fromkeys((*results.OWN_NAMES, *(f"{name}.csv" for name in FRAMES))))
"""What must not be there unless a sweep wrote it."""


def require_sweep_place(out: Path) -> None:
    """Find out, before any work is done, whether a sweep can use a folder.

    A folder with ``sweep.json`` is one that a sweep is to go on in.

    Raises
    ------
    ValueError
        If the folder holds results that are not a sweep's.
    OSError
        If the folder is a file or cannot be written to.
    """
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file; give --out the name of a folder")
    found = [name for name in _OTHERS if (out / name).exists()]
    if found and not (out / RECORD).exists():
        raise ValueError(
            f"{out} holds results that are not a sweep's ({', '.join(found[:3])}); "
            "give another --out"
        )
    ancestor = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=ancestor):
            pass
    except OSError as error:
        raise PermissionError(f"cannot write into {ancestor}: {error.strerror}") from None


def begin(plan: Plan, out: Path, command: str) -> None:
    """Make the folder, and mark it as a sweep's before the first cell is fitted."""
    out.mkdir(parents=True, exist_ok=True)
    _write_record(plan, out, command, state="running")


def write_sweep(sweep: Sweep, out: Path, command: str) -> None:
    """Write frames, figures, the report and the record, each whole or not at all, in this order.

    Figures that an earlier sweep left in the folder and this one does not have are removed.
    """
    from .figures import draw_figures
    from .page import render
    from .sweeps import sweep_page

    for name in FRAMES:
        frame = sweep.plan.missing if name == "missing" else getattr(sweep, name)
        write_table(frame, out / f"{name}.csv")
    plots, page = out / results.PLOTS, sweep_page(sweep)
    drawn = draw_figures(page.figures, plots)
    for path in plots.glob("sweep-*"):
        if path.suffix in {".png", ".svg"} and path.stem not in drawn:
            path.unlink()
    html = render(page, drawn, command, results.versions())
    with replacing(out / results.REPORT) as temporary:
        temporary.write_text(html, encoding="utf-8", errors="backslashreplace")
    _write_record(sweep.plan, out, command, state="finished", failed=len(sweep.failures))


def _write_record(plan: Plan, out: Path, command: str, **state: Any) -> None:  # noqa: ANN401
    record = {
        **state,
        "command": command,
        "config": _plain(plan.config),
        "cells": len(plan.cells),
        "tables": plan.tables.to_dict(orient="records"),
        "versions": results.versions(),
    }
    with replacing(out / RECORD) as temporary:
        temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _plain(config: SweepConfig) -> dict[str, Any]:
    """Give a configuration as plain texts and numbers, models with all that they say."""
    settings = ("title", "method", "draws", "chains", "ci_prob", "rope")
    return {
        **{key: getattr(config, key) for key in settings},
        "seeds": list(config.seeds),
        "embeddings": [asdict(each) for each in config.embeddings],
        "lists": [wordlist.name for wordlist in config.lists],
        "models": [spec.to_dict() for spec in config.models],
    }
