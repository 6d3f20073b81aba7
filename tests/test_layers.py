"""ARCHITECTURE's laws about imports: they point down, and heavy ones wait until they are needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayesbias

PACKAGE = Path(bayesbias.__file__).parent
INTERFACE = "__init__"

BASE = "_core tables embeddings"

ALLOWED = {
    "_core": "",
    "tables": "_core",
    "embeddings": "_core tables",
    "model": "_core tables",
    "scores": BASE,
    "sampling": "_core tables model",
    "posterior": "_core tables model scores sampling",
    "nulls": BASE,
    "debias": "_core embeddings scores",
    "background": f"{BASE} model scores sampling posterior",
    "contextual": "_core tables embeddings scores",
    "maskedlm": "_core tables model sampling posterior",
    "extrinsic": "_core tables",
    "comparison": f"{BASE} model scores sampling posterior debias",
    "calibration": "_core model scores sampling posterior nulls comparison",
    "plots": "_core tables comparison",
    "report": "_core tables maskedlm plots",
    "workflows": f"{BASE} model scores sampling posterior debias background contextual maskedlm "
    "comparison report",
    "cli": f"{BASE} model scores sampling maskedlm calibration report workflows",
}
"""What each folder may import: the law of ARCHITECTURE.md. A line names earlier folders only."""

HEAVY = {"pymc", "arviz", "gensim", "torch", "sklearn", "matplotlib", "jinja2"}
"""Distributions that only the function that needs them may import."""


def dotted(path: Path) -> str:
    """Name that a file is imported by."""
    parts = [PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path: Path) -> str:
    """Folder of the package that a module is in; a module of the root is a room of its own."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files_of(names: set[str]) -> set[str]:
    """Modules of bayesbias among imported names, whether they are imported or a name of theirs."""
    known = {dotted(path) for path in MODULES}
    return {name if name in known else name.rpartition(".")[0] for name in names} & known


def cycle(imports: dict[str, set[str]]) -> list[str]:
    """Modules that remain when those that import nothing that remains are taken out, in turn."""
    left = dict(imports)
    while done := {name for name, wanted in left.items() if not (wanted - {name}) & left.keys()}:
        left = {name: wanted for name, wanted in left.items() if name not in done}
    return sorted(left)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in {
        getattr(node.test, "id", None),
        getattr(node.test, "attr", None),
    }


def import_nodes(node: ast.AST, *, lazy: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that run: those inside functions only if `lazy`, those for types never."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif is_type_checking(child):
            assert isinstance(child, ast.If)
            for other in child.orelse:
                yield from import_nodes(ast.Module([other], []), lazy=lazy)
        elif lazy or not isinstance(child, functions):
            yield from import_nodes(child, lazy=lazy)


def imported_names(source: str, package: tuple[str, ...], *, lazy: bool) -> set[str]:
    """Absolute dotted names that a module's text imports; `package` is where it lives."""
    names: set[str] = set()
    for node in import_nodes(ast.parse(source), lazy=lazy):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        base = package[: len(package) - node.level + 1] if node.level else ()
        stem = ".".join([*base, *([node.module] if node.module else [])])
        names |= {f"{stem}.{alias.name}" for alias in node.names}
    return names


def imports_of(path: Path, *, lazy: bool) -> set[str]:
    package = (PACKAGE.name, *path.relative_to(PACKAGE).parts[:-1])
    return imported_names(path.read_text(encoding="utf-8"), package, lazy=lazy)


def rooms_of(names: set[str]) -> set[str]:
    """Folders of bayesbias among imported names; the package itself for what is in none."""
    inner = {name.split(".")[1] for name in names if name.startswith(f"{PACKAGE.name}.")}
    rooms = {name if name in ALLOWED else INTERFACE for name in inner - {"__version__"}}
    return rooms | ({INTERFACE} if PACKAGE.name in names else set())


ROOT_FILES = {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) not in ROOT_FILES
)
NAMES = [str(path.relative_to(PACKAGE)) for path in MODULES]


def test_the_root_holds_the_front_door_only() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == ROOT_FILES | {"extrinsic.py"}


def test_the_law_names_every_folder_and_only_earlier_ones() -> None:
    assert sorted(ALLOWED) == sorted({room_of(path) for path in MODULES})
    order = list(ALLOWED)
    for place, (room, allowed) in enumerate(ALLOWED.items()):
        assert set(allowed.split()) <= set(order[:place]), room


def test_folders_import_what_they_may_and_no_permission_is_idle() -> None:
    used: dict[str, set[str]] = {room: set() for room in ALLOWED}
    for path in MODULES:
        room = room_of(path)
        used[room] |= rooms_of(imports_of(path, lazy=True)) - {room}
        used[room] -= {INTERFACE} if room == "cli" else set()  # commands call the public names
        wrong = used[room] - set(ALLOWED[room].split())
        assert not wrong, f"{path} may not import {', '.join(sorted(wrong))}: see ARCHITECTURE.md"
    assert used == {room: set(allowed.split()) for room, allowed in ALLOWED.items()}


def test_no_file_imports_itself_by_way_of_others() -> None:
    imports = {dotted(path): files_of(imports_of(path, lazy=True)) for path in MODULES}
    assert not cycle(imports)


def test_no_import_of_a_public_name_binds_a_function() -> None:
    """``import bayesbias.NAME as module`` gives a module or fails, also where NAME was used."""
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


@pytest.mark.parametrize("path", [*MODULES, PACKAGE / "__init__.py"], ids=[*NAMES, "__init__.py"])
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    heavy = {name.split(".")[0] for name in imports_of(path, lazy=False)} & HEAVY
    assert not heavy, f"{path.name}: import {', '.join(sorted(heavy))} in the function that uses it"


def test_the_package_itself_imports_no_module_of_its_own() -> None:
    assert not rooms_of(imports_of(PACKAGE / "__init__.py", lazy=False))


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, bayesbias; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "bayesbias" in loaded
    assert not loaded & (HEAVY | {"pandas", "numpy", "scipy", "xarray"})


SAMPLE = """
from __future__ import annotations
import os, pymc.sampling
from typing import TYPE_CHECKING
from . import schema
from .scores.weat import weat
from ..cli import main
if TYPE_CHECKING:
    import torch
else:
    import jinja2
try:
    import matplotlib.pyplot as plt
except ImportError:
    pass
class A:
    import sklearn
    def f(self):
        import gensim
"""


def test_the_reader_of_imports_sees_what_runs_and_only_that() -> None:
    top = imported_names(SAMPLE, ("bayesbias", "plots"), lazy=False)
    own = {"bayesbias.plots.schema", "bayesbias.plots.scores.weat.weat", "bayesbias.cli.main"}
    heavy = {"pymc.sampling", "jinja2", "matplotlib.pyplot", "sklearn"}
    rest = {"os", "typing.TYPE_CHECKING", "__future__.annotations"}
    assert top == own | heavy | rest
    assert imported_names(SAMPLE, ("bayesbias", "plots"), lazy=True) == top | {"gensim"}


def test_architecture_shows_the_law() -> None:
    page = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, flags=re.MULTILINE)
    shown = {}
    for room, allowed in rows:
        if allowed.strip().startswith("all but"):
            left_out = {room, *re.findall(r"`(\w+)`", allowed)}
            shown[room] = {name for name in ALLOWED if name not in left_out}
        else:
            shown[room] = set(re.findall(r"`(\w+)`", allowed))
    assert shown == {room: set(allowed.split()) for room, allowed in ALLOWED.items()}
