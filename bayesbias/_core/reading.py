"""Reading small text files of other people: TOML and JSON of a bounded size and depth."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 26
"""Bytes of a text file that is read whole: a word list of some millions of words."""


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Raise what is wrong in a file's content as a ValueError that starts with its path, once."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:  # of TOML, Unicode, too large numbers
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Read a file as UTF-8, with or without a byte-order mark, of no more bytes than `most`."""
    with path.open("rb") as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path} has more than {most:,} bytes, too many for such a file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text (byte {error.start + 1}); save it with that encoding"
        ) from None


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """Parse a TOML file's text; a ValueError says why it does not make ``what``."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"nests lists or tables too deeply for {what}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None


def read_json(path: Path, most: int = MOST_BYTES) -> Any:  # noqa: ANN401
    """Read a JSON file; a ValueError with the path says why it cannot be read."""
    with located(path):
        return parse_json(read_text(path, most))


def parse_json(text: str) -> Any:  # noqa: ANN401
    """Parse JSON; a ValueError says why it cannot be parsed."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nests too deeply") from None
    except ValueError as error:
        raise ValueError(f"not a JSON file: {error}") from None
