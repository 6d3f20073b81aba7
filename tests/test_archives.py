"""Files in archives, as ``archive.zip::file``, for every reader of files."""

import json
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pytest
from builders import refused
from maskedlm_toys import log, question, sample

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.contextual import load_sentences
from bayesbias.maskedlm import read_pairs, read_scores
from bayesbias.tables.covariates import read_values
from bayesbias.tables.wordlists import load_wordlist

TABLE = bb.distance_table(bb.load_vectors("glove-demo", "religion"), "religion")


def _table(path: str) -> Any:
    table = bb.read_table(path)
    return table.to_dict("list"), table.attrs


def _with_metadata(path: str) -> Any:
    folder = Path(path.partition("::")[0]).parent
    asked = log(folder / "gpt", [sample(n, question(n), -1, -2, -3) for n in range(2)])
    return read_scores(asked, metadata=path).to_dict("list")


READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "table": ("g.csv", _table),
    "table in Parquet": ("g.parquet", _table),
    "pairs": ("pairs.csv", lambda path: read_pairs(path, "csv").to_dict("list")),
    "questions": ("q.parquet", lambda path: read_pairs(path, "bbq").to_dict("list")),
    "scores": ("scores.csv", lambda path: read_scores(path).fillna(0).to_dict("list")),
    "metadata": ("metadata.csv", _with_metadata),
    "sentences": ("sentences.csv", load_sentences),
    "covariates": ("values.csv", lambda path: read_values(path, ["size"]).to_dict()),
    "word list": ("mine.toml", load_wordlist),
    "word list in CSV": ("mine.csv", load_wordlist),
}


def written(folder: Path) -> None:
    """Write a file for each reader."""
    bb.write_table(TABLE, folder / "g.csv")
    bb.write_table(TABLE, folder / "g.parquet")
    pairs = {"stereotypical": ["He ran", "He sat"], "anti_stereotypical": ["She ran", "She sat"]}
    pd.DataFrame(pairs | {"bias_type": "gender"}).to_csv(folder / "pairs.csv", index=False)
    rows = [question(n, context=f"It was {n}.") for n in range(2)]
    held = [row | {"answer_info": json.dumps(row["answer_info"])} for row in rows]
    pd.DataFrame(held).to_parquet(folder / "q.parquet")
    scores = "model,pair_id,bias_type,difference\nm,1,age,0.5\n"
    (folder / "scores.csv").write_text(scores)
    (folder / "metadata.csv").write_text("category,example_id,target_loc\nAge,0,0\nAge,1,2\n")
    (folder / "sentences.csv").write_text("word,sentence\nman,A man ran.\n")
    (folder / "values.csv").write_text("word,size\nman,1.5\nwoman,2\n")
    groups = "[groups]\nman = ['he']\nwoman = ['she']\n[stereotypes]\nman = ['boss']\n"
    (folder / "mine.toml").write_text(groups)
    lines = ["role,set,word", "protected,man,he", "protected,woman,she", "stereotype,man,boss"]
    (folder / "mine.csv").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with files, and the same files in archives."""
    folder = tmp_path_factory.mktemp("archives")
    written(folder)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    with ZipFile(folder / "all.zip", "w") as packed:
        for path in files:
            packed.write(path, path.name)
            packed.write(path, f"part/{path.name}")
    with tarfile.open(folder / "all.tar.gz", "w:gz") as packed_tar:
        for path in files:
            packed_tar.add(path, path.name)
    return folder


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("archive", ["all.zip::", "all.tar.gz::", "all.zip::part/"])
def test_a_file_in_an_archive_is_read_like_the_file(name, archive, folder: Path) -> None:
    file, read = READERS[name]
    assert read(f"{folder}/{archive}{file}") == read(f"{folder}/{file}")


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_an_archive_lacks_is_named(name, folder: Path) -> None:
    file, read = READERS[name]
    missing = file.replace(".", "-not.")
    refused("unknown file", read, f"{folder}/all.zip::{missing}")
    for path in (f"{folder}/none.zip::{file}", f"{folder}/{missing}"):
        refused(r"none\.zip|-not\.", read, path, error=FileNotFoundError)


def test_names_may_contain_the_separator(tmp_path: Path) -> None:
    """The path that was given is named, with a similar one, and such archives can be read."""
    table = "word,size\nman,1.5\n"
    (tmp_path / "a::b.csv").write_text(table)
    for name in ("x::y.zip", "plain.zip"):
        with ZipFile(tmp_path / name, "w") as packed:
            packed.writestr("in::a.csv", table)
            packed.writestr("other.csv", table)
    for path in ("a::b.csv", "x::y.zip::in::a.csv", "plain.zip::in::a.csv", "x::y.zip::other.csv"):
        assert read_values(f"{tmp_path}/{path}", ["size"])["size"].tolist() == [1.5]
    for path, near in (
        ("a::c.csv", "a::b.csv"),
        ("plan.zip::other.csv", "plain.zip::other.csv"),
        ("x::z.zip::other.csv", "x::y.zip::other.csv"),
    ):
        for read in (bb.read_table, load_wordlist, load_sentences):
            assert str(tmp_path / path) in str(refusal(read, f"{tmp_path}/{path}"))
        assert str(tmp_path / near) in str(refusal(bb.read_table, f"{tmp_path}/{path}"))
    for path in ("b::/c.csv", "https://a::b/c.csv", "::c.csv", "c.csv::"):
        assert str(Path(path)) in str(refusal(bb.read_table, path))


@pytest.mark.parametrize(
    "name", ["summaries.json", "samples/a_epoch_1.json", "header.json", "start.json", "data.pkl"]
)
def test_a_file_that_is_asked_for_is_in_an_archive(name: str, tmp_path: Path) -> None:
    """Names that logs or models have hide no other file; without them, a log needs its head."""
    with ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(name, "{}")
        packed.writestr("b.csv", "word,size\nman,1.5\n")
    assert read_values(f"{tmp_path}/a.zip::b.csv", ["size"])["size"].tolist() == [1.5]
    if name != "data.pkl":
        refused("contains 2 files; choose one", read_values, f"{tmp_path}/a.zip", ["size"])
    with ZipFile(tmp_path / "c.zip", "w") as packed:
        packed.writestr("samples/a_epoch_1.json", "word,size\nman,1.5\n")
    assert read_values(f"{tmp_path}/c.zip", ["size"])["size"].tolist() == [1.5]


@pytest.mark.parametrize("name", ["./c.csv", "a//c.csv", "a/./c.csv", "./a/c.csv"])
def test_names_that_a_path_changes_are_found(name: str, tmp_path: Path) -> None:
    plain = tmp_path / "c.csv"
    plain.write_text("model,pair_id,bias_type,difference\nm,1,age,0.5\n")
    with tarfile.open(tmp_path / "a.tar", "w") as packed:
        member = packed.gettarinfo(plain)
        member.name = name
        packed.addfile(member, BytesIO(plain.read_bytes()))
    plain.unlink()
    for path in ("a.tar", f"a.tar::{name}", f"a.tar::{Path(name)}", ""):
        assert read_scores(f"{tmp_path}/{path}")["difference"].tolist() == [0.5]


def refusal(read: Callable[[str], object], path: str) -> FileNotFoundError:
    with pytest.raises(FileNotFoundError) as told:
        read(path)
    return told.value


@pytest.mark.seconds
def test_a_table_in_an_archive_is_fitted(folder: Path, capsys) -> None:
    out = folder / "post.nc"
    assert main(["fit", f"{folder}/all.zip::g.csv", "-o", str(out), "--draws", "100"]) in {0, 3}
    assert out.is_file()
    capsys.readouterr()


def test_the_error_for_several_files_names_a_path_that_is_read(folder: Path) -> None:
    """What the message says to write can be read."""
    with ZipFile(folder / "two.zip", "w") as packed:
        for name in ("a.csv", "b.csv"):
            packed.write(folder / "scores.csv", name)
    refused(r"two\.zip::a\.csv", read_scores, folder / "two.zip")
    assert len(read_scores(f"{folder}/two.zip::a.csv")) == 1


def test_an_excel_workbook_in_an_archive_is_named(folder: Path) -> None:
    with ZipFile(folder / "book.xlsx", "w") as packed:
        for name in ("[Content_Types].xml", "xl/workbook.xml"):
            packed.writestr(name, "<x/>")
    with ZipFile(folder / "books.zip", "w") as packed:
        packed.write(folder / "book.xlsx", "book.csv")
    for path in ("book.xlsx", "books.zip", "books.zip::book.csv"):
        refused("Excel workbook", read_scores, folder / path, "csv")
