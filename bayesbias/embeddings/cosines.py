"""Put the cosines between a table's words back after other programs lost them."""

from __future__ import annotations

import pandas as pd

from .._core.checks import counted
from .._core.display import abridged
from ..tables.cosines import COSINES, attach_vectors, stored_in
from ..tables.schema import as_table
from .distances import WORDS, directions_of, words_of
from .load import VectorsLike, vectors_in_memory


def with_cosines(table: pd.DataFrame, source: VectorsLike | pd.DataFrame) -> pd.DataFrame:
    """Return a table with the cosines between its words, which models need for similar words.

    Tables from `distance_table` have cosines, and `write_table` and `read_table` keep them. In
    pandas, ``read_csv``, ``merge``, and ``concat`` lose them.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    source : str, path, KeyedVectors, mapping, DataFrame, or tuple
        The vectors of the table's words, in any form that `load_vectors` accepts, or a table that
        still has the cosines of these words.

    Raises
    ------
    ValueError
        If the source lacks words of the table.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.distance_table("glove-demo", "religion")
    >>> joined = pd.concat([table[:500], table[500:].assign(note="new")]).merge(table)
    >>> bb.with_cosines(joined, "glove-demo").attrs["cosines"] == table.attrs["cosines"]
    True
    """
    table = as_table(table, WORDS).copy()
    words = words_of(table)
    if isinstance(source, pd.DataFrame) and {*WORDS} <= {*source}:
        known, text = {*stored_in(source).words}, source.attrs.get(COSINES)
    else:
        vectors, text = vectors_in_memory(source, words), None
        known = {*vectors.key_to_index}
    if lacking := [word for word in words if word not in known]:
        raise ValueError(
            f"the source has no cosines of {counted(len(lacking), 'word')} of the table "
            f"({abridged(lacking)}); pass the vectors that the table was made from"
        )
    if text is None:
        attach_vectors(table, words, directions_of(words, vectors))
    else:
        table.attrs[COSINES] = text
    return table
