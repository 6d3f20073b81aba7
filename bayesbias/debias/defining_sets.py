"""Lists for debiasing: defining sets, equalize sets, and words that are not neutralized."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

from .._core.checks import Argument, ArgumentError, check_choice, check_path
from .._core.display import abridged
from .._core.reading import located, read_toml
from .._core.resources import bundled_names, toml_path
from .._core.substitutions import note_substitution
from .._core.warnings import warn
from ..tables.spellings import CASES, forms_of
from ..warnings import LeftOut

Words = tuple[str, ...]

type SetsLike = str | Path | Mapping[str, Any] | DefiningSets
"""Input of `load_defining_sets`: the name of a bundled list, a TOML file, a dict, or such sets."""

FOLDER = "wordlists/defining"

TUPLES = ("defining", "equalize")
WORDS = ("classes", "specific", "targets", "representation")


@dataclass(frozen=True)
class DefiningSets:
    """The lists of words that debiasing methods use.

    Parameters
    ----------
    defining : sequence of tuples of str
        Pairs or longer tuples with one word per class, always in the same order (for example,
        ``[("she", "he"), ("woman", "man")]``). Differences within tuples define the bias subspace.
    equalize : sequence of tuples of str
        Pairs or longer tuples of words that hard debiasing makes equally distant from every neutral
        word. Each word can be in only one tuple.
    specific : sequence of str
        Words whose meaning belongs to one class; they are not neutralized. You do not need to
        include the words of the defining and equalize sets.
    targets : sequence of str
        Words whose bias is of interest, such as professions; debiasing treats them like any others.
    classes : sequence of str, optional
        Names of the classes, one for each position in a defining tuple.
    representation : tuple of str, optional
        The defining tuple that `double_hard` uses to find words that lean toward a class. The
        default is the first tuple whose words are all in the embedding.
    case : {"fallback", "exact", "lower"}
        How words are looked up; see `in_case`.
    name, title, reference, license, note : str
        Description of the list, its source, and its limitations.
    """

    defining: tuple[Words, ...] = ()
    equalize: tuple[Words, ...] = ()
    specific: Words = ()
    targets: Words = ()
    classes: Words = ()
    representation: Words = ()
    case: str = "fallback"
    name: str = "custom"
    title: str = ""
    reference: str = ""
    license: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for key in (*TUPLES, *WORDS):
            object.__setattr__(self, key, _words(key, getattr(self, key), key in TUPLES))
        if not self.defining:
            raise ValueError("defining must contain at least one pair of words")
        names = self.classes or tuple(f"class {n}" for n in range(1, self.n_classes + 1))
        object.__setattr__(self, "classes", names)
        if len({*names}) < len(names):
            raise ValueError(f"classes must have different names; got {list(names)}")
        check_choice("case", self.case, CASES)
        if self.representation and self.representation not in self.defining:
            given = list(self.representation)
            raise ValueError(f"representation must be one of the defining tuples; got {given}")
        if odd := [members for members in self.defining if len(members) != len(names)]:
            raise ValueError(
                f"every defining tuple needs one word for each of the {len(names)} classes, in "
                f"the same order; got {list(odd[0])}"
            )
        shared = [word for word, count in Counter(chain(*self.equalize)).items() if count > 1]
        if shared:
            raise ValueError(
                f"several equalize sets contain {abridged(shared)}, so their conditions would "
                "contradict each other; keep each word in only one set"
            )

    @property
    def n_classes(self) -> int:
        """Number of words in each defining tuple."""
        return len(self.defining[0])

    @property
    def kept(self) -> frozenset[str]:
        """All words that are not neutralized."""
        return frozenset(chain(self.specific, *self.defining, *self.equalize))

    @property
    def groups(self) -> dict[str, Words]:
        """Defining words, keyed by class, without repeats."""
        columns = (tuple(dict.fromkeys(words)) for words in zip(*self.defining, strict=True))
        return dict(zip(self.classes, columns, strict=True))

    @property
    def forms(self) -> frozenset[str]:
        """The spellings under which the words of `kept` are looked up."""
        return frozenset(form for word in self.kept for form in forms_of(word, self.case))

    def in_case(self, case: str, there: Container[str]) -> DefiningSets:
        """Spell words as an embedding does (for example, ``mary`` instead of ``Mary``).

        The ``case`` is ``exact``, ``lower``, or ``fallback``, which uses the lowercase form if it
        is the only one that ``there`` contains. Repeated tuples are dropped. If equalize
        sets then share a word, only the first set is kept, and a set whose words become one word is
        left out, with a warning if a set is not a repetition. Raise a ValueError if the words of a
        defining set become one word.
        """

        def form(word: str) -> str:
            found = next((one for one in forms_of(word, case) if one in there), None)
            if found is None:
                return word.lower() if case == "lower" else word
            note_substitution(word, found)
            return found

        changed: dict[str, Any] = {
            key: tuple(dict.fromkeys(map(form, getattr(self, key))))
            for key in ("specific", "targets", "representation")
        }
        defining, equalize = (
            [tuple(map(form, members)) for members in getattr(self, key)] for key in TUPLES
        )
        for members, found in zip(self.defining, defining, strict=True):
            if len({*found}) < len(found):
                pairs = zip(members, found, strict=True)
                read = ", ".join(
                    f"{one} is read as {other}" for one, other in pairs if one != other
                )
                raise ArgumentError(
                    f"the words of the defining set {list(members)} are not different in the "
                    f"embedding: {read}. Leave the set out, or look up words with ",
                    Argument("case", "exact"),
                )
        kept = _distinct(equalize)
        if lost := tuple("/".join(found) for found in dict.fromkeys(equalize) if found not in kept):
            why = "some of their words are read as one word, or are in an earlier set"
            warn(LeftOut(len(lost), len(equalize), "equalize set", why, lost))
        changed |= {"defining": tuple(dict.fromkeys(defining)), "equalize": kept}
        return replace(self, case=case, **changed)


def defining_sets() -> list[str]:
    """Return the names of the bundled lists for debiasing."""
    return bundled_names(FOLDER, ".toml")


def load_defining_sets(source: SetsLike) -> DefiningSets:
    """Load a list for debiasing from its bundled name, a TOML file, or an equivalent dict.

    `defining_sets()` lists the names. A `DefiningSets` is returned unchanged.
    """
    if isinstance(source, DefiningSets):
        return source
    if isinstance(source, Mapping):
        known = [field.name for field in fields(DefiningSets)]
        for key in source:
            check_choice("key", key, known)
        return DefiningSets(**source)
    check_path(
        "a list for debiasing", source, "a name, a path, or bb.debias.DefiningSets([('she', 'he')])"
    )
    path = toml_path(source, FOLDER, "list for debiasing")
    with located(path):
        return load_defining_sets({"name": path.stem, **read_toml(path)})


def _distinct(tuples: Iterable[Words]) -> tuple[Words, ...]:
    """Drop tuples with repeated words and tuples that share a word with an earlier one."""
    kept: list[Words] = []
    for members in tuples:
        if len(set(members)) == len(members) and not set(members) & {*chain(*kept)}:
            kept.append(members)
    return tuple(kept)


def _words(key: str, given: object, of_tuples: bool) -> tuple[Any, ...]:
    """Check a list of words, or a list of pairs or longer tuples of different words."""
    what = "pairs of words" if of_tuples else "words"
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ValueError(f"{key} must be a list of {what}; got {given!r}")
    if of_tuples:
        tuples = tuple(_words(f"every item of {key}", members, False) for members in given)
        if bad := [words for words in tuples if len(words) < 2 or len(set(words)) < len(words)]:
            raise ValueError(
                f"{key} must contain pairs or longer tuples of different words; got {list(bad[0])}"
            )
        return tuples
    if blank := [word for word in given if not isinstance(word, str) or not word.strip()]:
        raise ValueError(f"{key} must contain only words; got {blank[0]!r}")
    return tuple(given)
