"""Files of Jigsaw's comments and of Bias in Bios, written by hand in their layouts."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest
from builders import refused

from bayesbias.extrinsic import read_bios, read_jigsaw, subgroup_areas, tpr_gaps
from bayesbias.extrinsic.datasets import IDENTITIES, PROFESSIONS

TRAIN = """\
id,target,comment_text,severe_toxicity,asian,male,muslim,created_date,rating,identity_annotator_count
1,0.0,"A fine day, said he",0.0,,,,2015-09-29,approved,0
2,0.5,"nan",0.1,0.0,1.0,0.5,2015-09-30,approved,4
3,0.49,"two
lines",0.0,0.0,0.49,1.0,2015-09-30,rejected,4
4,0.9,"Café",0.0,0,0,0,2015-09-30,rejected,10
"""
"""Columns of ``train.csv``, most of the identities left out."""


def test_comments_are_labelled_by_half_of_the_raters(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text(TRAIN, encoding="utf-8")
    frame = read_jigsaw(path)
    assert frame["text"].tolist() == ["nan", "two\nlines", "Café"]
    assert frame["truth"].tolist() == [True, False, True]
    assert list(frame.columns) == ["text", "truth", "male", "muslim", "asian"]
    assert frame[["male", "muslim", "asian"]].to_numpy().tolist() == [
        [True, True, False], [False, True, False], [False, False, False]
    ]  # fmt: skip
    assert frame.attrs["left_out"] == 1
    areas = subgroup_areas(frame["truth"], [0.9, 0.1, 0.2], frame[["muslim"]])
    assert areas["subgroup"].tolist() == [1.0]
    assert read_jigsaw(path, identities=["muslim"], threshold=0.9)["muslim"].sum() == 1
    packed = tmp_path / "train.csv.gz"
    packed.write_bytes(gzip.compress(TRAIN.encode()))
    assert read_jigsaw(packed).equals(frame)


def test_all_data_calls_it_toxicity_and_parquet_holds_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "comment_text": ["a", "b", "c"],
            "split": ["train", "test", "train"],
            "toxicity": [0.2, 0.8, 0.6],
            "black": [None, 0.6, 0.0],
        }
    )
    frame.to_parquet(tmp_path / "all_data.parquet")
    frame.to_csv(tmp_path / "all_data.csv", index=False)
    found = [read_jigsaw(tmp_path / f"all_data.{end}") for end in ("csv", "parquet")]
    assert found[0].to_dict("list") == found[1].to_dict("list")
    assert found[0]["truth"].tolist() == [True, True]
    assert found[0]["black"].tolist() == [True, False]


CARD = """asian atheist bisexual black buddhist christian female heterosexual hindu
homosexual_gay_or_lesbian intellectual_or_learning_disability jewish latino male muslim
other_disability other_gender other_race_or_ethnicity other_religion other_sexual_orientation
physical_disability psychiatric_or_mental_illness transgender white"""
"""Identities as the card of google/jigsaw_unintended_bias lists them."""


def test_the_identities_are_those_of_the_card() -> None:
    assert sorted(IDENTITIES) == CARD.split()


def test_what_are_no_comments_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"

    def told(content: str, match: str, **options: object) -> None:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=match) as caught:
            read_jigsaw(path, **options)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)

    told(TRAIN.replace("0.49,1.0", "x,1.0"), r"row 3: male is 'x', and no share")
    told(TRAIN.replace("0.49,1.0", "1.5,1.0"), r"row 3: male is '1.5', and no share")
    told(TRAIN.replace("comment_text", "text"), r"lacks the column\(s\) comment_text")
    told(TRAIN.replace("target", "score"), "no column target or toxicity")
    told(TRAIN, r"lacks the column\(s\) jewish", identities=["jewish"])
    told("comment_text,target,male\na,1,\n", "no comment was rated for identities")
    told("", "No columns to parse")
    told("comment_text,target,male\na,1,1,1,1\na,1\n,,,,,,,\n", "more fields than the head")
    refused(
        "unknown identity 'muslin'; did you mean 'muslim'", read_jigsaw, path, identities=["muslin"]
    )
    refused("threshold must lie in", read_jigsaw, path, threshold=0)
    refused("give the path of your copy", read_jigsaw, tmp_path / "no.csv", error=FileNotFoundError)


BIOS = {
    "hub.csv": "hard_text,profession,gender\nShe treats teeth.,6,1\nHe nurses.,13,0\nnull,13,1\n",
    "entries.csv": "text,p,g\nShe treats teeth.,dentist,f\nHe nurses.,nurse,m\nnull,nurse,F\n",
    "old.csv": "bio,title,gender\nShe treats teeth.,dentist,F\nHe nurses.,nurse,M\nnull,nurse,f\n",
}


def test_biographies_in_three_layouts_are_the_same(tmp_path: Path) -> None:
    frames = []
    for name, content in BIOS.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        frames.append(read_bios(tmp_path / name))
    pd.read_csv(tmp_path / "hub.csv", keep_default_na=False).to_parquet(tmp_path / "hub.parquet")
    frames.append(read_bios(tmp_path / "hub.parquet"))
    assert frames[0]["text"].tolist() == ["She treats teeth.", "He nurses.", "null"]
    assert frames[0]["truth"].tolist() == ["dentist", "nurse", "nurse"]
    assert frames[0]["group"].tolist() == ["female", "male", "female"]
    assert all(frame.to_dict("list") == frames[0].to_dict("list") for frame in frames)
    gaps = tpr_gaps(frames[0]["truth"], ["dentist", "nurse", "poet"], frames[0]["group"])
    assert gaps.gap[1] == -1  # of nurses the woman is missed


def test_professions_are_those_of_the_card() -> None:
    """Of LabHC/bias_in_bios: 28 in alphabetical order, 13 a nurse."""
    assert len(PROFESSIONS) == 28
    assert list(PROFESSIONS) == sorted(PROFESSIONS)
    assert (PROFESSIONS[0], PROFESSIONS[13], PROFESSIONS[27]) == (
        "accountant", "nurse", "yoga_teacher"
    )  # fmt: skip


def test_what_are_no_biographies_is_told_in_one_line(tmp_path: Path) -> None:
    for content, match in (
        (BIOS["hub.csv"].replace("6,1", "28,1"), "row 1: unknown profession '28'"),
        (BIOS["hub.csv"].replace("6,1", ",1"), "row 1: unknown profession ''"),
        (BIOS["hub.csv"].replace("13,0", "13,2"), "row 2: unknown gender '2'"),
        ("text,label\na,b\n", "columns of one of these layouts: hard_text, profession, gender;"),
        ("", "No columns to parse"),
    ):
        path = tmp_path / "bios.csv"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=match) as caught:
            read_bios(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    (tmp_path / "BIOS.pkl").write_bytes(b"\x80\x04.")
    refused("is a pickle, which may run a program", read_bios, tmp_path / "BIOS.pkl")
