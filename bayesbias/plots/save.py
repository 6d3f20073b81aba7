"""Saving plots as PNG and SVG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._core.files import replace_file
from .frame import OWN, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_AN_INCH = 144
"""Resolution of PNG files, and of rasterized parts of SVG files."""


def save(axes: Axes, path: str | Path) -> list[Path]:
    """Write the figure of an Axes as a PNG and an SVG file, and return their paths.

    Identical plots give identical files. Figures that this package made are closed afterward. If
    `path` ends in ``.png`` or ``.svg``, the figure is written only in that format. Otherwise, both
    endings are added.
    """
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    figure, path = figure_of(axes), Path(path)
    title = {"Title": axes.get_title(loc="left").replace("\n", " ")}
    extra = {"png": title, "svg": title | {"Date": None}}
    files = {kind: path.with_name(f"{path.name}.{kind}") for kind in extra}
    if (asked := path.suffix.lower().removeprefix(".")) in extra:
        files = {asked: path}
    for kind, final in files.items():
        with rc_context({"svg.hashsalt": "bayesbias"}), replace_file(final) as temporary:
            figure.savefig(
                temporary,
                format=kind,
                metadata=extra[kind],
                dpi=PIXELS_AN_INCH,
                bbox_inches="tight",
            )
    if figure.get_gid() == OWN:
        plt.close(figure)
    return list(files.values())
