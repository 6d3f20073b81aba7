"""Load a model and its tokenizer with transformers, and determine their longest input.

Code that comes with a model is never run, and a local folder is read without network access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .checks import Argument, ArgumentError, check_path, require_extra
from .reading import DAMAGE

if TYPE_CHECKING:
    import torch

NO_LIMIT = 10**9
"""Largest plausible limit; tokenizers without a limit report a far larger number."""

AHEAD_TOLERANCE = 1e-3
"""Smallest change in a token's output, in sds, that shows that the model saw a later token."""

ROUNDINGS = 16
"""Differences up to this number of rounding errors, relative to the sd, are not due to padding."""

SHARE_TOLERANCE = 0.01
"""Largest distance of a sum of attention weights from one; bfloat16 rounds each weight by 0.004."""


def load_transformer(
    source: str | Path,
    choose: Callable[[Any], str],
    *,
    device: str,
    dtype: str = "float32",
    allow_pickle: bool | None = None,
    **options: Any,  # noqa: ANN401
) -> tuple[str, Any, Any, list[str]]:
    """Load a network and its fast tokenizer; also return the model's location and missing weights.

    `choose` returns the name of the transformers class for a configuration. Unless `allow_pickle`
    is True, only safetensors files are read. If `allow_pickle` is None, errors do not suggest it.
    """
    require_extra("language models", "mlm", "torch", "transformers")
    import torch
    import transformers

    place = place_of(source)
    with _loading(place, allow_pickle) as more:
        config = transformers.AutoConfig.from_pretrained(place, **more)
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, use_fast=True, **more)
    empty = len(tokenizer) <= len(set(tokenizer.all_special_ids))  # without a tokenizer file
    if empty or not getattr(tokenizer, "is_fast", False):
        raise ValueError(f"{place} has no fast tokenizer; save one there as tokenizer.json")
    if getattr(config, "is_encoder_decoder", False):
        raise ValueError(
            f"{place} is an encoder-decoder model, which reads one sentence and writes another; "
            "use a model with only an encoder or only a decoder"
        )
    options |= {"dtype": getattr(torch, dtype), "use_safetensors": not allow_pickle or None}
    with _loading(place, allow_pickle) as more:
        network, info = getattr(transformers, choose(config)).from_pretrained(
            place, output_loading_info=True, **more, **options
        )
    room, n = len(network.get_input_embeddings().weight), len(tokenizer)
    if n > room:
        raise ValueError(
            f"{place}: the tokenizer has {n:,} tokens, but the model has room for only {room:,}; "
            "get both from the same source"
        )
    try:
        network = network.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {device!r} is not available here ({str(error).splitlines()[0]}); "
            "use device='cpu'"
        ) from None
    return place, network, tokenizer, sorted(info["missing_keys"])


def place_of(source: str | Path) -> str:
    """Return a model's folder or hub name; a source that cannot be a hub name must be a folder."""
    check_path("a model to load", source, "a name, a path, or the folder that it was loaded from")
    path, text = Path(source).expanduser(), str(source)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise FileNotFoundError(f"{path} has no config.json; is it a model folder?")
        return str(path)
    if isinstance(source, Path) or text.startswith((".", "/", "~")) or text.count("/") > 1:
        raise FileNotFoundError(f"no model folder at {path}")
    return text


@contextmanager
def _loading(place: str, allow_pickle: bool | None) -> Iterator[dict[str, Any]]:
    """Yield loading options, and hide progress bars and messages; explain any error."""
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield {"trust_remote_code": False, "local_files_only": Path(place).is_dir()}
    except (*DAMAGE, StrictDataclassError, SafetensorError) as error:
        raise _refusal(place, error, allow_pickle) from None
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def model_file(place: str, name: str) -> Path | None:
    """Return the path of a file in a model's folder or on the hub; None if there is no such file.

    Without network access, a file of the hub must be in the cache.
    """
    if (folder := Path(place)).is_dir():
        path = folder / name
        return path if path.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    with _loading(place, None) as more:
        try:
            return Path(hf_hub_download(place, name, local_files_only=more["local_files_only"]))
        except EntryNotFoundError:
            return None


def _refusal(place: str, error: Exception, allow_pickle: bool | None) -> Exception:
    """Return the error that explains a failed load."""
    text = str(error).strip()
    first = text.split("\n")[0][:300] or type(error).__name__
    if "trust_remote_code" in text:
        return ValueError(
            f"{place} requires custom code, and bayesbias never runs a model's code; use a model "
            "with an architecture that transformers includes"
        )
    if "Unrecognized configuration class" in text:
        return ValueError(
            f"transformers finds no language model in {place}; its head, if any, is for another "
            "task"
        )
    if "safetensors" in text and allow_pickle is not None:
        return ArgumentError(
            f"{place} has no model.safetensors ({first}); weights in a pickle are read only with ",
            Argument("allow_pickle", True),
        )
    if Path(place).is_dir():
        return ValueError(f"{place} cannot be loaded as a model: {first}")
    return FileNotFoundError(
        f"found no model {place!r} ({first}). Without network access, give a folder that contains "
        "config.json, model.safetensors, and tokenizer.json"
    )


def sees_ahead(network: Any) -> bool:  # noqa: ANN401
    """Return whether a token's output depends on a later token."""
    import torch

    with torch.inference_mode():
        first, other = (
            network(input_ids=torch.tensor([[1, 2, last]], device=network.device))[0][0, 0]
            for last in (3, 4)
        )
    return bool((first - other).abs().max() > AHEAD_TOLERANCE * first.float().std())


def sees_padding(network: Any, padding: int) -> bool:  # noqa: ANN401
    """Return whether a text's output depends on the padding after it, which a mask marks.

    This holds for networks that mix tokens by other means than attention, such as convolutions.
    """
    import torch

    text, n = torch.tensor([[1, 2, 3, 4, 5]], device=network.device), 5
    whole = torch.nn.functional.pad(text, (0, 4), value=padding)
    mask = (torch.arange(whole.shape[1], device=network.device) < n).long()[None]
    with torch.inference_mode():
        padded = network(input_ids=whole, attention_mask=mask)[0][0, :n].float()
        alone = network(input_ids=text, attention_mask=mask[:, :n])[0][0].float()
    rounding = ROUNDINGS * torch.finfo(network.dtype).eps
    close = (padded - alone).abs().max() <= max(AHEAD_TOLERANCE, rounding) * alone.std()
    return not bool(close)


def gives_attention(network: Any) -> bool:  # noqa: ANN401
    """Return whether a network returns the attention of each token to each token of a text."""
    import torch

    for n in (3, 6):  # the width of a window may be the length of one text
        ids = torch.arange(1, n + 1, device=network.device)[None]
        with torch.inference_mode(), giving_attention(network):
            network(input_ids=ids)  # BigBird replaces its layers at the first short text
            out = network(input_ids=ids, output_attentions=True)
        if token_attention(out.attentions, [n]) is None:
            return False
    return True


def token_attention(
    layers: Sequence[torch.Tensor | None] | None, lengths: Sequence[int]
) -> list[NDArray[np.float64]] | None:
    """Return the mean attention over layers and heads, (n_tokens, n_tokens) for each text.

    It is None if a layer has other dimensions, as for windows and for pooled tokens, or if the
    attention of a token does not sum to one.
    """
    import torch

    shape = (len(lengths), max(lengths), max(lengths))
    square = [
        layer.float().mean(dim=1)
        for layer in layers or ()
        if layer is not None and layer.ndim == 4 and (len(layer), *layer.shape[2:]) == shape
    ]
    if not layers or len(square) < len(layers):
        return None
    mean = torch.stack(square).mean(dim=0)
    texts = [
        text[:length, :length]
        for text, length in zip(mean.double().cpu().numpy(), lengths, strict=True)
    ]
    shares = all(np.allclose(text.sum(axis=1), 1, rtol=0, atol=SHARE_TOLERANCE) for text in texts)
    return texts if shares else None


@contextmanager
def giving_attention(network: Any, *, wanted: bool = True) -> Iterator[None]:  # noqa: ANN401
    """Compute attention so that its weights are returned, which the faster kinds do not do."""
    usual = network.config._attn_implementation
    if not wanted or usual == "eager":
        yield
        return
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(usual)


def packed(
    n_shared: NDArray[Any], n_first: NDArray[Any], width: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return positions, and which tokens are visible to each token, for two texts in a row.

    A row has the `n_shared` tokens with which both texts begin, the rest of the first text (which
    ends at `n_first`), the rest of the second text, and padding.
    """
    place = np.arange(width)
    shared, first = n_shared[:, None], n_first[:, None]
    second = place >= first
    positions = np.where(second, place - first + shared, place)
    other = (place >= shared) & ~second
    visible = (place <= place[:, None]) & ~(second[:, :, None] & other[:, None, :])
    return positions, visible[:, None]


def attention_mask(visible: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return what is added to attention scores: zero for visible tokens, else the least number."""
    import torch

    hidden = torch.zeros(visible.shape, dtype=dtype, device=visible.device)
    return hidden.masked_fill_(~visible, torch.finfo(dtype).min)


def packs_texts(network: Any) -> bool:  # noqa: ANN401
    """Return whether two texts in one row, kept apart by a mask, have the logits of single texts.

    This fails for recurrent networks, and for those that compute positions from the mask.
    """
    import torch

    row, texts = [[1, 2, 3, 4, 5, 6]], ([1, 2, 3, 4], [1, 2, 5, 6])
    positions, visible = packed(np.array([2]), np.array([4]), 6)
    device = network.device
    with torch.inference_mode():
        try:
            out = network(
                input_ids=torch.tensor(row, device=device),
                attention_mask=attention_mask(torch.from_numpy(visible).to(device), network.dtype),
                position_ids=torch.from_numpy(positions).to(device),
            )
        except (AttributeError, IndexError, TypeError, ValueError, RuntimeError):
            return False
        whole = [network(input_ids=torch.tensor([one], device=device)) for one in texts]
    wanted = torch.stack([one.logits[0, -1] for one in whole]).float()
    error = (out.logits[0, [3, 5]].float() - wanted).abs().max()
    return bool(error <= AHEAD_TOLERANCE * wanted.std())


def longest_input(network: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """Return the maximum number of tokens, including special ones, for a model and tokenizer."""
    limit = min(NO_LIMIT, int(tokenizer.model_max_length))
    config = network.config.get_text_config()
    positions = getattr(config, "max_position_embeddings", None) or 0
    if positions <= 0:
        return limit
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            positions -= int(padding) + 1  # RoBERTa's first position follows the padding
            break
    return min(limit, positions)
