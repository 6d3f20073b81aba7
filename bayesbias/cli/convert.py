"""`bayesbias convert`: an embedding of any format into the form that is read fastest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .screen import Screen


@options.command(
    "bayesbias convert glove.6B.300d.txt glove6b",
    "bayesbias convert cc.en.300.vec.gz fasttext-en --first",
)
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An embedding, as for --vectors elsewhere.",
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
    *,
    first: Annotated[
        bool, typer.Option("--first", help="Of a word that stands twice, keep the first.")
    ] = False,
    allow_pickle: options.AllowPickle = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier folder.")] = False,
    screen: Screen,
) -> None:
    """Convert an embedding into a folder of vectors.npy and vocab.txt, which is read fastest.

    Single words of the folder are read through a memory map, and all of them without any parsing.
    Any command takes the folder as `--vectors FOLDER`. The source is read in chunks, in little
    memory; it must hold every word once, or pass `--first` to let the first of each count.
    """
    from ..embeddings.convert import convert_vectors

    count, n_dims = convert_vectors(
        source,
        folder,
        duplicates="first" if first else "error",
        force=force,
        allow_pickle=allow_pickle,
        progressbar=not screen.quiet,
    )
    screen.say(
        f"{folder}: {count:,} words of {n_dims} dimensions.",
        f"Read it with `--vectors {folder}`, or bb.load_vectors({str(folder)!r}).",
    )
