"""What holds of every plot, each drawn once of plain words and once of odd ones; and refusals."""

from __future__ import annotations

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
from builders import distances, leaning, shares
from gensim.models import KeyedVectors
from matplotlib.axes import Axes
from plot_looks import assert_readable, shown_texts

import bayesbias as bb
from bayesbias import background, comparison, plots, scores

PLOTS = sorted(name for name, plot in vars(plots).items() if isinstance(plot, FunctionType))
PLOTS.remove("save")

ODD_WORDS = {
    "$x_1$ and $y": "a_b^2",
    "<script>alert(1)</script>": "a_b^2",
    "pneumonoultramicroscopicsilicovolcanoconiosis" * 4: "$g$",
}

type Case = tuple[tuple[Any, ...], dict[str, Any]]


def of_table(table: pd.DataFrame) -> dict[str, Case]:
    """Cases of plots of a table and of its posterior."""
    post = bb.fit(table, "paper-figures", draws=100, seed=1)
    return {
        "distributions": ((table,), {}),
        "neighbourhood": ((table, str(table["protected_word"].iloc[0])), {}),
        "forest": ((bb.summary(post),), {"words": True}),
        "contrast_forest": ((bb.contrasts(post),), {"words": True}),
        "scales": ((bb.sd_summary(post),), {}),
        "prior_predictive": ((bb.prior_predictive("paper", table, seed=1),), {}),
    }


def of_tables(table: pd.DataFrame) -> dict[str, Case]:
    """Cases of plots of several tables, and those of one."""
    own = of_table(table)
    ((contrasts,), _) = own["contrast_forest"]
    moved = 0.05 + 0.03 * np.random.default_rng(2).standard_normal(len(table))
    after = table.assign(cosine_distance=table["cosine_distance"] + moved)
    change = bb.fit_change(table, after, draws=100, chains=2, seed=1)
    ranks = pd.DataFrame({"word": table["attribute"].unique()})
    ranks["rank"] = 10 * np.arange(1, len(ranks) + 1)
    names = [str(word) for word in table["protected_word"].unique()]
    ranked = pd.DataFrame({"wordlist": ["average"] * 2 + ["one"] * 2, "embedding": names[:2] * 2})
    ranked = ranked.assign(mean=-0.1, low=-0.2, high=0.1, p_most=[0.999, 0.001, 0.4, 0.6])
    ranked = ranked.assign(raw_mean=-0.15, raw_low=-0.3, raw_high=0.0)
    without = pd.DataFrame({"factor": "protected_word", "name": names, "mean": -0.1})
    without = without.assign(mean_without=[-0.15, -0.05, -0.11][: len(names)], change=0.05)
    blocks = contrasts.assign(label=contrasts["protected_word"] + contrasts["level"])
    blocks = blocks.assign(pair=contrasts["first"] + contrasts["second"])
    return own | {
        "rank_forest": ((ranked,), {}),
        "influence": ((without,), {}),
        "intervals": ((blocks.head(12),), {"by": "pair", "title": "$", "directions": True}),
        "change_forest": ((bb.summary(change),), {}),
        "order_forest": ((comparison.order_changes(change),), {}),
        "distances_by_rank": ((table, ranks), {}),
    }


def of_vectors(mark: str) -> dict[str, Case]:
    """Cases of plots of scores, backgrounds and simulations; the mark is in all their words."""
    vectors, listed = leaning(prefix=mark)
    known = KeyedVectors(6)
    names = [f"{mark}w{i}" for i in range(500)]
    known.add_vectors(names, np.random.default_rng(1).standard_normal((500, 6)))
    many = background.distributions(known, {f"{mark}one{mark}": (names[:1], names[1:2])})
    ((name, one),) = many.items()
    curves, sets = background.densities(many), {f"{mark}X{mark}": names[9:12], "Y": names[20:22]}
    bias = one.relative_bias(*sets.values(), n_resamples=99, seed=0)
    rates = pd.DataFrame(
        {"scenario": [f"{mark}a{mark}", "b"], "method": mark, "kind": "false alarms"}
    )
    rates = rates.assign(rate=[0.1, 0.3], low=0.05, high=0.4, nominal=0.05, n=100, effect=[1, 2])
    return {
        "pair_forest": ((shares(mark),), {}),
        "scores": ((scores.score_table(vectors, listed, n_resamples=20, seed=0),), {}),
        "background_densities": ((curves,), {}),
        "background_words": ((curves, background.words(one, sets), name), {}),
        "relative_bias": ((bias,), {"name": name}),
        "null_distribution": ((np.linspace(-1, 1, 50), 0.7), {"label": f"{mark}d{mark}"}),
        "false_alarms": ((rates,), {}),
        "curves": ((rates,), {"by": "scenario"}),
    }


@pytest.fixture(scope="module")
def odd() -> dict[str, Case]:
    table = distances(ODD_WORDS)
    attribute = table["attribute"].replace({"human0": "$\\frac{1}{2}$", "human1": "long" * 60})
    return of_tables(bb.validate_table(table.assign(attribute=attribute))) | of_vectors("$")


def draw(cases: dict[str, Case], name: str, **more: object) -> Axes:
    args, options = cases[name]
    return getattr(plots, name)(*args, **options, **more)


@pytest.mark.parametrize("name", PLOTS)
def test_odd_words_show_as_they_stand_readably_and_light(
    name: str, odd: dict[str, Case], tmp_path: Path
) -> None:
    settings = dict(mpl.rcParams)
    ax = draw(odd, name)
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


def test_plots_share_a_figure_that_is_given(odd: dict[str, Case]) -> None:
    figure, axes = plt.subplots(2, 2, figsize=(18, 14), layout="constrained")
    names = ["forest", "contrast_forest", "distributions", "prior_predictive"]
    for name, ax in zip(names, axes.flat, strict=True):
        assert draw(odd, name, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
    assert_readable(*axes.flat)


def drop(column: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.drop(columns=column)


def as_it_is(given: Any) -> Any:
    return given


def no_rows(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[:0]


def ninety(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame.assign(scenario=f"s{at}", score=f"s{at}") for at in range(90)])


def nine(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame.assign(scenario=frame["scenario"] + str(at)) for at in range(9)])


REFUSED: list[tuple[str, Callable[[Any], Any], dict[str, object], str]] = [
    ("background_densities", drop("normal"), {}, r"lacks the column\(s\) normal"),
    ("background_words", lambda frame: frame.assign(experiment="x"), {}, "there is no background"),
    ("change_forest", as_it_is, {"rope": 3}, r"rope is a distance and must lie in \[0, 2\], got 3"),
    (
        "contrast_forest",
        as_it_is,
        {"second": "humans"},
        "no contrast associated - humans; ",
    ),
    ("curves", as_it_is, {"x": "effects"}, r"lacks the column\(s\) effects"),
    ("curves", lambda frame: pd.concat([frame] * 2), {}, "has two values at one effect"),
    ("curves", nine, {}, "18 curves by 'scenario'; a figure holds 1 to 6"),
    (
        "distances_by_rank",
        lambda table: table.assign(attribute="?"),
        {},
        "no attribute of the table has",
    ),
    ("false_alarms", drop("rate"), {}, r"lacks the column\(s\) rate"),
    ("false_alarms", lambda f: f.assign(kind="power"), {}, "no false alarms and no coverage"),
    ("false_alarms", as_it_is, {"by": "n"}, "by must be 'method' or 'scenario', got 'n'"),
    ("false_alarms", ninety, {}, "90 rows do not fit into one figure, which holds 80"),
    ("forest", drop("connection"), {}, r"lacks the column\(s\) connection"),
    ("forest", lambda f: f.assign(mean=np.nan), {}, "lack a mean or an interval"),
    ("forest", lambda f: {}, {}, r"draws a frame, not a dict; pass bb\.summary\(posterior\)"),
    ("forest", no_rows, {}, r"no rows to draw; pass bb\.summary\(posterior\)"),
    ("influence", drop("mean_without"), {}, r"lacks the column\(s\) mean_without"),
    ("intervals", as_it_is, {"by": "blocks"}, r"lacks the column\(s\) blocks"),
    ("null_distribution", lambda _: [1.0, np.nan], {}, "needs finite values"),
    ("pair_forest", as_it_is, {"quantity": "p"}, "has no quantity 'p'; it has: p_ster"),
    ("rank_forest", drop("p_most"), {}, r"lacks the column\(s\) p_most"),
    ("scores", lambda frame: frame.assign(value=np.nan), {}, "no score of the frame has a value"),
    ("scores", drop("no_bias"), {}, r"lacks the column\(s\) no_bias"),
]


@pytest.mark.parametrize(("name", "change", "options", "why"), REFUSED)
def test_what_cannot_be_drawn_is_refused(
    name: str,
    change: Callable[[Any], Any],
    options: dict[str, object],
    why: str,
    odd: dict[str, Case],
) -> None:
    (given, *rest), own = odd[name]
    with pytest.raises((ValueError, TypeError), match=why):
        getattr(plots, name)(change(given), *rest, **(own | options))
