"""Models as Stan programs: they have the density of the model, by a small reader and by Stan."""

from __future__ import annotations

import json
import re
import subprocess
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from builders import model_named
from scipy import stats
from test_export import TABLE

import bayesbias as bb
from bayesbias.model.design import Design, make_design
from bayesbias.model.effects import draw_effects, draw_parameters
from bayesbias.model.likelihood import expected_rows
from bayesbias.model.priors import partial_correlations
from bayesbias.model.spec import models

N = 3
"""Places at which densities are compared; they are known up to a constant."""

PAIRS = TABLE[TABLE["protected_group"].isin(["one", "two"])]

PROGRAMS = [
    name
    for name in (*models(), "crossed around groups", "crossed by kind")
    if name not in {"kernel", "pairs-signs"}
]


class Numbers(np.ndarray):
    """Arrays that are multiplied as Stan's are, and counted from one."""

    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(self._from_zero(place))

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(self._from_zero(place), value)

    @staticmethod
    def _from_zero(place: Any) -> Any:
        if isinstance(place, tuple):
            return tuple(np.asarray(each) - 1 for each in place)
        return np.asarray(place) - 1

    def __mul__(self, other: Any) -> Any:
        return self @ other if np.ndim(other) else np.multiply(self, other)

    def __rmul__(self, other: Any) -> Any:
        return np.multiply(self, other)

    def __mod__(self, other: Any) -> Any:  # Stan's .*
        return np.multiply(self, other)


def numbers(value: Any) -> Any:
    return np.array(value).view(Numbers) if np.ndim(value) else value


def lkj_corr_cholesky(factor: np.ndarray, eta: float) -> float:
    """Stan reference, section 25.1: the product of L_kk^(K - k + 2 eta - 2) over k from 2 on."""
    n = len(factor)
    powers = n - np.arange(2, n + 1) + 2 * eta - 2
    return float(powers @ np.log(np.diag(np.asarray(factor))[1:]))


FUNCTIONS: dict[str, Any] = {
    "normal": stats.norm.logpdf,
    "std_normal": stats.norm.logpdf,
    "exponential": lambda x, rate: stats.expon.logpdf(x, scale=1 / rate),
    "lognormal": lambda x, mean, sd: stats.lognorm.logpdf(x, sd, scale=np.exp(mean)),
    "gamma": lambda x, shape, rate: stats.gamma.logpdf(x, shape, scale=1 / rate),
    "student_t": stats.t.logpdf,
    "lkj_corr_cholesky": lkj_corr_cholesky,
    "to_vector": np.ravel,
    "to_matrix": lambda x, rows, columns, _: numbers(np.reshape(x, (rows, columns))),
    "rep_matrix": lambda row, n: numbers(np.tile(row, (n, 1))),
    "rep_vector": lambda x, n: numbers(np.full(n, float(x))),
    "diag_pre_multiply": lambda d, m: numbers(np.asarray(d)[:, None] * np.asarray(m)),
    "diag_post_multiply": lambda m, d: numbers(np.asarray(m) * np.asarray(d)),
    "total": np.sum,
    "range": range,
}


def blocks(program: str) -> dict[str, list[str]]:
    found = re.findall(r"^([a-z ]+) \{\n(.*?)^\}", program, flags=re.MULTILINE | re.DOTALL)
    return {name: body.splitlines() for name, body in found}


def declared(lines: list[str]) -> list[tuple[str, str]]:
    """Types and names that a block declares."""
    return [cast(Any, re.match(r"  (.+) (\w+);$", line)).groups() for line in lines]


def in_python(line: str) -> str:
    """A statement of the programs as Python."""
    line = re.sub(r"\s*//.*", "", line.removeprefix("  ")).rstrip(";")
    line = line.replace(" .* ", " % ").replace("'", ".T")
    line = re.sub(r"^(?:vector|matrix)\[.*?\] (\w+ = )", r"\1", line)
    line = re.sub(r"^for \(i in 1:n_row\) \{", "for i in range(1, n_row + 1):", line)
    line = re.sub(r"^(\s*)if \((.+?)\) ", r"\1if \2: ", line)
    line = re.sub(r"^(.+) ~ (\w+)\((.*)\)$", r"density += total(\2(\1, \3))", line)
    return "" if line.strip() == "}" else line.replace(", )", ")")


def evaluated(program: str, given: dict[str, Any]) -> float:
    """Log density of a program at values of its data and parameters."""
    parts = blocks(program)
    code = [in_python(line) for line in (*parts["transformed parameters"], *parts["model"])]
    names = FUNCTIONS | {"density": 0.0} | {key: numbers(value) for key, value in given.items()}
    exec("\n".join(code), names)
    return float(names["density"])


class Recorder:
    """A generator that remembers what it gave."""

    def __init__(self, seed: int) -> None:
        self.rng, self.given = np.random.default_rng(seed), list[np.ndarray]()

    def standard_normal(self, shape: tuple[int, ...]) -> np.ndarray:
        self.given.append(self.rng.standard_normal(shape))
        return self.given[-1]


def drawn(design: Design, spec: bb.ModelSpec) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Our log density at draws from the prior, up to a constant, and Stan's parameters there."""
    values = draw_parameters(design, spec, N, np.random.default_rng(1))
    recorder = Recorder(2)
    values |= draw_effects(design, spec.terms, values, cast(np.random.Generator, recorder))
    ordered = sorted(spec.terms, key=lambda term: term.of == "protected_word")
    z = {
        f"{term.name}_z": given if term.by else given[..., 0]
        for term, given in zip(ordered, recorder.given, strict=True)
    }
    density = sum(-(each**2).reshape(N, -1).sum(axis=1) / 2 for each in z.values())
    for name, prior in spec.priors.items():
        density = density + prior.log_density(values[name]).reshape(N, -1).sum(axis=1)
    for term in spec.terms:
        if term.correlated:  # of the factor, whose product with itself has the LKJ density
            diagonal = np.diagonal(values[term.correlation_factor], axis1=1, axis2=2)
            n = diagonal.shape[1]
            density = density + np.log(diagonal) @ np.maximum(n - 1 - np.arange(n), 0)
    mu = expected_rows(spec, design.codes, values.__getitem__)
    sigma = values["sigma"]
    sd = sigma[:, design.codes(spec.sigma)] if sigma.ndim > 1 else sigma[:, None]
    if "nu" in values:
        rows = stats.t.logpdf(design.y, values["nu"][:, None], mu, sd)
    else:
        rows = stats.norm.logpdf(design.y, mu, sd)
    every = values | z
    return density + rows.sum(axis=1), [{k: v[at] for k, v in every.items()} for at in range(N)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_density_of_the_model(name: str) -> None:
    design, spec = make_design(TABLE), model_named(name)
    spec = spec.fitting(design)
    program, data = bb.export_model(spec, "stan"), bb.stan_data(TABLE, spec)
    ours, places = drawn(design, spec)
    theirs = [evaluated(program, json.loads(json.dumps(data)) | place) for place in places]
    assert np.ptp(ours) > 0.1
    np.testing.assert_allclose(np.diff(theirs), np.diff(ours), rtol=1e-9)


@pytest.mark.parametrize("table", [TABLE, PAIRS], ids=["three groups", "two"])
def test_data_has_what_the_program_declares(table: pd.DataFrame) -> None:
    spec = bb.load_model("maximal").fitting(make_design(table))
    data = bb.stan_data(table, spec)
    types = declared(blocks(bb.export_model(spec, "stan"))["data"])
    assert sorted(name for _, name in types) == sorted(data)
    for kind, name in types:
        sizes = re.search(r"\[(.+?)\]", kind)
        shape = eval(f"({sizes[1]},)", {}, data) if sizes else ()
        assert np.shape(data[name]) == shape, name
        if bounds := re.search(r"lower=(\d)(?:, upper=(\w+))?", kind):
            assert np.min(data[name]) >= int(bounds[1])
            assert np.max(data[name]) <= data.get(bounds[2], np.inf)


def test_terms_that_a_table_has_nothing_to_say_of_are_told() -> None:
    with pytest.raises(ValueError, match=r"nothing to say of attribute_own_lean; .* posterior"):
        bb.stan_data(PAIRS, "maximal")


def unconstrained(types: list[tuple[str, str]], place: dict[str, Any]) -> list[float]:
    """Parameters as Stan's sampler sees them: logarithms, partial correlations, columns first."""
    found: list[np.ndarray] = []
    for kind, name in types:
        value = np.asarray(place[name])
        if kind.startswith("cholesky_factor_corr"):
            value = np.arctanh(partial_correlations((value @ value.T)[None])[0])
        elif "lower=0" in kind:
            value = np.log(value)
        found.append(value.ravel(order="F"))
    return [float(each) for each in np.concatenate(found)]


HARNESS = """
#include "model.hpp"
#include <stan/io/json/json_data.hpp>
#include <fstream>
#include <iostream>

int main(int, char** given) {
  std::ifstream data(given[1]);
  stan::json::json_data context(data);
  stan::model::model_base& model = new_model(context, 0, &std::cout);
  Eigen::VectorXd place(model.num_params_r());
  std::cout.precision(17);
  while (std::cin >> place[0]) {
    for (int i = 1; i < place.size(); ++i) std::cin >> place[i];
    std::cout << model.log_prob(place, &std::cout) << std::endl;
  }
}
"""
"""Prints the log density of constrained parameters at every line of unconstrained ones."""


@pytest.fixture(scope="module")
def stan() -> Path:
    """A folder with the compiler stanc and Stan's headers: that of the package httpstan."""
    package = find_spec("httpstan")
    assert package is not None, "make test-stan installs httpstan"
    return Path(str(package.origin)).parent


@pytest.mark.stan
@pytest.mark.parametrize("name", PROGRAMS)
def test_stan_takes_the_programs(name: str, stan: Path, tmp_path: Path) -> None:
    (tmp_path / "model.stan").write_text(bb.export_model(model_named(name), "stan"))
    subprocess.run([stan / "stanc", "--o=/dev/null", tmp_path / "model.stan"], check=True)


@pytest.mark.stan  # a C++ compiler takes a minute for a model
@pytest.mark.parametrize("name", ["maximal", "crossed around groups", "robust"])
def test_stan_itself_has_the_density(name: str, stan: Path, tmp_path: Path) -> None:
    design, spec = make_design(TABLE), model_named(name)
    spec = spec.fitting(design)
    program = bb.export_model(spec, "stan")
    (tmp_path / "model.stan").write_text(program)
    (tmp_path / "data.json").write_text(json.dumps(bb.stan_data(TABLE, spec)))
    (tmp_path / "main.cpp").write_text(HARNESS)
    run = partial(subprocess.run, cwd=tmp_path, check=True, text=True, capture_output=True)
    run([stan / "stanc", "--o=model.hpp", "model.stan"])
    library = ["-L", stan / "lib", f"-Wl,-rpath,{stan / 'lib'}", "-l:libtbb.so.2"]
    options = ["-std=c++17", "-O0", "-w", "-D_REENTRANT", "-DSTAN_THREADS", "-I", stan / "include"]
    run(["g++", *options, "main.cpp", "-o", "main", *library])
    ours, places = drawn(design, spec)
    types = declared(blocks(program)["parameters"])
    lines = [" ".join(map(repr, unconstrained(types, place))) for place in places]
    theirs = [
        float(line) for line in run(["./main", "data.json"], input="\n".join(lines)).stdout.split()
    ]
    np.testing.assert_allclose(np.diff(theirs), np.diff(ours), rtol=1e-9)
