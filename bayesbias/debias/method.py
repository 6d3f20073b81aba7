"""What a debiasing method is, and the methods by name."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from .._core.checks import unknown_name
from ..embeddings.load import VectorsLike, open_embedding, vectors_in_memory
from ..embeddings.source import Embedding
from .debiaser import Debiaser, Debiasing
from .defining_sets import DefiningSets, SetsLike, load_defining_sets
from .sums import VectorsByWord, vectors_by_word

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

type Fittable = VectorsLike | Embedding
"""What a method is fitted to: what `load_vectors` takes, or an embedding that is read in parts."""

DEBIASING_METHODS: dict[str, type[DebiasingMethod]] = {}
"""The methods by name. A subclass of `DebiasingMethod` enters itself here."""

FUNCTION_NOTES = """

Notes
-----
Call ``{name}(vectors, sets)``. ``vectors`` are what `load_vectors` takes, ``sets`` what
`load_defining_sets` takes, {sets!r} by default. The function returns new KeyedVectors of float32;
`debiasing` returns the record of the change."""


class DebiasingMethod(ABC):
    """A method that takes bias out of an embedding.

    A method is one frozen dataclass in a file of ``methods/``. Its fields are its options, each
    described under Parameters. Its name is the name of the class in snake case, under which it is
    a function of `bayesbias.debias`, a method of `debias_file`, and one of `bayesbias debias`,
    where its options are those of the class.
    """

    name: ClassVar[str]
    two_classes: ClassVar[bool] = False
    """Whether the method is for pairs of words only."""
    default_sets: ClassVar[str] = "gender"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        DEBIASING_METHODS[cls.name] = cls

    @abstractmethod
    def fit(self, vectors: Fittable, sets: SetsLike) -> Debiaser:
        """Learn from vectors, or from a source, what happens to each word of an embedding."""

    def read(
        self, vectors: Fittable, sets: SetsLike
    ) -> tuple[Embedding, DefiningSets, VectorsByWord]:
        """Return the embedding, the sets, and the vectors of the sets' words.

        Words of the sets are taken in the case that the embedding has them in, as `sets` specify.
        """
        lists = load_defining_sets(sets)
        if self.two_classes and lists.n_classes != 2:
            raise ValueError(
                f"{self.name} debiasing is for two classes, and {lists.name!r} has "
                f"{lists.n_classes} ({', '.join(lists.classes)}); use multiclass_hard or soft"
            )
        if not isinstance(vectors, Embedding):
            vectors = open_embedding(vectors_in_memory(vectors))
        found = vectors_by_word(vectors, lists.forms)
        lists = lists.in_case(lists.case, found)
        return vectors, lists, {word: found[word] for word in sorted(lists.kept) if word in found}

    def record(
        self,
        lists: DefiningSets,
        found: VectorsByWord,
        parameters: Mapping[str, Any],
        *,
        equalise: bool,
    ) -> Debiasing:
        """Return the record of what the method does; equalise sets may play no part."""
        missing, sizes = lists.coverage(found, equalise=equalise)
        return Debiasing(self.name, lists.name, parameters, missing, sizes, lists.case)


def debiasing_method(name: str, **options: Any) -> DebiasingMethod:  # noqa: ANN401
    """Return a method by name, with its options.

    Parameters
    ----------
    name : str
        A name of `DEBIASING_METHODS`; a hyphen may stand for an underscore.
    **options
        Those of the method, such as ``k=2``.
    """
    known = method_options(name)
    for option in options:
        if option not in known:
            raise ValueError(unknown_name(f"option of {name}", option, known))
    return DEBIASING_METHODS[name.replace("-", "_")](**options)


def method_options(name: str) -> dict[str, inspect.Parameter]:
    """Return the options of a method by name, with their types and defaults."""
    key = name.replace("-", "_")
    if key not in DEBIASING_METHODS:
        raise ValueError(unknown_name("debiasing method", name, DEBIASING_METHODS))
    return dict(inspect.signature(DEBIASING_METHODS[key], eval_str=True).parameters)


@cache
def as_function(method: type[DebiasingMethod]) -> Callable[..., KeyedVectors]:
    """Return a method as a function of vectors, sets, and the method's options."""

    def debias(
        vectors: VectorsLike,
        sets: SetsLike = method.default_sets,
        **options: Any,  # noqa: ANN401
    ) -> KeyedVectors:
        keyed = vectors_in_memory(vectors)
        return method(**options).fit(keyed, sets).transform(keyed)

    *given, _ = inspect.signature(debias).parameters.values()
    options = [
        option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for option in inspect.signature(method).parameters.values()
    ]
    notes = FUNCTION_NOTES.format(name=method.name, sets=method.default_sets)
    vars(debias)["__signature__"] = inspect.Signature([*given, *options])
    debias.__name__ = debias.__qualname__ = method.name
    debias.__module__ = __package__ or ""
    debias.__doc__ = (inspect.getdoc(method) or "") + notes
    return debias
