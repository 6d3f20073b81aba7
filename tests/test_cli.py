from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesbias import __version__, report
from bayesbias._core.resources import bundled_folder
from bayesbias.cli import main
from bayesbias.cli.models import TAKEN_BY
from bayesbias.cli.screen import as_options
from bayesbias.model.spec import CHOICES, load_model, model_text, models
from bayesbias.model.tree import load_posterior
from bayesbias.tables.table_files import read_table
from bayesbias.workflows.output import FRAMES, OWN_NAMES

LIST = """
title = "Toy"
note = "A note."
[groups]
men = ["he", "son"]
women = ["she", "maid"]
[stereotypes]
men = ["soldier", "pilot", "rancher"]
women = ["nurse", "dancer"]
[controls]
neutral = ["clock", "park", "stone"]
human = ["walk", "eat", "gone"]
"""

WORDS = (
    "he son she maid soldier pilot rancher nurse dancer clock park stone walk eat".split()  # noqa: SIM905
)

FAST = ("--model", "paper", "--draws", "200")
"""One model and few draws, for runs whose numbers do not matter."""


def write_vectors(path: Path, words: list[str], dims: int = 8) -> Path:
    rng = np.random.default_rng(5)
    lines = [" ".join([word, *(f"{x:.4f}" for x in rng.standard_normal(dims))]) for word in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list and an embedding in the working folder; arguments of a fast run on them."""
    monkeypatch.chdir(tmp_path)
    Path("toy.toml").write_text(LIST, encoding="utf-8")
    write_vectors(Path("toy.txt"), WORDS)
    return ["run", "toy.toml", "--vectors", "toy.txt", *FAST]


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the first figure only: drawing is what takes time."""
    every = report.figures_of
    monkeypatch.setattr(report, "figures_of", lambda analysis: every(analysis)[:1])


def listing(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def files_named(page: str) -> list[str]:
    """Files that a report says lie beside it."""
    told = page.rpartition("Beside this page: ")[2].partition("</p>")[0]
    return sorted(re.findall(r"[\w-]+\.(?:csv|nc|json)", told))


def files_beside(found: Iterable[str]) -> list[str]:
    return sorted(name for name in found if "/" not in name and name != "report.html")


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Check that a command is refused as bad input is, and give the one line it says."""
    before = listing(Path())
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("bayesbias: ")
    assert listing(Path()) == before
    return lines[0]


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from bayesbias.cli import main; main(['--help']);"
        "print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.rpartition("loaded:")[2].split())
    assert not loaded & {"numpy", "pandas", "pymc", "arviz", "gensim", "matplotlib", "jinja2"}


@pytest.mark.parametrize(
    "command",
    ["run", "table", "fit", "lists", "lists show", "lists check", "models", "models show"],
)
def test_help_of_every_command_has_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert "Example" in out
    assert f"bayesbias {command}" in out


def test_help_names_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "2 bad input, nothing was written; 3 results were written" in out


def test_version_and_the_module_as_a_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == f"bayesbias {__version__}"


def test_run_with_both_cards_writes_everything_the_same_every_time(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    both = [*toy[:4], "--draws", "200", "--out"]
    assert main([*both, "res"]) == 0
    said = capsys.readouterr().out
    _check_what_was_said(said)
    found = listing(Path("res"))
    _check_files(found)
    for name in FRAMES:
        assert list(dict.fromkeys(pd.read_csv(f"res/{name}.csv")["model"])) == ["paper", "crossed"]
    assert pd.read_csv("res/missing.csv")["word"].tolist() == ["gone"]
    assert files_named(found["report.html"].decode()) == files_beside(found)
    record = json.loads(found["run.json"])
    assert sorted(record["files"]) == sorted(found)
    assert record["arguments"]["seed"] == 1
    posterior = load_posterior("res/posterior-crossed.nc")
    assert record["hashes"]["table"] == posterior.attrs["table_hash"]
    assert main([*both, "again", "--quiet"]) == 0
    assert listing(Path("again")) == found


def _check_what_was_said(said: str) -> None:
    lines = said.splitlines()
    assert lines[0] == "toy in toy.txt: 40 distances, 1 of the list's 15 entries missing."
    assert lines.pop(1) == "  Missing: 1 control word."
    assert lines[1].startswith("  paper: associated − human is ")
    assert lines[2].startswith("  crossed: associated − human is ")
    assert "not verdicts" in lines[3]
    assert lines[4:] == ["Report: res/report.html"]


def _check_files(found: dict[str, bytes]) -> None:
    assert {*OWN_NAMES, "posterior.nc", "posterior-paper.nc", "posterior-crossed.nc"} <= set(found)
    plots = [name for name in found if name.startswith("plots/")]
    stems = {kind: {n[:-4] for n in plots if n.endswith(kind)} for kind in (".png", ".svg")}
    assert stems[".png"] == stems[".svg"]
    specs = {
        f"plots/{plot}-{spec}"
        for plot in ("forest", "contrasts", "check", "scales")
        for spec in ("paper", "crossed")
    }
    around = {"plots/neighbourhood-1-he", "plots/neighbourhood-2-she"}
    assert stems[".png"] == specs | around | {"plots/distributions"}
    assert found["posterior.nc"] == found["posterior-paper.nc"]


@pytest.mark.usefixtures("one_plot")
def test_other_seeds_give_other_draws_from_the_same_table(toy: list[str]) -> None:
    for seed in "12":
        assert main([*toy, "--out", seed, "--quiet", "--seed", seed]) == 0
    one, two = listing(Path("1")), listing(Path("2"))
    assert one["table.csv"] == two["table.csv"]
    assert one["summary.csv"] != two["summary.csv"]


@pytest.mark.usefixtures("one_plot")
def test_the_command_in_the_record_makes_the_same_numbers(toy: list[str]) -> None:
    assert main([*toy, "--out", "one", "--quiet", "--seed", "3", "--ci-prob", "0.8"]) == 0
    command = json.loads(Path("one/run.json").read_text())["command"]
    assert command.startswith("bayesbias run toy.toml --vectors toy.txt ")
    assert main([*command.split()[1:], "--out", "two", "--quiet"]) == 0
    assert Path("one/summary.csv").read_bytes() == Path("two/summary.csv").read_bytes()


@pytest.mark.usefixtures("one_plot")
def test_several_lists_get_folders_and_an_index(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.toml").write_text(LIST.replace("Toy", "Other <b>"), encoding="utf-8")
    assert main([*toy, "other.toml", "--out", "res"]) == 0
    out = capsys.readouterr().out
    assert "toy in toy.txt" in out
    assert "other in toy.txt" in out
    found = listing(Path("res"))
    for name in OWN_NAMES:
        assert f"toy/{name}" in found
        assert f"other/{name}" in found
    index = found["report.html"].decode()
    assert 'href="toy/report.html"' in index
    assert "Other &lt;b&gt;" in index
    assert sorted(json.loads(found["run.json"])["files"]) == sorted(found)
    assert main([*toy, "other.toml", "--out", "res"]) == 2


@pytest.mark.usefixtures("one_plot")
@pytest.mark.parametrize("out", ["res", "."])
def test_force_replaces_our_files_and_never_deletes_others(toy: list[str], out: str) -> None:
    Path(out, "plots").mkdir(parents=True)
    others = ["notes.txt", "plots/mine.png", "data.csv", "posterior-of-mine.nc"]
    for name in others:
        Path(out, name).write_text("mine")
    assert main([*toy, "--out", out, "--quiet"]) == 0
    assert Path(out, "plots/forest-paper.png").exists()
    assert main([*toy, "--out", out, "--quiet"]) == 2
    record = json.loads(Path(out, "run.json").read_text())
    record["files"] += ["data.csv", "notes.txt", "../toy.toml", "/etc/hostname", 5]
    Path(out, "run.json").write_text(json.dumps(record))
    again = [*toy[:4], "--model", "paper-figures", "--draws", "200", "--out", out, "--quiet"]
    assert main([*again, "--force"]) == 0
    assert all(Path(out, name).read_text() == "mine" for name in others)
    assert Path("toy.toml").exists()
    assert not Path(out, "plots/forest-paper.png").exists()
    assert not Path(out, "posterior-paper.nc").exists()
    assert Path(out, "posterior-paper-figures.nc").exists()
    assert not [name for name in listing(Path()) if "writing" in name]


@pytest.mark.usefixtures("one_plot")
def test_a_new_folder_is_made_with_its_parents(toy: list[str]) -> None:
    assert main([*toy, "--out", "a/b/c", "--quiet"]) == 0
    assert Path("a/b/c/report.html").exists()


def test_quiet_says_nothing(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--quiet", "lists"], ["--quiet", "lists", "show", "religion"]):
        assert main(arguments) == 0
    assert main(["--quiet", "table", "toy.toml", "--vectors", "toy.txt", "--out", "t.csv"]) == 0
    assert main(["fit", "t.csv", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.out == said.err == ""


BAD_ARGUMENTS = {
    "list": (["run", "religon"], "unknown word list 'religon'; did you mean 'religion'"),
    "no file": (["run", "nowhere.toml"], "no word list at nowhere.toml"),
    "spec": (["run", "toy.toml", "--model", "crosed"], "did you mean 'crossed'"),
    "twice": (["run", "toy.toml", "--model", "paper", "--model", "paper"], "two models"),
    "same list": (["run", "toy.toml", "toy.toml"], "given twice"),
    "controls": (["run", "neutral"], "control words only"),
    "percent": (["run", "toy.toml", "--ci-prob", "89"], "for an 89% interval pass 0.89"),
    "zero": (["run", "toy.toml", "--ci-prob", "0"], "ci_prob must lie in (0, 1)"),
    "method": (["run", "toy.toml", "--method", "nutz"], "did you mean 'nuts'"),
    "case": (["run", "toy.toml", "--case", "upper"], "unknown case 'upper'"),
    "rope": (["run", "toy.toml", "--rope", "-1"], "--rope"),
    "draws": (["run", "toy.toml", "--draws", "0"], "--draws"),
    "few draws": (["run", "toy.toml", "--draws", "2"], "--draws must be at least 7 with 4 chain"),
    "few in a chain": (
        ["run", "toy.toml", "--draws", "3", "--chains", "50"],
        "--draws must be at least 4 with 50 chain",
    ),
    "tune": (["fit", "no.csv", "--tune", "0"], "--tune"),
    "acceptance": (["run", "toy.toml", "--target-accept", "1"], "--target-accept must lie in (0"),
    "a model as a command": (["models", "pll"], "to see a model: `bayesbias models show pll`."),
    "a list as a command": (["lists", "gender"], "to see a list: `bayesbias lists show gender`."),
    "a list's command": (["lists", "chek"], "Did you mean 'check'? See `bayesbias lists --help`."),
    "a slip": (["rum"], "Did you mean 'run'? See `bayesbias --help`."),
    "option": (["run", "toy.toml", "--modl", "paper"], "No such option"),
    "no list": (["run"], "Missing argument"),
    "command": (["rum"], "rum"),
    "embedding": (["run", "toy.toml", "--vectors", "glove-dem"], "did you mean 'glove-demo'"),
    "no vectors": (["run", "toy.toml", "--vectors", "no.bin"], "no embedding file at no.bin"),
    "folder": (["run", "toy.toml", "--vectors", "./"], "is a folder"),
    "ending": (["run", "toy.toml", "--vectors", "toy.toml"], "unknown ending '.toml'"),
    "out is a file": (["run", "toy.toml", "--out", "toy.txt"], "toy.txt is a file"),
    "out in a file": (["run", "toy.toml", "--out", "toy.txt/a"], "toy.txt"),
    "table out": (["table", "toy.toml", "--out", "t.txt"], "must end in .csv or .parquet"),
    "table folder": (["table", "toy.toml", "--out", "no/t.csv"], "no folder no"),
    "fit no table": (["fit", "no.csv"], "no table at no.csv"),
    "fit no columns": (["fit", "toy.txt"], "toy.txt: the table lacks the column(s)"),
    "fit out": (["fit", "no.csv", "--out", "a.csv"], "must end in .nc"),
    "check": (["lists", "check", "no.toml"], "no word list at no.toml"),
    "show": (["lists", "show", "rase"], "did you mean 'race'"),
}


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, expected = BAD_ARGUMENTS[case]
    assert expected in refused(capsys, arguments)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LIST.replace('women = ["she", "maid"]\n', ""), "one group, 'men'"),
        (LIST.replace("[groups]", "[groups"), "not valid TOML"),
        (LIST.replace('["nurse", "dancer"]', "[]"), "the set is empty"),
        ('[groups]\nmen = ["he"]\n[stereotypes]\nmen = ["pilot"]', "one group"),
        (LIST.replace('["walk", "eat", "gone"]', '["gone", "lost"]'), "connection(s) human"),
        (LIST.replace('["she", "maid"]', '["lost"]'), "these groups has a vector: women (lost)"),
        (LIST.replace("title", "titel"), "did you mean 'title'"),
    ],
)
def test_bad_lists(
    toy: list[str], content: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.toml").write_text(content, encoding="utf-8")
    assert expected in refused(capsys, toy)


def binary_vectors(n_promised: int) -> bytes:
    parts = [word.encode() + b" " + np.full(4, 0.5, np.float32).tobytes() + b"\n" for word in WORDS]
    return b"%d 4\n" % n_promised + b"".join(parts)


TEXT = "\n".join(f"{word} 0.1 0.2 0.3" for word in WORDS)
BAD_VECTORS: dict[str, tuple[str, bytes, str]] = {
    "empty": ("v.txt", b"", "v.txt is empty"),
    "truncated": ("v.bin", binary_vectors(len(WORDS))[:-9], "v.bin"),
    "promises": ("v.bin", binary_vectors(len(WORDS) + 3), "v.bin"),
    "text promises": ("v.vec", f"99 3\n{TEXT}\n".encode(), "99"),
    "dimensions": ("v.txt", TEXT.replace("nurse 0.1", "nurse").encode(), "line 8"),
    "not finite": ("v.txt", TEXT.replace("nurse 0.1", "nurse nan").encode(), "nurse"),
    "zeros": ("v.txt", TEXT.replace("nurse 0.1 0.2 0.3", "nurse 0 0 0").encode(), "nurse"),
    "no word": ("v.txt", b"other 0.1 0.2\nwords 0.3 0.4\n", "none of the 15 words is in v.txt"),
    "case": ("v.txt", b"other 0.1 0.2\nwords 0.3 0.4\n", "none of the 15 words"),
    "gzip cut": ("v.txt.gz", gzip.compress(TEXT.encode() * 50)[:-40], "v.txt.gz"),
    "no gzip": ("v.bin.gz", b"nonsense", "v.bin.gz"),
    "no zip": ("v.zip", b"nonsense", "v.zip"),
    "no npz": ("v.npz", b"nonsense", "v.npz"),
    "pickle": ("v.kv", b"\x80\x04.", "--allow-pickle"),
}


@pytest.mark.parametrize("case", BAD_VECTORS)
def test_bad_vectors(toy: list[str], case: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, content, expected = BAD_VECTORS[case]
    Path(name).write_bytes(content)
    toy[3] = name
    assert expected in refused(capsys, toy)


def test_bad_pickles_and_zips(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("v.kv").write_bytes(b"\x80\x04.")
    toy[3] = "v.kv"
    assert "v.kv" in refused(capsys, [*toy, "--allow-pickle"])
    with zipfile.ZipFile("v.zip", "w") as archive:
        archive.writestr("a.txt", TEXT)
        archive.writestr("b.txt", TEXT)
    toy[3] = "v.zip"
    assert "v.zip" in refused(capsys, toy)


@pytest.mark.parametrize("name", ["../mine", "mine.svg"])
def test_a_card_that_cannot_be_a_file_name(
    toy: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = model_text("paper")
    Path("mine.toml").write_text(spec.replace('"paper"', f'"{name}"'), encoding="utf-8")
    toy[5] = "mine.toml"
    assert "part of a file name" in refused(capsys, toy)


def test_existing_results_need_force(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("res").mkdir()
    Path("res/summary.csv").write_text("mine")
    assert "--force" in refused(capsys, [*toy, "--out", "res"])
    Path("t.csv").write_text("mine")
    arguments = ["table", "toy.toml", "--vectors", "toy.txt", "--out", "t.csv"]
    assert "--force" in refused(capsys, arguments)
    assert main([*arguments, "--force"]) == 0


def test_a_folder_that_cannot_be_written_to(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() == 0:  # whom permissions do not stop
        assert "cannot write into /proc" in refused(capsys, [*toy, "--out", "/proc/results"])
        return
    Path("closed").mkdir(mode=0o500)
    assert "cannot write into" in refused(capsys, [*toy, "--out", "closed/results"])


@pytest.mark.usefixtures("one_plot")
def test_an_error_in_the_writing_leaves_nothing(
    toy: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr("bayesbias.workflows.output.write_page", full)
    said = refused(capsys, [*toy, "--out", "a/b"])
    assert said.startswith("bayesbias: a/b: No space left on device while its results were")
    assert not Path("a").exists()


@pytest.mark.usefixtures("one_plot")
def test_an_error_in_the_moving_leaves_nothing(
    toy: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "rename", full)
    assert "No space left" in refused(capsys, [*toy, "--out", "a/b"])
    assert not Path("a").exists()


def interrupted(toy: list[str], sent: signal.Signals) -> subprocess.Popen[str]:
    """Start a run that samples for minutes, and send it a signal while it does."""
    code = (
        # A job that the shell started in the background ignores Ctrl-C unless told.
        "import signal, sys, bayesbias.sampling.fit as f, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def slow(run): print('sampling', flush=True); time.sleep(60)\n"
        "f._SAMPLERS['nuts'] = slow\n"
        "from bayesbias.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = [*toy, "--method", "nuts", "--out", "res"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "sampling\n"
    time.sleep(0.2)
    process.send_signal(sent)
    return process


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_ended_leaves_nothing(toy: list[str], sent: signal.Signals) -> None:
    before = sorted(os.listdir())
    process = interrupted(toy, sent)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert sorted(os.listdir()) == before
    assert "Traceback" not in said
    if sent == signal.SIGINT:
        assert said.endswith("bayesbias: interrupted; nothing was written\n")


@pytest.mark.usefixtures("one_plot")
def test_sampling_warnings_give_exit_code_3_and_are_shown(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = (bundled_folder("models") / "paper.toml").read_text(encoding="utf-8")
    hard = 'family = "gamma"\nshape = 0.01\nrate = 1.0'  # a prior heaped at zero
    Path("hard.toml").write_text(spec.replace('family = "exponential"\nrate = 2.0', hard))
    assert main([*toy[:4], "--model", "hard.toml", "--method", "exact"]) == 3
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if "Pareto k of the exact" in line]
    assert len(lines) == 1
    assert lines[0].startswith("bayesbias: warning: ")
    html = Path("bayesbias-results/report.html").read_text()
    assert "Do not rely on these numbers yet" in html
    assert html.index("Pareto k of the exact") < html.index("What was found")


def test_table_and_fit(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table", *toy[1:4], "--out"]
    assert main([*arguments, "t.csv"]) == 0
    assert "Not in the embedding, and left out: gone" in capsys.readouterr().out
    assert main([*arguments, "t.parquet"]) == 0
    pd.testing.assert_frame_equal(read_table("t.csv"), read_table("t.parquet"))
    capsys.readouterr()
    assert main(["fit", "t.csv", "--model", "crossed", "--out", "p.nc"]) == 0
    out = capsys.readouterr().out
    assert "overall" in out
    assert "Posterior: p.nc" in out
    assert load_posterior("p.nc").attrs["model"] == "crossed"


def test_fit_says_where_the_posterior_is_not(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    assert main(["fit", "t.csv"]) == 0
    assert "The posterior is not kept; --out FILE.nc keeps it." in capsys.readouterr().out


def test_what_warnings_advise_reaches_the_sampler(
    toy: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bayesbias.sampling import fit as fitting
    from bayesbias.workflows import analysis
    from bayesbias.workflows import change as change_analysis

    def stop(*_: object, **options: object) -> None:
        raise ValueError(f"tune is {options['tune']} and acceptance {options['target_accept']}")

    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    for module, name in ((fitting, "fit"), (analysis, "fit"), (change_analysis, "compare")):
        monkeypatch.setattr(module, name, stop)
    scores = ["scores", toy[1], "--vectors", "toy.txt", "--posterior", "--draws", "20"]
    for arguments in (["fit", "t.csv"], toy, ["compare", "t.csv", "t.csv"], scores):
        said = refused(capsys, [*arguments, "--tune", "77", "--target-accept", "0.97"])
        assert "tune is 77 and acceptance 0.97" in said


def test_advice_names_options_rather_than_arguments() -> None:
    advice = "raise target_accept towards 0.99, or use method='exact' for a Normal model"
    assert as_options(advice) == (
        "raise --target-accept towards 0.99, or use --method exact for a Normal model"
    )


def test_missing_words_are_named_and_lower_case_is_hinted_at(
    toy: list[str], one_plot: None, capsys: pytest.CaptureFixture[str]
) -> None:
    content = LIST.replace('"son"', '"Son", "Puppi"').replace('"dancer"]', '"dancer", "Nurse"]')
    Path("toy.toml").write_text(content, encoding="utf-8")
    assert main(toy) == 0
    out = capsys.readouterr().out
    told = "Missing: Son, Puppi, Nurse and 1 control word."
    assert f"  {told} 2 there in lower case: try --case fallback.\n" in out
    assert main([*toy, "--case", "fallback", "--force"]) == 0
    assert "  Missing: Puppi and 1 control word.\n" in capsys.readouterr().out


def test_groups_of_which_nothing_was_measured_are_named(
    toy: list[str], one_plot: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of women no stereotype is there, of axolotls no word at all: neither may pass for data."""
    lists = LIST.replace('"nurse", "dancer"', '"xnurse", "xdancer"')
    lists = lists.replace("[stereotypes]", 'axolotls = ["xaxolotl"]\n[stereotypes]')
    Path("toy.toml").write_text(lists + "\n", encoding="utf-8")
    assert main([*toy, "--out", "res"]) == 0
    out = capsys.readouterr().out
    page = Path("res/report.html").read_text(encoding="utf-8")
    for told in (
        "No stereotype of the group women was measured: what is said of attributes",
        "No protected word of the group axolotls was found: it is left out of everything.",
    ):
        assert told in " ".join(out.split())
        assert told in " ".join(page.split())
    assert "of the group men" not in out


def test_of_many_missing_words_eight_are_named(
    toy: list[str], one_plot: None, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = ", ".join(f'"x{place}"' for place in range(11))
    Path("toy.toml").write_text(LIST.replace('"dancer"', f'"dancer", {lost}'), encoding="utf-8")
    assert main(toy) == 0
    named = ", ".join(f"x{place}" for place in range(8))
    told = f"Missing: {named} and 3 more protected and stereotype words and 1 control word."
    assert told in capsys.readouterr().out


def test_fit_takes_the_published_layout(toy: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", *toy[1:4], "--out", "t.csv", "--quiet"]) == 0
    table = pd.read_csv("t.csv")
    published = pd.DataFrame(
        {
            "protected_word": table["protected_word"],
            "word_to_compare": table["attribute"],
            "word_class": table["attribute_set"],
            "cosine_distance": table["cosine_distance"],
            "connection": table["connection"].replace("neutral", "none"),
        }
    )
    published.loc[len(published) - 1, "cosine_distance"] = -100
    published.to_csv("published.csv")
    assert main(["fit", "published.csv", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("bayesbias: warning: ") == 1
    assert "missing-word mark -100" in said.err


@pytest.mark.usefixtures("toy")
def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lists"]) == 0
    out = capsys.readouterr().out
    assert "religion" in out
    assert "weat10" in out
    assert main(["lists", "show", "toy.toml"]) == 0
    out = capsys.readouterr().out
    assert "rancher" in out
    assert "Note: A note." in out


def test_models_tell_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    told = {line[0]: line[1] for line in lines if len(line) > 1}
    assert {name: told[name] for name in models()} == {
        name: load_model(name).outcome for name in models()
    }
    assert all(f"{outcome}: for `bayesbias" in out for outcome in CHOICES["outcome"])


def test_a_model_is_shown_with_its_priors_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "show", "change"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "change: The change of each distance, pair by pair" in said
    assert "connection_mean normal: mean 0, sd 0.3" in said
    assert "For changes of distances, as bb.compare fits them: `bayesbias compare`." in said
    assert "sigma connection, attribute_effects none" in said
    assert "Reference: Gelman and Hill (2007)" in said


def test_the_commands_that_take_cards_are_told_for_every_outcome() -> None:
    assert tuple(TAKEN_BY) == CHOICES["outcome"]


@pytest.mark.usefixtures("toy")
def test_files_of_lists_and_cards_are_printed_as_they_stand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    paper = bundled_folder("models") / "paper.toml"
    for command, file in (
        (["lists", "show", "religion", "--toml"], bundled_folder("wordlists") / "religion.toml"),
        (["models", "show", "crossed", "--toml"], bundled_folder("models") / "crossed.toml"),
        (["models", "show", str(paper), "--toml"], paper),
    ):
        assert main(command) == 0
        assert capsys.readouterr().out == file.read_text(encoding="utf-8")
    Path("mine.toml").write_text(LIST + "# a comment\n", encoding="utf-8")
    assert main(["lists", "show", "mine.toml", "--toml"]) == 0
    assert capsys.readouterr().out == LIST + "# a comment\n"
    assert "did you mean 'crossed'" in refused(capsys, ["models", "show", "crosed"])


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["--measure", "csp"], "unknown measure 'csp'; did you mean 'cps'"),
        (["--model", "./nowhere"], "no folder of a model at nowhere"),
        (["--dataset", "crows-pair"], "unknown dataset 'crows-pair'; did you mean 'crows-pairs'"),
        (["--data", "none.csv"], "no file at none.csv"),
    ],
)
def test_mlm_score_checks_names_before_it_loads_what_takes_long(
    wrong: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> None:
        raise ImportError("too late")

    monkeypatch.setattr("bayesbias.maskedlm.load_language_model", late)
    good = ["--model", "bert", "--data", "pairs.csv", "--dataset", "crows-pairs", "--out", "out"]
    sentences = {"sent_more": ["She is bad at maths."], "sent_less": ["He is bad at maths."]}
    kinds = {"stereo_antistereo": ["stereo"], "bias_type": ["gender"]}
    pd.DataFrame(sentences | kinds).to_csv("pairs.csv")
    assert "too late" in refused(capsys, ["mlm", "score", *good])
    assert why in refused(capsys, ["mlm", "score", *good, *wrong])


def test_mlm_alone_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mlm"]) == 0
    said = capsys.readouterr()
    assert "report" in said.out
    assert said.err == ""


@pytest.mark.usefixtures("toy")
def test_lists_check_tells_lines_and_exits_by_severity(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lists", "check", "toy.toml"]) == 0
    assert "nothing to report" in capsys.readouterr().out
    Path("twice.toml").write_text(LIST.replace('"clock"', '"walk"'), encoding="utf-8")
    assert main(["lists", "check", "twice.toml"]) == 0
    assert "twice.toml:12: warning: controls.human: " in capsys.readouterr().out
    Path("wrong.toml").write_text(LIST.replace('"son"', '"he"'), encoding="utf-8")
    assert main(["lists", "check", "wrong.toml"]) == 1
    out = capsys.readouterr().out
    assert "wrong.toml:5: error: groups.men: 'he' stands 2 times" in out
    assert main(["--quiet", "lists", "check", "wrong.toml"]) == 1
    assert capsys.readouterr().out == ""


def test_control_characters_and_markup_do_not_reach_the_terminal(
    toy: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("toy.toml").write_text(
        LIST.replace('"Toy"', '"\\u001b[31mred [bold]loud[/bold] :smile:"'), encoding="utf-8"
    )
    assert main(["lists", "show", toy[1]]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]loud[/bold] :smile:" in " ".join(out.split())
