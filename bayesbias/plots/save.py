"""Writing plots as PNG and SVG."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .._core.files import replace_file
from .frame import OWN, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PIXELS_AN_INCH = 144
"""Resolution of PNG files, and of what is pixels in SVG files."""


def save(axes: Axes, path: str | Path) -> list[Path]:
    """Write the figure of an Axes as PNG and as SVG, and return their paths.

    Equal plots make equal files. A figure that a plot of this package made is closed afterwards.
    ``.png`` and ``.svg`` are appended to the path; if it ends in one of these, only that file is
    written.
    """
    from matplotlib import pyplot as plt
    from matplotlib import rc_context, rcParams

    figure, path = figure_of(axes), Path(path)
    title = {"Title": axes.get_title(loc="left").replace("\n", " ")}
    extra = {"png": title, "svg": title | {"Date": None}}
    files = {kind: path.with_name(f"{path.name}.{kind}") for kind in extra}
    if (asked := path.suffix.lower().removeprefix(".")) in extra:
        files = {asked: path}
    with rc_context({"svg.hashsalt": "bayesbias"}), _laid_out(figure):
        box = figure.get_tightbbox().padded(rcParams["savefig.pad_inches"])
        for kind, final in files.items():
            with replace_file(final) as temporary:
                options = {"format": kind, "metadata": extra[kind], "bbox_inches": box}
                figure.savefig(temporary, dpi=PIXELS_AN_INCH, **options)  # type: ignore[arg-type]
    if figure.get_gid() == OWN:
        plt.close(figure)
    return list(files.values())


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Lay a figure out once for all its files."""
    engine, dpi = figure.get_layout_engine(), figure.dpi
    figure.set_dpi(PIXELS_AN_INCH)
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine(None)
    try:
        yield
    finally:
        if engine is not None:
            figure.set_layout_engine(engine)
        figure.set_dpi(dpi)
