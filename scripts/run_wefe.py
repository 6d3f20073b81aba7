"""What WEFE 1.0.1 says of the queries and embeddings of docs/wefe.md.

    python scripts/show_wefe.py --write FOLDER
    python3.10 -m venv ENV && ENV/bin/pip install wefe==1.0.1
    ENV/bin/python scripts/run_wefe.py FOLDER

WEFE asks for numpy 1.26, so that it has an environment of its own, and this file imports nothing of
bayesbias. tests/test_wefe.py holds what is printed.
"""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

import pandas as pd
from gensim.models import KeyedVectors
from wefe.metrics import ECT, MAC, RIPA, RND, RNSB, WEAT
from wefe.query import Query
from wefe.utils import calculate_ranking_correlations, create_ranking, run_queries
from wefe.word_embedding_model import WordEmbeddingModel

METRICS = {
    "WEAT": (WEAT, {}),
    "WEAT, effect size": (WEAT, {"return_effect_size": True}),
    "RNSB, no hold-out": (RNSB, {"holdout": False}),
    "RNSB, random_state=0": (RNSB, {"random_state": 0}),
    "RNSB, random_state=1": (RNSB, {"random_state": 1}),
    "MAC": (MAC, {}),
    "RND": (RND, {}),
    "RND, normalised": (RND, {"normalize": True}),
    "RIPA": (RIPA, {}),
    "ECT": (ECT, {}),
}
"""Metrics with their parameters, by the name that the page has for them."""

ONE_SET = (RND, RIPA, ECT)
"""Metrics of one attribute set, for which queries are divided."""


def main() -> None:
    """Print scores, ranks and correlations, and then what missing words and names do."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    logging.disable(logging.ERROR)
    sets = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    queries = [
        Query(each[:2], each[2:], [f"{name} X", f"{name} Y"], [f"{name} A", f"{name} B"])
        for name, each in sets.items()
    ]
    vectors = {
        path.stem: KeyedVectors.load_word2vec_format(str(path))
        for path in map(folder.joinpath, json.loads((folder / "embeddings.json").read_text()))
    }
    results = [score(name, queries, vectors) for name in METRICS]
    for result in results:
        show(result.columns[-1], result.T)
    ranking = create_ranking(results, ascending=False)
    show("create_ranking(results, ascending=False)", ranking.T)
    for method in ("spearman", "kendall"):
        show(f"correlations, {method}", calculate_ranking_correlations(ranking, method))
    few = KeyedVectors(vectors["soft"].vector_size)
    kept = [word for word in vectors["soft"].index_to_key if word not in {"greg", "jeff"}]
    few.add_vectors(kept, vectors["soft"][kept])
    lost = score("WEAT", queries, {**vectors, "soft": few})
    show("WEAT without greg and jeff in soft", lost.T)
    show("and its ranks, 1 the lowest number", create_ranking([lost]).T)
    unnamed = [Query(each[:2], each[2:]) for each in list(sets.values())[:2]]
    show("WEAT of the first two queries without names", score("WEAT", unnamed, vectors).T)


def score(name: str, queries: list[Query], vectors: dict[str, KeyedVectors]) -> pd.DataFrame:
    """Run queries, and call the average of sizes by a name."""
    metric, parameters = METRICS[name]
    found = run_queries(
        metric,
        queries,
        [WordEmbeddingModel(each, name) for name, each in vectors.items()],
        metric_params={"preprocessors": [{}, {"lowercase": True}], **parameters},
        generate_subqueries=metric in ONE_SET,
        aggregate_results=True,
    )
    return found.rename(columns={found.columns[-1]: name})


def show(title: str, frame: pd.DataFrame) -> None:
    """Print a frame with all its digits."""
    print(f"\n{title}\n{frame.to_string(float_format='{:.10f}'.format)}")


if __name__ == "__main__":
    main()
