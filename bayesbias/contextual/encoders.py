"""Loading an encoder: of Hugging Face's form, or a folder of sentence-transformers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .._core.reading import read_json
from .._core.transformer_files import load_transformer, longest_input, sees_ahead

_POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}
"""How a sentence's vector comes from those of its tokens, by the key that is on."""

_STEPS = ("Transformer", "Pooling", "Normalize")
"""Steps of sentence-transformers that are understood; the last does not change a cosine."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """A contextual encoder with its tokenizer.

    Parameters
    ----------
    name : str
        What tables and reports call it.
    network : transformers.PreTrainedModel
        In evaluation mode, without a head.
    tokenizer : transformers.PreTrainedTokenizerFast
    longest : int
        The largest number of tokens that it takes, special tokens included.
    sentence_pooling : {"mean", "cls", "max"}
        How a sentence's vector comes from those of its tokens.
    lower_case : bool
        Whether the folder asks for text in lower case, before the tokenizer.
    """

    name: str
    network: Any
    tokenizer: Any
    longest: int
    sentence_pooling: str = "mean"
    lower_case: bool = False

    @cached_property
    def is_causal(self) -> bool:
        """Whether a token only knows those before it."""
        return not sees_ahead(self.network)


def load_encoder(source: str | Path | Encoder, *, device: str = "cpu") -> Encoder:
    """Load an encoder from a local folder, or by name from the Hugging Face hub.

    Parameters
    ----------
    source : str, Path or Encoder
        A folder with config.json, model.safetensors and tokenizer.json, and the files of
        sentence-transformers if it has any; or a name of the hub, which transformers reads from its
        cache or fetches. Code that comes with a model never runs, and weights in a pickle are not
        read.
    device : str
        In torch's notation.

    Raises
    ------
    ImportError
        If the extra ``mlm`` is not installed.
    FileNotFoundError
        If there is no such model within reach.
    ValueError
        If the folder is not an encoder, or needs steps or code that are not understood.
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
            f"{place} lacks weights of its architecture ({', '.join(lacking[:3])}), which would "
            "be random numbers; give a folder with all of them"
        )
    folder, longest = Path(place), longest_input(network, tokenizer)
    settings = _settings(folder / "sentence_bert_config.json")
    limit = settings.get("max_seq_length") or longest
    if not isinstance(limit, int):
        raise ValueError(f"{folder / 'sentence_bert_config.json'}: max_seq_length is no number")
    return Encoder(
        name=folder.absolute().name if folder.is_dir() else place,
        network=network,
        tokenizer=tokenizer,
        longest=min(limit, longest),
        sentence_pooling=_pooling(folder),
        lower_case=bool(settings.get("do_lower_case", False)),
    )


def _pooling(folder: Path) -> str:
    """Return how a folder of sentence-transformers pools; the mean for any other folder."""
    pooling = "mean"
    for step in _settings(folder / "modules.json", list):
        kind = str(step.get("type", "")).rsplit(".", 1)[-1]
        if kind not in _STEPS:
            raise ValueError(
                f"{folder / 'modules.json'} has a step {kind!r}; understood are "
                f"{', '.join(_STEPS)}. pooling='word' of the folder without modules.json works"
            )
        if kind == "Pooling":
            path = folder / str(step.get("path", "")) / "config.json"
            settings = _settings(path).items()
            modes = [key for key, on in settings if key.startswith("pooling_mode") and on is True]
            if len(modes) != 1 or modes[0] not in _POOLINGS:
                raise ValueError(
                    f"{path} pools by {', '.join(modes) or 'nothing'}; understood is one of "
                    f"{', '.join(_POOLINGS)}"
                )
            pooling = _POOLINGS[modes[0]]
    return pooling


def _settings(path: Path, kind: type = dict) -> Any:  # noqa: ANN401
    """Read a file; one that is absent, as for models of the hub, counts as empty."""
    content = read_json(path) if path.is_file() else kind()
    steps = content if kind is list and isinstance(content, list) else []
    if not isinstance(content, kind) or not all(isinstance(step, dict) for step in steps):
        raise ValueError(f"{path} holds no settings of sentence-transformers")
    return content
