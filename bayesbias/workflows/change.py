"""The analysis of a change in one function: from two tables or embeddings to a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .. import comparison, debias
from .._core.random import as_seed_sequence
from .._core.substitutions import substitutions
from .._core.warnings import ignored, warn
from ..comparison.before_after import load_frequent, warn_if_only_listed_changed
from ..debias import DefiningSets, load_defining_sets
from ..embeddings.distances import missing_words, undersized_sets
from ..embeddings.formats.keyed import Vectors, forms_of_keys
from ..embeddings.load import VectorsLike
from ..model.defaults import RECOMMENDED
from ..model.spec import ModelSpec, load_model
from ..posterior.estimands import has_cells
from ..records.found import ChangeRecord, Frames
from ..records.naming import names_in, naming_of
from ..tables.spellings import KeyedVectors, first_spellings
from ..tables.wordlists import WordList, WordListLike, load_wordlist, refuse_lists
from ..warnings import MissingWords, SameSpellings, ThinSet
from .change_ends import Ends, as_end, read_ends, settled_recovery
from .frames import CHANGE_READINGS, change_frames, pairing_text, question_of, words_by_set
from .model_texts import run_fields
from .reference import scored_list
from .results import Fitted, ModelResult, Tell, fit_models, noticed, quietly, written_call
from .ruler import landmark_rows, of_same_measure
from .settings import ChangeSettings, require_names, settings_of

if TYPE_CHECKING:
    from .._core.warnings import BayesbiasWarning


@dataclass(frozen=True, eq=False, repr=False)
class ChangeAnalysis(Fitted):
    """All results about the change between two tables, displayed as a headline.

    The frames of the record `found` are attributes: ``table_before`` and ``table_after``, the
    distances; ``pairs`` and ``unpaired``, their rows with and without a partner; ``bands`` from
    `comparison.band_shares`; ``scores`` from `scores_before_after`, or from `mac_before_after` if
    there are no vectors; ``remains`` from `bias_before_after`, if bias was searched for; and
    ``words``, the words of each set of a list.
    `results` are keyed by model name; the last model is the main one.
    """

    found: ChangeRecord
    results: Mapping[str, ModelResult]
    settings: ChangeSettings
    wordlist: WordList | None = None
    call: str = "bb.analyze_change(...)"

    @property
    def contrasts(self) -> pd.DataFrame:
        """Contrasts under the main model, as `bayesbias.contrasts` returns them."""
        return self.lead["contrasts"]

    @property
    def changes(self) -> pd.DataFrame:
        """How far each kind of attribute moved, as returned by `bayesbias.comparison.changes`."""
        return self.lead["changes"]


def analyze_change(
    before: pd.DataFrame | VectorsLike,
    after: pd.DataFrame | VectorsLike,
    wordlist: WordListLike | None = None,
    *,
    sets: str | Path | DefiningSets | None = None,
    recover: str | Path | DefiningSets | None = None,
    tell: Tell | None = None,
    **settings: Any,  # noqa: ANN401
) -> ChangeAnalysis:
    """Model and describe how a word list's distances change between two embeddings.

    Parameters
    ----------
    before, after : str, path, KeyedVectors, mapping, DataFrame, or tuple
        Vectors in any form that `bayesbias.load_vectors` accepts, or two long-form tables. `after`
        may also be the name of a debiasing method, such as ``"hard"``, to apply to `before`.
    wordlist : str, Path, mapping, or WordList, optional
        Required for vectors.
    sets : str, Path, or DefiningSets, optional
        Defining sets for a debiasing method; by default, those with the same name as the list.
    recover : str, Path, or DefiningSets, optional
        Defining sets whose bias the analysis tries to recover before and after the change; by
        default, those with the same name as the list, if there are any.
    tell : callable, optional
        A function that is called before each step, with a description of the step.
    **settings
        ``models`` for changes (the last is the main one); ``names`` for `before` and `after`;
        ``ci_prob``, ``ci_kind``, and ``rope``; ``case`` and ``allow_pickle``, as in `load_vectors`;
        ``matched``, the number of control words to draw for each stereotype, so that distances are
        at equal frequency; ``recover_words``; ``drop_duplicates``; and fit options, such as
        ``seed``.

    Returns
    -------
    ChangeAnalysis
        The results, displayed as a headline, with ``changes``, ``contrasts``, ``scores``,
        ``plot()``, ``report(path)``, and ``write_up()``.

    Examples
    --------
    >>> import bayesbias as bb
    >>> change = bb.analyze_change("glove-demo", "hard", "gender", seed=1)
    >>> overall = change.changes.query("level == 'overall'").set_index("connection")
    >>> overall[["mean", "low", "high", "p_moved"]].round(2)
                mean   low  high  p_moved
    connection
    associated  0.01 -0.00  0.03     0.26
    different  -0.03 -0.04 -0.01     0.78
    neutral    -0.00 -0.01  0.01     0.00
    human      -0.00 -0.01  0.01     0.01
    matched    -0.00 -0.01  0.00     0.00
    """
    refuse_lists("analyze_change(before, after, wordlist)", before, after)
    before, after = as_end(before), as_end(after)
    known = settings_of(ChangeSettings, settings)
    words = None if wordlist is None else load_wordlist(wordlist)
    recover = settled_recovery(before, after, words, known, sets=sets, recover=recover)
    with noticed() as read:
        ends = read_ends(before, after, words, sets, known)
    known = replace(known, names=ends.names, progressbar=known.progressbar and tell is None)
    tell = tell or quietly
    with noticed() as notices:
        thin = _thin_sets(ends, words, known)
        specs = [load_model(model, "change") for model in known.models]
        require_names("models", [spec.name for spec in specs])
        seeds = as_seed_sequence(known.seed).spawn(len(specs))
        given: dict[str, Any] = {"drop_duplicates": known.drop_duplicates}
        fit = partial(comparison.fit_change, ends.before, ends.after, **given)
        fits = {
            spec.name: partial(fit, spec, options=known.of_fit(seed=seed))
            for spec, seed in zip(specs, seeds, strict=True)
        }
        results = fit_models(fits, CHANGE_READINGS, known, tell)
        tell("computing scores and what can be recovered")
        pairs = comparison.pair(ends.before, ends.after)
        compared = {
            "bands": comparison.band_shares(ends.before, ends.after),
            "scores": _scores(ends, words, known),
            "words": _listed(ends),
            "thin": thin,
            "remains": _remains(ends, recover, known),
        }
    tell("measuring landmarks")
    frames = change_frames(results, ends.before, ends.after, pairs) | compared
    lead = results[specs[-1].name]
    frames["landmarks"] = of_same_measure(_ruler(ends, known, specs[-1]), [lead["contrasts"]])
    method = str(after) if ends.held and str(after) in debias.DEBIASING_METHODS else ""
    record = _record(frames, words, results, known, notices=[*read, *notices], method=method)
    call = written_call(
        "bb.analyze_change", {"before": before, "after": after, "wordlist": wordlist}, settings
    )
    return ChangeAnalysis(record, results, known, words, call)


def _thin_sets(ends: Ends, words: WordList | None, known: ChangeSettings) -> pd.DataFrame:
    """Return sets with few words at both ends; warn about them, and about missing words.

    Also warn if only the listed words have changed.
    """
    if words is None or not ends.held:
        return pd.DataFrame()
    lost, thin = missing_words(ends.held[0], words), undersized_sets(_at_both(*ends.held), words)
    if some := lost["word"][lost["role"] != "control"].unique().tolist():
        why = "they are not in the embedding before the change"
        warn(MissingWords(len(some), len(words.words), "word", why, tuple(some)))
    for name, found, n in zip(thin["set"], thin["found"], thin["words"], strict=True):
        warn(ThinSet(name, int(found), int(n)))
    (first, second), pickle = ends.sources, known.allow_pickle
    warn_if_only_listed_changed(first, second, words.words, allow_pickle=pickle)
    return thin


def _at_both(before: KeyedVectors, after: KeyedVectors) -> KeyedVectors:
    """Return the vectors before the change of the words that both embeddings have."""
    rows = [row for row, word in enumerate(before.index_to_key) if word in after]
    if not rows:  # pairing the distances says so
        return before
    kept, forms = [before.index_to_key[row] for row in rows], forms_of_keys(before)
    return Vectors(kept, before.vectors[rows], [forms[row] for row in rows]).keyed()


def _listed(ends: Ends) -> pd.DataFrame:
    """Return the words of each set, with those that the embedding before lacks in brackets."""
    if ends.wordlist is None:
        return pd.DataFrame()
    return words_by_set(ends.wordlist, missing_words(ends.held[0], ends.wordlist))


def _scores(ends: Ends, words: WordList | None, known: ChangeSettings) -> pd.DataFrame:
    """Compute scores of the words that count in both embeddings; for tables, only MAC."""
    some = None
    if words is not None and ends.held:
        first, second = ends.held
        spelled, other = (first_spellings(held, words.words) for held in ends.held)
        some = scored_list(words, {word for word in spelled if spelled[word] == other.get(word)})
    if some is None:  # fewer than two groups have stereotypes, or there are no vectors
        return comparison.mac_before_after(ends.before, ends.after)
    with ignored(SameSpellings):  # which the distances have named
        return comparison.scores_before_after(first, second, some, ci_prob=known.ci_prob, seed=0)


def _remains(
    ends: Ends, recover: str | Path | DefiningSets | None, known: ChangeSettings
) -> pd.DataFrame:
    """Check which bias can be recovered."""
    if recover is None:
        return pd.DataFrame()
    lists = load_defining_sets(recover)
    loading: dict[str, Any] = {"allow_pickle": known.allow_pickle, "progressbar": False}
    with substitutions():  # keeps the words of defining sets apart from those of the list
        first, second = (load_frequent(source, lists, **loading) for source in ends.sources)
        n_words = known.recover_words
        return comparison.bias_before_after(first, second, lists, n_words=n_words, seed=1)


def _ruler(ends: Ends, known: ChangeSettings, lead: ModelSpec) -> pd.DataFrame:
    """Return the landmarks before the change, by a model that has the estimand of the main one."""
    if not ends.held:
        return pd.DataFrame()
    spec = load_model(RECOMMENDED["distance"] if has_cells(lead) else "crossed")
    return landmark_rows(ends.held[0], ends.pools, spec, known, known.matched)


def _record(
    frames: Frames,
    words: WordList | None,
    results: Mapping[str, ModelResult],
    known: ChangeSettings,
    *,
    notices: list[BayesbiasWarning],
    method: str,
) -> ChangeRecord:
    """Return what was found, as data."""
    lead, table = [*results.values()][-1], frames["table_before"]
    hashes = {"pairs": lead.posterior.attrs["table_hash"]}
    assert known.names is not None
    arguments = {**known.recorded, "models": [*results]}
    return ChangeRecord(
        **run_fields(results, known, notices, hashes, arguments=arguments),
        frames=frames,
        rope=float(lead["changes"].attrs["rope"]),
        name=words.name if words else "",
        title=words.title.partition(":")[0] if words else "",
        before=known.names[0],
        after=known.names[1],
        method=method,
        naming=(naming_of(words) if words else names_in(table)).of(table),
        question=question_of(frames["word_pairs"], lead["contrasts"]),
        pairing=pairing_text(lead.posterior.attrs),
    )
