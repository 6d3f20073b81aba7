"""Limits on processor time and memory for reading files from other people."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 10.0
"""Seconds of processor time allowed per file; intact files take milliseconds."""

MEMORY = 2 << 30
"""Bytes of address space that a reader may use in addition to those of the process."""


class Hangs(BaseException):
    """A reader did not return in time."""


@contextmanager
def within_limits(memory: int = MEMORY, longest: float = LONGEST) -> Iterator[None]:
    """Make code fail if it uses more memory or processor time."""

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
