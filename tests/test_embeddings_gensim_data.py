"""Embeddings by the names of gensim's downloader."""

from __future__ import annotations

import gzip
import re
import socket
import urllib.error
from pathlib import Path

import pytest
from embedding_toys import WORDS, as_text, check
from gensim import downloader

import bayesbias as bb
from bayesbias.embeddings.registry import PLACE

HEADER = f"{len(WORDS)} 3"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of downloads, and no network."""

    def refuse(*_: object, **__: object) -> None:
        raise urllib.error.URLError("no network here")

    monkeypatch.setenv(PLACE, str(tmp_path / "data"))
    monkeypatch.setattr(downloader, "BASE_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(downloader, "urlopen", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path / "data"


def put(folder: Path, name: str, content: bytes) -> None:
    """Write a file where gensim keeps it."""
    (folder / name).mkdir(parents=True)
    (folder / name / f"{name}.gz").write_bytes(gzip.compress(content))


def test_what_gensim_fetches_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, return_path: bool) -> str:
        assert return_path  # else it runs a file that it fetched
        put(folder, name, as_text(WORDS, HEADER))
        return str(folder / name / f"{name}.gz")

    monkeypatch.setattr(downloader, "load", load)
    check(bb.load_vectors("glove-twitter-25"), WORDS)


def test_without_a_network_it_says_where_the_file_would_be(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = re.escape(str(folder / "glove-twitter-50" / "glove-twitter-50.gz"))
    with pytest.raises(FileNotFoundError, match=f"not at {where}.*GENSIM_DATA_DIR"):
        bb.load_vectors("glove-twitter-50")
    assert "".join(capsys.readouterr()) == ""


def test_names_are_known_and_misspelt_ones_are_not_looked_for(folder: Path) -> None:
    with pytest.raises(ValueError, match="did you mean 'glove-wiki-gigaword-100'"):
        bb.load_vectors("glove-wiki-gigword-100")
    assert not folder.exists()
