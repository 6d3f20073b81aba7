"""Ranks of the three published embeddings, beside what overlap of intervals says.

    python scripts/show_many.py FOLDER

FOLDER holds the published tables. Printed are Markdown tables for docs/many.md: ranks and
differences of religion, gender and race, and before and after debiasing as two embeddings beside
`bb.compare`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.comparison.runs import list_contrasts, runs_of

LISTS, EMBEDDINGS = ("religion", "gender", "race"), ("google", "glove", "reddit")
WIDE = {"embedding_sd": bb.Prior("half_normal", {"sd": 1.0}, "hardly any shrinkage")}
"""Hardly draws two embeddings to one another."""

KEYS = ["protected_word", "attribute", "connection"]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    tables = {
        (wordlist, name): read(folder / f"{wordlist}_group_{name}_dataset.csv")
        for wordlist in LISTS
        for name in EMBEDDINGS
    }
    start = time.process_time()
    post = bb.fit_many(
        [part.assign(wordlist=key[0], embedding=key[1]) for key, part in tables.items()], seed=1
    )
    print(f"{time.process_time() - start:.1f} s of processor time, {post.attrs['method']}\n")
    own = {key: bb.contrasts(bb.fit(table, seed=1)).iloc[0] for key, table in tables.items()}
    ranked, apart = bb.ranks(post), bb.differences(post)
    print("| list | embedding | by itself | in one model | lowest | rank 2 | rank 3 |")
    print("|---|---|---|---|---|---|---|")
    for row in ranked.to_dict("records"):
        alone = own.get((row["wordlist"], row["embedding"]))
        chances = " | ".join(f"{row[name]:.2f}" for name in ("p_most", "p_rank_2", "p_rank_3"))
        cells = row["wordlist"], row["embedding"], "" if alone is None else interval(alone)
        print(f"| {' | '.join(cells)} | {interval(row)} | {chances} |")
    print("\n| list | first − second | in one model | probability of its sign | by overlap |")
    print("|---|---|---|---|---|")
    for row in apart.to_dict("records"):
        pair = [own.get((row["wordlist"], row[name])) for name in ("first", "second")]
        told = ""
        if pair[0] is not None and pair[1] is not None:
            lap = pair[0]["low"] <= pair[1]["high"] and pair[1]["low"] <= pair[0]["high"]
            told = "overlap" if lap else "apart"
        names = f"{row['first']} − {row['second']}"
        print(
            f"| {row['wordlist']} | {names} | {interval(row)} | {row['p_direction']:.2f} | {told} |"
        )
    print()
    for sentence in bb.variance_shares(post)["in_words"]:
        print(f"- {sentence}")
    show_pairs(tables, own)
    print("\n| Reddit, debiased − before | bb.compare | bb.fit_many, wide prior |")
    print("|---|---|---|")
    for wordlist in LISTS:
        before = tables[wordlist, "reddit"]
        after = read(folder / f"debiased_{wordlist}_reddit.csv")
        change = bb.contrasts(bb.compare(before, after, seed=1)).iloc[0]
        both = [before.assign(embedding="before"), after.assign(embedding="after")]
        found = bb.differences(bb.fit_many(both, priors=WIDE, seed=1)).iloc[0]
        turned = {"mean": -found["mean"], "low": -found["high"], "high": -found["low"]}
        print(f"| {wordlist} | {interval(change)} | {interval(turned)} |", flush=True)


def show_pairs(
    tables: dict[tuple[str, str], pd.DataFrame], own: dict[tuple[str, str], pd.Series]
) -> None:
    """Print sds of differences by separate fits, by pairs, and by all embeddings of a list."""
    print("\n| list | pair | two separate fits | bb.compare | all three, not shrunken |")
    print("|---|---|---|---|---|")
    for wordlist in LISTS:
        runs = runs_of(wordlist, {(name, ""): tables[wordlist, name] for name in EMBEDDINGS})
        found = list_contrasts(runs, "associated", "different", 4000, np.random.default_rng(1))
        spread = found.covariance.mean(axis=0) + np.cov(found.mean.T)
        for i, j in combinations(range(len(EMBEDDINGS)), 2):
            first, second = ((wordlist, EMBEDDINGS[at]) for at in (i, j))
            apart = float((own[first]["sd"] ** 2 + own[second]["sd"] ** 2) ** 0.5)
            change = bb.contrasts(bb.compare(tables[second], tables[first], seed=1)).iloc[0]
            joint = float((spread[i, i] + spread[j, j] - 2 * spread[i, j]) ** 0.5)
            sds = " | ".join(f"{sd:.3f}" for sd in (apart, change["sd"], joint))
            print(f"| {wordlist} | {first[1]}, {second[1]} | {sds} |", flush=True)


def read(path: Path) -> pd.DataFrame:
    """Return a published table, each pair of words once."""
    return bb.read_table(path).drop_duplicates(KEYS)


def interval(row: pd.Series | dict[str, float]) -> str:
    """Write a mean and its interval."""
    return f"{row['mean']:+.3f} ({row['low']:+.3f}, {row['high']:+.3f})".replace("-", "−")


if __name__ == "__main__":
    main()
