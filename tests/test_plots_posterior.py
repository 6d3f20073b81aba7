"""Plots of a posterior: its standard deviations, and observed distances against what it expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import distances
from plot_looks import assert_readable, line, note, row_names

import bayesbias as bb
from bayesbias import plots
from bayesbias.model.spec import load_model, models
from bayesbias.plots.posterior import MEANINGS, _thinned


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return distances()


@pytest.fixture(scope="module")
def posterior(table: pd.DataFrame) -> Any:
    return bb.fit(table, "paper-figures", draws=500, seed=1)


def test_scales_draw_a_row_each_under_headings(posterior: Any) -> None:
    frame = bb.scales(posterior)
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


def test_predictive_check_counts_as_the_checks_do(posterior: Any, table: pd.DataFrame) -> None:
    ax = plots.predictive_check(posterior, ci_prob=0.5)
    counts = bb.check(posterior, ci_probs=[0.5], seed=0).set_index("connection")
    for name in bb.CONNECTIONS:
        inside, outside = (line(ax, f"{name} {where}") for where in ("inside", "outside"))
        assert len(inside.get_xdata()) == counts.loc[name, "n_inside"]
        together = sorted([*inside.get_ydata(), *outside.get_ydata()])
        observed = table.loc[table["connection"] == name, "cosine_distance"]
        assert together == pytest.approx(sorted(observed))
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert labels == [
        f"{name}\n{counts.loc[name, 'coverage']:.0%} inside\n18 rows" for name in bb.CONNECTIONS
    ]
    assert f"{counts.loc['all', 'coverage']:.1%} of all {len(table)}" in note(ax)
    assert_readable(ax)


def test_predictive_check_keeps_connections_in_blocks_of_their_own(posterior: Any) -> None:
    ax = plots.predictive_check(posterior)
    assert ax.get_xlim() == (0, len(bb.CONNECTIONS))
    for block, name in enumerate(bb.CONNECTIONS):
        x = line(ax, f"{name} inside").get_xdata()
        assert ((block < x) & (x < block + 1)).all()


@pytest.mark.parametrize("outside", [0, 1, 330, 3000])
def test_predictive_check_leaves_many_rows_out_evenly(outside: int) -> None:
    inside = np.ones(3000, dtype=bool)
    inside[np.linspace(0, 2999, outside, dtype=int)] = False
    rows = pd.DataFrame({"inside": inside, "position": (np.arange(3000) + 0.5) / 3000})
    drawn = _thinned(rows)
    expected = {0: 0, 1: 1, 330: 22, 3000: 200}[outside]  # a 15th, and one where there is one
    assert (~drawn["inside"]).sum() == expected
    assert drawn["inside"].sum() == pytest.approx(200 - expected, abs=1)  # each is rounded
    assert drawn["position"].is_monotonic_increasing
    assert drawn["position"].diff().max() < 0.015  # three times the mean step of 1/200
    assert _thinned(rows[:200]).equals(rows[:200])


def test_predictive_check_draws_inside_and_outside_alike(posterior: Any) -> None:
    ax = plots.predictive_check(posterior, ci_prob=0.5)
    for name in bb.CONNECTIONS:
        one, other = (line(ax, f"{name} {where}") for where in ("inside", "outside"))
        for trait in ("marker", "markersize", "markeredgewidth", "zorder", "alpha"):
            getter = f"get_{trait}"
            assert getattr(one, getter)() == getattr(other, getter)()
        assert one.get_color() != other.get_color()


def test_prior_predictive_draws_a_row_a_figure(table: pd.DataFrame) -> None:
    frame = bb.prior_predictive("maximal", table, draws=100, seed=1)
    frame.loc[frame["of"] == "neutral", "observed"] = 9.0
    ax = plots.prior_predictive(frame)
    others = [name for name in bb.CONNECTIONS if name != "associated"]
    spreads = ["sd of distances", "sd of words' means", "sd of attributes' means"]
    expected = [each for name in ("mean distance", *spreads) for each in (name, *bb.CONNECTIONS)]
    expected += ["difference of means", *(f"associated - {name}" for name in others)]
    expected += ["correlation of words' means", *(f"associated, {name}" for name in others)]
    assert row_names(ax) == [*expected, "share outside 0 to 2"]
    assert line(ax, "outside").get_xdata() == pytest.approx([9.0] * 4)
    inside = frame["observed"].between(frame["low"], frame["high"])
    assert sorted(line(ax, "inside").get_xdata()) == pytest.approx(
        sorted(frame["observed"][inside])
    )
    assert "89% highest-density intervals of tables drawn from the prior of maximal" in note(ax)
    assert_readable(ax)


def test_prior_predictive_of_nothing_is_refused() -> None:
    frame = bb.prior_predictive("paper", distances(), draws=5, seed=1)
    with pytest.raises(ValueError, match="the frame has no rows to draw"):
        plots.prior_predictive(frame[:0])


def test_predictive_check_of_a_change_says_what_it_shows(change_tree: Any) -> None:
    ax = plots.predictive_check(change_tree)
    assert ax.get_ylabel() == "change of cosine distance"


def test_every_standard_deviation_of_distances_has_words() -> None:
    """Without, the report's table of spreads leaves it out."""
    names = [*models("distance"), *models("change")]
    assert {term.sd for name in names for term in load_model(name).terms} <= set(MEANINGS)
