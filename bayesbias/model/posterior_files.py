"""Save posteriors to netCDF files, and load them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from .._core.checks import check_path
from .._core.files import replace_file
from .._core.resources import no_file
from .layout import in_order
from .tree import SAMPLED, is_of_many, require_posterior, spec_of, variable_dims

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

EFFECTS = {"attribute", "row"}
"""Dimensions that grow with the table; nearly all of a posterior's numbers lie along one."""


def save_posterior(tree: DataTree, path: str | Path, *, effects: bool = False) -> None:
    """Write a posterior to a netCDF file. If writing fails, an existing file stays unchanged.

    Vector draws are saved in single precision, which changes contrasts by less than a millionth.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`, `fit_change`, or `fit_many`.
    path : str or path
        Path of the file; it should end in .nc.
    effects : bool
        Whether to also save the effects of attributes, and groups such as ``log_likelihood``. The
        effects are needed for predictive checks, prior sensitivity, scores, model comparison,
        and the option ``listed``. With 300 attributes, they make the file six times as large.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/post.nc"
    >>> bb.save_posterior(post, path)
    >>> bb.load_posterior(path).attrs["model"]
    'by-group'
    """
    import h5netcdf

    require_posterior(tree)
    if not _is_readable(tree):
        raise ValueError(
            "this DataTree is not a posterior that bb.load_posterior can read; save it with its "
            "own method, to_netcdf"
        )
    from xarray.backends import H5NetCDFStore

    content, fast = BytesIO(), {"zlib": True, "complevel": 1}
    # HDF5 ends the process if the disk is full, so the file is made in memory. A tree's own method
    # imports Dask's scheduler, if it is installed, to lock the file.
    with h5netcdf.File(content, "w") as file:
        for node in tree.subtree:
            whole = node.to_dataset().compute()
            group = _lighter(whole, effects=effects)
            if len(group) or not len(whole):
                place = file if node.path == "/" else file.create_group(node.path)
                compressed = {name: fast for name, v in group.variables.items() if v.ndim}
                group.dump_to_store(H5NetCDFStore(place), encoding=compressed)
    with replace_file(path) as temporary:
        temporary.write_bytes(content.getvalue())


def _lighter(group: Dataset, *, effects: bool) -> Dataset:
    """Convert draws of vectors to single precision; drop draws that grow with the table."""
    if "draw" not in group.dims:
        return group
    if not effects:
        group = group.drop_dims(EFFECTS & set(map(str, group.dims)))
    return group.map(lambda v: v.astype("f4") if v.ndim > 2 and v.dtype == "f8" else v)


def load_posterior(path: str | Path) -> DataTree:
    """Read a posterior that `save_posterior` wrote.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file does not exist, or does not contain a posterior from this package.

    Examples
    --------
    >>> import bayesbias as bb
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/post.nc"
    >>> bb.save_posterior(post, path)
    >>> bb.load_posterior(path).attrs["model"]
    'by-group'
    """
    import h5py
    import xarray as xr

    check_path("a posterior to load", path)
    path = Path(path).expanduser()
    if not path.is_file():
        raise no_file("posterior", path)
    try:
        with h5py.File(path) as file:  # if this fails, h5netcdf would print a traceback
            file.attrs.get("_nc3_strict")
        with xr.open_datatree(path, engine="h5netcdf") as opened:
            tree = opened.load()
            for name, node in tree.children.items():
                group = node.to_dataset()
                if "draw" in group.dims:
                    double = group.map(lambda v: v.astype("f8") if v.dtype == "f4" else v)
                    tree[name] = in_order(double) if name == "posterior" else double
    except (OSError, RuntimeError, KeyError, ValueError) as error:  # h5py's errors for damage
        raise ValueError(f"{path} is damaged, or is not a netCDF file: {error}") from None
    if not _is_readable(tree):
        raise ValueError(f"{path} does not contain a posterior fitted by bayesbias")
    if not is_of_many(tree):
        try:
            _require_draws_of_model(tree)
        except (ValueError, TypeError, KeyError) as error:  # of a model without what it needs
            raise ValueError(f"the model in {path} is damaged, or is refused: {error}") from None
    return tree


def _is_readable(tree: DataTree) -> bool:
    return "posterior" in tree.children and ("spec" in tree.attrs or is_of_many(tree))


def _require_draws_of_model(tree: DataTree) -> None:
    """Raise an error if the model is damaged, or if its parameters have other draws."""
    drawn = tree["posterior"].to_dataset()
    selected = {name for name, values in drawn.coords.items() if not values.ndim}
    free = selected.union(SAMPLED)  # the user may have selected one level
    for name, dims in variable_dims(spec_of(tree)).items():
        if name in drawn and not {*drawn[name].dims} ^ {*dims} <= free:
            raise ValueError(f"draws of {name} have the dimensions {[*drawn[name].dims]}")
