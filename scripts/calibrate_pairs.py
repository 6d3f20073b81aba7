"""Write docs/language_model_calibration.md: do intervals of shares hold the truth, of real scores.

``python scripts/calibrate_pairs.py MODEL --data crows_pairs_anonymized.csv --stereoset dev.json
--folder DIR`` scores CrowS-Pairs under a masked language model, takes its preferences for the
truth, resamples clusters of pairs, and counts how often the 89% intervals of the models of pairs
hold the observed shares. It does the same with the differences between two models, MODEL after an
epoch on either half of StereoSet, and counts intervals of models of random weights. MODEL is a
folder as ``scripts/fetch_models.py`` makes it.

The folder keeps fine-tuned models, scores and results, so that a run that was stopped resumes:
empty it after a change of code. ``--only contrasts`` makes one section anew, and leaves the others.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import SeedSequence, default_rng
from scipy.stats import t

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bayesbias import maskedlm  # noqa: E402
from bayesbias._core.files import replace_file  # noqa: E402
from bayesbias.model.tree import SamplingWarning  # noqa: E402
from bayesbias.sampling.options import FitOptions  # noqa: E402
from scripts import pairs_page as texts  # noqa: E402
from scripts.fine_tuning import fine_tuned  # noqa: E402

PAGE = ROOT / "docs" / "language_model_calibration.md"

CI_PROB = 0.89

METHODS: dict[str, dict[str, Any]] = {
    "pairs-signs": {"model": "pairs-signs", "draws": 400, "tune": 100, "chains": 1},
}
"""How the model is fitted; hundreds of draws suffice for coverage."""

OF_NULLS = FitOptions(draws=400, tune=100, chains=1, seed=1)


def resampled(paired: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Draw clusters of pairs with replacement; every draw is a cluster of its own.

    ``contrast`` keeps the name of the cluster that was drawn.
    """
    rows = paired.reset_index(drop=True).groupby("cluster").indices
    names = list(rows)
    drawn = rng.integers(len(names), size=len(names))
    parts = []
    for number, at in enumerate(drawn):
        parts.append(np.column_stack([rows[names[at]], np.full(len(rows[names[at]]), number)]))
    taken, number = np.concatenate(parts).T
    frame: pd.DataFrame = paired.iloc[taken].reset_index(drop=True)
    frame["contrast"] = frame["cluster"]
    frame["cluster"] = number.astype(str)
    frame["pair_id"] += " " + frame["cluster"]
    return frame.sort_values("model", kind="stable", ignore_index=True)


def truth_of(paired: pd.DataFrame) -> pd.Series[float]:
    """Return the observed shares by bias type, and over all pairs under ``all``.

    Of two language models they are the differences, first - second in the order of their names.
    """
    preferred = 0.5 + 0.5 * np.sign(paired["difference"])
    shares = preferred.groupby([paired["bias_type"], paired["model"]]).mean().unstack()
    shares.loc["all"] = preferred.groupby(paired["model"]).mean()
    first, *second = (shares[name] for name in shares)
    return first - second[0] if second else first


def largest_contrasts(paired: pd.DataFrame) -> dict[str, str]:
    """Return the contrast of words that most pairs of each bias type have."""
    of_types = paired.groupby("bias_type")["cluster"]
    return {str(name): str(part.value_counts().index[0]) for name, part in of_types}


def by_model(frame: pd.DataFrame, seed: SeedSequence, method: str) -> pd.DataFrame:
    """Return the intervals of a model of pairs: of shares, or of differences between two models."""
    tree = maskedlm.fit_pairs(frame, seed=seed, **METHODS[method])
    several = frame["model"].nunique() > 1
    intervals = maskedlm.model_contrasts if several else maskedlm.pair_summary
    found = intervals(tree, CI_PROB, "eti")  # the shortest of few draws is too short
    found = found[(found["quantity"] == "p_stereotypical") & (found["level"] != "population")]
    return found.assign(bias_type=found["bias_type"].replace("", "all"))


def by_bootstrap(frame: pd.DataFrame, seed: SeedSequence, _: str) -> pd.DataFrame:
    """Return the intervals of resampled clusters."""
    return maskedlm.observed_shares(frame, CI_PROB, n_resamples=1000, seed=seed)


def by_paired_bootstrap(frame: pd.DataFrame, seed: SeedSequence, _: str) -> pd.DataFrame:
    """Return the intervals of differences between two models, of resampled clusters."""
    names = np.unique(frame["cluster"])
    weights = default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), 1000)
    rows = []
    for bias_type, some in [("all", frame), *frame.groupby("bias_type")]:
        shares = []
        for _, part in some.groupby("model"):
            cluster = np.searchsorted(names, part["cluster"])
            preferred = 0.5 + 0.5 * np.sign(part["difference"])
            n = weights @ np.bincount(cluster, minlength=len(names))
            total = weights @ np.bincount(cluster, preferred, minlength=len(names))
            shares.append(total[n > 0] / n[n > 0])
        apart = np.quantile(shares[0] - shares[1], [(1 - CI_PROB) / 2, (1 + CI_PROB) / 2])
        rows.append((bias_type, *apart))
    return pd.DataFrame(rows, columns=["bias_type", "low", "high"])


def by_robust_t(frame: pd.DataFrame, _: SeedSequence, __: str) -> pd.DataFrame:
    """Return Student-t intervals by the cluster-robust variance, of shares or of their differences.

    The variance is CV3 (MacKinnon, Nielsen and Webb, 2023, Journal of Econometrics 232), degrees of
    freedom are one below the effective number of clusters.
    """
    preferred = 0.5 + 0.5 * np.sign(frame["difference"])
    first = frame["model"] == frame["model"].iloc[0]
    sign = np.where(first, 1.0, -1.0)  # first - second
    rows = []
    for bias_type in ["all", *frame["bias_type"].unique()]:
        chosen = (frame["bias_type"] == bias_type) | (bias_type == "all")
        total = (sign * preferred)[chosen].groupby(frame["cluster"]).sum()
        n = frame["cluster"][chosen & first].value_counts().reindex(total.index)
        estimate, share = total.sum() / n.sum(), n / n.sum()
        sd = np.sqrt((((total - estimate * n) / (1 - share)) ** 2).sum()) / n.sum()
        half = t.ppf((1 + CI_PROB) / 2, 1 / (share**2).sum() - 1) * sd
        rows.append((bias_type, estimate - half, estimate + half))
    return pd.DataFrame(rows, columns=["bias_type", "low", "high"])


Intervals = dict[str, Callable[[pd.DataFrame, SeedSequence, str], pd.DataFrame]]

OF_SHARES: Intervals = {
    **dict.fromkeys(METHODS, by_model),
    "cluster bootstrap": by_bootstrap,
    "cluster-robust t": by_robust_t,
}
OF_CONTRASTS: Intervals = OF_SHARES | {"cluster bootstrap": by_paired_bootstrap}


def experiment(
    paired: pd.DataFrame, methods: Intervals, options: argparse.Namespace
) -> pd.DataFrame:
    """Count of every resample which intervals hold the truth."""
    truth, largest = truth_of(paired), largest_contrasts(paired)
    children = SeedSequence(options.seed).spawn(options.resamples)

    def of_resample(number: int) -> pd.DataFrame:
        drawing, fitting = children[number].spawn(2)
        frame = resampled(paired, default_rng(drawing))
        found = {method: intervals(frame, fitting, method) for method, intervals in methods.items()}
        every = pd.concat(found, names=["method"]).reset_index("method")
        every["truth"] = every["bias_type"].map(truth)
        every["held"] = every["truth"].between(every["low"], every["high"])
        every["width"] = every["high"] - every["low"]
        drawn = {name: (frame["contrast"] == contrast).any() for name, contrast in largest.items()}
        every["drawn"] = every["bias_type"].map(drawn)
        return every[["method", "bias_type", "truth", "held", "width", "drawn"]]

    name = "contrasts" if paired["model"].nunique() > 1 else "shares"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        return step_by_step(options.folder / f"{name}.csv", options.resamples, of_resample)


def step_by_step(kept: Path, n: int, step: Callable[[int], pd.DataFrame]) -> pd.DataFrame:
    """Join the frames of n steps; those that a file has are not made again."""
    found = pd.read_csv(kept) if kept.exists() else pd.DataFrame({"step": []}, dtype=int)
    for number in set(range(n)) - set(found["step"]):
        found = pd.concat([found, step(number).assign(step=number)], ignore_index=True)
        with replace_file(kept) as temporary:
            found.to_csv(temporary, index=False)
        print(kept.stem, number, flush=True)
    return found[found["step"] < n]


def scored(
    models: Iterable[maskedlm.LanguageModel],
    options: argparse.Namespace,
    measures: str | None = None,
    n_pairs: int | None = None,
) -> pd.DataFrame:
    """Score CrowS-Pairs, or some of its pairs, under language models."""
    pairs = maskedlm.read_pairs(options.data, "crows-pairs")
    if n_pairs:
        pairs = pairs.sample(n_pairs, random_state=options.seed).sort_index()
    store = options.folder / "scores.json"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*have no sss score")
        found = [maskedlm.score_pairs(pairs, model, measures, cache=store) for model in models]
    return maskedlm.paired_scores(pd.concat(found))


def of_shares(options: argparse.Namespace) -> str:
    """Return the section about shares of one language model."""
    model = maskedlm.load_language_model(options.model)
    paired = scored([model], options, options.measure)
    return texts.about_shares(experiment(paired, OF_SHARES, options), paired, options.seed)


def of_contrasts(options: argparse.Namespace) -> str:
    """Return the section about differences between two language models."""
    models = fine_tuned(options.model, options.stereoset, options.folder)
    paired = scored(models, options, options.measure)
    return texts.about_contrasts(experiment(paired, OF_CONTRASTS, options), paired, options.seed)


def of_nulls(options: argparse.Namespace) -> str:
    """Return the section about language models of random weights, by every measure."""
    model = maskedlm.load_language_model(options.model)

    def of_seed(seed: int) -> pd.DataFrame:
        null = maskedlm.null_models(model, [seed])
        paired = scored(null, options, n_pairs=options.null_pairs)
        return maskedlm.null_rates(paired, options=OF_NULLS)

    found = step_by_step(options.folder / "nulls.csv", options.null_seeds, of_seed)
    return texts.about_nulls(found, options.null_seeds, options.null_pairs)


SECTIONS = {"shares": of_shares, "contrasts": of_contrasts, "nulls": of_nulls}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="a masked language model's folder")
    parser.add_argument("--data", type=Path, required=True, help="crows_pairs_anonymized.csv")
    parser.add_argument("--stereoset", type=Path, help="dev.json, to fine-tune with")
    parser.add_argument("--folder", type=Path, required=True, help="keeps what is found")
    parser.add_argument("--only", choices=SECTIONS, nargs="+", default=list(SECTIONS))
    parser.add_argument("--measure", default="pll", help="of shares and contrasts")
    parser.add_argument("--resamples", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--null-seeds", type=int, default=20, help="models of random weights")
    parser.add_argument("--null-pairs", type=int, default=200, help="drawn at random")
    options = parser.parse_args()
    if "contrasts" in options.only and options.stereoset is None:
        parser.error("--stereoset names the file to fine-tune with, or leave it out by --only")
    options.folder.mkdir(parents=True, exist_ok=True)
    kept = texts.sections(PAGE.read_text(encoding="utf-8"))
    made = {name: SECTIONS[name](options) for name in options.only}
    with replace_file(PAGE) as temporary:
        temporary.write_text(texts.page(kept | made), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
