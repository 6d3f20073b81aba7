"""Scores of sentence pairs under a language model: SSS, CPS, AUL, AULA, PLL and their like."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.files import replace_file
from .._core.jobs import result_key
from .._core.progress import progress_bar
from .._core.reading import read_json
from ..tables.schema import require_columns
from .alignment import Aligned, Spans, Tokens, align_pairs
from .datasets import PAIR_LABELS, ROLES, validate_pairs
from .inference import ask
from .language_models import LanguageModel
from .questions import MEASURES, Masks, Measure, Questions, measures_for

SCORE_COLUMNS = ("model", "measure", *PAIR_LABELS, "role", "n_tokens", "n_scored", "score")
"""Columns of a frame of scores; one row a sentence and measure."""

SENTENCES_AT_ONCE = 128
"""Sentences whose questions are asked together, and whose scores are then remembered."""

DEFAULT_BATCH = 64
"""Masked sentences in a batch. More gain nothing on a processor; on a GPU take some hundreds."""


@dataclass(frozen=True)
class _Task:
    """One score to find: a sentence, the measure, and under which key the score is remembered."""

    tokens: Tokens
    spans: Spans
    measure: Measure
    key: str

    @property
    def needs(self) -> list[tuple[Masks, Masks]]:
        """What the measure asks about the sentence."""
        return self.measure.needs(self.tokens, self.spans)


def score_pairs(
    pairs: pd.DataFrame,
    model: LanguageModel,
    measures: Sequence[str] | str | None = None,
    *,
    batch_size: int = DEFAULT_BATCH,
    cache: str | Path | None = None,
    progressbar: bool = True,
) -> pd.DataFrame:
    """Score both sentences of every pair under a language model.

    Parameters
    ----------
    pairs : DataFrame
        From `read_pairs`.
    model : LanguageModel
        From `load_language_model`.
    measures : sequence of str, optional
        Names in ``MEASURES``; by default the usual ones that the model allows, which are all but
        pll-mean, pll-modified and log-likelihood-mean.
    batch_size : int
        Masked sentences in a batch. It changes how fast scores come, not what they are.
    cache : str or Path, optional
        A file that remembers scores by the content of model, sentence and measure; a run that was
        stopped goes on from it, and what is there already is not asked again.
    progressbar : bool
        Shown on a terminal.

    Returns
    -------
    DataFrame
        Columns of ``SCORE_COLUMNS``, measure by measure. ``score`` in nats: sums of log
        probabilities, means for sss, aul and those called so, weighted means for aula;
        ``n_tokens`` counts the sentence's tokens, ``n_scored`` those that the score is of. SSS has
        no value for a sentence without a modified token (the other one only inserts), nor CPS for
        one that shares none: such rows are absent, named in ``.attrs["unscored"]`` and by a
        warning. ``.attrs["unknown"]`` counts the tokens that the tokenizer does not know.

    Raises
    ------
    ValueError
        If pairs, measures or batch_size are not valid, a sentence is longer than the model reads,
        or the sentences of a pair do not align.

    Warns
    -----
    UserWarning
        If scores do not exist, or the tokenizer does not know a token.
    """
    pairs = validate_pairs(pairs)
    names = measures_for(model.kind, measures)
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise ValueError(f"batch_size must be a whole number from 1 on; got {batch_size!r}")
    aligned = align_pairs(pairs, model)
    tasks = _tasks(aligned, model, names)
    place = None if cache is None else Path(cache)
    scores = _scores(tasks, model, place, batch_size, shown=progressbar)
    sides = pairs.loc[pairs.index.repeat(2), list(PAIR_LABELS)]
    frame = pd.concat([sides] * len(names), ignore_index=True)
    frame.insert(0, "measure", np.repeat(names, len(sides)))
    frame.insert(0, "model", model.name)
    frame["role"] = list(ROLES) * (len(frame) // 2)
    frame["n_tokens"] = [len(task.tokens.scored) for task in tasks]
    frame["n_scored"] = [sum(len(asked) for _, asked in task.needs) for task in tasks]
    frame["score"] = [scores.get(task.key, np.nan) for task in tasks]
    frame = _without_unscored(frame)
    frame.attrs["unknown"] = _unknown_tokens(pairs, aligned, model)
    return frame


def _unknown_tokens(pairs: pd.DataFrame, aligned: Sequence[Aligned], model: LanguageModel) -> int:
    """Count the tokens of all sentences that a tokenizer does not know, and warn if there are."""
    unknown = model.tokenizer.unk_token_id
    counts = [
        sum(tokens.ids[place] == unknown for tokens, _ in pair for place in tokens.scored)
        for pair in aligned
    ]
    found = [str(pair_id) for pair_id, n in zip(pairs["pair_id"], counts, strict=True) if n]
    if found:
        warnings.warn(
            f"{sum(counts)} token(s) of {len(found)} pair(s) are unknown to {model.name}, and are "
            f"scored as such, first of {', '.join(found[:3])}; leave the pairs out, or take a "
            "model that knows their words",
            stacklevel=3,
        )
    return sum(counts)


def _tasks(aligned: Sequence[Aligned], model: LanguageModel, names: list[str]) -> list[_Task]:
    """Return the scores to find, measure by measure, pair by pair, in the order of roles."""
    numbers = str(model.network.dtype)
    tasks = []
    for name in names:
        for pair in aligned:
            for tokens, spans in pair:
                needed = (spans.modified, spans.shared) if MEASURES[name].paired else ()
                words = tokens.words if name == "pll-word-l2r" else ()
                settings = [name, model.content_hash, numbers, tokens.ids, needed, words]
                tasks.append(_Task(tokens, spans, MEASURES[name], result_key(settings)))
    return tasks


def _scores(
    tasks: Sequence[_Task],
    model: LanguageModel,
    cache: Path | None,
    batch_size: int,
    *,
    shown: bool,
) -> dict[str, float]:
    """Scores by key; tasks that no question can answer have none."""
    scores = _remembered(cache)
    todo: dict[tuple[int, ...], list[_Task]] = {}
    for task in tasks:
        if task.key not in scores:
            todo.setdefault(task.tokens.ids, []).append(task)
    order = sorted(todo, key=len)
    total = sum(len(task.needs) for task in tasks if task.key not in scores)
    bar = progress_bar(f"scoring under {model.name}", total, shown=None if shown else False)
    done = 0
    with bar as update:
        for start in range(0, len(order), SENTENCES_AT_ONCE):
            block = [task for ids in order[start : start + SENTENCES_AT_ONCE] for task in todo[ids]]
            found = _ask_block(block, model, batch_size)
            done += sum(len(task.needs) for task in block)
            update(done)
            scores.update(found)
            if cache is not None:
                with replace_file(cache) as temporary:
                    temporary.write_text(json.dumps(scores), encoding="utf-8")
    return scores


def _remembered(cache: Path | None) -> dict[str, float]:
    """Return the scores of an earlier run by key; a ValueError says that a file holds none."""
    if cache is None:
        return {}
    if not cache.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {cache.parent} to keep scores in")
    if not cache.exists():
        return {}
    scores = read_json(cache)
    if not isinstance(scores, dict) or not all(isinstance(one, float) for one in scores.values()):
        raise ValueError(f"{cache} holds no scores by key; give cache another path")
    return scores


def _ask_block(block: Sequence[_Task], model: LanguageModel, batch_size: int) -> dict[str, float]:
    questions, asked = Questions(), [task for task in block if task.needs]
    for task in asked:
        questions.add(task.tokens, task.spans, task.measure)
    answers = ask(model, questions, batch_size)
    return {task.key: answers.score(task.tokens, task.spans, task.measure) for task in asked}


def _without_unscored(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave the rows without a score out, and say so; a ValueError for scores that overflowed."""
    absent = frame["score"].isna() & (frame["n_scored"] == 0)
    odd = frame[~absent & ~np.isfinite(frame["score"])]
    if len(odd):
        row = odd.iloc[0]
        raise ValueError(
            f"{len(odd)} score(s) are not finite, first {row['measure']} of pair "
            f"{row['pair_id']!r}: {row['score']}; with dtype float16 use float32 or bfloat16"
        )
    kept = frame[~absent].reset_index(drop=True)
    named = frame.loc[absent, ["measure", "pair_id", "role"]]
    kept.attrs["unscored"] = named.to_dict("records")
    for measure, rows in named.groupby("measure", sort=False):
        warnings.warn(
            f"{len(rows)} sentence(s) have no {measure} score, since no token is of the kind that "
            "it is made of (shared or modified; the other sentence may only add words): pairs "
            f"{', '.join(dict.fromkeys(rows['pair_id']))}",
            stacklevel=3,
        )
    return kept


def paired_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the two scores of every pair side by side.

    Parameters
    ----------
    scores : DataFrame
        From `score_pairs`; frames of several models may be put together with ``pd.concat``.

    Returns
    -------
    DataFrame
        ``model``, ``measure``, those of ``PAIR_LABELS``, ``stereotypical``,
        ``anti_stereotypical``, ``difference`` = stereotypical - anti_stereotypical,
        ``n_scored``, the mean number of tokens that the two scores are of, and
        ``token_difference``, the tokens of the stereotypical sentence less those of the other.
        Pairs of which one score does not exist are left out.

    Raises
    ------
    ValueError
        If a column is missing or a score is there twice.
    """
    require_columns(scores, SCORE_COLUMNS)
    keys = ["model", "measure", *PAIR_LABELS]
    numbers = ["score", "n_scored", "n_tokens"]
    if scores.duplicated([*keys, "role"]).any():
        row = scores[scores.duplicated([*keys, "role"])].iloc[0]
        raise ValueError(
            f"the {row['measure']} score of pair {row['pair_id']!r} under {row['model']!r} is "
            "there twice; give each model a name of its own"
        )
    sides = [
        scores[scores["role"] == role].set_index(keys)[numbers].add_suffix(f"_{role}")
        for role in ROLES
    ]
    both = sides[0].join(sides[1], how="inner")
    frame = both[[f"score_{role}" for role in ROLES]].set_axis(list(ROLES), axis=1)
    frame["difference"] = frame[ROLES[0]] - frame[ROLES[1]]
    frame["n_scored"] = both[[f"n_scored_{role}" for role in ROLES]].mean(axis=1)
    frame["token_difference"] = both[f"n_tokens_{ROLES[0]}"] - both[f"n_tokens_{ROLES[1]}"]
    return frame.reset_index()
