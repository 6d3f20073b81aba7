"""`bayesbias check-limits`: exit code 1 as soon as one interval leaves its limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import FAST, distances

import bayesbias as bb
from bayesbias.cli import main

GAP = "associated - different"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    post = bb.fit(distances(), "paper", seed=3, **FAST)
    bb.save_posterior(post, tmp_path / "posterior.nc")
    return tmp_path


def test_exit_codes_follow_the_interval(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = bb.contrasts(bb.load_posterior(run / "posterior.nc"))
    row = frame[(frame["first"] == "associated") & (frame["second"] == "different")].iloc[0]
    limits = run / "limits.toml"
    for low, high, code in (
        (row["low"] - 1e-9, row["high"] + 1e-9, 0),
        (row["low"] + 1e-9, 1.0, 1),
        (-1.0, row["high"] - 1e-9, 1),
    ):
        limits.write_text(
            f'[limits]\n"{GAP}" = [{float(low)!r}, {float(high)!r}]\n"human" = [0, 2]\n'
        )
        assert main(["check-limits", str(run), str(limits)]) == code
        said = capsys.readouterr().out.splitlines()
        assert [line.split(":")[0] for line in said[:2]] == [("inside", "OUTSIDE")[code], "inside"]
        assert said[2] == f"{code} of 2 intervals leave their limits."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no [limits], such as"),
        ("[limit]\n", "unknown key 'limit'; did you mean 'limits'"),
        ('[limits]\n"human" = [2, 1]\n', "'human' must be two numbers, the smaller first"),
        ('[limits]\n"humane" = [0, 1]\n', "unknown connection 'humane'; did you mean 'human'"),
    ],
)
def test_files_that_are_no_limits_are_refused(
    run: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    (run / "limits.toml").write_text(content)
    assert main(["check-limits", str(run), str(run / "limits.toml")]) == 2
    assert message in capsys.readouterr().err
