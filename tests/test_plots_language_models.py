"""Plots of sentence pairs: what is drawn is what the frames say."""

import numpy as np
import pandas as pd
from builders import orders, refused, shares
from plot_looks import row_names

import bayesbias as bb


def test_a_forest_has_a_block_a_type_and_a_row_a_model() -> None:
    ax = bb.plots.pair_forest(shares())
    assert row_names(ax) == ["all bias types", "one", "two", "age", "one", "two"]
    (points,) = [each for each in ax.get_lines() if each.get_label() == "share"]
    np.testing.assert_allclose(points.get_xdata(), [0.4, 0.7, 0.4, 0.7])
    refused(
        "has no quantity 'standardised'", bb.plots.pair_forest, shares(), quantity="standardised"
    )


def test_densities_are_those_of_normals() -> None:
    rng = np.random.default_rng(1)
    paired = pd.DataFrame({"model": "one", "measure": "pll"}, index=range(300))
    paired["stereotypical"] = rng.normal(-30, 5, 300)
    paired["anti_stereotypical"] = rng.normal(-31, 6, 300)
    ax = bb.plots.score_densities(paired)
    curve, bars = ax.get_lines()[0], ax.patches[:40]
    x, y = curve.get_data()
    mean = paired["stereotypical"].mean()
    assert x[np.argmax(y)] == np.clip(x[np.argmax(y)], mean - 0.5, mean + 0.5)
    area = sum(bar.get_width() * bar.get_height() for bar in bars)
    np.testing.assert_allclose([area, np.trapezoid(y, x)], 1, atol=1e-3)  # to 4 sds
    both = pd.concat([paired, paired.assign(model="two")])
    refused("one model and measure; got 600 of 2", bb.plots.score_densities, both)


def test_curves_of_orders_are_those_of_the_frame() -> None:
    frame = orders()
    ax = bb.plots.order_robustness(frame)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(lines) == ["percentage", "kls", "jss"]
    np.testing.assert_allclose(lines["jss"].get_xdata(), [30, 60, 80])
    np.testing.assert_allclose(lines["jss"].get_ydata(), [0.6, 0.8, 0.9])
    both = pd.concat([frame, frame.assign(measure="cps")])
    refused("give the rows of one measure; got 2", bb.plots.order_robustness, both)
