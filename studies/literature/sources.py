"""Where published figures are read from: a folder of the tables, and what ships with the package.

Means and interval ends of the posteriors that Dobrzeniecka and Urbaniak (2024) plot were read off
their vector figures, to 2.4e-5, and ship with the package: ``posteriors.csv``. Their 18 tables do
not. They are read from a clone of their repository or from a folder like ours.
"""

from __future__ import annotations

import os
import warnings
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayesbias._core.checks import unknown_name
from bayesbias.sampling.fit import fit
from bayesbias.tables.table_files import read_table

if TYPE_CHECKING:
    from xarray import DataTree

REPOSITORY = "https://github.com/efemeryds/Bayesian-analysis-for-NLP-bias"

FOLDERS = ("paper_tables", "datasets/macWeatDatasets", ".")
"""Where in a folder the tables are: in a data folder, in a clone, or in the folder itself."""

EMBEDDINGS = ("glove", "google", "reddit")

BEFORE = {
    **{
        f"{name}_{embedding}": f"{name}_group_{embedding}_dataset.csv"
        for name in ("gender", "race", "religion")
        for embedding in EMBEDDINGS
    },
    **{
        f"weat{test}_{embedding}": f"weat_{test}_{embedding}.csv"
        for test in (1, 7)
        for embedding in EMBEDDINGS
    },
}
"""The 15 tables that are not debiased, by short name."""

DEBIASED = {
    f"debiased_{name}_reddit": f"debiased_{name}_reddit.csv"
    for name in ("gender", "race", "religion")
}
"""The three that are."""

TABLES = BEFORE | DEBIASED
"""Files of the 18 published tables by short name."""

KNOWN_WARNINGS = ".*(-100|repeat an earlier row|are exact copies|are equally far)"
"""What `read_table` warns of in these tables, and the functions here show in a frame."""

Folder = str | Path | None
"""A folder; None stands for the one that the environment variable BAYESBIAS_DATA names."""


def data_folder(folder: Folder = None) -> Path:
    """Return the folder of published data; a FileNotFoundError says how to get one."""
    named = folder or os.environ.get("BAYESBIAS_DATA")
    if not named:
        raise FileNotFoundError(
            f"the published tables do not come with the package. Clone {REPOSITORY} and pass "
            "folder=, or name the clone in the environment variable BAYESBIAS_DATA"
        )
    if not Path(named).is_dir():
        raise FileNotFoundError(f"no folder at {named}")
    return Path(named)


def published_table(name: str, folder: Folder = None) -> pd.DataFrame:
    """Read one of the 18 tables of Dobrzeniecka and Urbaniak (2024), without the known warnings.

    Parameters
    ----------
    name : str
        A key of ``TABLES``, such as ``religion_reddit`` or ``debiased_gender_reddit``.
    folder : str or Path, optional
        A clone of the authors' repository, a folder that holds ``paper_tables``, or one that holds
        the files themselves; by default the one that BAYESBIAS_DATA names.

    Returns
    -------
    DataFrame
        A long-form table; repeated rows are kept, as the authors keep them.

    Raises
    ------
    ValueError
        If there is no such table.
    FileNotFoundError
        If there is no such folder, or the table is not in it.
    """
    if name not in TABLES:
        raise ValueError(unknown_name("published table", name, TABLES))
    root = data_folder(folder)
    places = [root / part / TABLES[name] for part in FOLDERS]
    path = next((each for each in places if each.is_file()), None)
    if path is None:
        raise FileNotFoundError(
            f"{TABLES[name]} is not in {root}, nor in its {' or '.join(FOLDERS[:2])}; the folder "
            f"may be a clone of {REPOSITORY}"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=KNOWN_WARNINGS)
        return read_table(path)


def fitted(name: str, folder: Folder, model: str, **options: Any) -> DataTree:  # noqa: ANN401
    """Fit a published table as its authors keep it, repeated rows and all, with the seed 1."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=KNOWN_WARNINGS)
        return fit(published_table(name, folder), model, seed=1, **options)


def plotted_posteriors() -> pd.DataFrame:
    """Return the posteriors that Dobrzeniecka and Urbaniak (2024) plot for their 18 tables.

    Returns
    -------
    DataFrame
        ``dataset`` (a key of ``TABLES``), ``level`` (overall or word), ``protected_word``,
        ``connection``, ``mean``, ``low``, ``high``: distances as read off the figures
        ``results*.pdf`` of the authors' repository at 1d91a5e, to 2.4e-5.

    Examples
    --------
    >>> len(plotted_posteriors())
    1400
    """
    with files(__package__).joinpath("posteriors.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=False)


def plotted(name: str) -> pd.DataFrame:
    """Return the plotted posterior of one table."""
    if name not in TABLES:
        raise ValueError(unknown_name("published table", name, TABLES))
    whole = plotted_posteriors()
    return whole[whole["dataset"] == name].drop(columns="dataset").reset_index(drop=True)
