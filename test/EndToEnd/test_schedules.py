"""The schedules that classes of kernels list: with each of them a model computes what eager PyTorch
computes. `fx-compile --debug-schedule=N` gives every kernel candidate N of its class, modulo their
number."""

import copy
import json
import random

import exporting
import harness
import pytest
import quantized
import torch
import torch.nn.functional as F
from torch import nn

#: At least as many as any class lists for a kernel.
CANDIDATES = 240
#: Relative to the largest element of a result.
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-13, torch.bfloat16: 2**-7}


class Layers(nn.Module):
    """Contractions of packed and of plain operands, reductions along rows and columns, windows and
    attention, on random sizes."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__()
        self.k, self.n = draw.randint(17, 140), draw.randint(17, 90)
        channels, out = draw.randint(3, 24), draw.randint(9, 40)
        self.linear = nn.Linear(self.k, self.n)
        self.narrow = nn.Linear(self.k, draw.randint(2, 7))
        self.conv = nn.Conv2d(channels, out, 3, padding=1, stride=draw.randint(1, 2))
        self.heads = draw.randint(1, 3)
        rows, side = draw.randint(1, 40), draw.randint(5, 15)
        width = 8 * self.heads * draw.randint(1, 4)
        image = (1, channels, side, side)
        self.shapes = [(rows, self.k), (self.k, self.n), image, (2, side, width)]

    def forward(self, x, y, image, tokens):
        q = tokens.unflatten(2, (self.heads, -1)).transpose(1, 2)
        conv = F.relu(self.conv(image))
        return {
            "linear": F.gelu(self.linear(x)),
            "row": self.linear(x[:1]),
            "narrow": self.narrow(x),
            "plain": x @ y,
            "attention": F.scaled_dot_product_attention(q, q, q),
            "conv": conv,
            "pool": F.max_pool2d(conv, 2),
            "softmax": x.softmax(-1),
            "norm": F.layer_norm(tokens, tokens.shape[-1:]),
            "columns": tokens.sum(1),
            "mean": y.mean(0),
        }


def compiled(folder, candidate: int):
    path = folder / f"m{candidate}.so"
    flags = [f"--debug-schedule={candidate}", "--report", path.with_suffix(".json")]
    result = harness.tool("fx-compile", folder / "m.pt2", "-o", path, "--no-fallback", *flags)
    assert result.returncode == 0, result.stderr
    kinds, default = ([s["kind"] for s in schedules(folder, n)] for n in (candidate, 0))
    # A schedule that the class cannot emit would leave the kernel to plain loops.
    assert kinds == default, candidate
    return path


def schedules(folder, candidate: int) -> list:
    report = json.loads((folder / f"m{candidate}.json").read_text())
    return [k["schedule"] for k in report["kernels"]]


def candidates(draw: random.Random, long: bool) -> list[int]:
    every = list(range(1, CANDIDATES + 1))
    return every if long else draw.sample(every[:20], 2) + draw.sample(every[20:], 2)


FORMS = ["static", "dynamic"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_candidates(dtype, form, tmp_path, request):
    draw = random.Random(f"{dtype} {form}")
    torch.manual_seed(draw.randint(0, 1 << 30))
    module = Layers(draw).to(dtype)
    inputs = tuple(torch.randn(shape).to(dtype) for shape in module.shapes)
    dynamic = None
    if form == "dynamic":
        rows, tokens = (torch.export.Dim(name, max=99) for name in ("n", "t"))
        dynamic = ({0: rows}, None, None, {1: tokens})
        inputs = (torch.randn(max(len(inputs[0]), 2), module.k).to(dtype), *inputs[1:])
    exporting.save(exporting.export(module, inputs, {}, dynamic=dynamic), tmp_path / "m.pt2")
    exact = copy.deepcopy(module).double()
    want = exporting.eager(module, inputs)
    true = exporting.eager(exact, tuple(x.double() for x in inputs))
    compiled(tmp_path, 0)
    for candidate in candidates(draw, request.config.getoption("--long")):
        path = compiled(tmp_path, candidate)
        assert schedules(tmp_path, candidate) != schedules(tmp_path, 0)
        got = harness.run(path, (inputs, {}), tmp_path / str(candidate), want)
        for (name, w), g, t in zip(want.items(), got, true.values()):
            assert g.dtype == dtype and g.shape == w.shape, name
            scale = t.abs().max().clamp_min(1e-30)
            error = ((g.double() - t).abs().max() / scale).item()
            # The epilogues of eager PyTorch round each operator.
            allowed = max(TOLERANCE[dtype], 2 * ((w.double() - t).abs().max() / scale).item())
            assert error <= allowed, f"{name}, candidate {candidate}: error {error:.2e}"


class Integers(nn.Module):
    """Contractions of bytes, of nibbles with groups, and of floats by bytes."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__()
        n, self.k = draw.randint(17, 70), 8 * draw.randint(3, 12)
        sample = torch.randn(64, self.k)
        self.bytes = quantized.Linear(nn.Linear(self.k, n), quantized.Static(sample))
        self.floats = quantized.Linear(nn.Linear(self.k, n), nn.Identity())
        self.nibbles = quantized.Grouped(self.k, n, 8, quantized.Static(sample))
        self.groups = quantized.Grouped(self.k, n, 8, nn.Identity())

    def forward(self, x):
        return [f(x) for f in (self.bytes, self.floats, self.nibbles, self.groups)]


@pytest.mark.parametrize("rows", [1, 13])
def test_candidates_of_integers(rows, tmp_path, request):
    draw = random.Random(rows)
    torch.manual_seed(rows)
    module = Integers(draw)
    x = torch.randn(rows, module.k)
    exporting.save(exporting.export(module, (x,), {}), tmp_path / "m.pt2")
    want = exporting.eager(module, (x,))
    compiled(tmp_path, 0)
    for candidate in candidates(draw, request.config.getoption("--long")):
        path = compiled(tmp_path, candidate)
        got = harness.run(path, ((x,), {}), tmp_path / str(candidate), want)
        harness.compare(got, want)


def entries(path) -> list[str]:
    return [line for line in path.read_text().splitlines() if "tuned_schedule" in line]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(96, 200), nn.Linear(200, 96)

    def forward(self, x):
        return (self.second(F.relu(self.first(x))) + x).softmax(-1)


def test_tune(tmp_path):
    """The tuned model gives the same results, as does one that is compiled with its file. Whether a
    schedule is faster depends on the machine."""
    module, x = Net().eval(), torch.randn(33, 96)
    exporting.save(exporting.export(module, (x,), {}), tmp_path / "m.pt2")
    file, report = tmp_path / "schedules.mlir", tmp_path / "report.json"
    flags = ["--tune-file", file, "--report", report]
    want = exporting.eager(module, (x,))
    for n, more in enumerate((["--tune=3"], [])):
        path = tmp_path / f"m{n}.so"
        result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", path, *flags, *more)
        assert result.returncode == 0, result.stderr
        assert ("tune: " in result.stderr) == bool(more)
        kernels = json.loads(report.read_text())["kernels"]
        # An entry may be of a kernel with several calls, but each is used.
        tuned = [k for k in kernels if k.get("tuned")]
        assert len(tuned) >= len(entries(file))
        harness.compare(harness.run(path, ((x,), {}), tmp_path / str(n), want), want)


def test_tune_dynamic(tmp_path):
    """Sizes of the measurement are given by symbol."""
    module, x = Net().eval(), torch.randn(33, 96)
    shapes = ({0: torch.export.Dim("rows", max=64)},)
    program = exporting.export(module, (x,), {}, dynamic=shapes)
    exporting.save(program, tmp_path / "m.pt2")
    flags = [tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--tune=1"]
    result = harness.tool("fx-compile", *flags)
    assert result.returncode == 1 and "pass --tune-size=s" in result.stderr
    symbol = result.stderr.split("--tune-size=")[1].split("=")[0]
    assert not (tmp_path / "m.so").exists() and not (tmp_path / "m.tune.mlir").exists()
    # More than the model accepts.
    result = harness.tool("fx-compile", *flags, f"--tune-size={symbol}=65")
    assert result.returncode == 1 and "expected a model that runs on" in result.stderr
    assert f"{symbol}" in result.stderr and not (tmp_path / "m.so").exists()
    result = harness.tool("fx-compile", *flags, f"--tune-size={symbol}=40")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "m.tune.mlir").exists()
    want = exporting.eager(module, (x,))
    harness.compare(harness.run(tmp_path / "m.so", ((x,), {}), tmp_path / "r", want), want)


class LongSums(nn.Module):
    """Sums of more terms than a part of a panel has: a prime number of them, 3 x 3 windows, a
    merged image, and one column."""

    def __init__(self):
        super().__init__()
        self.linear, self.wide = nn.Linear(701, 70), nn.Linear(2304, 33)
        self.window = nn.Conv2d(88, 40, 3, padding=1)
        self.image, self.column = nn.Conv2d(704, 40, 1), nn.Linear(768, 1)

    def forward(self, x, y, image, images):
        return {
            "linear": F.gelu(self.linear(x)) + 1,
            "wide": self.wide(y),
            "window": F.relu(self.window(image)),
            "image": self.image(images),
            "column": self.column(x.repeat(1, 2)[:, :768]),
        }


@pytest.mark.parametrize("dtype, form", [
    (torch.float32, "static"), (torch.float32, "dynamic"), (torch.bfloat16, "static")], ids=str)
def test_terms(dtype, form, tmp_path):
    """Schedules whose tiles multiply parts of panels, on one and on two threads."""
    torch.manual_seed(5)
    module = LongSums().to(dtype)
    inputs = tuple(torch.randn(shape).to(dtype) for shape in (
        (61, 701), (150, 2304), (1, 88, 9, 13), (2, 704, 7, 9)))
    rows = torch.export.Dim("rows", max=400)
    dynamic = ({0: rows}, None, None, None) if form == "dynamic" else None
    exporting.save(exporting.export(module, inputs, {}, dynamic=dynamic), tmp_path / "m.pt2")
    want = exporting.eager(module, inputs)
    true = exporting.eager(copy.deepcopy(module).double(), tuple(x.double() for x in inputs))
    compiled(tmp_path, 0)
    seen = set()
    for candidate in range(10, 40):
        path = compiled(tmp_path, candidate)
        terms = {s["terms"] for s in schedules(tmp_path, candidate) if "terms" in s}
        if not terms - seen:
            continue
        seen |= terms
        for threads in 1, 2:
            got = harness.run(path, (inputs, {}), tmp_path / str(candidate), want,
                              f"--threads={threads}")
            for (name, w), g, t in zip(want.items(), got, true.values()):
                scale = t.abs().max()
                error = ((g.double() - t).abs().max() / scale).item()
                allowed = max(TOLERANCE[dtype],
                              2 * ((w.double() - t).abs().max() / scale).item())
                assert error <= allowed, f"{name}, candidate {candidate}: error {error:.2e}"
        if len(seen) >= 3:
            return
    pytest.fail(f"expected schedules with three numbers of terms, got {seen}")
