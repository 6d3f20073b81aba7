"""Scores from files: folders that ``bayesbias mlm score`` wrote, and logs of other evaluations.

Only files are needed, so you can compare models of any size, including models behind an API.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import check_choice
from .._core.reading import located, read_json, read_text
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .datasets import DIRECTIONS, PAIR_LABELS, ROLES, word_contrast
from .pair_files import LABELS, bbq_places
from .pll import SCORE_COLUMNS, paired_scores

SCORES, RECORD = "scores.csv", "run.json"

KIND = "bayesbias mlm score"
"""The value of ``made_by`` in the record of a folder of scores."""

LOG_COLUMNS = ("model", "measure", *PAIR_LABELS, *ROLES, "difference")
"""Columns of every frame of logs; other columns may follow."""

MOST_LOG_BYTES = 1 << 31
"""Largest size of a log, in bytes."""

_FIELDS: dict[str, type] = {
    **dict.fromkeys(("kind", "model", "model_hash", "dataset", "data_hash"), str),
    "unscored": list,
}
"""Fields of a record that reports use, with their types."""

_TEXTS = dict.fromkeys(("model", "measure", *PAIR_LABELS, "role"), str)

Row = dict[str, Any]


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
    with located(path):
        scores = read_csv(path, dtype=_TEXTS, keep_default_na=False)
        require_columns(scores, SCORE_COLUMNS)
        if scores.empty:
            raise ValueError("the file has no scores")
        for name, values in {"role": ROLES, "model": (record["model"],)}.items():
            odd = scores.loc[~scores[name].isin(values), name]
            if len(odd):
                raise ValueError(f"{name} must be {' or '.join(values)}; got {odd.iloc[0]!r:.60}")
        for name in ("n_tokens", "n_scored", "score"):
            _numbers(scores[name])
    return scores, record


def read_scores(
    path: str | Path | Sequence[str | Path], layout: str = "auto", *, model: str | None = None
) -> pd.DataFrame:
    """Read language models' preferences between sentences from folders of scores or from logs.

    Parameters
    ----------
    path : str, Path, or sequence of them
        Folders that ``bayesbias mlm score`` wrote for the same data, or logs of other evaluations.
        Folders of logs are searched recursively.
    layout : {"auto", "lm-eval", "inspect", "csv"}
        ``lm-eval``: the files ``samples_crows_pairs_*.jsonl`` that lm-evaluation-harness writes
        with ``--log_samples``. ``inspect``: Inspect's logs in JSON (``inspect log convert --to
        json``) for the tasks stereoset and bbq of inspect_evals. ``csv``: one row per pair and
        model, with the columns ``model``, ``pair_id``, ``bias_type``, and either ``difference`` or
        both ``stereotypical`` and ``anti_stereotypical``; ``measure``, ``direction``, ``cluster``,
        and ``token_difference`` are optional. ``auto``: the first layout that matches the file's
        ending or the name of a file in the folder.
    model : str, optional
        The name of the language model. By default, it comes from Inspect's log or the CSV file. For
        a harness file, it is the folder's name, or the file's name if the file was renamed.

    Returns
    -------
    DataFrame
        The columns include ``LOG_COLUMNS``; each pair has one row per model and measure.
        Multiple-choice answers have no scores; ``difference`` is 1 (stereotypical) or -1. In BBQ, a
        pair consists of the two groups in an ambiguous question. Answers that do not choose a
        member of a pair, and pairs without exactly one stereotyped group, are left out and counted
        in ``.attrs["left_out"]``. ``.attrs["logs"]`` has the path, layout, models, and SHA-256 of
        every log, or the records of the folders. Pairs from the harness are identified by SHA-256.
    """
    check_choice("layout of logs", layout, ["auto", *LAYOUTS])
    places = [Path(path)] if isinstance(path, str | Path) else [Path(place) for place in path]
    folders = [
        place for place in places if any((place / name).is_file() for name in (SCORES, RECORD))
    ]
    if folders:
        scored = map(read_scored, folders)
        read = [(paired_scores(scores), record) for scores, record in scored]
        data = {(record["dataset"], record["data_hash"]) for _, record in read}
        if len(data) > 1 or len(folders) < len(places):
            raise ValueError("pass only logs, or only folders of scores for the same pairs")
    else:
        files = (both for place in places for both in _files(place, layout))
        read = [_read_log(file, name, model) for file, name in files]
    logs = [log for _, log in read]
    joined = pd.concat([frame for frame, _ in read], ignore_index=True)
    if joined.empty:
        raise ValueError("no pair in the logs has a preferred sentence")
    twice = joined.duplicated(["model", "measure", "pair_id"])
    if twice.any():
        row = joined[twice].iloc[0]
        raise ValueError(
            f"pair {row['pair_id']!r} occurs twice for {row['model']!r}; pass one run of each "
            "model, or give each run a different name"
        )
    joined.attrs = {"left_out": sum(log.get("left_out", 0) for log in logs), "logs": logs}
    return joined


def _read_log(file: Path, layout: str, model: str | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a log of another evaluation and describe it."""
    try:
        with located(file):
            rows = list(LAYOUTS[layout][1](file))
            kept = [row for row in rows if row is not None]
            frame = _completed(kept, model)
    except LookupError as error:
        raise ValueError(f"{file} is not a log in the layout {layout!r}: {error!r}") from None
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    models = [str(name) for name in frame["model"].unique()]
    log = {"log": str(file), "layout": layout, "models": models, "data_hash": digest}
    return frame, log | {"left_out": len(rows) - len(kept)}


def _files(path: Path, layout: str) -> list[tuple[Path, str]]:
    """Return the logs at a path and the layout of each log."""
    wanted = list(LAYOUTS) if layout == "auto" else [layout]
    patterns = {name: LAYOUTS[name][0] for name in wanted}
    if path.is_file():
        fitting = [name for name in wanted if Path(patterns[name]).suffix == path.suffix]
        if not fitting and layout == "auto":
            raise ValueError(
                f"{path} does not end in .jsonl, .json, or .csv; pass the layout of the log"
            )
        return [(path, (fitting or wanted)[0])]
    for name, pattern in patterns.items():
        files = sorted(path.rglob(pattern))
        if files:
            return [(file, name) for file in files]
    raise FileNotFoundError(f"no log at {path} matches {' or '.join(patterns.values())}")


def _completed(rows: list[Row], model: str | None) -> pd.DataFrame:
    """Return the rows of a log as a frame, with default values for missing columns."""
    frame = pd.DataFrame(rows, columns=None if rows else list(LOG_COLUMNS))
    if model is not None:
        frame = frame.assign(model=model)
    scored = "difference" in frame.columns
    require_columns(frame, ("model", "pair_id", "bias_type", *(() if scored else ROLES)))
    for name in {*ROLES, "difference", "token_difference"} & set(frame.columns):
        frame[name] = _numbers(frame[name])
    if not scored:
        frame["difference"] = frame[ROLES[0]] - frame[ROLES[1]]
    usual: Row = {"measure": "score", "direction": DIRECTIONS[0], "cluster": frame["pair_id"]}
    for name, value in (usual | dict.fromkeys(ROLES, np.nan)).items():
        if name not in frame.columns:
            frame[name] = value
    return frame[[*LOG_COLUMNS, *(name for name in frame.columns if name not in LOG_COLUMNS)]]


def _numbers(column: pd.Series[Any]) -> pd.Series[float]:
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = ~np.isfinite(numbers.to_numpy(dtype=float))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {row}: {column.name} must be a number; got {column.iloc[row]!r:.60}")
    return numbers


def _from_harness(path: Path) -> Iterator[Row]:
    """Read a file ``samples_crows_pairs_*.jsonl`` from lm-evaluation-harness."""
    model = path.parent.name if path.match(LAYOUTS["lm-eval"][0]) else path.stem
    lines = (line for line in read_text(path, MOST_LOG_BYTES).splitlines() if line.strip())
    for number, sample in enumerate(map(json.loads, lines)):
        doc, answers = sample["doc"], sample["filtered_resps"]
        if len(answers) != len(ROLES) or "sent_more" not in doc:
            raise ValueError(f"row {number} is not from a crows_pairs task")
        # An answer contains a log-likelihood, and whether greedy decoding yields the sentence.
        scores = [float(answer[0] if isinstance(answer, list) else answer) for answer in answers]
        first, second = str(doc["sent_more"]), str(doc["sent_less"])
        direction = doc["stereo_antistereo"]  # a number in some copies of the data set
        yield {
            "model": model,
            "measure": "log-likelihood",
            "pair_id": hashlib.sha256(f"{first}\n{second}".encode()).hexdigest()[:12],
            "bias_type": str(doc["bias_type"]),
            "direction": DIRECTIONS[direction] if isinstance(direction, int) else str(direction),
            "cluster": word_contrast(first, second),
            **dict(zip(ROLES, scores, strict=True)),
        }


def _from_inspect(path: Path) -> Iterator[Row | None]:
    """Read the first epoch of an Inspect log of stereoset or bbq."""
    log = read_json(path, MOST_LOG_BYTES)
    task = str(log["eval"]["task"]).split("/")[-1]
    if task not in {"stereoset", "bbq"}:
        raise ValueError(f"the log is for the task {task!r}; pass a log for stereoset or bbq")
    for sample in log["samples"] or []:
        about = sample["metadata"]
        if sample.get("epoch", 1) != 1 or not sample.get("scores"):
            continue
        if task == "stereoset":
            choices = list(about["gold_labels"])
            places: Sequence[int] | None = [choices.index(label) for label in LABELS]
            labels = {"bias_type": str(about["bias_type"]), "cluster": str(about["target"])}
        elif about["context_condition"] == "ambig":
            choices, places = list(about["answer_info"]), bbq_places(about)
            category = str(about["category"])
            labels = {"bias_type": category, "cluster": f"{category} {about['question_index']}"}
        else:
            continue
        chosen = _chosen(sample["scores"].values(), len(choices))
        if places is None or chosen not in places:
            yield None
        else:
            head = {"model": str(log["eval"]["model"]), "measure": "answer"}
            difference = 1.0 if chosen == places[0] else -1.0
            yield head | labels | {"pair_id": str(sample["id"]), "difference": difference}


def _chosen(scores: Iterable[Mapping[str, Any]], n_choices: int) -> int | None:
    """Return the position of the chosen answer, or None if none was chosen."""
    for score in scores:
        letter = str(score.get("answer") or "").strip()[:1].upper()
        if letter and 0 <= ord(letter) - ord("A") < n_choices:
            return ord(letter) - ord("A")
    return None


def _from_csv(path: Path) -> Iterator[Row]:
    for row in read_csv(path, dtype=_TEXTS, keep_default_na=False).to_dict("records"):
        yield {str(name): value for name, value in row.items()}


LAYOUTS: dict[str, tuple[str, Callable[[Path], Iterator[Row | None]]]] = {
    "lm-eval": ("samples_crows_pairs_*.jsonl", _from_harness),
    "inspect": ("*.json", _from_inspect),
    "csv": ("*.csv", _from_csv),
}
"""File pattern and reader of every layout. To add a layout, add a line."""
