"""Inference with a language model, in batches and only for the necessary tokens.

The last layer of a language model, from hidden states to the whole vocabulary, is often its most
expensive part. A masked sentence needs this layer at only one or a few positions, so the layer is
applied only at these positions. Under a causal model, the tokens that both sentences of a pair
begin with are computed once: both sentences are in one row, and a mask keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.arrays import FloatArray
from .._core.transformer_files import (
    attention_mask,
    giving_attention,
    packed,
    token_attention,
)
from .alignment import Places
from .language_models import LanguageModel

if TYPE_CHECKING:
    import torch

LOGITS_AT_ONCE = 256
"""Maximum number of tokens with log probabilities in memory (31 MB for BERT's vocabulary)."""

WORTH_SHARING = 2
"""Smallest number of common first tokens that are computed once for two sentences."""

NO_ATTENTION = (
    "{model} does not return the attention of each token to each token, which the measure 'aula' "
    "needs; use other measures"
)

Asked = tuple[Places, Places, int]
"""A sentence's token ids, its masked positions, and the one requested position."""

Question = tuple[Places, Places, Places]
"""A sentence's token ids, its masked positions, and the requested positions."""

Answers = tuple[dict[Asked, float], dict[Places, FloatArray]]
"""The requested log probabilities, and the attention in each sentence, keyed by token ids."""


class Pair(NamedTuple):
    """Two questions to a causal model whose sentences have the same first `n_shared` tokens."""

    first: Question
    second: Question
    n_shared: int

    @property
    def n_tokens(self) -> int:
        """Number of tokens, counting the common ones once."""
        return len(self.first[0]) + len(self.second[0]) - self.n_shared


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
    if model.packs:
        pairs, pending = _paired(pending, model.window)
        pairs.sort(key=lambda pair: pair.n_tokens)
        for some in _batches(pairs, max(batch_size // 2, 1), lambda pair: pair.n_tokens):
            log_probs |= _answer_pairs(model, some)
    pending.sort(key=lambda question: (len(question[0]), len(question[2])))
    for batch in _padded_batches(model, pending, batch_size):
        weighed = any(not masked and ids in attention_of for ids, masked, _ in batch)
        values, weights = _answer(model, batch, attention=weighed)
        keys = [(ids, masked, place) for ids, masked, places in batch for place in places]
        log_probs.update(zip(keys, values, strict=True))
        for (ids, masked, _), weight in zip(batch, weights, strict=False):
            if not masked:
                attention[ids] = weight
    return log_probs, attention


def in_order(model: LanguageModel, sentences: Iterable[Places]) -> list[Places]:
    """Return sentences by length; for a causal model, those with a common beginning together."""
    if model.kind != "causal":
        return sorted(sentences, key=len)
    pairs, single = _paired([(ids, (), ()) for ids in sentences], model.window)
    units = [(pair.first[0], pair.second[0]) for pair in pairs] + [(one[0],) for one in single]
    return [ids for unit in sorted(units, key=lambda unit: len(unit[0])) for ids in unit]


def _paired(questions: Iterable[Question], longest: int) -> tuple[list[Pair], list[Question]]:
    """Pair the questions whose sentences begin alike; also return the other questions.

    A pair must have at most `longest` tokens in a row, counting the common ones once.
    """
    ordered = sorted(questions)
    common = [_n_common(one[0], other[0], longest) for one, other in pairwise(ordered)]
    common += [0, 0]
    pairs, single, place = [], [], 0
    while place < len(ordered):
        if common[place] >= max(WORTH_SHARING, common[place + 1]):
            pairs.append(Pair(ordered[place], ordered[place + 1], common[place]))
            place += 2
        else:
            single.append(ordered[place])
            place += 1
    return pairs, single


def _n_common(one: Places, other: Places, longest: int) -> int:
    """Return the number of common first tokens, or 0 if the row of both sentences is too long.

    Each sentence keeps a token of its own.
    """
    same = takewhile(lambda both: both[0] == both[1], zip(one[:-1], other[:-1], strict=False))
    n_same = sum(1 for _ in same)
    return n_same if len(one) + len(other) - n_same <= longest else 0


def _padded_batches(
    model: LanguageModel, questions: Sequence[Question], size: int
) -> Iterator[list[Question]]:
    """Yield batches of questions; they are about sentences of one length if padding matters."""
    runs = [questions]
    if model.sees_padding:
        runs = [list(run) for _, run in groupby(questions, lambda question: len(question[0]))]
    for run in runs:
        yield from _batches(run, size, lambda question: len(question[2]))


def _batches[T](pending: Sequence[T], size: int, n_asked: Callable[[T], int]) -> Iterator[list[T]]:
    batch: list[T] = []
    total = 0
    for question in pending:
        if batch and (len(batch) == size or total + n_asked(question) > LOGITS_AT_ONCE):
            yield batch
            batch, total = [], 0
        batch.append(question)
        total += n_asked(question)
    if batch:
        yield batch


def _answer(
    model: LanguageModel, batch: Sequence[Question], *, attention: bool
) -> tuple[list[float], list[FloatArray]]:
    """Return the log probability of each requested token and, on request, attention to tokens."""
    lengths = [len(sentence) for sentence, _, _ in batch]
    ids, real = _padded(model, [sentence for sentence, _, _ in batch])
    before = 1 if model.kind == "causal" else 0
    wanted = [
        (row, place - before, sentence[place])
        for row, (sentence, _, asked) in enumerate(batch)
        for place in asked
    ]
    for row, (_, masked, _) in enumerate(batch):
        ids[row, list(masked)] = model.tokenizer.mask_token_id or 0
    with giving_attention(model.network, wanted=attention):
        values, out = _run(model, wanted, ids, real, output_attentions=attention)
    if not attention:
        return values, []
    given = token_attention(out.attentions, lengths)
    if given is None:
        raise ValueError(NO_ATTENTION.format(model=model.name))
    return values, [weights.mean(axis=0) for weights in given]  # the mean of attending tokens


def _answer_pairs(model: LanguageModel, pairs: Sequence[Pair]) -> dict[Asked, float]:
    """Return the log probabilities of requested tokens, with each pair in one row of a batch.

    A row has the common beginning, the rest of the first sentence, and that of the second one.
    """
    ids, _ = _padded(model, [pair.first[0] + pair.second[0][pair.n_shared :] for pair in pairs])
    lengths = np.array([(pair.n_shared, len(pair.first[0])) for pair in pairs])
    positions, visible = packed(lengths[:, 0], lengths[:, 1], ids.shape[1])
    wanted: dict[Asked, tuple[int, int, int]] = {}
    for row, pair in enumerate(pairs):
        moved = len(pair.first[0]) - pair.n_shared
        for side, (sentence, masked, places) in enumerate((pair.first, pair.second)):
            for place in places:
                column = place - 1 + (moved if side and place > pair.n_shared else 0)
                wanted[sentence, masked, place] = (row, column, sentence[place])
    unique = list(dict.fromkeys(wanted.values()))
    values, _ = _run(model, unique, ids, visible, position_ids=positions)
    found = dict(zip(unique, values, strict=True))
    return {key: found[place] for key, place in wanted.items()}


def _padded(model: LanguageModel, sentences: Sequence[Places]) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of sentences, padded to one length, and which of them are real."""
    width = max(map(len, sentences))
    ids = np.full((len(sentences), width), model.tokenizer.pad_token_id or 0, dtype=np.int64)
    real = np.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)], real[row, : len(sentence)] = sentence, 1
    return ids, real


def _run(
    model: LanguageModel,
    wanted: Sequence[tuple[int, int, int]],
    ids: np.ndarray,
    seen: np.ndarray,
    **options: Any,  # noqa: ANN401
) -> tuple[list[float], Any]:
    """Return log probabilities of (row, column, token), and the output of the network.

    `seen` contains the real tokens or, if it is Boolean, the tokens that each token attends to.
    """
    import torch

    device = model.network.device
    options = {
        name: torch.from_numpy(value).to(device) if isinstance(value, np.ndarray) else value
        for name, value in options.items()
    }
    mask = torch.from_numpy(seen).to(device)
    if seen.dtype == bool:
        mask = attention_mask(mask, model.network.dtype)
    rows, columns, tokens = np.array(wanted, dtype=np.int64).reshape(-1, 3).T
    where = torch.tensor(np.stack([rows, columns]), device=device)
    with torch.inference_mode(), _head_at(model, where) as heard:
        out = model.network(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=mask,
            **options,
        )
        logits = out.logits if heard else out.logits[where[0], where[1]]
        target = torch.tensor(tokens, device=device)[:, None]
        chosen = logits.float().log_softmax(-1).gather(1, target)[:, 0]
    return chosen.double().cpu().tolist(), out


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
