"""Damaged files give a result or an error that names the file; nothing else may happen.

`make fuzz` runs this for as long as BAYESBIAS_FUZZ_SECONDS says, over all readers together, and
says how many files were tried; `make test` tries a few. BAYESBIAS_FUZZ_SEED changes which.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from damage import damaged
from hypothesis import HealthCheck, Phase, given, seed, settings
from limits import LONGEST, within_limits
from readers import READERS, Reader

SECONDS = float(os.environ.get("BAYESBIAS_FUZZ_SECONDS", "0"))
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
SEED = int(os.environ.get("BAYESBIAS_FUZZ_SEED", "1"))

FEW = 30
"""Files a reader that are tried in any case."""


def attempt(reader: Reader, content: bytes, folder: Path, longest: float = LONGEST) -> None:
    """Read one damaged file; only errors that name the file or its folder are well."""
    path = folder / reader.file
    path.write_bytes(reader.pack(content))
    before = sorted(folder.iterdir())
    signal.setitimer(signal.ITIMER_PROF, longest)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            reader.read(folder / (reader.opened or reader.file))
    except (ValueError, FileNotFoundError, IsADirectoryError) as error:
        assert folder.name in str(error), f"{error!r} names no file"  # noqa: PT017
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    assert sorted(folder.iterdir()) == before, "a reader wrote something"


def a_round(reader: Reader, folder: Path, number: int, files: int) -> int:
    """Read some damaged files, others in every round; give how many."""
    tried = 0

    @seed(SEED * 1_000_000 + number)
    @settings(
        max_examples=files,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(reader.seeds()))
    def one(content: bytes) -> None:
        nonlocal tried
        tried += 1
        attempt(reader, content, folder)

    one()
    return tried


def fuzz(reader: Reader, folder: Path, seconds: float) -> int:
    """Read damaged files for some seconds; give how many."""
    ends = time.monotonic() + seconds
    tried = a_round(reader, folder, 0, FEW)
    for number in count(1):
        if time.monotonic() >= ends:
            break
        tried += a_round(reader, folder, number, 2 * FEW)
    return tried


@pytest.mark.parametrize("name", READERS)
def test_damaged_files(name: str, record_property: Callable[[str, object], None]) -> None:
    reader = READERS[name]
    with tempfile.TemporaryDirectory(prefix="fuzz") as made:
        folder = Path(made)
        for beside, content in reader.beside().items():
            (folder / beside).write_bytes(content)
        for content in reader.seeds():
            if name == "npz of wrong shapes":
                attempt(reader, content, folder, longest=0)
            else:  # damage to what is refused as it stands would not get far
                (folder / reader.file).write_bytes(reader.pack(content))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    reader.read(folder / (reader.opened or reader.file))
        with within_limits():
            tried = fuzz(reader, folder, SECONDS * WORKERS / len(READERS))
    record_property("files", tried)
