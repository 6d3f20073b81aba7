"""Formal properties of the scores: what is proved of them, as a table."""

from __future__ import annotations

import pandas as pd

from .registry import SCORES


def properties() -> pd.DataFrame:
    """Return which scores are comparable and which trustworthy, with the extremes and the reason.

    A score is *comparable* if its extremes over all targets do not depend on the attributes, so
    that values from different embeddings or lists are on one scale. It is *trustworthy* if it
    takes its value of no bias only when every target is equally near to all attribute sets.

    Returns
    -------
    DataFrame
        One row a score: ``comparable`` and ``trustworthy`` (bool), the
        ``lowest`` and ``highest`` values and that of ``no_bias`` as formulas, the ``source`` of
        the proof, and the reasons. Every entry is shown by a test of the package.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, table 1.
    Schröder, Schulz, Hammer (2024), The SAME score, theorems 1 and 2.
    """
    rows = []
    for name, score in SCORES.items():
        if proved := score.properties:
            (comparable, because), (trustworthy, why) = proved.comparable, proved.trustworthy
            told = (proved.name or name, comparable, trustworthy, *proved.range)
            rows.append((*told, f"{score.no_bias:g}", proved.source, because, why))
    columns = ["score", "comparable", "trustworthy", "lowest", "highest", "no_bias", "source"]
    return pd.DataFrame(rows, columns=[*columns, "why_comparable", "why_trustworthy"])
