"""What plots draw is what their frames hold, where they hold it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import distances, leaning, shares, summaries
from gensim.models import KeyedVectors
from matplotlib.colors import to_hex
from plot_looks import (
    assert_readable,
    band_of,
    bars,
    beside,
    headings,
    legend_names,
    line,
    note,
    points,
    row_names,
)

import bayesbias as bb
from bayesbias import background, comparison, plots
from bayesbias.plots.curves import BODY
from bayesbias.plots.forests import MEANINGS
from bayesbias.plots.frame import percent
from bayesbias.plots.palette import COLOURS, GREEN, INK, MARKERS, MISS
from bayesbias.plots.ridges import RIDGE
from bayesbias.tables.descriptives import mac_band

TABLE = distances()


@pytest.fixture(scope="module")
def posterior() -> Any:
    return bb.fit(TABLE, "paper-figures", draws=100, seed=1)


def ends(frame: pd.DataFrame, low: str = "low", high: str = "high") -> set[tuple[float, float]]:
    return {(round(a, 9), round(b, 9)) for a, b in frame[[low, high]].to_numpy()}


# --- rows


def test_forest_draws_means_and_intervals_where_the_frame_has_them() -> None:
    frame = summaries()
    ax = plots.forest(frame, words=True)
    assert row_names(ax) == ["all groups", "group: woman", "she", "her", "group: man", "he"]
    rows = frame.set_index(["protected_group", "protected_word", "connection"])
    keys = [("", ""), ("woman", ""), ("woman", "she"), ("woman", "her"), ("man", ""), ("man", "he")]
    for name in bb.CONNECTIONS:
        drawn = line(ax, name)
        expected = rows.loc[[(*key, name) for key in keys]]
        assert drawn.get_xdata() == pytest.approx(expected["mean"].to_numpy())
        assert to_hex(drawn.get_color()).upper() == COLOURS[name]
        assert drawn.get_marker() == MARKERS[name]
    assert bars(ax) == ends(frame)
    assert legend_names(ax) == list(bb.CONNECTIONS)


def test_forest_grows_with_its_words_and_leaves_too_many_out() -> None:
    ax = plots.forest(summaries({f"word {n}": f"group {n % 3}" for n in range(50)}), words=True)
    assert_readable(ax)
    assert 6 < ax.get_figure(root=True).get_figheight() < 33  # type: ignore[union-attr]
    frame = summaries({f"word{number}": "few" for number in range(500)})
    ax = plots.forest(frame, words=True)
    assert row_names(ax) == ["all groups", "group: few"]
    assert "500 words do not fit into one figure" in note(ax)
    with pytest.raises(ValueError, match="500 rows do not fit"):
        plots.forest(frame[frame["level"] == "word"])


# --- differences


def test_contrast_forest_draws_the_pair_asked_for_and_its_mirror(posterior: Any) -> None:
    frame = bb.contrasts(posterior)
    ax = plots.contrast_forest(frame, second="human", rope=0.05, words=True)
    chosen = frame[(frame["first"] == "associated") & (frame["second"] == "human")]
    assert points(ax) == set(chosen["mean"].round(9))
    assert bars(ax) == ends(chosen)
    assert band_of(ax) == pytest.approx((-0.05, 0.05))
    turned = plots.contrast_forest(frame, first="human", second="associated", words=True)
    assert points(turned) == {-x for x in points(ax)}
    assert to_hex(line(turned, "human").get_color()).upper() == COLOURS["human"]
    row = chosen[chosen["level"] == "overall"].iloc[0]
    arrow = "←" if row["mean"] < 0 else "→"
    assert beside(ax)[0] == f"{arrow} {percent(row['p_direction'])}"


def test_contrasts_stand_over_ranges_of_reference_lists(posterior: Any) -> None:
    frame = bb.contrasts(posterior).query("level != 'word' and second == 'different'")
    frame = frame.assign(reference_low=-0.3, reference_high=0.4, thin=frame["level"] == "group")
    both = pd.concat([frame.assign(match=match) for match in ("frequency", "topics")])
    bare = both.drop(columns=["p_direction", "first", "second"])
    ax = plots.contrast_forest(bare)
    ranges = [patch for patch in ax.patches if round(patch.get_width(), 9) == 0.7]  # type: ignore[attr-defined]
    assert len(ranges) == 2 * len(frame)
    assert len([name for name in legend_names(ax) if name.startswith("95% of lists")]) == 2
    assert sum(name.endswith("†") for name in row_names(ax)) == 2


RANKS = pd.DataFrame({"wordlist": ["", "one"], "embedding": ["e", "e"], "p_most": [0.999, 0.3]})
RANKS = RANKS.assign(mean=-0.1, low=-0.2, high=0.1)
RANKS = RANKS.assign(raw_mean=[-0.15, np.nan], raw_low=[-0.3, np.nan], raw_high=[0.0, np.nan])
SDS = pd.DataFrame({"parameter": ["sigma", "nu"], "of": "", "mean": [0.2, 7.2]})
SDS = SDS.assign(low=[0.1, 5.1], high=[0.3, 9.4])
WORD_HEADS = ["group: woman", "group: man"]


def case(ax: Any, points: Any = None, **expected: Any) -> dict[str, Any]:
    """What a plot shows: where its points are, and whatever else is named."""
    return {"ax": ax, "points": points, **expected}


def cases(change_tree: Any, posterior: Any) -> dict[str, dict[str, Any]]:
    changes, orders = comparison.changes(change_tree), comparison.order_changes(change_tree)
    sds = bb.sd_summary(posterior)
    return {
        "groups": case(plots.forest(summaries()), rows=["all groups", *WORD_HEADS], heads=[]),
        "words": case(
            plots.forest(summaries().query("level == 'word'")),
            rows=["she", "her", "he"],
            heads=WORD_HEADS,
        ),
        "changes": case(
            plots.change_forest(changes, rope=0.03, words=True),
            changes["mean"],
            band=(-0.03, 0.03),
        ),
        "orders": case(
            plots.order_forest(orders, words=True),
            pd.concat([orders["before"], orders["after"]]),
            bars=ends(orders, "before_low", "before_high")
            | ends(orders, "after_low", "after_high"),
            beside={*map(percent, orders["p_turned"])},
            legend=["before", "after", f"smaller than {orders.attrs['rope']:.2g}: none"],
        ),
        "ranks": case(
            plots.rank_forest(RANKS),
            bars={(-0.2, 0.1), (-0.3, 0.0)},
            beside={">99%", "30%"},
            heads=["all", "one"],
        ),
        "scales": case(
            plots.scales(sds),
            sds["mean"],
            rows=[*bb.CONNECTIONS] * 2,
            heads=["between protected words", "between single distances"],
        ),
        "tails": case(
            plots.scales(SDS),
            rows=["between single distances"],
            note="Tails: 7 degrees of freedom (5 to 9)",
        ),
        "pairs": case(
            plots.pair_forest(shares()),
            pd.Series([0.4, 0.7]),
            rows=["one", "two", "one", "two"],
            heads=["all bias types", "age"],
        ),
    }


def test_rows_are_where_the_frames_have_them(change_tree: Any, posterior: Any) -> None:
    read = {"rows": row_names, "heads": headings, "legend": legend_names, "bars": bars}
    for name, expected in cases(change_tree, posterior).items():
        ax = expected.pop("ax")
        if (values := expected.pop("points")) is not None:
            assert points(ax) == set(values.round(9)), name
        assert expected.pop("beside", set()) <= set(beside(ax)), name
        assert expected.pop("note", "") in note(ax), name
        if (band := expected.pop("band", None)) is not None:
            assert band_of(ax) == pytest.approx(band), name
        for part, value in expected.items():
            assert read[part](ax) == value, (name, part)


# --- spreads and checks


def test_every_standard_deviation_of_distances_has_words() -> None:
    """Without, the report's table of spreads leaves it out."""
    names = [*bb.models("distance"), *bb.models("change")]
    models = [bb.load_model(name) for name in names]
    sds = {term.sd for model in models for term in model.terms if term.sd not in model.fixed}
    assert sds <= set(MEANINGS)


def test_prior_predictive_marks_figures_outside() -> None:
    frame = bb.prior_predictive("maximal", TABLE, draws=100, seed=1)
    outside = frame["of"] == "neutral"
    frame.loc[outside, ["observed", "share_below"]] = 9.0, 1.0
    ax = plots.prior_predictive(frame)
    assert line(ax, "outside").get_xdata() == pytest.approx([1.0] * 4)
    assert points(ax) == set(frame["share_below"].round(9))
    assert "among tables drawn from the prior of maximal" in note(ax)


# --- distances and words


def test_distributions_shade_the_band_and_print_the_shares() -> None:
    bands = mac_band(TABLE)
    ax = plots.distributions(TABLE)
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
    ax = plots.distributions(TABLE, TABLE.assign(cosine_distance=1.0), half_width=0.1)
    assert band_of(ax) == pytest.approx((0.9, 1.1))
    assert "human before" in {curve.get_label() for curve in ax.lines}
    shares = mac_band(TABLE, 0.1)["share"]
    assert beside(ax)[: len(shares)] == [f"{share:.0%} → 100%" for share in shares]


def test_neighbourhood_draws_the_nearest_and_the_words_own() -> None:
    ax = plots.neighbourhood(TABLE, "she", most=5)
    rows = TABLE[TABLE["protected_word"] == "she"].sort_values("cosine_distance")
    kept = rows[(np.arange(len(rows)) < 5) | (rows["connection"] == "associated")]
    assert row_names(ax) == kept["attribute"].tolist()
    assert points(ax) == set(kept["cosine_distance"].round(9))
    assert f"The nearest 5 of {len(rows)}" in note(ax)


def test_backgrounds_have_their_moments_and_words() -> None:
    vectors = KeyedVectors(6)
    words = [f"w{i}" for i in range(500)]
    vectors.add_vectors(words, np.random.default_rng(1).standard_normal((500, 6)))
    pairs = {"one": (["w1"], ["w2"]), "two": (["w3", "w4"], ["w5"])}
    many, sets = background.distributions(vectors, pairs), {"x": ["w10", "w11"], "y": ["w20"]}
    curves = background.densities(many)
    ax = plots.background_densities(curves)
    assert row_names(ax) == ["one", "two"]
    drawn = [each.get_paths() for each in ax.collections if hasattr(each, "get_segments")]
    places = np.array([path.vertices[0, 0] for paths in drawn for path in paths])
    for row, (name, one) in enumerate(many.items()):
        for expected in (one.mean, one.mean - 1.96 * one.sd, one.mean + 1.96 * one.sd):
            assert np.abs(places - expected).min() < 1e-4
        assert line(ax, name).get_ydata().min() == pytest.approx(row - RIDGE)
    placed = background.words(many["one"], sets)
    ax = plots.background_words(curves, placed, "one")
    assert set(row_names(ax)) == {"w10", "w11", "w20"}
    assert len(row_names(plots.background_words(curves, placed, "one", most=1))) == 2
    assert points(ax) == set(placed["psi"].round(9))
    assert band_of(ax) == pytest.approx(tuple(curves.attrs["ticks"]["one"]))
    bias = many["one"].relative_bias(*sets.values(), n_resamples=300, seed=1)
    ax = plots.relative_bias(bias, labels=("x", "y"))
    assert line(ax, "observed").get_xdata()[0] == bias.statistic
    assert sum(patch.get_height() for patch in ax.patches[:-1]) == 300  # type: ignore[attr-defined]
    assert f"share of {bias.p_simulated():.2g}" in note(ax)


# --- scores and rates


def test_rows_of_a_score_share_a_scale() -> None:
    frame = bb.scores.score_table(*leaning(), n_resamples=20, seed=0)
    own = frame[frame["score"] == "mac"].assign(interval="posterior", value=0.9, low=0.8, high=1.1)
    frame = pd.concat([frame, own], ignore_index=True)
    ax = plots.scores(frame)
    away = frame[["value", "low", "high"]].sub(frame["no_bias"], axis=0)
    away = away.mul(np.where(frame["direction"] == "higher", 1, -1), axis=0)
    far = away.abs().max(axis=1).groupby(frame["score"]).transform("max")
    assert points(ax) == set((away["value"] / far).round(9))
    assert "mac → closer to all stereotypes" in headings(ax)
    assert "0.90  [0.80, 1.10]" in beside(ax)
    assert to_hex(line(ax, "posterior").get_color()).upper() == GREEN


def rates(kind: str = "false alarms") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "scenario": ["one", "two", "one", "two"],
            "method": ["weat-p", "weat-p", "t-cells", "t-cells"],
            "kind": kind,
            "rate": [0.05, 0.2, 0.01, 0.3],
            "low": [0.04, 0.18, 0.005, 0.28],
            "high": [0.06, 0.22, 0.02, 0.32],
            "nominal": [0.05, 0.05, 0.05, np.nan],
            "n": [2000, 2000, 2000, 500],
        }
    )


@pytest.mark.parametrize(
    ("kind", "more"), [("false alarms", MISS), ("coverage", COLOURS["different"])]
)
def test_false_alarms_and_coverage_are_coloured_by_what_is_promised(kind: str, more: str) -> None:
    mixed = pd.concat([rates(kind), rates("power").assign(scenario="planted")])
    ax = plots.false_alarms(mixed, by="scenario")
    assert headings(ax) == ["one", "two"]
    assert bars(ax) == ends(rates())
    drawn = [each for each in ax.get_lines() if each.get_linestyle() == "None"]
    colours = {x: to_hex(each.get_color()).upper() for each in drawn for x in each.get_xdata()}
    less = ({MISS, COLOURS["different"]} - {more}).pop()
    assert colours == {0.05: INK, 0.2: more, 0.01: less, 0.3: INK}
    assert beside(ax)[:4] == [".050", ".010", ".200", ".300"]
    assert "500 to 2,000 simulated tables" in note(ax)


def test_curves_join_values_with_bands_and_what_is_promised() -> None:
    frame = pd.DataFrame({"method": ["p"] * 3 + ["q"] * 3, "effect": [0.0, 0.02, 0.04] * 2})
    frame = frame.assign(n_words=[4, 8, 16] * 2, rate=[0.05, 0.4, 0.9, 0.11, 0.5, 0.9])
    frame = frame.assign(low=0.0, high=1.0, nominal=[0.05] * 3 + [0.11] * 3)
    frame["width"] = [np.nan] * 3 + [0.09, 0.06, 0.03]
    ax = plots.curves(frame)
    assert line(ax, "p").get_xydata().tolist() == [[0, 0.05], [0.02, 0.4], [0.04, 0.9]]
    dashed = [each.get_ydata()[0] for each in ax.lines if each.get_gid() == "nominal"]  # type: ignore[index]
    assert dashed == [0.05, 0.11]
    assert len(ax.collections) == 2
    ax = plots.curves(frame, x="n_words", y="width")
    assert [each.get_label() for each in ax.lines] == ["q"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "8", "16"]


@pytest.mark.parametrize("observed", [1.27, -0.8])
def test_a_null_distribution_counts_every_value_and_splits_at_the_observed_one(
    observed: float,
) -> None:
    values = np.random.default_rng(1).normal(0, 0.6, 3000)
    ax = plots.null_distribution(values, observed, label="d", bounds=(-1.94, 1.94))
    assert "Dotted: −1.94 and 1.94, the farthest" in note(ax)
    counts = {
        colour: sum(
            bar.get_height()  # type: ignore[attr-defined]
            for bar in ax.patches
            if to_hex(bar.get_facecolor()) == colour.lower()
        )
        for colour in (BODY, MISS)
    }
    extreme = (np.abs(values) >= abs(observed)).sum()
    assert counts == {BODY: 3000 - extreme, MISS: extreme}
    at = [each.get_xdata()[0] for each in ax.lines]  # type: ignore[index]
    assert at == [observed, -observed, -1.94, 1.94]
    assert f"share of {extreme / 3000:.2g}" in note(ax)
    known = plots.null_distribution(values, observed, label="d", share=0.0084, published="38%.")
    assert "share of 0.0084. 38%." in note(known)
