"""Execute the notebooks and keep their outputs.

``python scripts/run_notebooks.py [--check] [NAME...]``

With ``--check`` nothing is written: the run only has to succeed. Every notebook runs in a kernel of
its own in its folder, and may take no more than ``LIMIT`` seconds.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from bayesbias.atomic import replacing

FOLDER = Path(__file__).parents[1] / "notebooks"
KERNEL_FILE = re.compile(r"\S*ipykernel_\d+\S*\.py")
"""The file that warnings name in place of a cell; it is another one in every run."""

LIMIT = 60
"""Seconds a notebook may take; a lesson that makes its reader wait is not read."""


def execute(path: Path) -> nbformat.NotebookNode:
    """Execute a notebook in its folder and give it with its outputs, without times."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=10 * LIMIT, resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if "text" in output:
                output["text"] = KERNEL_FILE.sub("<cell>", output["text"])
    return notebook


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of names, such as 01; all by default")
    parser.add_argument("--check", action="store_true", help="run only, write nothing")
    arguments = parser.parse_args()
    os.environ["PYTHONWARNINGS"] = "default"
    chosen = tuple(arguments.names) or ("",)
    paths = [path for path in sorted(FOLDER.glob("*.ipynb")) if path.name.startswith(chosen)]
    if not paths:
        raise SystemExit(f"no notebook in {FOLDER} begins with {' or '.join(chosen)}")
    for path in paths:
        started = time.perf_counter()
        notebook = execute(path)
        took = time.perf_counter() - started
        print(f"{path.name}: {took:.0f} s", flush=True)
        if took > LIMIT:
            raise SystemExit(f"{path.name} took {took:.0f} s; notebooks stay under {LIMIT} s")
        if not arguments.check:
            with replacing(path) as temporary:
                nbformat.write(notebook, temporary)


if __name__ == "__main__":
    main()
