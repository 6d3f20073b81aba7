"""Read the published tables and figures that the claims are checked against.

The 18 tables of Dobrzeniecka and Urbaniak (2024) are not included in the project. They are read
from the folder in BAYESBIAS_DATA, which is a clone of the authors' repository or a folder with the
same files. The means and interval ends of the result figures were read from the vector figures, to
within 2.4e-5, and are in ``posteriors.csv`` next to this file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from xarray import DataTree

import bayesbias as bb

REPOSITORY = "https://github.com/efemeryds/Bayesian-analysis-for-NLP-bias"
FOLDERS = ("paper_tables", "datasets/macWeatDatasets", ".")
"""Places of the tables: a data folder, a clone, or the folder itself."""

LISTS = ("gender", "race", "religion")
EMBEDDINGS = ("glove", "google", "reddit")
BEFORE = {f"{ls}_{vs}": f"{ls}_group_{vs}_dataset.csv" for ls in LISTS for vs in EMBEDDINGS}
BEFORE |= {f"weat{n}_{vs}": f"weat_{n}_{vs}.csv" for n in (1, 7) for vs in EMBEDDINGS}
DEBIASED = {f"debiased_{ls}_reddit": f"debiased_{ls}_reddit.csv" for ls in LISTS}
TABLES = BEFORE | DEBIASED  # files of the 18 published tables by short name


def data_folder() -> Path:
    """Return the folder with published data; a FileNotFoundError says how to get it."""
    named = os.environ.get("BAYESBIAS_DATA")
    if not named:
        raise FileNotFoundError(
            f"the published tables are not part of this project; clone {REPOSITORY} and name the "
            "clone in the environment variable BAYESBIAS_DATA"
        )
    if not Path(named).is_dir():
        raise FileNotFoundError(f"BAYESBIAS_DATA: no folder at {named}")
    return Path(named)


@contextmanager
def known_warnings() -> Iterator[None]:
    """Silence the warnings of `read_table` that the claims already report in rows."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=".*(-100|repeat an earlier row|exact copies|equally far)"
        )
        yield


def published_table(name: str) -> pd.DataFrame:
    """Read one of the 18 tables, such as ``religion_reddit``; repeated rows are kept."""
    folders = [data_folder() / part for part in FOLDERS]
    for folder in folders:
        if (folder / TABLES[name]).is_file():
            with known_warnings():
                return bb.read_table(folder / TABLES[name])
    raise FileNotFoundError(
        f"BAYESBIAS_DATA: {TABLES[name]} is not in {data_folder()} or in its {FOLDERS[0]} or "
        f"{FOLDERS[1]}; a clone of {REPOSITORY} has it"
    )


def fitted(name: str, model: str, **options: Any) -> DataTree:  # noqa: ANN401
    """Fit a published table as it is, including repeated rows, with seed 1."""
    with known_warnings():
        return bb.fit(published_table(name), model, seed=1, **options)


def plotted_posteriors() -> pd.DataFrame:
    """Return the posteriors that the paper's ``results*.pdf`` show, revision 1d91a5e."""
    return pd.read_csv(Path(__file__).with_name("posteriors.csv"), keep_default_na=False)


def plotted(name: str) -> pd.DataFrame:
    """Return the plotted posterior of one table."""
    return plotted_posteriors().query("dataset == @name").drop(columns="dataset")
