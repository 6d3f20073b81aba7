"""Compare printed output as numbers, because processors differ in the last digit."""

import doctest
import re

NUMBER = re.compile(r"(?<![\w.])[+-]?\d*\.\d+(?:e[+-]?\d+)?(?![\w.])")
"""A number with a decimal point; all else, whole numbers included, is compared as text."""


class NumberChecker(doctest.OutputChecker):
    """A doctest checker for which numbers may differ by one unit of the last digit shown.

    A value on the edge of rounding is printed as 1.34 with one linear-algebra kernel and as 1.35
    with another. White space is ignored.
    """

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Return whether the output is the expected one."""
        if not super().check_output(*(NUMBER.sub("#", text) for text in (want, got)), optionflags):
            return False
        numbers = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        return all(same_number(*pair) for pair in numbers)


def same_number(want: str, got: str) -> bool:
    """Return whether two printed numbers differ by at most one unit of the last digit of ``want``.

    The 1% is for the rounding of the difference itself.
    """
    mantissa, _, exponent = want.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(want) - float(got)) <= 1.01 * unit
