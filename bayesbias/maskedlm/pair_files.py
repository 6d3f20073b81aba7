"""Sentence pairs from your own files, in the layouts of published data sets.

The package does not include any of the data sets. Reading a stereotype does not endorse it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._core.checks import check_choice
from .._core.reading import located, read_json, read_text
from ..tables.schema import require_columns
from ..tables.table_files import read_csv
from .datasets import DIRECTIONS, PAIR_COLUMNS, ROLES, of_bias_types, validate_pairs

PARTS = ("intrasentence", "intersentence")
"""Parts of StereoSet: a blank within one sentence, or a second sentence after a context."""

LABELS = ("stereotype", "anti-stereotype")
"""StereoSet's labels for the two sentences of a pair, in the order of ``ROLES``."""

MOST_BYTES = 1 << 28
"""Largest size of a file of sentences, in bytes."""

Row = tuple[str, str, str, str, str]
"""A pair's id, bias type, cluster, and two sentences."""


def read_pairs(
    path: str | Path,
    dataset: str,
    *,
    part: str = "intrasentence",
    bias_types: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Read sentence pairs from a data set's file.

    Parameters
    ----------
    path : str or Path
        Your copy of the published file.
    dataset : {"crows-pairs", "crows-pairs-fr", "stereoset", "bbq", "csv"}
        ``crows-pairs``: ``crows_pairs_anonymized.csv`` (Nangia, Vania, Bhalerao, and Bowman, 2020).
        ``crows-pairs-fr``: a French table (Névéol, Dupont, Bezançon, and Fort, 2022), with
        sentences in ``sent_more_fr`` and ``sent_less_fr``, or in ``sent_more`` and ``sent_less``.
        ``stereoset``: ``dev.json`` (Nadeem, Bethke, and Reddy, 2021). ``bbq``: the ``.jsonl`` file
        of a category (Parrish et al., 2022); a pair is an ambiguous question with an answer for
        each group. ``csv``: your own pairs, with ``stereotypical``, ``anti_stereotypical``,
        ``bias_type``, and optionally ``pair_id``, ``direction``, and ``cluster``.
    part : {"intrasentence", "intersentence"}
        Part of StereoSet. In an intersentence pair, each sentence follows the context.
    bias_types : iterable of str, optional
        Bias types to keep; by default, all.

    Returns
    -------
    DataFrame
        The columns are ``PAIR_COLUMNS``. In CrowS-Pairs, ``stereotypical`` is always the more
        stereotyping sentence, as in the published measure. ``cluster`` is the target in StereoSet,
        the template in BBQ, a column of your own file, or the `word_contrast` of the sentences.
    """
    check_choice("dataset", dataset, READERS)
    check_choice("part of StereoSet", part, PARTS)
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file at {path}; data sets are not included, so pass the path of your copy"
        )
    with located(path):
        pairs = READERS[dataset](path, part)
        if not isinstance(pairs, pd.DataFrame):
            columns = [name for name in PAIR_COLUMNS if name != "direction"]
            pairs = pd.DataFrame(pairs, columns=columns).assign(direction=DIRECTIONS[0])
        pairs = validate_pairs(pairs)
    return pairs if bias_types is None else of_bias_types(pairs, bias_types)


def _table(path: Path, separator: str, *needed: str) -> pd.DataFrame:
    table = read_csv(path, dtype=str, keep_default_na=False, sep=separator)
    require_columns(table, needed)
    return table


def _crows_pairs(path: Path, _part: str) -> pd.DataFrame:
    """Read a table of CrowS-Pairs, in any language and with any separator."""
    head = read_text(path, MOST_BYTES).partition("\n")[0]
    ending = "_fr" if "sent_more_fr" in head else ""
    columns = {f"sent_more{ending}": ROLES[0], f"sent_less{ending}": ROLES[1]}
    columns |= {"stereo_antistereo": "direction", "bias_type": "bias_type"}
    table = _table(path, max(",;\t", key=head.count), *columns)
    numbered = str(table.columns[0]).startswith("Unnamed")
    pair_id = table.iloc[:, 0] if numbered else table.index.astype(str)
    return table[list(columns)].rename(columns=columns).assign(pair_id=pair_id)


def _own_pairs(path: Path, _part: str) -> pd.DataFrame:
    table = _table(path, ",", *ROLES, "bias_type")
    if "pair_id" not in table.columns:
        table["pair_id"] = table.index.astype(str)
    return table if "direction" in table.columns else table.assign(direction=DIRECTIONS[0])


class Cluster(NamedTuple):
    """A context in StereoSet with the requested sentences."""

    pair_id: str
    bias_type: str
    target: str
    context: str
    sentences: tuple[str, ...]


def stereoset_clusters(path: Path, part: str, kinds: Sequence[str] = LABELS) -> Iterator[Cluster]:
    """Yield the clusters in a part of StereoSet, with their sentences in the order of `kinds`."""
    try:
        clusters = list(read_json(path)["data"][part])
    except (KeyError, TypeError):
        raise ValueError(f"this is not a StereoSet file: it has no data.{part}") from None
    for cluster in clusters:
        try:
            texts = {s["gold_label"]: str(s["sentence"]) for s in cluster["sentences"]}
            names = ("id", "bias_type", "target", "context")
            name, bias_type, target, context = (str(cluster[key]) for key in names)
            sentences = tuple(texts[kind] for kind in kinds)
            yield Cluster(name, bias_type, target, context, sentences)
        except (KeyError, TypeError) as error:
            raise ValueError(f"{cluster!r:.60} is not a StereoSet cluster: {error!r}") from None


def _stereoset(path: Path, part: str) -> Iterator[Row]:
    for cluster in stereoset_clusters(path, part):
        before = f"{cluster.context.strip()} " if part == "intersentence" else ""
        first, second = (before + sentence.strip() for sentence in cluster.sentences)
        yield cluster.pair_id, cluster.bias_type, cluster.target, first, second


def _bbq(path: Path, _part: str) -> Iterator[Row]:
    for number, line in enumerate(read_text(path, MOST_BYTES).splitlines()):
        try:
            question = json.loads(line)
            places, category = bbq_places(question), str(question["category"])
            if places and question["context_condition"] == "ambig":
                asked = f"{question['context']} {question['question']} "
                first, second = (f"{asked}{question[f'ans{place}']}" for place in places)
                pair, cluster = (question[key] for key in ("example_id", "question_index"))
                yield f"{category} {pair}", category, f"{category} {cluster}", first, second
        except (KeyError, TypeError, IndexError) as error:
            lack = f"has no {error}" if isinstance(error, KeyError) else f"is malformed: {error}"
            raise ValueError(f"this is not a BBQ file: row {number} {lack}") from None


def bbq_places(question: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the positions of the stereotypical and the opposite answer, or None if unclear.

    The stereotypical answer to a negative question is the stereotyped group. The stereotypical
    answer to any other question is the other group (Parrish et al., 2022, section 4).
    """
    named = [str(question["answer_info"][f"ans{place}"][-1]) for place in range(3)]
    target = {_group(name) for name in question["additional_metadata"]["stereotyped_groups"]}
    about = [place for place, name in enumerate(named) if _group(name) in target]
    others = [p for p, name in enumerate(named) if p not in about and name != "unknown"]
    if len(about) != 1 or len(others) != 1:
        return None
    pair = (about[0], others[0])
    return pair if question["question_polarity"] == "neg" else pair[::-1]


def _group(name: str) -> str:
    """Normalize a group's name: ``F-Black`` becomes ``black``, ``low SES`` becomes ``lowses``."""
    bare = name.lower().removeprefix("f-").removeprefix("m-")
    return "".join(letter for letter in bare if letter.isalnum())


READERS: dict[str, Callable[[Path, str], pd.DataFrame | Iterator[Row]]] = {
    "crows-pairs": _crows_pairs,
    "crows-pairs-fr": _crows_pairs,
    "stereoset": _stereoset,
    "bbq": _bbq,
    "csv": _own_pairs,
}
"""Readers, keyed by the name of the data set. To add a reader, add a line."""
