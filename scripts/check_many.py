"""How often `bb.fit_many` is right: intervals, differences and ranks in simulated studies.

    python scripts/check_many.py --studies 500

Each study has three embeddings and two lists. Contrasts are drawn around effects of embedding, list
and both; words and attributes lean in all embeddings and in each; every embedding has a scale of
its own. Printed are Markdown tables for docs/many.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from scipy.stats import chisquare
from xarray import DataTree

import bayesbias as bb

EMBEDDINGS, LISTS = ("a", "b", "c"), ("one", "two")
GROUPS, N_WORDS, N_ATTRIBUTES = 2, 6, 8
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


@dataclass(frozen=True)
class Study:
    """What differs between the rows of the table.

    Parameters
    ----------
    scale_sd : float
        Sd of the logarithm of the embeddings' scales.
    alike : float
        Share of the leanings of the second embedding that it takes from the first.
    missing : float
        Share of the protected words that an embedding lacks.
    """

    scale_sd: float = 0.3
    alike: float = 0.0
    missing: float = 0.0


STUDIES = {
    "scales of their own": Study(),
    "equal scales": Study(scale_sd=0.0),
    "two embeddings alike": Study(alike=0.9),
    "each lacks a tenth of the words": Study(missing=0.1),
}


def contrasts(rng: Generator) -> np.ndarray:
    """True contrasts, (n_lists, n_embeddings): sds from their priors."""
    sd = rng.exponential(0.05, 3)
    parts = ((1, len(EMBEDDINGS)), (len(LISTS), 1), (len(LISTS), len(EMBEDDINGS)))
    effects = [s * rng.standard_normal(n) for s, n in zip(sd, parts, strict=True)]
    return rng.normal(0, 0.1) + sum(effects)


def table(study: Study, true: np.ndarray, wordlist: str, rng: Generator) -> pd.DataFrame:
    """One list in all embeddings; distances may leave [0, 2] by nothing that matters."""
    n_words, n_attributes = GROUPS * N_WORDS, GROUPS * N_ATTRIBUTES
    group, side = np.repeat(range(GROUPS), N_WORDS), np.repeat(range(GROUPS), N_ATTRIBUTES)
    sign = np.where(group[:, None] == side, 1.0, -1.0)

    def leanings(sds: np.ndarray, noise: float) -> np.ndarray:
        word, attribute, word_lean, attribute_lean = sds
        found = word * rng.standard_normal((n_words, 1))
        found = found + attribute * rng.standard_normal((1, n_attributes))
        to_side, to_group = np.where(side, 1, -1), np.where(group, 1, -1)[:, None]
        found += word_lean * rng.standard_normal((n_words, 1)) * to_side / np.sqrt(2)
        found += attribute_lean * rng.standard_normal((1, n_attributes)) * to_group / np.sqrt(2)
        return found + noise * rng.standard_normal(found.shape)

    sds = [rng.exponential((0.05, 0.08, 0.03, 0.03)) for _ in range(2)]
    noise = rng.uniform(0.03, 0.08, 2)
    shared = leanings(sds[0], noise[0])
    own = [leanings(sds[1], noise[1]) for _ in EMBEDDINGS]
    own[1] = np.sqrt(study.alike) * own[0] + np.sqrt(1 - study.alike) * own[1]
    frames = []
    for at, name in enumerate(EMBEDDINGS):
        scale = np.exp(study.scale_sd * rng.standard_normal())
        y = 0.9 + 0.05 * rng.standard_normal() + sign * true[at] / 2 + scale * (shared + own[at])
        words, attributes = np.indices(y.shape).reshape(2, -1)
        frame = pd.DataFrame(
            {
                "protected_word": [f"w{i}" for i in words],
                "protected_group": [f"g{group[i]}" for i in words],
                "attribute": [f"a{i}" for i in attributes],
                "attribute_set": [f"s{side[i]}" for i in attributes],
                "connection": np.where(sign.ravel() > 0, "associated", "different"),
                "cosine_distance": np.clip(y.ravel(), 0, 2),
                "embedding": name,
                "wordlist": wordlist,
            }
        )
        frames.append(frame[(rng.random(n_words) >= study.missing)[words]])
    return pd.concat(frames, ignore_index=True)


def run(study: Study, n: int, draws: int) -> tuple[dict[str, float], pd.DataFrame]:
    """Fit studies; shares of intervals that hold, and every probability beside what was so."""
    hits: dict[str, list[float]] = defaultdict(list)
    said: list[tuple[str, float, bool]] = []
    ranked_truth: dict[str, list[float]] = defaultdict(list)
    for seed in range(n):
        rng = default_rng(seed)
        true = contrasts(rng)
        tables = [table(study, own, name, rng) for own, name in zip(true, LISTS, strict=True)]
        post = bb.fit_many(tables, draws=draws, seed=seed)
        truth = {**dict(zip(LISTS, true, strict=True)), "average": true.mean(axis=0)}
        ranked, apart = bb.ranks(post), bb.differences(post)
        for row in ranked.to_dict("records"):
            own = truth[row["wordlist"]]
            value = own[EMBEDDINGS.index(row["embedding"])]
            kind = "average" if row["wordlist"] == "average" else "contrast"
            hits[kind].append(row["low"] <= value <= row["high"])
            hits[f"{kind}, width"].append(row["high"] - row["low"])
            if kind == "contrast":
                hits["raw"].append(abs(row["raw_mean"] - value) <= 1.598 * row["raw_sd"])
                hits["raw, width"].append(2 * 1.598 * row["raw_sd"])
                hits["shrunken, error"].append((row["mean"] - value) ** 2)
                hits["raw, error"].append((row["raw_mean"] - value) ** 2)
            said.append(("most biased", row["p_most"], value == own.min()))
        for row in apart.to_dict("records"):
            own = truth[row["wordlist"]]
            value = own[EMBEDDINGS.index(row["first"])] - own[EMBEDDINGS.index(row["second"])]
            hits["difference"].append(row["low"] <= value <= row["high"])
            hits["difference, width"].append(row["high"] - row["low"])
            right = row["p_direction"], np.sign(row["mean"]) == np.sign(value)
            said.append(("order of two", *right))
        for kind, place in places(post, truth).items():
            ranked_truth[kind].append(place)
        hits["Pareto k"].append(float(post["sample_stats"]["pareto_k"]) >= 0.7)
    uniform = {f"{kind}, uniform p": uniformity(found) for kind, found in ranked_truth.items()}
    return (
        {name: float(np.mean(values)) for name, values in hits.items()} | uniform,
        pd.DataFrame(said, columns=["what", "said", "so"]),
    )


def places(post: DataTree, truth: dict[str, np.ndarray]) -> dict[str, float]:
    """Share of draws below the truth: of one contrast, one average, and one difference a study.

    They are uniform over studies whose truth is drawn from the prior (Talts et al., 2018); others
    of the same study would not be independent of these.
    """
    contrast, average = (post["posterior"][name] for name in ("contrast", "average"))
    first, second = (
        contrast.sel(wordlist=LISTS[0], embedding=name).to_numpy() for name in EMBEDDINGS[:2]
    )
    own = truth[LISTS[0]]
    return {
        "contrast": float((first < own[0]).mean()),
        "average": float(
            (average.sel(embedding=EMBEDDINGS[0]).to_numpy() < truth["average"][0]).mean()
        ),
        "difference": float((first - second < own[0] - own[1]).mean()),
    }


def uniformity(found: list[float], bins: int = 10) -> float:
    """p-value of the chi-squared test that values in [0, 1] are uniform."""
    return float(chisquare(np.histogram(found, bins, (0, 1))[0]).pvalue)


def reliability(frame: pd.DataFrame) -> str:
    """Mean probability, share that was so, and how many, by bins of the probability."""
    cells = []
    for low, high in pairwise(BINS):
        part = frame[(frame["said"] > low - (low == 0)) & (frame["said"] <= high)]
        numbers = f"{part['said'].mean():.2f} → {part['so'].mean():.2f} ({len(part):,})"
        cells.append(numbers if len(part) else "")
    return " | ".join(cells)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--draws", type=int, default=250, help="of each of four chains")
    parser.add_argument("--case", choices=list(STUDIES), action="append")
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    warnings.simplefilter("error", RuntimeWarning)
    for name in given.case or STUDIES:
        start = time.process_time()
        shares, said = run(STUDIES[name], given.studies, given.draws)
        print(f"\n{name}, {given.studies} studies, {time.process_time() - start:.0f} s")
        print(" | ".join(f"{key} {value:.4f}" for key, value in shares.items()))
        for what, part in said.groupby("what"):
            print(f"{what} | {reliability(part)}", flush=True)


if __name__ == "__main__":
    main()
