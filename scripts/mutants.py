"""Change a sign, term, constant, or argument at random, and see whether a test fails.

Usage: mutants.py N SEED JOBS [ROOM ...]. By default, mutants come from all rooms that compute.

All tests are collected once. For each mutant, a forked process gets the code of changed functions
and runs the tests that reach the line: first those that noticed other mutants of this file, then
quick tests that reach few lines. If a file changes outside functions, pytest starts anew.

mutmut skips module constants and decorated functions, cosmic-ray runs all tests for each mutant,
and mutatest needs a version of coverage from 2021. This script runs only tests that reach the line.
Tests of wording and of printed numbers do not count. Everything runs in copies of the package, so
you can edit files meanwhile. Tests that fail in a copy without a change are left out.

Survivors are printed as they are found. A run that was stopped goes on where it was; a survivor is
tried again if tests have changed. The map of tests is made again only if the package has changed,
and test files that are newer than the map are run whole.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib import import_module
from inspect import CO_OPTIMIZED
from itertools import chain
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FunctionType
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".mutants"
MAP, TIMES, BEGAN = PLACE / "coverage", PLACE / "times.xml", PLACE / "began"
RESULTS, BASE = PLACE / "results.jsonl", PLACE / "base"
COPIED = ("bayesbias", "tests")
MARKS = "not slow and not browser"
ROOMS = (
    ("model", "sampling", "posterior", "scores", "comparison"),
    ("_core", "tables", "embeddings", "nulls", "background", "debias", "maskedlm", "calibration"),
)
PRINTED = ("docs", "public_names", "report", "cli", "pages", "findings")
"""Tests of wording and printed numbers begin with these names."""

CHOICES = "tests/test_choices.py"
"""Tests that look at all defaults and constants, which are read when a module is imported."""

SECONDS = 90
"""Longest predicted run of the tests that reach a mutant; others of their files get a quarter."""

PROMISING = 5
"""Seconds of the tests that are run first, in the order of time times lines reached."""

SMALL = 1e-3
"""Smaller numbers are tolerances, which nobody notices if they are half as large again."""

A = ast
SWAPS = {A.Add: A.Sub, A.Mult: A.Div, A.Lt: A.GtE, A.Gt: A.LtE, A.Eq: A.NotEq, A.And: A.Or}
SWAPS |= {other: one for one, other in SWAPS.items()} | {A.Pow: A.Mult, A.FloorDiv: A.Div}

NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all", "sum": "mean"}
NAMES |= {"log": "exp", "cumsum": "cumprod", "ones": "zeros", "var": "std"}
NAMES |= {other: one for one, other in NAMES.items() if one != "sum"}
"""Functions and methods that are exchanged."""

SYMMETRIC = {"min", "max", "minimum", "maximum", "hypot", "logaddexp", "isclose", "swapaxes"}
"""Functions whose first two arguments may be exchanged."""

DROPPED = {"abs", "sqrt", "log", "exp", "square", "sorted", "reversed"}
"""Functions of which only the argument is kept."""


type Changed = list[tuple[FunctionType, CodeType]]


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
            name = str(path.relative_to(ROOT))
            if ast.unparse(changed) != ast.unparse(node):
                yield Mutant(name, node.lineno, *place, f"({ast.unparse(changed)})")


def copied(copy: Path) -> None:
    """Copy the package and its tests; everything else that tests need is linked."""
    shutil.rmtree(copy, ignore_errors=True)
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / name)
    for entry in ROOT.iterdir():
        if entry.name not in COPIED and entry.name[0] != ".":
            (copy / entry.name).symlink_to(entry)


def prepare(copy: Path, seconds: int) -> None:
    """Limit the time of a new process, and let it and processes that it starts use a copy."""
    os.setsid()
    log = os.open(copy / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    signal.alarm(10 * seconds)
    signal.setitimer(signal.ITIMER_PROF, 3 * seconds)  # time of the processor
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    os.chdir(copy)
    sys.path[:] = [str(copy), *(entry for entry in sys.path if entry != str(BASE))]
    sys.dont_write_bytecode = True


def start(copy: Path, *arguments: str, seconds: int, **more: str) -> int:
    """Start pytest in a copy, and return the id of the process."""
    if pid := os.fork():
        return pid
    prepare(copy, seconds)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-m", MARKS]
    os.execve(sys.executable, [*command, *arguments], os.environ | more)


def start_items(copy: Path, items: list[pytest.Item], changed: Changed) -> int:
    """Run collected tests with other code in a forked process, and return its id."""
    if pid := os.fork():
        return pid
    prepare(copy, SECONDS)
    for function, code in changed:
        function.__code__ = code
    killer = ""
    with suppress(BaseException):
        session = items[0].session
        for item, following in zip(items, [*items[1:], None], strict=True):
            killer = item.nodeid
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        else:
            os._exit(0)
    (copy / "killer").write_text(killer)
    os._exit(1)


def ended() -> tuple[int, str]:
    """Wait until a process of `start` ends; return its id, and what happened to the mutant."""
    pid, status = os.wait()
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # workers that it left
    code = os.waitstatus_to_exitcode(status)
    timed_out = code in {-signal.SIGALRM, -signal.SIGPROF}
    return pid, "timed out" if timed_out else "killed" if code else "survived"


def map_tests(jobs: int) -> None:
    """Run the ordinary tests once if the package has changed; keep which lines each reaches."""
    newest = max(file.stat().st_mtime for file in (ROOT / "bayesbias").rglob("*.py"))
    if TIMES.exists() and TIMES.stat().st_mtime > newest:
        return
    copied(PLACE / "0")
    BEGAN.touch()
    left_out = [f"--ignore-glob=*/test_{name}*.py" for name in (*PRINTED, "fuzz")]
    options = ["--ignore=tests/fuzz", *left_out, "--cov"]
    options += ["-n", str(jobs)] if jobs > 1 else []
    options += ["--cov-context=test", "--cov-report=", f"--junitxml={TIMES}"]
    start(PLACE / "0", *options, seconds=3600, COVERAGE_FILE=str(MAP))
    ended()
    print((PLACE / "0" / "log.txt").read_text()[-2000:])


def test_times() -> dict[str, float]:
    """Return the seconds of every test that passed; files newer than the map count as one test."""
    cases = [case for case in ElementTree.parse(TIMES).iter("testcase") if not len(case)]
    times: dict[str, float] = {}
    begun = BEGAN.stat().st_mtime
    newer = [file for file in ROOT.glob("tests/test_*.py") if file.stat().st_mtime > begun]
    changed = {str(file.relative_to(ROOT)) for file in newer}
    for case in cases:
        file = case.get("classname", "").replace(".", "/") + ".py"
        test = file if file in changed else f"{file}::{case.get('name')}"
        times[test] = times.get(test, 0) + float(case.get("time", 0))
    return times | dict.fromkeys(changed - times.keys(), 1.0)


def sizes() -> dict[str, int]:
    """Return how many lines each test reaches."""
    query = "SELECT context, COUNT(*) FROM arc JOIN context ON context.id = context_id GROUP BY 1"
    with closing(sqlite3.connect(MAP)) as data:
        found = data.execute(query).fetchall()
    return Counter({context.partition("|")[0]: count for context, count in found})


def chosen_tests(contexts: set[str], times: dict[str, float], size: dict[str, int]) -> list[str]:
    """Return tests that reach a line, then others of their files, up to the time limit.

    Promising tests come first, the others by file, so that fixtures of modules are made once.
    """
    reach = {context.partition("|")[0] for context in contexts}
    reach = (reach | {test.partition("::")[0] for test in reach}) & times.keys()
    files = {test.partition("::")[0] for test in reach}
    near = [test for test in times if test.partition("::")[0] in files]
    total, tests, seconds = 0.0, [], Counter[str]()
    for test in sorted(near, key=lambda test: (test not in reach, times[test])):
        total += times[test]
        if total < (SECONDS if test in reach else SECONDS / 4) or not tests:
            tests.append(test)
            seconds[test.partition("::")[0]] += times[test]
    order = {test: place for place, test in enumerate(times)}
    tests.sort(key=lambda test: (seconds[test.partition("::")[0]], order[test]))
    total, first = 0.0, []
    for test in sorted(reach & {*tests}, key=lambda test: (0.02 + times[test]) * size[test]):
        total += times[test]
        first += [test] if total < PROMISING else []
    return [*dict.fromkeys([*sorted(first, key=order.get), *tests])]


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and all codes in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes(const)


def alone(code: CodeType) -> CodeType:
    """Return a code without the functions in it."""
    own = [const for const in code.co_consts if not isinstance(const, CodeType)]
    return code.replace(co_consts=tuple(own))


def changed_functions(path: Path, source: bytes, functions: list[FunctionType]) -> Changed:
    """Return the functions of a file and their new code; none if that does not suffice."""
    old, new = ([*codes(compile(s, path, "exec"))] for s in (path.read_bytes(), source))
    if len(old) != len(new):
        return []
    for before, after in zip(old, new, strict=True):
        whole = not before.co_flags & CO_OPTIMIZED  # a module or a class
        if len(before.co_freevars) != len(after.co_freevars):
            return []
        if whole and alone(before) != alone(after):
            return []
    others = dict(zip(old, new, strict=True))
    pairs = [(one, others[one.__code__]) for one in functions if one.__code__ in others]
    return [(one, code) for one, code in pairs if code != one.__code__]


class Trials:
    """A plugin of pytest that runs the tests of each mutant on a copy with this change."""

    def __init__(
        self, wanted: list[tuple[Mutant, list[str]]], jobs: int, tell: Callable[[Mutant, str], None]
    ) -> None:
        self.tell = tell
        self.wanted, self.free = [*wanted], [PLACE / str(number) for number in range(jobs)]
        self.killers: dict[str, Counter[str]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all trials instead of all tests."""
        for module in walk_packages([str(BASE / "bayesbias")], "bayesbias."):
            if "__main__" not in module.name:
                import_module(module.name)
        gc.collect()
        self.functions: dict[str, list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        self.items: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            for name in (item.nodeid, item.nodeid.partition("::")[0]):
                self.items.setdefault(name, []).append(item)
        for mutant, what in self.outcomes():
            self.tell(mutant, what)
        return True

    def begin(self, mutant: Mutant, tests: list[str], copy: Path, source: bytes) -> int:
        """Change a copy, start the tests of this mutant in it, and return the process."""
        inserted = mutant.text.encode()
        lost = source[mutant.start : mutant.end].count(b"\n")  # lines keep their numbers
        inserted = inserted[:-1] + b"\n" * lost + inserted[-1:]
        changed = source[: mutant.start] + inserted + source[mutant.end :]
        (copy / mutant.path).write_bytes(changed)
        killers = self.killers.get(mutant.path, Counter())
        first = [test for test, _ in killers.most_common() if test in tests]
        tests = [*dict.fromkeys([*first, *tests])]
        path = BASE / mutant.path
        functions = changed_functions(path, changed, self.functions.get(str(path), []))
        items = [*dict.fromkeys(chain(*(self.items.get(test, []) for test in tests)))]
        if functions and items:
            return start_items(copy, items, functions)
        return start(copy, "-x", "--hypothesis-seed=0", *tests, seconds=SECONDS)

    def outcomes(self) -> Iterator[tuple[Mutant, str]]:
        """Run the tests of each mutant on a copy with this change."""
        running: dict[int, tuple[Mutant, Path, bytes]] = {}
        while self.wanted or running:
            while self.wanted and self.free:
                mutant, tests = self.wanted.pop(0)
                copy = self.free.pop()
                source = (copy / mutant.path).read_bytes()
                running[self.begin(mutant, tests, copy, source)] = mutant, copy, source
            pid, what = ended()
            mutant, copy, source = running.pop(pid)
            (copy / mutant.path).write_bytes(source)
            self.free.append(copy)
            if (copy / "killer").exists():
                killer = (copy / "killer").read_text()
                (copy / "killer").unlink()
                self.killers.setdefault(mutant.path, Counter())[killer] += 1
            yield mutant, what


def run(
    wanted: list[tuple[Mutant, list[str]]], jobs: int, tell: Callable[[Mutant, str], None]
) -> None:
    """Collect the tests once, and try every mutant."""
    files = sorted({test.partition("::")[0] for _, tests in wanted for test in tests})
    os.chdir(BASE)
    os.environ["PYTHONPATH"] = str(BASE)
    sys.path.insert(0, str(BASE))
    options = ["-p", "no:cacheprovider", "-q", "-x", "-s", "--hypothesis-seed=0", "-m", MARKS]
    pytest.main([*options, *files], plugins=[Trials(wanted, jobs, tell)])


def line_of(mutant: Mutant, what: str) -> str:
    """Return what was changed, and what happened, as one line."""
    before = (ROOT / mutant.path).read_bytes()[mutant.start : mutant.end].decode()
    return f"{what}: {mutant.path}:{mutant.line}: {before} -> {mutant.text}"


def key_of(mutant: Mutant) -> str:
    """Return a name for a mutant that changes with its file."""
    content = (ROOT / mutant.path).read_bytes()
    return f"{hashlib.sha256(content).hexdigest()[:12]} {' '.join(map(str, mutant))}"


def known_outcomes(tests: str) -> dict[str, str]:
    """Return the outcomes of earlier runs, but not of survivors of other tests."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    known = [json.loads(line) for line in lines]
    return {key: what for key, what, with_ in known if what != "survived" or with_ == tests}


def sampled(n: int, seed: int, rooms: list[str]) -> list[tuple[Mutant, list[str]]]:
    """Draw mutants, and choose the tests of each."""
    times, size, data = test_times(), sizes(), CoverageData(str(MAP))
    data.read()
    measured = {"bayesbias/" + f.rpartition("/bayesbias/")[2]: f for f in data.measured_files()}
    folders = [ROOT / "bayesbias" / room for room in rooms]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    some = random.Random(seed).sample([one for path in paths for one in mutants_of(path)], n)
    lines = {m.path: data.contexts_by_lineno(measured.get(m.path, "")) for m in some}
    reach = [set(lines[one.path].get(one.line, [])) - {""} for one in some]
    wide = [{*chain(*lines[one.path].values())} for one in some]  # for constants of a module
    data.close()
    choices = [test for test in times if test.startswith(CHOICES)]
    tests = [
        [*(() if own else choices), *chosen_tests(own or all_, times, size)]
        for own, all_ in zip(reach, wide, strict=True)
    ]
    return [*zip(some, tests, strict=True)]


def main(n: int, seed: int, jobs: int, *only: str) -> None:
    """Try n mutants, and print the survivors and the shares killed."""
    warnings.filterwarnings("ignore", "This process .* is multi-threaded")  # a library has one
    os.environ.setdefault("BAYESBIAS_DATA", str(ROOT.parent / "shared" / "data"))
    map_tests(jobs)
    for place in (BASE, *(PLACE / str(number) for number in range(jobs))):
        copied(place)
    some = sampled(n, seed, [*(only or chain(*ROOMS))])
    files = sorted(ROOT.glob("tests/**/*.py"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
    known = known_outcomes(digest)
    known |= {key_of(one): "not reached" for one, tests in some if not tests}
    wanted = [(one, tests) for one, tests in some if key_of(one) not in known]
    print(f"{n - len(wanted)} of {n} are known", flush=True)

    def tell(one: Mutant, what: str) -> None:
        known[key_of(one)] = what
        with RESULTS.open("a") as file:
            file.write(json.dumps([key_of(one), what, digest]) + "\n")
        if what != "killed":
            print(line_of(one, what), flush=True)

    if wanted:
        run(wanted, jobs, tell)
    for rooms in [only] if only else ROOMS:
        found = [(one, known[key_of(one)]) for one, _ in some if one.path.split("/")[1] in rooms]
        killed = sum(what in {"killed", "timed out"} for _, what in found)
        print(f"\n{', '.join(rooms)}: {killed} of {len(found)} killed")
        print("\n".join(line_of(one, what) for one, what in found if what != "killed"))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
