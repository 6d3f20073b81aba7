"""Plots of scores, on the data that they draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import leaning
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from plot_looks import assert_readable, legend_names, note, row_names

from bayesbias import plots, scores
from bayesbias.plots.palette import COLOURS, GREEN, INK


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """A table of scores with one made-up posterior row."""
    frame = scores.score_table(*leaning(), n_resamples=50, seed=0)
    row = frame[frame["score"] == "mac"].assign(interval="posterior", value=0.9, low=0.8, high=1.1)
    return pd.concat([frame, row], ignore_index=True)


@pytest.fixture(scope="module")
def three() -> pd.DataFrame:
    return scores.score_table(*leaning("xyz", prefix="group "), n_resamples=20, seed=0)


@pytest.fixture(scope="module")
def parts() -> pd.DataFrame:
    names = ["weat", "weam", "ect", "mac", "same"]
    return scores.robustness(
        *leaning(), scores=names, repeats=4, shares=(0.4, 0.8), reference="shuffled", seed=0
    )


@pytest.fixture(scope="module")
def matrix() -> pd.DataFrame:
    vectors, words = leaning()
    return scores.direction_correlations(vectors, zip(*words.groups.values(), strict=True))


def rows_of(ax: Axes) -> dict[str, tuple[float, str]]:
    """Place of the dot and colour, by the label of the row."""
    labels = dict(zip(ax.get_yticks(), row_names(ax), strict=True))
    dots = [each for each in ax.get_lines() if len(each.get_xdata()) == 1]  # type: ignore[arg-type]
    found: dict[str, tuple[float, str]] = {}
    for dot in dots:
        x, y = float(dot.get_xdata()[0]), float(dot.get_ydata()[0])  # type: ignore[index]
        colour = to_hex(dot.get_color())  # type: ignore[arg-type]
        found[labels[y] + (" posterior" if colour.upper() == GREEN else "")] = x, colour
    return found


# --- scores


def test_a_dot_lies_at_its_share_of_the_way_to_the_far_end(table: pd.DataFrame) -> None:
    found = rows_of(plots.scores(table))
    assert len(found) == len(table)
    for row in table.to_dict("records"):
        several = row["score"] in {"weam", "nas", "semaxis", "rnd"}
        label = f"{row['score']}: {row['groups']}" if several else row["score"]
        label += " posterior" if row["interval"] == "posterior" else ""
        away = np.array([row["value"], row["low"], row["high"]]) - row["no_bias"]
        turned = away if row["direction"] == "higher" else -away
        assert found[label][0] == pytest.approx(turned[0] / np.abs(turned).max())


def test_right_is_nearer_to_the_own_stereotype_whatever_the_score(table: pd.DataFrame) -> None:
    found = rows_of(plots.scores(table))
    signs = {name: x > 0 for name, (x, _) in found.items()}
    for name in ("weat", "gweat", "weam: x, y", "weam: y, x", "rnd: x, y", "rnd: y, x", "ect"):
        assert signs[name], name  # the toy's groups lean to their own


def test_no_bias_is_marked_and_every_row_has_its_numbers(table: pd.DataFrame) -> None:
    ax = plots.scores(table)
    assert [0.0, 0.0] in [list(each.get_xdata()) for each in ax.get_lines()]  # type: ignore[arg-type]
    printed = [text.get_text() for text in ax.texts if "[" in text.get_text()]
    assert len(printed) == len(table) + 1  # and the heading of the column
    assert "0.90  [0.80, 1.10]" in printed
    assert [label.get_text() for label in ax.get_xticklabels()][1] == "no bias"
    assert_readable(ax)


def test_rows_stand_under_what_they_mean(table: pd.DataFrame) -> None:
    ax = plots.scores(table)
    texts = [text for text in ax.texts if (text.get_gid() or "").startswith("heading")]
    headings = {text.get_position()[1]: text.get_text() for text in texts}
    assert list(headings.values()) == [f"→ {name}" for name in table["reading"].unique()]
    places = dict(zip(row_names(ax), ax.get_yticks(), strict=True))
    for row in table.to_dict("records"):
        if row["score"] in places:
            above = max(place for place in headings if place < places[row["score"]])
            assert headings[above] == f"→ {row['reading']}"
    assert "ect, rnsb, same, same_stereotype, direct_bias" in note(ax)


def test_posteriors_have_a_marker_and_a_colour_of_their_own(table: pd.DataFrame) -> None:
    ax = plots.scores(table)
    colours = {name: colour for name, (_, colour) in rows_of(ax).items()}
    assert colours["mac"].upper() == INK
    assert colours["mac posterior"].upper() == GREEN
    assert GREEN not in COLOURS.values()
    assert len(legend_names(ax)) == 2
    assert len(legend_names(plots.scores(table[table["interval"] == "bootstrap"]))) == 1


def test_many_groups_are_named_and_readable(three: pd.DataFrame) -> None:
    ax = plots.scores(three)
    assert {"weat: group x, group y", "same"} <= set(row_names(ax))
    assert len(row_names(ax)) == len(three)
    assert_readable(ax)


def test_undefined_scores_are_left_out(table: pd.DataFrame) -> None:
    cut = table.copy()
    cut.loc[cut["score"] == "ripa", ["value", "low", "high"]] = np.nan
    assert "ripa" not in rows_of(plots.scores(cut))


def test_a_score_without_an_interval_and_one_of_no_bias_are_drawn(table: pd.DataFrame) -> None:
    frame = table[table["score"].isin(["weat", "gweat"])].copy()
    frame[["low", "high"]] = np.nan
    frame.loc[frame["score"] == "gweat", "value"] = 0.0
    found = rows_of(plots.scores(frame))
    assert (found["weat"][0], found["gweat"][0]) == (1, 0)


# --- robustness


def test_every_score_has_a_panel_with_its_means_and_bands(parts: pd.DataFrame) -> None:
    ax = plots.robustness(parts)
    titles = [panel.texts[0].get_text() for panel in ax.child_axes]
    assert titles == list(parts["score"].unique())
    for name, panel in zip(titles, ax.child_axes, strict=True):
        own = parts[(parts["score"] == name) & (parts["kind"] == "sublist")]
        curves = {
            (to_hex(each.get_color()).upper(), each.get_label()): each
            for each in panel.get_lines()
            if len(each.get_xdata()) == 3  # type: ignore[arg-type]
        }
        assert len(curves) == own.groupby(["embedding", "groups"]).ngroups
        for (embedding, groups), part in own.groupby(["embedding", "groups"]):
            colour = INK if embedding == "given" else GREEN
            drawn = curves[colour, groups]
            curve = part.sort_values("share")
            assert list(drawn.get_xdata()) == [0.4, 0.8, 1.0]  # type: ignore[arg-type]
            assert drawn.get_ydata() == pytest.approx(curve["mean"].to_numpy())
        ends = {
            round(y, 9) for band in panel.collections for y in band.get_paths()[0].vertices[:, 1]
        }
        assert {round(y, 9) for y in own[["low", "high"]].to_numpy().ravel()} <= ends
    assert_readable(ax)


def test_panels_mark_no_bias_and_lists_without_one_pair(parts: pd.DataFrame) -> None:
    ax = plots.robustness(parts)
    panels = {panel.texts[0].get_text(): panel for panel in ax.child_axes}
    for name, at in (("mac", 1.0), ("ect", 1.0), ("same", 0.0)):
        assert [at, at] in [list(each.get_ydata()) for each in panels[name].get_lines()]  # type: ignore[arg-type]
    left = parts[(parts["kind"] == "leave_one_out") & (parts["score"] == "weat")]
    (dots,) = [each for each in panels["weat"].get_lines() if each.get_label() == "one out"]
    assert dots.get_ydata() == pytest.approx(left["mean"].to_numpy())
    assert min(dots.get_xdata()) > 1  # type: ignore[type-var]


def test_panels_say_how_far_scores_are_off(parts: pd.DataFrame) -> None:
    ax = plots.robustness(parts)
    own = parts[(parts["score"] == "mac") & (parts["embedding"] == "given")].set_index("share")
    (panel,) = [each for each in ax.child_axes if each.texts[0].get_text() == "mac"]
    first, last = own.loc[0.4, "deviation"], own.loc[0.8, "deviation"]
    assert panel.texts[1].get_text() == f"off by {first:.2g} at 40%, {last:.2g} at 80%"
    assert "89%" in note(ax)
    assert "line for each choice of groups" in note(ax)
    assert len(legend_names(ax)) == 3


def test_one_score_alone_and_without_a_reference(parts: pd.DataFrame) -> None:
    frame = parts[(parts["score"] == "same") & (parts["embedding"] != "reference")]
    ax = plots.robustness(frame)
    assert len(ax.child_axes) == 1
    assert "choice of groups" not in note(ax)
    assert_readable(ax)


# --- associations


def test_every_word_of_a_pair_has_a_dot_in_the_row_of_its_group() -> None:
    frame = scores.associations(*leaning("xyz", n=4))
    ax = plots.associations(frame)
    assert row_names(ax) == ["x", "y", "x", "z", "y", "z"]
    rows = [each for each in ax.get_lines() if len(each.get_xdata()) == 4]  # type: ignore[arg-type]
    places = ax.get_yticks()
    parts = frame.groupby(["first", "second", "group"], sort=False)
    for dots, ((_, _, group), part), place in zip(rows, parts, places, strict=True):
        assert dots.get_label() == group
        assert dots.get_xdata() == pytest.approx(np.sort(part["association"]))
        assert np.abs(np.asarray(dots.get_ydata()) - place).max() < 0.2
    means = [each.get_segments()[0][0][0] for each in ax.collections]
    assert means == pytest.approx(parts["association"].mean().to_numpy())
    assert_readable(ax)


def test_pairs_have_their_effect_size_and_order_beside_them() -> None:
    frame = scores.associations(*leaning())
    ax = plots.associations(frame.assign(effect_size=-1.234, separability=0.5))
    texts = [text.get_text() for text in ax.texts]
    assert {"−1.23", "50% in order"} <= set(texts)


# --- directions


def test_cells_show_the_cosines(matrix: pd.DataFrame) -> None:
    ax = plots.direction_correlations(matrix)
    n = len(matrix)
    assert len(ax.patches) == n**2
    assert row_names(ax) == list(matrix.index)
    printed = [text.get_text() for text in ax.texts if text.get_gid() != "subtitle"]
    shown = [float(text.replace("−", "-")) for text in printed]
    assert shown == pytest.approx(matrix.to_numpy().ravel(), abs=0.0051)  # two digits
    for patch, value in zip(ax.patches, matrix.to_numpy().ravel(), strict=True):
        red, _, blue, _ = patch.get_facecolor()  # type: ignore[misc]
        assert (red >= blue) == (value >= 0)
    assert_readable(ax)


def test_the_component_stands_apart_and_is_told_of(matrix: pd.DataFrame) -> None:
    ax = plots.direction_correlations(matrix)
    steps = np.diff(ax.get_yticks())
    assert steps[-1] > 1
    assert steps[:-1] == pytest.approx(np.ones(len(matrix) - 2))
    along = matrix["component"].iloc[:-1]
    assert f"{along.idxmax()} ({along.max():.2f})" in note(ax)
    assert f"least for {along.idxmin()} ({along.min():.2f})" in note(ax)


def test_many_pairs_have_colours_only() -> None:
    vectors, words = leaning(n=22)
    frame = scores.direction_correlations(vectors, zip(*words.groups.values(), strict=True))
    ax = plots.direction_correlations(frame)
    assert len(ax.patches) == 23**2
    assert len(ax.texts) == 1
    assert_readable(ax)


def test_directions_between_groups_have_no_component() -> None:
    vectors, words = leaning("xyz", prefix="group ")
    frame = scores.group_direction_correlations(vectors, words.groups)
    ax = plots.direction_correlations(frame)
    assert row_names(ax) == list(frame.index)
    assert np.diff(ax.get_yticks()) == pytest.approx([1, 1])
    assert "component" not in note(ax)
    assert {label.get_fontweight() for label in ax.get_yticklabels()} == {"normal"}
    assert_readable(ax)
