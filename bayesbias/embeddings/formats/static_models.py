"""Read folders of static models, such as model2vec's: one vector for each token of a tokenizer.

Tokens that are whole words are the words; pieces of words and special tokens are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core.reading import damage_named, read_json
from ...tables.spellings import KeyedVectors
from ..source import Embedding
from .arrays import read_tensors
from .keyed import Vectors
from .matrices import check_matrix

Array = NDArray[Any]

TOKENIZER, WEIGHTS = "tokenizer.json", "model.safetensors"

SUBFOLDER = "0_StaticEmbedding"
"""Folder of the model in the layout of sentence-transformers."""

NAMES = ("embeddings", "embedding.weight")
"""Names of the matrix in model2vec's and in sentence-transformers' files."""

MOST_BYTES = 1 << 30
"""Largest size of a tokenizer's file."""

_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
BYTES = {chr(byte): byte for byte in _PRINTED} | {chr(256 + i): b for i, b in enumerate(_OTHERS)}
"""The letters that byte-level tokenizers write for bytes, as in GPT-2."""


def folder_of_model(path: Path) -> Path | None:
    """Return the folder with a tokenizer and one safetensors file, or None."""
    folders = (path, path / SUBFOLDER) if path.is_dir() else (path.parent,) * (path.name == WEIGHTS)
    files = (TOKENIZER, WEIGHTS)
    return next((one for one in folders if all((one / name).is_file() for name in files)), None)


def read_static_model(source: Embedding) -> KeyedVectors:
    """Read the words of a static model and their vectors."""
    folder = folder_of_model(source.path) or source.path
    with damage_named(folder / WEIGHTS, "is damaged"):
        tensors = read_tensors(folder / WEIGHTS)
    name = next((name for name in NAMES if name in tensors), None)
    if name is None:
        raise ValueError(
            f"{folder} has no matrix named {' or '.join(NAMES)}, so it is not a static model. For "
            "a sentence encoder, pass its encode method; for words in sentences, see "
            "bayesbias.contextual_vectors"
        )
    check_matrix(tensors[name], f"{folder / WEIGHTS}")
    with damage_named(folder / TOKENIZER, "is not the tokenizer of these vectors"):
        words = words_of_tokenizer(read_json(folder / TOKENIZER, MOST_BYTES))
        rows = tokens = np.array([*words], dtype=np.int64)
        if "mapping" in tensors:
            rows = _of_tokens("mapping", tensors, tokens).ravel()
        vectors = _of_tokens(name, tensors, rows).astype(np.float32)
        if "weights" in tensors:
            vectors = vectors * _of_tokens("weights", tensors, tokens).reshape(-1, 1)
    return Vectors([*words.values()], vectors.astype(np.float32, copy=False))


def _of_tokens(name: str, tensors: Mapping[str, Array], places: Array) -> Array:
    """Return rows of a tensor; refuse negative ones, which NumPy would count from the end."""
    tensor = tensors[name]
    if name not in NAMES and tensor.size != len(tensor):
        raise ValueError(f"{name} has shape {tensor.shape}, not one number for each token")
    if outside := [place for place in places.tolist() if not 0 <= place < len(tensor)]:
        raise ValueError(f"{name} has {len(tensor):,} rows, but row {outside[0]} is needed")
    return tensor[places]


def words_of_tokenizer(content: Mapping[str, Any]) -> dict[int, str]:
    """Return the spellings of tokens that are whole words, by row.

    Added tokens are whole words as they are, and tokenizers look for them first.
    """
    model, added = content["model"], content.get("added_tokens") or ()
    vocab = model["vocab"]
    tokens = dict(vocab) if isinstance(vocab, dict) else {t: i for i, (t, _) in enumerate(vocab)}
    others = {token["content"] for token in added} | {f"{model.get('unk_token')}"}
    starts = {mark: sum(token.startswith(mark) for token in tokens) for mark in ("▁", "Ġ")}
    mark = max(starts, key=lambda one: starts[one])
    mark = mark if 10 * starts[mark] > len(tokens) else ""
    piece = model.get("continuing_subword_prefix") or "##"
    words = {
        _decoded(token, mark): row
        for token, row in sorted(tokens.items(), key=lambda pair: -pair[1])
        if token.startswith(mark) and not token.startswith(piece) and token not in others
    }
    words |= {
        token["content"].strip(): token["id"]
        for token in added
        if not token.get("special") and token["content"] != model.get("unk_token")
    }
    words.pop("", None)
    return dict(sorted((row, word) for word, row in words.items()))


def _decoded(token: str, mark: str) -> str:
    word = token.removeprefix(mark)
    if mark == "Ġ" and all(letter in BYTES for letter in word):
        return bytes(BYTES[letter] for letter in word).decode(errors="backslashreplace")
    return word
