"""The frames of a change's record: the difference before, after, and removed, and word leans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._core.checks import counted
from ..comparison.joint import posterior_at
from ..comparison.pairing import ENDS
from ..posterior.contrasts import contrast_quantiles
from ..records.naming import Naming
from ..records.rows import QUANTILES, with_quantiles
from ..tables.descriptives import probability_below
from ..tables.levels import OVERALL, at_level
from ..tables.word_pairs import lean_changes
from .results import ModelResult

if TYPE_CHECKING:
    from xarray import DataTree


def change_quantiles(tree: DataTree) -> pd.DataFrame:
    """Return 100 quantiles of the difference before, after, and of its change, in ``when``."""
    parts = {when: contrast_quantiles(posterior_at(tree, when)) for when in ENDS}
    parts["removed"] = contrast_quantiles(tree)
    return pd.concat(parts, names=["when", None]).reset_index(level=0).reset_index(drop=True)


def end_frames(lead: ModelResult) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows before and after, and the removed difference, overall and by group.

    The first frame holds distances, own minus other stereotypes. The second is after minus before,
    so positive numbers mean that words moved away from their own stereotypes.
    """
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
        ends.append(with_quantiles(end, _wide(dots, when, [(OVERALL, "")])))
    removed = rows.assign(p_closer=1 - probability_below(rows))
    removed = with_quantiles(removed, _wide(dots, "removed", keys))
    removed.attrs = orders.attrs
    return pd.concat(ends, ignore_index=True), removed


def _wide(dots: pd.DataFrame, when: str, keys: list[tuple[str, str]]) -> Any:  # noqa: ANN401
    part = dots[dots["when"] == when]
    index = ["level", "protected_group"]
    wide = part.pivot_table("value", index, "probability", sort=False)
    return wide.loc[keys].to_numpy()[:, : len(QUANTILES)]


def change_leans(before: pd.DataFrame, after: pd.DataFrame, naming: Naming) -> pd.DataFrame:
    """Return the leans of stereotype words before and after, with names for a picture.

    ``says`` names the set of a word, and ``left`` and ``right`` the directions.
    """
    rows, names = lean_changes(before, after), naming.groups
    groups = list(dict.fromkeys(before["protected_group"].astype(str)))
    says = {naming.set_keys[group]: name for group, name in naming.sets.items()}
    of_set = rows["attribute_set"].map(lambda key: says.get(key, key.replace("_", " ")))
    left = f"closer to {names[groups[1]]}" if len(groups) == 2 else "closer to others"
    right = f"closer to {names[groups[0]]}" if len(groups) == 2 else "closer to its group"
    columns: dict[str, Any] = {"group": rows["protected_group"], "says": of_set}
    columns |= {"left": left, "right": right}
    return rows.assign(**columns).drop(columns="protected_group")


def pairing_text(attrs: Mapping[Any, Any]) -> str:
    """Say how many rows were paired, repeated, or left out."""
    lost = attrs["n_unpaired_before"] + attrs["n_unpaired_after"]
    return (
        counted(attrs["n_pairs"], "pair")
        + (f" ({attrs['n_repeated']:,} repeated)" if attrs["n_repeated"] else "")
        + (f"; {counted(lost, 'row')} without a partner left out" if lost else "")
    )
