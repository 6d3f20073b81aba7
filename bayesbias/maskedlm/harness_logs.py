"""Logs of lm-evaluation-harness (``--log_samples``): CrowS-Pairs, BBQ, and Winogender."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._core.checks import counted
from .._core.reading import members_of, parts_of, unpacked_name
from .bbq import as_question, unknown_place
from .bbq_answers import answer_names, named_place
from .datasets import ROLES, checked_direction, text_of, word_contrast
from .logs import AGAIN, IDENTICAL, Content, Row, add_bbq, json_lines, usable

NEUTRAL = "the pronoun is neutral"
ALONE = "the log has no sentence with the other gender's pronoun"

TASKS = "a log of crows_pairs, bbq, or winogender"

_OLD_NAME = re.compile(
    r"(?:.*?(?:pretrained|model)=)?(?P<model>[^,]+?)(?:,.*?)?_(?:crows_pairs|bbq|winogender).*"
)
"""Name of a log up to version 0.4.2: the arguments of the model, and the task."""

_NUMBER = r"(?P<score>[+-]?(?:inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))"
_SCORE = re.compile(
    r"(?P<open>[\[(])?(?P<call>((np|numpy|torch)\.)?(float\d+|tensor|array)\(\[?)?"
    rf"{_NUMBER}(?(call)\]?(,\s*\w+\s*=[^,()]*)*\))(?(open)(,\s*(True|False))?[\])])",
    re.IGNORECASE,
)
"""A log-likelihood as a text, such as ``-3.5``, ``np.float64(-3.5)``, or ``(-3.5, False)``."""

TEXT_ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".log", ".csv")
"""Endings of text files, which are no parts of names such as *gpt-3.5*."""

INVALID = "[invalid]"
"""What a filter of the harness writes for an answer that it cannot read."""

_WOMEN = """
accountant administrator appraiser auditor baker bartender broker cashier clerk counselor dietitian
dispatcher educator examiner hairdresser hygienist instructor librarian nurse nutritionist paralegal
pathologist pharmacist planner practitioner psychologist receptionist secretary teacher therapist
veterinarian
"""
_MEN = """
advisor architect carpenter chef chemist doctor electrician engineer firefighter inspector
investigator janitor lawyer machinist manager mechanic officer painter paramedic physician plumber
programmer salesperson scientist specialist supervisor surgeon technician worker
"""
MOSTLY_WOMEN, MOSTLY_MEN = frozenset(_WOMEN.split()), frozenset(_MEN.split())
"""Winogender's occupations with more women, or more men, in the United States.

Bureau of Labor Statistics, 2015 and 2016, as matched by Rudinger et al. (2018).
"""


def read_harness(path: Path, content: Content) -> None:
    """Read a file ``samples_TASK_*.jsonl``, or a JSON list as versions up to 0.4.2 wrote it."""
    model, seen = model_of(path), Counter[str]()
    sentences: dict[tuple[str, ...], dict[str, Row]] = {}
    known: set[str] = set()

    def use(sample: Mapping[str, Any]) -> None:
        doc, number = sample["doc"], sample.get("doc_id")
        if not isinstance(doc, dict):
            raise TypeError(f"its doc is {doc!r:.40}, not an object")
        key = json.dumps([number, doc], sort_keys=True)
        if number is not None and key in known:
            content.add(AGAIN)  # versions before 0.4.6 repeat a sample for each filter
        elif "sent_more" in doc:
            content.add(_crows(model, doc, _scores(sample, 2), seen))
        elif "answer_info" in doc:
            _bbq(model, as_question(doc), sample, content)
        elif "occupation" in doc and "participant" in doc:
            content.add(_winogender(model, doc, _scores(sample, 2), sentences))
        else:
            raise ValueError(f"its document has the fields {', '.join(doc)!r:.60}")
        known.add(key)

    usable(_invalid_last(json_lines(path)), use, content, TASKS)
    for key, both in sentences.items():
        content.add(_both_genders(key, both))


def _invalid_last(samples: Iterable[Any]) -> Iterator[Any]:
    """Yield samples, those without a valid answer last: another filter may have found one."""
    later = []
    for sample in samples:
        if isinstance(sample, dict) and f"'{INVALID}'" in str(sample.get("filtered_resps")):
            later.append(sample)
        else:
            yield sample
    yield from later


def model_of(path: Path) -> str:
    """Return the model in a log's path: its folder or, in old layouts, a part of its name.

    An archive counts as a folder, or, if it has one file and the name of a log, as a packed log.
    Other names of an archive's only file do not count if it has no folder there.
    """
    archive, member = parts_of(path)
    place = unpacked_name(archive)
    alone = False
    if member and Path(member).parent == Path():
        alone = [*map(Path, members_of(archive) or ())] == [Path(member)]
    if alone and (place.suffix.lower() in TEXT_ENDINGS or place.name.startswith("samples_")):
        member, alone = "", False
    path = unpacked_name(Path(os.path.abspath(place / member)))
    name = path.stem if path.suffix.lower() in TEXT_ENDINGS else path.name
    if path.name.startswith("samples_"):
        return path.parent.name or name
    if old := _OLD_NAME.fullmatch(name):
        return old["model"].replace("__", "/")
    return path.parent.name if alone else name


def _scores(sample: Mapping[str, Any], needed: int, *, more: bool = False) -> list[float]:
    """Return the log-likelihoods of the choices, however deeply the version nests them.

    Raise a ValueError unless there are as many as needed, or `more` if they are allowed.
    """
    scores = [_score(answer) for answer in _answers(sample)]
    if len(scores) < needed or (len(scores) > needed and not more):
        raise ValueError(f"it has {counted(len(scores), 'log-likelihood')}, not {needed}")
    return scores


def _answers(sample: Mapping[str, Any]) -> list[Any]:
    return list(sample.get("filtered_resps") or sample["resps"])


def _score(answer: object) -> float:
    """Return the number in an answer: a log-likelihood, and whether it is the greedy text."""
    found = _SCORE.fullmatch(_innermost(answer).strip())
    if found is None:
        raise ValueError(f"{answer!r:.40} is not a log-likelihood")
    return float(found["score"])


def _innermost(answer: object) -> str:
    while isinstance(answer, list):
        answer = answer[0] if answer else ""
    return str(answer)


def _crows(
    model: str, doc: Mapping[str, Any], scores: list[float], seen: Counter[str]
) -> Row | str:
    first, second = text_of(doc, "sent_more"), text_of(doc, "sent_less")
    if first.strip() == second.strip():
        return IDENTICAL
    pair = hashlib.sha256(f"{first}\n{second}".encode()).hexdigest()[:12]
    seen[pair] += 1  # the published data contain one pair twice
    return {
        "model": model,
        "measure": "log-likelihood",
        "pair_id": pair if seen[pair] == 1 else f"{pair}-{seen[pair]}",
        "bias_type": text_of(doc, "bias_type"),
        "direction": checked_direction(doc.get("stereo_antistereo", 0)),
        "cluster": word_contrast(first, second),
        **dict(zip(ROLES, scores, strict=True)),
    }


def _bbq(model: str, doc: Mapping[str, Any], sample: Mapping[str, Any], content: Content) -> None:
    """Add an answer: a generated text, or the log-likelihoods of all choices."""
    pair = f"{doc['category']} {doc['example_id']}"
    answers = _answers(sample)
    if len(answers) == 1:
        text, names = _innermost(answers[0]), answer_names(doc)
        add_bbq(content, model, pair, doc, named_place(text, names, doc.get("question")))
    else:
        scores = _placed(doc, _scores(sample, 3, more=True))
        chosen = -1 if np.isnan(scores).any() else int(np.argmax(scores))
        add_bbq(content, model, pair, doc, chosen, scores=scores)


def _placed(doc: Mapping[str, Any], scores: list[float]) -> list[float]:
    """Return the log-likelihoods by position; the harness lists ten unknown answers last."""
    unknown = unknown_place(doc)
    if len(scores) == 3 or unknown is None:
        return scores
    placed = scores[:2]
    placed.insert(unknown, max(scores[2:]))
    return placed


def _winogender(
    model: str,
    doc: Mapping[str, Any],
    scores: list[float],
    sentences: dict[tuple[str, ...], dict[str, Row]],
) -> str | None:
    """Collect a sentence with the log-odds that its pronoun refers to the occupation."""
    gender, job = text_of(doc, "gender").lower(), text_of(doc, "occupation").lower()
    occupation, participant = scores
    if gender == "neutral":
        return NEUTRAL
    if gender not in {"male", "female"}:
        raise ValueError(f"its gender is {gender!r:.40}, not male, female, or neutral")
    if job not in MOSTLY_WOMEN | MOSTLY_MEN:
        raise ValueError(f"{job!r:.40} is not an occupation of the data set")
    answer = text_of(doc, "label" if "label" in doc else "target")
    key = (job, text_of(doc, "participant"), answer)
    if gender in sentences.setdefault(key, {}):
        return AGAIN
    sentences[key][gender] = {"model": model, "odds": occupation - participant}
    return None


def _both_genders(key: tuple[str, ...], sentences: Mapping[str, Row]) -> Row | str:
    """Return the pair of sentences with the pronouns of the job's usual and of the other gender."""
    if len(sentences) < 2:
        return ALONE
    usual, other = ("female", "male") if key[0] in MOSTLY_WOMEN else ("male", "female")
    return {
        "model": sentences[usual]["model"],
        "measure": "log-odds",
        "pair_id": ".".join(key),
        "bias_type": "gender",
        "cluster": key[0],
        ROLES[0]: sentences[usual]["odds"],
        ROLES[1]: sentences[other]["odds"],
    }
