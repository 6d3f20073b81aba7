"""`bayesbias run` and `bayesbias compare`: from word lists or tables to a folder with a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter as Option

import bayesbias as bb

from . import options, screen


def run(
    *lists: str,
    reading: options.ListReading = options.LIST_READING,
    encoder: str | None = None,
    templates: str = "bleached",
    pooling: str = "word",
    layer: int = -1,
    model: options.Models = None,
    matched: int = 5,
    reference_lists: int = 100,
    out: options.OutFolder = Path("bayesbias-results"),
    fitting: options.Fitting = options.FITTING,
    compare_to: Path | None = None,
    results: options.Results = options.RESULTS,
) -> int:
    """Measure word lists in an embedding, fit models, and write a report.

    The folder gets report.html, which works offline, its tables, posteriors and run.json. Several
    lists get a folder each. The exit code is 3 if the sampler warned.

    Example: `bayesbias run religion mine.toml --vectors GoogleNews.bin --out results`

    Parameters
    ----------
    lists : str
        One or more: names of bundled lists, or paths of .toml files.
    encoder : str
        Measure words in sentences: an encoder's folder or Hugging Face name; needs the extra mlm.
    templates : str
        With --encoder: sentences for the words, a bundled set or a .toml file.
    pooling : str
        With --encoder: word (the word's own tokens in the sentence) or sentence.
    layer : int
        With --encoder: layer to read, -1 the last.
    model : list of str
        A name or path; may be repeated. By default by-group; with --encoder, crossed and
        contextual.
    matched : int
        Control words as frequent as each stereotype, drawn from the embedding; 0 for none.
    reference_lists : int
        Reference lists of each kind (equally frequent words, other topics as stereotypes); 0 for
        none.
    compare_to : Path
        An earlier run: show which inputs, settings and contrasts have changed since.
    """
    from ..model.defaults import DEFAULT_MODELS
    from ..report.list_page import index_page
    from ..workflows import output
    from ..workflows.settings import Settings, load_models
    from ..workflows.since import changes_since, load_record
    from ..workflows.wordlist import CONTEXTUAL_MODELS, analyze_lists

    drawn = {"matched": matched, "reference_lists": reference_lists}
    measuring: dict[str, Any] = vars(reading) | vars(fitting.shown) | drawn
    if encoder:
        measuring |= {"vectors": encoder, "templates": templates, "pooling": pooling}
        measuring |= {"layer": layer, **dict.fromkeys(drawn, 0)}
    default = CONTEXTUAL_MODELS if encoder else DEFAULT_MODELS["distance"]
    settings = Settings(models=tuple(model or default), **measuring)
    load_models(settings.models)
    options.require_lists(lists, "run")
    chosen = {wordlist.name: wordlist for wordlist in map(bb.load_wordlist, lists)}
    if not lists:
        raise ValueError("give one or more word lists; `bayesbias lists` prints the bundled ones")
    if len(chosen) < len(lists):
        raise ValueError("a word list is given twice, or two have one name; each needs its own")
    if empty := [name for name, wordlist in chosen.items() if not wordlist.groups]:
        raise ValueError(f"the list {empty[0]!r} has control words only; give one with groups")
    parts = [name if len(chosen) > 1 else "" for name in chosen]
    earlier = [compare_to / part for part in parts] if compare_to else []
    for folder in earlier:
        load_record(folder)
    output.require_place(out, [part for part in parts if part], force=results.force)
    command = options.command_line()
    with screen.steps() as tell:
        analyses = analyze_lists(settings.vectors, list(chosen.values()), settings, tell=tell)
        for place, folder in enumerate(earlier):
            analyses[place] = replace(analyses[place], since=changes_since(folder, analyses[place]))
        tell("writing the report")
        with output.replace_results(out, force=results.force) as stage:  # only now is it written
            for analysis, part in zip(analyses, parts, strict=True):
                (stage / part).mkdir(exist_ok=True)
                output.write_results(analysis, stage / part, command, kinds=results.kinds)
            if len(chosen) > 1:
                paths = [f"{part}/{output.REPORT}" for part in parts]
                page = index_page(list(zip(analyses, paths, strict=True)))
                output.write_report(page, {"command": command, "lists": parts}, stage)
    for analysis in analyses:
        screen.say(*str(analysis).splitlines())
        if analysis.since is not None:
            rows = analysis.since.to_dict("records")
            changed = [f"{row['what']}: {row['before']} → {row['after']}" for row in rows]
            screen.say(*(changed or ["Nothing changed since the earlier run."]))
    doubtful = any(bool(analysis.doubts) for analysis in analyses)
    return results.finish([], out, doubtful=doubtful)


def compare(
    before: str,
    after: str,
    /,
    *,
    out: options.OutFolder = Path("bayesbias-change"),
    model: options.Models = None,
    fitting: options.Fitting = options.FITTING,
    words: Annotated[str | None, Option(name="--list")] = None,
    recover: str | None = None,
    recover_words: int = 500,
    case: options.Case = "exact",
    allow_pickle: options.AllowPickle = False,
    results: options.Results = options.RESULTS,
) -> int:
    """Compare two tables or embeddings pair by pair, as before and after debiasing.

    BEFORE and AFTER are tables of the same word list; or, with --list, two embeddings, or an
    embedding and a debiasing method such as hard. The exit code is 3 if the sampler warned.

    Examples: `bayesbias compare before.csv after.csv --out change`,
    `bayesbias compare glove-demo hard --list gender --recover gender`

    Parameters
    ----------
    before, after : str
        A table, .csv or .parquet, of ours or in the published layout; or an embedding.
    model : list of str
        A name or path; may be repeated. The report leads with the last one. By default
        change-by-group.
    words : str
        The word list, if you compare embeddings.
    recover : str
        Check whether the bias of these defining sets can be recovered afterward: gender, religion,
        race or a .toml file.
    recover_words : int
        How many of each class's most leaning words to use.
    """
    from ..model.defaults import DEFAULT_MODELS

    ends: list[Any] = [before, after]
    how: dict[str, Any] = vars(fitting.shown) | {"case": case, "allow_pickle": allow_pickle}
    how |= {"recover": recover, "recover_words": recover_words}
    if all(Path(end).suffix in {".csv", ".parquet"} for end in ends):
        if words or recover:
            raise ValueError(
                "--list and --recover are for embeddings; give two embeddings, not tables of them"
            )
        how["names"] = tuple(Path(end).stem for end in ends)
        ends = [bb.read_table(Path(end)) for end in ends]
    models = tuple(model or DEFAULT_MODELS["change"])
    how |= {"before": ends[0], "after": ends[1], "wordlist": words, "models": models}
    analysis = results.write(out, lambda tell: bb.analyze_change(tell=tell, **how))
    return results.finish(str(analysis).splitlines(), out, doubtful=bool(analysis.doubts))
