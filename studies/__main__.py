"""Compute a table of the docs: ``python -m studies [NAME] [--size N] [--part PART] [--out F]``."""

from __future__ import annotations

import argparse
import pkgutil
import time
from importlib import import_module
from pathlib import Path


def studies() -> dict[str, str]:
    """Return the first line of every study's docstring, keyed by study name."""
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    modules = {name: import_module(f"studies.{name}") for name in names if name[0] != "_"}
    return {
        name: (module.__doc__ or "").splitlines()[0]
        for name, module in modules.items()
        if hasattr(module, "study")
    }


def main() -> None:
    """Run one study and write its table as CSV, or list all studies."""
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("name", nargs="?", choices=sorted(studies()))
    parser.add_argument("--size", type=int, help="tables, texts, or repeats")
    parser.add_argument("--part", help="one part of a study that has PARTS, such as speed")
    parser.add_argument("--out", type=Path, help="docs/tables/NAME.csv by default")
    given = parser.parse_args()
    if given.name is None:
        print("\n".join(f"{name:18}{line}" for name, line in studies().items()))
        return
    start = time.process_time()
    study = import_module(f"studies.{given.name}").study
    options = {"size": given.size, "part": given.part}
    frame = study(**{name: value for name, value in options.items() if value is not None})
    name = "-".join(filter(None, (given.name, given.part)))
    out = given.out or Path(__file__).parents[1] / "docs" / "tables" / f"{name}.csv"
    frame.round(4).to_csv(out, index=False)
    print(frame.to_string(index=False))
    print(f"{out}: {len(frame)} rows, {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
