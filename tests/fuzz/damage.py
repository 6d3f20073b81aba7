"""Damage valid files at random."""

from collections.abc import Callable
from random import Random

HUGE = (b"999999999999", b"1000000000000 300\n", b"5 999999\n", b"-1", b"1e999", b"9" * 5000)
TOKENS = (
    *HUGE,
    *(b"nan", b"inf", b"0", b"-0.0", b"1_0", b"0x1p3", b"true", b"null", b"\xd9\xa3".ljust(3)),
    *(b"\0", b"\n", b"\r", b"\r\n", b" ", b"  ", b"\t", b",", b'"', b"'", b'"""', b"=", b"#"),
    *(b"[", b"]", b"{", b"}", b"[]", b"{}", b'""', b"[[", b"[" * 3000, b'{"a":' * 3000),
    *(b"\xff", b"\xff\xff\xff\xff", b"\xef\xbb\xbf", b"\xc3", b"\xe2\x80\xa8", b"\xed\xa0\x80"),
    *(b"name", b"groups", b"data", b"1979-05-27T07:32:00Z", b"a.b", b"x = 1\n", b"\x80\x04\x95"),
    *(b"\0" * 64, b"a" * 5000, b"PK\x03\x04", b"\x93NUMPY", b"\xba\x16O/"),
)
"""What readers trip over: huge counts, odd numbers, brackets, broken UTF-8, magic bytes."""

NOTHING_LEFT, KNOWN = 0.1, 0.6
"""Shares of contents that are made up, and of edits with one of the tokens."""


def _flip(content: bytes, at: int, length: int, _what: bytes) -> bytes:
    flipped = bytes(byte ^ (1 << length % 8) for byte in content[at : at + 1])
    return content[:at] + flipped + content[at + 1 :]


def _number(content: bytes, at: int, _length: int, what: bytes) -> bytes:
    """Put something in the place of the next run of digits."""
    start = next((i for i in range(at, len(content)) if content[i : i + 1].isdigit()), at)
    stop = start
    while content[stop : stop + 1].isdigit():
        stop += 1
    return content[:start] + what + content[stop:]


EDITS: dict[str, Callable[[bytes, int, int, bytes], bytes]] = {
    "insert": lambda content, at, _, what: content[:at] + what + content[at:],
    "replace": lambda content, at, length, what: content[:at] + what + content[at + length :],
    "delete": lambda content, at, length, _: content[:at] + content[at + length :],
    "repeat": lambda content, at, length, _: content[: at + length] + content[at:],
    "cut": lambda content, at, *_: content[:at],
    "flip": _flip,
    "number": _number,
}


def damaged(content: bytes, rng: Random) -> bytes:
    """Return a content with up to six edits; now and then, bytes out of nowhere."""
    if rng.random() < NOTHING_LEFT:
        return rng.randbytes(rng.randint(0, 200))
    for _ in range(rng.randint(1, 6)):
        what = rng.choice(TOKENS) if rng.random() < KNOWN else rng.randbytes(rng.randint(0, 6))
        edit, at = EDITS[rng.choice([*EDITS])], rng.randint(0, len(content))
        content = edit(content, at, rng.randint(0, 40), what)
    return content
