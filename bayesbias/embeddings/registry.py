"""Map kinds of files to readers. A new format needs a generator in `formats` and an entry here."""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

from .._core.checks import Argument, ArgumentError, check_numbers
from .._core.reading import ENDINGS as PACKED_ENDINGS
from .._core.reading import parts_of
from .._core.resources import bundled_folder, bundled_names, unknown_bundled
from ..tables.spellings import WORD
from .formats import arrays, gensim_files, text, word2vec
from .formats.held import as_keyed, encoder_chunks, is_encoder
from .formats.keyed import loaded_whole
from .formats.record_files import read_frame, read_json_file
from .formats.sniff import look_at
from .formats.static_models import folder_of_model, read_static_model
from .source import ChunksOf, Embedding

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
"""Generators, keyed by the kind of file that `look_at` finds; static models are folders."""

UNPACK = "unpack it, and pass the file inside"
REFUSED = {
    **{"7z": ("a 7z archive", UNPACK), "rar": ("a rar archive", UNPACK)},
    "Z": ("a file packed by `compress`", UNPACK),
    "UTF-16": ("text in UTF-16", "save it as UTF-8, as with `iconv -f UTF-16 -t UTF-8 OLD > NEW`"),
    "HTML": ("a web page", "the download failed; open its address in a browser to see why"),
    "LFS": ("a pointer of Git LFS, not the file itself", "run `git lfs pull`"),
    "PyTorch": ("a PyTorch file", "load it with torch.load, and pass (words, array)"),
    "HDF5": ("an HDF5 file", "load it with h5py or Keras, and pass (words, array)"),
    "Arrow": ("an Arrow file", "read it with pandas.read_feather, and pass the DataFrame"),
    "SQLite": ("an SQLite database, as Magnitude's", "get the vectors as text or .bin"),
    "GGUF": ("a language model in GGUF", "this package reads vectors of words"),
    "Office": ("a document of Excel or Word", "save the sheet as CSV in UTF-8"),
    "PDF": ("a PDF document", "this package reads vectors of words"),
    "unknown": (
        "a binary file of unknown kind",
        "known kinds are listed in `bayesbias docs own-words`",
    ),
}
"""What to do about files that are recognized but not read."""

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
    if key and key.count(WORD) != 1:
        raise ArgumentError(Argument("key"), f" must contain {WORD} once, as in '/c/en/{WORD}'")
    if limit is not None:
        check_numbers(limit=limit)
    if isinstance(source, Embedding):
        return source
    if not isinstance(source, str | os.PathLike):
        found = _in_memory(source, key)
    else:
        found = _in_file(source, allow_pickle=allow_pickle, progressbar=progressbar)
    return replace(found, key=key, limit=limit)


def _in_memory(source: object, key: str) -> Embedding:
    if is_encoder(source):
        path = Path("the encoder given")
        return Embedding(path, encoder_chunks(source), key=key, makes=True)
    return Embedding(Path("the vectors given"), FORMATS["npz"], loaded=as_keyed(source), key=key)


def _in_file(source: str | os.PathLike[str], *, allow_pickle: bool, progressbar: bool) -> Embedding:
    """Determine the format of a file or folder."""
    path = _path_of(source)
    if folder_of_model(path):
        return Embedding(path, FORMATS["static"])
    if path.is_dir():
        if not all((path / name).is_file() for name in arrays.FILES):
            raise IsADirectoryError(f"{path} is a folder; give the path of an embedding file")
        return Embedding(path, FORMATS["npy"])
    if not (archive := parts_of(path)[0]).is_file():
        raise FileNotFoundError(
            f"no embedding file at {archive}; `bayesbias docs own-words` lists where to download "
            "one"
        )
    if not archive.stat().st_size:
        raise ValueError(f"{path} is empty")
    kind, packed, layout = look_at(path)
    if kind in REFUSED:
        what, advice = REFUSED[kind]
        raise ValueError(f"{path} is {what}: {advice}")
    how = {"allow_pickle": allow_pickle, "progressbar": progressbar}
    return Embedding(path, FORMATS[kind], packed=packed, layout=layout, **how)


def _path_of(source: str | os.PathLike[str]) -> Path:
    """Return the path of an embedding given by name or path."""
    path, name = Path(source).expanduser(), str(source)
    bare = isinstance(source, str) and not re.search(r"[/\\]", name) and not parts_of(path)[1]
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
