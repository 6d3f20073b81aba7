"""Code in README, notebooks, and docs: what runs here prints what it shows; all names exist."""

import ast
import json
import re
from doctest import NORMALIZE_WHITESPACE
from functools import reduce
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from printed import NumberChecker

import bayesbias as bb

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/*.md")])

OF_THE_READER = {"bb.debias.center"}  # names that a page shows how to add


def blocks(text: str, language: str = "python") -> list[str]:
    """Return the fenced code of a language in a Markdown text."""
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", text, flags=re.M | re.S)


def code_of(page: Path) -> str:
    """Return the Python code of a page, including solutions, without IPython commands."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return "\n".join(blocks(text))
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts += [source] if cell["cell_type"] == "code" else blocks(source)
    return re.sub(r"^[%!].*$", "", "\n".join(parts), flags=re.M)


@pytest.mark.slow
def test_python_in_readme_prints_its_table_of_results(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for code in blocks(README):
        exec(compile(code, "README.md", "exec"), {})  # the reader's own lines
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("low", "p_direction", "coverage"))
    lines = [re.sub(r"^\d+ ", "", line) for line in printed.splitlines()]
    rows = re.findall(r"^\| .*\d \|$", README.replace("−", "-"), flags=re.M)
    assert rows
    for row in (re.sub(r"\||\(all\)", " ", row).strip() for row in rows):
        assert any(NumberChecker().check_output(row, line, NORMALIZE_WHITESPACE) for line in lines)


def test_word_list_in_readme_loads(tmp_path: Path) -> None:
    path = tmp_path / "arts.toml"
    path.write_text(blocks(README, "toml")[0], encoding="utf-8")
    words = bb.load_wordlist(path)
    assert set(words.groups) == {"artist", "scientist"}
    table = bb.distance_table(bb.load_vectors("glove-demo", words=words), words)
    assert len(table[table["connection"] == "associated"]) == 18


def test_links_of_readme_lead_somewhere() -> None:
    """Docs have their links checked when they are built; README is not one of their pages."""
    for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]+))?\)", README):
        assert (ROOT / target).exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", (ROOT / target).read_text(encoding="utf-8"), re.M)
            anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
            assert anchor in anchors, f"{target} has no {anchor}"


@pytest.mark.slow
def test_the_page_on_regressions_finds_the_trend_that_it_plants() -> None:
    """Run its parts that need no data from elsewhere."""
    page = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
    starts = [page.index(f"## {title}") for title in ("How many", "Does it depend", "Trends over")]
    plan, trend, found = page[slice(*starts[:2])], page[starts[2] :], {"bb": bb}
    for code in blocks(plan) + blocks(trend):
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


@pytest.mark.slow
def test_the_page_on_false_alarms_prints_its_rates() -> None:
    page, found = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8"), {}
    lines, printed = blocks(page)[0], blocks(page, "text")[0]
    exec(lines.replace("bb.calibration.", "frame = bb.calibration."), found)  # the reader's own
    frame = found["frame"][printed.splitlines()[0].split()]
    assert NumberChecker().check_output(printed, f"{frame}\n", NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_of_the_package_are_there(page: Path) -> None:
    nodes = list(ast.walk(ast.parse(code_of(page), page.name)))
    known = {"bb": bb, "bayesbias": bb}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bayesbias":
            source = import_module(node.module or "")
            known |= {each.asname or each.name: getattr(source, each.name) for each in node.names}
    for used in {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}:
        first, *rest = used.split(".")
        if first in known and all(map(str.isidentifier, rest)) and used not in OF_THE_READER:
            reduce(getattr, rest, known[first])
