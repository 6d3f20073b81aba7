"""Dobrzeniecka and Urbaniak (2024): the result figures, and sections 5.1 and 5.2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from xarray import DataTree

import bayesbias as bb

from .bayesian import CONNECTIONS, at, before_and_after, pairs_of
from .claims import Claim, with_interval
from .sources import BEFORE, DEBIASED, EMBEDDINGS, fitted, known_warnings, plotted, published_table

TOLERANCES = {"overall mean": 0.001, "overall ends": 0.003, "word mean": 0.003, "word ends": 0.008}
"""Largest difference between a figure and a refit that Monte Carlo error can explain."""


def beside(name: str, model: str, ci_kind: str = "eti", draws: int = 2_000) -> pd.DataFrame:
    """Return the plotted posterior of a table next to its refit, by level, word, and connection."""
    refit = bb.summary(fitted(name, model, method="exact", draws=draws), ci_kind=ci_kind)
    refit = refit[refit["level"] != "group"]
    keys = ["level", "protected_word", "connection"]
    return plotted(name).merge(refit, on=keys, suffixes=("_plotted", ""), validate="one_to_one")


def largest_differences(name: str, model: str, draws: int = 2_000) -> dict[str, float]:
    """Return the largest differences between a figure and a refit, keyed as in `TOLERANCES`."""
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


@at("figures 13 and 14, appendix: refits", "figures 13, 14 and A.2")
def refit() -> Iterator[Claim]:
    """Compare the plotted posteriors with refits under ``paper-figures``."""
    note = (
        "the difference is within the Monte Carlo error of the plotted chains; the refit agrees "
        "with quadrature"
    )
    for name in ("gender_reddit", "debiased_gender_reddit", "debiased_race_reddit"):
        for key, found in largest_differences(name, "paper-figures", 16_000).items():
            claim = f"{name}, {key}: largest difference"
            values = (claim, 0, round(found, 4), TOLERANCES[key])
            yield Claim(*values, note=note, shown="plotted")


@at("result figures: the model behind them", "figures of A.2")
def residual_sds() -> Iterator[Claim]:
    """Compare the figures with refits that have one residual sd, or one per connection."""
    notes = {
        "paper": "one σ for all rows; the authors' LaTeX writes σ with the index of the row. It "
        "states no prior for σ, and it does not state how many σ there are",
        "paper-code": "one σ and other priors, as in the README of the public repository",
        "paper-figures": "one σ for each connection, Exponential(2), as in functions/buildModel.R "
        "in rfl-urbaniak/BayesBias; this model reproduces the figures",
    }
    for model, note in notes.items():
        found = largest_differences("religion_glove", model)
        for key in ("word mean", "word ends"):
            claim = f"{model}, religion_glove, {key}: largest difference"
            values = (claim, 0, round(found[key], 4), TOLERANCES[key], "", note)
            yield Claim(*values, comparable=model == "paper-figures", shown="plotted")
    keys = ["protected_word", "connection"]
    figure = plotted("religion_glove").query("level == 'word'").set_index(keys)["mean"]
    raw = published_table("religion_glove").groupby(keys, observed=True)["cosine_distance"].mean()
    claim = "each word alone, religion_glove, word mean: largest difference"
    note = (
        "bayesianAnalysisWalkthrough.R in rfl-urbaniak/BayesBias fits one protected word at a "
        "time, without pooling. Integrated over σ, its means equal the raw means to within .001"
    )
    gap = round(float(abs(figure - raw).max()), 4)
    yield Claim(claim, 0, gap, note=note, comparable=False, shown="plotted")


@at("result figures: the intervals", "5.2")
def interval_kind() -> Iterator[Claim]:
    """Check whether the plotted intervals are highest-density, as the text says, or percentile."""
    draws = "the authors' functions/plotFromPrecis.R draws the columns 5.5% and 94.5%"
    apart = ". The ends of the two kinds of intervals are only {:.3f} apart"
    for kind, label, quoted, place, more in (
        ("hdi", "highest-density", "difference in means with 89% HPDIs", "", apart),
        ("eti", "percentile", "", "figures of A.2", ""),
    ):
        both = beside("religion_glove", "paper-figures", kind)
        gaps = both[["low", "high"]].to_numpy() - both[["low_plotted", "high_plotted"]].to_numpy()
        rms = round(float(np.sqrt((gaps**2).mean())), 5)
        values = (f"religion_glove, rms distance from {label} intervals", 0, rms, 0.001, quoted)
        yield Claim(*values, draws + more.format(rms), place=place, shown="plotted")


@at("result figures: the draws", "figures of A.2")
def draws_made() -> Iterator[Claim]:
    """Estimate how many independent draws the scatter of the plotted means implies."""
    draws = 32_000
    note = (
        "the paper makes no statement about this; functions/buildModel.R makes 14,000 draws. NUTS "
        "draws are correlated, so they can equal more or fewer independent draws"
    )
    for name in ("gender_google", "religion_reddit"):
        both = beside(name, "paper-figures", draws=draws)
        z = (both["mean_plotted"] - both["mean"]) / both["sd"]
        found = 1 / (float((z**2).mean()) - 1 / (4 * draws))
        claim = f"{name}: independent draws that the scatter implies"
        values = (claim, 14_000, round(found, -2))
        yield Claim(*values, note=note, comparable=False, shown="not stated")


@at("section 5.1, WEAT 1", "5.1")
def human_furthest() -> Iterator[Claim]:
    """Find the attributes that are farthest in WEAT 1, as plotted."""
    quoted = "human attributes, not neutral predicates, that are systematically the furthest"
    for name in (f"weat1_{embedding}" for embedding in EMBEDDINGS):
        means = _overall(name)["mean"].sort_values()
        yield Claim(f"{name}: farthest attributes", "human", str(means.index[-1]), 0, quoted)


@at("section 5.1, contrasts", "5.1")
def overlap() -> Iterator[Claim]:
    """Compute associated - different with an interval; the text compares two intervals."""
    religion = "the associated attributes are not systematically closer"
    race = "there is no clear difference between associated and different attributes"
    weat = "no reason to think there are systematic differences between cosine distances"
    gender = "tend to be more or less in the same distances"
    quotes = {f"religion_{embedding}": religion for embedding in EMBEDDINGS}
    quotes |= {"race_glove": religion, "race_google": religion, "race_reddit": race}
    quotes |= {"weat7_reddit": weat, "gender_glove": gender, "gender_google": gender}
    crude = "the paper asks whether two HPDIs overlap, and calls that a crude approximation. They "
    for name, quoted in quotes.items():
        frame = bb.contrasts(fitted(name, "paper", method="exact", draws=16_000), ci_kind="eti")
        row = frame.query("level == 'overall' and first == 'associated' and second == 'different'")
        closer = row["high"].iloc[0] < 0
        note = f"associated - different is {with_interval(row.iloc[0])} under the model paper"
        ends = _overall(name)
        apart = ends["high"]["associated"] < ends["low"]["different"]
        eye = crude + ("do not overlap; " if apart else "overlap; ")
        if closer and not apart and quoted != gender:
            eye = "the two HPDIs overlap, so the sentence holds by the paper's criterion. Whether "
            eye += "the contrast's interval excludes zero is another question, and it does: "
        values = ("no", "yes" if closer else "no", 0, quoted, (eye if closer else "") + note)
        claim = f"{name}: associated attributes closer than different ones"
        comparable, shown = quoted != gender and (apart or not closer), ""
        if quoted == gender:
            claim, shown = f"{name}: associated - different", "more or less the same"
            values = (shown, with_interval(row.iloc[0]), *values[2:])
        yield Claim(claim, *values, comparable=comparable, shown=shown)


@at("section 5.1, gender on Reddit", "5.1")
def gender_levels() -> Iterator[Claim]:
    """Compare the plotted overall means of gender on Reddit with the rounded values in the text."""
    means = _overall("gender_reddit")["mean"]
    note = "the text describes the figure in rounded numbers"
    for connection, printed in zip(CONNECTIONS, (0.6, 0.6, 0.9, 0.9), strict=True):
        found = round(float(means[connection]), 3)
        claim = f"mean distance, {connection}"
        yield Claim(claim, printed, found, 0.05, "(around .6 vs. .9)", note, comparable=False)


@at("section 5.2, the debiased tables", "published tables")
def copies() -> Iterator[Claim]:
    """Count the distinct vectors of the protected words in the published tables."""
    for name in reversed(DEBIASED):
        table = published_table(name)
        n_words = table["protected_word"].nunique()
        pairs = pairs_of(table, "copy")
        names = ", ".join(f"{row.word} = {row.other}" for row in pairs.itertuples())
        note = (
            f"the paper makes no statement about this. Words with the same vector: {names}. If a "
            "triplet is equalized in one direction, words can differ only in sign, so at least two "
            "of three coincide; a word that is also in a later triplet moves once more. We infer "
            "from the tables that one direction was used"
        )
        claim = f"{name}: distinct vectors of its {n_words} protected words"
        note = note if names else "the paper makes no statement; every word has a different vector"
        found = n_words - len(pairs)
        yield Claim(claim, n_words, found, note=note, comparable=False, shown="not stated")
    before = sum(len(pairs_of(published_table(name), "copy")) for name in BEFORE)
    claim = "words with the same vector in the 15 tables before debiasing"
    note = "such copies appear only after debiasing; the paper does not mention them"
    yield Claim(claim, 0, before, note=note, comparable=False, shown="not stated")


@at("section 5.2, alignment of associated and different", "5.2")
def alignment() -> Iterator[Claim]:
    """Check whether associated and different attributes are equally far after debiasing."""
    quotes = {
        "religion": "debiasing aligns general coefficients for all groups together",
        "race": "general coefficients for different and associated predicates became aligned",
        "gender": "minor differences between different and associated predicates end up being "
        "smaller",
    }
    for name, quoted in quotes.items():
        before, after = (
            means["associated"] - means["different"]
            for means in (_overall(f"{when}{name}_reddit")["mean"] for when in ("", "debiased_"))
        )
        table = published_table(f"debiased_{name}_reddit")
        pairs = pd.concat([pairs_of(table, "copy"), pairs_of(table, "equidistant")])
        n_words, same = table["protected_word"].nunique(), len({*pairs["word"], *pairs["other"]})
        note = (
            f"associated - different changes from {before:+.3f} to {after:+.3f} in the figures. "
            f"{same} of {n_words} words have the same distances to all stereotypes as a word of "
            "another group"
        )
        printed, holds = "aligned", abs(after) < 0.005
        if name == "gender":
            printed, holds = "smaller", abs(after) < abs(before)
        found = printed if holds else "apart"
        yield Claim(f"{name}: overall means after debiasing", printed, found, 0, quoted, note)


@at("section 5.2, intervals after debiasing", "figures of A.2")
def copies_and_intervals() -> Iterator[Claim]:
    """Compare interval widths of debiased religion, as plotted and with one word per vector."""
    name = "debiased_religion_reddit"
    once = bb.drop_duplicates(published_table(name))
    frames = [plotted(name)]
    for table in (published_table(name), once):
        with known_warnings():
            posterior = bb.fit(table, "paper-figures", method="exact", seed=1, draws=4_000)
        frames.append(bb.summary(posterior, ci_kind="eti"))
    for connection in CONNECTIONS:
        rows = [
            frame[(frame["level"] == "overall") & (frame["connection"] == connection)].iloc[0]
            for frame in frames
        ]
        widths = [round(float(row["high"] - row["low"]), 3) for row in rows]
        note = (
            "the figure has 15 names for 10 vectors; a refit with all names has a width of "
            f"{widths[1]:.3f}"
        )
        claim = f"width with one word per vector, overall, {connection}"
        yield Claim(claim, widths[0], widths[2], 0.0015, note=note, comparable=False)


@cache
def _change(name: str, model: str = "change") -> DataTree:
    with known_warnings():
        return bb.fit_change(*before_and_after(name), model, method="exact", seed=1)


def _moved(name: str, connection: str) -> pd.DataFrame:
    """Return the changes of a list's words, largest first."""
    frame = bb.comparison.changes(_change(name))
    words = frame[(frame["level"] == "word") & (frame["connection"] == connection)]
    return words.sort_values("mean", key=abs, ascending=False).set_index("protected_word")


@at("section 5.2, *hers*", "5.2")
def hers() -> Iterator[Claim]:
    """Find the gender word that moves most on Reddit, relative to associated attributes."""
    words = _moved("gender", "associated")
    quoted = "protected word for which a major difference is noticeable is hers"
    largest = (f"{word} {with_interval(row)}" for word, row in words.head(2).iterrows())
    note = f"largest changes of the associated mean: {'; '.join(largest)}"
    yield Claim("the word with a major change", "hers", str(words.index[0]), 0, quoted, note)
    before, after = (_plotted_word(f"{when}gender_reddit", "hers") for when in ("", "debiased_"))
    printed = round(after["associated"] - before["associated"], 3)
    found = round(words["mean"]["hers"], 3)
    claim = "hers: change of the associated mean, as plotted"
    note = "recomputed under our model of changes"
    yield Claim(claim, printed, found, 0.005, note=note, place="figures 13 and 14")


@at("section 5.2, *asia* and *asian*", "5.2")
def asia() -> Iterator[Claim]:
    """Compare associated and different means of *asia* and *asian*, before and after debiasing."""
    words = _moved("race", "different")
    quoted = "asian and asia much lower than associated predicates"
    for word in ("asia", "asian"):
        drawn = [_plotted_word(f"{when}race_reddit", word) for when in ("", "debiased_")]
        before, after = (means["different"] - means["associated"] for means in drawn)
        note = (
            "both values are from the figures. Under our model of changes, the mean of different "
            f"changes by {words['mean'][word]:+.3f}"
        )
        found, lower = f"{before:+.3f} before, {after:+.3f} after", bool(after < min(before, 0))
        claim = f"{word}: different - associated, after debiasing"
        yield Claim(claim, "lower", found, quoted=quoted, note=note, holds=lower)


@at("section 5.2, *christian*, *jew* and *muslim*", "5.2")
def religion_orders() -> Iterator[Claim]:
    """Check whether debiasing reversed the order of associated and different."""
    reverse = "the proximity ordering between associated and different predicates has been reversed"
    keep = "no change in the way the protected word muslim is mistreated"
    orders = [
        bb.comparison.order_changes(_change("religion", model)).query("level == 'word'")
        for model in ("change", "change-maximal")
    ]
    tables = before_and_after("religion")
    for word, quoted in {"christian": reverse, "jew": reverse, "muslim": keep}.items():
        printed = "kept" if quoted == keep else "reversed"
        raw = [_raw_gap(table, word) for table in tables]
        drawn = [_plotted_word(f"{when}religion_reddit", word) for when in ("", "debiased_")]
        gaps = [means["associated"] - means["different"] for means in drawn]
        turned = [frame.set_index("protected_word")["p_turned"][word] for frame in orders]
        found, in_raw = ("reversed" if gap[0] * gap[1] < 0 else "kept" for gap in (gaps, raw))
        note = (
            f"associated - different: {found} in the figures, {gaps[0]:+.3f} → {gaps[1]:+.3f}, and "
            f"{in_raw} in the raw distances, {raw[0]:+.3f} → {raw[1]:+.3f}. P(reversed) is "
            f"{turned[0]:.2f} under change, {turned[1]:.2f} under change-maximal"
        )
        yield Claim(f"order for {word} in the figures", printed, found, 0, quoted, note)


def _overall(name: str) -> pd.DataFrame:
    return plotted(name).query("level == 'overall'").set_index("connection")


def _plotted_word(name: str, word: str) -> pd.Series:
    return plotted(name).query("protected_word == @word").set_index("connection")["mean"]


def _raw_gap(table: pd.DataFrame, word: str) -> float:
    rows = table[table["protected_word"] == word]
    means = rows.groupby("connection", observed=True)["cosine_distance"].mean()
    return float(means["associated"] - means["different"])
