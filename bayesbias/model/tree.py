"""Read the draws, labels, and design of a posterior, an `xarray.DataTree`."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast
from weakref import finalize

import numpy as np

from .._core.arrays import FloatArray
from .._core.warnings import BayesbiasWarning, from_dict, to_dict
from .design import COVARIATE, ROW_PARTS, Design
from .spec import ModelSpec, spec_from_dict

if TYPE_CHECKING:
    import xarray
    from xarray import Dataset

type DataTree = xarray.DataTree
"""A posterior, as ArviZ has it; xarray loads when one is made."""

ROW_INDICES = {
    "protected_word": "word_index",
    "connection": "connection_index",
    "stereotype_connection": "stereotype_connection_index",
    "attribute": "attribute_index",
    "attribute_kind": "kind_index",
    "attribute_set": "set_index",
    "attribute_column": "column_index",
    "protected_group": "row_group_index",
    "context": "context_index",
}
"""Names of the row indices in ``constant_data``, keyed by dimension."""

LIKENESS = {"protected_word": "word_likeness", "attribute": "attribute_likeness"}
"""Names of the `likeness` matrices in ``constant_data`` and in designs."""

_INDEXED = {name: dim for dim, name in ROW_INDICES.items()} | {"group_index": "protected_group"}

SAMPLED = ("chain", "draw")
"""Dimensions of draws."""


def variable_dims(spec: ModelSpec) -> dict[str, tuple[str, ...]]:
    """Return the dimensions of a model's variables, except for chain and draw."""
    means = ("protected_word", "connection")
    dims = {"connection_mean": means[1:], "word_mean": means, "sigma": spec.sigma_dims, "nu": ()}
    for term in spec.terms:
        dims |= {term.name: term.dims, term.sd: term.sd_dims}
        if term.correlated:
            dims[term.correlation] = dims[term.correlation_factor] = term.correlation_dims
    return dims


def spec_of(tree: DataTree) -> ModelSpec:
    """Return the model that a posterior was fitted with."""
    return _read_spec(str(_attribute(tree, "spec")))


@lru_cache(maxsize=64)
def _read_spec(text: str) -> ModelSpec:
    """Read a model from JSON, once for each text."""
    content = json.loads(text)
    if not isinstance(content, dict) or "name" not in content:
        raise ValueError(f"{text:.60} is not a model")
    return spec_from_dict(content)


GROUPS = ("posterior", "constant_data", "observed_data")
"""Parts of a posterior that its design is read from."""

_DESIGNS: dict[int, tuple[list[object], Design]] = {}
"""Designs of posteriors by `id`, and the variables that they were read from."""


def design_of(tree: DataTree) -> Design:
    """Return the design that a posterior was fitted to; it is read once while nothing changes."""
    require_posterior(tree)
    sources: list[object] = [
        variable
        for group in GROUPS
        for name, variable in _group(tree, group).variables.items()
        if group != "posterior" or name in tree[group].coords
    ]
    known = _DESIGNS.get(id(tree))
    if known is None:
        finalize(tree, _DESIGNS.pop, id(tree), None)
    if known is None or [*map(id, known[0])] != [*map(id, sources)]:
        known = _DESIGNS[id(tree)] = sources, _read_design(tree)
    return known[1]


def _read_design(tree: DataTree) -> Design:
    constants = tree["constant_data"]
    names = {
        dim: tuple(labels(tree, dim)) for dim, name in ROW_INDICES.items() if name in constants
    }
    row = {dim: index_of(tree, ROW_INDICES[dim]) for dim in names}
    kind = np.zeros(len(names["attribute"]), dtype=np.int64)
    kind[row["attribute"]] = row["attribute_kind"]
    parts: dict[str, Any] = {}
    for dim, part in ROW_PARTS.items():
        if dim in names:
            parts |= {f"{part}s": names[dim], part: row[dim]}
    if "covariates" in constants:
        parts |= {"covariates": tuple(labels(tree, COVARIATE)), "x": constants["covariates"].values}
        if "covariate_unit" in constants:
            parts["covariate_unit"] = constants["covariate_unit"].values
    for name in (*LIKENESS.values(), "attribute_rank"):
        if name in constants:
            parts[name] = np.asarray(constants[name].values, dtype=np.float64)
    return Design(
        groups=names["protected_group"],
        kinds=names["attribute_kind"],
        word_group=index_of(tree, "group_index"),
        attribute_kind=kind,
        y=observed(tree),
        outcome=outcome_of(tree),
        **parts,
    )


def varying(tree: DataTree) -> Dataset:
    """Return the posterior without its constants, which have no R-hat.

    Correlation matrices keep only the entries below the diagonal, and factors are dropped.
    """
    dataset: Dataset = tree["posterior"].to_dataset().transpose(*SAMPLED, ...)
    for term in spec_of(tree).terms:
        if term.correlated:
            matrix, names = dataset[term.correlation].values, labels(tree, term.by)
            dataset = dataset.drop_vars([term.correlation, term.correlation_factor])
            rows, columns = np.tril_indices(len(names), -1)
            if len(rows):  # none for a single level
                pair = f"{term.correlation}_pair"
                dataset[term.correlation] = (*SAMPLED, pair), matrix[..., rows, columns]
                pairs = [f"{names[c]}, {names[r]}" for r, c in zip(rows, columns, strict=True)]
                dataset = dataset.assign_coords({pair: pairs})
    return dataset


def keep_warnings(tree: DataTree, doubts: Iterable[BayesbiasWarning]) -> None:
    """Store a posterior's warnings in its attributes; `warnings_of` returns them."""
    tree.attrs["warnings"] = json.dumps([to_dict(doubt) for doubt in doubts])


def warnings_of(tree: DataTree) -> tuple[BayesbiasWarning, ...]:
    """Return a posterior's warnings; the tuple is empty if all checks passed."""
    return tuple(map(from_dict, json.loads(str(_attribute(tree, "warnings")))))


def n_draws(tree: DataTree) -> int:
    """Return the total number of draws in a posterior's chains."""
    sizes = _group(tree, "posterior").sizes
    _require_chains(sizes)
    return int(np.prod([sizes[name] for name in SAMPLED]))


def _require_chains(sizes: Mapping[Hashable, int]) -> None:
    """Raise a ValueError if a chain or draw was selected as a scalar, or none was."""
    for dim in SAMPLED:
        if dim not in sizes:
            raise ValueError(
                f"the posterior has no dimension {dim}; select a list, such as post.sel({dim}=[0])"
            )
        if not sizes[dim]:
            raise ValueError(f"the posterior has no values along {dim}; select some")


def stacked(tree: DataTree, name: str) -> FloatArray:
    """Return a variable's draws as a float64 (chains * draws, ...) array, chain after chain."""
    require_posterior(tree)
    if name not in tree["posterior"]:
        if "before" in tree["constant_data"] and "before" not in tree.children:
            raise ValueError(
                f"this posterior has no draws of {name}, because bb.posterior_at keeps only means"
            )
        raise ValueError(
            f"this posterior has no draws of {name}. If it comes from a file, save the original "
            "again with the effects of attributes: bb.save_posterior(post, path, effects=True)"
        )
    drawn = tree["posterior"][name]
    _require_chains(drawn.sizes)
    dims = variable_dims(spec_of(tree)).get(name, ()) if "spec" in tree.attrs else ()
    own = [dim for dim in dims if dim in drawn.dims]
    values = drawn.transpose(*SAMPLED, *own, ...).values.astype(np.float64)
    if np.isnan(values).any():
        raise ValueError(f"draws of {name} contain NaN; leave out these draws")
    return np.asarray(values.reshape(-1, *values.shape[2:]))


def outcome_of(tree: DataTree) -> str:
    """Return the outcome's name: ``cosine_distance`` unless the design has another outcome."""
    return str(next(iter(_group(tree, "observed_data").data_vars)))


def spread_of(tree: DataTree) -> float:
    """Return the sd of stereotype distances, before any change, averaged over tables."""
    require_posterior(tree)
    if "spread" in tree.attrs:
        return float(tree.attrs["spread"])
    design, before = design_of(tree), tree["constant_data"].get("before")
    return (design if before is None else replace(design, y=before.to_numpy())).spread


def observed(tree: DataTree) -> FloatArray:
    """Return the modeled outcome as an (n_rows,) array."""
    name = outcome_of(tree)
    return np.asarray(tree["observed_data"][name].values, dtype=np.float64)


def index_of(tree: DataTree, name: str) -> np.ndarray:
    """Return an index of the rows (such as ``word_index``) or of the words (``group_index``).

    Raise a ValueError if the labels of the index were selected or reordered.
    """
    constants = tree["constant_data"]
    index = np.asarray(constants[name].values, dtype=np.int64)
    dim = _INDEXED[name]
    names = np.array([*labels(tree, dim), ""], dtype=object)  # an index of -1 has no label
    last = len(names) - 1
    expected = names[np.minimum(index, last)]
    changed = bool(index.max(initial=-1) >= last)
    if name == "group_index":
        rows = (constants.coords[f"row_{of}"].values for of in ("protected_word", dim))
        group_of: dict[str, str] = dict(zip(*rows, strict=True))
        words = labels(tree, "protected_word")
        changed |= any(group_of.get(w) != g for w, g in zip(words, expected, strict=True))
    elif f"row_{dim}" in constants.coords:
        changed |= bool((constants.coords[f"row_{dim}"].values != expected).any())
    if changed:
        raise ValueError(
            f"labels of {dim} were selected or reordered after the fit, but the rows of the table "
            "were not; pass the whole posterior, and then select rows of the resulting frame"
        )
    return index


def labels(tree: DataTree, dim: str) -> list[str]:
    """Return the names along a dimension of the posterior."""
    require_posterior(tree)
    for group in ("posterior", "constant_data"):
        if dim in tree[group].coords:
            names = tree[group].coords[dim].values
            if names.ndim == 0:
                raise ValueError(
                    f"{names.item()!r} was selected as a scalar, which drops the dimension {dim}; "
                    f"select a list, such as post.sel({dim}=[{names.item()!r}])"
                )
            return [str(label) for label in names]
    _attribute(tree, "spec")  # raises an error if PyMC made the draws
    raise ValueError(f"this posterior has no dimension {dim!r}")


class Analyzed(Protocol):
    """A result that contains a posterior, such as that of `bb.analyze`."""

    @property
    def posterior(self) -> DataTree:
        """The posterior."""


def posterior_in(found: DataTree | Analyzed) -> DataTree:
    """Return a posterior, or the posterior that a result contains."""
    tree = found if hasattr(found, "children") else getattr(found, "posterior", found)
    require_posterior(tree)
    return cast("DataTree", tree)


def require_posterior(tree: object) -> None:
    """Raise a TypeError for anything other than a posterior, such as a table."""
    if not hasattr(tree, "children"):
        raise TypeError(
            "a posterior from bb.fit or bb.fit_change is needed; got "
            f"{type(tree).__name__}. Make one from a table with bb.fit(table)"
        )


def is_of_many(tree: DataTree) -> bool:
    """Return whether a posterior is that of many embeddings, from `fit_many`."""
    return "posterior" in tree.children and "average" in tree["posterior"].data_vars


def _attribute(tree: DataTree, name: str) -> object:
    require_posterior(tree)
    if name not in tree.attrs:
        raise ValueError(f"this DataTree has no model of single distances; {_whose(tree)}")
    return tree.attrs[name]


def _group(tree: DataTree, name: str) -> DataTree:
    """Return a part of a posterior, or raise a ValueError that says where to go."""
    require_posterior(tree)
    if name not in tree.children:
        raise ValueError(f"this DataTree has no group {name!r}; {_whose(tree)}")
    return tree.children[name]


def _whose(tree: DataTree) -> str:
    """Return what to do with a posterior that has no design."""
    drawn = {*tree["posterior"].data_vars} if "posterior" in tree.children else set()
    if is_of_many(tree):
        return "for many embeddings, see bb.rank_embeddings and bb.comparison"
    if "overall_share" in drawn:
        return "for pairs of sentences, see bb.maskedlm.pair_summary and model_contrasts"
    return (
        "pass the whole posterior or, if PyMC or nutpie sampled it from bb.build_model(table), "
        "convert it with bb.from_pymc(idata, table)"
    )
