"""Writing plots as PNG and SVG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._core.files import replace_file
from .canvas import OWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_AN_INCH = 144
"""Resolution of PNG files, and of what is pixels in SVG files."""


KINDS = ("png", "svg")
"""What figures are written as."""


def save(axes: Axes, path: str | Path) -> list[Path]:
    """Write the figure of an Axes as PNG and as SVG, each whole or not at all.

    Equal plots give equal files. A figure that a plot of this package made is closed afterwards;
    a figure of the caller's stays open.

    Parameters
    ----------
    axes : Axes
    path : str or Path
        ``.png`` and ``.svg`` are put behind it; other dots in the name stay. A name that ends in
        one of these is the name of the one file that is written.

    Returns
    -------
    list of Path
        The PNG file, then the SVG file; or the one asked for.
    """
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes belongs to no figure, so there is nothing to save")
    title = {"Title": axes.get_title().replace("\n", " ")}
    extra = {"png": title, "svg": title | {"Date": None}}
    files = _files(Path(path))
    for kind, final in files.items():
        with replace_file(final) as temporary, rc_context({"svg.hashsalt": "bayesbias"}):
            figure.savefig(
                temporary,
                format=kind,
                dpi=PIXELS_AN_INCH,
                metadata=extra[kind],
                bbox_inches="tight",
            )
    if figure.get_gid() == OWN:
        plt.close(figure)
    return list(files.values())


def _files(path: Path) -> dict[str, Path]:
    """Files to write by kind: that of the name's ending, or both."""
    asked = path.suffix.lower().removeprefix(".")
    if asked in KINDS:
        return {asked: path}
    return {kind: path.with_name(f"{path.name}.{kind}") for kind in KINDS}
