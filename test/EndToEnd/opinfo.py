"""PyTorch's own samples of its operators and modules as tests.

`op_db` and `module_db` of torch.testing describe nearly all public operators and modules and create
inputs for them. The samples of an entry are exported as one graph, run, and compared with eager
mode, with torch.testing's tolerance for the dtype. A graph that fails as a whole is halved until
the failing samples are alone. Samples that torch.export itself rejects are recorded with the
reason.
"""

import copy
import dataclasses
import functools
import itertools
import json
import pathlib
import random
import re
import shutil
import tempfile
import unittest.mock
import warnings
from collections.abc import Callable

import exporting
import harness
import layouts
import leaves
import numpy as np
import torch
from torch.utils import _pytree as pytree

#: The samples are taken evenly from at most this many samples of an entry.
MOST_LOOKED_AT = 300
FORMS = ("training", "decomposed", "dynamic")
DTYPES = (torch.float32, torch.int64)
#: A sample is compared only if it gives the same results from this many seeds.
SEEDS = 12


class Call(torch.nn.Module):
    """One sample: an operator with its non-tensor arguments, or a module. Takes the tensors."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict):
        super().__init__()
        self.function = function
        leaves_, self.spec = pytree.tree_flatten((args, kwargs))
        self.leaves = [None if isinstance(x, torch.Tensor) else x for x in leaves_]
        self.places = [
            k for k, x in enumerate(leaves_) if isinstance(x, torch.Tensor)
        ]

    def forward(self, tensors):
        leaves_ = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves_[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves_, self.spec)
        # torch.export cannot save the named tuples that some operators return.
        return pytree.tree_leaves(self.function(*args, **kwargs))


@dataclasses.dataclass
class Sample:
    dtype: torch.dtype
    call: Call
    tensors: list[torch.Tensor]


class Batch(torch.nn.Module):
    def __init__(self, samples: list[Sample]):
        super().__init__()
        self.calls = torch.nn.ModuleList(sample.call for sample in samples)

    def forward(self, inputs):
        return [call(tensors) for call, tensors in zip(self.calls, inputs)]


def _sample(dtype, function, args, kwargs) -> Sample:
    """Copies the tensors, so that no two share memory and all are dense."""
    call = Call(function, args, kwargs)
    tensors = [
        x.detach().clone(memory_format=torch.contiguous_format)
        if x.layout is torch.strided
        else x
        for x in pytree.tree_leaves((args, kwargs))
        if isinstance(x, torch.Tensor)
    ]
    return Sample(dtype, call, tensors)


def _seed():
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)


def _spread(samples, most: int) -> list:
    samples = list(itertools.islice(samples, MOST_LOOKED_AT))
    if len(samples) <= most:
        return samples
    return [samples[k * (len(samples) - 1) // max(most - 1, 1)] for k in range(most)]


@dataclasses.dataclass(frozen=True)
class Entry:
    """An operator of op_db, or a module of module_db."""

    name: str
    info: object
    is_module: bool

    def dtypes(self) -> list[torch.dtype]:
        if self.is_module:
            return [d for d in DTYPES[:1] if d in self.info.dtypes]
        supported = self.info.supported_dtypes("cpu")
        chosen = [d for d in DTYPES if d in supported]
        return chosen or sorted(supported, key=str)[:1]

    def tolerances(self) -> dict[torch.dtype, tuple[float, float]]:
        """Returns (rtol, atol) by dtype where PyTorch's own tests have a larger tolerance for the
        entry than torch.testing's defaults."""
        result = {}
        decorators = itertools.chain(
            *(getattr(d, "decorators", [d]) for d in self.info.decorators)
        )
        for decorator in decorators:
            granted = getattr(decorator, "d", None)
            for dtype, t in granted.items() if isinstance(granted, dict) else ():
                rtol, atol = torch.testing._comparison.default_tolerances(dtype)
                old = result.get(dtype, (rtol, atol))
                # A plain number is an absolute tolerance.
                old_rtol, old_atol = old
                result[dtype] = (
                    max(old_rtol, getattr(t, "rtol", 0)),
                    max(old_atol, getattr(t, "atol", t)),
                )
        return result

    def samples(self, most: int) -> list[Sample]:
        result = []
        for dtype in self.dtypes():
            _seed()
            make = self._modules if self.is_module else self._operators
            result += _spread(make(dtype), most)
        return result

    def _operators(self, dtype):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for s in self.info.sample_inputs("cpu", dtype, requires_grad=False):
                yield _sample(
                    dtype, self.info.op, (s.input, *s.args), dict(s.kwargs)
                )

    def _modules(self, dtype):
        inputs = self.info.module_inputs_func(
            self.info, "cpu", dtype, requires_grad=False, training=False
        )
        for s in inputs:
            if s.forward_input is None:
                continue
            module = self.info.module_cls(
                *s.constructor_input.args, **s.constructor_input.kwargs
            )
            yield _sample(
                dtype,
                module.to(dtype).eval(),
                tuple(s.forward_input.args),
                dict(s.forward_input.kwargs),
            )


@functools.lru_cache(maxsize=None)
def entries() -> dict[str, Entry]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
        from torch.testing._internal.common_modules import module_db
    result = {}
    for info in op_db:
        name = info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")
        result[name] = Entry(name, info, False)
    for info in module_db:
        name = f"torch.{info.module_cls.__module__.split('.')[1]}.{info.module_cls.__name__}"
        result[name] = Entry(name, info, True)
    return result


#: Operators whose indices may name any one of several equal elements.
TIES = {"topk", "kthvalue", "mode"}

#: Namespaces of operators that are defined in Python, not in a file or a library.
DEFINED_IN_PYTHON = {"torch_nn"}

#: Operators with unspecified values: uninitialized tensors, normal random numbers, and results
#: whose signs depend on them (one seed in twenty flips a vector of pca_lowrank).
UNDETERMINED = re.compile(r"aten\.(new_)?empty|aten\.resize|aten\.randn")


@dataclasses.dataclass
class Unit:
    """An archive of some samples with their inputs and eager's outputs."""

    path: pathlib.Path
    indices: list[int]
    inputs: list[list[torch.Tensor]]
    expected: list[list]
    #: Whether the values of a sample's outputs are to be compared.
    determined: list[bool]


@dataclasses.dataclass
class Result:
    name: str
    form: str
    dtypes: list[str]
    samples: int = 0
    ran: int = 0
    refused: dict[int, str] = dataclasses.field(default_factory=dict)
    problems: dict[int, str] = dataclasses.field(default_factory=dict)
    #: The reason why ATen runs an operator, by its target.
    fallbacks: dict[str, str] = dataclasses.field(default_factory=dict)
    #: The operators of the exported graphs.
    targets: list[str] = dataclasses.field(default_factory=list)


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:600]


def _eager(samples: list[Sample]) -> list[list]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return exporting.eager(Batch(samples), ([s.tensors for s in samples],))


def _dynamic(samples: list[Sample]):
    auto = torch.export.Dim.AUTO
    return ([[dict.fromkeys(range(x.dim()), auto) for x in s.tensors] for s in samples],)


def _check_types(program, expected) -> None:
    """Raises an error if PyTorch records other shapes for the outputs than eager mode gives."""
    (output,) = (n for n in program.graph.nodes if n.op == "output")
    count = len(expected_leaves := pytree.tree_leaves(expected))
    said = [getattr(x, "meta", {}).get("val") for x in pytree.tree_leaves(output.args)]
    for want, fake in zip(expected_leaves, said[len(said) - count :]):
        if not isinstance(want, torch.Tensor) or not isinstance(fake, torch.Tensor):
            continue
        if want.dim() != fake.dim() or any(
            type(b) is int and a != b for a, b in zip(want.shape, fake.shape)
        ):
            raise ValueError(
                f"torch.export expects an output of {list(fake.shape)}, "
                f"PyTorch gives {list(want.shape)}"
            )


def _equal(a, b) -> bool:
    return harness.difference(a, b) is None


class Runner:
    """Exports an entry's samples in one form, runs and compares them."""

    def __init__(
        self, entry: Entry, form: str, most: int, folder: pathlib.Path, views: list[str] = ()
    ):
        self.form, self.folder = form, folder
        self.tolerances = entry.tolerances()
        try:
            self.samples = entry.samples(most)
            self.views = [""] * len(self.samples)
            if views:
                self._see_through(layouts.layouts_of(entry.name, views))
        except Exception as error:  # noqa: BLE001  an entry whose samples the database cannot create
            self.samples = []
            self.error = _first_line(error)
        dtypes = sorted({str(s.dtype).removeprefix("torch.") for s in self.samples})
        self.result = Result(entry.name, form, dtypes, len(self.samples))

    def _see_through(self, views: list[str]) -> None:
        """Replaces each sample by its views in these layouts (layouts.py)."""
        pairs = [
            (view, sample)
            for s in self.samples
            for view in views
            if (sample := layouts.laid_out(s, view))
        ]
        self.views = [view for view, _ in pairs]
        self.samples = [sample for _, sample in pairs]

    def export(self, indices: list[int]) -> list[Unit]:
        """Exports the samples as one unit, or as several if torch.export rejects them together."""
        if not indices:
            return []
        try:
            return [self._export(indices)]
        except Exception as error:  # noqa: BLE001  any exception is a rejection
            if len(indices) == 1:
                self.result.refused[indices[0]] = _first_line(error)
                return []
        half = len(indices) // 2
        units = self.export(indices[:half]) + self.export(indices[half:])
        good = sorted(k for unit in units for k in unit.indices)
        if len(units) > 1 and len(good) < len(indices):
            for unit in units:
                shutil.rmtree(unit.path.parent)
            return self.export(good)
        return units

    def _export(self, indices: list[int]) -> Unit:
        samples = [self.samples[k] for k in indices]
        torch.manual_seed(1)
        expected = _eager(samples)
        for leaf in pytree.tree_leaves((expected, [s.tensors for s in samples])):
            leaves.to_array(leaf)
        # Some functions of the database set the seed themselves. A few random numbers may be equal
        # for two seeds by chance.
        again = []
        with unittest.mock.patch("torch.manual_seed"):
            for seed in range(2, 2 + SEEDS):
                torch.random.default_generator.manual_seed(seed)
                again.append(_eager(samples))
        inputs = [s.tensors for s in samples]
        program = exporting.export(
            Batch(samples),
            copy.deepcopy((inputs,)),
            dynamic=_dynamic(samples) if self.form == "dynamic" else None,
            decomposed=self.form == "decomposed",
        )
        _check_types(program, expected)
        for node in program.graph.nodes:
            if getattr(node.target, "namespace", "") in DEFINED_IN_PYTHON:
                raise ValueError(f"{node.target} exists in Python alone")
        path = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "m.pt2"
        try:
            exporting.save(program, path)
        except Exception:
            shutil.rmtree(path.parent)
            raise
        vague = {
            call
            for node in program.graph.nodes
            if node.op == "call_function" and UNDETERMINED.match(str(node.target))
            for call in re.findall(r"calls\.(\d+)", str(node.meta.get("nn_module_stack")))
        }
        targets = {str(n.target) for n in program.graph.nodes if n.op == "call_function"}
        self.result.targets = sorted(targets | set(self.result.targets))
        determined = [
            str(k) not in vague
            and all(len(a) == len(b[k]) and all(map(_equal, a, b[k])) for b in again)
            for k, a in enumerate(expected)
        ]
        return Unit(path, indices, inputs, expected, determined)

    def check(self, unit: Unit, flags: list[str]) -> None:
        """Runs and compares a unit. Halves a unit that fails as a whole."""
        try:
            self._check(unit, flags)
            self.result.ran += len(unit.indices)
            return
        except Exception as error:  # noqa: BLE001  any failure is a finding
            if len(unit.indices) == 1:
                kind = self.result.problems
                text = _first_line(error)
                if why := _program_fails(unit):
                    kind, text = self.result.refused, why
                kind[unit.indices[0]] = text
                return
        half = len(unit.indices) // 2
        for part in (unit.indices[:half], unit.indices[half:]):
            for smaller in self.export(part):
                self.check(smaller, flags)

    def _check(self, unit: Unit, flags: list[str]) -> None:
        work = pathlib.Path(tempfile.mkdtemp(dir=unit.path.parent))
        report = work / "report.json"
        try:
            got = iter(self._run(unit, work, report, flags))
            for entry in json.loads(report.read_text()).get("operators", []):
                if not entry["native"]:
                    self.result.fallbacks[entry["target"]] = entry["reason"]
        finally:
            shutil.rmtree(work)
        for index, want, determined in zip(
            unit.indices, unit.expected, unit.determined
        ):
            outputs = [next(got) for _ in want]
            if self.result.name in TIES:
                outputs, want = self._by_values(index, outputs, want)
            for k, (g, w) in enumerate(zip(outputs, want)):
                dtype = getattr(w, "dtype", None)
                tolerance = self.tolerances.get(dtype)
                problem = _compare(g, w, determined, tolerance)
                exact = self._exact(index, k) if problem else None
                if exact is not None and not _compare(g, exact, True, tolerance):
                    continue
                if problem:
                    self.result.problems[index] = f"output {k}: {problem}"
                    break

    def _run(self, unit: Unit, work: pathlib.Path, report: pathlib.Path, flags) -> list:
        """Returns the outputs as a flat list. Writes the report of the compilation."""
        inputs = ((unit.inputs,), {})
        return harness.run(unit.path, inputs, work, unit.expected, "--report", report, *flags)

    def _exact(self, index: int, output: int):
        """Returns a sample's output as eager mode computes it in float64. If eager's own rounding
        error exceeds the tolerance, the nearer result is correct."""
        sample = copy.deepcopy(self.samples[index])
        if sample.dtype is not torch.float32:
            return None
        tensors = [
            x.double() if x.dtype is torch.float32 else x for x in sample.tensors
        ]
        try:
            torch.manual_seed(1)
            want = sample.call.double()(tensors)[output]
        except Exception:  # noqa: BLE001  no such operator for float64
            return None
        return want.float() if isinstance(want, torch.Tensor) else want

    def _by_values(self, index: int, got: list, want: list) -> tuple[list, list]:
        """Replaces indices of elements along a dimension by the values of these elements."""
        (x,) = self.samples[index].tensors
        if self.views[index]:
            (x,) = self.samples[index].call.seen([x])
        (values, got_at), (_, want_at) = got, want
        numbers = [k for k in self.samples[index].call.leaves if type(k) is int]
        # All operators but mode take a number before the dimension.
        place = 0 if self.result.name == "mode" else 1
        dim = numbers[place] if len(numbers) > place else -1
        keep = got_at.dim() == x.dim()
        if x.dim() == 0 or want_at.shape != got_at.shape:
            return got, want
        if not keep:
            got_at, want_at = got_at.unsqueeze(dim), want_at.unsqueeze(dim)
        pick = functools.partial(torch.gather, x, dim)
        return [values, pick(got_at)], [want[0], pick(want_at)]

    def run(self, flags: list[str]) -> Result:
        for unit in self.export(list(range(len(self.samples)))):
            self.check(unit, flags)
            shutil.rmtree(unit.path.parent, ignore_errors=True)
        return self.result


def _program_fails(unit: Unit) -> str | None:
    """Returns the reason why PyTorch cannot run the program that it exported, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.export.load(unit.path).module()(copy.deepcopy(unit.inputs))
    except Exception as error:  # noqa: BLE001
        return "the exported program fails in PyTorch: " + _first_line(error)
    return None


def _compare(got, want, determined: bool, tolerance=None) -> str | None:
    if not isinstance(want, torch.Tensor):
        if determined and got != want and not (got != got and want != want):
            return f"got {got!r}, expected {want!r}"
        return None
    want = want.detach().resolve_conj().resolve_neg()
    if got.shape != want.shape or got.dtype != want.dtype:
        return (
            f"got {got.dtype} {tuple(got.shape)}, "
            f"expected {want.dtype} {tuple(want.shape)}"
        )
    if not determined:
        return None
    try:
        rtol, atol = tolerance or (None, None)
        torch.testing.assert_close(
            got, want, equal_nan=True, check_stride=False, rtol=rtol, atol=atol
        )
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


def run(name: str, form: str, most: int, folder: pathlib.Path, flags=(), views=()) -> Result:
    return Runner(entries()[name], form, most, folder, views).run(list(flags))
