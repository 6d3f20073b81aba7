"""Keep warnings as JSON, and make them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from . import doubts, file_notices, notices, warnings
from .checks import Argument
from .warnings import BayesbiasWarning, OtherWarning

KINDS = {
    name: kind
    for module in (warnings, doubts, notices, file_notices)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, BayesbiasWarning)
}
"""All classes of warnings by name."""


def to_dict(warning: BayesbiasWarning) -> dict[str, Any]:
    """Return the class and the fields of a warning; all values have JSON types."""
    values = {one.name: _plain(getattr(warning, one.name)) for one in fields(warning)}
    return {"class": type(warning).__name__, **values}


def from_dict(kept: Mapping[str, Any] | str) -> BayesbiasWarning:
    """Make the warning that `to_dict` kept, or that an earlier version kept as text."""
    if isinstance(kept, str):
        return OtherWarning("UserWarning", kept)
    values = {name: _field(value) for name, value in kept.items() if name != "class"}
    return KINDS[kept["class"]](**values)


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Convert tuples to lists, and arguments to mappings."""
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return asdict(value) if isinstance(value, Argument) else value


def _field(value: Any) -> Any:  # noqa: ANN401
    """Convert lists to tuples, and mappings to arguments."""
    if isinstance(value, list):
        return tuple(map(_field, value))
    return Argument(**value) if isinstance(value, Mapping) else value
