"""Where the bundled word lists, models and vectors are, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def bundled_folder(name: str) -> Path:
    """Give a folder that came with the package: wordlists, models, vectors or contexts.

    Raises
    ------
    FileNotFoundError
        If the installation lacks it.
    """
    places = (_PACKAGE / "_data" / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"this installation of bayesbias lacks its folder {name!r}; reinstall")


def bundled_names(folder: str, suffix: str) -> list[str]:
    """Give the names of the bundled files of one kind, without their ending, sorted."""
    return sorted(path.stem for path in bundled_folder(folder).glob(f"*{suffix}"))
