"""Load encoders in the formats of Hugging Face and sentence-transformers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .._core.reading import damage_named, read_json
from .._core.transformer_files import (
    load_transformer,
    longest_input,
    model_file,
    sees_ahead,
    sees_padding,
)

POOLINGS = {
    **{"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"},
    **{"mean": "mean", "cls": "cls"},
}
"""Ways to pool a sentence's tokens, keyed by their names in old and new sentence-transformers."""


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
        Without network access, all files must be in the cache; a model whose modules.json is not
        there counts as one that is not of sentence-transformers.
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
    if tokenizer.pad_token is None:  # any token serves, because a mask hides padding
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
    lacking = [name for name in missing if "pooler" not in name]  # a head is not needed
    if lacking:
        raise ValueError(
            f"{place} lacks weights that its architecture needs ({', '.join(lacking[:3])}), so "
            "vectors would be random; pass a complete folder"
        )
    return Encoder(
        name=Path(os.path.abspath(place)).name if Path(place).is_dir() else place,
        network=network,
        tokenizer=tokenizer,
        longest=longest_input(network, tokenizer),
        sentence_pooling=_pooling(place),
    )


def _pooling(place: str) -> str:
    """Return the pooling of a model of sentence-transformers; the mean for any other model."""
    layers = {layer: layer.partition("_")[2] for layer in _layers(place)}
    if unknown := {*layers.values()} - {"Pooling", "Normalize", ""}:
        # Normalize does not change a cosine.
        raise ValueError(
            f"{place} has the sentence-transformers layer {min(unknown)!r}, which is not "
            "supported; copy the model to a folder without that layer's folder, and use "
            "pooling='word'"
        )
    pooling = [layer for layer, kind in layers.items() if kind == "Pooling"]
    if not pooling:
        return "mean"
    name = f"{pooling[0]}/config.json"
    path = model_file(place, name)
    if path is None:
        raise ValueError(f"{place} has no {name}, which says how tokens are pooled")
    settings = read_json(path)
    modes = [*_modes(settings)] if isinstance(settings, dict) else []
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise ValueError(
            f"{path} must set the pooling mean or cls, alone; it sets {', '.join(modes) or 'none'}"
        )
    return POOLINGS[modes[0]]


def _layers(place: str) -> list[str]:
    """Return the folders of the layers of a model of sentence-transformers, if it is one."""
    if (folder := Path(place)).is_dir():
        return [path.name for path in folder.glob("[0-9]_*")]
    path = model_file(place, "modules.json")
    if path is None:
        return []
    with damage_named(path, "does not list the layers of a model"):
        return [str(layer["path"]) for layer in read_json(path)]


def _modes(settings: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the poolings that are on, in the form of old and new versions."""
    for key, value in settings.items():
        if key == "pooling_mode":
            yield from map(str, value if isinstance(value, list) else [value])
        elif key.startswith("pooling_mode_") and value:
            yield key
