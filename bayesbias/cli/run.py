"""`bayesbias run`: from word lists to a folder with a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sampling.options import FitOptions
from . import options
from .options import LIST_READING, Force, ListReading, Models, OpenReport, OutFolder
from .screen import SCREEN, Screen

if TYPE_CHECKING:
    import pandas as pd
    from gensim.models import KeyedVectors

    from ..contextual import ContextualVectors
    from ..tables.wordlists import WordList
    from ..workflows.wordlist import Analysis, Settings

RESERVED = ("report.html", "run.json", "plots")
"""Names in the folder of results that no list may take."""


@options.takes_fit()
def run(
    *lists: str,
    reading: ListReading = LIST_READING,
    encoder: str | None = None,
    templates: str = "bleached",
    pooling: str = "word",
    layer: int = -1,
    model: Models = None,
    matched: int = 5,
    reference_lists: int = 200,
    out: OutFolder = Path("bayesbias-results"),
    fitting: FitOptions,
    compare_to: Path | None = None,
    force: Force = False,
    open_report: OpenReport = False,
    screen: Screen = SCREEN,
) -> int:
    """Measure word lists in an embedding, fit models, and write a report.

    For each list the folder gets the table, the missing words, posteriors, summaries, contrasts,
    checks, plots (PNG, SVG), run.json and a report.html that needs no network. With several lists
    each gets a folder of its own in it. Exit code 3 if the sampler warned.

    Examples: `bayesbias run religion --out religion`,
    `bayesbias run religion --out again --compare-to religion`,
    `bayesbias run gender mine.toml --vectors GoogleNews.bin --case fallback --out results`

    Parameters
    ----------
    lists : str
        One or more: names of bundled lists, or paths of .toml files.
    encoder : str
        Measure words in sentences instead: a contextual encoder's folder, or its name on the
        Hugging Face hub. Needs the extra mlm.
    templates : str
        With --encoder: sentences to put words into, a bundled set or a .toml file.
    pooling : str
        With --encoder: word (the word's own tokens in the sentence) or sentence.
    layer : int
        With --encoder: layer to read, -1 the last.
    model : list of str
        A model by name or path; may be repeated. By default crossed and maximal, with --encoder
        crossed and contextual.
    matched : int
        Control words as frequent as each stereotype, drawn from the embedding; 0 for none.
    reference_lists : int
        Lists of equally frequent words, and lists about other topics, to compare the contrasts
        with; 0 for none.
    compare_to : Path
        An earlier run: show which inputs, settings and contrasts changed since.
    """
    from ..model.defaults import DEFAULT_MODELS
    from ..workflows.output import require_place
    from ..workflows.since import load_earlier
    from ..workflows.wordlist import CONTEXTUAL_MODELS, Settings, load_models

    settings = Settings(
        vectors=encoder or reading.vectors,
        models=tuple(model or (CONTEXTUAL_MODELS if encoder else DEFAULT_MODELS["distance"])),
        case=reading.case,
        strip_accents=reading.strip_accents,
        max_missing=reading.max_missing,
        allow_pickle=reading.allow_pickle,
        templates=templates if encoder else "",
        pooling=pooling,
        layer=layer,
        matched=0 if encoder else matched,
        reference_lists=0 if encoder else reference_lists,
        **vars(replace(fitting, progressbar=False)),
    )
    load_models(settings.models)
    if not lists:
        raise ValueError("give one or more word lists; `bayesbias lists` prints the bundled ones")
    chosen = _load_lists(lists)
    parts = [wordlist.name for wordlist in chosen] if len(chosen) > 1 else []
    earlier = [load_earlier(compare_to / part) for part in parts or [""]] if compare_to else []
    require_place(out, parts, force=force)
    other = ("vectors",) if encoder else ("templates", "pooling", "layer")
    command = options.command_line(*other, model=list(settings.models))
    analyzes = _results(
        chosen,
        settings,
        out,
        command,
        earlier=earlier,
        force=force,
        screen=screen,
    )
    doubtful = any(analysis.doubtful for analysis in analyzes)
    return options.finish(
        screen, _findings(analyzes), out, open_report=open_report, doubtful=doubtful
    )


def _load_lists(sources: Sequence[str]) -> list[WordList]:
    from ..tables.wordlists import load_wordlist

    found: dict[str, WordList] = {}
    for source in sources:
        wordlist = load_wordlist(source)
        if wordlist.name in found:
            raise ValueError(
                f"the word list {wordlist.name!r} is given twice; each needs a name of its own"
            )
        if not wordlist.groups:
            raise ValueError(
                f"the list {wordlist.name!r} has control words only; give one with groups"
            )
        if len(sources) > 1 and wordlist.name in RESERVED:
            raise ValueError(
                f"the word list's name {wordlist.name!r} is that of a result; give it another"
            )
        found[wordlist.name] = wordlist
    return list(found.values())


def _results(
    lists: Sequence[WordList],
    settings: Settings,
    out: Path,
    command: str,
    *,
    earlier: Sequence[tuple[dict[str, Any], pd.DataFrame]],
    force: bool,
    screen: Screen,
) -> list[Analysis]:
    """Analyse every list and write all results, or none."""
    from ..report.folder import write_list
    from ..workflows.output import record_of, replace_results
    from ..workflows.reference import vocabulary_pool
    from ..workflows.since import changes_since
    from ..workflows.wordlist import analyze

    pool = vocabulary_pool(replace(settings, progressbar=not screen.quiet), lists)
    vectors = _vectors(lists, settings, shown=not screen.quiet)
    referred = pool is not None and bool(settings.reference_lists)
    steps = len(lists) * (3 + referred + 2 * len(settings.models)) + 1
    with screen.steps(steps) as tell:
        several = len(lists) > 1
        names = [f"{each.name}: " if several else "" for each in lists]
        told = [lambda text, name=name: tell(f"{name}{text}") for name in names]
        analyzes = [
            analyze(vectors, wordlist, settings, pool=pool, tell=tell_of)
            for wordlist, tell_of in zip(lists, told, strict=True)
        ]
        if earlier:
            pairs = zip(earlier, analyzes, strict=True)
            analyzes = [
                replace(
                    analysis,
                    since=changes_since(
                        old, record_of(analysis, command), analysis.frame("contrasts")
                    ),
                )
                for old, analysis in pairs
            ]
        with replace_results(out, force=force) as stage:  # only now is anything written
            for analysis, tell_of in zip(analyzes, told, strict=True):
                folder = stage / analysis.wordlist.name if several else stage
                folder.mkdir(exist_ok=True)
                write_list(analysis, folder, command, tell_of)
            if several:
                _write_index(analyzes, stage, command)
            tell(f"writing {out}")
    return analyzes


def _vectors(
    lists: Sequence[WordList], settings: Settings, *, shown: bool
) -> KeyedVectors | ContextualVectors:
    """Read the words' vectors, or encode the words in sentences."""
    from ..contextual import contextual_vectors
    from ..embeddings.load import load_vectors

    asked = list(dict.fromkeys(word for wordlist in lists for word in wordlist.words))
    if settings.templates:
        return contextual_vectors(
            settings.vectors,
            asked,
            settings.templates,
            layer=settings.layer,
            pooling=settings.pooling,
            progressbar=shown,
        )
    return load_vectors(
        settings.vectors,
        set(asked),
        settings.case,
        strip_accents=settings.strip_accents,
        allow_pickle=settings.allow_pickle,
        progressbar=shown,
    )


def _write_index(analyzes: Sequence[Analysis], stage: Path, command: str) -> None:
    from ..report.folder import write_report
    from ..report.index import index_page
    from ..workflows import output

    names = [analysis.wordlist.name for analysis in analyzes]
    pages = [f"{name}/{output.REPORT}" for name in names]
    record = {"command": command, "lists": names, "versions": output.versions()}
    write_report(index_page(list(zip(analyzes, pages, strict=True))), record, stage)


def _findings(analyzes: Sequence[Analysis]) -> Iterator[str]:
    """Yield the contrast that leads of every list, for whom, and what it does not say."""
    from ..report.wording import CLOSING
    from ..report.wording.reference import finding_lines

    for analysis in analyzes:
        first, *said = finding_lines(analysis)
        yield first
        yield from (f"  {line}" for line in said)
        if analysis.since is not None:
            rows = analysis.since.to_dict("records")
            yield from (f"  {row['what']}: {row['before']} → {row['after']}" for row in rows)
            yield "" if rows else "  Nothing changed since the earlier run."
    yield CLOSING
