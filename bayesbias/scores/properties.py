"""Formal properties of the scores: what is proved of them, as a table."""

from __future__ import annotations

import pandas as pd

PROPERTY_COLUMNS = (
    "score",
    "comparable",
    "trustworthy",
    "lowest",
    "highest",
    "no_bias",
    "source",
    "why_comparable",
    "why_trustworthy",
)
"""Columns of `properties`, in order."""

_SP = "Schröder et al. (2024), Semantic properties"
_SAME = "Schröder, Schulz, Hammer (2024), SAME"
_HERE = "this package's tests"

_ROWS: tuple[tuple[str, bool, bool, str, str, str, str, str, str], ...] = (
    (
        "psi",
        False,
        True,
        "-‖â - b̂‖",
        "‖â - b̂‖",
        "0",
        f"{_SP}, theorems 1, 2",
        "its extremes are ±‖â - b̂‖, which depends on the attributes",
        "it is the difference of the two mean cosines itself",
    ),
    (
        "weat",
        True,
        False,
        "-2 (ddof 0)",
        "2 (ddof 0)",
        "0",
        f"{_SP}, theorems 3, 4, lemma 1",
        "for |X| = |Y| the extremes ±2 are reached for any attributes with â ≠ b̂",
        "it is 0 when X and Y have the same associations, however strong",
    ),
    (
        "weat_statistic",
        False,
        False,
        "-(|X| + |Y|)·‖â - b̂‖",
        "(|X| + |Y|)·‖â - b̂‖",
        "0",
        _HERE,
        "it is a sum of word associations, whose extremes depend on the attributes",
        "it is 0 when X and Y have the same associations",
    ),
    (
        "direct_bias",
        True,
        False,
        "0",
        "1",
        "0",
        f"{_SP}, theorems 5, 6",
        "it is a mean of |cos|^c, and 0 and 1 are reached for any component",
        "it is 0 for targets along a pair's direction that the component leaves out",
    ),
    (
        "same",
        True,
        True,
        "0",
        "1",
        "0",
        f"{_SAME}, theorems 1, 2",
        "it is a mean of lengths of shadows of unit vectors, and 0 and 1 are reached",
        "a target has no shadow exactly when it is equally near to all groups",
    ),
    (
        "mac",
        False,
        False,
        "1 - ‖mean of the â_j‖",
        "1 + ‖mean of the â_j‖",
        "1",
        _HERE,
        "its extremes depend on the attributes",
        "it is 1 when a target is near to one set and far from another",
    ),
    (
        "gweat",
        False,
        False,
        "-‖â - b̂‖ (two groups)",
        "‖â - b̂‖ (two groups)",
        "0",
        _HERE,
        "its extremes depend on the attributes",
        "it is 0 when X and Y have the same associations",
    ),
    (
        "ripa",
        False,
        False,
        "-max ‖w‖",
        "max ‖w‖",
        "0",
        _HERE,
        "it grows with the length of the target",
        "it is a signed mean, so that opposite targets cancel",
    ),
)


def properties() -> pd.DataFrame:
    """Which scores are comparable and which are trustworthy, with the extremes and the reason.

    A score is *comparable* if its extremes over all targets do not depend on the attributes, so
    that values from different embeddings or lists are on one scale. It is *trustworthy* if it
    takes its value of no bias only when every target is equally near to all attribute sets.

    Returns
    -------
    DataFrame
        ``PROPERTY_COLUMNS``, one row a score: ``comparable`` and ``trustworthy`` (bool), the
        ``lowest`` and ``highest`` values and that of ``no_bias`` as formulas, the ``source`` of
        the proof, and the reasons. Every entry is shown by a test of the package.

    References
    ----------
    Schröder et al. (2024), Semantic properties of cosine based bias scores, table 1.
    Schröder, Schulz, Hammer (2024), The SAME score, theorems 1 and 2.
    """
    return pd.DataFrame(_ROWS, columns=list(PROPERTY_COLUMNS))
