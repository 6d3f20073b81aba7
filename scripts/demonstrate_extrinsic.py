"""Hold SAME against the bias of a classifier of occupations, on hard-debiased GloVe vectors.

Run ``python scripts/demonstrate_extrinsic.py``; needs the extra ``learn`` and, for the shares of
women by occupation, the folder of published data that BAYESBIAS_DATA names. Prints the tables of
docs/extrinsic.md.

A sample is a made-up bag of words: an occupation, one word for a man or a woman, and some words
drawn from the embedding's vocabulary. In the training samples of an occupation the share of women
is that of US labour statistics; among the test samples it is one half, and every one of them is
there twice, as a man's and as a woman's. Listing the shares says how things were, not how they
should be.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bayesbias as bb  # noqa: E402
from bayesbias._core.arrays import FloatArray, unit_rows  # noqa: E402
from bayesbias.extrinsic import correlations, ranking_accuracy, tpr_gaps  # noqa: E402

DATA = Path(os.environ.get("BAYESBIAS_DATA") or ROOT.parent / "shared" / "data")
SURROUNDINGS, SAMPLES = 8, 40
"""Words drawn for every sample, and samples of each occupation and kind."""


@dataclass(frozen=True)
class Tested:
    """One embedding's classifier, tested."""

    gap: float
    accuracy: float
    score: float
    samples: pd.DataFrame


def occupations() -> pd.Series:
    """Share of women by occupation, in [0, 1]."""
    table = pd.read_csv(DATA / "wordlists" / "occupations-stats.tsv", sep="\t")
    return table.set_index("occupation")["bls_pct_female"] / 100


def variants(vectors: KeyedVectors) -> dict[str, KeyedVectors]:
    """Embeddings by name: as it is, hard-debiased, and with components taken from every word."""
    found = {"k = 0": vectors}
    for k in (1, 3):
        found[f"hard, k = {k}"] = bb.debias.hard(vectors, "gender", k=k)
    for k in (1, 3):
        found[f"all words, k = {k}"] = without_components(vectors, k)
    return found


def without_components(vectors: KeyedVectors, k: int) -> KeyedVectors:
    """Take the first k components of the gender pairs out of every word, those of gender too."""
    defining = bb.debias.load_defining_sets("gender").in_case("fallback", vectors).defining
    pairs = np.array([pair for pair in defining if all(word in vectors for word in pair)])
    rows = unit_rows(np.asarray(vectors[pairs.ravel().tolist()], dtype=float))
    rows = rows.reshape(*pairs.shape, -1)
    centred = (rows - rows.mean(axis=1, keepdims=True)).reshape(-1, rows.shape[2])
    directions = np.linalg.svd(centred, full_matrices=False)[2][:k]
    matrix = unit_rows(vectors.vectors)
    left = unit_rows(matrix - matrix @ directions.T @ directions)
    made = KeyedVectors(left.shape[1])
    made.add_vectors(vectors.index_to_key, left.astype(np.float32))
    return made


def tested(vectors: KeyedVectors, share: pd.Series, seed: int) -> Tested:
    """Train and test a classifier; equal seeds give equal samples in every embedding."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(seed)
    women, men = (bb.load_wordlist("gender").groups[group] for group in ("woman", "man"))
    job = np.repeat(np.arange(len(share)), SAMPLES)
    is_woman = rng.random(len(job)) < share.to_numpy()[job]
    place = {word: at for at, word in enumerate(vectors.index_to_key)}
    matrix = unit_rows(vectors.vectors)
    work = matrix[[place[word] for word in share.index]]

    def drawn(group: tuple[str, ...]) -> FloatArray:
        return matrix[[place[word] for word in rng.choice(group, len(job))]]

    def around() -> FloatArray:
        return matrix[rng.integers(5000, size=(len(job), SURROUNDINGS))].sum(axis=1)

    learnt = work[job] + np.where(is_woman[:, None], drawn(women), drawn(men)) + around()
    model = LogisticRegression(max_iter=500).fit(learnt, job)
    neutral = work[job] + around()
    texts = {"women": neutral + drawn(women), "men": neutral + drawn(men)}
    chance = [model.predict_proba(each)[np.arange(len(job)), job] for each in texts.values()]
    predicted = np.concatenate([model.predict(each) for each in texts.values()])
    truth, group = np.tile(job, 2), np.repeat(list(texts), len(job))
    gaps = tpr_gaps(truth, predicted, group, groups=["women", "men"])
    poles = [[word for word in words if word in vectors] for words in (women, men)]
    direction = unit_rows(
        unit_rows(vectors[poles[0]]).mean(axis=0, keepdims=True)
        - unit_rows(vectors[poles[1]]).mean(axis=0, keepdims=True)
    )[0]
    return Tested(
        gap=gaps.mean_absolute_gap,
        accuracy=float((predicted == truth).mean()),
        score=bb.scores.same(vectors, list(share.index), poles).score,
        samples=pd.DataFrame(
            {
                "class": share.index[job],
                "score": unit_rows(neutral) @ direction,
                "bias": chance[0] - chance[1],
            }
        ),
    )


def main(repeats: int = 5) -> None:
    """Print the two tables and the ranking."""
    share = occupations()
    models = variants(bb.load_vectors("glove-demo"))
    found = {
        (name, seed): tested(vectors, share, seed)
        for name, vectors in models.items()
        for seed in range(repeats)
    }
    print("| vectors | SAME | mean absolute TPR gap | accuracy |\n|---|---|---|---|")
    for name in models:
        runs = [found[name, seed] for seed in range(repeats)]
        gap, accuracy = (
            np.mean([getattr(run, key) for run in runs]) for key in ("gap", "accuracy")
        )
        print(f"| {name} | {runs[0].score:.3f} | {gap:.3f} | {accuracy:.2f} |")
    frame = pd.concat([found[name, 0].samples.assign(model=name) for name in models])
    print("\n| level | vectors | r | 89% interval | n | interval by |\n|---|---|---|---|---|---|")
    for row in correlations(frame, n_resamples=500, seed=0).itertuples():
        ends = f"{row.low:.2f} to {row.high:.2f}"
        print(f"| {row.level} | {row.model} | {row.r:.2f} | {ends} | {row.n} | {row.interval} |")
    runs = list(found.values())
    ranked = ranking_accuracy(
        [run.score for run in runs],
        [run.gap for run in runs],
        models=[name for name, _ in found],
    )
    print(
        f"\nPairs ranked rightly: {ranked.accuracy:.2f} ({ranked.low:.2f} to {ranked.high:.2f}), "
        f"{ranked.n_pairs} pair(s) of {len(ranked.less_biased)} and {len(ranked.more_biased)} "
        "embeddings"
    )


if __name__ == "__main__":
    main()
