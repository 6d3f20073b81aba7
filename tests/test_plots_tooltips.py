from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from xarray import DataTree

from bayesbias import plots
from bayesbias.plots.tooltips import set_tips, tip, tips_of
from bayesbias.posterior.contrasts import contrasts
from bayesbias.posterior.summaries import scales, summary


def told(ax: plt.Axes) -> dict[str, tuple[float, ...]]:
    """What the points say, and where they are; every point has one text."""
    found = {}
    for line in ax.lines:
        texts = tips_of(line)
        if texts:
            assert len(texts) == len(line.get_xydata())
            found |= dict(zip(texts, map(tuple, line.get_xydata()), strict=True))
    return found


def test_a_tip_tells_who_what_and_where() -> None:
    assert tip("rabbi", "human", 0.9) == "rabbi, human\n0.900"
    assert tip("rabbi", "", -0.0512, -0.1, 0.02) == "rabbi\n−0.051, interval −0.100 to 0.020"


def test_artists_without_tips_have_none() -> None:
    line = Line2D([0, 1], [0, 1])
    assert tips_of(line) == ()
    set_tips(line, iter(["a", "b"]))
    assert tips_of(line) == ("a", "b")


def test_every_point_of_a_forest_says_its_own_number(crossed_posterior: DataTree) -> None:
    frame = summary(crossed_posterior)
    ax = plots.forest(frame)
    found = told(ax)
    assert len(found) == len(frame)
    for text, (x, _) in found.items():
        assert f"\n{x:.3f}, interval " in text
    assert any(text.startswith("hers, neutral\n") for text in found)
    assert any(text.startswith("group: man, human\n") for text in found)
    assert any(text.startswith("all protected words, associated\n") for text in found)
    bars = [tips_of(each) for each in ax.collections if tips_of(each)]
    assert sorted(text for texts in bars for text in texts) == sorted(found)


def test_contrasts_and_scales_say_their_numbers(crossed_posterior: DataTree) -> None:
    found = told(plots.contrast_forest(contrasts(crossed_posterior)))
    assert [text.split("\n")[0] for text in found][:2] == ["all protected words", "group: man"]
    assert all(f"\n{x:.3f}".replace("-", "−") in text for text, (x, _) in found.items())
    frame = scales(crossed_posterior)
    found = told(plots.scales(frame))
    assert len(found) == len(frame)
    assert all(f"\n{x:.3f}, " in text for text, (x, _) in found.items())


def test_neighbours_and_few_distances_say_their_pair(toy_table: pd.DataFrame) -> None:
    found = told(plots.neighbourhood(toy_table, "he"))
    row = toy_table.query("protected_word == 'he' and attribute == 'maid'").iloc[0]
    assert f"maid, different\n{row['cosine_distance']:.3f}" in found
    ax = plots.distributions(toy_table)
    rugs = [text for each in ax.collections for text in tips_of(each)]
    assert len(rugs) == len(toy_table)
    assert f"he – maid, different\n{row['cosine_distance']:.3f}" in rugs
