"""One thread of linear algebra where matrices are small."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize  # noqa: F401 (has a library of its own, to be there from the start)
from threadpoolctl import threadpool_info, threadpool_limits
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.arrays import FloatArray
from bayesbias._core.blas import one_thread


def n_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_all_libraries_compute_with_one_thread_and_get_theirs_back() -> None:
    with threadpool_limits(2, user_api="blas"):
        with one_thread():
            assert n_threads() == {1}
        assert n_threads() == {2}


def test_leaving_words_out_takes_one_thread(
    crossed_posterior: DataTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that waited for each other took eleven of its twelve processor seconds."""
    seen: list[set[int]] = []
    solve = np.linalg.solve

    def watched(first: FloatArray, second: FloatArray) -> FloatArray:
        seen.append(n_threads())
        return solve(first, second)

    posteriors = {"one": crossed_posterior, "two": crossed_posterior}

    monkeypatch.setattr(np.linalg, "solve", watched)
    with threadpool_limits(2, user_api="blas"):
        bb.compare_models(posteriors, leave_out="protected_word", seed=1)
    assert seen
    assert all(each == {1} for each in seen)
