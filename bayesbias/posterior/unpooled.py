"""Contrasts of protected words on their own: what a word's rows say, without the other words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.checks import unknown_name
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB
from .._core.random import Seed, as_seed_sequence
from ..model.tree import design_of, n_draws, spec_of
from ..sampling.exact import sample_exact
from ..sampling.options import DEFAULT_ROPE
from ..sampling.reduction import UNPOOLED_SD, collapse
from ..tables.levels import WORD
from .contrasts import pair_contrasts
from .summaries import carry_warnings

if TYPE_CHECKING:
    from xarray import DataTree


def unpooled_contrasts(
    tree: DataTree,
    words: Sequence[str] | str | None = None,
    *,
    sd: float = UNPOOLED_SD,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float = DEFAULT_ROPE,
    ci_kind: str = DEFAULT_CI_KIND,
    seed: Seed = None,
) -> pd.DataFrame:
    """Contrasts of protected words whose effects are not drawn towards those of other words.

    A model pools words: a word that stands out is taken partly for chance, the more so the more
    alike the others are. That is right for the most striking of many words. Of a word that was
    named beforehand one may ask what its own distances say. The model is fitted once for each word,
    with effects of that word of a prior sd of their own; all else stays.

    Parameters
    ----------
    tree : DataTree
        A posterior of a Normal model from `fit`.
    words : str or sequence of str, optional
        Protected words; all if not given.
    sd : float
        Prior sd of the word's effects, in units of distance, above 0.
    ci_prob, rope, ci_kind
        As for `contrasts`.
    seed : int, SeedSequence, Generator or None
        None takes fresh entropy, which ``.attrs["seed"]`` records.

    Returns
    -------
    DataFrame
        A row a word and pair of connections, with the columns of `contrasts`.

    Raises
    ------
    ValueError
        If a word is unknown, ``sd`` is not positive, or the model is not Normal.

    References
    ----------
    Gelman and Hill (2007), Data Analysis Using Regression and Multilevel/Hierarchical Models,
    chapter 12, on pooling.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> bb.unpooled_contrasts(post, "imam")["first"].iloc[0]
    'associated'
    """
    if not sd > 0:
        raise ValueError(f"sd must be positive; got {sd}")
    design, spec = design_of(tree), spec_of(tree)
    names = list(design.words) if words is None else [words] if isinstance(words, str) else words
    for name in names:
        if name not in design.words:
            raise ValueError(unknown_name("protected word", name, design.words))
    sequence = as_seed_sequence(seed)
    draws = []
    for name, child in zip(names, sequence.spawn(len(names)), strict=True):
        word = design.words.index(name)
        alone = collapse(design, spec, unpooled=word, unpooled_sd=sd)
        values = sample_exact(alone, n_draws(tree), default_rng(child)).values
        draws.append(values["word_mean"][:, word])
    frame = pair_contrasts(
        np.stack(draws, axis=1),
        design.connections,
        ci_prob,
        rope,
        ci_kind,
        level=[WORD] * len(names),
        protected_group=[design.groups[design.word_group[design.words.index(w)]] for w in names],
        protected_word=list(names),
    )
    frame.attrs["seed"] = sequence.entropy
    return carry_warnings(frame, tree)
