"""gensim's own files, which are Python pickles and read only if the caller allows it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

from ..._core.checks import Argument, ArgumentError
from .headers import one_line
from .keyed import unwrapped

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ENDINGS = (".kv", ".model")


def read_pickled(path: Path, *, allow_pickle: bool) -> KeyedVectors:
    """Read KeyedVectors, or the KeyedVectors of a model, that gensim saved."""
    if not allow_pickle:
        raise ArgumentError(
            f"{path} is a Python pickle, which can run any program when it is opened; if you trust "
            "its maker pass ",
            Argument("allow_pickle", True),
            ", else get the vectors as .bin, .txt or .vec",
        )
    from gensim.models import KeyedVectors

    damage = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, KeyError)
    try:  # large arrays lie in files beside the pickle; mapped, they need not fit in memory
        return unwrapped(KeyedVectors.load(str(path), mmap="r"))
    except (*damage, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no file of gensim's vectors ({one_line(error)})") from None
