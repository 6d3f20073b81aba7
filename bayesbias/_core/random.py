"""Random seeds: one type for all that takes one, and one way to make generators of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .checks import Argument, ArgumentError, is_whole

if TYPE_CHECKING:
    from numpy.random import Generator, SeedSequence

type Seed = int | SeedSequence | Generator | None
"""What every ``seed`` may be: equal seeds give equal results, None takes fresh entropy."""


def check_seed(seed: Seed) -> None:
    """Raise an ArgumentError if a seed is none of the kinds that there are."""
    if seed is None or (is_whole(seed) and seed >= 0):
        return
    from numpy.random import Generator, SeedSequence

    if not isinstance(seed, Generator | SeedSequence):
        raise ArgumentError(Argument("seed"), f" must be a whole number, 0 or more; got {seed!r}")


def as_seed_sequence(seed: Seed) -> SeedSequence:
    """Return a SeedSequence of a seed; a Generator is drawn from, None takes fresh entropy."""
    from numpy.random import Generator, SeedSequence

    check_seed(seed)
    if isinstance(seed, SeedSequence):  # a copy: the caller's spawns no children by being read
        return SeedSequence(**seed.state)
    return SeedSequence(int(seed.integers(2**63)) if isinstance(seed, Generator) else seed)
