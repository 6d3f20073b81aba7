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

FNV_BASIS, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
"""FNV-1a of 64 bits (Fowler, Noll and Vo)."""


_SMALL_SQUARE, _LARGE_SQUARE = np.float32(1e-20), np.float32(1e20)
"""Between these, sums of squares in float32 lose nothing to its range."""

REORDER = {"reassoc", "contract", "nsz"}
"""Sums may be taken in several lanes at once; NaN and infinities keep their meaning."""


def compiled[F: Callable[..., Any]](fastmath: object = False) -> Callable[[F], F]:
    """Compile a function when it is first called; divisions by zero are those of IEEE 754."""
    return cast(
        "Callable[[F], F]", njit(cache=True, nogil=True, fastmath=fastmath, error_model="numpy")
    )


@compiled()
def hash_names(names: Any, out: Any) -> None:  # noqa: ANN401
    """Hash newline-terminated words of (n_bytes,) uint8 into (n_words,) uint64."""
    word, value = 0, FNV_BASIS
    for at in range(names.shape[0]):
        if names[at] == NEWLINE:
            out[word] = value
            word += 1
            value = FNV_BASIS
        else:
            value = (value ^ np.uint64(names[at])) * FNV_PRIME


@compiled()
def find_hashes(hashes: Any, table: Any, rows: Any, keep: Any) -> Any:  # noqa: ANN401
    """Write the rows of hashes that stand in a table into ``rows``, and return their number.

    The table, (2**k,) uint64, begins as zeros and always has more slots than hashes, whose last
    bit is set in it. If ``keep``, those that are not there are put in.
    """
    last, found = np.uint64(table.shape[0] - 1), 0
    for row in range(hashes.shape[0]):
        value = hashes[row] | np.uint64(1)
        slot = (value >> np.uint64(1)) & last
        while table[slot] != 0 and table[slot] != value:
            slot = (slot + np.uint64(1)) & last
        if table[slot] == value:
            rows[found] = row
            found += 1
        elif keep:
            table[slot] = value
    return found


@compiled()
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


@compiled()
def split_text(buffer: Any, rows: Any, names: Any) -> Any:  # noqa: ANN401
    """Parse plain lines, a word and its numbers with single spaces between, from the front.

    Fills the (n_rows, n_dims) float32 ``rows``, and ``names``, which has as many bytes as the
    buffer or more, with the words and a newline behind each. Returns where the first line not
    taken begins; numbers of lines with a word, of bytes of names, and of all lines; and whether
    the line that it stopped at is whole but not plain, so that it is to be read with care.
    """
    stop, n_dims = buffer.shape[0], rows.shape[1]
    offset, taken, n_names, lines = 0, 0, 0, 0
    while taken < rows.shape[0]:
        end = offset
        while end < stop and buffer[end] != NEWLINE:
            end += 1
        if end == stop:
            break
        last = end
        while last > offset and (buffer[last - 1] == SPACE or buffer[last - 1] == RETURN):
            last -= 1
        if last > offset:
            cut = offset
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
                    return offset, taken, n_names, lines, True
                rows[taken, column] = value
            if at != last:
                return offset, taken, n_names, lines, True
            for index in range(offset, cut):
                names[n_names] = buffer[index]
                n_names += 1
            names[n_names] = NEWLINE
            n_names += 1
            taken += 1
        lines += 1
        offset = end + 1
    return offset, taken, n_names, lines, False


@compiled()
def split_binary(buffer: Any, longest: Any, rows: Any, names: Any) -> Any:  # noqa: ANN401
    """Copy whole entries of word2vec's binary format from the front of a buffer.

    Fills the (n_rows, n_bytes) uint8 ``rows``, and ``names`` as `split_text` does; a word may have
    ``longest`` bytes. Returns where the first entry not taken begins; numbers of entries and of
    bytes of names; and whether no word ends where one should.
    """
    stop, n_bytes = buffer.shape[0], rows.shape[1]
    offset, taken, n_names = 0, 0, 0
    while taken < rows.shape[0]:
        space = offset
        last = min(stop, offset + longest)
        while space < last and buffer[space] == NEWLINE:  # some writers end entries with one
            space += 1
        at = n_names
        while space < last and buffer[space] != SPACE:
            names[at] = buffer[space]
            at += 1
            space += 1
        if space == last:
            return offset, taken, n_names, stop - offset >= longest
        offset_of_next = space + 1 + n_bytes
        if offset_of_next > stop:
            break
        names[at] = NEWLINE
        n_names = at + 1
        vector, row = buffer[space + 1 : offset_of_next], rows[taken]
        for byte in range(n_bytes):
            row[byte] = vector[byte]
        offset = offset_of_next
        taken += 1
    return offset, taken, n_names, False


@compiled()
def _scale(square: Any) -> Any:  # noqa: ANN401
    """Compute what brings a vector to unit length from the square of its length."""
    if _SMALL_SQUARE < square < _LARGE_SQUARE:
        return np.float32(1.0) / np.sqrt(square)
    return np.float32(np.nan)


@compiled(REORDER)
def project(vectors: Any, directions: Any, out: Any) -> None:  # noqa: ANN401
    """Compute products of vectors, brought to unit length, and directions; all are float32.

    Two of the (n, n_dims) vectors and five of the (5 * m, n_dims) directions go at a time, which
    keeps the processor's registers full. ``out``, (5 * m, n), gets NaN where the square of a
    vector's length leaves the range of float32.
    """
    n, n_dims = vectors.shape
    for row in range(0, n, 2):
        other = min(row + 1, n - 1)  # past the end, the last vector once more
        v, w = vectors[row], vectors[other]
        of_v = of_w = np.float32(0.0)
        for d in range(n_dims):
            of_v += v[d] * v[d]
            of_w += w[d] * w[d]
        of_v, of_w = _scale(of_v), _scale(of_w)
        for k in range(0, directions.shape[0], 5):
            d0, d1, d2 = directions[k], directions[k + 1], directions[k + 2]
            d3, d4 = directions[k + 3], directions[k + 4]
            v0 = v1 = v2 = v3 = v4 = np.float32(0.0)
            w0 = w1 = w2 = w3 = w4 = np.float32(0.0)
            for d in range(n_dims):
                a, b, c, e, f = d0[d], d1[d], d2[d], d3[d], d4[d]
                v0 += v[d] * a
                v1 += v[d] * b
                v2 += v[d] * c
                v3 += v[d] * e
                v4 += v[d] * f
                w0 += w[d] * a
                w1 += w[d] * b
                w2 += w[d] * c
                w3 += w[d] * e
                w4 += w[d] * f
            for j, product in enumerate((v0, v1, v2, v3, v4)):
                out[k + j, row] = product * of_v
            for j, product in enumerate((w0, w1, w2, w3, w4)):
                out[k + j, other] = product * of_w
