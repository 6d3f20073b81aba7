"""`bayesbias table` and `bayesbias fit`: the two halves of a run, one at a time."""

from __future__ import annotations

from pathlib import Path

from ..model.defaults import RECOMMENDED
from ..sampling.options import FitOptions
from . import options
from .options import LIST_READING, Force, ListReading, Model, OneList, OutFile
from .screen import SCREEN, Screen

MOST_ROWS, MOST_NAMED = 60, 100
"""Rows of a summary that a terminal shows, beyond which words are left out; missing words named."""

COLUMNS = {name: name for name in ("level", "of", "connection")} | {
    f"{name}>": f"{name}:.3f" for name in ("mean", "sd", "low", "high")
}


def table(
    wordlist: OneList,
    /,
    *,
    out: OutFile,
    reading: ListReading = LIST_READING,
    force: Force = False,
    screen: Screen = SCREEN,
) -> int:
    """Measure the distances of a word list and write them as a table.

    Example: `bayesbias table religion --vectors glove-demo --out religion.csv`

    Parameters
    ----------
    out : Path
        File to write, .csv or .parquet.
    """
    from .._core.display import abridged
    from ..embeddings.distances import distance_table, missing_words, undersized_sets
    from ..report.wording import sets_in_words
    from ..tables.table_files import write_table
    from ..tables.wordlists import load_wordlist
    from ..workflows.output import require_file_place

    loaded = load_wordlist(wordlist)
    require_file_place(out, (".csv", ".parquet"), force=force)
    read = reading.load(loaded, screen)
    name = Path(reading.vectors).name or reading.vectors
    measured = distance_table(read, loaded, embedding=name, max_missing=reading.max_missing)
    write_table(measured, out)
    missing, thin = missing_words(read, loaded), undersized_sets(read, loaded)
    few = f" Too few words of {sets_in_words(thin)}: do not rely on these." if len(thin) else ""
    screen.say(f"{out}: {len(measured):,} distances.{few}")
    if len(missing):
        named = abridged(missing["word"].unique().tolist(), MOST_NAMED)
        screen.say(f"Not in the embedding, and left out: {named}")
    return 0


@options.takes_fit("rope")
def fit(
    table: Path,
    /,
    *,
    model: Model = RECOMMENDED["distance"],
    out: OutFile | None = None,
    fitting: FitOptions,
    force: Force = False,
    screen: Screen = SCREEN,
) -> int:
    """Fit a model to a table, print the summary, and keep the posterior.

    Example: `bayesbias fit religion.csv --model crossed --out crossed.nc`

    Exit code 3 if the fit finished but the sampler warned; the posterior is written all the same,
    and carries the warning.

    Parameters
    ----------
    table : Path
        A table, .csv or .parquet, of ours or in the published layout.
    model : str
        A model by name or path.
    out : Path
        Where the posterior goes, .nc.
    """
    from ..model.posterior_files import save_posterior
    from ..model.tree import warnings_of
    from ..posterior.summaries import summary
    from ..sampling.fit import fit as fit_table
    from ..tables.table_files import read_table
    from ..workflows.output import require_file_place

    if out is not None:
        require_file_place(out, (".nc",), force=force)
    posterior = fit_table(read_table(table), model, options=fitting)
    frame = summary(posterior, **fitting.intervals)
    if out is not None:
        save_posterior(posterior, out)
    shown = frame if len(frame) <= MOST_ROWS else frame[frame["level"] != "word"]
    named = shown["protected_word"].where(shown["protected_word"] != "", shown["protected_group"])
    title = f"{table.name}, {posterior.attrs['model']}: mean distances"
    level = f"{100 * frame.attrs['ci_prob']:g}%"
    screen.frame(f"{title}, {level} intervals", shown.assign(of=named), COLUMNS)
    if len(shown) < len(frame):
        screen.say(f"{len(frame) - len(shown)} rows of single words are not shown.")
    unkept = "The posterior is not kept; --out FILE.nc keeps it."
    screen.say(unkept if out is None else f"Posterior: {out}")
    return options.WARNED if warnings_of(posterior) else 0
