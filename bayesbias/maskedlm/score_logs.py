"""Logs of other people's evaluations, read as preferences between sentences.

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
from .._core.reading import located, parse_json, read_text
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .datasets import DIRECTIONS, PAIR_LABELS, ROLES, word_contrast
from .pair_files import LABELS, bbq_places

LOG_COLUMNS = ("model", "measure", *PAIR_LABELS, *ROLES, "difference")
"""Columns of every frame of logs; those of other numbers may follow."""

MOST_LOG_BYTES = 1 << 31
"""Bytes of one log that is read."""

_CROWS = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")

_PREFIX = "crows_pairs_"
"""How lm-evaluation-harness calls its tasks; their files are ``samples_TASK_DATE.jsonl``."""

Row = dict[str, Any]


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
        neither sentence are left out, and counted in ``.attrs["left_out"]``.
        ``.attrs["logs"]`` has name, layout, models and SHA-256 of every file. Of BBQ the questions
        of ambiguous context are read, a pair being the two groups that it can be about; those of
        which the log does not tell the stereotyped group are left out too. Pairs of a harness's
        logs have a part of the SHA-256 of their sentences for an id.

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
    named = [path] if isinstance(path, str | Path) else list(path)
    frames, logs = [], []
    for file, found in (each for one in named for each in _files(Path(one), layout)):
        try:
            rows, without = LAYOUTS[found][1](file, model)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{file} is not a log in the layout {found!r}: {error!r}") from None
        except ValueError as error:
            raise ValueError(located(file, error)) from None
        frames.append(rows)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        models = [str(name) for name in rows["model"].unique()]
        logs.append(
            {
                "log": str(file),
                "layout": found,
                "models": models,
                "data_hash": digest,
                "left_out": without,
            }
        )
    return _joined(frames, logs)


def _files(path: Path, layout: str) -> list[tuple[Path, str]]:
    """Return the logs at a place, and the layout of each."""
    wanted = LAYOUTS if layout == "auto" else [layout]
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
        found = sorted(path.rglob(LAYOUTS[name][0]))
        if found:
            return [(file, name) for file in found]
    patterns = " or ".join(LAYOUTS[name][0] for name in wanted)
    raise FileNotFoundError(f"{path} holds no file like {patterns}")


def _joined(frames: Sequence[pd.DataFrame], logs: list[dict[str, Any]]) -> pd.DataFrame:
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


def _from_harness(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    """Read ``samples_crows_pairs_*.jsonl`` of lm-evaluation-harness."""
    named = model or (path.parent.name if path.match(LAYOUTS["lm-eval"][0]) else path.stem)
    rows = []
    for number, sample in enumerate(_lines(path)):
        doc, answers = sample["doc"], sample["filtered_resps"]
        if len(answers) != len(ROLES) or not all(name in doc for name in _CROWS):
            raise ValueError(f"row {number} is not of a task crows_pairs")
        # Each is (log-likelihood, whether greedy decoding gives the sentence), written as text.
        scores = [float(answer[0] if isinstance(answer, list) else answer) for answer in answers]
        first, second = str(doc["sent_more"]), str(doc["sent_less"])
        rows.append(
            {
                "model": named,
                "measure": "log-likelihood",
                "pair_id": hashlib.sha256(f"{first}\n{second}".encode()).hexdigest()[:12],
                "bias_type": str(doc["bias_type"]),
                "direction": _direction(doc["stereo_antistereo"]),
                "cluster": word_contrast(first, second),
                **dict(zip(ROLES, scores, strict=True)),
                "difference": scores[0] - scores[1],
            }
        )
    return _frame(rows), 0


def _direction(label: int | str) -> str:
    """Return the direction of a pair; some copies of the data set number it."""
    return DIRECTIONS[label] if isinstance(label, int) else str(label)


def _lines(path: Path) -> Iterator[Any]:
    for line in read_text(path, MOST_LOG_BYTES).splitlines():
        if line.strip():
            yield parse_json(line)


def _from_inspect(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    """Read Inspect's log of stereoset or bbq; of several epochs the first."""
    log = parse_json(read_text(path, MOST_LOG_BYTES))
    task = str(log["eval"]["task"]).split("/")[-1]
    if task not in _TASKS:
        raise ValueError(f"the log is of the task {task!r}, and not of {' or '.join(_TASKS)}")
    named = model or str(log["eval"]["model"])
    rows, left_out = [], 0
    for sample in log["samples"] or []:
        if sample.get("epoch", 1) != 1 or not sample.get("scores"):
            continue
        found = _TASKS[task](sample)
        if found is None:
            left_out += 1
        elif found:
            rows.append(
                {"model": named, "measure": "answer", "pair_id": str(sample["id"]), **found}
            )
    return _frame(rows), left_out


def _answer(sample: Mapping[str, Any], n_choices: int) -> int | None:
    """Place of the choice that was answered, or None if there was none."""
    for score in sample["scores"].values():
        letter = str(score.get("answer") or "").strip()[:1].upper()
        if letter and 0 <= ord(letter) - ord("A") < n_choices:
            return ord(letter) - ord("A")
    return None


def _preferred(stereotypical: bool, **labels: str) -> Row:
    return {**labels, "difference": 1.0 if stereotypical else -1.0}


def _stereoset_answer(sample: Mapping[str, Any]) -> Row | None:
    about = sample["metadata"]
    chosen = _answer(sample, len(about["gold_labels"]))
    label = None if chosen is None else about["gold_labels"][chosen]
    if label not in LABELS:
        return None
    return _preferred(
        label == LABELS[0],
        bias_type=str(about["bias_type"]),
        direction=DIRECTIONS[0],
        cluster=str(about["target"]),
    )


def _bbq_answer(sample: Mapping[str, Any]) -> Row | None:
    """Which group an answer to an ambiguous question names; empty for questions of a clear one."""
    about = sample["metadata"]
    if about["context_condition"] != "ambig":
        return {}
    chosen, places = _answer(sample, len(about["answer_info"])), bbq_places(about)
    if places is None or chosen not in places:
        return None
    return _preferred(
        chosen == places[0],
        bias_type=str(about["category"]),
        direction=DIRECTIONS[0],
        cluster=f"{about['category']} {about['question_index']}",
    )


_TASKS: dict[str, Callable[[Mapping[str, Any]], Row | None]] = {
    "stereoset": _stereoset_answer,
    "bbq": _bbq_answer,
}


def _from_csv(path: Path, model: str | None) -> tuple[pd.DataFrame, int]:
    texts = dict.fromkeys(("model", "measure", *PAIR_LABELS), str)
    frame = read_csv(path, dtype=texts, keep_default_na=False)
    if model is not None:
        frame = frame.assign(model=model)
    require_columns(frame, ("model", "pair_id", "bias_type"))
    if "difference" not in frame.columns:
        require_columns(frame, ROLES)
    for name in {*ROLES, "difference", "token_difference"} & set(frame.columns):
        frame[name] = _numbers(frame[name])
    if "difference" not in frame.columns:
        frame["difference"] = frame[ROLES[0]] - frame[ROLES[1]]
    frame[[name for name in ROLES if name not in frame.columns]] = np.nan
    if "cluster" not in frame.columns:
        frame["cluster"] = frame["pair_id"]
    for name, value in (("measure", "score"), ("direction", DIRECTIONS[0])):
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


def _frame(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(LOG_COLUMNS))


LAYOUTS: dict[str, tuple[str, Callable[[Path, str | None], tuple[pd.DataFrame, int]]]] = {
    "lm-eval": (f"samples_{_PREFIX}*.jsonl", _from_harness),
    "inspect": ("*.json", _from_inspect),
    "csv": ("*.csv", _from_csv),
}
"""Of every layout which files of a folder are read, and how. Adding one is adding a line."""
