"""A page printed by a browser that is there, without a window and without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that print a page by ``--print-to-pdf``."""

LONGEST = 120.0
"""Seconds after which a browser is taken to hang."""


def require_browser() -> str:
    """Return the path of a browser that prints pages.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError(
        "a PDF is printed by Chromium or Chrome, and none is on the path; install one, or open "
        "report.html in any browser and print it"
    )


def print_pdf(page: Path, to: Path) -> None:
    """Print a page of ours, which needs no network, to a PDF.

    Raises
    ------
    OSError
        If the browser fails; the message holds the end of what it said.
    """
    with tempfile.TemporaryDirectory(prefix="bayesbias-print-") as profile:
        options = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-extensions", "--no-pdf-header-footer",
            f"--user-data-dir={profile}", f"--print-to-pdf={to.absolute()}",
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # which Chromium has not for root
        try:
            run = subprocess.run(
                [require_browser(), *options, page.absolute().as_uri()],
                capture_output=True, text=True, timeout=LONGEST, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise OSError(f"the browser did not print {page.name} in {LONGEST:g} s") from None
    if run.returncode or not to.is_file():
        raise OSError(f"the browser could not print {page.name}: {run.stderr.strip()[-200:]}")
