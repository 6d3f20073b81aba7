"""Both ends of a change: two tables, two embeddings, or an embedding and a debiasing method."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import pandas as pd

from .. import debias
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.substitutions import substitutions
from .._core.warnings import ignored, warn
from ..debias import DefiningSets
from ..embeddings.distances import measure
from ..embeddings.load import VectorsLike, load_vectors, pick
from ..embeddings.registry import open_embedding
from ..model.frequency import MATCHED
from ..tables.schema import COLUMNS, as_table, is_frame, validate_table
from ..tables.wordlists import WordList
from ..warnings import NothingDrawn, SameVectors
from .reference import read_source
from .ruler import landmark_words
from .settings import ChangeSettings, Settings, encodable, refuse_unused

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from ..background.pools import Pools


class Ends(NamedTuple):
    """Both ends of a change: their tables and, for embeddings, names, sources, and vectors."""

    before: pd.DataFrame
    after: pd.DataFrame
    names: tuple[str, str] = ("before", "after")
    sources: tuple[VectorsLike, ...] = ()
    held: tuple[KeyedVectors, ...] = ()
    pools: Pools | None = None
    wordlist: WordList | None = None


def read_ends(
    before: pd.DataFrame | VectorsLike,
    after: pd.DataFrame | VectorsLike,
    words: WordList | None,
    sets: str | Path | DefiningSets | None,
    known: ChangeSettings,
) -> Ends:
    """Return two tables as they are, or measure the list in two embeddings, one pass for each."""
    if _is_table(before) and _is_table(after):
        return Ends(before, after, known.names or ("before", "after"))
    if _is_table(before) or _is_table(after):
        raise TypeError("before and after must be two tables or two embeddings; got one table")
    if words is None:
        raise TypeError("vectors need a word list; pass one as wordlist")
    loading: dict[str, Any] = {"allow_pickle": known.allow_pickle, "progressbar": known.progressbar}
    sources = before, _debiased(before, after, words, sets, **loading)
    chosen = {name: getattr(known, name) for name in ("matched", "case", *loading)}
    held = read_source(sources[0], [words], Settings(reference_lists=0, **chosen))
    names = known.names or names_of(before, after)
    listed = held.read(words).matched()  # as for a single list
    (first,), wider = listed.parts, listed.wordlist
    controls = wider.controls.get(MATCHED, ())
    opened, also = open_embedding(sources[1], **loading), [*landmark_words(), *controls]
    second = pick(opened, words.words, known.case, also=also).keyed()
    if controls:
        both = tuple(word for word in controls if word in second)
        wider = replace(wider, controls={**wider.controls, MATCHED: both}) if both else words
    if controls and wider is words:
        warn(NothingDrawn("matched controls", f"none of those drawn is in {names[1]}"))
    with ignored(SameVectors):  # fitting repeats them
        one, two = (
            measure(vectors, wider, name).rows
            for vectors, name in zip((first, second), names, strict=True)
        )
    return Ends(one, two, names, sources, (first, second), held.pools, wider)


def settled_recovery(
    before: object,
    after: object,
    words: WordList | None,
    known: ChangeSettings,
    *,
    sets: object,
    recover: str | Path | DefiningSets | None,
) -> str | Path | DefiningSets | None:
    """Return what to recover, named like the list by default; refuse settings without effect."""
    if _is_table(before) and _is_table(after):
        known.refuse_of_vectors(sets=sets, recover=recover)
        return None
    if not (isinstance(after, str) and after in debias.DEBIASING_METHODS):
        refuse_unused({"sets": sets}, " is for a debiasing method; name one, such as hard")
    if recover is None and words is not None and words.name in debias.defining_sets():
        return words.name
    if recover is None:
        refuse_unused({"recover_words": known.recover_words}, " needs ", Argument("recover"))
    return recover


def as_end[T](end: T) -> T | pd.DataFrame:
    """Return a valid table if a frame of any library has a table's columns, or else the source."""
    frame = as_table(end, ()) if is_frame(end) else None
    return end if frame is None or not {*COLUMNS} <= {*frame} else validate_table(frame)


def _is_table(end: object) -> TypeGuard[pd.DataFrame]:
    return isinstance(end, pd.DataFrame) and {*COLUMNS} <= {*end}


def names_of(*ends: object) -> tuple[str, str]:
    """Name files by name, or by path if names are equal, and anything else by its place."""
    one, two = (
        encodable(os.fspath(end)) if isinstance(end, str | os.PathLike) else place
        for end, place in zip(ends, ("before", "after"), strict=True)
    )
    short = Path(one).name, Path(two).name
    return short if short[0] != short[1] else (one, two)


def _debiased(
    before: VectorsLike,
    after: VectorsLike,
    words: WordList,
    sets: str | Path | DefiningSets | None,
    **loading: Any,  # noqa: ANN401
) -> VectorsLike:
    """If `after` names a debiasing method, apply it to `before`; otherwise, return `after`."""
    if not isinstance(after, str):
        return after
    methods, path = debias.DEBIASING_METHODS, Path(after)
    if after not in methods:
        if get_close_matches(after, methods) and not (path.exists() or path.suffix):
            raise ValueError(unknown_name("embedding or debiasing method", after, methods))
        return after
    if sets is None and words.name not in (known := debias.defining_sets()):
        text = (
            f"no defining sets are called {words.name!r}; pass one of {', '.join(known)}, or a "
            "file with pairs of words (see bayesbias docs debiasing),"
        )
        raise ArgumentError(f"{text} as ", Argument("sets"))
    method: Callable[..., KeyedVectors] = getattr(debias, after)
    with substitutions():  # keeps the words of defining sets apart from those of the list
        return method(load_vectors(before, **loading), words.name if sets is None else sets)
