"""Print what the last ``make mutants`` found: a table by module, and the survivors' changed lines.

Run ``python scripts/show_mutants.py [NAME ...]`` from the folder that holds ``mutants/``; NAME is a
module or a subpackage, such as ``scores.weat`` or ``scores``, and all are shown without one.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

PACKAGE = Path("bayesbias")
COLUMNS = ("killed", "survived", "timeout", "no tests", "not checked")


def statuses(module: Path) -> dict[str, str]:
    """Give the status of every mutant of a module by its name."""
    kept = json.loads(Path(f"mutants/{module}.meta").read_text())
    return {name: status_by_exit_code[code] for name, code in kept["exit_code_by_key"].items()}


def survivors(module: Path, found: dict[str, str]) -> list[str]:
    """Name every mutant that no test killed, with its changed lines."""
    lines = []
    for name, status in found.items():
        if status not in {"killed", "not checked"}:
            diff = get_diff_for_mutant(name, path=module).splitlines()[2:]
            changed = [line for line in diff if line.startswith(("-", "+"))]
            lines += [f"{name} ({status})", *changed, ""]
    return lines


def main(names: list[str]) -> None:
    """Print table and survivors of the modules named."""
    made = sorted(Path("mutants", PACKAGE).rglob("*.meta"))
    modules = {path.relative_to("mutants").with_suffix("") for path in made}
    dotted = {module: ".".join(module.with_suffix("").parts[1:]) for module in modules}
    wanted = {
        m for m in modules if not names or any(f"{dotted[m]}.".startswith(f"{n}.") for n in names)
    }
    found = {module: statuses(module) for module in sorted(wanted)}
    if not any(found.values()):
        raise SystemExit(f"no mutants of {', '.join(names) or PACKAGE}; run make mutants first")
    for module, each in found.items():
        print(*survivors(module, each), sep="\n")
    print(f"{'module':<28}{'mutants':>9}", *(f"{column:>12}" for column in COLUMNS), sep="")
    for module, each in found.items():
        if each:
            count = Counter(each.values())
            print(
                f"{dotted[module]:<28}{len(each):>9}", *(f"{count[c]:>12}" for c in COLUMNS), sep=""
            )


if __name__ == "__main__":
    main(sys.argv[1:])
