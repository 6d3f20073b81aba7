"""The standard deviations of a model."""

from __future__ import annotations

import pandas as pd
import pytest
from builders import distances
from plot_looks import assert_readable, note, row_names

import bayesbias as bb
from bayesbias import plots


def test_scales_draw_a_row_each_under_headings() -> None:
    frame = bb.scales(bb.fit(distances(), "paper-figures", draws=500, seed=1))
    ax = plots.scales(frame)
    assert row_names(ax) == [
        "between protected words",
        *bb.CONNECTIONS,
        "between single distances",
        *bb.CONNECTIONS,
    ]
    drawn = [each.get_xdata()[0] for each in ax.get_lines() if each.get_label() in bb.CONNECTIONS]
    assert drawn == pytest.approx(frame["mean"].tolist())
    assert ax.get_xlim()[0] == 0
    assert_readable(ax)


def test_scales_tell_degrees_of_freedom_in_words() -> None:
    tails = {"parameter": "nu", "of": "", "mean": 7.2, "sd": 1, "low": 5.1, "high": 9.4}
    one = {"parameter": "sigma", "of": "", "mean": 0.2, "sd": 0, "low": 0.1, "high": 0.3}
    ax = plots.scales(pd.DataFrame([one, tails]))
    assert row_names(ax) == ["between single distances"]
    assert "Tails: 7 degrees of freedom (5 to 9)" in note(ax)
    with pytest.raises(ValueError, match="no standard deviations to draw"):
        plots.scales(pd.DataFrame([tails]))
