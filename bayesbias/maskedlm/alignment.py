"""Shared and modified tokens of two paired sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import pandas as pd

from .._core.checks import counted
from .datasets import ROLES
from .language_models import LanguageModel

Places = tuple[int, ...]
"""Token positions in a sentence, or token ids."""

RESERVED = ("mask", "bos", "eos", "cls", "sep")
"""Special tokens that sentences may not contain as text. Others can be ordinary words."""

_SPACES = ("Ġ", "▁")
"""Prefixes that mark a space before a piece, in byte-level BPE and in SentencePiece."""


@dataclass(frozen=True)
class Tokens:
    """The tokens of a sentence, including the special tokens that the model expects.

    ``scored`` contains the positions of tokens that are not special. ``words`` contains the index
    of each token's word (None if special). ``shared`` contains the positions of tokens that also
    occur in the other sentence, and ``modified`` contains the other scored positions.
    """

    ids: Places
    scored: Places
    words: tuple[int | None, ...]
    pieces: tuple[str, ...]
    modified: Places = ()
    shared: Places = ()


def tokenize(model: LanguageModel, sentence: str) -> Tokens:
    """Tokenize a sentence for a model. Sentences of any length are kept whole.

    Sentences that contain a special token, such as [MASK], as text are rejected. For a causal
    model, `first_token` is added before the sentence.
    """
    tokenizer = model.tokenizer
    encoded = tokenizer(
        sentence,
        return_special_tokens_mask=True,
        return_offsets_mapping=True,
        truncation=False,
    )
    ids, special = list(encoded["input_ids"]), list(encoded["special_tokens_mask"])
    words, begin = _words(sentence, encoded), first_token(tokenizer)
    if model.kind == "causal" and begin is not None and ids[:1] != [begin]:
        ids, special, words = [begin, *ids], [1, *special], [None, *words]
    scored = tuple(place for place, is_special in enumerate(special) if not is_special)
    if not scored:
        raise ValueError(f"the tokenizer of {model.name} finds no tokens in {sentence!r:.80}")
    pieces = tuple(map(str, tokenizer.convert_ids_to_tokens(ids)))
    reserved = {getattr(tokenizer, f"{name}_token_id") for name in RESERVED}
    for token, piece in {ids[place]: pieces[place] for place in scored}.items():
        unknown_word = token == tokenizer.unk_token_id and piece not in sentence
        if token in reserved and not unknown_word:
            raise ValueError(
                f"a sentence contains {piece!r}, which is a special token of {model.name}: "
                f"{sentence!r:.80}; remove it or leave the sentence out"
            )
    return Tokens(tuple(ids), scored, tuple(words), pieces)


def require_room(model: LanguageModel, ids: Sequence[int], sentence: str) -> None:
    """Raise a ValueError if a sentence has more tokens than a model accepts."""
    if len(ids) > model.longest:
        raise ValueError(
            f"a sentence has {len(ids)} tokens, but {model.name} accepts at most {model.longest}: "
            f"{sentence!r:.80}; shorten it or leave it out"
        )


def _words(sentence: str, encoded: Any) -> list[int | None]:  # noqa: ANN401
    """Number the tokenizer's words, and divide those that contain blanks.

    To tokenizers such as Gemma's, a sentence is one word. Blanks belong to the word after them.
    """
    ids = encoded.word_ids()
    spans = {word: slice(*encoded.word_to_chars(word)) for word in {*ids} - {None}}
    several = {word for word, span in spans.items() if len(sentence[span].split()) > 1}
    words: list[int | None] = []
    number, last, previous = -1, None, (0, 0)
    for word, (start, stop) in zip(ids, encoded["offset_mapping"], strict=True):
        before, text = sentence[previous[0] : start], sentence[start:stop]
        after_blank = before.strip() != "" and before[-1].isspace()
        same = previous == (start, stop)  # as bytes of one character
        divided = word in several and not same and (after_blank or text[:1].isspace())
        number += word != last or divided
        words.append(None if word is None else number)
        last, previous = word, (start, stop)
    return words


def first_token(tokenizer: Any) -> int | None:  # noqa: ANN401
    """Return the id of the token that precedes a text in a causal model.

    This is the beginning-of-text token or, for tokenizers without one (such as Qwen's), the
    end-of-text token, as in lm-evaluation-harness (``HFLM.prefix_token_id``).
    """
    begin: int | None = tokenizer.bos_token_id
    return tokenizer.eos_token_id if begin is None else begin


def align_pairs(pairs: pd.DataFrame, model: LanguageModel) -> list[tuple[Tokens, Tokens]]:
    """Align all pairs in a frame.

    Raise a ValueError if a sentence is too long, or if a pair's sentences have the same tokens.
    """
    aligned = []
    for sentences in pairs[list(ROLES)].astype(str).itertuples(index=False):
        first, second = (tokenize(model, sentence) for sentence in sentences)
        for tokens, sentence in zip((first, second), sentences, strict=True):
            require_room(model, tokens.ids, sentence)
        aligned.append(_aligned(first, second, model.tokenizer))
    alike = [not (first.modified or second.modified) for first, second in aligned]
    if any(alike):
        raise ValueError(
            f"{model.name}: {counted(sum(alike), 'pair has', 'pairs have')} identical tokens in "
            f"both sentences (for example, {', '.join(pairs['pair_id'][alike][:3])}); fix or "
            "leave out each pair"
        )
    return aligned


def _aligned(first: Tokens, second: Tokens, tokenizer: Any) -> tuple[Tokens, Tokens]:  # noqa: ANN401
    """Align two sentences by the longest matching blocks of ids, as CrowS-Pairs' code does."""
    one, other = _keys(first, tokenizer), _keys(second, tokenizer)
    blocks = SequenceMatcher[int](None, one, other, autojunk=False).get_matching_blocks()
    spans = []
    for side, tokens in enumerate((first, second)):
        matched = {p for block in blocks for p in range(block[side], block[side] + block.size)}
        modified = tuple(place for place in tokens.scored if place not in matched)
        shared = tuple(place for place in tokens.scored if place in matched)
        spans.append(replace(tokens, modified=modified, shared=shared))
    return spans[0], spans[1]


def _keys(tokens: Tokens, tokenizer: Any) -> list[int]:  # noqa: ANN401
    """Return the ids of tokens, treating the first word as if a space preceded it."""
    keys, start = list(tokens.ids), tokens.scored[0]
    piece, unknown = tokens.pieces[start], tokenizer.unk_token_id
    for space in _SPACES:
        if not piece.startswith(space):
            spaced = tokenizer.convert_tokens_to_ids(space + piece)
            keys[start] = keys[start] if spaced in {None, unknown} else int(spaced)
    return keys
