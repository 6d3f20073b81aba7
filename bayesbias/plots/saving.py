"""Writing plots as PNG and SVG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic import replacing
from .canvas import OWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_AN_INCH = 144
"""Resolution of PNG files, and of what is pixels in SVG files."""


def save(axes: Axes, path_without_suffix: str | Path) -> list[Path]:
    """Write the figure of an Axes as PNG and as SVG, each whole or not at all.

    Equal plots give equal files. A figure that a plot of this package made is closed afterwards;
    a figure of the caller's stays open.

    Parameters
    ----------
    axes : Axes
    path_without_suffix : str or Path
        ``.png`` and ``.svg`` are put behind it; dots in the name stay.

    Returns
    -------
    list of Path
        The PNG file, then the SVG file.
    """
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes belongs to no figure, so there is nothing to save")
    stem = Path(path_without_suffix)
    title = {"Title": axes.get_title().replace("\n", " ")}
    written = []
    for kind, metadata in {"png": title, "svg": title | {"Date": None}}.items():
        final = stem.with_name(f"{stem.name}.{kind}")
        with replacing(final) as path, rc_context({"svg.hashsalt": "bayesbias"}):
            figure.savefig(
                path, format=kind, dpi=PIXELS_AN_INCH, metadata=metadata, bbox_inches="tight"
            )
        written.append(final)
    if figure.get_gid() == OWN:
        plt.close(figure)
    return written
