"""Find the bundled word lists, models, and vectors, in a checkout or a wheel."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from .checks import check_path, unknown_name
from .reading import WITHIN, parts_of

_PACKAGE = Path(__file__).resolve().parent.parent

KINDS = {"vectors": "an embedding", "wordlists": "a word list", "models": "a model"}
"""What a file in each bundled folder contains."""


def bundled_folder(name: str) -> Path:
    """Return a folder of the package: wordlists, models, vectors, contexts, or docs."""
    for place in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the installed package has no folder {name!r}; reinstall bayesbias")


def bundled_names(folder: str, suffix: str) -> list[str]:
    """Return the sorted names of the bundled files of one kind, without their endings."""
    return sorted(path.stem for path in bundled_folder(folder).glob(f"*{suffix}"))


def unknown_bundled(kind: str, name: str, known: Collection[str]) -> str:
    """Return a message that lists the known names if a name is unknown or of another kind."""
    for folder, other in KINDS.items():
        if name in bundled_names(folder, ""):
            return f"{name!r} is the name of {other}; known {kind}s: {', '.join(sorted(known))}"
    return unknown_name(kind, name, known)


def toml_path(
    source: str | Path, folder: str, kind: str, endings: tuple[str, ...] = (".toml",)
) -> Path:
    """Return the path of a bundled TOML file given by name, or of any file given by path."""
    check_path(f"a {kind}", source, "a name or a path")
    some, names = " or ".join(endings), bundled_names(folder, ".toml")
    if isinstance(source, str) and source in names:
        return bundled_folder(folder) / f"{source}.toml"
    path = Path(os.path.expanduser(source))
    if os.path.isfile(parts_of(path)[0]):  # a name may be too long for Path.is_file
        if path.suffix.lower() not in endings:
            raise ValueError(
                f"the file name of a {kind} must end in {some}; save the file as one of these, or "
                f"rename {path}"
            )
        return path
    if os.path.isdir(path) and source:
        raise IsADirectoryError(f"{path} is a folder; give the path of a {some} file")
    if os.path.exists(path) and source:
        raise no_file(kind, path)
    named = isinstance(source, str) and not source.endswith(endings)
    if named and not re.search(r"[/\\]", str(source)):
        raise ValueError(
            f"{unknown_bundled(kind, str(source), names)}; to use your own file, give its path, "
            f"which must end in {some}"
        )
    raise no_file(kind, path)


def require_file(kind: str, path: Path) -> None:
    """Raise a FileNotFoundError unless a path is of a file, or of an archive and a file in it."""
    if not parts_of(path)[0].is_file():
        raise no_file(kind, path)


def no_file(kind: str, path: str | Path) -> FileNotFoundError:
    """Return an error for a missing file that suggests any similar name in the folder."""
    path = Path(path)
    if path.is_dir():
        return FileNotFoundError(f"{path} is a folder; give the path of a {kind} in it")
    if os.path.exists(path):
        text = f"{path} is a pipe or a device; save its content as a file, and pass its path"
        return FileNotFoundError(text)
    archive, _, member = str(path).rpartition(WITHIN)
    near = _near(path)
    if not near and archive and (similar := _near(Path(archive))):
        near = f"{similar}{WITHIN}{member}"
    hint = f"; did you mean {near}?" if near else ""
    return FileNotFoundError(f"no {kind} at {path}{hint}")


def _near(path: Path) -> str:
    """Return the path in the same folder whose name is most similar to a missing one, or ""."""
    names = os.listdir(path.parent) if path.parent.is_dir() else []
    return "".join(str(path.parent / name) for name in get_close_matches(path.name, names, n=1))
