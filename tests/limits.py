"""Bounds of processor time and memory, which whatever is read from others has to keep."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 10.0
"""Seconds of processor time that one file may take; sound ones take milliseconds."""

MEMORY = 2 << 30
"""Bytes of address space a reader may ask for besides what the process has already."""


class Hangs(BaseException):
    """A reader did not come back."""


@contextmanager
def within_limits(memory: int = MEMORY, longest: float = LONGEST) -> Iterator[None]:
    """Let what asks for more memory or processor time fail."""

    def stop(*_: object) -> None:
        raise Hangs(f"a reader took longer than {longest} s")

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, before[1]))
    handler = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, longest)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)
