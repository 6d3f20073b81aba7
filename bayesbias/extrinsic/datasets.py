"""Labelled texts read from the user's own files: Jigsaw's comments, and Bias in Bios.

None of the data sets comes with the package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import Argument, ArgumentError, unknown_name
from .._core.reading import located
from ..tables.schema import require_columns
from ..tables.table_files import read_csv, read_frame

IDENTITIES = (
    *("male", "female", "transgender", "other_gender"),
    *("heterosexual", "homosexual_gay_or_lesbian", "bisexual", "other_sexual_orientation"),
    *("christian", "jewish", "muslim", "hindu", "buddhist", "atheist", "other_religion"),
    *("black", "white", "asian", "latino", "other_race_or_ethnicity"),
    *("physical_disability", "intellectual_or_learning_disability"),
    *("psychiatric_or_mental_illness", "other_disability"),
)
"""Identities that comments of Jigsaw's data may mention: its columns of that name."""

TOXICITIES = ("target", "toxicity")
"""What the column of toxicity is called in ``train.csv``, and in ``all_data.csv``."""

PROFESSIONS = (
    *("accountant", "architect", "attorney", "chiropractor", "comedian", "composer", "dentist"),
    *("dietitian", "dj", "filmmaker", "interior_designer", "journalist", "model", "nurse"),
    *("painter", "paralegal", "pastor", "personal_trainer", "photographer", "physician", "poet"),
    *("professor", "psychologist", "rapper", "software_engineer", "surgeon", "teacher"),
    "yoga_teacher",
)
"""Professions by number, as the card of LabHC/bias_in_bios at 052f01d has them."""

BIOS_COLUMNS = (
    ("hard_text", "profession", "gender"),
    ("text", "p", "g"),
    ("bio", "title", "gender"),
)
"""Text, profession and gender in LabHC/bias_in_bios; in the entries of Ravfogel et al. (2020); in
those of De-Arteaga et al. (2019)."""

_GENDERS = {"0": "male", "1": "female", "m": "male", "f": "female"}
_GENDERS |= {name: name for name in ("male", "female")}


def read_jigsaw(
    path: str | Path, *, identities: Iterable[str] | None = None, threshold: float = 0.5
) -> pd.DataFrame:
    """Read comments of Jigsaw's Unintended Bias in Toxicity Classification.

    Values are shares of raters. As in the competition, a comment is toxic, and mentions an
    identity, if at least half of them say so. Comments that nobody rated for identities are left
    out: that no identity is known to be mentioned does not mean that none is.

    Parameters
    ----------
    path : str or Path
        Your ``train.csv`` or ``all_data.csv``, packed or not, or the same as ``.parquet``.
    identities : iterable of str, optional
        Of ``IDENTITIES``; all that the file has if not given.
    threshold : float
        Share of raters from which a label holds, in (0, 1].

    Returns
    -------
    DataFrame
        ``text``, ``truth`` (is it toxic), and a column of true or false an identity;
        ``.attrs["left_out"]`` counts the comments without ratings of identities.
        ``subgroup_areas(frame["truth"], scores, frame[list_of_identities])`` takes its columns.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not in that layout, a value is no share, or no comment was rated for identities.

    References
    ----------
    Borkan, Dixon, Sorensen, Thain and Vasserman (2019), Nuanced metrics for measuring unintended
    bias with real data for text classification.
    """
    if not 0 < threshold <= 1:
        raise ArgumentError(Argument("threshold"), f" must lie in (0, 1], got {threshold}")
    asked = list(IDENTITIES if identities is None else identities)
    for name in asked:
        if name not in IDENTITIES:
            raise ValueError(unknown_name("identity", name, IDENTITIES))
    raw, place = _read(path, {"comment_text", *TOXICITIES, *asked}), Path(path)
    try:
        require_columns(raw, ["comment_text", *(asked if identities is not None else ())])
        target = next((name for name in TOXICITIES if name in raw), None)
        names = [name for name in asked if name in raw]
        if target is None or not names:
            raise ValueError(
                f"it has no column {' or '.join(TOXICITIES)}, or none of identities; Jigsaw's "
                "train.csv and all_data.csv have both"
            )
        shares = pd.DataFrame({name: _shares(raw[name]) for name in (target, *names)})
        rated = (shares[target].notna() & shares[names].notna().all(axis=1)).to_numpy()
        if not rated.any():
            raise ValueError("no comment was rated for identities")
    except ValueError as error:
        raise ValueError(located(place, error)) from None
    labels = shares[rated] >= threshold
    frame = pd.DataFrame({"text": raw.loc[rated, "comment_text"], "truth": labels[target]})
    frame = pd.concat([frame, labels[names]], axis=1).reset_index(drop=True)
    frame.attrs["left_out"] = int((~rated).sum())
    return frame


def read_bios(path: str | Path) -> pd.DataFrame:
    """Read biographies of Bias in Bios, with profession and gender.

    Parameters
    ----------
    path : str or Path
        A ``.csv``, packed or not, or ``.parquet``, with the columns of LabHC/bias_in_bios
        (``hard_text``, ``profession``, ``gender``, the last two numbered), of the entries of
        Ravfogel et al. (``text``, ``p``, ``g``) or of De-Arteaga et al. (``bio``, ``title``,
        ``gender``). Pickles are not read, since they may hold programs.

    Returns
    -------
    DataFrame
        ``text``, ``truth`` (the profession's name) and ``group`` (male or female, as the data set
        has it): ``tpr_gaps(frame["truth"], predicted, frame["group"])``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not in one of these layouts, or a profession or gender is unknown.

    References
    ----------
    De-Arteaga et al. (2019), Bias in Bios, FAT*. Ravfogel, Elazar, Gonen, Twiton and Goldberg
    (2020), Null it out, ACL.
    """
    raw = _read(path, {name for each in BIOS_COLUMNS for name in each})
    try:
        columns = next((each for each in BIOS_COLUMNS if set(each) <= set(raw)), None)
        if columns is None:
            known = "; ".join(", ".join(each) for each in BIOS_COLUMNS)
            raise ValueError(f"needs the columns of one of these layouts: {known}")
        text, profession, gender = (raw[name] for name in columns)
        numbered = {str(at): name for at, name in enumerate(PROFESSIONS)}
        titles = profession.astype(str).str.strip()
        number = titles.str.fullmatch(r"-?\d+")
        truth = titles.where(~number, titles.map(numbered))
        group = gender.astype(str).str.strip().str.lower().map(_GENDERS)
        _require_known("profession", profession, truth.isna() | (truth == ""))
        _require_known("gender", gender, group.isna())
    except ValueError as error:
        raise ValueError(located(Path(path), error)) from None
    return pd.DataFrame({"text": text, "truth": truth, "group": group})


def _read(path: str | Path, wanted: Collection[str]) -> pd.DataFrame:
    """Read the columns wanted, as text from CSV; the error of a file that is none names it."""
    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(
            f"no file at {place}; the data sets do not come with the package: give the path of "
            "your copy"
        )
    if place.suffix.lower() in {".pkl", ".pickle"}:
        raise ValueError(
            f"{place} is a pickle, which may run a program when it is read; if you trust it, "
            "pandas.DataFrame(pandas.read_pickle(path)).to_parquet(...) makes a file for this"
        )
    try:
        if place.suffix == ".parquet":
            frame = read_frame(place)
            return frame[[name for name in frame if name in wanted]]
        read = read_csv(place, usecols=wanted.__contains__, dtype=str, keep_default_na=False)
        return read
    except (ValueError, TypeError) as error:  # parser and Unicode errors are ValueErrors
        raise ValueError(f"{place}: {' '.join(str(error).split())}") from None


def _shares(column: pd.Series) -> FloatArray:
    """Shares of raters, NaN where there are none; a ValueError names the first that is no share."""
    blank = column.isna() | (column.astype(str).str.strip() == "")
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = ~blank.to_numpy(dtype=bool) & ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row + 1}: {column.name} is {column.iloc[row]!r:.60}, and no share of raters in "
            "[0, 1]"
        )
    return numbers


def _require_known(what: str, column: pd.Series, wrong: pd.Series) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"row {row + 1}: unknown {what} {column.iloc[row]!r:.60}")
