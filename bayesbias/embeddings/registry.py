"""Determine what an embedding is, and which reader reads it; an ending only breaks ties.

A new format needs a generator in `formats`, its first bytes in `MAGIC`, and a line in `FORMATS`.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

from .._core.checks import Argument, ArgumentError, check_numbers
from .._core.reading import ENDINGS as PACKED_ENDINGS
from .._core.reading import WITHIN, as_utf8, opened, parts_of, utf16_of
from .._core.resources import bundled_folder, bundled_names, unknown_bundled
from ..tables.spellings import WORD
from .formats import arrays, gensim_files, text, word2vec
from .formats.held import as_keyed, encoder_chunks, is_encoder
from .formats.keyed import loaded_whole
from .formats.layout import header_of, layout_of
from .formats.record_files import read_frame, read_json_file
from .formats.separators import END, is_number
from .formats.static_models import folder_of_model, read_static_model
from .source import HEAD_SIZE, ChunksOf, Embedding

UNPACK = "unpack it, and pass the file inside"
MAGIC = {
    rb"\xba\x16\x4f\x2f": "fasttext",  # FASTTEXT_FILEFORMAT_MAGIC_INT32 in fastText's source
    rb"\x93NUMPY": "npy",
    rb"PAR1[^\s,;|:]": "parquet",
    rb"(?s)PK[\3\5].{23,39}/data\.pkl|PK[\3\5].{23,59}/byteorder": (
        "a PyTorch file: load it with torch.load, and pass (words, array)"
    ),
    rb"(?s)PK[\3\5].{27}(\[Content_Types\]|_rels/|mimetype)|\xd0\xcf\x11\xe0": (
        "a document of Excel, Word, or LibreOffice: save the sheet as CSV in UTF-8"
    ),
    rb"(RD[AX][23]\n)?X\n\0\0\0[\2\3]": "a file of R: save the vectors with write.csv",
    rb"PK(\x03\x04|\x05\x06)": "npz",
    rb"\x80[\x02-\x05]": "pickle",
    rb"[}\]]q\0": "pickle",  # protocol 1
    rb"ccopy_reg\n|\(dp0\n": "pickle",
    rb"\x89HDF\r\n": "an HDF5 file: load it with h5py or Keras, and pass (words, array)",
    rb"ARROW1\0": "an Arrow file: read it with pandas.read_feather, and pass the DataFrame",
    rb"SQLite format 3\0": "an SQLite database, as Magnitude's: get the vectors as text or .bin",
    rb"GGUF[\0-\x08]": "a language model in GGUF: this package reads vectors of words",
    rb"7z\xbc\xaf": f"a 7z archive: {UNPACK}",
    rb"Rar!\x1a": f"a rar archive: {UNPACK}",
    rb"\x1f\x9d": f"a file packed by `compress`: {UNPACK}",
    rb"%PDF-": "a PDF document: this package reads vectors of words",
    rb"version https://git-lfs": "a pointer of Git LFS, not the file itself: run `git lfs pull`",
}
"""Kinds of files by their first bytes: formats, or what a file is instead, and what to do."""

TEXTS = {
    rb"[{\[]\s*[\"{\[\]}]": "json",
    rb"(?i)<(!doctype|html|\?xml|head)": (
        "a web page: the download failed; open its address in a browser to see why"
    ),
}
"""The same for kinds of text, by their first characters."""

UNKNOWN = "a binary file of unknown kind: known kinds are listed in `bayesbias docs own-words`"

_ONE = rb"[ \t]+[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?(?=[ \t\r\n])"
_VECTOR = re.compile(rb"[^\0-\x20]+" + 2 * _ONE)
"""A word and two numbers, whatever the word begins with, such as ``{}`` or ``%PDF-``."""

_CONTROL = re.compile(rb"[\0-\x08]")
"""Bytes that hardly occur in text; one in thirty bytes of float32 numbers is one of them."""

MOST_TEXT = 200
"""Fewest bytes of text for each such byte."""

FORMATS: dict[str, ChunksOf] = {
    "text": text.text_chunks,
    "word2vec": word2vec.binary_chunks,
    "fasttext": loaded_whole(gensim_files.read_fasttext),
    "npz": loaded_whole(arrays.read_npz),
    **{kind: arrays.matrix_chunks(kind) for kind in ("npy", "safetensors", "matrix")},
    **dict.fromkeys(("parquet", "table"), loaded_whole(read_frame)),
    "pickle": loaded_whole(gensim_files.read_pickle),
    "json": loaded_whole(read_json_file),
    "static": loaded_whole(read_static_model),
}
"""Generators, keyed by the kind of file that `_kind_of` finds; static models are folders."""

ENDINGS = (
    *(".bin", ".txt", ".vec", ".csv", ".tsv", ".npz", ".npy", ".safetensors", ".parquet"),
    *(".json", ".jsonl", ".kv", ".model", *PACKED_ENDINGS),
)
"""Usual endings of embeddings; a file's content decides what it is."""

GENSIM_NAMES = (
    *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300)),
    *(f"glove-twitter-{size}" for size in (25, 50, 100, 200)),
    "word2vec-google-news-300",
    "word2vec-ruscorpora-300",
    "fasttext-wiki-news-subwords-300",
    "conceptnet-numberbatch-17-06-300",
)
"""Embeddings in gensim-data, as listed on its page; each is a word2vec file ending in ``.gz``."""

PLACE = "GENSIM_DATA_DIR"
"""Environment variable that sets the download folder, ``~/gensim-data`` by default."""


def open_embedding(
    source: object,
    *,
    allow_pickle: bool = False,
    progressbar: bool = True,
    key: str = "",
    limit: int | None = None,
) -> Embedding:
    """Determine the format of a source for `load_vectors`, without loading its vectors."""
    if key and not (isinstance(key, str) and key.count(WORD) == 1):
        raise ArgumentError(Argument("key"), f" must contain {WORD} once, as in '/c/en/{WORD}'")
    if limit is not None:
        check_numbers(limit=limit)
    if isinstance(source, Embedding):
        return source
    if isinstance(source, str | os.PathLike):
        found = _in_file(source)
    elif is_encoder(source):
        found = Embedding(Path("the encoder given"), encoder_chunks(source), makes=True)
    else:
        found = Embedding(Path("the vectors given"), FORMATS["npz"], loaded=as_keyed(source))
    return replace(found, key=key, limit=limit, allow_pickle=allow_pickle, progressbar=progressbar)


def _in_file(source: str | os.PathLike[str]) -> Embedding:
    """Determine the format of a file or folder."""
    path = _path_of(source)
    if folder_of_model(path):
        return Embedding(path, FORMATS["static"])
    if path.is_dir():
        if not all((path / name).is_file() for name in (arrays.VECTORS, arrays.WORDS)):
            raise IsADirectoryError(f"{path} is a folder; give the path of an embedding file")
        return Embedding(path, FORMATS["npy"])
    if not (archive := parts_of(path)[0]).is_file():
        raise FileNotFoundError(
            f"no embedding file at {archive}; `bayesbias docs own-words` lists where to download "
            "one"
        )
    return _in_content(path)


def _in_content(path: Path) -> Embedding:
    """Determine the format of a file from its first bytes, unpacked if needed."""
    with opened(path) as (raw, stream, name):
        head = stream.read(HEAD_SIZE)
        packed = stream is not raw or path.suffix.lower() in PACKED_ENDINGS  # libraries trust these
    if not head.strip(b"\0 \t\r\n"):
        raise ValueError(f"{path} is empty")
    kind, layout = _kind_of(head, Path(name).suffix.lower()), None
    if kind not in FORMATS:
        raise ValueError(f"{path} is {kind}")
    if kind == "text":
        layout = layout_of(head, path, ended=len(head) < HEAD_SIZE)
        kind = layout.kind
    return Embedding(path, FORMATS[kind], packed=packed, layout=layout)


def _kind_of(head: bytes, ending: str) -> str:
    """Return the format of a file, given its first bytes, unpacked, or say what it is instead."""
    control = MOST_TEXT * len(_CONTROL.findall(head)) > len(head)
    if _VECTOR.match(head) and not control:
        return "text"
    if known := next((kind for magic, kind in MAGIC.items() if re.match(magic, head)), ""):
        return known
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30:
        return "safetensors"
    first, ended, rest = head.partition(b"\n")
    if ended and header_of(first) and (control or not _is_text(rest, ending)):
        return "word2vec"
    if control:
        code = utf16_of(head)[:6].upper()
        text = f"text in {code}: save it as UTF-8, as with `iconv -f {code} -t UTF-8 OLD > NEW`"
        return text if code else UNKNOWN
    start = as_utf8(head).lstrip()
    return next((kind for magic, kind in TEXTS.items() if re.match(magic, start)), "text")


def _is_text(rest: bytes, ending: str) -> bool:
    """Decide whether the bytes after a header are lines of numbers; they have no control bytes."""
    fields = [re.split(rb"[ \t,;|:]+", line.rstrip(END + b",;|")) for line in rest.split(b"\n")[:9]]
    numbers = any(is_number(some[-1]) for some in fields[:8] if len(some) > 1)
    return numbers or (ending != ".bin" and rest.isascii())


def _path_of(source: str | os.PathLike[str]) -> Path:
    """Return the path of an embedding given by name or path."""
    path, name = Path(source).expanduser(), str(source)
    bare = isinstance(source, str) and not re.search(r"[/\\]", name) and WITHIN not in name
    if not bare or path.suffix.lower() in ENDINGS:
        return path
    bundled = bundled_folder("vectors") / f"{name}.npz"
    if name and bundled.is_file():
        return bundled
    if name and path.exists():
        return path
    if name in GENSIM_NAMES:
        return _gensim_path(name)
    known = [*bundled_names("vectors", ".npz"), *GENSIM_NAMES]
    raise ValueError(
        f"{unknown_bundled('embedding', name, known)}; to use your own file, give its path"
    )


def _gensim_path(name: str) -> Path:
    """Return the file of a gensim-data embedding; download it if needed.

    The downloader is asked only for the path, because loading would run a downloaded file.
    """
    folder = Path(os.environ.get(PLACE, "~/gensim-data")).expanduser()
    path = folder / name / f"{name}.gz"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    from gensim import downloader

    try:
        with redirect_stdout(sys.stderr):  # progress messages
            return Path(downloader.load(name, return_path=True))
    except (OSError, ValueError) as error:
        raise FileNotFoundError(
            f"{name} is not at {path}, and gensim could not download it ({error}). With network "
            f"access, run `python -m gensim.downloader --download {name}`. Then copy the folder "
            f"{name} to {folder}, or set {PLACE} to its parent folder. Or give a file's path"
        ) from None
