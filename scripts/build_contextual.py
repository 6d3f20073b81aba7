"""Draw the figures of docs/contextual.md and print its tables.

Run ``python scripts/build_contextual.py MODELS`` with the folder that ``scripts/fetch_models.py``
fills; needs the extra ``mlm``. It takes some two minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bayesbias as bb  # noqa: E402
from bayesbias._core.files import replace_file  # noqa: E402
from bayesbias.contextual import (  # noqa: E402
    POOLINGS,
    ContextualVectors,
    contextual_table,
    contextual_vectors,
    load_encoder,
    seat,
)

FIGURES = ROOT / "docs" / "figures"
LISTS = ("religion", "gender", "race")
TURNS = (0, 2, 4, 6)
"""Of the eight ways to deal, those that are tried."""


def gaps(table: pd.DataFrame, spec: str) -> tuple[pd.Series, pd.DataFrame, float]:
    """Associated less different, overall; the sds; and the share inside predictive intervals."""
    tree = bb.fit(table, spec, seed=1)
    found = bb.contrasts(tree).query("level == 'overall'")
    gap = found[(found["first"] == "associated") & (found["second"] == "different")].iloc[0]
    inside = bb.check(tree, [0.89], seed=0).set_index("connection").loc["all", "coverage"]
    return gap, bb.scales(tree), float(inside)


def line(vectors: ContextualVectors, name: str) -> Iterator[str]:
    """Rows of the table of results: both models on dealt pairs."""
    words = bb.load_wordlist(name)
    for spec in ("crossed", "contextual"):
        gap, scales, inside = gaps(contextual_table(vectors, words), spec)
        sds = scales.set_index("parameter")["mean"]
        context = f"{sds['context_sd']:.3f}" if spec == "contextual" else "–"
        yield (
            f"| {name} | {vectors.pooling} | {spec} | {gap['mean']:+.3f} | {gap['low']:+.3f} "
            f"to {gap['high']:+.3f} | {gap['p_direction']:.3f} | {context} | {inside:.2f} |"
        )


def dealing(vectors: ContextualVectors, name: str) -> str:
    """Row of the table of dealings: the gap for some turns, and for all pairs in all contexts."""
    words = bb.load_wordlist(name)
    turned = [
        gaps(contextual_table(vectors, words, turn=turn), "contextual")[0]["mean"] for turn in TURNS
    ]
    every = gaps(contextual_table(vectors, words, pairs="all"), "contextual")[0]
    return (
        f"| {name} | {vectors.pooling} | {min(turned):+.3f} to {max(turned):+.3f} | "
        f"{every['mean']:+.3f} | {every['low']:+.3f} to {every['high']:+.3f} |"
    )


def seats(vectors: ContextualVectors) -> str:
    """Row of SEAT on the gender list: all sentences, and the least and greatest of contexts."""
    words = bb.load_wordlist("gender")
    sets = [*words.groups.values(), *words.stereotypes.values()]
    found = seat(vectors, *sets)
    by = found.by_context.values()
    return f"| {vectors.pooling} | {found.effect_size:.2f} | {min(by):.2f} to {max(by):.2f} |"


def draw(vectors: ContextualVectors) -> None:
    """Draw the means of religion's words and the sds."""
    words = bb.load_wordlist("religion")
    tree = bb.fit(contextual_table(vectors, words), "contextual", seed=1)
    kind = vectors.pooling
    for name, axes in (
        (f"contextual-religion-{kind}", bb.plots.forest(bb.summary(tree))),
        (f"contextual-scales-{kind}", bb.plots.scales(bb.scales(tree))),
    ):
        with replace_file(FIGURES / f"{name}.png") as temporary:
            axes.figure.savefig(temporary, dpi=120, format="png", bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    encoder = load_encoder(parser.parse_args().models / "all-MiniLM-L6-v2")
    asked = dict.fromkeys(word for name in LISTS for word in bb.load_wordlist(name).words)
    made = [contextual_vectors(encoder, asked, pooling=pooling) for pooling in POOLINGS]
    for vectors in made:
        for name in LISTS:
            print(*line(vectors, name), sep="\n", flush=True)
    for vectors in made:
        for name in LISTS:
            print(dealing(vectors, name), flush=True)
    for vectors in made:
        print(seats(vectors))
        draw(vectors)


if __name__ == "__main__":
    main()
