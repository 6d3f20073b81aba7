"""Exit with code 1 if a page, docstring, message, template, or notebook has a stiff phrase.

The rules are in CONTRIBUTING.md.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

STIFF = re.compile(
    r"\b(anew|to be had|by lot|whoever|one may|one must|as may be|(?:is|are) told|held against"
    r"|hold .{1,20} against|read against|(?<!in )taken for|of which|mend(?:s|ed|ing)?"
    r"|lies? near(?:er)?|beside|in place of|some (?:ten|twenty|thirty) |no mark of|neither)\b"
    r"|^\| .*[^|]$",  # a row of a table that is broken across lines
    re.IGNORECASE,
)
FOLDERS = {
    "docs": ("*.md", "*.html"),
    "bayesbias": ("*.py", "*.j2", "*.toml"),
    "notebooks": ("*.ipynb",),
}


def texts(path: Path) -> list[str]:
    """Return the lines that people read; for notebooks, only the sources."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8").splitlines()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [line for cell in cells for line in "".join(cell["source"]).splitlines()]


def main() -> int:
    """Print every phrase with its location."""
    paths = [
        path
        for folder, names in FOLDERS.items()
        for name in names
        for path in Path(folder).rglob(name)
    ]
    found = [
        f"{path}:{number}: {match[0]}: {line.strip()}"
        for path in [Path("README.md"), *sorted(paths)]
        for number, line in enumerate(texts(path), 1)
        for match in STIFF.finditer(line)
    ]
    print("\n".join(found) or "prose: no phrase of the style guide's list")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
