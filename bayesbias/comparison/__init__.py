"""Before and after: what debiasing, or anything else, did to the distances.

`compare` fits the change of every pair of words; the other functions read what it gives.
"""

from __future__ import annotations

from .changes import alignment, band_shares, changes, order_changes, side_effects, turned_counts
from .embeddings import compare_embeddings, embedding_changes
from .joint import compare, moment
from .origin import require_origin
from .pairing import Pairs, pair, unpaired
from .remainder import what_remains
from .single_numbers import mac_before_after, scores_before_after

__all__ = [
    "Pairs",
    "alignment",
    "band_shares",
    "changes",
    "compare",
    "compare_embeddings",
    "embedding_changes",
    "mac_before_after",
    "moment",
    "order_changes",
    "pair",
    "require_origin",
    "scores_before_after",
    "side_effects",
    "turned_counts",
    "unpaired",
    "what_remains",
]
