"""`bayesbias table`, `fit`, `scores`, `convert`, and `check-limits`: one file in, one out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bayesbias as bb

from .._core.intervals import DEFAULT_CI_PROB, check_probability
from ..model.defaults import RECOMMENDED
from . import options, screen

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

MOST_ROWS, MOST_NAMED = 60, 100
"""Maximum rows of a summary (a longer one omits words), and maximum of named missing words."""


def table(
    wordlist: options.OneList,
    /,
    *,
    out: options.OutFile,
    reading: options.ListReading = options.LIST_READING,
    force: options.Force = False,
) -> None:
    """Measure the distances of a word list and write them as a table.

    Example: `bayesbias table religion --vectors glove-demo --out religion.csv`

    Parameters
    ----------
    out : Path
        File to write, .csv or .parquet.
    """
    options.require_no_embedding([wordlist], "table")
    loaded = bb.load_wordlist(wordlist)
    options.require_file(out, ".csv", ".parquet", force=force)
    read = reading.load(loaded)
    most = reading.max_missing
    measured = bb.distance_table(read, loaded, embedding=reading.name, max_missing=most)
    bb.write_table(measured, out)
    screen.say(f"{out}: {len(measured):,} distances.")
    say_lost(read, loaded)


def say_lost(read: KeyedVectors, wordlist: bb.WordList) -> None:
    """Print the words of a list that an embedding lacks, and the sets with too few left."""
    from .._core.checks import ArgumentError
    from .._core.display import abridged
    from ..report.parts import sets_in_words

    missing, thin = bb.missing_words(read, wordlist), bb.undersized_sets(read, wordlist)
    if len(thin):
        screen.say(f"Too few words are left in {sets_in_words(thin)}; do not rely on these sets.")
    if len(missing):
        named = abridged(missing["word"].unique().tolist(), MOST_NAMED)
        screen.say(f"Not in the embedding, and left out: {named}")
    if hint := getattr(read, "hint", ()):
        screen.say(f"Hint: {screen.in_one_line(ArgumentError(*hint))}.")


def fit(
    table: Path,
    /,
    *,
    model: options.Model = RECOMMENDED["distance"],
    out: options.OutFile | None = None,
    fitting: options.FittingAlone = options.FITTING_ALONE,
    force: options.Force = False,
) -> int:
    """Fit a model to a table, print the summary, and save the posterior if you pass --out.

    The exit code is 3 if the sampler warned; the posterior is saved anyway.

    Example: `bayesbias fit religion.csv --model crossed --out crossed.nc`

    Parameters
    ----------
    table : Path
        A table, .csv or .parquet, in our layout or the published one.
    model : str
        Name of a model, or path to one.
    out : Path
        The .nc file for the posterior.
    """
    from ..model.tree import warnings_of

    options.require_file(out, ".nc", force=force)
    posterior = bb.fit(bb.read_table(table), model, options=fitting.shown)
    frame = bb.summary(posterior, **fitting.intervals)
    if out is not None:
        bb.save_posterior(posterior, out)
    shown = frame if len(frame) <= MOST_ROWS else frame[frame["level"] != "word"]
    named = shown["protected_word"].where(shown["protected_word"] != "", shown["protected_group"])
    title = f"{table.name}, {posterior.attrs['model']}: mean distances"
    level = f"{100 * fitting.ci_prob:g}%"
    names = ("level", "of", "connection", "mean", "sd", "low", "high")
    screen.frame(f"{title}, {level} intervals", shown.assign(of=named), *names)
    if len(shown) < len(frame):
        screen.say(f"{len(frame) - len(shown)} rows of single words are not shown.")
    unkept = "The posterior was not saved; pass --out FILE.nc to save it."
    screen.say(unkept if out is None else f"Posterior: {out}")
    return options.WARNED if warnings_of(posterior) else 0


def scores(
    wordlist: options.OneList,
    /,
    *,
    reading: options.ListReading = options.LIST_READING,
    n_resamples: int = 1000,
    alternative: str = "two-sided",
    ci_prob: options.CiProb = DEFAULT_CI_PROB,
    seed: options.Seed = options.SEED,
    out: options.OutFile | None = None,
    force: options.Force = False,
) -> None:
    """Compute every cosine score of a word list with intervals and, for WEAT, exact p-values.

    The protected words of two groups are X and Y, and their stereotypes are A and B. All
    pairs of groups are scored. `bayesbias docs scores` explains what each score measures.

    Example: `bayesbias scores weat1 --vectors GoogleNews.bin --alternative greater --out weat1.csv`

    Parameters
    ----------
    n_resamples : int
        Number of resamples of the words for the intervals.
    alternative : str
        Alternative hypothesis for WEAT's p-value: two-sided, greater, or less.
    out : Path
        The .csv file for the table.
    """
    from .._core.checks import check_numbers
    from ..embeddings.distances import refuse_missing
    from ..scores.permutation import named_alternative

    check_numbers(least=2, n_resamples=n_resamples)
    check_probability(ci_prob)
    options.require_no_embedding([wordlist], "scores")
    loaded, tested = bb.load_wordlist(wordlist), named_alternative(alternative)
    options.require_file(out, ".csv", force=force)
    read = reading.load(loaded)
    # Controls are not used; a list that has only controls is refused below.
    uncontrolled = replace(loaded, controls={}) if loaded.groups else loaded
    if reading.max_missing is not None:
        refuse_missing(read, uncontrolled, reading.max_missing)
    kept: dict[str, Any] = {"n_resamples": n_resamples, "ci_prob": ci_prob, "seed": seed}
    frame = bb.score_table(read, loaded, alternative=tested, **kept)
    if out is not None:
        bb.write_table(frame, out)
    say_lost(read, uncontrolled)
    title = f"{loaded.name} in {reading.name}: scores, {100 * ci_prob:g}% bootstrap intervals"
    shown = ("score", "groups", "value", "low", "high", "p_value")
    screen.frame(title, frame, *shown)
    screen.say(
        "Intervals show how much scores vary with different words. p is exact and "
        f"{alternative}; it refers to splits of these words into two groups."
    )
    for key, part in frame.groupby(["direction", "reading", "no_bias"], sort=False):
        names = ", ".join(dict.fromkeys(part["score"]))
        screen.say(f"{str(key[0]).capitalize()} than {key[2]:g} means {key[1]}: {names}.")
    for row in frame[frame["value"].isna()].to_dict("records"):
        screen.say(f"No {row['score']} for {row['groups']}: {row['note']}")
    if out is not None:
        screen.say(f"Table: {out}")


def convert(
    source: str,
    folder: Path,
    /,
    *,
    key: str = "",
    limit: int | None = None,
    allow_pickle: options.AllowPickle = False,
    force: options.Force = False,
) -> None:
    """Convert an embedding into a folder of vectors and words, the fastest format to read.

    Text and word2vec files are read in chunks. If a word occurs twice, its first vector is kept.

    Example: `bayesbias convert glove.6B.300d.txt glove6b`

    Parameters
    ----------
    source : str
        Any embedding that --vectors accepts in other commands.
    folder : Path
        The folder to create.
    key : str
        Keep only keys of this pattern, such as /c/en/{word}, without their prefix or suffix.
    limit : int
        Keep only the first words, this many.
    """
    shown = not screen.QUIET.get()
    how: dict[str, Any] = {"key": key, "limit": limit, "allow_pickle": allow_pickle}
    count, n_dims = bb.convert_vectors(source, folder, force=force, **how, progressbar=shown)
    screen.say(
        f"{folder}: {count:,} words of {n_dims} dimensions.",
        f"Read it with `--vectors {folder}`, or bb.load_vectors({str(folder)!r}).",
    )


def check_limits(
    run: Path,
    difference: str,
    low: float,
    high: float,
    /,
    *,
    ci_prob: options.CiProb = DEFAULT_CI_PROB,
) -> int:
    """Check whether an interval is within limits, for use in continuous integration.

    The exit code is 1 if the interval is not within the limits.

    Example: `bayesbias check-limits religion "muslim: associated - different" -0.15 0.15`

    Parameters
    ----------
    run : Path
        A folder that `bayesbias run` wrote for one model, or a posterior's .nc file.
    difference : str
        A difference or sum of connections, as in bb.hypothesis.
    low : float
        Lower limit.
    high : float
        Upper limit.
    """
    check_probability(ci_prob)
    if not low <= high:
        raise ValueError(f"the lower limit, {low:g}, must not exceed the upper limit, {high:g}")
    if {*"<>"} & {*difference}:
        raise ValueError(
            f"write {difference!r} without < and >, as a difference such as 'muslim - christian'"
        )
    posterior = bb.load_posterior(run / "posterior.nc" if run.is_dir() else run)
    (row,) = bb.hypothesis(posterior, f"{difference} > 0", ci_prob=ci_prob).to_dict("records")
    inside = low <= row["low"] and row["high"] <= high
    screen.say(
        f"{'inside' if inside else 'OUTSIDE'}: {difference} {row['mean']:.3f} "
        f"({row['low']:.3f} to {row['high']:.3f}), limits {low:g} to {high:g}"
    )
    return 0 if inside else options.FAILED
