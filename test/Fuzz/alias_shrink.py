"""Shrinks a failing program."""

import dataclasses
import time
from collections.abc import Callable, Iterator

from alias_programs import Program

Fails = Callable[[Program], bool]


def _fewer_steps(program: Program) -> Iterator[Program]:
    """Yields programs without a half of the steps, without a quarter, and so on down to one."""
    count = len(program.steps)
    size = (count + 1) // 2
    while size:
        for start in range(count - size, -1, -size):
            yield program.without_steps(set(range(start, start + size)))
        size //= 2


def _fewer_returns(program: Program) -> Iterator[Program]:
    if len(program.returns) > 1:
        for text in program.returns:
            yield dataclasses.replace(program, returns=[text])
        for k in range(len(program.returns)):
            yield dataclasses.replace(program, returns=program.returns[:k] + program.returns[k + 1 :])


def _plainer(program: Program) -> Iterator[Program]:
    """Yields programs with static sizes, and with tensors of dense layout."""
    if program.dynamic:
        yield dataclasses.replace(program, dynamic=())
    for which in ("inputs", "states"):
        specs = getattr(program, which)
        for name, spec in specs.items():
            if spec.layout != "dense":
                plain = dataclasses.replace(spec, layout="dense")
                yield dataclasses.replace(program, **{which: {**specs, name: plain}})


def shrink(program: Program, fails: Fails, seconds: float = 60) -> Program:
    """Returns the shortest program found for which `fails` is true. It is true for `program`."""
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for shorter in (_fewer_returns, _fewer_steps, _plainer):
            again = True
            while again and time.monotonic() < end:
                again = False
                for candidate in shorter(program):
                    candidate = candidate.without_unused()
                    if time.monotonic() > end:
                        break
                    if candidate.returns and candidate != program and fails(candidate):
                        program, again, changed = candidate, True, True
                        break
    return program
