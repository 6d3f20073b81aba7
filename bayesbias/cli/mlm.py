"""`bayesbias mlm score` and `bayesbias mlm report`: sentence pairs under language models."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..sampling.options import FitOptions
from . import options
from .screen import Screen, kept_in

if TYPE_CHECKING:
    import pandas as pd

    from ..workflows.pairs import PairAnalysis

REMEMBERED = "remembered.sqlite"
"""The scores so far, from which a run that was stopped goes on."""

mlm_app = typer.Typer(
    rich_markup_mode="markdown", callback=options.help_alone, invoke_without_command=True
)


@mlm_app.command("score")
@options.command(
    "bayesbias mlm score --model ./bert --data crows_pairs_anonymized.csv "
    "--dataset crows-pairs --out bert"
)
def score(
    context: typer.Context,
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME_OR_DIR",
            help="A model's folder, or its name on the Hugging Face hub.",
        ),
    ],
    data: Annotated[Path, typer.Option(metavar="FILE", help="Your copy of the data set.")],
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="crows-pairs, crows-pairs-fr, stereoset, winobias, winogender, bbq, or csv for "
            "pairs of your own (columns stereotypical, anti_stereotypical, bias_type).",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the scores.")],
    part: Annotated[
        str, typer.Option(metavar="PART", help="Of StereoSet: intrasentence or intersentence.")
    ] = "intrasentence",
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="sss, cps, aul, aula, pll, pll-word-l2r, pll-mean, pll-modified, or for causal "
            "models log-likelihood, log-likelihood-mean; may be repeated; by default all but those "
            "in -mean and -modified.",
        ),
    ] = None,
    bias_type: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Score these only; may be repeated.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="How results call the model.")
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="As torch names it: cpu, cuda, mps.")
    ] = "cpu",
    dtype: Annotated[
        str, typer.Option(metavar="TYPE", help="float32, bfloat16 or float16.")
    ] = "float32",
    batch_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Masked sentences at once.")
    ] = 64,
    allow_pickle: Annotated[
        bool,
        typer.Option(
            "--allow-pickle",
            help="Also read weights that come as a pickle: only from people you trust.",
        ),
    ] = False,
    force: options.Force = False,
    screen: Screen,
) -> int:
    """Score the sentence pairs of CrowS-Pairs or StereoSet under a language model.

    DIR gets scores.csv, one row a sentence and measure, run.json, and remembered.sqlite, from
    which a run that was stopped goes on. Needs the extra mlm: `pip install 'bayesbias[mlm]'`.
    Neither data set comes with the package.
    """
    from .._core.transformer_files import place_of
    from ..maskedlm import load_language_model, paired_scores, read_pairs, score_pairs
    from ..maskedlm.questions import require_measures
    from ..maskedlm.score_files import KIND, SCORES
    from ..workflows import output

    require_measures(measure or ())  # names first: torch takes seconds to load
    place_of(model)
    pairs = read_pairs(data, dataset, part=part, bias_types=bias_type)
    output.require_place(out, force=force, names=(SCORES, *output.OWN_NAMES))
    read = load_language_model(
        model, device=device, dtype=dtype, name=name, allow_pickle=allow_pickle
    )
    with kept_in(out):
        with _room(out):
            scores = score_pairs(
                pairs,
                read,
                measure,
                batch_size=batch_size,
                cache=out / REMEMBERED,
                progressbar=not screen.quiet,
            )
        record = {
            "kind": read.kind,
            "made_by": KIND,
            "command": options.command_of(context),
            "model": read.name,
            "model_hash": read.content_hash,
            "dataset": dataset if dataset != "stereoset" else f"{dataset}, {part}",
            "data_hash": hashlib.sha256(data.read_bytes()).hexdigest(),
            "dtype": dtype,
            "n_pairs": len(pairs),
            "unscored": scores.attrs["unscored"],
            "versions": output.versions("torch", "transformers"),
        }
        with output.replace_results(out, force=force) as stage:
            scores.to_csv(stage / SCORES, index=False)
            output.write_record(record, stage)
    _tell_shares(paired_scores(scores), screen)
    screen.say(
        f"{out / SCORES}: {len(scores):,} scores of {len(pairs):,} pairs under {read.name}.",
        f"Next: bayesbias mlm report {shlex.quote(str(out))}",
    )
    return 0


@contextmanager
def _room(out: Path) -> Iterator[None]:
    """Make the folder that scores are remembered in; where none came of it, it does not stay."""
    out.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if not any(out.iterdir()):
            out.rmdir()


def _tell_shares(paired: pd.DataFrame, screen: Screen) -> None:
    from ..maskedlm import percentage_score

    rows = []
    for measure, part in paired.groupby("measure", sort=False):
        share = percentage_score(part["stereotypical"], part["anti_stereotypical"])
        rows.append((str(measure), f"{share.n_pairs:,}", str(share.n_ties), f"{share.score:.1f}"))
    heads = ("measure", "pairs>", "ties>", "stereotypical preferred, %>")
    screen.table("Preferences (50 is none)", heads, rows)


@mlm_app.command("report")
@options.command("bayesbias mlm report bert roberta --out compared", without=("rope",))
def report(
    context: typer.Context,
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="PLACE...",
            help="Folders that `bayesbias mlm score` wrote; or logs of lm-evaluation-harness "
            "(samples_crows_pairs_*.jsonl), of Inspect (JSON), CSV files, or folders of these.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the results; by default `report` in the first folder.",
        ),
    ] = None,
    spec: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="pairs-signs, or a model of preferences by path.",
        ),
    ] = "pairs-signs",
    bias_type: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="These only; may be repeated.")
    ] = None,
    fitting: FitOptions,
    posteriors: Annotated[
        bool,
        typer.Option(
            "--posteriors", help="Write the posteriors as netCDF too, some 50 MB a measure."
        ),
    ] = False,
    force: options.Force = False,
    open_report: options.OpenReport = False,
    screen: Screen,
) -> int:
    """Write a report on scored sentence pairs: published measures, posteriors, checks.

    Of several models it tells which prefers stereotypes more, and how sure that is. Give folders
    that `bayesbias mlm score` wrote for the same data set, or logs of other evaluations of the same
    pairs.
    """
    from ..maskedlm.datasets import of_bias_types
    from ..report.folder import write_report
    from ..report.pairs import pairs_page
    from ..workflows import output
    from ..workflows.pairs import PairSettings, analyse_pairs

    paired, records = _read(folders)
    if bias_type:
        paired = of_bias_types(paired, bias_type)
    first = folders[0]
    target = out or (first if first.is_dir() else first.parent) / "report"
    output.require_place(target, force=force)
    settings = PairSettings(spec=spec, **vars(replace(fitting, progressbar=False)))
    with screen.steps(2 + paired["measure"].nunique()) as tell:
        analysis = analyse_pairs(paired, settings, tell=tell)
        record = {
            "command": options.command_of(context),
            "scored": records,
            "spec": analysis.spec.to_dict(),
            "warnings": analysis.doubts,
            "versions": output.versions(),
        }
        with output.replace_results(target, force=force) as stage:
            trees = analysis.posteriors if posteriors else {}
            output.write_frames({"paired": analysis.paired, **analysis.frames}, trees, stage)
            write_report(pairs_page(analysis, records), record, stage, tell)
    doubtful = bool(analysis.doubts)
    return options.finish(
        screen, _findings(analysis), target, open_report=open_report, doubtful=doubtful
    )


def _read(places: Sequence[Path]) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Read what was scored, here or elsewhere, with a record of every folder or log."""
    from ..maskedlm import paired_scores, read_scores
    from ..maskedlm.score_files import RECORD, SCORES

    ours = [any((place / name).is_file() for name in (SCORES, RECORD)) for place in places]
    if any(ours) and not all(ours):
        raise ValueError(
            "give folders of scores or logs, not both: pairs have other names in logs, and models "
            "are compared pair by pair"
        )
    if all(ours):
        scores, records = _read_scored(places)
        return paired_scores(scores), records
    paired = read_scores(places)
    return paired, paired.attrs["logs"]


def _read_scored(folders: Sequence[Path]) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Read scores, and check that they are of the same data under different names."""
    import pandas as pd

    from ..maskedlm.score_files import read_scored

    frames, records = zip(*map(read_scored, folders), strict=True)
    names = Counter(record["model"] for record in records)
    name, count = names.most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"two folders call their model {name!r}; score one again with another --name"
        )
    data = {(record["dataset"], record["data_hash"]) for record in records}
    if len(data) > 1:
        raise ValueError("the folders were scored on different data; models need the same pairs")
    return pd.concat(frames, ignore_index=True), list(records)


def _findings(analysis: PairAnalysis) -> Iterator[str]:
    from ..report.wording import CLOSING
    from ..report.wording.pairs import comparison_lines, preference_lines

    yield from (f"  {line}" for line in [*preference_lines(analysis), *comparison_lines(analysis)])
    yield CLOSING
