from __future__ import annotations

import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from builders import HOSTILE, SCRIPT, drawn_page, hostile_analysis, religion_analysis

from bayesbias.embeddings.load import load_vectors
from bayesbias.report import writer
from bayesbias.report.figures import MOST_ROWS, broken, draw_figures
from bayesbias.report.index import index_page
from bayesbias.report.list_page import list_page
from bayesbias.report.numbers import joined, number, percent, signed, signed_end, step
from bayesbias.report.page import render
from bayesbias.report.svg import SVG, inlined
from bayesbias.report.tables import Table
from bayesbias.report.wording import headline_rows
from bayesbias.report.wording.distances import (
    against_one,
    closeness_sentences,
    gap_pair,
    gap_sentence,
    headline,
    influence_sentence,
    leading_contrast,
)
from bayesbias.report.wording.models import change_sentences, coverage_sentence, loo_sentence
from bayesbias.tables.schema import CONNECTIONS
from bayesbias.workflows.output import versions
from bayesbias.workflows.results import ModelResult, noticed
from bayesbias.workflows.wordlist import Analysis, Settings, analyze


@pytest.fixture(scope="module")
def hostile() -> Analysis:
    return hostile_analysis()


@pytest.fixture(scope="module")
def demo() -> Analysis:
    return religion_analysis()


def page_of(analysis: Analysis) -> str:
    """The page of a word list, without figures: drawing is what takes time."""
    return writer.html(
        list_page(analysis), {"command": "bayesbias run", "versions": versions()}, {}
    )


class Page(HTMLParser):
    """Elements, attributes and visible text of a page, as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, *names: str) -> list[str]:
        return [value for _, key, value in self.attributes if key in names]


@pytest.fixture(scope="module")
def hostile_page(hostile: Analysis, tmp_path_factory: pytest.TempPathFactory) -> str:
    return drawn_page(hostile, tmp_path_factory.mktemp("plots"))


def test_hostile_words_show_as_text(hostile_page: str) -> None:
    page = Page(hostile_page)
    assert "script" not in page.tags
    foreign = {"img", "b-one", "iframe", "object", "embed", "link", "foreignobject"}
    assert not foreign & set(page.tags)
    assert not [key for _, key, _ in page.attributes if key.startswith("on")]
    for text in (*HOSTILE, "<b>one</b>", "<u>v</u>.txt", "<i>free</i>", "{% raw %}"):
        assert text in page.text
    assert page.tags.count("i") == page.tags.count("u") == 0


def test_the_page_needs_no_network(hostile_page: str) -> None:
    page = Page(hostile_page)
    for value in page.values("src", "href", "xlink:href", "action", "poster", "srcset"):
        assert value.startswith(("#", "data:image/png;base64,"))
    assert "@import" not in hostile_page
    assert not re.search(r"url\((?!#f\d+-)", hostile_page)
    policy = next(value for value in page.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'; img-src data:; ")


def test_ids_are_unique_and_references_lead_somewhere(hostile_page: str) -> None:
    page = Page(hostile_page)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    links = [value[1:] for value in page.values("href", "xlink:href") if value.startswith("#")]
    links += re.findall(r"url\(#([^)]+)\)", hostile_page)
    assert set(links) <= set(ids)


def test_every_figure_has_an_alternative_text(hostile_page: str) -> None:
    page = Page(hostile_page)
    labels = [value for tag, key, value in page.attributes if (tag, key) == ("svg", "aria-label")]
    assert len(labels) == page.tags.count("figure") == 1 + 4 + 1 + 1 + 2
    assert all(len(label) > 40 for label in labels)


def test_the_page_has_all_its_sections(hostile_page: str) -> None:
    page = Page(hostile_page)
    assert page.tags.count("section") == 13
    for title in ("How to read this", "What was missing", "What may not be concluded"):
        assert title in page.text
    assert "not there" in page.text
    assert "Nothing about people" in page.text
    assert 'role="alert"' not in hostile_page


def test_pages_are_equal_for_equal_analyses(hostile: Analysis) -> None:
    assert page_of(hostile) == page_of(hostile)


def test_sampling_warnings_stand_at_the_top(hostile: Analysis) -> None:
    doubtful = replace(hostile.lead, warnings=("R-hat is <high>",))
    html = page_of(replace(hostile, results={"crossed": doubtful}, comparison=None))
    assert html.index("R-hat is &lt;high&gt;") < html.index("What was found")
    assert 'role="alert"' in html


def test_the_index_leads_to_reports_and_escapes(hostile: Analysis) -> None:
    index = index_page([(hostile, 'a "b"/report.html')] * 2)
    page = Page(render(index, {}, "x", versions()))
    assert page.values("href").count("a%20%22b%22/report.html") == 2
    assert "script" not in page.tags
    assert SCRIPT in page.text


def test_the_index_is_one_table_and_one_picture(demo: Analysis, tmp_path: Path) -> None:
    other = replace(demo, wordlist=replace(demo.wordlist, name="other"))
    index = index_page([(demo, "a/report.html"), (other, "b/report.html")])
    first, _ = index.sections
    table, rows = first.parts["table"], headline(demo).lines
    assert isinstance(table, Table)
    assert [row[1].text for row in table.rows] == 2 * [line.of for line in rows]
    assert [row[2].key for row in table.rows] == 2 * headline_rows(leading_contrast(demo))[
        "mean"
    ].tolist()
    drawn = draw_figures(first.figures, tmp_path)
    (figure,) = drawn
    assert drawn[figure].count('role="img"') == 2
    assert re.findall(r'class="(narrow|wide)"', drawn[figure]) == ["narrow", "wide"]
    narrow, wide = map(float, re.findall(r"max-width:([\d.]+)pt", drawn[figure]))
    assert narrow < 0.7 * wide  # 4.3 inches of 7.6
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{figure}.png", f"{figure}.svg"]


def test_the_demo_lets_the_reader_see_that_human_words_are_closer(demo: Analysis) -> None:
    closer, one = closeness_sentences(demo)
    mean = demo.lead.summary.query("level == 'overall'").set_index("connection")["mean"]
    assert mean["human"] < mean["associated"] - demo.settings.rope
    assert "the human words are the closer ones" in closer
    assert f"{mean['human']:.3f}" in closer
    assert "being nearer than 1 is no sign of bias by itself" in one
    page = Page(page_of(demo))
    assert page.text.count("the human words are the closer ones") == 2
    assert "A distance of 1 is no mark of innocence" in page.text
    assert "The list's own note" in page.text


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((-0.2, -0.3, -0.1), "the stereotypes are the closer ones, by 0.200 (model maximal"),
        ((-0.2, -0.5, 0.1), "by 0.200, which is not settled, for the interval includes zero (mod"),
        ((0.04, 0.01, 0.07), "the human words are the closer ones, by 0.040 (model maximal"),
        ((0.04, -0.01, 0.09), "ones, by 0.040, which is not settled, for the interval includes"),
        ((-0.01, -0.1, 0.1), "they differ by 0.010, less than the 0.02 that counts as none (model"),
    ],
)
def test_closeness_is_told_as_the_numbers_are(
    demo: Analysis, row: tuple[float, float, float], expected: str
) -> None:
    lead = contrast(demo.lead, *row)
    other = replace(demo, results={lead.spec.name: lead})
    assert expected in closeness_sentences(other)[0]


def test_rows_with_a_bad_k_are_told() -> None:
    rows = [("crossed", 0.0, 0.0, 2), ("paper", -20.0, 8.0, 0)]
    frame = pd.DataFrame(rows, columns=["model", "elpd_diff", "dse", "n_bad_k"])
    frame["left_out"] = "row"
    assert "of 2 rows is not reliable (bad k: a Pareto k above 0.7)" in loo_sentence(frame)
    assert "bad k" not in loo_sentence(frame.assign(n_bad_k=0))


@pytest.mark.parametrize(
    ("below", "said"),
    [
        ((), "No kind of attribute lies clearly nearer than 1."),
        (("associated",), "The overall intervals of associated attributes lie below 1."),
        (("neutral", "human"), "of neutral and human attributes lie below 1, though no one would"),
        (("associated", "human"), "attributes lie below 1, those of human words among them, tho"),
        (("associated", "neutral", "human"), "every kind of attribute lie below 1, those of neut"),
    ],
)
def test_what_lies_nearer_than_1_is_told(below: tuple[str, ...], said: str) -> None:
    there = ("associated", "neutral", "human")
    rows = pd.DataFrame({"high": [0.9 if n in below else 1.1 for n in there]}, index=there)
    assert said in against_one(rows)


def test_lists_without_human_words_say_so(demo: Analysis) -> None:
    words = replace(demo.wordlist, controls={})
    vectors = load_vectors("glove-demo", words)
    other = analyze(vectors, words, Settings(models=("paper",), draws=200, seed=1))
    assert gap_pair(other) == ("associated", "different")
    assert "no human control words" in closeness_sentences(other)[0]
    page = Page(page_of(other))
    assert "Associated − different: the mean distance" in page.text
    assert page.tags.count("section") == 12
    assert "What the model changes" not in page.text


def contrast(result: ModelResult, mean: float, low: float, high: float) -> ModelResult:
    frame = result.contrasts.copy()
    frame[["mean", "low", "high"]] = mean, low, high
    return replace(result, contrasts=frame)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((-0.1, -0.2, -0.05), "−0.100 (−0.200 … −0.050): its own stereotypes lie closer."),
        ((-0.1, -0.3, 0.05), "includes zero, so it is not settled that its own lie closer."),
        ((0.1, 0.05, 0.2), "+0.100 (+0.050 … +0.200): its own stereotypes lie farther."),
        ((0.1, -0.05, 0.2), "(−0.050 … +0.200): the interval includes zero, so it is not settled"),
    ],
)
def test_a_groups_contrast_is_a_place_with_an_interval(
    row: tuple[float, float, float], expected: str
) -> None:
    mean, low, high = row
    assert expected in gap_sentence({"level": "group", "mean": mean, "low": low, "high": high})


def test_the_page_leads_with_groups_the_largest_contrast_first(demo: Analysis) -> None:
    """The ends of what is said are those of `bb.contrasts` of the lead model, nothing else."""
    lines = headline(demo).lines
    assert headline(demo).about.startswith("Associated − different: ")
    assert lines[0].of == "all groups"
    rows = demo.lead.contrasts
    rows = rows[(rows["first"] == "associated") & (rows["second"] == "different")]
    rows = rows[rows["level"] == "group"].set_index("protected_group")
    order = rows["mean"].abs().sort_values(ascending=False).index
    assert [line.of for line in lines[1:]] == list(order)
    muslim = next(line.text for line in lines if line.of == "muslim")
    low, high = (f"−{abs(rows[end]['muslim']):.3f}" for end in ("low", "high"))
    assert f"({low} … {high}): its own stereotypes lie closer." in muslim


def test_what_changes_between_models(demo: Analysis) -> None:
    base, other = demo.results.values()
    told = change_sentences(base, other, ("associated", "human"))
    width = [
        r.summary.query("level == 'overall' and connection == 'neutral'").eval("high - low").item()
        for r in (base, other)
    ]
    assert f"{width[1] / width[0]:.2f} times as wide for neutral" in told[0]
    assert "may lean to one side by itself" in told[2]
    turned = contrast(base, 0.1, 0.05, 0.15), contrast(other, 0.1, -0.1, 0.3)
    told = change_sentences(*turned, ("associated", "human"))
    assert "4.00 times as wide. Under crossed it leaves zero out, under maximal it does" in told[1]
    assert len(change_sentences(other, base, ("associated", "human"))) == 2


def test_the_words_that_the_contrast_hangs_on_are_told(demo: Analysis) -> None:
    frame = demo.lead.influence
    shown = " ".join(Page(page_of(demo)).text.split()).replace("−", "-")
    most = frame.loc[frame["change"].abs().idxmax()]
    assert f"{most['mean_without']:.3f} without “{most['name']}”, which moves it most" in shown
    assert (frame["mean_without"] < 0).all()
    assert "its sign stays whichever is left out" in shown
    frame = frame.assign(mean_without=[0.01, *frame["mean_without"][1:]])
    assert "has the other sign" in influence_sentence(replace(demo.lead, influence=frame))
    none = replace(demo.lead, influence=pd.DataFrame())  # as of a model that is not Normal
    without = replace(demo, results={**demo.results, demo.lead.spec.name: none})
    assert "Which words it hangs on" not in page_of(without)


def test_intervals_too_narrow_are_told_from_those_too_wide(demo: Analysis) -> None:
    shares = dict(zip(CONNECTIONS, (0.96, 0.89, 0.8, 0.7, 0.9), strict=True)) | {"all": 0.85}
    frame = demo.lead.check.query("ci_prob == 0.89")
    uneven = replace(demo.lead, check=frame.assign(coverage=frame["connection"].map(shares)))
    assert coverage_sentence(uneven, 0.89) == (
        "85.0% of 4,815 distances lie inside their 89% predictive intervals; against the 89% they "
        "promise, these are too wide for associated (96.0% inside) and too narrow for neutral "
        "(80.0% inside) and human (70.0% inside)."
    )
    even = replace(demo.lead, check=frame.assign(coverage=0.9))
    assert coverage_sentence(even, 0.89).endswith("predictive intervals.")


def test_models_stand_side_by_side(demo: Analysis) -> None:
    words = next(each for each in list_page(demo).sections if each.key == "words")
    overall = next(block for block in words.blocks if isinstance(block, writer.Table))
    names = [row[:2] for row in overall.rows[:3]]
    assert names == [
        ("associated", "crossed"),
        ("associated", "maximal"),
        ("different", "crossed"),
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (number(-0.0004), "0.000"),
        (number(-1.5, 1), "−1.5"),
        (signed(0.0004), "0.000"),
        (signed(0.12), "+0.120"),
        (signed_end(0.12), "+0.120"),
        (signed_end(-0.00004), "−0.000"),  # on which side of 0 an interval ends
        (signed_end(0.0), "0.000"),
        (step(0.9, 0.95), ("0.900", "0.950", "+0.050")),
        (step(0.9264, 0.9276), ("0.926", "0.928", "+0.001")),  # the page explains the rounding
        (step(-0.1234, -0.0546, signed), ("−0.123", "−0.055", "+0.069")),
        (percent(0.9996), "over 99%"),
        (percent(0.0004, 1), "under 0.1%"),
        (percent(1), "100%"),
        (percent(0.884), "88%"),
        (joined(["a"]), "a"),
        (joined(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_how_numbers_are_written(written: object, expected: object) -> None:
    assert written == expected


def test_long_lists_are_broken_into_pages() -> None:
    words = [("word", f"g{n % 9}", f"w{n}") for n in range(100)]
    groups = [("group", f"g{n}", "") for n in range(9)]
    keys = [("overall", "", ""), *groups, *sorted(words, key=lambda key: key[1])]
    frame = pd.DataFrame(keys, columns=["level", "protected_group", "protected_word"])
    pages = dict(broken(frame))
    assert list(pages) == ["", "-words-1", "-words-2", "-words-3"]
    assert len(pages[""]) == 10
    assert sum(len(page) for name, page in pages.items() if name) == 100
    assert all(len(page) <= MOST_ROWS for page in pages.values())
    assert list(dict(broken(frame.head(MOST_ROWS)))) == [""]


def test_inlined_svg_keeps_text_and_prefixes_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text(
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt" '
        'viewBox="0 0 72 36"><metadata>m</metadata><style>*{}</style>'
        '<g id="a" clip-path="url(#c)"><use xlink:href="#b"/><text>&lt;b id="a"&gt;</text></g>'
        "</svg>"
    )
    root = ET.fromstring(inlined(path, "f1", 'say "hi" <b>'))
    assert [child.tag for child in root] == [f"{{{SVG}}}g"]
    group = root[0]
    assert group.get("id") == "f1-a"
    assert group.get("clip-path") == "url(#f1-c)"
    assert group[0].get("{http://www.w3.org/1999/xlink}href") == "#f1-b"
    assert group[1].text == '<b id="a">'
    assert root.get("aria-label") == 'say "hi" <b>'
    assert root.get("height") is None


def test_warnings_are_noticed_and_issued_again_once() -> None:
    def warn_twice() -> list[str]:
        with noticed() as texts:
            for _ in range(2):
                warnings.warn("again", UserWarning, stacklevel=1)
        return texts

    with pytest.warns(UserWarning, match="again") as issued:
        assert warn_twice() == ["again"]
    assert len(issued) == 1
