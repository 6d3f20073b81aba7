"""A contract for import-linter: folders import only what the table in ARCHITECTURE.md allows.

import-linter reads all imports, also those inside functions and those for type checkers.
"""

from __future__ import annotations

import re
from pathlib import Path

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.application.contract_utils import (
    AlertLevel,
    remove_ignored_imports_and_report,
)

PAGE = Path(__file__).resolve().parent.parent / "ARCHITECTURE.md"

PUBLIC = "the public names"
"""What a row of the table calls imports of the package itself."""


def allowed_imports(page: str) -> dict[str, set[str]]:
    """Return the folders that each folder may import, in the order of the table."""
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, flags=re.MULTILINE)
    return {
        room: {*re.findall(r"`(\w+)`", text), *([PUBLIC] if PUBLIC in text else [])}
        for room, text in rows
    }


class Rooms(Contract):
    """Each folder has a row, which names only earlier folders, and uses all that it may import."""

    ignore_imports = fields.SetField(subfield=fields.ImportExpressionField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Compare all imports with the table."""
        ignored = self.ignore_imports
        removed = remove_ignored_imports_and_report(graph, ignored, AlertLevel.ERROR)
        allowed = allowed_imports(PAGE.read_text("utf-8"))
        used, problems = _used(graph), []
        for room in sorted({*used, *allowed}):
            may, does, earlier = allowed.get(room, set()), used.get(room, {}), {PUBLIC}
            earlier |= {*list(allowed)[: list(allowed).index(room)]} if room in allowed else set()
            problems += [f"{room} has no row"] if room not in allowed else []
            problems += [f"{does[other]} imports {other}" for other in sorted({*does} - may)]
            problems += [f"{room} may import {name} but does not" for name in sorted(may - {*does})]
            problems += [f"{room} must come after {name}" for name in sorted(may - earlier)]
        return ContractCheck(
            kept=not problems,
            metadata={"problems": problems},
            ignored_import_count=removed.ignored_import_count,
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print what differs from the table."""
        for problem in check.metadata["problems"]:
            output.print_error(f"{problem}: see ARCHITECTURE.md", bold=False)


def _used(graph: ImportGraph) -> dict[str, dict[str, str]]:
    """Return the folders that each folder imports, each with one of the importing modules."""
    modules = sorted(graph.modules - {"bayesbias", "bayesbias.__main__"})
    used: dict[str, dict[str, str]] = {module.split(".")[1]: {} for module in modules}
    for module in modules:
        room = module.split(".")[1]
        for imported in graph.find_modules_directly_imported_by(module):
            details = graph.get_import_details(importer=module, imported=imported)
            if all("__version__" in one["line_contents"] for one in details):
                continue
            other = imported.split(".")[1] if "." in imported else PUBLIC
            if other != room:
                used[room][other] = module
    return used
