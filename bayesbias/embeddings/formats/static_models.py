"""Read folders of static models, such as model2vec's: one vector for each token of a tokenizer.

Tokens that are whole words are the words; pieces of words and special tokens are left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core.checks import require_extra
from ..._core.reading import DAMAGE, damage_named, read_json
from ...tables.spellings import KeyedVectors
from ..source import Embedding
from .keyed import Vectors

TOKENIZER, WEIGHTS = "tokenizer.json", "model.safetensors"

SUBFOLDER = "0_StaticEmbedding"
"""Folder of the model in the layout of sentence-transformers."""

NAMES = ("embeddings", "embedding.weight")
"""Names of the matrix in model2vec's and in sentence-transformers' files."""

DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I8": "i1",
}

MOST_BYTES = 1 << 30
"""Largest size of a tokenizer's file."""

_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
BYTES = {chr(byte): byte for byte in _PRINTED} | {chr(256 + i): b for i, b in enumerate(_OTHERS)}
"""The letters that byte-level tokenizers write for bytes, as in GPT-2."""


def folder_of_model(path: Path) -> Path | None:
    """Return the folder with a tokenizer and one safetensors file, or None."""
    for folder in (path, path / SUBFOLDER):
        if (folder / TOKENIZER).is_file() and (folder / WEIGHTS).is_file():
            return folder
    return None


def read_static_model(source: Embedding) -> KeyedVectors:
    """Read the words of a static model and their vectors."""
    folder = source.path if source.path.is_dir() else source.path.parent
    folder = folder_of_model(folder) or folder
    tensors = read_tensors(folder / WEIGHTS)
    name = next((name for name in NAMES if name in tensors), None)
    if name is None:
        raise ValueError(
            f"{folder} has no matrix named {' or '.join(NAMES)}, so it is not a static model. For "
            "a sentence encoder, pass its encode method; for words in sentences, see "
            "bayesbias.contextual_vectors"
        )
    matrix, n = tensors[name].astype(np.float32), len(tensors.get("mapping", tensors[name]))
    with damage_named(folder / TOKENIZER, "is not the tokenizer of these vectors"):
        rows, words = words_of_tokenizer(read_json(folder / TOKENIZER, MOST_BYTES))
        if matrix.ndim != 2 or max(rows, default=-1) >= n:
            raise ValueError(f"{len(rows):,} words, but vectors of shape {matrix.shape}")
        places = tensors["mapping"][rows] if "mapping" in tensors else np.array(rows)
        vectors = matrix[places]
    if "weights" in tensors:
        vectors = vectors * tensors["weights"].astype(np.float32)[rows, None]
    return Vectors(words, vectors)


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays in a safetensors file; bfloat16 becomes float32."""
    require_extra("safetensors files", "safetensors", "safetensors")
    import safetensors

    deserialize: Any = safetensors.deserialize
    with damage_named(path, "is damaged", errors=(*DAMAGE, safetensors.SafetensorError)):
        parts = dict(deserialize(path.read_bytes()))
        arrays = {}
        for name, part in parts.items():
            flat = np.frombuffer(part["data"], dtype=DTYPES[part["dtype"]])
            if part["dtype"] == "BF16":  # the upper half of a float32
                flat = (flat.astype(np.uint32) << 16).view(np.float32)
            arrays[name] = flat.reshape(part["shape"])
        return arrays


def words_of_tokenizer(content: Any) -> tuple[list[int], list[str]]:  # noqa: ANN401
    """Return the rows and the spellings of tokens that are whole words."""
    model, added = content["model"], content.get("added_tokens") or ()
    vocab = model["vocab"]
    tokens = dict(vocab) if isinstance(vocab, dict) else {t: i for i, (t, _) in enumerate(vocab)}
    tokens |= {token["content"]: token["id"] for token in added}
    special = {token["content"] for token in added if token.get("special")}
    special |= {f"{model.get('unk_token')}"}
    starts = {mark: sum(token.startswith(mark) for token in tokens) for mark in ("▁", "Ġ")}
    mark = max(starts, key=lambda one: starts[one])
    mark = mark if 10 * starts[mark] > len(tokens) else ""
    piece = model.get("continuing_subword_prefix") or "##"
    words = {
        _decoded(token, mark): row
        for token, row in sorted(tokens.items(), key=lambda pair: -pair[1])
        if token.startswith(mark) and not token.startswith(piece) and token not in special
    }
    words.pop("", None)
    pairs = sorted((row, word) for word, row in words.items())
    return [row for row, _ in pairs], [word for _, word in pairs]


def _decoded(token: str, mark: str) -> str:
    word = token.removeprefix(mark)
    if mark == "Ġ" and all(letter in BYTES for letter in word):
        return bytes(BYTES[letter] for letter in word).decode(errors="backslashreplace")
    return word
