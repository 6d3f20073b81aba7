"""The paragraphs for a paper: numbers are in the run's frames, references in the BibTeX."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from builders import ALONE, religion_analysis

import bayesbias as bb
from bayesbias.report.numbers import number, percent
from bayesbias.report.write_up import OF_EMBEDDINGS, OF_MODELS, bibliography
from bayesbias.workflows.wordlist import Analysis

NUMBER = re.compile(r"(?<![\w.])−?\d[\d,]*(?:\.\d+)*")

ODD = {
    "name": "50% of $x_1$ & <b>",
    "groups": {"a|b": ["cat", "cats"], "d_g": ["dog", "dogs"]},
    "stereotypes": {"a|b": ["small", "quiet", "home"], "d_g": ["loyal", "big", "police"]},
    "reference": "nobody #1 {yet}",
}


@pytest.fixture(scope="module")
def found() -> Analysis:
    return religion_analysis()


def said(text: str) -> set[str]:
    plain = re.sub(r"\$[^$]*\$|\[@[^]]*\]", "", text)
    return {each.rstrip(",") for each in NUMBER.findall(plain)}


def written(values: pd.Series) -> set[str]:
    """Numbers of a column as sentences write them."""
    return {number(value, digits) for value in values for digits in (1, 2, 3)}


def test_every_number_is_in_the_frames(found: Analysis) -> None:
    frames, arguments = found.frames, found.record()["arguments"]
    table, lead = frames["table"], frames["contrasts"].query("level != 'word'")
    results = found.write_up().markdown.split("## Methods")[0]
    listed = found.lead["listed"]
    chances = [*lead["p_direction"], *(1 - lead["p_direction"])]
    assert said(results) <= set().union(
        *(written(frame[name]) for frame in (lead, listed) for name in ("mean", "low", "high")),
        written(frames["summary"].query("level == 'overall'")["mean"]),
        {re.sub("%|over |under ", "", percent(p)) for p in chances},
        {percent(1 - p).rstrip("%") for p in frames["reference"]["percentile"]},
        counts(table),
    )
    methods = found.write_up().markdown.split("## Methods")[1].split("## Appendix")[0]
    assert said(methods) <= counts(table) | said(found.wordlist.reference) | {
        "1",  # 1 − cosine
        "89",
        f"{len(frames['missing'])}",
        f"{len(found.wordlist.to_frame()) - len(found.wordlist.controls['matched'])}",
        bb.__version__,
        *(str(arguments[name]) for name in ("reference_lists", "matched")),
        f"{found.reference['reference_lists'].attrs['n_words']:,}",
    }


def counts(table: pd.DataFrame) -> set[str]:
    """Rows, and different words, of the table and of its parts."""
    stereotypes = table[table["connection"].isin(["associated", "different"])]
    parts = [table, stereotypes, *(part for _, part in table.groupby("connection"))]
    sizes = [len(part) for part in parts]
    sizes += [part[name].nunique() for part in parts for name in ("attribute", "protected_word")]
    sizes += list(table.groupby("protected_group")["protected_word"].nunique())
    return {f"{size:,}" for size in sizes}


def test_what_is_cited_is_there(found: Analysis) -> None:
    paper = found.write_up()
    there = set(re.findall(r"^@\w+\{(.*),$", paper.bibtex, flags=re.MULTILINE))
    assert set(re.findall(r"@([a-z]+\d{4}|bayesbias)\b", paper.markdown)) == there
    assert repr(paper) == paper.markdown


def test_every_citation_has_an_entry() -> None:
    keys = {key for table in (OF_MODELS, OF_EMBEDDINGS) for keys in table.values() for key in keys}
    assert keys <= set(bibliography())
    assert all(bb.load_model(name) for name in OF_MODELS)


@pytest.mark.usefixtures("mock_nuts")
@pytest.mark.filterwarnings("ignore::bayesbias.SamplingWarning")
def test_odd_names_stay_text() -> None:
    few = {"models": ("paper",), "method": "nuts", "chains": 2, "draws": 100}
    found = bb.analyze("glove-demo", ODD, seed=1, **few, **ALONE)
    paper = found.write_up()
    assert "No-U-Turn" in paper.markdown
    assert r"list “50% of \$x\_1\$ & \<b\>”, after nobody #1 {yet};" in paper.markdown
    assert r"| a\|b † | " in paper.markdown
    assert "\n† marks numbers of a set that lost" in paper.markdown
