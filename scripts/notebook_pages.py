"""The notebooks as pages of the site, with the outputs that they keep: a hook of mkdocs.

Cells and outputs become Markdown and pictures; what needs a running notebook, such as sliders, is
left out with a word.
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

LEFT_OUT = "*Here are sliders, which need a running notebook.*"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every notebook, and its pictures."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        pictures: dict[str, bytes] = {}
        text = "\n\n".join(parts(nbformat.read(path, as_version=4), path.stem, pictures))
        contents: dict[str, str | bytes] = {f"{path.stem}.md": text + "\n", **pictures}
        for name, content in contents.items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    return files


def parts(notebook: nbformat.NotebookNode, stem: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """Yield cells and outputs as Markdown; what they show is put into ``pictures`` by name."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield re.sub(r"\]\(\.\./docs/", "](../", cell.source.replace(".ipynb)", ".md)"))
            continue
        yield f"```python\n{cell.source}\n```"
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{stem}-{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode(data["image/png"])
                yield f"![What the cell above draws]({name})"
            elif INTERACTIVE in data:
                yield LEFT_OUT
            elif "text/html" in data:
                yield shown("".join(data["text/html"]))
            elif text := "".join(output.get("text", "") or data.get("text/plain", "")):
                yield f"```text\n{text.rstrip()}\n```"


def shown(html: str) -> str:
    """Return a table of pandas without styles of its own, and in one block."""
    html = re.sub("<style.*?</style>", "", html, flags=re.DOTALL)
    html = html.replace(' border="1" class="dataframe"', "")
    return "\n".join(line for line in html.splitlines() if line.strip())
