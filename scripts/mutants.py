"""Change a sign, term, constant, or argument at random, and see whether a test fails.

Usage: mutants.py N SEED [ROOM ...]. By default, mutants come from all rooms that compute.

mutmut skips module constants and decorated functions, cosmic-ray runs all tests for each mutant,
and mutatest needs a version of coverage from 2021. This script runs only tests that reach the line.
Tests of wording and of printed numbers do not count. Everything runs in two copies of the package,
so you can edit files meanwhile. Tests that fail in a copy without a change are left out.
"""

from __future__ import annotations

import ast
import os
import queue
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".mutants"
MAP, TIMES = PLACE / "coverage", PLACE / "times.xml"
COPIES, COPIED = (PLACE / "a", PLACE / "b"), ("bayesbias", "tests")
ROOMS = (
    ("model", "sampling", "posterior", "scores", "comparison"),
    ("_core", "tables", "embeddings", "nulls", "background", "debias", "maskedlm", "calibration"),
)
PRINTED = ("readme", "public_names", "report", "notebooks", "lesson", "cli", "pages", "findings")
"""Tests of wording and printed numbers begin with these names."""

SECONDS = 60
"""Longest predicted run of the tests of one mutant."""

SMALL = 1e-3
"""Smaller numbers are tolerances, which nobody notices if they are half as large again."""

A = ast
SWAPS = {A.Add: A.Sub, A.Mult: A.Div, A.Lt: A.GtE, A.Gt: A.LtE, A.Eq: A.NotEq, A.And: A.Or}
SWAPS |= {other: one for one, other in SWAPS.items()} | {A.Pow: A.Mult, A.FloorDiv: A.Div}

NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all", "sum": "mean"}
NAMES |= {"log": "exp", "cumsum": "cumprod", "ones": "zeros", "var": "std"}
NAMES |= {other: one for one, other in NAMES.items() if one != "sum"}
"""Functions and methods that are exchanged."""

SYMMETRIC = {"min", "max", "minimum", "maximum", "hypot", "logaddexp", "isclose"}
"""Functions whose first two arguments may be exchanged."""

DROPPED = {"abs", "sqrt", "log", "exp", "square", "sorted", "reversed"}
"""Functions of which only the argument is kept."""


class Mutant(NamedTuple):
    """A changed part of a file; the place is in bytes."""

    path: str
    line: int
    start: int
    end: int
    text: str


def mutations(node: ast.expr) -> Iterator[ast.expr]:
    """Yield changed versions of an expression."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            yield from (ast.BinOp(left, SWAPS[type(op)](), right), left)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(SWAPS[type(op)](), values)
        case ast.Compare(left, [op], right) if type(op) in SWAPS:
            yield ast.Compare(left, [SWAPS[type(op)]()], right)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(1 - value if value in (0, 1) else value + max(1, value // 2))
        case ast.Constant(float(value)) if not 0 < value < SMALL:
            yield ast.Constant(value * 1.5 or 1.0)
        case ast.Call(func, arguments, keywords):
            yield from changed_calls(func, arguments, keywords)


def changed_calls(
    func: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> Iterator[ast.expr]:
    """Yield calls with two arguments exchanged, of another function, or without the function."""
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if len(arguments) > 1 and name not in SYMMETRIC:
        yield ast.Call(func, [arguments[1], arguments[0], *arguments[2:]], keywords)
    if name in {"ones", "zeros"} and ast.unparse(arguments[0]) in {"0", "(0, 0)"}:
        return  # an empty array
    if name in NAMES and isinstance(func, ast.Attribute):
        yield ast.Call(ast.Attribute(func.value, NAMES[name]), arguments, keywords)
    elif name in NAMES:
        yield ast.Call(ast.Name(NAMES[name]), arguments, keywords)
    if name in DROPPED and len(arguments) == 1:
        yield arguments[0]


def expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield expressions, except in annotations, decorators, errors, warnings, and texts.

    The lines before an error in its block only make its text.
    """
    for name, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[-1], ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            text = isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr | ast.TypeAlias)
            text |= name in {"annotation", "returns", "decorator_list", "type_params"}
            text |= isinstance(child, ast.Call) and ast.unparse(child.func) == "warn"
            text |= isinstance(child, ast.keyword) and child.arg == "strict"  # only a safeguard
            if isinstance(child, ast.AST) and not text:
                yield from [child] if isinstance(child, ast.expr) else []
                yield from expressions(child)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    starts, source = [0], path.read_bytes()
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in expressions(ast.parse(source)):
        ends = node.end_lineno or node.lineno, node.end_col_offset or 0
        place = starts[node.lineno - 1] + node.col_offset, starts[ends[0] - 1] + ends[1]
        for changed in mutations(node):
            name = str(path.relative_to(COPIES[0]))
            yield Mutant(name, node.lineno, *place, f"({ast.unparse(changed)})")


def copied() -> None:
    """Copy the package and its tests twice; everything else that tests need is linked."""
    for copy in COPIES:
        shutil.rmtree(copy, ignore_errors=True)
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name)
        for entry in ROOT.iterdir():
            if entry.name not in COPIED and entry.name[0] != ".":
                (copy / entry.name).symlink_to(entry)


def pytest_in(
    copy: Path, *arguments: str, seconds: float | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy."""
    environment = {"BAYESBIAS_DATA": str(ROOT.parent / "shared" / "data"), **os.environ, **more}
    environment |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    how = {"cwd": copy, "env": environment, "capture_output": True, "text": True}
    return subprocess.run(call, check=False, timeout=seconds, **how)


def map_tests() -> None:
    """Run the ordinary tests once, unless nothing has changed; keep which lines each reaches."""
    files = (file for room in ("bayesbias", "tests") for file in (ROOT / room).rglob("*.py"))
    if TIMES.exists() and TIMES.stat().st_mtime > max(file.stat().st_mtime for file in files):
        return
    copied()
    left_out = [f"--ignore-glob=*/test_{name}*.py" for name in PRINTED]
    options = ["-q", "-n", "2", "-m", "not slow and not browser", *left_out, "--cov"]
    options += ["--cov-context=test", "--cov-report=", f"--junitxml={TIMES}"]
    print(pytest_in(COPIES[0], *options, COVERAGE_FILE=str(MAP)).stdout[-2000:])


def test_times() -> dict[str, float]:
    """Return the seconds of every test that passed."""
    cases = [case for case in ElementTree.parse(TIMES).iter("testcase") if not len(case)]
    ids = [f"{c.get('classname', '').replace('.', '/')}.py::{c.get('name')}" for c in cases]
    return {name: float(case.get("time", 0)) for name, case in zip(ids, cases, strict=True)}


def chosen_tests(contexts: set[str], times: dict[str, float]) -> list[str]:
    """Return tests that reach a line, then others of their files, up to the time limit.

    They are in the order of their files, so that fixtures of modules are made once.
    """
    reach = {context.partition("|")[0] for context in contexts} & times.keys()
    files = {test.partition("::")[0] for test in reach}
    near = [test for test in times if test.partition("::")[0] in files]
    total, tests, seconds = 0.0, [], Counter[str]()
    for test in sorted(near, key=lambda test: (test not in reach, times[test])):
        total += times[test]
        if total < SECONDS or not tests:
            tests.append(test)
            seconds[test.partition("::")[0]] += times[test]
    order = {test: place for place, test in enumerate(times)}
    return sorted(tests, key=lambda test: (seconds[test.partition("::")[0]], order[test]))


def outcome(mutant: Mutant, tests: list[str], copies: queue.Queue[Path]) -> str:
    """Run the tests on a copy with this change."""
    if not tests:
        return "not reached"
    copy = copies.get()
    source = (copy / mutant.path).read_bytes()
    changed = source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
    (copy / mutant.path).write_bytes(changed)
    try:
        done = pytest_in(copy, "-qx", "--hypothesis-seed=0", *tests, seconds=4 * SECONDS)
    except subprocess.TimeoutExpired:
        print("T", end="", flush=True)
        return "timed out"
    finally:
        (copy / mutant.path).write_bytes(source)
        copies.put(copy)
    if done.returncode == 5 or "ERROR: not found" in done.stderr:
        raise RuntimeError(f"tests are missing: {done.stderr}")
    print("." if done.returncode else "S", end="", flush=True)
    return "killed" if done.returncode else "survived"


def report(title: str, found: list[tuple[Mutant, str]]) -> None:
    """Print the share killed and the survivors; mutants that never end count as killed."""
    killed = sum(what in {"killed", "timed out"} for _, what in found)
    print(f"\n{title}: {killed} of {len(found)} killed")
    for mutant, what in found:
        before = (COPIES[0] / mutant.path).read_bytes()[mutant.start : mutant.end].decode()
        if what != "killed":
            print(f"  {what}: {mutant.path}:{mutant.line}: {before} -> {mutant.text}")


def main(n: int, seed: int, *only: str) -> None:
    """Try n mutants, and print the shares killed and the survivors."""
    map_tests()
    copied()
    times, data, copies = test_times(), CoverageData(str(MAP)), queue.Queue[Path]()
    data.read()
    folders = [COPIES[0] / "bayesbias" / room for room in only or chain(*ROOMS)]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    some = random.Random(seed).sample([one for path in paths for one in mutants_of(path)], n)
    lines = {
        path: data.contexts_by_lineno(str(COPIES[0] / path)) for path in {m.path for m in some}
    }
    reach = [set(lines[one.path].get(one.line, [])) - {""} for one in some]
    wide = [{*chain(*lines[one.path].values())} for one in some]  # for constants of a module
    tests = [chosen_tests(own or all_, times) for own, all_ in zip(reach, wide, strict=True)]
    for copy in COPIES:
        copies.put(copy)
    with ThreadPoolExecutor(2) as pool:
        found = [*zip(some, pool.map(outcome, some, tests, [copies] * n), strict=True)]
    for rooms in [only] if only else ROOMS:
        report(", ".join(rooms), [one for one in found if one[0].path.split("/")[1] in rooms])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
