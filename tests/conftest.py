"""What several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


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
