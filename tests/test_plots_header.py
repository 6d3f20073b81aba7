"""Titles, subtitles and labels that fit."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from plot_looks import TOUCH

from bayesbias.plots.header import header


@pytest.mark.parametrize("across", [1, 3])
def test_a_header_and_the_label_below_are_no_wider_than_the_axes(across: int) -> None:
    wide, plain = "WWW MMM " * 10, "The mean distance of some words. " * 6
    _, axes = plt.subplots(1, across, figsize=(7.6, 9), layout="constrained", squeeze=False)
    for ax in axes.flat:
        ax.set_xlabel(plain)
        header(ax, wide, plain)
    axes[0, 0].figure.draw_without_rendering()
    for ax in axes.flat:
        room = ax.get_window_extent()
        texts = [text for text in ax.texts if text.get_gid() == "subtitle"]
        for text in (*texts, ax.title):
            box = text.get_window_extent()
            assert 0.7 * room.width < box.width <= room.width + TOUCH
        assert ax.xaxis.label.get_window_extent().width <= 1.05 * room.width + TOUCH
        assert texts[0].get_text().split() == plain.split()


def test_a_header_needs_a_figure() -> None:
    _, ax = plt.subplots()
    ax.remove()
    with pytest.raises(ValueError, match="belongs to no figure"):
        header(ax, "title", "subtitle")
