"""Inference with a language model, in batches and only for the necessary tokens.

The last layer of a language model, from hidden states to the whole vocabulary, is often its most
expensive part. A masked sentence needs this layer at only one or a few positions, so the layer is
applied only at these positions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.arrays import FloatArray
from .alignment import Places
from .language_models import LanguageModel

if TYPE_CHECKING:
    import torch

LOGITS_AT_ONCE = 256
"""Maximum number of tokens with log probabilities in memory (31 MB for BERT's vocabulary)."""

Asked = tuple[Places, Places, int]
"""A sentence's token ids, its masked positions, and the one requested position."""

Question = tuple[Places, Places, Places]
"""A sentence's token ids, its masked positions, and the requested positions."""

Answers = tuple[dict[Asked, float], dict[Places, FloatArray]]
"""The requested log probabilities, and the attention in each sentence, keyed by token ids."""


def ask(
    model: LanguageModel,
    asked: Iterable[Asked],
    batch_size: int,
    attention_of: Collection[Places] = (),
) -> Answers:
    """Compute the requested log probabilities and attention in batches of similar sentence length.

    ``attention_of`` contains the sentences whose attention is needed. They are not masked.
    """
    log_probs: dict[Asked, float] = {}
    attention: dict[Places, FloatArray] = {}
    questions: dict[tuple[Places, Places], set[int]] = {}
    for ids, masked, place in asked:
        questions.setdefault((ids, masked), set()).add(place)
    pending = [(*both, tuple(sorted(places))) for both, places in questions.items()]
    pending.sort(key=lambda question: (len(question[0]), len(question[2])))
    for batch in _batches(pending, batch_size):
        weighed = any(not masked and ids in attention_of for ids, masked, _ in batch)
        values, weights = _answer(model, batch, attention=weighed)
        keys = [(ids, masked, place) for ids, masked, places in batch for place in places]
        log_probs.update(zip(keys, values, strict=True))
        for (ids, masked, _), weight in zip(batch, weights, strict=False):
            if not masked:
                attention[ids] = weight
    return log_probs, attention


def _batches(pending: Sequence[Question], batch_size: int) -> Iterator[list[Question]]:
    batch: list[Question] = []
    n_asked = 0
    for question in pending:
        full = len(batch) == batch_size or n_asked + len(question[2]) > LOGITS_AT_ONCE
        if batch and full:
            yield batch
            batch, n_asked = [], 0
        batch.append(question)
        n_asked += len(question[2])
    if batch:
        yield batch


def _answer(
    model: LanguageModel, batch: Sequence[Question], *, attention: bool
) -> tuple[list[float], list[FloatArray]]:
    """Return the log probability of each requested token and, on request, attention to tokens."""
    import torch

    lengths = [len(sentence) for sentence, _, _ in batch]
    ids = np.full((len(batch), max(lengths)), model.tokenizer.pad_token_id or 0, dtype=np.int64)
    real = (np.arange(max(lengths)) < np.array(lengths)[:, None]).astype(np.int64)
    for row, (sentence, _, _) in enumerate(batch):
        ids[row, : len(sentence)] = sentence
    places = [(row, place) for row, (_, _, asked) in enumerate(batch) for place in asked]
    targets = [int(ids[place]) for place in places]  # before masking
    before = 1 if model.kind == "causal" else 0
    for row, (_, masked, _) in enumerate(batch):
        ids[row, list(masked)] = model.tokenizer.mask_token_id or 0
    device = model.network.device
    where = torch.tensor([(row, column - before) for row, column in places], device=device).T
    with torch.inference_mode(), _head_at(model, where) as heard:
        out = model.network(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=torch.from_numpy(real).to(device),
            output_attentions=attention,
        )
        logits = out.logits if heard else out.logits[where[0], where[1]]
        wanted = torch.tensor(targets, device=device)[:, None]
        chosen = logits.float().log_softmax(-1).gather(1, wanted)[:, 0]
        weights: list[FloatArray] = []
        if attention:  # averaged over layers, heads, and attending tokens
            mean = torch.stack([layer.float().mean(dim=1) for layer in out.attentions]).mean(dim=0)
            sentences = zip(mean.double().cpu().numpy(), lengths, strict=True)
            weights = [given[:length, :length].mean(axis=0) for given, length in sentences]
    return chosen.double().cpu().tolist(), weights


@contextmanager
def _head_at(model: LanguageModel, where: torch.Tensor) -> Iterator[list[bool]]:
    """Apply the output layer only to requested positions. If it never runs, the list is empty."""
    heard: list[bool] = []
    head = model.network.get_output_embeddings()

    def only(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        heard.append(True)
        return (inputs[0][where[0], where[1]], *inputs[1:])

    handle = head.register_forward_pre_hook(only) if head is not None else None
    try:
        yield heard
    finally:
        if handle is not None:
            handle.remove()
