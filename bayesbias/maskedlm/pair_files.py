"""Sentence pairs from your own files, in the layouts of published data sets.

The package does not include any of the data sets. Reading a stereotype does not endorse it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .._core.checks import Argument, ArgumentError, check_choice
from .._core.reading import as_utf8, located, opened, parts_of, read_json
from .._core.resources import no_file
from ..tables.schema import require_columns, with_heads
from ..tables.table_files import PARQUET, read_csv, read_parquet, warn_of_columns
from .bbq import NESTED, as_question, bbq_places, is_ambiguous, read_targets
from .datasets import (
    DIRECTIONS,
    PAIR_COLUMNS,
    ROLES,
    named_direction,
    of_bias_types,
    stripped,
    text_of,
    validate_pairs,
    warn_of_repeats,
)
from .logs import IDENTICAL, Content, Row, json_lines, rows_of, said, too_many, usable, warn_of

PARTS = ("intrasentence", "intersentence")
"""Parts of StereoSet: a blank within one sentence, or a second sentence after a context."""

LABELS = ("stereotype", "anti-stereotype")
"""StereoSet's labels for the two sentences of a pair, in the order of ``ROLES``."""


def read_pairs(
    path: str | Path,
    dataset: str,
    *,
    part: str = "intrasentence",
    bias_types: Iterable[str] | None = None,
    metadata: str | Path | None = None,
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
        of a category (Parrish et al., 2022), or a copy in CSV or Parquet; a pair is an ambiguous
        question with an answer for each group. ``csv``: your own pairs, with ``stereotypical``,
        ``anti_stereotypical``, ``bias_type``, and optionally ``pair_id``, ``direction``, and
        ``cluster``.
    part : {"intrasentence", "intersentence"}
        Part of StereoSet. In an intersentence pair, each sentence follows the context.
    bias_types : iterable of str, optional
        Bias types to keep; by default, all.
    metadata : str or Path, optional
        For BBQ, the authors' ``additional_metadata.csv``, which names the stereotyped answer of
        each question (``target_loc``). By default, the tags of the answers decide.

    Returns
    -------
    DataFrame
        The columns are ``PAIR_COLUMNS``. In CrowS-Pairs, ``stereotypical`` is always the more
        stereotyping sentence, as in the published measure. ``cluster`` is the target in StereoSet,
        the template in BBQ, a column of your own file, or the `word_contrast` of the sentences.
        Rows that cannot be used or repeat another row are left out; ``.attrs["left_out"]`` and a
        warning count them by reason. Another warning names your own pairs of the same sentences,
        and another one says if the words that differ cannot be found (see `validate_pairs`).
    """
    check_choice("dataset", dataset, READERS)
    check_choice("part of StereoSet", part, PARTS)
    for option, given, of in (("metadata", metadata, "bbq"), ("part", part, "stereoset")):
        if dataset != of and given not in {None, PARTS[0]}:
            raise ArgumentError(Argument(option, str(given)), f" is for the data set {of} only")
    path = copy_of_data(path)
    content = Content(None if metadata is None else read_targets(metadata), part)
    with located(path):
        READERS[dataset](path, content)
        pairs = pd.DataFrame(content.rows, columns=None if content.rows else [*PAIR_COLUMNS])
        pairs = _without_odd(pairs, content.left_out)
        for name, value in (("direction", DIRECTIONS[0]), ("pair_id", pairs.index.astype(str))):
            if name not in pairs.columns:
                pairs = pairs.assign(**{name: value})
        pairs = pairs.assign(direction=pairs["direction"].map(named_direction))
        if pairs.empty and content.left_out:
            raise ValueError(f"no sentence pairs are left: left out {said(content.left_out)}")
        pairs = validate_pairs(pairs)
    pairs.attrs["left_out"] = dict(content.left_out)
    warn_of(content.left_out, path)
    if dataset == "csv":  # published data are as they are
        warn_of_repeats(pairs, str(path))
    return pairs if bias_types is None else of_bias_types(pairs, bias_types)


def copy_of_data(path: str | Path) -> Path:
    """Return the path of a data set; raise a FileNotFoundError if there is no such file."""
    path = Path(path).expanduser()
    if not parts_of(path)[0].is_file():
        text = f"{no_file('data set', path)}; none is included, so pass the path of your copy"
        raise FileNotFoundError(text)
    return path


def _without_odd(pairs: pd.DataFrame, left_out: Counter[str]) -> pd.DataFrame:
    """Leave out and count rows that no pair can be made of, unless they are many."""
    texts = pairs[[name for name in PAIR_COLUMNS if name in pairs.columns]]
    texts = stripped(texts)
    again = texts.duplicated()
    if again.any():
        left_out["the row repeats an earlier one"] += int(again.sum())
        pairs, texts = pairs[~again], texts[~again]
    reasons = {
        "a sentence or label is empty": (texts == "").any(axis=1),
        IDENTICAL: texts[ROLES[0]] == texts[ROLES[1]],
    }
    odd = pd.concat(reasons, axis=1)
    wrong = odd.any(axis=1)
    if too_many(int(wrong.sum()), len(pairs)):
        return pairs  # `validate_pairs` refuses them
    left_out.update(odd[wrong].idxmax(axis=1).astype(str).tolist())
    kept: pd.DataFrame = pairs[~wrong]
    return kept


def _table(path: Path, *needed: str) -> pd.DataFrame:
    table = read_csv(path, dtype=str, keep_default_na=False)
    return require_columns(table, needed)


def _crows_pairs(path: Path, content: Content, endings: Sequence[str] = ("", "_fr")) -> None:
    """Read a table of CrowS-Pairs, with the first ending of columns that it has."""
    table = _table(path)
    ending = next((each for each in endings if f"sent_more{each}" in table), "")
    columns = {f"sent_more{ending}": ROLES[0], f"sent_less{ending}": ROLES[1]}
    columns |= {"stereo_antistereo": "direction", "bias_type": "bias_type"}
    require_columns(table, columns)
    if str(table.columns[0]).startswith("Unnamed"):
        columns[table.columns[0]] = "pair_id"
    content.rows += rows_of(table[[*columns]].rename(columns=columns))


def _own_pairs(path: Path, content: Content) -> None:
    table = with_heads(_table(path), PAIR_COLUMNS)
    require_columns(table, (*ROLES, "bias_type"))
    warn_of_columns(table, PAIR_COLUMNS, "pairs have", about=str(path))
    content.rows += rows_of(table)


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
    if not clusters:
        raise ValueError(f"the file has no clusters in data.{part}")
    for cluster in clusters:
        try:
            texts = {s["gold_label"]: text_of(s, "sentence") for s in cluster["sentences"]}
            if len(texts) < len(cluster["sentences"]):
                raise TypeError("two sentences have one gold_label")
            names = ("id", "bias_type", "target", "context")
            name, bias_type, target, context = (text_of(cluster, key) for key in names)
            sentences = tuple(texts[kind] for kind in kinds)
            yield Cluster(name, bias_type, target, context, sentences)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{cluster!r:.60} is not a StereoSet cluster: {error!r}") from None


def _stereoset(path: Path, content: Content) -> None:
    for pair_id, bias_type, target, context, sentences in stereoset_clusters(path, content.part):
        before = f"{context.strip()} " if content.part == "intersentence" else ""
        row: Row = {"pair_id": pair_id, "bias_type": bias_type, "cluster": target}
        row |= {role: before + text.strip() for role, text in zip(ROLES, sentences, strict=True)}
        content.rows.append(row)


def _bbq(path: Path, content: Content) -> None:
    def use(row: dict[str, Any]) -> None:
        question = as_question(row)
        places, category = bbq_places(question, content.targets), str(question["category"])
        asked = f"{question['context']} {question['question']} "
        pair: Row = {"pair_id": f"{category} {question['example_id']}", "bias_type": category}
        pair["cluster"] = f"{category} {question['question_index']}"
        if not is_ambiguous(question):
            return
        if isinstance(places, str):
            content.add(places)
            return
        answers = (f"{asked}{question[f'ans{place}']}" for place in places)
        content.rows.append(pair | dict(zip(ROLES, answers, strict=True)))

    usable(_questions(path), use, content, "a BBQ file")
    if not content.rows and not content.left_out:
        raise ValueError("there is no ambiguous question, and only these have two sentences")


def _questions(path: Path) -> Iterable[Any]:
    """Return the questions in JSON lines, a CSV file, or a Parquet file."""
    with opened(path) as (_, stream, _):
        head = as_utf8(stream.read(1 << 10)).lstrip()
    if head.startswith(PARQUET):
        return rows_of(read_parquet(path, nested=True))
    if head.startswith((b"{", b"[")):
        return json_lines(path)
    return rows_of(_table(path, "example_id", NESTED[0]))


READERS: dict[str, Callable[[Path, Content], None]] = {
    "crows-pairs": _crows_pairs,
    "crows-pairs-fr": partial(_crows_pairs, endings=("_fr", "")),
    "stereoset": _stereoset,
    "bbq": _bbq,
    "csv": _own_pairs,
}
"""Readers, keyed by the name of the data set. To add a reader, add a line."""
