"""Small multiples of a sweep, tested on what they draw."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from plot_looks import legend_names, note

from bayesbias.plots.header import SMALL_SIZE
from bayesbias.plots.small_multiples import MOST_PANELS, MOST_ROWS, small_multiples


def frame_of(
    n_embeddings: int = 2, n_lists: int = 4, n_cards: int = 2, n_seeds: int = 2
) -> pd.DataFrame:
    keys = product(
        [f"e{e}" for e in range(n_embeddings)],
        [f"list $ {w}" for w in range(n_lists)],
        [f"model {c}" for c in range(n_cards)],
        range(n_seeds),
        ("overall", "word"),
        ("associated",),
        ("human", "neutral"),
    )
    columns = ["embedding", "list", "model", "seed", "level", "first", "second"]
    frame = pd.DataFrame(keys, columns=columns)
    mean = np.random.default_rng(3).normal(0, 0.05, len(frame))
    return frame.assign(mean=mean, low=mean - 0.03, high=mean + 0.03)


def panels_of(head: plt.Axes) -> dict[str, plt.Axes]:
    return {str(ax.get_gid()): ax for ax in head.figure.axes if ax is not head}


def points_of(panel: plt.Axes) -> dict[str, list[tuple[float, float]]]:
    return {
        str(line.get_label()): list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        for line in panel.get_lines()
        if str(line.get_label()).startswith("model")
    }


def test_every_cell_is_drawn_once_in_the_panel_of_its_list() -> None:
    frame = frame_of()
    panels = panels_of(small_multiples(frame))
    assert list(panels) == [f"list $ {w}" for w in range(4)]
    wanted = frame[(frame["level"] == "overall") & (frame["second"] == "human")]
    for name, panel in panels.items():
        points = points_of(panel)
        assert list(points) == ["model 0", "model 1"]
        for spec, places in points.items():
            part = wanted[(wanted["list"] == name) & (wanted["model"] == spec)]
            assert [x for x, _ in places] == list(part["mean"])
        assert panel.get_title(loc="left") == name
        everywhere = [y for places in points.values() for _, y in places]
        assert len(set(everywhere)) == len(everywhere) == 8


def test_intervals_are_where_the_frame_says() -> None:
    frame = frame_of(1, 1, 1, 1)
    (panel,) = panels_of(small_multiples(frame, second="neutral")).values()
    row = frame[(frame["level"] == "overall") & (frame["second"] == "neutral")].iloc[0]
    segments = [each for line in panel.collections for each in line.get_segments()]
    assert segments[0][:, 0] == pytest.approx([row["low"], row["high"]])


def test_rows_of_one_embedding_stand_together_and_all_are_in_view() -> None:
    head = small_multiples(frame_of(3, 2, 2, 3))
    for panel in panels_of(head).values():
        low, high = sorted(panel.get_ylim())
        points = points_of(panel)
        assert all(low < y < high for places in points.values() for _, y in places)
        ticks = panel.get_yticks()
        for index, tick in enumerate(ticks):
            own = [y for places in points.values() for _, y in places[3 * index : 3 * index + 3]]
            assert max(abs(y - tick) for y in own) < min(np.diff(ticks)) / 2


def test_panels_share_their_axes_and_label_the_outside_only() -> None:
    panels = list(panels_of(small_multiples(frame_of())).values())
    assert len({panel.get_xlim() for panel in panels}) == 1
    assert len({panel.get_ylim() for panel in panels}) == 1
    left = [bool(panel.yaxis.get_tick_params()["labelleft"]) for panel in panels]
    foot = [bool(panel.xaxis.get_tick_params()["labelbottom"]) for panel in panels]
    assert left == [True, False, False, True]
    assert foot == [False, True, True, True]
    assert [text.get_text() for text in panels[0].get_yticklabels()] == ["e0", "e1"]


@pytest.mark.parametrize("wide", [0.03, 0.07, 0.2, 0.7, 2.0])
@pytest.mark.parametrize("name", ["e", "a rather long name of an embedding "])
def test_tick_labels_of_a_panel_and_its_neighbour_stay_apart(wide: float, name: str) -> None:
    frame = frame_of(2, 3, 1, 1)
    frame["embedding"] = name + frame["embedding"]
    ends = ["mean", "low", "high"]
    frame[ends] = (frame[ends] - 0.05) * wide / np.ptp(frame[ends])
    head = small_multiples(frame, rope=0)
    head.figure.draw_without_rendering()
    labels = [
        label.get_window_extent()
        for panel in panels_of(head).values()
        for label, place in zip(panel.get_xticklabels(), panel.get_xticks(), strict=True)
        if panel.get_xlim()[0] <= place <= panel.get_xlim()[1]
    ]
    gaps = [right.x0 - left.x1 for left, right in pairwise(labels)]
    assert min(gaps) > 0.3 * SMALL_SIZE * head.figure.dpi / 72  # a third of a letter's height


def test_a_cell_without_result_says_so() -> None:
    frame = frame_of(2, 2, 2, 1)
    lost = (frame["embedding"] == "e1") & (frame["list"] == "list $ 1")
    panels = panels_of(small_multiples(frame[~(lost & (frame["model"] == "model 1"))]))
    said = {name: [text.get_text() for text in panel.texts] for name, panel in panels.items()}
    assert said == {"list $ 0": [], "list $ 1": ["no result"]}


def test_the_header_names_pair_interval_and_card() -> None:
    frame = frame_of(1, 1, 1, 1)
    frame.attrs = {"ci_prob": 0.5}
    head = small_multiples(frame, second="neutral", rope=0.1)
    assert head.get_title().replace("\n", " ") == (
        "Associated against neutral attributes: do lists and embeddings agree?"
    )
    for text in ("50% highest-density", "Model: model 0.", "smaller than 0.1"):
        assert text in note(head)
    assert head.get_legend() is None
    assert legend_names(small_multiples(frame_of(1, 1, 3, 1))) == ["model 0", "model 1", "model 2"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="13 lists do not fit"):
        small_multiples(frame_of(1, MOST_PANELS + 1))
    with pytest.raises(ValueError, match="49 embeddings with 1 models do not fit"):
        small_multiples(frame_of(MOST_ROWS + 1, 1, 1, 1))
