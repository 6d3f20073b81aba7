"""Says at the end how many files were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest import TerminalReporter  # noqa: PT013


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Add up what the tests recorded, in whatever process they ran."""
    reports = [each for key in ("passed", "failed") for each in terminalreporter.getreports(key)]
    tried = [value for each in reports for key, value in each.user_properties if key == "files"]
    if tried:
        terminalreporter.write_line(f"fuzz: {sum(tried):,} files over {len(tried)} readers")
