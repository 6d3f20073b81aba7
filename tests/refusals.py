"""What is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def refused(
    match: str,
    call: Callable[..., Any],
    *arguments: Any,
    error: type[Exception] = ValueError,
    **choices: Any,
) -> None:
    """Expect that a call with these arguments raises an error whose message matches."""
    with pytest.raises(error, match=match):
        call(*arguments, **choices)
