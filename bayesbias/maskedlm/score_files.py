"""Scores read from files: folders of ``bayesbias mlm score``, and logs of other evaluations.

Nothing but the files is needed, so that models of any size, and behind an interface, can be
compared pair by pair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._core.checks import unknown_name
from .._core.reading import located, parse_json, read_json, read_text
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .datasets import DIRECTIONS, PAIR_LABELS, ROLES, word_contrast
from .pair_files import LABELS, bbq_places
from .pll import SCORE_COLUMNS
from .questions import MEASURES

SCORES = "scores.csv"
RECORD = "run.json"

KIND = "bayesbias mlm score"
"""What the record of a folder of scores calls itself."""

LOG_COLUMNS = ("model", "measure", *PAIR_LABELS, *ROLES, "difference")
"""Columns of every frame of logs; those of other numbers may follow."""

MOST_LOG_BYTES = 1 << 31
"""Bytes of one log that is read."""

_FIELDS: dict[str, type] = {
    **dict.fromkeys(("kind", "model", "model_hash", "dataset", "data_hash", "dtype"), str),
    "n_pairs": int,
    "unscored": list,
    "versions": dict,
}
"""What a record holds, and its types."""

_TEXTS = dict.fromkeys(("model", "measure", *PAIR_LABELS, "role"), str)

_CROWS = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")

Row = dict[str, Any]


def read_scored(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the scores of a folder and its record.

    A FileNotFoundError names a file that is missing, a ValueError one that is damaged.
    """
    for name in (SCORES, RECORD):
        if not (folder / name).is_file():
            raise FileNotFoundError(f"{folder} holds no {name}; give a folder that `{KIND}` wrote")
    record = read_json(folder / RECORD)
    if not isinstance(record, dict) or record.get("made_by") != KIND:
        raise ValueError(f"{folder / RECORD} is not of `{KIND}`")
    for name, kind in _FIELDS.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(
                f"{folder / RECORD} lacks {name!r}, or it is no {kind.__name__}; score the pairs "
                "again"
            )
    if not all(isinstance(row, dict) and "pair_id" in row for row in record["unscored"]):
        raise ValueError(f"{folder / RECORD}: 'unscored' is no list of pairs; score them again")
    path = folder / SCORES
    with located(path):
        scores = read_csv(path, dtype=_TEXTS, keep_default_na=False)
        require_columns(scores, SCORE_COLUMNS)
        if scores.empty:
            raise ValueError("there are no scores in it")
        known = {"role": ROLES, "measure": MEASURES, "model": (record["model"],)}
        for name, values in known.items():
            odd = scores.loc[~scores[name].isin(list(values)), name]
            if len(odd):
                raise ValueError(f"{name} {odd.iloc[0]!r:.60} is none of {', '.join(values)}")
        for name in ("n_tokens", "n_scored", "score"):
            _numbers(scores[name])
    return scores, record


def read_scores(
    path: str | Path | Sequence[str | Path], layout: str = "auto", *, model: str | None = None
) -> pd.DataFrame:
    """Read preferences between sentences from the logs of an evaluation, one model or several.

    Parameters
    ----------
    path : str, Path or sequence of them
        A log, or a folder of logs; folders are searched to any depth.
    layout : {"auto", "lm-eval", "inspect", "csv"}
        ``auto`` goes by the names of files, which end in ``.jsonl``, ``.json`` or ``.csv``, and
        takes the first layout that a folder has files of. ``lm-eval``: the files
        ``samples_crows_pairs_*.jsonl`` that lm-evaluation-harness writes with ``--log_samples``;
        both log-likelihoods of every pair are in them. ``inspect``: Inspect's logs in JSON
        (``inspect log convert --to json``) of the tasks stereoset and bbq of inspect_evals.
        ``csv``: a row a pair and model, with the columns ``model``, ``pair_id``,
        ``bias_type`` and either ``difference`` or both of ``stereotypical`` and
        ``anti_stereotypical``; ``measure``, ``direction``, ``cluster`` and ``token_difference`` are
        read if they are there.
    model : str, optional
        What to call the language model. By default the folder of a harness's file, which it names
        so, or the file if it has another name than the harness gives; and the model of Inspect's
        log; a CSV file names its own.

    Returns
    -------
    DataFrame
        Columns of ``LOG_COLUMNS``, as `fit_pairs` takes them, a row a pair and model. Answers to
        multiple choice, which have no scores, are differences of 1 and -1; answers that choose
        no sentence are left out, and counted in ``.attrs["left_out"]``.
        ``.attrs["logs"]`` has name, layout, models and SHA-256 of every file. Of BBQ the questions
        of ambiguous context are read, a pair being the two groups that it can be about; those whose
        stereotyped group the log does not name are left out too. Pairs of a harness's logs have a
        part of the SHA-256 of their sentences for an id.

    Raises
    ------
    ValueError
        If the layout is unknown, or a file is not of it.
    FileNotFoundError
        If there is no such file, or none of the layout in a folder.

    Examples
    --------
    >>> import bayesbias as bb
    >>> paired = bb.maskedlm.read_scores("results", "lm-eval")  # doctest: +SKIP
    >>> post = bb.maskedlm.fit_pairs(paired, seed=1)  # doctest: +SKIP
    >>> bb.maskedlm.model_contrasts(post)  # doctest: +SKIP
    """
    if layout not in {"auto", *LAYOUTS}:
        raise ValueError(unknown_name("layout of logs", layout, ["auto", *LAYOUTS]))
    places = [path] if isinstance(path, str | Path) else list(path)
    frames, logs = [], []
    for file, name in (pair for place in places for pair in _files(Path(place), layout)):
        try:
            with located(file):
                rows, left_out = LAYOUTS[name][1](file, model)
        except LookupError as error:
            raise ValueError(f"{file} is not a log in the layout {name!r}: {error!r}") from None
        frames.append(rows)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        models = [str(one) for one in rows["model"].unique()]
        log = {"log": str(file), "layout": name, "models": models, "data_hash": digest}
        logs.append(log | {"left_out": left_out})
    joined = pd.concat(frames, ignore_index=True)
    if joined.empty:
        raise ValueError("the logs hold no pair that one of the two sentences was preferred in")
    twice = joined.duplicated(["model", "measure", "pair_id"])
    if twice.any():
        row = joined[twice].iloc[0]
        raise ValueError(
            f"pair {row['pair_id']!r} is there twice under {row['model']!r}; give one run of each "
            "model, or each a name of its own with model="
        )
    joined.attrs = {"left_out": sum(log["left_out"] for log in logs), "logs": logs}
    return joined


def _files(path: Path, layout: str) -> list[tuple[Path, str]]:
    """Return the logs at a place, and the layout of each."""
    wanted = list(LAYOUTS) if layout == "auto" else [layout]
    if path.is_file():
        fitting = [name for name in wanted if Path(LAYOUTS[name][0]).suffix == path.suffix]
        if not fitting and layout == "auto":
            raise ValueError(
                f"{path}: logs end in .jsonl, .json or .csv; name the layout of another one"
            )
        return [(path, (fitting or [layout])[0])]
    if not path.is_dir():
        raise FileNotFoundError(f"no log at {path}")
    for name in wanted:
        files = sorted(path.rglob(LAYOUTS[name][0]))
        if files:
            return [(file, name) for file in files]
    patterns = " or ".join(LAYOUTS[name][0] for name in wanted)
    raise FileNotFoundError(f"{path} holds no file like {patterns}")


def _from_harness(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    """Read ``samples_crows_pairs_*.jsonl`` of lm-evaluation-harness."""
    named = model or (path.parent.name if path.match(LAYOUTS["lm-eval"][0]) else path.stem)
    lines = (line for line in read_text(path, MOST_LOG_BYTES).splitlines() if line.strip())
    rows = []
    for number, sample in enumerate(map(parse_json, lines)):
        doc, answers = sample["doc"], sample["filtered_resps"]
        if len(answers) != len(ROLES) or not all(name in doc for name in _CROWS):
            raise ValueError(f"row {number} is not of a task crows_pairs")
        # Each is (log-likelihood, whether greedy decoding gives the sentence), written as text.
        scores = [float(answer[0] if isinstance(answer, list) else answer) for answer in answers]
        first, second = str(doc["sent_more"]), str(doc["sent_less"])
        direction = doc["stereo_antistereo"]  # some copies of the data set number it
        labels = (
            hashlib.sha256(f"{first}\n{second}".encode()).hexdigest()[:12],
            str(doc["bias_type"]),
            DIRECTIONS[direction] if isinstance(direction, int) else str(direction),
            word_contrast(first, second),
        )
        rows.append((named, "log-likelihood", *labels, *scores, scores[0] - scores[1]))
    return pd.DataFrame(rows, columns=list(LOG_COLUMNS)), 0


def _from_inspect(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    """Read Inspect's log of stereoset or bbq; of several epochs the first."""
    log = parse_json(read_text(path, MOST_LOG_BYTES))
    task = str(log["eval"]["task"]).split("/")[-1]
    if task not in _TASKS:
        raise ValueError(f"the log is of the task {task!r}, and not of {' or '.join(_TASKS)}")
    samples = [s for s in log["samples"] or [] if s.get("epoch", 1) == 1 and s.get("scores")]
    asked = [(str(sample["id"]), row) for sample in samples for row in _TASKS[task](sample)]
    common = {"model": model or str(log["eval"]["model"]), "measure": "answer"}
    common["direction"] = DIRECTIONS[0]
    rows = [common | {"pair_id": name} | row for name, row in asked if row is not None]
    return pd.DataFrame(rows, columns=list(LOG_COLUMNS)), len(asked) - len(rows)


def _answer(sample: Mapping[str, Any], n_choices: int) -> int | None:
    """Place of the choice that was answered, or None if there was none."""
    for score in sample["scores"].values():
        letter = str(score.get("answer") or "").strip()[:1].upper()
        if letter and 0 <= ord(letter) - ord("A") < n_choices:
            return ord(letter) - ord("A")
    return None


def _stereoset_answer(sample: Mapping[str, Any]) -> Iterator[Row | None]:
    """Yield which sentence was chosen, or None for the unrelated one and for no answer."""
    about = sample["metadata"]
    chosen = _answer(sample, len(about["gold_labels"]))
    label = None if chosen is None else about["gold_labels"][chosen]
    labels = {"bias_type": str(about["bias_type"]), "cluster": str(about["target"])}
    difference = 1.0 if label == LABELS[0] else -1.0
    yield labels | {"difference": difference} if label in LABELS else None


def _bbq_answer(sample: Mapping[str, Any]) -> Iterator[Row | None]:
    """Yield which group an answer to an ambiguous question names; nothing for other questions."""
    about = sample["metadata"]
    if about["context_condition"] == "ambig":
        chosen, places = _answer(sample, len(about["answer_info"])), bbq_places(about)
        category = str(about["category"])
        labels = {"bias_type": category, "cluster": f"{category} {about['question_index']}"}
        known = places is not None and chosen in places
        difference = 1.0 if places is not None and chosen == places[0] else -1.0
        yield labels | {"difference": difference} if known else None


_TASKS: dict[str, Callable[[Mapping[str, Any]], Iterator[Row | None]]] = {
    "stereoset": _stereoset_answer,
    "bbq": _bbq_answer,
}


def _from_csv(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    frame = read_csv(path, dtype=_TEXTS, keep_default_na=False)
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
    return frame, 0


def _numbers(column: pd.Series[Any]) -> pd.Series[float]:
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = ~np.isfinite(numbers.to_numpy(dtype=float))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {row}: {column.name} must be a number; got {column.iloc[row]!r:.60}")
    return numbers


LAYOUTS: dict[str, tuple[str, Callable[[Path, str | None], tuple[pd.DataFrame, int]]]] = {
    "lm-eval": ("samples_crows_pairs_*.jsonl", _from_harness),
    "inspect": ("*.json", _from_inspect),
    "csv": ("*.csv", _from_csv),
}
"""Files of every layout in a folder, and their reader. Adding one is adding a line."""
