"""Embeddings that gensim's downloader knows by name, from its folder or, where it can, the network.

The downloader's own ``load`` runs a file that it fetched; here only the path of the vectors is
asked for.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

NAMES = (
    *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300)),
    *(f"glove-twitter-{size}" for size in (25, 50, 100, 200)),
    "word2vec-google-news-300",
    "word2vec-ruscorpora-300",
    "fasttext-wiki-news-subwords-300",
    "conceptnet-numberbatch-17-06-300",
)
"""Models of gensim-data, as its page lists them; each is one file, word2vec's in ``.gz``."""

PLACE = "GENSIM_DATA_DIR"
"""Environment variable that names the folder of downloads, by default ``~/gensim-data``."""


def gensim_path(name: str) -> Path:
    """Return the file of an embedding of gensim-data, and fetch it where it is not there yet.

    A FileNotFoundError shows where it would be if it is not there and gensim cannot fetch it.
    """
    folder = Path(os.environ.get(PLACE, "~/gensim-data")).expanduser()
    path = folder / name / f"{name}.gz"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    from gensim import downloader

    try:
        with redirect_stdout(sys.stderr):  # its progress
            return Path(downloader.load(name, return_path=True))
    except (OSError, ValueError) as error:
        raise FileNotFoundError(
            f"{name} is not at {path}, and gensim could not fetch it ({error}); fetch it where "
            f"there is a network, by `python -m gensim.downloader --download {name}`, and copy the "
            f"folder {name} to {folder}, or name another with {PLACE}; or give the path of a file"
        ) from None
