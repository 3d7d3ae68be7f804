"""Many operator cases as one exported graph.

Starting a process and loading LibTorch costs more than running an operator. So the cases of a
family are exported together, each with its own inputs and outputs, and run once. A batch that fails
as a whole is halved until the failing cases are alone.
"""

import dataclasses
import functools
import pathlib
import shutil
import tempfile

import crossing
import exporting
import harness
import packages
import torch
from operators.table import OTHER_SIZES, SIZES, Case
from torch.utils import _pytree as pytree

#: After this many single runs all other cases of a failing batch get the batch's error.
MOST_SINGLE_RUNS = 24


class Batch(torch.nn.Module):
    def __init__(self, cases: list[Case]):
        super().__init__()
        self.functions = [case.function for case in cases]

    def forward(self, inputs):
        outputs = (function(*x) for function, x in zip(self.functions, inputs))
        # torch.export cannot save the named tuples that some operators return.
        return [tuple(x) if isinstance(x, tuple) else x for x in outputs]


@dataclasses.dataclass(frozen=True)
class Config:
    """How a batch is exported and run. The mode is one of harness.MODES, "aoti": a package in
    PyTorch's loader, "aten": such a package without native code for operators, or "aarch64": code
    for AArch64 in an emulator."""

    dynamic: bool
    decomposed: bool
    mode: str
    cpu: str = ""  # for the mode "aarch64"

    @property
    def graph(self):
        shapes = "dynamic" if self.dynamic else "static"
        return f"{shapes}-{'decomposed' if self.decomposed else 'training'}"

    def __str__(self):
        return f"{self.graph}-{self.mode}"


def _inputs(cases: list[Case], sizes: dict[str, int]):
    return ([case.tensors(sizes) for case in cases],)


@functools.lru_cache(maxsize=None)
def exported(cases: tuple[Case, ...], dynamic: bool, decomposed: bool, folder: str):
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "m.pt2"
    shapes = None
    if dynamic:
        symbols = {s: torch.export.Dim(s, min=2, max=64) for s in SIZES}
        shapes = ([[x.dynamic(symbols) for x in case.inputs] for case in cases],)
    program = exporting.export(
        Batch(cases), _inputs(cases, SIZES), dynamic=shapes, decomposed=decomposed
    )
    exporting.save(program, path)
    return path


#: The operators that have native code in packages without native code, with the reason.
refused: set[tuple[str, str]] = set()


def _runner(model: pathlib.Path, config: Config, runs: int, folder: str):
    """Returns a function that runs the batch on arguments."""
    if config.mode == "aoti":
        loaded = packages.load(packages.package(model))
        return lambda args, expected: packages.call(loaded, args)
    if config.mode == "aten":
        path, reasons = packages.package_on_aten(model)
        refused.update(reasons)
        loaded = packages.load(path)
        return lambda args, expected: packages.call(loaded, args)
    if config.mode == "aarch64":
        command = crossing.command(pathlib.Path(folder))
        path = crossing.compile_for(model, model.with_suffix(".aarch64.so"), config.cpu, "-O1")
        return lambda args, expected: crossing.run(
            command, path, args, pathlib.Path(folder), expected
        )
    # The dynamic forms also test the lowest level of optimization.
    target = harness.compiled(model, config.mode, runs, *(["-O1"] if config.dynamic else []))
    flags = harness.MODES[config.mode] if target == model else []

    def run(args, expected):
        work = pathlib.Path(tempfile.mkdtemp(dir=folder))
        outputs = harness.run(target, (args, {}), work, expected, *flags)
        shutil.rmtree(work)
        return outputs

    return run


def _run(cases: list[Case], config: Config, folder: str) -> dict[str, str | None]:
    """Exports and runs the cases once. Returns the problem of each case, or None."""
    model = exported(tuple(cases), config.dynamic, config.decomposed, folder)
    sets = [SIZES, *(OTHER_SIZES if config.dynamic else [])]
    run = _runner(model, config, len(sets), folder)
    problems: dict[str, str | None] = {case.name: None for case in cases}
    for sizes in sets:
        args = _inputs(cases, sizes)
        expected = exporting.eager(Batch(cases), args)
        got = iter(run(args, expected))
        for case, want in zip(cases, expected):
            outputs = [next(got) for _ in pytree.tree_leaves(want)]
            try:
                harness.compare(outputs, want)
            except AssertionError as error:
                problems[case.name] = problems[case.name] or f"sizes {sizes}: {error}"
    return problems


def run(cases: list[Case], config: Config, folder: pathlib.Path) -> dict:
    """Returns the problem of each case by name, or None."""
    singles = 0

    def go(cases: list[Case]) -> dict:
        nonlocal singles
        singles += len(cases) == 1
        try:
            return _run(cases, config, str(folder))
        except Exception as error:  # noqa: BLE001  any failure belongs to the case
            if len(cases) == 1 or singles > MOST_SINGLE_RUNS:
                text = f"{type(error).__name__}: {error}"
                return {case.name: text for case in cases}
        half = len(cases) // 2
        return go(cases[:half]) | go(cases[half:])

    return go(cases) if cases else {}


@functools.lru_cache(maxsize=None)
def results(cases: tuple[Case, ...], config: Config, folder: pathlib.Path) -> dict:
    """As `run`, once for all tests of a process."""
    return run(list(cases), config, folder)
