"""`bayesbias run`: from word lists to a folder with a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..sampling.options import FitOptions
from . import options
from .options import LIST_READING, Force, ListReading, Models, OpenReport, OutFolder, Plots
from .screen import SCREEN, Screen

if TYPE_CHECKING:
    from ..tables.wordlists import WordList
    from ..workflows.wordlist import Analysis

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
    reference_lists: int = 100,
    out: OutFolder = Path("bayesbias-results"),
    plots: Plots = None,
    keep: Literal["effects"] | None = None,
    fitting: FitOptions,
    compare_to: Path | None = None,
    force: Force = False,
    open_report: OpenReport = False,
    screen: Screen = SCREEN,
) -> int:
    """Measure word lists in an embedding, fit models, and write a report.

    For each list the folder gets the table, the missing words, posteriors, summaries, contrasts,
    checks, run.json and a report.html that needs no network. With several lists
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
        A model by name or path; may be repeated. By default by-group, with --encoder
        crossed and contextual.
    matched : int
        Control words as frequent as each stereotype, drawn from the embedding; 0 for none.
    reference_lists : int
        Lists of equally frequent words, and lists about other topics, to compare the contrasts
        with; 0 for none.
    keep : str
        effects: also write the effects of single attributes, which make posteriors large.
    compare_to : Path
        An earlier run: show which inputs, settings and contrasts changed since.
    """
    from ..model.defaults import DEFAULT_MODELS
    from ..report.list_page import index_page
    from ..workflows import output
    from ..workflows.settings import Settings, load_models
    from ..workflows.since import changes_since, load_record
    from ..workflows.wordlist import CONTEXTUAL_MODELS, analyze_lists

    contextual = {"templates": templates, "pooling": pooling, "layer": layer}
    drawn = {"matched": matched, "reference_lists": reference_lists}
    measuring: dict[str, Any] = vars(reading) | vars(fitting) | drawn
    if encoder:
        measuring |= {"vectors": encoder, **contextual, **dict.fromkeys(drawn, 0)}
    default = CONTEXTUAL_MODELS if encoder else DEFAULT_MODELS["distance"]
    settings = Settings(models=tuple(model or default), **measuring)
    load_models(settings.models)
    chosen = _load_lists(lists)
    parts = [wordlist.name if len(chosen) > 1 else "" for wordlist in chosen]
    earlier = [compare_to / part for part in parts] if compare_to else []
    for folder in earlier:
        load_record(folder)
    output.require_place(out, [part for part in parts if part], force=force)
    written: dict[str, Any] = {"effects": keep is not None, "kinds": options.kinds(plots)}
    idle = ("vectors",) if encoder else tuple(contextual)
    command = options.command_line(*idle, model=list(settings.models))
    with screen.steps(len(chosen) * (4 + 2 * len(settings.models))) as tell:
        analyses = analyze_lists(settings.vectors, chosen, settings, tell=tell)
        for place, folder in enumerate(earlier):
            record, now = output.record_of(analyses[place], command), analyses[place]
            since = changes_since(folder, record, now.frame("contrasts"))
            analyses[place] = replace(now, since=since)
        tell("writing the report")
        with output.replace_results(out, force=force) as stage:  # only now is anything written
            for analysis, part in zip(analyses, parts, strict=True):
                (stage / part).mkdir(exist_ok=True)
                output.write_list(analysis, stage / part, command, **written)
            if len(chosen) > 1:
                paths = [f"{part}/{output.REPORT}" for part in parts]
                index = {"command": command, "lists": parts, "versions": output.versions()}
                page = index_page(list(zip(analyses, paths, strict=True)))
                output.write_report(page, index, stage)
    doubtful = any(analysis.doubtful for analysis in analyses)
    return options.finish(
        screen, _findings(analyses), out, open_report=open_report, doubtful=doubtful
    )


def _load_lists(sources: Sequence[str]) -> list[WordList]:
    from ..tables.wordlists import load_wordlist

    if not sources:
        raise ValueError("give one or more word lists; `bayesbias lists` prints the bundled ones")
    lists: dict[str, WordList] = {}
    for source in sources:
        wordlist = load_wordlist(source)
        name = wordlist.name
        if name in lists:
            raise ValueError(f"the word list {name!r} is given twice; each needs a name of its own")
        if not wordlist.groups:
            raise ValueError(f"the list {name!r} has control words only; give one with groups")
        if len(sources) > 1 and name in RESERVED:
            raise ValueError(f"the word list's name {name!r} is that of a result; give it another")
        lists[name] = wordlist
    return list(lists.values())


def _findings(analyses: Sequence[Analysis]) -> Iterator[str]:
    """Yield the contrast that leads of every list, for whom, and what it does not say."""
    from ..report.headline import finding_lines

    for analysis in analyses:
        lines = finding_lines(analysis)
        if analysis.since is not None:
            rows = analysis.since.to_dict("records")
            lines += [f"{row['what']}: {row['before']} → {row['after']}" for row in rows]
            lines += [] if rows else ["Nothing changed since the earlier run."]
        yield from lines
