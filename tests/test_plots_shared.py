"""What plots share: colors and files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from builders import distances
from matplotlib.colors import to_rgb

from bayesbias import plots
from bayesbias.plots.palette import COLOURS, INK, MISS, QUIET

# --- colors


def _linear(colour: str) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ linear.clip(0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


SEEN_AS = {
    "full color vision": "1 0 0 0 1 0 0 0 1",
    "protanopia": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 "
    "-0.003882 -0.048116 1.051998",
    "deuteranopia": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 "
    "-0.011820 0.042940 0.968881",
    "tritanopia": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 "
    "0.004733 0.691367 0.303900",
}
"""Machado, Oliveira and Fernandes (2009), table for severity 1.0."""


@pytest.mark.parametrize("vision", SEEN_AS)
def test_colours_stay_apart_for_colour_blind_readers(vision: str) -> None:
    matrix = np.array(SEEN_AS[vision].split(), dtype=float).reshape(3, 3)
    seen = [_lab(matrix @ _linear(colour)) for colour in COLOURS.values()]
    nearest = min(np.linalg.norm(one - other) for one, other in combinations(seen, 2))
    assert nearest > 20  # ten times the just noticeable difference of 2.3


def test_colours_stand_out_from_white_and_texts_more_so() -> None:
    def contrast(colour: str) -> float:
        return float(1.05 / (0.05 + np.array([0.2126, 0.7152, 0.0722]) @ _linear(colour)))

    assert min(map(contrast, [*COLOURS.values(), MISS])) > 3  # WCAG 2.2, graphical objects
    assert min(map(contrast, [INK, QUIET])) > 4.5  # WCAG 2.2, text


# --- files


def test_save_writes_equal_files_and_closes_its_own_figure(tmp_path: Path) -> None:
    table = distances()
    written = [plots.save(plots.neighbourhood(table, "she"), tmp_path / n) for n in ("6B.a", "b")]
    assert [path.name for path in written[0]] == ["6B.a.png", "6B.a.svg"]
    assert written[0][0].read_bytes().startswith(b"\x89PNG")
    assert "The attributes around “she”" in written[0][1].read_text(encoding="utf-8")
    for first, second in zip(*written, strict=True):
        assert first.read_bytes() == second.read_bytes()
    assert plt.get_fignums() == []
    figure, ax = plt.subplots()
    for name in ("mine.png", "v1.5.SVG"):
        assert plots.save(ax, tmp_path / name) == [tmp_path / name]
    assert plt.get_fignums() == [figure.number]  # the caller's stays open


def test_what_xml_forbids_is_replaced_before_it_is_drawn(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": ["nur\x01se", "so\ufffen"], "by": "\x9f", "mean": [0.7, 0.9]})
    frame = frame.assign(low=0.1, high=1.0, text="\x02", hue=["\x03", "a"])
    ax = plots.intervals(frame, by="by", hue="hue", title="x\ufffe", note="\x04", heading="y")
    ElementTree.parse(plots.save(ax, tmp_path / "odd.svg")[0])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["nur\ufffdse", "so\ufffdn"]
