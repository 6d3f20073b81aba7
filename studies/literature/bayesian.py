"""Dobrzeniecka and Urbaniak (2024), A Bayesian approach to uncertainty in word embedding bias."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

import bayesbias as bb

from .claims import Found, claims_of, recomputed, rounded
from .null_example import null_share, paper_example
from .sources import BEFORE, LISTS, fitted, published_table

CONNECTIONS = ("associated", "different", "neutral", "human")
STEREOTYPES = CONNECTIONS[:2]


@recomputed
def list_sizes() -> Iterator[Found]:
    """Compare the sizes of the lists of Manzini et al. (2019), which both the paper and we use."""
    tables = [published_table(f"{name}_google") for name in LISTS]
    words = [len(table) // table["attribute"].nunique() for table in tables]
    attributes = [
        table.loc[table["connection"].isin(STEREOTYPES), "attribute"].nunique() for table in tables
    ]
    for sizes in (words, attributes):
        yield f"{min(sizes)} to {max(sizes)}"


@recomputed
def religion_sample() -> Iterator[Found]:
    """Compare fifteen distances in the religion table."""
    table = published_table("religion_reddit")
    distances = table.set_index(["protected_word", "attribute"])["cosine_distance"]
    for pair in claims_of("religion_sample"):
        yield round(float(distances[*pair.split()]), 4)


@recomputed
def mac_of_religion() -> Iterator[Found]:
    """Compute MAC of religion on Reddit before and after hard debiasing."""
    yield from map(rounded, mac_change(*before_and_after("religion")))


@recomputed
def mac_without_copies() -> Iterator[Found]:
    """Test the increase in MAC with one word per vector, for all 32 choices of words."""
    before, after = before_and_after("religion")
    twins = [(row.word, row.other) for row in pairs_of(after, "copy").itertuples()]
    values = []
    for dropped in product(*twins):
        once = after[~after["protected_word"].isin(dropped)]
        values.append(mac_change(before[~before["protected_word"].isin(dropped)], once)[2])
    ends = {"least": f"{min(values):.2g}", "most": f"{max(values):.2g}", "ways": len(values)}
    yield rounded(max(values), 2), {"whole": f"{mac_change(before, after)[2]:.2g}", **ends}


WIDTHS = {"religion": 0.14, "gender": 0.38, "race": 0.11}
"""Half-widths of the bands around 1 in figures 3-5 and 15-17, in paperDraft.Rmd at 1e34865."""

OLDER = 27  # the first 27 words of the appendix's human list reproduce the labels before debiasing


def _inside(table: pd.DataFrame, width: float, connection: str) -> float:
    distances = table.loc[table["connection"] == connection, "cosine_distance"]
    return round(100 * float((abs(distances - 1) <= width).mean()), 1)


@recomputed
def band_shares() -> Iterator[Found]:
    """Count distances inside the band 1 ± (1 - MAC) on Reddit, before and after debiasing."""
    for claim in claims_of("band_shares"):
        name, connection, when, _ = claim.split(", ")
        yield _inside(before_and_after(name)[when == "after"], WIDTHS[name], connection)


@recomputed
def control_lists() -> Iterator[Found]:
    """Count human words inside the band before debiasing: the first 27 and all 85."""
    lengths = ", ".join(map(str, _lengths_that_fit()))
    for name, width in WIDTHS.items():
        table, after = before_and_after(name)
        words = table.loc[table["connection"] == "human", "attribute"].unique()
        older = table[table["attribute"].isin(words[:OLDER])]
        whole, later = (_inside(each, width, "human") for each in (table, after))
        more = {"words": len(words), "whole": whole, "later": later, "lengths": lengths}
        yield _inside(older, width, "human"), more


def _lengths_that_fit() -> list[int]:
    """Return how many first words of the human list reproduce every label before debiasing."""
    fitting = set(range(1, 86))
    labels = claims_of("control_lists", "printed")
    for (name, width), label in zip(WIDTHS.items(), labels, strict=True):
        table = before_and_after(name)[0].query("connection == 'human'")
        inside = abs(table["cosine_distance"] - 1) <= width
        words = inside.groupby(table["attribute"], sort=False)
        shares = 100 * words.sum().cumsum() / words.size().cumsum()
        fitting &= {n for n, share in enumerate(shares, 1) if abs(share - float(label)) <= 0.5}
    return sorted(fitting)


@recomputed
def nearest_to_priest() -> Iterator[Found]:
    """Find the attributes closest to *priest* in the whole table."""
    table = published_table("religion_reddit")
    priest = table[table["protected_word"] == "priest"].sort_values("cosine_distance")
    words = [f"{row.attribute} ({row.connection})" for row in priest.head(5).itertuples()]
    means = priest.groupby("connection", observed=True)["cosine_distance"].mean()
    yield str(priest["connection"].iloc[0]), {"words": ", ".join(words)}
    yield str(means.idxmin())


@recomputed
def effect_size_range() -> Iterator[Found]:
    """Compare the range of the effect sizes in table 1 of Caliskan et al. (2017)."""
    sizes = (1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21)
    yield from (min(sizes), max(sizes))


@recomputed
def null_statistics() -> Iterator[Found]:
    """Recompute the null example; `paper_example` has the data and all tests."""
    example = paper_example()
    d, p = example.effect_size(), example.p_value
    to_a, to_b = (example.t_test(name) for name in "AB")
    shares = [null_share(d, of) for of in ("population", "sample", "slipped")]
    yield from map(rounded, (*shares, example.statistic, d, p, p, to_a[0] / p, *to_a, *to_b))


@recomputed
def neutral_sd() -> Iterator[Found]:
    """Compute the standard deviation of distances to neutral words, by embedding."""
    for embedding in ("google", "glove", "reddit"):
        names = [name for name in BEFORE if name.endswith(embedding)]
        tables = [published_table(name).query("connection == 'neutral'") for name in names]
        sds = [float(table["cosine_distance"].std()) for table in tables]
        range_ = {"least": f"{min(sds):.3f}", "most": f"{max(sds):.3f}"}
        yield round(float(np.mean(sds)), 3), range_


@recomputed
def prior_range() -> Iterator[Found]:
    """Compute the range within three standard deviations of the prior mean."""
    prior = bb.load_model("paper").priors["connection_mean"].parameters
    yield from (round(prior["mean"] + sign * 3 * prior["sd"], 3) for sign in (-1, 1))


@recomputed
def predictive_check() -> Iterator[Found]:
    """Count distances inside the 89% and 50% predictive intervals of ``paper``."""
    for name in ("religion_google", "religion_reddit"):
        frame = bb.predictive_check(fitted(name, "paper"), seed=0)
        coverage = frame[frame["connection"] == "all"].set_index("ci_prob")["coverage"]
        yield from (round(100 * float(coverage[prob]), 1) for prob in (0.89, 0.5))


@recomputed
def repeated_rows() -> Iterator[Found]:
    """Count the rows of the race tables that repeat an earlier row."""
    for name in ("race_google", "race_glove", "race_reddit", "debiased_race_reddit"):
        yield len(published_table(name).drop_duplicates())


def before_and_after(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the published Reddit tables of a list before and after debiasing."""
    return published_table(f"{name}_reddit"), published_table(f"debiased_{name}_reddit")


def mac_change(before: pd.DataFrame, after: pd.DataFrame) -> list[float]:
    """Return MAC before and after, and p of the paired t-test by protected word and set."""
    row = bb.comparison.mac_before_after(before, after).iloc[0]
    return row[["before", "after", "p_value"]].tolist()


def pairs_of(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the pairs of protected words of a table that are ``copy`` or ``equidistant``."""
    pairs = bb.duplicate_vectors(table)
    return pairs[(pairs["role"] == "protected_word") & (pairs["kind"] == kind)]
