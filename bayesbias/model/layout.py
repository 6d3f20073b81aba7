"""Arrange and label draws as a posterior, an `xarray.DataTree`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.arrays import FloatArray
from .design import COVARIATE, Design
from .spec import ModelSpec
from .tree import LIKENESS, ROW_INDICES, SAMPLED, variable_dims

if TYPE_CHECKING:
    from xarray import Dataset, DataTree


def assemble(
    design: Design,
    spec: ModelSpec,
    values: Mapping[str, FloatArray],
    *,
    chains: int = 1,
    log_density: FloatArray | None = None,
    diagnostics: Mapping[str, float] | None = None,
) -> DataTree:
    """Arrange (chains * draws, ...) independent draws in ArviZ's layout, and add their model.

    The (chains * draws,) ``log_density`` and the ``diagnostics`` are stored in ``sample_stats``.
    """
    from xarray import DataTree

    dims, n_draws = variable_dims(spec), len(next(iter(values.values())))
    sampled = {"chain": np.arange(chains), "draw": np.arange(n_draws // chains)}
    labels = _coordinates(design).assign_coords(sampled | spec.correlation_coords(design))
    posterior = _of_draws(labels, {name: (dims[name], drawn) for name, drawn in values.items()})
    stats = _of_draws(labels, {} if log_density is None else {"lp": ((), log_density)})
    groups = {"posterior": in_order(posterior), "sample_stats": stats.assign(diagnostics or {})}
    tree = DataTree.from_dict(groups | _data(design, labels))
    describe(tree, spec)
    return tree


def _of_draws(labels: Dataset, values: Mapping[str, tuple[tuple[str, ...], FloatArray]]) -> Dataset:
    """Split variables, (chains * draws, ...), into chains and draws, and add labels."""
    shape = labels.sizes["chain"], labels.sizes["draw"]
    laid_out = {
        name: ((*SAMPLED, *dims), drawn.reshape(*shape, *drawn.shape[1:]))
        for name, (dims, drawn) in values.items()
    }
    used = {dim for dims, _ in laid_out.values() for dim in dims}
    return labels.drop_dims(set(labels.dims) - used).assign(laid_out)


def in_order(dataset: Dataset) -> Dataset:
    """Return a dataset with its variables in an order that ArviZ labels correctly.

    ArviZ stacks values in the order in which dimensions first occur in a dataset, but labels them
    in each variable's order. With ``connection_mean`` before ``word_mean``, labels would be wrong.
    """
    dims = {str(name): values.dims for name, values in dataset.data_vars.items()}
    before = {
        dim: {first for own in dims.values() if dim in own for first in own[: own.index(dim)]}
        for dim in dataset.dims
    }
    present: set[object] = set()
    names: list[str] = []
    while rest := [name for name in dims if name not in names]:
        fits = (n for n in rest if all(before[d] <= present | set(dims[n]) for d in dims[n]))
        names.append(next(fits, rest[0]))
        present |= set(dims[names[-1]])
    return dataset[names]


def complete(tree: DataTree, design: Design, spec: ModelSpec) -> None:
    """Add the other groups of a posterior to PyMC's draws, and apply constraints to effects.

    Creation and sampling times are removed, so that identical fits produce identical files.
    """
    drawn = tree["posterior"].to_dataset()
    for term in spec.terms:
        free = drawn[term.name]
        drawn[term.name] = free.copy(data=term.projected(free.values, design))
    drawn["sigma"] = np.hypot(drawn["sigma"], design.rounding)
    tree["posterior"] = in_order(drawn)
    for group, dataset in _data(design, _coordinates(design)).items():
        tree[group] = dataset
    for node in tree.subtree:
        for name in ("created_at", "sampling_time"):
            node.attrs.pop(name, None)


def add_draws(tree: DataTree, group: str, values: Mapping[str, FloatArray]) -> None:
    """Add a group of values with shape (chains * draws,), or (chains * draws, n_rows) for rows."""
    labels = tree["posterior"].to_dataset().coords.to_dataset()
    if any(drawn.ndim > 1 for drawn in values.values()):
        labels = labels.assign_coords(tree["observed_data"].to_dataset().coords)
    tree[group] = _of_draws(labels, {n: (("row",)[: v.ndim - 1], v) for n, v in values.items()})


def _data(design: Design, labels: Dataset) -> dict[str, Dataset]:
    """Return the groups of a design; PyMC requires indices with the type of ``pm.Data``."""
    constants: dict[str, Any] = {
        name: ("row", design.codes(dim).astype(np.int32))
        for dim, name in ROW_INDICES.items()
        if dim in design.coords
    }
    constants["group_index"] = ("protected_word", design.word_group.astype(np.int32))
    for dim, name in LIKENESS.items():
        if (matrix := getattr(design, name)).size:
            constants[name] = (dim, f"{dim}_other"), matrix.astype(np.float32)
    if np.isfinite(design.attribute_rank).any():
        constants["attribute_rank"] = "attribute", design.attribute_rank
    if design.covariates:
        constants["covariates"] = ("row", COVARIATE), design.x
        constants["covariate_unit"] = COVARIATE, design.covariate_unit
    of_design = labels.drop_dims(set(labels.dims) - {*design.coords, "row"})
    of_rows = labels.drop_dims(set(labels.dims) - {"row"})
    return {
        "observed_data": of_rows.assign({design.outcome: ("row", design.y)}),
        "constant_data": of_design.assign(constants),
    }


def _coordinates(design: Design) -> Dataset:
    """Return the labels of all dimensions, with one index for all groups that share them.

    Each row has a number and, for each dimension in ``ROW_INDICES``, a label like
    ``row_attribute``, which is empty for an index of -1.
    """
    import xarray as xr

    names = design.coords
    of_rows = {
        f"row_{dim}": ("row", np.array([*names[dim], ""], dtype=object)[design.codes(dim)])
        for dim in ROW_INDICES
        if dim in names
    }
    return xr.Dataset(coords={**names, "row": np.arange(len(design.y)), **of_rows})


def describe(tree: DataTree, spec: ModelSpec, **origin: str) -> None:
    """Write a posterior's model and origin (method, seed, ...) into its attributes."""
    tree.attrs |= {
        "spec": json.dumps(spec.to_dict()),
        "model": spec.name,
        **origin,
        "versions": json.dumps(versions()),
    }


@cache
def versions() -> dict[str, str]:
    """Return the versions of the software that made a posterior."""
    return {name: version(name) for name in ("bayesbias", "pymc", "arviz", "numpy")}
