"""Reading sentence pairs, and refusing what only looks like them."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import refused

from bayesbias.maskedlm import PAIR_COLUMNS, ROLES, read_pairs, validate_pairs

BY_HAND = [name for name in PAIR_COLUMNS if name != "cluster"]
"""Columns of pairs that say nothing of clusters."""

CROWS = {
    "sent_more": ["The old man forgot his keys.", "She is bad at maths."],
    "sent_less": ["The young man forgot his keys.", "He is bad at maths."],
    "stereo_antistereo": ["stereo", "antistereo"],
    "bias_type": ["age", "gender"],
}


def write_crows(folder: Path, **changed: list[str]) -> Path:
    path = folder / "crows.csv"
    pd.DataFrame(CROWS | changed).to_csv(path)
    return path


def cluster(**changed: Any) -> dict[str, Any]:
    said = {
        "stereotype": "He is tall.",
        "anti-stereotype": "He is small.",
        "unrelated": "He is fox.",
    }
    sentences = [{"sentence": text, "gold_label": label} for label, text in said.items()]
    content = {"id": "c1", "bias_type": "race", "target": "men", "context": "A man came. "}
    return content | {"sentences": sentences} | changed


def write_stereoset(folder: Path, *clusters: dict[str, Any]) -> Path:
    path = folder / "dev.json"
    content = {"intrasentence": list(clusters), "intersentence": list(clusters)}
    path.write_text(json.dumps({"data": content}), encoding="utf-8")
    return path


def test_crows_pairs_as_published(shared_data: Path) -> None:
    pairs = read_pairs(shared_data / "crows_pairs" / "crows_pairs_anonymized.csv", "crows-pairs")
    assert tuple(pairs.columns) == PAIR_COLUMNS
    # Nangia, Vania, Bhalerao and Bowman (2020), table 1 and section 2: 1,508 pairs of 9 types.
    assert len(pairs) == 1508
    assert pairs["bias_type"].value_counts().to_dict() == {
        "race-color": 516,
        "gender": 262,
        "socioeconomic": 172,
        "nationality": 159,
        "religion": 105,
        "age": 87,
        "sexual-orientation": 84,
        "physical-appearance": 63,
        "disability": 60,
    }
    assert pairs["direction"].value_counts().to_dict() == {"stereo": 1290, "antistereo": 218}
    clusters = pairs["cluster"].value_counts()
    assert len(clusters) == 897
    assert clusters.index[0] == "black / white"
    assert clusters.iloc[0] > 150


@pytest.mark.parametrize(("part", "n"), [("intrasentence", 2106), ("intersentence", 2123)])
def test_stereoset_as_published(shared_data: Path, part: str, n: int) -> None:
    """Nadeem, Bethke and Reddy (2021), development set."""
    pairs = read_pairs(shared_data / "stereoset" / "dev.json", "stereoset", part=part)
    assert len(pairs) == n
    assert set(pairs["bias_type"]) == {"gender", "profession", "race", "religion"}
    assert pairs["cluster"].nunique() == 79  # targets


def test_more_and_less_stereotyping_sentences_keep_their_places(tmp_path: Path) -> None:
    pairs = read_pairs(write_crows(tmp_path), "crows-pairs")
    assert [list(pairs[role]) for role in ROLES] == [CROWS["sent_more"], CROWS["sent_less"]]
    assert list(pairs["pair_id"]) == ["0", "1"]
    some = read_pairs(write_crows(tmp_path), "crows-pairs", bias_types=["gender"])
    assert list(some["pair_id"]) == ["1"]


def test_intersentence_pairs_follow_their_context(tmp_path: Path) -> None:
    path = write_stereoset(tmp_path, cluster())
    pair = read_pairs(path, "stereoset", part="intersentence").iloc[0]
    assert pair["stereotypical"] == "A man came. He is tall."
    assert read_pairs(path, "stereoset").iloc[0]["anti_stereotypical"] == "He is small."


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        (
            {"stereo_antistereo": CROWS["bias_type"], "bias_type": CROWS["stereo_antistereo"]},
            "needs the direction stereo or antistereo; are columns exchanged",
        ),
        ({"bias_type": ["age", " "]}, "row 1, pair '1', has an empty bias_type"),
        ({"sent_more": ["", "She."]}, "row 0, pair '0', has an empty stereotypical"),
        ({"sent_less": CROWS["sent_more"]}, r"pair '0' \(and 1 more\), has two equal sentences"),
    ],
)
def test_wrong_columns_are_named(tmp_path: Path, changed: dict[str, list[str]], match: str) -> None:
    refused(match, read_pairs, write_crows(tmp_path, **changed), "crows-pairs")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (cluster(sentences=[]), "'c1'.* is no cluster of StereoSet: KeyError.*'stereotype'"),
        ({"id": "c1"}, "'c1'.* is no cluster of StereoSet: KeyError.*'sentences'"),
        (cluster(bias_type=""), "has an empty bias_type"),
    ],
)
def test_wrong_clusters_are_named(tmp_path: Path, content: dict[str, Any], match: str) -> None:
    refused(match, read_pairs, write_stereoset(tmp_path, content), "stereoset")


def test_files_that_are_something_else(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("no data here\n", encoding="utf-8")
    refused("not a JSON file", read_pairs, text, "stereoset")
    refused(r"lacks the column\(s\) sent_more", read_pairs, text, "crows-pairs")
    text.write_text("{}", encoding="utf-8")
    refused(r"not StereoSet: there is no data\.intrasentence", read_pairs, text, "stereoset")
    text.write_bytes(b"")
    refused("the file is empty", read_pairs, text, "crows-pairs")


def test_names_that_are_unknown(tmp_path: Path) -> None:
    path = write_crows(tmp_path)
    refused("unknown dataset 'crows'; did you mean 'crows-pairs'", read_pairs, path, "crows")
    types = {"bias_types": ["religion"]}
    refused("no pair has this bias type.*'religion'", read_pairs, path, "crows-pairs", **types)
    refused("unknown part of StereoSet", read_pairs, path, "stereoset", part="inter")
    gone = tmp_path / "none.csv"
    refused("do not come with", read_pairs, gone, "crows-pairs", error=FileNotFoundError)


def test_pairs_made_by_hand_are_checked_too() -> None:
    rows = [("1", "age", "stereo", "a b", "a c"), ("1", "age", "stereo", "a d", "a c")]
    pairs = pd.DataFrame(rows, columns=BY_HAND)
    refused("row 1, pair '1', has the pair_id of an earlier one", validate_pairs, pairs)
    refused("there are no sentence pairs", validate_pairs, pairs[:0])


# Other layouts, a small file of each.


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_own_pairs_need_three_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "own.csv", "stereotypical,anti_stereotypical,bias_type", "a b,a c,age")
    pairs = read_pairs(path, "csv")
    assert list(pairs.iloc[0]) == ["0", "age", "stereo", "b / c", "a b", "a c"]
    path = write(tmp_path / "few.csv", "stereotypical,bias_type", "a b,age")
    refused(r"lacks the column\(s\) anti_stereotypical", read_pairs, path, "csv")


@pytest.mark.parametrize(("ending", "mark"), [("_fr", "\t"), ("", ","), ("_fr", ";")])
def test_french_pairs_with_and_without_an_ending(tmp_path: Path, ending: str, mark: str) -> None:
    """The tables of the project's page, and the copy that lm-evaluation-harness reads."""
    names = ["", "sent_more", "sent_less"] if ending else [""]
    names += [f"sent_more{ending}", f"sent_less{ending}", "stereo_antistereo", "bias_type"]
    row = ["7", *(["The old man.", "The young man."] if ending else [])]
    row += ["Le vieux forgeron.", "Le jeune forgeron.", "stereo", "age"]
    path = write(tmp_path / "fr.csv", mark.join(names), mark.join(row))
    pair = read_pairs(path, "crows-pairs-fr").iloc[0]
    assert pair["stereotypical"] == "Le vieux forgeron."
    assert (pair["pair_id"], pair["cluster"]) == ("7", "jeune / vieux")


def test_ambiguous_questions_of_bbq(tmp_path: Path) -> None:
    info = {"ans0": ["Unknown", "unknown"], "ans1": ["Ann", "F"], "ans2": ["Bob", "M"]}
    question = {"category": "Gender_identity", "question_index": 40, "answer_info": info}
    question |= {"context": "Ann and Bob met.", "question": "Who forgot?", "ans0": "Nobody knows"}
    question |= {"ans1": "Ann", "ans2": "Bob", "question_polarity": "neg", "example_id": 0}
    question |= {"additional_metadata": {"stereotyped_groups": ["F"]}, "context_condition": "ambig"}
    odd = {"additional_metadata": {"stereotyped_groups": ["transgender women"]}, "example_id": 3}
    asked = [
        question,
        question | {"question_polarity": "nonneg", "example_id": 1},
        question | {"context_condition": "disambig", "example_id": 2},
        question | odd,
    ]
    pairs = read_pairs(write(tmp_path / "x.jsonl", *map(json.dumps, asked)), "bbq")
    assert list(pairs["stereotypical"]) == [
        "Ann and Bob met. Who forgot? Ann",
        "Ann and Bob met. Who forgot? Bob",
    ]
    assert set(pairs["cluster"]) == {"Gender_identity 40"}
    assert list(pairs["pair_id"]) == ["Gender_identity 0", "Gender_identity 1"]
    refused("not BBQ: row 0 lacks", read_pairs, write(tmp_path / "y.jsonl", "{}"), "bbq")
