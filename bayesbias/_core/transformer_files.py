"""Loading a model with transformers: its configuration, tokenizer, weights, and longest input.

Code that comes with a model is never run, and a folder is read without the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .checks import check_path

NEEDS_EXTRA = "language models need torch and transformers: pip install 'bayesbias[mlm]'"

NO_LIMIT = 10**9
"""Tokenizers without a limit of their own name a number far above this one."""


_ODD = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    MemoryError,
)
"""What torch, transformers and tokenizers raise where a file holds what they do not expect."""

AHEAD_TOLERANCE = 1e-3
"""Change of numbers of a token, in their sds, from which on a later one is taken to be seen."""


def open_model(source: str | Path) -> tuple[str, Any, Any]:
    """Read where a model is, its configuration, and its fast tokenizer.

    Raises an ImportError if torch or transformers is not installed, a FileNotFoundError if there is
    no model's folder or no such model within reach, and a ValueError if the folder holds no model,
    it needs code of its own, or its tokenizer is not fast.
    """
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise ImportError(f"{NEEDS_EXTRA} ({package} is missing)")
    from transformers import AutoConfig, AutoTokenizer

    place = place_of(source)
    options = _reading_options(place)
    try:
        config = AutoConfig.from_pretrained(place, **options)
        tokenizer = AutoTokenizer.from_pretrained(place, use_fast=True, **options)
    except _odd() as error:
        raise refusal(place, error) from None
    if not getattr(tokenizer, "is_fast", False):
        raise ValueError(
            f"{place}: the tokenizer has no fast form, which tells what word a token belongs to; "
            "save one with tokenizer.json"
        )
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):  # transformers makes an empty one
        raise ValueError(f"{place} holds no tokenizer; save it there, with its tokenizer.json")
    return place, config, tokenizer


def load_network(
    place: str,
    kind: str,
    device: str,
    *,
    dtype: str = "float32",
    refuse: Callable[[str, Exception], Exception] | None = None,
    **options: Any,  # noqa: ANN401
) -> tuple[Any, list[str]]:
    """Load a network in evaluation mode, and the names of the weights that its files lack.

    ``place`` is from `open_model`, ``kind`` the class of transformers that loads it, such as
    ``AutoModel``, and ``options`` are for ``from_pretrained``. ``refuse``, `refusal` by default,
    makes the error of one that does not load; without such a device it is a ValueError.
    """
    import torch
    import transformers

    try:
        with _quiet_loading():
            network, told = getattr(transformers, kind).from_pretrained(
                place,
                dtype=getattr(torch, dtype),
                output_loading_info=True,
                **_reading_options(place),
                **options,
            )
    except _odd() as error:
        raise (refuse or refusal)(place, error) from None
    try:
        network = network.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0]}); "
            "device='cpu' always can"
        ) from None
    return network, sorted(told["missing_keys"])


def place_of(source: str | Path) -> str:
    """Return the folder or the hub's name; what can only be a folder has to be there."""
    check_path("a model to load", source, "the folder that it was loaded from")
    path = Path(source).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise FileNotFoundError(f"{path} holds no config.json; is it a model's folder?")
        return str(path)
    text = str(source)
    if isinstance(source, Path) or text.startswith((".", "/", "~")) or text.count("/") > 1:
        raise FileNotFoundError(f"no folder of a model at {path}")
    return text


def _odd() -> tuple[type[Exception], ...]:
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError

    return (*_ODD, StrictDataclassError, SafetensorError)


def _reading_options(place: str) -> dict[str, Any]:
    return {"trust_remote_code": False, "local_files_only": Path(place).is_dir()}


def refusal(place: str, error: Exception) -> Exception:
    """Return the error that says what a failed load means."""
    first = str(error).strip().split("\n")[0][:300] or type(error).__name__
    if "trust_remote_code" in str(error):
        return ValueError(
            f"{place} needs code of its own, and bayesbias never runs a model's code; use a model "
            "of an architecture that transformers has"
        )
    if Path(place).is_dir():
        return ValueError(f"{place} does not load as a model: {first}")
    return FileNotFoundError(
        f"no model {place!r} within reach: it is no folder here, and transformers could not fetch "
        f"it ({first}). Without a network, give a folder that holds config.json, "
        "model.safetensors and tokenizer.json"
    )


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """Keep transformers' bars and remarks away while weights are read."""
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def require_room(place: str, network: Any, tokenizer: Any) -> None:  # noqa: ANN401
    """Raise a ValueError if a tokenizer has tokens that a network has no numbers for."""
    room, n = network.get_input_embeddings().num_embeddings, len(tokenizer)
    if n > room:
        raise ValueError(
            f"{place}: the tokenizer has {n:,} tokens and the model {room:,}; they do not belong "
            "together: take both from one source"
        )


def sees_ahead(network: Any) -> bool:  # noqa: ANN401
    """Return whether what is computed of the first of two tokens depends on the second."""
    import torch

    with torch.inference_mode():
        told = [
            network(input_ids=torch.tensor([[1, 2, last]], device=network.device))[0][0, 0]
            for last in (3, 4)
        ]
    return bool((told[0] - told[1]).abs().max() > AHEAD_TOLERANCE * told[0].float().std())


def longest_input(network: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """Tokens that both the positions and the tokenizer allow, special ones included."""
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length < NO_LIMIT else []
    places = getattr(network.config, "max_position_embeddings", None)
    if places is not None and places > 0:
        limits.append(places - _first_place(network))
    return min(limits, default=NO_LIMIT)


def _first_place(network: Any) -> int:  # noqa: ANN401
    """Where positions are counted from: models of RoBERTa's kind begin after the padding's."""
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            return int(padding) + 1
    return 0
