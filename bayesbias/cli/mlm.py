"""`bayesbias mlm score` and `bayesbias mlm report`: sentence pairs under language models."""

from __future__ import annotations

import shlex
from pathlib import Path

from cyclopts import App

import bayesbias as bb

from . import options, screen

REMEMBERED = "remembered.json"
"""The scores so far, from which a stopped run resumes."""

app = App(
    "mlm",
    help="`score` sentence pairs under masked and causal language models, then `report` on them.",
)


@app.command
def score(
    *,
    model: options.Model,
    data: Path,
    dataset: str,
    out: options.OutFile,
    part: str = "intrasentence",
    metadata: Path | None = None,
    measure: list[str] | None = None,
    bias_type: options.BiasTypes = None,
    name: str | None = None,
    device: str = "cpu",
    dtype: str = "float32",
    compile: bool = False,
    batch_size: int = 64,
    allow_pickle: options.AllowPickle = False,
    force: options.Force = False,
) -> None:
    """Score sentence pairs under a language model.

    The folder will contain scores.csv and run.json. To resume a stopped run, repeat the command.
    This command needs the mlm extra: `pip install 'bayesbias[mlm]'`. No data sets are included.

    Example: `bayesbias mlm score --model ./bert --data crows_pairs_anonymized.csv
    --dataset crows-pairs --out bert`

    Parameters
    ----------
    model : str
        A model's folder, or its name on the Hugging Face Hub.
    data : Path
        Your copy of the data set.
    dataset : str
        crows-pairs, crows-pairs-fr, stereoset, bbq, or csv for your own pairs (columns
        stereotypical, anti_stereotypical, bias_type).
    out : Path
        Folder for the scores.
    part : str
        For StereoSet: intrasentence or intersentence.
    metadata : Path
        For BBQ: the authors' additional_metadata.csv, which names each question's target.
    measure : list of str
        Masked models: sss, cps, aul, aula, pll, pll-word-l2r, or pll-mean. Causal models:
        log-likelihood or log-likelihood-mean. May be repeated; by default, all but the -mean ones.
    name : str
        Name of the model in the results.
    device : str
        Device for torch: cpu, cuda, or mps.
    dtype : str
        float32, bfloat16, or float16.
    compile : bool
        Compile the model with torch.compile, which takes minutes before the first score.
    batch_size : int
        Maximum number of sentences to score at once.
    """
    from .._core.checks import check_numbers
    from .._core.transformer_files import place_of
    from ..maskedlm.measures import require_measures
    from ..maskedlm.score_files import KIND, SCORES, hash_of
    from ..workflows import output
    from ..workflows.results import noticed

    check_numbers(batch_size=batch_size)
    require_measures(measure or ())  # check names before torch loads, which takes seconds
    place_of(model)
    pairs = bb.maskedlm.read_pairs(
        data, dataset, part=part, bias_types=bias_type, metadata=metadata
    )
    data_hash, metadata_hash = hash_of(data), metadata and hash_of(metadata)
    output.require_place(out, force=force, names=(SCORES, *output.OWN_NAMES))
    read = bb.maskedlm.load_language_model(
        model, device=device, dtype=dtype, compile=compile, name=name, allow_pickle=allow_pickle
    )
    with output.replace_results(out, force=force) as stage:  # blocks other runs
        with noticed() as notices:
            scores = bb.maskedlm.score_pairs(
                pairs,
                read,
                measure,
                batch_size=batch_size,
                cache=out / REMEMBERED,
                progressbar=not screen.QUIET.get(),
            )
        scores.to_csv(stage / SCORES, index=False)
        record = {
            "kind": read.kind,
            "made_by": KIND,
            "command": options.command_line(),
            "model": read.name,
            "model_hash": read.content_hash,
            "dataset": dataset if dataset != "stereoset" else f"{dataset}, {part}",
            "data_hash": data_hash,
            "metadata_hash": metadata_hash,
            "dtype": dtype,
            "n_pairs": len(pairs),
            "scores_hash": hash_of(stage / SCORES),
            "unscored": scores.attrs["unscored"],
            "warnings": [str(one) for one in notices],
            "versions": output.versions("torch", "transformers"),
        }
        output.write_record(record, stage)
    measured = bb.maskedlm.measure_table(bb.maskedlm.paired_scores(scores))
    measured = measured[measured["bias_type"] == "all"]
    title = "Percentages of pairs whose stereotypical sentence is preferred"
    screen.frame(title, measured, "measure", "n_pairs", "n_ties", "percentage")
    screen.say(
        f"{out / SCORES}: {len(scores):,} scores of {len(pairs):,} pairs under {read.name}.",
        f"Next: bayesbias mlm report {shlex.quote(str(out))}",
    )


@app.command
def report(
    *folders: Path,
    out: options.OutFile | None = None,
    model: str = "pairs-signs",
    layout: str = "auto",
    metadata: Path | None = None,
    bias_type: options.BiasTypes = None,
    fitting: options.FittingAlone = options.FITTING_ALONE,
    posteriors: bool = False,
    results: options.Results = options.RESULTS,
) -> int:
    """Write a report on scored sentence pairs: published measures, posteriors, and checks.

    Example: `bayesbias mlm report bert roberta --out compared`

    Parameters
    ----------
    folders : Path
        One or more folders that `bayesbias mlm score` wrote for the same data set. Logs of
        lm-evaluation-harness (crows_pairs, bbq, winogender) or Inspect (stereoset, bbq), CSV
        files, and folders with such files are also accepted.
    out : Path
        Folder for the results; by default `report` in the first folder.
    model : str
        Model of preferences: pairs-signs, or the path to your own .toml file.
    layout : str
        For logs: lm-eval, inspect, or csv; by default, the content of the files decides.
    metadata : Path
        For logs of BBQ: the authors' additional_metadata.csv, which names each question's target.
    posteriors : bool
        Also write the posterior of each measure as netCDF.
    """
    from .._core.reading import parts_of
    from ..workflows.pairs import PairSettings, analyze_pairs, of_types
    from ..workflows.settings import refuse_unused

    if not folders:
        raise ValueError("give one or more score folders or log files")
    paired = bb.maskedlm.read_scores(folders, layout, metadata=metadata)
    if not any("log" in record for record in paired.attrs["logs"]):
        given = {"metadata": metadata, "layout": None if layout == "auto" else layout}
        refuse_unused(given, " is for logs, not for folders of scores; leave it out")
    if bias_type:
        paired = of_types(paired, bias_type)
    first, _ = parts_of(folders[0])
    target = out or (first if first.is_dir() else first.parent) / "report"
    settings = PairSettings(spec=model, **vars(fitting) | {"progressbar": False})
    return results.write(
        target,
        lambda tell: [analyze_pairs(paired, settings, scored=paired.attrs["logs"], tell=tell)],
        posteriors=posteriors,
    )
