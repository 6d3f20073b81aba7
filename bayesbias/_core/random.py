"""Define one type for all random seeds, and one way to use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .checks import check_numbers, is_whole

if TYPE_CHECKING:
    from numpy.random import Generator, SeedSequence

type Seed = int | SeedSequence | Generator | None
"""Type of every ``seed``; the same seed gives the same results, and None draws fresh entropy."""


def check_seed(seed: Seed) -> None:
    """Raise an ArgumentError if a seed is negative or not of an accepted type."""
    if seed is None or (is_whole(seed) and seed >= 0):
        return
    from numpy.random import Generator, SeedSequence

    if not isinstance(seed, Generator | SeedSequence):
        check_numbers(least=0, seed=seed)


def as_seed_sequence(seed: Seed) -> SeedSequence:
    """Convert a seed to a SeedSequence; a Generator draws a seed, and None means fresh entropy."""
    from numpy.random import Generator, SeedSequence

    check_seed(seed)
    if isinstance(seed, SeedSequence):  # a copy, so the caller's seed does not change
        return SeedSequence(**seed.state)
    return SeedSequence(int(seed.integers(2**63)) if isinstance(seed, Generator) else seed)
