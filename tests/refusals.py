"""One call for what tests say of most bad input."""

from collections.abc import Callable
from typing import Any

import pytest


def refuses(
    words: str,
    call: Callable[..., object],
    *given: Any,
    error: type[Exception] = ValueError,
    **options: Any,
) -> None:
    """Assert that a call raises an error, and that its message has these words."""
    with pytest.raises(error, match=words):
        call(*given, **options)
