"""What debiasing left: scores of the words it was for, and whether the bias is found again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ..debias import DefiningSets, load_defining_sets, remaining_bias
from ..debias.moments import VOCABULARY
from ..debias.recovery import RECOVERY_COLUMNS
from ..embeddings.load import load_vectors, vector_blocks
from ..scores.direct_bias import direct_bias
from ..scores.same import same

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

N_WORDS = 500
"""Most leaning words of each class, as Gonen and Goldberg take them for their clusters."""


def what_remains(
    before: KeyedVectors,
    after: KeyedVectors,
    sets: str | Path | DefiningSets = "gender",
    *,
    n_words: int = N_WORDS,
    seed: int = 1,
) -> pd.DataFrame:
    """Put scores that fall beside checks that may not: Direct Bias, SAME, and recovery.

    Parameters
    ----------
    before, after : KeyedVectors
        With a vocabulary, not the words of a list only.
    sets : str, path or DefiningSets
        What the bias is: defining words, and targets such as professions. The defining words are
        taken as each embedding has them.
    n_words, seed : int
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
    targets = [word for word in lists.targets if word in before and word in after]
    rows: list[tuple[str, str, float, float, float, int]] = []
    if targets:
        lean = [direct_bias(each, targets, lists.defining).score for each in (before, after)]
        shadow = [same(each, targets, lists.groups).score for each in (before, after)]
        rows.append(("direct_bias", "mean over targets", lean[0], lean[1], 0.0, len(targets)))
        rows.append(("same", "mean over targets", shadow[0], shadow[1], 0.0, len(targets)))
    checks = remaining_bias(before, after, lists, n_words=n_words, seed=seed)
    rows += list(checks[list(RECOVERY_COLUMNS)].itertuples(index=False, name=None))
    return pd.DataFrame(rows, columns=list(RECOVERY_COLUMNS))


def load_frequent(
    source: str, sets: DefiningSets, *, allow_pickle: bool = False, progressbar: bool = True
) -> KeyedVectors:
    """Load what `what_remains` looks at: the first words of an embedding, and those of the sets.

    The rest of a large file is left where it is.
    """
    names: list[str] = []
    for block in vector_blocks(source, allow_pickle=allow_pickle, progressbar=False):
        names += block.names.decode(errors="backslashreplace").split("\n")[:-1]
        if len(names) >= VOCABULARY:
            break
    wanted = dict.fromkeys([*names[:VOCABULARY], *sorted(sets.kept), *sets.targets])
    return load_vectors(source, wanted, allow_pickle=allow_pickle, progressbar=progressbar)
