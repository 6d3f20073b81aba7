"""Draw a calibration: ECDF differences with their simultaneous bands, and rank histograms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bayesbias._core.files import replace_file

from .sbc import BAND, DRAWS, Calibration, spread_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 5
BINS = 20
DPI = 100

BAND_SIMULATIONS = 2_000
INK, SHADE = "#1f4e79", "#c9d6e3"


def draw(calibration: Calibration, path: Path) -> None:
    """Draw all quantities of a calibration and write the figure, a PNG."""
    from arviz_stats.ecdf_utils import ecdf_pit
    from matplotlib.figure import Figure

    n = len(calibration.names)
    rows = -(-n // COLUMNS)
    figure = Figure(figsize=(2.3 * COLUMNS, 2.5 * rows), layout="constrained")
    axes = figure.subplots(2 * rows, COLUMNS, squeeze=False, height_ratios=[3, 2] * rows)
    values = spread_out(calibration.ranks)
    rng = np.random.default_rng(0)
    at, _, low, high = ecdf_pit(values[:, 0], BAND, BAND_SIMULATIONS, rng=rng)
    band = np.stack([low - at, high - at])
    for i in range(rows * COLUMNS):
        row, column = 2 * (i // COLUMNS), i % COLUMNS
        if i >= n:
            axes[row, column].set_axis_off()
            axes[row + 1, column].set_axis_off()
            continue
        _difference(axes[row, column], values[:, i], at, band)
        axes[row, column].set_title(calibration.names[i], fontsize=7)
        _histogram(axes[row + 1, column], calibration.ranks[:, i])
    with replace_file(path) as temporary:
        figure.savefig(temporary, format="png", dpi=DPI, metadata={"Software": None})


def _difference(axis: Axes, values: np.ndarray, at: np.ndarray, band: np.ndarray) -> None:
    from arviz_stats.ecdf_utils import compute_ecdf

    axis.fill_between(at, *band, color=SHADE, linewidth=0)
    axis.plot(at, compute_ecdf(values, at) - at, color=INK, linewidth=0.9)
    _tidy(axis)


def _histogram(axis: Axes, ranks: np.ndarray) -> None:
    """Rank histogram; in every bin the count lies in the shade 99% of the time."""
    from scipy.stats import binom

    counts, edges = np.histogram(ranks, BINS, (0, DRAWS + 1))
    low, high = binom.ppf([(1 - BAND) / 2, (1 + BAND) / 2], len(ranks), 1 / BINS)
    axis.axhspan(low, high, color=SHADE, linewidth=0)
    axis.stairs(counts, edges / (DRAWS + 1), color=INK, linewidth=0.9)
    axis.set_ylim(0, 1.6 * len(ranks) / BINS)
    axis.set_yticks([])
    _tidy(axis)


def _tidy(axis: Axes) -> None:
    axis.set_xlim(0, 1)
    axis.set_xticks([0, 0.5, 1])
    axis.tick_params(labelsize=6, length=2)
    axis.spines[["top", "right"]].set_visible(False)
