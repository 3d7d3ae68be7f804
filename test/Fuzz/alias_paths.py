"""Runs programs on several paths, and compares the results with eager."""

import dataclasses
import io
import pathlib
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable

import torch
from alias_programs import Program

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test" / "EndToEnd"))

import harness  # noqa: E402

sys.path.insert(0, str(harness.BUILD / "python"))
import fx_mlir  # noqa: E402

PATHS = ["functionalized", "native", "roundtrip", "interpret", "run"]


@dataclasses.dataclass
class Outcome:
    """The outcome of a program. It is correct if `failures` is empty.

    A failure is (path, kind, text); the kinds are `wrong`, `crash` and `error`. `limits` are
    native compilations that fall back to ATen or to the interpreter, with the reasons."""

    refused: str = ""  # torch.export does not take it
    torch_differs: str = ""  # PyTorch's own run of the export differs from eager
    failures: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    limits: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)


class Refused(Exception):
    """torch.export or torch.export.save does not take a program."""


@dataclasses.dataclass
class Result:
    """The outputs of a run, and the values of inputs and buffers after it."""

    outputs: list[torch.Tensor]
    inputs: list[torch.Tensor]
    buffers: dict[str, torch.Tensor]


def _values(tensors) -> list[torch.Tensor]:
    return [t.detach().clone().resolve_conj().resolve_neg() for t in tensors]


def _copy(t: torch.Tensor) -> torch.Tensor:
    """Returns a copy with the same strides and offset. `clone` would close gaps."""
    span = 1 + sum((size - 1) * stride for size, stride in zip(t.shape, t.stride())) if t.numel() else 0
    storage = torch.zeros(t.storage_offset() + span, dtype=t.dtype)
    return storage.as_strided(t.shape, t.stride(), t.storage_offset()).copy_(t.detach())


def _run_module(module, inputs) -> Result:
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = _values(module(*inputs))
    buffers = {n: b.detach().clone() for n, b in module.named_buffers() if re.fullmatch(r"b\d+", n)}
    return Result(outputs, _values(inputs), buffers)


def compare(got: Result, want: Result) -> str | None:
    """Returns the first difference, or None. Skips inputs and buffers that are None in `got`,
    because the path does not show them."""
    if len(got.outputs) != len(want.outputs):
        return f"got {len(got.outputs)} outputs, expected {len(want.outputs)}"
    pairs = [(f"output {k}", g, w) for k, (g, w) in enumerate(zip(got.outputs, want.outputs))]
    if got.inputs is not None:
        pairs += [(f"input {k}", g, w) for k, (g, w) in enumerate(zip(got.inputs, want.inputs))]
    if got.buffers is not None:
        pairs += [(f"buffer {n}", got.buffers[n], w) for n, w in want.buffers.items()]
    for name, g, w in pairs:
        if problem := harness.difference(g, w):
            return f"{name}: {problem}"
    return None


def short(error: BaseException) -> str:
    """Returns the beginning of an error's text."""
    return f"{type(error).__name__}: {error}".strip()[:400]


def reason(text: str) -> str:
    """Returns an error's text without names, numbers and places, to count similar errors."""
    text = text.strip().split("\n")[0]
    text = re.sub(r"^(Error|ToolError): ", "", text)
    text = re.sub(r"\S*/\S*\.(py|pt2|mlir|so):\d+: |\bm:[\w.,]+: ", "", text)
    text = re.sub(r"expected native code for every operator, got \d+", "no native code", text)
    text = re.sub(r" \([\w, .]*\)", "", text)
    text = re.sub(r"!?\b\w*\.?tensor<[^>]*>|\[[\d, ?s]*\]|\([\d, ]*\)", "…", text)
    return re.sub(r"\d+", "N", text)[:160]


#: A program as exported, and after PyTorch's default decompositions.
FORMS = ["exported", "decomposed"]


class Checker:
    """Runs programs, one at a time, in the given forms and on the given paths."""

    def __init__(self, paths: list[str], forms: Iterable[str] = FORMS[:1]):
        self.paths, self.forms = paths, forms
        self.folder = tempfile.TemporaryDirectory(prefix="aliasing-")
        self.at = pathlib.Path(self.folder.name)

    def check(self, program: Program) -> Outcome:
        outcome, start = Outcome(), time.monotonic()
        try:
            self._expect(program)
        except Exception as error:  # noqa: BLE001  happens for shortened programs only
            outcome.refused = f"eager: {short(error)}"
            return outcome
        try:
            exported = self._export(program)
            for form in self.forms:
                if form == "decomposed":
                    start = time.monotonic()
                    exported = self._decompose(exported)
                self._save(exported)
                seconds = outcome.seconds.get("export", 0) + time.monotonic() - start
                outcome.seconds["export"] = seconds
                self._check_form(program, form, outcome)
                if outcome.torch_differs:
                    break
        except Refused as error:
            outcome.refused = str(error)
        return outcome

    def _check_form(self, program: Program, form: str, outcome: Outcome) -> None:
        outcome.torch_differs = self._own_difference(program)
        if outcome.torch_differs:
            return
        for path in self.paths:
            start, known = time.monotonic(), len(outcome.failures)
            try:
                getattr(self, f"_{path}")(program, outcome)
            except AssertionError as error:  # a tool ended with an error
                outcome.failures.append((path, "error", str(error)))
            except Exception as error:  # noqa: BLE001
                outcome.failures.append((path, "error", self._located(error)))
            if len(self.forms) > 1:
                named = [(p, kind, f"{form}: {text}") for p, kind, text in outcome.failures[known:]]
                outcome.failures[known:] = named
            outcome.seconds[path] = outcome.seconds.get(path, 0) + time.monotonic() - start

    # Expected results.

    def _expect(self, program: Program) -> None:
        """Computes eager's results for each set of inputs: two runs on the same buffers."""
        self.runs: list[tuple[int, list[Result]]] = []
        module = program.module()
        first = [_run_module(module, program.arguments()) for _ in range(2)]
        self.runs.append((0, first))
        if program.dynamic:
            try:
                module = program.module()
                more = [_run_module(module, program.arguments(1)) for _ in range(2)]
                self.runs.append((1, more))
            except Exception:  # noqa: BLE001  the program works for these sizes alone
                pass

    def _export(self, program: Program):
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exported = torch.export.export(
                    program.module(), program.arguments(), dynamic_shapes=program.dynamic_shapes()
                )
        except Exception as error:  # noqa: BLE001  any refusal
            raise Refused(short(error)) from error
        self.states = self._states(exported)
        return exported

    def _decompose(self, exported):
        """Returns the decomposed program. It may have other guards than the exported one, which
        shares its symbols, so the latter is not used afterwards."""
        self._restore(exported)
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return exported.run_decompositions()
        except Exception as error:  # noqa: BLE001
            raise Refused(short(error)) from error

    def _save(self, exported) -> None:
        self.exported = exported
        self._restore(exported)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.export.save(exported, self.at / "m.pt2")
        except Exception as error:  # noqa: BLE001
            raise Refused(short(error)) from error
        self.states = self._states(exported)

    def _restore(self, exported) -> None:
        """Sets the states to their values at export. Earlier runs may have written to them, and
        the forms of a program share them."""
        with torch.no_grad():
            for name, t in {**exported.state_dict, **exported.constants}.items():
                if name in self.states:
                    t.copy_(self.states[name])

    @staticmethod
    def _states(exported) -> dict[str, torch.Tensor]:
        return {n: _copy(t) for n, t in {**exported.state_dict, **exported.constants}.items()}

    def _module(self, exported):
        """Returns the module of an exported program, with the states at export."""
        self._restore(exported)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return exported.module()

    def _own_difference(self, program: Program) -> str:
        """Returns the difference between PyTorch's run of the export and eager; empty if there is
        none. Drops the runs with larger sizes if PyTorch refuses them."""
        kept = []
        for more, expected in self.runs:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    module = self._module(self.exported)
                    results = [_run_module(module, program.arguments(more)) for _ in expected]
            except Exception as error:  # noqa: BLE001
                if more:
                    continue
                return short(error)
            for k, (got, want) in enumerate(zip(results, expected)):
                got.buffers = None if set(got.buffers) != set(want.buffers) else got.buffers
                if problem := compare(got, want):
                    return f"run {k}: {problem}"
            kept.append((more, expected))
        self.runs = kept
        return ""

    def _located(self, error: Exception) -> str:
        """Returns an error's text with the operator of the node that it names."""
        text = short(error)
        targets = {n.name: str(n.target) for n in self.exported.graph.nodes}
        node = re.search(r"\bm:(\w+)", text) or re.search(r"(\w+): ", text)
        at = targets.get(node[1]) if node else None
        return f"{text} [at {at}]" if at else text

    def _report(self, outcome: Outcome, path: str, run: int, more: int, got: Result, want: Result) -> bool:
        if problem := compare(got, want):
            sizes = ", larger sizes" if more else ""
            again = ", second run" if run else ""
            outcome.failures.append((path, "wrong", f"{problem}{sizes}{again}"))
        return bool(problem)

    # The paths.

    def _import(self):
        return fx_mlir.import_(str(self.at / "m.pt2"))

    def _run_functional(self, program, module, outcome, path) -> None:
        """Functionalizes the module, converts it to a torch.fx graph and runs it in PyTorch."""
        module.run("fx-functionalize")
        module.run("fx-verify-functional")
        text = str(module)
        line = next(ln for ln in reversed(text.splitlines()) if ln.lstrip().startswith("output("))
        kinds = re.findall(r"#fx\.output_spec<(\w+)(?:, \"([^\"]*)\")?>", line)
        head = [ln for ln in text.splitlines() if " = placeholder " in ln]
        fed = [re.search(r'placeholder "([^"]*)"(?: \w+ @("?)([\w.]+)\2)?', ln) for ln in head]
        graph = module.graph_module()
        for more, expected in self.runs:
            states = {n: _copy(t) for n, t in self.states.items()}
            for run, want in enumerate(expected):
                inputs = iter(program.arguments(more))
                named = {m[1]: next(inputs) for m in fed if m[3] is None}
                given = [states[m[3]] if m[3] else named[m[1]] for m in fed]
                with torch.no_grad():
                    results = _values(graph(*given))
                got = Result([], list(named.values()), dict(states))
                names = list(named)
                # Without a signature the graph still writes to its arguments.
                for (kind, target), value in zip(kinds or [("user_output", "")] * len(results), results):
                    if kind == "user_output":
                        got.outputs.append(value)
                    elif kind == "user_input_mutation":
                        got.inputs[names.index(target)] = value
                    elif kind in ("buffer_mutation", "parameter_mutation"):
                        got.buffers[target] = states[target] = value
                got.inputs = _values(got.inputs)
                if self._report(outcome, path, run, more, got, want):
                    return

    def _functionalized(self, program, outcome) -> None:
        self._run_functional(program, self._import(), outcome, "functionalized")

    def _native(self, program, outcome) -> None:
        # Two of three programs test the lowest level of optimization.
        options = {"progress": False, "opt_level": 1 if program.seed % 3 else 3}
        try:
            model = fx_mlir.compile(str(self.at / "m.pt2"), no_fallback=True, **options)
        except fx_mlir.Error as error:
            try:
                model = fx_mlir.compile(str(self.at / "m.pt2"), **options)
            except fx_mlir.Error as second:
                outcome.failures.append(("native", "error", self._located(second)))
                return
            outcome.limits.append(("native", short(error)))
        for more, expected in self.runs:
            model.reset()
            for run, want in enumerate(expected):
                inputs = program.arguments(more)
                outputs = model(*inputs)
                got = Result(_values(outputs), _values(inputs), None)
                if self._report(outcome, "native", run, more, got, want):
                    return

    def _roundtrip(self, program, outcome) -> None:
        """Imports and exports the archive. Runs the result in PyTorch, and through fx again."""
        data = self._import().export("pt2")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                back = torch.export.load(io.BytesIO(data))
            except RuntimeError:
                try:
                    torch.export.load(self.at / "m.pt2")
                except RuntimeError:
                    return  # PyTorch does not open its own archive either
                raise
        for more, expected in self.runs:
            module = self._module(back)
            for run, want in enumerate(expected):
                got = _run_module(module, program.arguments(more))
                got.buffers = None
                if self._report(outcome, "roundtrip", run, more, got, want):
                    return
        (self.at / "m.pt2").write_bytes(data)
        self._run_functional(program, self._import(), outcome, "roundtrip")

    def _tool(self, program, outcome, path: str, *flags) -> None:
        for more, expected in self.runs:
            inputs = program.arguments(more)
            shutil.rmtree(self.at / path, ignore_errors=True)  # of the previous run
            outputs = harness.run(
                self.at / "m.pt2", (inputs, {}), self.at / path, expected[0].outputs, *flags
            )
            got = Result(outputs, None, None)
            if self._report(outcome, path, 0, more, got, expected[0]):
                return

    def _interpret(self, program, outcome) -> None:
        self._tool(program, outcome, "interpret", "--interpret")

    def _run(self, program, outcome) -> None:
        self._tool(program, outcome, "run")
