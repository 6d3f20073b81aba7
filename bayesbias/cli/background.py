"""`bayesbias background`: where sets of words lie in the whole vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import options
from .options import READING, Force, OutFile, Reading
from .screen import SCREEN, Screen, complain

if TYPE_CHECKING:
    import pandas as pd

    from ..background import Distribution, Experiment

STANDALONE = {
    "list": "experiment",
    "set": "set",
    "words>": "n_words",
    "mean ψ>": "psi:.3f",
    "Φ background>": "phi_reference:.3f",
    "Φ zero>": "phi_zero:.3f",
    "rank>": "rank:.3f",
    "p sets>": "p_sets:.2g",
}
RELATIVE = {
    "list|": "experiment",
    "sum>": "statistic:.2f",
    "z>": "z:.2f",
    "p>": "p_normal:.2g",
    "p random>": "p_simulated:.2g",
    "reading": "reading",
}
"""Columns of the tables, and what of the frames they show."""

NOTE = (
    "X and Y: the first and the second set of a list, in the order above. ψ of a word: its mean "
    "cosine with the first attribute set less that with the second; Φ: share of a Normal with the "
    "vocabulary's sd, about its mean or about 0, below the set's mean; rank: share of the words "
    "themselves. p sets: two-sided, against the means of random sets of as many words. Reading: "
    "whether a set's mean lies inside or outside the middle {middle} of the vocabulary's single "
    "words (Φ background), and whether the sets differ more than random pairs do (p random below "
    "{alpha}). Listing a stereotype does not endorse it."
)
"""Stands below the tables."""


def background(
    *lists: str,
    reading: Reading = READING,
    ranks: tuple[int, int] | None = None,
    draws: int = 100_000,
    alpha: float = 0.05,
    seed: int = options.SEED,
    first: bool = False,
    out: OutFile | None = None,
    force: Force = False,
    screen: Screen = SCREEN,
) -> None:
    """Compare the words of lists with the whole vocabulary of an embedding.

    Zero is not the baseline: words in general may lean to one of two attribute sets. For every
    pair of groups of every list this gives ψ of all words in one pass over the file, where each
    group's mean lies among them (Φ), and the difference of the groups with that of random pairs
    of word sets. Give an embedding with its whole vocabulary: glove-demo holds its 5,000 most
    frequent words and those of the lists. The folder gets fits.csv, standalone.csv, relative.csv,
    strata.csv, words.csv, plots and run.json.

    Examples: `bayesbias background weat1 weat6`,
    `bayesbias background --vectors glove6b --case lower --ranks 0 50000 --out background`

    Parameters
    ----------
    lists : str
        Bundled lists, or paths of .toml files; without any, those of the ten tests of Caliskan et
        al. (2017) that the embedding has words for.
    ranks : (int, int)
        Take only the words of these ranks, first and stop, counted from 0 in the file's order.
    draws : int
        Random pairs of sets for relative bias.
    alpha : float
        Level of the readings, in (0, 1).
    seed : int
        Equal seeds give equal results.
    first : bool
        Of a word that stands twice, the first counts.
    out : Path
        Folder for frames and plots.
    """
    import pandas as pd

    from .. import background as bg
    from .._core.display import abridged
    from ..workflows import output

    experiments = bg.experiments(lists) if lists else bg.experiments()
    if out is not None:
        output.require_place(out, force=force, names=("standalone.csv", output.RECORD))
    made = bg.distributions(
        reading.vectors,
        experiments,
        case=reading.case,
        duplicates="first" if first else "error",
        lacking="error" if lists else "skip",
        allow_pickle=reading.allow_pickle,
        progressbar=not screen.quiet,
    )
    whole = made
    if ranks is not None:
        made = {name: one.among(*ranks) for name, one in made.items()}
    lost = dict.fromkeys(word for one in made.values() for word in one.missing)
    for name, one in made.items():
        words = experiments[name].X + experiments[name].Y
        lost |= dict.fromkeys(word for word in words if word not in one.psi_of(words).index)
    if lost:
        complain(f"not in the embedding, and left out: {abridged(list(lost))}")
    of_lists = {name: bg.words(one, experiments[name].sets) for name, one in made.items()}
    frames = {
        "fits": bg.fits(made),
        "standalone": bg.standalone(made, experiments),
        "relative": bg.relative(made, experiments, alpha=alpha, n_resamples=draws, seed=seed),
        "strata": bg.strata(whole),
        "words": pd.concat(of_lists, names=["experiment", None]).reset_index(0),
    }
    if out is not None:
        record = {"command": options.command_line(), "versions": output.versions()}
        with output.replace_results(out, force=force) as stage:
            output.write_frames(frames, {}, stage)
            simulated = {"n_resamples": draws, "seed": seed}
            _plot(made, experiments, frames["words"], stage / output.PLOTS, **simulated)
            output.write_record(record, stage)
    fits, sets = frames["fits"], frames["standalone"]
    n_words, source = fits["n_words"].iloc[0], Path(reading.vectors).name or reading.vectors
    shown = sets.assign(set=sets["set"].str.replace("_", " "))
    screen.frame(f"Sets of words among {n_words:,} words of {source}", shown, STANDALONE)
    title = "Relative bias of the sets next to random pairs of sets"
    screen.frame(title, frames["relative"], RELATIVE)
    worst = fits.sort_values("largest_gap").iloc[-1]
    screen.say(
        NOTE.format(middle=f"{100 * (1 - alpha):g}%", alpha=f"{alpha:g}"),
        f"The Normal fits worst for {worst['experiment']}: skew {worst['skew']:.2f}, "
        f"{worst['outside_95']:.1%} of words outside its middle 95%.",
    )
    if out is not None:
        screen.say(f"Frames and plots: {out}")


def _plot(
    made: dict[str, Distribution],
    experiments: dict[str, Experiment],
    words: pd.DataFrame,
    folder: Path,
    **simulated: int,
) -> None:
    """Draw the backgrounds, and every list's words and random pairs of sets."""
    import matplotlib as mpl

    mpl.use("Agg")
    from .. import background as bg
    from .. import plots

    folder.mkdir()
    curves = bg.densities(made)
    plots.save(plots.background_densities(curves), folder / "background")
    for name, one in made.items():
        sets = experiments[name]
        stem = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name)
        shown = words[words["experiment"] == name]
        plots.save(plots.background_words(curves, shown, name), folder / f"{stem}-words")
        bias = one.relative_bias(sets.X, sets.Y, **simulated)
        axes = plots.relative_bias(bias, name=name, labels=(sets.labels[0], sets.labels[1]))
        plots.save(axes, folder / f"{stem}-relative")
