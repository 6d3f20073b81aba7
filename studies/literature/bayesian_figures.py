"""Dobrzeniecka and Urbaniak (2024): the result figures, and sections 5.1 and 5.2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from xarray import DataTree

import bayesbias as bb

from .bayesian import CONNECTIONS, before_and_after, pairs_of
from .claims import Found, claims_of, recomputed, with_interval
from .sources import BEFORE, DEBIASED, fitted, known_warnings, plotted, published_table


def beside(name: str, model: str, ci_kind: str = "eti", draws: int = 2_000) -> pd.DataFrame:
    """Return the plotted posterior of a table next to its refit, by level, word, and connection."""
    refit = bb.summary(fitted(name, model, method="exact", draws=draws), ci_kind=ci_kind)
    refit = refit[refit["level"] != "group"]
    keys = ["level", "protected_word", "connection"]
    return plotted(name).merge(refit, on=keys, suffixes=("_plotted", ""), validate="one_to_one")


def largest_differences(name: str, model: str, draws: int = 2_000) -> dict[str, float]:
    """Return the largest differences between a figure and a refit, keyed by level and kind."""
    both = beside(name, model, draws=draws)
    gaps = {
        column: abs(both[column] - both[f"{column}_plotted"]) for column in ("mean", "low", "high")
    }
    differences = {"mean": gaps["mean"], "ends": np.maximum(gaps["low"], gaps["high"])}
    overall = both["level"] == "overall"
    return {
        f"{level} {kind}": float(gap[rows].max())
        for level, rows in (("overall", overall), ("word", ~overall))
        for kind, gap in differences.items()
    }


@recomputed
def refit() -> Iterator[Found]:
    """Compare the plotted posteriors with refits under ``paper-figures``."""
    for name in ("gender_reddit", "debiased_gender_reddit", "debiased_race_reddit"):
        found = largest_differences(name, "paper-figures", 16_000)
        yield from (round(gap, 4) for gap in found.values())


@recomputed
def residual_sds() -> Iterator[Found]:
    """Compare the figures with refits that have one residual sd, or one per connection."""
    for model in ("paper", "paper-code", "paper-figures"):
        found = largest_differences("religion_glove", model)
        yield from (round(found[key], 4) for key in ("word mean", "word ends"))
    keys = ["protected_word", "connection"]
    figure = plotted("religion_glove").query("level == 'word'").set_index(keys)["mean"]
    raw = published_table("religion_glove").groupby(keys, observed=True)["cosine_distance"].mean()
    yield round(float(abs(figure - raw).max()), 4)  # each word alone


@recomputed
def interval_kind() -> Iterator[Found]:
    """Check whether the plotted intervals are highest-density, as the text says, or percentile."""
    for kind in ("hdi", "eti"):
        both = beside("religion_glove", "paper-figures", kind)
        gaps = both[["low", "high"]].to_numpy() - both[["low_plotted", "high_plotted"]].to_numpy()
        rms = round(float(np.sqrt((gaps**2).mean())), 5)
        yield rms, {"apart": f"{rms:.3f}"}


@recomputed
def draws_made() -> Iterator[Found]:
    """Estimate how many independent draws the scatter of the plotted means implies."""
    draws = 32_000
    for name in ("gender_google", "religion_reddit"):
        both = beside(name, "paper-figures", draws=draws)
        z = (both["mean_plotted"] - both["mean"]) / both["sd"]
        yield round(1 / (float((z**2).mean()) - 1 / (4 * draws)), -2)


@recomputed
def human_furthest() -> Iterator[Found]:
    """Find the attributes that are farthest in WEAT 1, as plotted."""
    for claim in claims_of("human_furthest"):
        means = _overall(claim.partition(":")[0])["mean"].sort_values()
        yield str(means.index[-1])


@recomputed
def overlap() -> Iterator[Found]:
    """Compute associated - different with an interval; the text compares two intervals."""
    for claim, printed in zip(claims_of("overlap"), claims_of("overlap", "printed"), strict=True):
        tree = fitted(claim.partition(":")[0], "paper", method="exact", draws=16_000)
        frame = bb.contrasts(tree, ci_kind="eti")
        row = frame.query("level == 'overall' and first == 'associated' and second == 'different'")
        contrast, closer = with_interval(row.iloc[0]), row["high"].iloc[0] < 0
        found = ("yes" if closer else "no") if printed == "no" else contrast
        yield found, {"contrast": contrast}


@recomputed
def gender_levels() -> Iterator[Found]:
    """Compare the plotted overall means of gender on Reddit with the rounded values in the text."""
    means = _overall("gender_reddit")["mean"]
    yield from (round(float(means[connection]), 3) for connection in CONNECTIONS)


@recomputed
def copies() -> Iterator[Found]:
    """Count the distinct vectors of the protected words in the published tables."""
    for name in reversed(DEBIASED):
        table = published_table(name)
        pairs = pairs_of(table, "copy")
        names = ", ".join(f"{row.word} = {row.other}" for row in pairs.itertuples())
        yield table["protected_word"].nunique() - len(pairs), {"names": names}
    yield sum(len(pairs_of(published_table(name), "copy")) for name in BEFORE)


@recomputed
def alignment() -> Iterator[Found]:
    """Check whether associated and different attributes are equally far after debiasing."""
    for name, printed in zip(
        ("religion", "race", "gender"), claims_of("alignment", "printed"), strict=True
    ):
        before, after = (
            means["associated"] - means["different"]
            for means in (_overall(f"{when}{name}_reddit")["mean"] for when in ("", "debiased_"))
        )
        table = published_table(f"debiased_{name}_reddit")
        pairs = pd.concat([pairs_of(table, "copy"), pairs_of(table, "equidistant")])
        same = f"{len({*pairs['word'], *pairs['other']})} of {table['protected_word'].nunique()}"
        holds = abs(after) < (abs(before) if printed == "smaller" else 0.005)
        more = {"before": f"{before:+.3f}", "after": f"{after:+.3f}", "same": same}
        yield printed if holds else "apart", more


@recomputed
def copies_and_intervals() -> Iterator[Found]:
    """Compare interval widths of debiased religion, as plotted and with one word per vector."""
    every, widths = published_table("debiased_religion_reddit"), []
    for table in (every, bb.drop_duplicates(every)):
        with known_warnings():
            posterior = bb.fit(table, "paper-figures", method="exact", seed=1, draws=4_000)
        ends = bb.summary(posterior, ci_kind="eti").query("level == 'overall'")
        ends = ends.set_index("connection")
        widths.append(ends["high"] - ends["low"])
    for connection in CONNECTIONS:
        yield round(float(widths[1][connection]), 3), {"refit": f"{widths[0][connection]:.3f}"}


@cache
def _change(name: str, model: str = "change") -> DataTree:
    with known_warnings():
        return bb.fit_change(*before_and_after(name), model, method="exact", seed=1)


def _moved(name: str, connection: str) -> pd.DataFrame:
    """Return the changes of a list's words, largest first."""
    frame = bb.comparison.changes(_change(name))
    words = frame[(frame["level"] == "word") & (frame["connection"] == connection)]
    return words.sort_values("mean", key=abs, ascending=False).set_index("protected_word")


@recomputed
def hers() -> Iterator[Found]:
    """Find the gender word that moves most on Reddit, relative to associated attributes."""
    words = _moved("gender", "associated")
    largest = (f"{word} {with_interval(row)}" for word, row in words.head(2).iterrows())
    yield str(words.index[0]), {"largest": "; ".join(largest)}
    yield round(words["mean"]["hers"], 3)


@recomputed
def asia() -> Iterator[Found]:
    """Compare associated and different means of *asia* and *asian*, before and after debiasing."""
    words = _moved("race", "different")
    for word in ("asia", "asian"):
        before, after = (-gap for gap in _plotted_gaps("race", word))
        more = {"change": f"{words['mean'][word]:+.3f}", "holds": bool(after < min(before, 0))}
        yield f"{before:+.3f} before, {after:+.3f} after", more


@recomputed
def religion_orders() -> Iterator[Found]:
    """Check whether debiasing reversed the order of associated and different."""
    orders = [
        bb.comparison.order_changes(_change("religion", model)).query("level == 'word'")
        for model in ("change", "change-maximal")
    ]
    tables = before_and_after("religion")
    for word in ("christian", "jew", "muslim"):
        gaps = _plotted_gaps("religion", word), [_raw_gap(table, word) for table in tables]
        found, in_raw = ("reversed" if one * other < 0 else "kept" for one, other in gaps)
        turned = [frame.set_index("protected_word")["p_turned"][word] for frame in orders]
        more = {"found": found, "in_raw": in_raw}
        more |= {"p": f"{turned[0]:.2f}", "p_maximal": f"{turned[1]:.2f}"}
        for name, (before, after) in zip(("gaps", "raw_gaps"), gaps, strict=True):
            more[name] = f"{before:+.3f} → {after:+.3f}"
        yield found, more


def _overall(name: str) -> pd.DataFrame:
    return plotted(name).query("level == 'overall'").set_index("connection")


def _plotted_gaps(name: str, word: str) -> list[float]:
    """Return associated - different of a word in the figures, before and after debiasing."""
    gaps = []
    for when in ("", "debiased_"):
        rows = plotted(f"{when}{name}_reddit").query("protected_word == @word")
        means = rows.set_index("connection")["mean"]
        gaps.append(float(means["associated"] - means["different"]))
    return gaps


def _raw_gap(table: pd.DataFrame, word: str) -> float:
    rows = table[table["protected_word"] == word]
    means = rows.groupby("connection", observed=True)["cosine_distance"].mean()
    return float(means["associated"] - means["different"])
