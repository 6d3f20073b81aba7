"""Tables and single figures of docs/calibration.md, as `build_calibration.py` fills them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bayesbias.calibration import CALIBRATED_METHODS
from bayesbias.nulls import SCENARIOS
from studies import literature
from studies.literature import null_share

MODELS = ("paper", "crossed", "maximal")
CHANGES = ("change-crossed", "change-maximal")
RECOMMENDED = ("maximal", "change-maximal")
"""Models whose cells that are worse than promised are listed."""

GROUPS_AND_HUMAN = {
    "between-groups": "X against Y",
    "human": "human, overall",
    "human-group": "human, group",
    "human-between-groups": "human, X against Y",
    "human-word": "human, word",
    "weat": "WEAT",
}
"""Levels beside the overall, the group's and the word's contrast with ``different``."""

OF_DIFFERENT = {"": "overall", "group": "group", "between-groups": "X against Y", "word": "word"}
OF_CHANGES = OF_DIFFERENT | {level: GROUPS_AND_HUMAN[level] for level in ("human", "weat")}
ENDS = {
    "before": "before, overall",
    "before-group": "before, group",
    "after": "after, overall",
    "after-group": "after, group",
}
"""Levels by the end of a method's name, and as columns of tables are headed."""

NULL_SCENARIOS = [name for name in SCENARIOS if not name.startswith("planted")]
PLANTED = [name for name in SCENARIOS if name not in NULL_SCENARIOS]
T_METHODS = ("t-cells-groups", "t-cells-sets", "t-word-means", "t-attribute-means")

KNOWN = {
    "independent": (0.053, 0.053, 0.057, 0.051),
    "words-differ": (0.224, 0.034, 0.047, 0.054),
    "attributes-differ": (0.031, 0.328, 0.046, 0.051),
    "attributes-differ-more": (0.011, 0.519, 0.049, 0.050),
}
"""False alarms known from a simulation of 4,000 tables a cell, by scenario and t-test."""

PAPER_SAMPLES = 10_000
"""Null samples of the paper's section 3.2."""


SAMPLES = 400_000
"""Null samples that the page's code draws."""


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def short(share: float, digits: int = 2) -> str:
    """Write a share as prose does: .05, 1.00."""
    return f"{share:.{digits}f}".removeprefix("0")


def span(low: str, high: str) -> str:
    """Write the lowest and the highest of figures, once if they are one."""
    return low if low == high else f"{low} to {high}"


def quote(both: pd.DataFrame, request: str) -> str:
    """Give rates as prose quotes them: ``SCENARIO,... METHOD,... [%]``.

    After ``most`` it is the highest, after ``least`` the lowest. ``null`` stands for all false
    alarms of null scenarios but ``vocabulary-topics``, and ``*`` in the name of a method for every
    model.
    """
    words = request.split()
    percent, most, least = words[-1] == "%", words[0] == "most", words[0] == "least"
    asked = words[most or least : len(words) - percent]
    scenarios, methods = (part.split(",") for part in asked)
    methods = [name.replace("*", spec) for name in methods for spec in MODELS]
    rows = both[both["method"].isin(methods)]
    if scenarios == ["null"]:
        scenarios = [name for name in NULL_SCENARIOS if name != "vocabulary-topics"]
        rows = rows[rows["kind"] == "false alarms"]
    elif not set(scenarios) <= set(both["scenario"]):
        raise ValueError(f"the page asks for {request!r}, and a scenario of it is unknown")
    if set(rows["method"]) != set(methods):
        raise ValueError(f"the page asks for {request!r}, and a method of it is unknown")
    rates = rows.loc[rows["scenario"].isin(scenarios), "rate"]
    low, high = (f"{each:.0%}" if percent else short(each) for each in (rates.min(), rates.max()))
    return high if most else low if least else span(low, high)


def rate(row: pd.Series, kinds: Sequence[str]) -> str:
    """Write a rate with its error, bold where it is worse than promised; a dash for other kinds."""
    if row["kind"] not in kinds:
        return "–"
    text = f"{short(row['rate'], 3)} ± {short(row['mc_error'], 3)}"
    return f"**{text}**" if _is_worse(row) else text


def grid(
    frame: pd.DataFrame, methods: Sequence[str], scenarios: Sequence[str], kinds: Sequence[str]
) -> str:
    """Write rates, a row a scenario and a column a method."""
    rows = [
        [f"`{scenario}`", *(cell(frame, scenario, name, kinds) for name in methods)]
        for scenario in scenarios
    ]
    return markdown(["scenario", *(f"`{name}`" for name in methods)], rows)


def cell(frame: pd.DataFrame, scenario: str, method: str, kinds: Sequence[str]) -> str:
    """Write the rate of one cell; a dash if it was not measured or is of another kind."""
    found = frame[(frame["scenario"] == scenario) & (frame["method"] == method)]
    return "–" if found.empty else rate(found.iloc[0], kinds)


def named(model: str, reading: str, level: str) -> str:
    """Name the method that reads a level of a model's posterior."""
    return f"{model}-{reading}" + (f"-{level}" if level else "")


def by_level(
    frame: pd.DataFrame,
    model: str,
    reading: str,
    levels: Mapping[str, str],
    kinds: Sequence[str],
) -> str:
    """Write rates of a model, a row a scenario that it was measured in and a column a level."""
    names = [named(model, reading, level) for level in levels]
    measured = frame.loc[frame["method"].isin(names), "scenario"].unique()
    rows = [
        [f"`{scenario}`", *(cell(frame, scenario, name, kinds) for name in names)]
        for scenario in measured
    ]
    return markdown([f"`{model}-{reading}`", *levels.values()], rows)


def tables_by_level(
    frame: pd.DataFrame, models: Sequence[str], levels: Mapping[str, str], reading: str, kind: str
) -> str:
    """Write the tables of several models."""
    return "\n\n".join(by_level(frame, model, reading, levels, (kind,)) for model in models)


def topics(frame: pd.DataFrame) -> str:
    """Write what ``maximal-topics`` claims and covers, and how wide its interval is."""
    readings = {
        named("maximal-topics", reading, level): f"{reading}, {what}"
        for what, level in (("overall", ""), ("group", "group"), ("human", "human"))
        for reading in ("hpdi", "coverage")
    }
    found = frame.set_index(["method", "scenario"])
    rows = [
        [
            f"`{scenario}`",
            *(cell(frame, scenario, name, ("false alarms", "coverage", "power"))
              for name in readings),
            short(found.loc[("maximal-topics-coverage", scenario), "width"], 3),
        ]
        for scenario in found.loc["maximal-topics-coverage"].index
    ]  # fmt: skip
    return markdown(["`maximal-topics`", *readings.values(), "width, overall"], rows)


def failures(frame: pd.DataFrame) -> str:
    """Write every cell of the recommended models that is worse than promised beyond chance."""
    rows = []
    for (model, scenario), part in frame.groupby([_model_of(frame), "scenario"], sort=False):
        worse = [_told(row) for _, row in part.iterrows() if _is_worse(row)]
        if model in RECOMMENDED and worse:
            rows.append([f"`{model}`", f"`{scenario}`", "; ".join(worse)])
    if not rows:
        return "No cell of `maximal` and `change-maximal` is worse than promised beyond chance."
    return markdown(["model", "scenario", "worse than promised: claimed, or covered"], rows)


def _model_of(frame: pd.DataFrame) -> pd.Series:
    return frame["method"].str.replace("-(hpdi|coverage|rope).*", "", regex=True).rename("model")


def _told(row: pd.Series) -> str:
    verb = "covers" if row["kind"] == "coverage" else "claims"
    return f"{row['question']} {verb} {short(row['rate'], 3)}"


def _is_worse(row: pd.Series) -> bool:
    """Return whether a rate is worse than promised, beyond its Monte Carlo interval."""
    if row["kind"] == "coverage":
        return bool(row["high"] < row["nominal"])
    return bool(row["kind"] == "false alarms" and row["low"] > row["nominal"])


def readings(*readings: str) -> list[str]:
    """Name methods that read posteriors, for all models."""
    return [f"{spec}-{reading}" for reading in readings for spec in MODELS]


def method_table(names: Sequence[str]) -> str:
    """Write what methods do, and what their null hypothesis says."""
    rows = [
        [f"`{n}`", CALIBRATED_METHODS[n].title.replace("|", "\\|"), CALIBRATED_METHODS[n].null]
        for n in names
    ]
    return markdown(["method", "claims a bias by", "its null hypothesis"], rows)


def alarms(both: pd.DataFrame) -> str:
    """Write the tables of false alarms, a few columns each."""
    parts = [
        ("weat-p", "weat-d-large", "weat-d-example", "weat-d-caliskan"),
        ("mac-paired-t", *T_METHODS),
        readings("hpdi", "hpdi-group"),
        readings("hpdi-unpooled-word", "hpdi-word", "hpdi-any-word"),
    ]
    return "\n\n".join(grid(both, part, NULL_SCENARIOS, ("false alarms",)) for part in parts)


def known_rates(both: pd.DataFrame) -> str:
    """Write the known rates beside ours, with their difference in standard errors of both."""
    found, rows = both.set_index(["scenario", "method"]), []
    for scenario, rates in KNOWN.items():
        row = [f"`{scenario}`"]
        for name, share in zip(T_METHODS, rates, strict=True):
            ours, n = found.loc[(scenario, name), "rate"], found.loc[(scenario, name), "n"]
            error = np.sqrt(share * (1 - share) * (1 / 4000 + 1 / n))
            row.append(f"{short(share, 3)}, {short(ours, 3)} ({(ours - share) / error:+.1f})")
        rows.append(row)
    return markdown(["scenario", *(f"`{name}`" for name in T_METHODS)], rows)


def power(both: pd.DataFrame) -> str:
    """Write power in the scenarios with something planted, a row a method."""
    names = ["weat-p", "weat-d-large", "mac-paired-t", "t-cells-groups", "t-word-means"]
    names += readings("hpdi", "hpdi-between-groups", "hpdi-human", "hpdi-weat", "rope")
    names += readings("hpdi-unpooled-word", "hpdi-word")
    kinds = "power", "false alarms"
    rows = [
        [f"`{name}`", *(cell(both, scenario, name, kinds) for scenario in PLANTED)]
        for name in names
    ]
    return markdown(["method", *(f"`{scenario}`" for scenario in PLANTED)], rows)


def length_tables(frame: pd.DataFrame) -> dict[str, str]:
    """Write widths, and shares found, by length of both lists; and single ones by name."""
    found = frame.set_index(["method", "n_words", "n_attributes"])
    words, attributes = (sorted(frame[name].unique()) for name in ("n_words", "n_attributes"))
    head = ["words a group", *(f"{a:.0f} attributes a set" for a in attributes)]
    widths, shares, content = [], [], {}
    for w in words:
        cells = [
            (found.loc[("maximal-hpdi", w, a)], found.loc[("weat-p", w, a)]) for a in attributes
        ]
        widths.append([f"{w:.0f}", *(short(ours["width"], 3) for ours, _ in cells)])
        shares.append([f"{w:.0f}", *(f"{short(a['rate'])} / {short(b['rate'])}" for a, b in cells)])
        for a, (ours, _) in zip(attributes, cells, strict=True):
            content[f"width {w:.0f} {a:.0f}"] = short(ours["width"], 3)
            group = found.loc[("maximal-hpdi-group", w, a), "width"]
            content[f"group width {w:.0f} {a:.0f}"] = short(group, 3)
            content[f"found {w:.0f} {a:.0f}"] = f"{ours['rate']:.0%}"
    return content | {"widths": markdown(head, widths), "found": markdown(head, shares)}


def example_content() -> dict[str, str]:
    """Write the published numbers of section 3.2 beside ours, and the shares of null samples."""
    example = literature.paper_example()
    rows = [
        [row.quantity.replace("|", "\\|"), f"{row.published:g}", f"{row.found:.4f}", row.reason]
        for row in example.comparison().itertuples()
    ]
    null, d = example.null_samples(SAMPLES, seed=1), example.effect_size()
    drawn = {name: float((null[name].abs() >= d).mean()) for name in null.columns[1:]}
    slip = null_share(d, "slipped")
    reach = 1.96 * np.sqrt(slip * (1 - slip) / PAPER_SAMPLES)
    exact = {f"exact {of}": short(null_share(d, of), 4) for of in ("population", "sample")}
    return exact | {
        "comparison": markdown(["quantity", "published", "here", "why"], rows),
        "samples": f"{SAMPLES:_}",
        "shares": str(drawn),
        "exact slip": short(slip, 3),
        "slip span": span(short(slip - reach, 3), short(slip + reach, 3)),
    }
