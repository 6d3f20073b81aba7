"""SAME of sentences, held against what a language model makes of the same pairs."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_PROB
from .._core.random import Seed, as_seed_sequence
from .._core.resources import OWN_FRAMES
from ..contextual.encoders import Encoder, load_encoder
from ..contextual.encoding import BATCH_SIZE, sentence_vectors
from ..maskedlm.datasets import ROLES
from ..maskedlm.measures import ALL_TYPES
from ..maskedlm.pair_groups import Terms, grouped_pairs, masked_sentence
from ..scores.same import same_of
from ..tables.schema import require_columns
from .correlation import FEWEST_CLUSTERS, N_RESAMPLES, correlate

SCORES = ("same", "same_difference")

_GROUPS = ["bias_type", "first", "second"]


def pair_biases(
    paired: pd.DataFrame,
    pairs: pd.DataFrame,
    terms: Terms,
    encoder: str | Path | Encoder,
    *,
    layer: int = -1,
    pooling: str = "sentence",
    batch_size: int = BATCH_SIZE,
    device: str = "cpu",
    progressbar: bool = False,
) -> pd.DataFrame:
    """SAME of the sentences of pairs beside the difference of their scores.

    Both ask which of two groups a sentence is about, one in the space of sentences and one by
    likelihood: SAME of the sentence *without* the terms of the groups, and the score of the
    sentence with terms of the one group less that with terms of the other.

    Parameters
    ----------
    paired : DataFrame
        From `maskedlm.paired_scores`, of one or more language models and measures; ``pll`` is the
        paper's.
    pairs : DataFrame
        From `maskedlm.read_pairs`: the sentences.
    terms : mapping of str to mapping of str to iterable of str
        Terms of groups by bias type, as `maskedlm.grouped_pairs` takes them.
    encoder : str, Path or Encoder
        With a mask token; the folder of the language model, say.
    layer, pooling, batch_size, device, progressbar
        As `contextual.sentence_vectors` takes them.

    Returns
    -------
    DataFrame
        One row a pair, model and measure: ``model``, ``measure``, ``pair_id``, ``bias_type``,
        ``cluster``; ``first`` and ``second``, the groups in the order of `terms`; positive towards
        the first are ``same``, in [-1, 1], signed SAME of the sentence with a mask for every term;
        ``same_difference``, that of the sentence with the first group's terms less that with the
        second's; ``difference``, of the scores likewise. ``same_difference`` sees the terms
        themselves, and is above 0 for hardly any other reason.

    Raises
    ------
    ValueError
        If no pair contrasts listed groups or has scores, or the encoder has no mask token.
    TypeError
        If terms are no such mapping, or the encoder is a language model that is loaded already.

    References
    ----------
    Schröder, Schulz, Hammer (2024), The SAME score; its program, whose sign is that of the group
    that is stereotyped, is HammerLabML/PLMBiasMeasureBenchmark at f6fc6d2,
    src/ijcnn24/mlm_experiment.py.

    Examples
    --------
    >>> import bayesbias as bb  # doctest: +SKIP
    >>> frame = bb.extrinsic.pair_biases(paired, pairs, terms, "./bert")  # doctest: +SKIP
    >>> bb.extrinsic.pair_correlations(frame, seed=1)  # doctest: +SKIP
    """
    require_columns(paired, ("model", "measure", "pair_id", "difference"))
    found = _in_order(grouped_pairs(pairs, terms), terms)
    loaded = load_encoder(encoder, device=device)
    vectors_of = partial(
        sentence_vectors,
        loaded,
        layer=layer,
        pooling=pooling,
        batch_size=batch_size,
        progressbar=progressbar,
    )
    mask = loaded.tokenizer.mask_token
    if mask is None:
        raise ValueError(f"{loaded.name} has no mask token; take a masked language model")
    both = [found[role].tolist() for role in ROLES]
    masked = [masked_sentence(more, less, mask) for more, less in zip(*both, strict=True)]
    rows = vectors_of([*masked, *both[0], *both[1]])
    signed = np.zeros((3, len(found)))
    for key in found[_GROUPS].drop_duplicates().to_numpy():
        at = np.flatnonzero((found[_GROUPS] == key).all(axis=1))
        of = [vectors_of(terms[key[0]][name]) for name in key[1:]]
        for turn in range(3):
            signed[turn, at] = same_of(rows[turn * len(found) + at], of).signed
    found["same"] = signed[0]
    found["same_difference"] = found["sign"] * (signed[1] - signed[2])
    scored = paired[["model", "measure", "pair_id", "difference"]]
    frame = scored.merge(found[["pair_id", "cluster", *_GROUPS, "sign", *SCORES]], on="pair_id")
    if frame.empty:
        raise ValueError("no pair has scores; pass the scores of these pairs")
    frame["difference"] *= frame["sign"]
    columns = ["model", "measure", "pair_id", "cluster", *_GROUPS, *SCORES, "difference"]
    frame = frame[columns]
    frame.attrs = {"encoder": loaded.name, "left_out": found.attrs["left_out"]}
    return frame


def pair_correlations(
    frame: pd.DataFrame,
    score: str = "same",
    *,
    method: str = "pearson",
    ci_prob: float = DEFAULT_CI_PROB,
    n_resamples: int = N_RESAMPLES,
    seed: Seed = None,
) -> pd.DataFrame:
    """Correlation over pairs of SAME with the difference of scores, overall and by bias type.

    Both are taken less their means over the pairs of the same two groups: with which of two groups
    one begins is arbitrary, and so does not matter. Clusters are the pairs that contrast the same
    words. The interval reaches from the lower to the upper end of two: the bootstrap of whole
    clusters, and Fisher's z. In simulations with the clusters of CrowS-Pairs, one of which may hold
    most pairs, intervals of 89% held the truth in .74 to .89, in .80 to .92, and in .86 to .94 so.

    Parameters
    ----------
    frame : DataFrame
        From `pair_biases`.
    score : {"same", "same_difference"}
    method : {"pearson", "spearman"}
    ci_prob : float
    n_resamples, seed
        Of the bootstrap.

    Returns
    -------
    DataFrame
        ``model``, ``measure``, ``bias_type`` (``all`` for all pairs), ``r``, ``low``, ``high``,
        ``n``, ``n_clusters``, and ``largest_cluster``, the share of pairs in the largest cluster.

    Raises
    ------
    ValueError
        If a name is not known, or no bias type has enough pairs.

    Warns
    -----
    UserWarning
        If bias types have fewer than five clusters; they have no row.
    """
    require_columns(frame, ("model", "measure", "cluster", *_GROUPS, *SCORES, "difference"))
    if score not in SCORES:
        raise ValueError(unknown_name("score", score, SCORES))
    sequence, names = as_seed_sequence(seed), [score, "difference"]
    how: Any = {"method": method, "ci_prob": ci_prob, "n_resamples": n_resamples, "seed": sequence}
    rows, few = [], []
    for (model, measure), part in frame.groupby(["model", "measure"], sort=False):
        groups = part.groupby(_GROUPS, sort=False)[names]
        apart = part.assign(**(part[names] - groups.transform("mean")))
        apart = apart[groups.transform("size") > 1]  # one pair by itself is at its mean
        for bias_type, some in [(ALL_TYPES, apart), *apart.groupby("bias_type", sort=True)]:
            if some["cluster"].nunique() < FEWEST_CLUSTERS:
                few.append(str(bias_type))
                continue
            both = some[score], some["difference"]
            found = [correlate(*both, clusters=of, **how) for of in (some["cluster"], None)]
            rows.append(
                {"model": model, "measure": measure, "bias_type": bias_type, "r": found[0].r}
                | {"low": min(each.low for each in found), "high": max(each.high for each in found)}
                | {"n": found[0].n, "n_clusters": found[0].n_clusters}
                | {"largest_cluster": some["cluster"].value_counts(normalize=True).iloc[0]}
            )
    told = f"fewer than {FEWEST_CLUSTERS} clusters of pairs: {', '.join(dict.fromkeys(few))}"
    if not rows:
        raise ValueError(f"{told}; list more terms")
    if few:
        warnings.warn(f"{told}; they have no row", skip_file_prefixes=OWN_FRAMES)
    result = pd.DataFrame(rows)
    result.attrs = {"ci_prob": ci_prob, "seed": sequence.entropy}
    return result


def _in_order(found: pd.DataFrame, terms: Terms) -> pd.DataFrame:
    """Name the two groups in the order of the terms; ``sign`` is -1 where that turns them."""
    names = zip(found["bias_type"], found["group"], found["other"], strict=True)
    order = {of: list(groups) for of, groups in terms.items()}
    later = [order[of].index(group) > order[of].index(other) for of, group, other in names]
    sign = np.where(later, -1, 1)
    first = found["group"].where(sign > 0, found["other"])
    second = found["other"].where(sign > 0, found["group"])
    return found.assign(first=first, second=second, sign=sign)
