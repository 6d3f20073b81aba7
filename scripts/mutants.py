"""Change a sign, term, constant, or argument at random, and see whether a test fails: N SEED.

mutmut skips module constants and decorated functions, cosmic-ray runs all tests for each mutant,
and mutatest needs a version of coverage from 2021. This script runs only tests that reach the line.
Tests of wording and of printed numbers do not count.
"""

from __future__ import annotations

import ast
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
MAP, TIMES = ROOT / ".mutants" / "coverage", ROOT / ".mutants" / "times.xml"
ROOMS = (
    ("model", "sampling", "posterior", "scores", "comparison"),
    ("_core", "tables", "embeddings", "nulls", "background", "debias", "maskedlm", "calibration"),
)
PRINTED = ("readme", "public_names", "report", "notebooks", "lesson", "cli", "pages", "findings")
"""Tests of wording and printed numbers begin with these names."""

SECONDS = 60
"""Longest predicted run of the tests of one mutant."""

A = ast
SWAPS = {A.Add: A.Sub, A.Mult: A.Div, A.Lt: A.LtE, A.Gt: A.GtE, A.Eq: A.NotEq, A.And: A.Or}
SWAPS |= {other: one for one, other in SWAPS.items()} | {A.Pow: A.Mult}


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
            yield ast.Constant(1 - value if value in (0, 1) else value + 1)
        case ast.Constant(float(value)):
            yield ast.Constant(value * 1.5 or 1.0)
        case ast.Call(func, [first, second, *rest], keywords):
            yield ast.Call(func, [second, first, *rest], keywords)


def expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield expressions, except in annotations, decorators, errors, warnings, and texts."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            text = isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr | ast.TypeAlias)
            text |= name in {"annotation", "returns", "decorator_list", "type_params"}
            text |= isinstance(child, ast.Call) and ast.unparse(child.func) == "warn"
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
            name = str(path.relative_to(ROOT))
            yield Mutant(name, node.lineno, *place, f"({ast.unparse(changed)})")


def map_tests() -> None:
    """Run the ordinary tests once, unless nothing has changed; keep which lines each reaches."""
    files = (file for room in ("bayesbias", "tests") for file in (ROOT / room).rglob("*.py"))
    if not TIMES.exists() or TIMES.stat().st_mtime < max(file.stat().st_mtime for file in files):
        left_out = [f"--ignore-glob=*/test_{name}*.py" for name in PRINTED]
        call = ["-q", "-n", "2", "-m", "not slow and not mlm and not browser", *left_out, "--cov"]
        call += ["--cov-context=test", "--cov-report=", f"--junitxml={TIMES}"]
        MAP.parent.mkdir(exist_ok=True)
        environment = os.environ | {"COVERAGE_FILE": str(MAP)}
        subprocess.run(
            [sys.executable, "-m", "pytest", *call], cwd=ROOT, env=environment, check=False
        )


def chosen_tests(contexts: set[str], times: dict[str, float]) -> list[str]:
    """Return tests that reach a line, then others of their files, up to the time limit."""
    reach = {context.partition("|")[0] for context in contexts} & times.keys()
    files = {test.partition("::")[0] for test in reach}
    near = [test for test in times if test.partition("::")[0] in files]
    total, tests = 0.0, []
    for test in sorted(near, key=lambda test: (test not in reach, times[test])):
        total += times[test]
        tests += [test] if total < SECONDS or not tests else []
    return tests


def outcome(mutant: Mutant, tests: list[str], copies: queue.Queue[Path]) -> str:
    """Run the tests on a copy with this change."""
    if not tests:
        return "not reached"
    copy, source = copies.get(), (ROOT / mutant.path).read_bytes()
    changed = source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
    (copy / mutant.path).write_bytes(changed)
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    call = [
        sys.executable,
        "-m",
        "pytest",
        "-qx",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        *tests,
    ]
    how = {"cwd": copy, "env": environment, "capture_output": True, "timeout": 4 * SECONDS}
    try:
        status = subprocess.run(call, check=False, **how).returncode
    except subprocess.TimeoutExpired:
        status = 1
    finally:
        (copy / mutant.path).write_bytes(source)
        copies.put(copy)
    print("." if status else "S", end="", flush=True)
    return "killed" if status else "survived"


def main(n: int, seed: int) -> None:
    """Try n mutants, and print the shares killed and the survivors."""
    map_tests()
    cases = [case for case in ElementTree.parse(TIMES).iter("testcase") if not len(case)]
    ids = [f"{c.get('classname', '').replace('.', '/')}.py::{c.get('name')}" for c in cases]
    times = {name: float(case.get("time", 0)) for name, case in zip(ids, cases, strict=True)}
    data, copies = CoverageData(str(MAP)), queue.Queue[Path]()
    data.read()
    folders = [ROOT / "bayesbias" / room for rooms in ROOMS for room in rooms]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    some = random.Random(seed).sample([one for path in paths for one in mutants_of(path)], n)
    lines = {path: data.contexts_by_lineno(str(ROOT / path)) for path in {m.path for m in some}}
    reach = [set(lines[one.path].get(one.line, [])) - {""} for one in some]
    wide = [{*chain(*lines[one.path].values())} for one in some]  # for constants of a module
    tests = [chosen_tests(own or all_, times) for own, all_ in zip(reach, wide, strict=True)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for name in "ab":
            copy = Path(folder, name)
            shutil.copytree(ROOT / "bayesbias", copy / "bayesbias")
            for entry in ROOT.iterdir():
                if entry.name != "bayesbias" and entry.name[0] != ".":
                    (copy / entry.name).symlink_to(entry)
            copies.put(copy)
        found = [*pool.map(outcome, some, tests, [copies] * n)]
    for rooms in ROOMS:
        own = [(m, o) for m, o in zip(some, found, strict=True) if m.path.split("/")[1] in rooms]
        killed = sum(what == "killed" for _, what in own)
        print(f"\n{', '.join(rooms)}: {killed} of {len(own)} killed")
        for mutant, what in own:
            before = (ROOT / mutant.path).read_bytes()[mutant.start : mutant.end].decode()
            if what != "killed":
                print(f"  {what}: {mutant.path}:{mutant.line}: {before} -> {mutant.text}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
