"""Count which words that were left out `bb.predict_words` covers.

    python scripts/check_new_words.py TABLE.csv [TABLE.csv ...] --models crossed maximal

Every protected word is left out in turn, and the model fitted to the others. Printed as Markdown,
for the contrasts of associated attributes: of how many words the 89% interval holds the contrast
observed, and its mean width. Over the population of attributes it need not hold what the attributes
listed show; over these it should.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.posterior.new_words import ATTRIBUTES
from bayesbias.sampling.fit import fit_design


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row a table, model and contrast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--models", nargs="+", default=["crossed", "maximal"])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    options = {"draws": chosen.draws, "seed": chosen.seed}
    print("| table | model | associated − | population | width | listed | width |")
    print("|---|---|---|---|---|---|---|")
    for path in chosen.tables:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing-word marks and repeated rows, as published
            design = make_design(bb.read_table(path))
        for model in chosen.models:
            frame = pd.concat(left_out(design, word, model, options) for word in design.words)
            for second, part in frame.groupby("second", sort=False):
                cells = [path.stem, model, second]
                for _, own in part.groupby("attributes", sort=False):
                    cells += [f"{own['held'].sum()} of {len(own)}", f"{own['width'].mean():.3f}"]
                print(f"| {' | '.join(map(str, cells))} |", flush=True)


def left_out(design: Design, word: str, model: str, options: dict[str, int]) -> pd.DataFrame:
    """Return a row a contrast of a word that the model is fitted without."""
    own = design.word == design.words.index(word)
    group = design.groups[design.word_group[design.words.index(word)]]
    tree = fit_design(without(design, own), model, **options)
    frames = []
    for attributes in ATTRIBUTES:
        found = bb.predict_words(tree, attributes=attributes, seed=options["seed"])
        found = found[(found["protected_group"] == group) & (found["first"] == "associated")]
        found = found.assign(attributes=attributes, width=found["high"] - found["low"])
        means = [design.y[own & (design.connection == at)].mean() for at in range(4)]
        observed = means[0] - np.array(means[1:])
        frames.append(found.assign(held=(found["low"] <= observed) & (observed <= found["high"])))
    return pd.concat(frames)


def without(design: Design, own: np.ndarray) -> Design:
    """Return the design without the rows of a word, and without the word."""
    rest = design.take(np.flatnonzero(~own))
    kept, word = np.unique(rest.word, return_inverse=True)
    words = tuple(design.words[at] for at in kept)
    return replace(rest, words=words, word_group=design.word_group[kept], word=word)


if __name__ == "__main__":
    main()
