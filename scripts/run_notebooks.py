"""Execute the notebooks and keep their outputs.

``python scripts/run_notebooks.py [--check] [NAME...]``

With ``--check`` nothing is written: the run only has to succeed. Every notebook runs in a kernel of
its own in its folder, and may take no more than ``LIMIT`` seconds. A notebook that needs what is
not here (``NEEDS``) is passed over with a word.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from bayesbias._core.files import replace_file

FOLDER = Path(__file__).parents[1] / "notebooks"
KERNEL_FILE = re.compile(r"\S*ipykernel_\d+\S*\.py")
"""The file that warnings name in place of a cell; it is another one in every run."""

LIMIT = 60
"""Seconds a notebook may take; a lesson that makes its reader wait is not read."""

BUSY = 2
"""With ``--check`` it may take so many times longer, for a machine that has other things to do."""


def name_published_tables() -> None:
    """Name the folder of published data that notebook 08 reads, if it is beside the checkout."""
    folder = Path(os.environ.get("BAYESBIAS_DATA") or FOLDER.parents[1] / "shared" / "data")
    if folder.is_dir():
        os.environ["BAYESBIAS_DATA"] = str(folder.resolve())


def language_models_missing() -> str:
    """Say what is missing for notebook 07: the extra mlm, or the folder of small models."""
    if not (find_spec("torch") and find_spec("transformers")):
        return "the extra mlm is not installed"
    folder = Path(os.environ.get("BAYESBIAS_MODELS") or FOLDER.parent / ".venv" / "models")
    if folder.is_dir():
        os.environ["BAYESBIAS_MODELS"] = str(folder.resolve())
        return ""
    return f"no small models in {folder}; scripts/fetch_models.py makes the folder"


NEEDS: dict[str, Callable[[], str]] = {
    "07": language_models_missing,
}
"""Beginning of a notebook's name, and what says why it cannot run here; "" if it can."""


def why_not(path: Path) -> str:
    """Say why a notebook cannot run here; "" if it can."""
    return next((say() for start, say in NEEDS.items() if path.name.startswith(start)), "")


def execute(path: Path) -> nbformat.NotebookNode:
    """Execute a notebook in its folder and give it with its outputs, without times."""
    notebook = nbformat.read(path, as_version=4)
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc")  # no open port
    with tempfile.TemporaryDirectory() as folder:
        kernel.ip = str(Path(folder) / "kernel")
        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=10 * LIMIT,
            resources={"metadata": {"path": str(path.parent)}},
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
    name_published_tables()
    chosen = tuple(arguments.names) or ("",)
    paths = [path for path in sorted(FOLDER.glob("*.ipynb")) if path.name.startswith(chosen)]
    if not paths:
        raise SystemExit(f"no notebook in {FOLDER} begins with {' or '.join(chosen)}")
    for path in paths:
        if reason := why_not(path):
            print(f"{path.name}: passed over: {reason}", flush=True)
            continue
        started = time.perf_counter()
        notebook = execute(path)
        took = time.perf_counter() - started
        print(f"{path.name}: {took:.0f} s", flush=True)
        limit = BUSY * LIMIT if arguments.check else LIMIT
        if took > limit:
            raise SystemExit(f"{path.name} took {took:.0f} s; here notebooks stay under {limit} s")
        if not arguments.check:
            with replace_file(path) as temporary:
                nbformat.write(notebook, temporary)


if __name__ == "__main__":
    main()
