"""What is the same for every model that transformers loads: where it is, how it is read, its room.

Code that comes with a model is never run: `reading_options` go into every ``from_pretrained``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NEEDS_EXTRA = "language models need torch and transformers: pip install 'bayesbias[mlm]'"

NO_LIMIT = 10**9
"""Tokenizers without a limit of their own name a number far above this one."""


def require_extra() -> None:
    """Raise an ImportError that says what to install, if torch or transformers is missing."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise ImportError(f"{NEEDS_EXTRA} ({package} is missing)")


def place_of(source: str | Path) -> str:
    """Give the folder or the hub's name; what can only be a folder has to be there.

    Raises
    ------
    FileNotFoundError
        If a path leads to no folder, or to one without ``config.json``.
    """
    path = Path(source).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise FileNotFoundError(f"{path} holds no config.json; is it a model's folder?")
        return str(path)
    text = str(source)
    if isinstance(source, Path) or text.startswith((".", "/", "~")) or text.count("/") > 1:
        raise FileNotFoundError(f"no folder of a model at {path}")
    return text


def reading_options(place: str) -> dict[str, Any]:
    """Options of every ``from_pretrained``: no code of the model's, and no network for a folder."""
    return {"trust_remote_code": False, "local_files_only": Path(place).is_dir()}


def config_and_tokenizer(place: str) -> tuple[Any, Any]:
    """Read the configuration and the fast tokenizer of a model.

    Raises
    ------
    FileNotFoundError
        If there is no such model within reach.
    ValueError
        If the folder holds no model, it needs code of its own, or its tokenizer is not fast.
    """
    from transformers import AutoConfig, AutoTokenizer

    options = reading_options(place)
    try:
        config = AutoConfig.from_pretrained(place, **options)
        tokenizer = AutoTokenizer.from_pretrained(place, use_fast=True, **options)
    except (OSError, ValueError) as error:
        raise refusal(place, error) from None
    if not getattr(tokenizer, "is_fast", False):
        raise ValueError(
            f"{place}: the tokenizer has no fast form, which tells what word a token belongs to; "
            "save one with tokenizer.json"
        )
    return config, tokenizer


def refusal(place: str, error: Exception) -> Exception:
    """Say what a failed load means."""
    first = str(error).strip().split("\n")[0]
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
def quiet_loading() -> Iterator[None]:
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


def placed(network: Any, device: str) -> Any:  # noqa: ANN401
    """Put a network where it shall compute, in evaluation mode.

    Raises
    ------
    ValueError
        If there is no such device.
    """
    try:
        return network.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        raise ValueError(
            f"device {device!r} cannot be used here ({str(error).splitlines()[0]}); "
            "device='cpu' always can"
        ) from None


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
