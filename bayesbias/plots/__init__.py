"""Plots: tidy frames and posteriors to matplotlib Axes. They draw, and never compute.

Every plot takes ``ax=`` and gives the Axes back; without one it makes a figure. Nothing is shown
and no setting of matplotlib is changed.
"""

from __future__ import annotations

from .contrast_forest import contrast_forest
from .direction_matrix import direction_correlations
from .distributions import distributions
from .forest import forest
from .neighbourhood import neighbourhood
from .palette import COLOURS, MARKERS
from .predictive_check import predictive_check
from .saving import save
from .scales import scales
from .score_dots import scores
from .score_robustness import robustness

__all__ = [
    "COLOURS",
    "MARKERS",
    "contrast_forest",
    "direction_correlations",
    "distributions",
    "forest",
    "neighbourhood",
    "predictive_check",
    "robustness",
    "save",
    "scales",
    "scores",
]
