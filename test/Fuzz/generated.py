"""Shared code of the generators of operator calls (dtypes.py, specials.py). A case is one call of
an operator with its tensors, made from a seed. Many cases form one exported graph, because a
process costs more than an operator. The graph is run natively, with ATen for operators without
native code, and interpreted. A graph that fails as a whole is halved until the failing case is
alone.
"""

import argparse
import collections
import copy
import dataclasses
import functools
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable

import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "EndToEnd"))
import exporting  # noqa: E402
import harness  # noqa: E402

SHORT = {
    torch.bool: "bool",
    torch.uint8: "u8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "c64",
    torch.complex128: "c128",
}
INTEGERS = [d for d in SHORT if not d.is_floating_point and not d.is_complex and d is not torch.bool]
FLOATS = [d for d in SHORT if d.is_floating_point]
COMPLEX = [d for d in SHORT if d.is_complex]

#: The relative error that an element may have, by the dtype of the result. Eager's own error is
#: several units in the last place.
TOLERANCE = {
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
    torch.float32: 1e-5,
    torch.float64: 1e-9,
    torch.complex64: 2e-5,
    torch.complex128: 1e-9,
}
#: The number of cases in a graph.
BATCH = 100


@dataclasses.dataclass
class Case:
    seed: int
    #: The call as text.
    text: str
    function: Callable
    inputs: list[torch.Tensor]
    #: For each output, a mask of the elements on which PyTorch does not agree with itself, or None.
    undecided: list = dataclasses.field(default_factory=list)
    #: Whether the sign of a zero counts.
    signs: bool = True
    #: The size of the terms of sums, to which the tolerance is relative, because terms may cancel.
    size: float = 0

    def __str__(self):
        return f"seed {self.seed}: {self.text}"


def describe(x: torch.Tensor) -> str:
    return f"{SHORT[x.dtype]}{list(x.shape)}"


class Batch(torch.nn.Module):
    def __init__(self, cases: Iterable[Case]):
        super().__init__()
        self.functions = [case.function for case in cases]

    def forward(self, inputs):
        return [pytree.tree_leaves(f(*x)) for f, x in zip(self.functions, inputs)]


def eager(case: Case) -> list | None:
    """Returns the outputs, or None if PyTorch refuses the call."""
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            return pytree.tree_leaves(case.function(*copy.deepcopy(case.inputs)))
    except Exception:  # noqa: BLE001  any reason to refuse
        return None


def agrees_in_types(case: Case, expected: list) -> bool:
    """Returns True if fake tensors have the expected dtypes and shapes. torch.export computes them
    by other code than eager, and its mistakes would be in the archive."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with warnings.catch_warnings(), torch.no_grad(), FakeTensorMode() as mode:
            warnings.simplefilter("ignore")
            inputs = [mode.from_tensor(x) for x in case.inputs]
            said = pytree.tree_leaves(case.function(*inputs))
    except Exception:  # noqa: BLE001  what cannot be exported
        return False
    return len(said) == len(expected) and all(
        isinstance(a, torch.Tensor)
        and isinstance(b, torch.Tensor)
        and a.dtype == b.dtype
        and a.shape == b.shape
        for a, b in zip(said, expected)
    )


def exact(case: Case, expected: list) -> list | None:
    """Returns eager's results of the same call in double precision, rounded once; None if eager
    refuses that call."""
    double = {d: torch.complex128 if d.is_complex else torch.float64 for d in FLOATS + COMPLEX}
    inputs = [x.to(double.get(x.dtype, x.dtype)) for x in case.inputs]
    wide = eager(dataclasses.replace(case, inputs=inputs))
    if wide is None or len(wide) != len(expected):
        return None
    return [
        w.to(e.dtype) if w.is_complex() == e.is_complex() and w.shape == e.shape else e
        for w, e in zip(wide, expected)
    ]


def _same_sign(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.signbit() == b.signbit()) | (a != 0) | (b != 0)


def wrong(got: torch.Tensor, want: torch.Tensor, signs: bool, size: float = 0) -> torch.Tensor:
    """Returns a mask of the elements that are wrong."""
    if want.dtype not in TOLERANCE:
        return got != want
    if want.is_complex():
        # If one part is infinite or NaN, there is no tolerance for the other part.
        a, b = torch.view_as_real(got).double(), torch.view_as_real(want).double()
        if signs:
            bad = ~_same_sign(a, b).all(-1)
        else:
            bad = torch.zeros(want.shape, dtype=torch.bool)
        odd = ~b.isfinite().all(-1)
        size = torch.where(odd, 0.0, want.to(torch.complex128).abs())
        near = (a - b).abs() <= (TOLERANCE[want.dtype] * size + 1e-300).unsqueeze(-1)
        same = (a == b) | (a.isnan() & b.isnan())
        return bad | ~(near | same).all(-1)
    # Allow an absolute error of a few of the least subnormal numbers, which have few digits. For
    # bfloat16 allow that of all subnormal numbers: the CPU's conversion (AVX512-BF16), which
    # compiled code uses, flushes them to zero.
    least = torch.finfo(want.dtype).smallest_normal
    if want.dtype is not torch.bfloat16:
        least *= torch.finfo(want.dtype).eps * 4
    a, b = got.double(), want.double()
    near = (a - b).abs() <= TOLERANCE[want.dtype] * (b.abs() + size) + least
    right = (a == b) | (a.isnan() & b.isnan()) | (near & b.isfinite())
    return ~right | (~_same_sign(a, b) if signs else torch.zeros_like(right))


# Returns the first difference, or None. An element is wrong only if it also differs from the result
# in double precision.
def problem(case: Case, got: list, want: list) -> str | None:
    better = None
    for k, (g, w) in enumerate(zip(got, want, strict=True)):
        w = w.resolve_conj().resolve_neg()
        if g.dtype != w.dtype or g.shape != w.shape:
            return f"output {k}: got {describe(g)}, expected {describe(w)}"
        bad = wrong(g, w, case.signs, case.size)
        if case.undecided and case.undecided[k] is not None:
            bad &= ~case.undecided[k]
        if bad.any():
            better = better or exact(case, want) or want
            bad &= wrong(g, better[k], case.signs, case.size)
        if bad.any():
            where = tuple(bad.nonzero()[0].tolist())
            of = [_element(x, where, w) for x in case.inputs]
            return (
                f"output {k}: {int(bad.sum())} of {w.numel()} elements differ, the first at "
                f"{list(where)} (of {', '.join(of)}): got {g[where].item()}, expected {w[where].item()}"
            )
    return None


def _element(x: torch.Tensor, where: tuple, output: torch.Tensor) -> str:
    try:
        return str(x.expand(output.shape)[where].item())
    except RuntimeError:
        return describe(x)


@dataclasses.dataclass
class Outcome:
    ran: int = 0
    #: The cases that torch.export refuses.
    left_out: list[Case] = dataclasses.field(default_factory=list)
    #: The failures as (case, mode, text).
    problems: list = dataclasses.field(default_factory=list)
    #: The reasons why ATen runs operators, by their targets.
    fallbacks: dict[str, str] = dataclasses.field(default_factory=dict)

    def add(self, other: "Outcome") -> None:
        self.ran += other.ran
        self.left_out += other.left_out
        self.problems += other.problems
        self.fallbacks |= other.fallbacks


MODES = {"native": [], "interpreted": ["--interpret"]}


class Run:
    """Exports cases, runs them in a mode and compares."""

    def __init__(self, folder: pathlib.Path, flags: Iterable[str]):
        self.folder = folder
        self.modes = {**MODES, "native": list(flags)}
        self.outcome = Outcome()

    def export(self, cases: list[Case]) -> list[tuple[list[Case], pathlib.Path]]:
        if not cases:
            return []
        path = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "m.pt2"
        inputs = ([case.inputs for case in cases],)
        try:
            exporting.save(exporting.export(Batch(cases), copy.deepcopy(inputs)), path)
            return [(cases, path)]
        except Exception:  # noqa: BLE001  any reason to refuse
            if len(cases) == 1:
                self.outcome.left_out += cases
                return []
        half = len(cases) // 2
        return self.export(cases[:half]) + self.export(cases[half:])

    def check(self, cases: list[Case], path: pathlib.Path, mode: str) -> None:
        expected = [eager(case) for case in cases]
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        try:
            flags = [*self.modes[mode], "--report", work / "report.json"]
            inputs = ([case.inputs for case in cases],)
            got = iter(harness.run(path, (inputs, {}), work, expected, *flags))
            if mode == "native":
                report = json.loads((work / "report.json").read_text())
                if report["mode"] == "interpret":
                    raise AssertionError(f"not compiled: {report['reason']}")
                for entry in report.get("operators", []):
                    if not entry["native"]:
                        self.outcome.fallbacks[entry["target"]] = entry["reason"]
        except Exception as error:  # noqa: BLE001  any failure is a finding
            if len(cases) == 1:
                text = f"{type(error).__name__}: {error}".strip()
                self.outcome.problems.append((cases[0], mode, text[:600]))
                return
            half = len(cases) // 2
            for part in (cases[:half], cases[half:]):
                for smaller, at in self.export(part):
                    self.check(smaller, at, mode)
            return
        finally:
            shutil.rmtree(work)
        for case, want in zip(cases, expected):
            outputs = [next(got) for _ in want]
            if text := problem(case, outputs, want):
                self.outcome.problems.append((case, mode, text))


def check(cases: list[Case], folder: pathlib.Path, modes=tuple(MODES), flags: Iterable[str] = ()) -> Outcome:
    """Runs the cases in the modes, in the native one with the flags of fx-run."""
    run = Run(folder, flags)
    for part, path in run.export(cases):
        for mode in modes:
            run.check(part, path, mode)
        run.outcome.ran += len(part)
        shutil.rmtree(path.parent, ignore_errors=True)
    return run.outcome


def report(outcome: Outcome) -> str:
    return "\n".join(f"{case}\n    {mode}: {text}" for case, mode, text in outcome.problems)


def main(make: Callable[[int], Case | None], description: str) -> None:
    """The command line of a generator."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", default="0:1000", help="the first seed and the end, as 0:1000")
    parser.add_argument("--batch", type=int, default=BATCH, help="cases in a graph")
    parser.add_argument("--list", action="store_true", help="print the cases, run nothing")
    parser.add_argument("--native", action="store_true", help="do not interpret")
    arguments = parser.parse_args()
    if not (match := re.fullmatch(r"(\d+)(?::(\d+))?", arguments.seeds)):
        parser.error(f"expected seeds as 0:1000, got '{arguments.seeds}'")
    first = int(match[1])
    seeds = range(first, int(match[2]) if match[2] else first + 1)
    torch.set_num_threads(1)
    total = Outcome()
    classes = collections.Counter()
    modes = ("native",) if arguments.native else tuple(MODES)
    with tempfile.TemporaryDirectory() as folder:
        for start in range(seeds.start, seeds.stop, arguments.batch):
            part = seeds[start - seeds.start : start - seeds.start + arguments.batch]
            cases = [case for seed in part if (case := make(seed))]
            if arguments.list:
                print("\n".join(map(str, cases)))
                continue
            outcome = check(cases, pathlib.Path(folder), modes)
            total.add(outcome)
            if outcome.problems:
                print(report(outcome), flush=True)
            classes.update(case.text.split("(")[0] for case, _, _ in outcome.problems)
    if arguments.list:
        return
    for target, reason in sorted(total.fallbacks.items()):
        print(f"no native code: {target}: {reason}")
    for name, count in classes.most_common():
        print(f"{count:5} {name}")
    print(f"{total.ran} cases, {len(total.problems)} failed, {len(total.left_out)} not exportable")
    sys.exit(1 if total.problems else 0)


@functools.cache
def _shuffled(kind: str, count: int) -> list[int]:
    order = list(range(count))
    random.Random(kind).shuffle(order)
    return order


#: More than the seeds that the tests run by default.
_SEEDS = 3200


class Choices(random.Random):
    """The random numbers of a seed. What it takes of a kind is systematic: seeds in a row take each
    of its elements once before any is taken again, and a seed that takes again, because PyTorch
    refuses its first call, takes what is far behind. So few seeds cover many elements."""

    def __init__(self, kind: str, seed: int):
        super().__init__(f"{kind} {seed}")
        self.kind, self.index, self.taken = kind, seed, collections.Counter()

    def take(self, what: str, of: list):
        """Returns an element of `of`."""
        at = self.index + _SEEDS * self.taken[what]
        self.taken[what] += 1
        return of[_shuffled(f"{self.kind} {what}", len(of))[at % len(of)]]
