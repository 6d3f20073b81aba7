"""What debiasing left: scores of the words it was for, and whether the bias is found again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .._core.random import Seed, as_seed_sequence
from ..debias import DefiningSets, load_defining_sets, remaining_bias
from ..debias.sums import VOCABULARY
from ..embeddings.load import iter_vectors, load_vectors
from ..scores.directions import direct_bias, same

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

N_WORDS = 500
"""Most leaning words of each class, as Gonen and Goldberg take them for their clusters."""


def bias_before_after(
    before: KeyedVectors,
    after: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    n_words: int = N_WORDS,
    seed: Seed = None,
) -> pd.DataFrame:
    """Compute scores that fall and checks that may not: Direct Bias, SAME, and recovery.

    Parameters
    ----------
    before, after : KeyedVectors
        With a vocabulary, not the words of a list only.
    sets : str, path or DefiningSets
        What the bias is: defining words, and targets such as professions. The defining words are
        taken as each embedding has them.
    n_words, seed
        As for `debias.remaining_bias`.

    Returns
    -------
    DataFrame
        ``check``, ``measure``, ``before``, ``after``, ``chance`` and ``n``, as
        `debias.remaining_bias` has them, after a row ``direct_bias`` and a row ``same``: means
        over the targets in both embeddings, 0 without bias. Without targets these two are
        missing.

    Raises
    ------
    ValueError, ImportError
        As `debias.remaining_bias` and the scores do.
    """
    lists = load_defining_sets(sets)
    lists = lists.in_case(lists.case, before)
    targets = [word for word in lists.targets if word in before and word in after]
    rows: list[tuple[str, str, float, float, float, int]] = []
    if targets:
        lean = [direct_bias(each, targets, lists.defining).score for each in (before, after)]
        shadow = [same(each, targets, lists.groups).score for each in (before, after)]
        rows.append(("direct_bias", "mean over targets", lean[0], lean[1], 0.0, len(targets)))
        rows.append(("same", "mean over targets", shadow[0], shadow[1], 0.0, len(targets)))
    sequence = as_seed_sequence(seed)
    checks = remaining_bias(before, after, lists, n_words=n_words, seed=sequence)
    rows += list(checks.itertuples(index=False, name=None))
    frame = pd.DataFrame(rows, columns=list(checks.columns))
    frame.attrs["seed"] = sequence.entropy
    return frame


def load_frequent(
    source: str, sets: DefiningSets, *, allow_pickle: bool = False, progressbar: bool = True
) -> KeyedVectors:
    """Load the first words of an embedding, and those of the sets, for `bias_before_after`.

    The rest of a large file is left where it is.
    """
    names: list[str] = []
    for words, _ in iter_vectors(source, allow_pickle=allow_pickle, progressbar=False):
        names += words
        if len(names) >= VOCABULARY:
            break
    wanted = list(dict.fromkeys([*names[:VOCABULARY], *sorted(sets.forms), *sets.targets]))
    return load_vectors(source, wanted, allow_pickle=allow_pickle, progressbar=progressbar)
