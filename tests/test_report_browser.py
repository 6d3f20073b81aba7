"""Reports in a real browser: the read-out by keyboard, narrow screens, heights, and print."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from builders import religion_analysis

import bayesbias as bb

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    two = bb.analyze("glove-demo", "weat7", case="fallback", seed=1, draws=100, reference_lists=5)
    change = bb.analyze_change("glove-demo", "hard", "gender", seed=1, draws=100, recover_words=60)
    some = {"three": religion_analysis(), "two": two, "change": change}
    return {name: one.report(folder / name) for name, one in some.items()}


def opened(browser: Any, page: Path, width: int) -> Any:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(page.as_uri())
    return browser


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["three", "two", "change"])
def test_the_picture_is_near_the_top_and_nothing_scrolls_sideways(browser, pages, name, width):
    shown = opened(browser, pages[name], width)
    top, wide = shown.execute_script(
        "const svg = [...document.querySelectorAll('svg')].find(s => s.clientHeight);"
        "return [svg.getBoundingClientRect().top, document.documentElement.scrollWidth]"
    )
    assert top <= 300
    assert wide <= width
    assert [one for one in shown.get_log("browser") if one["level"] == "SEVERE"] == []


@pytest.mark.parametrize(
    ("picture", "said"),
    [(".map:not(.leans)", r"\S+ × \S+: distance \d\.\d\d, "), (".leans", r"\S+: −?\d\.\d\d \(")],
)
def test_arrow_keys_read_the_cells_of_pictures(browser, pages, picture: str, said: str) -> None:
    from selenium.webdriver.common.keys import Keys

    shown = opened(browser, pages["three"], 1280)
    cells = next(one for one in shown.find_elements("css selector", picture) if one.is_displayed())
    shown.execute_script("arguments[0].focus()", cells)
    out = shown.execute_script("return arguments[0].parentNode.querySelector('.out')", cells)
    first = out.text
    assert re.match(said, first)
    for key, same in ((Keys.ARROW_DOWN, False), (Keys.ARROW_UP, True)):
        shown.switch_to.active_element.send_keys(key)
        assert (out.text == first) is same


NUMBERED = """
const some = [...document.querySelectorAll('summary, .scroll, .map')];
const shown = some.filter((one) => one.checkVisibility());
shown.forEach((one, at) => { one.dataset.at = at; });
return shown.length
"""


@pytest.mark.parametrize("name", ["three", "change"])
def test_tab_reaches_every_read_out_in_the_order_of_reading(browser, pages, name) -> None:
    from selenium.webdriver.common.keys import Keys

    shown = opened(browser, pages[name], 1280)
    count, reached = shown.execute_script(NUMBERED), []
    for _ in range(count):
        shown.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(shown.execute_script("return document.activeElement.dataset.at"))
    assert reached == [str(place) for place in range(count)]


@pytest.mark.parametrize("name", ["three", "two", "change"])
def test_screen_readers_meet_the_sentence_then_a_picture_with_its_numbers(browser, pages, name):
    shown = opened(browser, pages[name], 400)
    nodes = shown.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    said = [(one["role"]["value"], one["name"]["value"]) for one in nodes if "name" in one]
    heads = [text for role, text in said if role == "heading"]
    assert heads[0] == shown.find_element("css selector", "h1").text
    places = [at for at, (role, _) in enumerate(said) if role in {"image", "img"}]
    assert said.index(("heading", heads[0])) < places[0] < said.index(("heading", heads[1]))
    assert len(re.findall(r"\d\.\d\d", said[places[0]][1])) >= 3


def test_print_fits_on_four_pages(browser: Any, pages: dict[str, Path]) -> None:
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    for page in pages.values():
        opened(browser, page, 1280)
        # On a busy machine, chromium may answer "Printing failed" at first.
        wait = WebDriverWait(browser, 30, ignored_exceptions=[WebDriverException])
        made = wait.until(
            lambda b: b.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
        )
        assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(made))) <= 4
