"""Logs of the harness as people hold them: packed, cut off, repeated, or with odd samples."""

import bz2
import gzip
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import refused
from maskedlm_toys import crows, left_out, log, question, sample, winogender
from pandas.testing import assert_frame_equal

from bayesbias.maskedlm import bbq_scores, read_scores
from bayesbias.maskedlm.harness_logs import TEXT_ENDINGS, _score, model_of
from bayesbias.maskedlm.logs import AGAIN, IDENTICAL, INFINITE, NO_CHOICE
from bayesbias.warnings import LeftOut

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
    assert left_out(told) == {AGAIN: 2, NO_CHOICE: 1}
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


@pytest.mark.parametrize("scores", [("nan", -2, -3), (-1, "nan", -3)])
@pytest.mark.parametrize("context", ["ambig", "disambig"])
@pytest.mark.parametrize("groups", [["old"], ["sick"]])
def test_answers_without_a_score_are_no_texts_without_a_choice(
    scores, context, groups, tmp_path: Path
) -> None:
    """Each counts once, also if the question has no clear group or its context decides."""
    whole = [sample(n, question(n), -1, -2, -3) for n in range(2)]
    asked = question(2, groups=groups, context_condition=context)
    said = {"doc_id": 2, "doc": asked, "filtered_resps": ["Hm."]}
    for odd, why in ((sample(2, asked, *scores), INFINITE), (said, NO_CHOICE)):
        path = log(tmp_path, [*whole, odd])
        with pytest.warns(LeftOut) as told:
            read_scores(path)
        counts = left_out(told)
        assert counts[why] == 1
        assert not {INFINITE, NO_CHOICE} - {why} & {*counts}


@pytest.mark.parametrize("ending", ["", *TEXT_ENDINGS, ".jsonl.gz"])
@pytest.mark.parametrize("name", ["gpt", "gpt-3.5"])
def test_endings_of_texts_are_no_part_of_a_name(name: str, ending: str) -> None:
    assert model_of(Path(f"logs/{name}{ending}")) == name


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
    unknown = log(tmp_path, [winogender(0, "nurse", "man", -4, -2)], "samples_winogender_x.jsonl")
    refused("'man', not male, female", read_scores, unknown)
    assert paired["difference"].to_dict() == {"nurse": 3, "plumber": -1.5}
    assert paired.loc["plumber", "pair_id"] == "plumber.guest.0"
