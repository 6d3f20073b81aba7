"""An mkdocs hook that adds the notebooks to the site, with their saved outputs.

Cells and outputs become Markdown and pictures. Sliders need a running notebook, so only their
initial picture is shown.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

FOLDER = Path(__file__).parents[1] / "notebooks"

INTERACTIVE = "application/vnd.jupyter.widget-view+json"

STATES = "application/vnd.jupyter.widget-state+json"

LEFT_OUT = "*Sliders need a running notebook. This is their initial state:*"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every notebook, with its pictures."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        pictures: dict[str, bytes] = {}
        text = "\n\n".join(parts(nbformat.read(path, as_version=4), path.stem, pictures))
        contents: dict[str, str | bytes] = {f"{path.stem}.md": text + "\n", **pictures}
        for name, content in contents.items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    return files


def parts(notebook: nbformat.NotebookNode, stem: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """Yield cells and outputs as Markdown, and add their pictures to ``pictures`` by name."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield re.sub(r"\]\(\.\./docs/", "](../", cell.source.replace(".ipynb)", ".md)"))
            continue
        yield f"```python\n{cell.source}\n```"
        for output in [each for one in cell.get("outputs", []) for each in drawn(one, notebook)]:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{stem}-{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode(data["image/png"])
                yield f"![Output of the cell above]({name})"
            elif INTERACTIVE in data:
                yield LEFT_OUT  # the outputs of the widget follow
            elif "text/html" in data:
                yield shown("".join(data["text/html"]))
            elif text := "".join(output.get("text", "") or data.get("text/plain", "")):
                yield f"```text\n{text.rstrip()}\n```"


def shown(html: str) -> str:
    """Return a pandas table without inline styles, as one block."""
    html = re.sub("<style.*?</style>", "", html, flags=re.DOTALL)
    html = html.replace(' border="1" class="dataframe"', "")
    return "\n".join(line for line in html.splitlines() if line.strip())


def drawn(
    output: nbformat.NotebookNode, notebook: nbformat.NotebookNode
) -> Iterator[nbformat.NotebookNode]:
    """Yield an output and, for a widget, the outputs that it contains."""
    yield output
    if view := output.get("data", {}).get(INTERACTIVE):
        states = notebook.metadata["widgets"][STATES]["state"]
        for child in states[view["model_id"]]["state"].get("children", []):
            yield from states[child.removeprefix("IPY_MODEL_")]["state"].get("outputs", [])
