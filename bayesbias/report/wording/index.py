"""Sentences of the index of several word lists."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...workflows.wordlist import Analysis, Settings
from ..numbers import ROUNDED, probability_name
from . import MEANINGS
from .thin import MEANING

CAPTION = "The contrast that leads of every list, overall and by group"


def about(settings: Settings) -> str:
    """Word what all lists are asked, and what the numbers are."""
    return (
        f"Associated − different: the mean distance to {MEANINGS['associated']}, less that to "
        f"{MEANINGS['different']}. Below zero, a group's own lie closer. Means and "
        f"{probability_name(settings.ci_prob)} intervals; the groups of a list stand below it, the "
        "largest first."
    )


def notes(analyses: Sequence[Analysis]) -> list[str]:
    """Word what the mark means, if it is there, and how numbers are rounded."""
    return [*([MEANING] if any(len(each.thin) for each in analyses) else []), ROUNDED]


def forest_texts(contrast: str) -> tuple[str, str]:
    """Return the title and the label of the axis of a forest of lists."""
    first = contrast.partition(" − ")[0]
    return (
        f"{contrast.capitalize()}, list by list",
        f"difference in cosine distance: {contrast} (negative = {first} closer)",
    )


def figure_texts(contrast: str, rows: pd.DataFrame) -> tuple[str, str]:
    """Return caption and alternative text of a forest of lists."""
    below, above = int((rows["high"] < 0).sum()), int((rows["low"] > 0).sum())
    return (
        f"{contrast.capitalize()} of every list, overall and by group.",
        f"Forest plot of {contrast} in {rows['list'].nunique()} lists. Of {len(rows)} intervals "
        f"{below} lie below zero and {above} above it. The numbers are in the table.",
    )
