"""Plots of tidy frames on matplotlib Axes. Plots draw values and do not compute them.

The functions do not display figures or change matplotlib's settings. `intervals` draws all forest
plots and accepts any frame with ``mean``, ``low``, and ``high``. Many plots share these parameters:

frame : DataFrame
    The frame returned by the function that the plot's docstring names, or some of its rows.
ax : Axes, optional
    Axes to draw on. The default is a new figure sized to fit its content. Plots return the Axes.
words : bool
    Whether a forest plot also has rows for single words. If they do not fit into one figure,
    they are left out, and a note above the plot says so.
first, second : str
    Two connections. The plot shows first - second, so a negative value means the first is closer.
rope : float, optional
    Half-width of the shaded region of practical equivalence, in [0, 2]. By default, the frame's
    own value is used. If you concatenate frames whose ``.attrs`` differ, no region is shaded.
"""

from __future__ import annotations

from .answers import change as change
from .answers import closeness as closeness
from .answers import false_alarms as false_alarms
from .answers import heatmap as heatmap
from .curves import curves as curves
from .curves import null_distribution as null_distribution
from .curves import predictive_check as predictive_check
from .curves import slope as slope
from .forest import intervals as intervals
from .forests import contrast_forest as contrast_forest
from .forests import forest as forest
from .forests import influence as influence
from .forests import pair_forest as pair_forest
from .forests import prior_predictive as prior_predictive
from .forests import scales as scales
from .forests import scores as scores
from .layout import save as save
from .palette import COLORS as COLORS
from .palette import MARKERS as MARKERS
from .ridges import background_densities as background_densities
from .ridges import distributions as distributions
from .ridges import sentence_scores as sentence_scores
from .words import background_words as background_words
from .words import distances_by_rank as distances_by_rank
from .words import neighborhood as neighborhood
