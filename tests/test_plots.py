from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import bayesbias as bb
from bayesbias import plots
from bayesbias.plots.canvas import header
from bayesbias.plots.contrast_forest import direction
from bayesbias.plots.palette import COLOURS, INK, MARKERS, MISS, QUIET
from bayesbias.plots.predictive_check import _thinned
from bayesbias.plots.rows import MOST_ROWS, layout

TOUCH = 0.5
"""Pixels by which boxes may meet: rounding of the renderer."""


def make_table(
    words: dict[str, str],
    connections: tuple[str, ...] = bb.CONNECTIONS,
    n_attributes: int = 6,
) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    means = dict(zip(bb.CONNECTIONS, (0.75, 0.85, 0.95, 0.9), strict=True))
    rows = [
        (word, group, f"{name}{at}", name, name, means[name] + 0.1 * rng.standard_normal())
        for word, group in words.items()
        for name in connections
        for at in range(n_attributes)
    ]
    return bb.validate(pd.DataFrame(rows, columns=list(bb.COLUMNS)))


def make_summary(words: dict[str, str], connections: tuple[str, ...] = bb.CONNECTIONS) -> Any:
    """A frame like `bb.summary` gives, with means that a test can tell apart."""
    groups = list(dict.fromkeys(words.values()))
    keys = [("overall", "", ""), *(("group", group, "") for group in groups)]
    keys += [("word", group, word) for word, group in words.items()]
    rows = [
        (*key, name, 0.6 + 0.01 * at + 0.1 * number)
        for at, key in enumerate(keys)
        for number, name in enumerate(connections)
    ]
    columns = ["level", "protected_group", "protected_word", "connection", "mean"]
    frame = pd.DataFrame(rows, columns=columns).assign(sd=0.02)
    return frame.assign(low=frame["mean"] - 0.03, high=frame["mean"] + 0.04)


WORDS = {"she": "woman", "he": "man", "her": "woman"}

ODD_WORDS = {
    "$x_1$ and $y": "a_b^2",
    "<script>alert(1)</script>": "a_b^2",
    "pneumonoultramicroscopicsilicovolcanoconiosis" * 4: "$g$",
}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return make_table(WORDS)


@pytest.fixture(scope="module")
def posterior(table: pd.DataFrame) -> Any:
    return bb.fit(table, "paper-figures", draws=500, seed=1)


@pytest.fixture(scope="module")
def frame(posterior: Any) -> pd.DataFrame:
    return bb.contrasts(posterior)


def text_boxes(ax: Axes) -> list[tuple[str, Bbox]]:
    """Every text that shows: title, labels, ticks, legend and notes, with its box in pixels."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    shown = [text for text in ax.findobj(Text) if isinstance(text, Text) and text.get_visible()]
    hidden = _texts_of_ticks_outside(ax)
    return [
        (text.get_text(), text.get_window_extent())
        for text in shown
        if text not in hidden and text.get_text().strip()
    ]


def _texts_of_ticks_outside(ax: Axes) -> set[Text]:
    """Labels that matplotlib keeps but does not draw, since their ticks lie beyond the limits."""
    hidden = set()
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        outside = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        hidden |= {label for tick in outside for label in (tick.label1, tick.label2)}
    return hidden


def assert_readable(ax: Axes) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    boxes = text_boxes(ax)
    assert len(boxes) > 3
    for (one, box), (other, another) in combinations(boxes, 2):
        wide = min(box.x1, another.x1) - max(box.x0, another.x0)
        high = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert wide <= TOUCH or high <= TOUCH, f"{one!r} overlaps {other!r}"
    for name, box in boxes:
        assert box.x0 >= -TOUCH, name
        assert box.y0 >= -TOUCH, name
        assert box.x1 <= figure.bbox.x1 + TOUCH, name
        assert box.y1 <= figure.bbox.y1 + TOUCH, name


def line(ax: Axes, label: str) -> Any:
    (found,) = [each for each in ax.get_lines() if each.get_label() == label]
    return found


def row_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def note(ax: Axes) -> str:
    (found,) = [text for text in ax.texts if text.get_gid() == "subtitle"]
    return " ".join(found.get_text().split())


# --- the palette


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


# --- forest


def test_forest_draws_means_and_intervals_where_the_frame_has_them() -> None:
    frame = make_summary(WORDS)
    ax = plots.forest(frame)
    names = ["all protected words", "group: woman", "she", "her", "group: man", "he"]
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
        assert offsets == pytest.approx([0.2 * (number - 1.5)] * 6)
        bars = [
            bar for bar in ax.collections if to_hex(bar.get_color()[0]).upper() == COLOURS[name]
        ]  # type: ignore[attr-defined]
        ends = np.array([path.vertices[:, 0] for path in bars[0].get_paths()])
        assert ends == pytest.approx(expected[["low", "high"]].to_numpy())


def test_forest_stands_upright_with_its_axis_named_and_one_marked() -> None:
    ax = plots.forest(make_summary(WORDS))
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xlabel() == "cosine distance (smaller = closer)"
    low, high = ax.get_xlim()
    assert low < 0.57
    assert high > 1.0
    assert [1.0, 1.0] in [list(each.get_xdata()) for each in ax.get_lines()]
    assert "protected words" in ax.get_title()
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(bb.CONNECTIONS)


@pytest.mark.parametrize(
    ("level", "names"),
    [
        ("overall", ["all protected words"]),
        ("group", ["group: woman", "group: man"]),
        ("word", ["group: woman", "she", "her", "group: man", "he"]),
    ],
)
def test_forest_of_one_level(level: str, names: list[str]) -> None:
    ax = plots.forest(make_summary(WORDS), level=level)
    assert row_names(ax) == names
    drawn = [name for name in names if level != "word" or not name.startswith("group")]
    assert len(line(ax, "human").get_xdata()) == len(drawn)


def test_forest_grows_with_its_words_and_stays_readable() -> None:
    heights = []
    for n_words in (2, 13, 50):
        words = {f"word {number}": f"group {number % 3}" for number in range(n_words)}
        ax = plots.forest(make_summary(words))
        assert_readable(ax)
        heights.append(ax.get_figure(root=True).get_figheight())  # type: ignore[union-attr]
    assert heights == sorted(heights)
    assert heights[0] < 6
    assert heights[-1] < 30


def test_forest_of_too_many_words_says_so_and_what_to_choose() -> None:
    frame = make_summary({f"word{number}": "few" for number in range(500)})
    ax = plots.forest(frame)
    assert row_names(ax) == ["all protected words", "group: few"]
    assert "500 words do not fit into one figure" in note(ax)
    with pytest.raises(ValueError, match=r'500 rows .* choose level="overall" or level="group"'):
        plots.forest(frame, level="word")
    fitting = frame[frame["level"] != "overall"].head(4 * MOST_ROWS)
    assert len(plots.forest(fitting).get_yticks()) == MOST_ROWS


@pytest.mark.parametrize("names", [("associated", "different"), ("associated",), ("neutral",)])
def test_forest_without_some_connections(names: tuple[str, ...]) -> None:
    ax = plots.forest(make_summary(WORDS, names))
    legend = ax.get_legend()
    assert legend is not None
    assert tuple(text.get_text() for text in legend.get_texts()) == names
    assert_readable(ax)


def test_forest_refuses_what_it_cannot_draw() -> None:
    frame = make_summary(WORDS)
    with pytest.raises(ValueError, match="unknown level 'words'; did you mean 'word'"):
        plots.forest(frame, level="words")
    with pytest.raises(ValueError, match="no rows of level 'word'; it has: overall"):
        plots.forest(frame[frame["level"] == "overall"], level="word")
    with pytest.raises(ValueError, match=r"lacks the column\(s\) connection"):
        plots.forest(frame.drop(columns="connection"))
    frame.loc[3, "mean"] = np.nan
    with pytest.raises(ValueError, match=r"1 row\(s\) of the frame lack a mean"):
        plots.forest(frame)


def test_layout_keeps_words_of_one_name_in_two_groups_apart() -> None:
    frame = pd.concat([make_summary({"Paris": "cities"}), make_summary({"Paris": "names"})])
    plan = layout(frame.drop_duplicates(["level", "protected_group", "protected_word"]), "word")
    assert [row.label for row in plan.rows] == ["group: cities", "Paris", "group: names", "Paris"]


# --- contrasts


def test_contrast_forest_draws_the_pair_asked_for(frame: pd.DataFrame) -> None:
    ax = plots.contrast_forest(frame, rope=0.05)
    chosen = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    assert sorted(line(ax, "associated contrast").get_xdata()) == pytest.approx(
        sorted(chosen["mean"])
    )
    (rope,) = [patch for patch in ax.patches if patch.get_gid() == "rope"]
    box = rope.get_extents().transformed(ax.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((-0.05, 0.05))
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


# --- neighbourhood


def test_neighbourhood_draws_every_attribute_once_at_its_distance(table: pd.DataFrame) -> None:
    ax = plots.neighbourhood(table, "she", most=20)
    rows = table[table["protected_word"] == "she"].set_index("attribute")["cosine_distance"]
    assert len(row_names(ax)) == 20
    places = dict(zip(row_names(ax), ax.get_yticks(), strict=True))
    for name in bb.CONNECTIONS:
        drawn = line(ax, name)
        at = {y: x for x, y in zip(drawn.get_xdata(), drawn.get_ydata(), strict=True)}
        for attribute in [word for word in places if word.startswith(name)]:
            assert at[places[attribute]] == pytest.approx(rows[attribute])
    assert "All 12 stereotype attributes and the nearest 8 of 12 control attributes" in note(ax)
    assert ax.get_title() == "The attributes around “she”"
    assert_readable(ax)


def test_neighbourhood_without_controls_and_with_very_many() -> None:
    few = make_table(WORDS, ("associated", "different"), 2)
    assert note(plots.neighbourhood(few, "he")).startswith("All 4 stereotype attributes, nearest")
    many = plots.neighbourhood(make_table(WORDS, ("associated", "different"), 200), "he")
    assert len(row_names(many)) == 150
    assert "Only the nearest 150 of these fit" in note(many)
    assert_readable(many)


def test_neighbourhood_of_an_unknown_word(table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="unknown protected word 'hers'; did you mean 'her'"):
        plots.neighbourhood(table, "hers")


# --- distributions


def test_distributions_shade_the_band_and_print_the_shares(table: pd.DataFrame) -> None:
    from bayesbias.tables.descriptives import mac_band

    bands = mac_band(table)
    ax = plots.distributions(table)
    (band,) = [patch for patch in ax.patches if patch.get_gid() == "band"]
    box = band.get_extents().transformed(ax.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((bands["band_low"][0], bands["band_high"][0]))
    printed = [text.get_text() for text in ax.texts if text.get_text().endswith("%")]
    assert printed == [f"{share:.0%}" for share in bands["share"]]
    assert row_names(ax) == list(bb.CONNECTIONS)
    assert_readable(ax)


def test_ridges_of_equal_area_do_not_reach_their_neighbours(table: pd.DataFrame) -> None:
    ax = plots.distributions(table)
    areas = []
    for row, name in enumerate(bb.CONNECTIONS):
        x, y = line(ax, name).get_data()
        assert row - 0.75 < y.min() < row
        areas.append(np.trapezoid(row - y, x))
    assert areas == pytest.approx([areas[0]] * 4, rel=0.02)  # tails beyond two bandwidths


def test_distributions_of_few_rows_have_a_rug_only() -> None:
    ax = plots.distributions(make_table({"she": "woman"}, ("associated", "human"), 2))
    assert row_names(ax) == ["associated", "human"]
    assert not [each for each in ax.get_lines() if each.get_label() in bb.CONNECTIONS]
    assert_readable(ax)


# --- predictive check and scales


def test_predictive_check_counts_as_the_checks_do(posterior: Any, table: pd.DataFrame) -> None:
    ax = plots.predictive_check(posterior, ci_prob=0.5)
    counts = bb.check(posterior, ci_probs=[0.5]).set_index("connection")
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
    assert f"{counts.loc['all', 'coverage']:.1%} of all 72" in note(ax)
    assert_readable(ax)


def test_predictive_check_keeps_connections_in_blocks_of_their_own(posterior: Any) -> None:
    ax = plots.predictive_check(posterior)
    assert ax.get_xlim() == (0, 4)
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


def test_scales_tell_degrees_of_freedom_in_words(posterior: Any) -> None:
    tails = {"parameter": "nu", "of": "", "mean": 7.2, "sd": 1, "low": 5.1, "high": 9.4}
    one = {"parameter": "sigma", "of": "", "mean": 0.2, "sd": 0, "low": 0.1, "high": 0.3}
    ax = plots.scales(pd.DataFrame([one, tails]))
    assert row_names(ax) == ["between single distances"]
    assert "Tails: 7 degrees of freedom (5 to 9)" in note(ax)
    with pytest.raises(ValueError, match="no standard deviations to draw"):
        plots.scales(pd.DataFrame([tails]))


# --- all plots


PLOTS = [
    "forest",
    "contrast_forest",
    "neighbourhood",
    "distributions",
    "predictive_check",
    "scales",
]


def draw(name: str, table: pd.DataFrame, posterior: Any, ax: Axes | None = None) -> Axes:
    word = str(table["protected_word"].iloc[0])
    made: Axes = {
        "forest": lambda: plots.forest(bb.summary(posterior), ax=ax),
        "contrast_forest": lambda: plots.contrast_forest(bb.contrasts(posterior), ax=ax),
        "neighbourhood": lambda: plots.neighbourhood(table, word, ax=ax),
        "distributions": lambda: plots.distributions(table, ax=ax),
        "predictive_check": lambda: plots.predictive_check(posterior, ax=ax),
        "scales": lambda: plots.scales(bb.scales(posterior), ax=ax),
    }[name]()
    return made


@pytest.mark.parametrize("name", PLOTS)
def test_plots_draw_on_the_axes_given_and_change_no_setting(
    name: str, table: pd.DataFrame, posterior: Any
) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(13, 8), layout="constrained")
    settings = dict(mpl.rcParams)
    assert draw(name, table, posterior, axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert dict(mpl.rcParams) == settings
    assert plt.get_fignums() == [figure.number]
    assert axes[1].get_title()


def test_plots_that_share_a_figure_stay_readable(table: pd.DataFrame, posterior: Any) -> None:
    _, axes = plt.subplots(2, 2, figsize=(13, 12), layout="constrained")
    names = ["forest", "contrast_forest", "distributions", "predictive_check"]
    for name, ax in zip(names, axes.flat, strict=True):
        draw(name, table, posterior, ax)
    for ax in axes.flat:
        assert_readable(ax)


@pytest.fixture(scope="module")
def odd() -> tuple[pd.DataFrame, Any]:
    table = make_table(ODD_WORDS)
    attribute = table["attribute"].replace({"human0": "$\\frac{1}{2}$", "human1": "long" * 60})
    table = bb.validate(table.assign(attribute=attribute))
    return table, bb.fit(table, "paper-figures", draws=500, seed=1)


@pytest.mark.parametrize("name", PLOTS)
def test_odd_words_show_as_they_stand(
    name: str, odd: tuple[pd.DataFrame, Any], tmp_path: Path
) -> None:
    ax = draw(name, *odd)
    assert_readable(ax)
    texts = ax.findobj(Text)
    assert not [
        text.get_text()
        for text in texts
        if isinstance(text, Text) and "$" in text.get_text() and text.get_parse_math()
    ]
    svg = plots.save(ax, tmp_path / name)[1]
    assert not [node for node in ElementTree.parse(svg).iter() if node.tag.endswith("script")]


def test_long_words_are_cut_and_odd_ones_are_whole(odd: tuple[pd.DataFrame, Any]) -> None:
    names = row_names(draw("forest", *odd))
    assert "$x_1$ and $y" in names
    assert "<script>alert(1)</script>" in names
    assert "group: $g$" in names
    assert max(map(len, names)) == 26
    assert sum(name.endswith("…") for name in names) == 1


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


# --- saving


def test_save_writes_both_kinds_and_closes_its_own_figure(
    tmp_path: Path, table: pd.DataFrame
) -> None:
    ax = plots.neighbourhood(table, "she")
    written = plots.save(ax, tmp_path / "glove.6B")
    assert [path.name for path in written] == ["glove.6B.png", "glove.6B.svg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(p.name for p in written)
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(written[1]).getroot().tag.endswith("svg")
    assert "The attributes around “she”" in written[1].read_text(encoding="utf-8")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", ["forest.png", "forest.SVG", "v1.5.svg"])
def test_save_takes_a_name_with_its_ending(tmp_path: Path, table: pd.DataFrame, name: str) -> None:
    written = plots.save(plots.distributions(table), tmp_path / name)
    assert written == [tmp_path / name] == list(tmp_path.iterdir())
    start = b"\x89PNG" if name.endswith("png") else b"<?xml"
    assert written[0].read_bytes().startswith(start)


def test_save_leaves_the_callers_figure_open(tmp_path: Path, table: pd.DataFrame) -> None:
    figure, ax = plt.subplots(figsize=(8, 10))
    plots.save(plots.neighbourhood(table, "she", ax=ax), tmp_path / "mine")
    assert plt.get_fignums() == [figure.number]


def test_equal_plots_give_equal_files(tmp_path: Path, table: pd.DataFrame) -> None:
    one, other = (
        plots.save(plots.distributions(table), tmp_path / name) for name in ("one", "other")
    )
    for first, second in zip(one, other, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_save_says_where_there_is_no_folder(tmp_path: Path, table: pd.DataFrame) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        plots.save(plots.neighbourhood(table, "she"), tmp_path / "nowhere" / "plot")


def test_importing_plots_does_not_import_matplotlib() -> None:
    code = "import sys, bayesbias.plots; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# --- published tables


@pytest.mark.parametrize("name", ["religion_group_reddit_dataset", "weat_1_reddit"])
def test_published_tables_are_drawn_readably_and_light(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of missing words
        table = bb.read_table(shared_data / "paper_tables" / f"{name}.csv")
    posterior = bb.fit(table, "paper-figures", seed=1)
    for plot in PLOTS:
        ax = draw(plot, table, posterior)
        assert_readable(ax)
        for path in plots.save(ax, tmp_path / plot):
            assert path.stat().st_size < 300_000, path.name
