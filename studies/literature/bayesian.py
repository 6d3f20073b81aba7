"""Dobrzeniecka and Urbaniak (2024), A Bayesian approach to uncertainty in word embedding bias."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel
from xarray import DataTree

import bayesbias as bb

from .claims import Claim, recomputes, rounded, with_interval
from .null_example import NULL_CLAIMS, paper_example
from .sources import (
    BEFORE,
    DEBIASED,
    EMBEDDINGS,
    LISTS,
    fitted,
    known_warnings,
    plotted,
    published_table,
)

at = partial(recomputes, "Dobrzeniecka and Urbaniak (2024)")
CONNECTIONS = ("associated", "different", "neutral", "human")
STEREOTYPES = CONNECTIONS[:2]


@at("footnote 6, list sizes", "Notes")
def list_sizes() -> Iterator[Claim]:
    """Sizes of the lists of Manzini et al. (2019), which the paper and this package use."""
    tables = [published_table(f"{name}_google") for name in LISTS]
    places = [len(table) // table["attribute"].nunique() for table in tables]
    attributes = [
        table.loc[table["connection"].isin(STEREOTYPES), "attribute"].nunique() for table in tables
    ]
    quoted = "the range for protected words is between 13 and 18"
    note = (
        "the sentence names Caliskan et al.; a % in the authors' LaTeX hides half of it. Without "
        "the % it gives 13 to 100 for Caliskan et al. and 14 to 18 for Manzini et al., as found"
    )
    found = f"{min(places)} to {max(places)}"
    claim = "protected words of Manzini et al., by place"
    yield Claim(claim, "13 to 18", found, quoted=quoted, note=note, comparable=False)
    quoted = "for attributes between 11 and 25"
    found = f"{min(attributes)} to {max(attributes)}"
    note = (
        "the sentence names the lists of Caliskan et al.; see the row above. The range fits those "
        "of Manzini et al., which the paper also uses"
    )
    claim = "attributes of Manzini et al."
    yield Claim(claim, "11 to 25", found, quoted=quoted, note=note, comparable=False)


@at("table 1", "2")
def religion_sample() -> Iterator[Claim]:
    """Fifteen distances of the religion table."""
    sample = {
        "rabbi greedy": 1.03,
        "church familial": 0.70,
        "synagogue liberal": 0.79,
        "jew familial": 0.98,
        "quran dirty": 1.12,
        "muslim uneducated": 0.52,
        "torah terrorist": 0.93,
        "quran hairy": 1.18,
        "synagogue violent": 0.95,
        "bible cheap": 1.22,
        "christianity greedy": 0.97,
        "muslim hairy": 0.88,
        "islam critical": 0.79,
        "muslim conservative": 0.45,
        "mosque greedy": 1.15,
    }
    table = published_table("religion_reddit")
    distances = table.set_index(["protected_word", "attribute"])["cosine_distance"]
    sets = table.dropna(subset="attribute_set").groupby("attribute")["attribute_set"].first()
    for pair, printed in sample.items():
        word, attribute = pair.split()
        found = round(float(distances[word, attribute]), 4)
        note = "the decimal is cut off" if abs(printed - found) > 0.00505 else ""
        group = sets[attribute].removesuffix("_stereotype")
        quoted = f"{word} | {attribute} | {group}Stereotype | {printed:.2f} |"
        within = 0.01 if note else 0.00505
        yield Claim(pair, printed, found, within, quoted, note, shown=f"{printed:.2f}")


def mac_change(before: pd.DataFrame, after: pd.DataFrame) -> tuple[float, float, float]:
    """MAC before and after, and p of the paired t-test over (protected word, attribute set)."""
    means = [
        table[table["connection"].isin(STEREOTYPES)]
        .groupby(["protected_word", "attribute_set"], observed=True)["cosine_distance"]
        .mean()
        for table in (before, after)
    ]
    means = [mean[means[1].index] for mean in means]
    return means[0].mean(), means[1].mean(), ttest_rel(*means).pvalue


@at("table 2", "3.1")
def mac_of_religion() -> Iterator[Claim]:
    """MAC of religion on Reddit before and after hard debiasing."""
    before, after, p = mac_change(*_before_and_after("religion"))
    note = (
        "the printed values are those of Manzini et al. (2019), whose list has 'judgemental' where "
        "the published table has 'critical'"
    )
    rows = (
        ("MAC before", 0.859, before, "Biased | 0.859 | N/A |"),
        ("MAC after", 0.934, after, "Hard Debiased | 0.934 |"),
        ("p of the paired t-test", 3.006e-07, p, "3.006e−07"),
    )
    for claim, printed, found, quoted in rows:
        yield Claim(claim, printed, rounded(found), 0.0005, quoted, note, comparable=False)


@at("table 2, every vector once", "3.1")
def mac_without_copies() -> Iterator[Claim]:
    """P of the rise of MAC where words with the same vector count once: all 32 choices."""
    before, after = _before_and_after("religion")
    twins = [(row.word, row.other) for row in _pairs(after, "copy").itertuples()]
    values = []
    for dropped in product(*twins):
        once = after[~after["protected_word"].isin(dropped)]
        values.append(mac_change(before[~before["protected_word"].isin(dropped)], once)[2])
    note = (
        "table 2 reprints the p-value of Manzini et al., which is for their data. With all names "
        f"the published table gives {mac_change(before, after)[2]:.2g}; each of {len(values)} "
        f"choices of one name a vector gives {min(values):.2g} to {max(values):.2g}. MAC is a mean "
        "over stereotypes that equalizing puts at one distance"
    )
    claim = "p of the t-test, every vector once, at most"
    values = (3.006e-07, rounded(max(values), 2), 0, "3.006e−07", note)
    yield Claim(claim, *values, comparable=False)


BANDS = {
    "religion": ((0.14, (36, 43, 56, 55)), (0.14, (63, 63, 59, 59))),
    "gender": ((0.38, (47, 53, 96, 87)), (0.38, (51, 51, 96, 92))),
    "race": ((0.11, (33, 39, 46, 67)), (0.11, (38, 36, 48, 55))),
}
"""Half-width of the band around 1, and percent inside by connection, before and after debiasing:
labels of figures 3-5 and 15-17, paperDraft.Rmd at 1e34865."""

OLDER = 27
"""Words at the start of the appendix's human list with which the labels "before" agree."""


def _inside(table: pd.DataFrame, width: float, connection: str) -> float:
    distances = table.loc[table["connection"] == connection, "cosine_distance"]
    return round(100 * float((abs(distances - 1) <= width).mean()), 1)


IN_TEXT = {
    ("religion", 0, "human"): "56% of neutral and 55% of human word lists",
    ("religion", 0, "neutral"): "56% of neutral and 55% of human word lists",
    ("religion", 0, "different"): "43% of the different word lists and 35% of the associated",
    ("religion", 1, "human"): "59% (for neutral) and 59% (for human)",
    ("religion", 1, "neutral"): "59% (for neutral) and 59% (for human)",
    ("religion", 1, "different"): "the percentage has increased for both lists to 63%",
    ("religion", 1, "associated"): "the percentage has increased for both lists to 63%",
    ("race", 0, "human"): "dropped from 67% to 55% (human) and from 39% to 36%",
    ("race", 1, "human"): "dropped from 67% to 55% (human) and from 39% to 36%",
    ("race", 0, "different"): "dropped from 67% to 55% (human) and from 39% to 36%",
    ("race", 1, "different"): "dropped from 67% to 55% (human) and from 39% to 36%",
}
"""Words of section 5.2 for a list, before or after, and a connection; labels have the others."""


@at("figures 3-5 and 15-17, section 5.2", "5.2")
def band_shares() -> Iterator[Claim]:
    """Percent of distances inside the band 1 ± (1 - MAC), on Reddit before and after debiasing."""
    places = ("figures 3 and 15", "figures 4 and 16", "figures 5 and 17")
    figures = dict(zip(BANDS, places, strict=True))
    for name, bands in BANDS.items():
        for when, (width, labels) in enumerate(bands):
            table = _before_and_after(name)[when]
            for connection, label in reversed(list(zip(CONNECTIONS, labels, strict=True))):
                claim = f"{name}, {connection}, {('before', 'after')[when]}, within {width} of 1"
                found = _inside(table, width, connection)
                cut = int(found) == label  # 63.6 as 63
                note = "the decimal is cut off" if cut and found - label > 0.5 else ""
                if not cut and abs(found - label) > 0.5:
                    note = f"the first {OLDER} of the table's 85 human words give {label}%"
                quoted = IN_TEXT.get((name, when, connection), "")
                place = "5.2" if quoted else figures[name]
                within = 1.0 if cut else 0.5
                yield Claim(claim, label, found, within, quoted, note, place=place)
    quoted = IN_TEXT["religion", 0, "different"]
    found = _inside(_before_and_after("religion")[0], 0.14, "associated")
    note = "the label in figure 3 has 36"
    yield Claim("religion, associated, before, in the text", 35, found, 0.5, quoted, note)


@at("the human lists of figures 3-5", "figures 3 to 5")
def control_lists() -> Iterator[Claim]:
    """Percent of human words inside the band before debiasing, the first 27 and all 85."""
    for name, ((width, labels), _) in BANDS.items():
        table, after = _before_and_after(name)
        words = table.loc[table["connection"] == "human", "attribute"].unique()
        older = table[table["attribute"].isin(words[:OLDER])]
        whole, later = (_inside(each, width, "human") for each in (table, after))
        note = (
            "our explanation of the figure's number; the paper does not state that a part of the "
            f"list was used. All {len(words)} words: {whole}% before, {later}% after"
        )
        found = _inside(older, width, "human")
        claim = f"{name}, human, before, within {width} of 1, first {OLDER} of {len(words)} words"
        yield Claim(claim, labels[-1], found, 0.5, note=note)


@at("section 3.2, figure 7", "3.2")
def nearest_to_priest() -> Iterator[Claim]:
    """Attributes closest to *priest* in the whole table; the figure shows ten sampled controls."""
    table = published_table("religion_reddit")
    priest = table[table["protected_word"] == "priest"].sort_values("cosine_distance")
    nearest = ", ".join(
        f"{row.attribute} ({row.connection})" for row in priest.head(5).itertuples()
    )
    means = priest.groupby("connection", observed=True)["cosine_distance"].mean()
    quoted = "The nearest attributes are human attributes"
    note = f"the sentence describes a figure with ten sampled controls; closest of all: {nearest}"
    found = str(priest["connection"].iloc[0])
    yield Claim("kind of the closest word", "human", found, 0, quoted, note, comparable=False)
    yield Claim("kind that is closest on average", "human", str(means.idxmin()), 0, quoted)


@at("section 3.2, effect sizes of Caliskan et al.", "3.2")
def effect_size_range() -> Iterator[Claim]:
    """Range of the effect sizes in table 1 of Caliskan et al. (2017)."""
    sizes = (1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21)
    quoted = "range from 2.06 to 1.81"
    bound = 2 * np.sqrt(15 / 16)
    note = f"one digit: 1.06 is that of math and arts, and d of 8 + 8 words is at most {bound:.2f}"
    yield Claim("one end of the range of d", 2.06, min(sizes), 0.005, quoted, note)
    yield Claim("the other end", 1.81, max(sizes), 0.005, quoted)


@at("section 3.2, the null example", "3.2")
def null_statistics() -> Iterator[Claim]:
    """Numbers of the null example; `paper_example` has the data and all tests."""
    example = paper_example()
    for claim in NULL_CLAIMS:
        found = rounded(claim.found(example))
        place = "" if claim.quoted else "figure 8"
        values = (claim.name, claim.printed, found, claim.within, claim.quoted, claim.note)
        yield Claim(*values, place=place)


@at("footnote 22, sd of the null model", "Notes")
def neutral_sd() -> Iterator[Claim]:
    """Standard deviation of distances to neutral words, by embedding."""
    quoted = ".08 is approximately the empirical standard deviation observed"
    for embedding in ("google", "glove", "reddit"):
        names = [name for name in BEFORE if name.endswith(embedding)]
        tables = [published_table(name).query("connection == 'neutral'") for name in names]
        sds = [float(table["cosine_distance"].std()) for table in tables]
        note = f"{min(sds):.3f} to {max(sds):.3f}"
        if embedding != "google":
            note += "; the footnote names no embedding, and the google tables agree with it"
        claim = f"sd of neutral distances, mean of the {len(sds)} {embedding} tables"
        found = round(float(np.mean(sds)), 3)
        yield Claim(claim, 0.08, found, 0.005, quoted, note, comparable=embedding == "google")


@at("section 4.1, range of the prior", "4.1")
def prior_range() -> Iterator[Claim]:
    """Range of mean distances that the prior expects: one mean and three standard deviations."""
    prior = bb.load_model("paper").priors["connection_mean"].parameters
    quoted = "within 1 ± 3sd, that is, (−.2,2.2)"
    first = "1 ± 3 · .3; the printed range is 1 ± 4 · .3. That the prior covers enough stands"
    same = "same interval as the row above"
    for end, printed, sign, note in (("lower", -0.2, -1, first), ("upper", 2.2, 1, same)):
        found = round(prior["mean"] + sign * 3 * prior["sd"], 3)
        yield Claim(f"{end} end of the 99.7% range", printed, found, 0.005, quoted, note)


@at("section 4.2, predictive checks", "4.2")
def predictive_check() -> Iterator[Claim]:
    """Share of distances inside the 89% and 50% predictive intervals of ``paper``."""
    printed = {"religion_google": (91, 55), "religion_reddit": (89, 49)}
    note = "4.2 calls this interval 55%; the figures, and the caption of figure 12, have 50%"
    for name, labels in printed.items():
        frame = bb.predictive_check(fitted(name, "paper"), seed=0)
        coverage = frame[frame["connection"] == "all"].set_index("ci_prob")["coverage"]
        for prob, label in zip((0.89, 0.5), labels, strict=True):
            found = round(100 * float(coverage[prob]), 1)
            values = (f"{name}, percent inside {prob:.0%}", label, found, 1.0)
            note_at_50 = note if prob == 0.5 else ""
            yield Claim(*values, note=note_at_50, place="figures of A.3")


@at("race tables", "published tables")
def repeated_rows() -> Iterator[Claim]:
    """Rows of the race tables that repeat an earlier one; the paper makes no statement about it."""
    unstated = (
        "the paper makes no statement about this; a word in several of the six triplets has its "
        "rows repeated, and every fit counts them"
    )
    for name in ("race_google", "race_glove", "race_reddit", "debiased_race_reddit"):
        table = published_table(name)
        found = len(table.drop_duplicates())
        coded = " The file has 5868 rows; the 18 of *literaly*, coded -100, are left out here"
        note = unstated + ("." + coded if name == "race_glove" else "")
        claim = f"{name}: rows of the table, and distinct rows"
        yield Claim(claim, len(table), found, note=note, comparable=False)


TOLERANCES = {"overall mean": 0.001, "overall ends": 0.003, "word mean": 0.003, "word ends": 0.008}
"""Largest difference of a figure and a refit that the Monte Carlo error of the chains explains."""


def beside(name: str, model: str, ci_kind: str = "eti", draws: int = 2_000) -> pd.DataFrame:
    """Return the plotted posterior of a table with its refit, by level, word and connection."""
    refit = bb.summary(fitted(name, model, method="exact", draws=draws), ci_kind=ci_kind)
    refit = refit[refit["level"] != "group"]
    keys = ["level", "protected_word", "connection"]
    return plotted(name).merge(refit, on=keys, suffixes=("_plotted", ""), validate="one_to_one")


def largest_differences(name: str, model: str, draws: int = 2_000) -> dict[str, float]:
    """Return the largest differences of a figure and a refit, under the keys of `TOLERANCES`."""
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
    """Posteriors as plotted and refitted under ``paper-figures``."""
    note = "Monte Carlo error of the plotted chains; the refit agrees with quadrature"
    for name in ("gender_reddit", "debiased_gender_reddit", "debiased_race_reddit"):
        for key, found in largest_differences(name, "paper-figures", 16_000).items():
            claim = f"{name}, {key}: largest difference"
            values = (claim, 0, round(found, 4), TOLERANCES[key])
            yield Claim(*values, note=note, shown="plotted")


@at("result figures: the model behind them", "figure 13 and A.2")
def residual_sds() -> Iterator[Claim]:
    """Distance of the figures from refits with one residual sd and with one per connection."""
    notes = {
        "paper": "one σ for all rows; the authors' LaTeX has σ with the index of the row, no prior "
        "for it, and does not state how many there are",
        "paper-code": "one σ and other priors, as in the README of the public repository",
        "paper-figures": "one σ for each connection, Exponential(2), as in functions/buildModel.R "
        "of rfl-urbaniak/BayesBias; this model reproduces the figures",
    }
    for model, note in notes.items():
        found = largest_differences("religion_glove", model)
        for key in ("word mean", "word ends"):
            values = (
                f"{model}, religion_glove, {key}: largest difference",
                0,
                round(found[key], 4),
            )
            comparable = model == "paper-figures"
            named = {"note": note, "comparable": comparable, "shown": "plotted"}
            yield Claim(*values, TOLERANCES[key], **named)
    keys = ["protected_word", "connection"]
    figure = plotted("religion_glove").query("level == 'word'").set_index(keys)["mean"]
    raw = published_table("religion_glove").groupby(keys, observed=True)["cosine_distance"].mean()
    claim = "each word alone, religion_glove, word mean: largest difference"
    note = (
        "bayesianAnalysisWalkthrough.R of rfl-urbaniak/BayesBias fits one protected word at a "
        "time, without pooling. Integrated over σ, its means are the raw means within .001"
    )
    gap = round(float(abs(figure - raw).max()), 4)
    yield Claim(claim, 0, gap, note=note, comparable=False, shown="plotted")


@at("result figures: the intervals", "5.2")
def interval_kind() -> Iterator[Claim]:
    """Whether the plotted intervals are highest-density, as the text says, or percentile ones."""
    note = "functions/plotFromPrecis.R of the authors draws the columns 5.5% and 94.5%"
    for kind, label in (("hdi", "highest-density"), ("eti", "percentile")):
        both = beside("religion_glove", "paper-figures", kind)
        gaps = both[["low", "high"]].to_numpy() - both[["low_plotted", "high_plotted"]].to_numpy()
        rms = round(float(np.sqrt((gaps**2).mean())), 5)
        quoted = "difference in means with 89% HPDIs" if kind == "hdi" else ""
        place = "" if quoted else "figure 13 and A.2"
        values = (f"religion_glove, rms distance from {label} intervals", 0, rms, 0.001)
        yield Claim(*values, quoted, note, place=place, shown="plotted")


@at("result figures: the draws", "figure 13 and A.2")
def draws_made() -> Iterator[Claim]:
    """How many independent draws the scatter of the plotted means implies; the paper gives none."""
    draws = 32_000
    for name in ("gender_google", "religion_reddit"):
        both = beside(name, "paper-figures", draws=draws)
        z = (both["mean_plotted"] - both["mean"]) / both["sd"]
        found = 1 / (float((z**2).mean()) - 1 / (4 * draws))
        note = "functions/buildModel.R makes 14,000 draws, which depend on each other"
        claim = f"{name}: independent draws that the scatter implies"
        yield Claim(claim, 14_000, round(found, -2), note=note, comparable=False)


@at("section 5.1, WEAT 1", "5.1")
def human_furthest() -> Iterator[Claim]:
    """Which attributes are the furthest in WEAT 1, as plotted."""
    quoted = "human attributes, not neutral predicates, that are systematically the furthest"
    for name in (f"weat1_{embedding}" for embedding in EMBEDDINGS):
        means = _overall(name)["mean"].sort_values()
        yield Claim(f"{name}: furthest attributes", "human", str(means.index[-1]), 0, quoted)


@at("section 5.1, contrasts", "5.1")
def overlap() -> Iterator[Claim]:
    """Associated - different with an interval, where the text compares two intervals."""
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
            eye = "by the paper's criterion (overlap), as printed; the contrast itself excludes "
            eye += "zero: "
        values = ("no", "yes" if closer else "no", 0, quoted, (eye if closer else "") + note)
        claim = f"{name}: associated attributes closer than different ones"
        comparable, shown = quoted != gender and (apart or not closer), ""
        if quoted == gender:
            claim, shown = f"{name}: associated - different", "more or less the same"
            values = (shown, with_interval(row.iloc[0]), *values[2:])
        yield Claim(claim, *values, comparable=comparable, shown=shown)


@at("section 5.1, gender on Reddit", "5.1")
def gender_levels() -> Iterator[Claim]:
    """Overall means of gender on Reddit as plotted; the text rounds them to one digit."""
    means = _overall("gender_reddit")["mean"]
    note = "a rounded description of the figure"
    for connection, printed in zip(CONNECTIONS, (0.6, 0.6, 0.9, 0.9), strict=True):
        found = round(float(means[connection]), 3)
        claim = f"mean distance, {connection}"
        yield Claim(claim, printed, found, 0.05, "(around .6 vs. .9)", note, comparable=False)


@at("section 5.2, the debiased tables", "published tables")
def copies() -> Iterator[Claim]:
    """How many different vectors the protected words of the published tables have."""
    for name in reversed(DEBIASED):
        table = published_table(name)
        n_words = table["protected_word"].nunique()
        pairs = _pairs(table, "copy")
        names = ", ".join(f"{row.word} = {row.other}" for row in pairs.itertuples())
        note = (
            f"the paper makes no statement about this. {names}. Equalizing a triplet in one "
            "direction leaves only a sign, so at least two of three coincide; a word that is also "
            "in a later triplet moves once more. That the tables were made with one direction is "
            "an inference from them"
        )
        claim = f"{name}: different vectors of its {n_words} protected words"
        note = note if names else "the paper makes no statement; every word has its own vector"
        found = n_words - len(pairs)
        yield Claim(claim, n_words, found, note=note, comparable=False, shown="not stated")
    before = sum(len(_pairs(published_table(name), "copy")) for name in BEFORE)
    claim = "words with the same vector in the 15 tables before debiasing"
    note = "copies come with debiasing; the paper does not mention them"
    yield Claim(claim, 0, before, note=note, comparable=False, shown="not stated")


@at("section 5.2, alignment of associated and different", "5.2")
def alignment() -> Iterator[Claim]:
    """Whether associated and different attributes are at one distance after debiasing."""
    quotes = {
        "religion": "debiasing aligns general coefficients for all groups together",
        "race": "general coefficients for different and associated predicates became aligned",
        "gender": "minor differences between different and associated predicates end up being",
    }
    for name, quoted in quotes.items():
        before, after = (
            means["associated"] - means["different"]
            for means in (_overall(f"{when}{name}_reddit")["mean"] for when in ("", "debiased_"))
        )
        table = published_table(f"debiased_{name}_reddit")
        pairs = pd.concat([_pairs(table, "copy"), _pairs(table, "equidistant")])
        n_words, same = table["protected_word"].nunique(), len({*pairs["word"], *pairs["other"]})
        note = (
            f"associated - different goes {before:+.3f} → {after:+.3f} in the figures. {same} of "
            f"{n_words} words are as far from all stereotypes as a word of another group"
        )
        found = "aligned" if abs(after) < 0.005 else "apart"
        yield Claim(f"{name}: overall means after debiasing", "aligned", found, 0, quoted, note)


@at("section 5.2, intervals after debiasing", "figures of A.2")
def copies_and_intervals() -> Iterator[Claim]:
    """Widths of the plotted intervals of debiased religion, and with every vector once."""
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
        note = f"the figure has 15 names of 10 vectors; refitted with all names: {widths[1]:.3f}"
        claim = f"width with every vector once, overall, {connection}"
        yield Claim(claim, widths[0], widths[2], 0.0015, note=note, comparable=False)


@cache
def _change(name: str, model: str = "change") -> DataTree:
    with known_warnings():
        return bb.fit_change(*_before_and_after(name), model, method="exact", seed=1)


def _moved(name: str, connection: str) -> pd.DataFrame:
    """Changes of the words of a list by size."""
    frame = bb.comparison.changes(_change(name))
    words = frame[(frame["level"] == "word") & (frame["connection"] == connection)]
    return words.sort_values("mean", key=abs, ascending=False).set_index("protected_word")


@at("section 5.2, *hers*", "5.2")
def hers() -> Iterator[Claim]:
    """Which gender word moves most on Reddit, relative to associated attributes."""
    words = _moved("gender", "associated")
    quoted = "protected word for which a major difference is noticeable is hers"
    note = "; ".join(f"{word} {with_interval(row)}" for word, row in words.head(2).iterrows())
    yield Claim("the word with a major change", "hers", str(words.index[0]), 0, quoted, note)
    before, after = (_plotted_word(f"{when}gender_reddit", "hers") for when in ("", "debiased_"))
    printed = round(after["associated"] - before["associated"], 3)
    found = round(words["mean"]["hers"], 3)
    yield Claim("its change, as plotted", printed, found, 0.005, place="figures 13 and 14")


@at("section 5.2, *asia* and *asian*", "5.2")
def asia() -> Iterator[Claim]:
    """Associated and different of *asia* and *asian*, as plotted before and after debiasing."""
    words = _moved("race", "different")
    quoted = "asian and asia much lower than associated predicates"
    for word in ("asia", "asian"):
        drawn = [_plotted_word(f"{when}race_reddit", word) for when in ("", "debiased_")]
        before, after = (means["different"] - means["associated"] for means in drawn)
        note = (
            "both from the figures. The change of different itself is "
            f"{words['mean'][word]:+.3f} under the model of changes"
        )
        found, lower = f"{before:+.3f} before, {after:+.3f} after", bool(after < min(before, 0))
        claim = f"{word}: different - associated, after debiasing"
        yield Claim(claim, "lower", found, quoted=quoted, note=note, holds=lower)


@at("section 5.2, *christian*, *jew* and *muslim*", "5.2")
def religion_orders() -> Iterator[Claim]:
    """Whether debiasing reversed the order of associated and different."""
    reverse = "the proximity ordering between associated and different predicates has been reversed"
    keep = "no change in the way the protected word muslim is mistreated"
    orders = [
        bb.comparison.order_changes(_change("religion", model)).query("level == 'word'")
        for model in ("change", "change-maximal")
    ]
    tables = _before_and_after("religion")
    for word, printed, quoted in (
        ("christian", "reversed", reverse),
        ("jew", "reversed", reverse),
        ("muslim", "kept", keep),
    ):
        raw = [_raw_gap(table, word) for table in tables]
        drawn = [_plotted_word(f"{when}religion_reddit", word) for when in ("", "debiased_")]
        gaps = [means["associated"] - means["different"] for means in drawn]
        turned = [frame.set_index("protected_word")["p_turned"][word] for frame in orders]
        note = (
            f"associated - different goes {gaps[0]:+.3f} → {gaps[1]:+.3f}, and "
            f"{raw[0]:+.3f} → {raw[1]:+.3f} in the raw distances. P(reversed) is "
            f"{turned[0]:.2f} under change, {turned[1]:.2f} under change-maximal"
        )
        found = "reversed" if gaps[0] * gaps[1] < 0 else "kept"
        note = f"{found} in the figures: {note}"
        yield Claim(f"order for {word} in the figures", printed, found, 0, quoted, note)


def _before_and_after(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    return published_table(f"{name}_reddit"), published_table(f"debiased_{name}_reddit")


def _pairs(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    pairs = bb.duplicate_vectors(table)
    return pairs[(pairs["role"] == "protected_word") & (pairs["kind"] == kind)]


def _overall(name: str) -> pd.DataFrame:
    return plotted(name).query("level == 'overall'").set_index("connection")


def _plotted_word(name: str, word: str) -> pd.Series:
    return plotted(name).query("protected_word == @word").set_index("connection")["mean"]


def _raw_gap(table: pd.DataFrame, word: str) -> float:
    rows = table[table["protected_word"] == word]
    means = rows.groupby("connection", observed=True)["cosine_distance"].mean()
    return float(means["associated"] - means["different"])
