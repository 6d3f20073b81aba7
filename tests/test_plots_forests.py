"""Forests of means and of contrasts, and the rows of all forests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import distances, summaries
from matplotlib.colors import to_hex
from plot_looks import assert_readable, band_of, legend_names, line, note, row_names

import bayesbias as bb
from bayesbias import plots
from bayesbias.plots.forest_engine import MOST_ROWS, level_rows
from bayesbias.plots.forests import direction
from bayesbias.plots.palette import COLOURS, MARKERS


def test_forest_draws_means_and_intervals_where_the_frame_has_them() -> None:
    frame = summaries()
    ax = plots.forest(frame)
    names = ["all groups", "group: woman", "she", "her", "group: man", "he"]
    assert row_names(ax) == names
    rows = frame.set_index(["protected_group", "protected_word", "connection"])
    keys = [("", ""), ("woman", ""), ("woman", "she"), ("woman", "her"), ("man", ""), ("man", "he")]
    for number, name in enumerate(bb.CONNECTIONS):
        drawn = line(ax, name)
        expected = rows.loc[[(*key, name) for key in keys]]
        assert drawn.get_xdata() == pytest.approx(expected["mean"].to_numpy())
        assert to_hex(drawn.get_color()).upper() == COLOURS[name]
        assert drawn.get_marker() == MARKERS[name]
        offsets = drawn.get_ydata() - ax.get_yticks()
        assert offsets == pytest.approx([0.2 * (number - (len(bb.CONNECTIONS) - 1) / 2)] * 6)
        colours = [to_hex(bar.get_color()[0]).upper() for bar in ax.collections]  # type: ignore[attr-defined]
        bars = ax.collections[colours.index(COLOURS[name])]
        ends = np.array([path.vertices[:, 0] for path in bars.get_paths()])
        assert ends == pytest.approx(expected[["low", "high"]].to_numpy())


def test_forest_stands_upright_with_its_axis_named_and_one_marked() -> None:
    ax = plots.forest(summaries())
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xlabel() == "cosine distance (smaller = closer)"
    low, high = ax.get_xlim()
    assert low < 0.57
    assert high > 1.0
    assert [1.0, 1.0] in [list(each.get_xdata()) for each in ax.get_lines()]
    assert "protected words" in ax.get_title()
    assert legend_names(ax) == list(bb.CONNECTIONS)


@pytest.mark.parametrize(
    ("level", "names"),
    [
        ("overall", ["all groups"]),
        ("group", ["group: woman", "group: man"]),
        ("word", ["group: woman", "she", "her", "group: man", "he"]),
    ],
)
def test_forest_of_one_level(level: str, names: list[str]) -> None:
    ax = plots.forest(summaries(), level=level)
    assert row_names(ax) == names
    drawn = [name for name in names if level != "word" or not name.startswith("group")]
    assert len(line(ax, "human").get_xdata()) == len(drawn)


def test_forest_grows_with_its_words_and_stays_readable() -> None:
    heights = []
    for n_words in (2, 13, 50):
        words = {f"word {number}": f"group {number % 3}" for number in range(n_words)}
        ax = plots.forest(summaries(words))
        assert_readable(ax)
        heights.append(ax.get_figure(root=True).get_figheight())  # type: ignore[union-attr]
    assert heights == sorted(heights)
    assert heights[0] < 6
    assert heights[-1] < 30


def test_forest_of_too_many_words_says_so_and_what_to_choose() -> None:
    frame = summaries({f"word{number}": "few" for number in range(500)})
    ax = plots.forest(frame)
    assert row_names(ax) == ["all groups", "group: few"]
    assert "500 words do not fit into one figure" in note(ax)
    with pytest.raises(ValueError, match=r'500 rows .* choose level="overall" or level="group"'):
        plots.forest(frame, level="word")
    fitting = frame[frame["level"] != "overall"].head(len(bb.CONNECTIONS) * MOST_ROWS)
    assert len(plots.forest(fitting).get_yticks()) == MOST_ROWS


@pytest.mark.parametrize("names", [("associated", "different"), ("associated",), ("neutral",)])
def test_forest_without_some_connections(names: tuple[str, ...]) -> None:
    ax = plots.forest(summaries(connections=names))
    assert legend_names(ax) == list(names)
    assert_readable(ax)


def test_rows_keeps_words_of_one_name_in_two_groups_apart() -> None:
    frame = pd.concat([summaries({"Paris": "cities"}), summaries({"Paris": "names"})])
    plan = level_rows(frame.drop_duplicates(["level", "protected_group", "protected_word"]), "word")
    assert [row.label for row in plan.rows] == ["group: cities", "Paris", "group: names", "Paris"]


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


def test_no_direction_is_certain() -> None:
    right = {0.0: "→ <1%", 0.004: "→ <1%", 0.5: "→ 50%", 0.991: "→ >99%", 1.0: "→ >99%"}
    assert {probability: direction(0.1, probability) for probability in right} == right
    assert direction(-0.1, 0.949) == "← 95%"
