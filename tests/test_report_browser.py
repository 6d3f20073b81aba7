"""The report in a real browser: `make test-report`. It needs chromium and chromedriver."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import builders
import numpy as np
import pytest

from bayesbias.report.index import index_page
from bayesbias.report.page import render
from bayesbias.workflows.output import versions
from bayesbias.workflows.wordlist import Analysis

pytestmark = pytest.mark.browser

PHONE = 360
DESKTOP = 1300
PAPER = 718
"""Pixels between the margins of A4 at 96 an inch: (210 mm - 2 x 10 mm) / 25.4 mm x 96."""

MEAN = 4
"""Place of the means in tables by word: after word, group, connection or contrast, and model."""

SCROLLBAR = 15
"""Pixels that Chromium's scrollbar takes on a desktop; on a phone it lies above the page."""

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

FILTER = "return arguments[0].closest('.scroll').previousElementSibling"
"""The line above a table in which its rows are filtered."""

READABLE = 4.5
"""Contrast of text, and of marks that carry meaning, by WCAG 2.2 criteria 1.4.3 and 1.4.11."""
VISIBLE = 3.0

type Browser = Any  # selenium ships types, but only those who run these tests have it


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if not all(found.values()):
        reason = f"no {' or '.join(k for k, v in found.items() if not v)}: see make test-report"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found["chromium"]
    for option in OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found["chromedriver"]))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def demo() -> Analysis:
    return builders.religion_analysis(draws=500)


@pytest.fixture(scope="module")
def pages(demo: Analysis, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports as files, by name."""
    folder = tmp_path_factory.mktemp("pages")
    analyses = {"demo": demo, "hostile": builders.hostile_analysis()}
    html = {name: builders.drawn_page(each, folder / name) for name, each in analyses.items()}
    entries = [(each, f"{name}.html") for name, each in analyses.items()]
    html["index"] = render(index_page(entries), {}, builders.LONG, versions())
    for name, text in html.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in html}


EVERY = pytest.mark.parametrize("name", ["demo", "hostile", "index"])


def visit(
    browser: Browser,
    path: Path,
    *,
    width: int = DESKTOP,
    scheme: str = "light",
    media: str = "screen",
    scripts: bool = True,
) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    choices = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": key, "value": value} for key, value in choices.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())


def table(browser: Browser, caption: str) -> Any:
    """The table with a caption, unfolded."""
    return browser.execute_script(
        """const found = [...document.querySelectorAll("table")]
             .find((each) => each.caption.textContent === arguments[0]);
           const details = found.closest("details");
           if (details) details.open = true;
           return found;""",
        caption,
    )


def column(browser: Browser, of: Any, place: int) -> list[str]:
    """Texts of a column's cells in the rows that can be seen."""
    texts: list[str] = browser.execute_script(
        """return [...arguments[0].tBodies[0].rows]
             .filter((row) => row.getClientRects().length)
             .map((row) => row.cells[arguments[1]].textContent);""",
        of,
        place,
    )
    return texts


def press(browser: Browser, of: Any, head: int) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", of)
    of.find_elements("css selector", "thead th")[head].find_element("tag name", "button").click()


def numbers(texts: list[str]) -> list[float]:
    return [float(text.split()[0].replace("−", "-").replace(",", "")) for text in texts]


@EVERY
def test_it_opens_without_errors_and_asks_no_network(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    visit(browser, pages[name])
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [each["params"] for each in events if each["method"] == "Network.requestWillBeSent"]
    asked = [each["request"]["url"] for each in sent]
    there = [url for url in asked if not url.startswith("data:image/png;base64,")]
    assert there == [pages[name].as_uri()]


@EVERY
@pytest.mark.parametrize("width", [PHONE, 390, 768, DESKTOP])
def test_nothing_is_wider_than_the_page(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    visit(browser, pages[name], width=width)
    script = """for (const each of document.querySelectorAll("details")) each.open = true;
        const root = document.documentElement;
        return [root.scrollWidth, root.clientWidth, innerWidth];"""
    content, room, window = browser.execute_script(script)
    assert content == room
    assert window == width
    assert width - SCROLLBAR <= room <= width


def test_numbers_sort_as_numbers_and_a_third_press_restores(
    browser: Browser, pages: dict[str, Path]
) -> None:
    visit(browser, pages["demo"])
    differences = table(browser, "Differences, by word")
    heads = [head.text for head in differences.find_elements("css selector", "thead th")]
    assert heads[MEAN : MEAN + 2] == ["mean", "89% interval"]
    original = column(browser, differences, MEAN)
    assert any(text.startswith("−") for text in original)
    assert any(text.startswith("+") for text in original)
    for place in (MEAN, MEAN + 1):
        before = numbers(column(browser, differences, place))
        press(browser, differences, place)
        assert numbers(column(browser, differences, place)) == sorted(before)
        press(browser, differences, place)
        assert numbers(column(browser, differences, place)) == sorted(before, reverse=True)
        press(browser, differences, place)
        assert column(browser, differences, MEAN) == original


def test_counts_with_commas_and_words_sort(browser: Browser, pages: dict[str, Path]) -> None:
    visit(browser, pages["demo"])
    distances = table(browser, "Distances by connection")
    press(browser, distances, 2)
    assert column(browser, distances, 2) == ["55", "110", "1,275", "3,375"]
    press(browser, distances, 0)
    assert column(browser, distances, 0) == ["associated", "different", "human", "neutral"]
    marked = distances.find_elements("css selector", "th[aria-sort]")
    assert [head.get_attribute("aria-sort") for head in marked] == ["ascending"]


def test_rows_are_filtered_by_all_words_typed(browser: Browser, pages: dict[str, Path]) -> None:
    visit(browser, pages["demo"])
    words = table(browser, "Mean distances by word")
    every = len(column(browser, words, 0))
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", words)
    line = browser.execute_script(FILTER, words)
    field = line.find_element("css selector", "input")
    field.send_keys("RABBI crossed")
    assert column(browser, words, 0) == ["rabbi"] * 4
    status = line.find_element("css selector", "[role=status]")
    assert status.text == f"4 of {every} rows with “RABBI crossed”"
    press(browser, words, MEAN)
    found = numbers(column(browser, words, MEAN))
    assert len(found) == 4
    assert found == sorted(found)
    field.clear()
    field.send_keys(" ")
    assert len(column(browser, words, 0)) == every
    assert status.text == ""


def test_a_hyphen_finds_a_minus_sign(browser: Browser, pages: dict[str, Path]) -> None:
    visit(browser, pages["demo"])
    differences = table(browser, "Differences, by word")
    negative = [text for text in column(browser, differences, MEAN) if "−" in text]
    field = browser.execute_script(FILTER, differences).find_element("css selector", "input")
    field.send_keys(negative[0].replace("−", "-"))
    assert negative[0] in column(browser, differences, MEAN)


def test_without_scripts_tables_are_plain(browser: Browser, pages: dict[str, Path]) -> None:
    visit(browser, pages["demo"], scripts=False)
    # Without scripts the driver cannot ask whether the page is there whole, and may go on early.
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 30).until(lambda found: found.find_elements("css selector", "footer"))
    for selector, least in {"table": 13, "figure svg": 1}.items():
        assert len(browser.find_elements("css selector", selector)) >= least
    assert browser.find_elements("css selector", "th button, .filter") == []


def test_hostile_words_stay_text(browser: Browser, pages: dict[str, Path]) -> None:
    visit(browser, pages["hostile"])
    counts = browser.execute_script(
        """return ["script", "img", "iframe", "b > b", "td b", "figure b"]
             .map((each) => document.querySelectorAll(each).length)"""
    )
    assert counts == [1, 0, 0, 0, 0, 0]
    cells = column(browser, table(browser, "Mean distances by word"), 0)
    assert set(cells) == set(builders.HOSTILE_WORDS)
    texts = browser.execute_script(
        "return [...document.querySelectorAll('figure svg text')].map((each) => each.textContent)"
    )
    for word in (*(word[:20] for word in builders.HOSTILE_WORDS), "a&b", "&lt;b&gt;", "]]>"):
        assert any(text.startswith(word) for text in texts)
    assert browser.get_log("browser") == []


@EVERY
def test_figures_have_alternative_texts(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    visit(browser, pages[name])
    labels = browser.execute_script(
        """return [...document.querySelectorAll("figure svg")]
             .map((each) => each.matches("[role=img]") && each.getAttribute("aria-label"))"""
    )
    assert all(label and len(label) > 40 for label in labels)
    assert bool(labels) == (name != "index")
    hidden = browser.execute_script(
        "return document.querySelectorAll('svg:not([aria-label]):not([aria-hidden=true])').length"
    )
    assert hidden == 0


COLOURS_OF_TEXT = """
for (const each of document.querySelectorAll("details")) each.open = true;
const found = new Set();
const ground = (node) => {
  for (let up = node; up; up = up.parentElement) {
    const colour = getComputedStyle(up).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") return colour;
  }
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || node.closest("script, style, title") ||
      !node.getClientRects().length) continue;
  const style = getComputedStyle(node), inside = node.closest("figure svg");
  found.add(JSON.stringify([inside ? style.fill : style.color, ground(node), "text"]));
}
for (const name of ["associated", "different", "human", "neutral"]) {
  for (const mark of document.querySelectorAll(`figure svg use[style*="fill: var(--${name})"]`))
    found.add(JSON.stringify([getComputedStyle(mark).fill, ground(mark), "mark"]));
}
return [...found].map((each) => JSON.parse(each));
"""


def luminance(colour: str) -> float:
    """Relative luminance of an opaque sRGB colour, after WCAG 2.2."""
    found = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour)
    assert found, colour
    parts = np.array([int(part) for part in found.groups()]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.005)


@EVERY
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_marks_can_be_read(
    browser: Browser, pages: dict[str, Path], name: str, scheme: str
) -> None:
    visit(browser, pages[name], scheme=scheme)
    found = browser.execute_script(COLOURS_OF_TEXT)
    kinds = {kind for _, _, kind in found}
    assert kinds == ({"text"} if name == "index" else {"text", "mark"})
    for colour, ground, kind in found:
        least = READABLE if kind == "text" else VISIBLE
        assert contrast(colour, ground) >= least, (colour, ground, kind)
    (page,) = {luminance(ground) > 0.5 for _, ground, _ in found}
    assert page == (scheme == "light")


@pytest.mark.parametrize("name", ["demo", "hostile"])
def test_paper_has_whole_tables_and_nothing_folded(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    visit(browser, pages[name], width=PAPER, media="print", scheme="dark")
    cut, controls, folded, lost, ground = browser.execute_script(
        """const right = document.documentElement.clientWidth;
           const seen = (each) => each.getClientRects().length > 0;
           const all = (what) => [...document.querySelectorAll(what)];
           return [
             all("td, th").filter((each) => each.getBoundingClientRect().right > right + 1).length,
             all("nav, .filter input, .skip").filter(seen).length,
             all("details:not([open])").filter(seen).length,
             all("table, figure").filter((each) => !each.closest("details") && !seen(each)).length,
             getComputedStyle(document.body).backgroundColor,
           ];"""
    )
    assert (cut, controls, folded, lost) == (0, 0, 0, 0)
    assert ground == "rgb(255, 255, 255)"
