"""Which tokens of two paired sentences are shared, and which were modified."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import pandas as pd

from .datasets import PAIR_LABELS, ROLES, validate_pairs

if TYPE_CHECKING:
    from .language_models import LanguageModel

SPAN_COLUMNS = ["role", "sentence", "tokens", "n_tokens", "modified", "shared"]

_SPACES = ("Ġ", "▁")
"""What tokenizers write for a space before a piece: byte-level BPE, and SentencePiece."""


@dataclass(frozen=True)
class Tokens:
    """A sentence as a tokenizer reads it, with the special tokens that the model expects.

    ``scored`` are the positions that are not special, ``words`` the word of each token or None.
    """

    ids: tuple[int, ...]
    scored: tuple[int, ...]
    words: tuple[int | None, ...]
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Spans:
    """Positions of the tokens of one sentence that the other has too, and of those it has not."""

    modified: tuple[int, ...]
    shared: tuple[int, ...]


def tokenize(model: LanguageModel, sentence: str) -> Tokens:
    """Read a sentence with a model's tokenizer; it is never truncated, but refused if too long.

    What a causal model reads before its first token is the token that begins texts; where the
    tokenizer has none, as those of the Qwen family, the one that ends them, as in
    lm-evaluation-harness (``HFLM.prefix_token_id``).
    """
    encoded = model.tokenizer(sentence, return_special_tokens_mask=True, truncation=False)
    ids, special = list(encoded["input_ids"]), list(encoded["special_tokens_mask"])
    words = list(encoded.word_ids())
    begin = model.tokenizer.bos_token_id
    if begin is None:
        begin = model.tokenizer.eos_token_id
    if model.kind == "causal" and begin is not None and ids[:1] != [begin]:
        ids, special, words = [begin, *ids], [1, *special], [None, *words]
    scored = tuple(place for place, is_special in enumerate(special) if not is_special)
    if not scored:
        raise ValueError(f"the tokenizer of {model.name} finds no token in {sentence!r:.80}")
    own = set(model.tokenizer.all_special_ids) - {model.tokenizer.unk_token_id}
    for place in scored:
        if ids[place] in own:
            token = model.tokenizer.convert_ids_to_tokens(ids[place])
            raise ValueError(
                f"a sentence holds {token!r}, which is a token of its own to {model.name}: "
                f"{sentence!r:.80}; write it otherwise, or leave its pair out"
            )
    if len(ids) > model.longest:
        raise ValueError(
            f"a sentence has {len(ids)} tokens and {model.name} reads at most {model.longest}: "
            f"{sentence!r:.80}; shorten it or leave its pair out, nothing is cut off silently"
        )
    pieces = model.tokenizer.convert_ids_to_tokens(ids)
    return Tokens(tuple(ids), scored, tuple(words), tuple(map(str, pieces)))


def align(first: Tokens, second: Tokens, tokenizer: Any) -> tuple[Spans, Spans]:  # noqa: ANN401
    """Align two sentences token by token, by the longest matching blocks of ids.

    As in the code of CrowS-Pairs and of Kaneko and Bollegala (2022), with two differences: long
    sentences are aligned like short ones (difflib's shortcut from 200 tokens on is off), and the
    first word counts as the same whether or not a space stands before it.
    """
    one, other = (_keys(tokens, tokenizer) for tokens in (first, second))
    matcher = SequenceMatcher[int](None, one, other, autojunk=False)
    places: list[set[int]] = [set(), set()]
    for start, partner, size in matcher.get_matching_blocks():
        places[0].update(range(start, start + size))
        places[1].update(range(partner, partner + size))
    return _spans(first, places[0]), _spans(second, places[1])


def _keys(tokens: Tokens, tokenizer: Any) -> list[int]:  # noqa: ANN401
    keys, start = list(tokens.ids), tokens.scored[0]
    piece, unknown = tokens.pieces[start], tokenizer.unk_token_id
    for space in _SPACES:
        if not piece.startswith(space):
            spaced = tokenizer.convert_tokens_to_ids(space + piece)
            keys[start] = keys[start] if spaced in {None, unknown} else int(spaced)
    return keys


def _spans(tokens: Tokens, matched: set[int]) -> Spans:
    return Spans(
        modified=tuple(place for place in tokens.scored if place not in matched),
        shared=tuple(place for place in tokens.scored if place in matched),
    )


Aligned = tuple[tuple[Tokens, Spans], tuple[Tokens, Spans]]
"""Both sentences of a pair as tokens, with their spans, in the order of ``ROLES``."""


def align_pairs(pairs: pd.DataFrame, model: LanguageModel) -> list[Aligned]:
    """Align all pairs of a frame; a ValueError names those that are read alike."""
    aligned: list[Aligned] = []
    alike: list[str] = []
    for pair_id, *sentences in pairs[["pair_id", *ROLES]].itertuples(index=False):
        first, second = (tokenize(model, str(sentence)) for sentence in sentences)
        spans = align(first, second, model.tokenizer)
        if not any(each.modified for each in spans):
            alike.append(str(pair_id))
        aligned.append(((first, spans[0]), (second, spans[1])))
    if alike:
        raise ValueError(
            f"{model.name}: the sentences of {len(alike)} pair(s) are the same to its tokenizer, "
            f"first {', '.join(alike[:3])}; fix these pairs or leave them out"
        )
    return aligned


def token_spans(pairs: pd.DataFrame, model: LanguageModel) -> pd.DataFrame:
    """Return the tokens of every sentence, and which of them its partner shares.

    Parameters
    ----------
    pairs : DataFrame
        From `read_pairs`.
    model : LanguageModel
        From `load_language_model`; only its tokenizer is used.

    Returns
    -------
    DataFrame
        One row a sentence: ``pair_id``, ``bias_type``, ``direction``, ``role`` (stereotypical or
        anti_stereotypical), ``sentence``, ``tokens``, ``n_tokens`` (special ones left out),
        ``modified`` and ``shared``: positions in ``tokens``.

    Raises
    ------
    ValueError
        If a sentence is too long for the model, or the sentences of a pair do not align.
    """
    pairs = validate_pairs(pairs)
    rows = [
        (*labels, role, sentence, tokens.pieces, len(tokens.scored), spans.modified, spans.shared)
        for (*labels, first, second), pair in zip(
            pairs.itertuples(index=False), align_pairs(pairs, model), strict=True
        )
        for role, sentence, (tokens, spans) in zip(ROLES, (first, second), pair, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*PAIR_LABELS, *SPAN_COLUMNS])
