"""Determine what separates the words and numbers of lines of text, and how many numbers there are.

Words may contain the same marks, such as ``GO:0008150`` or ``12:00``. Most lines decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MOST_DOUBTED = 2
"""So many words may end with a mark, such as a comma, before one is no part of the words."""

BLANKS = b" \t\r\n"
END = BLANKS + b'])}"'
"""What may follow the last number of a line: blanks, or the end of a list or of quotes."""

SEPARATORS = (b" ", b"\t", b",", b";", b"|", b'" "', b'"\t"', b'","', b'";"')
_COMMA = re.compile(rb"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?")
_COMMAS = re.compile(rb"(?s).*?(,[-+]?[0-9]+,[0-9]+)+")
_NUMBER = rb"[-+]?(?:[0-9.][-+0-9.eE]*|(?i:nan|inf))"
_ARROWS = rb"[-=]>|\xe2\x86\x92|\xc2\xa0|\xe3\x80\x80"  # and wide blanks
_CALL = rb"[A-Za-z_.]+(?=\(\[)"  # such as array([
_GAP = (
    rb"((?:[ \t,;|:=\[({]|\"\[\"|(?<=[ \t,;|:=])"
    + _CALL
    + b"|"
    + _ARROWS
    + rb"){1,20}(?:\"[ \t\[(]*)?)"
)
_FIRST = re.compile(rb"(?s)([ \t]*[^ \t].*?)" + _GAP + _NUMBER)
"""A word, its first number, and what is between them, such as a blank, or ``: [``."""

_LATER = re.compile(rb"(?:\"(?=[-+]?[0-9]*\.)|\"?(?:" + _CALL + b")?" + _GAP + b")" + _NUMBER)
"""A first number whose word is in an earlier field, such as ``[0.5`` or ``"0.5``."""

_TYPES = re.compile(
    rb"(?<=[\[ ])(?:np|numpy)\.float[0-9]*\(([-+.0-9einaf]*)\)|(?<=\])(?:, [a-z_]+=[^,\"\n]+)+"
)
"""A number in a list as NumPy shows it, or what follows the list in ``array(``."""


def without_types(text: bytes) -> bytes:
    """Return lines without the names of types that NumPy and PyTorch write."""
    return _TYPES.sub(rb"\1", text)


def split(line: bytes, sep: bytes) -> list[bytes]:
    """Split a line into fields; a blank stands for any number of them."""
    parts = line.rstrip(END + sep)
    return parts.split() if sep == b" " else [part.strip() for part in parts.split(sep)]


def separated(lines: Sequence[bytes], promised: int = 0) -> tuple[int, bytes, bytes]:
    """Return the modal number of dimensions, what follows the word, and what separates numbers.

    A way to split the lines that finds as many dimensions as a header `promised` is the right one.
    """
    rows = {sep: [split(line, sep) for line in lines] for sep in SEPARATORS}
    runs = {sep: [_run(row[1:]) for row in rows[sep]] for sep in SEPARATORS}
    counts = {sep: _counted(rows[sep], runs[sep], sep, promised) for sep in SEPARATORS}
    modes = {sep: mode(found) for sep, found in counts.items()}
    if modes[b"\t"] > 1 and counts[b"\t"] == runs[b"\t"]:  # blanks are parts of words
        del modes[b" "]
    between = max(modes, key=lambda sep: (0 < modes[sep] == promised, modes[sep]))
    dims, sep = modes[between], between.strip(BLANKS)
    found = zip(lines, counts[between], runs[between], strict=True)
    fitting = [(line, n - run) for line, n, run in found if n == dims]
    cut = [line.rstrip(END + between).rsplit(sep or None, dims - 1)[0] for line, _ in fitting]
    within = 2 * sum(more for _, more in fitting) > len(fitting)
    if gap := _gap(cut, sep, within=within):
        return dims, gap, between
    if sep:
        return dims, between, between
    pairs = [(a, b) for b in (b" ", b"\t") for a in (b" ", b"\t")]
    fits = {
        pair: (
            sum(_fits(line, dims, *pair) for line in lines),
            sum(_are_numbers(line, *pair) for line in lines),
        )
        for pair in pairs
    }
    return dims, *max(pairs, key=fits.__getitem__)


def _gap(firsts: Sequence[bytes], sep: bytes, *, within: bool) -> bytes:
    """Return what is between words and first numbers; empty if it is just the separator.

    A mark is no part of the words if most lines have it, if all lines have one that stands alone
    or a bracket, or if the first numbers are `within` the fields of the words.
    """
    found = [one for first in firsts if (one := _FIRST.fullmatch(first.rstrip()))]
    gaps = [one[2][one[1][:1] == one[2][:1] != one[2] :] for one in found]  # words such as :smile:
    marks = [gap.strip(BLANKS) for gap in gaps]
    mark = mode(marks) if marks else sep
    most = marks.count(mark)
    usual = most > MOST_DOUBTED and 2 * most > len(firsts)
    gap = mode([gap for gap in gaps if gap.strip(BLANKS) == mark] or [b""])
    alone = most == len(firsts) and gap[:1].isspace()
    listed = sum(b"[" in mark for mark in marks) == len(firsts)
    return gap if mark != sep and (within or usual or alone or listed) else b""


def _counted(
    rows: Sequence[Sequence[bytes]], runs: Sequence[int], sep: bytes, promised: int
) -> Sequence[int]:
    """Count the numbers at the end of rows; the first may be within the field of the word."""
    usual = mode(runs)
    if sep == b" " and 0 < promised < usual and _end_with_numbers(rows, runs, promised):
        return [min(n, promised) for n in runs]
    found = [_first_within(row, n) for row, n in zip(rows, runs, strict=True)]
    doubted = [one if one and one.re is _FIRST and not _is_sure(one[2]) else None for one in found]
    refuted = promised != usual + 1 and _are_parts_of_words(doubted, rows, usual)
    if refuted or usual == promised:
        found = [None if doubt else one for one, doubt in zip(found, doubted, strict=True)]
    return [n + bool(one) for n, one in zip(runs, found, strict=True)]


def _first_within(row: Sequence[bytes], run: int) -> re.Match[bytes] | None:
    """Find a number at the end of the field before the last numbers."""
    if len(row) == 1 and b" " in row[0]:  # other marks separate the numbers
        return None
    place = len(row) - run - 1
    return (_LATER if place else _FIRST).fullmatch(row[place])


def _is_sure(gap: bytes) -> bool:
    """Return whether a mark is hardly a part of a word: a bracket, or one with blanks."""
    mark = gap.strip(BLANKS)
    return b"[" in mark or bool(mark and mark != gap)


def _are_parts_of_words(
    found: Sequence[re.Match[bytes] | None], rows: Sequence[Sequence[bytes]], usual: int
) -> bool:
    """Return whether numbers after marks, such as in ``12:00``, are parts of words.

    They are if they are whole and the others are decimals, or if most words would be repeated.
    """
    pairs = [(one, row[1:]) for one, row in zip(found, rows, strict=True) if one]
    words = {one[1] for one, _ in pairs}
    if 2 * len(words) <= len(pairs):
        return True
    own = _are_decimals([one.string[one.end(2) :] for one, _ in pairs])
    return usual > 1 and not own and _are_decimals([part for _, row in pairs for part in row])


def _end_with_numbers(rows: Sequence[Sequence[bytes]], runs: Sequence[int], promised: int) -> bool:
    """Return whether words end with whole numbers, such as ``windows 95``, before decimals.

    Numbers that never increase are rather counts of the words, which are in this order.
    """
    pairs = [(row, n) for row, n in zip(rows, runs, strict=True) if n > promised]
    more = [part for row, n in pairs for part in row[-n:-promised]]
    if not all(part.isdigit() for part in more):
        return False
    last = [int(row[-promised - 1]) for row, _ in pairs]
    falling = last == sorted(last, reverse=True)
    return not falling and _are_decimals([part for row, _ in pairs for part in row[-promised:]])


def _fits(line: bytes, dims: int, after: bytes, between: bytes) -> bool:
    word, _, rest = line.partition(after)
    return bool(word) and rest.count(between) == dims - 1


def _are_numbers(line: bytes, after: bytes, between: bytes) -> bool:
    """Return whether all fields after the word are numbers."""
    return all(map(is_number, line.rstrip(END).partition(after)[2].split(between)))


def mode[T](values: Sequence[T]) -> T:
    """Return the most common value."""
    return Counter(values).most_common(1)[0][0]


def _run(fields: Sequence[bytes]) -> int:
    """Count the numbers at the end of some fields."""
    for count, part in enumerate(reversed(fields)):
        if not is_number(part):
            return count
    return len(fields)


def is_number(text: bytes) -> bool:
    """Return whether a field is a number, as Python writes it."""
    try:
        return b"_" not in text and float(text) is not None
    except ValueError:
        return False


def is_decimal(text: bytes) -> bool:
    """Return whether a field is a number with a point, or with a negative exponent."""
    return (b"." in text or b"e-" in text.lower()) and is_number(text)


def _are_decimals(parts: Sequence[bytes]) -> bool:
    return 2 * sum(map(is_decimal, parts)) > len(parts)


def has_decimal_commas(lines: Sequence[bytes]) -> bool:
    """Return whether most lines have numbers with a comma before decimals.

    If commas separate the numbers, too, decimals that begin with a zero show it.
    """
    found = 0
    for line in lines:
        fields = line.replace(b";", b" ").replace(b"|", b" ").split()[1:]
        commas = [_COMMA.fullmatch(part) is not None for part in fields]
        numbers = [comma or is_number(part) for comma, part in zip(commas, fields, strict=True)]
        found += len(fields) > 1 and any(commas) and all(numbers[-2:])
    pairs = sum(_COMMAS.fullmatch(line) is not None for line in lines)
    if any(re.search(rb",0[0-9]", line) for line in lines):
        found = max(found, pairs)
    return 2 * found > len(lines)
