"""Damaged files give a result or an error that names the file; nothing else may happen.

`make fuzz` tries as many files as BAYESBIAS_FUZZ_FILES says, over all readers together; `make test`
tries a few. BAYESBIAS_FUZZ_SEED changes which. A failure shows the number of the file, so it can be
made again.
"""

import os
import signal
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from damage import damaged
from limits import LONGEST, within_limits
from readers import READERS, Reader

FILES = max(10, int(os.environ.get("BAYESBIAS_FUZZ_FILES", "0")) // len(READERS))
"""Files that every reader is given."""

SEED = os.environ.get("BAYESBIAS_FUZZ_SEED", "1")


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


@pytest.mark.parametrize("name", READERS)
def test_damaged_files(name: str, record_property: Callable[[str, object], None]) -> None:
    reader = READERS[name]
    with tempfile.TemporaryDirectory(prefix="fuzz") as made:
        folder = Path(made)
        for beside, content in reader.beside.items():
            (folder / beside).write_bytes(content)
        for content in reader.seeds():
            if name == "npz of wrong shapes":
                attempt(reader, content, folder, longest=0)
            else:  # damage to what is refused as it stands would not get far
                (folder / reader.file).write_bytes(reader.pack(content))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    reader.read(folder / (reader.opened or reader.file))
        rng, seeds = Random(f"{name} {SEED}"), reader.seeds()
        with within_limits():
            for number in range(FILES):
                content = damaged(rng.choice(seeds), rng)
                try:
                    attempt(reader, content, folder)
                except BaseException as error:
                    error.add_note(f"file {number} of {name!r}, seed {SEED}: {content[:500]!r}")
                    raise
    record_property("files", FILES)
