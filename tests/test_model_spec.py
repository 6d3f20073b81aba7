"""Models: valid specifications, overrides of priors, and clear refusals."""

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from builders import distances, refused

import bayesbias as bb
from bayesbias.model.priors import Prior
from bayesbias.model.spec import CHOICES, load_model, models, spec_from_dict
from bayesbias.workflows.settings import load_models
from bayesbias.workflows.sweep_spec import sweep_from_dict

PAPER = load_model("paper").to_dict()

MODEL = """
title = "Mine"
sigma = "connection"
[terms.word_mean]
of = "protected_word"
by = "connection"
sd = "connection_sd"
around = "connection_mean"
[priors]
connection_mean = { family = "normal", mean = 1, sd = 0.1, reason = "told so" }
connection_sd = { family = "half_normal", sd = 0.2 }
sigma = { family = "exponential", rate = 3 }
"""


def changed(**content: object) -> dict[str, Any]:
    return copy.deepcopy(PAPER) | content


def with_prior(name: str, **prior: object) -> dict[str, Any]:
    content = changed()
    content["priors"][name] = prior
    return content


def with_term(name: str, **term: object) -> dict[str, Any]:
    """Return the paper's model with an added or changed term."""
    content = changed()
    content["terms"][name] = content["terms"].get(name, {}) | term
    return content


@pytest.mark.parametrize("name", models())
def test_bundled_models_load_and_give_a_reason_for_every_prior(name: str) -> None:
    spec = load_model(name)
    assert spec.name == name
    assert spec.title
    assert spec.reference
    assert set(spec.priors) == set(spec.needed_priors)
    assert all(prior.reason for prior in spec.priors.values())
    assert spec_from_dict(spec.to_dict()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_the_paper_model_is_the_printed_model() -> None:
    """See Dobrzeniecka and Urbaniak (2024), section 4.1. The prior of sigma is from their code."""
    spec = load_model("paper")
    assert (spec.likelihood, spec.sigma) == ("normal", "common")
    (term,) = spec.terms
    assert (term.of, term.by, term.around) == ("protected_word", "connection", "connection_mean")
    assert term.sd_dims == ("connection",)
    assert {name: str(prior) for name, prior in spec.priors.items()} == {
        "connection_mean": "normal(mean 1, sd 0.3)",
        "connection_sd": "exponential(rate 2)",
        "sigma": "exponential(rate 2)",
    }


def test_a_model_of_ones_own_is_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MODEL, encoding="utf-8")
    for spec in (load_model(path), load_model(str(path))):
        assert spec.name == "mine"
        assert spec.priors["connection_sd"] == Prior("half_normal", {"sd": 0.2})
        assert spec.likelihood == CHOICES["likelihood"][0]
    assert load_model(spec) is spec


WORDS = "the model 'paper' has no term for protected_word"
TABLE = "must be a table with the keys 'of' and 'sd'"
OWN_SDS = {"of": "attribute", "by": "protected_group", "sd": "s", "sd_by": "protected_group"}
TAKEN = ("attribute", "connection", "attribute_kind", "chain", "draw", "a/b", "")
NO_MEANS = ({"around": ""}, {"by": "", "sd_by": "", "around": ""})
ZERO_SUM = "effects that sum to zero need a column in 'by', one sd, and no correlation"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed(sigmma="common"), "unknown key 'sigmma'; did you mean 'sigma'"),
        (changed(sigma="conection"), "unknown value of sigma 'conection'; did you mean 'conn"),
        (changed(priors=[1]), r"priors cannot be \[1\]"),
        (with_prior("sigmas", family="exponential", rate=1), "unknown parameter 'sigmas'"),
        (with_prior("sigma", rate=1), r"\[priors.sigma\] needs a family"),
        (with_prior("sigma", family="exponential", rate=-2), r"\[priors.sigma\] rate .* positive"),
        (with_prior("sigma", family="normal", mean=0, sd=1), "sigma needs a positive prior; got"),
        (with_prior("connection_mean", family="gamma", shape=2, rate=1), "connection_mean needs a"),
        (with_term("more", of="attribute", sd="attribute_sd"), "has no prior for attribute_sd"),
        (changed(terms={}), WORDS),
        (changed(terms={"own": {"of": "attribute", "sd": "connection_sd"}}), WORDS),
        (with_term("own", sd="s"), TABLE),
        (with_term("word_mean", off="x"), r"_mean\] unknown key 'off'; did you mean 'of'"),
        (with_term("own", of="atribute", sd="s"), r"unknown value of of .*; did you mean"),
        (with_term("sigma", of="attribute", sd="s"), "two parts of the model are called 'sigma'"),
        *((with_term(name, of="attribute", sd="s"), "be the name of a part") for name in TAKEN),
        *((with_term("own", of="attribute", sd=name), "be the name of a part") for name in TAKEN),
        *((with_term("word_mean", **keys), "have this name") for keys in NO_MEANS),
        (with_term("own", of="protected_group", sd="s"), "have this name"),
        (with_term("own", of="attribute_set", by="attribute_set", sd="s"), "must differ"),
        (with_term("own", of="attribute", sd="s", constraint="zero_sum"), ZERO_SUM),
        (with_term("own", **OWN_SDS, constraint="zero_sum"), ZERO_SUM),
        (with_term("own", of="attribute", sd="s", correlated=True), "correlated effects need"),
        (with_term("word_mean", correlated=True), "has no prior for word_mean_correlation"),
        (with_term("own", of="covariate", by="attribute_set", sd="s"), "slopes can have"),
    ],
)
def test_wrong_models_say_what_is_wrong(content: dict[str, Any], message: str) -> None:
    refused(message, spec_from_dict, content)


NORMAL = {"family": "normal", "mean": 0, "sd": 1}

FIXED = {"family": "fixed", "value": 0.1}


@pytest.mark.parametrize(
    ("model", "overrides", "message"),
    [
        ("paper", {"sigm": {"rate": 1}}, "unknown parameter 'sigm'; did you mean 'sigma'"),
        ("paper", {"sigma": {"sd": 1}}, "pass a family .*, or only a new rate for"),
        ("paper", {"sigma": {"rate": -1}}, "must be positive; got -1"),
        ("paper", {"sigma": {"family": "half_normal", "rate": 1}}, "of half_normal 'rate'"),
        ("paper", {"sigma": {"family": "gamma", "shape": 1.0}}, "is missing parameters: rate"),
        ("paper", {"sigma": {"family": "norml"}}, "unknown prior family 'norml'; did you mean"),
        ("paper", {"sigma": Prior("normal", {"mean": 0, "sd": 1})}, "needs a positive prior; got"),
        ("paper", {"connection_mean": NORMAL | {"sd": float("nan")}}, "a finite number; got nan"),
        ("paper", {"connection_sd": FIXED}, "connection_sd cannot be fixed"),
        ("maximal", {"level_correlation": NORMAL}, "level_correlation needs an lkj prior; got"),
    ],
)
def test_wrong_overrides_say_what_is_wrong(model, overrides, message) -> None:
    refused(message, load_model(model).with_priors, overrides)


@pytest.mark.parametrize(
    ("source", "content", "message"),
    [
        ("papr", "", "unknown model 'papr'; did you mean 'paper'.*paper-figures, robust; to use"),
        ("change", "", r"'change' is for changes.*the data are distances; use "),
        ("nowhere.toml", "", r"no model at .*nowhere\.toml"),
        ("odd.toml", "not = = toml", r"odd\.toml: "),
        ("odd.toml", "title = 'no priors'", r"odd\.toml: "),
        ("own.toml", f'outcome = "change"\n{MODEL}', "'own' is for changes"),
    ],
)
def test_models_that_are_not_there_or_for_another_outcome(
    tmp_path: Path, source: str, content: str, message: str
) -> None:
    if content:
        (tmp_path / source).write_text(content, encoding="utf-8")
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        load_model(str(tmp_path / source) if source.endswith(".toml") else source, "distance")


EMBEDDINGS = {"embeddings": {"demo": "glove-demo"}, "lists": ["gender"]}


def test_whatever_models_distances_refuses_other_models() -> None:
    sweep = {**EMBEDDINGS, "models": ["change"]}
    why = "the model 'change' is for changes"
    refused(why, bb.fit, distances(), "change")
    refused(why, load_models, ["paper", "change"])
    refused(why, sweep_from_dict, sweep, Path())
    refused(why, bb.vocabulary_contrasts, "glove-demo", "gender", "change")


def test_part_of_a_prior_is_overridden_and_the_rest_kept() -> None:
    spec = load_model("paper").with_priors({"connection_mean": {"sd": 0.1}})
    assert spec.priors["connection_mean"].parameters == {"mean": 1.0, "sd": 0.1}
    assert spec.priors["connection_mean"].reason == "set by the caller"
    assert spec.priors["sigma"] == load_model("paper").priors["sigma"]
    whole = load_model("by-group")
    part = whole.with_priors({"level_sd": {"rate": 2}}, name="mine")
    assert (part.name, spec.name) == ("mine", "paper")
    assert part.priors["level_sd"].reason == "set by the caller"
    assert part.priors["own_lean_sd"].reason == whole.priors["level_sd"].reason
    assert load_model("paper").priors["connection_mean"].parameters["sd"] == 0.3
