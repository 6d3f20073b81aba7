"""gensim's own files, which are Python pickles and read only if the caller allows it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from ..._core.checks import Argument, ArgumentError
from ..source import Source
from .headers import one_line
from .keyed import functions_of, unwrapped

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ENDINGS = (".kv", ".model")


def read_pickle(source: Source) -> KeyedVectors:
    """Read KeyedVectors, or the KeyedVectors of a model, that gensim saved."""
    path = source.path
    if not source.allow_pickle:
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


pick, iterate = functions_of(read_pickle)
