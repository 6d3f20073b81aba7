"""Compute raw and estimated group contrasts for bundled lists and the 18 published tables.

The published tables must be in BAYESBIAS_DATA. ``size`` is the number of draws. Raw values are mean
distances. ``raw_row`` is a group's distance to its own set minus its distance to the other sets.
``raw_column`` is the default contrast of raw means. Only bundled lists are at equal frequency.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.model.indexing import make_design
from bayesbias.posterior.estimands import double_weights, relative_weights
from bayesbias.tables.descriptives import default_rows

from .literature.sources import TABLES, known_warnings, published_table

PAIR = ["protected_word", "attribute", "connection"]
"""Columns in which repeated rows of the race tables agree. Repeated rows are left out."""

BUNDLED = ("race", "religion", "gender", *(f"weat{n}" for n in range(1, 11)))


def study(size: int = 2_000) -> pd.DataFrame:
    """Return raw and estimated contrasts, overall and by group, of all lists and tables."""
    rows = [row for name, table in _tables() for row in _rows(name, table, size)]
    return pd.DataFrame(rows)


def _tables() -> Iterator[tuple[str, pd.DataFrame]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in BUNDLED:
            found = bb.analyze("glove-demo", name, case="fallback", seed=1, reference_lists=0)
            yield f"{name}, bundled", found.table
    for name in TABLES:
        table = published_table(name)
        yield name, table.drop_duplicates(PAIR).reset_index(drop=True)


def _rows(name: str, table: pd.DataFrame, draws: int) -> Iterator[dict[str, object]]:
    design = make_design(table)
    cells = table.assign(
        group=design.codes("protected_group"), column=design.codes("attribute_column")
    )
    means = cells.pivot_table("cosine_distance", "group", "column").to_numpy()
    kinds = np.array([*design.connections, ""])[design.column_connection]
    columns = [double_weights(design), *relative_weights(design)]
    with warnings.catch_warnings(), known_warnings():
        warnings.simplefilter("ignore", UserWarning)
        old, new = (
            bb.contrasts(bb.fit(table, model, draws=draws // 4, seed=1))
            for model in ("maximal", "by-group")
        )
    old = old.query("first == 'associated' and second == 'different' and level != 'word'")
    old, new = old.set_index("protected_group"), default_rows(new).set_index("protected_group")
    for place, group in enumerate(["", *design.groups]):
        within = slice(None) if place == 0 else [place - 1]
        own, other = (kinds[within] == side for side in ("associated", "different"))
        row = means[within][own].mean() - means[within][other].mean()
        column = float(np.nansum(columns[place] * means))
        column = np.nan if np.isnan(columns[place]).any() else column
        known = new.loc[group] if group in new.index else pd.Series(dtype=float)
        raw = {"raw_row": row, "raw_column": column, "maximal": old.loc[group, "mean"]}
        estimate, low, high = (known.get(key, np.nan) for key in ("mean", "low", "high"))
        found = raw | {"by_group": estimate, "low": low, "high": high}
        yield {"table": name, "group": group or "all", **found}
