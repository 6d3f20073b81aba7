"""Ask an encoder, such as a sentence model, for the vectors of words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from ..source import Chunk, ChunksOf, Embedding
from .held import encoded

WITHOUT_VOCABULARY = (
    "an encoder has no list of words, so its whole vocabulary cannot be used; choose words, as in "
    "bb.load_vectors(encoder, words)"
)


def encoder_chunks(encoder: Any) -> ChunksOf:  # noqa: ANN401
    """Return the generator that asks an encoder once for all wanted words."""

    def chunks(_: Embedding, wanted: Collection[str] | None = None) -> Iterator[Chunk]:
        if wanted is None:
            raise ValueError(WITHOUT_VOCABULARY)
        words = sorted(wanted)
        yield Chunk(words, encoded(encoder, words), np.arange(1, len(words) + 1))

    return chunks
