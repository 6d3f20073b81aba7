"""Plots: tidy frames and posteriors to matplotlib Axes. They draw, and never compute.

Every plot takes ``ax=`` and returns the Axes; without one it makes a figure. Nothing is shown and
no setting of matplotlib is changed. A plot is one file, and one line here.
"""

from __future__ import annotations

from .background_densities import background_densities as background_densities
from .background_words import background_words as background_words
from .cells import cells as cells
from .change_arrows import change_arrows as change_arrows
from .change_forest import change_forest as change_forest
from .contrast_forest import contrast_forest as contrast_forest
from .direction_correlations import direction_correlations as direction_correlations
from .distribution_pair import distribution_pair as distribution_pair
from .distributions import distributions as distributions
from .false_alarms import false_alarms as false_alarms
from .forest import forest as forest
from .forest_pair import forest_pair as forest_pair
from .neighbourhood import neighbourhood as neighbourhood
from .null_distribution import null_distribution as null_distribution
from .order_arrows import order_arrows as order_arrows
from .palette import COLOURS as COLOURS
from .palette import MARKERS as MARKERS
from .power_curves import power_curves as power_curves
from .predictive_check import predictive_check as predictive_check
from .relative_bias import relative_bias as relative_bias
from .robustness import robustness as robustness
from .save import save as save
from .scales import scales as scales
from .scores import scores as scores
from .small_multiples import small_multiples as small_multiples
