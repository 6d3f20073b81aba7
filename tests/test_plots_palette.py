"""Colours and markers of the plots."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import bayesbias as bb
from bayesbias.plots.palette import COLOURS, INK, MARKERS, MISS, QUIET


def _linear(colour: str) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ linear.clip(0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


SEEN_AS = {
    "full colour vision": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Machado, Oliveira and Fernandes (2009), table for severity 1.0."""


@pytest.mark.parametrize("vision", SEEN_AS)
def test_colours_stay_apart_for_colour_blind_readers(vision: str) -> None:
    seen = [_lab(np.array(SEEN_AS[vision]) @ _linear(colour)) for colour in COLOURS.values()]
    nearest = min(np.linalg.norm(one - other) for one, other in combinations(seen, 2))
    assert nearest > 20  # ten times the just noticeable difference of 2.3


def test_colours_stand_out_from_white_and_texts_more_so() -> None:
    def contrast(colour: str) -> float:
        return float(1.05 / (0.05 + np.array([0.2126, 0.7152, 0.0722]) @ _linear(colour)))

    assert min(map(contrast, [*COLOURS.values(), MISS])) > 3  # WCAG 2.2, graphical objects
    assert min(map(contrast, [INK, QUIET])) > 4.5  # WCAG 2.2, text


def test_every_connection_has_its_own_colour_and_marker() -> None:
    assert tuple(COLOURS) == tuple(MARKERS) == bb.CONNECTIONS
    assert len(set(COLOURS.values())) == len(set(MARKERS.values())) == 4
