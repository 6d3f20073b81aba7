"""Fit a model to a table, and return a posterior."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pandas as pd
from numpy.random import Generator, default_rng

from .._core.arrays import one_thread, require_memory
from .._core.checks import Argument, ArgumentError
from .._core.random import as_seed_sequence
from .._core.warnings import warn
from ..model.covariates import with_slopes
from ..model.defaults import RECOMMENDED
from ..model.design import Design
from ..model.frequency import unranked
from ..model.indexing import make_design
from ..model.layout import assemble, complete
from ..model.pymc_model import full_model
from ..model.spec import ModelSpec, Priors, load_model
from ..model.tree import variable_dims
from ..tables.copies import warn_of_repeats
from ..tables.schema import Checked, checked, fitted_hash
from ..warnings import NoLikeness, NoRanks, SeveralEmbeddings
from .doubts import describe_fit
from .exact import sample_exact
from .importance import PARETO_K_LIMIT
from .layout import CannotCollapse
from .options import FitKeywords, FitOptions, fit_options, shows_fit_keywords
from .pymc_models import collapsed_model, with_effects
from .reduction import collapse
from .variation import require_variation

if TYPE_CHECKING:
    import pymc as pm
    from xarray import DataTree

MEMORY_PER_ROW = 1000
"""Bytes of memory that a fit needs for each row, measured with 10⁷ rows."""

TARGET_ACCEPT = 0.85
"""Target share of accepted steps; at .8, one of 4,000 steps may diverge."""

_DRAWS, _NUTS = Argument("draws"), Argument("method", "nuts")
"""Arguments that the warnings tell you to change."""


@shows_fit_keywords
def fit(
    table: pd.DataFrame,
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    *,
    covariates: str | Sequence[str] = (),
    priors: Priors | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Fit a hierarchical model to a long-form table.

    Parameters
    ----------
    table : DataFrame
        A long-form table with the columns in ``COLUMNS``.
    model : str, Path, or ModelSpec
        A bundled model for distances (see `models("distance")`), the path of a model file, or a
        ModelSpec.
    covariates : str or sequence of str
        Columns of numbers whose slopes are estimated with everything else, such as ``share``, or
        products, such as ``log_rank_word:log_rank_attribute``. With ``share:protected_group``,
        each group has a slope. ``log_rank_word`` and ``log_rank_attribute`` follow from the ranks
        in the table. Add other columns with `with_covariate`; `slopes` returns the slopes.
    priors : mapping, optional
        Priors that replace the model's, such as ``{"connection_mean": {"sd": 0.1}}``. Priors are in
        units of distance. In models with ``scale = "spread"``, such as by-group, sds of effects and
        residuals are in units of the sd of stereotype distances.
    options : FitOptions, optional
        Options for the fit; those for intervals and contrasts are ignored.
    **keywords
        Fields of `FitOptions`, which override `options`: ``method="auto"``, ``draws=1000`` per
        chain, ``chains=4``, and ``seed=None`` for a fresh seed. ``tune=1000``,
        ``target_accept``, and ``progressbar=True`` apply only to NUTS.

    Returns
    -------
    xarray.DataTree
        The groups are ``posterior``, ``sample_stats``, ``observed_data``, and ``constant_data``.
        The attributes are ``model``, ``spec``, ``method``, ``method_reason``, ``seed``,
        ``table_hash``, ``versions``, and ``warnings``. `bb.summary` returns the means of groups and
        words. ArviZ summarizes means and sds with
        ``az.summary(post, var_names=["connection_mean", "sigma", "_sd"], filter_vars="like")``.

    Raises
    ------
    ValueError
        If an argument is invalid, if rows contradict each other (such as two groups of a word), or
        if effects determine all rows that share a residual sd.

    Warns
    -----
    SamplingWarning
        If a diagnostic of the sampler, such as R-hat or Pareto k, is outside its limits.
    NoLikeness
        If the model uses the cosines between words, but the table has none.
    NoRanks
        If some stereotypes have no frequency rank and therefore count as average.
    UserWarning
        If rows repeat earlier rows, or their words with other distances, or if they come from
        several embeddings.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> post = bb.fit(table, seed=1)
    >>> dict(post["posterior"].sizes)["draw"]
    1000
    """
    return fit_checked(checked(table), model, covariates, priors, fit_options(options, keywords))


def fit_checked(
    table: Checked,
    model: str | Path | ModelSpec,
    covariates: str | Sequence[str] = (),
    priors: Priors | None = None,
    options: FitOptions | None = None,
) -> DataTree:
    """Fit a model to a table that was checked before; the arguments are those of `fit`."""
    warn_of_repeats(table)
    if len(names := table.coded.get("embedding", ((), ()))[1]) > 1:
        warn(SeveralEmbeddings(tuple(names)))
    spec, valid = load_model(model, "distance"), table.rows
    design, spec = with_slopes(make_design(table), spec, valid, covariates)
    warn_of_unknowns(design, spec)
    return fit_design(design, spec, priors=priors, table_hash=fitted_hash(table), options=options)


@shows_fit_keywords
def fit_design(
    design: Design,
    model: str | Path | ModelSpec,
    *,
    priors: Priors | None = None,
    table_hash: str | None = None,
    options: FitOptions | None = None,
    **keywords: Unpack[FitKeywords],
) -> DataTree:
    """Fit a hierarchical model to a design, for outcomes other than distances.

    The outcome can have any sign and scale. Choose a model whose priors suit the outcome.

    Parameters
    ----------
    design : Design
    table_hash : str, optional
        Hash that identifies the rows. The default is the design's digest.
    model, priors, options, **keywords
        The same as in `fit`.

    Returns
    -------
    xarray.DataTree
        A posterior like one from `fit`; the same errors and sampling warnings apply. The observed
        variable is ``design.outcome``.
    """
    options = fit_options(options, keywords)
    spec = load_model(model).fitting(design, priors)
    require_variation(design, spec)
    _require_memory(design, spec, options)
    sequence = as_seed_sequence(options.seed)
    (child,) = sequence.spawn(1)
    tree, method, reason = _by_method(design, spec, options, default_rng(child))
    origin = {"method": method, "method_reason": reason, "seed": str(sequence.entropy)}
    describe_fit(tree, spec, **origin, table_hash=table_hash or design.digest)
    return tree


def warn_of_unknowns(design: Design, spec: ModelSpec) -> None:
    """Warn if a table has lost cosines that the model uses, or lacks ranks of some stereotypes."""
    if lacks_likeness(design, spec):
        warn(NoLikeness(spec.name))
    lacking, total = unranked(design)
    if lacking:
        warn(NoRanks(len(lacking), total, tuple(lacking)))


def lacks_likeness(design: Design, spec: ModelSpec) -> bool:
    """Return whether a model uses the cosines among words, but they are unknown."""
    return any(term.alike for term in spec.terms) and not design.word_likeness.size


def _require_memory(design: Design, spec: ModelSpec, options: FitOptions) -> None:
    """Raise a MemoryError for too many rows, and an ArgumentError for too many draws."""
    rows = len(design.y)
    require_memory(MEMORY_PER_ROW * rows, f"fitting {rows:,} rows")
    dims, coords = variable_dims(spec), design.coords | spec.correlation_coords(design)
    names = {"connection_mean", "word_mean", *spec.priors, *(term.name for term in spec.terms)}
    numbers = sum(math.prod(len(coords[dim]) for dim in dims[name]) for name in names)
    stored = f"storing {options.draws:,} draws of {options.chains} chains"
    try:
        require_memory(8 * options.draws * options.chains * numbers, stored)
    except MemoryError as error:
        raise ArgumentError(f"{error}; lower ", _DRAWS) from None


def _by_method(
    design: Design, spec: ModelSpec, options: FitOptions, rng: Generator
) -> tuple[DataTree, str, str]:
    """Return a posterior, the method that sampled it, and the reason for that method."""
    method, reason = options.method, "asked for"
    if method == "auto" and spec.likelihood != "normal":
        method, reason = "nuts", f"effects of a {spec.likelihood} model cannot be integrated out"
    if method in {"auto", "exact"}:
        drawn = sample_exact(collapse(design, spec), options.n_draws, rng)
        if method == "auto":
            k = f"Pareto k {drawn.pareto_k:.2f}"
            method, reason = "exact", f"Normal model, {k} below {PARETO_K_LIMIT}"
            if not drawn.pareto_k < PARETO_K_LIMIT:
                method, reason = "nuts", f"{k} of the exact sampler is too high"
        if method == "exact":
            names = ("pareto_k", "importance_ess", "n_proposals", "n_modes")
            tree = assemble(
                design,
                spec,
                drawn.values,
                chains=options.chains,
                log_density=drawn.log_density,
                diagnostics={name: getattr(drawn, name) for name in names},
            )
            return tree, method, reason
    if method == "nuts" and spec.likelihood == "normal":
        try:
            posterior = collapse(design, spec)
        except CannotCollapse as why:
            reason = f"{reason}; NUTS samples all effects, because {why}"
        else:
            reason = f"{reason}; NUTS samples the sds, and effects follow from their conditional"
            once = {"compile_kwargs": {"mode": "CVM"}}  # the likelihood is not worth compiling
            tree = _nuts(collapsed_model(posterior), options, rng, "pymc", **once)
            return with_effects(tree, posterior, rng), method, reason
    backend = "pymc" if method == "nuts" else method
    tree = _nuts(full_model(design, spec), options, rng, backend)
    complete(tree, design, spec)
    return tree, method, reason


def _nuts(
    model: pm.Model,
    options: FitOptions,
    rng: Generator,
    backend: str,
    **more: object,
) -> DataTree:
    """Sample a model with one of the NUTS samplers that PyMC can call, on a thread per chain."""
    import pymc as pm

    if backend != "pymc" and find_spec(backend) is None:
        raise ImportError(f"method={backend!r} needs {backend}: pip install 'bayesbias[samplers]'")
    seeds = [int(seed) for seed in rng.integers(2**31, size=options.chains)]
    with model, one_thread(), warnings.catch_warnings():
        # A first warm-up step may overflow; the sampler then shortens it.
        warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
        warnings.filterwarnings("ignore", "PyTensor could not link to a BLAS", UserWarning)
        tree: DataTree = pm.sample(
            options.draws,
            tune=options.tune,
            chains=options.chains,
            random_seed=seeds if backend == "pymc" else seeds[0],
            nuts_sampler=backend,
            target_accept=options.target_accept or TARGET_ACCEPT,
            progressbar=options.progressbar,
            compute_convergence_checks=False,
            **more,
        )
    return tree
