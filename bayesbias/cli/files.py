"""`bayesbias convert`, `bayesbias docs`, `bayesbias check-limits`: commands of a single file."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path
from typing import Any

from . import options
from .options import AllowPickle, Force
from .screen import SCREEN, Screen

FIRST = "first-report"
"""The page of the documentation to start with."""


def convert(
    source: str,
    folder: Path,
    /,
    *,
    allow_pickle: AllowPickle = False,
    force: Force = False,
    screen: Screen = SCREEN,
) -> None:
    """Convert an embedding into a folder of vectors and words, which is read fastest.

    Single words of the folder are read through a memory map, and all of them without any parsing.
    Any command takes the folder as `--vectors FOLDER`. The source is read in chunks, in little
    memory. Of words that stand twice the first is kept.

    Example: `bayesbias convert glove.6B.300d.txt glove6b`

    Parameters
    ----------
    source : str
        An embedding, as for --vectors elsewhere.
    folder : Path
        The folder to make.
    """
    from ..embeddings.convert import convert_vectors

    count, n_dims = convert_vectors(
        source,
        folder,
        force=force,
        allow_pickle=allow_pickle,
        progressbar=not screen.quiet,
    )
    screen.say(
        f"{folder}: {count:,} words of {n_dims} dimensions.",
        f"Read it with `--vectors {folder}`, or bb.load_vectors({str(folder)!r}).",
    )


def docs(page: str = "", /, *, screen: Screen = SCREEN) -> None:
    """Print a page of the documentation as Markdown; the lesson opens in a browser.

    Examples: `bayesbias docs`, `bayesbias docs reading`, `bayesbias docs lesson`

    Parameters
    ----------
    page : str
        Name of a page; without one all pages are listed.
    """
    from .._core.checks import unknown_name

    known = pages()
    if not page:
        heading = re.compile(r"^(?:# |<h1>)(.+?)(?:</h1>)?$", re.MULTILINE)
        titles = {name: heading.search(path.read_text("utf-8")) for name, path in known.items()}
        rows = [[name, title[1] if title else name] for name, title in titles.items()]
        screen.say(f"Start here: `bayesbias docs {FIRST}`.")
        screen.table("Pages of the documentation", ["page|", "title"], rows)
    elif page not in known:
        raise ValueError(unknown_name("page", page, list(known)))
    elif known[page].suffix == ".md":
        screen.say(text_of(known[page]))
    else:
        screen.say(str(known[page]))
        webbrowser.open(known[page].as_uri())


def pages() -> dict[str, Path]:
    """Return the pages of the documentation by name."""
    from .._core.resources import bundled_folder

    paths = sorted(bundled_folder("docs").iterdir())
    return {path.stem: path for path in paths if path.suffix in {".md", ".html"}}


def text_of(page: Path) -> str:
    """Return the Markdown of a page, with the tables that it includes as mkdocs' snippets do."""

    def section(include: re.Match[str]) -> str:
        text = (page.parent / "tables" / include[1]).read_text(encoding="utf-8")
        start, end = (f"<!-- --8<-- [{edge}:{include[2]}] -->\n" for edge in ("start", "end"))
        return text[text.index(start) + len(start) : text.index(end)].strip()

    snippet = r'^--8<-- "docs/tables/(.+):(.+)"$'
    return re.sub(snippet, section, page.read_text(encoding="utf-8"), flags=re.MULTILINE)


def check_limits(run: Path, limits: Path, /, *, screen: Screen = SCREEN) -> int:
    """Check whether the intervals of a run lie within limits, for use in continuous integration.

    Example: `bayesbias check-limits religion limits.toml`, with a limits.toml such as

    ```toml
    ci_prob = 0.89          # of the intervals; may be left out

    [limits]                # differences and sums as in bb.hypothesis
    "associated - different" = [-0.10, 0.10]
    "muslim: associated - different" = [-0.15, 0.15]
    ```

    Exit code 1 if an interval leaves its limits, 0 if none does.

    Parameters
    ----------
    run : Path
        A folder that `bayesbias run` wrote, or a posterior's .nc.
    limits : Path
        A .toml file.
    """
    from ..model.posterior_files import load_posterior
    from ..posterior.hypothesis import hypothesis
    from ..workflows.output import lead_posterior

    stated, ci_prob = load_limits(limits)
    posterior = load_posterior(lead_posterior(run) if run.is_dir() else run)
    frame = hypothesis(posterior, *(f"{name} > 0" for name in stated), ci_prob=ci_prob)
    outside = 0
    for (name, (low, high)), row in zip(stated.items(), frame.to_dict("records"), strict=True):
        holds = low <= row["low"] and row["high"] <= high
        outside += not holds
        screen.say(
            f"{'inside' if holds else 'OUTSIDE'}: {name} {row['mean']:.3f} "
            f"({row['low']:.3f} to {row['high']:.3f}), limits {low:g} to {high:g}"
        )
    screen.say(f"{outside} of {len(frame)} intervals leave their limits.")
    return options.FAILED if outside else 0


def load_limits(path: Path) -> tuple[dict[str, tuple[float, float]], float]:
    """Read the two ends by the sum that they are of, and the probability of the intervals."""
    from .._core.checks import unknown_name
    from .._core.intervals import DEFAULT_CI_PROB, check_probability
    from .._core.reading import located, parse_toml, read_text

    if not path.is_file():
        raise FileNotFoundError(f"no limits at {path}")

    def ends(name: str, value: Any) -> tuple[float, float]:  # noqa: ANN401
        match value:
            case [int() | float() as low, int() | float() as high] if low < high:
                return float(low), float(high)
        raise ValueError(f"{name!r} must be two numbers, the smaller first; got {value!r}")

    with located(path):
        content = parse_toml(read_text(path), "limits")
        for key in content:
            if key not in {"ci_prob", "limits"}:
                raise ValueError(unknown_name("key", key, ["ci_prob", "limits"]))
        stated, ci_prob = content.get("limits"), content.get("ci_prob", DEFAULT_CI_PROB)
        if not isinstance(stated, dict) or not stated:
            raise ValueError('no [limits], such as "associated - different" = [-0.1, 0.1]')
        if not isinstance(ci_prob, float):
            raise ValueError(f"ci_prob must be a number in (0, 1); got {ci_prob!r}")
        check_probability(ci_prob)
        return {name: ends(name, value) for name, value in stated.items()}, ci_prob
