"""Compare distances before and after debiasing or any other change.

`fit_change` models how each distance changes, and most other functions use its posterior.
`embedding_differences` and `variance_shares` use posteriors of many embeddings (`bb.fit_many`).
"""

from __future__ import annotations

from .before_after import bias_before_after, mac_before_after, scores_before_after
from .changes import alignment, band_shares, changes, order_changes
from .joint import fit_change, posterior_at
from .pairing import Pairs, pair
from .ranks import embedding_differences, variance_shares

__all__ = [
    "Pairs",
    "alignment",
    "band_shares",
    "bias_before_after",
    "changes",
    "embedding_differences",
    "fit_change",
    "mac_before_after",
    "order_changes",
    "pair",
    "posterior_at",
    "scores_before_after",
    "variance_shares",
]
