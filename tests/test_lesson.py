"""The browser lesson: its exact sampler compared with `bb.fit`, in a real browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import skip
from scipy import stats

import bayesbias as bb
from bayesbias._core.resources import bundled_folder
from bayesbias.model.spec import spec_from_dict

pytestmark = pytest.mark.browser

PAGE = bundled_folder("docs") / "lesson.html"
EXPONENTIAL = {"family": "exponential", "rate": 10.0}
CENTERED = {"constraint": "zero_sum"}
TERMS = {
    "level": {"of": "protected_word"},
    "lean": {"of": "protected_word", "by": "attribute_set"} | CENTERED,
    "attribute_effect": {"of": "attribute"},
    "attribute_lean": {"of": "attribute", "by": "protected_group"} | CENTERED,
}
SDS = ("level_sd", "lean_sd", "attribute_sd", "attribute_lean_sd")
SPEC = spec_from_dict(
    {
        "name": "lesson",
        "terms": {name: TERMS[name] | {"sd": sd} for name, sd in zip(TERMS, SDS, strict=True)},
        "priors": {"connection_mean": {"family": "normal", "mean": 1.0, "sd": 0.3}}
        | dict.fromkeys((*SDS, "sigma"), EXPONENTIAL),
    }
)
"""The model as stated on the page."""

WORLDS = [
    {"words": w, "attributes": a, "difference": d, "wordLevel": 0.05, "attributeLevel": 0.1}
    | {"wordLean": lean, "attributeLean": side, "noise": 0.08}
    for w, a, d, lean, side in [
        (8, 8, 0.0, 0.0, 0.08),
        (8, 8, -0.05, 0.04, 0.04),
        (4, 8, -0.1, 0.0, 0.05),
        (5, 3, 0.05, 0.02, 0.0),
        (3, 12, 0.0, 0.05, 0.05),
    ]
]

OPTIONS = ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run")

type Browser = Any  # selenium has types, but is only installed to run these tests


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    if not all(found.values()):
        skip("no chromium or chromedriver: see make test-report")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found["chromium"]
    for option in OPTIONS:
        options.add_argument(f"--{option}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found["chromedriver"]))
    driver.get(PAGE.as_uri())
    yield driver
    driver.quit()


def long_form(y: np.ndarray) -> pd.DataFrame:
    n, m = y.shape
    kinds = ("different", "associated")
    rows = [
        (f"w{w}", f"g{g}", f"a{a}", f"s{s}", kinds[int(g == s)], y[w, a])
        for w, g in enumerate(2 * np.arange(n) // n)
        for a, s in enumerate(2 * np.arange(m) // m)
    ]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS))


def test_posterior_and_tests_are_those_of_fit_and_of_textbooks(browser: Browser) -> None:
    for seed, world in enumerate(WORLDS):
        y, told, weat, t = browser.execute_script(
            "const rng = lesson.generator(arguments[0]);"
            "const y = lesson.simulate(arguments[1], rng);"
            "const told = lesson.describe(lesson.posterior(y, rng, 6000, 200));"
            "return [y, told, lesson.weat(y), lesson.tTest(y)]",
            seed,
            world,
        )
        table, y = long_form(np.array(y)), np.array(y)
        gap = bb.fit(table, SPEC, seed=seed, draws=2000)["posterior"]["connection_mean"]
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


def test_the_page_works_offline_on_desktop_and_phone(browser: Browser, tmp_path: Path) -> None:
    for width in (1280, 400):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(PAGE.as_uri())
        browser.execute_script("for (let i = 0; i < 30; i++) step(); show();")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert "50 tables" in browser.execute_script("return $('count').textContent")
        assert browser.execute_script("return $('strips').querySelectorAll('circle').length") == 25
        picture = Path(os.environ.get("BAYESBIAS_PICTURES", tmp_path)) / f"lesson-{width}.png"
        browser.save_screenshot(str(picture))
    logs = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        each["params"]["request"]["url"]
        for each in logs
        if each["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert all(url.startswith("file:") for url in asked)
    errors = [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    assert not errors
