"""The frames of a change's record: the difference before, after, and removed, and word leans."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from .. import comparison
from .._core.checks import counted
from ..comparison.joint import posterior_at
from ..comparison.pairing import ENDS
from ..model.tree import labels
from ..posterior.contrasts import contrast_quantiles, contrasts
from ..posterior.summaries import sd_summary
from ..records.base import Frames
from ..records.naming import Naming
from ..records.rows import wide_quantiles, with_quantiles
from ..sampling.options import FitOptions
from ..tables.descriptives import probability_below
from ..tables.levels import OVERALL, at_level
from ..tables.schema import STEREOTYPES
from ..tables.word_pairs import lean_changes, word_pairs
from .results import ModelResult, Readings, joined, of_models, predictive_coverage

if TYPE_CHECKING:
    from xarray import DataTree


def _orders(tree: DataTree, of: FitOptions) -> pd.DataFrame | None:
    """Return changes of order, or None if a connection is missing."""
    if set(STEREOTYPES) <= set(labels(tree, "connection")):
        return comparison.order_changes(tree, *STEREOTYPES, **of.reading)
    return None


def _dots(tree: DataTree, _: FitOptions) -> pd.DataFrame | None:
    """Return 100 quantiles of the difference before, after, and of its change, in ``when``."""
    if set(STEREOTYPES) <= set(labels(tree, "connection")):
        parts = {when: contrast_quantiles(posterior_at(tree, when)) for when in ENDS}
        return joined({**parts, "removed": contrast_quantiles(tree)}, "when")
    return None


READINGS: Readings = {
    "changes": lambda tree, of: comparison.changes(tree, **of.reading),
    "orders": _orders,
    "contrasts": lambda tree, of: contrasts(tree, **of.reading),
    "alignment": lambda tree, of: comparison.alignment(tree, **of.intervals),
    "check": predictive_coverage,
    "scales": lambda tree, of: sd_summary(tree, **of.intervals),
    "dots": _dots,
}
"""Functions that read frames from the posterior of a change; all but the dots are kept."""


def change_frames(
    results: Mapping[str, ModelResult], before: pd.DataFrame, after: pd.DataFrame, naming: Naming
) -> Frames:
    """Return the frames of a change: those of the models, and those computed from both tables."""
    ends, removed = _end_frames([*results.values()][-1])
    parts: dict[str, pd.DataFrame | Callable[[], pd.DataFrame]] = {
        **{"table_before": before, "table_after": after},
        **{"before_after": ends, "removed": removed},
        "leans": _leans(before, after, naming),
        "word_pairs": word_pairs(before),
        **{name: partial(of_models, results, name) for name in READINGS if name != "dots"},
    }
    return Frames(parts)


def _end_frames(lead: ModelResult) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the distances before and after, and after minus before: positive moved away."""
    orders, dots = lead["orders"], lead["dots"]
    if orders.empty:
        return pd.DataFrame(columns=["when"]), pd.DataFrame(columns=["level"])
    keys = [*dict.fromkeys(zip(dots["level"], dots["protected_group"], strict=True))]
    rows = orders.set_index(["level", "protected_group"], drop=False).loc[keys]
    rows = rows[rows["level"] != "word"].reset_index(drop=True)
    whole, ends = at_level(rows, OVERALL), []
    for when in ENDS:
        names = {when: "mean", f"{when}_low": "low", f"{when}_high": "high"}
        end = whole[[*names, f"p_closer_{when}"]].rename(columns=names)
        end = end.rename(columns={f"p_closer_{when}": "p_closer"}).assign(when=when)
        values = wide_quantiles(dots[dots["when"] == when], [(OVERALL, "")])
        ends.append(with_quantiles(end, values))
    removed = rows.assign(p_closer=1 - probability_below(rows))
    of_removed = wide_quantiles(dots[dots["when"] == "removed"], keys)
    removed = with_quantiles(removed, of_removed)
    removed.attrs = orders.attrs
    return pd.concat(ends, ignore_index=True), removed


def _leans(before: pd.DataFrame, after: pd.DataFrame, naming: Naming) -> pd.DataFrame:
    """Return the leans of words before and after, with names for a picture."""
    rows, names = lean_changes(before, after), naming.groups
    groups = list(dict.fromkeys(before["protected_group"].astype(str)))
    says = {naming.set_keys[group]: name for group, name in naming.sets.items()}
    of_set = rows["attribute_set"].map(lambda key: says.get(key, key.replace("_", " ")))
    left = f"closer to {names[groups[1]]}" if len(groups) == 2 else "closer to others"
    right = f"closer to {names[groups[0]]}" if len(groups) == 2 else "closer to its group"
    columns: dict[str, str | pd.Series] = {"group": rows["protected_group"], "says": of_set}
    columns |= {"left": left, "right": right}
    return rows.assign(**columns).drop(columns="protected_group")


def pairing_text(attrs: Mapping[Hashable, int]) -> str:
    """Say how many rows were paired, repeated, or left out."""
    lost = attrs["n_unpaired_before"] + attrs["n_unpaired_after"]
    return (
        counted(attrs["n_pairs"], "pair")
        + (f" ({attrs['n_repeated']:,} repeated)" if attrs["n_repeated"] else "")
        + (f"; {counted(lost, 'row')} without a partner left out" if lost else "")
    )
