"""Write docs/language_model_calibration.md: do intervals of shares hold the truth, of real scores.

``python scripts/calibrate_pairs.py MODEL --data crows_pairs_anonymized.csv`` scores CrowS-Pairs
under a language model, takes its preferences for the truth, resamples clusters of pairs, and counts
how often the 89% intervals of the models of pairs hold the observed shares. MODEL is a folder as
``scripts/fetch_models.py`` makes it; or ``--paired FILE`` takes a frame of `paired_scores`. With
``--only-nulls`` only the section about models of random weights is made anew, for all measures.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng

from bayesbias import maskedlm
from bayesbias._core.files import replace_file
from bayesbias.model.tree import SamplingWarning
from bayesbias.sampling.options import FitOptions

PAGE = Path(__file__).resolve().parents[1] / "docs" / "language_model_calibration.md"

CI_PROB = 0.89

METHODS: dict[str, dict[str, Any]] = {
    "pairs-signs": {"model": "pairs-signs", "draws": 400, "tune": 100, "chains": 1},
    "pll": {"model": "pll", "method": "exact", "draws": 500, "chains": 2},
}
"""How each model is fitted; hundreds of draws suffice for coverage."""

OF_NULLS = FitOptions(draws=400, tune=100, chains=1, seed=1)


def resampled(paired: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Draw clusters of pairs with replacement; every draw is a cluster of its own."""
    rows = paired.reset_index(drop=True).groupby("cluster").indices
    names = list(rows)
    drawn = rng.integers(len(names), size=len(names))
    parts = []
    for number, at in enumerate(drawn):
        parts.append(np.column_stack([rows[names[at]], np.full(len(rows[names[at]]), number)]))
    taken, number = np.concatenate(parts).T
    frame: pd.DataFrame = paired.iloc[taken].reset_index(drop=True)
    frame["cluster"] = number.astype(str)
    frame["pair_id"] = [f"{a} {b}" for a, b in zip(taken, number, strict=True)]
    return frame


def truth_of(paired: pd.DataFrame) -> pd.Series[float]:
    """Return the observed shares by bias type, and over all pairs under ``all``."""
    preferred = 0.5 + 0.5 * np.sign(paired["difference"])
    shares: pd.Series[float] = preferred.groupby(paired["bias_type"]).mean()
    shares["all"] = preferred.mean()
    return shares


def by_model(frame: pd.DataFrame, seed: SeedSequence, method: str) -> pd.DataFrame:
    """Return the intervals of a model of pairs."""
    tree = maskedlm.fit_pairs(frame, seed=seed, **METHODS[method])
    found = maskedlm.pair_summary(tree, CI_PROB, "eti")  # the shortest of few draws is too short
    found = found[(found["quantity"] == "p_stereotypical") & (found["level"] != "population")]
    return found.assign(bias_type=found["bias_type"].replace("", "all"))


def by_bootstrap(frame: pd.DataFrame, seed: SeedSequence, _: str) -> pd.DataFrame:
    """Return the intervals of resampled clusters."""
    return maskedlm.observed_shares(frame, CI_PROB, n_resamples=1000, seed=seed)


INTERVALS: dict[str, Callable[[pd.DataFrame, SeedSequence, str], pd.DataFrame]] = {
    **dict.fromkeys(METHODS, by_model),
    "cluster bootstrap": by_bootstrap,
}


def experiment(paired: pd.DataFrame, n: int, others: int, seed: int) -> Iterator[pd.DataFrame]:
    """Yield for every resample and method which intervals hold the truth.

    Models other than the default are fitted to the first ``others`` resamples only.
    """
    truth = truth_of(paired)
    for number, child in enumerate(SeedSequence(seed).spawn(n)):
        drawing, fitting = child.spawn(2)
        frame = resampled(paired, default_rng(drawing))
        if set(frame["bias_type"]) != set(paired["bias_type"]):
            continue  # pragma: no cover  a type without a pair
        for method, intervals in INTERVALS.items():
            if method == "pll" and number >= others:
                continue
            found = intervals(frame, fitting, method)
            true = found["bias_type"].map(truth)
            held = (found["low"] <= true) & (true <= found["high"])
            yield pd.DataFrame(
                {
                    "resample": number,
                    "method": method,
                    "bias_type": found["bias_type"],
                    "truth": true,
                    "held": held,
                    "width": found["high"] - found["low"],
                }
            )


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


def by_type(results: pd.DataFrame) -> str:
    """Return the same of every bias type under the default."""
    part = results[results["method"] == "pairs-signs"]
    found = part.groupby("bias_type")[["truth", "held", "width"]].mean()
    rows = [f"| {n} | {r.truth:.3f} | {r.held:.2f} | {r.width:.3f} |" for n, r in found.iterrows()]
    return "\n".join(["| bias type | observed share | held | width |\n|---|---|---|---|", *rows])


def count_nulls(model: maskedlm.LanguageModel, pairs: pd.DataFrame, n: int) -> pd.DataFrame:
    """Score all pairs under models of random weights, by every measure, and count intervals."""
    found = []
    for null in maskedlm.null_models(model, n):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*have no sss score")
            scores = maskedlm.score_pairs(pairs, null, progressbar=False)
        found.append(maskedlm.null_rates(maskedlm.paired_scores(scores), options=OF_NULLS))
        print(null.name, flush=True)
    keys = ["measure", "quantity", "bias_type"]
    counts = pd.concat(found).groupby(keys, sort=False)[["n_models", "n_excluding"]]
    return counts.sum().reset_index()


def of_nulls(nulls: pd.DataFrame | None) -> str:
    """Return a table of null models whose interval excludes one half."""
    if nulls is None:
        return "Not counted in this run (`--only-nulls`)."
    rows = [
        f"| {row['measure']} | {NAMES[row['quantity']]} | {row['bias_type']} | "
        f"{row['n_excluding']} of {row['n_models']} |"
        for row in nulls.to_dict("records")
        if row["bias_type"] == "all"
    ]
    types = nulls[nulls["bias_type"] != "all"].groupby(["measure", "quantity"], sort=False)
    for (measure, quantity), part in types:
        counts = f"{part['n_excluding'].sum()} of {part['n_models'].sum()}"
        rows.append(f"| {measure} | {NAMES[str(quantity)]} | types | {counts} |")
    return "\n".join(["| measure | share | of | excluded one half |\n|---|---|---|---|", *rows])


def about_nulls(nulls: pd.DataFrame | None, n_pairs: int) -> str:
    """Return the section about models of random weights."""
    return f"{ABOUT_NULLS.format(n_pairs=n_pairs)}{of_nulls(nulls)}\n"


NAMES = {"p_stereotypical": "as it is", "p_equal_length": "at equal length"}


def page(
    results: pd.DataFrame,
    paired: pd.DataFrame,
    options: argparse.Namespace,
    nulls: pd.DataFrame | None,
) -> str:
    """Return the page."""
    n = results["resample"].nunique()
    return TEXT.format(
        model=paired["model"].iloc[0],
        measure=options.measure,
        n_pairs=f"{len(paired):,}",
        n_clusters=paired["cluster"].nunique(),
        n=n,
        seed=options.seed,
        error=f"{np.sqrt(0.89 * 0.11 / n):.2f}",
        coverage=coverage(results),
        by_type=by_type(results),
    ) + about_nulls(nulls, len(paired))


TEXT = """# Calibration for language models

Made by `python scripts/calibrate_pairs.py`; do not edit.

## Do intervals of shares hold the truth

The truth is real: which sentences {model} prefers among the {n_pairs} pairs of CrowS-Pairs, by
{measure}. Its {n_clusters} contrasts of words are drawn with replacement, all pairs of a contrast
together, each draw a contrast of its own; and 89% intervals of the share of stereotypical
preferences are held against the share in all pairs. {n} resamples (seed {seed}), nine types; the
standard error of a rate near .89 is {error} for the overall share.

{coverage}

`pairs-signs` is the default of `fit_pairs`; `pll` is the Normal model of differences, which knows
neither lengths nor clusters; the cluster bootstrap is `observed_shares`. {model} has 4.4 million
parameters and hardly knows the language: the page is about intervals, and is no finding.

Under `pairs-signs`, by type:

{by_type}
"""

NULLS = "## Models that have read nothing"

ABOUT_NULLS = f"""
{NULLS}

Language models of the same architecture and tokenizer with random weights (`null_models`), scored
on {{n_pairs}} pairs of CrowS-Pairs, each fitted by `pairs-signs`: how many of their 89% intervals
exclude one half. 11% is to be expected. A share that counts lengths as they are may be off one half
without any knowledge of stereotypes, since the sentences of a pair differ in length; the share at
equal length asks what is left. Counts of 20 models have a standard error of .07 at .11: up to 5 are
no sign of too short intervals. Made by
`python scripts/calibrate_pairs.py MODEL --data crows_pairs_anonymized.csv --only-nulls`, with
`--null-pairs N` for some of the pairs.

"""


def resamples(paired: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    """Run the experiment, and keep what there is so far in a file, if one is named."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        for frame in experiment(paired, options.resamples, options.others, options.seed):
            found.append(frame)
            if options.frame:
                pd.concat(found).to_csv(options.frame, index=False)
    return pd.concat(found, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="a language model's folder")
    parser.add_argument("--data", type=Path, help="crows_pairs_anonymized.csv")
    parser.add_argument("--paired", type=Path, help="paired scores in place of a model")
    parser.add_argument("--measure", default="pll")
    parser.add_argument("--resamples", type=int, default=100)
    parser.add_argument("--others", type=int, default=30, help="resamples that pll is fitted to")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, help="what --frame wrote, to make the page again")
    parser.add_argument("--null-seeds", type=int, default=20, help="models of random weights")
    parser.add_argument("--null-pairs", type=int, help="score so many pairs, drawn at random")
    parser.add_argument("--only-nulls", action="store_true", help="leave the rest of the page")
    parser.add_argument("--frame", type=Path, help="where the single results go, as CSV")
    options = parser.parse_args()
    nulls = None
    if options.only_nulls:
        model, pairs = maskedlm.load_language_model(options.model), _pairs(options.data)
        if options.null_pairs:
            pairs = pairs.sample(options.null_pairs, random_state=options.seed).sort_index()
        kept = PAGE.read_text(encoding="utf-8").partition(f"\n{NULLS}")[0]
        counts = count_nulls(model, pairs, options.null_seeds)
        write(kept + about_nulls(counts, len(pairs)))
        return
    if options.paired:
        paired = pd.read_csv(options.paired, dtype={"pair_id": str})
    else:
        pairs = _pairs(options.data)
        model = maskedlm.load_language_model(options.model)
        paired = maskedlm.paired_scores(maskedlm.score_pairs(pairs, model, options.measure))
        nulls = count_nulls(model, pairs, options.null_seeds)
    paired = paired[paired["measure"] == options.measure].reset_index(drop=True)
    results = pd.read_csv(options.results) if options.results else resamples(paired, options)
    write(page(results, paired, options, nulls))


def write(text: str) -> None:
    """Write the page."""
    with replace_file(PAGE) as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(PAGE)


def _pairs(path: Path) -> pd.DataFrame:
    return maskedlm.read_pairs(path, "crows-pairs")


if __name__ == "__main__":
    main()
