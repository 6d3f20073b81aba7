"""Random seeds: one type for all that takes one, and one way to make generators of it."""

from __future__ import annotations

from numpy.random import Generator, SeedSequence

from .checks import is_whole

Seed = int | SeedSequence | Generator | None
"""What every ``seed`` may be: equal seeds give equal results, None takes fresh entropy."""


def as_seed_sequence(seed: Seed) -> SeedSequence:
    """Give the SeedSequence of a seed; a Generator is drawn from, None takes fresh entropy."""
    if isinstance(seed, SeedSequence):
        return seed
    if isinstance(seed, Generator):
        return SeedSequence(int(seed.integers(2**63)))
    if seed is not None and (not is_whole(seed) or seed < 0):
        raise ValueError(f"seed must be a whole number from 0 on; got {seed!r}")
    return SeedSequence(seed)
