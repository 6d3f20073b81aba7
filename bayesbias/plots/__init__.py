"""Plots: tidy frames and posteriors to matplotlib Axes. They draw, and never compute.

Every plot takes ``ax=`` and gives the Axes back; without one it makes a figure. Nothing is shown
and no setting of matplotlib is changed.
"""

from __future__ import annotations

from .arrows import change_arrows, order_arrows
from .background_plots import background_densities, background_words, relative_bias
from .cells import cells
from .change_forest import change_forest
from .contrast_forest import contrast_forest
from .direction_matrix import direction_correlations
from .distribution_pair import distribution_pair
from .distributions import distributions
from .false_alarms import false_alarms
from .forest import forest
from .forest_pair import forest_pair
from .neighbourhood import neighbourhood
from .null_distribution import null_distribution
from .palette import COLOURS, MARKERS
from .power_curves import power_curves
from .predictive_check import predictive_check
from .saving import save
from .scales import scales
from .score_dots import scores
from .score_robustness import robustness
from .small_multiples import small_multiples

__all__ = [
    "COLOURS",
    "MARKERS",
    "background_densities",
    "background_words",
    "cells",
    "change_arrows",
    "change_forest",
    "contrast_forest",
    "direction_correlations",
    "distribution_pair",
    "distributions",
    "false_alarms",
    "forest",
    "forest_pair",
    "neighbourhood",
    "null_distribution",
    "order_arrows",
    "power_curves",
    "predictive_check",
    "relative_bias",
    "robustness",
    "save",
    "scales",
    "scores",
    "small_multiples",
]
