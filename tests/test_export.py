"""Exported models: code that runs by itself, and has the density of the model itself."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor
import pytest
from builders import model_named
from pytensor.compile.mode import Mode
from pytensor.graph.replace import clone_replace
from xarray import DataTree

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.pymc_model import _smallest_table, build_model
from bayesbias.model.spec import load_model, models
from bayesbias.model.tree import SamplingWarning, spec_of
from bayesbias.sampling.fit import fit_design

TABLE = pd.concat([_smallest_table()] * 2).assign(
    cosine_distance=lambda t: 0.9 + 0.1 * np.random.default_rng(1).normal(size=len(t))
)
"""Three groups and sets, two control words and three contexts: every term has something to say."""

SAMPLED = [
    name
    for name in models()
    if load_model(name).likelihood == "normal"
    and not any(term.known for term in load_model(name).terms)
]


def built(code: str, table: pd.DataFrame) -> pm.Model:
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(code, "exported.py", "exec"), names)
    return names["build"](table)


def density(draws: DataTree, model: pm.Model) -> np.ndarray:
    """Log density at every draw, of all free variables and the data, whatever NUTS moves in."""
    values = {variable: variable.type() for variable in model.free_RVs}
    seen = {variable: model.rvs_to_values[variable] for variable in model.observed_RVs}
    whole = sum(pm.logp(variable, value).sum() for variable, value in (values | seen).items())
    mode = Mode(linker="py", optimizer=None)  # a few values: compiling would take longer
    of = pytensor.function(list(values.values()), clone_replace([whole], values), mode=mode)
    posterior = draws["posterior"].isel(chain=0)
    each = range(posterior.sizes["draw"])
    names = [str(variable.name) for variable in values]
    return np.array([of(*(posterior[name].values[at] for name in names))[0] for at in each])


LISTS = [*((name, TABLE) for name in (*SAMPLED, "crossed around groups", "crossed by kind"))]
LISTS += [("maximal", TABLE[TABLE["connection"].isin(["associated", "different"])])]
"""The last without controls: there is one kind of attribute, and nothing to correlate."""


@pytest.mark.parametrize(("name", "table"), LISTS)
def test_the_code_has_the_density_of_the_model(name: str, table: pd.DataFrame) -> None:
    with warnings.catch_warnings():  # the table is of noise, and a model may be for changes
        warnings.simplefilter("ignore", SamplingWarning)
        few = {"draws": 3, "chains": 1, "seed": 1}
        tree = fit_design(make_design(table), model_named(name), method="exact", **few)
    draws = DataTree.from_dict({"posterior": tree["posterior"].to_dataset()})
    ours = density(draws, build_model(table, spec_of(tree)))
    theirs = density(draws, built(bb.export_model(tree), table))
    assert np.ptp(ours) > 0.1
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-6)  # as PyMC folds constants


def test_student_residuals_have_their_density_too() -> None:
    model = built(bb.export_model("robust"), TABLE)
    ours = build_model(TABLE, "robust")
    prior = pm.sample_prior_predictive(3, model=ours, random_seed=1)
    draws = DataTree.from_dict({"posterior": prior["prior"].to_dataset()})
    np.testing.assert_allclose(density(draws, model), density(draws, ours), rtol=1e-9, atol=1e-6)


@pytest.mark.slow  # a process that compiles and samples: 20 s
def test_the_file_runs_by_itself(tmp_path: Path) -> None:
    code = bb.export_model("paper").replace("pm.sample()", "pm.sample(50, tune=50, chains=1)")
    assert "bayesbias" not in "\n".join(
        line for line in code.splitlines() if line.startswith(("import", "from"))
    )
    (tmp_path / "model.py").write_text(code, encoding="utf-8")
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    run = subprocess.run(
        [sys.executable, "model.py", "table.csv"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert re.search(r"^connection\nassociated +0\.\d", run.stdout, flags=re.MULTILINE)


def test_brms_gets_a_formula_and_the_priors_in_words() -> None:
    text = bb.export_model("robust", "brms")
    assert text.splitlines()[-1] == (
        "bf(cosine_distance ~ 0 + connection + (0 + connection || protected_word) + "
        "(1 | attribute), sigma ~ 0 + connection, family = student())"
    )
    assert "# attribute_sd ~ exponential(rate 2): " in text
    assert "(1 | gr(attribute, by = attribute_kind))" in bb.export_model(
        model_named("crossed by kind"), "brms"
    )


def test_what_cannot_be_said_is_refused() -> None:
    for spec, to, text in (
        ("maximal", "brms", "brms cannot say level of protected_word.*PyMC code"),
        ("kernel", "pymc", "residual covaries as vectors do"),
        ("pairs-signs", "pymc", "it is of preferences"),
        ("paper", "stam", "unknown program 'stam'; did you mean 'stan'"),
        ("kernel", "stan", "residual covaries as vectors do"),
    ):
        with pytest.raises(ValueError, match=text):
            bb.export_model(spec, to)


def test_texts_of_a_model_stay_texts() -> None:
    spec = load_model("paper")
    evil = 'x"""\nraise SystemExit("run")\n"""\\'
    prior = replace(spec.priors["sigma"], reason=evil)
    odd = replace(spec, title=evil, reference=evil, priors={**spec.priors, "sigma": prior})
    assert built(bb.export_model(odd), TABLE)["sigma"] is not None
    content = spec.to_dict()
    content["terms"] = {"word mean": content["terms"]["word_mean"]}
    with pytest.raises(ValueError, match="calls a variable 'word mean'; rename it"):
        bb.export_model(bb.ModelSpec(**{**vars(spec), "terms": load_terms(content)}))


def load_terms(content: dict[str, Any]) -> tuple[Any, ...]:
    from bayesbias.model.terms import term_from_dict

    return tuple(term_from_dict(name, raw) for name, raw in content["terms"].items())
