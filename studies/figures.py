"""Draw figures of the docs: ``python -m studies.figures [NAME ...]``; without names, all."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from PIL import Image

import bayesbias as bb
from bayesbias.plots import COLORS
from bayesbias.plots.curves import BODY
from bayesbias.plots.layout import DISTANCE, draw_x, header, key, new_axes
from bayesbias.plots.palette import INK, MISS
from bayesbias.scores import effect_sizes
from bayesbias.workflows.wordlist import Analysis

from . import covariates
from .groups import THREE

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"
DPI = 110
PAIR = "first == 'associated' and second == 'different'"
BARS = "Points: posterior means. Bars: 89% highest-density intervals."
HUES = [COLORS["associated"], "white", COLORS["different"]]
SHOWN = [
    *("weat-p", "t-cells-groups", "mac-paired-t", "paper-hpdi", "crossed-hpdi", "maximal-hpdi"),
    *("by-group-hpdi", "by-group-hpdi-group"),
]
"""Methods in the figure of known rates."""


@cache
def fitted(name: str = "gender") -> tuple[Any, ...]:
    """Return the demo vectors, a bundled list, its table, its posterior, and debiased vectors."""
    wordlist, vectors = bb.load_wordlist(name), bb.load_vectors("glove-demo")
    table = bb.distance_table(vectors, wordlist)
    return vectors, wordlist, table, bb.fit(table, seed=1), bb.debias.hard(vectors, "gender")


@cache
def religion() -> Analysis:
    """Return the analysis of religion, at equal frequency."""
    return bb.analyze("glove-demo", "religion", reference_lists=0, seed=1)


def histogram(values: np.ndarray, band: Sequence[float], label: str, title: str, note: str) -> Axes:
    """Draw a histogram with a shaded band."""
    ax = new_axes(None, 1.1)
    ax.hist(values, 50, color=BODY)
    ax.set_yticks([])
    draw_x(ax, label, values, band=(min(band), max(band)))
    return header(ax, title, note)


def heat(cells: pd.DataFrame, label: str, colors: str | Colormap, title: str, note: str) -> Axes:
    """Draw a table of numbers as colors."""
    ax = new_axes(None, 3.6)
    ax.figure.colorbar(ax.imshow(cells, cmap=colors, aspect="auto"), label=label)
    ax.set_xticks(range(cells.shape[1]), cells.columns, rotation=90)
    ax.set_yticks(range(len(cells)), cells.index)
    return header(ax, title, note)


def gaps(frames: Mapping[str, pd.DataFrame], title: str) -> Axes:
    """Draw contrasts associated - different from several frames, overall and by group."""
    every = pd.concat(frame.assign(kind=kind) for kind, frame in frames.items())
    every = every.query(f"{PAIR} and level != 'word'")
    every = every.assign(label=every["protected_group"].astype(str).replace("", "all groups"))
    options = {"pair": ("associated", "different"), "title": title, "note": BARS}
    return bb.plots.intervals(every, hue="kind", **options)


def models(table: pd.DataFrame, names: str, title: str) -> Axes:
    return gaps({name: bb.contrasts(bb.fit(table, name, seed=1)) for name in names.split()}, title)


def pair_forest() -> Axes:
    rng = np.random.default_rng(1)
    pairs = pd.DataFrame({"bias_type": np.repeat(["age", "gender", "religion"], 100)})
    pairs = pairs.assign(pair_id=pairs.index.astype(str), measure="pll", anti_stereotypical=-40.0)
    leaning, parts = np.repeat([0.0, 0.6, -0.4], 100) + rng.standard_normal(300), []
    for shift, name in enumerate(["first", "second"]):
        gap = leaning + 0.3 * shift + rng.normal(0, 2**0.5, 300)
        parts.append(pairs.assign(model=name, difference=gap, stereotypical=gap - 40))
    summary = bb.maskedlm.pair_summary(bb.maskedlm.fit_pairs(pd.concat(parts), seed=1))
    return bb.plots.pair_forest(summary)


def known_rates() -> Axes:
    rates = pd.read_csv(FOLDER.parent / "tables" / "false_alarms.csv")
    rates = rates[(rates["section"] == "false alarms") & rates["method"].isin(SHOWN)]
    error, interval = 2 * rates["standard_error"], rates["method"].str.contains("hpdi")
    rates = rates.assign(kind=rates["section"], nominal=np.where(interval, 0.11, 0.05))
    rates = rates.assign(low=rates["rate"] - error, high=rates["rate"] + error)
    order = rates["method"].map(SHOWN.index).sort_values(kind="stable").index
    return bb.plots.false_alarms(rates.loc[order])


def power() -> Axes:
    both = bb.nulls.Scenario(word_sd=0.04, attribute_sd=0.04, controls=("human",))
    worlds = {f"{effect:g}": replace(both, effect=effect) for effect in (0, 0.02, 0.04, 0.06, 0.08)}
    methods = ["weat-p", "t-cells-groups", "crossed-hpdi", "by-group-hpdi"]
    rates = bb.calibration.calibrate(worlds, methods, n=200, draws=1000, seed=1)
    return bb.plots.curves(rates.assign(effect=rates["scenario"].astype(float)))


def topics() -> Axes:
    found = bb.vocabulary_contrasts("glove-demo", "religion", vary="both", match="topics", seed=1)
    rows = f"{PAIR} and level == 'overall'"
    drawn, (own,) = found.reference.query(rows)["mean"], found.table.query(rows)["mean"]
    return bb.plots.null_distribution(drawn, own, label="overall contrast", title="Random topics")


def interval() -> Axes:
    draws = fitted()[3]["posterior"]["connection_mean"].sel(connection="associated")
    band = bb.summary(fitted()[3]).loc[0, ["low", "high"]]
    note = "4,000 draws for the associated attributes of the gender list. Shaded: 89% interval."
    return histogram(draws.values.ravel(), band, DISTANCE, "The posterior of one mean", note)


def predictive() -> Axes:
    *_, table, post, _ = fitted("religion")
    rows = np.flatnonzero(table["connection"].isin(["associated", "different"]))
    drawn = bb.add_groups(post, seed=1)["posterior_predictive"]["cosine_distance"].values
    ends = np.quantile(drawn.reshape(-1, len(table))[:, rows], [0.055, 0.945], axis=0)
    order = np.argsort(ends.sum(axis=0))
    (low, high), y = ends[:, order], table["cosine_distance"].to_numpy()[rows][order]
    ax, x, outside = new_axes(None, 1.8), np.arange(len(y)), (y < low) | (y > high)
    ax.vlines(x, low, high, color=BODY, linewidth=2.2)
    ax.scatter(x, y, s=9, color=np.where(outside, MISS, INK), zorder=3)
    draw_x(ax, f"{len(y)} pairs of words, ordered by their predictions", x)
    ax.set(xticks=[], ylabel=DISTANCE)
    keys = [key("inside", INK, "o", width=0), key("outside", MISS, "o", width=0)]
    note = f"Bars: 89% predictive intervals. {outside.sum()} of {len(y)} distances are outside."
    return header(ax, "Do the distances agree with the model?", note, keys)


def splits() -> Axes:
    vectors, wordlist = fitted()[0], bb.load_wordlist("weat7")
    groups, sets = list(wordlist.groups.values()), wordlist.stereotypes.values()
    weat = bb.scores.weat(vectors, *groups, *sets)
    s = bb.scores.weam(vectors, [*groups[0], *groups[1]], *sets).per_word["psi"].to_numpy()
    drawn = [2 * sum(part) - s.sum() for part in combinations(s, len(s) // 2)]
    options = {"title": "WEAT 7 for all splits", "about": "splits", "share": weat.p_value}
    return bb.plots.null_distribution(drawn, weat.statistic, label="WEAT's S", **options)


def halves() -> Axes:
    vectors, wordlist, rng = fitted()[0], bb.load_wordlist("weat7"), np.random.default_rng(1)
    sets = [*wordlist.groups.values(), *wordlist.stereotypes.values()]
    parts = [[list(rng.choice(words, 4, replace=False)) for words in sets] for _ in range(200)]
    d = np.array([bb.scores.weat(vectors, *part).effect_size for part in parts])
    band = bb.score_table(vectors, wordlist, scores=["weat"], seed=1).loc[0, ["low", "high"]]
    note = "WEAT 7, 200 halves. Shaded: the 89% interval from resampled words of the whole list."
    return histogram(d, band, "WEAT's effect size d", "Random halves of a list", note)


def clusters() -> Axes:
    words = [word for group in bb.load_wordlist("weat7").groups.values() for word in group]
    unit = fitted()[0].vectors_for_all(words).get_normed_vectors()
    note = "Words about math are similar to each other, and so are words about the arts."
    cells = pd.DataFrame(unit @ unit.T, words, words)
    return heat(cells, "cosine", "Blues", "Cosines between the words of WEAT 7", note)


def repeated() -> Axes:
    frames: dict[str, pd.DataFrame] = {"paper": pd.DataFrame(), "by-group": pd.DataFrame()}
    for i in range(12):
        table = bb.nulls.scenario("vocabulary").table(seed=i)
        for name, before in frames.items():
            rows = bb.contrasts(bb.fit(table, name, seed=1)).query("protected_group == 'X'")
            frames[name] = pd.concat([before, rows.assign(protected_group=f"list {i + 1}")])
    return gaps(frames, "Twelve lists of random words")


def leaning() -> Axes:
    table = bb.nulls.scenario("attributes-lean").table(seed=1).query("connection != 'human'")
    means = table.pivot_table("cosine_distance", "attribute", "protected_group", sort=False)
    rows = pd.DataFrame(dict.fromkeys(("mean", "low", "high"), means["X"] - means["Y"]))
    rows = rows.assign(label=rows.index, set=[f"set {name[0]}" for name in rows.index])
    label = "mean distance from X − mean distance from Y (negative = closer to X)"
    options = {"title": "Attributes favor a group by chance", "note": "One simulated table."}
    return bb.plots.intervals(rows, hue="set", reference=0.0, xlabel=label, **options)


def large_effects() -> Axes:
    s = bb.nulls.scenario("independent").simulate(4000, seed=1).associations()
    d = effect_sizes(s[:, :8], s[:, 8:], 1)
    note = f"4,000 tables. Outside the shaded range, {np.mean(abs(d) >= 0.8):.0%} are “large.”"
    return histogram(d, (-0.8, 0.8), "WEAT's effect size d", "Effect sizes without bias", note)


def occupations() -> Axes:
    table = covariates.occupations()
    post = covariates.fitted(table)
    return bb.plots.slope(bb.predictions(post, table, {"share": np.linspace(0, 1, 21)}), table)


def report() -> Axes:
    with TemporaryDirectory() as folder:
        page, picture = Path(folder, "names", "report.html"), Path(folder, "page.png")
        bb.analyze("glove-demo", "weat6", case="fallback", seed=1).report(page.parent)
        options = "--headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,740"
        command = ["chromium", *options.split(), f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        image = plt.imread(picture)
    ax = plt.figure(figsize=(image.shape[1] / DPI, image.shape[0] / DPI)).add_axes((0, 0, 1, 1))
    ax.imshow(image)
    ax.axis("off")
    return ax


# fmt: off
FIGURES = {
    "comparisons": lambda: bb.analyze("glove-demo", "religion", seed=1).plot(),
    "models": lambda: models(
        fitted("religion")[2], "by-group maximal crossed paper", "Religion under four models"),
    "one_of_three": lambda: models(
        THREE.as_table(THREE.distances(np.random.default_rng(1))),
        "by-group maximal", "Only group 0 is biased, by −.16"),
    "words_like_these": lambda: gaps({
        "listed words": bb.contrasts(fitted("religion")[3], over="listed").query("level=='group'"),
        "an unlisted word": bb.predict_words(fitted("religion")[3], seed=1),
    }, "Listed words, and another word of each group"),
    "table_without_bias": lambda: heat(
        bb.nulls.scenario("both-differ").table(seed=1).pivot_table(
            "cosine_distance", "protected_word", "attribute", sort=False), "cosine distance",
        LinearSegmentedColormap.from_list("", HUES), "A simulated table without bias",
        "Rows: words of groups X and Y. Columns: attributes of sets A and B, and controls."),
    "arts": lambda: bb.analyze("glove-demo", tomllib.loads(
        (FOLDER.parent / "own-words.md").read_text("utf-8").split("```toml\n")[1].split("```")[0]
    ), seed=1).plot(),
    "false_alarms": lambda: bb.plots.false_alarms(bb.calibration.calibrate(
        ["independent", "words-differ", "attributes-differ", "both-differ"],
        ["weat-p", "t-cells-groups", "t-word-means"], n=4000, seed=1)),
    "calibration-false-alarms": known_rates,
    "calibration-power": power,
    "distances": lambda: bb.plots.distributions(bb.distance_table(
        bb.load_vectors("glove-demo", case="fallback", words=bb.load_wordlist("weat6")), "weat6")),
    "change": lambda: bb.plots.change(fitted()[2], bb.distance_table(fitted()[4], fitted()[1])),
    "moved": lambda: bb.plots.distributions(
        fitted()[2], bb.distance_table(fitted()[4], fitted()[1])),
    "contrast_forest": lambda: bb.plots.contrast_forest(religion().contrasts),
    "influence": lambda: bb.plots.influence(religion().influence, most=8),
    "distributions": lambda: bb.plots.distributions(fitted()[2]),
    "scales": lambda: bb.plots.scales(bb.sd_summary(fitted("religion")[3])),
    "scores": lambda: bb.plots.scores(
        bb.score_table(fitted()[0], bb.load_wordlist("weat7"), seed=1)),
    "prior_predictive": lambda: bb.plots.prior_predictive(
        bb.prior_predictive("by-group", fitted()[2], seed=1)),
} | {draw.__name__: draw for draw in (pair_forest, topics, interval, predictive, splits, halves,
    clusters, repeated, leaning, large_effects, occupations, report)}
# fmt: on


def main(names: list[str]) -> None:
    """Draw the named figures, or all figures if there are no names."""
    mpl.use("Agg")
    for name in names or FIGURES:
        path = FOLDER / f"{name}.png"
        FIGURES[name]().figure.savefig(path, dpi=DPI, bbox_inches="tight")
        Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)
        print(path, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
