"""What a format reads from: a path with the caller's options, or vectors that are loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from .._core.packing import opened, parts_of
from .._core.progress import progress_bar

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

Tick = Callable[[], object]
"""What a reader calls now and then, so that the progress bar moves on."""

SLOW_SIZE = 1 << 26
"""Bytes; smaller files are read before a bar would be of use."""


@dataclass(eq=False)
class Source:
    """An embedding that is about to be read.

    ``path`` is of a file or folder, `allow_pickle` and `progressbar` are as for `load_vectors`, and
    ``loaded`` are the vectors, once they are in memory.
    """

    path: Path
    allow_pickle: bool = False
    progressbar: bool = True
    loaded: KeyedVectors | None = None

    @contextmanager
    def stream(self) -> Iterator[tuple[IO[bytes], Tick]]:
        """Open the file, unpacked as it is read, under a progress bar if it is large."""
        size = parts_of(self.path)[0].stat().st_size
        if size == 0:
            raise ValueError(f"{self.path} is empty")
        shown = None if self.progressbar and size >= SLOW_SIZE else False
        with (
            progress_bar(f"reading {self.path.name}", size, shown=shown, in_bytes=True) as update,
            opened(self.path) as (raw, stream, _),
        ):
            yield stream, lambda: update(raw.tell())

    def vectors(self, read: Callable[[Source], KeyedVectors]) -> KeyedVectors:
        """Return all vectors of a format that is loaded whole; they are read once."""
        if self.loaded is None:
            self.loaded = read(self)
        return self.loaded
