"""`bayesbias check-limits`: whether every interval of a run lies within stated limits."""

from __future__ import annotations

from pathlib import Path

from . import options
from .screen import SCREEN, Screen


def check_limits(run: Path, limits: Path, /, *, screen: Screen = SCREEN) -> int:
    """Check whether the intervals of a run lie within limits, for use in continuous integration.

    Example: `bayesbias check-limits religion limits.toml`, with a limits.toml such as

    ```toml
    ci_prob = 0.89          # of the intervals; may be left out

    [limits]                # differences and sums as in bb.hypothesis
    "associated - different" = [-0.10, 0.10]
    "muslim: associated - different" = [-0.15, 0.15]
    ```

    Exit code 1 if an interval leaves its limits, 0 if none does.

    Parameters
    ----------
    run : Path
        A folder that `bayesbias run` wrote, or a posterior's .nc.
    limits : Path
        A .toml file.
    """
    from ..model.posterior_files import load_posterior
    from ..posterior.hypothesis import hypothesis
    from ..workflows.limits import load_limits

    stated = load_limits(limits)
    posterior = load_posterior(run / "posterior.nc" if run.is_dir() else run)
    sums = [f"{name} > 0" for name in stated.ends]
    frame = hypothesis(posterior, *sums, ci_prob=stated.ci_prob)
    outside = 0
    for (name, (low, high)), row in zip(stated.ends.items(), frame.to_dict("records"), strict=True):
        holds = low <= row["low"] and row["high"] <= high
        outside += not holds
        screen.say(
            f"{'inside' if holds else 'OUTSIDE'}: {name} {row['mean']:.3f} "
            f"({row['low']:.3f} to {row['high']:.3f}), limits {low:g} to {high:g}"
        )
    screen.say(f"{outside} of {len(frame)} intervals leave their limits.")
    return options.FAILED if outside else 0
