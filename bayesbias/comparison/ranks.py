"""Summarize a posterior of many embeddings: ranks, differences, trends, and variances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from .._core.arrays import FloatArray
from .._core.checks import check_choice
from .._core.intervals import DEFAULT_CI_KIND, DEFAULT_CI_PROB, check_probability, describe_draws
from ..model.tree import DataTree, is_of_many, labels, stacked
from ..posterior.estimands import pair_gaps
from ..posterior.summaries import describe_gaps, in_front, reading_of, reads_posterior
from ..tables.levels import AVERAGE, GROUP, OVERALL
from .many import NAMES, OF_ROW, RAW


@reads_posterior
def rank_embeddings(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    level: str = OVERALL,
) -> pd.DataFrame:
    """Rank embeddings by their contrasts, lowest first, with the probability of each rank.

    Contrasts are shrunk toward one another, so they differ from ``raw_mean``; see `fit_many`.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_many`.
    ci_prob, ci_kind
        See `contrasts`.
    level : {"overall", "group"}
        Whether to rank by overall contrasts or by the contrasts of each group.

    Returns
    -------
    DataFrame
        ``wordlist``, ``embedding``, and, for groups, ``protected_group`` identify a row. ``mean``,
        ``sd``, ``low``, and ``high`` describe the contrast. ``raw_mean``, ``raw_sd``, ``raw_low``,
        and ``raw_high`` describe it without shrinkage. ``p_most`` is the probability of rank 1 (the
        most negative contrast), ``p_rank_2`` is that of rank 2, and so on. If there are several
        lists, overall rows start with their ``average``, which uses predictions for lists that an
        embedding does not have. Within a list, embeddings are in the order of ``expected_rank``.

    Examples
    --------
    >>> bb.rank_embeddings(many)[["embedding", "mean", "p_most"]].round(2)
      embedding  mean  p_most
    0     glove -0.04    0.98
    1  debiased -0.02    0.02
    """
    from scipy.stats import norm

    frames, reach = [], norm.ppf((1 + check_probability(ci_prob)) / 2)
    for things, raw, draws in _cells(tree, level):
        frame = describe_draws(draws, ci_prob, ci_kind)
        in_front(frame, **things, embedding=list(raw.index))
        raw["raw_low"] = raw["raw_mean"] - reach * raw["raw_sd"]
        raw["raw_high"] = raw["raw_mean"] + reach * raw["raw_sd"]
        frame = pd.concat([frame, raw.reset_index(drop=True)], axis=1)
        rank = 1 + draws.argsort(axis=1).argsort(axis=1)
        frame["expected_rank"] = rank.mean(axis=0)
        for place in range(1, len(raw) + 1):
            frame["p_most" if place == 1 else f"p_rank_{place}"] = (rank == place).mean(axis=0)
        frames.append(frame.sort_values("expected_rank", kind="stable"))
    return _joined(frames, tree, ci_prob, ci_kind)


@reads_posterior
def embedding_differences(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    rope: float | None = None,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    level: str = OVERALL,
) -> pd.DataFrame:
    """Compute the difference between the contrasts of each pair of embeddings.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_many`.
    ci_prob, rope, ci_kind
        See `contrasts`.
    level : {"overall", "group"}
        See `rank_embeddings`.

    Returns
    -------
    DataFrame
        One row per list or group and pair of embeddings (``first`` and ``second``). ``mean``,
        ``sd``, ``low``, ``high``, ``p_direction``, and ``p_rope`` describe the first contrast minus
        the second. With `fit_many`'s defaults, a negative difference means more bias in the first.

    Examples
    --------
    >>> frame = bb.comparison.embedding_differences(many)
    >>> frame[["first", "second", "mean", "p_direction"]].round(2)
       first    second  mean  p_direction
    0  glove  debiased -0.03         0.98
    """
    reading = reading_of(tree, ci_prob, rope, ci_kind)
    frames = [
        describe_gaps(pair_gaps(draws[:, None]), list(raw.index), pd.DataFrame([things]), reading)
        for things, raw, draws in _cells(tree, level)
        if len(raw) > 1
    ]
    if not frames:
        raise ValueError("the posterior has only one embedding; differences need two or more")
    return _joined(frames, tree, ci_prob, ci_kind)


@reads_posterior
def closeness_dots(
    tree: DataTree,
    ci_prob: float = DEFAULT_CI_PROB,
    ci_kind: str = DEFAULT_CI_KIND,
    *,
    n: int = 100,
) -> pd.DataFrame:
    """Describe each embedding's overall contrast with n quantiles (q01, q02, ...) and ``p_closer``.

    ``p_closer`` is the probability that the contrast is below zero; it and the quantiles come from
    the same draws. Rows are in the order of the posterior.
    """
    frames = []
    for things, raw, draws in _cells(tree, OVERALL):
        frame = describe_draws(draws, ci_prob, ci_kind)
        in_front(frame, **things, embedding=list(raw.index))
        frame["p_closer"] = (draws < 0).mean(axis=0)
        values = np.quantile(draws, (np.arange(n) + 0.5) / n, axis=0).T
        names = [f"q{place:02d}" for place in range(1, n + 1)]
        frames.append(pd.concat([frame, pd.DataFrame(values, columns=names)], axis=1))
    return _joined(frames, tree, ci_prob, ci_kind)


@reads_posterior
def variance_shares(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute how much of the variance of contrasts is due to embeddings, lists, and training.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit_many`.
    ci_prob, ci_kind
        See `contrasts`.

    Returns
    -------
    DataFrame
        One row per ``part`` of the variance. ``sd_mean``, ``sd_low``, and ``sd_high`` describe its
        sd. ``mean``, ``sd``, ``low``, and ``high`` describe its share, in [0, 1].

    Examples
    --------
    >>> table = bb.distance_tables(embeddings, ["gender", "weat7"], case="fallback")
    >>> post = bb.fit_many(table, draws=250, seed=1)
    >>> bb.comparison.variance_shares(post)[["part", "mean"]].round(1)
                    part  mean
    0          embedding   0.4
    1               list   0.4
    2  embedding × list   0.2
    """
    _require_many(tree)
    names = [name for name in NAMES if name in tree["posterior"]]
    sds = np.stack([stacked(tree, name) for name in names], axis=1)
    shares = sds**2 / (sds**2).sum(axis=1, keepdims=True)
    of_sds = describe_draws(sds, ci_prob, ci_kind)[["mean", "low", "high"]].add_prefix("sd_")
    frame = pd.concat([of_sds, describe_draws(shares, ci_prob, ci_kind)], axis=1)
    frame.insert(0, "part", [NAMES[name] for name in names])
    return _joined([frame], tree, ci_prob, ci_kind)


@reads_posterior
def trend(
    tree: DataTree, ci_prob: float = DEFAULT_CI_PROB, ci_kind: str = DEFAULT_CI_KIND
) -> pd.DataFrame:
    """Compute the slope of every contrast on x, and the difference between both ends.

    Parameters
    ----------
    tree : DataTree
        A posterior from ``bb.fit_many(tables, x=...)``.
    ci_prob, ci_kind
        See `bb.contrasts`.

    Returns
    -------
    DataFrame
        ``wordlist`` (several lists begin with their ``average``), ``protected_group`` (empty for
        overall contrasts), and ``quantity`` identify a row. The ``slope`` is the change of the
        contrast (in units of distance) for each unit of x.
        ``last - first`` is the contrast at the largest x minus that at the smallest x, including
        the deviations of both embeddings from the line. ``mean``, ``sd``, ``low``, ``high``, and
        ``p_direction`` are as in `bb.contrasts`. With the defaults of `fit_many`, a
        negative slope means that bias grows.

    Raises
    ------
    ValueError
        If `fit_many` had no ``x``.

    Examples
    --------
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", "gender"), "gender")
    >>> own = table["connection"] == "associated"
    >>> rng = np.random.default_rng(1)
    >>> tables = [
    ...     table.assign(
    ...         cosine_distance=table["cosine_distance"] - 0.01 * step * own
    ...         + 0.03 * rng.standard_normal(len(table)),
    ...         embedding=f"d{1950 + 10 * step}",
    ...     )
    ...     for step in range(5)
    ... ]
    >>> years = {f"d{year}": year for year in range(1950, 2000, 10)}
    >>> frame = bb.trend(bb.fit_many(tables, x=years, seed=1))
    >>> frame.query("protected_group == ''")[["quantity", "mean", "low", "high"]].round(3)
           quantity   mean    low   high
    0         slope -0.001 -0.002 -0.001
    1  last - first -0.041 -0.055 -0.024
    """
    _require_many(tree)
    if "slope" not in tree["posterior"]:
        raise ValueError("this posterior has no slopes; pass x to bb.fit_many, such as years")
    constants = tree["constant_data"].to_dataset()
    rows = pd.DataFrame({name: constants[name].to_numpy().astype(str) for name in OF_ROW})
    x, draws = constants["x"].to_numpy(), stacked(tree, "contrast")
    last, first = (draws[:, :, x == end].mean(axis=2) for end in (x.max(), x.min()))
    read = {"slope": stacked(tree, "slope"), "last - first": last - first}
    if (is_overall := rows["protected_group"].eq("").to_numpy()).sum() > 1:
        rows = pd.concat([pd.DataFrame([(AVERAGE, "")], columns=list(OF_ROW)), rows])
        read = {
            name: np.column_stack([values[:, is_overall].mean(axis=1), values])
            for name, values in read.items()
        }
    frames = []
    for quantity, values in read.items():
        frame = describe_draws(values, ci_prob, ci_kind)
        above = (values > 0).mean(axis=0)
        frame["p_direction"] = np.maximum(above, 1 - above)
        in_front(frame, **{name: rows[name].to_numpy() for name in OF_ROW}, quantity=quantity)
        frames.append(frame)
    joined = pd.concat(frames).sort_index(kind="stable")
    return _joined([joined], tree, ci_prob, ci_kind)


def _cells(tree: DataTree, level: str) -> Iterator[tuple[dict[str, str], pd.DataFrame, FloatArray]]:
    """Yield the labels, raw moments, and draws of each row of a level, starting with averages.

    Raw moments are not shrunk and have one row per measured embedding. The raw moments of averages
    treat lists as independent.
    """
    _require_many(tree)
    check_choice("level", level, (OVERALL, GROUP))
    embeddings, draws = labels(tree, "embedding"), stacked(tree, "contrast")
    constants = tree["constant_data"].to_dataset()
    wordlist, group = (constants[name].values.astype(str) for name in OF_ROW)
    rows = np.flatnonzero((group != "") == (level == GROUP))
    if not len(rows):
        raise ValueError("no list identifies contrasts for single groups, which need a third group")
    moments = np.stack([constants[name] for name in RAW], axis=-1)  # (n_rows, n_embeddings, 2)
    if level == OVERALL and len(rows) > 1:
        mean, sd = np.moveaxis(moments[rows], -1, 0)
        of_average = mean.mean(axis=0), np.sqrt((sd**2).sum(axis=0)) / len(rows)
        raw = pd.DataFrame(dict(zip(RAW, of_average, strict=True)), embeddings)
        yield {"wordlist": AVERAGE}, raw, stacked(tree, "average")
    for row in rows.tolist():
        things = {"wordlist": str(wordlist[row])}
        things |= {"protected_group": str(group[row])} if level == GROUP else {}
        is_measured = np.isfinite(moments[row]).all(axis=-1)
        raw = pd.DataFrame(moments[row], embeddings, RAW)[is_measured]
        yield things, raw, draws[:, row, is_measured]


def _require_many(tree: DataTree) -> None:
    if not is_of_many(tree):
        raise ValueError("this is not a posterior of many embeddings; pass one from bb.fit_many")


def _joined(
    frames: list[pd.DataFrame], tree: DataTree, ci_prob: float, ci_kind: str
) -> pd.DataFrame:
    """Join frames, and store their intervals, contrast, and warnings in the attributes."""
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs |= {"ci_prob": ci_prob, "ci_kind": ci_kind}
    frame.attrs |= {name: str(tree.attrs[name]) for name in ("first", "second")}
    return frame
