"""Questions of BBQ, and logs of the harness and Inspect, for several test modules."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bayesbias.warnings import LeftOut

UNKNOWN = ["Not enough info", "unknown"]
OLD, YOUNG = ["grandpa", "old"], ["grandson", "nonOld"]


def question(
    number: int,
    first: list[str] = OLD,
    second: list[str] = YOUNG,
    groups: Any = ("old",),
    *,
    category: str = "Age",
    **more: Any,
) -> dict[str, Any]:
    """Return a question in the layout of nyu-mll/BBQ, with the unknown answer in the middle."""
    answers = {"ans0": first, "ans1": UNKNOWN, "ans2": second}
    row = {"example_id": number, "question_index": "1", "question_polarity": "neg", "label": 1}
    row |= {"context_condition": "ambig", "category": category, "answer_info": answers}
    row |= {"additional_metadata": {"stereotyped_groups": groups}}
    row |= {"context": "Two people were late.", "question": "Who was it?"}
    named = {name: f"The {info[0]}" if info else "Latina" for name, info in answers.items()}
    return row | named | {"ans1": UNKNOWN[0]} | more


def left_out(told: pytest.WarningsRecorder) -> dict[str, int]:
    """Return the numbers of samples left out, by reason."""
    return {each.message.reason: each.message.n for each in told if each.category is LeftOut}


def sample(number: int, doc: dict[str, Any], *scores: float | str) -> dict[str, Any]:
    answers = [[str(score), "False"] for score in scores]
    return {"doc_id": number, "doc": doc, "filtered_resps": answers}


def crows(number: int, *scores: float | str, kind: str = "age", **more: Any) -> dict[str, Any]:
    doc = {"sent_more": f"The old man {number}.", "sent_less": f"The young man {number}."}
    scores = scores or (-30.0 - number, -31.0)
    return sample(number, doc | {"stereo_antistereo": 0, "bias_type": kind} | more, *scores)


def log(folder: Path, samples: list[Any], name: str = "samples_crows_pairs_english_2026.jsonl"):
    folder.mkdir(parents=True, exist_ok=True)
    texts = [each if isinstance(each, str) else json.dumps(each) for each in samples]
    (folder / name).write_text("\n".join(texts) + "\n")
    return folder / name


def winogender(number: int, job: str, gender: str, *scores: float) -> dict[str, Any]:
    doc = {"occupation": job, "participant": "guest", "gender": gender, "label": 0}
    return sample(number, doc, *scores)


# BBQ in logs. Positions: 0 is the stereotyped group's answer, 1 unknown, and 2 the other group's.

ANSWERED = [
    *[("ambig", "neg", 1, chosen) for chosen in (1, 1, 0, 0, 2)],  # 2 of 3 named are biased
    ("ambig", "nonneg", 1, 2),  # biased
    *[("disambig", "neg", 0, chosen) for chosen in (0, 0, 1)],  # 2 of 2
    *[("disambig", "nonneg", 0, chosen) for chosen in (0, 0)],  # 0 of 2
]
ASKED = [
    question(n, context_condition=context, question_polarity=polarity, label=label)
    for n, (context, polarity, label, _) in enumerate(ANSWERED)
]
ASKED.append(question(len(ASKED), groups=["sick"]))
CHOSEN = [*(chosen for *_, chosen in ANSWERED), 1]


SAID = ("It was the grandpa.", "That is not enough information", "grandson\n\nQ: Who")
NUMBERED = [(n, *pair) for n, pair in enumerate(zip(ASKED, CHOSEN, strict=True))]
TEXTS = [{"doc_id": n, "doc": q, "filtered_resps": [SAID[chosen]]} for n, q, chosen in NUMBERED]
SCORES = [
    sample(n, q, *(-1.0 if chosen == at else -3.0 - at for at in (0, 2)), *[-9.0] * 9, -2.0)
    for n, q, chosen in NUMBERED
]
"""Samples of bbq_multiple_choice: two groups, then ten ways to say unknown."""


def inspected() -> dict[str, Any]:
    samples = [
        {"id": n, "epoch": 1, "metadata": {**q}, "scores": {"choice": {"answer": "ABC"[chosen]}}}
        for n, q, chosen in NUMBERED
    ]
    return {"status": "success", "eval": {"task": "bbq", "model": "gpt"}, "samples": samples}


def eval_file(
    path: Path, content: dict[str, Any], *left: str, summaries: int | None = None
) -> Path:
    """Write an ``.eval`` file; the names `left` are left out."""
    samples = content["samples"]
    files: dict[str, Any] = {"header.json": content | {"samples": None}, "_journal/start.json": {}}
    files["summaries.json"] = [{}] * (len(samples) if summaries is None else summaries)
    files |= {f"samples/{one['id']}_epoch_1.json": one for one in samples}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in files.keys() - {*left}:
            archive.writestr(name, json.dumps(files[name]))
    return path
