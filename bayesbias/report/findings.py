"""An analysis that shows itself by what it found, and can be drawn, reported and written up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from .._core.display import Sheet, Shown
from ..tables.wordlists import WordList, WordListLike, load_wordlist, wordlists
from ..workflows.wordlist import Analysis, SettingsKeywords, analyze_source
from .wording import CLOSING, distances, headline_rows
from .wording.distances import headline, measured_lines
from .wording.reference import place_sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from xarray import DataTree

    from ..embeddings.load import VectorsLike
    from .write_up import WriteUp


@dataclass(frozen=True, repr=False)
class Findings(Shown, Analysis):
    """What is known about one word list in one embedding; shows itself by its headline.

    It has all that `Analysis` has, such as ``table``, ``missing``, ``comparison`` and ``frames``.

    Parameters
    ----------
    call : str
        The call that makes the same findings, which the report shows.
    """

    call: str = "bb.analyze(...)"

    @property
    def posterior(self) -> DataTree:
        """The posterior of the model that leads: the last one asked for."""
        return self.lead.posterior

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the model that leads, as `bayesbias.contrasts` returns them."""
        return self.lead.contrasts

    def plot(self) -> Axes:
        """Draw the contrast that leads, overall and by group, over its reference lists."""
        from .. import plots
        from ..workflows.reference import band

        rows = headline_rows(distances.leading_contrast(self))
        if self.reference is not None:
            rows = band(self.reference, rows)
        first, second = distances.gap_pair(self)
        return plots.contrast_forest(rows, first=first, second=second, rope=self.settings.rope)

    def write_up(self) -> WriteUp:
        """Write a methods and a results paragraph of the run, with references."""
        from .write_up import write_up

        return write_up(self)

    def report(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the folder that `bayesbias run` writes, and return the path of its report.

        Parameters
        ----------
        path : str or path
            A folder; it is made if it is not there.
        force : bool
            Replace earlier results in it; files of others are left alone.

        Raises
        ------
        ValueError
            If the folder holds results already, and `force` is not given.
        """
        from ..workflows.output import REPORT, replace_results, require_place
        from .folder import write_list

        folder = Path(path)
        require_place(folder, force=force)
        with replace_results(folder, force=force) as stage:
            write_list(self, stage, self.call)
        return folder / REPORT

    def _sheet(self, *, roomy: bool) -> Sheet:
        title, *measured = measured_lines(self)
        lead = headline(self)
        note = [*measured, lead.about, *place_sentences(self), CLOSING]
        return Sheet(title, tuple((each.of, each.text) for each in lead.lines), note=" ".join(note))

    def __repr__(self) -> str:
        return str(self)


def analyze(
    vectors: VectorsLike,
    wordlist: WordListLike,
    *,
    name: str = "",
    **settings: Unpack[SettingsKeywords],
) -> Findings:
    """Measure a word list in an embedding, fit the models, and say what was found.

    Parameters
    ----------
    vectors : str, path, KeyedVectors, mapping, DataFrame or tuple
        As for `bayesbias.load_vectors`. Matched controls and reference lists are drawn from all
        words of it: give the name or the path of an embedding, or all of its vectors.
    wordlist : str, Path, mapping or WordList
        As for `bayesbias.load_wordlist`.
    name : str
        What the embedding is called; by default its name or path.
    **settings
        ``models``, names or paths, the last of which leads (by default crossed and maximal);
        ``matched`` and ``reference_lists``, how many control words for each stereotype and how
        many lists are drawn; ``ci_prob``, ``ci_kind`` and ``rope`` of the intervals; ``case``,
        ``strip_accents`` and ``allow_pickle`` of `bayesbias.load_vectors`; ``max_missing`` of
        `bayesbias.distance_table`; and the options of a fit, such as ``seed`` and ``draws``.

    Returns
    -------
    Findings
        Shows itself by its headline, and has ``table``, ``posterior``, ``contrasts``,
        ``plot()``, ``report(path)`` and ``write_up()``.

    Raises
    ------
    ValueError, FileNotFoundError
        As `bayesbias.load_wordlist` and `bayesbias.load_vectors`.
    TypeError
        If there is no such setting, or the list stands in the place of the vectors.

    Examples
    --------
    >>> import bayesbias as bb
    >>> found = bb.analyze("glove-demo", "religion", reference_lists=0, matched=0, seed=1)
    >>> len(found.table)
    4815
    """
    swapped = isinstance(vectors, str) and vectors in wordlists()
    if swapped or isinstance(vectors, Mapping | WordList):
        raise TypeError("vectors come first, then the list: analyze(vectors, wordlist)")
    loaded = load_wordlist(wordlist)
    found = analyze_source(vectors, loaded, settings, name=name)
    parts = {each.name: getattr(found, each.name) for each in fields(found)}
    return Findings(**parts, call=_call(vectors, wordlist, name, settings))


analyse = analyze  # the British spelling, an alias


def _call(
    vectors: object,
    wordlist: object,
    name: str,
    settings: SettingsKeywords,
) -> str:
    """Write the call that makes the same findings."""
    given = repr(str(vectors)) if isinstance(vectors, str | os.PathLike) else "vectors"
    of = repr(str(wordlist)) if isinstance(wordlist, str | Path) else "wordlist"
    named = {**({"name": name} if name else {}), **settings}
    return f"bb.analyze({', '.join([given, of, *(f'{k}={v!r}' for k, v in named.items())])})"
