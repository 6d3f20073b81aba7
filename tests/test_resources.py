"""The bundled folders are found in a checkout and in a wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bayesbias._core import resources as bundled
from bayesbias._core.resources import bundled_folder, bundled_names

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDERS = ("wordlists", "models", "vectors", "contexts", "docs")


def test_folders_that_came_inside_the_package_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "bayesbias"
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert bundled_folder("models") == tmp_path / "models"
    (package / "_data" / "models").mkdir(parents=True)
    assert bundled_folder("models") == package / "_data" / "models"


def test_missing_folder_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(FileNotFoundError, match=r"lacks its folder 'nothing'; reinstall"):
        bundled_folder("nothing")


def test_names_are_sorted_and_of_one_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vectors"
    folder.mkdir()
    for name in ("b.npz", "a.npz", "README.md"):
        (folder / name).touch()
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "bayesbias")
    assert bundled_names("vectors", ".npz") == ["a", "b"]


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_are_found_in_the_checkout_and_carried_by_the_wheel(name: str) -> None:
    project = CHECKOUT / "pyproject.toml"
    if not project.is_file():
        pytest.skip("not a checkout: no pyproject.toml beside the tests")
    tool = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]
    included = tool["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included[name] == f"bayesbias/_data/{name}"
    assert bundled_folder(name) == CHECKOUT / name
