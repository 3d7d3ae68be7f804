"""Behaviour that all modes share: interpreted, compiled in process, and run from a compiled
file."""

import json
import re

import exporting
import fx_mlir
import harness
import pytest
import torch

BOTH = ["interpret", "compiled"]


def check(module, args, kwargs=None, *, folder, native=True, kinds=(False, True), **options):
    """Compares with eager mode for both kinds of export, also from a `.so`. Returns the reports."""
    reports = []
    for decomposed in kinds:
        program = exporting.export(module, args, kwargs, decomposed=decomposed, **options)
        place = folder / ("decomposed" if decomposed else "plain")
        inputs = (args, kwargs or {})
        expected = exporting.eager(module, *inputs)
        modes = BOTH + (["native"] if native else [])
        harness.check(module, args, kwargs, folder=place, modes=modes, program=program)
        report = place / "report.json"
        harness.compare(
            harness.run(place / "m.pt2", inputs, place / "reported", expected, "--report", report), expected
        )
        reports.append(json.loads(report.read_text()))
        if reports[-1]["mode"] == "compiled":
            result = harness.tool("fx-compile", place / "m.pt2", "-o", place / "m.so")
            assert result.returncode == 0, result.stderr
            harness.compare(harness.run(place / "m.so", inputs, place / "so", expected), expected)
    return reports


class Leaves(torch.nn.Module):
    """Every kind of constant input, among tensors and in containers."""

    def forward(self, x, n, scale, flag, name, nothing, pair, *, more):
        y = x * n + scale
        if flag:
            y = y.relu()
        if name == "sum":
            y = y + pair[0] * more["k"]
        return y, n, scale, flag, nothing, pair[1] - 1


def test_constant_inputs(tmp_path):
    x = torch.randn(3, 4)
    args = (x, 3, 0.5, True, "sum", None, (torch.randn(4), x[:, :2].clone()))
    check(Leaves(), args, {"more": {"k": -2}}, folder=tmp_path)


@pytest.mark.parametrize("index, other, message", [(1, 4, "3"), (2, 0.25, "0.5"), (3, False, "True|true|1")])
def test_another_constant_is_refused(index, other, message, tmp_path):
    """The graph contains the exported value, so another value would give wrong results."""
    x = torch.randn(3, 4)
    args = [x, 3, 0.5, True, "sum", None, (torch.randn(4), x[:, :2].clone())]
    program = exporting.export(Leaves(), tuple(args), {"more": {"k": -2}})
    exporting.save(program, tmp_path / "m.pt2")
    args[index] = other
    for mode in BOTH:
        with pytest.raises(harness.ToolError, match=rf"error: .*m.pt2:.*(exported for|expected).*({message})"):
            harness.run(tmp_path / "m.pt2", (tuple(args), {"more": {"k": -2}}), tmp_path, None, *harness.MODES[mode])


class Shared(torch.nn.Module):
    """Two buffers in one storage, one of them written."""

    def __init__(self):
        super().__init__()
        base = torch.arange(24.0).reshape(4, 6)
        self.register_buffer("base", base)
        self.register_buffer("part", base[1:3, ::2])

    def forward(self, x):
        self.base.add_(1)
        return x + self.part.sum(), self.part * 2


def test_states_that_share_a_storage(tmp_path):
    """Compiled code gives each state its own memory, so such a model is interpreted, and the report
    says so."""
    # torch 2.13 cannot decompose such a program.
    reports = check(Shared(), (torch.randn(2, 3),), folder=tmp_path, native=False, kinds=(False,))
    for report in reports:
        assert report["mode"] == "interpret"
        assert "shares its storage" in report["reason"]
    result = harness.tool("fx-compile", tmp_path / "plain" / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
    assert "m.pt2:" in result.stderr and "shares its storage" in result.stderr
    assert not (tmp_path / "m.so").exists()
    run = ("fx-run", tmp_path / "plain" / "m.pt2", "--inputs", tmp_path / "plain" / "reported" / "in")
    result = harness.tool(*run)
    assert result.returncode == 0 and result.stderr.count("\n") == 1, result.stderr
    assert re.match(r"warning: .*m.pt2: .*shares its storage.*; the whole model is interpreted", result.stderr)
    assert harness.tool(*run, "--interpret").stderr == ""
    for flag in ("--no-fallback", "--check"):
        result = harness.tool(*run, flag)
        assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
        assert re.match(r"error: .*m.pt2:.*shares its storage", result.stderr)


class BothWritten(Shared):
    """Two written parts of one storage: a write to one is visible in the other."""

    def forward(self, x):
        self.base.add_(1)
        self.part.mul_(2)
        return x + self.base.sum(), self.part + 0


def test_states_that_share_a_storage_and_are_both_written(tmp_path):
    reports = check(BothWritten(), (torch.randn(2, 3),), folder=tmp_path, native=False, kinds=(False,))
    assert {report["mode"] for report in reports} == {"interpret"}


class Tied(torch.nn.Module):
    """Weights that share a storage and are only read are compiled."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(10, 6)
        self.head = torch.nn.Linear(6, 10, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, i):
        return self.head(self.embed(i))


def test_tied_weights(tmp_path):
    reports = check(Tied(), (torch.tensor([[1, 2, 9]]),), folder=tmp_path)
    assert {report["mode"] for report in reports} == {"compiled"}


class Slices(torch.nn.Module):
    def forward(self, x):
        return x[2:2], x[:, 5:], x[-1:-3], x[1:, 0:0] * 2, torch.cat([x[:0], x[3:], x]), x[:0].sum(), x[4:4].sum(0)


@pytest.mark.parametrize("dynamic", [False, True])
def test_empty_slices(dynamic, tmp_path):
    options = {"dynamic": ({0: torch.export.Dim("n", min=5, max=64)},)} if dynamic else {}
    check(Slices(), (torch.randn(6, 5),), folder=tmp_path, **options)


class LastOfBias(torch.nn.Module):
    """A bias that is sliced to the length: one row of it, by a size that is always 1."""

    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.arange(24.0).reshape(3, 1, 8))

    def forward(self, x):
        n = x.shape[-1]
        return x + self.bias[:, max(0, 1 - n) :, max(0, 8 - n) :]


def test_sizes_that_are_one(tmp_path):
    n = torch.export.Dim("n", min=1, max=7)
    others = [((torch.randn(2, 3, k, k),), {}) for k in (1, 2, 7)]
    x = torch.randn(2, 3, 5, 5)
    modes = [*BOTH, "native"]
    harness.check(
        LastOfBias(), (x,), folder=tmp_path, modes=modes, dynamic=({2: n, 3: n},), others=others
    )


class OfWeights(torch.nn.Module):
    """Values that ATen computes from weights alone are not prepared at compile time: compiling must
    not need LibTorch."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.eye(4) * 3 + 0.1)
        self.register_buffer("moving", torch.eye(4) * 3)

    def forward(self, x):
        values = torch.linalg.eigvalsh(self.weight @ self.weight.T)
        before = torch.linalg.eigvalsh(self.moving)
        self.moving.add_(torch.eye(4))
        return x * values, values.flip(0) * 2, x @ before, torch.linalg.eigvalsh(self.moving)


def test_fallbacks_on_weights(tmp_path):
    reports = check(OfWeights(), (torch.randn(2, 4),), folder=tmp_path, native=False)
    assert all(report["mode"] == "compiled" and report["fallbacks"] for report in reports)


class Counter(torch.nn.Module):
    """A buffer that counts, and a buffer that is read after it was written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        before = self.last.clone()
        self.last.copy_(x)
        return before, self.last * 2, self.count


def test_mutated_buffers(tmp_path):
    check(Counter(), (torch.randn(3),), folder=tmp_path)


class Ranged(torch.nn.Module):
    def forward(self, x):
        return x.sum(0) + x.shape[0]


def test_the_lower_bound_of_two_is_not_checked(tmp_path):
    """As in torch, a size of 0 or 1 runs where export assumed at least 2. Other bounds are
    checked."""
    program = exporting.export(Ranged(), (torch.randn(4, 3),), dynamic=({0: torch.export.Dim("n", max=9)},))
    exporting.save(program, tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 0, result.stderr
    for size in (0, 1, 2, 9, 10):
        x = torch.randn(size, 3)
        for k, (model, flags) in enumerate([("m.pt2", ["--interpret"]), ("m.pt2", []), ("m.so", [])]):
            place = tmp_path / f"{size}_{k}"
            if size == 10:
                pattern = r"m\.(pt2|so):x: dimension 0: expected \w+ in \[\d, 9\], got 10"
                with pytest.raises(harness.ToolError, match=pattern):
                    harness.run(tmp_path / model, ((x,), {}), place, None, *flags)
            else:
                expected = exporting.eager(Ranged(), (x,))
                harness.compare(harness.run(tmp_path / model, ((x,), {}), place, expected, *flags), expected)


@pytest.mark.parametrize("name, call", [
    ("scatter_add", lambda x, i, y: x.scatter_add(0, i[:, None].expand(-1, 3), y)),
    ("index_add", lambda x, i, y: x.index_add(0, i, y)),
    ("index_copy", lambda x, i, y: x.index_copy(0, i, y))])
def test_index_out_of_range_names_the_operator(name, call):
    class Module(torch.nn.Module):
        def forward(self, x, i, y):
            return call(x, i, y)

    args = torch.zeros(4, 3), torch.tensor([3, 0]), torch.ones(2, 3)
    model = fx_mlir.compile(Module(), args)
    assert torch.equal(model(*args), call(*args))
    for index in (4, -1):
        with pytest.raises(fx_mlir.Error, match=rf"aten\.{name}: an index is out of range.*{__file__}"):
            model(args[0], torch.tensor([3, index]), args[2])
