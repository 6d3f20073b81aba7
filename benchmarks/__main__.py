"""Run the benchmarks and write their tables to RESULTS.md beside this file.

``python -m benchmarks`` runs all but simulation-based calibration, which ``--sbc`` adds;
``--only NAME ...`` runs some and keeps the other sections of the file as they are; ``--quick``
tries those that know a short form, and writes nothing.
"""

from __future__ import annotations

import argparse
import inspect
import os
import pkgutil
import platform
import re
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from bayesbias._core.files import replace_file

RESULTS = Path(__file__).with_name("RESULTS.md")
ON_REQUEST = {"sbc"}
PACKAGES = ("bayesbias", "numpy", "scipy", "pandas", "gensim", "arviz", "pymc")
PACKAGES += ("nutpie", "numpyro", "jax", "torch", "transformers")

MARK = re.compile(r"^<!-- --8<-- .* -->\n?", re.MULTILINE)
"""What tells the pages of the documentation, which include a section, where it starts and ends."""

HEADING = "# Benchmarks\n\nMade by `python -m benchmarks`; rivals run beside, in the same run."


def benchmarks() -> dict[str, ModuleType]:
    """Give the modules of this folder that have a ``main``, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(RESULTS.parent)]))
    found = {name: import_module(f"benchmarks.{name}") for name in names if name != "__main__"}
    return {name: module for name, module in found.items() if hasattr(module, "main")}


def machine() -> str:
    """Say what the run was made on, without naming the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = [f"{name} {known}" for name in PACKAGES if (known := _version(name))]
    return (
        f"{cores} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {', '.join(packages)}."
    )


def sections() -> dict[str, str]:
    """Sections that the results hold already, by name."""
    if not RESULTS.is_file():
        return {}
    text = MARK.sub("", RESULTS.read_text(encoding="utf-8"))
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def run(module: ModuleType, *, quick: bool) -> str:
    """Run one benchmark and give its section."""
    about = inspect.cleandoc(module.__doc__ or "")
    options = (
        {"quick": True} if quick and "quick" in inspect.signature(module.main).parameters else {}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"{about}\n\n{module.main(**options)}\n\n{machine()}"


def main() -> None:
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = ", ".join(sorted(known))
    parser.add_argument(
        "--only", nargs="+", choices=sorted(known), default=[], metavar="NAME", help=names
    )
    parser.add_argument("--sbc", action="store_true")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    left_out = set() if asked.sbc else ON_REQUEST
    wanted = asked.only or [name for name in known if name not in left_out]
    found = sections()
    for name in wanted:
        found[name] = run(known[name], quick=asked.quick)
        print(f"## {name}\n\n{found[name]}\n", flush=True)
        if not asked.quick:
            _write(found)


def _write(found: dict[str, str]) -> None:
    parts = [
        f"## {name}\n\n<!-- --8<-- [start:{name}] -->\n{found[name]}\n<!-- --8<-- [end:{name}] -->"
        for name in sorted(found)
    ]
    text = "\n\n".join([HEADING, *parts])
    with replace_file(RESULTS) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()
