"""Inputs for small sweeps: two lists, and the bundled embedding with noise, three times."""

from pathlib import Path
from textwrap import dedent

import numpy as np

import bayesbias as bb
from bayesbias.cli.run import sweep

EXAMPLE = dedent((sweep.__doc__ or "").partition("```toml\n")[2].partition("```")[0])
"""The configuration in the command's help, which runs unchanged."""

LISTS = {
    "jobs": (("he", "him", "man", "boy"), ("she", "her", "woman", "girl")),
    "kin": (("father", "son", "brother", "uncle"), ("mother", "daughter", "sister", "aunt")),
}
NOISE = {"calm": 0.0, "rough": 0.3, "wild": 0.6}

_LIST = """
title = "{name}"
note = "For tests; listing a stereotype does not endorse it."
[groups]
men = {men}
women = {women}
[stereotypes]
men = ["soldier", "engineer", "boss", "pilot", "captain", "programmer"]
women = ["nurse", "dancer", "teacher", "librarian", "receptionist", "maid"]
[controls]
neutral = ["water", "paper", "table", "stone", "river", "window"]
human = ["walk", "friend", "advice", "eye", "face", "meeting"]
"""

_CONFIG = """
title = "Small sweep"
lists = ["jobs.toml", "kin.toml"]
models = ["paper", "crossed"]
draws = {draws}
matched = 0
chains = 2
[embeddings]
calm = "calm.npz"
rough = "rough.npz"
wild = "wild.npz"
"""


def write_inputs(folder: Path, draws: int = 100) -> Path:
    """Write lists, embeddings, and a configuration of 3 x 2 x 2 cells, and return its path."""
    words: set[str] = set()
    for name, (men, women) in LISTS.items():
        text = _LIST.format(name=name, men=list(men), women=list(women)).replace("'", '"')
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        words |= set(bb.load_wordlist(folder / f"{name}.toml").words)
    for name, sd in NOISE.items():
        vectors = bb.load_vectors("glove-demo", words)
        noise = np.random.default_rng(7).standard_normal(vectors.vectors.shape)
        vectors.vectors = vectors.vectors + (sd * noise).astype(np.float32)
        bb.save_vectors(vectors, folder / f"{name}.npz")
    config = folder / "sweep.toml"
    config.write_text(_CONFIG.format(draws=draws), encoding="utf-8")
    return config
