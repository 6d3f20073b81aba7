"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .screen import Screen

Vectors = Annotated[
    str,
    typer.Option(
        "--vectors",
        "-v",
        metavar="SOURCE",
        help="A bundled embedding (glove-demo), or a file: .bin .txt .vec, also in .gz or .zip, "
        ".npz, .kv, .model.",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME_OR_DIR",
        help="Measure words in sentences instead: a contextual encoder's folder, or its name on "
        "the Hugging Face hub. Needs the extra mlm.",
    ),
]
TemplateSet = Annotated[
    str,
    typer.Option(
        "--templates",
        metavar="SET",
        help="With --encoder: sentences to put words into, a bundled set or a .toml file.",
    ),
]
Pooling = Annotated[
    str,
    typer.Option(
        "--pooling",
        metavar="HOW",
        help="With --encoder: word (the word's own tokens in the sentence) or sentence.",
    ),
]
Layer = Annotated[
    int, typer.Option("--layer", metavar="N", help="With --encoder: layer to read, -1 the last.")
]
Case = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="How words are looked up: exact, lower (in lower case), or fallback (as they stand, "
        "else in lower case).",
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Allow .kv and .model files, which can run any program when opened: only from "
        "people you trust.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="auto (exact where the model allows it, else nuts), exact, nuts, nutpie or numpyro.",
    ),
]
CiProb = Annotated[
    float, typer.Option("--ci-prob", metavar="P", help="Probability of intervals, in (0, 1).")
]
Rope = Annotated[
    float,
    typer.Option(min=0, max=2, metavar="D", help="Differences smaller than this count as none."),
]
Draws = Annotated[int, typer.Option(min=1, metavar="N", help="Draws of each chain.")]
Chains = Annotated[int, typer.Option(min=1, metavar="N", help="Chains.")]
ReportDraws = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Draws of each chain; of all chains at least 25."),
]
Tune = Annotated[
    int,
    typer.Option(
        "--tune",
        min=1,
        metavar="N",
        help="Steps of each chain before its draws; for nuts, nutpie and numpyro only.",
    ),
]
TargetAccept = Annotated[
    float,
    typer.Option(
        "--target-accept",
        metavar="P",
        help="Share of steps to accept, in (0, 1): nearer to 1 the steps are smaller, and fewer "
        "diverge; for nuts, nutpie and numpyro only.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Equal seeds give equal results.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace earlier results; files of others are left alone."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing on stdout; show no progress.")
]
OutFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="File to write.")]


def screen_of(context: typer.Context, quiet: bool = False) -> Screen:
    """Give the screen of a command: quiet if it, or the program as a whole, was asked to be."""
    return Screen(quiet=quiet or bool(context.obj))
