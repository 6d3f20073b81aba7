"""Embedding files, one format a module, read word by word wherever the format allows it.

A reader walks the whole file, so that damage anywhere is noticed, but makes numbers only of the
words that are wanted, so that memory does not grow with the file. Words are compared as bytes: a
word that is not valid UTF-8 does no harm unless it is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from . import binary, packing, text
from .headers import Entry
from .progress import reading_bar

ENDINGS = binary.ENDINGS + text.ENDINGS + packing.ENDINGS
"""Endings that `read_entries` knows; ``.gz`` and ``.zip`` may hold any of the others."""

_CONTROL = re.compile(rb"[\0-\x08]")
"""Bytes that no text has, and some of the first thousand float32 numbers surely have."""


def read_entries(
    path: Path, wanted: Container[bytes] | None = None, *, progressbar: bool = True
) -> Iterator[Entry]:
    """Walk an embedding file and give the wanted words with their vectors, in the file's order.

    Parameters
    ----------
    path : Path
        word2vec binary (``.bin``) or text with or without a header (``.txt``, ``.vec``), either
        of them also in ``.gz`` or in a ``.zip`` that holds nothing else.
    wanted : container of bytes, optional
        The words to give, in UTF-8; None for all.
    progressbar : bool
        Show a bar on stderr while a large file is read.

    Yields
    ------
    word : bytes
    vector : (n_dims,) float32 array

    Raises
    ------
    ValueError
        If the file is empty, cut off, damaged, or not what its ending says; the message names
        the path and the entry or line. It comes when the walk gets there, so use nothing that
        was given before the walk has ended.
    """
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty")
    with (
        path.open("rb") as raw,
        reading_bar(raw, path, shown=progressbar) as tick,
        packing.named_damage(path),
        packing.unpacked(raw, path) as (stream, name),
    ):
        walk = binary.binary_entries if is_binary(stream, name) else text.text_entries
        yield from walk(stream, path, wanted, tick)


def is_binary(stream: Any, name: str) -> bool:  # noqa: ANN401
    """Tell binary from text by the name, else by the content: gensim's downloads are NAME.gz."""
    ending = Path(name).suffix.lower()
    if ending in binary.ENDINGS + text.ENDINGS:
        return ending in binary.ENDINGS
    return bool(_CONTROL.search(stream.peek(binary.LONGEST_WORD)))
