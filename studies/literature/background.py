"""Smarda (2021), Linguistically context-aware text corpora bias measurement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.stats import norm

import bayesbias as bb

from .claims import Claim, recomputes, rounded

at = partial(recomputes, "Smarda (2021)")

TABLE_2 = {
    "weat1": (0.996, 0.949, 0.227, 0.041),
    "weat2": (0.998, 0.973, 0.306, 0.067),
    "weat3": (0.993, 0.913, 0.641, 0.231),
    "weat4": (0.962, 0.811, 0.590, 0.255),
    "weat5": (0.999, 0.989, 0.948, 0.744),
    "weat6": (0.794, 0.694, 0.001, 1e-4),
    "weat7": (0.823, 0.640, 0.526, 0.307),
    "weat8": (0.971, 0.910, 0.684, 0.468),
    "weat9": (0.001, 0.033, 1e-10, 1e-7),
    "weat10": (1e-4, 0.994, 0.987, 0.899),
}
"""Φ of X relative to the background's mean and to 0, and then the same for Y, in GloVe 840B. Test
10's first Φ is probably a small upper tail; if so, its row agrees with the others."""


def _range_of_z(phi: float, upper: bool = False) -> np.ndarray:
    """Return the lowest and highest z whose Φ rounds to the printed one."""
    small = phi < 0.001
    ends = np.array([phi / np.sqrt(10), phi * np.sqrt(10)] if small else [phi - 5e-4, phi + 5e-4])
    z = norm.ppf(ends)
    return -z[::-1] if upper else z


def shift(test: str, target: str, upper: bool = False) -> np.ndarray:
    """Return the range of shifts of the background, in its sds, that the two Φ of a set imply."""
    about_mean, about_zero = TABLE_2[test][:2] if target == "X" else TABLE_2[test][2:]
    mean = _range_of_z(about_mean, upper)
    zero = _range_of_z(about_zero)
    return np.array([mean[0] - zero[1], mean[1] - zero[0]])


def in_table_2(test: str) -> str:
    """Return the row of table 2 as it is printed in the paper."""
    small = {1e-4: "$10^{-4}$", 1e-7: "$10^{-7}$", 1e-10: "$10^{-10}$"}
    cells = [small.get(phi, f"{phi:.3f}") for phi in TABLE_2[test]]
    return " ".join([test.removeprefix("weat"), *cells])


@at("table 2, the two sets of a row", "4.2")
def shifts_of_rows() -> Iterator[Claim]:
    """Check that X and Y of a test, which share a background, imply the same shift from 0."""
    for test in TABLE_2:
        claim, quoted = f"{test}: X and Y imply one shift", in_table_2(test)
        x, y = shift(test, "X"), shift(test, "Y")
        note = f"X: {x[0]:.3f} to {x[1]:.3f} sd, Y: {y[0]:.3f} to {y[1]:.3f} sd"
        if test == "weat10":
            tail = _one_shift(shift(test, "X", upper=True), y)
            note = f"no as printed; {tail} if the printed 1e-4 means 1 - 1e-4; see the next row"
        comparable = test != "weat10"
        yield Claim(claim, "yes", _one_shift(x, y), 0, quoted, note, comparable)
    found = float(norm.cdf(norm.ppf(TABLE_2["weat10"][1]) + shift("weat10", "Y").mean()))
    note = (
        "computed from the row itself: X's Φ relative to 0, moved by the shift that Y implies. The "
        f"printed value is probably the upper tail, {1 - found:.1g}, as a power of ten; section 6 "
        "also has X and Y on one side. The nine other rows fit as printed"
    )
    claim = "weat10: Φ of X about the background's mean"
    yield Claim(claim, 1e-4, round(found, 4), 0, in_table_2("weat10"), note)


def _one_shift(x: np.ndarray, y: np.ndarray) -> str:
    return "yes" if x[0] <= y[1] and y[0] <= x[1] else "no"


@at("section 3, shift of the background", "3")
def background_shifts() -> Iterator[Claim]:
    """Check in table 2 which tests have a background that is at least one sd from 0."""
    quoted = "bias of qualitatively at least a standard deviation in each experiment"
    for test in ("weat6", "weat7", "weat8"):
        least, most = shift(test, "X")
        note = (
            f"the Φ of X imply {least:.3f} to {most:.3f} sd; tests 1 to 5, 9, and 10 imply about "
            ".9 or more. The paper reads this from a figure and says 'qualitatively'. Three rows "
            "concern this one sentence"
        )
        found = "yes" if most >= 1 else "no"
        yield Claim(f"{test}: at least one sd", "yes", found, quoted=quoted, note=note)


@at("table 3, from table 2", "C")
def relative_bias() -> Iterator[Claim]:
    """Compute Φ of relative bias from those of X and Y: z = √(n/2) (z_X - z_Y), n words per set."""
    for test, n, printed, within, quoted in (
        ("weat7", 8, 0.044, 0.005, "7 .044 .018"),
        ("weat8", 8, 0.002, 0.0005, "8 .002 $10^{-2}$"),
        ("weat9", 6, 1e-8, 2e-8, "9 $10^{-8}$ $10^{-2}$"),
    ):
        x, _, y, _ = TABLE_2[test]
        found = norm.sf(np.sqrt(n / 2) * (norm.ppf(x) - norm.ppf(y)))
        note = "computed from three printed digits, for sets of independent words"
        yield Claim(f"{test}: relative bias", printed, rounded(found, 2), within, quoted, note)


@at("labels of sections 4.1 and 6", "4.1")
def labels() -> Iterator[Claim]:
    """List labels in the text that differ from tables 1 and 2 or figure 3."""
    quoted = "akin to $\\alpha = 0.5$"
    note = "a zero is probably missing: the rule is the top or bottom 2.5%, as the paper states"
    yield Claim("level of the rule", 0.5, 0.05, 0, quoted, note)
    quoted = "the $Z$ term `Unpleasant` if we assume"
    note = (
        "this is a label, and no value depends on it. In table 1, Z is Pleasant, and a large Φ "
        "means Z. The same list in the text calls Male in experiment 8 Z′, and Permanent in "
        "experiment 9 Unpleasant"
    )
    claim = "side of the old people's names of experiment 10"
    yield Claim(claim, "Unpleasant", "Pleasant", 0, quoted, note)
    quoted = "Consider Experiment #7, the detailed plots for which can be seen"
    note = "the sentence describes the names in experiment 4, which figure 3 shows"
    claim = "experiment of European-American names in figure 3"
    yield Claim(claim, 7, 4, 0, quoted, note, place="6")


@at("table 2, Φ of X in other vectors", "4.2")
def sides_of_sets() -> Iterator[Claim]:
    """Check, in different vectors, on which side of the vocabulary's mean X is."""
    tests = bb.background.experiments(list(TABLE_2))
    vectors = bb.load_vectors("glove-demo")
    for test, distribution in bb.background.distributions(vectors, tests, case="lower").items():
        found = float(distribution.phi(tests[test].X))
        printed = TABLE_2[test][0]
        sides = ["above" if phi > 0.5 else "below" for phi in (printed, found)]
        note = f"different vectors: Φ is {printed:g} in GloVe 840B and {found:.3f} in glove-demo"
        if test == "weat10":
            note += ". The printed Φ is below .5; 1 - 1e-4 would be above, as Y's shift suggests"
        claim = f"{test}: mean of X and that of the vocabulary"
        yield Claim(claim, *sides, 0, in_table_2(test), note, comparable=False)
