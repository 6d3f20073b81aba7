"""Converting embeddings of any format into the native form, in little memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from .._core.checks import Argument, ArgumentError
from .._core.display import abridged
from .._core.files import recover, replace_folder
from .._core.resources import OWN_FRAMES
from .formats.arrays import FILES, write_native
from .registry import FORMATS, open_embedding
from .source import first_of_each

if TYPE_CHECKING:
    from .load import VectorsLike


def convert_vectors(
    source: VectorsLike,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    allow_pickle: bool = False,
    progressbar: bool = True,
) -> tuple[int, int]:
    """Write an embedding in chunks as a folder of ``vectors.npy`` and ``words.txt``.

    Parameters
    ----------
    source, allow_pickle, progressbar
        As for `load_vectors`. The first of words that stand twice is kept, with a warning.
    folder : path
        Appears under its name when it is complete.
    force : bool
        Replace an earlier folder of this form.

    Returns
    -------
    tuple of int
        Number of words, and of dimensions.

    Raises
    ------
    ValueError, OSError
        If the source is damaged, or the folder cannot be written or is there without `force`.
        An earlier folder stays as it was then.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> bb.convert_vectors("glove-demo", f"{tempfile.mkdtemp()}/glove", progressbar=False)
    (5846, 100)
    """
    target = Path(folder)
    require_native_path(target, force=force)
    embedding = open_embedding(source, allow_pickle=allow_pickle, progressbar=progressbar)
    if target.exists() and embedding.path.exists() and target.samefile(embedding.path):
        raise ValueError(f"{target} is the source itself; choose another folder")
    again: list[str] = []
    with replace_folder(target) as stage:
        shape = write_native(first_of_each(embedding.chunks(), again), stage)
    if again:
        warnings.warn(
            f"{len(again)} word(s) stand in the embedding more than once ({abridged(again)}); the "
            "first of each is kept",
            skip_file_prefixes=OWN_FRAMES,
        )
    return shape


def require_native_path(folder: Path, *, force: bool, files: Collection[str] = FILES) -> None:
    """Check, before any work is done, whether a folder of some files may be written."""
    if folder.suffix.lower() in FORMATS:
        raise ValueError(f"{folder} has the ending of a file, and a folder is made; take it off")
    recover(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; give the name of a folder that is to be")
    if not folder.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {folder.parent} to write {folder.name} into")
    others = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if set(others).difference(files):
        raise ValueError(f"{folder} holds other files ({', '.join(others[:3])}); choose another")
    if others and not force:
        text = f"{folder} is there already; pass "
        raise ArgumentError(text, Argument("force", True), " to replace it")
