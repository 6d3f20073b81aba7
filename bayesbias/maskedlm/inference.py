"""Asking a model: questions of like length together, and only for the tokens that matter.

The last layer of a language model, hidden numbers to the whole vocabulary, is often its dearest
part, and a masked version of a sentence needs it at one place. It gets only those places here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.arrays import FloatArray
from .language_models import LanguageModel
from .questions import Answers, Masks, Questions

if TYPE_CHECKING:
    import torch

LOGITS_AT_ONCE = 256
"""Tokens whose log probabilities over the whole vocabulary are held together: 31 MB for BERT."""

Question = tuple[Masks, Masks, tuple[int, ...]]
"""Token ids, masked positions, asked positions."""


def ask(model: LanguageModel, questions: Questions, batch_size: int) -> Answers:
    """Answer questions in batches of like length."""
    log_probs: dict[tuple[Masks, Masks, int], float] = {}
    attention: dict[Masks, FloatArray] = {}
    pending = [(*asked, tuple(sorted(places))) for asked, places in questions.asked.items()]
    pending.sort(key=lambda question: (len(question[0]), len(question[2])))
    for batch in _batches(pending, batch_size):
        wanted = [q[0] for q in batch if not q[1] and q[0] in questions.attention]
        values, weights = _answer(model, batch, attention=bool(wanted))
        keys = [(ids, masked, at) for ids, masked, places in batch for at in places]
        log_probs.update(zip(keys, values, strict=True))
        attention.update(
            {q[0]: weights[i] for i, q in enumerate(batch) if weights is not None and not q[1]}
        )
    return Answers(log_probs, attention)


def _batches(pending: Sequence[Question], batch_size: int) -> Iterator[list[Question]]:
    batch: list[Question] = []
    asked = 0
    for question in pending:
        full = len(batch) == batch_size or asked + len(question[2]) > LOGITS_AT_ONCE
        if batch and full:
            yield batch
            batch, asked = [], 0
        batch.append(question)
        asked += len(question[2])
    if batch:
        yield batch


def _answer(
    model: LanguageModel, batch: Sequence[Question], *, attention: bool
) -> tuple[list[float], list[FloatArray] | None]:
    """Log probabilities of the asked tokens, and what attention each token gets."""
    import torch

    ids, real = _padded(model, [sentence for sentence, _, _ in batch])
    places = [(row, at) for row, (_, _, asked) in enumerate(batch) for at in asked]
    targets = [int(ids[place]) for place in places]  # before masking
    before = 1 if model.kind == "causal" else 0
    for row, (_, masked, _) in enumerate(batch):
        ids[row, list(masked)] = model.tokenizer.mask_token_id or 0
    device = model.device
    at = torch.tensor([(row, column - before) for row, column in places], device=device).T
    with torch.inference_mode(), _head_at(model, at) as heard:
        out = model.network(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=torch.from_numpy(real).to(device),
            output_attentions=attention,
        )
        logits = out.logits if heard else out.logits[at[0], at[1]]
        wanted = torch.tensor(targets, device=device)[:, None]
        chosen = logits.float().log_softmax(-1).gather(1, wanted)[:, 0]
        weights = _attention_got(out.attentions, real) if attention else None
    return chosen.double().cpu().tolist(), weights


def _padded(
    model: LanguageModel, sentences: Sequence[tuple[int, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and what of them is real, (n_sentences, longest), padded on the right."""
    longest = max(map(len, sentences))
    padding = model.tokenizer.pad_token_id
    ids = np.full((len(sentences), longest), 0 if padding is None else padding, dtype=np.int64)
    real = np.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        real[row, : len(sentence)] = 1
    return ids, real


@contextmanager
def _head_at(model: LanguageModel, at: torch.Tensor) -> Iterator[list[bool]]:
    """Let the output layer see the asked places only; the list is empty if it was not passed."""
    heard: list[bool] = []
    head = model.network.get_output_embeddings()

    def only(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        heard.append(True)
        return (inputs[0][at[0], at[1]], *inputs[1:])

    handle = head.register_forward_pre_hook(only) if head is not None else None
    try:
        yield heard
    finally:
        if handle is not None:
            handle.remove()


def _attention_got(layers: Sequence[torch.Tensor], real: np.ndarray) -> list[FloatArray]:
    """Attention that each token gets, averaged over layers, heads and the tokens that give it."""
    import torch

    mean = torch.stack([layer.float().mean(dim=1) for layer in layers]).mean(dim=0)
    mean = mean.double().cpu()
    lengths = real.sum(axis=1)
    return [
        np.asarray(mean[row, :length, :length].mean(dim=0))
        for row, length in enumerate(lengths.tolist())
    ]
