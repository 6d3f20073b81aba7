"""Random sets of vectors, and cosines by plain loops, for tests of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def normals(seed: int, *sizes: int, dims: int = 5) -> list[np.ndarray]:
    """Random sets of vectors of these sizes."""
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, dims)) for n in sizes]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
