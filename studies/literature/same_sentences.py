"""Schröder, Schulz and Hammer (2024), SAME: SAME of sentences beside differences of likelihoods."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from bayesbias import scores
from bayesbias.contextual.encoders import load_encoder
from bayesbias.contextual.encoding import sentence_vectors
from bayesbias.extrinsic import correlate
from bayesbias.maskedlm.datasets import ROLES

from .pair_groups import Terms, grouped_pairs, masked_sentence


def pair_biases(
    paired: pd.DataFrame, pairs: pd.DataFrame, terms: Terms, encoder: str | Path
) -> pd.DataFrame:
    """SAME of the sentences of pairs beside the difference of their scores.

    Parameters
    ----------
    paired : DataFrame
        From `maskedlm.paired_scores`; ``pll`` is the paper's measure.
    pairs : DataFrame
        From `maskedlm.read_pairs`: the sentences.
    terms : mapping of str to mapping of str to iterable of str
        Terms of groups by bias type, as `grouped_pairs` takes them.
    encoder : str or Path
        The folder of a language model with a mask token.

    Returns
    -------
    DataFrame
        The rows of `paired` whose pairs contrast listed terms, with ``cluster``; ``groups``, the
        two groups in the order of `terms`; ``same``, in [-1, 1], the signed SAME of the sentence
        with a mask for every term, positive towards the first group; and ``difference`` likewise.
    """
    found = grouped_pairs(pairs, terms)
    order = {of: list(groups) for of, groups in terms.items()}
    loaded = load_encoder(encoder)
    vectors_of = partial(sentence_vectors, loaded)
    mask = loaded.tokenizer.mask_token
    both = [found[role].tolist() for role in ROLES]
    rows = vectors_of([masked_sentence(*one, mask) for one in zip(*both, strict=True)])
    same, sign, groups = np.zeros(len(found)), np.ones(len(found)), np.empty(len(found), object)
    for (of, group, other), part in found.reset_index().groupby(["bias_type", "group", "other"]):
        first, second = sorted((group, other), key=order[of].index)
        places = part.index.to_numpy()
        same[places] = scores.same(
            None, rows[places], [vectors_of(terms[of][g]) for g in (first, second)]
        ).signed
        sign[places] = 1 if first == group else -1
        groups[places] = f"{first}, {second}"
    found = found.assign(same=same, sign=sign, groups=groups)
    kept = found[["pair_id", "bias_type", "cluster", "groups", "same", "sign"]]
    merged = paired[["model", "measure", "pair_id", "difference"]].merge(kept, on="pair_id")
    merged["difference"] *= merged.pop("sign")
    return merged


def pair_correlation(frame: pd.DataFrame, seed: int = 1) -> tuple[float, float, float]:
    """Correlation of SAME with the differences of one model and measure, with an 89% interval.

    Both are taken less their means over the pairs of the same two groups. Clusters are the pairs
    that contrast the same words, and the interval is the wider of their bootstrap and Fisher's z.
    """
    values = frame[["same", "difference"]]
    values = values - values.groupby([frame["bias_type"], frame["groups"]]).transform("mean")
    ends = [
        correlate(values["same"], values["difference"], clusters=clusters, seed=seed)
        for clusters in (frame["cluster"], None)
    ]
    return ends[0]["r"], min(end["low"] for end in ends), max(end["high"] for end in ends)
