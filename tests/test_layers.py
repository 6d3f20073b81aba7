"""ARCHITECTURE's rules for imports: they point down, and heavy ones happen only when needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import bayesbias

PACKAGE = Path(bayesbias.__file__).parent
INTERFACE = "__init__"

PAGE = (PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
ALLOWED = {
    room: {*re.findall(r"`(\w+)`", allowed)}
    for room, allowed in re.findall(r"^\| `(\w+)` \|([^|]*)\|", PAGE, flags=re.MULTILINE)
}
"""Allowed imports of each folder, as in ARCHITECTURE.md. A row names only earlier folders."""

HEAVY = {"pymc", "arviz", "gensim", "torch", "sklearn", "matplotlib", "jinja2"}
"""Distributions that may be imported only inside functions that need them."""


def listed() -> str:
    """Return the list of files in ARCHITECTURE.md: the first line of every module's docstring."""
    first = {path: ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in MODULES}
    named = {path.relative_to(PACKAGE): text.partition("\n")[0] for path, text in first.items()}
    return "".join(f"- `{path}`: {text}\n" for path, text in named.items() if path.name[:2] != "__")


def dotted(path: Path) -> str:
    """Return the dotted name that imports a file."""
    parts = [PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path: Path) -> str:
    """Return the package folder of a module. A top-level module counts as a separate folder."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def files_of(names: set[str]) -> set[str]:
    """Return the modules of bayesbias among imported names, or the modules of these names."""
    known = {dotted(path) for path in MODULES}
    return {name if name in known else name.rpartition(".")[0] for name in names} & known


def import_nodes(node: ast.AST, *, lazy: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield imports that run: inside functions only if `lazy`, and never those for types."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from import_nodes(ast.Module(child.orelse, []), lazy=lazy)
        elif lazy or not isinstance(child, functions):
            yield from import_nodes(child, lazy=lazy)


def imported_names(source: str, package: tuple[str, ...], *, lazy: bool) -> set[str]:
    """Return the absolute dotted names that source text in `package` imports."""
    names: set[str] = set()
    for node in import_nodes(ast.parse(source), lazy=lazy):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        base = package[: len(package) - node.level + 1] if node.level else ()
        stem = ".".join([*base, *([node.module] if node.module else [])])
        names |= {f"{stem}.{alias.name}" for alias in node.names}
    return names


@cache
def imports_of(path: Path, *, lazy: bool) -> set[str]:
    package = (PACKAGE.name, *path.relative_to(PACKAGE).parts[:-1])
    return imported_names(path.read_text(encoding="utf-8"), package, lazy=lazy)


def rooms_of(names: set[str]) -> set[str]:
    """Return the folders of bayesbias among imported names, or the package for names in none."""
    inner = {name.split(".")[1] for name in names if name.startswith(f"{PACKAGE.name}.")}
    rooms = {name if name in ALLOWED else INTERFACE for name in inner - {"__version__"}}
    return rooms | ({INTERFACE} if PACKAGE.name in names else set())


ROOT_FILES = {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) not in ROOT_FILES
)


def test_the_law_names_every_folder_and_only_earlier_ones() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == ROOT_FILES | {"extrinsic.py", "warnings.py"}
    assert sorted(ALLOWED) == sorted({room_of(path) for path in MODULES})
    order = list(ALLOWED)
    for place, (room, allowed) in enumerate(ALLOWED.items()):
        assert allowed <= set(order[:place]), room


def test_folders_import_what_they_may_and_no_permission_is_idle() -> None:
    used: dict[str, set[str]] = {room: set() for room in ALLOWED}
    for path in MODULES:
        room = room_of(path)
        used[room] |= rooms_of(imports_of(path, lazy=True)) - {room}
        used[room] -= {INTERFACE} if room == "cli" else set()  # commands call the public functions
        wrong = used[room] - ALLOWED[room]
        assert not wrong, f"{path} may not import {', '.join(sorted(wrong))}: see ARCHITECTURE.md"
    assert used == ALLOWED


def test_no_file_imports_itself_by_way_of_others() -> None:
    imports: dict[str, set[str]] = {}
    for path in MODULES:
        imports[dotted(path)] = files_of(imports_of(path, lazy=True)) - {dotted(path)}
    TopologicalSorter(imports).prepare()  # raises a CycleError that names the files


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


def test_heavy_packages_are_imported_inside_functions() -> None:
    for path in [*MODULES, PACKAGE / "__init__.py"]:
        heavy = {name.split(".")[0] for name in imports_of(path, lazy=False)} & HEAVY
        assert not heavy, f"{path}: import {', '.join(sorted(heavy))} in the function that uses it"
    assert not rooms_of(imports_of(PACKAGE / "__init__.py", lazy=False))
    code = "import sys, bayesbias; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "bayesbias" in loaded
    assert not loaded & (HEAVY | {"pandas", "numpy", "scipy", "xarray"})


def test_architecture_lists_every_file() -> None:
    section = PAGE.partition("## Files\n")[2]
    assert listed() in section, "the files differ from those in ARCHITECTURE.md; list them as here"
