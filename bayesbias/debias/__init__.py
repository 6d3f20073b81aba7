"""Debiasing: methods that take bias out of an embedding, and checks of what they left.

Every method is a function of KeyedVectors that returns new ones: ``hard(vectors, "gender")``. The
record of the change stays with the result: `debiasing`. `debias_file` does the same to files of
any size. None of them makes an embedding unbiased: `remaining_bias` shows how much can be
recovered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import methods  # noqa: F401  # enters each method in DEBIASING_METHODS
from .debiaser import Debiaser as Debiaser
from .debiaser import Debiasing as Debiasing
from .debiaser import debiasing as debiasing
from .defining_sets import DefiningSets as DefiningSets
from .defining_sets import defining_sets as defining_sets
from .defining_sets import load_defining_sets as load_defining_sets
from .files import DebiasedFile as DebiasedFile
from .files import debias_file as debias_file
from .method import DEBIASING_METHODS as DEBIASING_METHODS
from .method import DebiasingMethod as DebiasingMethod
from .method import as_function as as_function
from .method import debiasing_method as debiasing_method
from .method import method_options as method_options
from .recovery import cluster_accuracy as cluster_accuracy
from .recovery import remaining_bias as remaining_bias

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def __getattr__(name: str) -> Callable[..., KeyedVectors]:
    """Return a method by its name, as a function."""
    if name in DEBIASING_METHODS:
        return as_function(DEBIASING_METHODS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *DEBIASING_METHODS})
