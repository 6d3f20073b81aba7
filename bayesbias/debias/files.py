"""Whole embedding files, debiased in chunks, so memory does not grow with the file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._core.files import replace_folder
from ..embeddings.convert import require_native_path, write_native
from ..embeddings.formats.arrays import FILES
from ..embeddings.load import open_embedding
from .defining_sets import SetsLike
from .method import fit_debiaser

RECORD = "record.json"


def debias_file(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    method: str = "hard",
    sets: SetsLike = "gender",
    *,
    force: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
    **options: object,
) -> dict[str, Any]:
    """Debias a whole embedding file and write the result, which `load_vectors` reads.

    The source is read in chunks, two to four times.

    Parameters
    ----------
    source, allow_pickle, progressbar
        As for `load_vectors`.
    out : str or path
        The folder to make, of ``vectors.npy``, ``words.txt`` and ``record.json``. For gensim and
        word2vec write ``bb.load_vectors(out).save_word2vec_format("out.bin", binary=True)``.
    method, sets, **options
        As for `fit_debiaser`.
    force : bool
        Replace an earlier folder of this form.

    Returns
    -------
    dict
        The content of ``record.json``: source, number of words and dimensions, and the `Debiasing`.
    """
    target = Path(out)
    require_native_path(target, Path(source), force=force, files=(*FILES, RECORD))
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    debiaser = fit_debiaser(embedding, method, sets, **options)
    with replace_folder(target) as stage:
        words, dims = write_native(debiaser.transform_chunks(embedding.chunks()), stage)
        record = {"source": Path(source).name, "words": words, "dims": dims}
        record |= {**asdict(debiaser.record), "bayesbias": version("bayesbias")}
        text = json.dumps(record, ensure_ascii=False, indent=1)
        (stage / RECORD).write_text(f"{text}\n", encoding="utf-8")
    return record
