"""How many unrelated words the groups and sets of a table count as."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..model.likeness import effective_number
from ..model.tree import design_of

if TYPE_CHECKING:
    from xarray import DataTree


def effective_sizes(tree: DataTree) -> pd.DataFrame:
    r"""How many unrelated words every group, stereotype set, and kind of controls counts as.

    Words of like vectors lean alike, so that eight names of one cluster can count as two. The
    effective size of n words is :math:`n^2 / \sum_{ij} K_{ij}` with the likeness K of
    `bayesbias.model.likeness`: n where all are unrelated, 1 where all are the same. Adding words
    of other kinds narrows an interval more than adding words like those that are there.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, of a table that carries cosines.

    Returns
    -------
    DataFrame
        ``role`` (``protected_group``, ``attribute_set`` or ``controls``), ``name``, ``n_words``,
        and ``n_effective``, in [1, n_words].

    Raises
    ------
    ValueError
        If the table carries no cosines, as tables that were not made from vectors.

    Examples
    --------
    >>> sizes = bb.effective_sizes(post)
    >>> sizes.query("role == 'protected_group'")[["name", "n_words", "n_effective"]].round(1)
            name  n_words  n_effective
    0        jew        5          2.6
    1  christian        5          2.4
    2     muslim        5          2.6
    """
    design = design_of(tree)
    if not design.word_likeness.size or not design.attribute_likeness.size:
        raise ValueError(
            "this table carries no cosines among its words; make it by bb.distance_table from "
            "vectors, and keep NAME.cosines.csv next to NAME.csv"
        )
    roles = [("protected_group", name) for name in design.groups]
    columns = design.columns or design.connections
    roles += [("attribute_set" if name in design.sets else "controls", name) for name in columns]
    parts = (
        (design.word_likeness, design.word_group),
        (design.attribute_likeness, design.attribute_column),
    )
    frame = pd.DataFrame(roles, columns=["role", "name"])
    frame["n_words"] = np.concatenate([np.bincount(block) for _, block in parts])
    frame["n_effective"] = np.concatenate([effective_number(*part) for part in parts])
    return frame
