"""What debiasing for gender changed, by every measure at once, on some embeddings.

    python scripts/check_debiasing.py GoogleNews.bin glove6b glove-demo --case fallback

Each embedding is hard-debiased for gender; MAC, SAME, Direct Bias, the posterior of the change and
the checks of Gonen and Goldberg stand below each other, as Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

import bayesbias as bb
from bayesbias.comparison import bias_before_after, changes, order_changes, scores_before_after

LIST = "gender"


def column(source: str, case: str, n_words: int) -> dict[str, str]:
    """Everything about one embedding, by what it is called."""
    words, whole = bb.load_wordlist(LIST), bb.load_vectors(source)
    debiased = bb.debias.hard(whole, LIST)
    ends = [bb.load_vectors(each, words, case) for each in (whole, debiased)]
    tree = bb.compare(*(bb.distance_table(each, words) for each in ends), seed=1)
    remains = bias_before_after(whole, debiased, LIST, n_words=n_words, seed=1).set_index("check")
    return {
        **scores(scores_before_after(*ends, words, n_resamples=50, seed=0)),
        **posterior(tree),
        "Direct Bias of professions (how many)": f"{arrow(remains.loc['direct_bias'])} "
        f"({int(remains['n']['direct_bias'])})",
        "SAME of professions": arrow(remains.loc["same"]),
        "a classifier finds the old lean again (chance .50)": arrow(remains.loc["classifier"], 2),
        "clusters do (chance .50)": arrow(remains.loc["cluster"], 2),
        "neighbours do (chance 0)": arrow(remains.loc["neighbours"], 2),
    }


def scores(frame: pd.DataFrame) -> dict[str, str]:
    """Scores of the list's own words."""
    rows = frame.set_index("score")
    return {
        "MAC (p of the paired t-test)": f"{arrow(rows.loc['mac'])} "
        f"({short(rows['p_value']['mac'], 2)})",
        "WEAT d": arrow(rows.loc["weat"], 2),
        "SAME": arrow(rows.loc["same"]),
        "Direct Bias of the list": arrow(rows.loc["direct_bias"]),
    }


def posterior(tree: object) -> dict[str, str]:
    """Overall changes, and how many words had their order turned."""
    overall = changes(tree).query("level == 'overall'").set_index("connection")  # type: ignore[arg-type]
    told = {
        f"{name}, overall change": f"{short(row['mean'], sign='+')} "
        f"({short(row['low'], sign='+')} to {short(row['high'], sign='+')})"
        for name, row in overall.iterrows()
    }
    orders = order_changes(tree).query("level == 'word'")  # type: ignore[arg-type]
    turned = f"{orders['p_turned'].sum():.1f} of {len(orders)}"
    return told | {"words whose order turned, expected": turned}


def arrow(row: pd.Series, digits: int = 3) -> str:
    """Write a value before and after."""
    return f"{short(row['before'], digits)} → {short(row['after'], digits)}"


def short(value: float, digits: int = 3, sign: str = "") -> str:
    """Write a number without the zero before the point."""
    text = f"{value:{sign}.{digits}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--case", default="exact", help="exact, lower or fallback")
    parser.add_argument("--words", type=int, default=150, help="most leaning words of each class")
    given = parser.parse_args(arguments)
    columns = {Path(each).stem: column(each, given.case, given.words) for each in given.sources}
    print(f"| before → after | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 1) + "|")
    for name in dict.fromkeys(name for each in columns.values() for name in each):
        print(f"| {name} | {' | '.join(each.get(name, '–') for each in columns.values())} |")


if __name__ == "__main__":
    main()
