"""A model as code for other programs: PyMC's that runs by itself, Stan's, or a formula of brms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._core.checks import unknown_name
from ..tables.schema import CONNECTIONS
from .design import ATTRIBUTE_KINDS, make_design
from .priors import FAMILIES
from .spec import ModelSpec, load_model, one_line
from .stan import program_data, stan_program
from .terms import Term
from .tree import spec_of

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


def export_model(source: str | Path | ModelSpec | DataTree, to: str = "pymc") -> str:
    """Write a model as code for another program.

    Parameters
    ----------
    source : str, Path, ModelSpec or DataTree
        As for `load_model`; or a posterior, whose model lacks the terms that add nothing to its
        table. A model has them all.
    to : {"pymc", "stan", "brms"}
        A Python file that needs PyMC and pandas alone, and is run with the path of a table; a Stan
        program, whose data `stan_data` makes; or a formula of brms, without priors, for models of
        crossed effects.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such program, or it cannot say what the model says: residuals that covary,
        slopes of covariates, preferences, and with brms effects that sum to zero or are correlated.

    Examples
    --------
    >>> import bayesbias as bb
    >>> print(bb.export_model("paper", "brms").splitlines()[-1])
    bf(cosine_distance ~ 0 + connection + (0 + connection || protected_word))
    """
    if to not in WRITERS:
        raise ValueError(unknown_name("program", to, WRITERS))
    return WRITERS[to](_exported(source))


def stan_data(table: pd.DataFrame, source: str | Path | ModelSpec | DataTree) -> dict[str, Any]:
    """Make the data of a model's Stan program from a table.

    Parameters
    ----------
    table : DataFrame
        A long-form table.
    source : str, Path, ModelSpec or DataTree
        What the program was written of, by ``export_model(source, "stan")``.

    Returns
    -------
    dict
        Numbers and lists, as ``json.dump`` writes them and Stan's interfaces read them: sizes
        ``n_...``, indices from 1 on in the order of a posterior's coordinates (0 for the set of
        controls, which have none), bases of effects, and ``cosine_distance``.

    Raises
    ------
    ValueError
        As `export_model` and `fit` do; or if the table lacks what a term needs, such as two groups:
        write the program of a posterior of the table, which has no such terms.

    Examples
    --------
    >>> import bayesbias as bb
    >>> wordlist = bb.load_wordlist("religion")
    >>> table = bb.distance_table(bb.load_vectors("glove-demo", wordlist), wordlist)
    >>> bb.stan_data(table, "crossed")["n_connection"]
    4
    """
    spec, design = _exported(source), make_design(table)
    gone = {term.name for term in spec.terms} - {term.name for term in spec.fitting(design).terms}
    if gone:
        raise ValueError(
            f"this table has nothing to say of {', '.join(sorted(gone))}; export the model of a "
            "posterior of it, bb.fit(table), which lacks these terms"
        )
    return program_data(design, spec)


def _exported(source: str | Path | ModelSpec | DataTree) -> ModelSpec:
    """Load the model to be written; a ValueError if no program can say it."""
    spec = load_model(source) if isinstance(source, str | Path | ModelSpec) else spec_of(source)
    faults = [f"{term.name} covaries as vectors do" for term in spec.terms if term.known]
    faults += [f"{term.name} needs covariates" for term in spec.terms if term.is_slope]
    faults += ["it is of preferences"] if spec.likelihood == "probit" else []
    if faults:
        raise ValueError(f"the model {spec.name} cannot be exported: {faults[0]}")
    for name in [*spec.priors, *(term.name for term in spec.terms)]:
        if not name.isidentifier():
            raise ValueError(f"the model {spec.name} calls a variable {name!r}; rename it")
    return spec


def _pymc(spec: ModelSpec) -> str:
    used = {name for term in spec.terms for name in (term.of, term.by, term.sd_by) if name}
    projected = {term.name for term in spec.terms if term.is_projected}
    about = {key: one_line(getattr(spec, key)) for key in ("title", "name", "reference")}
    about["version"] = version("bayesbias")
    parts = [_HEAD.format(**about, connections=list(CONNECTIONS))]
    parts += [_CONTEXT] if "context" in used else []
    parts += [_KINDS.format(kinds=list(ATTRIBUTE_KINDS))] if "attribute_kind" in used else []
    parts += [_SETS] if "attribute_set" in used else []
    parts += [_SIDE] if any(term.contrast for term in spec.terms) else []
    parts += [_BASIS] if any(term.interaction for term in spec.terms) else []
    lines = ["with pm.Model(coords=coords) as model:"]
    lines += [f"    {line}" for line in _variables(spec)]
    start = "0.0" if spec.around_means else 'connection_mean[codes["connection"]]'
    lines += [f"    mu = {start}"]
    for term in spec.summed_terms:
        name = f"{term.name}_in_rows" if term.name in projected else term.name
        place = ", ".join(f'codes["{dim}"]' for dim in term.dims)
        of_rows = f"{name}[{place}]"
        if "attribute_set" in term.dims:  # which controls have none of
            of_rows += ' * (codes["attribute_set"] >= 0)'
        lines += [f"    mu = mu + {of_rows}"]
    sigma = f'sigma[codes["{spec.sigma}"]]' if spec.sigma_dims else "sigma"
    family = "StudentT" if spec.likelihood == "student_t" else "Normal"
    nu = "nu=nu, " if family == "StudentT" else ""
    observed = 'observed=table["cosine_distance"].to_numpy()'
    lines += [
        f'    pm.{family}("cosine_distance", {nu}mu=mu, sigma={sigma}, {observed}, dims="row")',
        "return model",
    ]
    parts += ["".join(f"    {line}\n" for line in lines), _FOOT]
    return "".join(parts)


def _variables(spec: ModelSpec) -> Iterator[str]:
    """Yield a line for every free variable of a model: priors first, then effects."""
    dims = {term.sd: term.sd_dims for term in spec.terms}
    dims |= {"connection_mean": ("connection",), "sigma": spec.sigma_dims, "nu": ()}
    correlated = {term.correlation: term for term in spec.terms if term.correlated}
    for name, prior in spec.priors.items():
        family, why = FAMILIES[prior.family], f"  # {one_line(prior.reason)}".rstrip(" #")
        inside = ", ".join(f"{family.parameters[k][1]}={v}" for k, v in prior.parameters.items())
        if name in correlated:  # by its Cholesky factor
            factor, n = correlated[name].correlation_factor, f'len(coords["{correlated[name].by}"])'
            yield f"{factor} = np.eye({n})"
            yield f"if {n} > 1:"
            yield f'    {factor} = pm.{family.pymc}("{factor}", {inside}, n={n}){why}'
        else:
            of = f', dims="{dims[name][0]}"' if dims[name] else ""
            yield f'{name} = pm.{family.pymc}("{name}", {inside}{of}){why}'
    for term in sorted(spec.terms, key=lambda term: term.of == "protected_word"):
        yield from _effects(term, spec)


def _effects(term: Term, spec: ModelSpec) -> Iterator[str]:
    parent = term.around or "0.0"
    if term.of == "protected_word" and parent in {each.name for each in spec.terms}:
        parent += "[group_of_word]"  # the mean of the word's group
    sd = term.sd
    if term.sd_by not in {"", term.by}:
        sd += "[kind_of_attribute, None]" if term.by else "[kind_of_attribute]"
    dims = f"dims={term.dims}"
    if term.correlated:
        chol = f"pt.atleast_1d({sd})[..., None] * {term.correlation_factor}"
        yield f'{term.name} = pm.MvNormal("{term.name}", {parent}, chol={chol}, {dims})'
    elif term.zero_sum:
        sd = f"pt.atleast_1d({sd})" if term.sd_by else sd
        yield f'{term.name} = pm.ZeroSumNormal("{term.name}", sigma={sd}, {dims})'
    else:
        yield f'{term.name} = pm.Normal("{term.name}", {parent}, {sd}, {dims})'
    if term.contrast:
        yield f"{term.name}_in_rows = pt.dot({term.name}, np.outer(side, side))"
    if term.interaction:
        flat = f"pt.dot(basis @ basis.T, {term.name}.ravel())"
        yield f"{term.name}_in_rows = {flat}.reshape({term.name}.shape)"


def _brms(spec: ModelSpec) -> str:
    terms = ["0 + connection", *(_in_brms(term, spec) for term in spec.terms)]
    sigma = f", sigma ~ 0 + {spec.sigma}" if spec.sigma_dims else ""
    family = ", family = student()" if spec.likelihood == "student_t" else ""
    said = [f"{name} ~ {prior}: {prior.reason}" for name, prior in spec.priors.items()]
    about = [
        f"The model {spec.name} of bayesbias {version('bayesbias')}, for brms. Its priors:",
        *said,
        "brms has the logarithm of a sigma that has a formula of its own.",
    ]
    formula = f"bf(cosine_distance ~ {' + '.join(terms)}{sigma}{family})"
    return "\n".join([*(f"# {one_line(line)}" for line in about), formula])


def _in_brms(term: Term, spec: ModelSpec) -> str:
    plain = not (term.zero_sum or term.correlated or term.is_projected)
    if plain and not term.by and term.sd_by in {"", "attribute_kind"}:
        of = f"gr({term.of}, by = {term.sd_by})" if term.sd_by else term.of
        return f"(1 | {of})"
    if plain and term.around and term.by == term.sd_by:
        return f"(0 + {term.by} || {term.of})"
    raise ValueError(
        f"brms cannot say {term.in_words}; of the model {spec.name} take the PyMC code, or export "
        "one of crossed effects: paper, paper-figures, crossed or robust"
    )


WRITERS: dict[str, Callable[[ModelSpec], str]] = {
    "pymc": _pymc,
    "stan": stan_program,
    "brms": _brms,
}
"""What writes a model, by the program that it is for."""

_HEAD = '''"""{title}.

The model {name} of bayesbias {version}, in PyMC alone: python FILE.py table.csv
{reference}
"""

import sys

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt

CONNECTIONS = {connections}


def build(table):
    """Build the model for a table of distances, one row a pair of words."""
    table = table.assign(connection=table["connection"].astype(str))
    codes, coords = {{}}, {{"row": range(len(table))}}
    for column in ("protected_word", "protected_group", "attribute"):
        codes[column], names = pd.factorize(table[column].astype(str))
        coords[column] = list(names)
    coords["connection"] = [name for name in CONNECTIONS if name in set(table["connection"])]
    codes["connection"] = table["connection"].map(coords["connection"].index).to_numpy()
    group_of_word = np.zeros(len(coords["protected_word"]), dtype=int)
    group_of_word[codes["protected_word"]] = codes["protected_group"]
    own = table["connection"].isin(["associated", "different"]).to_numpy()
'''

_CONTEXT = """    codes["context"], names = pd.factorize(table["context"].astype(str))
    coords["context"] = list(names)
"""

_KINDS = """    kinds = {kinds}
    kind = table["connection"].where(~own, "stereotype").map(kinds.index)
    kind = kind.groupby(codes["attribute"]).min().to_numpy()  # of some group a stereotype
    coords["attribute_kind"] = [kinds[each] for each in np.unique(kind)]
    kind_of_attribute = np.unique(kind, return_inverse=True)[1]
    codes["attribute_kind"] = kind_of_attribute[codes["attribute"]]
"""

_SETS = """    codes["attribute_set"] = np.full(len(table), -1)  # of controls, which have no set
    codes["attribute_set"][own], names = pd.factorize(table["attribute_set"][own].astype(str))
    coords["attribute_set"] = list(names)
"""

_SIDE = """    sides = {"associated": 1.0, "different": -1.0}
    side = np.array([sides.get(name, 0.0) for name in coords["connection"]]) / np.sqrt(2)
"""

_BASIS = """    sizes = len(coords["protected_group"]), len(coords["attribute_set"])
    met = np.full(sizes, -1)  # what each set is to each group
    place = codes["protected_group"][own], codes["attribute_set"][own]
    met[place] = codes["connection"][own]
    known = [np.repeat(np.eye(sizes[0]), sizes[1], axis=1), np.tile(np.eye(sizes[1]), sizes[0])]
    known += [(met == code).reshape(1, -1) for code in range(len(coords["connection"]))]
    basis = np.linalg.svd(np.vstack(known))[2][np.linalg.matrix_rank(np.vstack(known)) :].T
"""

_FOOT = """

if __name__ == "__main__":
    with build(pd.read_csv(sys.argv[1], keep_default_na=False)):
        posterior = pm.sample()
    print(posterior["posterior"]["connection_mean"].mean(["chain", "draw"]).to_series())
"""
