"""Claims of papers other than the five main ones: Caliskan, Bolukbasi, and Nangia et al."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

import bayesbias as bb

from .claims import Found, recomputed
from .sources import data_folder


@recomputed
def google_news() -> Iterator[Found]:
    """Compute WEAT's d in GoogleNews vectors."""
    for test in (1, 2, 3, 6, 7, 8, 9):
        wordlist = bb.load_wordlist(f"weat{test}")
        X, Y = wordlist.groups.values()
        A, B = (wordlist.stereotypes[group] for group in wordlist.groups)
        yield round(bb.scores.weat(_vectors(), X, Y, A, B).effect_size, 3)


@recomputed
def direct_bias_of_professions() -> Iterator[Found]:
    """Compute Direct Bias of 320 professions in GoogleNews, along the component of ten pairs."""
    sets = bb.debias.load_defining_sets("gender")
    vectors = _vectors()
    rows = vectors.get_normed_vectors()
    pairs = [rows[[vectors.get_index(word) for word in pair]] for pair in sets.defining]
    centered = np.concatenate([pair - pair.mean(axis=0) for pair in pairs])
    component = np.linalg.svd(centered, full_matrices=False)[2][0]
    path = data_folder() / "wordlists" / "professions.json"
    professions = [word for word, *_ in json.loads(path.read_text(encoding="utf-8"))]
    found, without = (
        float(abs(rows[[vectors.get_index(word) for word in words]] @ component).mean())
        for words in (professions, sets.targets)
    )
    more = {"all": len(professions), "some": len(sets.targets), "without": f"{without:.3f}"}
    yield round(found, 4), more


@recomputed
def crows_pairs() -> Iterator[Found]:
    """Count the pairs and bias types in CrowS-Pairs."""
    path = data_folder() / "crows_pairs" / "crows_pairs_anonymized.csv"
    pairs = bb.maskedlm.read_pairs(path, "crows-pairs")
    yield from (pairs[column].nunique() for column in ("pair_id", "bias_type"))


def _vectors() -> object:
    path = data_folder() / "vectors" / "googlenews_subset.bin"
    return bb.load_vectors(path, progressbar=False)
