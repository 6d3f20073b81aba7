"""Scores of sentence pairs under a language model, such as SSS, CPS, AUL, AULA, and PLL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import batched
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, check_numbers, counted
from .._core.display import abridged, progress_bar
from .._core.files import replace_file
from .._core.jobs import result_key
from .._core.reading import damage_named, read_json
from .._core.warnings import warn
from ..tables.schema import require_columns
from ..warnings import FirstTokens, LeftOut, NoAttention, UnknownTokens
from .alignment import Places, Tokens, align_pairs
from .datasets import PAIR_LABELS, ROLES, validate_pairs, warn_of_repeats
from .inference import NO_ATTENTION, Answers, Asked, ask, in_order
from .language_models import LanguageModel
from .measures import MEASURES, Measure, measures_for

SCORE_COLUMNS = ("model", "measure", *PAIR_LABELS, "role", "n_tokens", "n_scored", "score")
"""Columns of a frame of scores, which has one row per sentence and measure."""

SENTENCES_AT_ONCE = 128
"""Number of sentences that are scored together before the cache is written."""

DEFAULT_BATCH = 64
"""Number of masked sentences in a batch, enough for a CPU. On a GPU, use a few hundred."""


class _Task(NamedTuple):
    """A score to compute: its questions, and its key in the cache."""

    measure: Measure
    asked: list[Asked]
    key: str

    def score(self, answers: Answers) -> float:
        """Return the sentence's score from the log probabilities of the requested tokens."""
        log_probs, attention = answers
        values = np.array([log_probs[asked] for asked in self.asked])
        if self.measure.attention:
            values = values * [attention[ids][place] for ids, _, place in self.asked]
        return float(values.mean() if self.measure.averaged else values.sum())


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
        Names in ``MEASURES``; by default, all that fit the model except the ``-mean`` versions.
        ``aula`` is left out, with a warning, if the model does not return all attention.
    batch_size : int
        Maximum number of sentences in a batch. It affects speed; scores change only by rounding.
    cache : str or Path, optional
        A file that stores scores by model, sentence, and measure. A stopped run resumes from it.
    progressbar : bool
        Whether to show a progress bar on a terminal.

    Returns
    -------
    DataFrame
        The columns are ``SCORE_COLUMNS``; rows are grouped by measure. ``score`` is a sum of log
        probabilities, in nats. For sss, aul, aula, and measures ending in ``-mean``, it is a mean;
        aula multiplies each term by the token's attention. ``n_tokens`` counts the tokens that are
        not special, and ``n_scored`` those that are scored. SSS is undefined without a modified
        token, and CPS without a shared token. Undefined scores are left out; ``.attrs["unscored"]``
        and a warning list them. Other warnings count unknown tokens, and name pairs that differ in
        the first token if a causal model does not score it, because its tokenizer has no token that
        begins or ends texts.

    Raises
    ------
    ValueError
        If a sentence is too long for the model or contains a special token, if the sentences of a
        pair have the same tokens, if no pair has tokens for any measure, or if you ask for ``aula``
        under a model that does not return all attention.
    """
    known = "left_out" in getattr(pairs, "attrs", {})  # `read_pairs` warns
    pairs = validate_pairs(pairs)
    if not known:
        warn_of_repeats(pairs)
    names = _measures(model, measures)
    check_numbers(batch_size=batch_size)
    sentences = [tokens for both in align_pairs(pairs, model) for tokens in both]
    place = None if cache is None else Path(cache).expanduser()
    if place is not None and place.is_dir():
        raise ArgumentError(Argument("cache", str(cache)), " is a folder; pass the path of a file")
    identity = "" if place is None else model.content_hash  # reads all weights
    tasks = [_task(model, name, tokens, identity) for name in names for tokens in sentences]
    if not any(first.asked and second.asked for first, second in batched(tasks, 2)):
        raise ValueError(
            f"no pair can be scored by {' or '.join(names)}: "
            f"{'; '.join(map(_why_unscored, names))}. Use other measures"
        )
    scores = _scores(tasks, model, place, batch_size, shown=progressbar)
    sides = pairs.loc[pairs.index.repeat(2), list(PAIR_LABELS)]
    frame = pd.concat([sides] * len(names), ignore_index=True)
    frame.insert(0, "measure", np.repeat(names, len(sides)))
    frame.insert(0, "model", model.name)
    frame["role"] = list(ROLES) * (len(frame) // 2)
    frame["n_tokens"] = [len(tokens.scored) for tokens in sentences] * len(names)
    frame["n_scored"] = [len(task.asked) for task in tasks]
    frame["score"] = [scores.get(task.key, np.nan) for task in tasks]
    frame = _without_unscored(frame)
    warn_of_unknown(model, sentences, pairs["pair_id"])
    _warn_of_first(model, sentences, pairs["pair_id"])
    return frame


def warn_of_unknown(
    model: LanguageModel, sentences: Sequence[Tokens], pair_ids: Sequence[str] | pd.Series[str]
) -> None:
    """Warn of unknown tokens; `sentences` has equally many, in order, for each of `pair_ids`."""
    unknown = model.tokenizer.unk_token_id
    each = [sum(tokens.ids[place] == unknown for place in tokens.scored) for tokens in sentences]
    counts = np.array(each).reshape(len(pair_ids), -1).sum(axis=1)
    if counts.any():
        named = tuple(np.asarray(pair_ids)[counts > 0].tolist())
        warn(UnknownTokens(model.name, int(counts.sum()), named))


def _warn_of_first(
    model: LanguageModel, sentences: Sequence[Tokens], pair_ids: pd.Series[str]
) -> None:
    """Warn if a causal model does not score first tokens; name the pairs that differ there."""
    if model.kind != "causal" or not any(0 in tokens.scored for tokens in sentences):
        return
    differ = [any(0 in tokens.modified for tokens in both) for both in batched(sentences, 2)]
    warn(FirstTokens(model.name, sum(differ), len(differ), tuple(pair_ids[differ].tolist())))


def _why_unscored(name: str) -> str:
    return f"{name} scores only {MEASURES[name].tokens}"


def _measures(model: LanguageModel, asked: Sequence[str] | str | None) -> list[str]:
    """Return the measures to compute; AULA only if the model returns attention."""
    names = measures_for(model.kind, asked)
    weighted = [name for name in names if MEASURES[name].attention]
    if not weighted or model.gives_attention:
        return names
    if asked:
        raise ValueError(NO_ATTENTION.format(model=model.name))
    warn(NoAttention(model.name, tuple(weighted)))
    return [name for name in names if name not in weighted]


def _task(model: LanguageModel, name: str, tokens: Tokens, identity: str) -> _Task:
    needs = MEASURES[name].needs(tokens)
    asked = [(tokens.ids, masked, place) for masked, places in needs for place in places]
    settings = [name, identity, str(model.network.dtype), tokens.ids, needs]
    return _Task(MEASURES[name], asked, result_key(settings))


def _scores(
    tasks: Sequence[_Task],
    model: LanguageModel,
    cache: Path | None,
    batch_size: int,
    *,
    shown: bool,
) -> dict[str, float]:
    """Return the scores of all tasks that have questions, by key."""
    scores = {} if cache is None else _remembered(cache)
    todo: dict[Places, list[_Task]] = {}
    for task in tasks:
        if task.key not in scores and task.asked:
            todo.setdefault(task.asked[0][0], []).append(task)
    order, title = in_order(model, todo), f"scoring under {model.name}"
    with progress_bar(title, len(order), shown=None if shown else False) as update:
        for number, sentences in enumerate(batched(order, SENTENCES_AT_ONCE), 1):
            block = [task for ids in sentences for task in todo[ids]]
            weighed = {task.asked[0][0] for task in block if task.measure.attention}
            answers = ask(model, (one for task in block for one in task.asked), batch_size, weighed)
            scores |= {task.key: task.score(answers) for task in block}
            update(number * SENTENCES_AT_ONCE)
            if cache is not None:
                cache.parent.mkdir(parents=True, exist_ok=True)
                with replace_file(cache) as temporary:
                    temporary.write_text(json.dumps(scores), encoding="utf-8")
    return scores


def _remembered(cache: Path) -> dict[str, float]:
    """Return the scores in the cache, keyed by task, or nothing if there is no file yet."""
    what = "does not contain saved scores; delete it to compute them again"
    with damage_named(cache, what, errors=(ValueError,)):
        scores = read_json(cache) if cache.exists() else {}
        if not isinstance(scores, dict) or not all(type(one) is float for one in scores.values()):
            raise ValueError("it needs an object of numbers")
    return scores


def _without_unscored(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out rows without a score and list them in a warning; refuse scores that overflowed."""
    absent = frame["n_scored"] == 0
    odd = frame[~absent & ~np.isfinite(frame["score"])]
    if len(odd):
        row = odd.iloc[0]
        raise ValueError(
            f"{counted(len(odd), 'score is', 'scores are')} not finite; for example, "
            f"the {row['measure']} score of pair {row['pair_id']!r} is {row['score']}. Use float32 "
            "or bfloat16 instead of float16"
        )
    kept = frame[~absent].reset_index(drop=True)
    named = frame.loc[absent, ["measure", "pair_id", "role"]]
    kept.attrs["unscored"] = named.to_dict("records")
    for measure, rows in named.groupby("measure", sort=False):
        total, names = int((frame["measure"] == measure).sum()), tuple(rows["pair_id"].unique())
        why, about = _why_unscored(str(measure)), f"{measure} scores"
        warn(LeftOut(len(rows), total, "sentence", why, names, about=about))
    return kept


def paired_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the two scores of every pair side by side.

    Parameters
    ----------
    scores : DataFrame
        From `score_pairs`. Join the frames of several models with ``pd.concat``.

    Returns
    -------
    DataFrame
        The columns are ``model``, ``measure``, those of ``PAIR_LABELS``, ``stereotypical``,
        ``anti_stereotypical``, ``difference``, ``n_scored``, and ``token_difference``. The
        differences in scores and in numbers of tokens are stereotypical - anti_stereotypical.
        ``n_scored`` is the mean number of scored tokens. Pairs that lack a score are left out; a
        warning names them, unless ``scores.attrs["unscored"]`` does.
    """
    require_columns(scores, SCORE_COLUMNS)
    keys = ["model", "measure", *PAIR_LABELS]
    twice = scores[scores.duplicated([*keys, "role"])]
    if len(twice):
        row = twice.iloc[0]
        raise ValueError(
            f"the {row['measure']} score of pair {row['pair_id']!r} occurs twice for "
            f"{row['model']!r}; give each model a different name"
        )
    first, second = (scores[scores["role"] == role].set_index(keys) for role in ROLES)
    known = {(row["measure"], row["pair_id"]) for row in scores.attrs.get("unscored", ())}
    alone = first.index.symmetric_difference(second.index).to_frame()
    told = [both in known for both in zip(alone["measure"], alone["pair_id"], strict=True)]
    if len(alone := alone[~np.array(told, dtype=bool)]):
        why = "the other sentence of the pair has no score with the same labels"
        names = tuple(dict.fromkeys(alone["pair_id"].astype(str)))
        about = abridged([*dict.fromkeys(alone["model"].astype(str))])
        warn(LeftOut(len(alone), len(scores), "score", why, names, about=about))
    both = first.add_suffix("_1").join(second.add_suffix("_2"), how="inner")
    frame = both[["score_1", "score_2"]].set_axis(list(ROLES), axis=1)
    frame["difference"] = both["score_1"] - both["score_2"]
    frame["n_scored"] = (both["n_scored_1"] + both["n_scored_2"]) / 2
    frame["token_difference"] = both["n_tokens_1"] - both["n_tokens_2"]
    return frame.reset_index()
