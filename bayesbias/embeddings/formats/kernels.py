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


def compiled[F: Callable[..., Any]](fastmath: object = False) -> Callable[[F], F]:
    """Compile a function when it is first called; divisions by zero are those of IEEE 754."""
    return cast(
        "Callable[[F], F]", njit(cache=True, nogil=True, fastmath=fastmath, error_model="numpy")
    )


@compiled()
def hash_names(names: Any, out: Any) -> Any:  # noqa: ANN401
    """Hash newline-terminated words of (n_bytes,) uint8 into (n_words,) uint64.

    Returns
    -------
    words, position : int
        How many there were, as many as ``out`` holds at most, and where the last of them ends.
    """
    word, position, value = 0, 0, FNV_BASIS
    for at in range(names.shape[0]):
        if word == out.shape[0]:
            break
        if names[at] == NEWLINE:
            out[word] = value
            word += 1
            position = at + 1
            value = FNV_BASIS
        else:
            value = (value ^ np.uint64(names[at])) * FNV_PRIME
    return word, position


@compiled()
def gather(numbers: Any, starts: Any, rows: Any) -> None:  # noqa: ANN401
    """Copy what begins at ``starts`` in (n_bytes,) uint8 into (n, n_row_bytes) uint8."""
    n_bytes = rows.shape[1]
    for r in range(starts.shape[0]):
        source, target = numbers[starts[r] : starts[r] + n_bytes], rows[r]
        for at in range(n_bytes):
            target[at] = source[at]


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
