"""Plots: they are readable with any words, match their frames, and refuse bad ones."""

import re
from collections import defaultdict
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import FunctionType
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from builders import distances, leaning, refused, summaries
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from plot_toys import (
    ODD_WORDS,
    Case,
    assert_readable,
    band_of,
    bars,
    beside,
    legend_names,
    line,
    of_tables,
    of_vectors,
    points,
    rates,
    row_names,
    shown_texts,
    vocabulary,
)

import bayesbias as bb
from bayesbias import background, plots
from bayesbias.plots.curves import BODY
from bayesbias.plots.forests import MEANINGS
from bayesbias.plots.palette import COLORS, GREEN, MARKERS, MISS, TINT
from bayesbias.plots.ridges import RIDGE
from bayesbias.tables.descriptives import contrast_of, mac_band

PLOTS = sorted(name for name, plot in vars(plots).items() if isinstance(plot, FunctionType))
PLOTS.remove("save")


@pytest.fixture(scope="module")
def odd() -> dict[str, Case]:
    table = distances(ODD_WORDS)
    attribute = table["attribute"].replace({"human0": "$\\frac{1}{2}$", "human1": "long" * 60})
    return of_tables(bb.validate_table(table.assign(attribute=attribute))) | of_vectors("$")


POINTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "contrast_forest": lambda frame: contrast_of(frame, "associated", "different")["mean"],
    "influence": lambda frame: frame["mean_without"],
    "prior_predictive": lambda frame: frame["share_below"],
    **dict.fromkeys(("forest", "scales", "intervals", "pair_forest"), lambda frame: frame["mean"]),
}
"""Positions of the points in forest plots."""


DRAWN_BELOW = {
    *("background_densities", "background_words", "change", "closeness", "curves"),
    *("distributions", "false_alarms", "heatmap", "neighborhood", "null_distribution"),
    *("predictive_check", "scores"),
}
"""Plots without points whose numbers other tests read."""


@pytest.mark.seconds
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in DRAWN_BELOW)) for name in PLOTS],
)
def test_odd_words_show_as_they_stand_readably_and_light(name, odd, tmp_path) -> None:
    settings = dict(mpl.rcParams)
    args, options = odd[name]
    ax = getattr(plots, name)(*args, **options)
    assert dict(mpl.rcParams) == settings
    assert ax.get_title(loc="left")
    assert_readable(ax)
    texts = [text for text in shown_texts(ax) if "$" in text.get_text()]
    assert not [text.get_text() for text in texts if text.get_parse_math()]
    (written,) = plots.save(ax, tmp_path / f"{name}.svg")
    assert 0 < written.stat().st_size < 300_000
    tags = [element.tag for element in ElementTree.parse(written).iter()]
    assert not [tag for tag in tags if str(tag).endswith("script")]
    assert plt.get_fignums() == []
    if name in POINTS:
        assert points(ax) == {round(x, 9) for x in POINTS[name](args[0])}


def same(given: Any) -> Any:
    return given


def ninety(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame.assign(scenario=f"s{at}", score=f"s{at}") for at in range(90)])


def in_two_models(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame.assign(model=model) for model in ("a", "b")], ignore_index=True)


REFUSED: list[tuple[str, Callable[[Any], Any], dict[str, object], str]] = [
    ("background_words", lambda frame: frame.assign(experiment="x"), {}, "not include experiment"),
    ("background_densities", lambda f: f.drop(columns="mean"), {}, "missing columns: mean"),
    ("background_words", lambda f: f.drop(columns="mean"), {}, "missing columns: mean"),
    ("curves", lambda f: f.assign(scenario=["one", None] * 2), {}, "no scenario in row 1"),
    ("curves", lambda frame: pd.concat([frame] * 2), {}, "has two values at the same effect"),
    ("distances_by_rank", lambda f: f.assign(attribute="?"), {}, "no attribute in the table has"),
    ("false_alarms", lambda f: f.assign(kind="power"), {}, "has false alarms in 0 scenarios"),
    ("false_alarms", lambda f: pd.concat([f] * 2), {}, "2 rows would be drawn in one place"),
    ("false_alarms", ninety, {}, "in 90 scenarios with 2 methods; a matrix needs"),
    ("closeness", same, {"label": "list"}, r"missing columns: list"),
    ("contrast_forest", in_two_models, {}, r"differ in the column 'model' \(a, b\)"),
    ("forest", in_two_models, {}, r"differ in the column 'model' \(a, b\)"),
    ("forest", lambda frame: frame.drop(columns="connection"), {}, r"missing columns: connection"),
    ("forest", lambda f: f.assign(mean=np.nan), {}, "have no mean or interval"),
    ("forest", lambda f: {}, {}, r"expects a frame, not dict; pass bb\.summary\(posterior\)"),
    ("influence", in_two_models, {}, r"differ in the column 'model' \(a, b\)"),
    ("influence", same, {"most": 0}, "most must be a whole number, 1 or more"),
    ("intervals", lambda f: pd.concat([f.head(2)] * 2), {}, "2 rows would be drawn in one place"),
    ("intervals", lambda f: f.assign(mean=np.nan, low=np.nan, high=np.nan), {}, "no row has a val"),
    ("null_distribution", lambda _: [1.0, np.nan], {}, "needs finite values"),
    ("pair_forest", same, {"quantity": "p"}, "has no quantity 'p'; it has p_ster"),
    ("predictive_check", in_two_models, {}, r"differ in the column 'model' \(a, b\)"),
    ("scales", in_two_models, {}, r"differ in the column 'model' \(a, b\)"),
    ("sentence_scores", lambda f: f.head(2), {}, "needs 3 different scores; .* has 2 on one side"),
    ("sentence_scores", lambda f: f.replace(f.iloc[0, 0], np.nan), {}, "have no score"),
    ("slope", same, {"connection": "asociated"}, "did you mean 'associated'"),
]


@pytest.mark.parametrize(("name", "change", "options", "why"), REFUSED)
def test_what_cannot_be_drawn_is_refused(name, change, options, why, odd) -> None:
    (given, *rest), own = odd[name]
    with pytest.raises((ValueError, TypeError), match=why):
        getattr(plots, name)(change(given), *rest, **(own | options))


def ends(frame: pd.DataFrame, low: str = "low", high: str = "high") -> set[tuple[float, float]]:
    return {(round(a, 9), round(b, 9)) for a, b in frame[[low, high]].to_numpy()}


@pytest.mark.seconds
def test_forest_draws_means_and_intervals_where_the_frame_has_them() -> None:
    frame = summaries()
    ax = plots.forest(frame, words=True)
    assert row_names(ax) == ["all groups", "group: woman", "she", "her", "group: man", "he"]
    for name in bb.CONNECTIONS:
        drawn = line(ax, name)
        assert to_hex(drawn.get_color()).upper() == COLORS[name]
        assert drawn.get_marker() == MARKERS[name]
    assert bars(ax) == ends(frame)
    assert legend_names(ax) == list(bb.CONNECTIONS)
    # If there are too many words, they are left out.
    frame = summaries({f"word{number}": "few" for number in range(500)})
    ax = plots.forest(frame, words=True)
    assert row_names(ax) == ["all groups", "few"]
    refused("500 rows are too many", plots.forest, frame[frame["level"] == "word"])


def test_contrast_forest_draws_the_pair_asked_for_and_its_mirror(odd: dict[str, Case]) -> None:
    ((frame,), _) = odd["contrast_forest"]
    ax = plots.contrast_forest(frame, second="human", rope=0.05, words=True)
    chosen = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    assert points(ax) == set(chosen["mean"].round(9))
    assert bars(ax) == ends(chosen)
    assert band_of(ax) == pytest.approx((-0.05, 0.05))
    turned = plots.contrast_forest(frame, first="human", second="associated", words=True)
    assert points(turned) == {-x for x in points(ax)}
    assert to_hex(line(turned, "human").get_color()).upper() == COLORS["human"]
    # With ranges of reference lists.
    frame = frame.query("level != 'word' and second == 'different'")
    frame = frame.assign(reference_low=-0.3, reference_high=0.4)
    both = pd.concat([frame.assign(match=match) for match in ("frequency", "topics")])
    ax = plots.contrast_forest(both.drop(columns=["p_direction", "first", "second"]))
    ranges = [patch for patch in ax.patches if round(patch.get_width(), 9) == 0.7]  # type: ignore[attr-defined]
    assert len(ranges) == 2 * len(frame)
    means = frame.drop(columns=["first", "second", "estimand"]).assign(connection="associated")
    refused("columns: first, second", plots.contrast_forest, means)


@pytest.mark.parametrize(
    "name", ["closeness", "contrast_forest", "forest", "prior_predictive", "scales", "scores"]
)
def test_frames_from_csv_files_have_the_same_rows(name, odd, tmp_path) -> None:
    """Empty labels of such frames are missing, and nobody knows the kind of their intervals."""
    ((frame, *_), _), path = odd[name], tmp_path / "frame.csv"
    frame.to_csv(path, index=False)
    drawn = [getattr(plots, name)(each) for each in (frame, pd.read_csv(path))]
    assert row_names(drawn[0]) == row_names(drawn[1])
    assert "highest-density" not in " ".join(t.get_text() for t in drawn[1].findobj(Text))


def test_groups_that_differ_in_an_underscore_have_their_own_rows(odd: dict[str, Case]) -> None:
    frame = summaries({"she": "a_b", "he": "a b", "they": "c_d"})
    assert row_names(plots.forest(frame)) == ["all groups", "a_b", "a b", "c d"]
    assert bars(plots.forest(frame)) == ends(frame[frame["level"] != "word"])
    ((dots,), _) = odd["closeness"]
    dots = dots.assign(protected_group=["", "a_b", "c_d"])
    assert row_names(plots.closeness(dots)) == ["all groups", "a b", "c d"]


def test_every_standard_deviation_of_distances_has_words() -> None:
    """Without a label, the report's table of spreads omits it."""
    names = [*bb.models("distance"), *bb.models("change")]
    models = [bb.load_model(name) for name in names]
    sds = {term.sd for model in models for term in model.terms if term.sd not in model.fixed}
    assert sds <= set(MEANINGS)


def test_prior_predictive_marks_figures_outside(odd: dict[str, Case]) -> None:
    frame = odd["prior_predictive"][0][0].copy()
    outside = frame["of"] == "neutral"
    frame.loc[outside, ["observed", "share_below"]] = 9.0, 1.0
    ax = plots.prior_predictive(frame)
    assert line(ax, "outside").get_xdata() == pytest.approx([1.0] * outside.sum())


def test_dots_have_their_mean_and_interval_as_closeness(odd: dict[str, Case]) -> None:
    (frame,), _ = odd["closeness"]
    ax = plots.closeness(frame, title="Religion, in these vectors")
    assert [text.get_text() for text in ax.texts].count("0.10 (−0.05 to 0.25)") == len(frame)
    assert "Religion, in these vectors" in [text.get_text() for text in ax.findobj(Text)]


def test_distributions_shade_the_band_and_print_the_shares() -> None:
    table = distances()
    bands = mac_band(table)
    ax = plots.distributions(table)
    assert band_of(ax) == pytest.approx((bands["band_low"][0], bands["band_high"][0]))
    assert [text for text in beside(ax) if text.endswith("%")] == [
        f"{share:.0%}" for share in bands["share"]
    ]
    areas = []
    for row, name in enumerate(bb.CONNECTIONS):
        x, y = line(ax, name).get_data()
        assert row - 0.75 < y.min() < row
        areas.append(np.trapezoid(row - y, x))
    assert areas == pytest.approx([areas[0]] * len(areas), rel=0.02)  # tails beyond two bandwidths
    notes = [plots.distributions(table, half_width=width).texts[-1] for width in (0, 0.1)]
    assert len({re.sub(r"[\s0-9.]+", "", note.get_text()) for note in notes}) == 1


def test_distributions_of_two_tables_draw_what_both_have() -> None:
    table = distances()
    fewer = table[~table["connection"].isin(["human", "matched"])]
    for tables in ((table, fewer), (fewer, table)):
        with pytest.warns(bb.warnings.LeftOut) as told:
            ax = plots.distributions(*tables)
        assert len(told) == 1
        assert row_names(ax) == ["associated", "different", "neutral"]
        texts = " ".join(text.get_text() for text in ax.texts).replace("\n", " ")
        assert "Left out, because one table lacks it: human, matched." in texts
    own, other = (table[table["connection"] == name] for name in ("associated", "different"))
    refused("no rows in common", plots.distributions, own, other)


def test_pictures_of_a_change_do_not_move_where_no_distance_changed() -> None:
    """The second table lacks a word and is in reverse order."""
    rows = [
        (word, group, f"{name}{at}", name, "associated", 0.0)
        for word, group in {"she": "woman", "her": "woman", "he": "man"}.items()
        for name in "ab"
        for at in range(3)
    ]
    table = pd.DataFrame(rows, columns=list(bb.COLUMNS))
    own = (table["attribute_set"] == "a") == (table["protected_group"] == "woman")
    table["connection"] = np.where(own, "associated", "different")
    table["cosine_distance"] = np.random.default_rng(0).uniform(0.8, 1.1, len(table))
    later = table[table["protected_word"] != "her"][::-1]
    with pytest.warns(bb.warnings.LeftOut) as told:
        ax = plots.change(table, later)
    arrows = [text for text in ax.texts if hasattr(text, "arrow_patch") and text.arrow_patch]
    assert (len(told), len(arrows)) == (1, 6)
    assert all(arrow.xy == arrow.xyann for arrow in arrows)
    assert "closer to woman" in ax.get_xlabel()
    with pytest.warns(bb.warnings.LeftOut) as told:
        ax = plots.distributions(table, later)
    assert len(told) == 1
    for name in ("associated", "different"):
        np.testing.assert_allclose(line(ax, name).get_data(), line(ax, f"{name} before").get_data())


def test_neighborhood_draws_the_nearest_and_the_words_own() -> None:
    table = distances()
    ax = plots.neighborhood(table, "she", most=5)
    rows = table[table["protected_word"] == "she"].sort_values("cosine_distance")
    kept = rows[(np.arange(len(rows)) < 5) | (rows["connection"] == "associated")]
    assert row_names(ax) == kept["attribute"].tolist()
    assert points(ax) == set(kept["cosine_distance"].round(9))


def test_backgrounds_have_their_moments_and_words() -> None:
    vectors = vocabulary()
    pairs = {"1984": (["w1"], ["w2"]), "2": (["w3", "w4"], ["w5"])}
    many, sets = background.distributions(vectors, pairs), {"x": ["w10", "w11"], "y": ["w20"]}
    curves = background.densities(many)
    curves = pd.read_csv(StringIO(curves.to_csv(index=False)))  # names are numbers
    ax = plots.background_densities(curves)
    drawn = [each.get_paths() for each in ax.collections if hasattr(each, "get_segments")]
    places = np.array([path.vertices[0, 0] for paths in drawn for path in paths])
    for row, (name, one) in enumerate(many.items()):
        for expected in (one.mean, one.mean - 1.96 * one.sd, one.mean + 1.96 * one.sd):
            assert np.abs(places - expected).min() < 1e-4
        assert line(ax, name).get_ydata().min() == pytest.approx(row - RIDGE)
    placed = background.words(many["1984"], sets)
    ax = plots.background_words(curves, placed, "1984")
    assert points(ax) == set(placed["psi"].round(9))
    assert band_of(ax) == pytest.approx(tuple(curves[["low", "high"]].iloc[0]))


def test_rows_of_a_score_share_a_scale() -> None:
    frame = bb.scores.score_table(*leaning(), n_resamples=20, seed=0)
    own = frame[frame["score"] == "mac"].assign(interval="posterior", value=0.9, low=0.8, high=1.1)
    frame = pd.concat([frame, own], ignore_index=True)
    texts = dict.fromkeys(frame.select_dtypes(exclude="number"), "category")
    ax = plots.scores(frame.astype(texts))
    away = frame[["value", "low", "high"]].sub(frame["no_bias"], axis=0)
    away = away.mul(np.where(frame["direction"] == "higher", 1, -1), axis=0)
    far = away.abs().max(axis=1).groupby(frame["score"]).transform("max")
    assert points(ax) == set((away["value"] / far).round(9))
    assert to_hex(line(ax, "posterior").get_color()).upper() == GREEN


def test_cells_are_colored_if_a_method_is_wrong_more_often_than_promised() -> None:
    for kind, wrong in (("false alarms", {"20"}), ("coverage", {"1"})):
        mixed = pd.concat([rates(kind=kind), rates(kind="power").assign(scenario="planted")])
        ax = plots.false_alarms(mixed, kind=kind)
        assert row_names(ax) == ["one", "two"]
        cells = {text.get_text(): text.get_position() for text in ax.texts if not text.get_gid()}
        assert cells == {"5": (0, 0), "20": (0, 1), "1": (1, 0), "30": (1, 1)}
        gray = to_rgb(TINT)
        colored = {
            (round(bar.get_x() + bar.get_width() / 2), round(bar.get_y() + 0.46))
            for bar in ax.patches
            if to_rgb(bar.get_facecolor()) != gray
        }
        assert colored == {cells[text] for text in wrong}


def test_curves_join_values_with_bands_and_what_is_promised() -> None:
    frame = pd.DataFrame({"method": ["p"] * 3 + ["q"] * 3, "effect": [0.0, 0.02, 0.04] * 2})
    frame = frame.assign(n_words=[4, 8, 16] * 2, rate=[0.05, 0.4, 0.9, 0.11, 0.5, 0.9])
    frame = frame.assign(low=0.0, high=1.0, nominal=[0.05] * 3 + [0.11] * 3)
    ax = plots.curves(frame)
    assert line(ax, "p").get_xydata().tolist() == [[0, 0.05], [0.02, 0.4], [0.04, 0.9]]
    dashed = [each.get_ydata()[0] for each in ax.lines if each.get_gid() == "nominal"]  # type: ignore[index]
    assert dashed == [0.05, 0.11]
    assert len(ax.collections) == 2


NULL_VALUES = np.random.default_rng(1).normal(0, 0.6, 300)
NULL_VALUES = np.concatenate([NULL_VALUES, -NULL_VALUES, [0.0]])


@pytest.mark.parametrize(
    ("values", "observed"),
    [
        *(([-2.0, -1.0, 0.0, 1.0, 2.0], size) for size in (2.0, 1.0, 0.03, 0.0)),
        *((NULL_VALUES, size) for size in (-0.8, *NULL_VALUES[2:5], np.abs(NULL_VALUES).max())),
    ],
)
def test_a_null_distribution_counts_every_value_and_splits_at_the_observed_one(
    values: Any, observed: float
) -> None:
    ax = plots.null_distribution(values, observed, label="d", bounds=(-1.94, 1.94))
    counts: dict[str, float] = defaultdict(float)
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert len(bars) == len(ax.patches)
    for bar in bars:
        color = to_hex(bar.get_facecolor()).upper()
        counts[color] += bar.get_height()
        if bar.get_height() and color == MISS and abs(observed) > 0.1:  # or a bar has both
            assert abs(bar.get_x() + bar.get_width() / 2) > abs(observed)
    extreme = (np.abs(values) >= abs(observed)).sum()
    assert (counts[BODY], counts[MISS]) == (len(values) - extreme, extreme)
    at = [each.get_xdata()[0] for each in ax.lines]  # type: ignore[index]
    assert at == [observed, -observed, -1.94, 1.94]


def test_points_and_bands_of_a_predictive_check_have_one_order(odd: dict[str, Case]) -> None:
    (frame,), _ = odd["predictive_check"]
    ax = plots.predictive_check(frame)
    widest, narrow = (frame[frame["ci_prob"] == prob].set_index("row") for prob in (0.89, 0.5))
    wide, dots, tight = ax.collections
    order = (widest["low"] + widest["high"]).sort_values(kind="stable").index
    assert dots.get_offsets()[:, 1].tolist() == widest["distance"][order].tolist()  # type: ignore[index]
    for band, part in zip((wide, tight), (widest, narrow), strict=True):
        x, y = band.get_paths()[0].vertices.T  # type: ignore[union-attr]
        at = [y[x == place] for place in range(len(order))]
        assert [(min(here), max(here)) for here in at] == [
            *zip(part["low"][order], part["high"][order], strict=True)
        ]


@pytest.mark.seconds
def test_save_writes_equal_files_and_closes_its_own_figure(tmp_path, monkeypatch) -> None:
    table = distances()
    written = [plots.save(plots.neighborhood(table, "she"), tmp_path / n) for n in ("6B.a", "b")]
    assert [path.name for path in written[0]] == ["6B.a.png", "6B.a.svg"]
    assert written[0][0].read_bytes().startswith(b"\x89PNG")
    assert "Attributes closest to “she”" in written[0][1].read_text(encoding="utf-8")
    for first, second in zip(*written, strict=True):
        assert first.read_bytes() == second.read_bytes()
    assert plt.get_fignums() == []
    figure, ax = plt.subplots()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert plots.save(ax, "~/home.png") == [tmp_path / "home.png"]
    for name in ("mine.png", "v1.5.SVG", "paper.pdf", "paper.eps"):
        assert plots.save(ax, tmp_path / name) == [tmp_path / name]
    first = (tmp_path / "paper.pdf").read_bytes()
    assert plots.save(ax, tmp_path / "paper.pdf")[0].read_bytes() == first
    refused(r"figure\.axes\[0\]", plots.save, figure, tmp_path / "paper.pdf", error=TypeError)
    assert plt.get_fignums() == [figure.number]  # the caller's stays open


def test_what_xml_forbids_is_replaced_before_it_is_drawn(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": ["nur\x01se", "so\ufffen"], "by": "\x9f", "mean": [0.7, 0.9]})
    frame = frame.assign(low=0.1, high=1.0, text="\x02", hue=["\x03", "a"])
    ax = plots.intervals(frame, by="by", hue="hue", title="x\ufffe", note="\x04", heading="y")
    ElementTree.parse(plots.save(ax, tmp_path / "odd.svg")[0])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["nur\ufffdse", "so\ufffdn"]


def test_probabilities_of_intervals_are_not_rounded() -> None:
    row = {"ci_prob": 0.995, "distance": 0.5, "low": 0.4, "high": 0.6, "inside": True}
    ax = bb.plots.predictive_check(pd.DataFrame([row, row]).assign(row=[0, 1]))
    texts = " ".join(text.get_text() for text in ax.figure.findobj(Text))
    assert "99.5%" in texts


def test_only_whole_shares_are_a_hundred_percent() -> None:
    row = {"ci_prob": 0.9, "distance": 0.5, "low": 0.4, "high": 0.6, "inside": True}
    frame = pd.DataFrame([row] * 299 + [row | {"inside": False}]).assign(row=range(300))
    ax = plots.predictive_check(frame)
    texts = [text.get_text() for text in ax.figure.findobj(Text)]
    assert not any("100%" in text for text in texts)
    table = distances(connections=("associated", "different"), n_attributes=300)
    first = table.index == table.index[table["connection"] == "associated"][0]
    spread = np.linspace(0.95, 1.05, len(table))
    table["cosine_distance"] = np.where(first, 1.9, spread)  # outside the band
    for given in ((table,), (table, table)):
        shown = beside(plots.distributions(*given, half_width=0.1))
        almost, whole = (text for text in shown if "%" in text)
        assert "100%" not in almost
        assert {*whole.split(" → ")} == {"100%"}
