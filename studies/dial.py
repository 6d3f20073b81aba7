"""Compare scores and the model's contrast with the known bias of generated training texts.

Each sentence has a subject from one of two groups and two words for a trait. The dial is the
probability that the trait belongs to the subject's own group; at .5, the text is unbiased. Word2vec
is trained on ten texts at each of five dials, as in Schröder et al. (2023, ICPRAM). For each score,
the table has the rank correlation with the dial, a 95% bootstrap interval over training runs, and
the mean at every dial. ``size`` is the number of training runs per dial.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from gensim.models import Word2Vec
from numpy.random import default_rng
from scipy.stats import bootstrap, spearmanr

import bayesbias as bb

from .trainings import SETTINGS, WORDLIST, text

DIALS = (0.5, 0.53, 0.56, 0.6, 0.7)


def study(size: int = 10) -> pd.DataFrame:
    """Return one row per score: correlation with the dial, its interval, and means by dial."""
    runs = [(dial, seed) for dial in DIALS for seed in range(size)]
    values = pd.DataFrame([measured(dial, seed) for dial, seed in runs])
    dials = np.array([dial for dial, _ in runs])
    rows = []
    for name in values:
        data = dials, values[name].to_numpy()
        interval = bootstrap(
            data, _correlation, paired=True, method="percentile", rng=1
        ).confidence_interval
        means = values[name].groupby(dials).mean()
        row = {"score": name, "spearman": _correlation(*data), "low": interval.low}
        rows.append(row | {"high": interval.high} | {f"at {d:g}": means[d] for d in DIALS})
    return pd.DataFrame(rows).sort_values("spearman", key=abs, ascending=False)


def measured(dial: float, seed: int) -> dict[str, float]:
    """Train on one text; return the scores and the posterior mean of associated - different."""
    sentences = text(default_rng([seed, round(1000 * dial)]), dial)
    vectors = Word2Vec(sentences, seed=seed + 1, workers=1, **SETTINGS).wv
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scores = bb.score_table(vectors, WORDLIST, seed=1, n_resamples=2)
        post = bb.fit(bb.distance_table(vectors, WORDLIST), seed=1)
    row = bb.contrasts(post).query("level == 'overall'").iloc[0]
    first = scores.drop_duplicates("score").set_index("score")["value"]
    model = {"model: associated - different": row["mean"]}
    model["model: interval excludes zero"] = float(row["low"] > 0 or row["high"] < 0)
    return model | first.to_dict()


def _correlation(dials: np.ndarray, values: np.ndarray) -> float:
    return float(spearmanr(dials, values).statistic)
