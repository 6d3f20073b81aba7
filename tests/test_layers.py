"""What `import bayesbias` loads, and the list of files in ARCHITECTURE.md.

`make lint` checks the rules for imports: import-linter those between folders, ruff that heavy
packages are imported inside functions.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bayesbias

PACKAGE = Path(bayesbias.__file__).parent
PAGE = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")


def listed() -> str:
    """Return the list of files in ARCHITECTURE.md: the first line of every module's docstring."""
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name[:2] != "__"]
    first = {path: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "" for path in paths}
    named = {path.relative_to(PACKAGE): text.partition("\n")[0] for path, text in first.items()}
    return "".join(f"- `{path}`: {text}\n" for path, text in named.items())


@pytest.mark.slow  # a process starts
def test_no_import_of_a_public_name_binds_a_function() -> None:
    """``import bayesbias.NAME as module`` gives a module or fails, even after NAME was used."""
    code = """
import sys, types
import bayesbias as bb
for name in sys.argv[1:]:
    getattr(bb, name)
    try:
        exec(f"import bayesbias.{name} as module")
    except ModuleNotFoundError:
        continue
    if not isinstance(module, types.ModuleType):
        print(name)
"""
    run = subprocess.run(
        [sys.executable, "-c", code, *bayesbias.__all__], capture_output=True, text=True, check=True
    )
    assert run.stdout == ""


def test_the_import_is_light() -> None:
    code = "import sys, bayesbias; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "bayesbias" in loaded
    assert not loaded & {"pandas", "numpy", "scipy", "xarray", "pymc", "arviz", "matplotlib"}


def test_architecture_lists_every_file() -> None:
    section = PAGE.partition("## Files\n")[2]
    assert listed() in section, "the files differ from those in ARCHITECTURE.md; list them as here"
