"""Write docs/calibration.md and its figures from real runs.

Run ``python scripts/build_calibration.py`` from the checkout. ``--jobs N`` sets the processes;
``--folder DIR`` keeps finished parts, so that a run that was stopped resumes (parts are known by
settings and package version: empty it after a change of code); ``--measure-only`` fills that folder
and writes nothing else; ``--share .1`` simulates that share of all tables; ``--docs DIR`` writes
elsewhere.
BAYESBIAS_GLOVE6B names GloVe 6B in 50 dimensions (docs/background.md), for lists about nothing
of 400,000 words; without it they are of the bundled vectors only.
The page's text, with the names of all figures in it, is in scripts/calibration_page.md. It takes
under an hour on two free cores.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bayesbias as bb  # noqa: E402
from bayesbias._core.files import replace_file  # noqa: E402
from bayesbias.calibration import CALIBRATED_METHODS, calibrate, list_length  # noqa: E402
from bayesbias.nulls import ABOUT, SCENARIOS, Scenario  # noqa: E402
from scripts import calibration_tables as tables_of  # noqa: E402
from studies import literature  # noqa: E402
from studies.literature import null_share  # noqa: E402

TEXT = Path(__file__).with_name("calibration_page.md")

SEED = 2024
TABLES = {
    "fast": 4000, "posterior": 1000, "combined": 500, "unpooled": 500, "topics": 1000,
    "change": 400, "power": 200, "length": 300,
}  # fmt: skip
FEWEST = 10
DRAWS, ROPE = 1000, 0.02

ENDS = ("", "-group", "-word")
READ = ("hpdi", "coverage")
POSTERIOR = tables_of.readings(
    *(f"{reading}{end}" for reading in (*READ, "rope") for end in ENDS),
    *(f"{reading}-{level}" for reading in READ for level in tables_of.GROUPS_AND_HUMAN),
    "hpdi-any-word",
)
UNPOOLED = tables_of.readings("hpdi-unpooled-word", "rope-unpooled-word", "coverage-unpooled-word")
TOPICS = [
    tables_of.named("maximal-topics", reading, level)
    for reading in READ
    for level in ("", "group", "human")
]
CHANGE = [
    tables_of.named(model, reading, level)
    for model in tables_of.CHANGES
    for reading in READ
    for level in tables_of.OF_CHANGES | tables_of.ENDS
]
FAST = [
    name
    for name, method in CALIBRATED_METHODS.items()
    if not method.source.name.startswith("model ")
]

TWO_GROUPS = [name for name in SCENARIOS if not name.startswith("three-groups")]
COMBINED = ["all-lean", "unequal-groups", "short-lists", "three-groups", "three-groups-own",
            "heavy-tails", "planted-all-lean"]  # fmt: skip
UNPOOLED_IN = ["independent", "words-differ", "both-differ", "vocabulary", *tables_of.PLANTED]
TOPICS_IN = ["both-differ", "all-lean", "vocabulary", "vocabulary-topics", "planted"]
CHANGE_IN = ["both-differ", "all-lean", "short-lists", "three-groups", "heavy-tails", "vocabulary",
             "planted", "planted-all-lean"]  # fmt: skip

PARTS = (
    ("fast", TWO_GROUPS, FAST),
    ("posterior", [name for name in SCENARIOS if name not in COMBINED], POSTERIOR),
    ("combined", COMBINED, POSTERIOR),
    ("unpooled", UNPOOLED_IN, UNPOOLED),
    ("topics", TOPICS_IN, TOPICS),
    ("change", CHANGE_IN, CHANGE),
)
"""What is simulated: whose number of tables, in which scenarios, by which methods."""

EFFECTS = (0.0, 0.02, 0.04, 0.06, 0.08)
POWER_SCENARIO = Scenario(word_sd=0.04, attribute_sd=0.04)
POWER_METHODS = ("weat-p", "t-cells-groups", "paper-hpdi", "crossed-hpdi", "maximal-hpdi")
DRAWN_METHODS = ("weat-p", "t-cells-groups", "mac-paired-t", "crossed-hpdi", "paper-hpdi-group",
                 "maximal-hpdi", "maximal-hpdi-group")  # fmt: skip

DRAWN_SCENARIOS = ("independent", "words-differ", "attributes-differ", "both-differ", "words-lean",
                   "attributes-lean", "all-lean", "three-groups", "unit-vectors", "vocabulary",
                   "vocabulary-topics")  # fmt: skip


def measured(tables: dict[str, int], n_jobs: int, folder: Path | None) -> dict[str, pd.DataFrame]:
    """Simulate and measure everything that the page shows."""
    shared = {"seed": SEED, "n_jobs": n_jobs, "folder": folder, "draws": DRAWS, "rope": ROPE}
    parts = [calibrate(places, methods, tables[n], **shared) for n, places, methods in PARTS]
    return {
        "scenarios": pd.concat(parts, ignore_index=True),
        "length": list_length(n=tables["length"], **shared),
        "power": list_length(
            [8],
            [8],
            effects=EFFECTS,
            scenario=POWER_SCENARIO,
            methods=POWER_METHODS,
            n=tables["power"],
            **shared,
        ),
    }


def draw(found: dict[str, pd.DataFrame], folder: Path) -> None:
    """Write the figures."""
    both = found["scenarios"]
    shown = both[both["method"].isin(DRAWN_METHODS) & both["scenario"].isin(DRAWN_SCENARIOS)]
    save(folder, "false-alarms", bb.plots.false_alarms(shown))
    save(folder, "power", bb.plots.power_curves(found["power"]))
    ours = found["length"][found["length"]["method"] == "maximal-hpdi"]
    save(folder, "width", bb.plots.power_curves(ours, x="n_words", y="width", by="n_attributes"))
    example = literature.paper_example()
    d, null, splits = example.effect_size(), example.null_samples(10_000, seed=1), example.splits()
    save(folder, "cells", bb.plots.cells(example.cells(), title="The example's 256 values"))
    for name, values, label, title, known_share in (
        ("splits", splits["effect_size_population"], "d, population sd",
         "All splits of the example's words", None),
        ("null", null["effect_size_population"], "d, population sd",
         "Samples of the null model", null_share(d, "population")),
        ("slip", null["slipped"], "what the slip takes for d",
         "The same samples, with the slip", null_share(d, "slipped")),
    ):  # fmt: skip
        ax = bb.plots.null_distribution(
            values, d, label=label, title=title, share=known_share, bounds=(-2.0, 2.0)
        )
        save(folder, name, ax)


def save(folder: Path, name: str, ax: object) -> None:
    """Write one figure; the page shows PNG files."""
    _, svg = bb.plots.save(ax, folder / f"calibration-{name}")  # type: ignore[arg-type]
    svg.unlink()


def content_of(found: dict[str, pd.DataFrame], tables: dict[str, int]) -> dict[str, str]:
    """Give what stands in the page by name, other than rates quoted in its prose."""
    both = found["scenarios"]
    worst, fits = both.loc[both["doubtful"].idxmax()], tables["posterior"]
    scenarios = [[f"`{name}`", text] for name, text in ABOUT.items()]
    null = tables_of.NULL_SCENARIOS
    return {
        "scenarios": tables_of.markdown(["scenario", "what happens in it"], scenarios),
        "methods": tables_of.method_table(FAST),
        "alarms": tables_of.alarms(both),
        "rope_alarms": tables_of.grid(
            both, tables_of.readings("rope", "rope-group"), null, ("false alarms",)
        ),
        "known": tables_of.known_rates(both),
        "coverage": "\n\n".join(
            tables_of.grid(
                both, tables_of.readings(f"coverage{end}"), list(SCENARIOS), ("coverage",)
            )
            for end in ENDS
        ),
        "unpooled_coverage": tables_of.grid(
            both, tables_of.readings("coverage-unpooled-word"), UNPOOLED_IN, ("coverage",)
        ),
        "other_alarms": tables_of.tables_by_level(
            both[both["scenario"].isin(null)],
            tables_of.MODELS,
            tables_of.GROUPS_AND_HUMAN,
            "hpdi",
            "false alarms",
        ),
        "other_coverage": tables_of.tables_by_level(
            both, tables_of.MODELS, tables_of.GROUPS_AND_HUMAN, "coverage", "coverage"
        ),
        "change_alarms": tables_of.tables_by_level(
            both[both["scenario"].isin(null)],
            tables_of.CHANGES,
            tables_of.OF_CHANGES,
            "hpdi",
            "false alarms",
        ),
        "change_power": tables_of.tables_by_level(
            both[both["scenario"].isin(tables_of.PLANTED)],
            tables_of.CHANGES,
            tables_of.OF_CHANGES,
            "hpdi",
            "power",
        ),
        "change_coverage": tables_of.tables_by_level(
            both, tables_of.CHANGES, tables_of.OF_CHANGES | tables_of.ENDS, "coverage", "coverage"
        ),
        "topics": tables_of.topics(both),
        "failures": tables_of.failures(both),
        "power": tables_of.power(both),
        **tables_of.length_tables(found["length"]),
        **tables_of.example_content(),
        "doubtful": "no posterior had a Pareto k from .7 on"
        if not worst["doubtful"]
        else f"in the worst cell (`{worst['method']}`, `{worst['scenario']}`) "
        f"{worst['doubtful']} of {worst['n']} had a Pareto k from .7 on (they count)",
        **{f"{name}_n": f"{count:,}" for name, count in tables.items()},
        "draws": f"{DRAWS:,}",
        "rope": tables_of.short(ROPE),
        "fast_se": tables_of.short(np.sqrt(0.05 * 0.95 / tables["fast"]), 4),
        "posterior_se": tables_of.short(np.sqrt(0.05 * 0.95 / fits), 3),
        "coverage_se": tables_of.short(np.sqrt(0.89 * 0.11 / fits), 3),
    }


def write(found: dict[str, pd.DataFrame], tables: dict[str, int], docs: Path) -> None:
    """Write the figures, and the page with every ``<<name>>`` filled in."""
    content = content_of(found, tables)

    def fill(asked: re.Match[str]) -> str:
        name = " ".join(asked[1].split())
        return content[name] if name in content else tables_of.quote(found["scenarios"], name)

    page = re.sub("<<([^<>]+)>>", fill, TEXT.read_text(encoding="utf-8"))
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    draw(found, docs / "figures")
    with replace_file(docs / "calibration.md") as temporary:
        temporary.write_text(page, encoding="utf-8")


def main() -> None:
    """Measure, then write the page and its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--share", type=float, default=1.0)
    asked = parser.parse_args()
    tables = {name: max(FEWEST, round(asked.share * n)) for name, n in TABLES.items()}
    found = measured(tables, asked.jobs, asked.folder)
    if not asked.measure_only:
        write(found, tables, asked.docs)


if __name__ == "__main__":
    main()
