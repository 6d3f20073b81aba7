"""`bayesbias convert`: an embedding of any format into the form that is read fastest."""

from __future__ import annotations

from pathlib import Path

from .options import AllowPickle, Force
from .screen import SCREEN, Screen


def convert(
    source: str,
    folder: Path,
    /,
    *,
    allow_pickle: AllowPickle = False,
    force: Force = False,
    screen: Screen = SCREEN,
) -> None:
    """Convert an embedding into a folder of vectors and words, which is read fastest.

    Single words of the folder are read through a memory map, and all of them without any parsing.
    Any command takes the folder as `--vectors FOLDER`. The source is read in chunks, in little
    memory. Of words that stand twice the first is kept.

    Example: `bayesbias convert glove.6B.300d.txt glove6b`

    Parameters
    ----------
    source : str
        An embedding, as for --vectors elsewhere.
    folder : Path
        The folder to make.
    """
    from ..embeddings.convert import convert_vectors

    count, n_dims = convert_vectors(
        source,
        folder,
        force=force,
        allow_pickle=allow_pickle,
        progressbar=not screen.quiet,
    )
    screen.say(
        f"{folder}: {count:,} words of {n_dims} dimensions.",
        f"Read it with `--vectors {folder}`, or bb.load_vectors({str(folder)!r}).",
    )
