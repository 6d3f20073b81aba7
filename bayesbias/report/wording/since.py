"""Sentences about what changed since an earlier run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from ...tables.descriptives import contrast_of
from ...tables.levels import GROUP, OVERALL, at_level
from ...workflows.since import Since
from ...workflows.wordlist import Analysis
from . import ALL_GROUPS
from .distances import gap_pair
from .numbers import joined, signed, step

PARTS = {
    "list": "the list",
    "embedding": "the embedding",
    "setting": "the settings",
    "model": "the models",
    "version": "the versions",
}
"""Parts of a run that decide its numbers, in words."""


def since_sentences(analysis: Analysis) -> list[str]:
    """Word what changed since an earlier run, what did not, and by how much the contrasts did."""
    found = analysis.since
    if found is None:
        return []
    changed = set(found.changes["part"])
    same = [text for part, text in PARTS.items() if part not in changed]
    first = f"Since the run in {found.folder.name or found.folder}: "
    if not changed:
        first += "nothing changed that decides the numbers."
    else:
        other = [text for part, text in PARTS.items() if part in changed]
        first += f"{joined(other)} changed" + (f"; {joined(same)} did not." if same else ".")
    return [first, *map(_change, found.changes.to_dict("records")), *_contrasts(analysis, found)]


def _change(row: Mapping[Hashable, Any]) -> str:
    what = f"{str(row['part']).capitalize()}: {row['what']}"
    if row["part"] == "list":
        ends = {"before only": row["before"], "now only": row["after"]}
        return f"{what}: {'; '.join(f'{k} {v}' for k, v in ends.items() if v)}."
    return f"{what}: {row['before']} → {row['after']}." if row["before"] else f"{what}."


def _contrasts(analysis: Analysis, found: Since) -> list[str]:
    """Word the contrast that leads, before and now."""
    pair, lead = gap_pair(analysis), analysis.lead.spec.name
    rows = found.contrasts[found.contrasts["model"] == lead]
    rows = rows.assign(**{name: rows[f"{name}_after"] for name in ("mean", "low", "high")})
    if not ((rows["first"] == pair[0]) & (rows["second"] == pair[1])).any():
        return [f"The earlier run has no {pair[0]} − {pair[1]} under the model {lead}."]
    rows = contrast_of(rows, *pair)
    told = []
    for level in (OVERALL, GROUP):
        for row in at_level(rows, level).to_dict("records"):
            before, after, change = step(row["mean_before"], row["mean_after"], signed)
            told.append(f"{row['protected_group'] or ALL_GROUPS} {before} → {after} ({change})")
    return [f"{pair[0].capitalize()} − {pair[1]} under {lead}: {'; '.join(told)}."]
