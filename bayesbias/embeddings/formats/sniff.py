"""Determine from its content what an embedding file is; its ending only breaks ties.

Adding a kind is adding its first bytes to `MAGIC`, and a reader or a sentence in `registry`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..._core.reading import ENDINGS, as_utf8, opened, utf16_of
from ..source import HEAD_SIZE
from .layout import Layout, header_of, is_number, layout_of

MAGIC = {
    b"\xba\x16\x4f\x2f": "fasttext",  # FASTTEXT_FILEFORMAT_MAGIC_INT32 in fastText's source
    b"\x93NUMPY": "npy",
    b"PAR1": "parquet",
    b"PK": "npz",
    b"\x80\x02": "pickle",
    b"\x80\x03": "pickle",
    b"\x80\x04": "pickle",
    b"\x80\x05": "pickle",
    b"ccopy_reg": "pickle",
    b"(dp0": "pickle",
    b"\x89HDF\r\n": "HDF5",
    b"ARROW1": "Arrow",
    b"SQLite format 3": "SQLite",
    b"GGUF": "GGUF",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
    b"\x1f\x9d": "Z",
    b"%PDF": "PDF",
    b"version https://git-lfs": "LFS",
}
"""Kinds of files by their first bytes."""

TEXTS = {
    "json": rb"[{\[]\s*[\"{\[\]}]",
    "HTML": rb"(?i)<(!doctype|html|\?xml|head)",
}
"""Kinds of text by their first characters."""

_CONTROL = re.compile(rb"[\0-\x08]")
"""Bytes that hardly occur in text; one in thirty bytes of float32 numbers is one of them."""

MOST_TEXT = 200
"""Fewest bytes of text for each such byte."""

ZIPPED = {
    "PyTorch": re.compile(rb"PK.{24,40}/data\.pkl|PK.{24,60}/byteorder", re.DOTALL),
    "Office": re.compile(rb"PK.{28}(\[Content_Types\]|_rels/)", re.DOTALL),
}
"""Kinds of zip files that are not archives, by the first file in them."""


def look_at(path: Path) -> tuple[str, bool, Layout | None]:
    """Read the beginning of a file, unpacked if needed.

    Return what the file is, whether it is packed, and the layout of its lines if it is text.
    """
    with opened(path) as (raw, stream, name):
        head = stream.read(HEAD_SIZE)
        ended = len(head) < HEAD_SIZE
    kind = kind_of(head, Path(name).suffix.lower())
    packed = stream is not raw or path.suffix.lower() in ENDINGS  # libraries trust the ending
    if not head.strip(b"\0 \t\r\n"):
        raise ValueError(f"{path} is empty")
    if kind != "text":
        return kind, packed, None
    layout = layout_of(head, path, ended=ended)
    kind = "table" if layout.table else "matrix" if layout.matrix else kind
    return kind, packed, layout


def kind_of(head: bytes, ending: str) -> str:
    """Determine the kind of a file from its first bytes, unpacked."""
    if known := next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), ""):
        inside = ZIPPED if known == "npz" else {}
        return next((kind for kind, pattern in inside.items() if pattern.match(head)), known)
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30:
        return "safetensors"
    first, ended, rest = head.partition(b"\n")
    control = MOST_TEXT * len(_CONTROL.findall(head)) > len(head)
    if ended and header_of(first) and (control or not _is_text(rest, ending)):
        return "word2vec"
    if control:
        return "UTF-16" if utf16_of(head) else "unknown"
    start = as_utf8(head).lstrip()
    return next((kind for kind, pattern in TEXTS.items() if re.match(pattern, start)), "text")


def _is_text(rest: bytes, ending: str) -> bool:
    """Decide whether the bytes after a header are lines of numbers; they have no control bytes."""
    fields = [re.split(rb"[ \t,;|:]+", line.rstrip(b" \t\r,;|")) for line in rest.split(b"\n")[:9]]
    numbers = any(is_number(some[-1]) for some in fields[:8] if len(some) > 1)
    return numbers or (ending != ".bin" and rest.isascii())
