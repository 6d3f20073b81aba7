"""Fixtures and options for all tests."""

from __future__ import annotations

import gc
import os
import random
import shutil
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from builders import FAST, one_landmark, skip
from hypothesis import HealthCheck, settings
from xarray import DataTree

from bayesbias.comparison import fit_change
from bayesbias.sampling.fit import fit
from bayesbias.tables.schema import COLUMNS, validate_table
from bayesbias.tables.table_files import read_table
from bayesbias.warnings import LeftOut, RepeatedRows, SameVectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

# Examples are the same on every run, have no deadline, and share one folder.
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=CHECKS)
settings.load_profile("steady")


os.environ["MPLBACKEND"] = "agg"

ORDER = os.environ.get("BAYESBIAS_ORDER", "")
"""Seed for a random order of the tests: first of the files, then within each file."""


def pytest_configure(config: pytest.Config) -> None:
    """Hide warnings of tables without vectors, which many tests fit, and of a busy machine.

    As settings in a file, they would import the package before coverage is measured.
    """
    for name in ("NoLikeness", "SlowText"):
        config.addinivalue_line("filterwarnings", f"ignore::bayesbias.warnings.{name}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do not look for garbage yet, because imported modules and collected tests stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the tests on request, because no test may depend on another."""
    if ORDER:
        rng = random.Random(ORDER)
        chance: dict[Path, float] = defaultdict(rng.random)
        items.sort(key=lambda item: (chance[item.path], rng.random()))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument, because archives hold their time, and long texts."""
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > 80) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that need torch and transformers if these are not installed."""
    if item.get_closest_marker("mlm") and not (find_spec("torch") and find_spec("transformers")):
        skip("torch and transformers are not installed, the extra mlm")


def pytest_report_header() -> str:
    """Return a line that explains how to repeat this order."""
    return f"order: BAYESBIAS_ORDER={ORDER}" if ORDER else "order: as written"


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """Close the figures that a test has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="module", autouse=True)
def _unchanged_toys(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that tests leave the toys of their module as they are, because other tests use them."""
    kinds = dict | list | np.ndarray | pd.DataFrame

    def toys() -> dict[str, str]:
        held = vars(request.module).items()
        return {name: repr(one) for name, one in held if name[0] != "_" and isinstance(one, kinds)}

    before = toys()
    yield
    assert toys() == before


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of published data: BAYESBIAS_DATA, or ``../shared/data``."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BAYESBIAS_DATA") or beside)
    if not folder.is_dir():
        skip(f"the published data are not at {folder}; BAYESBIAS_DATA names another folder")
    return folder


@pytest.fixture(scope="session")
def models() -> Path:
    """Return the folder of small models, BAYESBIAS_MODELS (see ``scripts/fetch_models.py``)."""
    folder = Path(os.environ.get("BAYESBIAS_MODELS") or "no folder named").resolve()
    if not folder.is_dir():
        skip("BAYESBIAS_MODELS names no folder of models; scripts/fetch_models.py makes one")
    import torch

    torch.set_num_threads(1)  # waiting threads cost more time than small models
    return folder


@pytest.fixture(scope="session")
def google_news(shared_data: Path) -> KeyedVectors:
    """Return the part of GoogleNews's word2vec vectors that has the bundled lists' words."""
    from gensim.models import KeyedVectors

    path = shared_data / "vectors" / "googlenews_subset.bin"
    return KeyedVectors.load_word2vec_format(path, binary=True)


@pytest.fixture(scope="session")
def toy_table() -> pd.DataFrame:
    """Return an irregular table of two groups of two words, with eight attributes.

    One pair is missing, and another has two rows, from two replicates.
    """
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
    center = {"associated": 0.7, "different": 0.85, "neutral": 0.95, "human": 0.9}
    rows = []
    for word, group in groups.items():
        for attribute, name in sets.items():
            own = "associated" if name == group else "different"
            connection = name if name in center else own
            distance = center[connection] + 0.1 * rng.standard_normal()
            rows.append((word, group, attribute, name, connection, distance))
    table = validate_table(pd.DataFrame(rows, columns=list(COLUMNS))).assign(replicate="1")
    again = {"cosine_distance": table["cosine_distance"][5] + 0.01, "replicate": "2"}
    twice = table.iloc[[5]].assign(**again)
    return pd.concat([table.iloc[1:], twice], ignore_index=True)


@pytest.fixture(scope="session")
def published(shared_data: Path) -> Callable[[str], pd.DataFrame]:
    """Return a reader of published tables that hides their known warnings."""

    def read(name: str) -> pd.DataFrame:
        with warnings.catch_warnings():
            for known in (LeftOut, RepeatedRows, SameVectors):
                warnings.simplefilter("ignore", known)
            return read_table(shared_data / "paper_tables" / f"{name}.csv")

    return read


@pytest.fixture(scope="session")
def crossed_posterior(toy_table: pd.DataFrame) -> DataTree:
    """Return an exact fit of the crossed model with 2 x 1,000 draws."""
    return fit(toy_table, "crossed", method="exact", draws=1000, chains=2, seed=1)


@pytest.fixture(scope="session")
def change_tables(toy_table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the toy table, and a copy with noise and associated distances 0.1 larger."""
    rng = np.random.default_rng(3)
    shift = np.where(toy_table["connection"] == "associated", 0.1, 0.0)
    moved = toy_table["cosine_distance"] + shift + 0.02 * rng.standard_normal(len(toy_table))
    return toy_table, toy_table.assign(cosine_distance=moved)


@pytest.fixture(scope="session")
def change_tree(change_tables: tuple[pd.DataFrame, pd.DataFrame]) -> DataTree:
    """Return the posterior of the change between the two tables."""
    return fit_change(*change_tables, "change-maximal", seed=1, **FAST)


@pytest.fixture(scope="session")
def debiased_religion(published: Callable[[str], pd.DataFrame]) -> tuple[pd.DataFrame, ...]:
    """Return the published religion tables for Reddit, before and after debiasing."""
    return published("religion_group_reddit_dataset"), published("debiased_religion_reddit")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return a client of a real Dask cluster with two worker processes on this machine.

    By default, a `LocalCluster` permanently closes a worker that has not restarted 15 s after it
    died, so the fixture sets a longer limit.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # distributed's warnings about ports and event loops
        import dask
        from distributed import Client, LocalCluster

        with (
            dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
            Client(local) as client,
        ):
            yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a driver of chromium that keeps its logs."""
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if not all(found.values()):
        skip("no chromium or chromedriver: see make test-report")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found["chromium"]
    for name in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{name}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found["chromedriver"]))
    yield driver
    driver.quit()


@pytest.fixture
def uncompiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run PyTensor's graphs as they are, because a new machine compiles one for seconds.

    Slow tests run theirs so often that compiling pays.
    """
    import pytensor
    from pytensor.compile.mode import Mode

    if request.node.get_closest_marker("slow"):
        yield
        return
    with pytensor.config.change_flags(mode=Mode("py", optimizer=None), cxx=""):
        yield


@pytest.fixture
def mock_nuts(
    monkeypatch: pytest.MonkeyPatch, uncompiled: None
) -> dict[str, Callable[..., np.ndarray]]:
    """Replace ``pm.sample`` with prior draws, and return functions that make sample_stats."""
    import pymc as pm
    from pymc.testing import mock_sample

    stats = {"diverging": lambda size: np.zeros(size, dtype=bool)}

    def sample(draws: int, *, random_seed: list[int], **options: object) -> DataTree:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The effect of Potentials", UserWarning)
            return mock_sample(draws, stats, random_seed=random_seed[0], **options)

    monkeypatch.setattr(pm, "sample", sample)
    return stats


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    """Return a function that writes a named file into a new folder."""

    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write a list and an embedding, and return the arguments of a fast run on them."""
    import cli_toy  # not by the process that only hands out tests

    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(cli_toy.LIST, encoding="utf-8")
    cli_toy.write_vectors(Path("toy.txt"), cli_toy.WORDS)
    alone = ["--matched", "0", "--reference-lists", "0"]  # there are no unused words
    return ["run", "toy.toml", "--vectors", "toy.txt", *cli_toy.FAST, *alone]


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw only the first figure, because drawing is slow."""
    from bayesbias.report import page

    every = page.save_plots

    def first(whole: page.Page, *place: Any) -> None:
        every(replace(whole, plots=dict([*whole.plots.items()][:1])), *place)

    monkeypatch.setattr(page, "save_plots", first)


@pytest.fixture(name="one_landmark")
def _one_landmark() -> Iterator[None]:
    """Measure one landmark instead of three, because each takes a fit."""
    with one_landmark():
        yield


@pytest.fixture(scope="session")
def planted() -> Any:
    """Return a background with a known mean and sd, and words planted at known values."""
    from background_toys import planted_background

    return planted_background()
