"""What was done to debiased vectors, kept with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ATTRIBUTE = "debiasing"
"""Name of the attribute of KeyedVectors that holds a `Debiasing`; gensim's own save keeps it."""


@dataclass(frozen=True)
class Debiasing:
    """How vectors were debiased.

    Parameters
    ----------
    method : str
        Name of the method in `DEBIASING_METHODS`.
    lists : str
        Name of the `DefiningSets`.
    parameters : mapping of str to plain values
        Everything the caller may choose, and what the method chose by itself where it does.
    missing : mapping of str to tuple of str
        Words of the lists that the embedding lacks, by set.
    """

    method: str
    lists: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def debiasing(vectors: KeyedVectors) -> Debiasing | None:
    """Return how vectors were debiased: None if no function of `bayesbias.debias` made them.

    The record is an attribute of the KeyedVectors. It stays with them in memory and in gensim's
    own files; formats that hold only words and numbers lose it, which is why `debias_file` writes
    it into a ``.json`` file beside them.
    """
    record = getattr(vectors, ATTRIBUTE, None)
    return record if isinstance(record, Debiasing) else None
