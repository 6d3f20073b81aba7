"""Scores from files: folders that ``bayesbias mlm score`` wrote, and logs of other evaluations.

Only files are needed, so you can compare models of any size, including models behind an API.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import Argument, ArgumentError, check_choice
from .._core.display import abridged
from .._core.reading import located, parts_of, read_json
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .bbq import Targets, read_targets
from .bbq_answers import BbqAnswer, bbq_table
from .datasets import ROLES, refuse_rows
from .log_files import LAYOUTS, RECORD, SCORE_TABLE, logs_at, places_of
from .logs import (
    ANSWERS,
    Content,
    Read,
    completed,
    said,
    unrepeated,
    warn_of,
)
from .pll import SCORE_COLUMNS, paired_scores
from .score_tables import LOG_COLUMNS, TEXTS

SCORES = SCORE_TABLE

KIND = "bayesbias mlm score"
"""The value of ``made_by`` in the record of a folder of scores."""

_FIELDS: dict[str, type] = {
    **dict.fromkeys(("kind", "model", "model_hash", "dataset", "data_hash"), str),
    "unscored": list,
}
"""Fields of a record that reports use, with their types."""


def hash_of(path: Path) -> str:
    """Return the SHA-256 of a file and, if it is in an archive, of its name there."""
    archive, member = parts_of(path.expanduser())
    return hashlib.sha256(archive.read_bytes() + member.encode()).hexdigest()


def read_scored(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the scores and the record in a folder.

    A missing file raises FileNotFoundError; a damaged file raises ValueError.
    """
    path, place = folder / SCORES, folder / RECORD
    if not path.is_file() or not place.is_file():
        raise FileNotFoundError(
            f"{folder} must contain {SCORES} and {RECORD}; pass a folder that `{KIND}` wrote"
        )
    record = read_json(place)
    if not isinstance(record, dict) or record.get("made_by") != KIND:
        raise ValueError(f"{place} was not written by `{KIND}`")
    lacking = [name for name, kind in _FIELDS.items() if not isinstance(record.get(name), kind)]
    if lacking or not all(isinstance(row, dict) and "pair_id" in row for row in record["unscored"]):
        raise ValueError(
            f"{place} has missing or invalid fields: {', '.join(lacking) or 'unscored'}; score "
            "the pairs again"
        )
    digest = hash_of(path)
    if record.get("scores_hash", digest) != digest:  # early records have no hash
        raise ValueError(
            f"{path} is not as `{KIND}` wrote it, so scores may be missing or wrong; copy the "
            "whole folder, or run the command again with --force, which uses remembered scores"
        )
    with located(path):
        scores = read_csv(path, dtype=TEXTS, keep_default_na=False)
        require_columns(scores, SCORE_COLUMNS)
        if scores.empty:
            raise ValueError("the file has no scores")
        numbers = scores[["n_tokens", "n_scored", "score"]].apply(pd.to_numeric, errors="coerce")
        refuse_rows(
            scores,
            {
                f"needs the role {' or '.join(ROLES)}": ~scores["role"].isin(ROLES),
                f"is not of the model {record['model']!r:.60}": scores["model"] != record["model"],
                "needs finite numbers": ~np.isfinite(numbers).all(axis=1),
            },
        )
    scores.attrs["unscored"] = record["unscored"]  # `score_pairs` has told of these
    return scores, record


def read_scores(
    path: str | Path | Sequence[str | Path],
    layout: str = "auto",
    *,
    model: str | None = None,
    metadata: str | Path | None = None,
) -> pd.DataFrame:
    """Read language models' preferences between sentences from folders of scores or from logs.

    Parameters
    ----------
    path : str, Path, or sequence of them
        Folders that ``bayesbias mlm score`` wrote for the same data, or logs of other evaluations.
        Folders of logs are searched recursively, except for hidden files and tables of reports.
    layout : {"auto", "lm-eval", "inspect", "csv"}
        ``lm-eval``: files that lm-evaluation-harness writes with ``--log_samples``, for the tasks
        crows_pairs, bbq, and winogender. ``inspect``: Inspect's ``.eval`` files or logs in JSON,
        for the tasks stereoset and bbq of inspect_evals. ``csv``: a table with one row per pair
        and model. It has the columns ``model``, ``pair_id``, ``bias_type``, and ``difference``, or
        ``stereotypical`` and ``anti_stereotypical`` instead of the last; ``measure``,
        ``direction``, ``cluster``, and ``token_difference`` are optional. ``auto``: the content of
        the files decides.
    model : str, optional
        The name of the language model. By default, it comes from Inspect's log or the CSV file. For
        a harness file, it is the folder's name, or a part of the file's name in old layouts. An
        archive counts as a folder.
    metadata : str or Path, optional
        For BBQ, the authors' ``additional_metadata.csv``, which names the stereotyped answer of
        each question (``target_loc``). By default, the tags of the answers decide.

    Returns
    -------
    DataFrame
        The columns include ``LOG_COLUMNS``; each pair has one row per model and measure.
        Answers without scores have a ``difference`` of 1 (stereotypical) or -1. In BBQ, a pair
        consists of the two groups in an ambiguous question; `bbq_scores` also uses the other
        questions. In Winogender, a pair consists of the same sentence with the pronoun of the
        occupation's more frequent gender and of the other gender, and a score is the log-odds that
        the pronoun refers to the occupation. ``.attrs["left_out"]`` counts samples that are left
        out, and ``.attrs["logs"]`` has the path, layout, models, SHA-256, and the reasons for each
        log, or the records of the folders. Pairs of CrowS-Pairs are identified by SHA-256.
    """
    check_choice("layout of logs", layout, ["auto", *LAYOUTS])
    places = places_of(path)
    of_scores = [any((place / name).is_file() for name in (SCORES, RECORD)) for place in places]
    answers: list[BbqAnswer] = []
    if any(of_scores):
        for name, value in (("layout", layout), ("metadata", metadata)):
            if value not in {None, "auto"}:
                raise ArgumentError(Argument(name), " is for logs, not for folders of scores")
        if not all(of_scores):
            raise ValueError("pass only logs, or only folders of scores for the same pairs")
        read = _read_folders(places, model)
    else:
        read, answers = _read_logs(places, layout, model, metadata)
        if metadata is not None and not answers:
            raise ArgumentError(
                Argument("metadata"), f" is for BBQ, and {places[0]} has no answers to it"
            )
        read[0][1]["bbq"] = bbq_table(answers).to_dict("records") if answers else []
    logs = [log for _, log in read]
    joined = pd.concat([frame for frame, _ in read if len(frame)] or [read[0][0]])
    left_out = sum((Counter(log.get("left_out", {})) for log in logs), Counter[str]())
    if joined.empty:
        why = f"left out {said(left_out)}" if left_out else "there are no samples"
        if answers and not left_out:
            why = "all questions are disambiguated; use bbq_scores"
        raise ValueError(f"no pair in {places[0]} has a preferred sentence: {why}")
    twice = joined.duplicated(["model", "measure", "pair_id"])
    if twice.any():
        row = joined[twice].iloc[0]
        raise ValueError(
            f"pair {row['pair_id']!r:.60} occurs twice for {row['model']!r:.60} in {places[0]}; "
            "keep one row, pass one run of each model or runs with different names, and give each "
            "pair its own pair_id in all files"
        )
    joined = joined.reset_index(drop=True)
    joined.attrs = {"left_out": left_out.total(), "logs": logs}
    return joined


def bbq_scores(
    path: str | Path | Sequence[str | Path],
    layout: str = "auto",
    *,
    model: str | None = None,
    metadata: str | Path | None = None,
) -> pd.DataFrame:
    r"""Compute BBQ's accuracies and bias scores by model and category, as its authors define them.

    Of the answers that name a group, let `b` be the share that is stereotypical. In disambiguated
    and ambiguous contexts,

        s_DIS = 2 b - 1        s_AMB = (1 - accuracy) (2 b - 1)

    Parameters
    ----------
    path, layout, model, metadata
        As in `read_scores`; logs of BBQ in the layouts ``lm-eval`` or ``inspect``.

    Returns
    -------
    DataFrame
        The columns are ``model``, ``bias_type`` (``all`` for all categories together),
        ``n_unclear``, and, for ``ambig`` and ``disambig``, ``n_``, ``accuracy_``, and ``s_``, which
        is in [-1, 1]; positive values mean stereotypical answers. Questions without a clear
        stereotyped group count only toward the accuracy. A score is NaN if no answer names a group,
        except that ``s_ambig`` is 0 if all answers are correctly *unknown*.

    References
    ----------
    Parrish et al. (2022), BBQ: A hand-built bias benchmark for question answering, ACL Findings.
    """
    check_choice("layout of logs", layout, ["auto", *LAYOUTS])
    _, answers = _read_logs(places_of(path), layout, model, metadata)
    if not answers:
        raise ValueError(f"{path} has no answers to BBQ; pass logs of a bbq task")
    return bbq_table(answers)


def _read_logs(
    places: Sequence[Path], layout: str, model: str | None, metadata: str | Path | None
) -> tuple[list[Read], list[BbqAnswer]]:
    """Return the rows and the record of each log, and the answers to BBQ in all logs."""
    targets = None if metadata is None else read_targets(metadata)
    files = [both for place in places for both in logs_at(place, layout)]
    read = unrepeated([_read_log(file, name, targets) for file, name in files])
    return _renamed(read, [answer for _, log in read for answer in log.pop("answers")], model)


def _renamed(
    read: list[Read], answers: list[BbqAnswer], model: str | None
) -> tuple[list[Read], list[BbqAnswer]]:
    """Give the model in logs another name; raise an ArgumentError if there are several models."""
    if model is None:
        return read, answers
    names = dict.fromkeys(str(name) for frame, _ in read for name in frame["model"].unique())
    names |= dict.fromkeys(answer.model for answer in answers)
    if not isinstance(model, str) or not model.strip():
        raise ArgumentError(Argument("model"), f" must be a name; got {model!r}")
    if len(names) > 1:
        text = f" is one name, but the logs have the models {abridged([*names])}; leave it out, or "
        text += "read each model by itself and join the frames with pd.concat"
        raise ArgumentError(Argument("model", model), text)
    read = [(frame.assign(model=model), log | {"models": [model]}) for frame, log in read]
    return read, [answer._replace(model=model) for answer in answers]


def _read_folders(folders: Sequence[Path], model: str | None) -> list[Read]:
    """Return the scores of each folder, side by side, and its record."""
    read = []
    for folder in folders:
        scores, record = read_scored(folder)
        with located(folder / SCORES):
            read.append((paired_scores(scores), record))
    if len({(record["dataset"], record["data_hash"]) for _, record in read}) > 1:
        raise ValueError("pass only logs, or only folders of scores for the same pairs")
    if len({record["metadata_hash"] for _, record in read if "metadata_hash" in record}) > 1:
        raise ValueError(
            "the folders were scored with different metadata, which decide the stereotyped answers "
            f"of BBQ; run `{KIND}` with the same --metadata for all of them"
        )
    return _renamed(read, [], model)[0]


def _read_log(file: Path, layout: str, targets: Targets | None) -> Read:
    """Read a log of another evaluation and describe it."""
    content = Content(targets)
    with located(file):
        LAYOUTS[layout].read(file, content)
        frame = completed(content.rows, LOG_COLUMNS)
    models = [str(name) for name in frame["model"].unique()]
    faults = Counter({why: n for why, n in content.left_out.items() if why not in ANSWERS})
    warn_of(faults + content.unanswered, file)
    log = {"log": str(file), "layout": layout, "models": models, "data_hash": hash_of(file)}
    return frame, log | {"left_out": dict(content.left_out), "answers": content.answers}
