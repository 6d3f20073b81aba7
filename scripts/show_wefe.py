"""Run the Python of docs/wefe.md and print the tables of that page.

    python scripts/show_wefe.py [--write FOLDER]

Seconds. `tests/test_wefe.py` holds the page against what is printed. With a folder the page's
embeddings and queries are written there, for scripts/run_wefe.py.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import bayesbias as bb

PAGE = Path(__file__).resolve().parents[1] / "docs" / "wefe.md"

BY_VALUE = ("MAC", "ECT")
"""Scores of which WEFE's average is of the numbers, whose value of no bias is 1."""

SHOWN = {"weat_statistic": "WEAT, statistic", "weat": "WEAT, effect size", "mac": "MAC"}
"""Scores of the first table, as the page calls them."""


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    folder = parser.parse_args().write
    found = run(PAGE.read_text(encoding="utf-8"))
    for lines in (scores, ranks, agreement, wefe):
        print(*lines(found), sep="\n", end="\n\n")
    if folder is not None:
        write(found, folder)


def run(page: str) -> dict[str, Any]:
    """Run the page's Python, and return what it names."""
    found: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```$", page, flags=re.M | re.S):
        exec(compile(code, PAGE.name, "exec"), found)
    return found


def write(found: dict[str, Any], folder: Path) -> None:
    """Write embeddings as text and queries as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, vectors in found["embeddings"].items():
        lines = [f"{len(vectors)} {vectors.vector_size}"]
        for word, row in zip(vectors.index_to_key, vectors.vectors, strict=True):
            lines.append(" ".join([word, *(f"{value:.9g}" for value in row)]))
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lists = [bb.load_wordlist(each) for each in found["lists"]]
    queries = {each.name: [*each.groups.values(), *each.stereotypes.values()] for each in lists}
    files = [f"{name}.txt" for name in found["embeddings"]]
    for name, content in {"queries.json": queries, "embeddings.json": files}.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def scores(found: dict[str, Any]) -> Iterator[str]:
    """Yield the table of scores and ranks."""
    frame = _average(found["scored"])
    yield from _head("score", found["embeddings"])
    for score, name in SHOWN.items():
        of = frame[frame["score"] == score].set_index("embedding")
        cells = [f"{_number(of['value'][e])}, rank {of['rank'][e]}" for e in found["embeddings"]]
        yield f"| {name} | {' | '.join(cells)} |"


def ranks(found: dict[str, Any]) -> Iterator[str]:
    """Yield the table of the posterior's ranks."""
    frame = _average(found["ranked"])
    places = [name for name in frame if str(name).startswith("p_")]
    yield from _head("embedding", ["contrast", *(f"rank {i + 1}" for i in range(len(places)))])
    for row in frame.to_dict("records"):
        cells = [_interval(row["mean"], row), *(_share(row[name]) for name in places)]
        yield f"| {row['embedding']} | {' | '.join(cells)} |"


def agreement(found: dict[str, Any]) -> Iterator[str]:
    """Yield the table of correlations with the posterior."""
    frame = _average(found["agreement"])
    frame = frame[frame["second"] == "joint"]
    yield from _head("order by", ["Spearman", "Kendall", "same order"])
    for name, part in frame.groupby("first", sort=False):
        rows = part.set_index("method").to_dict("index")
        cells = [_interval(rows[m]["correlation"], rows[m], 2) for m in ("spearman", "kendall")]
        told = SHOWN.get(str(name), "another draw")
        yield f"| {told} | {' | '.join(cells)} | {_share(rows['kendall']['p_same'])} |"


def wefe(found: dict[str, Any]) -> Iterator[str]:
    """Yield the table of scores that equal WEFE's."""
    frame = _average(found["as_wefe"])
    yield from _head("score", found["embeddings"])
    for score, of in frame.groupby("score", sort=False):
        column = of.set_index("embedding")["value" if score in BY_VALUE else "bias"]
        cells = [f"{column[e]:.4f}".removeprefix("0") for e in found["embeddings"]]
        yield f"| {score} | {' | '.join(cells)} |"


def _average(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["wordlist"] == "average"]


def _head(first: str, others: Iterable[str]) -> tuple[str, str]:
    names = [first, *others]
    return f"| {' | '.join(names)} |", "|---" * len(names) + "|"


def _number(value: float, digits: int = 3) -> str:
    """Write a number as the pages do: a true minus, and no zero before the point."""
    text = f"{abs(value):.{digits}f}".removeprefix("0")
    return f"−{text}" if value < 0 else text


def _interval(value: float, row: Mapping[str, float], digits: int = 3) -> str:
    low, high = (_number(row[end], digits) for end in ("low", "high"))
    return f"{_number(value, digits)} ({low} to {high})"


def _share(share: float) -> str:
    if share < 0.005:
        return "<.01"
    return ">.99" if share > 0.995 else _number(share, 2)


if __name__ == "__main__":
    main()
