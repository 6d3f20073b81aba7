"""Section 3.2 of the paper: its example, its statistics, and the shares of null samples."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from studies import literature
from studies.literature import PaperExample, null_share

N = 100_000
"""Null samples of the tests of shares."""

SE = 3.5
"""Standard errors by which a share may be off: 5e-4 are, and the seed is fixed."""


@pytest.fixture(scope="module")
def example() -> PaperExample:
    return literature.paper_example()


@pytest.fixture(scope="module")
def samples(example: PaperExample) -> pd.DataFrame:
    return example.null_samples(N, seed=5)


def test_the_values_are_the_published_ones(example: PaperExample, shared_data: Path) -> None:
    there = pd.read_csv(shared_data / "null_example.csv")
    for row in there.itertuples():
        column = int(row.attribute[1:]) - 1 + 8 * (row.attribute_set == "B")
        assert example.values[int(row.protected_word[1:]) - 1, column] == row.value
    assert example.values.shape == (16, 16)
    cells = example.cells()
    assert len(cells) == 128
    assert cells["A"].mean() - cells["B"].mean() == pytest.approx(example.associations.mean())


def test_its_statistics_are_those_of_the_paper(example: PaperExample) -> None:
    # FACTS section 4: S = .3862 and d = 1.2672 with the population sd, to four figures.
    assert example.statistic == pytest.approx(0.3862, abs=5e-5)
    assert example.effect_size() == pytest.approx(1.2672, abs=5e-5)
    assert example.effect_size(1) == pytest.approx(1.2672 * np.sqrt(15 / 16), abs=5e-5)
    assert example.p_value == pytest.approx(0.0096, abs=5e-5)


def test_s_and_d_have_one_p_value_by_counting_all_splits(example: PaperExample) -> None:
    splits = example.splits()
    assert len(splits) == 12_870
    s, chosen = example.associations, np.array(list(combinations(range(16), 8)))
    brute = 2 * s[chosen].sum(axis=1) - s.sum()
    assert splits["statistic"].to_numpy() == pytest.approx(brute, abs=1e-12)
    tie = 1e-12  # rounding of sums of 16 numbers
    for name, observed in (
        ("statistic", example.statistic),
        ("effect_size_population", example.effect_size()),
        ("effect_size_sample", example.effect_size(1)),
    ):
        assert (splits[name].abs() >= observed - tie).mean() == example.p_value


def test_its_t_tests_are_those_of_the_paper(example: PaperExample) -> None:
    tests = example.t_tests().set_index("attribute_set")
    # FACTS section 4, to the figures printed there.
    for name, p_value, low, high in (("A", 0.020, 0.0053, 0.0611), ("B", 0.227, -0.0397, 0.0095)):
        found = tests.loc[name]
        assert found["p_value"] == pytest.approx(p_value, abs=5e-4)
        assert (found["low"], found["high"]) == pytest.approx((low, high), abs=5e-5)
    assert tests["difference"].diff().iloc[1] == pytest.approx(-example.statistic / 8)


@pytest.mark.parametrize(
    ("of", "column", "known"),
    [
        # FACTS section 4; they are shares of simulated samples, 10,000 in the paper.
        ("population", "effect_size_population", 0.0083),
        ("sample", "effect_size_sample", 0.0056),
        ("slipped", "slipped", 0.385),
        ("S", "statistic", None),
    ],
)
def test_shares_of_null_samples_are_the_known_ones(example, samples, of, column, known) -> None:
    observed = example.statistic if of == "S" else example.effect_size()
    exact = null_share(observed, of)
    share = (samples[column].abs() >= observed).mean()
    assert share == pytest.approx(exact, abs=SE * np.sqrt(exact * (1 - exact) / N))
    assert known is None or known == pytest.approx(
        exact, abs=SE * np.sqrt(exact * (1 - exact) / 10_000)
    )


def test_the_slip_passes_the_bound_of_d_and_d_does_not(samples: pd.DataFrame) -> None:
    assert samples["effect_size_population"].abs().max() <= 2
    assert samples["effect_size_sample"].abs().max() <= 2 * np.sqrt(15 / 16)
    assert samples["slipped"].abs().max() > 2
    assert null_share(2.0, "population") == 0
    assert null_share(2.0, "slipped") > 0.1
