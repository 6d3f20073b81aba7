"""BBQ as its authors score it, and logs of the harness and Inspect as people hold them."""

import bz2
import gzip
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from pandas.testing import assert_frame_equal

from bayesbias.maskedlm import bbq_scores, measure_table, read_pairs, read_scores
from bayesbias.maskedlm.bbq import NESTED, NO_TARGET, OTHERS, bbq_places
from bayesbias.maskedlm.harness_logs import _score
from bayesbias.maskedlm.inspect_logs import _chosen
from bayesbias.maskedlm.logs import AGAIN, IDENTICAL, INFINITE
from bayesbias.warnings import LeftOut, RepeatedSentences, UnfinishedLog

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


BLACK = ["African American", "Black"]

# The tags and groups of nyu-mll/BBQ, issues 2 and 11, and stanford-crfm/helm, issue 1988.
TAGS: list[tuple[str, list[str], list[str], Any, int | str]] = [
    ("Gender_identity", ["woman", "woman"], ["man", "man"], ["F"], 0),
    ("Gender_identity", ["girl", "girl"], ["boy", "boy"], ["M"], 2),
    ("Gender_identity", ["Ann", "F"], ["Joe", "M"], ["Women", "girls"], 0),
    ("Gender_identity", ["Jo", "nonTrans_F"], ["Al", "trans_M"], ["Transgender women", "trans"], 2),
    ("Nationality", ["Guinean", "Africa"], ["Somali", "ArabStates"], ["Eritrean", "Somali"], 2),
    ("Race_ethnicity", ["African", "African"], ["Asha", "F-Black"], BLACK, 2),
    ("Race_x_gender", ["A", "F-Black"], ["B", "M-Black"], ["Black"], "both"),
    ("Race_x_gender", ["A", "F-Black"], ["B", "M-Black"], ["F", "Black"], 0),
    ("Race_x_gender", [], ["B", "F-White"], ["Latino", "Hispanic"], 0),
    ("Race_x_SES", ["A", "highSES-F-White"], ["B", "lowSES-M-Black"], ["Black"], 2),
    ("SES", ["poor", "lowSES"], ["rich", "highSES"], ["low SES"], 0),
    ("Disability_status", ["A", "nonDisabled"], ["B", "disabled"], ["mentally ill"], 2),
    ("Sexual_orientation", ["gay", "gay"], ["bisexual", "bisexual"], "gay", 0),
    ("Sexual_orientation", ["straight", "straight"], ["gay", "gay"], ["gay men"], 2),
    ("Sexual_orientation", ["lesbian", "lesbian"], ["gay man", "gay"], ["Gay men"], 2),
    ("Sexual_orientation", ["a man", "M"], ["a woman", "F"], ["gay men"], "no answer"),
    ("Race_x_gender", ["A", "F-Black"], ["B", "M-Black"], ["Black women"], 0),
    ("Race_x_gender", ["Black man", "Black"], ["Black woman", "Black"], ["Black women"], 2),
    ("Race_ethnicity", ["Hispanic", "Latino"], ["African", "African"], ["African American"], "no "),
    ("Race_ethnicity", ["Asha", "F-Asian"], ["Ana", "F-Latino"], ["Hispanic/Latino"], 2),
    ("Religion", ["Jewish", "Jewish"], ["Atheist", "Atheist"], "['Jewish people']", 0),
    ("Religion", ["Jewish", "Jewish"], ["Muslim", "Muslim"], ["Sikh"], "no answer"),
    ("Religion", ["Jewish", "Jewish"], ["Muslim", "Muslim"], [], "no stereotyped group"),
    ("Religion", ["Jewish", "Jewish"], ["Undetermined", "unknown"], ["Jewish"], "two groups"),
]


def left_out(told: pytest.WarningsRecorder) -> dict[str, int]:
    """Return the numbers of samples left out, by reason."""
    return {each.message.reason: each.message.n for each in told if each.category is LeftOut}


@pytest.mark.parametrize(("category", "first", "second", "groups", "target"), TAGS)
def test_the_stereotyped_answer_of_bbq(category, first, second, groups, target) -> None:
    asked = question(1, first, second, groups, category=category)
    places = bbq_places(asked)
    if isinstance(target, str):
        assert isinstance(places, str)
        assert target in places
    else:
        assert places == (target, 2 - target)
        assert bbq_places(asked | {"question_polarity": "nonneg"}) == (2 - target, target)


def test_targets_from_the_metadata_of_the_authors(tmp_path: Path) -> None:
    """``target_loc`` decides; ``x`` and rows that disagree name no target."""
    rows = [("Race_x_gender", n, place) for n, place in enumerate(("2", "0", "x", "2"))]
    table = pd.DataFrame([*rows, rows[3], ("Race_x_gender", 1, "2")])
    table.columns = pd.Index(["category", "example_id", "target_loc"])
    table.to_csv(tmp_path / "metadata.csv", index=False)
    groups = {"first": ["A", "F-Black"], "second": ["B", "M-Black"], "groups": ["Black"]}
    asked = [question(n, category="Race_x_gender", **groups) for n in range(5)]
    path = tmp_path / "bbq.jsonl"
    path.write_text("\n".join(map(json.dumps, asked)))
    with pytest.warns(LeftOut) as told:
        pairs = read_pairs(path, "bbq", metadata=tmp_path / "metadata.csv")
    assert left_out(told) == {NO_TARGET: 3}
    assert pairs["pair_id"].tolist() == ["Race_x_gender 0", "Race_x_gender 3"]
    said = "Two people were late. Who was it? The {}".format
    row = ("Race_x_gender", "stereo", "Race_x_gender 1", said("B"), said("A"))
    assert [*pairs.drop(columns="pair_id").itertuples(index=False, name=None)] == [row] * 2
    refused(r"left: left out 5 .* both answers", read_pairs, path, "bbq")


def test_an_unknown_kind_of_context_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "bbq.jsonl"
    asked = [question(n, context_condition="ambiguous") for n in range(2)]
    path.write_text("\n".join(map(json.dumps, asked)))
    refused("context_condition is 'ambiguous', not", read_pairs, path, "bbq")


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


TWIN = {"sent_more": "Ann is late.", "sent_less": "Joe is late."}


def test_a_pair_that_the_data_contain_twice(tmp_path: Path) -> None:
    """CrowS-Pairs has one exact duplicate, so both models have the same two ids for it."""
    for model in ("one", "two"):
        log(tmp_path / model, [crows(0, **TWIN), crows(1), crows(2, **TWIN)])
    paired = read_scores(tmp_path)
    assert paired["difference"].tolist() == [1, 0, -1] * 2
    ids = paired.groupby("model")["pair_id"].apply(list)
    assert ids["one"] == ids["two"]
    assert ids["one"][2] == f"{ids['one'][0]}-2"


def test_samples_that_repeat_a_document(tmp_path: Path) -> None:
    """Versions before 0.4.6 write a sample for each filter (harness issues 1687 and 2025)."""
    path = log(tmp_path, [crows(n) for n in (0, 1, 0, 1)])
    with pytest.warns(LeftOut) as told:
        assert len(read_scores(path)) == 2
    assert left_out(told) == {AGAIN: 2}
    other = [crows(n, -1, -3) | {"doc_id": n - 7} for n in (7, 8)]  # two logs in one file
    paired = read_scores(log(tmp_path, [crows(0), crows(1), *other]))
    assert paired["difference"].tolist() == [1, 0, 2, 2]


def test_another_filter_may_find_the_answer(tmp_path: Path) -> None:
    """A valid answer counts, whichever filter comes first; without any, there is no answer."""
    texts = ["[invalid]", "grandpa", "[invalid]", "grandson", "[invalid]"]
    samples = [
        {"doc_id": n // 2, "doc": question(n // 2), "filtered_resps": [text]}
        for n, text in enumerate(texts)
    ]
    with pytest.warns(LeftOut) as told:
        paired = read_scores(log(tmp_path, samples))
    assert left_out(told) == {AGAIN: 2}
    assert paired["difference"].tolist() == [1, -1]
    assert paired.attrs["left_out"] == 3


PACKINGS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("ending", PACKINGS)
def test_packed_logs(ending: str, tmp_path: Path) -> None:
    plain = log(tmp_path / "plain" / "gpt2", [crows(n) for n in range(4)])
    packed = tmp_path / "packed" / "gpt2" / f"{plain.name}{ending}"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(PACKINGS[ending](plain.read_bytes()))
    for place, layout in ((packed, "auto"), (packed, "lm-eval"), (packed.parent, "auto")):
        assert_frame_equal(read_scores(place, layout), read_scores(plain))
    packed.write_bytes(packed.read_bytes()[:-20])
    refused(f"{packed} is cut off", read_scores, packed.parent)


def test_logs_in_an_archive(tmp_path: Path) -> None:
    plain = log(tmp_path / "gpt2", [crows(n) for n in range(4)])
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.write(plain, f"gpt2/{plain.name}")
        archive.write(plain, "other.jsonl")
    refused("contains 2 files; choose one", read_scores, tmp_path / "logs.zip")
    read = read_scores(f"{tmp_path}/logs.zip::gpt2/{plain.name}")
    assert_frame_equal(read, read_scores(plain))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_texts_with_other_line_breaks(encoding: str, tmp_path: Path) -> None:
    """JSON lines end at a newline alone; other separators may stand in a text."""
    samples = [crows(n, sent_more=f"The\u2028old\x85man {n}.") for n in range(3)]
    path = tmp_path / "samples_crows_pairs.jsonl"
    lines = [json.dumps(each, ensure_ascii=False) for each in samples]
    path.write_text("\r\n".join(lines), encoding=encoding, newline="")
    assert read_scores(path)["difference"].tolist() == [1, 0, -1]


ODD_SAMPLES = [
    (crows(0, -1, -2, -3), "row 0: it has 3 log-likelihoods, not 2"),
    (crows(0, stereo_antistereo=-1), "row 0: unknown direction '-1'"),
    (
        sample(0, question(0, context_condition="ambiguous"), -1, -2, -3),
        "row 0: the context_condition is 'ambiguous', not ambig or disambig",
    ),
    (sample(0, question(0), -1, -2), "row 0: it has 2 log-likelihoods, not 3"),
]


LOG_LIKELIHOODS = {
    **{"-31.5": -31.5, " -31.5": -31.5, "-.5": -0.5, "-3.15e1": -31.5, "-inf": -np.inf, "0": 0},
    **{"np.float64(-31.5)": -31.5, "(-31.5, False)": -31.5, "(np.float32(-2), True)": -2},
    **{"tensor(-31.5, device='cuda:0')": -31.5, "tensor([-31.5])": -31.5, "array(-1)": -1},
}
NO_NUMBERS = ["\N{MINUS SIGN}31.5", "-31,5", "45%", "I prefer sentence 2", "1) A man", "1)", "(-3"]


@pytest.mark.parametrize("text", [*LOG_LIKELIHOODS, *NO_NUMBERS, "True", "{'tokens': 9}", ""])
def test_a_log_likelihood_is_a_whole_text(text, tmp_path: Path) -> None:
    if text in LOG_LIKELIHOODS:
        assert _score([text, "False"]) == LOG_LIKELIHOODS[text]
        return
    refused("not a log-likelihood", read_scores, log(tmp_path, [crows(0, text, -3)]))
    three = sample(0, question(0), *[text] * 3)
    refused("not a log-likelihood", bbq_scores, log(tmp_path, [three]))


@pytest.mark.parametrize(("odd", "why"), ODD_SAMPLES)
def test_a_sample_that_cannot_be_read_says_why(odd, why, tmp_path: Path) -> None:
    refused(why, read_scores, log(tmp_path, [odd]))


def test_names_and_numbers_of_directions(tmp_path: Path) -> None:
    given = (0, 1, "0", "1", "stereo", "antistereo")
    path = log(tmp_path, [crows(n, stereo_antistereo=name) for n, name in enumerate(given)])
    assert read_scores(path)["direction"].tolist() == ["stereo", "antistereo"] * 3


def test_an_overall_log_and_a_subset(tmp_path: Path) -> None:
    everything = [crows(n, kind="age" if n % 2 else "gender") for n in range(6)]
    whole = log(tmp_path, everything)
    part = log(tmp_path, everything[1::2], "samples_crows_pairs_english_age_2026.jsonl")
    paired = read_scores(tmp_path)
    assert len(paired) == 6
    reasons = {one["log"]: one["left_out"] for one in paired.attrs["logs"]}
    assert reasons == {str(whole): {}, str(part): {f"the pair is also in {whole}": 3}}
    log(tmp_path, [crows(1, -29, -31), crows(3)], part.name)
    refused(f"{whole} and {part} have the same pairs", read_scores, tmp_path)
    log(tmp_path, everything[1::2], part.name)
    everything[0] = crows(0, -29, -31, kind="gender")
    again = log(tmp_path, everything, "samples_crows_pairs_english_2027.jsonl")
    refused(f"{whole} and {again} have the same pairs", read_scores, tmp_path)
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


def test_logs_of_several_tasks_in_one_file(tmp_path: Path) -> None:
    """Samples of BBQ have no direction, and generated answers have no log-likelihoods."""
    said = {"doc_id": 3, "doc": question(3), "filtered_resps": ["grandson"]}
    paired = read_scores(log(tmp_path, [crows(0, stereo_antistereo=1), said]))
    assert paired["direction"].tolist() == ["antistereo", "stereo"]
    assert paired["difference"].tolist() == [1, -1]
    assert paired["cluster"].tolist() == ["old / young", "Age 1"]


def test_old_layouts_of_the_harness(tmp_path: Path) -> None:
    """Up to 0.4.2, a log was a JSON list named after the model's arguments (harness 1493)."""
    samples = [crows(0), {"doc_id": 1, "doc": crows(1)["doc"], "resps": [[[-2.5, False]], [[-4]]]}]
    name = "pretrained=org__gpt2,dtype=float_crows_pairs_english.jsonl"
    (tmp_path / name).write_text(json.dumps(samples, indent=4))
    paired = read_scores(tmp_path)
    assert set(paired["model"]) == {"org/gpt2"}
    assert paired["difference"].tolist() == [1, 1.5]


LEFT_OUT: list[tuple[list[Any], str]] = [
    ([crows(2, "-inf", -3)], INFINITE),
    ([crows(2, -3, "nan")], INFINITE),
    (['{"doc_id": 3, "doc": {"se'], "row 3: not a JSON"),
    ([crows(2, -3, "much")], "'much'"),
    ([crows(2, sent_more=None)], "row 3: it needs a text in sent_more; got None"),
    ([crows(2, sent_less=" ")], "row 3: it needs a text in sent_less"),
    ([crows(2, sent_less="The old man 2.")], IDENTICAL),
    ([crows(2, kind="")], "row 3: it needs a text in bias_type"),
    ([sample(2, question(2, ans0=""), -1, -2, -3)], "row 3: it needs a text in ans0"),
    ([sample(2, question(2, context=None), -1, -2, -3)], "row 3: it needs a text in context"),
    ([{"doc_id": 2, "doc": None}], "row 3: its doc is None"),
    ([sample(2, {"text": "?"}, -3)], "row 3: its document has the fields 'text"),
]


@pytest.mark.parametrize(("odd", "why"), LEFT_OUT)
def test_one_odd_sample_does_not_refuse_a_log(odd, why, tmp_path) -> None:
    path = log(tmp_path, [crows(0), crows(1), crows(5), *odd])
    with pytest.warns(LeftOut) as told:
        paired = read_scores(path)
    ((reason, n),) = left_out(told).items()
    assert (why in reason, n) == (True, 1)
    assert paired["difference"].tolist() == [1, 0, -4]
    assert paired.attrs["left_out"] == 1


def test_one_odd_row_does_not_refuse_a_data_set(tmp_path: Path) -> None:
    good = "A b,A c,age\nD e,D f,age\nG h,G i,age\n"
    for row in ("A b,A b,age", "A b,,age", "A b,A c,", "A b,A c,age", " A b,A c,age "):
        path = tmp_path / "own.csv"
        path.write_text(f"stereotypical,anti_stereotypical,bias_type\n{good}{row}\n")
        with pytest.warns(LeftOut):
            pairs = read_pairs(path, "csv")
        assert ([*pairs.attrs["left_out"].values()], len(pairs)) == ([1], 3)
    several = [question(n, context=f"It was {n}.") for n in range(3)]
    path.write_text("\n".join(map(json.dumps, [*several, {}])))
    with pytest.warns(LeftOut):
        assert len(read_pairs(path, "bbq")) == 3


@pytest.mark.filterwarnings("always::bayesbias.warnings.BayesbiasWarning")
@pytest.mark.parametrize(
    ("rows", "left", "again"),
    [
        ("A b,A c,age,1\nA b,A c,age,2\nD e,D f,age,3\n", 0, ("2",)),
        ("A b,A c,age,1\nA c,A b,age,2\nD e,D f,age,3\n", 0, ("2",)),
        ("A b,A c,age,1\nA b,A c,sex,2\nA b,A c,age,1\n", 1, ("2",)),
        ("A b,A c,age,1\n" * 3, 2, ()),
    ],
)
def test_pairs_of_the_same_sentences(rows, left, again, tmp_path, recwarn) -> None:
    """A row that repeats all of another is left out; other pairs of its sentences count."""
    path = tmp_path / "own.csv"
    path.write_text("stereotypical,anti_stereotypical,bias_type,pair_id\n" + rows)
    assert len(read_pairs(path, "csv")) == 3 - left
    told = [each.message for each in recwarn]
    named = [one.pairs for one in told if isinstance(one, RepeatedSentences)]
    assert named == [again] * bool(again)
    assert [one.n for one in told if isinstance(one, LeftOut)] == [left] * bool(left)
    path.write_text("Stereotypical,anti_stereotypical,bias_type,ID,Note\nA b,A c,age,1,\n")
    with pytest.warns(LeftOut) as told:
        read_pairs(path, "csv")
    assert told[0].message.names == ("ID",)
    bare = "".join(line.rsplit(",", 1)[0] + "\n" for line in rows.splitlines())
    path.write_text("stereotypical,anti_stereotypical,bias_type\n" + bare)
    assert len(read_pairs(path, "csv")) == len({*bare.splitlines()})  # without ids, all repeats go


@pytest.mark.parametrize("form", ["json", "python", "csv", "parquet", "parquet of objects"])
def test_questions_of_bbq_in_tables(form: str, tmp_path: Path) -> None:
    """Tables have objects as text, in JSON or as Python prints them."""
    asked = [question(n, context=f"It was {n}.") for n in range(3)]
    write = {"python": str, "parquet of objects": lambda one: one}.get(form, json.dumps)
    held = [row | {name: write(row[name]) for name in NESTED} for row in asked]
    (tmp_path / "plain").write_text("\n".join(map(json.dumps, asked)))
    path = tmp_path / f"q.{form.split(maxsplit=1)[0]}"
    if form == "csv":
        pd.DataFrame(held).to_csv(path, index=False)
    elif form.startswith("parquet"):
        pd.DataFrame(held).to_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, held)))
    assert_frame_equal(read_pairs(path, "bbq"), read_pairs(tmp_path / "plain", "bbq"))
    for text in ("array([1])", "{{1: 2}: 3}", "-" * 20_000 + "1"):
        path.write_text(json.dumps(asked[0] | {"additional_metadata": text}))
        refused("additional_metadata must be an object.*JSON lines", read_pairs, path, "bbq")
    if form in {"json", "python"}:
        samples = [sample(n, row, -1, -2, -3) for n, row in enumerate(held)]
        logs = log(tmp_path / "gpt", samples, "samples_bbq_2026.jsonl")
        assert read_scores(logs)["difference"].tolist() == [2, 2, 2]
        of_inspect = inspected()
        for one in of_inspect["samples"]:
            one["metadata"] |= {name: write(one["metadata"][name]) for name in NESTED}
        (tmp_path / "x.json").write_text(json.dumps(of_inspect))
        with pytest.warns(LeftOut):
            assert read_scores(tmp_path / "x.json")["difference"].tolist() == [1, 1, -1, 1]


def winogender(number: int, job: str, gender: str, *scores: float) -> dict[str, Any]:
    doc = {"occupation": job, "participant": "guest", "gender": gender, "label": 0}
    return sample(number, doc, *scores)


def test_winogender_compares_pronouns(tmp_path: Path) -> None:
    """Rudinger et al. (2018): most nurses are women and most plumbers men, in US statistics."""
    samples = [
        winogender(0, "nurse", "male", -4, -2),  # log-odds of the occupation: -2
        winogender(1, "nurse", "female", -1, -2),  # 1
        winogender(2, "plumber", "male", -3, -2),  # -1
        winogender(3, "plumber", "female", -2, -2.5),  # 0.5
        winogender(4, "plumber", "neutral", -2, -2),
        winogender(5, "chef", "male", -2, -2),
        winogender(0, "nurse", "male", -9, -2) | {"doc_id": None},
    ]
    path = log(tmp_path, samples, "samples_winogender_2026.jsonl")
    with pytest.warns(LeftOut) as told:
        paired = read_scores(path).set_index("cluster")
    assert [each.message.n for each in told] == [1, 1, 1]
    assert paired["difference"].to_dict() == {"nurse": 3, "plumber": -1.5}
    assert paired.loc["plumber", "pair_id"] == "plumber.guest.0"


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


def written(kind: str, folder: Path) -> Path:
    if kind == "eval":
        return eval_file(folder / "x.eval", inspected())
    if kind == "json":
        (folder / "x.json").write_text(json.dumps(inspected()))
        return folder / "x.json"
    return log(folder / "gpt", SCORES if kind == "scores" else TEXTS, "samples_bbq_2026.jsonl")


def test_a_question_with_an_unknown_score_has_no_answer(tmp_path) -> None:
    samples = [*SCORES, sample(99, question(99), "nan", *[-1.0] * 11)]
    with pytest.warns(LeftOut):
        scores = bbq_scores(log(tmp_path, samples, "samples_bbq_2026.jsonl")).iloc[0]
    # Of eight ambiguous questions, three are answered well, and three of four answers are biased.
    found = scores[["n_ambig", "accuracy_ambig", "s_ambig"]].tolist()
    assert found == pytest.approx([8, 3 / 8, (1 - 3 / 8) * (2 * 3 / 4 - 1)])


@pytest.mark.parametrize("kind", ["scores", "texts", "json", "eval"])
def test_bias_scores_of_bbq_by_hand(kind, tmp_path) -> None:
    """Parrish et al. (2022), section 4: s_DIS = 2 b - 1, s_AMB = (1 - accuracy) (2 b - 1)."""
    path = written(kind, tmp_path)
    with pytest.warns(LeftOut) as told:
        scores = bbq_scores(path).set_index("bias_type")
    assert left_out(told) == {OTHERS: 1}
    assert list(scores.index) == ["Age", "all"]
    expected = {"n_unclear": 1, "n_ambig": 7, "n_disambig": 5, "model": "gpt"}
    expected |= {"accuracy_ambig": 3 / 7, "accuracy_disambig": 4 / 5}
    expected |= {"s_disambig": 2 * 2 / 4 - 1, "s_ambig": (1 - 3 / 7) * (2 * 3 / 4 - 1)}
    assert scores.loc["Age"].to_dict() == pytest.approx(expected)
    with pytest.warns(LeftOut):
        paired = read_scores(tmp_path)
    if kind == "scores":  # every ambiguous question has scores of both groups
        assert paired["difference"].tolist() == [2, 2, 4, 4, -2, 2]
        return
    assert paired["difference"].tolist() == [1, 1, -1, 1]
    assert paired.attrs["left_out"] == 3


def test_bias_scores_of_bbq_from_parts(tmp_path: Path) -> None:
    """The harness has tasks for ambiguous and for disambiguated questions, and for both."""
    parts: dict[str, list[Any]] = {"ambig": [], "disambig": []}
    for each in TEXTS[:-1]:
        parts[each["doc"]["context_condition"]].append(each)
    whole = bbq_scores(log(tmp_path / "whole", TEXTS[:-1]))
    for name, samples in parts.items():
        log(tmp_path / "parts", samples, f"samples_bbq_{name}_2026.jsonl")
    pooled = bbq_scores(tmp_path / "parts")
    pd.testing.assert_frame_equal(pooled.drop(columns="model"), whole.drop(columns="model"))
    log(tmp_path / "parts", TEXTS[:-1], "samples_bbq_2026.jsonl")
    assert_frame_equal(bbq_scores(tmp_path / "parts"), pooled)
    assert len(read_scores(tmp_path / "parts").attrs["logs"][0]["bbq"]) == len(pooled)


def test_all_answers_unknown_means_no_bias(tmp_path: Path) -> None:
    samples = [sample(n, question(n), -5, -6, -1, -9) for n in range(3)]
    scores = bbq_scores(log(tmp_path, samples)).iloc[0]
    assert (scores["s_ambig"], scores["accuracy_ambig"]) == (0, 1)
    assert np.isnan(scores["s_disambig"])
    path = log(tmp_path, [crows(n) for n in range(3)])
    refused("no answers to BBQ", bbq_scores, path)


@pytest.mark.parametrize("form", [int, float, str, "ABC".__getitem__, None])
def test_forms_of_the_correct_answer(form, tmp_path: Path) -> None:
    """Four of five answers to disambiguated questions are right, see ANSWERED."""
    asked = ASKED[6:11]
    labels = [form(q["label"]) if form else q[f"ans{q['label']}"] for q in asked]
    docs = [q | {"label": label} for q, label in zip(asked, labels, strict=True)]
    samples = [one | {"doc": doc} for one, doc in zip(SCORES[6:11], docs, strict=True)]
    path = log(tmp_path, samples, "samples_bbq_2026.jsonl")
    assert bbq_scores(path)["accuracy_disambig"].tolist() == [4 / 5] * 2
    refused("all questions are disambiguated; use bbq_scores", read_scores, path)
    samples = [one | {"doc": doc | {"label": 3}} for one, doc in zip(samples, docs, strict=True)]
    refused("its label is 3, not 0", bbq_scores, log(tmp_path, samples, path.name))


def test_eval_files_that_are_not_whole(tmp_path: Path) -> None:
    content = inspected() | {"samples": inspected()["samples"][:3]}
    for expected, part in {
        5: eval_file(tmp_path / "a.eval", content, summaries=5),
        None: eval_file(tmp_path / "b.eval", content, "summaries.json"),
        3: eval_file(tmp_path / "c.eval", content | {"status": "cancelled"}),
    }.items():
        with pytest.warns(UnfinishedLog) as told:
            assert read_scores(part)["difference"].tolist() == [1]
        assert told[0].message == UnfinishedLog(str(part), 3, expected)
    without = eval_file(tmp_path / "d.eval", content, "header.json", "_journal/start.json")
    (tmp_path / "e.eval").write_bytes(without.read_bytes()[:200])
    for path in (without, tmp_path / "e.eval"):
        refused(f"{path} cannot be read; rewrite it with `inspect", read_scores, path)


def test_a_json_log_of_a_run_that_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    samples = inspected()["samples"][:3]
    path.write_text(json.dumps(inspected() | {"status": "cancelled", "samples": samples}))
    with pytest.warns(UnfinishedLog) as told:
        read_scores(path)
    assert told[0].message == UnfinishedLog(str(path), 3, None)


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
    refused("all.json and .*some.json have the same pairs", bbq_scores, places)
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


def test_the_letter_of_an_answer_may_have_marks_around_it() -> None:
    answers = {"B": 1, "(b) he": 1, " C.": 2, "**A**": 0, "Both": -1, "D": -1, "": -1}
    answers |= {"A,B": -1, "(a) and (b)": 0, "B, C.": -1, "A: a boy": 0, "A boy": -1, "a Man": 1}
    names = [["The woman"], ["The man"], ["Unknown", "not known"]]
    answers |= {"The woman": 0, "A man": 1, "It is not known.": 2, "the man or the woman": -1}
    assert {text: _chosen([text], names) for text in answers} == answers
