"""Sweeps: their configurations, their cells, and resuming after a kill."""

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import DOUBT
from builders import refused as raises
from cli_toy import refused
from pandas.testing import assert_frame_equal
from sweep_inputs import EXAMPLE, write_inputs

import bayesbias as bb
from bayesbias._core.jobs import Finished
from bayesbias._core.resources import bundled_folder
from bayesbias._core.warnings import ignored, warn
from bayesbias.cli import main
from bayesbias.model.tree import keep_warnings
from bayesbias.records.found import Frames
from bayesbias.report.pages import page_of
from bayesbias.report.screen import screen_text
from bayesbias.report.sentences import plain
from bayesbias.tables.schema import Checked
from bayesbias.workflows.output import require_place, write_frames
from bayesbias.workflows.settings import ChangeSettings, Settings
from bayesbias.workflows.sweep import JOINT, Sweep, run_sweep
from bayesbias.workflows.sweep_spec import Embedding, SweepConfig, load_sweep
from bayesbias.workflows.wordlist import analyze_lists

CELLS = 12
"""Three embeddings, two lists, two models."""


@pytest.fixture(scope="module")
def config_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("sweep"))


@pytest.fixture(scope="module")
def config(config_path: Path) -> SweepConfig:
    return load_sweep(config_path)


@pytest.fixture(scope="module")
def undisturbed(config: SweepConfig, config_path: Path) -> Sweep:
    return run_sweep(config, config_path.parent / "kept")


def calm(config: SweepConfig, **changes: Any) -> SweepConfig:
    return replace(config, embeddings=config.embeddings[:1], **changes)


def same(one: Sweep, other: Sweep) -> None:
    for name in ("cells", "summary", "contrasts", "ranks", "differences"):
        assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)


def test_kept_results_change_nothing(config, undisturbed, config_path) -> None:
    assert len(undisturbed.cells) == config.n_cells == CELLS
    assert (undisturbed.cells["state"] == "done").all()
    again = run_sweep(config, config_path.parent / "kept")
    assert again.reused == CELLS + 1
    same(again, undisturbed)


@pytest.mark.slow  # processes start
def test_workers_change_nothing(config: SweepConfig, undisturbed: Sweep) -> None:
    side_by_side = run_sweep(calm(config), n_jobs=2)
    for name in ("cells", "summary", "contrasts"):
        whole = getattr(undisturbed, name)
        part = whole[whole["embedding"] == "calm"]
        assert_frame_equal(getattr(side_by_side, name), part, check_exact=True)


def keys_of(config: SweepConfig, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the keys of all cells by name, without fitting."""

    def nothing(jobs: Any, **_: Any) -> Finished:
        keys.update({job.name: job.key for job in jobs if job.name != JOINT})
        raise StopIteration

    keys: dict[str, str] = {}
    monkeypatch.setattr("bayesbias.workflows.sweep.run_jobs", nothing)
    with pytest.raises(StopIteration):
        run_sweep(config)
    return keys


def test_content_decides_the_key_and_names_do_not(
    config: SweepConfig, config_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = keys_of(config, monkeypatch)
    assert len(set(base.values())) == CELLS
    moved = tmp_path / "moved.npz"
    moved.write_bytes((config_path.parent / "calm.npz").read_bytes())
    other = replace(config.embeddings[0], name="other", source=str(moved))
    renamed = keys_of(replace(config, embeddings=(other,)), monkeypatch)
    assert {name.replace("other", "calm"): key for name, key in renamed.items()}.items() <= (
        base.items()
    )
    others = {"draws": 251, "rope": 0.03, "seed": 2, "method": "exact", "target_accept": 0.95}
    for name, value in others.items():
        changed = keys_of(calm(config, **{name: value}), monkeypatch)
        assert not set(changed.values()) & set(base.values())
    wider = config.models[0].with_priors({"connection_mean": {"sd": 0.3}})
    changed = keys_of(replace(config, models=(wider, config.models[1])), monkeypatch)
    assert [name for name, key in base.items() if changed[name] != key] == [
        name for name in base if "paper" in name
    ]


SETTINGS: list[tuple[dict[str, Any], str]] = [
    *(({"matched": n}, f"matched must be a whole number, 0 or more; got {n}") for n in (-1, 1.5)),
    ({"matched": True}, "matched must be a whole number, 0 or more; got True"),
    ({"covariate_values": "a.csv"}, "covariate_values needs covariates"),
    ({"covariate_values": None}, "covariate_values must be the path of a CSV file; got NoneType"),
    *(({"covariates": one}, "covariates must be names of col") for one in (None, [1], [""])),
    ({"progressbar": "false"}, "progressbar must be True or False; got 'false'"),
]


@pytest.mark.parametrize(("given", "message"), SETTINGS)
def test_sweeps_and_analyses_refuse_the_same_settings(config, given, message) -> None:
    for make in (partial(replace, config), Settings):
        with pytest.raises(ValueError, match=message):
            make(**given)


def test_one_model_may_be_given_by_itself() -> None:
    assert Settings(models="crossed").models == ChangeSettings(models="crossed").models
    assert Settings(models=Path("a.toml"), covariates="x").models == (Path("a.toml"),)
    for name in ("strip_accents", "subwords", "allow_pickle", "cache"):
        with pytest.raises(ValueError, match=f"{name} must be True or False; got 'no'"):
            Settings(**{name: "no"})


@pytest.mark.slow
def test_the_command_writes_what_there_is(config_path, undisturbed, tmp_path, capsys) -> None:
    """Only the cells of a missing embedding are missing, and its name is shown literally."""
    kept, lost = config_path.parent / "kept", config_path.with_name("lost.toml")
    out = shutil.copytree(kept, tmp_path / "out")
    text = config_path.read_text().replace('"wild.npz"', '"lost <b>.npz"')
    lost.write_text(text.replace("Small sweep", "Small <i>sweep</i>"))
    assert main(["sweep", str(lost), "--out", str(out), "--jobs", "1000000"]) == 1
    assert "8 of 12;" in capsys.readouterr().out
    frames = {f"{name}.csv" for name in ("differences", "missing", "ranks", "shares", "summary")}
    frames |= {f"{name}.csv" for name in ("cells", "contrasts", "dots", "failures", "tables")}
    frames |= {"report.html", "report.md", "run.json", "plots", "results"}
    assert {path.name for path in out.iterdir()} == frames
    cells = pd.read_csv(out / "cells.csv")
    assert list(cells["state"]) == ["done"] * 8 + ["failed"] * 4
    assert set(cells["error"].dropna()) == {"FileNotFoundError"}
    record = json.loads((out / "run.json").read_text())
    assert (record["failed"], record["cells"]) == (4, 12)
    means = undisturbed.contrasts.query("embedding != 'wild'")["mean"]
    assert pd.read_csv(out / "contrasts.csv")["mean"].tolist() == means.tolist()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("Small &lt;i&gt;sweep&lt;/i&gt;", "lost &lt;b&gt;.npz"))
    assert "lost <b>" not in page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("good.toml --jobs 0", 'Invalid value "0" for --jobs'),
        ("good.toml --out=", "a path must not be empty"),
        ("lost.toml", "no cell can be fitted: no embedding file at"),
        ("good.toml --out damaged", "results is a file"),
        ("good.toml --out mine", "(summary.csv) but no results of a sweep"),
        ("good.toml --out good.toml", "is a file; pass the name of a folder"),
        ("model.toml", "`bayesbias sweep --help` shows an example"),
    ],
)
def test_what_cannot_be_run_writes_nothing(arguments, told, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, source in (("good", "glove-demo"), ("lost", "no.bin")):
        Path(f"{file}.toml").write_text(f'lists = ["religion"]\n[embeddings]\na = "{source}"\n')
    Path("model.toml").write_bytes((bundled_folder("models") / "paper.toml").read_bytes())
    for file in ("damaged/results", "mine/summary.csv"):
        Path(file).parent.mkdir()
        Path(file).touch()
    assert told in refused(capsys, ["sweep", *arguments.split()], most=2)


@pytest.mark.seconds
def test_failures_stop_no_other_cell_and_warnings_are_kept_with_the_result(
    config: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(table: Checked, spec: Any, *arguments: Any, **options: Any) -> Any:
        if spec.name == "crossed":
            raise MemoryError("no room")
        tree = bb.fit(table.rows, spec, *arguments, **options)
        keep_warnings(tree, [DOUBT])
        warn(DOUBT)
        return tree

    monkeypatch.setattr("bayesbias.workflows.sweep_cells.fit_checked", fit)
    for _ in range(2):
        with pytest.warns(bb.SamplingWarning) as told:
            done = run_sweep(calm(config), tmp_path)
        assert {replace(each.message, about="") for each in told} == {DOUBT}
        assert {replace(each, about="") for each in done.warnings} == {DOUBT}
        assert done.doubts == list(map(str, done.warnings))
        assert set(done.contrasts["model"]) == {"paper"}
        assert set(done.failures["model"]) == {"crossed"}
        assert set(done.failures["message"]) == {"no room"}


@pytest.mark.seconds
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.HighJointParetoK")
def test_cells_and_ranks_are_those_of_fit_and_fit_many(config, config_path, tmp_path) -> None:
    """With a covariate from a file."""
    words, values = bb.load_wordlist(config_path.parent / "kin.toml"), tmp_path / "values.csv"
    of = {word: len(word) for word in words.words}
    pd.Series(of, name="letters").to_csv(values, index_label="word")
    with pytest.raises(ValueError, match="needs covariates"):
        calm(config, covariate_values=str(values))
    asked = {"covariates": ("letters",), "covariate_values": str(values)}
    some = {"lists": config.lists[1:], "models": config.models[1:]}
    config = replace(config, embeddings=config.embeddings[::2], **some)
    done = run_sweep(replace(config, **asked), tmp_path / "out")
    tables = {
        one.name: bb.with_covariate(bb.distance_table(one.source, words), "letters", of)
        for one in config.embeddings
    }
    few = {"covariates": "letters", "draws": 100, "chains": 2, "seed": 1}
    tree = bb.fit(tables["calm"], "crossed", **few)
    for name in ("summary", "contrasts"):
        expected, found = getattr(bb, name)(tree), getattr(done, name)
        found = found.query("embedding == 'calm'").reset_index(drop=True)
        assert_frame_equal(found[[*expected]], expected, check_exact=True)
    joint = bb.fit_many([one.assign(embedding=name) for name, one in tables.items()], **few)
    ranks = ["embedding", "mean", "p_most"]
    assert_frame_equal(done.ranks[ranks], bb.rank_embeddings(joint)[ranks])
    assert len(done.differences) == 1
    without = run_sweep(calm(config), tmp_path / "out")
    assert without.reused == 0


def test_a_list_that_an_embedding_lacks_fails_alone(config: SweepConfig) -> None:
    lost = bb.WordList("lost", {"a": ["qqq"], "b": ["zzz"]}, {"a": ["nurse"], "b": ["boss"]})
    done = run_sweep(calm(config, lists=(lost, config.lists[1]), models=config.models[:1]))
    assert done.cells["state"].tolist() == ["failed", "done"]
    assert "no protected word" in done.failures["message"].iloc[0]
    assert done.tables["list"].tolist() == ["kin"]


def test_a_second_sweep_in_one_folder_is_refused_until_the_first_ends(
    config_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Its results would be lost when the first sweep replaces the folder."""
    command, codes = ["sweep", str(config_path), "--out", str(tmp_path / "out"), "-q"], []

    def meanwhile(*_: object, **__: object) -> Sweep:
        codes.append(main(command))
        raise ValueError("enough")

    monkeypatch.setattr(bb, "run_sweep", meanwhile)
    assert main(command) == 2
    assert codes == [2]
    assert "another run is writing" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


MINIMAL = 'lists = ["religion"]\n'
PLACES = '\n[embeddings]\ndemo = "glove-demo"\n'


def read(folder: Path, text: str) -> SweepConfig:
    path = folder / "sweep.toml"
    path.write_text(text, encoding="utf-8")
    return load_sweep(path)


def test_the_example_of_the_help_text_is_read_and_the_rest_is_as_in_run(tmp_path: Path) -> None:
    config = read(tmp_path, EXAMPLE)
    assert [words.name for words in config.lists] == ["religion", "gender", "weat1"]
    assert [spec.name for spec in config.models] == ["crossed", "maximal"]
    lower = Embedding("lower", "glove-demo", "lower")
    assert config.embeddings == (Embedding("demo", "glove-demo"), lower)
    config = read(tmp_path, MINIMAL + PLACES)
    assert [spec.name for spec in config.models] == ["by-group"]
    assert (config.seed, config.draws, config.chains, config.method) == (1, 1000, 4, "auto")
    assert (config.ci_prob, config.rope) == (0.89, None)


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, words = tmp_path / "inside", {"groups": {"a": ["x"], "b": ["y"]}}
    inside.mkdir()
    words |= {"stereotypes": {"a": ["u"], "b": ["v"]}, "title": "t", "note": "n"}
    (inside / "mine.json").write_text(json.dumps(words))
    monkeypatch.chdir(tmp_path)
    config = read(inside, 'lists = ["mine.json"]\n[embeddings]\na = "v.bin"\nb = "/abs/w.txt"\n')
    assert config.lists[0].name == "mine"
    assert [each.source for each in config.embeddings] == [str(inside / "v.bin"), "/abs/w.txt"]


def test_a_bare_name_is_never_sought_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is of a bundled embedding, of a file next to the sweep, or of a download."""
    inside = tmp_path / "inside"
    inside.mkdir()
    for place in ("glove-demo", "here", "inside/glove-demo", "inside/there", "inside/here"):
        (tmp_path / place).write_text("a 1 2", encoding="utf-8")
    (tmp_path / "only-here").write_text("a 1 2", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = "glove-demo", "here", "there", "only-here", "glove-twitter-25"
    text = MINIMAL + "[embeddings]\n" + "".join(f'{name} = "{name}"\n' for name in names)
    sources = {each.name: each.source for each in read(inside, text).embeddings}
    files = {name: str(inside / name) for name in ("here", "there", "only-here")}
    assert sources == {**dict(zip(names, names, strict=True)), **files}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('lsts = ["religion"]' + PLACES, "unknown key 'lsts'; did you mean 'lists'"),
        (PLACES, "lists must be a list of names"),
        (MINIMAL, "embeddings must be a table of names and sources"),
        ('lists = ["human"]' + PLACES, "has only controls"),
        ('lists = ["religion", "religion"]' + PLACES, "the lists include 'religion' twice"),
        ('[embeddings]\na = "x"\nlists = ["religion"]', "placed before"),
        (MINIMAL + '[embeddings]\na = {sorce = "x"}', "embeddings.a must be a name, a path, or"),
        (MINIMAL + '[embeddings]\n"a\\u0007" = "x"', "which cannot be printed"),
        ("lists = [", "Invalid value|Unclosed|Expected"),
    ],
)
def test_what_is_wrong_is_named(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "sweep.toml") in str(caught.value)


@pytest.mark.slow  # two analyses beside a sweep
@pytest.mark.usefixtures("one_landmark")
def test_a_list_has_the_same_numbers_alone_and_beside_others(tmp_path: Path) -> None:
    names, how = ["weat7", "gender"], {"case": "fallback", "seed": 1, "draws": 50}
    lists = [bb.load_wordlist(name) for name in names]  # they share words
    settings = Settings(reference_lists=2, progressbar=False, **how)
    (tmp_path / "sweep.toml").write_text(
        f'lists = {names}\nmodels = ["by-group"]\nseed = 1\ndraws = 50\n'
        '[embeddings]\ndemo = {source = "glove-demo", case = "fallback"}\n'
    )
    sweep = run_sweep(load_sweep(tmp_path / "sweep.toml"), progress=False)
    tables = bb.distance_tables({"demo": "glove-demo"}, lists, case="fallback")
    _, together = analyze_lists("glove-demo", lists, settings)
    alone = bb.analyze("glove-demo", "gender", reference_lists=2, progressbar=False, **how)
    for name in ("table", "contrasts", "reference", "landmarks"):
        assert_frame_equal(together.found.frames[name], alone.found.frames[name])
    cell = sweep.contrasts.query("list == 'gender'").reset_index(drop=True)
    assert_frame_equal(cell[[*alone.contrasts]], alone.contrasts, check_dtype=False)
    joint = tables.query("wordlist == 'gender'").reset_index(drop=True)
    assert {*joint["attribute"]} == {*alone.table["attribute"]}  # with the same matched words
    own = bb.distance_tables({"demo": "glove-demo"}, "gender", case="fallback")
    assert_frame_equal(joint, own, check_categorical=False)


@pytest.mark.slow
def test_an_embedding_with_the_distances_of_another_is_named_beside_it(
    config: SweepConfig, config_path: Path
) -> None:
    """The joint model uses equal distances once, so the other embedding has no row of its own."""
    calm, wild = config.embeddings[0], config.embeddings[2]
    embeddings = (calm, replace(calm, name="again"), wild)
    some = replace(config, embeddings=embeddings, models=config.models[:1])
    with ignored(bb.warnings.CopyNotRanked):
        found = run_sweep(some, progress=False).found
    picture = page_of(found).answer.picture
    assert picture
    assert {row.label for row in picture.rows} == {"calm = again", "wild"}
    assert "calm = again" in screen_text(page_of(found).answer)
    ranks = found.frames["ranks"].assign(p_most=0.5)  # equally probable, so both are named
    tied = replace(found, frames=Frames({**found.frames, "ranks": ranks}))
    said = plain(page_of(tied).answer.sentence)
    assert "calm" in said
    assert "wild" in said


@pytest.mark.slow
def test_embeddings_without_a_rank_are_named_with_the_reason(
    config: SweepConfig, config_path: Path
) -> None:
    """A copy has the first one's place; turned vectors have the same distances."""
    calm, wild = config.embeddings[0], config.embeddings[2]
    again, one_model = replace(calm, name="again"), config.models[:1]

    def swept(*embeddings: Embedding) -> Sweep:
        return run_sweep(replace(config, embeddings=embeddings, models=one_model), progress=False)

    copies = [bb.warnings.CopyNotRanked(one.name, "calm", "again") for one in config.lists]
    for embeddings in ((calm, again, wild), (calm, again)):
        with pytest.warns(bb.warnings.CopyNotRanked) as issued:
            done = swept(*embeddings)
        assert [one.message for one in issued] == copies
        assert {(one.name, one.message) for one in done.uncompared} == {
            (f"again / {one.wordlist}", str(one)) for one in copies
        }
        assert [*done.notices] == copies
        page = page_of(done.found)
        shown = " ".join(fold.text() for fold in page.details())
        assert [shown.count(str(one)) for one in copies] == [1, 1]
        assert not done.warnings
        assert not page.answer.alerts
        ranked = {"calm", "wild"} if wild in embeddings else set[str]()
        assert {*done.ranks.get("embedding", ())} == ranked
        if not ranked:
            raises("there is no figure: .* no list has different distances", done.plot)
    turned, vectors = config_path.with_name("turned.npz"), bb.load_vectors(calm.source)
    vectors.vectors = vectors.vectors[:, ::-1]
    bb.save_vectors(vectors, turned)
    failed = swept(calm, replace(calm, name="turned", source=turned))
    assert [one.name for one in failed.uncompared] == [JOINT]
    assert failed.warnings == [bb.warnings.NotRanked(failed.uncompared[0].message)]
    assert any(str(failed.warnings[0]) in text for text in page_of(failed.found).answer.alerts)
    raises("there is no figure: .* the joint model failed", failed.plot)


@pytest.mark.seconds
def test_lists_that_embeddings_lack_are_not_taken_for_measured(
    config: SweepConfig, config_path: Path
) -> None:
    """One list is in one embedding only, and one is in no embedding."""
    jobs, kin = config.lists
    lost = bb.WordList("lost", {"a": ["qqq"], "b": ["zzz"]}, {"a": ["qq"], "b": ["zz"]})
    path, held = config_path.with_name("part.npz"), bb.load_vectors(config.embeddings[1].source)
    words = [word for word in held.index_to_key if word not in sum(kin.groups.values(), ())]
    bb.save_vectors(bb.load_vectors((words, held[words])), path)
    calm, part = config.embeddings[0], replace(config.embeddings[1], name="part", source=str(path))
    some = replace(config, embeddings=(calm, part), lists=(jobs, kin, lost))
    with pytest.warns(bb.warnings.ListInOneEmbedding):
        found = run_sweep(replace(some, models=config.models[:1]), progress=False).found
    assert found.notices == (bb.warnings.ListInOneEmbedding("kin", "calm"),)
    page = page_of(found)
    assert "lost" not in plain(page.answer.sentence)
    assert [text for text in page.answer.alerts if "kin in part" in text]
    (row,) = (line for line in page.side().split("<tr>") if "kin" in line)
    assert "%" not in row
    (ranks,) = (fold.text() for fold in page.details() if "P(largest)" in fold.text())
    (row,) = (line for line in ranks.splitlines() if line.split()[:1] == ["kin"])
    assert "%" not in row


@pytest.mark.seconds
def test_a_sweep_of_copies_says_so_once_and_succeeds(
    config_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies, text = config_path.with_name("copies.toml"), config_path.read_text()
    start = text.partition("[embeddings]")[0]
    copies.write_text(f'{start}[embeddings]\ncalm = "calm.npz"\nagain = "calm.npz"\n')
    assert main(["sweep", str(copies), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().err
    for one in load_sweep(copies).lists:
        assert said.count(str(bb.warnings.CopyNotRanked(one.name, "calm", "again"))) == 1


@pytest.mark.seconds
def test_frames_outlive_the_folder_and_are_written_in_pieces(
    config: SweepConfig, undisturbed: Sweep, config_path: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """Whether a frame is written before or after it is joined, its file is the same."""
    folder = shutil.copytree(config_path.parent / "kept", tmp_path / "kept")
    again = run_sweep(config, folder, progress=False)
    shutil.rmtree(folder)
    monkeypatch.setattr("bayesbias.workflows.sweep_frames.AT_ONCE", 5)  # of 12 cells
    page = page_of(again.found).text()
    write_frames(again.found.frames, tmp_path)
    same(again, undisturbed)
    for name in ("summary", "contrasts"):
        assert (tmp_path / f"{name}.csv").read_text() == getattr(again, name).to_csv(index=False)
    assert page == page_of(undisturbed.found).text() == page_of(again.found).text()


def test_no_list_of_a_sweep_has_the_name_of_the_mean_over_lists() -> None:
    lists = (replace(bb.load_wordlist("gender"), name="average"), bb.load_wordlist("religion"))
    models = (bb.load_model("by-group"),)
    raises("'average'", SweepConfig, (Embedding("demo", "glove-demo"),), lists, models)


@pytest.mark.parametrize("name", ["Report.md", "run.json", "plots", "Contrasts.csv"])
def test_no_list_has_the_name_of_a_file_of_results(tmp_path: Path, name: str) -> None:
    """Its folder would be where the results of all lists are, which is found out at the end."""
    raises("rename the list", require_place, tmp_path / "out", [name, "mine"], force=False)
    require_place(tmp_path / "out", ["mine", "report"], force=False)


def test_a_changed_baseline_is_measured_again(tmp_path: Path) -> None:
    """Its missing words are reported with each result, so results must not be taken over."""
    sets = {"groups": {"a": ["he", "man"], "b": ["she", "woman"]}}
    sets |= {"stereotypes": {"a": ["career", "office"], "b": ["family", "home"]}}
    for missing in ("qqzx", "qqzy"):
        config = SweepConfig(
            embeddings=(Embedding("demo", "glove-demo"),),
            lists=(bb.load_wordlist({**sets, "baseline": {"people": ["person", missing]}}),),
            models=(bb.load_model("paper"),),
            draws=50,
            chains=2,
            matched=0,
        )
        found = run_sweep(config, tmp_path / "kept", progress=False)
        assert found.missing["word"].tolist() == [missing]


@pytest.mark.parametrize(
    "read_from", [lambda s: s.posterior, lambda s: s.lead, bb.contrasts, bb.summary, bb.predictions]
)
def test_a_sweep_says_that_it_keeps_no_posteriors(read_from, undisturbed: Sweep) -> None:
    raises("sweep.contrasts", read_from, undisturbed, error=TypeError)
    raises("sweep.contrasts", bb.hypothesis, undisturbed, "a > b", error=TypeError)
