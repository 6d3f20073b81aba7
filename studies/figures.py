"""Draw figures of the docs: ``python -m studies.figures [NAME ...]``; without names, all."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import bayesbias as bb

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"
DPI = 110


@cache
def fitted(name: str = "gender") -> tuple[Any, ...]:
    """Return the demo vectors, a bundled list, its table, and its posterior."""
    wordlist = bb.load_wordlist(name)
    vectors = bb.load_vectors("glove-demo")
    table = bb.distance_table(vectors, wordlist)
    return vectors, wordlist, table, bb.fit(table, seed=1)


def rank_forest() -> Axes:
    """Draw contrasts of gender and religion before and after hard debiasing, from one model."""
    vectors, *_ = fitted()
    embeddings = {"as it is": vectors, "debiased": bb.debias.hard(vectors, "gender")}
    table = bb.distance_tables(embeddings, ["gender", "religion"])
    return bb.plots.rank_forest(bb.rank_embeddings(bb.fit_many(table, seed=1)))


def pair_forest() -> Axes:
    """Draw the shares of two simulated language models by bias type."""
    rng = np.random.default_rng(1)
    pairs = pd.DataFrame({"bias_type": np.repeat(["age", "gender", "religion"], 100)})
    pairs = pairs.assign(pair_id=pairs.index.astype(str), measure="pll", anti_stereotypical=-40.0)
    leaning, parts = np.repeat([0.0, 0.6, -0.4], 100) + rng.standard_normal(300), []
    for shift, name in enumerate(["first", "second"]):
        gap = leaning + 0.3 * shift + rng.normal(0, 2**0.5, 300)
        parts.append(pairs.assign(model=name, difference=gap, stereotypical=gap - 40))
    summary = bb.maskedlm.pair_summary(bb.maskedlm.fit_pairs(pd.concat(parts), seed=1))
    return bb.plots.pair_forest(summary)


def arts() -> Axes:
    """Draw the contrasts of the word list in the tutorial on your own words."""
    page = (FOLDER.parent / "own-words.md").read_text(encoding="utf-8")
    wordlist = tomllib.loads(page.split("```toml\n")[1].split("```")[0])
    return bb.analyze("glove-demo", wordlist, seed=1).plot()


def topics() -> Axes:
    """Draw the overall contrasts of lists on random topics, and that of religion."""
    found = bb.vocabulary_contrasts("glove-demo", "religion", vary="both", match="topics", seed=1)
    pair = "level == 'overall' and first == 'associated' and second == 'different'"
    drawn, (own,) = found.reference.query(pair)["mean"], found.table.query(pair)["mean"]
    return bb.plots.null_distribution(drawn, own, label="overall contrast", title="Random topics")


def change_forest() -> Axes:
    """Draw the changes of the gender list after hard debiasing."""
    vectors, wordlist, table, _ = fitted()
    after = bb.distance_table(bb.debias.hard(vectors, "gender"), wordlist)
    return bb.plots.change_forest(bb.summary(bb.fit_change(table, after, seed=1)))


FIGURES: dict[str, Callable[[], Axes]] = {
    "headline": lambda: bb.analyze("glove-demo", "weat6", case="fallback", seed=1).plot(),
    "forest": lambda: bb.plots.forest(bb.summary(fitted()[3])),
    "contrast_forest": lambda: bb.plots.contrast_forest(bb.contrasts(fitted("religion")[3])),
    "influence": lambda: bb.plots.influence(bb.influence(fitted("religion")[3]), most=8),
    "distributions": lambda: bb.plots.distributions(fitted()[2]),
    "scales": lambda: bb.plots.scales(bb.sd_summary(fitted("religion")[3])),
    "scores": lambda: bb.plots.scores(bb.score_table(*fitted()[:2], n_resamples=300, seed=0)),
    "prior_predictive": lambda: bb.plots.prior_predictive(
        bb.prior_predictive("by-group", fitted()[2], seed=1)
    ),
} | {draw.__name__: draw for draw in (rank_forest, pair_forest, arts, topics, change_forest)}


def main(names: list[str]) -> None:
    """Draw the named figures, or all figures if there are no names."""
    mpl.use("Agg")
    for name in names or FIGURES:
        FIGURES[name]().figure.savefig(FOLDER / f"{name}.png", dpi=DPI, bbox_inches="tight")
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
