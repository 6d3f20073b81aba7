"""A model as a Stan program, and a table as its data.

Effects are independent standard Normals times their sds, so that Stan's sampler mixes; effects that
sum to zero are mapped from one coordinate fewer by a basis, which is part of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from .design import Design
from .priors import FAMILIES
from .spec import ModelSpec, one_line
from .terms import Term

OF_UNITS = {
    "protected_word": ("protected_group", "group_of_word", "word_group"),
    "attribute": ("attribute_kind", "kind_of_attribute", "attribute_kind"),
}
"""What the levels of a factor have one of: the column, its name in Stan, and in a design."""


def stan_program(spec: ModelSpec) -> str:
    """Write a model as a Stan program; see `export_model`."""
    about = [
        f"{spec.title}. The model {spec.name} of bayesbias {version('bayesbias')}.",
        spec.reference,
        "Its data, as JSON: json.dump(bayesbias.stan_data(table, model), file)",
    ]
    parts = [*(f"// {one_line(line)}" for line in about if line)]
    blocks = {
        "data": _data(spec),
        "parameters": _parameters(spec),
        "transformed parameters": _effects(spec),
        "model": _model(spec),
    }
    for name, lines in blocks.items():
        parts += [f"{name} {{", *(f"  {line}" for line in lines), "}"]
    return "\n".join(parts) + "\n"


def program_data(design: Design, spec: ModelSpec) -> dict[str, Any]:
    """Make the data of a program from a design, whose model it is."""
    data: dict[str, Any] = {"n_row": len(design.y)}
    data |= {f"n_{dim}": len(design.coords[dim]) for dim in _dimensions(spec)}
    data |= {column: (design.codes(column) + 1).tolist() for column in _row_columns(spec)}
    for _, name, field in _unit_columns(spec):
        data[name] = (getattr(design, field) + 1).tolist()
    for term in spec.terms:
        if _has_basis(term):
            basis = _basis(term, design)
            data[f"n_{term.name}_basis"] = basis.shape[1]
            data[f"{term.name}_basis"] = basis.tolist()
    return data | {"cosine_distance": design.y.tolist()}


def _data(spec: ModelSpec) -> Iterator[str]:
    yield "int<lower=0> n_row;"
    yield from (f"int<lower=1> n_{dim};" for dim in _dimensions(spec))
    for column in _row_columns(spec):
        lowest = 0 if column == "attribute_set" else 1  # controls are of no set
        yield f"array[n_row] int<lower={lowest}, upper=n_{column}> {column};"
    for column, name, _ in _unit_columns(spec):
        of = next(of for of, about in OF_UNITS.items() if about[1] == name)
        yield f"array[n_{of}] int<lower=1, upper=n_{column}> {name};"
    for term in filter(_has_basis, spec.terms):
        rows = " * ".join(f"n_{dim}" for dim in (term.dims if term.interaction else term.dims[1:]))
        yield f"int<lower=0> n_{term.name}_basis;"
        yield f"matrix[{rows}, n_{term.name}_basis] {term.name}_basis;"
    yield "vector[n_row] cosine_distance;"


def _parameters(spec: ModelSpec) -> Iterator[str]:
    dims = _prior_dims(spec)
    correlated = {term.correlation: term for term in spec.terms if term.correlated}
    for name, prior in spec.priors.items():
        if name in correlated:
            term = correlated[name]
            yield f"cholesky_factor_corr[n_{term.by}] {term.correlation_factor};"
            continue
        lower = "<lower=0>" if FAMILIES[prior.family].positive else ""
        kind = f"vector{lower}[n_{dims[name]}]" if dims[name] else f"real{lower}"
        yield f"{kind} {name};"
    for term in spec.terms:
        n_by = f"n_{term.name}_basis" if _has_basis(term) else f"n_{term.by}"
        kind = f"matrix[n_{term.of}, {n_by}]" if term.by else f"vector[n_{term.of}]"
        yield f"{f'vector[{n_by}]' if term.interaction else kind} {term.name}_z;"


def _effects(spec: ModelSpec) -> Iterator[str]:
    names = {term.name for term in spec.terms}
    for term in sorted(spec.terms, key=lambda term: term.of == "protected_word"):
        effects = _deviations(term)
        if term.around in names:
            of_groups = f"{term.around}[group_of_word]" if term.of == "protected_word" else ""
            effects = f"{of_groups or term.around} + {effects}"
        elif term.around:
            effects = f"rep_matrix({term.around}', n_{term.of}) + {effects}"
        kind = f"matrix[n_{term.of}, n_{term.by}]" if term.by else f"vector[n_{term.of}]"
        yield f"{kind} {term.name} = {effects};"


def _deviations(term: Term) -> str:
    """A term's effects around zero: standard Normals, mapped and scaled."""
    z, sd, basis = f"{term.name}_z", term.sd, f"{term.name}_basis"
    if term.interaction:
        return f"{sd} * to_matrix({basis} * {z}, n_{term.of}, n_{term.by}, 0)"
    if _has_basis(term):
        z = f"{z} * {basis}'"
    elif term.correlated:
        z = f"{z} * {term.correlation_factor}'"
    if not term.sd_by:
        return f"{sd} * ({z})" if "*" in z else f"{sd} * {z}"
    if term.sd_by == term.by:
        return f"diag_post_multiply({z}, {sd})"
    of_units = f"{sd}[kind_of_attribute]"
    return f"diag_pre_multiply({of_units}, {z})" if term.by else f"{of_units} .* {z}"


def _model(spec: ModelSpec) -> Iterator[str]:
    start = "rep_vector(0, n_row)" if spec.around_means else "connection_mean[connection]"
    yield f"vector[n_row] mu = {start};"
    if spec.summed_terms:
        yield "for (i in 1:n_row) {"
    for term in spec.summed_terms:
        place = ", ".join(f"{dim}[i]" for dim in term.dims)
        some = "if (attribute_set[i] > 0) " if "attribute_set" in term.dims else ""
        yield f"  {some}mu[i] += {term.name}[{place}];"
    if spec.summed_terms:
        yield "}"
    correlated = {term.correlation: term.correlation_factor for term in spec.terms}
    for name, prior in spec.priors.items():
        if not (form := FAMILIES[prior.family].stan):
            raise ValueError(f"priors: Stan has no form of the family {prior.family!r} here")
        reason = f"  // {one_line(prior.reason)}".rstrip(" /")
        yield f"{correlated.get(name, name)} ~ {form.format(**prior.parameters)};{reason}"
    for term in spec.terms:
        flat = f"to_vector({term.name}_z)" if term.by and not term.interaction else f"{term.name}_z"
        yield f"{flat} ~ std_normal();"
    sigma = f"sigma[{spec.sigma}]" if spec.sigma_dims else "sigma"
    family = "student_t(nu, " if spec.likelihood == "student_t" else "normal("
    yield f"cosine_distance ~ {family}mu, {sigma});"


def _has_basis(term: Term) -> bool:
    return term.zero_sum or term.is_projected


def _basis(term: Term, design: Design) -> np.ndarray:
    return term.joint_basis(design) if term.interaction else term.basis(design)


def _prior_dims(spec: ModelSpec) -> dict[str, str]:
    """Name what each parameter has one value for each level of; "" if it is a single one."""
    dims = {term.sd: term.sd_by for term in spec.terms}
    return dims | {"connection_mean": "connection", "sigma": "".join(spec.sigma_dims), "nu": ""}


def _dimensions(spec: ModelSpec) -> list[str]:
    """Name the dimensions that the program has."""
    used = {"connection", *_row_columns(spec), *(column for column, _, _ in _unit_columns(spec))}
    used |= {dim for term in spec.terms for dim in (*term.dims, *term.sd_dims)}
    used |= {of for of, about in OF_UNITS.items() if about in _unit_columns(spec)}
    return sorted(used)


def _row_columns(spec: ModelSpec) -> list[str]:
    """Name the columns whose place in every row the program needs."""
    summed = {dim for term in spec.summed_terms for dim in term.dims}
    return sorted({"connection", *spec.sigma_dims} | summed)


def _unit_columns(spec: ModelSpec) -> list[tuple[str, str, str]]:
    """Name what words and attributes have one of, where the program needs it."""
    names = {term.name for term in spec.terms}
    needed = {"attribute": any(term.sd_by not in {"", term.by} for term in spec.terms)}
    needed["protected_word"] = any(
        term.around in names and term.of == "protected_word" for term in spec.terms
    )
    return [about for of, about in OF_UNITS.items() if needed[of]]
