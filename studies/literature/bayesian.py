"""Dobrzeniecka and Urbaniak (2024), A Bayesian approach to uncertainty in word embedding bias."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

import bayesbias as bb

from .claims import Claim, recomputes, rounded
from .null_example import null_share, paper_example
from .sources import BEFORE, LISTS, fitted, published_table

at = partial(recomputes, "Dobrzeniecka and Urbaniak (2024)")
CONNECTIONS = ("associated", "different", "neutral", "human")
STEREOTYPES = CONNECTIONS[:2]


@at("footnote 6, list sizes", "Notes")
def list_sizes() -> Iterator[Claim]:
    """Compare the sizes of the lists of Manzini et al. (2019), which both the paper and we use."""
    tables = [published_table(f"{name}_google") for name in LISTS]
    places = [len(table) // table["attribute"].nunique() for table in tables]
    attributes = [
        table.loc[table["connection"].isin(STEREOTYPES), "attribute"].nunique() for table in tables
    ]
    quoted = "the range for protected words is between 13 and 18"
    note = (
        "the sentence names Caliskan et al.; a % in the authors' LaTeX comments out half of it. "
        "Without the %, the sentence gives 13 to 100 for Caliskan et al., and 14 to 18 for Manzini "
        "et al., which is what we find"
    )
    found = f"{min(places)} to {max(places)}"
    claim = "protected words of Manzini et al., by place"
    yield Claim(claim, "13 to 18", found, quoted=quoted, note=note, comparable=False)
    quoted = "for attributes between 11 and 25"
    found = f"{min(attributes)} to {max(attributes)}"
    note = (
        "the sentence names the lists of Caliskan et al.; see the row above. The range fits the "
        "lists of Manzini et al., which the paper also uses"
    )
    claim = "attributes of Manzini et al."
    yield Claim(claim, "11 to 25", found, quoted=quoted, note=note, comparable=False)


@at("table 1", "2")
def religion_sample() -> Iterator[Claim]:
    """Compare fifteen distances in the religion table."""
    sample = (
        "rabbi greedy 1.03, church familial 0.70, synagogue liberal 0.79, jew familial 0.98, "
        "quran dirty 1.12, muslim uneducated 0.52, torah terrorist 0.93, quran hairy 1.18, "
        "synagogue violent 0.95, bible cheap 1.22, christianity greedy 0.97, muslim hairy 0.88, "
        "islam critical 0.79, muslim conservative 0.45, mosque greedy 1.15"
    )
    table = published_table("religion_reddit")
    distances = table.set_index(["protected_word", "attribute"])["cosine_distance"]
    sets = table.dropna(subset="attribute_set").groupby("attribute")["attribute_set"].first()
    for row in sample.split(", "):
        word, attribute, value = row.split()
        pair, printed = f"{word} {attribute}", float(value)
        found = round(float(distances[word, attribute]), 4)
        note = "the decimal is cut off" if abs(printed - found) > 0.00505 else ""
        group = sets[attribute].removesuffix("_stereotype")
        quoted = f"{word} | {attribute} | {group}Stereotype | {printed:.2f} |"
        within = 0.01 if note else 0.00505
        yield Claim(pair, printed, found, within, quoted, note, shown=f"{printed:.2f}")


@at("table 2", "3.1")
def mac_of_religion() -> Iterator[Claim]:
    """Compute MAC of religion on Reddit before and after hard debiasing."""
    before, after, p = mac_change(*before_and_after("religion"))
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


@at("table 2, one word per vector", "3.1")
def mac_without_copies() -> Iterator[Claim]:
    """Test the increase in MAC with one word per vector, for all 32 choices of words."""
    before, after = before_and_after("religion")
    twins = [(row.word, row.other) for row in pairs_of(after, "copy").itertuples()]
    values = []
    for dropped in product(*twins):
        once = after[~after["protected_word"].isin(dropped)]
        values.append(mac_change(before[~before["protected_word"].isin(dropped)], once)[2])
    note = (
        "table 2 reprints the p-value of Manzini et al., which is for their data. With all names, "
        f"the published table gives {mac_change(before, after)[2]:.2g}. The {len(values)} ways to "
        f"keep one name per vector give {min(values):.2g} to {max(values):.2g}. The other names of "
        "a triplet also have equal distances to the stereotypes, so they are not independent"
    )
    claim = "largest p of the t-test, one word per vector"
    values = (3.006e-07, rounded(max(values), 2), 0, "3.006e−07", note)
    yield Claim(claim, *values, comparable=False)


BANDS = {
    "religion": ((0.14, (36, 43, 56, 55)), (0.14, (63, 63, 59, 59))),
    "gender": ((0.38, (47, 53, 96, 87)), (0.38, (51, 51, 96, 92))),
    "race": ((0.11, (33, 39, 46, 67)), (0.11, (38, 36, 48, 55))),
}
"""Half-width of the band around 1 and the percentage inside by connection, before and after
debiasing: the labels of figures 3-5 and 15-17, from paperDraft.Rmd at 1e34865."""

OLDER = 27  # the first 27 words of the appendix's human list reproduce the labels before debiasing


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
"""Quotes from section 5.2, keyed by list, before (0) or after (1), and connection. The other
values are only in the figure labels."""


@at("figures 3-5 and 15-17, section 5.2", "5.2")
def band_shares() -> Iterator[Claim]:
    """Count distances inside the band 1 ± (1 - MAC) on Reddit, before and after debiasing."""
    for at_list, (name, bands) in enumerate(BANDS.items()):
        figures = (f"figures {3 + at_list} and {15 + at_list}", f"figure {15 + at_list}")
        for when, (width, labels) in enumerate(bands):
            table = before_and_after(name)[when]
            for connection, label in reversed(list(zip(CONNECTIONS, labels, strict=True))):
                claim = f"{name}, {connection}, {('before', 'after')[when]}, within {width} of 1"
                found = _inside(table, width, connection)
                cut = int(found) == label  # 63.6 as 63
                note = "the decimal is cut off" if cut and found - label > 0.5 else ""
                if not cut and abs(found - label) > 0.5:
                    note = (
                        f"the first {OLDER} of the table's 85 human words give {label}%; the same "
                        f"{OLDER} words fit the other two lists"
                    )
                quoted = IN_TEXT.get((name, when, connection), "")
                place = "5.2" if quoted else figures[when]
                within = 1.0 if cut else 0.5
                yield Claim(claim, label, found, within, quoted, note, place=place)
    quoted = IN_TEXT["religion", 0, "different"]
    found = _inside(before_and_after("religion")[0], 0.14, "associated")
    note = "the label in figure 3 is 36"
    yield Claim("religion, associated, before, in the text", 35, found, 0.5, quoted, note)


@at("the human lists of figures 3-5", "figures 3 to 5")
def control_lists() -> Iterator[Claim]:
    """Count human words inside the band before debiasing: the first 27 and all 85."""
    lengths = ", ".join(map(str, _lengths_that_fit()))
    for name, ((width, labels), _) in BANDS.items():
        table, after = before_and_after(name)
        words = table.loc[table["connection"] == "human", "attribute"].unique()
        older = table[table["attribute"].isin(words[:OLDER])]
        whole, later = (_inside(each, width, "human") for each in (table, after))
        note = (
            "this is our explanation of the figure's number; the paper does not state that only "
            f"part of the list was used. All {len(words)} words give {whole}% before and {later}% "
            f"after. Numbers of words that fit all three labels: {lengths}"
        )
        found = _inside(older, width, "human")
        claim = f"{name}, human, before, within {width} of 1, first {OLDER} of {len(words)} words"
        yield Claim(claim, labels[-1], found, 0.5, note=note)


def _lengths_that_fit() -> list[int]:
    """Return how many first words of the human list reproduce every label before debiasing."""
    fitting = set(range(1, 86))
    for name, ((width, labels), _) in BANDS.items():
        table = before_and_after(name)[0].query("connection == 'human'")
        inside = abs(table["cosine_distance"] - 1) <= width
        words = inside.groupby(table["attribute"], sort=False)
        shares = 100 * words.sum().cumsum() / words.size().cumsum()
        fitting &= {n for n, share in enumerate(shares, 1) if abs(share - labels[-1]) <= 0.5}
    return sorted(fitting)


@at("section 3.2, figure 7", "3.2")
def nearest_to_priest() -> Iterator[Claim]:
    """Find the attributes closest to *priest* in the whole table."""
    table = published_table("religion_reddit")
    priest = table[table["protected_word"] == "priest"].sort_values("cosine_distance")
    words = [f"{row.attribute} ({row.connection})" for row in priest.head(5).itertuples()]
    means = priest.groupby("connection", observed=True)["cosine_distance"].mean()
    quoted = "The nearest attributes are human attributes"
    note = (
        "the sentence describes a figure with ten sampled controls. In the whole table, the "
        f"closest words are {', '.join(words)}"
    )
    found = str(priest["connection"].iloc[0])
    yield Claim("kind of the closest word", "human", found, 0, quoted, note, comparable=False)
    yield Claim("kind that is closest on average", "human", str(means.idxmin()), 0, quoted)


@at("section 3.2, effect sizes of Caliskan et al.", "3.2")
def effect_size_range() -> Iterator[Claim]:
    """Compare the range of the effect sizes in table 1 of Caliskan et al. (2017)."""
    sizes = (1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21)
    quoted = "range from 2.06 to 1.81"
    note = (
        "probably one wrong digit: Caliskan et al. have 1.06 for math and arts, and d cannot "
        "exceed 2 for sets of equal size"
    )
    yield Claim("smallest d of Caliskan et al.", 2.06, min(sizes), 0.005, quoted, note)
    yield Claim("largest d of Caliskan et al.", 1.81, max(sizes), 0.005, quoted)


SAMPLE = "in this sample is 0.39 and 1.27"
SAMPLES = "38% of samples result in a WEAT score at least as extreme"
SLIP = (
    "functions/caliskanExtended.R in rfl-urbaniak/BayesBias (b542b94) draws 10,000 such samples "
    "and uses mean(s(t1), s(t2), ...), which averages only s(t1); the row below that uses the same "
    "mean agrees"
)
SLIPPED = "10,000 samples: ± .005. R's mean(s(t1), s(t2), ...) averages only its first argument"
SAME = (
    "S and d rank all splits in the same order, so their exact p-values are equal; the share of "
    "splits with |S| of .38 or more is .0109"
)
TIMES = "the printed p-values are .02 and, in figure 8, .011 and .0086, so .02 is twice as high"
CUT = "the decimals are cut off"


@at("section 3.2, the null example", "3.2")
def null_statistics() -> Iterator[Claim]:
    """Recompute the null example; `paper_example` has the data and all tests."""
    example = paper_example()
    d, p = example.effect_size(), example.p_value
    population, sample, slipped = (null_share(d, of) for of in ("population", "sample", "slipped"))
    to_a, to_b = (row for _, row in example.t_tests().iterrows())
    first = "share if the mean of each group is its first word"
    times = "more than ten times higher than the p-value obtained"
    other_sd = "same sentence as the row above, with the other sd"
    for claim, printed, found, within, quoted, note in (
        ("share of null |d|, population sd", 0.38, population, 0.005, SAMPLES, SLIP),
        ("share of null |d|, sample sd", 0.38, sample, 0.005, SAMPLES, other_sd),
        (first, 0.38, slipped, 0.01, SAMPLES, SLIPPED),
        ("S", 0.39, example.statistic, 0.005, SAMPLE, ""),
        ("d, population sd", 1.27, d, 0.005, SAMPLE, ""),
        ("p of S over all splits", 0.011, p, 0.0005, "", SAME),
        ("p of d over all splits", 0.0086, p, 0.00005, "", "same finding as the row above"),
        ("p of the t-test to A over p of the splits", 10, to_a.p_value / p, 0.5, times, TIMES),
        ("t-test to A: p", 0.02, to_a.p_value, 0.005, "The p-value is 0.02", ""),
        ("95% CI to A, low", 0.0052, to_a.low, 0.0001, "[.0052,.061]", CUT),
        ("95% CI to A, high", 0.061, to_a.high, 0.001, "[.0052,.061]", CUT),
        ("t-test to B: p", 0.22, to_b.p_value, 0.01, "the p-value is .22", CUT),
        ("95% CI to B, low", -0.03, to_b.low, 0.01, "[−0.03,.009]", CUT),
        ("95% CI to B, high", 0.009, to_b.high, 0.001, "[−0.03,.009]", CUT),
    ):
        place = "" if quoted else "figure 8"
        yield Claim(claim, printed, rounded(found), within, quoted, note, place=place)


@at("footnote 22, sd of the null model", "Notes")
def neutral_sd() -> Iterator[Claim]:
    """Compute the standard deviation of distances to neutral words, by embedding."""
    quoted = ".08 is approximately the empirical standard deviation observed"
    for embedding in ("google", "glove", "reddit"):
        names = [name for name in BEFORE if name.endswith(embedding)]
        tables = [published_table(name).query("connection == 'neutral'") for name in names]
        sds = [float(table["cosine_distance"].std()) for table in tables]
        note = f"the tables range from {min(sds):.3f} to {max(sds):.3f}"
        if embedding != "google":
            note += "; the footnote names no embedding, and the Google tables agree with it"
        claim = f"sd of neutral distances, mean of the {len(sds)} {embedding} tables"
        found = round(float(np.mean(sds)), 3)
        yield Claim(claim, 0.08, found, 0.005, quoted, note, comparable=embedding == "google")


@at("section 4.1, range of the prior", "4.1")
def prior_range() -> Iterator[Claim]:
    """Compute the range within three standard deviations of the prior mean."""
    prior = bb.load_model("paper").priors["connection_mean"].parameters
    quoted = "within 1 ± 3sd, that is, (−.2,2.2)"
    first = (
        "we computed 1 ± 3 · .3; the printed range is 1 ± 4 · .3, or 1 ± 3 · .4. The paper's "
        "point, that the prior is wide enough, stands"
    )
    same = "same interval as the row above"
    for end, printed, sign, note in (("lower", -0.2, -1, first), ("upper", 2.2, 1, same)):
        found = round(prior["mean"] + sign * 3 * prior["sd"], 3)
        yield Claim(f"{end} end of the 99.7% range", printed, found, 0.005, quoted, note)


@at("section 4.2, predictive checks", "4.2")
def predictive_check() -> Iterator[Claim]:
    """Count distances inside the 89% and 50% predictive intervals of ``paper``."""
    printed = {"religion_google": (91, 55), "religion_reddit": (89, 49)}
    note = (
        "section 4.2 calls this a 55% interval; the figures and the caption of figure 12 call it a "
        "50% interval"
    )
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
    """Count the rows of the race tables that repeat an earlier row."""
    unstated = (
        "the paper makes no statement about this. If a word is in several of the six triplets, its "
        "rows are repeated, and every fit counts them"
    )
    for name in ("race_google", "race_glove", "race_reddit", "debiased_race_reddit"):
        table = published_table(name)
        found = len(table.drop_duplicates())
        coded = " The file has 5868 rows; the 18 of *literaly*, coded -100, are left out here"
        note = unstated + ("." + coded if name == "race_glove" else "")
        claim = f"{name}: rows of the table, and distinct rows"
        yield Claim(claim, len(table), found, note=note, comparable=False)


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
