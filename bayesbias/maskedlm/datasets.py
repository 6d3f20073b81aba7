"""Sentence pairs from CrowS-Pairs and StereoSet, read from the user's own files and checked.

Neither data set comes with the package. Reading a stereotype does not endorse it; the sentences
are there to find out whether a model does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from .._core.checks import unknown_name
from .._core.reading import located, read_json
from ..tables.schema import require_columns, require_numbered_rows
from ..tables.table_files import read_csv

PAIR_LABELS = ("pair_id", "bias_type", "direction")
"""What a pair is called, in whatever frame."""

ROLES = ("stereotypical", "anti_stereotypical")
"""The two sentences of a pair, in the order every frame here uses."""

PAIR_COLUMNS = (*PAIR_LABELS, *ROLES)
"""Columns of every frame of sentence pairs, in order; one row a pair."""

DIRECTIONS = ("stereo", "antistereo")
"""How CrowS-Pairs labels a pair: it shows a stereotype of a group, or goes against one."""

PARTS = ("intrasentence", "intersentence")
"""Parts of StereoSet: a blank in one sentence, or a second sentence after a context."""

LONGEST_LABEL, MOST_WORDS = 40, 3
"""Letters and words of a bias type at most: what is longer is a sentence in the wrong column."""

_CROWS = {
    "sent_more": "stereotypical",
    "sent_less": "anti_stereotypical",
    "stereo_antistereo": "direction",
    "bias_type": "bias_type",
}
"""Columns of CrowS-Pairs by what they are called here."""

_LABELS = ("stereotype", "anti-stereotype")


def read_pairs(
    path: str | Path,
    dataset: str,
    *,
    part: str = "intrasentence",
    bias_types: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Read sentence pairs.

    Parameters
    ----------
    path : str or Path
        The published file: ``crows_pairs_anonymized.csv`` of CrowS-Pairs (Nangia, Vania, Bhalerao
        and Bowman, 2020), or ``dev.json`` of StereoSet (Nadeem, Bethke and Reddy, 2021).
    dataset : {"crows-pairs", "stereoset"}
    part : {"intrasentence", "intersentence"}
        Of StereoSet. The sentences of an intersentence pair follow their context.
    bias_types : iterable of str, optional
        Keep these only.

    Returns
    -------
    DataFrame
        Columns of ``PAIR_COLUMNS``. In CrowS-Pairs the more stereotyping sentence is the
        stereotypical one whatever the direction, as in the published measure.

    Raises
    ------
    ValueError
        If the file is not what `dataset` says, a label or sentence is empty, columns are
        exchanged, the sentences of a pair are equal, or a bias type has no pairs.
    FileNotFoundError
        If there is no such file.
    """
    if dataset not in READERS:
        raise ValueError(unknown_name("dataset", dataset, READERS))
    if part not in PARTS:
        raise ValueError(unknown_name("part of StereoSet", part, PARTS))
    if not Path(path).is_file():
        raise FileNotFoundError(
            f"no file at {path}; the data sets do not come with the package: give the path of "
            "your copy"
        )
    try:
        pairs = validate_pairs(READERS[dataset](Path(path), part))
    except ValueError as error:
        raise ValueError(located(Path(path), error)) from None
    return pairs if bias_types is None else _only(pairs, bias_types)


def validate_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Check a frame of sentence pairs and return it with its columns in order.

    Raises
    ------
    ValueError
        As `read_pairs` says.
    """
    require_columns(pairs, PAIR_COLUMNS)
    if pairs.empty:
        raise ValueError("there are no sentence pairs")
    valid = pairs[list(PAIR_COLUMNS)].reset_index(drop=True)
    for name in PAIR_COLUMNS:
        empty = valid[name].isna() | (valid[name].astype(str).str.strip() == "")
        _refuse(valid, empty, f"has an empty {name}; name it or leave the pair out")
        valid[name] = valid[name].astype(str).str.strip()
    _refuse(valid, valid["pair_id"].duplicated(), "has the pair_id of an earlier one")
    _check_labels(valid)
    alike = valid["stereotypical"] == valid["anti_stereotypical"]
    _refuse(valid, alike, "has two equal sentences; there is nothing to compare")
    return valid


def _check_labels(pairs: pd.DataFrame) -> None:
    odd = ~pairs["direction"].isin(DIRECTIONS)
    if odd.any():
        found = str(pairs["direction"][odd].iloc[0])
        raise ValueError(
            f"row {int(odd.argmax())}: the direction must be {' or '.join(DIRECTIONS)}, got "
            f"{found!r:.60}; are columns exchanged?"
        )
    types = pairs["bias_type"]
    long = types.map(lambda name: len(name) > LONGEST_LABEL or len(name.split()) > MOST_WORDS)
    _refuse(pairs, long, "has a sentence for a bias type; are columns exchanged?")
    for name in ROLES:
        label = pairs[name].isin({*DIRECTIONS, *pairs["bias_type"]})
        _refuse(pairs, label, f"has a label for its {name} sentence; are columns exchanged?")


def _refuse(pairs: pd.DataFrame, wrong: pd.Series[bool], what: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        more = f" (and {int(wrong.sum()) - 1} more)" if wrong.sum() > 1 else ""
        raise ValueError(f"row {row}, pair {str(pairs['pair_id'].iloc[row])!r:.60}{more}, {what}")


def _only(pairs: pd.DataFrame, bias_types: Iterable[str]) -> pd.DataFrame:
    wanted = [bias_types] if isinstance(bias_types, str) else list(bias_types)
    known = pairs["bias_type"].unique()
    for name in wanted:
        if name not in known:
            raise ValueError(
                f"no pair has this bias type: {unknown_name('bias type', name, known)}"
            )
    return pairs[pairs["bias_type"].isin(wanted)].reset_index(drop=True)


def _crows_pairs(path: Path, _part: str) -> pd.DataFrame:
    try:
        read = read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, TypeError) as error:  # parser and Unicode errors are ValueErrors
        raise ValueError(f"not a CSV file in UTF-8: {error}") from None
    require_numbered_rows(read)
    require_columns(read, _CROWS)
    numbered = str(read.columns[0]).startswith("Unnamed")
    pair_id = read.iloc[:, 0] if numbered else read.index.astype(str)
    return read[list(_CROWS)].rename(columns=_CROWS).assign(pair_id=pair_id)


def _stereoset(path: Path, part: str) -> pd.DataFrame:
    try:
        clusters = read_json(path)["data"][part]
    except (KeyError, TypeError):
        raise ValueError(f"not StereoSet: there is no data.{part} in it") from None
    if not isinstance(clusters, list):
        raise ValueError(f"not StereoSet: data.{part} is no list")
    return pd.DataFrame([_stereoset_pair(cluster, part) for cluster in clusters])


def _stereoset_pair(cluster: Mapping[str, Any], part: str) -> dict[str, str]:
    if not isinstance(cluster, Mapping):
        raise ValueError(f"not StereoSet: {cluster!r:.60} stands where a cluster should")
    name = str(cluster.get("id", "without an id"))
    try:
        said = {entry["gold_label"]: str(entry["sentence"]) for entry in cluster["sentences"]}
        before = f"{str(cluster['context']).strip()} " if part == "intersentence" else ""
        bias_type = str(cluster["bias_type"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"cluster {name!r:.60} lacks {error}") from None
    for label in _LABELS:
        if label not in said:
            raise ValueError(f"cluster {name!r:.60} has no sentence labelled {label!r}")
    first, second = (before + said[label].strip() for label in _LABELS)
    return dict(zip(PAIR_COLUMNS, (name, bias_type, "stereo", first, second), strict=True))


READERS: dict[str, Callable[[Path, str], pd.DataFrame]] = {
    "crows-pairs": _crows_pairs,
    "stereoset": _stereoset,
}
"""Readers by name of the data set. Adding one is adding a line."""
