"""`bayesbias background`: compare word sets with the whole vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bayesbias as bb

from . import options, screen
from .options import READING, Force, OutFile, Reading

STANDALONE = ("experiment", "set", "n_words", "psi", "phi_reference", "phi_zero", "rank", "p_sets")
RELATIVE = ("experiment", "statistic", "z", "p_normal", "p_simulated", "reading")

NOTE = """X and Y are the first and the second set of a list.
The psi of a word is its mean cosine with the first attribute set minus that with the second.
phi is the share of a Normal distribution below the set's mean. The distribution has the
vocabulary's sd and is centered on the vocabulary's mean or on 0.
rank is the share of actual words below the set's mean.
p sets is a two-sided p-value: it compares the set's mean with those of equally large random sets.
Inside and outside refer to the middle {middle:g}% of the vocabulary's single words.
Listing a stereotype does not endorse it."""


def background(
    *lists: str,
    reading: Reading = READING,
    ranks: tuple[int, int] | None = None,
    draws: int = 100_000,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = options.SEED,
    out: OutFile | None = None,
    force: Force = False,
) -> None:
    """Compare the words of lists with the whole vocabulary of an embedding.

    ψ is a word's association with the attributes. One table compares the mean ψ of each set with
    the whole vocabulary; another compares each pair of sets with random pairs. Pass a complete
    embedding; glove-demo has only 5,000 frequent words and the words of our lists.

    Example: `bayesbias background weat1 --vectors glove6b --ranks 0 50000 --out background`

    Parameters
    ----------
    lists : str
        Bundled lists or paths to files; by default, the ten lists of Caliskan et al. (2017).
    ranks : (int, int)
        Compare with words in this range of ranks, end excluded. The file's first word has rank 0.
    draws : int
        Number of random pairs of sets for relative bias.
    out : Path
        Folder for the frames.
    """
    import pandas as pd

    from .._core.checks import check_numbers
    from .._core.display import abridged
    from .._core.intervals import check_probability
    from ..embeddings.registry import open_embedding
    from ..workflows import output

    check_numbers(draws=draws)
    check_probability(alpha, "alpha")
    options.require_no_embedding(lists, "background")
    bg = bb.background
    experiments = bg.experiments(lists) if lists else bg.experiments()
    if out is not None:
        output.require_place(out, force=force, names=("standalone.csv", output.RECORD))
    shown = not screen.QUIET.get()
    how: dict[str, Any] = {"allow_pickle": reading.allow_pickle, "key": reading.key}
    how["limit"] = reading.limit
    embedding: Any = open_embedding(reading.vectors, **how, progressbar=shown)
    whole = bg.distributions(embedding, experiments, case=reading.case)
    made = {name: one.among(*ranks) if ranks else one for name, one in whole.items()}
    of_lists = {name: bg.words(one, experiments[name].sets) for name, one in made.items()}
    lost: dict[str, None] = {}
    for name, frame in of_lists.items():
        words = (*made[name].missing, *experiments[name].X, *experiments[name].Y)
        lost |= dict.fromkeys(word for word in words if word not in set(frame["word"]))
    if lost:
        screen.complain(f"not in the embedding, and left out: {abridged(list(lost))}")
    frames = {
        "fits": bg.fits(made),
        "standalone": bg.standalone(made, experiments),
        "relative": bg.relative(made, experiments, alpha=alpha, n_resamples=draws, seed=seed),
        "words": pd.concat(of_lists, names=["experiment", None]).reset_index(0),
    }
    if out is not None:
        record = {"command": options.command_line(), "versions": output.versions()}
        with output.replace_results(out, force=force) as stage:
            output.write_frames(frames, stage)
            output.write_record(record, stage)
    source = Path(reading.vectors).name or reading.vectors
    title = f"Sets of words among {frames['fits']['n_words'].iloc[0]:,} words of {source}"
    screen.frame(title, frames["standalone"], *STANDALONE)
    title = "Relative bias of the sets, compared with random pairs of sets"
    screen.frame(title, frames["relative"], *RELATIVE)
    screen.say(NOTE.format(middle=100 * (1 - alpha)))
    if out is not None:
        screen.say(f"Frames: {out}")
