"""What every page of a report has: templates, script and style."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from .sentences import number

if TYPE_CHECKING:
    from jinja2 import Environment


def page_parts(environment: Environment) -> dict[str, Any]:
    """Give script and style of every page; a browser runs only the script with this digest."""
    from markupsafe import Markup

    sources = {}
    for name in ("page.css", "page.js"):
        sources[name], _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
    digest = base64.b64encode(hashlib.sha256(sources["page.js"].encode()).digest()).decode()
    return {
        "style": Markup(sources["page.css"]),
        "script": Markup(sources["page.js"]),
        "script_digest": digest,
    }


def environment_of_templates() -> Environment:
    """Give the environment that templates are rendered in: all they show is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesbias", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    return environment
