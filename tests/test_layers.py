"""ARCHITECTURE's laws about imports: they point down, and heavy ones wait until they are needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayesbias

PACKAGE = Path(bayesbias.__file__).parent
INTERFACE = "__init__"

LAYERS = {
    "__main__": 6,
    "cli": 5,
    "report": 5,
    "analysis": 5,
    "change_analysis": 5,
    "results": 5,
    "sweep": 5,
    "sweep_results": 5,
    "plots": 4,
    "summaries": 3,
    "contrasts": 3,
    "checks": 3,
    "posterior_scores": 3,
    "model_comparison": 3,
    "attribute_folds": 3,
    "sensitivity": 3,
    "vocabulary_contrasts": 3,
    "sweep_config": 3,
    "comparison": 3,
    "calibration": 3,
    "descriptives": 3,
    "maskedlm": 3,
    "models": 2,
    "collapsed": 2,
    "fitting": 2,
    "posterior": 2,
    "design": 2,
    "sufficient": 2,
    "exact": 2,
    "predictive": 2,
    "importance": 2,
    "reduction": 2,
    "scores": 2,
    "background": 2,
    "debias": 2,
    "nulls": 2,
    "contextual": 2,
    "extrinsic": 2,
    "wordlists": 1,
    "wordlist_check": 1,
    "wordlist_findings": 1,
    "vectors": 1,
    "embedding_files": 1,
    "transformer_files": 1,
    "distances": 1,
    "table_files": 1,
    "cards": 1,
    "priors": 1,
    "intervals": 1,
    "jobs": 1,
    "conversion": 1,
    "schema": 0,
    "geometry": 0,
    "bundled": 0,
    "atomic": 0,
    "showing": 0,
    "frame_files": 1,
}
"""Layer of every module and subpackage of bayesbias: the table of DESIGN and ARCHITECTURE."""

SIDEWAYS = {1, 2, 3, 5}
"""Layers whose modules may import each other, as distances and wordlists, fitting and models,
checks and summaries, cli and report do."""

HEAVY = {"pymc", "arviz", "gensim", "torch", "sklearn", "matplotlib", "jinja2"}
"""Distributions that only the function that needs them may import."""


def unit_of(path: Path) -> str:
    """Module or subpackage of the top level that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


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


def units_of(names: set[str]) -> set[str]:
    """Top-level modules of bayesbias among imported names; the package itself for other names."""
    inner = {name.split(".")[1] for name in names if name.startswith(f"{PACKAGE.name}.")}
    known = {*LAYERS, *map(unit_of, PACKAGE.iterdir())}
    units = {name if name in known else INTERFACE for name in inner - {"__version__"}}
    return units | ({INTERFACE} if PACKAGE.name in names else set())


def may_import(importer: str, imported: str) -> bool:
    """Down the layers; sideways within some layers and within a subpackage."""
    if imported == INTERFACE:
        return False
    if importer == imported or not {importer, imported} <= LAYERS.keys():
        return True  # test_every_module_has_a_layer tells which one has none
    above, below = LAYERS[importer], LAYERS[imported]
    return below < above or (below == above and above in SIDEWAYS)


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if unit_of(path) != INTERFACE)
NAMES = [str(path.relative_to(PACKAGE)) for path in MODULES]


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_every_module_has_a_layer(path: Path) -> None:
    assert unit_of(path) in LAYERS, (
        f"{path.name}: the module or subpackage {unit_of(path)!r} has no layer; add it to LAYERS "
        "in tests/test_layers.py and to the table of layers in ARCHITECTURE.md"
    )


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_imports_point_down(path: Path) -> None:
    unit = unit_of(path)
    wrong = sorted(
        other for other in units_of(imports_of(path, lazy=True)) if not may_import(unit, other)
    )
    assert not wrong, (
        f"{path.name} (layer {LAYERS.get(unit)}) may not import {', '.join(wrong)}: imports point "
        "down the layers of LAYERS in tests/test_layers.py"
    )


@pytest.mark.parametrize("path", [*MODULES, PACKAGE / "__init__.py"], ids=[*NAMES, "__init__.py"])
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    heavy = {name.split(".")[0] for name in imports_of(path, lazy=False)} & HEAVY
    assert not heavy, f"{path.name}: import {', '.join(sorted(heavy))} in the function that uses it"


def test_the_package_itself_imports_no_module_of_its_own() -> None:
    assert not units_of(imports_of(PACKAGE / "__init__.py", lazy=False))


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


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("distances", "wordlists", True),
        ("fitting", "models", True),
        ("scores", "scores", True),
        ("cli", "schema", True),
        ("schema", "geometry", False),
        ("contrasts", "summaries", True),
        ("cli", "report", True),
        ("report", "plots", True),
        ("plots", "report", False),
        ("schema", "wordlists", False),
        ("scores", INTERFACE, False),
    ],
)
def test_the_law_itself(importer: str, imported: str, allowed: bool) -> None:
    assert may_import(importer, imported) is allowed
