"""Real language models that differ: one, after an epoch on either half of StereoSet.

`scripts/calibrate_pairs.py` compares them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpy.random import Generator, default_rng

from bayesbias._core.files import replace_folder
from bayesbias.maskedlm import ROLES, LanguageModel, load_language_model, read_pairs

PARTS = ("intrasentence", "intersentence")

MASKED = 0.15
"""Share of the tokens that are asked for (Devlin et al., 2019, section 3.1); all are masked."""

BATCH, RATE, SEED = 32, 5e-4, 1

IGNORED = -100
"""Label of tokens that are not asked for, in torch."""


def fine_tuned(source: Path, stereoset: Path, folder: Path) -> Iterator[LanguageModel]:
    """Yield a masked model after an epoch of StereoSet's stereotypes, and of its anti-stereotypes.

    An epoch is all sentences of that role, of both parts. A model that is in the folder is loaded.
    """
    for role in ROLES:
        place = folder / f"{source.name}-{role}"
        if not (place / "config.json").is_file():
            parts = [read_pairs(stereoset, "stereoset", part=part)[role] for part in PARTS]
            model = load_language_model(source)
            train(model, [sentence for part in parts for sentence in part])
            with replace_folder(place) as temporary:
                model.network.save_pretrained(temporary)
                model.tokenizer.save_pretrained(temporary)
        yield load_language_model(place)


def train(model: LanguageModel, sentences: list[str]) -> None:
    """Train a masked model on every sentence once, in place."""
    import torch

    rng = default_rng(SEED)
    torch.manual_seed(SEED)  # of dropout
    order = rng.permutation(len(sentences))
    optimiser = torch.optim.AdamW(model.network.parameters(), lr=RATE)
    model.network.train()
    for start in range(0, len(order), BATCH):
        chosen = [sentences[at] for at in order[start : start + BATCH]]
        optimiser.zero_grad()
        model.network(**masked(model.tokenizer, chosen, rng)).loss.backward()
        optimiser.step()
    model.network.eval()


def masked(tokenizer: Any, sentences: list[str], rng: Generator) -> dict[str, Any]:  # noqa: ANN401
    """Return a batch with some tokens masked, and these for labels; special ones never are."""
    import torch

    batch = dict(
        tokenizer(sentences, padding=True, return_special_tokens_mask=True, return_tensors="pt")
    )
    special = batch.pop("special_tokens_mask").bool()
    chosen = torch.from_numpy(rng.uniform(size=special.shape) < MASKED) & ~special
    labels = torch.where(chosen, batch["input_ids"], IGNORED)
    batch["input_ids"] = torch.where(chosen, tokenizer.mask_token_id, batch["input_ids"])
    return batch | {"labels": labels}
