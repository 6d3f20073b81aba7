"""Embeddings with known reference distributions."""

from functools import cache
from typing import Any

import numpy as np
from builders import keyed
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias import background as bg

ROUNDING = 3e-7
"""Error of ψ in [-2, 2]: float32 rounds vectors, directions, and sums of products by 6e-8 each."""


@cache
def random_vectors() -> Any:
    """Return 3,000 words in 37 dimensions, which is not a multiple of any chunk size."""
    rng = np.random.default_rng(11)
    return keyed([f"w{i}" for i in range(3000)], rng.standard_normal((3000, 37)) + 0.2)


Z, Z2 = ["w2", "w2999", "w40", "absent"], ["w7", "w1500"]


N = 200_000
"""Words in a known background: enough to estimate its mean and sd within 0.3%."""


def distribution(source: Any, Z: list[str], Z2: list[str], **options: Any) -> bg.Distribution:
    """Return the distribution of ψ for two lists of attribute words."""
    return bg.distributions(source, {"toy": (Z, Z2)}, **options)["toy"]


def planted_background() -> bg.Distribution:
    """Return a background with ψ ~ Normal(0.02, 0.05), and words planted at known values.

    In the plane of e1 and e2 with Z = e1 and Z2 = -e1, a unit vector (c, sqrt(1 - c²)) has
    ψ = 2c: any value can be given to any word.
    """
    rng = np.random.default_rng(3)
    psi = 0.02 + 0.05 * rng.standard_normal(N)
    psi[:2] = 2.0, -2.0
    psi[10:14] = 0.02 + 0.05 * np.array([1.5, 2.5, 1.9, 2.1])  # mean 2 sd up
    psi[20:22] = 0.0
    c = psi / 2
    words = ["up", "down", *(f"w{i}" for i in range(2, N))]
    rows = np.column_stack([c, np.sqrt(1 - c**2)]).astype(np.float32)
    vectors = KeyedVectors(2)
    vectors.index_to_key, vectors.vectors = words, rows
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    return distribution(vectors, ["up"], ["down"])


UP = [f"w{i}" for i in range(10, 14)]

NEAR = 0.01
"""For 200,000 draws, the mean has a standard error of 0.0022 sd and the sd one of 0.0016 sd."""


def leaning_list(
    lean: float, n_words: int, dims: int, n: int, common: float = 0.0
) -> tuple[Any, bb.WordList]:
    """Return two groups of n words that lean toward their five stereotypes; all lean to neutral."""
    rng = np.random.default_rng(4)
    axes, shift = np.eye(dims), common * np.eye(dims)[2]
    rows = {f"w{i}": rng.standard_normal(dims) + shift for i in range(n_words)}
    for at, group in enumerate("xy"):
        for i in range(n):
            rows[f"{group}{i}"] = rng.standard_normal(dims) + shift + lean * axes[at]
        for i in range(5):
            rows[f"{group}s{i}"] = rng.standard_normal(dims) + lean * axes[at]
    rows |= {f"n{i}": rng.standard_normal(dims) + 1.5 * shift for i in range(6)}
    words = bb.WordList(
        "leaning",
        {g: [f"{g}{i}" for i in range(n)] for g in "xy"},
        {g: [*(f"{g}s{i}" for i in range(5)), f"{g}-absent"] for g in "xy"},
        {"neutral": [f"n{i}" for i in range(6)]},
    )
    return keyed(list(rows), np.stack(list(rows.values()))), words
