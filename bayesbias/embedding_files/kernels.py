"""Compiled loops over the bytes of embedding files and the rows of their vectors.

Every loop lets go of Python's lock, so that two threads can work side by side. They are compiled
when first used and kept on disk by numba. Import this module inside functions only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import njit

SPACE, NEWLINE, RETURN = 32, 10, 13
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _SMALL_E, _LARGE_E = 43, 45, 46, 48, 57, 101, 69

_LARGEST_MANTISSA = 1 << 53
"""Whole numbers up to here are exact in float64."""

_LARGEST_POWER = 22
"""Powers of ten up to here are exact in float64; one division or product then rounds as Python
does (Clinger, 1990, How to read floating point numbers accurately)."""

_POWERS = np.array([10.0**power for power in range(_LARGEST_POWER + 1)])

_FNV_BASIS, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""FNV-1a of 64 bits (Fowler, Noll and Vo)."""

_SHORTEST = float(np.finfo(np.float32).tiny)
"""Vectors whose length float32 cannot hold in full have no direction."""

_SMALL_SQUARE, _LARGE_SQUARE = np.float32(1e-20), np.float32(1e20)
"""Between these, sums of squares in float32 lose nothing to its range."""

_REORDER = {"reassoc", "contract", "nsz"}
"""Sums may be taken in several lanes at once; NaN and infinities keep their meaning."""


def _compiled[F: Callable[..., Any]](fastmath: object = False) -> Callable[[F], F]:
    """Compile a function when it is first called."""
    return cast("Callable[[F], F]", njit(cache=True, nogil=True, fastmath=fastmath))


@_compiled()
def hash_names(names: Any, out: Any) -> Any:  # noqa: ANN401
    """Hash newline-terminated words of (n_bytes,) uint8 into (n_words,) uint64.

    Returns
    -------
    words, position : int
        How many there were, as many as ``out`` holds at most, and where the last of them ends.
    """
    word, position, value = 0, 0, _FNV_BASIS
    for at in range(names.shape[0]):
        if word == out.shape[0]:
            break
        if names[at] == NEWLINE:
            out[word] = value
            word += 1
            position = at + 1
            value = _FNV_BASIS
        else:
            value = (value ^ np.uint64(names[at])) * _FNV_PRIME
    return word, position


@_compiled()
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


@_compiled()
def split_binary(  # noqa: PLR0917 - arrays in, arrays out
    buffer: Any,  # noqa: ANN401
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
    while taken < starts.shape[0]:
        space = position
        limit = min(stop, position + longest)
        while space < limit and buffer[space] == NEWLINE:  # some writers end entries with one
            space += 1
        at, value = n_names, _FNV_BASIS
        while space < limit and buffer[space] != SPACE:
            value = (value ^ np.uint64(buffer[space])) * _FNV_PRIME
            names[at] = buffer[space]
            at += 1
            space += 1
        if space == limit:
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


@_compiled()
def gather(numbers: Any, starts: Any, rows: Any) -> None:  # noqa: ANN401
    """Copy what begins at ``starts`` in (n_bytes,) uint8 into (n, n_row_bytes) uint8."""
    n_bytes = rows.shape[1]
    for r in range(starts.shape[0]):
        source, target = numbers[starts[r] : starts[r] + n_bytes], rows[r]
        for at in range(n_bytes):
            target[at] = source[at]


@_compiled()
def _parse_number(line: Any, start: Any, stop: Any) -> Any:  # noqa: ANN401
    """Parse a decimal number as Python's float does; tell whether that was possible here."""
    at, negative = start, False
    if at < stop and (line[at] == _MINUS or line[at] == _PLUS):
        negative = line[at] == _MINUS
        at += 1
    mantissa, power, digits = 0, 0, 0
    seen_point = False
    while at < stop:
        byte = line[at]
        if _ZERO <= byte <= _NINE:
            mantissa = 10 * mantissa + int(byte - _ZERO)
            digits += 1
            power -= seen_point
            if mantissa > _LARGEST_MANTISSA:
                return 0.0, False
        elif byte == _POINT and not seen_point:
            seen_point = True
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, False
    if at < stop and (line[at] == _SMALL_E or line[at] == _LARGE_E):
        at += 1
        down = at < stop and line[at] == _MINUS
        if at < stop and (line[at] == _MINUS or line[at] == _PLUS):
            at += 1
        exponent, first = 0, at
        while at < stop and _ZERO <= line[at] <= _NINE and exponent < 1000:
            exponent = 10 * exponent + int(line[at] - _ZERO)
            at += 1
        if at == first:
            return 0.0, False
        power += -exponent if down else exponent
    if at != stop or abs(power) > _LARGEST_POWER:
        return 0.0, False
    value = mantissa / _POWERS[-power] if power < 0 else mantissa * _POWERS[power]
    return -value if negative else value, True


@_compiled()
def split_text(buffer: Any, rows: Any, names: Any) -> Any:  # noqa: ANN401
    """Parse whole plain lines, a word and its numbers with single spaces between, from the front.

    Parameters
    ----------
    buffer : (n_bytes,) uint8
    rows : (n_rows, n_dims) float32
        Gets the numbers; as many lines are taken as it holds.
    names : (n_bytes,) uint8
        Gets the words, each with a newline behind it; as long as the buffer or longer.

    Returns
    -------
    position : int
        Where the first line not taken begins.
    taken, n_names, lines : int
        Lines with a word, bytes of names, and all lines, blank ones as well.
    odd : bool
        Whether the line at `position` is whole but not plain, so that it is to be read with care.
    """
    stop, n_dims = buffer.shape[0], rows.shape[1]
    position, taken, n_names, lines = 0, 0, 0, 0
    while taken < rows.shape[0]:
        end = position
        while end < stop and buffer[end] != NEWLINE:
            end += 1
        if end == stop:
            break
        last = end
        while last > position and (buffer[last - 1] == SPACE or buffer[last - 1] == RETURN):
            last -= 1
        if last > position:
            cut = position
            while cut < last and buffer[cut] != SPACE:
                cut += 1
            at = cut
            for column in range(n_dims):
                start = at + 1
                at = start
                while at < last and buffer[at] != SPACE:
                    at += 1
                value, plain = _parse_number(buffer, start, at)
                if not plain:
                    return position, taken, n_names, lines, True
                rows[taken, column] = value
            if at != last:
                return position, taken, n_names, lines, True
            for index in range(position, cut):
                names[n_names] = buffer[index]
                n_names += 1
            names[n_names] = NEWLINE
            n_names += 1
            taken += 1
        lines += 1
        position = end + 1
    return position, taken, n_names, lines, False


@_compiled()
def _scaled(vector: Any, row: Any) -> None:  # noqa: ANN401
    """Bring a vector to unit length with float64's range; NaN if it has no direction."""
    square = 0.0
    for d in range(vector.shape[0]):
        square += np.float64(vector[d]) * np.float64(vector[d])
    # Comparisons with NaN are false, so that it counts as no length.
    there = _SHORTEST * _SHORTEST < square < np.inf
    scale = 1.0 / np.sqrt(square) if there else np.nan
    for d in range(vector.shape[0]):
        row[d] = vector[d] * scale


@_compiled(_REORDER)
def project(numbers: Any, starts: Any, n_dims: Any, directions: Any, out: Any) -> None:  # noqa: ANN401
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
    out : (n_rows, n) float64
        Of the first n_rows directions; NaN for vectors that are all zeros, not finite, or shorter
        than `_SHORTEST`.
    """
    n, n_bytes = starts.shape[0], 4 * n_dims
    rows = np.zeros((4, directions.shape[1]), np.float32)
    p, q, s, t = rows[0], rows[1], rows[2], rows[3]
    squares, scales = np.empty(4, np.float32), np.empty(4, np.float32)
    for r in range(0, n, 4):
        for i in range(4):  # past the end, the last vector once more
            start = starts[min(r + i, n - 1)]
            vector, row = numbers[start : start + n_bytes].view(np.float32), rows[i]
            square = np.float32(0.0)
            for d in range(n_dims):
                row[d] = vector[d]
                square += vector[d] * vector[d]
            squares[i] = square
        for i in range(4):
            if _SMALL_SQUARE < squares[i] < _LARGE_SQUARE:
                scales[i] = np.float32(1.0) / np.sqrt(squares[i])
            else:
                start = starts[min(r + i, n - 1)]
                _scaled(numbers[start : start + n_bytes].view(np.float32), rows[i])
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
            of_p, of_q = (p0, p1, p2, p3, p4), (q0, q1, q2, q3, q4)
            of_s, of_t = (s0, s1, s2, s3, s4), (t0, t1, t2, t3, t4)
            sums = (of_p, of_q, of_s, of_t)
            for i in range(min(4, n - r)):
                for j in range(min(5, out.shape[0] - k)):
                    out[k + j, r + i] = sums[i][j] * scales[i]
