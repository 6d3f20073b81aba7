"""Load encoders in the formats of Hugging Face and sentence-transformers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .._core.reading import read_json
from .._core.transformer_files import (
    load_transformer,
    longest_input,
    sees_ahead,
    sees_padding,
)


@dataclass(frozen=True, eq=False)
class Encoder:
    """A contextual encoder without a head, in evaluation mode, with its tokenizer.

    ``longest`` is the largest number of tokens that it accepts, including special tokens.
    ``sentence_pooling`` (mean or cls) is how a sentence's vector is computed from its tokens.
    """

    name: str
    network: Any
    tokenizer: Any
    longest: int
    sentence_pooling: str = "mean"

    @cached_property
    def is_causal(self) -> bool:
        """Whether no token attends to later tokens."""
        return not sees_ahead(self.network)

    @cached_property
    def sees_padding(self) -> bool:
        """Whether the vectors of a sentence depend on the padding after it."""
        return sees_padding(self.network, self.tokenizer.pad_token_id or 0)


def load_encoder(source: str | Path | Encoder, *, device: str = "cpu") -> Encoder:
    """Load an encoder from a local folder, or by name from the Hugging Face Hub.

    Parameters
    ----------
    source : str, Path, or Encoder
        A folder with config.json, model.safetensors, tokenizer.json, and, for
        sentence-transformers, 1_Pooling; or the name of a model on the hub, which transformers
        downloads and caches. Code that comes with a model is never run, and pickles are never read.
    device : str
        A device in torch's notation, such as ``cuda``.

    Raises
    ------
    ValueError
        If weights are missing, or if the encoder needs unsupported layers or code.
    """
    if isinstance(source, Encoder):
        return source
    place, network, tokenizer, missing = load_transformer(
        source, lambda _: "AutoModel", device=device
    )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    lacking = [name for name in missing if "pooler" not in name]  # a head is not needed
    if lacking:
        raise ValueError(
            f"{place} lacks weights that its architecture needs ({', '.join(lacking[:3])}), so "
            "vectors would be random; pass a complete folder"
        )
    folder = Path(place)
    return Encoder(
        name=Path(os.path.abspath(place)).name if folder.is_dir() else place,
        network=network,
        tokenizer=tokenizer,
        longest=longest_input(network, tokenizer),
        sentence_pooling=_pooling(folder),
    )


def _pooling(folder: Path) -> str:
    """Return the pooling of a sentence-transformers folder; the mean for any other folder."""
    layers = {path.name.partition("_")[2] for path in folder.glob("[0-9]_*")}
    if unknown := layers - {"Pooling", "Normalize", ""}:  # Normalize does not change a cosine
        raise ValueError(
            f"{folder} has the sentence-transformers layer {min(unknown)!r}, which is not "
            "supported; copy the model without that layer's folder, and use pooling='word'"
        )
    path = folder / "1_Pooling" / "config.json"
    settings = read_json(path) if path.is_file() else {"pooling_mode_mean_tokens": True}
    options = settings.items() if isinstance(settings, dict) else ()
    modes = [key for key, on in options if key.startswith("pooling_mode") and on]
    poolings = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if len(modes) != 1 or modes[0] not in poolings:
        raise ValueError(
            f"{path} must set either {' or '.join(poolings)}; it sets {', '.join(modes) or 'none'}"
        )
    return poolings[modes[0]]
