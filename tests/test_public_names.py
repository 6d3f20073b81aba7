"""What `import bayesbias as bb` offers: public names, and no others."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import bayesbias as bb


def test_dir_shows_public_names_only() -> None:
    code = (
        "import bayesbias as bb, bayesbias.model.spec; bb.load_wordlist;"
        "print(*(name for name in dir(bb) if not name.startswith('__')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == set(bb.__all__) - {"__version__"}
    assert bb.__version__ == version("bayesbias")


def test_every_public_name_is_there() -> None:
    assert all(getattr(bb, name) is not None for name in bb.__all__)
