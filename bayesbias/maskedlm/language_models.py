"""Language models: loaded from a folder, safely and with their heads; and with random weights."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from .._core.checks import Argument, ArgumentError, check_numbers, is_whole, unknown_name
from .._core.transformer_files import (
    load_network,
    longest_input,
    open_model,
    refusal,
    require_room,
    sees_ahead,
)

DTYPES = ("float32", "bfloat16", "float16")
"""Numbers a model may compute with. Log probabilities are always summed in float32."""

KINDS = ("auto", "masked", "causal")

LOADERS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
"""Classes of transformers by the kind of a model."""

_CAUSAL = ("ForCausalLM", "LMHeadModel")
_MASKED = "WithLMHeadModel"
"""How heads are called. XLM and FlauBERT call a masked one ``WithLMHeadModel``."""


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A language model with its tokenizer.

    Parameters
    ----------
    name : str
        How results call it.
    network : transformers.PreTrainedModel
        In evaluation mode.
    tokenizer : transformers.PreTrainedTokenizerFast
    kind : {"masked", "causal"}
    longest : int
        Tokens that the model reads at most, special ones included.
    """

    name: str
    network: Any
    tokenizer: Any
    kind: str
    longest: int

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of what its scores depend on: configuration, weights and vocabulary."""
        import torch

        digest = hashlib.sha256()
        settings = self.network.config.to_dict()
        for passing in ("_name_or_path", "transformers_version"):
            settings.pop(passing, None)
        digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
        digest.update(self.tokenizer.backend_tokenizer.to_str().encode())
        for name, weights in sorted(self.network.state_dict().items()):
            flat = weights.detach().cpu().contiguous().flatten().view(torch.uint8)
            digest.update(f"{name} {weights.dtype} {tuple(weights.shape)}".encode())
            digest.update(flat.numpy().data)
        return digest.hexdigest()


def load_language_model(
    source: str | Path,
    *,
    kind: str = "auto",
    device: str = "cpu",
    dtype: str = "float32",
    name: str | None = None,
    allow_pickle: bool = False,
) -> LanguageModel:
    """Load a masked or a causal language model and its tokenizer.

    Code that comes with a model is never run.

    Parameters
    ----------
    source : str or Path
        A folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json``, or the name
        of a model on the Hugging Face hub, which transformers fetches and keeps.
    kind : {"auto", "masked", "causal"}
        ``auto``: as the configuration has it.
    device : str
        As torch names it: ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
    dtype : {"float32", "bfloat16", "float16"}
    name : str, optional
        How results call the model; the last part of `source` by default.
    allow_pickle : bool
        Also read weights that come as a pickle (``pytorch_model.bin``).

    Raises
    ------
    ImportError
        If the extra ``mlm`` is not installed.
    FileNotFoundError
        If there is no such folder, or no such model within reach.
    ValueError
        If the model has no language-model head, is not of this kind, has an encoder and a decoder,
        needs code of its own, or its tokenizer is not a fast one or has more tokens.
    """
    for what, value, known in (("kind", kind, KINDS), ("dtype", dtype, DTYPES)):
        if value not in known:
            raise ValueError(unknown_name(what, value, known))
    place, config, tokenizer = open_model(source)
    heads = map(str, getattr(config, "architectures", None) or [])
    causal = any(name.endswith(_CAUSAL) and not name.endswith(_MASKED) for name in heads)
    kind = ("causal" if causal else "masked") if kind == "auto" else kind
    if getattr(config, "is_encoder_decoder", False):
        raise ValueError(
            f"{place} reads one sentence and writes another (an encoder with a decoder); a masked "
            "or a causal language model is needed, which scores one"
        )
    network, missing = load_network(
        place,
        LOADERS[kind],
        device,
        dtype=dtype,
        refuse=partial(_no_head, kind),
        attn_implementation="eager",  # others do not give the attention that AULA weighs by
        use_safetensors=not allow_pickle or None,
    )
    if missing:
        raise ValueError(
            f"{place} has no {kind} language-model head, or not all of its weights: "
            f"{', '.join(missing[:3])} would be random numbers, and so would every score; "
            "an encoder of sentences or a classifier cannot be scored"
        )
    require_room(place, network, tokenizer)
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise ValueError(f"{place} has no mask token in its tokenizer, so nothing can be masked")
    if kind == "causal" and sees_ahead(network):
        raise ValueError(
            f"{place} has a head for causal use, but its tokens attend to those that follow: it "
            "would read what it is asked to predict; load it with kind='masked'"
        )
    return LanguageModel(
        name=name or Path(place).name,
        network=network,
        tokenizer=tokenizer,
        kind=kind,
        longest=longest_input(network, tokenizer),
    )


def _no_head(kind: str, place: str, error: Exception) -> Exception:
    if "Unrecognized configuration class" in str(error):
        return ValueError(f"{place} is not a {kind} language model: transformers has no such head")
    if "safetensors" in str(error) and "trust_remote_code" not in str(error):
        first = str(error).strip().split("\n")[0]
        return ArgumentError(
            f"{place} holds no model.safetensors ({first}); weights in a pickle are read only "
            "with ",
            Argument("allow_pickle", True),
        )
    return refusal(place, error)


def null_models(model: LanguageModel, seeds: int | Iterable[int] = 20) -> Iterator[LanguageModel]:
    """Yield language models of the same architecture and tokenizer, with random weights.

    They have read nothing, so what they prefer comes from tokens, lengths and chance: count how
    often an interval of theirs excludes one half. Weights are drawn as transformers initializes a
    model before training.

    Parameters
    ----------
    model : LanguageModel
        From `load_language_model`; its weights are not used.
    seeds : int or iterable of int
        How many, from seed 0 on, or the seeds themselves.

    Yields
    ------
    LanguageModel
        Called ``NAME, random weights SEED``, one at a time.

    Raises
    ------
    ValueError
        If a number of seeds is below one, or a seed is not a whole number from 0 on.

    Examples
    --------
    >>> import bayesbias as bb
    >>> model = bb.maskedlm.load_language_model("./bert")  # doctest: +SKIP
    >>> nulls = bb.maskedlm.null_models(model, 20)  # doctest: +SKIP
    >>> scores = [bb.maskedlm.score_pairs(pairs, one, "pll") for one in nulls]  # doctest: +SKIP
    """
    if isinstance(seeds, int):
        check_numbers(seeds=seeds)
        seeds = range(seeds)
    chosen = list(seeds)
    for seed in chosen:
        if not is_whole(seed) or seed < 0:
            raise ValueError(f"a seed must be a whole number from 0 on; got {seed!r}")
    return (_null_model(model, seed) for seed in chosen)


def _null_model(model: LanguageModel, seed: int) -> LanguageModel:
    import torch
    import transformers

    config = copy.deepcopy(model.network.config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = getattr(transformers, LOADERS[model.kind]).from_config(
            config, attn_implementation="eager"
        )
    network = network.to(device=model.network.device, dtype=model.network.dtype).eval()
    return replace(model, name=f"{model.name}, random weights {seed}", network=network)
