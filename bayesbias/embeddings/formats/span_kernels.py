"""Compiled loops over whole entries of a file, and those that also read the file themselves.

Python has no part in the latter, so that threads never wait for its lock, and what is read stays
in a processor's own cache until it is used. They stand where there is `os.pread`, and all of them
in one module, since numba keeps what it has compiled until the module changes. Import it inside
functions only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from .kernels import FNV_BASIS, FNV_PRIME, NEWLINE, RETURN, SPACE, compiled

_SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""

_SMALL_SQUARE, _LARGE_SQUARE = np.float32(1e-20), np.float32(1e20)
"""Between these, sums of squares in float32 lose nothing to its range."""

_REORDER = {"reassoc", "contract", "nsz"}
"""Sums may be taken in several lanes at once; NaN and infinities keep their meaning."""

_pread = types.ExternalFunction(
    "pread", types.intp(types.intc, types.voidptr, types.uintp, types.int64)
)
"""Of the C library (POSIX.1-2001): file, memory, number of bytes, place in the file."""


@compiled()
def find_hashes(hashes: Any, table: Any, rows: Any) -> Any:  # noqa: ANN401
    """Put the rows of hashes that stand in a table into ``rows``, and give their number.

    The table, (2**k,) uint64, holds hashes with their last bit set, each at the place that its
    own last k bits name or behind it, before the next 0.
    """
    last, found = np.uint64(table.shape[0] - 1), 0
    for row in range(hashes.shape[0]):
        value = hashes[row] | np.uint64(1)
        place = value & last
        while table[place] != 0:
            if table[place] == value:
                rows[found] = row
                found += 1
                break
            place = (place + np.uint64(1)) & last
    return found


@compiled()
def split_binary(  # noqa: PLR0917 - arrays in, arrays out
    buffer: Any,  # noqa: ANN401
    limit: Any,  # noqa: ANN401
    n_bytes: Any,  # noqa: ANN401
    longest: Any,  # noqa: ANN401
    starts: Any,  # noqa: ANN401
    hashes: Any,  # noqa: ANN401
    names: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Find whole entries of word2vec's binary format at the front of a buffer.

    Parameters
    ----------
    buffer : (n,) uint8
    limit : int
        Place before which an entry has to begin to be taken.
    n_bytes, longest : int
        Bytes of a vector, and bytes that a word may have.
    starts : (n_rows,) int64
        Gets the places where vectors begin; as many entries are taken as it holds.
    hashes : (n_rows,) uint64
        Gets the words' hashes, as `hash_names` makes them.
    names : (n,) uint8
        Gets the words, each with a newline behind it; as long as the buffer or longer.

    Returns
    -------
    position : int
        Where the first entry not taken begins.
    taken, n_names : int
        Entries, and bytes of names.
    lost : bool
        Whether no word ends where one should.
    """
    stop = buffer.shape[0]
    position, taken, n_names = 0, 0, 0
    while taken < starts.shape[0] and position < limit:
        space = position
        last = min(stop, position + longest)
        while space < last and buffer[space] == NEWLINE:  # some writers end entries with one
            space += 1
        at, value = n_names, FNV_BASIS
        while space < last and buffer[space] != SPACE:
            value = (value ^ np.uint64(buffer[space])) * FNV_PRIME
            names[at] = buffer[space]
            at += 1
            space += 1
        if space == last:
            return position, taken, n_names, stop - position >= longest
        end = space + 1 + n_bytes
        if end > stop:
            break
        names[at] = NEWLINE
        n_names = at + 1
        starts[taken], hashes[taken] = space + 1, value
        position = end
        taken += 1
    return position, taken, n_names, False


@compiled()
def _scaled(row: Any) -> None:  # noqa: ANN401
    """Bring a vector to unit length with float64's range; NaN if it has no direction."""
    square = 0.0
    for d in range(row.shape[0]):
        square += np.float64(row[d]) * np.float64(row[d])
    # Comparisons with NaN are false, so that it counts as no length.
    there = _SHORTEST * _SHORTEST < square < np.inf
    scale = 1.0 / np.sqrt(square) if there else np.nan
    for d in range(row.shape[0]):
        row[d] = row[d] * scale


@compiled(_REORDER)
def project(  # noqa: PLR0912, PLR0915, PLR0917 - one loop, written out
    numbers: Any,  # noqa: ANN401
    starts: Any,  # noqa: ANN401
    n_dims: Any,  # noqa: ANN401
    directions: Any,  # noqa: ANN401
    out: Any,  # noqa: ANN401
    column: Any,  # noqa: ANN401
) -> None:
    """Products of every vector, brought to unit length, with every direction.

    They are taken in float32, as which the vectors come: that is twice as fast as float64, and off
    by less than 3e-7 times the length of a direction. Four vectors and five directions go at a
    time, which keeps the processor's registers full; the sums of a vector are taken in one order,
    wherever in a block it stands.

    Parameters
    ----------
    numbers : (n_bytes,) uint8
    starts : (n,) int64
        Where float32 vectors of ``n_dims`` begin in it.
    directions : (5 * m, 16 * k) float32
        Padded with zeros to these multiples, so that no product is left over for a slow loop;
        ``16 * k`` is n_dims or more.
    out : (n_rows, m) float32
        Gets, from a column on, products with the first n_rows directions; NaN for vectors that are
        all zeros, not finite, or shorter than `_SHORTEST`.
    """
    n, n_bytes, width = starts.shape[0], 4 * n_dims, directions.shape[1]
    rows = np.zeros((4, width), np.float32)
    letters = rows.view(np.uint8)
    p, q, s, t = rows[0], rows[1], rows[2], rows[3]
    sums = np.empty((directions.shape[0], 4), np.float32)
    squares, scales = np.empty(4, np.float32), np.empty(4, np.float32)
    for r in range(0, n, 4):
        for i in range(4):  # past the end, the last vector once more
            start = starts[min(r + i, n - 1)]
            vector = numbers[start : start + n_bytes]
            for at in range(n_bytes):
                letters[i, at] = vector[at]
        of_p = of_q = of_s = of_t = np.float32(0.0)
        for d in range(width):
            of_p += p[d] * p[d]
            of_q += q[d] * q[d]
            of_s += s[d] * s[d]
            of_t += t[d] * t[d]
        squares[0], squares[1], squares[2], squares[3] = of_p, of_q, of_s, of_t
        in_range = True
        for i in range(4):
            in_range = in_range and _SMALL_SQUARE < squares[i] < _LARGE_SQUARE
            scales[i] = np.float32(1.0) / np.sqrt(squares[i])
        if not in_range:
            for i in range(4):
                if not _SMALL_SQUARE < squares[i] < _LARGE_SQUARE:
                    _scaled(rows[i, :n_dims])
                    scales[i] = 1.0
        for k in range(0, directions.shape[0], 5):
            d0, d1, d2 = directions[k], directions[k + 1], directions[k + 2]
            d3, d4 = directions[k + 3], directions[k + 4]
            p0 = p1 = p2 = p3 = p4 = np.float32(0.0)
            q0 = q1 = q2 = q3 = q4 = np.float32(0.0)
            s0 = s1 = s2 = s3 = s4 = np.float32(0.0)
            t0 = t1 = t2 = t3 = t4 = np.float32(0.0)
            for d in range(directions.shape[1]):
                a, b, c, e, f = d0[d], d1[d], d2[d], d3[d], d4[d]
                p0 += p[d] * a
                p1 += p[d] * b
                p2 += p[d] * c
                p3 += p[d] * e
                p4 += p[d] * f
                q0 += q[d] * a
                q1 += q[d] * b
                q2 += q[d] * c
                q3 += q[d] * e
                q4 += q[d] * f
                s0 += s[d] * a
                s1 += s[d] * b
                s2 += s[d] * c
                s3 += s[d] * e
                s4 += s[d] * f
                t0 += t[d] * a
                t1 += t[d] * b
                t2 += t[d] * c
                t3 += t[d] * e
                t4 += t[d] * f
            sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3] = p0, q0, s0, t0
            sums[k + 1, 0], sums[k + 1, 1], sums[k + 1, 2], sums[k + 1, 3] = p1, q1, s1, t1
            sums[k + 2, 0], sums[k + 2, 1], sums[k + 2, 2], sums[k + 2, 3] = p2, q2, s2, t2
            sums[k + 3, 0], sums[k + 3, 1], sums[k + 3, 2], sums[k + 3, 3] = p3, q3, s3, t3
            sums[k + 4, 0], sums[k + 4, 1], sums[k + 4, 2], sums[k + 4, 3] = p4, q4, s4, t4
        if r + 4 <= n:
            for j in range(out.shape[0]):
                for i in range(4):
                    out[j, column + r + i] = sums[j, i] * scales[i]
        else:
            for j in range(out.shape[0]):
                for i in range(n - r):
                    out[j, column + r + i] = sums[j, i] * scales[i]


@compiled()
def _fill(file: Any, place: Any, buffer: Any, filled: Any) -> Any:  # noqa: ANN401
    """Read on behind what a buffer holds; give how far it is filled, less than 0 on an error."""
    while filled < buffer.shape[0]:
        got = _pread(file, buffer.ctypes.data + filled, buffer.shape[0] - filled, place + filled)
        if got < 0:
            return got
        if got == 0:
            break
        filled += got
    return filled


@compiled()
def _to_front(buffer: Any, used: Any, filled: Any) -> Any:  # noqa: ANN401
    """Move what has not been used of a buffer to its front; give how much that is."""
    left = filled - used
    for at in range(left):
        buffer[at] = buffer[used + at]
    return left


@compiled()
def look_at_binary(  # noqa: PLR0917 - arrays in, arrays out
    file: Any,  # noqa: ANN401
    begin: Any,  # noqa: ANN401
    start: Any,  # noqa: ANN401
    stop: Any,  # noqa: ANN401
    longest: Any,  # noqa: ANN401
    table: Any,  # noqa: ANN401
    directions: Any,  # noqa: ANN401
    buffer: Any,  # noqa: ANN401
    scratch: Any,  # noqa: ANN401
    hashes: Any,  # noqa: ANN401
    names: Any,  # noqa: ANN401
    products: Any,  # noqa: ANN401
    rows: Any,  # noqa: ANN401
    vectors: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Do with the entries of a stretch what `split_binary`, `find_hashes` and `project` do.

    Who begins anywhere in a file, looks for a space and steps over the length of a vector, again
    and again, comes to step from word to word: within vectors, each step ends a little later than
    the one before it, or earlier, until it meets a word, and with it the space behind that.

    Parameters
    ----------
    file : int
        Descriptor.
    begin : int
        Where to begin to step: well before the start, or at the start if an entry begins there.
    start, stop : int
        Entries that begin from here on, and before there, are taken.
    longest : int
        Bytes that a word may have.
    table, directions : arrays
        As for `find_hashes` and `project`.
    buffer : (n_bytes,) uint8
        Room for what is read at a time, for one of the longest entries or more.
    scratch : (2, m) int64
        For as many entries as the buffer may hold.
    hashes, names, products : arrays
        Get what `split_binary` and `project` give of all entries.
    rows, vectors : (k,) int64, (k, n_dims) float32
        Get the rows of the words that have a hash of the table, and their vectors.

    Returns
    -------
    first, place : int
        Where the first entry begins, and the last one ends.
    done, n_names, found : int
        Entries, bytes of names, and rows.
    whole : bool
        Whether all could be read, each word ends and holds no line break, the last entry is whole,
        and there was room for all words and rows. Else nothing is to be used.
    """
    n_dims = vectors.shape[1]
    n_bytes = 4 * n_dims
    starts, here = scratch[0], scratch[1]
    place, filled = begin, 0
    while place < start:
        filled = _fill(file, place, buffer, filled)
        if filled < 0:
            return place, place, 0, 0, 0, False
        used, taken, _, lost = split_binary(
            buffer[:filled], start - place, n_bytes, longest, starts, here.view(np.uint64), names
        )
        if lost or taken == 0:
            return place, place, 0, 0, 0, False
        place, filled = place + used, _to_front(buffer, used, filled)
    first, done, n_names, found = place, 0, 0, 0
    while place < stop:
        end = max(filled, min(buffer.shape[0], stop - place + longest + 1 + n_bytes))
        filled = _fill(file, place, buffer[:end], filled)
        if filled < 0 or names.shape[0] - n_names < filled:
            return first, place, done, n_names, found, False
        most = min(starts.shape[0], hashes.shape[0] - done)
        used, taken, letters, lost = split_binary(
            buffer[:filled],
            stop - place,
            n_bytes,
            longest,
            starts[:most],
            hashes[done:],
            names[n_names:],
        )
        n_here = find_hashes(hashes[done : done + taken], table, here)
        if lost or found + n_here > rows.shape[0]:
            return first, place, done, n_names, found, False
        if taken == 0:
            break
        project(buffer, starts[:taken], n_dims, directions, products, done)
        for at in range(n_here):
            start = starts[here[at]]
            vectors[found + at, :] = buffer[start : start + n_bytes].view(vectors.dtype)
            rows[found + at] = done + here[at]
        place, done, n_names, found = place + used, done + taken, n_names + letters, found + n_here
        filled = _to_front(buffer, used, filled)
    lines = 0
    for at in range(n_names):
        lines += names[at] == NEWLINE
    whole = lines == done
    if place < stop:  # the file has ended, with nothing but line breaks behind the last entry
        for at in range(filled):
            whole = whole and (buffer[at] == NEWLINE or buffer[at] == RETURN)
    return first, place, done, n_names, found, whole


@compiled()
def look_at_rows(  # noqa: PLR0917 - arrays in, arrays out
    file: Any,  # noqa: ANN401
    place: Any,  # noqa: ANN401
    directions: Any,  # noqa: ANN401
    buffer: Any,  # noqa: ANN401
    starts: Any,  # noqa: ANN401
    products: Any,  # noqa: ANN401
    rows: Any,  # noqa: ANN401
    vectors: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Take the products of vectors that follow each other in a file; see `look_at_binary`.

    Parameters
    ----------
    place : int
        Where the first of the vectors begins.
    buffer : (m * 4 * n_dims,) uint8
    starts : (m,) int64
        Where vectors begin in the buffer.
    rows, vectors : (k,) int64, (k, n_dims) float32
        Some rows, in order; gets their vectors.

    Returns
    -------
    bool
        Whether all could be read.
    """
    n_dims, count = vectors.shape[1], products.shape[1]
    n_bytes, found = 4 * n_dims, 0
    for first in range(0, count, starts.shape[0]):
        n = min(starts.shape[0], count - first)
        if _fill(file, place + first * n_bytes, buffer[: n * n_bytes], 0) < n * n_bytes:
            return False
        project(buffer, starts[:n], n_dims, directions, products, first)
        while found < rows.shape[0] and rows[found] < first + n:
            start = starts[rows[found] - first]
            vectors[found, :] = buffer[start : start + n_bytes].view(vectors.dtype)
            found += 1
    return True
