"""Small language models with random weights, and tokenizers that mark spaces before pieces."""

from pathlib import Path
from typing import Any

import numpy as np

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
SMALL |= {"intermediate_size": 64, "pad_token_id": 1}
"""Sizes of a masked model. Padding is the second special token."""

GEMMA3 = {
    "text_config": {
        **{"vocab_size": 400, "hidden_size": 32, "intermediate_size": 64, "head_dim": 16},
        **{"num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2},
        **{"max_position_embeddings": 40, "sliding_window": 32},
    },
    "vision_config": {
        **{"hidden_size": 32, "intermediate_size": 64, "image_size": 28, "patch_size": 14},
        **{"num_hidden_layers": 1, "num_attention_heads": 2},
    },
    "mm_tokens_per_image": 4,
}
"""Sizes of a model that also reads images."""

SPECIAL = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
SPECIAL |= {"mask_token": "<mask>"}


def byte_level() -> Any:
    """A byte-level BPE tokenizer."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import RobertaProcessing
    from transformers import PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer()
    text = ["John is old and John is tall", "Women are kind and women are tall", "very kind John"]
    names = [*SPECIAL.values()]
    trained.train_from_iterator(text * 20, vocab_size=400, min_frequency=2, special_tokens=names)
    backend = trained._tokenizer
    backend.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    ends = {"cls_token": "<s>", "sep_token": "</s>"}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **SPECIAL, **ends)


def unigram() -> Any:
    """Return a unigram model of pieces, like SentencePiece's."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    pieces = "_John _is _old _tall _Wo men _are _kind _ve ry _and".replace("_", "\u2581").split()
    known = [(piece, -2.0) for piece in pieces] + [(letter, -6.0) for letter in "\u2581abcdefghi"]
    backend = Tokenizer(Unigram([*((name, 0.0) for name in SPECIAL.values()), *known], unk_id=3))
    backend.pre_tokenizer = Metaspace()
    ends = [("<s>", 0), ("</s>", 2)]
    backend.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return PreTrainedTokenizerFast(tokenizer_object=backend, **SPECIAL)


def made_model(place: Path, tokenizer: Any, kind: str, head: str, **settings: Any) -> Path:
    """Save a model with its tokenizer. NumPy draws the weights, so they are the same everywhere."""
    import torch
    import transformers

    sizes = {"vocab_size": len(tokenizer), "bos_token_id": 0, "eos_token_id": 2} | settings
    network = getattr(transformers, kind + head)(getattr(transformers, f"{kind}Config")(**sizes))
    rng = np.random.default_rng(1)
    with torch.no_grad():
        for _, weights in sorted(network.named_parameters()):
            weights.copy_(torch.tensor(0.5 * rng.standard_normal(tuple(weights.shape))))
    network.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place
