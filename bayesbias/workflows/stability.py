"""Repeat scores and fits with fewer words or pairs, to see how much depends on the choice.

Subsets are drawn without replacement, so they vary less than other words of the same kind would: a
mean of a share f of n values has the variance (1 - f) s² / (f n), where s² is their variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng

from .._core.arrays import IntArray
from .._core.checks import check_numbers
from .._core.display import progress_bar
from .._core.intervals import check_probability
from .._core.random import Seed, as_seed_sequence
from .._core.warnings import warn
from ..embeddings.distances import distance_table
from ..embeddings.load import VectorsLike, load_vectors
from ..maskedlm.fitting import DEFAULT_MODEL, fit_pairs
from ..maskedlm.pair_summaries import pair_summary
from ..maskedlm.preferences import one_measure, preferences
from ..model.defaults import RECOMMENDED
from ..posterior.contrasts import contrasts
from ..sampling.fit import fit
from ..scores.list_rows import Mask, list_rows, selections
from ..scores.registry import SCORES, Scores, chosen_scores
from ..tables.descriptives import default_rows
from ..tables.wordlists import WordList, WordListLike, load_wordlist
from ..warnings import LeftOut

POSTERIOR = "posterior"
"""Name of the measure that is fitted: a default row of a list, or the share of pairs."""

FITTING: dict[str, Any] = {"draws": 250, "chains": 2, "progressbar": False}
"""Options of fits; only posterior means are used."""

FEWEST = 2
"""Smallest number of words or pairs that a subset keeps of each set."""

type Block = Mapping[str, IntArray]
"""Sets from which the same places are drawn, with the place of each of their words or pairs."""

type Kept = Mapping[str, Mask]
"""Whether a subset has each word or pair of each set."""

type Values = dict[tuple[str, tuple[str, ...]], float]
"""Values keyed by measure and by the groups or the language model; without names, by all."""


def stability(
    source: VectorsLike | pd.DataFrame,
    wordlist: WordListLike | None = None,
    *,
    shares: float | Sequence[float] = (0.5, 0.75),
    n_subsets: int = 20,
    scores: Scores | None = None,
    model: str = "",
    seed: Seed = None,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Compute scores and posterior means for random subsets of a list's words, or of pairs.

    Parameters
    ----------
    source : KeyedVectors, path, or DataFrame
        An embedding; without a list, sentence pairs that were scored by one measure.
    wordlist : WordList, optional
        The list, for an embedding.
    shares : float or sequence of float
        Shares of the words of every group and set, or of the pairs of every bias type, in (0, 1).
        At least two of each are kept, and all controls. Groups of equal size keep words in the same
        positions, so those that lack different words keep only about the same share.
    n_subsets : int
        Number of subsets for each share.
    scores : iterable of str, or mapping of str to ListScore, optional
        Scores of lists, as in `score_table`.
    model : str
        Model of distances or of preferences; the recommended one if omitted.
    seed : int, SeedSequence, Generator, or None
        Seed for the subsets and the fits.
    progressbar : bool
        Show a progress bar in terminals and notebooks.

    Returns
    -------
    DataFrame
        One row per ``share``, ``measure``, and ``of`` (groups, or the language model). Measures are
        scores, or the ``share`` of stereotypical preferences; and ``posterior``, the posterior mean
        of a default row of `contrasts`, or of that share. ``whole`` is the value for all words or
        pairs. ``mean``, ``sd``, ``lowest``, and ``highest`` describe the subsets, and ``same_side``
        is their share on the same side of no bias. Subsets for which a measure is undefined do not
        count, such as the posterior if all pairs are preferred; ``n`` is the number of the others.
        Scores that are undefined for the whole list have no row.

    Examples
    --------
    >>> frame = bb.stability(vectors, "religion", shares=[0.5], n_subsets=4, scores=["mac"], seed=1)
    >>> frame[["measure", "of", "whole", "lowest", "highest", "same_side"]].round(2)
         measure                      of  whole  lowest  highest  same_side
    0        mac  jew, christian, muslim   0.90    0.88     0.96       1.00
    1  posterior                     all  -0.04   -0.06    -0.04       1.00
    2  posterior                     jew   0.03   -0.03     0.06       0.25
    3  posterior               christian   0.01   -0.04     0.09       0.75
    4  posterior                  muslim  -0.15   -0.24    -0.13       1.00
    """
    check_numbers(n_subsets=n_subsets)
    given = [*shares] if isinstance(shares, Iterable) else [shares]
    each = [check_probability(share, "shares") for share in given]
    sequence = as_seed_sequence(seed)
    drawing, fitting = sequence.spawn(2)
    if wordlist is None:
        sample = _pairs(cast("pd.DataFrame", source), model, fitting)
    else:
        sample = _list(source, load_wordlist(wordlist), scores, model, fitting)
    rng, whole, rows = default_rng(drawing), sample.values(sample.whole), []
    drawn = [sample.subset(share, rng) for share in each for _ in range(n_subsets)]
    of_subsets = list[Values]()
    with progress_bar("subsets", len(drawn), shown=None if progressbar else False) as update:
        for kept in drawn:
            of_subsets.append(sample.values(kept))
            update(len(of_subsets))
    for place, share in enumerate(each):
        found = of_subsets[place * n_subsets : (place + 1) * n_subsets]
        for (measure, of), value in whole.items():
            values = [subset[measure, of] for subset in found if (measure, of) in subset]
            no_bias = sample.no_bias[measure]
            described = _described(np.array(values), value, no_bias)
            rows.append((share, measure, ", ".join(of) or "all", value, *described))
    columns = ["share", "measure", "of", "whole"]
    columns += ["mean", "sd", "lowest", "highest", "same_side", "n"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs = {"seed": sequence.entropy, "n_subsets": n_subsets}
    return frame


def _described(values: np.ndarray, whole: float, no_bias: float) -> tuple[float, ...]:
    if not len(values):
        return *(np.nan,) * 5, 0
    same = (values > no_bias) == (whole > no_bias)
    return values.mean(), values.std(), values.min(), values.max(), same.mean(), len(values)


@dataclass(frozen=True)
class _Sample:
    """What subsets are drawn from, how they are measured, and each measure's value without bias."""

    blocks: Sequence[Block]
    values: Callable[[Kept], Values]
    no_bias: Mapping[str, float]

    @property
    def whole(self) -> Kept:
        """All words or pairs."""
        return {
            name: np.ones(len(own), dtype=bool)
            for block in self.blocks
            for name, own in block.items()
        }

    def subset(self, share: float, rng: Generator) -> Kept:
        """Draw a share of the places of each block without replacement."""
        kept: dict[str, Mask] = {}
        for block in self.blocks:
            places = np.unique(np.concatenate([*block.values()]))
            n = max(min(FEWEST, len(places)), round(share * len(places)))
            drawn = rng.choice(places, n, replace=False)
            while any(_lacks(own, drawn) for own in block.values()):
                drawn = np.append(drawn, rng.choice(np.setdiff1d(places, drawn)))
            kept |= {name: np.isin(own, drawn) for name, own in block.items()}
        return kept


def _lacks(own: IntArray, drawn: IntArray) -> bool:
    """Return whether fewer words or pairs of a set are drawn than must be kept."""
    return int(np.isin(own, drawn).sum()) < min(FEWEST, len(own))


def _list(
    vectors: VectorsLike, wordlist: WordList, scores: Scores | None, model: str, seed: SeedSequence
) -> _Sample:
    """Return the words of a list; words in the same position of groups stay together."""
    specs = chosen_scores(SCORES if scores is None else scores)
    read = load_vectors(vectors, wordlist)
    rows, _ = list_rows(read, wordlist)

    def values(kept: Kept) -> Values:
        protected = [kept[_of_group(group)] for group in rows.groups]
        stereotypes = [kept[_of_stereotypes(group)] for group in rows.groups]
        subset = rows.kept(protected, stereotypes)
        found: Values = {}
        for name, spec in specs.items():
            for places in selections(subset, spec.scope):
                of = subset.of_groups(places)
                with suppress(ValueError):  # the score is undefined for these words
                    found[name, of.groups] = spec.value(of)
        table = distance_table(read, replace(wordlist, **subset.words))
        post = fit(table, model or RECOMMENDED["distance"], seed=seed, **FITTING)
        for row in default_rows(contrasts(post)).to_dict("records"):
            group = str(row["protected_group"])
            found[POSTERIOR, (group,) if group else ()] = float(row["mean"])
        return found

    by_size: dict[int, dict[str, IntArray]] = {}
    for group, listed, places in zip(rows.groups, rows.listed, rows.found_places, strict=True):
        by_size.setdefault(len(listed), {})[_of_group(group)] = places
    sets = zip(rows.groups, rows.stereotypes, strict=True)
    others = [{_of_stereotypes(group): np.arange(len(own))} for group, own in sets]
    no_bias = {name: spec.no_bias for name, spec in specs.items()} | {POSTERIOR: 0.0}
    return _Sample([*by_size.values(), *others], values, no_bias)


def _of_group(group: str) -> str:
    return f"group {group}"


def _of_stereotypes(group: str) -> str:
    return f"stereotypes of {group}"


def _pairs(paired: pd.DataFrame, model: str, seed: SeedSequence) -> _Sample:
    """Return the pairs of each bias type that all language models have scored."""
    chosen = one_measure(paired, None)
    if n := preferences(chosen).n_left_out:
        total = chosen["pair_id"].nunique()
        warn(LeftOut(n, total, "pair", "they lack scores of some models"))
        n_models = chosen.groupby("pair_id")["model"].transform("nunique")
        chosen = chosen[n_models == chosen["model"].nunique()]
    pairs = chosen.drop_duplicates("pair_id").groupby("bias_type")["pair_id"]
    sets = {str(name): own.to_numpy() for name, own in pairs}

    def values(kept: Kept) -> Values:
        ids = np.concatenate([own[kept[name]] for name, own in sets.items()])
        part = chosen[chosen["pair_id"].isin(ids)]
        preferred = (0.5 + 0.5 * np.sign(part["difference"])).groupby(part["model"]).mean()
        found: Values = {("share", (str(name),)): float(share) for name, share in preferred.items()}
        is_whole = all(mask.all() for mask in kept.values())
        if not is_whole and not _can_be_fitted(part):
            return found
        post = fit_pairs(part, model=model or DEFAULT_MODEL, seed=seed, **FITTING)
        frame = pair_summary(post)
        frame = frame[(frame["level"] == "overall") & (frame["quantity"] == "p_stereotypical")]
        of_models = zip(frame["model"], frame["mean"], strict=True)
        found |= {(POSTERIOR, (str(name),)): float(mean) for name, mean in of_models}
        return found

    blocks = [{name: np.arange(len(own))} for name, own in sets.items()]
    return _Sample(blocks, values, {"share": 0.5, POSTERIOR: 0.5})


def _can_be_fitted(paired: pd.DataFrame) -> bool:
    """Return whether the preferences of all models, and all sums of them, differ between pairs.

    Otherwise, `fit_pairs` refuses them.
    """
    y = preferences(paired).y
    return bool(np.linalg.matrix_rank(y - y.mean(axis=0)) == y.shape[1])
