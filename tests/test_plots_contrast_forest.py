"""The forest of a contrast."""

from __future__ import annotations

import pandas as pd
import pytest
from builders import distances
from matplotlib.colors import to_hex
from plot_looks import assert_readable, band_of, line, note

import bayesbias as bb
from bayesbias import plots
from bayesbias.plots.forests import direction
from bayesbias.plots.palette import COLOURS


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return bb.contrasts(bb.fit(distances(), "paper-figures", draws=500, seed=1))


def test_contrast_forest_draws_the_pair_asked_for(frame: pd.DataFrame) -> None:
    ax = plots.contrast_forest(frame, rope=0.05)
    chosen = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    assert sorted(line(ax, "associated contrast").get_xdata()) == pytest.approx(
        sorted(chosen["mean"])
    )
    assert band_of(ax) == pytest.approx((-0.05, 0.05))
    assert [0.0, 0.0] in [list(each.get_xdata()) for each in ax.get_lines()]
    assert "0.05" in note(ax)
    assert_readable(ax)


def test_contrast_forest_prints_each_direction_beside_its_row(frame: pd.DataFrame) -> None:
    ax = plots.contrast_forest(frame, level="overall")
    row = frame[(frame["level"] == "overall") & (frame["first"] == "associated")]
    row = row[row["second"] == "human"].iloc[0]
    texts = [text for text in ax.texts if text.get_text()[0] in "←→"]
    assert [text.get_text() for text in texts] == [direction(row["mean"], row["p_direction"])]
    assert texts[0].get_position()[0] > 1


def test_contrast_forest_turned_around_is_its_mirror(frame: pd.DataFrame) -> None:
    one = line(plots.contrast_forest(frame), "associated contrast")
    other = line(plots.contrast_forest(frame, first="human", second="associated"), "human contrast")
    assert list(one.get_xdata()) == pytest.approx([-x for x in other.get_xdata()])
    assert to_hex(other.get_color()).upper() == COLOURS["human"]


def test_contrast_forest_refuses_bad_arguments(frame: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="unknown connection 'humans'; did you mean 'human'"):
        plots.contrast_forest(frame, second="humans")
    with pytest.raises(ValueError, match=r"rope .* \[0, 2\], got -1"):
        plots.contrast_forest(frame, rope=-1)


@pytest.mark.parametrize(
    ("mean", "probability", "text"),
    [(-0.1, 0.949, "← 95%"), (0.1, 0.5, "→ 50%"), (-0.1, 1.0, "← >99%"), (0.2, 0.991, "→ >99%")],
)
def test_direction(mean: float, probability: float, text: str) -> None:
    assert direction(mean, probability) == text
