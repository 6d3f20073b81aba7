"""Pages: literal text, one file that works offline, and no number that is not in a frame."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from builders import (
    HOSTILE,
    groups_by_sets,
    hostile_analysis,
    plus,
    refused,
    religion_analysis,
    written_page,
)
from matplotlib.text import Text
from rich.cells import cell_len
from sweep_inputs import write_inputs

import bayesbias as bb
from bayesbias._core import warnings
from bayesbias.maskedlm.fitting import EqualPreferencesError
from bayesbias.records.found import Frames, Question
from bayesbias.records.naming import naming_of
from bayesbias.records.rows import Grade, Verdict
from bayesbias.report.dots import LIST, MANY, SHARES, WHOLE, DotPicture, DotRow, axis_for
from bayesbias.report.leans import Lean, Leans, Panel
from bayesbias.report.numbers import digits_for, graded, number, percent, probability
from bayesbias.report.page import save_plots
from bayesbias.report.pages import page_of, paper_of
from bayesbias.report.pair_map import PairMap
from bayesbias.report.parts import LANDMARKS
from bayesbias.report.screen import LABEL, screen_text, shared
from bayesbias.report.sentences import Answer, between, claim_of, plain
from bayesbias.report.tables import table
from bayesbias.tables.word_pairs import word_pairs
from bayesbias.workflows.change import ChangeAnalysis
from bayesbias.workflows.output import write_report
from bayesbias.workflows.pairs import PairAnalysis, PairSettings, analyze_pairs
from bayesbias.workflows.sweep import Sweep
from bayesbias.workflows.wordlist import Analysis


@pytest.fixture(scope="module")
def hostile() -> Analysis:
    return hostile_analysis()


@pytest.fixture(scope="module")
def demo() -> Analysis:
    return religion_analysis()


@pytest.fixture(scope="module")
def two_groups() -> Analysis:
    few = {"draws": 100, "reference_lists": 5, "matched": 2}
    return bb.analyze("glove-demo", "weat7", case="fallback", seed=1, **few)


@pytest.fixture(scope="module")
def change() -> ChangeAnalysis:
    return bb.analyze_change("glove-demo", "hard", "gender", seed=1, draws=100, recover_words=60)


@pytest.fixture(scope="module")
def measured_change() -> ChangeAnalysis:
    table, rng = groups_by_sets("gh", 3, 4), np.random.default_rng(1)
    before = table.assign(cosine_distance=0.8 + 0.05 * rng.standard_normal(len(table)))
    after = plus(before, 0.02 * rng.standard_normal(len(table)))
    return bb.analyze_change(before, after, draws=100, seed=1, progressbar=False)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> PairAnalysis:
    shift = np.linspace(-1, 1.4, 30)
    some = {"model": "bert", "pair_id": np.arange(30), "bias_type": ["age", "race"] * 15}
    path = tmp_path_factory.mktemp("pairs") / "scores.csv"
    pd.DataFrame({**some, "difference": shift}).to_csv(path, index=False)
    few = PairSettings(seed=1, draws=100, tune=100, chains=2, progressbar=False)
    return analyze_pairs(bb.maskedlm.read_scores(path), few)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    config = bb.load_sweep(write_inputs(tmp_path_factory.mktemp("sweep")))
    return bb.run_sweep(replace(config, models=config.models[:1]), progress=False)


class Parsed(HTMLParser):
    """Elements, attributes, and visible text of a page, as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text, self.folded, self.drawn = "", "", ""
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if {"style", "script"} & {*self.open}:
            return
        if "svg" in self.open:
            self.drawn += f" {data}"
        elif self.open.count("details") > ("summary" in self.open):
            self.folded += f" {data}"
        else:
            self.text += f" {data}"

    def values(self, *names: str) -> list[str]:
        return [value for _, key, value in self.attributes if key in names]


@pytest.mark.seconds
def test_hostile_words_show_as_text(hostile: Analysis) -> None:
    html = written_page(hostile)
    page = Parsed(html)
    foreign = {"b-one", "iframe", "object", "embed", "link", "foreignobject", "img"}
    assert not foreign & set(page.tags)
    assert page.tags.count("script") == 1  # ours, which the policy names by its hash
    assert not [key for _, key, _ in page.attributes if key.startswith("on")]
    shown = page.text + page.folded + page.drawn
    for text in (*HOSTILE, "u>.txt", "<i>free</i>", "{% raw %}"):
        assert text[:20] in shown
    assert page.tags.count("i") == page.tags.count("u") == 0
    # The page is one file, and its internal links work.
    for value in page.values("src", "href", "xlink:href", "action", "poster", "srcset"):
        assert value.startswith("#")
    assert "@import" not in html
    policy = next(value for value in page.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'; ")
    assert "script-src 'sha256-" in policy
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    roles = [value for tag, key, value in page.attributes if (tag, key) == ("svg", "role")]
    labels = [value for tag, key, value in page.attributes if (tag, key) == ("svg", "aria-label")]
    assert len(labels) == len(roles) == page.tags.count("svg") >= 4
    assert all(len(label) > 30 for label in labels)


def test_doubts_stand_before_the_sentence(hostile: Analysis) -> None:
    doubt = warnings.OtherWarning("UserWarning", "R-hat is <high>")
    model = replace(hostile.found.models[-1], doubts=(doubt,))
    doubted = replace(hostile, found=replace(hostile.found, models=(model,)))
    html = written_page(doubted)
    assert html.index("R-hat is &lt;high&gt;") < html.index("<h1>")


NUMBERED = naming_of(
    bb.load_wordlist(
        {
            "groups": {"0": ["a"], "18-25": ["b"]},
            "stereotypes": {"0": ["c"], "18-25": ["d"]},
            "stereotype_names": {"18-25": "youth"},
        }
    )
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (number(-0.0004), "0.000"),
        (percent(0.9996), "over 99%"),
        (percent(0.0004, 1), "under 0.1%"),
        (probability(0.9899), "98%"),
        (probability(0.0001), "1%"),
        (graded(0.9899), "98%, very probably"),
        (digits_for(0.19, -0.02), 2),
        (digits_for(0.00013, -0.00002), 5),
        (between(-0.02, 0.1), "between 0.10 closer and 0.02 farther"),
        (between(0.012, 0.1), "between 0.01 and 0.10 closer"),
        (between(-0.1, -0.012), "between 0.01 and 0.10 farther"),
        (between(-0.02, 0.1, ("a", "b")), "between 0.10 (b) closer and 0.02 (a) farther"),
        (between(-0.1, -0.012, ("a", "b")), "between 0.01 (b) and 0.10 (a) farther"),
        (NUMBERED.groups["0"], "words of group 0"),
        (NUMBERED.sets["0"], "stereotypes of group 0"),
        (NUMBERED.sets["18-25"], "youth words"),
    ],
)
def test_how_numbers_are_written(written: str, expected: str) -> None:
    assert written == expected


@pytest.mark.parametrize(
    ("probability", "grade", "holds"),
    [
        (0.9999, Grade.ALMOST_CERTAINLY, True),
        (0.9899, Grade.VERY_PROBABLY, True),  # 98%: a grade never contradicts its percentage
        (0.80, Grade.PROBABLY, True),
        (0.79, Grade.CANNOT_TELL, None),
        (0.04, Grade.VERY_PROBABLY, False),
    ],
)
def test_verdicts_name_the_more_probable_side(probability, grade, holds) -> None:
    assert (Verdict(probability).grade, Verdict(probability).holds) == (grade, holds)


NUMBER = re.compile(r"(?<![\w.×#-])[−+]?\d[\d,]*(?:\.\d+)?%?(?![\w×])")

CONSTANTS = {"100", "99%", "95%", "80%", "20%", "1%", "0", "1", "89%"}
"""Numbers of the legend: dots, words for probabilities, and the probability of an interval."""


def in_frames(analysis: Analysis | ChangeAnalysis | PairAnalysis | Sweep) -> set[str]:
    """Return every number of the record's frames, as a page could write it, without its sign."""
    whole = set(CONSTANTS)
    for frame in analysis.found.frames.values():
        whole |= {f"{len(frame):,}"}
        for name in frame.columns:
            column = frame[name]
            whole |= {f"{column.nunique():,}"}
            if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype != bool:
                whole |= set(written(column.dropna().to_numpy(float)))
        for attribute in ("protected_word", "attribute", "protected_group"):
            if attribute in frame:
                whole.add(f"{frame[attribute].nunique():,}")
    return whole


def written(values: np.ndarray) -> Iterator[str]:
    for value, digits in product(np.unique(abs(values)), range(6)):
        yield number(value, digits)
        if value <= 1 and digits < 2:
            yield percent(value, digits)
            yield percent(1 - value, digits)
            yield f"{Verdict(value).percent}"
            yield f"{100 - Verdict(value).percent}"


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("sweep", "two_groups", "change")]
FEWER = pytest.mark.parametrize("name", ["demo", "pairs", *SLOW])


@pytest.mark.seconds
@FEWER
def test_every_number_on_a_page_is_in_a_frame(name: str, request: pytest.FixtureRequest) -> None:
    """Numbers in words, labels of axes, and texts of the list itself are left out."""
    analysis = request.getfixturevalue(name)
    page = Parsed(written_page(analysis))
    ticks = {number(tick, digits) for tick in np.arange(-10, 20) / 10 for digits in (1, 2)}
    known = in_frames(analysis) | {text.lstrip("−") for text in ticks}
    about = analysis.found.frame("about").astype(str).to_numpy().ravel()
    titles = " ".join([analysis.page().title, str(analysis.found.rope), *about])
    shown = page.text.split("SHA-256")[0] + page.drawn
    said = {text.lstrip("−+") for text in NUMBER.findall(shown)}
    exceeding = {f"{n}" for n in range(101)} if name != "change" else set()
    assert said - known - set(NUMBER.findall(titles)) - exceeding == set()


@FEWER
def test_first_screens_are_short(name: str, request: pytest.FixtureRequest) -> None:
    """At most 60 words before the picture, 250 visible, 14 lines of 80 columns, and 250 kB."""
    analysis = request.getfixturevalue(name)
    html, lines = written_page(analysis), str(analysis).splitlines()
    before = Parsed(html.split("<svg")[0]).text.split()
    titles = analysis.page().title.split()
    assert len(before) - len(titles) <= 60
    assert len(Parsed(html).text.split()) - len(titles) <= 250
    assert len(lines) <= 14
    assert max(map(len, lines)) <= 80
    assert len(html.encode()) <= 250_000


def test_dots_and_probability_come_from_one_mixture(demo: Analysis) -> None:
    """The share of dots on the stereotype's side is the probability, within half a dot."""
    for row in demo.found.rows:
        share = np.mean(np.array(row.quantiles) > 0)
        assert abs(share - row.verdict.probability) <= 0.0051
        assert len(row.quantiles) == 100


def test_groups_are_in_list_order(demo: Analysis) -> None:
    assert [row.key for row in demo.found.rows] == ["jew", "christian", "muslim", ""]


def test_pages_have_words_instead_of_names_of_columns_and_parameters(demo: Analysis) -> None:
    html = written_page(demo)
    files = re.findall(r"\w+\.\w+", html)
    page = Parsed(html)
    named = {*re.findall(r"[a-z]+_[a-z_]+", page.text + page.folded)}
    assert named <= {name.split(".")[0] for name in files}
    assert "p rope" not in page.folded


def test_groups_are_compared_with_lists_on_other_topics_one_by_one(demo: Analysis) -> None:
    """Each row has a tick for each list, and the table says how many are larger."""
    lists = demo.frames["reference_lists"]
    svg = written_page(demo).split("<svg")[1]
    ticks = [path.count("M") for path in re.findall(r'<path d="([^"]*)" class="tick"', svg)]
    assert ticks == [lists["list"].nunique()] * len(demo.found.rows)
    for row in demo.found.rows:
        means = lists.loc[lists["protected_group"] == row.key, "mean"]
        assert re.search(rf">{(means < -row.mean).sum()}</td>", demo.page().side())


def test_labels_of_landmarks_fit_into_terminals() -> None:
    assert max(map(len, LANDMARKS.values())) < LABEL


@pytest.mark.slow
def test_arrows_say_by_color_whether_words_moved_toward_zero() -> None:
    """A word can pass zero, or come closer to it from the side of the other group."""
    before = bb.distance_table("glove-demo", "gender")
    names = before["protected_group"].astype(str) + before["attribute"].astype(str)
    rng = np.random.default_rng(1)
    shift = rng.normal(0, 0.1, names.nunique())[pd.factorize(names)[0]] + rng.normal(
        0, 0.01, len(names)
    )
    after = before.assign(cosine_distance=before["cosine_distance"] + shift)
    page = bb.analyze_change(before, after, draws=100, seed=1).page()
    leans = page.record.frames["leans"]
    grew = leans["after"].abs() > leans["before"].abs()
    svg = page.figures().split("<svg")[1]
    assert svg.count("ring own") == grew.sum()
    assert svg.count("ring other") == (~grew).sum()
    assert ((leans["toward"] > 0) != grew).any()  # the direction of the stereotype is another


@pytest.mark.slow
def test_each_list_of_a_sweep_has_a_row(sweep: Sweep) -> None:
    ranks = sweep.found.frames["ranks"].set_index("wordlist")
    rows = re.findall(r'<th scope="row" dir="auto">(\w+)</th>(.*?)</tr>', sweep.page().side())
    for name in sweep.found.lists:
        (cells,) = (cells for key, cells in rows if key == name)
        top = ranks.loc[name].sort_values("p_most")["embedding"].iloc[-1]
        assert number(-ranks.loc[name, "mean"].min(), 2) in cells
        assert f">{top} (" in cells


def test_axes_are_fixed_unless_a_posterior_does_not_fit() -> None:
    assert axis_for([-0.1, 0.3]) == LIST
    assert axis_for([-0.1, 0.8]).high == pytest.approx(2 * LIST.high)
    for value, first in product((-0.0022, -0.00065, 0.0004), (LIST, MANY)):
        axis = axis_for([value] * 100, first)
        assert axis.low <= value <= axis.high < 0.1 * first.high + 1e-12
    small = axis_for([-0.0001, 0.0002])
    assert small.high < 0.001
    assert len({number(tick, small.digits) for tick in small.ticks}) == len(small.ticks)


def labels_of_leans(size: float, letters: int = 20) -> list[list[tuple[float, str]]]:
    """Return the places and labels of the axis in both widths, from left to right."""
    words = [Lean("a" * letters, -0.4 * size), Lean("b", 0.6 * size)]
    drawn = Leans([Panel("t", words)], ("others", "own"), "l").html().split("<svg")[1:]
    found = [
        re.findall(r'<text x="([\d.]+)" y="[\d.]+" class="s c">([^<]+)<', one) for one in drawn
    ]
    return [sorted((float(x), shown) for x, shown in some) for some in found]


def test_labels_of_leans_have_space() -> None:
    """A letter takes 6.6 pixels, and labels need a space of about one letter between them."""
    for size, letters in product(np.geomspace(2e-4, 4, 30), (1, 20)):
        for labels in labels_of_leans(size, letters):
            assert len(labels) > 2
            assert "0" in dict(labels).values()
            for (x, shown), (after, other) in pairwise(labels):
                assert after - x - 3.3 * len(shown + other) > 5.5


@pytest.mark.parametrize(
    ("size", "wide", "narrow"),
    [
        (0.00069, 0.0001, [-0.0002, 0, 0.0002, 0.0004]),
        (0.00092, 0.0001, [-0.0002, 0, 0.0002, 0.0006]),  # a step of 0.0005 would have one more
        (0.029, 0.005, [-0.01, 0, 0.01]),
        (0.069, 0.01, [-0.02, 0, 0.02, 0.04]),
        (1, 0.1, [-0.4, -0.2, 0, 0.2, 0.4, 0.6]),
        (3, 0.2, [-1, -0.5, 0, 0.5, 1, 1.5, 2]),
    ],
)
def test_leans_have_the_smallest_step_that_fits(size: float, wide: float, narrow: Any) -> None:
    values = [[float(t.replace("−", "-")) for _, t in some] for some in labels_of_leans(size)]
    assert np.diff(values[0]) == pytest.approx(wide)
    assert values[1] == pytest.approx(narrow)


def test_small_numbers_of_a_table_have_the_same_decimals() -> None:
    names = ["mean", "mean_without", "change", "low", "high"]
    frame = pd.DataFrame([[8e-5, 9e-5, 1e-5, -2e-4, 3e-4]], columns=names)
    assert table(frame).rows == (("0.00008", "0.00009", "+0.00001", "−0.00020", "0.00030"),)


@pytest.fixture(scope="module")
def close() -> Analysis:
    """Two groups whose words nearly have one vector, so all differences are about .001."""
    rng = np.random.default_rng(4)
    common, leans = 3 * rng.standard_normal(50), rng.standard_normal((2, 50))
    words = {group: [f"{group}{i}" for i in range(6)] for group in "xy"}
    sets = {group: [f"{group}s{i}" for i in range(6)] for group in "xy"}
    vectors = {
        word: common + 0.15 * (rng.standard_normal(50) + 0.8 * lean)
        for group, lean in zip("xy", leans, strict=True)
        for word in (*words[group], *sets[group])
    }
    few = {"matched": 0, "reference_lists": 0, "draws": 200, "seed": 1}
    return bb.analyze(vectors, {"groups": words, "stereotypes": sets}, name="v", **few)


@pytest.mark.slow
def test_small_differences_are_not_written_as_zero(close: Analysis) -> None:
    row, page = close.found.overall, close.page()
    assert 0.0005 < row.mean < 0.002
    figures = Parsed(page.figures())
    texts = [*figures.values("aria-label", "data-values"), figures.text]
    axes = [draw() for name, draw in page.plots().items() if name != "distributions"]
    texts += [one.get_text() for ax in axes for one in ax.figure.findobj(Text)]
    assert not re.findall(r"[ (]−?0\.000?(?!\d)", " ".join(texts))
    assert f"{number(row.mean, 4)} (89% interval {number(row.low, 4)} to" in str(close.write_up())
    assert re.search(r"\nX words go with x stereotypes", str(close.write_up()))  # one letter
    assert number(row.mean, 4) in page.folded()
    # The words of each panel take most of the width.
    svg = page.figures().split("<svg")[-2]
    places = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)]
    assert np.ptp(places) > 200


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoSets")
def test_attributes_of_two_sets_are_in_both_and_wide_names_fit_into_terminals() -> None:
    wide, rng = "漢字" * 7, np.random.default_rng(1)
    words = {name: [f"{i}{j}" for j in range(3)] for i, name in enumerate(("matched", wide))}
    sets = {"matched": ["s", "t", "both"], wide: ["u", "v", "both"]}
    listed = bb.load_wordlist({"groups": words, "stereotypes": sets})
    vectors = {word: rng.standard_normal(20) for word in listed.words}
    few = {"matched": 0, "reference_lists": 0, "draws": 200, "seed": 1}
    found = bb.analyze(vectors, listed, name="漢字" * 30, **few)
    assert max(cell_len(line) for line in str(found).splitlines()) <= 80
    paper = str(found.write_up())
    assert "list’s 12 entries" in paper
    (line,) = (line for line in paper.splitlines() if "correspond to" in line)
    assert len(re.findall(r"\d\.\d", line)) == 1  # sizes of sets with a common word have no sum
    drawn = PairMap(word_pairs(found.table), {}, {})
    assert drawn.attributes.count("both") == 2
    for (group, name), own in (
        word_pairs(found.table).query("own").groupby(["protected_group", "attribute_set"])
    ):
        assert {drawn.attributes[at] for at in drawn.columns[name]} == {*own["attribute"]}
        block = drawn.distances[np.ix_(drawn.rows[group], drawn.columns[name])]
        assert np.sort(block.ravel()) == pytest.approx(np.sort(own["cosine_distance"]))
    ticks = bb.plots.heatmap(found.table).get_xticklabels()
    assert sorted(tick.get_text() for tick in ticks) == ["both", "both", *"stuv"]


def texts_of(picture: str) -> Iterator[tuple[dict[str, str], str, str]]:
    """Yield each text's attributes, what is shown, and the tooltip or, without one, the same."""
    found = r"<text([^>]*)>(?:<title>([^<]*)</title>)?([^<]*)</text>"
    for attributes, tip, shown in re.findall(found, picture):
        yield dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)), shown, tip or shown


@pytest.mark.parametrize("n", [3, 22])  # slanted and upright names of columns
def test_long_words_stay_in_their_place_and_differ(n: int) -> None:
    rng, start = np.random.default_rng(1), "m" * 24
    sets = {of: [f"{start}{of}{at}" for at in range(n)] for of in "xy"}
    listed = bb.load_wordlist(
        {"groups": {of: [f"{start}{of}"] for of in "xy"}, "stereotypes": sets}
    )
    pairs = word_pairs(bb.distance_table({w: rng.normal(size=9) for w in listed.words}, listed))
    drawn = PairMap(pairs, {}, dict.fromkeys(pairs["attribute_set"], "T")).html().split("<svg")[1:]
    lean = Panel("t", [Lean(word, 0.1) for words in sets.values() for word in words])
    drawn += Leans([lean], ("others", "own"), "l").html().split("<svg")[1:]
    for picture in drawn:
        words = [one for one in texts_of(picture) if one[2].startswith(start)]
        assert len({shown for _, shown, _ in words}) == len({whole for *_, whole in words})
        titles = [float(a["y"]) for a, shown, _ in texts_of(picture) if shown == "T"]
        for attributes, shown, whole in words:
            assert len(shown) < len(whole)
            size = float(
                re.findall(r"font-size:([\d.]+)", attributes.get("style", "font-size:12"))[0]
            )
            if turn := attributes.get("transform"):
                _, y, angle = map(float, re.findall(r"-?[\d.]+", turn))
                length = 0.55 * size * len(shown)  # an average letter of most fonts
                assert y + length * np.sin(np.radians(angle)) > min(titles)
            else:
                assert float(attributes["x"]) - 0.55 * size * len(shown) > 0


@pytest.mark.parametrize("axis", [SHARES, WHOLE])
def test_heads_of_shares_fit_into_terminals(axis) -> None:
    row = DotRow("bert", [0.6] * 100, (0.6, 0.5, 0.7), ("60%", "50% to 70%"))
    plan = DotPicture([row], [], ("against", "with the stereotype"), "", axis, "")
    head = screen_text(Answer(("It does.",), "", plan)).splitlines()[1]
    assert head.endswith("mean (interval)")
    assert len(head) <= 80


@pytest.mark.parametrize("size", [-1.0, 1e-3, -1e-3, 8e-5, -8e-5, -8e-7])
def test_rows_of_small_numbers_fit_into_terminals(size: float) -> None:
    """Labels give way to numbers, and labels of the axis do not touch."""
    ends = (size, *sorted([size / 2, 1.5 * size]))
    row = DotRow("a long name of a group of words", [size] * 100, ends, ("", ""))
    plan = DotPicture([row], [], ("to others", "to its own"), "", axis_for(ends), "")
    _, head, drawn, labels, *_ = screen_text(Answer(("It does.",), "", plan)).splitlines()
    assert max(map(cell_len, (head, drawn, labels))) <= 80
    shown = [float(text.replace("−", "-")) for text in re.findall(r"[−\d.]*\d[\d.]*", drawn)]
    assert shown == pytest.approx(ends)
    assert "… " in drawn[:LABEL]
    ticks = [float(text.replace("−", "-")) for text in labels.split()]
    assert 0 in ticks
    assert np.diff(ticks) == pytest.approx(ticks[1] - ticks[0])
    zero = head.index("┊")
    assert labels[zero - 1 : zero + 2].split() == ["0"]


@pytest.mark.seconds
def test_pairs_that_a_language_model_lacks_are_counted_and_recorded(tmp_path: Path) -> None:
    types = {"bert": ["age", "race"], "gpt": ["age", "gender"]}
    rows = [
        (model, f"{kind}{i}", kind, "log p/token", np.cos(7 * i + len(model)))
        for model, kinds in types.items()
        for kind in kinds
        for i in range(15)
    ]
    names = ["model", "pair_id", "bias_type", "measure", "difference"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "scores.csv", index=False)
    few = PairSettings(seed=1, draws=100, tune=100, chains=2, progressbar=False)
    with pytest.warns(bb.warnings.LeftOut):
        found = analyze_pairs(bb.maskedlm.read_scores(tmp_path / "scores.csv"), few)
    page, (lost,) = found.page(), found.notices
    assert (lost.n, lost.total) == (30, 45)
    assert {"15", "45"} & {*NUMBER.findall(page.kicker)} == {"15"}
    assert str(lost) in " ".join(found.verbose().split())
    assert str(lost) in found.found.origin["warnings"]
    save_plots(page, tmp_path / "plots", ["png"])
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["shares-log-p-token.png"]


def test_cards_are_one_file_with_hashes_and_alternative_texts(demo, tmp_path: Path) -> None:
    card = demo.card(tmp_path / "card.svg").read_text(encoding="utf-8")
    assert 'viewBox="0 0 1200 630"' in card
    assert demo.found.hashes["vectors"][:12] in card
    cell = Parsed(demo._repr_html_())
    assert re.search(r"\d\.\d\d", *cell.values("alt"))


def test_cards_have_room_for_pictures_and_are_valid_xml(demo: Analysis, tmp_path: Path) -> None:
    """Sentences on many groups are long, and names can have any characters."""
    says = {group: f"{group}\x01, a group with quite a long name" for group in demo.wordlist.groups}
    picture = demo.page().answer.picture
    for n in (1, 5, 15):
        sentence = tuple(f"{says[group]} lean. " for group in n * [*says])
        card = shared(Answer(sentence, "By 0.1.", picture), "\x02")
        xml = ElementTree.fromstring(card)
        inner = [one.get("height") for one in xml.iter("{http://www.w3.org/2000/svg}svg")]
        assert all(float(height) > 150 for height in inner if height)
        shown = "".join(xml.itertext())
        assert shown.count("lean.") == 3 * n
    named = replace(demo, found=replace(demo.found, embedding="\udcff"))
    assert named.card(tmp_path / "card.svg").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("error:invalid value")
def test_a_group_without_any_stereotype_in_the_embedding_still_has_a_page(tmp_path: Path) -> None:
    words = {
        "groups": {"young": ["student", "youth"], "old": ["retired", "elderly"]},
        "stereotypes": {"young": ["reckless"], "old": ["no-such-word"]},
    }
    found = bb.analyze("glove-demo", words, draws=200, reference_lists=3, seed=1)
    assert "Too few" in found.report(tmp_path / "out").read_text(encoding="utf-8")
    assert not found.lead["influence"]["mean_without"].isna().any()
    # One set has another estimand than the landmarks, and it has no published score.
    assert found.contrasts["estimand"].iloc[0] == "plain difference"
    assert (len(found.landmarks), len(found.scores)) == (0, 0)


@pytest.mark.slow
def test_published_scores_need_no_other_lists_and_landmarks_no_covariates() -> None:
    how = {"draws": 250, "seed": 1, "matched": 2}
    plain = bb.analyze("glove-demo", "weat7", reference_lists=0, **how)
    known = bb.analyze("glove-demo", "weat7", covariates="log_rank_attribute", **how)
    assert plain.scores["score"].tolist() == ["weat", "mac", "same"]
    pd.testing.assert_frame_equal(plain.scores, known.scores)
    assert (len(plain.landmarks), len(known.landmarks)) == (3, 0)


@pytest.mark.parametrize(("after", "above"), [(0.5, False), (0.56, False), (0.6, True)])
def test_bias_is_left_only_if_a_classifier_is_clearly_above_chance(
    after: float, above: bool, measured_change: ChangeAnalysis
) -> None:
    """Of 200 guesses, the standard error is .035."""
    row = {"check": "classifier", "before": 1.0, "after": after, "chance": 0.5, "n": 200}
    frames = Frames({**measured_change.frames, "remains": pd.DataFrame([row])})
    found = replace(measured_change.found, frames=frames)
    said, paper = plain(page_of(found).answer.sentence), str(paper_of(found))
    assert [" still " in said, " still " in paper, "did not remove" in paper] == [above] * 3
    assert "(chance: 50%)" in said
    assert "(chance: 50%)" in paper


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.EquidistantWords")
def test_a_change_of_one_set_is_that_of_a_plain_difference() -> None:
    words = {
        "groups": {"man": ["he", "man", "boy"], "woman": ["she", "woman", "girl"]},
        "stereotypes": {"man": ["career", "office", "business"]},
    }
    how = {"draws": 250, "seed": 1, "progressbar": False}
    change = bb.analyze_change("glove-demo", "hard", words, sets="gender", **how)
    assert change.contrasts["estimand"].iloc[0] == "plain difference"
    assert len(change.landmarks) == 0
    two = words | {"stereotypes": words["stereotypes"] | {"woman": ["home", "family", "kitchen"]}}
    assert len(bb.analyze_change("glove-demo", "hard", two, sets="gender", **how).landmarks) == 3


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("rows", "question", "said", "formula"),
    [
        ("attribute_set == 'g'", Question.SHARED, "g words", "$m(h, S_g) - m(g, S_g)$"),
        *(
            pytest.param(rows, question, "their", "$m(g, S_h) - m(g, S_g)$", marks=pytest.mark.slow)
            for rows, question in (
                ("protected_group == 'g'", Question.ALONE),
                ("protected_group != 'k'", Question.GROUPS),
            )
        ),
    ],
)
def test_changes_say_whose_stereotypes_they_are_about_and_what_was_estimated(
    rows: str, question: Question, said: str, formula: str, tmp_path: Path
) -> None:
    """Three groups with one set, one group with three, and two groups with a set of nobody."""
    table, rng = groups_by_sets("ghk", 3, 4).query(rows), np.random.default_rng(1)
    before = table.assign(cosine_distance=0.8 + 0.05 * rng.standard_normal(len(table)))
    after = plus(before, 0.05 * (table["connection"] == "associated"))
    after = plus(after, 0.02 * rng.standard_normal(len(table)))
    change = bb.analyze_change(before, after, draws=200, seed=1, progressbar=False)
    assert change.found.question is question
    assert f"away from {said}" in " ".join(str(change).split())
    assert f"difference {formula}" in change.write_up().markdown
    assert change.report(tmp_path / "out").exists()


@pytest.mark.seconds
@pytest.mark.parametrize("kind", ["associated", "different"])
def test_a_change_without_one_kind_of_stereotypes_claims_no_difference(kind: str) -> None:
    table, rng = groups_by_sets("ghk", 3, 4), np.random.default_rng(1)
    controls = table[table["attribute_set"] == "g"].assign(connection="neutral")
    controls["attribute"] = "of " + controls["attribute"]
    before = pd.concat([table[table["connection"] == kind], controls], ignore_index=True)
    before["cosine_distance"] = 0.8 + 0.05 * rng.standard_normal(len(before))
    after = plus(before, 0.02 * rng.standard_normal(len(before)))
    change = bb.analyze_change(before, after, draws=100, seed=1, progressbar=False)
    assert change.found.removed is None
    text = change.write_up().markdown
    assert "m(g, S" not in text
    assert f"{kind.capitalize()} words moved by" in text
    assert not [fold for fold in change.page().folds() if "dots" in fold.text()]


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.MissingWords")
def test_sets_with_few_words_stand_before_the_sentence_on_a_change() -> None:
    vectors, rng = bb.load_vectors("glove-demo"), np.random.default_rng(1)
    words = {
        "groups": {"man": ["he", "man", "boy"], "woman": ["she", "woman", "girl"]},
        "stereotypes": {"man": ["career", "office", "boss"], "woman": ["home", "qqq", "zzz"]},
    }
    listed = bb.load_wordlist(words).words
    before = {word: vectors[word] for word in listed if word in vectors}
    after = {word: row + rng.normal(size=len(row)) for word, row in before.items()}
    with pytest.warns(bb.warnings.ThinSet):
        change = bb.analyze_change(before, after, words, matched=0, draws=100, seed=1)
    assert change.thin["set"].tolist() == ["woman_stereotype"]
    (alert,) = change.page().answer.alerts
    assert "1 of 3" in alert


def test_sweeps_name_the_places_of_sets_with_few_words(sweep: Sweep) -> None:
    thin = pd.DataFrame(
        {"role": "protected", "set": "men", "words": [4.0, 4.0], "found": [1.0, 2.0]}
    )
    thin = thin.assign(embedding=["calm", "wild"], list=["jobs", "kin"])
    frames = Frames({**sweep.frames, "thin": thin})
    page = page_of(replace(sweep.found, frames=frames))
    (alert,) = page.answer.alerts
    assert all(name in alert for name in ("calm", "wild", "jobs", "kin"))
    assert "1 of 4" in next(iter(page.details())).text()


def test_reversed_lists_of_a_sweep_are_farther_by_positive_numbers(sweep: Sweep) -> None:
    dots = sweep.frames["dots"]
    decks = [
        page_of(replace(sweep.found, frames=Frames({**sweep.frames, "dots": each}))).answer.deck
        for each in (dots, dots.assign(mean=-dots["mean"]))
    ]
    closer, farther = (deck.partition(". ")[0] for deck in decks)
    assert "−" not in closer + farther
    assert farther == closer.replace("closer", "farther")


def test_many_language_models_have_a_range_with_names(pairs: PairAnalysis) -> None:
    dots = pairs.frames["dots"]
    names, means = ("a", "b", "c", "d", "e"), (0.52, 0.31, 0.84, 0.6, 0.47)
    rows = [dots.assign(model=name, mean=mean) for name, mean in zip(names, means, strict=True)]
    frames = Frames({**pairs.frames, "dots": pd.concat(rows)})
    found = replace(pairs.found, frames=frames, language_models=names)
    assert re.findall(r"(\d\d%) \((\w)\)", page_of(found).answer.deck) == [
        ("31%", "b"),
        ("84%", "c"),
    ]


def test_a_measure_that_a_model_lacks_is_named() -> None:
    rng = np.random.default_rng(1)
    parts = [
        pd.DataFrame({"model": model, "measure": measure, "pair_id": [*map(str, range(20))]})
        for model, measure in (("a", "pll"), ("b", "pll"), ("a", "aul"))
    ]
    scores = pd.concat(parts, ignore_index=True).assign(bias_type="age")
    scores = scores.assign(difference=rng.normal(size=60), cluster=scores["pair_id"])
    few = PairSettings(seed=1, draws=100, tune=100, chains=2, progressbar=False)
    with pytest.warns(bb.warnings.LeftOut) as told:
        found = analyze_pairs(scores, few)
    (one,) = (each.message for each in told if each.message.names == ("aul",))
    assert found.found.measures == ("pll",)
    assert any(str(one) in " ".join(fold.text().split()) for fold in found.page().details())


@pytest.mark.seconds
def test_a_measure_that_cannot_be_fitted_stops_no_other_one() -> None:
    """It is named and left out; if there is no other, the error names it."""
    scores = pd.DataFrame({"model": "a", "pair_id": [*map(str, range(20))], "bias_type": "age"})
    scores = scores.assign(difference=np.random.default_rng(1).normal(size=20), cluster="c")
    scores["cluster"] += scores["pair_id"]
    both = [scores.assign(measure="sss", difference=1.0), scores.assign(measure="pll")]
    few = PairSettings(seed=1, draws=100, progressbar=False)
    with pytest.warns(bb.warnings.LeftOut) as told:
        found = analyze_pairs(pd.concat(both, ignore_index=True), few)
    assert [each.message.names for each in told] == [("sss",)]
    assert found.found.measures == ("pll",)
    alone = analyze_pairs(both[1], few).found.frames["summary"]
    pd.testing.assert_frame_equal(found.found.frames["summary"], alone)
    refused("sss: intervals cannot", analyze_pairs, both[0], few, error=EqualPreferencesError)


@pytest.mark.seconds
def test_a_figure_with_too_many_rows_stops_no_other_file(tmp_path: Path) -> None:
    table, rng = groups_by_sets("gh", 2, 45), np.random.default_rng(1)
    before = table.assign(cosine_distance=0.8 + 0.05 * rng.standard_normal(len(table)))
    after = plus(before, 0.02 * rng.standard_normal(len(table)))
    page = bb.analyze_change(before, after, draws=100, seed=1, progressbar=False).page()
    with pytest.warns(bb.warnings.LeftOut) as told:
        write_report(page, "a command", {}, tmp_path, ["svg"])
    assert [warning.message.names for warning in told] == [("change",)]
    assert (tmp_path / "report.html").exists()
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["distributions.svg"]


def test_a_claim_against_stereotypes_names_those_of_others_first() -> None:
    asked = SimpleNamespace(naming=NUMBERED, question=Question.GROUPS)
    first, second = claim_of(asked, holds=False).split(" more than ")
    assert ("toward others’" in first, "toward their own" in second) == (True, True)


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("model", "shared", "question"),
    [
        pytest.param("by-group", 2, Question.CROSSED, marks=pytest.mark.slow),
        pytest.param("by-group", 4, Question.OWN, marks=pytest.mark.slow),
        ("crossed", 0, Question.OWN),
        ("paper", 0, Question.OWN),
    ],
)
def test_pairs_are_reversed_only_if_the_closeness_of_sets_cancels(
    model: str, shared: int, question: Question
) -> None:
    """It stays in averages over words, and if a group's set is part of the other group's."""
    rng = np.random.default_rng(1)
    sets = {"g": [f"a{n}" for n in range(4)]}
    sets["h"] = [*sets["g"][:shared], "b0", "b1", "b2"]
    words = {"groups": {"g": ["g0", "g1", "g2", "g3"], "h": ["h0", "h1"]}, "stereotypes": sets}
    words["controls"] = {"neutral": ["k0", "k1", "k2"]}
    names = {word for kind in words.values() for some in kind.values() for word in some}
    vectors = {word: rng.normal(size=20) for word in sorted(names)}
    how = {"models": [model], "draws": 100, "reference_lists": 0, "matched": 0, "seed": 1}
    with warnings.heard():
        found = bb.analyze(vectors, words, **how)
    record, page = found.found, found.page()
    estimand = record.frames["headline"]["estimand"].iloc[0]
    reverse = replace(record, question=Question.CROSSED)
    as_reversed, is_crossed = page_of(reverse), question is Question.CROSSED
    assert record.question is question
    assert (estimand == "double difference") == is_crossed
    claim = claim_of(reverse, holds=record.overall.mean >= 0)
    assert (claim.lower() in found.write_up().markdown.lower()) == is_crossed
    assert (as_reversed.side() == page.side()) == is_crossed
    assert len(list(as_reversed.folds())) - len(list(page.folds())) == (not is_crossed)
    if is_crossed:
        steps = record.frames["steps"].set_index("step")["value"]
        raw = record.led("attributes").groupby("protected_group")["raw"].mean().mean()
        assert steps["difference"] == pytest.approx(-raw)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "question", "groups"),
    [
        (["groups"], Question.GROUPS, ["young", "old"]),
        (["groups", "stereotypes"], Question.CROSSED, []),
        (["stereotypes"], Question.GROUPS, ["young", "old"]),
    ],
)
def test_lists_of_which_a_group_is_missing_ask_what_can_be_asked(
    lost: list[str], question: Question, groups: list[str], tmp_path: Path
) -> None:
    """Stereotypes of a third group without words are still a baseline for each of the others."""
    words = {
        "groups": {"young": ["student", "youth"], "old": ["retired", "elderly"]},
        "stereotypes": {"young": ["reckless", "fast"], "old": ["slow", "wise"]},
    }
    words["groups"]["rich"], words["stereotypes"]["rich"] = ["banker", "owner"], ["greedy", "smart"]
    for kind in lost:
        words[kind]["rich"] = ["no-such-word"]
    found = bb.analyze("glove-demo", words, draws=200, reference_lists=0, seed=1)
    found.report(tmp_path / "out")
    assert found.found.question is question
    assert [row.key for row in found.found.groups] == groups
