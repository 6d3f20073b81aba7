"""Draw the figures of the documentation from the bundled vectors and lists.

``python -m studies.figures [NAME ...]`` writes docs/figures/NAME.png; without names, it draws all.
"""

from __future__ import annotations

import re
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
    """Return a bundled list, its vectors, its table, and its posterior."""
    wordlist = bb.load_wordlist(name)
    vectors = bb.load_vectors("glove-demo")
    table = bb.distance_table(vectors, wordlist)
    return wordlist, vectors, table, bb.fit(table, seed=1)


def headline() -> Axes:
    """Draw the contrasts of names, career, and family over reference lists."""
    return bb.analyze("glove-demo", "weat6", case="fallback", seed=1).plot()


def rank_forest() -> Axes:
    """Draw contrasts of gender and religion before and after hard debiasing, from one model."""
    _, vectors, _, _ = fitted()
    embeddings = {"as it is": vectors, "debiased": bb.debias.hard(vectors, "gender")}
    table = bb.distance_tables(embeddings, ["gender", "religion"])
    return bb.plots.rank_forest(bb.rank_embeddings(bb.fit_many(table, seed=1)))


def pair_forest() -> Axes:
    """Draw the shares of two simulated language models by bias type."""
    rng = np.random.default_rng(1)
    types = np.repeat(["age", "gender", "religion"], 100)
    leaning = np.repeat([0.0, 0.6, -0.4], 100) + rng.standard_normal(300)
    parts = []
    for shift, name in enumerate(["first", "second"]):
        scores = rng.normal(-40, 8, (300, 1)) + rng.standard_normal((300, 2))
        scores[:, 0] += leaning + 0.3 * shift
        part = pd.DataFrame(scores, columns=["stereotypical", "anti_stereotypical"])
        part = part.assign(model=name, bias_type=types, pair_id=part.index.astype(str))
        parts.append(part.assign(measure="pll", difference=scores[:, 0] - scores[:, 1]))
    posterior = bb.maskedlm.fit_pairs(pd.concat(parts), seed=1)
    return bb.plots.pair_forest(bb.maskedlm.pair_summary(posterior))


def prior_predictive() -> Axes:
    """Draw summaries of the gender table among those of tables drawn from the prior."""
    return bb.plots.prior_predictive(bb.prior_predictive("by-group", fitted()[2], seed=1))


def scores() -> Axes:
    """Draw all scores of the gender list."""
    wordlist, vectors, _, _ = fitted()
    return bb.plots.scores(bb.score_table(vectors, wordlist, n_resamples=300, seed=0))


def arts() -> Axes:
    """Draw the contrasts of the word list in the tutorial on your own words."""
    page = (FOLDER.parent / "own-words.md").read_text(encoding="utf-8")
    (wordlist,) = re.findall(r"```toml\n(name.*?)```", page, flags=re.DOTALL)
    return bb.analyze("glove-demo", tomllib.loads(wordlist), seed=1).plot()


def topics() -> Axes:
    """Draw the overall contrasts of lists on random topics, and that of religion."""
    found = bb.vocabulary_contrasts("glove-demo", "religion", vary="both", match="topics", seed=1)
    overall = found.reference.query("level == 'overall' and second == 'different'")
    overall = overall[overall["first"] == "associated"]
    own = bb.contrasts(found.posterior)["mean"].iloc[0]
    label = "associated − different, averaged over the groups"
    return bb.plots.null_distribution(overall["mean"], own, label=label, title="Random topics")


def changed() -> Axes:
    """Draw the changes of the gender list after hard debiasing."""
    wordlist, vectors, table, _ = fitted()
    after = bb.distance_table(bb.debias.hard(vectors, "gender"), wordlist)
    return bb.plots.change_forest(bb.summary(bb.fit_change(table, after, seed=1)))


FIGURES: dict[str, Callable[[], Axes]] = {
    "headline": headline,
    "forest": lambda: bb.plots.forest(bb.summary(fitted()[3])),
    "contrast_forest": lambda: bb.plots.contrast_forest(bb.contrasts(fitted("religion")[3])),
    "arts": arts,
    "topics": topics,
    "change_forest": changed,
    "distributions": lambda: bb.plots.distributions(fitted()[2]),
    "scales": lambda: bb.plots.scales(bb.sd_summary(fitted("religion")[3])),
    "influence": lambda: bb.plots.influence(bb.influence(fitted("religion")[3]), most=8),
    "prior_predictive": prior_predictive,
    "rank_forest": rank_forest,
    "scores": scores,
    "pair_forest": pair_forest,
}


def main(names: list[str]) -> None:
    """Draw the named figures, or all figures if there are no names."""
    mpl.use("Agg")
    for name in names or FIGURES:
        axes = FIGURES[name]()
        figure = getattr(axes, "figure", axes)
        figure.savefig(FOLDER / f"{name}.png", dpi=DPI, bbox_inches="tight")
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
