"""Convert draws that PyMC, nutpie, NumPyro, or ADVI made of a model into a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from .._core.random import Seed, as_seed_sequence
from ..model.covariates import made_design
from ..model.defaults import RECOMMENDED
from ..model.design import Design
from ..model.layout import complete
from ..model.spec import ModelSpec, Priors, load_model
from ..model.tree import variable_dims
from ..tables.schema import checked, fitted_hash
from .doubts import describe_fit
from .pymc_models import with_effects
from .reduction import collapse

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

PRECISION = 1e-6
"""Largest gap between equal distances: draws may be kept in single precision."""

_SAMPLED = ("chain", "draw")


def from_pymc(
    idata: DataTree | Dataset,
    table: pd.DataFrame,
    model: str | Path | ModelSpec = RECOMMENDED["distance"],
    priors: Priors | None = None,
    *,
    covariates: str | Sequence[str] = (),
    seed: Seed = None,
) -> DataTree:
    """Convert draws of a model from `build_model` to this package's format.

    If the model was collapsed, means and effects are drawn from their exact conditional.

    Parameters
    ----------
    idata : DataTree, InferenceData, or Dataset
        The result of ``pm.sample(model=bb.build_model(table, model, priors))`` with any sampler, of
        nutpie, or of ``pm.fit(...).sample()``. Chains, draws, and other dimensions can have any
        order, numbers any precision, and a single selected chain counts as one chain.
    table, model, priors, covariates
        The arguments that you passed to `build_model`.
    seed : int, SeedSequence, Generator, or None
        Seed for the effects of a collapsed model.

    Returns
    -------
    xarray.DataTree
        A posterior like one from `fit`, with the same sampling warnings.

    Raises
    ------
    TypeError, ValueError
        If variables or labels are missing, or are not the model's; if there are no draws, if some
        are not finite, or an sd is not positive; or if the distances that were fitted are not those
        of the table.

    Examples
    --------
    >>> post = bb.from_pymc(pm.sample(model=bb.build_model(table)), table)  # doctest: +SKIP
    """
    design, spec = made_design(table, load_model(model), covariates)
    spec = spec.fitting(design, priors)
    tree = _tree(idata)
    drawn = tree["posterior"].to_dataset()
    collapsed = not {"connection_mean", "word_mean"} & set(drawn.data_vars)
    tree["posterior"] = _checked(drawn, design, spec, collapsed=collapsed)
    _require_same_rows(tree, design)
    if collapsed:
        tree = with_effects(tree, collapse(design, spec), default_rng(as_seed_sequence(seed)))
    else:
        complete(tree, design, spec)
    known = "diverging" in tree["sample_stats"]
    origin = {"method": "nuts" if known else "unknown", "method_reason": "sampled by the caller"}
    hashed = design.digest if isinstance(table, Design) else fitted_hash(checked(table))
    describe_fit(tree, spec, **origin, seed="", table_hash=hashed)
    return tree


def _tree(idata: object) -> DataTree:
    """Return draws as a new DataTree with a posterior and statistics, if there are any."""
    from xarray import Dataset, DataTree

    names: Any = getattr(idata, "groups", None)  # a tuple of a DataTree, a method of InferenceData
    if isinstance(idata, Dataset):
        groups = {"posterior": idata}
    elif isinstance(idata, DataTree):
        groups = {node.path: node.to_dataset() for node in idata.subtree}
    elif hasattr(idata, "posterior") and callable(names):
        groups = {name.strip("/"): getattr(idata, name.strip("/")) for name in names()}
    else:
        raise TypeError(
            "draws must be a DataTree, InferenceData, or Dataset, as from pm.sample; got "
            f"{type(idata).__name__}. Convert a MultiTrace with pm.to_inference_data(trace)"
        )
    tree = DataTree.from_dict({path: _with_chains(group) for path, group in groups.items()})
    if "posterior" not in tree.children:
        found = ", ".join(tree.children) or "no groups"
        raise ValueError(f"these draws have no group 'posterior', but {found}; pass all draws")
    if "sample_stats" not in tree.children:
        tree["sample_stats"] = Dataset()
    return tree


def _with_chains(group: Dataset) -> Dataset:
    """Return a group whose chains and draws are dimensions, even if they were stacked or chosen."""
    if "sample" in group.dims and {*_SAMPLED} <= {*group.coords}:
        group = group.unstack("sample")
    for name in _SAMPLED:
        if name in group.coords and name not in group.dims:
            group = group.expand_dims(name)
    return group


def _checked(drawn: Dataset, design: Design, spec: ModelSpec, *, collapsed: bool) -> Dataset:
    """Return a model's variables as float64 with their dimensions in order; refuse any others."""
    not_drawn = {*spec.fixed} | ({"nu"} if spec.likelihood == "normal" else set())
    if collapsed:
        not_drawn |= {"connection_mean", "word_mean", *(term.name for term in spec.terms)}
    dims = {name: of for name, of in variable_dims(spec).items() if name not in not_drawn}
    positive = {"sigma", "nu", *(term.sd for term in spec.terms)}
    labels = design.coords | spec.correlation_coords(design)
    known = {*drawn.coords, *drawn.dims}
    others = [
        dim
        for dim, names in labels.items()
        if dim in known and [*map(str, drawn[dim].values.ravel())] != [*names]
    ]
    lacking, unknown = dims.keys() - set(drawn.data_vars), set(drawn.data_vars) - dims.keys()
    if lacking or others:
        raise ValueError(
            f"draws do not match {spec.name!r} (missing variables: {sorted(lacking)}; missing or "
            f"different labels: {others}); pass the table, model, and priors that you passed to "
            "build_model, and all draws that the sampler returned"
        )
    if unknown:
        raise ValueError(
            f"draws have variables that {spec.name!r} lacks: {sorted(map(str, unknown))}. If the "
            "model was changed by hand, contrasts would ignore the change, so read these draws "
            "with ArviZ. Otherwise, leave the variables out with drop_vars"
        )
    for name, of in dims.items():
        if {*drawn[name].dims} != {*_SAMPLED, *of}:
            raise ValueError(
                f"{name} must have the dimensions {', '.join((*_SAMPLED, *of))}; got "
                f"{', '.join(map(str, drawn[name].dims)) or 'none'}. Select draws with lists, as "
                "in sel(draw=[0, 1]), and sample with the coordinates of build_model"
            )
        values = drawn[name].values
        if not all(drawn.sizes[dim] for dim in _SAMPLED):
            raise ValueError(f"{name} has no draws; pass all draws that the sampler returned")
        odd = ~np.isfinite(values) | (values <= (0 if name in positive else -np.inf))
        if bad := int(odd.sum()):
            what = "NaN, infinite, or not positive" if name in positive else "NaN or infinite"
            raise ValueError(f"{name} has {bad:,} draws that are {what}; sample again")
    arranged = {name: drawn[name].transpose(*_SAMPLED, *of) for name, of in dims.items()}
    return drawn.assign({name: values.astype(np.float64) for name, values in arranged.items()})


def _require_same_rows(tree: DataTree, design: Design) -> None:
    """Raise a ValueError if the fitted distances are known and are not those of the table."""
    if "observed_data" not in tree.children or design.outcome not in tree["observed_data"]:
        return
    fitted = np.asarray(tree["observed_data"][design.outcome].values, dtype=np.float64).ravel()
    if fitted.shape == design.y.shape and np.abs(fitted - design.y).max() <= PRECISION:
        return
    how = f"{len(fitted):,} distances, and the table has {len(design.y):,}"
    if len(fitted) == len(design.y):
        same = np.allclose(np.sort(fitted), np.sort(design.y), rtol=0, atol=PRECISION)
        how = "the same distances in another order" if same else "the distances of another table"
    raise ValueError(
        f"observed_data of these draws has {how}; pass the table that you passed to build_model"
    )
