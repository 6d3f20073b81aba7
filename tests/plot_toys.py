"""Arguments for every plot, with any words, and helpers that read drawn Axes."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from builders import keyed, leaning, shares
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import bayesbias as bb
from bayesbias import background, scores
from bayesbias.records.rows import QUANTILES

ODD_WORDS = {
    "$x_1$ and $y": "a_b^2",
    "<script>alert(1)</script>": "a_b^2",
    "pneumonoultramicroscopicsilicovolcanoconiosis" * 4: "$g$",
}

type Case = tuple[tuple[Any, ...], dict[str, Any]]


def of_table(table: pd.DataFrame) -> dict[str, Case]:
    """Return arguments for plots of a table and its posterior."""
    post = bb.fit(table, "paper-figures", draws=100, seed=1)
    return {
        "distributions": ((table, table.assign(cosine_distance=1.0)), {}),
        "neighborhood": ((table, str(table["protected_word"].iloc[0])), {}),
        "forest": ((bb.summary(post),), {"words": True}),
        "contrast_forest": ((bb.contrasts(post),), {"words": True}),
        "scales": ((bb.sd_summary(post),), {}),
        "predictive_check": ((bb.predictive_check(post, by="row", seed=1),), {}),
        "prior_predictive": ((bb.prior_predictive("paper", table, seed=1),), {}),
    }


def of_tables(table: pd.DataFrame) -> dict[str, Case]:
    """Return arguments for plots of one table and of several."""
    own = of_table(table)
    ((contrasts,), _) = own["contrast_forest"]
    moved = 0.05 + 0.03 * np.random.default_rng(2).standard_normal(len(table))
    after = table.assign(cosine_distance=table["cosine_distance"] + moved)
    ranks = pd.DataFrame({"word": table["attribute"].unique()})
    ranks["rank"] = 10 * np.arange(1, len(ranks) + 1)
    names = [str(word) for word in table["protected_word"].unique()]
    dots = pd.DataFrame({"protected_group": ["", *names[:2]], "mean": -0.1})
    dots = dots.assign(low=-0.25, high=0.05)
    quantiles = np.linspace(-0.3, 0.1, 300).reshape(100, 3).T
    dots = pd.concat([dots, pd.DataFrame(quantiles, columns=QUANTILES)], axis=1)
    without = pd.DataFrame({"factor": "protected_word", "name": names, "mean": -0.1})
    without = without.assign(mean_without=[-0.15, -0.05, -0.11][: len(names)], change=0.05)
    ranked = table.assign(attribute_rank=table["attribute"].map(ranks.set_index("word")["rank"]))
    post = bb.fit(ranked, covariates="log_rank_attribute", draws=100, seed=1)
    along = bb.predictions(post, ranked, {"log_rank_attribute": [3, 5]})
    blocks = contrasts.assign(label=contrasts["protected_word"] + contrasts["level"])
    blocks = blocks.assign(pair=contrasts["first"] + contrasts["second"])
    return own | {
        "closeness": ((dots,), {}),
        "heatmap": ((table,), {}),
        "change": ((table, after), {}),
        "influence": ((without,), {}),
        "slope": ((along, ranked), {}),
        "intervals": ((blocks.head(12),), {"by": "pair", "title": "$", "heading": ""}),
        "distances_by_rank": ((table, ranks), {}),
    }


def vocabulary(mark: str = "") -> Any:
    rows = np.random.default_rng(1).standard_normal((500, 6))
    return keyed([f"{mark}w{i}" for i in range(500)], rows)


def rates(mark: str = "", kind: str = "false alarms") -> pd.DataFrame:
    """Return rates of two methods in two scenarios."""
    frame = pd.DataFrame({"scenario": [f"one{mark}", "two"] * 2, "kind": kind})
    frame["method"] = ["weat-p", "weat-p", f"{mark}t-cells", f"{mark}t-cells"]
    frame = frame.assign(rate=[0.05, 0.2, 0.01, 0.3], low=[0.04, 0.18, 0.005, 0.28])
    frame = frame.assign(high=[0.06, 0.22, 0.02, 0.32], nominal=[0.05, 0.05, 0.05, np.nan])
    return frame.assign(n=[2000, 2000, 2000, 500])


def sentences(mark: str = "") -> pd.DataFrame:
    """Return scores of the sentences of pairs, by two models."""
    scores = np.random.default_rng(3).normal(size=(60, 2))
    frame = pd.DataFrame(scores, columns=["stereotypical", "anti_stereotypical"])
    return frame.assign(model=np.repeat([f"{mark}one{mark}", "two"], 30), measure="pll")


def of_vectors(mark: str) -> dict[str, Case]:
    """Return arguments for plots of scores, backgrounds, and rates, with the mark in all words."""
    vectors, listed = leaning(prefix=mark)
    known = vocabulary(mark)
    names = known.index_to_key
    many = background.distributions(known, {f"{mark}one{mark}": (names[:1], names[1:2])})
    ((name, one),) = many.items()
    curves, sets = background.densities(many), {f"{mark}X{mark}": names[9:12], "Y": names[20:22]}
    return {
        "pair_forest": ((shares(mark),), {}),
        "sentence_scores": ((sentences(mark),), {}),
        "scores": ((scores.score_table(vectors, listed, n_resamples=20, seed=0),), {}),
        "background_densities": ((curves,), {}),
        "background_words": ((curves, background.words(one, sets), name), {}),
        "null_distribution": ((np.linspace(-1, 1, 50), 0.7), {"label": f"{mark}d{mark}"}),
        "false_alarms": ((rates(mark),), {}),
        "curves": ((rates(mark).assign(effect=[1, 1, 2, 2]),), {"by": "scenario"}),
    }


TOUCH = 0.5
"""Pixels by which boxes may overlap, because the renderer rounds."""


def line(ax: Axes, label: str) -> Any:
    """Return the only line with a label."""
    (found,) = [each for each in ax.get_lines() if each.get_label() == label]
    return found


def points(ax: Axes) -> set[float]:
    """Return the positions of a forest plot's points, rounded."""
    drawn = [each for each in ax.get_lines() if each.get_linestyle() == "None"]
    values = np.concatenate([np.asarray(each.get_xdata(), dtype=float) for each in drawn])
    return set(values[np.isfinite(values)].round(9))


def bars(ax: Axes) -> set[tuple[float, float]]:
    """Return the ends of a forest plot's horizontal bars in data coordinates, rounded."""
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    inside = [each for each in lines if each.get_transform().contains_branch(ax.transData)]
    parts = [part for each in inside for part in each.get_segments() if len(part) == 2]
    return {(round(start[0], 9), round(end[0], 9)) for start, end in parts if start[1] == end[1]}


def row_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def beside(ax: Axes) -> list[str]:
    """Return the texts to the right of the Axes."""
    right = [text for text in ax.texts if text.get_transform() == ax.get_yaxis_transform()]
    return [text.get_text() for text in right if text.get_position()[0] > 1]


def legend_names(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def shown_texts(ax: Axes) -> list[Text]:
    """Return every visible text of the Axes."""
    hidden: set[Text] = set()
    for axis in (ax.xaxis, ax.yaxis):  # ticks outside the limits are not drawn
        low, high = sorted(axis.get_view_interval())
        outside = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
        hidden |= {label for tick in outside for label in (tick.label1, tick.label2)}
    found = [each for each in ax.findobj(Text) if isinstance(each, Text) and each.get_visible()]
    return [text for text in found if text not in hidden and text.get_text().strip()]


def band_of(ax: Axes) -> tuple[float, float]:
    """Return the ends of the shaded band."""
    (patch,) = [each for each in ax.patches if each.get_gid() == "band"]
    box = patch.get_extents().transformed(ax.transData.inverted())
    return box.x0, box.x1


def assert_readable(*axes: Axes) -> None:
    """Check that texts do not overlap or extend beyond the figure."""
    figure: Any = axes[0].get_figure(root=True)
    figure.canvas.draw()
    texts = [text for ax in axes for text in shown_texts(ax)]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    assert len(boxes) > 3
    for (one, box), (other, another) in combinations(boxes, 2):
        wide = min(box.x1, another.x1) - max(box.x0, another.x0)
        high = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert wide <= TOUCH or high <= TOUCH, f"{one!r} overlaps {other!r}"
    room = Bbox(figure.bbox.padded(TOUCH).get_points())
    for name, box in boxes:
        assert all(room.contains(*corner) for corner in box.corners()), name
