"""Whatever a template of a report names is there, in branches that no test renders, too."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pandas as pd
import pytest
from jinja2 import Environment, nodes
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.spec import Term
from bayesbias.report import writer
from bayesbias.report.write_up import Raw
from bayesbias.tables.wordlists import WordList
from bayesbias.workflows.results import ModelResult
from bayesbias.workflows.settings import Settings
from bayesbias.workflows.wordlist import Analysis

TEMPLATES = sorted((Path(writer.__file__).parent / "templates").glob("*.j2"))

OWNERS: dict[str, tuple[type, ...]] = {
    "page": (writer.Page,),
    "section": (writer.Section,),
    "block": (writer.Table, writer.Figure),
    "line": (writer.Line,),
    "headline": (writer.Table,),
    "table": (writer.Table, pd.DataFrame),
    "analysis": (Analysis,),
    "settings": (Settings,),
    "wordlist": (WordList,),
    "posterior": (DataTree,),
    "spec": (bb.ModelSpec,),
    "term": (Term,),
    "reference": (str,),
    **dict.fromkeys(("result", "lead", "other"), (ModelResult,)),
    **dict.fromkeys(("prior", "in_words"), (str,)),
}
"""Classes of what templates name, by the last part of the name."""

FREE = {"loop", "record", "row", "versions"}
"""What has no class: Jinja's own, a row of a frame, and the record with its versions."""


def has(kind: type, name: str) -> bool:
    return hasattr(kind, name) or (is_dataclass(kind) and name in {f.name for f in fields(kind)})


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_name_attributes_that_exist(path: Path) -> None:
    environment = Environment()
    environment.filters["raw"] = Raw
    named = environment.parse(path.read_text(encoding="utf-8")).find_all(nodes.Getattr)
    for node in named:
        inner = node.node
        owner = getattr(inner, "name", None) or getattr(inner, "attr", None)
        if owner is None or owner in FREE:
            continue  # part of an expression
        assert owner in OWNERS, f"{path.name}: say in OWNERS what {owner} is"
        assert any(has(kind, node.attr) for kind in OWNERS[owner]), f"{owner}.{node.attr}"
