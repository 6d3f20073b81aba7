"""The long-form table and its files: validation, round trips, and refusals."""

import gzip
import sys
from collections.abc import Callable
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from builders import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from moments import files
from pandas.testing import assert_frame_equal

import bayesbias as bb
from bayesbias._core.files import replace_file
from bayesbias.tables.decimals import with_numbers
from bayesbias.tables.schema import (
    COLUMNS,
    CONNECTIONS,
    OPTIONAL_COLUMNS,
    ROUNDING,
    table_hash,
    validate_table,
)
from bayesbias.tables.table_files import read_csv, read_frame, read_parquet, read_table, write_table
from bayesbias.warnings import LeftOut, ReadAsLatin1, RepeatedPairs, RepeatedRows


def toy(**columns: object) -> pd.DataFrame:
    """Return two rows, with columns replaced or added."""
    given_columns = {
        "protected_word": ["he", "she"],
        "protected_group": ["man", "woman"],
        "attribute": ["nurse", "<script>"],
        "attribute_set": ["woman_stereotype", "human"],
        "connection": ["different", "human"],
        "cosine_distance": [0.25, 1.5],
    }
    return pd.DataFrame({**given_columns, **columns})


spelled = st.sampled_from(["007", "7", "true", "nan", "NA", "1e5", "inf", "None"])
"""Words that pandas reads as numbers, truth values, or missing values."""

words = spelled | st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=8
)
row = st.tuples(words, words, words, words, st.sampled_from(CONNECTIONS), st.floats(0, 2, width=64))
tables = st.lists(row, min_size=1, max_size=8).map(
    lambda rows: pd.DataFrame(rows, columns=list(COLUMNS))
)


def test_valid_table_comes_back_in_order() -> None:
    ends = [-ROUNDING / 2, 2 + ROUNDING / 2]  # rounding beyond the limits is clipped
    table = toy(context="c", embedding="e", stranger=1, cosine_distance=ends)
    valid = validate_table(
        table[["stranger", "context", "embedding", *reversed(COLUMNS)]].iloc[::-1]
    )
    assert tuple(valid.columns) == (*COLUMNS, *OPTIONAL_COLUMNS, "stranger")
    assert valid.index.tolist() == [0, 1]
    assert valid["connection"].cat.ordered
    assert tuple(valid["connection"].cat.categories) == CONNECTIONS
    assert valid["cosine_distance"].tolist() == [2.0, 0.0]


IMPOSSIBLE = r"1 distance is not in \[0, 2\], first in row 1 \('she', '<script>"

NO_TABLES: list[tuple[object, str]] = [
    *((toy().drop(columns=name), rf"is missing columns: {name}; it has ") for name in COLUMNS),
    (pd.DataFrame({"a": [1], 5: [2]}), r"is missing columns: protected_word, .*; it has a, 5"),
    (pd.concat([toy(), toy()[["attribute"]]], axis=1), "has two columns named 'attribute'"),
    (toy().iloc[:0], "no rows; were all words missing"),
    *(
        (toy(**{name: [toy()[name][0], value]}), f"row 1 has an empty {name}")
        for name, value in product(COLUMNS[:5], ["  ", None])
    ),
    *(
        (toy(cosine_distance=[0.5, value]), IMPOSSIBLE)
        for value in (np.nan, -0.1, None, 2 + 2 * ROUNDING, "far")
    ),
    (toy(connection=["human", "asociated"]), "'asociated'.*mean 'associated'.*, different"),
    ("table.csv", r"str. Read a table with bb.read_table\(path\)"),
    (toy().set_index("attribute"), r"missing columns: attribute; .*reset_index"),
]


@pytest.mark.parametrize(("table", "message"), NO_TABLES)
def test_what_cannot_be_a_table_is_refused(table: pd.DataFrame, message: str) -> None:
    refused(message, validate_table, table, error=(ValueError, TypeError))


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.RepeatedRows")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.RepeatedPairs")
@settings(max_examples=12)
@given(tables, st.randoms(use_true_random=False))
def test_validation_and_files_keep_rows_words_other_columns_and_the_hash(
    tmp_path, table, random
) -> None:
    valid = validate_table(table)
    assert_frame_equal(validate_table(valid), valid)
    assert_frame_equal(valid.astype({"connection": "str"}), table, check_dtype=False)
    order = list(range(len(table)))
    random.shuffle(order)
    expected = valid.iloc[order].reset_index(drop=True)
    assert_frame_equal(validate_table(table.iloc[order]), expected)
    more = validate_table(valid.assign(share=0.25, count=3, note="x", wordlist="1984"))
    for end in ("csv", "parquet"):
        write_table(more, tmp_path / f"table.{end}")
        read = read_table(tmp_path / f"table.{end}")
        assert_frame_equal(read, more, check_exact=True)
        assert table_hash(read) == table_hash(more)


def test_other_tables_have_other_hashes() -> None:
    others = [
        toy(),
        toy(cosine_distance=[0.25, np.nextafter(1.5, 2)]),
        toy(protected_word=["he", "her"]),
        toy(connection=["different", "neutral"]),
        toy(embedding="glove"),
        toy().iloc[::-1],
    ]
    hashes = {table_hash(validate_table(other)) for other in others}
    assert len(hashes) == len(others)
    assert {len(digest) for digest in hashes} == {64}


Write = Callable[[str, str | bytes], Path]

PUBLISHED = """protected_word,word_to_compare,word_class,cosine_distance,connection
he,soldier,man,0.4,associated
he,nurse,woman,1.2,different
he,null,neutral,0.9,none
he,walk,human,-100,human
she,nurse,woman_stereotype,0.3,associated
she,null,neutral,0.9,none
"""

HEADER = ",".join(COLUMNS) + "\n"
ROW = "he,man,nurse,woman,different,"
"""A row of a table without its distance."""


@pytest.fixture
def table() -> pd.DataFrame:
    """Return distances of words that pandas could read as missing values."""
    rows = [
        ("he", "man", "null", "man_stereotype", "associated", 0.4),
        ("nan", "woman", "null", "man_stereotype", "different", 1.2),
    ]
    return bb.validate_table(pd.DataFrame(rows, columns=list(COLUMNS)))


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz"])
def test_a_table_is_read_back_as_it_was_written(table, tmp_path, ending) -> None:
    path = tmp_path / f"table.{ending}"
    if ending == "csv.gz":
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    else:
        write_table(table, path)
    path = path.rename(tmp_path / f"table.{'csv' if ending == 'parquet' else ending}")
    assert_frame_equal(read_table(path), table, check_exact=True)  # whatever its ending
    assert list(tmp_path.iterdir()) == [path]


def test_many_rows_in_parquet_are_read_if_they_take_up_space(tmp_path: Path) -> None:
    path, many = tmp_path / "many.parquet", 200_000
    pd.DataFrame({"distance": np.random.default_rng(1).random(many)}).to_parquet(path)
    assert len(read_parquet(path)) == many
    pd.DataFrame({"distance": np.zeros(many)}).to_parquet(path)  # 200,000 rows in 2 kB
    refused("is damaged, or is not a table", read_parquet, path)


def test_parquet_without_pyarrow_names_what_to_install(table, tmp_path, monkeypatch) -> None:
    path = tmp_path / "table.parquet"
    write_table(table, path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: read_table(path), lambda: write_table(table, path)):
        refused(r"pip install 'bayesbias\[parquet\]'", call, error=ImportError)


def test_the_published_layout_is_read(file: Write, tmp_path: Path) -> None:
    with pytest.warns(LeftOut) as told:
        table = read_table(file("published.csv", PUBLISHED))
    assert (told[0].message.n, told[0].message.total) == (1, 6)
    connections = ["associated", "different", "neutral", "associated", "neutral"]
    assert table["connection"].tolist() == connections
    assert table["protected_group"].tolist() == ["man", "man", "man", "woman", "woman"]
    assert "null" in set(table["attribute"])
    coded = pd.read_csv(StringIO(PUBLISHED), keep_default_na=False).astype(
        {"connection": "category", "protected_word": "category", "word_class": "category"}
    )
    coded.to_parquet(tmp_path / "published.parquet")
    with pytest.warns(LeftOut):
        assert_frame_equal(read_table(tmp_path / "published.parquet"), table)
    path = file("published.csv", PUBLISHED + "it,soldier,man,-100,associated\n")
    with pytest.warns(LeftOut) as told:
        assert "it" not in set(read_table(path)["protected_word"])
    assert told[0].message.names == ("it",)


def _with_row_names(table: pd.DataFrame, sep: str) -> str:
    """Return a table as R's write.table prints it, with a header that lacks the names of rows."""
    names = range(1, len(table) + 1)
    text = table.set_axis(names).to_csv(sep=sep, quoting=2, na_rep="NA")
    return text.removeprefix(f'""{sep}')


def _capital(name: str) -> str:
    """Return a column's name with capitals, unless it is one of the user's own."""
    return name.title() if name in COLUMNS else name


PRINTED: dict[str, Callable[[pd.DataFrame], str]] = {
    "tabs": lambda table: table.to_csv(index=False, sep="\t"),
    "semicolons, decimal commas": lambda table: table.to_csv(index=False, sep=";", decimal=","),
    "commas in quotes": lambda table: table.to_csv(index=False, decimal=","),
    "blanks after commas": lambda table: table.to_csv(index=False).replace(",", ", "),
    "an index": lambda table: table.to_csv(),
    "quotes and NA, as R": lambda table: table.to_csv(index=False, quoting=2, na_rep="NA"),
    "empty rows": lambda table: table.to_csv(index=False) + ("," * (table.shape[1] - 1) + "\n") * 2,
    "bars": lambda table: table.to_csv(index=False, sep="|"),
    "sep=, for Excel": lambda table: "sep=,\n" + table.to_csv(index=False),
    "names of rows, as R": lambda table: _with_row_names(table, "\t"),
    "blanks and names of rows, as R": lambda table: _with_row_names(table, " "),
    "capital heads": lambda table: table.rename(columns=_capital).to_csv(index=False),
    "carriage returns": lambda table: "\ufeff" + table.to_csv(index=False, lineterminator="\r\n"),
}
"""Tables as other programs write them."""


@pytest.mark.parametrize("program", PRINTED)
def test_tables_of_other_programs_are_read(table: pd.DataFrame, file: Write, program: str) -> None:
    given_table = table.assign(log_rank=[1.5, np.nan], note=["007", "x"])
    read = read_table(file("other.csv", PRINTED[program](given_table)))
    assert_frame_equal(read, given_table, check_dtype=False)


def spelled_as(mark: str, thousands: str, form: str = ",.2f") -> Callable[[float], str]:
    """Return a function that spells numbers with these marks."""
    marks = str.maketrans({".": mark, ",": thousands})
    return lambda number: format(number, form).translate(marks)


@pytest.mark.parametrize(
    ("sep", "mark", "thousands"),
    [(",", ".", ","), (";", ",", "."), ("\t", ".", ","), ("\t", ",", ".")],
)
def test_thousands_are_never_read_as_decimals(
    table: pd.DataFrame, file: Write, sep: str, mark: str, thousands: str
) -> None:
    """The first row has no marks, and Excel writes whole numbers without decimals."""
    whole = spelled_as(mark, thousands, ",.0f")
    cells = {
        "cosine_distance": ["1", f"2{mark}5E-01"],
        "attribute_rank": [whole(987), whole(1234)],
        "freq": [whole(13), whole(4137)],
        "long": [whole(1234567), "#NV"],
    }
    read = read_table(file("marks.csv", table.assign(**cells).to_csv(index=False, sep=sep)))
    assert read["cosine_distance"].tolist() == [1.0, 0.25]
    assert read["attribute_rank"].tolist() == [987, 1234]
    assert read["freq"].tolist() == [13, 4137]
    assert read["long"].tolist() == pytest.approx([1234567, np.nan], nan_ok=True)


MARKS: list[tuple[str, dict[str, list[str]], list[float] | str]] = [
    (".", {"n": ["13", "4,137"], "zipf": ["3.617", "1.114"]}, [13, 4137]),
    (",", {"n": ["13", "4.137"], "zipf": ["3,617", "1,114"]}, [13, 4137]),
    (".", {"n": ["3.617", "1.114"]}, [3.617, 1.114]),
    (",", {"n": ["3,617", "1,114"]}, [3.617, 1.114]),
    (".", {"n": ["1,234,567", "4,137"]}, [1234567, 4137]),
    (".", {"n": ["1.234.567", "4.137"]}, [1234567, 4137]),
    (".", {"n": ["0,5", "4,137"]}, [0.5, 4.137]),
    (".", {"n": ["-1.234,5", "+1"]}, [-1234.5, 1]),
    (".", {"n": ["13", "4,137"]}, "'4,137', whose mark may be"),
    (".", {"n": ["5,168", "4,137"]}, "'5,168', whose mark may be"),
    (",", {"n": ["13", "4.137"]}, "'4.137', whose mark may be"),
    (",", {"n": ["5.168", "4.137"]}, "'5.168', whose mark may be"),
    (".", {"n": ["13", "4.137"]}, "'4.137', whose mark may be"),
    (".", {"n": ["4.137", "4,137"]}, "'4.137', whose mark may be"),
]


@pytest.mark.parametrize(("usual", "columns", "expected"), MARKS)
def test_the_other_numbers_decide_on_a_mark_before_three_digits(usual, columns, expected) -> None:
    frame = pd.DataFrame(columns)
    if isinstance(expected, str):
        refused(expected, with_numbers, frame, ["n"], usual, some=True)
    else:
        assert with_numbers(frame, ["n"], usual)["n"].tolist() == expected


def test_a_cell_that_is_no_number_keeps_its_column_or_itself_as_text() -> None:
    frame = pd.DataFrame({"n": ["0,5", "x", "1.234"]})
    assert with_numbers(frame, ["n"], ".")["n"].tolist() == ["0,5", "x", "1.234"]
    assert with_numbers(frame, ["n"], ".", some=True)["n"].tolist() == [0.5, "x", 1234]
    mixed = pd.DataFrame({"n": ["0,5", "0.5"]})
    assert with_numbers(mixed, ["n"], ".")["n"].tolist() == ["0,5", "0.5"]


@pytest.mark.seconds
@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), st.sampled_from([".,", ",."]))
def test_numbers_with_two_decimals_are_read_in_every_spelling(numbers, marks) -> None:
    exact = [number / 100 for number in numbers]
    frame = pd.DataFrame({"n": [*map(spelled_as(*marks), exact)]}, dtype=str)
    assert with_numbers(frame, ["n"], ".")["n"].tolist() == exact


BARE = ['"', '"hello', '"Poor" people', "plain", '"']


@pytest.mark.seconds
@pytest.mark.parametrize(("start", "end"), [(0x80, "\n"), (0x81, "\r\n"), (0x82, "\r")])
def test_bytes_that_are_not_utf_8_are_letters_of_windows_or_refused(file, start, end) -> None:
    """Python's cp1252 is the reference; the five bytes that it lacks are no letters of Latin-1."""
    for byte in range(start, 0x100, 3):
        lines = [b"role,w\xf6rd", b"protected,caf" + bytes([byte]) + b"teria", b"protected,plain"]
        path = file("mine.csv", end.encode().join(lines))
        try:
            word = f"caf{bytes([byte]).decode('cp1252')}teria"
        except UnicodeDecodeError:
            refused("not in UTF-8; save it as CSV in UTF-8", read_csv, path, dtype=str)
            continue
        with pytest.warns(ReadAsLatin1) as told:
            read = read_csv(path, dtype=str)
        assert read["w\xf6rd"].tolist() == [word, "plain"]
        assert (told[0].message.n, [*told[0].message.words]) == (2, ["w\xf6rd", word])


@pytest.mark.parametrize(
    ("text", "options", "column", "cells"),
    [
        ("élan,1\ngrün,2\n", {"header": None}, 0, ["élan", "grün"]),
        ("pri€e,b\n01,éaaa\n", {"dtype": {"pri€e": str}}, "pri€e", ["01"]),
        ("größe,b\nélan,2\n", {"usecols": ["größe"]}, "größe", ["élan"]),
        ("a,b\nélan,\nbbbbbb,x\n", {}, "a", ["élan", "bbbbbb"]),
        ("a,b\nélan,1\nbbbbbb,2\n", {"index_col": 1}, "a", ["élan", "bbbbbb"]),
        ("a,b\nélan,1\nbbbbbb,2\n", {"dtype": {"a": "category"}}, "a", ["élan", "bbbbbb"]),
    ],
)
def test_windows_letters_with_options_of_pandas(file, text, options, column, cells) -> None:
    path = file("mine.csv", text.encode("cp1252"))
    with pytest.warns(ReadAsLatin1):
        assert read_csv(path, **options)[column].tolist() == cells


@pytest.mark.parametrize("sep", ["\t", ",", ";"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_quotes_are_letters_in_a_file_without_quoting(file: Write, sep, encoding) -> None:
    """R with quote=FALSE and '\\t'.join write a quote as any other letter."""
    rows = [["word", "n"], *([word, str(n)] for n, word in enumerate(BARE))]
    text = "\n".join(sep.join(cells) for cells in rows)
    read = read_csv(file("bare.csv", text.encode(encoding)), dtype=str, keep_default_na=False)
    assert read["word"].tolist() == BARE
    assert read["n"].tolist() == [*"01234"]


@pytest.mark.parametrize("sep", ["\t", ",", " "])
def test_quoted_cells_may_contain_separators_quotes_and_line_breaks(file: Write, sep) -> None:
    frame = pd.DataFrame(
        {"a": ['"', "x", f"one{sep}\ntwo"], "b": ["1", f"2{sep}2", '"3'], "c": "d"}
    )
    text = frame.to_csv(index=False, sep=sep)
    read = read_csv(file("quoted.csv", text), dtype=str, keep_default_na=False)
    assert_frame_equal(read, frame, check_dtype=False)


def test_rows_within_a_cell_are_refused(file: Write) -> None:
    path = file("merged.csv", 'a,b,c\n1,"x,2\n3,y,4\n5,"z,6\n7,"u,v",8\n')
    refused("quote before 'x,2.*double each quote", read_csv, path, dtype=str)


def test_duplicates_are_kept_and_counted(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    moved = table.assign(cosine_distance=0.25)  # as if 007 and 7 had become one word
    write_table(pd.concat([table, table, moved]), path)
    with pytest.warns((RepeatedRows, RepeatedPairs)) as told:
        assert len(read_table(path)) == 6
    told_of = [one.message for one in told]
    assert told_of == [RepeatedRows(2, 6, about=str(path)), RepeatedPairs(2, 6, about=str(path))]
    write_table(pd.concat([table.assign(replicate="1"), moved.assign(replicate="2")]), path)
    assert len(read_table(path)) == 4


def test_frames_of_other_libraries_are_tables(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(toy())
    polars = pytest.importorskip("polars").from_arrow(arrow)
    for table in (arrow, polars, polars.lazy()):
        assert_frame_equal(validate_table(table), validate_table(toy()))
        write_table(table, tmp_path / "t.csv")
        assert_frame_equal(read_table(tmp_path / "t.csv"), validate_table(toy()))
        assert bb.duplicate_vectors(table).empty


def workbook() -> bytes:
    """Return the first bytes of an Excel workbook, a zip archive."""
    with ZipFile(content := BytesIO(), "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    return content.getvalue()


REFUSED: list[tuple[str, str | bytes, str]] = [
    ("odd.csv", "", "the file is empty"),
    ("odd.csv", f"{HEADER}{ROW}0.5\n{ROW}far\n", "first in row 1 .*: 'far'"),
    ("odd.csv", f"{HEADER}{ROW}0.5,more\n", "more fields than the head"),
    ("odd.csv", f"{PUBLISHED}it,null,neutral,0.7,none\n", "have no group: it"),
    ("odd.csv", b"\xff\xfe\x00\x93" * 20, ""),
    ("odd.parquet", b"\xff\xfe\x00\x93" * 20, "is damaged, or is not a table"),
    ("odd.json", '[{"a": 1}]', "is JSON; save it as CSV"),
    ("odd.xlsx", workbook(), "is an Excel workbook; save it as CSV"),
    ("odd.csv", workbook(), "is an Excel workbook"),
    ("odd.nc", b"\x89HDF\0\0", "is not a text file"),
    ("odd.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 9, "is a file of Excel; save it as CSV"),
    ("odd.rds", gzip.compress(b"X\n\0\0\0\3"), "is a file of R; save it as CSV"),
]


@pytest.mark.parametrize(("name", "content", "message"), REFUSED)
def test_files_that_are_no_tables_are_named(file, name, content, message) -> None:
    refused(rf"(?s)odd\..*{message}", read_table, file(name, content))


def test_places_that_cannot_be_read_or_written(table, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    refused("no table at", read_table, "nowhere.csv", error=FileNotFoundError)
    refused(
        "is a folder; give the path of a table", read_table, "folder.csv", error=FileNotFoundError
    )
    refused("did you mean", read_table, "folder.cvs", error=FileNotFoundError)
    refused("is a folder", write_table, table, "folder.csv", error=OSError)
    refused("must end in", write_table, table, "table.xlsx")
    refused("contains lists", write_table, table.assign(own=[[1], [2]]), "table.parquet")
    refused("must end in", write_table, table, "table.csv.gz")
    assert list(Path().iterdir()) == [Path("folder.csv")]


def table_of(seed: int) -> pd.DataFrame:
    """Return a table that includes its seed, with the cosines of its vectors."""
    rng = np.random.default_rng(seed)
    vectors = {word: rng.normal(size=4) for word in ("he", "she", "nurse", "pilot")}
    sets = {"men": ["pilot"], "women": ["nurse"]}
    wordlist = {"groups": {"men": ["he"], "women": ["she"]}, "stereotypes": sets}
    return bb.distance_table(vectors, wordlist).assign(seed=seed)


def test_a_renaming_that_fails_puts_everything_back(tmp_path, monkeypatch) -> None:
    """This happens in a sticky folder if a file belongs to another user."""
    write_table(table_of(1), tmp_path / "t.csv")
    old, replace = files(tmp_path), Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.name == "t.csv":
            raise PermissionError(1, "Operation not permitted", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        write_table(table_of(2), tmp_path / "t.csv")
    assert files(tmp_path) == old
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(PermissionError), replace_file(tmp_path / "t.csv") as temporary:
        temporary.touch()
    assert files(tmp_path) == old


def test_own_columns_of_words_stay_as_spelled(tmp_path: Path) -> None:
    """A code such as 007 is no number; the reprs of floats, and truth values, are not words."""
    own = {
        "code": (["007", "7"], ["007", "7"]),
        "hex": (["1e5", "3e2"], ["1e5", "3e2"]),
        "share": (["1e-05", "2.5"], [1e-05, 2.5]),
        "count": (["3", "0"], [3, 0]),
        "known": (["True", "False"], [True, False]),
        "said": (["yes", "7"], ["yes", "7"]),
        "sure": (["True", "maybe"], ["True", "maybe"]),
    }
    cells = pd.DataFrame({name: spelling for name, (spelling, _) in own.items()})
    cells.insert(0, "protected_word", ["he", "she"])
    cells.to_csv(tmp_path / "t.csv", index=False)
    read = read_frame(tmp_path / "t.csv")
    assert {name: read[name].tolist() for name in own} == {name: v for name, (_, v) in own.items()}
