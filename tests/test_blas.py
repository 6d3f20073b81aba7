"""One thread of linear algebra where matrices are small."""

from __future__ import annotations

import scipy.optimize  # noqa: F401 (has a library of its own, to be there from the start)
from threadpoolctl import threadpool_info, threadpool_limits

from bayesbias._core.arrays import one_thread


def n_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_all_libraries_compute_with_one_thread_and_get_theirs_back() -> None:
    with threadpool_limits(2, user_api="blas"):
        with one_thread():
            assert n_threads() == {1}
        assert n_threads() == {2}
