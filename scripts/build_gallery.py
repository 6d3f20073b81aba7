"""Draw every plot from the bundled vectors and write the page that shows them, with their calls.

``python scripts/build_gallery.py [--out FOLDER]``: docs/gallery.md, and docs/figures/gallery/ with
a small PNG each. The code on the page is the code that is run here, in this order; a plot of
`bayesbias.plots` that has no entry stops the script.
"""

from __future__ import annotations

import argparse
import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import matplotlib as mpl
from PIL import Image

from bayesbias import plots
from bayesbias._core.files import replace_file

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = Path("figures") / "gallery"

DPI, COLOURS_OF_A_PNG, LARGEST = 100, 256, 60_000
"""A PNG's resolution, its palette (a smaller one loses single red dots), and its bytes at most."""


@dataclass(frozen=True)
class Entry:
    """A plot: its function's name, what it is for, and the code that draws it."""

    name: str
    about: str
    code: str
    alt: str


SETUP = """\
import pandas as pd

import bayesbias as bb

wordlist = bb.load_wordlist("gender")
vectors = bb.load_vectors("glove-demo")
table = bb.distance_table(vectors, wordlist)
post = bb.fit(table, seed=1)
"""

SECTIONS: dict[str, tuple[Entry, ...]] = {
    "A table of distances": (
        Entry(
            "distributions",
            "All distances of a table by connection. Look at it first: all else sums it up.",
            "bb.plots.distributions(table)",
            "Distributions of cosine distances by connection",
        ),
        Entry(
            "neighbourhood",
            "The attributes nearest to one word, and how they are connected to it.",
            'bb.plots.neighbourhood(table, "aunt", most=45)',
            "Attributes around the word aunt, by distance",
        ),
        Entry(
            "distances_by_rank",
            "How far a word lies from the protected words, against how frequent it is.",
            "bb.plots.distances_by_rank(table, bb.frequency_ranks(vectors))",
            "Mean distances of attributes against their frequency ranks",
        ),
    ),
    "A posterior": (
        Entry(
            "forest",
            "Where the means lie, overall, by group and by word.",
            'bb.plots.forest(bb.summary(post), level="group")',
            "Mean distances with 89% intervals, by group",
        ),
        Entry(
            "contrast_forest",
            "A difference between two connections with the region of practical equivalence.",
            'bb.plots.contrast_forest(bb.contrasts(post), level="group")',
            "Contrasts of associated and human, by group",
        ),
        Entry(
            "influence",
            "Which words and attributes a contrast hangs on: each left out in turn.",
            "bb.plots.influence(bb.influence(post), most=8)",
            "The overall contrast without single words",
        ),
        Entry(
            "contrast_forest over reference lists",
            "Where a contrast lies among lists of words as frequent, and lists about any topics.",
            "placed = []\n"
            'for match, vary in (("frequency", "stereotypes"), ("topics", "both")):\n'
            "    found = bb.vocabulary_contrasts(\n"
            '        "glove-demo", wordlist, vary=vary, match=match, case="fallback", seed=1\n'
            "    ).table\n"
            '    pair = (found["first"] == "associated") & (found["second"] == "different")\n'
            "    placed.append(found[pair].assign(match=match))\n"
            'bb.plots.contrast_forest(pd.concat(placed), second="different")',
            "Contrasts over the ranges of reference lists",
        ),
        Entry(
            "scales",
            "How much words, attributes and single distances vary.",
            "bb.plots.scales(bb.scales(post))",
            "Standard deviations of the model with intervals",
        ),
        Entry(
            "predictive_check",
            "Does the model expect such data?",
            "bb.plots.predictive_check(post)",
            "Observed distances against what the model expects",
        ),
        Entry(
            "prior_predictive",
            "Do the priors expect such a table at all?",
            'bb.plots.prior_predictive(bb.prior_predictive("maximal", table, seed=1))',
            "Figures of the table against those of tables drawn from the prior",
        ),
    ),
    "Scores": (
        Entry(
            "scores",
            "The cosine scores side by side, each against what it takes for no bias.",
            "bb.plots.scores(bb.score_table(vectors, wordlist, n_resamples=300, seed=0))",
            "Scores of the gender list with bootstrap intervals",
        ),
        Entry(
            "curves of a score",
            "How a score moves when words are left out.",
            "robust = bb.scores.robustness(\n"
            '    vectors, wordlist, scores=["weat", "mac", "same"], repeats=30, seed=0\n'
            ")\n"
            "weat = robust.query(\"score == 'weat' and kind == 'sublist'\")\n"
            'bb.plots.curves(weat, x="share", y="mean", by="groups")',
            "Scores recomputed on parts of the list",
        ),
        Entry(
            "associations",
            "What WEAT's effect size sums up, word by word: groups that are apart, or overlap.",
            'weat7 = bb.load_wordlist("weat7")\n'
            "bb.plots.associations(bb.scores.associations(vectors, weat7))",
            "Associations of words of math and arts with men and women",
        ),
        Entry(
            "null_distribution",
            "What chance alone gives, and where an observed value lies in it.",
            "from studies import literature\n\nexample = literature.paper_example()\n"
            "bb.plots.null_distribution(\n"
            '    example.null_samples(20_000, seed=1)["effect_size_population"],\n'
            "    example.effect_size(),\n"
            '    label="d, population sd",\n'
            "    bounds=(-2, 2),\n"
            ")",
            "Effect sizes of null samples with the observed one",
        ),
    ),
    "Before and after": (
        Entry(
            "change_forest",
            "How far distances moved, by level, with the region of practical equivalence.",
            'after = bb.debias.hard(vectors, "gender")\n'
            "debiased = bb.distance_table(after, wordlist)\n"
            "change = bb.fit_change(table, debiased, seed=1)\n"
            'bb.plots.change_forest(bb.summary(change), level="group")',
            "Changes of mean distances after hard debiasing, by group",
        ),
        Entry(
            "before_after",
            "From where to where.",
            'bb.plots.before_after(bb.comparison.changes(change), level="word")',
            "Mean distances before and after, by word",
        ),
        Entry(
            "order_forest",
            "Did the order of associated and different turn for a word?",
            "bb.plots.order_forest(bb.comparison.order_changes(change))",
            "The contrast before and after, by word",
        ),
        Entry(
            "distributions before and after",
            "All distances before and after on one scale.",
            "bb.plots.distributions(table, debiased)",
            "Distributions of distances before and after",
        ),
    ),
    "The background": (
        Entry(
            "background_densities",
            "How all words of the vocabulary lie between two attribute sets.",
            "tests = bb.background.experiments()\n"
            'many = bb.background.distributions("glove-demo", tests, case="fallback")\n'
            "curves = bb.background.densities(many)\n"
            "bb.plots.background_densities(curves)",
            "Densities of psi over the vocabulary, a row a test",
        ),
        Entry(
            "background_words",
            "The words of a test under their background.",
            'bb.plots.background_words(curves, bb.background.words(many["weat1"], '
            'tests["weat1"].sets), "weat1")',
            "Words of WEAT 1 under the density of all words",
        ),
        Entry(
            "relative_bias",
            "The difference of two sets against differences of random sets.",
            'test = tests["weat1"]\n'
            'found = many["weat1"].relative_bias(test.X, test.Y, n_resamples=2000, seed=1)\n'
            'bb.plots.relative_bias(found, name="weat1", labels=test.labels[:2])',
            "Relative bias of WEAT 1 against random sets",
        ),
    ),
    "Many at once": (
        Entry(
            "rank_forest",
            "Embeddings and lists in one model, shrunken and raw, and how probably each is lowest.",
            "tables = [\n"
            "    bb.distance_table(each, listed, embedding=name).assign(wordlist=listed.name)\n"
            '    for name, each in {"as it is": vectors, "debiased": after}.items()\n'
            '    for listed in map(bb.load_wordlist, ("gender", "religion"))\n'
            "]\n"
            "bb.plots.rank_forest(bb.rank_embeddings(bb.fit_many(tables, seed=1)))",
            "Contrasts of two embeddings and two lists, in one model and by themselves",
        ),
        Entry(
            "sweep_forest",
            "Contrasts of a sweep: a block a list, a row an embedding, a color a model.",
            "parts = [\n"
            "    bb.contrasts(bb.fit(bb.distance_table(each, listed), model, seed=1)).assign(\n"
            "        embedding=name, list=listed.name, model=model\n"
            "    )\n"
            '    for name, each in {"as it is": vectors, "debiased": after}.items()\n'
            '    for listed in map(bb.load_wordlist, ("gender", "religion"))\n'
            '    for model in ("crossed", "maximal")\n'
            "]\n"
            "bb.plots.sweep_forest(pd.concat(parts))",
            "Contrasts by list, embedding and model",
        ),
        Entry(
            "difference_forest",
            "Any differences in blocks: here the contrasts of the sweep in blocks of models.",
            "overall = pd.concat(parts).query(\n"
            "    \"level == 'overall' and first == 'associated' and second == 'human'\"\n"
            ")\n"
            'overall = overall.assign(label=overall["list"] + ", " + overall["embedding"])\n'
            "bb.plots.difference_forest(\n"
            '    overall, by="model", title="Two lists, two embeddings", xlabel="difference"\n'
            ")",
            "Contrasts in blocks of models",
        ),
        Entry(
            "intervals",
            "Rows of any frame with mean, low and high; every forest above is drawn by it.",
            "bb.plots.intervals(\n"
            '    overall, label="list", by="embedding", hue="model", reference=0.0\n'
            ")",
            "Contrasts in blocks of embeddings",
        ),
        Entry(
            "false_alarms",
            "How often methods claim what is not there.",
            "rates = bb.calibration.calibrate(\n"
            '    ["independent", "words-differ", "attributes-differ"],\n'
            '    ["weat-p", "t-cells-groups", "t-word-means"],\n'
            "    n=200,\n"
            "    seed=1,\n"
            ")\n"
            "bb.plots.false_alarms(rates)",
            "Rates of false alarms by method and scenario",
        ),
        Entry(
            "curves",
            "How often methods find what is there.",
            "powers = bb.calibration.list_length(\n"
            "    n_words=8, n_attributes=16, effects=[0.02, 0.04, 0.08],\n"
            '    methods=["weat-p", "t-word-means"], n=100, seed=1\n'
            ")\n"
            "bb.plots.curves(powers)",
            "Power by size of the effect, a curve a method",
        ),
    ),
    "Sentence pairs under language models": (
        Entry(
            "pair_forest",
            "How often language models prefer the stereotypical sentence, by bias type.",
            "import numpy as np\n\n"
            "rng = np.random.default_rng(1)\n"
            'types = np.repeat(["age", "gender", "religion"], 100)\n'
            "leaning = np.repeat([0.0, 0.6, -0.4], 100) + rng.standard_normal(300)\n"
            "parts = []\n"
            'for shift, name in enumerate(["first", "second"]):  # scores of your own models here\n'
            "    scores = rng.normal(-40, 8, (300, 1)) + rng.standard_normal((300, 2))\n"
            "    scores[:, 0] += leaning + 0.3 * shift\n"
            '    part = pd.DataFrame(scores, columns=["stereotypical", "anti_stereotypical"])\n'
            "    part = part.assign(model=name, bias_type=types, pair_id=part.index.astype(str))\n"
            '    parts.append(part.assign(measure="pll", difference=scores[:, 0] - scores[:, 1]))\n'
            "paired = pd.concat(parts)\n"
            "of_pairs = bb.maskedlm.fit_pairs(paired, seed=1)\n"
            "bb.plots.pair_forest(bb.maskedlm.pair_summary(of_pairs))",
            "Shares of stereotypical preferences of two models, a block a bias type",
        ),
        Entry(
            "curves of orders",
            "Whether the order of language models stays when only some of the pairs are at hand.",
            "order = bb.maskedlm.order_robustness(paired, repeats=50, seed=1)\n"
            'bb.plots.curves(order, x="rate", y="same_order", by="statistic")',
            "Shares of samples with the order of all pairs, a curve a statistic",
        ),
    ),
}

INTRODUCTION = """# Gallery

Every plot, drawn from the vectors and lists that come with the package. A plot takes a tidy frame,
a table or a posterior, and `ax=` to be drawn into a figure of your own; it returns a matplotlib
Axes. `bb.plots.save(axes, "name")` writes PNG and SVG. What the lists hold are stereotypes that
have been studied; showing them does not endorse them.

The code below runs from top to bottom. `python scripts/build_gallery.py` made this page, in the
order in which it stands here.

```python
{setup}```
"""


def small_png(axes: Any, path: Path) -> None:  # noqa: ANN401
    """Write the figure of some Axes as a PNG of few colours."""
    figure = axes.get_figure(root=True)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DPI, bbox_inches="tight")
    image = Image.open(content).convert("RGB").quantize(COLOURS_OF_A_PNG)
    with replace_file(path) as temporary:
        image.save(temporary, format="png", optimize=True)
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST:,} may be")


def drawn(code: str, names: dict[str, Any]) -> Any:  # noqa: ANN401
    """Run an entry's code, whose last expression gives the Axes."""
    *before, last = code.split("\nbb.plots.")
    lines = "\nbb.plots.".join(before)
    if before:
        exec(lines, names)
        last = f"bb.plots.{last}"
    return eval(last, names)


def written(entry: Entry, names: dict[str, Any], folder: Path) -> str:
    """Draw an entry and give its part of the page."""
    import matplotlib.pyplot as plt

    stem = entry.name.replace(" ", "_")
    small_png(drawn(entry.code, names), folder / f"{stem}.png")
    plt.close("all")
    print(entry.name, flush=True)
    picture = f"![{entry.alt}]({(FOLDER / stem).as_posix()}.png)"
    return f"### {entry.name}\n\n{entry.about}\n\n```python\n{entry.code}\n```\n\n{picture}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of the documentation")
    out = parser.parse_args().out
    mpl.use("Agg")
    codes = [entry.code for entries in SECTIONS.values() for entry in entries]
    shown = set(re.findall(r"bb\.plots\.(\w+)", " ".join(codes)))
    public = {name for name, each in vars(plots).items() if isinstance(each, FunctionType)}
    if lacking := public - {"save"} - shown:
        raise SystemExit(f"the gallery lacks {', '.join(sorted(lacking))}; add an entry")
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    exec(SETUP, names)
    parts = [INTRODUCTION.format(setup=SETUP)]
    for title, entries in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [written(entry, names, out / FOLDER) for entry in entries]
    with replace_file(out / "gallery.md") as temporary:
        temporary.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("default")
    main()
