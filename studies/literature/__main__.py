"""``python -m studies.literature NAME [ARGUMENT...]``: print a frame of claims."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bayesbias._core.checks import unknown_name

from .registry import CLAIMS, ENTRIES


def main(arguments: Sequence[str]) -> None:
    """Print the claims of a function, or all commands if none is named."""
    if not arguments:
        print("\n".join(entry.command for entry in ENTRIES))
        return
    name, *rest = arguments
    if name not in CLAIMS:
        raise SystemExit(unknown_name("claim", name, CLAIMS))
    try:
        frame = CLAIMS[name](*rest)
    except (FileNotFoundError, ValueError) as error:
        raise SystemExit(str(error)) from None
    for row in frame.itertuples():
        verdict = "agrees" if row.agrees else "differs"
        print(f"{row.claim!s}: printed {row.printed}, recomputed {row.recomputed}: {verdict}")
        if row.cause and not row.agrees:
            print(f"    {row.cause!s}")


if __name__ == "__main__":
    main(sys.argv[1:])
