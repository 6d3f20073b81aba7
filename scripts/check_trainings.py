"""Ten trainings of a small text: how much of the variance is the seed, and who knows it.

    python scripts/check_trainings.py --texts 10

Texts are generated: sentences of a subject, which is a word for one of two groups, and words of a
trait, which is of the group's own set more often than not, among words that say nothing. Every text
trait, which is of the group's own set more often than not, among words that say nothing. Each text
against three intervals: of a new training, from all ten; of the population, from the first alone;
and of the words listed, from the first alone, which takes words and embedding as given.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from numpy.random import Generator

import bayesbias as bb

GROUPS = {"north": [f"n{i}" for i in range(8)], "south": [f"s{i}" for i in range(8)]}
TRAITS = {name: [f"{name}_{i}" for i in range(10)] for name in GROUPS}
FILLERS = [f"word{i}" for i in range(300)]
SETTINGS = {"vector_size": 50, "epochs": 20, "min_count": 3, "alpha": 0.05, "window": 4, "sg": 1}
WORDLIST = bb.WordList(name="generated", groups=GROUPS, stereotypes=TRAITS)


def text(rng: Generator, n_sentences: int, own: float) -> list[list[str]]:
    """Sentences of eight words: a subject, two traits of one set, and five that say nothing."""
    names = list(GROUPS)
    found = []
    for _ in range(n_sentences):
        group = rng.integers(2)
        trait = group if rng.random() < own else 1 - group
        words = [rng.choice(GROUPS[names[group]]), *rng.choice(TRAITS[names[trait]], 2)]
        words += list(rng.choice(FILLERS, 5))
        rng.shuffle(words)
        found.append([str(word) for word in words])
    return found


def main() -> None:
    """Print a line a text, and what all say together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10)
    parser.add_argument("--trainings", type=int, default=10)
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--bootstrap", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    start, rows = time.process_time(), []
    for seed in range(given.texts):
        rng = np.random.default_rng(seed)
        documents = text(rng, given.sentences, rng.uniform(0.5, 0.65))
        whole = bb.replicates(
            documents, WORDLIST, given.trainings + 1, bootstrap=given.bootstrap, seed=seed,
            settings=SETTINGS,
        )  # fmt: skip
        last = whole["replicate"] == str(given.trainings + 1)
        means = whole[last].groupby("connection", observed=True)["cosine_distance"].mean()
        new = means["associated"] - means["different"]
        post = bb.fit_many(whole[~last], draws=500, seed=seed)
        many = bb.new_trainings(post, seed=seed).iloc[0]
        single = bb.fit(whole[whole["replicate"] == "1"], draws=500, seed=seed)
        own = bb.contrasts(single).iloc[0]
        very = bb.contrasts(single, over="listed").iloc[0]
        listed = whole.groupby(["replicate", "connection"], observed=True)["cosine_distance"].mean()
        listed = listed.unstack()
        seeds = (listed["associated"] - listed["different"]).std()
        rows.append(
            {
                "new": new,
                "seed_sd": seeds,
                "training_sd": float(post["posterior"]["training_sd"].mean()),
                "contrast_sd": float(post["posterior"]["contrast"].std()),
                "many_width": many["high"] - many["low"],
                "many_holds": many["low"] <= new <= many["high"],
                "one_width": own["high"] - own["low"],
                "one_holds": own["low"] <= new <= own["high"],
                "listed_width": very["high"] - very["low"],
                "listed_holds": very["low"] <= new <= very["high"],
            }
        )
        print(pd.Series(rows[-1], dtype=float).round(4).to_dict(), flush=True)
    print(pd.DataFrame(rows).astype(float).mean().round(4).to_string())
    print(f"{time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
