"""Posteriors in netCDF files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .._core.files import replace_file
from .tree import in_order

if TYPE_CHECKING:
    from xarray import DataTree


def save_posterior(tree: DataTree, path: str | Path) -> None:
    """Write a posterior to a netCDF file, whole or not at all.

    HDF5 ends the process when a disk is full. So the file is made in memory, which takes its size
    once more, and written as any other.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.save_posterior(post, "post.nc")  # doctest: +SKIP
    """
    with tree.to_netcdf(engine="h5netcdf") as view:  # kept, it can end Python 3.12 at its exit
        content = bytes(view)
    with replace_file(path) as temporary:
        temporary.write_bytes(content)


def load_posterior(path: str | Path) -> DataTree:
    """Read a posterior that `save_posterior` wrote.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no file, or it is not a posterior of this package.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> import tempfile
    >>> path = f"{tempfile.mkdtemp()}/post.nc"
    >>> bb.save_posterior(bb.fit(table, seed=1), path)
    >>> bb.load_posterior(path).attrs["model"]
    'by-group'
    """
    import xarray as xr

    if not Path(path).is_file():
        raise FileNotFoundError(f"no posterior at {path}")
    try:
        with xr.open_datatree(path, engine="h5netcdf") as opened:
            tree = opened.load()
            if "posterior" in tree:
                tree["posterior"] = in_order(tree["posterior"].to_dataset())
    except OSError as error:
        raise ValueError(f"{path} is not a netCDF file: {error}") from None
    if "posterior" not in tree.children or "spec" not in tree.attrs:
        raise ValueError(f"{path} does not hold a posterior fitted by bayesbias")
    return tree
