"""Tables of docs/regression.md: occupations and the share of women; contrasts and frequency.

Part ``occupations`` needs the folder in BAYESBIAS_DATA, with word vectors from Google News and the
share of women in occupations; ``frequency`` uses the bundled lists and vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import linregress
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.arrays import one_thread

from .literature.sources import data_folder

PARTS = ("occupations", "frequency")

WORDS = {
    "woman": ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"],
    "man": ["male", "man", "boy", "brother", "he", "him", "his", "son"],
}
STEREOTYPES = {"woman": ["maid", "housewife", "diva"], "man": ["boss", "captain", "warrior"]}
"""Needed by a list, but not by the question: only rows of occupations are fitted."""

LISTS = (*(f"weat{i}" for i in range(1, 11)), "religion", "race", "gender")


def study(part: str = PARTS[0]) -> pd.DataFrame:
    """Return slopes on the share of women, or contrasts before and after equal frequency."""
    with one_thread():
        return pd.DataFrame([*{PARTS[0]: _slopes, PARTS[1]: _contrasts}[part]()])


def occupations() -> pd.DataFrame:
    """Return the distances of occupations to words for women and men, with the share of women."""
    folder = data_folder()
    path = folder / "wordlists" / "occupations-stats.tsv"
    share = pd.read_csv(path, sep="\t", index_col="occupation")["bls_pct_female"] / 100
    vectors = bb.load_vectors(str(folder / "vectors" / "googlenews_subset.bin"))
    share = share[[word in vectors for word in share.index]]
    controls = {"neutral": [*share.index]}
    words = {"groups": WORDS, "stereotypes": STEREOTYPES, "controls": controls}
    table = bb.distance_table(vectors, words)
    table = table[table["connection"] == "neutral"].reset_index(drop=True)
    return bb.with_covariate(table, "share", share, of="attribute")


def fitted(table: pd.DataFrame) -> DataTree:
    """Return the posterior in which each group has its own slope on the share of women."""
    return bb.fit(table, covariates="share:protected_group", seed=1)


def _slopes() -> Iterator[dict[str, object]]:
    table = occupations()
    unrelated = table.copy()
    unrelated.attrs = {}  # without the cosines between words
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.warnings.NoLikeness)
        fits = {"by-group": fitted(table), "by-group without cosines": fitted(unrelated)}
    for name, post in fits.items():
        row = bb.slopes(post).set_index("covariate").loc["share: woman − man"]
        yield {"method": name, **row[["mean", "sd", "low", "high"]]}
    means = table.pivot_table("cosine_distance", "attribute", "protected_group")
    share = table.groupby("attribute")["share"].first()[means.index]
    line = linregress(share, means["woman"] - means["man"])
    yield {
        "method": f"least squares, {len(share)} differences",
        **{"mean": line.slope, "sd": line.stderr, "r": line.rvalue},
    }
    cosines = 1 - table.pivot_table("cosine_distance", "attribute", "protected_word")
    women, men = (cosines[words].mean(axis=1) for words in WORDS.values())
    sizes = (women - men) / cosines.std(axis=1)
    yield {"method": "effect sizes, as in WEFAT", "r": np.corrcoef(sizes, share)[0, 1]}


def _contrasts() -> Iterator[dict[str, object]]:
    """Yield own minus other stereotypes of each list, as measured and at equal frequency."""
    for name in LISTS:
        how = {"case": "fallback", "reference_lists": 0, "seed": 1}
        equal = bb.analyze("glove-demo", name, **how).posterior
        measured = bb.fit(_table(bb.load_wordlist(name)), seed=1)
        yield {"list": name, **_ends("different", measured, equal)}
    table = _table(bb.load_wordlist("religion"))
    fits = bb.fit(table, seed=1), bb.fit(table, covariates="log_rank_attribute", seed=1)
    yield {"list": "religion: associated − human, log_rank_attribute", **_ends("human", *fits)}


def _table(wordlist: bb.WordList) -> pd.DataFrame:
    vectors = bb.load_vectors("glove-demo", wordlist, case="fallback")
    return bb.distance_table(vectors, wordlist)


def _ends(second: str, measured: DataTree, equal: DataTree) -> dict[str, float]:
    """Return an overall contrast of own stereotypes in two fits."""
    row = {}
    for how, post in {"measured": measured, "equal": equal}.items():
        of = bb.contrasts(post).query("level == 'overall' and first == 'associated'")
        of = of.set_index("second").loc[second]
        row |= {f"{how}_{column}": float(of[column]) for column in ("mean", "low", "high")}
    return row
