"""The methods by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .._core.checks import unknown_name
from .double_hard import learn_double_hard
from .half_sibling import learn_half_sibling
from .hard import learn_hard
from .multiclass_hard import learn_multiclass_hard
from .soft import learn_soft
from .transform import Transform

METHODS: dict[str, Callable[..., Transform]] = {
    "hard": learn_hard,
    "multiclass_hard": learn_multiclass_hard,
    "soft": learn_soft,
    "double_hard": learn_double_hard,
    "half_sibling": learn_half_sibling,
}
"""What learns each method: a function of a source, lists, and the method's own options."""


def learner(method: str, options: Mapping[str, Any]) -> Callable[..., Transform]:
    """Give what learns a method, and refuse options that the method does not have.

    Raises
    ------
    ValueError
        If the method is unknown, or an option.
    """
    name = method.replace("-", "_")
    if name not in METHODS:
        raise ValueError(unknown_name("debiasing method", method, METHODS))
    learn = METHODS[name]
    known = [
        each.name
        for each in inspect.signature(learn).parameters.values()
        if each.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    for option in options:
        if option not in known:
            raise ValueError(unknown_name(f"option of {name}", option, known))
    return learn
