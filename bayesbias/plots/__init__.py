"""Plots: tidy frames and posteriors to matplotlib Axes. They draw, and never compute.

Nothing is shown and no setting of matplotlib is changed. Plots that are alike share a file, and
each has a line here. What several take:

ax : Axes, optional
    Where to draw; a new figure by default, as large as what is in it needs. Plots return the Axes.
level : {"all", "overall", "group", "word"}
    Which rows a forest has. With "all", words that do not fit into one figure are left out, and
    the subtitle says so.
first, second : str
    Two connections; what is drawn is first - second, so that negative means first closer.
rope : float
    Half-width of the shaded region of practical equivalence, in [0, 2].
"""

from __future__ import annotations

from .arrows import change_arrows as change_arrows
from .arrows import order_arrows as order_arrows
from .associations import associations as associations
from .backgrounds import background_words as background_words
from .backgrounds import relative_bias as relative_bias
from .calibration import false_alarms as false_alarms
from .calibration import power_curves as power_curves
from .direction_correlations import direction_correlations as direction_correlations
from .forests import change_forest as change_forest
from .forests import contrast_forest as contrast_forest
from .forests import forest as forest
from .forests import forest_pair as forest_pair
from .forests import reference_forest as reference_forest
from .frequency import distances_by_rank as distances_by_rank
from .influence import influence as influence
from .language_models import order_robustness as order_robustness
from .language_models import pair_forest as pair_forest
from .language_models import score_densities as score_densities
from .neighbourhood import neighbourhood as neighbourhood
from .null_models import cells as cells
from .null_models import null_distribution as null_distribution
from .palette import COLOURS as COLOURS
from .palette import MARKERS as MARKERS
from .posterior import predictive_check as predictive_check
from .posterior import prior_predictive as prior_predictive
from .posterior import scales as scales
from .ranks import rank_forest as rank_forest
from .ridges import background_densities as background_densities
from .ridges import distribution_pair as distribution_pair
from .ridges import distributions as distributions
from .save import save as save
from .scores import robustness as robustness
from .scores import scores as scores
from .small_multiples import small_multiples as small_multiples
