"""docs/tables/literature.csv and papers.csv: rows run, and are complete."""

import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from studies import literature

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "docs" / "tables"


@pytest.fixture(scope="module", autouse=True)
def _data(shared_data: Path) -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAYESBIAS_DATA", str(shared_data))
        yield


@pytest.mark.slow  # the table of a study
@pytest.mark.parametrize("entry", literature.ENTRIES, ids=lambda entry: entry.name)
def test_every_row_finds_what_the_table_shows(entry: literature.Entry) -> None:
    frame = entry.frame()
    table = pd.read_csv(TABLES / "literature.csv", keep_default_na=False)
    shown = table[table["row"] == entry.name]
    for column in ("claim", "quoted", "place", "verdict"):
        assert shown[column].tolist() == frame[column].tolist()
    assert frame.loc[frame["verdict"] != "agrees", "note"].str.len().gt(5).all()


def test_every_part_of_every_paper_has_its_place() -> None:
    table = pd.read_csv(TABLES / "papers.csv", keep_default_na=False, dtype=str)
    assert not table.duplicated(["paper", "part"]).any()
    for where in table["where"].str.split("; ").explode().unique():
        assert _resolves(where), where
    assert table.loc[table["where"] == "none", "note"].str.len().gt(5).all()


def _resolves(where: str) -> bool:
    kind, _, name = where.partition(" ")
    if where.startswith("bb."):
        return attrgetter(where[3:])(bb) is not None
    if where.startswith("docs/"):
        page, _, anchor = where.partition("#")
        text = (ROOT / page).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
        return not anchor or anchor in slugs
    known = {
        "claim": list(literature.CLAIMS),
        "model": bb.models(),
        "wordlist": bb.wordlists(),
        "list": bb.debias.defining_sets(),
    }
    if kind in known:
        return name in known[kind]
    paths = {"study": ROOT / "studies" / f"{name}.py", "data": ROOT / name}
    return where == "none" or paths[kind].is_file()


def test_plotted_posteriors_are_those_of_the_data_folder(shared_data: Path) -> None:
    there = pd.read_csv(shared_data / "paper_posteriors" / "posteriors.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(literature.plotted_posteriors(), there)


def test_the_null_example_is_the_published_one(shared_data: Path) -> None:
    values = literature.paper_example().values
    for row in pd.read_csv(shared_data / "null_example.csv").itertuples():
        column = int(row.attribute[1:]) - 1 + 8 * (row.attribute_set == "B")
        assert values[int(row.protected_word[1:]) - 1, column] == row.value
    assert values.shape == (16, 16)


def test_shares_of_null_samples_are_exact() -> None:
    """Shares are within 3.5 standard errors of simulations; only the slip exceeds d's bound."""
    n, example = 100_000, literature.paper_example()
    samples = example.null_samples(n, seed=5).rename(columns=lambda name: name.split("_")[-1])
    samples = samples.abs().rename(columns={"statistic": "S"})
    for of in samples:
        observed = example.statistic if of == "S" else example.effect_size()
        exact = literature.null_share(observed, of)
        share = (samples[of] >= observed).mean()
        assert share == pytest.approx(exact, abs=3.5 * np.sqrt(exact * (1 - exact) / n))
    assert samples["population"].max() <= 2 < samples["slipped"].max()
    assert literature.null_share(2.0, "population") == 0
