"""What `import bayesbias as bb` offers: public names, and no others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest
from xarray import DataTree

import bayesbias as bb


def test_dir_shows_public_names_only() -> None:
    code = (
        "import bayesbias as bb, bayesbias.model.spec; bb.load_wordlist;"
        "print(*(name for name in dir(bb) if not name.startswith('__')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == set(bb.__all__) - {"__version__"}
    assert bb.__version__ == version("bayesbias")


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: bb.plots.forest(DataTree()), r"draws a frame, not a DataTree; pass bb\.summary\("),
    (lambda: bb.debias.hard({"she": [1.0]}, [("she", "he")]), r"bb\.debias\.DefiningSets\(\[\("),
    (
        lambda: bb.load_model("crossed").with_priors({"attribute_sd": {"dist": "normal"}}),
        r"such as \{'family': 'exponential', 'rate': 10\}; got \{'dist'",
    ),
    (lambda: bb.predict_words(5), "a posterior from bb.fit or bb.fit_change is needed"),
    (lambda: bb.analyze("weat7", "glove-demo"), "vectors come first, then the list"),
]


def test_mistakes_are_named_with_what_to_pass_instead() -> None:
    for call, message in WRONG:
        with pytest.raises((TypeError, ValueError), match=message):
            call()


def test_every_public_name_is_there() -> None:
    assert all(getattr(bb, name) is not None for name in bb.__all__)
