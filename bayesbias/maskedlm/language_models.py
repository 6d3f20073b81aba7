"""Safely load language models with their heads, or create them with random weights."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from .._core.checks import Argument, ArgumentError, check_choice, check_numbers
from .._core.transformer_files import (
    gives_attention,
    load_transformer,
    longest_input,
    packs_texts,
    sees_ahead,
    sees_padding,
)

DTYPES = ("float32", "bfloat16", "float16")
"""Data types for a model's computations. Log probabilities are always computed in float32."""

LOADERS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
"""Classes in transformers, keyed by the kind of model."""

SPECIAL_TOKENS = ("mask", "bos", "eos", "unk")
"""Special tokens that scores depend on."""

WINDOWS = ("sliding_window", "attention_chunk_size", "window_size", "attention_window_size")
"""Settings for the number of tokens that local attention reaches."""


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A language model in evaluation mode, with its tokenizer and its name in results.

    ``kind`` is masked or causal. ``longest`` is the token limit, including special tokens.
    """

    name: str
    network: Any
    tokenizer: Any
    kind: str
    longest: int

    @cached_property
    def packs(self) -> bool:
        """Whether two sentences can share the tokens with which they begin."""
        return self.kind == "causal" and packs_texts(self.network)

    @property
    def window(self) -> int:
        """The length of a row in which every layer lets a token attend to all tokens before it."""
        config = self.network.config.get_text_config()
        limits = (getattr(config, name, None) or 0 for name in WINDOWS)
        return min([self.longest, *(int(limit) for limit in limits if limit > 0)])

    @cached_property
    def sees_padding(self) -> bool:
        """Whether a sentence's scores depend on the padding after it."""
        # No token of a causal model attends to a later one, so none attends to padding.
        padding = self.tokenizer.pad_token_id or 0
        return self.kind == "masked" and sees_padding(self.network, padding)

    @cached_property
    def gives_attention(self) -> bool:
        """Whether the network returns the attention of each token to each token, as AULA needs."""
        return gives_attention(self.network)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of what affects scores: configuration, weights, vocabulary, special tokens."""
        import torch

        settings = self.network.config.to_dict()
        for passing in ("_name_or_path", "transformers_version"):
            settings.pop(passing, None)
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
        reading = json.loads(self.tokenizer.backend_tokenizer.to_str())
        for passing in ("padding", "truncation"):  # every call of the tokenizer sets them
            reading.pop(passing, None)
        special = [getattr(self.tokenizer, f"{name}_token_id") for name in SPECIAL_TOKENS]
        digest.update(json.dumps([reading, special], sort_keys=True).encode())
        for name, weights in sorted(self.network.state_dict().items()):
            flat = weights.detach().cpu().contiguous().flatten().view(torch.uint8)
            digest.update(f"{name} {weights.dtype} {tuple(weights.shape)}".encode())
            digest.update(flat.numpy().data)
        return digest.hexdigest()


def load_language_model(
    source: str | Path,
    *,
    device: str = "cpu",
    dtype: str = "float32",
    compile: bool = False,
    name: str | None = None,
    allow_pickle: bool = False,
) -> LanguageModel:
    """Load a masked or causal language model and its tokenizer.

    Code that comes with a model is never run.

    Parameters
    ----------
    source : str or Path
        A folder with ``config.json``, ``model.safetensors``, and ``tokenizer.json``, or the name of
        a model on the Hugging Face Hub, which transformers downloads and caches.
    device : str
        A device in torch's notation: ``cpu``, ``cuda``, ``cuda:1``, or ``mps``.
    dtype : {"float32", "bfloat16", "float16"}
        Type of the weights and hidden states. Log probabilities are always computed in float32.
    compile : bool
        Whether ``torch.compile`` compiles the layers at the first sentences, which takes minutes.
    name : str, optional
        Name of the model in results. The default is the last part of `source`.
    allow_pickle : bool
        Whether to also read weights from a pickle (``pytorch_model.bin``).

    Raises
    ------
    ValueError
        If the model has no language-model head, has both an encoder and a decoder, needs its own
        code, or does not match its tokenizer.
    """
    check_choice("dtype", dtype, DTYPES)
    if name is not None and not name.strip():
        raise ArgumentError(Argument("name"), f" must be a name; got {name!r}")
    place, network, tokenizer, missing = load_transformer(
        source,
        lambda config: LOADERS[_kind(config)],
        device=device,
        dtype=dtype,
        allow_pickle=allow_pickle,
    )
    kind = _kind(network.config)
    if missing:
        raise ValueError(
            f"{place} has no {kind} language-model head, or lacks other weights "
            f"({', '.join(missing[:3])}), so scores would be random; "
            "pass a language model, not a sentence encoder or a classifier"
        )
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise ValueError(f"the tokenizer of {place} has no mask token; pass another model")
    if kind == "causal" and sees_ahead(network):
        raise ValueError(
            f"{place} has a causal head, but its tokens attend to later tokens, so the model "
            "would see the tokens that it predicts; pass another model"
        )
    if compile:
        network.base_model.compile(dynamic=True)
    name = name or Path(os.path.abspath(place)).name  # of ``.``, too
    return LanguageModel(name, network, tokenizer, kind, longest_input(network, tokenizer))


def _kind(config: Any) -> str:  # noqa: ANN401
    """Return the kind of model, from its head or from the only head that transformers has for it.

    The head of a model that also reads images, such as Gemma 3, has a name of another form.
    """
    from transformers.models.auto import modeling_auto

    heads = list(map(str, getattr(config, "architectures", None) or []))
    # In XLM and FlauBERT, a masked head is called ``WithLMHeadModel``.
    causal = re.compile(r".*(ForCausalLM|(?<!With)LMHeadModel)$")
    if any(map(causal.match, heads)):
        return "causal"
    family = getattr(config, "model_type", None)
    usual = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(family)
    only = usual is not None and family not in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return "causal" if only and (not heads or usual in heads) else "masked"


def null_models(model: LanguageModel, n_models: int = 20) -> Iterator[LanguageModel]:
    """Yield language models with a model's architecture and tokenizer but random weights.

    These models have learned nothing, so their preferences come from tokens, lengths, and chance.
    Use them to count how often intervals exclude one half by chance. The seeds 0, 1, ... initialize
    the weights, and the models are named ``NAME, random weights SEED``.
    """
    import torch
    import transformers

    check_numbers(n_models=n_models)
    for seed in range(n_models):
        config = copy.deepcopy(model.network.config)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = getattr(transformers, LOADERS[model.kind]).from_config(config)
        network = network.to(device=model.network.device, dtype=model.network.dtype).eval()
        yield replace(model, name=f"{model.name}, random weights {seed}", network=network)
