"""Measure the bias of a classifier built on an embedding, and how well scores agree with it.

A score is useful if the models it ranks as more biased also treat people more unequally
(Schröder, Schulz, and Hammer, 2024, The SAME score, section 2.3 and table 3).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import default_rng
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from ._core.arrays import FloatArray
from ._core.checks import check_choice, check_filled, check_labels, check_numbers, unknown_name
from ._core.intervals import DEFAULT_CI_PROB, LEAST_RESAMPLES, check_probability
from ._core.random import Seed, as_seed_sequence
from .tables.schema import as_pandas, is_frame, real_numbers, require_columns

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

NUMBERS = ("score", "bias")
"""Columns of the numbers that `correlations` relates."""

FEWEST, FEWEST_CLUSTERS = 4, 5
"""Smallest numbers of rows and of clusters for a correlation with an interval."""


def tpr_gaps(
    truth: ArrayLike,
    predicted: ArrayLike,
    group: ArrayLike,
    *,
    groups: Sequence[Hashable] | None = None,
    ci_prob: float = DEFAULT_CI_PROB,
) -> pd.DataFrame:
    """Compare a classifier's true positive rates between protected groups, for each class.

    Parameters
    ----------
    truth, predicted : (n_samples,) or (n_samples, n_classes) array_like
        Class of each sample, or true or false for each class if a sample can have several classes.
    group : (n_samples,) array_like
    groups : sequence, optional
        Order of the groups; the gap is the first group's rate minus the second's.

    Returns
    -------
    DataFrame
        One row per ``class``; the columns of a frame name its classes. ``variance`` is the variance
        of the rates of K groups, with divisor K. ``corrected_variance`` has divisor K - 1 and
        removes the sampling variance, so it is unbiased but can be negative. For two groups,
        ``gap`` has the interval ``low`` to ``high``. ``tpr_GROUP`` and ``n_GROUP`` describe each
        group. Values that need an absent group's samples are NaN.

    References
    ----------
    De-Arteaga et al. (2019), Bias in Bios; Schröder et al. (2024), section 2.3; Newcombe (1998),
    method 10; Lum, Zhang, and Bower (2022), De-biasing "bias" measurement.

    Examples
    --------
    >>> from bayesbias.extrinsic import tpr_gaps
    >>> tpr_gaps(["nurse"] * 4, ["nurse", "nurse", "nurse", "poet"], ["f", "f", "m", "m"])["gap"]
    0    0.5
    Name: gap, dtype: float64
    """
    check_labels({"truth": truth, "predicted": predicted, "group": group})
    check_filled({"truth": truth, "predicted": predicted, "group": group})
    real, guess, member = (np.asarray(column) for column in (truth, predicted, group))
    if real.ndim not in (1, 2) or real.shape != guess.shape or real.shape[:1] != member.shape:
        shapes = f"{real.shape}, {guess.shape}, and {member.shape}"
        raise ValueError(f"truth, predicted, and group must have matching shapes; got {shapes}")
    if real.ndim == 2:
        both = {"truth": truth, "predicted": predicted}
        frames = {name: as_pandas(one) for name, one in both.items() if is_frame(one)}
        check_labels(frames, "columns")
        names = [*next((frame.columns for frame in frames.values()), range(real.shape[1]))]
    else:
        names = np.unique(real).tolist()
        real, guess = (column[:, None] == np.array(names) for column in (real, guess))
        if not guess.any():
            raise ValueError(f"predicted ({predicted!r:.40}) has no class of truth ({names!r:.40})")
    real, guess = _true_or_false("truth", real), _true_or_false("predicted", guess)
    columns = np.unique(member).tolist() if groups is None else list(groups)
    for name in set(member.tolist()).difference(columns):
        raise ValueError(unknown_name("group", str(name), map(str, columns)))
    if len(set(map(str, columns))) < len(columns):
        raise ValueError(f"groups must be different; got {columns}")
    inside = (member[:, None] == np.array(columns)).astype(np.int64)
    n, hits = real.T.astype(np.int64) @ inside, (real & guess).T.astype(np.int64) @ inside
    if len(columns) < 2 or not (n > 0).all(axis=1).any():
        raise ValueError(f"two or more groups must all have samples of one class; got {columns}")
    tpr = np.divide(hits, n, out=np.full(n.shape, np.nan), where=n > 0)
    sampling = tpr * (1 - tpr) / np.where(n > 1, n - 1.0, np.nan)
    frame = pd.DataFrame({"class": names, "variance": tpr.var(axis=1)})
    frame["corrected_variance"] = tpr.var(axis=1, ddof=1) - sampling.mean(axis=1)
    if len(columns) == 2:
        # Newcombe (1998), method 10, combines two Wilson intervals.
        z, n_some = _reach(ci_prob), np.where(n > 0, n, np.nan)
        middle, share = tpr + z**2 / (2 * n_some), 1 + z**2 / n_some
        reach = np.sqrt(tpr * (1 - tpr) / n_some + z**2 / (4 * n_some**2)) * z / share
        below, above = tpr - (middle / share - reach), middle / share + reach - tpr
        frame["gap"] = tpr[:, 0] - tpr[:, 1]
        frame["low"] = frame["gap"] - np.hypot(below[:, 0], above[:, 1])
        frame["high"] = frame["gap"] + np.hypot(above[:, 0], below[:, 1])
    frame[[f"tpr_{name}" for name in columns]] = tpr
    frame[[f"n_{name}" for name in columns]] = n
    frame.attrs["ci_prob"] = ci_prob
    return frame


def subgroup_areas(truth: ArrayLike, score: ArrayLike, members: ArrayLike) -> pd.DataFrame:
    """Compute areas under ROC curves within and across subgroups (Borkan et al., 2019).

    Parameters
    ----------
    truth, score : (n_samples,) array_like
        True or false labels, and scores that are higher for samples more likely to be positive.
    members : DataFrame or array_like
        One Boolean column per subgroup, true for its members. A Series is one subgroup.

    Returns
    -------
    DataFrame
        ``group``, ``n``, ``n_positive``, and three areas in [0, 1] (NaN without samples).
        ``subgroup`` uses members only. ``bpsn`` uses background positives and subgroup negatives;
        low values mean false positives. ``bnsp`` is the reverse; low values mean false negatives.
    """
    check_labels({"truth": truth, "score": score, "members": members})
    columns = as_pandas(members) if is_frame(members) else np.asarray(members)
    if columns.ndim not in (1, 2):
        raise ValueError(
            "members must be a frame or an array with one row per sample and one column per "
            f"subgroup; got {members!r:.80}"
        )
    within = pd.DataFrame(columns)
    positive = _true_or_false("truth", truth)
    scores, rows = _finite("score", score, len(within)), []
    if positive.shape != scores.shape:
        raise ValueError(f"truth has shape {positive.shape}, but members has {len(within)} rows")
    for group, inside in zip(within, _true_or_false("members", within).T, strict=True):
        sides = (inside, inside), (inside, ~inside), (~inside, inside)
        areas = [_area(scores[low & ~positive], scores[high & positive]) for low, high in sides]
        rows.append((group, inside.sum(), (inside & positive).sum(), *areas))
    return pd.DataFrame(rows, columns=["group", "n", "n_positive", "subgroup", "bpsn", "bnsp"])


def correlate(
    scores: ArrayLike,
    biases: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    method: str = "pearson",
    ci_prob: float = DEFAULT_CI_PROB,
    n_resamples: int = 2000,
    seed: Seed = None,
) -> dict[str, float]:
    """Correlate a score with downstream bias; return ``r``, ``low``, ``high``, and counts.

    For independent rows, such as models, the interval uses Fisher's z, with the variance of Bonett
    and Wright (2000, Psychometrika 65) for rank correlations ("spearman"). If rows form clusters,
    such as samples of one class, the interval is from a bootstrap of whole clusters.
    """
    check_choice("method", method, ("pearson", "spearman"))
    check_numbers(least=LEAST_RESAMPLES, n_resamples=n_resamples)
    check_labels({"scores": scores, "biases": biases, "clusters": clusters})
    score = _finite("scores", scores, np.size(biases))
    bias = _finite("biases", biases, len(score))
    if len(score) < FEWEST or np.ptp(score) == 0 or np.ptp(bias) == 0:
        raise ValueError("a correlation needs 4 or more rows, and scores and biases that vary")
    both, z = np.stack([score, bias]), _reach(ci_prob)
    r = _coefficient(both, method)
    labels = np.arange(len(score)) if clusters is None else np.asarray(clusters)
    if labels.shape != score.shape:
        raise ValueError(
            f"clusters must have {len(score)} labels, one per row; got the shape {labels.shape}"
        )
    codes, names = pd.factorize(labels)
    if len(names) < len(score):
        if (codes < 0).any() or len(names) < FEWEST_CLUSTERS:
            raise ValueError(
                f"clusters must have one label per row, and at least {FEWEST_CLUSTERS} of them "
                "must be different"
            )
        parts = [both[:, codes == code] for code in range(len(names))]
        rng, values = default_rng(as_seed_sequence(seed)), list[float]()
        while len(values) < n_resamples:
            picked = rng.integers(len(parts), size=len(parts))
            sample = np.concatenate([parts[cluster] for cluster in picked], axis=1)
            if (np.ptp(sample, axis=1) > 0).all():  # otherwise, the correlation is undefined
                values.append(_coefficient(sample, method))
        low, high = np.quantile(values, [(1 - ci_prob) / 2, (1 + ci_prob) / 2])
    elif abs(r) == 1:
        low = high = r
    else:
        variance = (1 + r**2 / 2 if method == "spearman" else 1) / (len(score) - 3)
        low, high = np.tanh(np.arctanh(r) + z * np.sqrt(variance) * np.array([-1, 1]))
    ends = {"low": float(low), "high": float(high)}
    return {"r": r, **ends, "n": len(score), "n_clusters": len(names)}


def correlations(
    frame: pd.DataFrame,
    *,
    method: str = "pearson",
    ci_prob: float = DEFAULT_CI_PROB,
    seed: Seed = None,
) -> pd.DataFrame:
    """Correlate a score with downstream bias across classes, samples, and models.

    Parameters
    ----------
    frame : DataFrame
        ``model``, ``class``, ``score``, and ``bias``, with one row per sample or per class.

    Returns
    -------
    DataFrame
        ``level``, ``model`` (empty for the last level), and the values that `correlate` returns.
        Level ``class`` uses class means within each model. ``sample`` uses all rows of each model,
        clustered by class. ``model`` uses the mean of each model's absolute class means. There are
        no rows of ``class`` for models with under four classes, of ``sample`` with under five (if
        classes have several rows), and of ``model`` for under four models. Intervals for models
        that share data are not independent. ``.attrs`` stores ``method``, ``ci_prob``, and
        ``seed``.

    Raises
    ------
    ValueError
        If no level has enough classes or models.
    """
    frame = require_columns(frame, ("model", "class", *NUMBERS))
    frame = frame.assign(**{name: _numbers(name, frame[name]) for name in NUMBERS})
    check_filled({name: frame[name] for name in ("model", "class")})
    means = _means(frame.groupby(["model", "class"], sort=False)[[*NUMBERS]])
    sizes = _means(means.abs().groupby("model", sort=False))
    parts = [("class", name, part) for name, part in means.groupby("model", sort=False)]
    parts += [("sample", name, part) for name, part in frame.groupby("model", sort=False)]
    options: dict[str, Any] = {"method": method, "ci_prob": ci_prob, "seed": as_seed_sequence(seed)}
    rows = []
    for level, model, part in [*parts, ("model", "", sizes)]:
        clusters = part["class"] if level == "sample" else None
        n_clusters = len(part) if clusters is None else clusters.nunique()
        if n_clusters < (FEWEST if n_clusters == len(part) else FEWEST_CLUSTERS):
            continue
        fitted = correlate(part["score"], part["bias"], clusters=clusters, **options)
        rows.append({"level": level, "model": str(model), **fitted})
    if not rows:
        raise ValueError(
            f"no level can be correlated: class and model need {FEWEST} classes or models, and "
            f"sample needs {FEWEST_CLUSTERS} classes"
        )
    correlated = pd.DataFrame(rows)
    correlated.attrs = options | {"seed": options["seed"].entropy}
    return correlated


def ranking_accuracy(
    scores: ArrayLike,
    biases: ArrayLike,
    *,
    models: Sequence[Hashable] | None = None,
    sds: float = 1.0,
    ci_prob: float = DEFAULT_CI_PROB,
) -> dict[str, float]:
    """Estimate how often a score ranks a more biased model above a less biased one.

    Only models whose bias is more than ``sds`` standard deviations from the mean are used, as in
    the notebook by Schröder et al. (2024). The accuracy is the Mann-Whitney statistic as a share,
    and its interval is method 5 of Newcombe (2006), Statistics in Medicine 25.

    Parameters
    ----------
    scores, biases : (n_runs,) array_like
        Magnitudes; higher values mean more bias.
    models : sequence of n_runs names, optional
        Runs of the same model are averaged and count once.

    Returns
    -------
    dict
        ``accuracy``, ``low``, ``high``, and the model counts ``n_less`` and ``n_more``.
    """
    check_labels({"scores": scores, "biases": biases, "models": models})
    score = _finite("scores", scores, np.size(biases))
    bias = _finite("biases", biases, len(score))
    if models is not None:
        names = np.array([*models], dtype=object)
        check_filled({"model": names})
        if names.shape != score.shape:
            raise ValueError(f"models must have {len(score)} names, one per run; got {len(names)}")
        codes = pd.factorize(names)[0]
        score, bias = _means(pd.DataFrame([score, bias]).T.groupby(codes)).to_numpy().T
    z, standard = _reach(ci_prob), (bias - bias.mean()) / (bias.std() or 1)
    less, more = score[standard < -abs(sds)], score[standard > abs(sds)]
    if not (m := len(less)) or not (n := len(more)):
        raise ValueError(
            f"some models must be over {sds:g} sd below the mean bias, and some {sds:g} sd above it"
        )
    accuracy = _area(less, more)

    def excess(theta: float) -> float:
        variance = theta * (1 - theta) / (m * n)
        ratio = (1 - theta) / (2 - theta) + theta / (1 + theta)
        return float((accuracy - theta) ** 2 - z**2 * variance * (1 + ((m + n) / 2 - 1) * ratio))

    # At the accuracy itself the excess is negative; at 0 and 1 it has a false root there.
    low = optimize.brentq(excess, 0, accuracy - 1e-9) if accuracy > 0 else 0.0
    high = optimize.brentq(excess, accuracy + 1e-9, 1) if accuracy < 1 else 1.0
    return {"accuracy": accuracy, "low": low, "high": high, "n_less": m, "n_more": n}


def _reach(ci_prob: float) -> float:
    return float(stats.norm.interval(check_probability(ci_prob))[1])


def _area(low: FloatArray, high: FloatArray) -> float:
    """Return the share of pairs in which `high` exceeds `low`; ties count half."""
    if not low.size or not high.size:
        return float("nan")
    ends = [np.searchsorted(np.sort(low), high, side) for side in ("left", "right")]
    return float(np.mean(ends) / len(low))


def _coefficient(both: FloatArray, method: str) -> float:
    values = pd.DataFrame(both.T).rank().to_numpy().T if method == "spearman" else both
    return float(np.clip(np.corrcoef(values)[0, 1], -1, 1))


def _means(groups: DataFrameGroupBy[Any, Any]) -> pd.DataFrame:
    """Return the means of groups, which are exact if all values of a group are equal."""
    return groups.mean().clip(groups.min(), groups.max())


def _finite(name: str, values: ArrayLike, n: int) -> FloatArray:
    text = f"{name} must be finite numbers, as many as in the other arguments ({n})"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{text}; got {values!r:.80}") from None
    if array.shape != (n,) or not np.isfinite(array).all():
        raise ValueError(text)
    return array


def _numbers(name: str, column: pd.Series) -> FloatArray:
    """Return a column as numbers; name the first value that is not a finite number."""
    numbers = real_numbers(column, truth=True)
    if (wrong := ~np.isfinite(numbers)).any():
        row = int(wrong.argmax())
        value = column.tolist()[row]
        raise ValueError(
            f"the column {name} must be finite numbers; got {value!r:.60} in row {row}"
        )
    return numbers


def _true_or_false(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name} must be true or false for every sample")
    return np.asarray(values).astype(bool)
