"""What several test modules share."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli_toy import FAST, LIST, WORDS, write_vectors
from hypothesis import settings
from xarray import DataTree

from bayesbias.sampling.fit import fit
from bayesbias.tables.distances import read_table
from bayesbias.tables.schema import COLUMNS, validate

# The same examples on every run, and no failures for a busy machine.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of published data: BAYESBIAS_DATA, or ``../shared/data`` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BAYESBIAS_DATA") or beside)
    if not folder.is_dir():
        reason = f"the published data are not at {folder}; BAYESBIAS_DATA names another folder"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def models() -> Path:
    """Folder of small models: BAYESBIAS_MODELS, which ``scripts/fetch_models.py`` fills."""
    folder = Path(os.environ.get("BAYESBIAS_MODELS") or "no folder named").resolve()
    if not folder.is_dir():
        reason = "BAYESBIAS_MODELS names no folder of models; scripts/fetch_models.py makes one"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def toy_table() -> pd.DataFrame:
    """Two groups of two words, eight attributes, irregular: one pair is missing, one repeats."""
    rng = np.random.default_rng(20)
    groups = {"he": "man", "son": "man", "she": "woman", "hers": "woman"}
    sets = {
        "soldier": "man",
        "rancher": "man",
        "nurse": "woman",
        "dancer": "woman",
        "maid": "woman",
    }
    sets |= {"clock": "neutral", "park": "neutral", "walk": "human"}
    centre = {"associated": 0.7, "different": 0.85, "neutral": 0.95, "human": 0.9}
    rows = []
    for word, group in groups.items():
        for attribute, name in sets.items():
            own = "associated" if name == group else "different"
            connection = name if name in centre else own
            distance = centre[connection] + 0.1 * rng.standard_normal()
            rows.append((word, group, attribute, name, connection, distance))
    table = validate(pd.DataFrame(rows, columns=list(COLUMNS)))
    return pd.concat([table.iloc[1:], table.iloc[[5]]], ignore_index=True)


@pytest.fixture(scope="session")
def published(shared_data: Path) -> Callable[[str], pd.DataFrame]:
    """Reader of published tables by file name, silent about what it is known to warn of."""

    def read(name: str) -> pd.DataFrame:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*(-100|repeat an earlier row)")
            return read_table(shared_data / "paper_tables" / f"{name}.csv")

    return read


@pytest.fixture(scope="session")
def nuts_posterior(toy_table: pd.DataFrame) -> DataTree:
    """One real NUTS fit, of the crossed model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyMC's own, of forking and of few chains
        return fit(
            toy_table, "crossed", method="nuts", draws=1000, chains=2, seed=3, progressbar=False
        )


@pytest.fixture(scope="session")
def crossed_posterior(toy_table: pd.DataFrame) -> DataTree:
    """An exact fit of the crossed model, 2 x 1,000 draws."""
    return fit(toy_table, "crossed", method="exact", draws=1000, chains=2, seed=1)


@contextmanager
def dask_cluster(**settings: object) -> Iterator[Any]:
    """Give the client of a real Dask cluster on this machine.

    A `LocalCluster` closes a worker for good that happens to be starting again 15 s after a death,
    unless it is told to be patient.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # distributed's own, of ports and of event loops
        import dask
        from distributed import Client, LocalCluster

        with (
            dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
            LocalCluster(threads_per_worker=1, dashboard_address=None, **settings) as local,
            Client(local) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two worker processes."""
    with dask_cluster(n_workers=2, processes=True) as client:
        yield client


@pytest.fixture
def small_cluster() -> Iterator[Any]:
    """A cluster of one worker in this process, which comes and goes fast."""
    with dask_cluster(n_workers=1, processes=False) as client:
        yield client


@pytest.fixture
def mock_nuts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[..., np.ndarray]]:
    """Let ``pm.sample`` give draws from the prior at once; the makers of its sample_stats."""
    import pymc as pm
    from pymc.testing import mock_sample

    stats = {"diverging": lambda size: np.zeros(size, dtype=bool)}

    def sample(draws: int, *, random_seed: list[int], **options: object) -> DataTree:
        return mock_sample(draws, stats, random_seed=random_seed[0], **options)

    monkeypatch.setattr(pm, "sample", sample)
    return stats


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list and an embedding in the working folder; arguments of a fast run on them."""
    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    write_vectors(Path("toy.txt"), WORDS)
    return ["run", "toy.toml", "--vectors", "toy.txt", *FAST]


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the first figure only: drawing is what takes time."""
    from bayesbias import report

    every = report.figures_of
    monkeypatch.setattr(report, "figures_of", lambda analysis: every(analysis)[:1])
