"""Inspect's logs of stereoset and bbq, in its two formats: ``.eval`` and JSON."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import permutations
from pathlib import Path
from typing import Any

from .._core.reading import damage_named, opened, read_json, unpacked_name
from .._core.warnings import warn
from ..warnings import UnfinishedLog
from .bbq import ANSWERS, as_question, spoken
from .bbq_answers import answer_names, named_place, place_of_label
from .datasets import text_of
from .logs import MOST_LOG_BYTES, NO_CHOICE, UNRELATED, Content, Row, add_bbq, usable
from .pair_files import LABELS

LATER = "the sample is of a later epoch, and only the first is read"
UNSCORED = "the sample has no score, as after an error"

TASKS = ("stereoset", "bbq")

HEADERS = ("header.json", "_journal/start.json", "start.json")
"""Names of the head of a log in an ``.eval`` file: finished, unfinished, and in early versions."""

SUMMARIES = ("summaries.json", "summary.json")

_ONE = (
    r"(?:[BCbc](?!\w)"
    r"|[Aa](?!\w)(?![ \xa0]+(?!(?i:and|or|not|because|since|as|is|was|seems|would|the|an?)\b)\w))"
)
"""One of three letters by itself. *A* is an article if a blank and a noun or adjective follow."""

_GAP = r"[^\w.\n]"
_SEVERAL = (
    rf"[^\w.\n/&+]*[/&+]{_GAP}*[A-Ca-c](?!\w)"  # the first mark ends the gap: linear time
    rf"|{_GAP}+(?i:and|or|and/or){_GAP}+(?:A(?!\w)|{_ONE})"  # within a sentence, A is no article
    r"|(?:\W+(?:(?i:and|or)\W+)?[A-Ca-c])+\W*$"
)
_LETTER = re.compile(rf"\W*({_ONE})(?!{_SEVERAL})")
"""A letter that begins an answer, unless others are joined to it: ``A, B`` is no choice."""

MARKS = ("ANSWER: ", r"(?i)\banswer\s*:")
"""What precedes an answer: as the scorers of stereoset expect it, and as models also write it."""

_THOUGHT = re.compile("<think>.*?</think>", re.DOTALL)

_CONVERT = "`inspect log convert {} --to json --output-dir json`"


def read_inspect(path: Path, content: Content) -> None:
    """Read the first epoch of an Inspect log of stereoset or bbq; count samples of later ones."""
    packed = is_eval(path)
    log = read_eval(path) if packed else read_json(path, MOST_LOG_BYTES)
    task = task_of(log)
    if not task or "model" not in log["eval"]:
        raise ValueError("this is not an Inspect log: it has no eval.task and eval.model")
    model = text_of(log["eval"], "model")
    if task not in TASKS:
        raise ValueError(f"the log is for the task {task!r}; pass a log for stereoset or bbq")
    if not packed and log.get("status", "success") != "success":
        warn(UnfinishedLog(str(path), len(log.get("samples") or []), None))
    use = partial(_use, content=content, task=task, model=model)
    usable(log.get("samples") or [], use, content, f"a log of {task}")


def is_eval(path: Path) -> bool:
    """Return whether a (packed) file is in the format ``.eval``, by its name or its content."""
    if unpacked_name(path).suffix.lower() == ".eval":
        return True
    try:
        with opened(path) as (_, stream, _):
            if stream.read(2) != b"PK":  # otherwise, all of a packed file would be unpacked
                return False
            with zipfile.ZipFile(stream) as archive:
                return not {*HEADERS}.isdisjoint(archive.namelist())
    except (ValueError, zipfile.BadZipFile):
        return False


def task_of(log: object) -> str:
    """Return the task in a log's header, without its package, or an empty string."""
    about = log.get("eval") if isinstance(log, dict) else None
    return str(about["task"]).split("/")[-1] if isinstance(about, dict) and "task" in about else ""


def read_header(path: Path) -> dict[str, Any]:
    """Read the header of an ``.eval`` file."""
    with _opened_eval(path) as (_, log):
        return log


@contextmanager
def _opened_eval(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """Yield an ``.eval`` file, which is a zip of JSON files, and its header."""
    what = f"cannot be read; rewrite it with {_CONVERT.format(path)}, or run a damaged task again"
    with (
        damage_named(path, what),
        opened(path) as (raw, stream, _),
        zipfile.ZipFile(stream if stream is raw else BytesIO(stream.read())) as archive,
    ):
        names = archive.namelist()
        head = next((name for name in HEADERS if name in names), None)
        if head is None:
            raise ValueError(f"it has none of {', '.join(HEADERS)}")
        yield archive, dict(json.loads(archive.read(head)))


def read_eval(path: Path) -> dict[str, Any]:
    """Read the header and the samples of an ``.eval`` file."""
    with _opened_eval(path) as (archive, log):
        if sum(each.file_size for each in archive.infolist()) > MOST_LOG_BYTES:
            raise ValueError(f"it exceeds {MOST_LOG_BYTES:,} bytes")
        names = archive.namelist()
        inside = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
        log["samples"] = [json.loads(archive.read(name)) for name in sorted(inside)]
        listed = next((json.loads(archive.read(name)) for name in SUMMARIES if name in names), None)
    n, expected = len(inside), None if listed is None else len(listed)
    if expected != n or log.get("status", "success") != "success":
        warn(UnfinishedLog(str(path), n, expected))
    return log


def _use(sample: Mapping[str, Any], *, content: Content, task: str, model: str) -> None:
    about = sample["metadata"]
    if sample.get("epoch", 1) != 1:
        content.add(LATER)
        return
    if not sample.get("scores"):
        content.add(UNSCORED)
        return
    answers = [str(score.get("answer") or "") for score in sample["scores"].values()]
    if task == "bbq":
        about, order = _asked(sample)
        names = answer_names(about)
        chosen = _chosen(answers, [names[place] for place in order], about.get("question"))
        chosen = chosen if chosen < 0 else order[chosen]
        add_bbq(content, model, text_of(sample, "id"), about, chosen)
        return
    choices = list(about["gold_labels"])
    if said := _completion(sample):  # its scorers take the first letter of any text for an answer
        answers = [re.split(mark, said)[-1] for mark in MARKS]
    chosen = _chosen(answers, [[str(text)] for text in sample.get("choices") or ()])
    places = [choices.index(label) for label in LABELS]
    row: Row = {"model": model, "measure": "answer", "pair_id": text_of(sample, "id")}
    row |= {"bias_type": text_of(about, "bias_type"), "cluster": text_of(about, "target")}
    if chosen in places:
        content.add(row | {"difference": 1.0 if chosen == places[0] else -1.0})
    else:
        content.add(UNRELATED if 0 <= chosen < len(choices) else NO_CHOICE)


def _completion(sample: Mapping[str, Any]) -> str:
    """Return the text that the model said, or an empty text if the log does not have it."""
    output = sample.get("output") or {}
    said = output.get("completion")
    for choice in (output.get("choices") or ())[:1]:
        said = said or (choice.get("message") or {}).get("content") or ""
    if not isinstance(said, str):
        said = "\n".join(part["text"] for part in said or () if part.get("type") == "text")
    return _THOUGHT.sub("", said).strip()


def _asked(sample: Mapping[str, Any]) -> tuple[dict[str, Any], Sequence[int]]:
    """Return a question of BBQ, and the position among its answers of each choice that is shown.

    In inspect_evals, the texts of the answers are its choices, and the label is its target.
    """
    question = as_question(sample["metadata"])
    choices = [str(choice) for choice in sample.get("choices") or ()]
    order = _order(question, choices)
    answers = {ANSWERS[place]: text for place, text in zip(order, choices, strict=False)}
    filled = {"example_id": question.get("source_id", sample["id"])} | answers | question
    shown: dict[str, Any] = dict(zip(ANSWERS, choices, strict=False))
    target = sample.get("target")
    if isinstance(target, list) and len(target) == 1:
        [target] = target
    right = place_of_label(target, shown)
    if "label" not in question and right is not None:
        filled["label"] = order[right]
    return filled, order


def _order(question: Mapping[str, Any], choices: Sequence[str]) -> Sequence[int]:
    """Return the position among BBQ's answers of each choice that the model saw."""
    shown = [spoken(choice) for choice in choices]
    answers = [spoken(str(question.get(name))) for name in ANSWERS]
    if not shown or shown == answers:
        return range(3)
    if not {*ANSWERS} <= question.keys():
        return _order_by_labels(question, choices)
    if len({*shown}) < len(shown) or {*shown} != {*answers}:
        raise ValueError(f"its choices {[*choices]!r:.80} are not {', '.join(ANSWERS)}")
    return [answers.index(choice) for choice in shown]


def _order_by_labels(question: Mapping[str, Any], choices: Sequence[str]) -> Sequence[int]:
    """Return the answers' own order if their labels allow it, or the only order that they allow.

    Choices after the third, such as *None of these*, are no answers of BBQ.
    """
    choices = choices[:3]
    named = [named_place(choice, answer_names(question)) for choice in choices]
    allowed = [
        order
        for order in permutations(range(3), len(choices))
        if all(place in {-1, own} for place, own in zip(named, order, strict=True))
    ]
    if (0, 1, 2) in allowed:
        return range(3)
    if len(allowed) != 1:
        raise ValueError(f"its choices {[*choices]!r:.80} do not match the labels in answer_info")
    return allowed[0]


def _chosen(answers: Iterable[str], names: Sequence[Sequence[str]], asked: object = "") -> int:
    """Return the position of the choice that an answer names, by its letter or text, or -1."""
    for answer in answers:
        if found := _LETTER.match(answer):
            return "ABC".index(found[1].upper())
        if (place := named_place(answer, names, asked)) >= 0:
            return place
    return -1
