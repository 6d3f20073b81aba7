"""Package names in notebooks and docs exist, even in code that tests do not run."""

import ast
import json
import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import bayesbias

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/*.md")])

OF_THE_READER = {"bb.debias.center"}  # names that a page shows how to add


def code_of(page: Path) -> str:
    """Return the Python code of a page, including solutions, without IPython commands."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return fenced(text)
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "code" else fenced(source))
    return re.sub(r"^[%!].*$", "", "\n".join(parts), flags=re.M)


def fenced(text: str) -> str:
    """Return the Python code in a Markdown text."""
    return "\n".join(re.findall(r"^```python[^\n]*\n(.*?)^```$", text, flags=re.M | re.S))


@pytest.mark.slow
def test_the_page_on_regressions_finds_the_trend_that_it_plants() -> None:
    """Run its parts that need no data from elsewhere."""
    page = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
    starts = [page.index(f"## {title}") for title in ("How many", "Does it depend", "Trends over")]
    plan, trend, found = page[slice(*starts[:2])], page[starts[2] :], {"bb": bayesbias}
    for code in (fenced(plan), fenced(trend)):
        named = code.replace("bb.plan(", "planned = bb.plan(")
        exec(named.replace("bb.trend(", "trend = bb.trend("), found)  # the reader's own lines
    rows = found["trend"].set_index("quantity")
    printed = re.findall(r"\| −(\.\d+) \(−(\.\d+), −(\.\d+)\) \|", trend)
    for quantity, digits, numbers in zip(rows.index, (4, 3), printed, strict=True):
        own = -rows.loc[quantity, ["mean", "low", "high"]].astype(float)
        np.testing.assert_allclose(own, [float(n) for n in numbers], atol=0.6 * 10.0**-digits)
    widths = re.findall(r"^\| \d+ \| \d+ \| \d \| (\.\d+) \|", plan, flags=re.M)
    for width in widths:
        assert (abs(found["planned"]["half_width"] - float(width)) < 0.0006).any()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_of_the_package_are_there(page: Path) -> None:
    nodes = list(ast.walk(ast.parse(code_of(page), page.name)))
    known = {"bb": bayesbias, "bayesbias": bayesbias}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bayesbias":
            source = import_module(node.module or "")
            known |= {each.asname or each.name: getattr(source, each.name) for each in node.names}
    for used in {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}:
        first, *rest = used.split(".")
        if first in known and all(map(str.isidentifier, rest)) and used not in OF_THE_READER:
            reduce(getattr, rest, known[first])
