"""Small embeddings for tests of debiasing."""

import builders
import numpy as np
from builders import keyed
from gensim.models import KeyedVectors

from bayesbias.debias import DefiningSets

SINGLE = 1e-6
"""Float32 rounds the coordinates of unit vectors at 6e-8; the tolerance allows sums of ten."""

PAIRS = (("she", "he"), ("woman", "man"), ("mother", "father"))
EQUALIZE = (*PAIRS, ("queen", "king"))
SPECIFIC = ("aunt", "beard")
NEUTRAL = tuple(f"word{at}" for at in range(60))
TRIPLES = (("torah", "bible", "quran"), ("rabbi", "priest", "imam"), ("jew", "christian", "muslim"))

GENDER = DefiningSets(PAIRS, EQUALIZE, SPECIFIC, NEUTRAL[:10], ("women", "men"), name="toy")
RELIGION = DefiningSets(TRIPLES, TRIPLES, targets=NEUTRAL[:10], name="toy religion")


def toy(seed: int = 1, dims: int = 8) -> KeyedVectors:
    """Return random words; words in the same class share a direction, and lengths differ."""
    random = np.random.default_rng(seed)
    words = tuple(dict.fromkeys(word for each in (*EQUALIZE, *TRIPLES) for word in each))
    words += (*SPECIFIC, *NEUTRAL)
    rows = random.normal(size=(len(words), dims))
    axis = random.normal(size=dims)
    first = {pair[0] for pair in EQUALIZE}
    second = {pair[1] for pair in EQUALIZE}
    for at, word in enumerate(words):
        rows[at] += axis * ((word in first) - (word in second))
        if word in NEUTRAL:
            rows[at] += axis * random.normal()
    return keyed(words, rows * random.uniform(0.5, 4, size=(len(words), 1)))


def unit(vectors: KeyedVectors, words: tuple[str, ...]) -> np.ndarray:
    rows = np.array([vectors[word] for word in words], dtype=np.float64)
    return builders.unit(rows)


def direction_of(vectors: KeyedVectors, pairs: tuple[tuple[str, str], ...] = PAIRS) -> np.ndarray:
    """Return the first principal component of pair-centered unit vectors, by eigenvectors."""
    dims = vectors.vector_size
    scatter = np.zeros((dims, dims))
    for pair in pairs:
        rows = unit(vectors, pair)
        half = (rows[0] - rows[1]) / 2
        scatter += 2 * np.outer(half, half)
    return np.linalg.eigh(scatter)[1][:, -1]


def published_steps(rows: dict[str, np.ndarray], g: np.ndarray, kept, equalize) -> dict:
    """Follow Bolukbasi et al.'s steps for one direction, word by word, with their pair formula."""
    new = {}
    for word, row in rows.items():
        rest = row if word in kept else row - (row @ g) * g
        new[word] = rest / np.linalg.norm(rest)
    for a, b in equalize:
        y = (rows[a] + rows[b]) / 2
        y = y - (y @ g) * g
        z = np.sqrt(1 - y @ y) * np.sign((rows[a] - rows[b]) @ g)
        new[a], new[b] = y + z * g, y - z * g
    return new
