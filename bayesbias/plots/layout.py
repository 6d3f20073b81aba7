"""Everything around the data of a plot: Axes, title, note, legend, right column, and its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._core.display import shortened
from .._core.files import replace_file
from .._core.intervals import interval_kind
from ..records.rows import Verdict
from .palette import BAND, FAINT, INK, LINE, QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

WIDTH = 7.6
"""Width of new figures in inches."""

HEADER_HEIGHT = 1.8
"""Height above and below the rows of a new figure, in inches."""

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 12.0, 9.0, 8.5
"""Font sizes in points."""

GAP, TOP_TICKS = 6.0, 16.0
"""Gap between the parts of a header, and height of tick labels above the Axes, in points."""

RIGHT = 1.015
"""Left end of texts to the right of the Axes, as a multiple of the width of the Axes."""

OWN = "bayesbias-figure"
"""Group id of figures that this package makes. `save` closes figures with this id."""

PIXELS_AN_INCH = 144
"""Resolution of PNG files, and of rasterized parts of SVG files."""

NO_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids, such as control characters."""

DASHES = (0, (4, 2))
"""Line style of reference lines."""

DISTANCE = "cosine distance (smaller = closer)"
UNRELATED_NOTE = "Dashed line: 1, the distance between unrelated directions."


class TooManyRowsError(ValueError):
    """A figure would have more rows than one can read."""


def require_readable(n_rows: int, most: int) -> None:
    """Raise a TooManyRowsError for more rows than one can read in one figure."""
    if n_rows > most:
        raise TooManyRowsError(f"{n_rows} rows are too many for one figure; select up to {most}")


def new_axes(ax: Axes | None, height: float) -> Axes:
    """Return the given Axes, or new Axes with room for rows of this height, with light spines."""
    from matplotlib import pyplot as plt

    if ax is None:
        figure, ax = plt.subplots(figsize=(WIDTH, HEADER_HEIGHT + height), layout="constrained")
        figure.set_gid(OWN)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(LINE)
    ax.tick_params(axis="both", labelsize=TEXT_SIZE, color=LINE, labelcolor=INK)
    ax.tick_params(axis="y", length=0)
    ax.set_axisbelow(True)
    return ax


def figure_of(ax: Axes) -> Figure:
    """Return the top-level figure that contains the Axes, even if they are in a subfigure."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes have no figure; create Axes with plt.subplots()")
    return figure


def save(axes: Axes, path: str | Path) -> list[Path]:
    """Write the figure of an Axes as a PNG and an SVG file, and return their paths.

    Identical plots give identical PNG, SVG, and PDF files. Figures that this package made are
    closed afterward. If `path` ends in a format of matplotlib, such as ``.pdf``, the figure is
    written only in that format. Otherwise, the endings ``.png`` and ``.svg`` are added.
    """
    from matplotlib import pyplot as plt
    from matplotlib import rc_context
    from matplotlib.axes import Axes

    if not isinstance(axes, Axes):
        raise TypeError(f"save needs Axes, not {type(axes).__name__}; pass figure.axes[0]")
    figure, path = figure_of(axes), Path(path).expanduser()
    title = {"Title": axes.get_title(loc="left").replace("\n", " ")}
    extra = {"png": title, "svg": title | {"Date": None}, "pdf": title | {"CreationDate": None}}
    files = {kind: path.with_name(f"{path.name}.{kind}") for kind in ("png", "svg")}
    if (asked := path.suffix.lower().removeprefix(".")) in figure.canvas.get_supported_filetypes():
        files = {asked: path}
    for kind, final in files.items():
        with rc_context({"svg.hashsalt": "bayesbias"}), replace_file(final) as temporary:
            figure.savefig(
                temporary,
                format=kind,
                metadata=extra.get(kind),
                dpi=PIXELS_AN_INCH,
                bbox_inches="tight",
            )
    if figure.get_gid() == OWN:
        plt.close(figure)
    return list(files.values())


def draw_x(
    ax: Axes,
    label: str,
    values: ArrayLike,
    reference: float | None = None,
    band: tuple[float, float] | None = None,
) -> None:
    """Draw the band and the reference line, and set x limits that include them and all values."""
    if band is not None:
        ax.axvspan(*band, color=BAND, linewidth=0, zorder=0.8).set_gid("band")
    if reference is not None:
        ax.axvline(reference, color=LINE, linewidth=1.1, linestyle=DASHES, zorder=1.5)
    ends = [] if reference is None else [reference]
    if np.isnan(np.asarray(values, dtype=float)).all():
        raise ValueError("no row has a value to draw")
    every = np.concatenate([np.ravel(values), ends, band or ()])
    low, high = np.nanmin(every), np.nanmax(every)
    margin = 0.04 * (high - low) or 0.05
    ax.set_xlim(low - margin, high + margin)
    ax.locator_params(axis="x", nbins=7)
    ax.set_xlabel(label, fontsize=TEXT_SIZE, color=INK, labelpad=6, parse_math=False)


def header(
    ax: Axes, title: str, note: str, keys: Sequence[Artist] = (), *, raised: float = 0.0
) -> Axes:
    """Write the title, note, and legend above the Axes, wrapped to the width of the Axes.

    Call this function last. `raised` is the height, in points, of texts already above the Axes.
    """
    from matplotlib.text import Text

    for shown in ax.findobj(Text):
        shown.set_text(legible(shown.get_text()))
    for entry in keys:
        entry.set_label(legible(str(entry.get_label())))
    title, note = legible(title), legible(" ".join(note.split()))
    figure = figure_of(ax)
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)  # sets the final width of the Axes
    width = max(120 * figure.dpi / 72, ax.get_window_extent().width)
    height = GAP + raised
    if keys:
        letters = max(len(str(entry.get_label())) for entry in keys)
        room = 72 * width / figure.dpi / (0.52 * TEXT_SIZE * letters + 48)
        columns = max(1, min(len(keys), int(room)))
        legend = ax.legend(
            handles=list(keys),
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=height / TEXT_SIZE,
            ncols=columns,
            frameon=False,
            fontsize=TEXT_SIZE,
            labelcolor=INK,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
        height += -(-len(keys) // columns) * 1.7 * TEXT_SIZE + GAP
    text = above(ax, note, height, fontsize=SMALL_SIZE, color=QUIET)
    text.set(linespacing=1.3, gid="subtitle")
    height += 1.45 * SMALL_SIZE * _break_lines(text, width) + GAP
    name = ax.set_title(title, loc="left", pad=height, parse_math=False)
    name.set(fontsize=TITLE_SIZE, weight="bold", color=INK)
    _break_lines(name, width)
    _break_lines(ax.xaxis.label, 1.05 * width)
    return ax


def _break_lines(text: Text, width: float) -> int:
    """Wrap a text to a width in pixels, and return its number of lines."""
    whole = text.get_text()
    letters = int(1.2 * len(whole) * width / max(text.get_window_extent().width, 1)) + 2
    while text.get_window_extent().width > width and letters > 1:
        text.set_text(fill(whole, letters))
        letters -= 1
    return text.get_text().count("\n") + 1


def above(ax: Axes, text: str, points: float, at: float = 0.0, **style: object) -> Text:
    """Write plain text above the Axes, at a height in points and a fraction of their width."""
    place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    return ax.annotate(text, (at, 1), (0, points), parse_math=False, **place, **style)  # type: ignore[arg-type]


def right_column(
    ax: Axes, heading: str, rows: Iterable[tuple[float, str, bool]], raised: float = 0.0
) -> float:
    """Write (y, text, bold) rows right of the Axes; return the height used above them, in points.

    In a figure that this package makes, the figure's header ends left of the column's heading.
    In any other figure, the Axes may become narrower, so the header is above the heading.
    """
    above(ax, heading, 3 + raised, RIGHT, fontsize=SMALL_SIZE - 0.5, color=QUIET, linespacing=1.1)
    for y, text, bold in rows:
        shown = ax.text(RIGHT, y, text, transform=ax.get_yaxis_transform(), parse_math=False)
        shown.set(va="center", fontsize=SMALL_SIZE, weight="bold" if bold else "normal", color=INK)
    shared = figure_of(ax).get_gid() != OWN
    return raised + shared * 1.15 * SMALL_SIZE * (heading.count("\n") + 1)


def row_labels(ax: Axes, positions: Sequence[float], labels: Iterable[str], most: int = 26) -> None:
    """Label the rows on the y axis, without parsing math, and shorten long labels."""
    names = [*map(legible, labels)]
    shown = [shortened(name, most, names) for name in names]
    ax.set_yticks(positions, shown, parse_math=False)


def guides(ax: Axes, axis: str = "x") -> None:
    """Draw faint grid lines at the ticks of one axis or both."""
    ax.grid(axis=axis, color=FAINT, linewidth=0.7)  # type: ignore[arg-type]


def key(
    label: str, color: str, marker: str = "", *, size: float = 5.0, width: float = 1.6
) -> Line2D:
    """Return a legend entry: a line with an optional marker or, if `width` is 0, only a marker."""
    from matplotlib.lines import Line2D

    line = Line2D([], [], color=color, marker=marker, label=label, markersize=size)
    line.set(linewidth=width, linestyle="-" if width else "none")
    line.set_markeredgewidth(2.0 if marker == "|" else 0.0)
    return line


def legible(text: str) -> str:
    """Replace the characters that XML forbids."""
    return NO_XML.sub("\ufffd", text)


def shorten(text: str, most: int = 26, among: Iterable[str] = ()) -> str:
    """Make a long text legible and short, and different from the others."""
    return shortened(legible(text), most, [*map(legible, among)])


def spaced(names: pd.Series) -> pd.Series:
    """Replace underscores by blanks, except in names that would become one, such as a_b and a b."""
    names = texts(names)
    shown = names.str.replace("_", " ")
    return shown.where(names.groupby(shown).transform("nunique") == 1, names)


def texts(labels: pd.Series) -> pd.Series:
    """Return labels as text; empty labels are missing in frames from `pandas.read_csv`."""
    return labels.astype(object).where(labels.notna(), "").astype(str)


def number(value: float, digits: int = 2) -> str:
    """Format with `digits` decimals or, below 0.1, significant digits; NaN becomes a dash."""
    if np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}" if abs(value) >= 0.1 else f"{value:.{digits}g}"
    return text.replace("-", "−")


def probability(share_of_draws: float) -> str:
    """Format a posterior probability, rounded as on pages."""
    return f"{Verdict(share_of_draws).percent}%"


def share(ci_prob: float) -> str:
    """Format the probability of an interval, such as ``89%`` or ``99.5%``."""
    return f"{100 * ci_prob:g}%"


def interval_name(frame: pd.DataFrame) -> str:
    """Return a name for the frame's intervals, such as ``89% highest-density intervals``."""
    ci_prob = frame.attrs.get("ci_prob")
    prob = f"{share(ci_prob)} " if isinstance(ci_prob, float) else ""
    ci_kind = frame.attrs.get("ci_kind")  # files of frames do not keep it
    return f"{prob}{'interval' if ci_kind is None else interval_kind(ci_kind)}s"


def interval_note(frame: pd.DataFrame) -> str:
    """Return a note that explains points and bars."""
    return f"Points: posterior means. Bars: {interval_name(frame)}."


def require_one_row(frame: pd.DataFrame, keys: Sequence[str], drawn: Iterable[str] = ()) -> None:
    """Raise a ValueError if several rows have the same keys, and name a column that differs.

    The columns in `drawn` are not named, nor are columns of numbers with decimals.
    """
    place = frame.groupby([*keys], sort=False, dropna=False, observed=True).ngroup().to_numpy()
    several = np.bincount(place) > 1
    if not several.any():
        return
    same = frame[place == several.argmax()]
    label = ", ".join(dict.fromkeys(text for text in texts(same[[*keys]].iloc[0]) if text))
    how = "Leave out all but one, or give them different labels"
    for name in frame.columns.difference([*keys, *drawn], sort=False):
        values = texts(same[name]).unique()
        if len(values) > 1 and not pd.api.types.is_float_dtype(same[name]):
            how = f"They differ in the column {name!r} ({', '.join(values)}); select one value"
            break
    raise ValueError(f"{len(same)} rows would be drawn in one place, {label!r}. {how}")


def require_frame(frame: pd.DataFrame, columns: Iterable[str], source: str) -> None:
    """Raise an error if a frame cannot be drawn, and name the call that returns a suitable one."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"this plot expects a frame, not {type(frame).__name__}; pass {source}")
    lacking = [name for name in columns if name not in frame]
    if lacking:
        raise ValueError(
            f"the frame is missing columns: {', '.join(lacking)}; it has "
            f"{', '.join(map(str, frame))}. This plot expects {source}"
        )
    if frame.empty:
        raise ValueError(f"the frame has no rows to draw; pass {source}")
