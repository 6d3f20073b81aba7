"""How a posterior was sampled, in numbers: what a methods section states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..model.tree import varying

if TYPE_CHECKING:
    from xarray import DataTree

OF_EXACT = ("pareto_k", "importance_ess", "n_proposals")
"""Statistics of the exact sampler."""


def diagnostics(tree: DataTree) -> pd.DataFrame:
    """Return the diagnostics of a posterior.

    Parameters
    ----------
    tree : DataTree
        A posterior from `fit`.

    Returns
    -------
    DataFrame
        ``diagnostic`` and ``value``: ``chains``, ``draws`` of each; of the exact sampler
        ``pareto_k``, ``importance_ess`` and ``n_proposals``; of NUTS ``divergences``, the largest
        ``rhat``, and the smallest ``ess_bulk`` and ``ess_tail`` of all parameters.
    """
    import arviz as az

    stats, sizes = tree["sample_stats"], tree["posterior"].sizes
    found: dict[str, float] = {"chains": sizes["chain"], "draws": sizes["draw"]}
    if "pareto_k" in stats:
        found |= {name: float(stats[name]) for name in OF_EXACT}
    else:
        posterior = varying(tree)
        found["divergences"] = int(stats["diverging"].sum())
        found["rhat"] = max(float(each.max()) for each in az.rhat(posterior).data_vars.values())
        for kind in ("bulk", "tail"):
            ess = az.ess(posterior, method=kind).data_vars.values()
            found[f"ess_{kind}"] = min(float(each.min()) for each in ess)
    return pd.DataFrame({"diagnostic": list(found), "value": list(map(float, found.values()))})
