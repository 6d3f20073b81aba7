"""`bayesbias debias`: reduce the bias of an embedding file of any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter as Option

import bayesbias as bb

from .._core.reading import literal
from . import options, screen
from .options import AllowPickle, Force, OutFile


def debias(
    *,
    out: OutFile,
    vectors: Annotated[str, Option(alias="-v")] = "glove-demo",
    case: str | None = None,
    method: str = "hard",
    lists: Annotated[str, Option(name=["--sets", "--lists"])] = "gender",
    allow_pickle: AllowPickle = False,
    force: Force = False,
    **more: str,
) -> None:
    """Debias an embedding file, and write a folder that other commands accept as --vectors.

    Text and word2vec files are read in chunks. The folder's `record.json` describes what was done.
    No method removes all bias: a classifier can often detect the bias that remains.

    Example: `bayesbias debias --method soft --strength 1 --sets race --vectors big.bin --out soft`

    Parameters
    ----------
    out : Path
        Folder to create.
    vectors : str
        Any embedding that --vectors accepts in other commands.
    case : str
        How to look up words: exact, lower, or fallback. By default, the sets decide; the bundled
        ones use fallback.
    method : str
        hard, multiclass_hard, double_hard, soft, or half_sibling; see `bayesbias docs debiasing`.
    lists : str
        Sets of defining, equalize, and specific words: gender, religion, race, or a .toml file.
    more : str
        Options of the method, named as in Python: --strength 1, --k 2, --equalize False.
    """
    from .._core.display import abridged

    sets = bb.debias.load_defining_sets(lists)
    if case is not None:
        sets = replace(sets, case=case)
    keywords = {name.replace("-", "_"): literal(text) for name, text in more.items()}
    if "seed" in bb.debias.method_options(method, keywords):
        keywords.setdefault("seed", options.SEED)
    record = bb.debias.debias_file(
        vectors,
        out,
        method,
        sets,
        force=force,
        allow_pickle=allow_pickle,
        progressbar=not screen.QUIET.get(),
        **keywords,
    )
    sizes = ", ".join(f"{count} {name}" for name, count in record["sizes"].items())
    screen.say(
        f"{out}: {record['words']:,} words of {record['dims']} dimensions.",
        f"Method {record['method']}, lists {record['lists']}.",
        f"Found in the embedding (case {record['case']}): {sizes}.",
        f"Record: {out}/record.json",
    )
    for name, words in record["missing"].items():
        capitals = record["case"] == "exact" and any(word != word.lower() for word in words)
        hint = "; if the embedding is in lower case, pass --case fallback" if capitals else ""
        screen.complain(f"not in the embedding ({name}): {abridged(words)}{hint}")
