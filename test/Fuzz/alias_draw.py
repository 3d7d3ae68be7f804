"""Draws whole programs from seeds."""

import torch
from alias_build import MOST_STEPS, Builder, Rejected, Statistics, draw_row
from alias_programs import Program
from alias_python import STEPS

#: The frequencies of steps: calls of rows, by their kinds, and code as people write it.
_KINDS = ["view"] * 9 + ["inplace"] * 7 + ["out"] * 2 + ["python"] * 8


def _draw_step(builder: Builder) -> None:
    kind = builder.rng.choice(_KINDS)
    if kind != "python":
        draw_row(builder, kind)
        return
    (step,) = builder.rng.choices([s for s, _ in STEPS], [w for _, w in STEPS])
    step(builder)


def _draw_returns(builder: Builder) -> list[str]:
    """Returns the sources of a few tensors. Some are copied; others, even views, inputs and
    states, are returned directly."""
    rng = builder.rng
    names = [n for n in builder.names if not n.startswith("self.p")]
    chosen = rng.sample(names, min(len(names), rng.randint(2, 6)))
    if builder.names[-1] not in chosen:
        chosen.append(builder.names[-1])
    returns = []
    for name in chosen:
        kind = rng.random()
        if kind < 0.25:
            returns.append(name)
        elif kind < 0.5 or builder.env[name].dtype is torch.bool:
            returns.append(f"{name}.clone()")
        else:
            returns.append(f"{name} * 1")
    return returns


def draw(seed: int, dynamic: bool = False, statistics: Statistics | None = None) -> Program:
    """Draws the program of a seed."""
    builder = Builder(seed, dynamic, statistics)
    steps = builder.rng.randint(3, MOST_STEPS)
    for _ in range(40 * steps):
        if len(builder.program.steps) >= steps:
            break
        try:
            _draw_step(builder)
        except Exception:  # noqa: BLE001  eager refuses the step, in any way
            continue
    builder.program.returns = _draw_returns(builder)
    return builder.program.without_unused()
