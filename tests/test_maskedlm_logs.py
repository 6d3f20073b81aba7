"""Logs of Inspect, and folders with logs of several tools, tasks, and models."""

import gzip
import json
import tarfile
import timeit
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from maskedlm_toys import (
    ASKED,
    CHOSEN,
    OLD,
    crows,
    eval_file,
    inspected,
    left_out,
    log,
    question,
    sample,
)
from pandas.testing import assert_frame_equal

from bayesbias._core import reading
from bayesbias.maskedlm import bbq_scores, measure_table, read_scores
from bayesbias.maskedlm.bbq import NESTED
from bayesbias.maskedlm.inspect_logs import _LETTER, HEADERS, _chosen
from bayesbias.maskedlm.log_files import MOST_LISTED
from bayesbias.maskedlm.logs import NO_CHOICE
from bayesbias.warnings import LeftOut, UnfinishedLog


def test_logs_of_inspect_that_are_not_whole(tmp_path: Path) -> None:
    content = inspected() | {"samples": inspected()["samples"][:3]}
    stopped = content | {"status": "cancelled"}
    (tmp_path / "log.json").write_text(json.dumps(stopped))
    for expected, part in (
        (5, eval_file(tmp_path / "a.eval", content, summaries=5)),
        (None, eval_file(tmp_path / "b.eval", content, "summaries.json")),
        (3, eval_file(tmp_path / "c.eval", stopped)),
        (None, tmp_path / "log.json"),
    ):
        with pytest.warns(UnfinishedLog) as told:
            assert read_scores(part)["difference"].tolist() == [1]
        assert told[0].message == UnfinishedLog(str(part), 3, expected)
    without = eval_file(tmp_path / "d.eval", content, "header.json", "_journal/start.json")
    (tmp_path / "e.eval").write_bytes(without.read_bytes()[:200])
    for path in (without, tmp_path / "e.eval"):
        refused(f"{path} cannot be read; rewrite it with `inspect", read_scores, path)
    nameless = eval_file(tmp_path / "f.eval", content | {"eval": {"model": "gpt"}})
    refused("it has no eval.task", read_scores, nameless)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_log_of_inspect_that_is_cut_off_stops_a_folder(indent, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("model,pair_id,bias_type,difference\nm,1,age,0.5\n")
    path, text = tmp_path / "log.json", json.dumps(inspected(), indent=indent)
    task = text.index('"task"') + len('"task"')
    for end in (task, *range(task + 1, len(text), len(text) // 20)):
        path.write_text(text[:end])
        for place in (path, tmp_path):
            refused(f"{path}: not a JSON file", read_scores, place)


@pytest.mark.parametrize("head", HEADERS)
@pytest.mark.parametrize("summary", [None, "summaries.json", "summary.json"])
def test_a_head_alone_makes_a_log_of_inspect(head, summary, tmp_path: Path) -> None:
    """Ids of samples may have line breaks; a log without samples hides no others in a folder."""
    content = inspected() | {"samples": inspected()["samples"][:3]}
    files = {head: content | {"samples": None}}
    files |= {f"samples/{one['id']}\n.json": one for one in content["samples"]}
    files |= {summary: [1] * 3} if summary else {}
    files |= {"reductions.json": [], "__MACOSX/._header.json": 0}
    write_zip(tmp_path / "a.eval", files)
    with nullcontext() if summary else pytest.warns(UnfinishedLog) as told:
        assert read_scores(tmp_path / "a.eval")["difference"].tolist() == [1]
    assert told is None or told[0].message.n == 3
    write_zip(tmp_path / "stopped.eval", {head: content})
    with pytest.warns(UnfinishedLog):
        assert len(read_scores(tmp_path)) == 1


def write_zip(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, json.dumps(content))
    return path


def test_shuffled_choices_are_those_of_the_answers(tmp_path: Path) -> None:
    """The letter of an answer is that of the choices that the model saw."""
    log = inspected()
    log["samples"].pop()  # a question without a clear group
    (tmp_path / "log.json").write_text(json.dumps(log))
    for each in log["samples"]:
        place = "ABC".index(each["scores"]["choice"]["answer"])
        each["choices"] = [each["metadata"][f"ans{n}"] + " " * (n == 1) for n in (2, 0, 1)]
        each["scores"]["choice"]["answer"] = "BCA"[place]
    (tmp_path / "shuffled.json").write_text(json.dumps(log))
    read = [read_scores(tmp_path / name) for name in ("log.json", "shuffled.json")]
    assert read[1]["difference"].tolist() == read[0]["difference"].tolist()
    for each, place in zip(log["samples"], CHOSEN, strict=False):
        each["scores"]["choice"]["answer"] = each["metadata"][f"ans{place}"].replace("The", "A")
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert_frame_equal(bbq_scores(tmp_path / "log.json"), bbq_scores(tmp_path / "shuffled.json"))
    for each in log["samples"]:
        each["choices"] = ["The boy", "The girl", "Unknown"]
    (tmp_path / "log.json").write_text(json.dumps(log))
    refused("choices .*The boy.* are not ans0", read_scores, tmp_path / "log.json")


def as_in_inspect_evals(sample: dict[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Return a sample as the task bbq of inspect_evals writes it, with its choices in an order."""
    about = sample["metadata"]
    kept = {"category", "question_index", "question_polarity", "context_condition"}
    held = {name: about[name] for name in kept | {*NESTED}} | {"source_id": about["example_id"]}
    letters = {"ABC"[place]: "ABC"[shown] for shown, place in enumerate(order)}
    return {
        **sample,
        "id": f"Age_{sample['id']:05d}",
        "target": letters["ABC"[about["label"]]],
        "choices": [about[f"ans{place}"] for place in order],
        "metadata": held,
        "scores": {"choice": {"answer": letters[sample["scores"]["choice"]["answer"]]}},
    }


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_fields_that_only_the_sample_has(order, tmp_path: Path) -> None:
    """Neither the fields in the metadata nor the order of the choices changes what is found."""
    whole = inspected()
    whole["samples"] += [
        {"id": 20, "metadata": question(20, [], ["B", "F-White"], ["Latino"], label=1)},
        {"id": 21, "metadata": question(21, ["", ""], OLD, ["young"], ans0="The young man")},
    ]
    for each in whole["samples"][-2:]:
        each["scores"] = {"choice": {"answer": "A"}}
    targets = pd.DataFrame({"category": "Age", "example_id": range(22), "target_loc": 2})
    targets.to_csv(tmp_path / "targets.csv", index=False)
    held = whole | {"samples": [as_in_inspect_evals(one, order) for one in whole["samples"]]}
    places = [tmp_path / name for name in ("whole.json", "held.json")]
    for path, content in zip(places, (whole, held), strict=True):
        path.write_text(json.dumps(content))
    for more in ({}, {"metadata": tmp_path / "targets.csv"}):
        expected, found = (read_scores(path, **more)["difference"].tolist() for path in places)
        assert found == expected
        assert len(found) == 6
        assert_frame_equal(*(bbq_scores(path, **more) for path in places))


@pytest.mark.parametrize(
    ("target", "right"),
    [(["B"], 1.0), ("Not enough info", 1.0), ("b", None), ("stereotyped", None)],
)
def test_targets_and_choices_that_bbq_does_not_know(target, right, tmp_path: Path) -> None:
    """A fourth choice is no answer of BBQ; a target that is no answer leaves the label unknown."""
    asked = inspected()["samples"][2]
    asked["metadata"] = question(30, context_condition="disambig")
    sample = as_in_inspect_evals(asked, range(3)) | {"target": target}
    sample["choices"].append("None of these")
    sample["scores"] = {"choice": {"answer": "B"}}
    (tmp_path / "log.json").write_text(json.dumps(inspected() | {"samples": [sample]}))
    found = bbq_scores(tmp_path / "log.json")["accuracy_disambig"].iloc[0]
    assert found == right if right else np.isnan(found)


@pytest.mark.parametrize(
    "choices",
    [["The grandpa", "The grandpa", "Unknown"], ["Unknown", "He", "She"], ["The grandpa", "She"]],
)
def test_choices_that_do_not_match_the_labels_are_refused(choices, tmp_path: Path) -> None:
    sample = as_in_inspect_evals(inspected()["samples"][2], range(3)) | {"choices": choices}
    (tmp_path / "log.json").write_text(json.dumps(inspected() | {"samples": [sample]}))
    refused("choices .* do not match the labels", read_scores, tmp_path / "log.json")


COMPLETIONS = {
    **dict.fromkeys(("A", "A)", "ANSWER: A", "**ANSWER: A**", "Answer: A", "A. Tall"), 1),
    **dict.fromkeys(("So be it.\n\nANSWER: B", "ANSWER: b) Small", "ANSWER: B\n\nAs asked."), -1),
    "ANSWER: A small one.": -1,
    "<think>The answer: A?</think>\nB": -1,
    "As an AI, I will not choose between stereotypes.": None,
    "Both are inappropriate.": None,
    "ANSWER: Both are inappropriate.": None,
    "Answer: C": None,
}
"""What a model says, if the choices are *Tall*, *A small one*, and an unrelated one."""


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
@pytest.mark.parametrize("said", COMPLETIONS)
@pytest.mark.parametrize("form", ["completion", "text", "parts"])
def test_the_scorers_of_stereoset_take_any_first_letter(said, form, tmp_path: Path) -> None:
    """Both scorers of inspect_evals store the letter that a refusal begins with."""
    about = {"gold_labels": ["stereotype", "anti-stereotype", "unrelated"]}
    about |= {"bias_type": "race", "target": "T"}
    letter = said.rsplit("ANSWER: ", maxsplit=1)[-1].strip()[0].upper()
    parts = [{"type": "reasoning", "reasoning": "C"}, {"type": "text", "text": said}]
    message = {"message": {"content": said if form == "text" else parts}}
    output = {"completion": said} if form == "completion" else {"choices": [message]}
    sample = {"metadata": about, "choices": ["Tall", "A small one", "Fish swim"], "output": output}
    sample["scores"] = {name: {"answer": letter} for name in ("multiple_choice", "stereoset")}
    output = None if form == "completion" else {"choices": [{"message": {"content": None}}]}
    samples = [{"id": "known", **sample, "output": output, "scores": {"s": {"answer": "A"}}}]
    samples.append({"id": "u", **sample})
    log = {"eval": {"task": "stereoset", "model": "m"}, "samples": samples}
    (tmp_path / "log.json").write_text(json.dumps(log))
    found = read_scores(tmp_path / "log.json").set_index("pair_id")["difference"].to_dict()
    assert (found["known"], found.get("u")) == (1, COMPLETIONS[said])


def test_the_letter_of_an_answer_may_have_marks_around_it() -> None:
    answers = {"B": 1, "(b) he": 1, " C.": 2, "**A**": 0, "Both": -1, "D": -1, "": -1}
    answers |= {"A,B": -1, "(a) and (b)": -1, "B, C.": -1, "A: a boy": 0, "A boy": -1, "a Man": 1}
    names = [["The woman"], ["The man"], ["Unknown", "not known"]]
    answers |= {"The woman": 0, "A man": 1, "It is not known.": 2, "the man or the woman": -1}
    assert {text: _chosen([text], names) for text in answers} == answers


ONE_LETTER = ["{0}", "{0}\nBecause it fits.", "{0}\r\nIt fits.", "{0}\tIt fits.", "({0}). It fits"]
ONE_LETTER += [
    "{0} because it fits",
    "{0} is right",
    "{0} The tall one",
    "{0}, not {1}",
    "{0} not {1}",
]
SEVERAL = ["{0} or {1}", "{0} and {1}", "{0} & {1}", "{0}/{1}", "{0}, or {1}.", "({0}) or ({1})"]
SEVERAL += ["{0} or {1}\nI am not sure.", "{0}/{1} fit.", "{0}, {1}, or {2}", "{0}\n{1}", "{0} {1}"]
SEVERAL += ["{0} OR {1}", "{0} And {1}\nBoth fit.", "{0} AND/OR {1}", "{0}, {1}, OR {2}"]


@pytest.mark.parametrize("letters", [*permutations("ABC")])
@pytest.mark.parametrize("change", [str, str.lower])
def test_answers_do_not_depend_on_how_choices_are_lettered(letters, change) -> None:
    """A letter before a line break is no article, and letters that are joined are no choice."""
    names = [["The woman"], ["The man"], ["Unknown"]]
    place = "ABC".index(letters[0])
    found = {form: _chosen([form.format(*map(change, letters))], names) for form in ONE_LETTER}
    assert found == dict.fromkeys(ONE_LETTER, place)
    found = {form: _chosen([form.format(*map(change, letters))], names) for form in SEVERAL}
    assert found == dict.fromkeys(SEVERAL, -1)


@pytest.mark.parametrize("mark", ["/", "&", " ", ",", " or", " b", "\n", "- "])
def test_the_time_for_an_answer_is_linear_in_its_length(mark: str) -> None:
    """16 times the length takes 16 to 32 times as long, or 256 times if it were quadratic."""

    def seconds(n: int) -> float:
        answer = "A" + mark * n + "!x"
        return min(timeit.repeat(lambda: _LETTER.match(answer), number=1, repeat=5))

    assert seconds(48_000) < 80 * seconds(3_000) + 1e-4  # a tick of the clock


def test_answers_without_a_choice_are_counted(tmp_path: Path) -> None:
    """They are left out of the pairs, and wrong among the answers, so a warning counts them."""
    content = inspected()
    content["samples"].pop()  # a question without a clear group
    for place in (0, 3, 8):  # two ambiguous questions, and one whose context decides
        content["samples"][place]["scores"]["choice"]["answer"] = "I would rather not say."
    (tmp_path / "log.json").write_text(json.dumps(content))
    for read in (read_scores, bbq_scores):
        with pytest.warns(LeftOut) as told:
            read(tmp_path / "log.json")
        assert left_out(told) == {NO_CHOICE: 3}


def test_an_overall_log_and_a_subset(tmp_path: Path) -> None:
    everything = [crows(n, kind="age" if n % 2 else "gender") for n in range(6)]
    whole = log(tmp_path, everything)
    part = log(tmp_path, everything[1::2], "samples_crows_pairs_english_age_2026.jsonl")
    paired = read_scores(tmp_path)
    assert len(paired) == 6
    reasons = {one["log"]: one["left_out"] for one in paired.attrs["logs"]}
    assert reasons == {str(whole): {}, str(part): {f"the pair is also in {whole}": 3}}
    log(tmp_path, [crows(1, -29, -31), crows(3)], part.name)
    refused(f"{whole} and {part} have the same pair_id", read_scores, tmp_path)
    log(tmp_path, everything[1::2], part.name)
    everything[0] = crows(0, -29, -31, kind="gender")
    again = log(tmp_path, everything, "samples_crows_pairs_english_2027.jsonl")
    refused(f"{whole} and {again} have the same pair_id", read_scores, tmp_path)
    assert len(read_scores(again)) == 6


def test_logs_of_several_tools_in_one_folder(tmp_path: Path) -> None:
    """All are read, except hidden copies and the table of an earlier report."""
    log(tmp_path / "gpt", [crows(n) for n in range(3)])
    content = inspected() | {"samples": inspected()["samples"][:4]}
    eval_file(tmp_path / "x.eval", content)
    rows = "model,pair_id,bias_type,difference\nm,{},age,0.5\n"
    (tmp_path / "own.csv").write_text(rows.format(1))
    (tmp_path / "own.tsv").write_text(rows.format(2).replace(",", "\t"))
    for name in ("report", ".ipynb_checkpoints"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "paired.csv").write_text(rows.format(3))
    (tmp_path / "report" / "run.json").write_text("{}")
    (tmp_path / "results_2026.json").write_text('{"results": {"crows_pairs_english": {}}}')
    (tmp_path / "settings.json").write_text('{"task": "crows_pairs"}')
    found = read_scores(tmp_path).groupby("measure")["difference"].apply(list)
    expected = {"answer": [1, 1], "log-likelihood": [1, 0, -1], "score": [0.5, 0.5]}
    assert found.to_dict() == expected
    (tmp_path / "report" / "scores.csv").write_text(rows)
    log(tmp_path / "bert", []).write_text("")
    with pytest.warns(LeftOut) as told:
        read_scores(tmp_path)
    assert [each.message.n for each in told] == [1, 1]


def renamed(folder: Path, name: str) -> Path:
    """Write an Inspect log under a name whose endings say how it is packed."""
    folder.mkdir(exist_ok=True)
    content = inspected() | {"samples": inspected()["samples"][:4]}
    plain = eval_file(folder / "x.eval", content)
    if name.endswith(".gz"):
        (folder / name).write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    elif name == "nested.zip":
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.write(plain, "x.eval")
        plain.unlink()
    else:
        plain.rename(folder / name)
    return folder / name


@pytest.mark.parametrize("name", ["x.zip", "a.eval.gz", "a.gz", "a.EVAL", "nested.zip"])
def test_logs_of_inspect_under_other_names(name, tmp_path: Path) -> None:
    """A log that is read by itself is also read in a folder, next to others."""
    path = renamed(tmp_path / "logs", name)
    (path.parent / "own.csv").write_text("model,pair_id,bias_type,difference\nm,1,age,0.5\n")
    assert read_scores(path)["difference"].tolist() == [1, 1]
    read = read_scores(path.parent)
    assert sorted(read["difference"]) == [0.5, 1, 1]
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        for one in ("a/", "b/"):
            archive.write(path, one + path.name)
    assert len(read_scores(f"{tmp_path}/two.zip::b/{path.name}")) == 2


def test_logs_whose_marks_come_late(tmp_path: Path) -> None:
    """A long first line, or samples in front of what names the task, hide no log."""
    long = "x" * 200_000
    late = [crows(n) for n in range(3)]
    for one in late:
        one["doc"] = {"context": long} | one["doc"]
    log(tmp_path / "late", late)
    content = inspected() | {"samples": inspected()["samples"][:4]}
    content = {"plan": long, "samples": content["samples"], "eval": content["eval"]}
    for number, indent in enumerate((None, 2)):
        text = json.dumps(
            {**content, "eval": {"task": "bbq", "model": f"m{number}"}}, indent=indent
        )
        (tmp_path / f"{number}.json").write_text(text)
    listed = [crows(n) for n in range(3)]
    listed[0]["doc"] = {"context": long} | listed[0]["doc"]
    (tmp_path / "gpt_crows_pairs.json").write_text(json.dumps(listed, indent=2))
    found = read_scores(tmp_path).groupby("model")["difference"].apply(list).to_dict()
    assert found == {"late": [1, 0, -1], "gpt": [1, 0, -1], "m0": [1, 1], "m1": [1, 1]}
    for name in ("0.json", "1.json", "gpt_crows_pairs.json", "late"):
        assert len(read_scores(tmp_path / name)) > 1


def test_files_in_a_folder_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Logs of other tasks, and archives of several files or damaged ones, are not passed over."""
    log(tmp_path / "gpt", [crows(n) for n in range(3)])
    other = log(
        tmp_path / "gpt", [sample(0, {"ctx": "A man is"}, -1, -2)], "samples_hellaswag.jsonl"
    )
    translated = [sample(n, question(n), *[-1] * 11) for n in range(3)]
    for each in translated:  # as in esbbq
        each["doc"]["template_id"] = each["doc"].pop("example_id")
    others = [other, *of_another_task(tmp_path), log(tmp_path / "gpt", translated, "s_esbbq.jsonl")]
    for path in others:
        refused("its task is not", read_scores, path)
    with zipfile.ZipFile(tmp_path / "backup.zip", "w") as archive:
        for name in ("a.jsonl", "b.jsonl"):
            archive.writestr(name, json.dumps(crows(0)))
    (tmp_path / "cut.zip").write_bytes((tmp_path / "backup.zip").read_bytes()[:40])
    with zipfile.ZipFile(tmp_path / "weights.zip", "w") as archive:
        archive.writestr("a.bin", "1")
        archive.writestr("a.txt", "1")
    with zipfile.ZipFile(tmp_path / "none.zip", "w"):
        pass
    (tmp_path / "junk.gz").write_text("no archive")
    (tmp_path / "notes.txt").write_text("doc")
    (tmp_path / "results.json").write_text('{"results": {}}')
    with pytest.warns(LeftOut) as told:
        assert len(read_scores(tmp_path)) == 3
    named = sorted(each.message.names for each in told)
    packed = [(str(tmp_path / name),) for name in ("backup.zip", "cut.zip")]
    assert named == sorted([*packed, tuple(sorted(map(str, others)))])
    with pytest.warns(LeftOut) as told:  # backup.zip has no tables
        refused("no log at", read_scores, tmp_path, "csv", error=FileNotFoundError)
    assert [each.message.names for each in told] == packed[1:]


def of_another_task(folder: Path) -> list[Path]:
    """Write logs of Inspect for another task in all its forms."""
    about = {"task": "inspect_evals/mmlu_0_shot", "model": "gpt"}
    late = {"samples": [{"input": "x" * 100_000}], "eval": about}
    texts = {"early.json": json.dumps({"version": 2, "eval": about, "samples": [{}]})}
    texts |= {"late.json": json.dumps(late), "indented.json": json.dumps(late, indent=2)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bom.json").write_text(texts["indented.json"], encoding="utf-8-sig")
    (folder / "wide.json").write_text(texts["indented.json"], encoding="utf-16")
    packed = [
        eval_file(folder / name, inspected() | {"eval": about | {"created": name}})
        for name in ("mmlu.eval", "mmlu.zip")
    ]
    within = write_zip(folder / "x.zip", {"gpt/mmlu.json": late | {"status": "success"}})
    names = (*texts, "bom.json", "wide.json")
    return [*packed, *(folder / name for name in names), Path(f"{within}::gpt/mmlu.json")]


@pytest.mark.parametrize("error", [PermissionError(13, "no"), ModuleNotFoundError("zstd")])
def test_archives_that_cannot_be_opened_do_not_stop_a_folder(error, tmp_path, monkeypatch) -> None:
    """A file that is named like a log still stops it."""
    log(tmp_path / "gpt", [crows(n) for n in range(3)])
    (tmp_path / "vectors.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    unpack = partial(_raise, error)
    monkeypatch.setattr(reading, "_zstd", unpack)
    with pytest.warns(LeftOut) as told:
        assert len(read_scores(tmp_path)) == 3
    assert [each.message.names for each in told] == [(str(tmp_path / "vectors.zst"),)]
    (tmp_path / "vectors.zst").rename(tmp_path / "log.jsonl.zst")
    refused("no|zstd", read_scores, tmp_path, error=type(error))


def _raise(error: Exception) -> None:
    raise error


def test_unrelated_packed_files_are_not_unpacked(tmp_path: Path) -> None:
    """Damage at their ends is not seen, and a large packed tar is named."""
    log(tmp_path / "gpt", [crows(n) for n in range(3)])
    noise = np.random.default_rng(1).bytes(1 << 20)
    cut = gzip.compress(b"he 1 2\n" + noise)[:-2000]
    for name in ("vectors.txt.gz", "vectors.gz"):
        (tmp_path / name).write_bytes(cut)
    assert len(read_scores(tmp_path)) == 3
    (tmp_path / "vectors.txt").write_bytes(bytes(MOST_LISTED + 1))
    with tarfile.open(tmp_path / "vectors.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(tmp_path / "vectors.txt", "vectors.txt")
    (tmp_path / "vectors.txt").unlink()
    with pytest.warns(LeftOut) as told:
        assert len(read_scores(tmp_path)) == 3
    assert [each.message.names for each in told] == [(str(tmp_path / "vectors.tar.gz"),)]


@pytest.mark.parametrize("inside", ["", "gpt/"])
def test_a_backup_next_to_its_log_is_no_other_model(inside: str, tmp_path: Path) -> None:
    path = log(tmp_path / "gpt", [crows(n) for n in range(3)])
    loose = read_scores(path.parent)
    with zipfile.ZipFile(path.parent / "s.zip", "w") as archive:
        archive.write(path, inside + path.name)
    with tarfile.open(path.parent / "t.tar.gz", "w:gz") as packed:
        packed.add(path, inside + path.name)
    with pytest.warns(LeftOut) as told:
        assert_frame_equal(read_scores(path.parent), loose)
    names = tuple(
        str(path.parent / f"{name}::{inside}{path.name}") for name in ("s.zip", "t.tar.gz")
    )
    assert [each.message.names for each in told] == [names]
    path.unlink()
    with pytest.warns(LeftOut):  # one backup is read, and counts as a folder
        alone = read_scores(path.parent)
    assert_frame_equal(alone, loose if inside else loose.assign(model="s"))


def test_archives_of_two_models_are_named_as_if_read_alone(tmp_path: Path) -> None:
    for n, model in enumerate(("gpt-3.5", "bert")):
        path = log(tmp_path / "made", [crows(n)])
        with zipfile.ZipFile(tmp_path / f"{model}.zip", "w") as archive:
            archive.write(path, path.name)
        path.unlink()
        assert read_scores(tmp_path / f"{model}.zip")["model"].unique() == [model]
    assert {*read_scores(tmp_path)["model"]} == {"gpt-3.5", "bert"}


@pytest.mark.parametrize(
    ("member", "model"),
    [
        ("gpt4/samples_crows_pairs.jsonl", "gpt4"),
        ("gpt4/a.jsonl", "a"),
        ("samples_crows_pairs.jsonl", "run"),
        ("./a.jsonl", "run"),
        ("a.jsonl", "run"),
        ("model=org__gpt4,x_crows_pairs.jsonl", "org/gpt4"),
    ],
)
def test_a_log_in_an_archive_has_one_name(member: str, model: str, tmp_path: Path) -> None:
    """The name is the same alone, in a folder, and as ``archive::member``."""
    archive = tmp_path / "gpt" / "run.tar.gz"
    plain = log(archive.parent, [crows(0)])
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(plain, member)
    plain.unlink()
    for path in (archive, tmp_path, f"{archive}::{member}"):
        assert set(read_scores(path)["model"]) == {model}
    for path in (archive, f"{archive}::{member}"):
        assert set(read_scores(path, "lm-eval")["model"]) == {model}


def pack(plain: Path, archive: Path, member: str) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as packed:
            packed.write(plain, member)
    else:
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(plain, member)


@pytest.mark.parametrize("ending", [".zip", ".tar.gz", ".gz"])
@pytest.mark.parametrize("name", ["samples_crows_pairs.jsonl", "bert.jsonl", "gpt-3.5.jsonl"])
def test_a_packed_log_has_the_name_that_it_has_unpacked(name, ending, tmp_path: Path) -> None:
    """Names within an archive do not matter if its own name is that of a log."""
    plain = log(tmp_path / "gpt", [crows(0)], name)
    model = read_scores(plain)["model"].tolist()
    for n, member in enumerate(("", "x.") if ending != ".gz" else ("",)):
        archive = tmp_path / f"{n}" / "gpt" / f"{name}{ending}"
        archive.parent.mkdir(parents=True)
        if ending == ".gz":
            archive.write_bytes(gzip.compress(plain.read_bytes()))
        else:
            pack(plain, archive, f"{member}{name}")
        for path in (archive, archive.parent):
            assert read_scores(path)["model"].tolist() == model


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
def test_a_folder_in_an_archive_names_the_model(ending: str, tmp_path: Path) -> None:
    for n, model in enumerate(("gemma", "llama")):
        plain = log(tmp_path / "made", [crows(n)], "samples_crows_pairs.jsonl")
        pack(plain, tmp_path / f"samples_{n}.jsonl{ending}", f"{model}/{plain.name}")
        plain.unlink()
    for path in (tmp_path, [*tmp_path.glob("samples*")]):
        assert {*read_scores(path)["model"]} == {"gemma", "llama"}


def test_other_json_and_archives_next_to_logs_stop_nothing(tmp_path: Path) -> None:
    model = log(tmp_path / "gpt", [crows(0)]).parent.name
    lines = '{"split": "eval", "task": "sst2", "loss": 0.3}\n' * 2
    (tmp_path / "train_log.json").write_text(lines)
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as packed:
        packed.writestr("header.json", '{"a": 1}')
    with pytest.warns(LeftOut, match="data.zip"):
        found = read_scores(tmp_path)
    assert {*found["model"]} == {model}


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
@pytest.mark.parametrize("member", ["samples_crows_pairs.jsonl", "a.jsonl"])
def test_archives_that_are_named_like_samples_are_logs(ending, member, tmp_path: Path) -> None:
    for n, model in enumerate(("gpt", "bert")):
        plain = log(tmp_path / "made", [crows(n)], member)
        (tmp_path / model).mkdir()
        pack(plain, tmp_path / model / f"samples_crows{ending}", member)
        plain.unlink()
        assert set(read_scores(tmp_path / model / f"samples_crows{ending}")["model"]) == {model}
    assert {*read_scores(tmp_path)["model"]} == {"gpt", "bert"}


@pytest.mark.parametrize("name", ["logs.zip", "logs.jsonl.zip", "samples_all.zip"])
def test_logs_of_several_models_in_one_archive(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        for model in ("gpt-3.5", "bert"):
            archive.writestr(f"{model}.jsonl", json.dumps(crows(0)))
    paths = [f"{tmp_path}/{name}::{model}.jsonl" for model in ("gpt-3.5", "bert")]
    assert read_scores(paths)["model"].tolist() == ["gpt-3.5", "bert"]


@pytest.mark.parametrize("form", ["lm-eval", "inspect", "csv"])
@pytest.mark.parametrize("read", [read_scores, bbq_scores])
def test_one_name_is_for_one_model(form, read, tmp_path: Path) -> None:
    """Logs of two models, with different pairs, are not read as those of one."""
    if (form, read) == ("csv", bbq_scores):
        return
    for n, model in enumerate(("gpt", "bert")):
        if form == "csv":
            row = f"model,pair_id,bias_type,difference\n{model},{n},age,1\n"
            (tmp_path / f"{model}.csv").write_text(row)
        elif form == "lm-eval":
            log(tmp_path / model, [sample(n, question(n), -1, -2, -3)], f"samples_bbq_{n}.jsonl")
        else:
            content = inspected() | {"eval": {"task": "bbq", "model": model}}
            content["samples"] = content["samples"][2 + n : 3 + n]
            (tmp_path / f"{model}.json").write_text(json.dumps(content))
    assert set(read(tmp_path)["model"]) == {"gpt", "bert"}
    refused("model='Z' is one name, but the logs have", read, tmp_path, model="Z")
    one = next(place for place in tmp_path.rglob("*gpt*"))
    assert set(read(one, model="Z")["model"]) == {"Z"}
    refused("model must be a name; got ''", read, one, model="")


def test_the_model_is_the_folder_of_a_log(tmp_path: Path, monkeypatch) -> None:
    path = log(tmp_path / "gpt", [crows(0), crows(1)])
    monkeypatch.chdir(path.parent)
    for place in (path.name, ".", Path("../gpt") / path.name):
        assert set(read_scores(place)["model"]) == {"gpt"}
    refused("pass one or more folders", read_scores, [])
    for place in (None, 3, [None]):
        refused("path must be", read_scores, place, error=TypeError)


@pytest.mark.parametrize("scores", [(1, 1), (1, -2)])
@pytest.mark.parametrize("label", ["bias_type", "cluster"])
def test_pairs_with_one_id_in_two_files_are_no_repeats(label, scores, tmp_path: Path) -> None:
    row = {"model": "m", "bias_type": "race", "cluster": "c"}
    for name, score in zip("ab", scores, strict=True):
        rows = [{"pair_id": n, **row, label: name, "difference": score} for n in range(3)]
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    refused("same pair_id .* its own id", read_scores, tmp_path)


def test_a_subset_may_name_clusters_and_spell_types_of_its_own(tmp_path: Path) -> None:
    rows = [{"model": "m", "bias_type": "race", "pair_id": n, "difference": 1} for n in range(3)]
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    part = pd.DataFrame(rows[:2]).assign(cluster="c", bias_type="Race")
    part.to_csv(tmp_path / "b.csv", index=False)
    assert len(read_scores(tmp_path)) == 3


def test_questions_with_one_id_in_two_files_are_no_repeats(tmp_path: Path) -> None:
    for category in ("Age", "SES"):
        asked = question(1, category=category, context_condition="disambig")
        samples = [{"id": 1, "metadata": asked, "scores": {"choice": {"answer": "A"}}}]
        (tmp_path / f"{category}.json").write_text(json.dumps(inspected() | {"samples": samples}))
    refused("'1' has two answers of 'gpt'.* its own id", bbq_scores, tmp_path)


def test_runs_of_a_model_that_disagree_are_refused(tmp_path: Path) -> None:
    """Equal answers are those of a task and its subsets, and count once."""
    log = inspected()
    log["samples"].pop()  # a question without a clear group
    places = [tmp_path / name for name in ("all.json", "some.json")]
    places[0].write_text(json.dumps(log))
    some = log | {"samples": log["samples"][2:5]}
    places[1].write_text(json.dumps(some))
    assert_frame_equal(bbq_scores(places), bbq_scores(places[0]))
    some["samples"][1]["scores"]["choice"]["answer"] = "ABC"[CHOSEN[3] - 1]
    places[1].write_text(json.dumps(some))
    refused("all.json and .*some.json have the same pair_id", bbq_scores, places)
    for content, letter in zip((log, some), "AB", strict=True):
        samples = content["samples"][:2]  # ambiguous questions, whose answers are unknown
        other = {"id": 99, "metadata": ASKED[7], "scores": {"choice": {"answer": letter}}}
        content["samples"] = [inspected()["samples"][2], *samples, other]
    for place, content in zip(places, (log, some), strict=True):
        place.write_text(json.dumps(content))
    refused("has two answers of 'gpt'", bbq_scores, places)


def test_the_percentage_of_known_differences() -> None:
    rng = np.random.default_rng(0)
    pairs = pd.DataFrame({"model": "m", "measure": "answer", "difference": rng.normal(0.1, 1, 40)})
    table = measure_table(pairs.assign(bias_type=["a"] * 25 + ["b"] * 15)).set_index("bias_type")
    shares = [100 * (part > 0).mean() for part in np.split(pairs["difference"], [25])]
    assert table["percentage"].tolist() == pytest.approx(
        [*shares, np.average(shares, weights=[25, 15])]
    )
    assert table[["kls", "jss"]].isna().all(axis=None)
