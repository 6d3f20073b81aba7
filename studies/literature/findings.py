"""What sections 5.1 and 5.2 of the Bayesian paper find by eye, read from posteriors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayesbias.comparison.changes import changes, order_changes
from bayesbias.comparison.joint import compare
from bayesbias.posterior.contrasts import contrasts

from .claims import Claim, claims_frame, interval_text
from .sources import KNOWN_WARNINGS, Folder, fitted, plotted, published_table

if TYPE_CHECKING:
    from xarray import DataTree

CLOSER = ("weat1_google", "weat1_glove", "weat1_reddit")
"""Tables of which the text says that associated attributes are somewhat closer."""

LEVELS = {"associated": 0.6, "different": 0.6, "neutral": 0.9, "human": 0.9}
"""Overall means of gender on Reddit, "around .6 vs. .9"."""


def overlap(
    name: str = "religion_glove", model: str = "crossed", folder: Folder = None
) -> pd.DataFrame:
    """Whether associated attributes are systematically closer: by eye, and by a contrast.

    Parameters
    ----------
    name : str
        A key of ``TABLES``.
    model : str
        A model for distances.
    folder
        As for `published_table`.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.1: "crude approximation" is the paper's own word.
    """
    ends = _overall(name)
    overlapping = bool(ends["high"]["associated"] >= ends["low"]["different"])
    seen = "overlap, which is not the interval of their difference" if overlapping else "part"
    frame = contrasts(fitted(name, folder, model, method="exact"))
    row = frame[
        (frame["level"] == "overall")
        & (frame["first"] == "associated")
        & (frame["second"] == "different")
    ].iloc[0]
    value = interval_text(row["mean"], row["low"], row["high"])
    closer = "yes" if row["high"] < 0 else "no"
    cause = (
        f"associated - different is {value} under {model}; the plotted intervals of the two means "
        f"{seen}"
    )
    return claims_frame(
        [
            Claim(
                f"{name}: associated attributes systematically closer than different ones",
                "yes" if name in CLOSER else "no",
                closer,
                cause=cause,
            )
        ]
    )


def gender_levels() -> pd.DataFrame:
    """Overall means of gender on Reddit as plotted; the text has around .6 and .9.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.1.
    """
    means = _overall("gender_reddit")["mean"]
    return claims_frame(
        Claim(f"mean distance, {name}", printed, round(means[name], 3), 0.05, "nearer to 1")
        for name, printed in LEVELS.items()
    )


def human_furthest() -> pd.DataFrame:
    """Which attributes are the furthest in WEAT 1, as plotted.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.1.
    """
    rows = []
    for name in ("weat1_google", "weat1_glove", "weat1_reddit"):
        means = _overall(name)["mean"].sort_values()
        told = ", ".join(f"{connection} {mean:.3f}" for connection, mean in means.items())
        rows.append(
            Claim(f"{name}: furthest attributes", "human", str(means.index[-1]), cause=told)
        )
    return claims_frame(rows)


def hers(folder: Folder = None) -> pd.DataFrame:
    """Which word of gender moves most on Reddit, relative to associated attributes.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.2.
    """
    words = _moved("gender", "associated", folder)
    first, second = words.iloc[0], words.iloc[1]
    cause = f"{_told(first)}; next is {_told(second)}"
    return claims_frame(
        [
            Claim("the one word with a major change", "hers", first["protected_word"], cause=cause),
            Claim(
                "its change, as plotted",
                _plotted_change("gender", "hers", "associated"),
                round(first["mean"], 3),
                0.005,
                _told(first),
            ),
        ]
    )


def asia(folder: Folder = None) -> pd.DataFrame:
    """How far *asia* and *asian* move on Reddit, relative to different attributes.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.2.
    """
    words = _moved("race", "different", folder).set_index("protected_word", drop=False)
    order = list(words.index)
    rows = []
    for word in ("asia", "asian"):
        row = words.iloc[order.index(word)]
        cause = (
            f"{_told(row)}; number {order.index(word) + 1} of {len(order)} by size. Two fits draw "
            "each mean to its own neighbours, the paired change does not"
        )
        printed = _plotted_change("race", word, "different")
        rows.append(
            Claim(
                f"change of {word}, different, as plotted",
                printed,
                round(row["mean"], 3),
                0.01,
                cause,
            )
        )
    return claims_frame(rows)


def religion_orders(folder: Folder = None) -> pd.DataFrame:
    """Whether debiasing reversed associated and different for *christian* and *jew*, on Reddit.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 5.2.
    """
    tree = _change("religion", folder)
    frame = order_changes(tree)
    words = frame[frame["level"] == "word"].set_index("protected_word")
    rows = []
    for word, printed in (("christian", "reversed"), ("jew", "reversed"), ("muslim", "kept")):
        turned, before, after = (
            float(words[name][word]) for name in ("p_turned", "before", "after")
        )
        gaps = [
            _plotted_gap(each, word) for each in ("religion_reddit", "debiased_religion_reddit")
        ]
        cause = (
            f"P(turned) = {turned:.2f}; associated - different {before:+.3f} before, {after:+.3f} "
            f"after; in the figures {gaps[0]:+.3f} and {gaps[1]:+.3f}"
        )
        if word == "jew":
            cause += ". After debiasing its vector is that of muslim"
        found = "reversed" if turned > 0.5 else "kept"
        rows.append(
            Claim(f"order of associated and different, {word}", printed, found, cause=cause)
        )
    return claims_frame(rows)


def _overall(name: str) -> pd.DataFrame:
    figure = plotted(name)
    return figure[figure["level"] == "overall"].set_index("connection")


def _change(name: str, folder: Folder) -> DataTree:
    before, after = (published_table(f"{when}{name}_reddit", folder) for when in ("", "debiased_"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=KNOWN_WARNINGS)
        return compare(before, after, "change", method="exact", seed=1)


def _moved(name: str, connection: str, folder: Folder) -> pd.DataFrame:
    """Changes of the words of a list, the largest first."""
    frame = changes(_change(name, folder))
    words = frame[(frame["level"] == "word") & (frame["connection"] == connection)]
    return words.sort_values("mean", key=abs, ascending=False).reset_index(drop=True)


def _plotted_change(name: str, word: str, connection: str) -> float:
    """Difference of a word's plotted means before and after."""
    before, after = (
        _plotted_means(each, word)[connection]
        for each in (f"{name}_reddit", f"debiased_{name}_reddit")
    )
    return round(after - before, 3)


def _plotted_gap(name: str, word: str) -> float:
    """Associated less different of a word, as plotted."""
    means = _plotted_means(name, word)
    return means["associated"] - means["different"]


def _plotted_means(name: str, word: str) -> dict[str, float]:
    figure = plotted(name)
    rows = figure[figure["protected_word"] == word]
    return dict(zip(rows["connection"], rows["mean"], strict=True))


def _told(row: pd.Series[Any]) -> str:
    return f"{row['protected_word']} {interval_text(row['mean'], row['low'], row['high'])}"
