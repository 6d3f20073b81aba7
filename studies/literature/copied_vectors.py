"""The debiased tables hold some vectors under several names: which, and what that does."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from bayesbias.comparison.single_numbers import mac_before_after
from bayesbias.posterior.summaries import summary
from bayesbias.sampling.fit import fit
from bayesbias.tables.copies import copied_words, drop_copies

from .claims import Claim, claims_frame
from .sources import BEFORE, DEBIASED, Folder, plotted, published_table

INFERRED = (
    "equalising a triplet in one direction leaves only a sign, so that two of three coincide. That "
    "the tables were made with one direction is an inference from them, not a statement of theirs"
)


def copies(folder: Folder = None) -> pd.DataFrame:
    """How many different vectors the protected words of the published tables have.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), tables of section 5.2; Manzini et al. (2019), whose hard
    debiasing made them.
    """
    rows = []
    for name in reversed(DEBIASED):
        table = published_table(name, folder)
        n_words = table["protected_word"].nunique()
        pairs = _pairs(table, "copy")
        told = ", ".join(f"{row.word} = {row.other}" for row in pairs.itertuples())
        cause = f"{told}, to {pairs['difference'].max():.0e}: {INFERRED}" if told else ""
        claim = f"{name}: different vectors of its {n_words} protected words"
        rows.append(Claim(claim, n_words, n_words - len(pairs), cause=cause))
    before = sum(len(_pairs(published_table(name, folder), "copy")) for name in BEFORE)
    rows.append(Claim("copied protected words in the 15 tables before debiasing", 0, before))
    return claims_frame(rows)


def equidistant(folder: Folder = None) -> pd.DataFrame:
    """Whether equalised words are at one distance from every stereotype attribute.

    References
    ----------
    Bolukbasi et al. (2016), section 6; Manzini et al. (2019), section 3.
    """
    return claims_frame(claim for name in DEBIASED for claim in _equidistant(name, folder))


def copies_and_intervals(folder: Folder = None) -> pd.DataFrame:
    """Widths of the plotted intervals of debiased religion, and with every vector once.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), appendix, figure of debiased religion on Reddit.
    """
    name = "debiased_religion_reddit"
    table = published_table(name, folder)
    once = drop_copies(table)
    found, alone = (
        summary(fit(each, "paper-figures", method="exact", seed=1), ci_kind="eti")
        for each in (table, once)
    )
    figure = plotted(name)
    cause = (
        f"{table['protected_word'].nunique()} names of {once['protected_word'].nunique()} vectors "
        "are taken for independent words"
    )
    rows = []
    for connection in ("associated", "different", "neutral", "human"):
        widths = [
            _width(each[(each["level"] == "overall") & (each["connection"] == connection)])
            for each in (figure, found, alone)
        ]
        rows.append(
            Claim(
                f"width of the overall 89% interval, {connection}",
                round(widths[0], 3),
                round(widths[2], 3),
                0.0015,
                f"{cause}; refitted with all names {widths[1]:.3f}",
            )
        )
    return claims_frame(rows)


def mac_without_copies(folder: Folder = None) -> pd.DataFrame:
    """Return the p-value of the rise of MAC with every vector once.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), table 2.
    """
    before, after = (
        published_table(f"{when}religion_reddit", folder) for when in ("", "debiased_")
    )
    once = drop_copies(after)
    kept = before[before["protected_word"].isin(once["protected_word"])]
    row = mac_before_after(kept, once).iloc[0]
    cause = (
        f"{row['n_pairs']} pairs in place of 45. It is still small: MAC does move. But it is a "
        "mean over stereotypes that equalising puts at one distance, whatever else it does"
    )
    return claims_frame(
        [
            Claim(
                "p of the t-test, every vector once",
                3.006e-07,
                float(f"{row['p_value']:.3g}"),
                5e-11,
                cause,
            ),
            Claim("MAC after", 0.934, round(row["after"], 4), 0.0005, cause),
        ]
    )


def _equidistant(name: str, folder: Folder) -> Iterator[Claim]:
    table = published_table(name, folder)
    pairs = pd.concat([_pairs(table, "copy"), _pairs(table, "equidistant")])
    told = ", ".join(f"{row.word} = {row.other}" for row in pairs.itertuples()) or "none"
    words = set(pairs["word"]) | set(pairs["other"])
    n_words = table["protected_word"].nunique()
    yield Claim(
        f"{name}: words at one distance from all stereotypes with another group's",
        n_words,
        len(words),
        cause=told,
    )


def _pairs(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    found = copied_words(table)
    return found[(found["role"] == "protected_word") & (found["kind"] == kind)]


def _width(row: pd.DataFrame) -> float:
    return float(row["high"].iloc[0] - row["low"].iloc[0])
