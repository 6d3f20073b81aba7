"""The lesson and reports in a real browser: numbers, the keyboard, narrow screens, and print."""

import base64
import json
import os
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import religion_analysis
from scipy import stats

import bayesbias as bb
from bayesbias._core.resources import bundled_folder
from bayesbias.model.spec import spec_from_dict
from bayesbias.tables.cosines import attach_cosines

pytestmark = pytest.mark.browser

LESSON = bundled_folder("docs") / "lesson.html"
DEFAULT = bb.load_model("by-group").to_dict()
SPEC = spec_from_dict(DEFAULT | {"name": "lesson", "sigma": "common"})
"""The model of the page: `by-group` with one sd of the noise."""

COSINE = 0.9
"""Cosine of words that lean together, as stated on the page."""

WORLDS = [
    {"words": w, "attributes": a, "difference": d, "wordLevel": 0.05, "attributeLevel": 0.1}
    | {"wordLean": lean, "attributeLean": side, "noise": 0.08, "onlyFirst": 0.0, "cluster": size}
    for w, a, d, lean, side, size in [
        (8, 8, 0.0, 0.0, 0.08, 1),
        (8, 8, -0.05, 0.04, 0.04, 4),
        (4, 8, -0.1, 0.0, 0.05, 2),
        (5, 3, 0.05, 0.02, 0.0, 1),
        (3, 12, 0.0, 0.05, 0.05, 1),
    ]
]


def long_form(y: np.ndarray) -> pd.DataFrame:
    n, m = y.shape
    kinds = ("different", "associated")
    rows = [
        (f"w{w}", f"g{g}", f"a{a}", f"s{s}", kinds[int(g == s)], y[w, a])
        for w, g in enumerate(2 * np.arange(n) // n)
        for a, s in enumerate(2 * np.arange(m) // m)
    ]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS))


def with_clusters(table: pd.DataFrame, size: int) -> None:
    """Attach cosines: COSINE between the words of a cluster, and 0 between other words."""
    words, attributes = table["protected_word"].unique(), table["attribute"].unique()
    place = np.arange(len(words)) % (len(words) // 2) // size + len(words) * (
        2 * np.arange(len(words)) // len(words)
    )
    cosines = np.eye(len(words) + len(attributes))
    cosines[: len(words), : len(words)] += COSINE * (
        (place[:, None] == place) & ~np.eye(len(words), dtype=bool)
    )
    attach_cosines(table, [*words, *attributes], cosines)


def test_posterior_and_tests_are_those_of_fit_and_of_textbooks(browser: Any) -> None:
    browser.get(LESSON.as_uri())
    for seed, world in enumerate(WORLDS):
        y, told, weat, t = browser.execute_script(
            "const rng = lesson.generator(arguments[0]);"
            "const y = lesson.simulate(arguments[1], rng);"
            "const drawn = lesson.posterior(y, rng, arguments[1].cluster, 6000, 400);"
            "const told = lesson.describe(drawn);"
            "return [y, told, lesson.weat(y), lesson.tTest(y)]",
            seed,
            world,
        )
        table, y = long_form(np.array(y)), np.array(y)
        with_clusters(table, world["cluster"])
        post = bb.fit(table, SPEC, seed=seed, draws=2000)
        gap = post["posterior"]["connection_mean"]
        draws = (gap.sel(connection="associated") - gap.sel(connection="different")).values.ravel()
        # Errors of both means, from 6,000 weighted proposals and 8,000 independent draws.
        error = draws.std() * np.sqrt(1 / told["ess"] + 1 / len(draws))
        assert told["ess"] > 500
        assert abs(told["mean"] - draws.mean()) < 4 * error
        # An sd has a relative error of about 1 / sqrt(2 n), and twice that with heavy tails.
        assert told["sd"] == pytest.approx(draws.std(), rel=8 * error / draws.std() / np.sqrt(2))
        own, cells = table["connection"] == "associated", table["cosine_distance"]
        wanted = stats.ttest_ind(cells[own], cells[~own], equal_var=False)
        assert (t["t"], t["p"]) == pytest.approx((wanted.statistic, wanted.pvalue), abs=1e-6)
        n, m = y.shape
        s = y[:, m // 2 :].mean(axis=1) - y[:, : m // 2].mean(axis=1)
        if n % 2 == 0:  # groups of one size
            seen = s[: n // 2].mean() - s[n // 2 :].mean()
            assert weat["d"] == pytest.approx(seen / s.std(ddof=1))
            splits = [list(each) for each in combinations(range(n), n // 2)]
            others = [abs(2 * s[each].sum() - s.sum()) / (n / 2) for each in splits]
            assert weat["p"] == pytest.approx(np.mean(np.array(others) >= abs(seen) - 1e-12))


def opened(browser: Any, page: Path, width: int = 1280, preset: str = "") -> Any:
    """Open a page at a width, with a preset in its address."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}{preset}")
    return browser


def wait(browser: Any, condition: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda driver: driver.execute_script(f"return {condition}"))


def test_links_set_the_sliders_and_start_again_resets_them(browser: Any) -> None:
    opened(browser, LESSON, preset="#wordLean=0.08&cluster=4")
    wait(browser, "seen.length === 20")
    assert browser.execute_script("return [world().wordLean, world().cluster]") == [0.08, 4]
    links = browser.execute_script("return [...document.querySelectorAll('h3 a')].map(a => a.hash)")
    assert len(set(links)) == 7
    browser.execute_script("document.querySelector('a[href*=onlyFirst]').click()")
    wait(browser, "seen.length === 20 && world().onlyFirst === -0.1 && world().cluster === 1")
    browser.execute_script(
        "$('noise').value = 0.1; $('noise').dispatchEvent(new Event('change', {bubbles: true}))"
    )
    assert "noise=0.1" in browser.current_url
    browser.execute_script("$('reset').click()")
    wait(browser, "seen.length === 20 && !location.hash")
    assert browser.execute_script("return hash(world())") == "#"


@pytest.mark.parametrize(
    ("difference", "only_first", "true"),
    [(0.05, -0.1, 0), (-0.03, 0.06, 0), (0.1, -0.18, 0.01), (0, -0.1, -0.05), (0.01, -0.06, -0.02)],
)
def test_claims_are_judged_by_the_true_difference(browser, difference, only_first, true) -> None:
    """The mean of what the groups have in tables without noise is the truth, and has a sign."""
    opened(browser, LESSON, preset=f"#difference={difference}&onlyFirst={only_first}&wordLean=0.1")
    wait(browser, "seen.length === 20")
    y = browser.execute_script(
        "return lesson.simulate({...world(), wordLean: 0, noise: 0}, lesson.generator(1))"
    )
    table = long_form(np.array(y))
    means = table.groupby("connection")["cosine_distance"].mean()
    assert means["associated"] - means["different"] == pytest.approx(true, abs=1e-12)
    assert browser.execute_script("return truth()") == pytest.approx(true, abs=1e-12)
    browser.execute_script("for (let i = 0; i < 180; i++) step(); show();")
    claims, text = browser.execute_script(
        "return [seen.map(one => one.claims), $('count').textContent]"
    )
    signs = [np.sign(claim) for one in claims for claim in one if claim]
    counts = [200] if true == 0 else [200, signs.count(np.sign(true)), signs.count(-np.sign(true))]
    found = [float(number) for number in re.findall(r"(?<![\d.])\d+(?![\d.]*\d)", text)]
    assert found == counts
    assert len(signs) > 0


def test_a_claim_has_the_sign_of_the_table(browser: Any) -> None:
    """WEAT's d is positive if the groups are closer to their own sets; t and the mean are not."""
    for difference in (-0.1, 0.1):
        opened(browser, LESSON, preset=f"#difference={difference}&noise=0.02")
        wait(browser, "seen.length === 20")
        claims = browser.execute_script("return seen.map(one => one.claims.slice(0, 3))")
        assert claims == [[np.sign(difference)] * 3] * 20


def test_the_page_works_offline_on_desktop_and_phone(browser: Any, tmp_path: Path) -> None:
    for width in (1280, 400):
        opened(browser, LESSON, width)
        wait(browser, "seen.length === 20")
        browser.execute_script("for (let i = 0; i < 30; i++) step(); show();")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert "50 tables" in browser.execute_script("return $('count').textContent")
        counts = (
            "return ['#strips circle', '#table rect'].map(s => document.querySelectorAll(s).length)"
        )
        assert browser.execute_script(counts) == [25, 256]
        boxes = "return ['knobs', 'methods'].map(name => $(name).getBoundingClientRect().toJSON())"
        knobs, results = browser.execute_script(boxes)
        assert knobs["right"] <= results["left"]
        assert results["bottom"] <= knobs["bottom"]
        picture = Path(os.environ.get("BAYESBIAS_PICTURES", tmp_path)) / f"lesson-{width}.png"
        browser.save_screenshot(str(picture))
    logs = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        each["params"]["request"]["url"]
        for each in logs
        if each["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert all(url.startswith(("file:", "about:")) for url in asked)
    errors = [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    assert not errors


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    two = bb.analyze("glove-demo", "weat7", case="fallback", seed=1, draws=100, reference_lists=5)
    change = bb.analyze_change("glove-demo", "hard", "gender", seed=1, draws=100, recover_words=60)
    some = {"three": religion_analysis(), "two": two, "change": change}
    return {name: one.report(folder / name) for name, one in some.items()}


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

    shown = opened(browser, pages["three"])
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

    shown = opened(browser, pages[name])
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
        opened(browser, page)
        # On a busy machine, chromium may answer "Printing failed" at first.
        wait = WebDriverWait(browser, 30, ignored_exceptions=[WebDriverException])
        made = wait.until(
            lambda b: b.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
        )
        assert len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(made))) <= 4
