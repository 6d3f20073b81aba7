"""Vectors of words in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core.checks import check_choice, check_labels, check_listed, check_numbers, is_whole
from .._core.display import abridged, progress_bar
from .._core.warnings import warn
from ..tables.spellings import FORM
from ..warnings import ContextIgnored
from .encoders import Encoder, load_encoder
from .sentences import PLACE, Sentence, load_templates, natural_sentence, sentence

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

POOLINGS = ("word", "sentence", "cls", "last")
"""Sources of a word's vector: the word's own tokens, the whole sentence, or one token."""

BATCH_SIZE = 64
"""Number of sentences encoded together."""

Arrays = NDArray[np.float32]

type Tokens = Mapping[str, Sequence[Any]]
"""What a tokenizer returns for each sentence, keyed by name, such as ``input_ids``."""


@dataclass(frozen=True, eq=False)
class ContextualVectors:
    """Vectors of words in contexts; see `contextual_vectors`.

    ``vectors`` has shape (n_words, n_contexts, n_dims) and single precision. ``missing`` are the
    words that the tokenizer cannot represent or that have no sentence. ``forms`` has, for each
    word, the first one with the same tokens in every context: without case, *Polish* and *polish*
    are one word in templates, but not in natural sentences of their own.
    """

    encoder: str
    words: tuple[str, ...]
    contexts: tuple[str, ...]
    vectors: Arrays
    missing: tuple[str, ...]
    pooling: str
    layer: int
    forms: tuple[str, ...] = ()

    def in_context(self, context: str) -> KeyedVectors:
        """Return the vectors from one context, for any function that takes word vectors."""
        from gensim.models import KeyedVectors

        check_choice("context", context, self.contexts)
        keyed = KeyedVectors(self.vectors.shape[2])
        keyed.add_vectors(list(self.words), self.vectors[:, self.contexts.index(context)])
        if self.forms:
            keyed.expandos[FORM] = np.array(self.forms, dtype=object)
        return keyed


def as_contextual(vectors: ContextualVectors | Mapping[str, ArrayLike]) -> ContextualVectors:
    """Return vectors of occurrences as an object, with as many contexts as every word has."""
    if isinstance(vectors, ContextualVectors):
        return vectors
    if not isinstance(vectors, Mapping):
        raise TypeError(
            "vectors must be from contextual_vectors, or a mapping of words to arrays; got the "
            f"{type(vectors).__name__} {vectors!r:.60}"
        )
    check_labels(vectors, "columns")
    rows = {word: np.asarray(each, dtype=np.float32) for word, each in vectors.items()}
    shapes = {each.shape[1:] for each in rows.values()}
    fewest = min((len(each) for each in rows.values() if each.ndim == 2), default=0)
    if len(shapes) != 1 or not fewest or any(each.ndim != 2 for each in rows.values()):
        raise ValueError(
            "pass an (n_occurrences, n_dims) array for every word, with the same n_dims; got "
            f"{abridged([f'{word}: {each.shape}' for word, each in rows.items()])}"
        )
    contexts = tuple(f"occurrence {number}" for number in range(1, fewest + 1))
    stack = np.stack([each[:fewest] for each in rows.values()])
    return ContextualVectors("arrays", tuple(rows), contexts, stack, (), "word", -1)


def contextual_vectors(
    encoder: str | Path | Encoder,
    words: Iterable[str],
    templates: str | Path | Iterable[str] | Mapping[str, Sequence[str]] = "bleached",
    *,
    layer: int = -1,
    pooling: str = "word",
    batch_size: int = BATCH_SIZE,
    device: str = "cpu",
    progressbar: bool = False,
) -> ContextualVectors:
    """Encode every word in every template.

    Parameters
    ----------
    encoder : str, Path, or Encoder
        See `load_encoder`.
    words : iterable of str
    templates : str, Path, iterable of str, or mapping
        The name of a bundled set, a TOML file, or sentences with ``{}`` for the word (see
        `load_templates`). You can also pass natural sentences for every word, from
        `load_sentences`. Context i then consists of the i-th sentence of every word; the word with
        the fewest sentences limits the number of contexts. A word is found in its exact spelling
        or, if that does not occur, ignoring case.
    layer : int
        A number from 0 (the input of the first layer) to the number of layers. Negative numbers
        count back from the last layer, which is -1.
    pooling : {"word", "sentence", "cls", "last"}
        ``word``: mean of the word's pieces. ``sentence``: mean of all tokens, or the pooling in
        ``1_Pooling/config.json`` of a sentence-transformers model. ``cls`` and ``last``: the first
        and the last token, which SEAT uses for BERT and GPT (May et al., 2019).
    batch_size : int
        Number of sentences encoded together; it affects results only through rounding.
    device : str
        See `load_encoder`.
    progressbar : bool

    Raises
    ------
    ValueError
        If a sentence is too long for the encoder (it is not truncated), or if the tokenizer cannot
        represent any of the words.

    Warns
    -----
    ContextIgnored
        If the encoder is causal and, for some templates, vectors ignore the rest of the sentence.
    """
    natural = templates if isinstance(templates, Mapping) else None
    contexts = () if isinstance(templates, Mapping) else load_templates(templates)
    check_listed("words", words)
    wanted = list(dict.fromkeys(words))
    if odd := [word for word in wanted if not isinstance(word, str)]:
        raise TypeError(f"words must be text; got {odd[0]!r}")
    check_choice("pooling", pooling, POOLINGS)
    check_numbers(batch_size=batch_size)
    loaded = load_encoder(encoder, device=device)
    n = int(loaded.network.config.get_text_config().num_hidden_layers)
    if not is_whole(layer) or not -(n + 1) <= layer <= n:
        text = f"layer must be from {-(n + 1)} to {n}, a whole number"
        raise ValueError(f"{text}, for {loaded.name}; got {layer!r}")
    blind = [text for text in contexts if pooling == "cls" or text.startswith(PLACE)]
    if pooling in {"word", "cls"} and blind and loaded.is_causal:
        warn(ContextIgnored(loaded.name, tuple(blind), len(contexts)))
    pieces = {w: loaded.tokenizer(w, add_special_tokens=False)["input_ids"] for w in wanted}
    unknown = loaded.tokenizer.unk_token_id
    known = tuple(
        word
        for word, ids in pieces.items()
        if ids and unknown not in ids
        if natural is None or natural.get(word)
    )
    if not known:
        raise ValueError(f"{loaded.name} cannot use any of the words; pass different words")
    if natural is None:
        sentences = [sentence(template, word) for word in known for template in contexts]
    else:
        fewest = min(len(natural[word]) for word in known)
        contexts = tuple(f"sentence {number}" for number in range(1, fewest + 1))
        sentences = [natural_sentence(text, w) for w in known for text in natural[w][:fewest]]
    tokens = _tokenized(loaded, sentences)
    spans = zip(tokens["offset_mapping"], sentences, strict=True)
    places = [_places(offsets, given) for offsets, given in spans]
    if pooling == "word" and () in places:
        text = sentences[places.index(())].text
        raise ValueError(f"the word has no tokens in {text!r}; use pooling='sentence'")
    inputs = zip(map(tuple, tokens["input_ids"]), places, strict=True)
    first = dict[object, str]()
    by_word = zip(batched(inputs, len(contexts)), known, strict=True)
    forms = tuple(first.setdefault(used, word) for used, word in by_word)
    depth = layer % (n + 1)
    rows = _encode(loaded, tokens, places, depth, pooling, batch_size=batch_size, shown=progressbar)
    return ContextualVectors(
        encoder=loaded.name,
        words=known,
        contexts=contexts,
        vectors=rows.reshape(len(known), len(contexts), -1),
        missing=tuple(word for word in wanted if word not in known),
        pooling=pooling,
        layer=depth,
        forms=forms,
    )


def _tokenized(encoder: Encoder, sentences: list[Sentence]) -> Tokens:
    """Return the tokens of sentences; refuse a sentence that is too long."""
    texts = [given.text for given in sentences]
    how = {"return_offsets_mapping": True, "truncation": False}
    tokens: Tokens = encoder.tokenizer(texts, **how)
    lengths = [len(ids) for ids in tokens["input_ids"]]
    longest = int(np.argmax(lengths))
    if lengths[longest] > encoder.longest:
        raise ValueError(
            f"the sentence {texts[longest]!r:.80} has {lengths[longest]} tokens, but "
            f"{encoder.name} accepts at most {encoder.longest}; shorten the sentence"
        )
    return tokens


def _places(offsets: list[tuple[int, int]], given: Sentence) -> tuple[int, ...]:
    """Return the places of the tokens that share characters with the word."""
    return tuple(
        place
        for place, (start, stop) in enumerate(offsets)
        if start < given.stop and stop > given.start and stop > start
    )


def _encode(
    encoder: Encoder,
    tokens: Tokens,
    places: list[tuple[int, ...]],
    layer: int,
    pooling: str,
    *,
    batch_size: int,
    shown: bool,
) -> Arrays:
    """Encode sentences in order of length, and return the vectors in their original order."""
    import torch

    lengths = [len(ids) for ids in tokens["input_ids"]]
    names = [name for name in encoder.tokenizer.model_input_names if name in tokens]
    how = encoder.sentence_pooling if pooling == "sentence" else pooling
    order = np.argsort(lengths, kind="stable").tolist()
    runs = [order]
    if encoder.sees_padding:  # batches of one length
        runs = [list(run) for _, run in groupby(order, lengths.__getitem__)]
    batches = [picked for run in runs for picked in batched(run, batch_size)]
    pooled: list[Arrays] = []
    done = 0
    with progress_bar("encoding", len(order), shown=None if shown else False) as update:
        for picked in batches:
            columns = {name: [tokens[name][i] for i in picked] for name in names}
            batch = encoder.tokenizer.pad(columns, padding_side="right", return_tensors="pt")
            batch = batch.to(encoder.network.device)
            with torch.inference_mode():
                states = encoder.network(**batch, output_hidden_states=True).hidden_states[layer]
                weights = batch["attention_mask"]
                if states.shape[:2] != weights.shape:
                    raise ValueError(
                        f"{encoder.name} merges tokens before layer {layer}, so words have no "
                        "vectors of their own there; use an earlier layer or another encoder"
                    )
                if how == "word":
                    weights = torch.zeros_like(weights)
                    for row, i in enumerate(picked):
                        weights[row, list(places[i])] = 1
                pooled.append(_pool(states, weights, how))
            done += len(picked)
            update(done)
    return np.concatenate(pooled)[np.argsort(order)]


def _pool(states: Any, weights: Any, how: str) -> Arrays:  # noqa: ANN401
    """Pool the vectors of tokens into one per sentence, (n, n_tokens, n_dims) to (n, n_dims)."""
    kept = weights.unsqueeze(-1).to(states.dtype)
    if how in {"cls", "last"}:  # padding follows the tokens
        token = 0 if how == "cls" else weights.sum(dim=1) - 1
        pooled = states[range(len(states)), token]
    else:  # the mean over all tokens or the word's pieces
        pooled = (states * kept).sum(dim=1) / kept.sum(dim=1)
    return np.asarray(pooled.float().cpu().numpy(), dtype=np.float32)
