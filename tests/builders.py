"""Builders of inputs for several test modules."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.jobs import RESULTS
from bayesbias.model.design import Design
from bayesbias.model.indexing import make_design
from bayesbias.model.spec import load_model, model_text, spec_from_dict
from bayesbias.model.tree import keep_warnings
from bayesbias.report.page import html
from bayesbias.tables.wordlists import WordList
from bayesbias.workflows import ruler
from bayesbias.workflows.output import versions
from bayesbias.workflows.wordlist import Analysis

FAST = {"draws": 500, "chains": 2}
"""Options for 1,000 draws: a probability of one half has a Monte Carlo error of 0.016."""

WORDS = {"she": "woman", "he": "man", "her": "woman"}
"""Protected words and their groups."""


def skip(reason: str) -> NoReturn:
    """Skip a test if a requirement is missing. On CI, which installs all of them, fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def distances(
    words: dict[str, str] = WORDS,
    connections: tuple[str, ...] = bb.CONNECTIONS,
    n_attributes: int = 6,
) -> pd.DataFrame:
    """Return a long-form table in which each word has some attributes of every connection."""
    rng = np.random.default_rng(8)
    means = dict(zip(bb.CONNECTIONS, (0.75, 0.85, 0.95, 0.9, 1.0), strict=True))
    rows = [
        (word, group, f"{name}{at}", name, name, means[name] + 0.1 * rng.standard_normal())
        for word, group in words.items()
        for name in connections
        for at in range(n_attributes)
    ]
    return bb.validate_table(pd.DataFrame(rows, columns=list(bb.COLUMNS)))


def summaries(
    words: dict[str, str] = WORDS, connections: tuple[str, ...] = bb.CONNECTIONS
) -> pd.DataFrame:
    """Return a frame like that of `bb.summary`, in which all means differ."""
    groups = list(dict.fromkeys(words.values()))
    keys = [("overall", "", ""), *(("group", group, "") for group in groups)]
    keys += [("word", group, word) for word, group in words.items()]
    rows = [
        (*key, name, 0.6 + 0.01 * at + 0.1 * number)
        for at, key in enumerate(keys)
        for number, name in enumerate(connections)
    ]
    columns = ["level", "protected_group", "protected_word", "connection", "mean"]
    frame = pd.DataFrame(rows, columns=columns).assign(sd=0.02)
    return frame.assign(low=frame["mean"] - 0.03, high=frame["mean"] + 0.04)


def grid(
    n_words: int,
    n_attributes: int,
    distance: np.ndarray | float,
    connections: tuple[str, ...] = bb.CONNECTIONS,
) -> pd.DataFrame:
    """Return a table of all pairs of words and attributes; groups and connections alternate."""
    rows = [
        (f"w{word}", f"g{word % 2}", f"a{at}", *[connections[at % len(connections)]] * 2)
        for word in range(n_words)
        for at in range(n_attributes)
    ]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS[:5])).assign(cosine_distance=distance)


def groups_by_sets(
    groups: str, n_words: int, n_attributes: int, controls: str = ""
) -> pd.DataFrame:
    """Pair every word with the attributes of each set and with controls, without distances."""
    sets = [*groups, *([controls] if controls else [])]
    rows = [
        (f"{g}{w}", g, f"{s}-{a}", s, s if s == controls else kind)
        for g in groups
        for w in range(n_words)
        for s in sets
        for kind in ["associated" if g == s else "different"]
        for a in range(n_attributes)
    ]
    return pd.DataFrame(rows, columns=list(bb.COLUMNS[:5]))


def by_name(column: pd.Series, draw: Callable[..., np.ndarray], *parameters: float) -> pd.Series:
    """Return a random number for every name in a column, equal in all of its rows."""
    names = column.unique()
    return column.map(dict(zip(names, draw(*parameters, size=len(names)), strict=True)))


def plus(table: pd.DataFrame, shift: pd.Series | np.ndarray | float) -> pd.DataFrame:
    """Return a table whose distances are larger by a number, or by one for every row."""
    return table.assign(cosine_distance=table["cosine_distance"] + shift)


def table_of(groups: str, controls: str = "human", seed: int = 4) -> pd.DataFrame:
    """Return 3 words per group and 4 attributes per set, with a mean for each cell.

    Means vary much more than distances within cells, so posterior means are close to raw means.
    """
    table, rng = groups_by_sets(groups, 3, 4, controls), np.random.default_rng(seed)
    means = by_name(table["protected_group"] + " " + table["attribute_set"], rng.uniform, 0.7, 1.1)
    return table.assign(cosine_distance=means + 1e-3 * rng.standard_normal(len(table)))


def model_named(name: str) -> bb.ModelSpec:
    """Return a bundled model, changed as the words after its name say."""
    bundled, _, changes = name.partition(" ")
    content = load_model(bundled).to_dict()
    for change in filter(None, changes.split(" and ")):
        match change:
            case "by kind":  # an sd of attribute effects for each kind of attribute
                content["terms"]["attribute_effect"]["sd_by"] = "attribute_kind"
            case "of one sigma":
                content["sigma"] = "common"
            case "of sigma by word":
                content["sigma"] = "protected_word"
            case "with slopes":  # slope of every covariate, by connection
                slope = {"of": "covariate", "by": "connection", "sd": "slope_sd"}
                content["terms"]["slope"] = slope
                content["priors"]["slope_sd"] = {"family": "exponential", "rate": 1.0}
            case "without attributes":
                del content["terms"]["attribute_effect"], content["priors"]["attribute_sd"]
            case "with a level first":  # the correlated coordinates are not the first ones
                level = {"word_level": {"of": "protected_word", "sd": "word_sd"}}
                content["terms"] = level | content["terms"]
                content["priors"]["word_sd"] = content["priors"]["level_sd"]
            case "with groups":  # group effects, to which word effects are added
                group = {"of": "protected_group", "by": "connection", "sd": "group_sd"}
                content["terms"] = {
                    "word_effect": content["terms"].pop("word_mean"),
                    **content["terms"],
                    "group_effect": group | {"sd_by": "connection"},
                }
                content["priors"]["group_sd"] = content["priors"]["connection_sd"]
            case _:
                raise AssertionError(change)
    return spec_from_dict(content)


DOUBT = bb.warnings.FewProposals(80.0, 400)


def doubtful(tree: DataTree, about: str = "") -> DataTree:
    """Return a copy of a posterior with a warning."""
    copy = tree.copy()
    copy.attrs = dict(tree.attrs)
    keep_warnings(copy, [replace(DOUBT, about=about)])
    return copy


def leaning(
    groups: str = "xy", n: int = 5, prefix: str = ""
) -> tuple[dict[str, np.ndarray], bb.WordList]:
    """Return vectors and a list whose groups of n words lean toward their four stereotypes."""
    random = np.random.default_rng(1)
    names = [prefix + g for g in groups]
    words = bb.WordList(
        name="toy",
        groups={g: tuple(f"{g}{i}" for i in range(n)) for g in names},
        stereotypes={g: tuple(f"{g}_s{i}" for i in range(4)) for g in names},
    )
    lean = dict(zip(names, np.eye(6), strict=False))
    vectors = {}
    for sets in (words.groups, words.stereotypes):
        for group, members in sets.items():
            vectors |= {w: random.normal(size=6) + 3 * lean[group] for w in members}
    return vectors, words


def rows_of(frame: pd.DataFrame, label: dict[str, str]) -> pd.DataFrame:
    """Return the rows of a frame whose columns have these values."""
    return frame[(frame[[*label]].astype(object) == [*label.values()]).all(axis=1)]


def only_row(frame: pd.DataFrame, **keys: str) -> pd.Series:
    """Return the only row of a frame whose columns have these values."""
    frame = rows_of(frame, keys)
    assert len(frame) == 1
    return frame.iloc[0]


def pair_table(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    """Return a table with one group and one set from (word, attribute, connection, distance)."""
    columns = ["protected_word", "attribute", "connection", "cosine_distance"]
    return pd.DataFrame(rows, columns=columns).assign(protected_group="g", attribute_set="s")


SCRIPT = "<script>alert(1)</script>"
QUOTES = "\"><img src=x onerror='alert(2)'>"
CLOSING = "</svg></title></td><script>alert(3)</script>"
HEBREW, ARABIC = "שלום", "سلام"
OVERRIDE = "abc\u202edef"
LONG = "donaudampfschifffahrt" * 15
HOSTILE_WORDS = [SCRIPT, QUOTES, CLOSING, HEBREW, ARABIC, OVERRIDE, LONG]
HOSTILE_ATTRIBUTES = ["$x^2$", "{{7*7}}", "]]>", "-->", "a&b", "&lt;b&gt;", 'id="f0-x"']
HOSTILE = [*HOSTILE_WORDS, *HOSTILE_ATTRIBUTES]


ALONE: Any = {"matched": 0, "reference_lists": 0, "progressbar": False}
"""Settings of an analysis that uses no words other than those of the list."""


def hostile_analysis() -> Analysis:
    """Return an analysis whose words, groups, title, and note contain markup."""
    one, two = "<b>one</b>", LONG.upper()
    wordlist = WordList(
        name="hostile",
        groups={one: HOSTILE_WORDS[:4], two: HOSTILE_WORDS[4:]},
        stereotypes={one: HOSTILE_ATTRIBUTES[:3], two: HOSTILE_ATTRIBUTES[3:]},
        controls={"human": ["eat", SCRIPT.upper()], "neutral": ["</style>", LONG[::-1], "gone"]},
        title=f"</title>{SCRIPT} {LONG}",
        note=f"{SCRIPT}\n{{% raw %}} {OVERRIDE} {LONG}",
        reference=QUOTES,
        license=f"{CLOSING}<i>free</i>",
    )
    there = [word for word in wordlist.words if word != "gone"]
    rows = np.random.default_rng(3).standard_normal((len(there), 8))
    return bb.analyze(
        dict(zip(there, rows, strict=True)), wordlist, name="<u>v</u>.txt", draws=200, **ALONE
    )


@contextmanager
def one_landmark() -> Iterator[None]:
    """Measure one landmark instead of three, because each takes a fit."""
    first = dict([*ruler.landmark_lists().items()][:1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ruler, "landmark_lists", lambda: first)
        yield


@cache
def religion_analysis() -> Analysis:
    """Return the main analysis: religion in the bundled embedding, with a few other lists."""
    few = {"draws": 100, "matched": 2, "reference_lists": 20}
    with one_landmark():
        return bb.analyze("glove-demo", "religion", seed=1, **few)


def written_page(analysis: Analysis) -> str:
    """Return an analysis's page, made by a command with markup in its text."""
    return html(analysis.page(), f"bayesbias run {SCRIPT} {LONG}", versions())


def kept_results(folder: Path) -> dict[str, bytes]:
    """Return the content of every result, keyed by name; empty before the first is written."""
    return {path.stem: path.read_bytes() for path in (folder / RESULTS).glob("*.json")}


def refused(
    match: str,
    call: Callable[..., Any],
    /,
    *arguments: Any,
    error: type[Exception] | tuple[type[Exception], ...] = ValueError,
    **choices: Any,
) -> None:
    """Expect that a call with these arguments raises an error whose message matches."""
    with pytest.raises(error, match=match):
        call(*arguments, **choices)


def keyed(words: Sequence[str], rows: np.ndarray) -> Any:
    """Return gensim's vectors, in single precision."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(rows.shape[1])
    vectors.add_vectors(list(words), rows.astype(np.float32))
    return vectors


def unit(rows: Any) -> np.ndarray:
    """Return rows with a length of one."""
    return np.asarray(np.asarray(rows) / np.linalg.norm(rows, axis=1, keepdims=True))


def normals(seed: int, *sizes: int, dims: int = 5) -> list[np.ndarray]:
    """Return random sets of vectors with these sizes."""
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, dims)) for n in sizes]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def shares(mark: str = "") -> pd.DataFrame:
    """Return shares of two language models in the format of `maskedlm.pair_summary`."""
    rows = [
        (level, bias_type, quantity, model, mean, 0.1, mean - 0.1, mean + 0.1, 0.9)
        for level, bias_type in (("overall", ""), ("population", ""), ("bias_type", f"age{mark}"))
        for quantity in ("p_stereotypical", "p_equal_length")
        for model, mean in ((f"{mark}one", 0.4), (f"two{mark}", 0.7))
    ]
    columns = ["level", "bias_type", "quantity", "model", "mean", "sd", "low", "high", "p_above"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs = {"ci_kind": "hdi", "ci_prob": 0.89}
    return frame


def smallest_design() -> Design:
    """Make a small design in which every term of every model has levels, including slopes."""
    words, controls = ("one", "two", "three"), {"n": "neutral", "h": "human"}
    rng = np.random.default_rng(8)
    rows = [
        (word, word, attribute, attribute, controls.get(attribute, kind), rng.normal(0.9, 0.05))
        for word in words
        for attribute in [*words, *controls]
        for kind in ["associated" if attribute == word else "different"]
    ]
    columns = ["protected_word", "protected_group", "attribute", "attribute_set", "connection"]
    table = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    design = make_design(table.assign(context=["first", "second", "third"] * 5))
    return replace(design, covariates=("covariate",), x=np.arange(len(design.y))[:, None] / 10)


def sloped_model(folder: Path) -> Path:
    """Write a model file with slopes of covariates, which most tables cannot carry."""
    text = model_text("crossed") + '\n[terms.slope]\nof = "covariate"\nsd = "slope_sd"\n'
    path = folder / "sloped.toml"
    path.write_text(text + '[priors.slope_sd]\nfamily = "exponential"\nrate = 1.0\n')
    return path
