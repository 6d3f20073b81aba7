"""What holds of every plot, each drawn once of plain words and once of odd ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from builders import distances, leaning, orders, shares
from gensim.models import KeyedVectors
from matplotlib.axes import Axes
from plot_looks import assert_readable, row_names, shown_texts

import bayesbias as bb
from bayesbias import background, comparison, plots, scores

PLOTS = sorted(name for name, each in vars(plots).items() if isinstance(each, FunctionType))
PLOTS.remove("save")

ODD_WORDS = {
    "$x_1$ and $y": "a_b^2",
    "<script>alert(1)</script>": "a_b^2",
    "pneumonoultramicroscopicsilicovolcanoconiosis" * 4: "$g$",
}

type Case = tuple[tuple[Any, ...], dict[str, Any]]


def of_table(table: pd.DataFrame) -> dict[str, Case]:
    """Cases of plots of a table and of its posterior."""
    post = bb.fit(table, "paper-figures", draws=500, seed=1)
    return {
        "distributions": ((table,), {}),
        "neighbourhood": ((table, str(table["protected_word"].iloc[0])), {}),
        "forest": ((bb.summary(post),), {}),
        "contrast_forest": ((bb.contrasts(post),), {}),
        "scales": ((bb.scales(post),), {}),
        "predictive_check": ((post,), {}),
        "prior_predictive": ((bb.prior_predictive("paper", table, seed=1),), {}),
    }


def of_tables(table: pd.DataFrame) -> dict[str, Case]:
    """Cases of plots of several tables, and those of one."""
    own = of_table(table)
    ((summary,), _), ((contrasts,), _) = own["forest"], own["contrast_forest"]
    moved = 0.05 + 0.03 * np.random.default_rng(2).standard_normal(len(table))
    after = table.assign(cosine_distance=table["cosine_distance"] + moved)
    change = bb.compare(table, after, draws=200, chains=2, seed=1)
    cells = [contrasts.assign(embedding=name, list=name, seed=1) for name in ("e $1$", "f")]
    placed = contrasts[contrasts["level"] != "word"]
    placed = placed[(placed["first"] == "associated") & (placed["second"] == "different")]
    placed = placed.assign(match="topics", reference_low=-0.1, reference_high=0.2)
    ranks = pd.DataFrame({"word": table["attribute"].unique()})
    ranks["rank"] = 10 * np.arange(1, len(ranks) + 1)
    names = [str(word) for word in table["protected_word"].unique()]
    ranked = pd.DataFrame({"wordlist": ["average"] * 2 + ["one"] * 2, "embedding": names[:2] * 2})
    ranked = ranked.assign(mean=-0.1, low=-0.2, high=0.1, p_most=[0.999, 0.001, 0.4, 0.6])
    ranked = ranked.assign(raw_mean=-0.15, raw_low=-0.3, raw_high=0.0)
    without = pd.DataFrame({"factor": "protected_word", "name": names, "mean": -0.1})
    without = without.assign(mean_without=[-0.15, -0.05, -0.11][: len(names)], change=0.05)
    return own | {
        "rank_forest": ((ranked,), {}),
        "influence": ((without,), {}),
        "change_forest": ((bb.summary(change),), {}),
        "change_arrows": ((comparison.changes(change),), {}),
        "order_arrows": ((comparison.order_changes(change),), {}),
        "distribution_pair": ((table, after), {}),
        "forest_pair": ((summary, summary), {}),
        "reference_forest": ((placed,), {}),
        "distances_by_rank": ((table, ranks), {}),
        "small_multiples": ((pd.concat(cells).assign(model="paper"),), {}),
    }


def of_vectors(mark: str) -> dict[str, Case]:
    """Cases of plots of scores, backgrounds and simulations; the mark is in all their words."""
    vectors, listed = leaning(prefix=mark)
    pairs = list(zip(*listed.groups.values(), strict=True))
    known = KeyedVectors(6)
    names = [f"{mark}w{i}" for i in range(500)]
    known.add_vectors(names, np.random.default_rng(1).standard_normal((500, 6)))
    many = background.distributions(known, {f"{mark}one{mark}": (names[:1], names[1:2])})
    ((name, one),) = many.items()
    curves, sets = background.densities(many), {f"{mark}X{mark}": names[9:12], "Y": names[20:22]}
    found = one.relative_bias(*sets.values(), n_resamples=99, seed=0)
    rates = pd.DataFrame(
        {"scenario": [f"{mark}a{mark}", "b"], "method": mark, "kind": "false alarms"}
    )
    rates = rates.assign(rate=[0.1, 0.3], low=0.05, high=0.4, nominal=0.05, n=100, effect=[1, 2])
    values = pd.DataFrame({"protected_group": [mark, "y"], "A": [0.1, 0.2], "B": [0.3, -0.1]})
    paired = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 2)))
    paired.columns = pd.Index(["stereotypical", "anti_stereotypical"])
    return {
        "pair_forest": ((shares(mark),), {}),
        "score_densities": ((paired.assign(model=f"{mark}m{mark}", measure="pll"),), {}),
        "order_robustness": ((orders(mark),), {}),
        "scores": ((scores.score_table(vectors, listed, n_resamples=20, seed=0),), {}),
        "robustness": ((scores.robustness(vectors, listed, repeats=2, shares=(0.5,), seed=0),), {}),
        "associations": ((scores.associations(vectors, listed),), {}),
        "direction_correlations": ((scores.direction_correlations(vectors, pairs),), {}),
        "background_densities": ((curves,), {}),
        "background_words": ((curves, background.words(one, sets), name), {}),
        "relative_bias": ((found,), {"name": name}),
        "null_distribution": ((np.linspace(-1, 1, 50), 0.7), {"label": f"{mark}d{mark}"}),
        "false_alarms": ((rates,), {}),
        "power_curves": ((rates,), {}),
        "cells": ((values,), {}),
    }


@pytest.fixture(scope="module")
def plain() -> dict[str, Case]:
    return of_tables(distances()) | of_vectors("")


@pytest.fixture(scope="module")
def odd() -> dict[str, Case]:
    table = distances(ODD_WORDS)
    attribute = table["attribute"].replace({"human0": "$\\frac{1}{2}$", "human1": "long" * 60})
    return of_tables(bb.validate(table.assign(attribute=attribute))) | of_vectors("$")


def draw(cases: dict[str, Case], name: str, **more: object) -> Axes:
    args, options = cases[name]
    made = getattr(plots, name)(*args, **options, **more)
    return made[0] if isinstance(made, tuple) else made


@pytest.mark.parametrize("name", sorted({*PLOTS} - {"forest_pair", "small_multiples"}))
def test_plots_draw_on_the_axes_given_and_change_no_setting(
    name: str, plain: dict[str, Case]
) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(15, 9), layout="constrained")
    settings = dict(mpl.rcParams)
    assert draw(plain, name, ax=axes[1]) is axes[1]
    assert not axes[0].has_data()
    assert dict(mpl.rcParams) == settings
    assert plt.get_fignums() == [figure.number]
    assert axes[1].get_title()


@pytest.mark.parametrize("name", PLOTS)
def test_odd_words_show_as_they_stand_readably(
    name: str, odd: dict[str, Case], tmp_path: Path
) -> None:
    ax = draw(odd, name)
    axes = ax.get_figure(root=True).axes  # type: ignore[union-attr]
    assert_readable(*axes)
    texts = [text for each in axes for text in shown_texts(each)]
    assert not [
        text.get_text() for text in texts if "$" in text.get_text() and text.get_parse_math()
    ]
    written = plots.save(ax, tmp_path / name)
    assert all(0 < path.stat().st_size < 300_000 for path in written)
    assert not [
        each for each in ElementTree.parse(written[1]).iter() if each.tag.endswith("script")
    ]
    assert plt.get_fignums() == []


def test_plots_that_share_a_figure_stay_readable(plain: dict[str, Case]) -> None:
    _, axes = plt.subplots(2, 2, figsize=(13, 12), layout="constrained")
    names = ["forest", "contrast_forest", "distributions", "predictive_check"]
    for name, ax in zip(names, axes.flat, strict=True):
        draw(plain, name, ax=ax)
    for ax in axes.flat:
        assert_readable(ax)


def test_long_words_are_cut_and_odd_ones_are_whole(odd: dict[str, Case]) -> None:
    names = row_names(draw(odd, "forest"))
    assert "$x_1$ and $y" in names
    assert "<script>alert(1)</script>" in names
    assert "group: $g$" in names
    assert max(map(len, names)) == 26
    assert sum(name.endswith("…") for name in names) == 1


@pytest.mark.parametrize("name", ["religion_group_reddit_dataset", "weat_1_reddit"])
def test_published_tables_are_drawn_readably_and_light(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of missing words
        table = bb.read_table(shared_data / "paper_tables" / f"{name}.csv")
    cases = of_table(table)
    for plot in cases:
        ax = draw(cases, plot)
        assert_readable(ax)
        for path in plots.save(ax, tmp_path / plot):
            assert path.stat().st_size < 300_000, path.name


def drop(column: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.drop(columns=column)


def as_it_is(given: Any) -> Any:
    return given


REFUSED: list[tuple[str, Callable[[Any], Any], dict[str, object], str]] = [
    ("associations", drop("word"), {}, r"lacks the column\(s\) word"),
    ("associations", lambda frame: frame.iloc[:0], {}, "frame has 0; choose some"),
    ("background_densities", drop("normal"), {}, r"lacks the column\(s\) normal"),
    ("cells", lambda f: pd.concat([f] * 3).assign(protected_group=range(6)), {}, "6 groups; a fig"),
    ("change_arrows", as_it_is, {"connections": ["humane"]}, "did you mean 'human'"),
    ("change_arrows", drop("before"), {}, "lacks the column"),
    ("change_forest", as_it_is, {"rope": 3}, r"rope is a distance and must lie in \[0, 2\], got 3"),
    ("contrast_forest", as_it_is, {"rope": -1}, r"rope .* \[0, 2\], got -1"),
    ("contrast_forest", as_it_is, {"second": "humans"}, "'humans'; did you mean 'human'"),
    ("direction_correlations", lambda frame: frame.iloc[:, :-1], {}, "must be square"),
    ("direction_correlations", lambda frame: 2 * frame, {}, "no cosines"),
    ("false_alarms", drop("rate"), {}, r"lacks the column\(s\) rate"),
    ("false_alarms", lambda f: f.assign(kind="power"), {}, "no false alarms and no coverage"),
    ("false_alarms", as_it_is, {"by": "n"}, "by must be 'method' or 'scenario', got 'n'"),
    ("false_alarms", lambda f: pd.concat([f] * 60), {}, "120 rows do not fit into one figure"),
    ("forest", as_it_is, {"level": "words"}, "unknown level 'words'; did you mean 'word'"),
    ("forest", lambda f: f[f["level"] == "overall"], {"level": "word"}, "'word'; it has: overall"),
    ("forest", drop("connection"), {}, r"lacks the column\(s\) connection"),
    ("forest", lambda f: f.assign(mean=np.nan), {}, r"30 row\(s\) of the frame lack a mean"),
    ("forest_pair", drop("connection"), {}, "connection"),
    ("forest_pair", lambda f: f[f["protected_word"] != "she"], {}, "one of them only: word she"),
    ("influence", drop("mean_without"), {}, r"lacks the column\(s\) mean_without"),
    ("rank_forest", drop("p_most"), {}, r"lacks the column\(s\) p_most"),
    ("rank_forest", as_it_is, {"rope": 3}, "rope is a distance"),
    ("null_distribution", lambda _: [], {}, "needs finite values"),
    ("null_distribution", lambda _: [1.0, np.nan], {}, "needs finite values"),
    ("power_curves", as_it_is, {"x": "effects"}, "x: unknown column 'effects'; did you mean 'effe"),
    ("power_curves", as_it_is, {"y": "p"}, "y: unknown column 'p'"),
    ("power_curves", lambda f: pd.concat([f, f]), {}, "'' has two values at one effect"),
    ("power_curves", lambda f: pd.concat([f] * 4).assign(n=range(8)), {"by": "n"}, "8 curves by '"),
    ("robustness", lambda f: f[f["kind"] == "leave_one_out"], {}, "no score of the frame is def"),
    ("robustness", drop("share"), {}, r"lacks the column\(s\) share"),
    ("scales", lambda f: f.assign(parameter="nu"), {}, "no standard deviations to draw"),
    ("scores", lambda frame: frame.assign(value=np.nan), {}, "no score of the frame has a value"),
    ("scores", drop("no_bias"), {}, r"lacks the column\(s\) no_bias"),
    ("scores", lambda f: pd.concat([f] * 6), {}, "do not fit .* holds 80; choose some"),
    ("small_multiples", drop("list"), {}, r"lacks the column\(s\) list"),
    ("small_multiples", as_it_is, {"rope": 3}, "rope is a distance"),
    ("small_multiples", as_it_is, {"second": "she"}, "contrast associated − she; it has"),
]


@pytest.mark.parametrize(("name", "change", "options", "why"), REFUSED)
def test_what_cannot_be_drawn_is_refused(
    name: str,
    change: Callable[[Any], Any],
    options: dict[str, object],
    why: str,
    plain: dict[str, Case],
) -> None:
    (given, *rest), own = plain[name]
    with pytest.raises(ValueError, match=why):
        getattr(plots, name)(change(given), *rest, **own, **options)
