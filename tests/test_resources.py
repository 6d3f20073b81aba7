"""The bundled folders are found in a checkout and in a wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bayesbias._core import resources as bundled
from bayesbias._core.resources import bundled_folder, bundled_names

CHECKOUT = Path(__file__).resolve().parent.parent


def test_folders_inside_the_package_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "bayesbias")
    (tmp_path / "vectors").mkdir()
    for name in ("b.npz", "a.npz", "README.md"):
        (tmp_path / "vectors" / name).touch()
    assert bundled_names("vectors", ".npz") == ["a", "b"]
    inside = tmp_path / "bayesbias" / "_data" / "vectors"
    inside.mkdir(parents=True)
    assert bundled_folder("vectors") == inside
    with pytest.raises(FileNotFoundError, match=r"lacks its folder 'nothing'; reinstall"):
        bundled_folder("nothing")


def test_folders_are_found_in_the_checkout_and_carried_by_the_wheel() -> None:
    project = CHECKOUT / "pyproject.toml"
    if not project.is_file():
        pytest.skip("not a checkout: there is no pyproject.toml")
    tool = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]
    included = tool["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for name in ("wordlists", "models", "vectors", "contexts", "docs"):
        assert included[name] == f"bayesbias/_data/{name}"
        assert bundled_folder(name) == CHECKOUT / name
