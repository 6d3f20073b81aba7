"""Sentences for a paper: how a list was measured and modelled, and what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...tables.descriptives import leading_pair
from ...tables.levels import OVERALL, WORD, at_level
from ...workflows.results import ModelResult
from ...workflows.wordlist import Analysis
from ..numbers import counted, joined, number, probability, probability_name
from . import headline_rows
from .distances import (
    closeness_sentences,
    few_attributes,
    gap_pair,
    leading_contrast,
    settled,
    unmeasured,
    with_own,
)
from .models import coverage_sentence
from .reference import place_sentences
from .thin import sets_in_words


@dataclass(frozen=True)
class Cite:
    """Keys of what a sentence refers to, in the bibliography."""

    keys: tuple[str, ...]


@dataclass(frozen=True)
class Formula:
    """A formula as LaTeX writes it."""

    latex: str


type Part = str | Cite | Formula
type Sentence = tuple[Part, ...]

OF_MODELS = {
    "maximal": ("barr2013", "baayen2008"),
    "maximal-topics": ("barr2013", "baayen2008"),
    "crossed": ("baayen2008",),
    "robust": ("baayen2008",),
    "paper": ("dobrzeniecka2024",),
    "paper-figures": ("dobrzeniecka2024",),
}
"""What the bundled models come from; a model of one's own is described by its reference."""

OF_EMBEDDINGS = dict.fromkeys(
    ("glove-demo", *(f"glove-wiki-gigaword-{size}" for size in (50, 100, 200, 300))),
    ("pennington2014",),
)
"""What embeddings that are known by name come from."""

INDICES = {
    "connection": "c",
    "protected_word": "w",
    "protected_group": "g",
    "attribute": "a",
    "attribute_kind": "k",
    "attribute_set": "s",
    "context": "m",
}
"""Indices of the formula, by the column that they stand for."""

KINDS = {
    "neutral": ("neutral word", "neutral words"),
    "human": ("word about human life", "words about human life"),
    "matched": ("word as frequent as a stereotype", "words as frequent as the stereotypes"),
}
"""What control words are, one of them and many."""


def methods(analysis: Analysis) -> list[Sentence]:
    """Word what was measured, the model with its priors, and how it was sampled."""
    return [
        *_data(analysis),
        *_model(analysis),
        *_priors(analysis),
        *_others(analysis),
        *_sampling(analysis),
        *_reading(analysis),
    ]


def results(analysis: Analysis) -> list[Sentence]:
    """Word the contrasts, what they are compared with, and how far the model fits."""
    return [
        *_contrasts(analysis),
        *_striking(analysis),
        *((_plain(text),) for text in place_sentences(analysis) if analysis.reference),
        (_plain(closeness_sentences(analysis)[0]),),
        *_comparison(analysis),
        *_fit(analysis),
        *_doubts(analysis),
    ]


def _data(analysis: Analysis) -> Iterator[Sentence]:
    table, settings, wordlist = analysis.table, analysis.settings, analysis.wordlist
    words = table.drop_duplicates("protected_word")
    groups = words["protected_group"].value_counts(sort=False)
    of_kind = table.groupby("connection", observed=True)["attribute"].unique()
    words_own = {word for name in ("associated", "different") for word in of_kind.get(name, ())}
    kinds = [counted(len(words_own), "stereotype")]
    kinds += [counted(len(of_kind[n]), *names) for n, names in KINDS.items() if n in of_kind]
    yield (
        f"We measured cosine distances (1 − cosine) in the embedding {settings.embedding}",
        *_cited(OF_EMBEDDINGS.get(settings.embedding, ())),
        f": {len(table):,} distances between {counted(len(words), 'protected word')} "
        f"({joined(f'{size} of {group}' for group, size in groups.items())}) and "
        f"{counted(table['attribute'].nunique(), 'attribute word')} ({joined(kinds)}).",
    )
    if settings.templates:
        n = table["context"].nunique()
        yield (f"Words were read in {n} sentences of the set {settings.templates}.",)
    source = f", after {wordlist.reference.rstrip('.')}" if wordlist.reference else ""
    yield (f"The words are those of the list “{wordlist.name}”{source}.",)
    lost, total = len(analysis.missing), len(_own_entries(analysis))
    yield (
        f"The embedding lacked {lost:,} of the list’s {total:,} entries, which "
        f"{'was' if lost == 1 else 'were'} left out."
        if lost
        else f"The embedding had all {total:,} entries of the list.",
    )
    sizes = table["connection"].astype(str).value_counts()
    own, others = (f"{sizes.get(each, 0):,}" for each in ("associated", "different"))
    yield (
        f"Of the distances, {own} are to stereotypes of the word’s own group (associated) and "
        f"{others} to stereotypes of the other group{'s' * (len(groups) != 2)} (different).",
    )


def _own_entries(analysis: Analysis) -> pd.DataFrame:
    entries = analysis.wordlist.to_frame()
    return entries[(entries["role"] != "control") | (entries["set"] != "matched")]


def _model(analysis: Analysis) -> Iterator[Sentence]:
    result = analysis.lead
    spec = result.spec
    yield (
        f"The distances were modelled with the hierarchical Bayesian model “{spec.name}”",
        *_formula(result),
        ", where ",
        Formula("y_i"),
        " is a distance",
        *_indices(_columns(result)),
        *(() if spec.around_means else (", ", Formula(r"\mu_c"), " the mean of a connection")),
        " and ",
        Formula(_sigma(result)),
        " a residual standard deviation.",
    )
    yield (f"Effects are Normal with standard deviations of their own: {_effects(result)}.",)


def _others(analysis: Analysis) -> Iterator[Sentence]:
    """Introduce the models that the lead is compared with."""
    *others, lead = analysis.results.values()
    for result in others:
        yield (
            f"For comparison we fitted the model “{result.spec.name}”",
            *_formula(result),
            *_indices(_columns(result) - _columns(lead)),
            f", whose effects are: {_effects(result)}.",
        )
        yield ("Its priors were: ", *_priors_of(result), ".")


def _columns(result: ModelResult) -> set[str]:
    """Return the columns of a table that a model's formula has indices of."""
    columns = {each for term in result.spec.terms for each in (term.of, term.by) if each}
    return {"connection", "protected_word"} | columns


def _effects(result: ModelResult) -> str:
    said = []
    for term in result.spec.terms:
        by = f" and {_spaced(term.by)}" if term.by and term.constraint != "contrast" else ""
        over = f"over {_spaced(term.by)}s"
        extras = {
            f"around the {_spaced(term.around)}": term.around,
            f"summing to zero {over}": term.constraint == "zero_sum",
            "between associated and different": term.constraint == "contrast",
            "orthogonal to groups, sets and connections": term.constraint == "interaction",
            f"correlated {over}": term.correlated,
        }
        every = f"{_spaced(term.name)}, for every {_spaced(term.of)}{by}"
        said.append(", ".join([every, *(text for text, holds in extras.items() if holds)]))
    return "; ".join(said)


def _formula(result: ModelResult) -> tuple[Part, ...]:
    """Say where a model comes from, and write its likelihood."""
    spec = result.spec
    own = (f" ({spec.reference.rstrip('.')})",) if spec.reference else ()
    means = [] if spec.around_means else [r"\mu_c"]
    terms = [_symbol(term.name, term.of, term.by) for term in spec.summed_terms]
    inside = f"{' + '.join([*means, *terms])}, {_sigma(result)}"
    student = spec.likelihood == "student_t"
    family = rf"\mathrm{{StudentT}}(\nu, {inside})" if student else rf"\mathrm{{Normal}}({inside})"
    cited = _cited(OF_MODELS.get(spec.name, ())) or own
    return (*cited, ", ", Formula(rf"y_i \sim {family}"))


def _sigma(result: ModelResult) -> str:
    return "".join([r"\sigma", *(f"_{INDICES[each]}" for each in result.spec.sigma_dims)])


def _indices(columns: set[str]) -> Iterator[Part]:
    """Say what the indices of some columns stand for."""
    for column in (name for name in INDICES if name in columns):
        article = "an" if column.startswith("attribute") else "a"
        yield from (", ", Formula(INDICES[column]), f" {article} {_spaced(column)}")


def _symbol(name: str, of: str, by: str) -> str:
    indices = ",".join(INDICES[each] for each in (of, by) if each in INDICES)
    spaced = name.replace("_", r"\ ")
    return rf"\mathrm{{{spaced}}}_{{{indices}}}"


def _priors(analysis: Analysis) -> Iterator[Sentence]:
    yield ("The priors were: ", *_priors_of(analysis.lead), ".")


def _priors_of(result: ModelResult) -> Iterator[Part]:
    """Write every prior, its reason, and where it comes from; those that are alike once."""
    priors = result.spec.priors
    groups: dict[str, list[str]] = {}
    home: dict[str, str] = {}
    for name, prior in priors.items():
        like = prior.reason.removeprefix("as for ")
        same = like in home and str(priors[home[like]]) == str(prior)
        home[name] = home[like] if same else name
        groups.setdefault(home[name], []).append(_named(name))
    for at, (first, names) in enumerate(groups.items()):
        prior = priors[first]
        reason = prior.reason.removeprefix("as for paper: ")
        family = "LKJ" if prior.family == "lkj" else prior.family.capitalize().replace("_", "-")
        inside = ", ".join(f"{key} {value:g}" for key, value in prior.parameters.items())
        why = f" ({_spaced(reason)})" if reason else ""
        yield f"{'; ' if at else ''}{joined(names)} {family}({inside})"
        yield from _cited(("lewandowski2009",) * (prior.family == "lkj"))
        yield why


def _sampling(analysis: Analysis) -> Iterator[Sentence]:
    attrs = analysis.lead.posterior.attrs
    found = dict(analysis.lead.diagnostics.itertuples(index=False, name=None))
    kept = f"{found['chains'] * found['draws']:,.0f} draws were kept"
    if "pareto_k" in found:
        k = number(found["pareto_k"], 2)
        correlated = any(term.correlated for term in analysis.lead.spec.terms)
        others = " and correlations" if correlated else ""
        yield (
            f"All effects were integrated out analytically, and the standard deviations{others} "
            "were drawn by importance sampling with Pareto-smoothed weights",
            *_cited(("vehtari2024",)),
            f" from {found['n_proposals']:,.0f} proposals (Pareto k {k}, effective sample size "
            f"{found['importance_ess']:,.0f}); {kept}.",
        )
    else:
        yield (
            f"The posterior was sampled by the No-U-Turn sampler ({attrs['method']})",
            *_cited(("hoffman2014", "abrilpla2023")),
            f" in {found['chains']:.0f} chains after {analysis.settings.tune:,} steps of tuning "
            f"each; {kept}. The largest R-hat was {number(found['rhat'], 3)}, the smallest "
            f"effective sample sizes were {found['ess_bulk']:,.0f} (bulk) and "
            f"{found['ess_tail']:,.0f} (tail), and {found['divergences']:.0f} transitions diverged",
            *_cited(("vehtari2021",)),
            ".",
        )
    versions, engine = analysis.versions, "numpy" if "pareto_k" in found else "pymc"
    yield (
        f"We used bayesbias {versions['bayesbias']}",
        *_cited(("bayesbias", "dobrzeniecka2024")),
        f", {engine} {versions[engine]} and the seed {attrs['seed']}.",
    )


def _reading(analysis: Analysis) -> Iterator[Sentence]:
    first, second = gap_pair(analysis)
    settings = analysis.settings
    yield (
        f"We report posterior means with {_interval(analysis)} of the difference {first} − "
        f"{second}; below zero, {first} attributes lie closer to the protected words than {second} "
        "ones.",
    )
    reference = analysis.reference
    if reference is not None:
        sizes = reference.lists.groupby("match")["list"].nunique()
        yield (
            f"The differences were compared with {sizes['frequency']} lists whose stereotypes are "
            f"any words of like frequency and {sizes['topics']} lists about any topics, drawn from "
            f"{reference.n_words:,} words of the embedding.",
        )
    if settings.matched and "matched" in analysis.wordlist.controls:
        yield (
            f"For every stereotype, {settings.matched} control words of like frequency were drawn.",
        )


def _interval(analysis: Analysis) -> str:
    settings = analysis.settings
    kind = {"hdi": "highest-density intervals", "eti": "equal-tailed intervals"}[settings.ci_kind]
    return f"{probability_name(settings.ci_prob)} {kind}"


def _contrasts(analysis: Analysis) -> Iterator[Sentence]:
    first, second = gap_pair(analysis)
    for row in headline_rows(leading_contrast(analysis)).to_dict("records"):
        whole = row["level"] == OVERALL
        of = "Over all groups" if whole else f"For the group {row['protected_group']}"
        what = f"the difference {first} − {second} was" if whole else "it was"
        yield (f"{of} {what} {_placed(row)}{_follows(row)}.",)


def _placed(row: Mapping[Any, Any]) -> str:
    return (
        f"{number(row['mean'])} ({number(row['low'])} to {number(row['high'])}; probability of "
        f"direction {probability(row['p_direction'])})"
    )


def _follows(row: Mapping[Any, Any]) -> str:
    whose = (
        "stereotypes of a word’s own group" if row["level"] == OVERALL else "its own stereotypes"
    )
    if settled(row):
        return f": {whose} lie {'closer' if row['mean'] < 0 else 'farther away'} than the others"
    return (
        f"; the interval includes zero, so it is not settled whether {whose} lie closer or farther "
        "away than the others"
    )


def _striking(analysis: Analysis) -> Iterator[Sentence]:
    first, second = leading_pair(analysis.table)
    frame = at_level(analysis.lead.contrasts, WORD)
    frame = frame[(frame["first"] == first) & (frame["second"] == second)]
    if frame.empty or not set(frame["protected_group"]) <= set(with_own(analysis)):
        return  # of words without stereotypes of their own nothing was seen
    top = frame.sort_values("mean", key=abs, ascending=False, kind="stable").iloc[0]
    yield (
        f"Of {counted(len(frame), 'word')}, “{top['protected_word']}” was the farthest from zero "
        f"({number(top['mean'])}, {number(top['low'])} to {number(top['high'])}, shrunk towards "
        f"the others by the model); the probability that it is indeed the farthest of all is "
        f"{probability(top['p_most'])}.",
    )


def _comparison(analysis: Analysis) -> Iterator[Sentence]:
    frame = analysis.comparison
    if frame is None:
        return
    best, *others = frame.to_dict("records")
    beaten = joined(
        f"{each['model']} by {number(-each['elpd_diff'], 1)} (standard error "
        f"{number(each['dse'], 1)})"
        for each in others
    )
    of = "attribute words" if best["left_out"] == "attribute" else "single distances"
    yield (
        f"In expected log predictive density for {of} left out, the model {best['model']} was "
        f"ahead of {beaten}.",
    )


def _fit(analysis: Analysis) -> Iterator[Sentence]:
    lead = analysis.lead
    yield (f"As to fit, {_plain(coverage_sentence(lead, analysis.settings.ci_prob))}",)
    frame = lead.sensitivity
    leaning = frame[frame["diagnosis"] != ""].to_dict("records")
    parts: dict[str, list[str]] = {}
    for row in leaning:
        parts.setdefault(_named(row["parameter"]), []).append(row["of"].replace(", ", "–"))
    named = [f"{name} ({', '.join(of)})" if any(of) else name for name, of in parts.items()]
    yield (
        "Power-scaling",
        *_cited(("kallioinen2024",)),
        f" shows a noticeable influence of the priors on {joined(named)}."
        if named
        else " shows no noticeable influence of the priors on any parameter.",
    )


def _doubts(analysis: Analysis) -> Iterator[Sentence]:
    yield (_plain(few_attributes(analysis)),)
    yield from ((text,) for text in unmeasured(analysis))
    if len(analysis.thin):
        yield (f"Too few words are left of {sets_in_words(analysis.thin)}.",)
    if analysis.lead.warnings:
        yield (f"The sampler warned: {'; '.join(analysis.lead.warnings)}.",)


def _cited(keys: tuple[str, ...]) -> tuple[Part, ...]:
    return (" ", Cite(keys)) if keys else ()


def _plain(text: str) -> str:
    """Write intervals and apostrophes as a paper does."""
    return re.sub(r"\+(?=\d)", "", text.replace(" … ", " to ").replace("'", "’"))


NAMES = {"sigma": "residual sd", "nu": "degrees of freedom"}
"""What parameters are called that are known by a letter."""


def _named(parameter: str) -> str:
    return NAMES.get(parameter, _spaced(parameter))


def _spaced(name: str) -> str:
    return name.replace("_", " ")
