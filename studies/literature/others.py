"""Claims of papers other than the five main ones: Caliskan, Bolukbasi, and Nangia et al."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

import bayesbias as bb

from .claims import Claim, recomputes
from .sources import data_folder

GOOGLE_NEWS = {1: 1.54, 2: 1.63, 3: 0.58, 6: 1.89, 7: 0.97, 8: 1.24, 9: 1.30}
"""Effect sizes in GoogleNews from Caliskan et al. (2017), supplement, table 2 (second hand)."""


@recomputes("Caliskan et al. (2017)", "supplement, table 2 (second hand)", "table 2")
def google_news() -> Iterator[Claim]:
    """Compute WEAT's d in GoogleNews vectors."""
    for test, printed in GOOGLE_NEWS.items():
        wordlist = bb.load_wordlist(name := f"weat{test}")
        X, Y = wordlist.groups.values()
        A, B = (wordlist.stereotypes[group] for group in wordlist.groups)
        result = bb.scores.weat(_vectors(), X, Y, A, B)
        yield Claim(f"d of {name}", printed, round(result.effect_size, 3), 0.01)


@recomputes("Bolukbasi et al. (2016)", "section 5.2 (second hand)", "5.2")
def direct_bias_of_professions() -> Iterator[Claim]:
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
    note = (
        "second hand: we have no text with the value .08. This row uses all "
        f"{len(professions)} professions; the {len(sets.targets)} that are not on the "
        f"gender-specific seed list give {without:.3f}"
    )
    yield Claim("Direct Bias of professions, c = 1", 0.08, round(found, 4), 0.005, note=note)


@recomputes("Nangia et al. (2020)", "abstract", "abstract")
def crows_pairs() -> Iterator[Claim]:
    """Count the pairs and bias types in CrowS-Pairs."""
    path = data_folder() / "crows_pairs" / "crows_pairs_anonymized.csv"
    pairs = bb.maskedlm.read_pairs(path, "crows-pairs")
    yield Claim("pairs", 1508, pairs["pair_id"].nunique())
    yield Claim("bias types", 9, pairs["bias_type"].nunique())


def _vectors() -> object:
    path = data_folder() / "vectors" / "googlenews_subset.bin"
    return bb.load_vectors(path, progressbar=False)
