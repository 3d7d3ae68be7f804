"""Quantized models, compiled without a fallback, compared with eager PyTorch.

An integer matmul is exact where the reference sums floats, so a value at the boundary of two
quantization steps may fall to the other side. So the dequantized result is compared, with a
tolerance of one step of its output."""

import pathlib
import re

import exporting
import harness
import models
import pytest
import quantized
import torch
from torch import nn
from torch.export import Dim

MODES = ["interpret", "native"]
#: CPUs with different instructions for integer matmuls, and the features that they need, by their
#: names in /proc/cpuinfo. None is the host.
CPUS = {
    None: set(),
    "x86-64": set(),
    "x86-64-v3": {"avx2"},
    "x86-64-v4": {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"},
    "alderlake": {"avx2", "avx_vnni", "gfni", "vaes", "vpclmulqdq"},
    "icelake-server": {"avx512_vnni", "avx512vl", "avx512_vbmi2", "gfni"},
}


def features() -> set[str]:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return set(next((t for t in text.splitlines() if t.startswith("flags")), "").split())


def check(module, args, folder, **options):
    harness.check(module, args, modes=MODES, folder=folder, **options)


class Affine(nn.Module):
    """Quantizes and dequantizes in every form."""

    def forward(self, x, scales, zeros):
        q = quantized.Q
        out = []
        for dtype, low, high in [
            (torch.uint8, 0, 255),
            (torch.int8, -128, 127),
            (torch.int8, -127, 127),
            (torch.int16, -32768, 32767),
        ]:
            y = q.quantize_per_tensor.default(x, 0.03, 5, low, high, dtype)
            out += [y, q.dequantize_per_tensor.default(y, 0.03, 5, low, high, dtype)]
        for choose in (q.choose_qparams, q.choose_qparams_symmetric):
            s, z = choose.tensor(x, -128, 127, 1e-6, torch.int8)
            y = q.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8)
            out += [s, z, y]
            out.append(q.dequantize_per_tensor.tensor(y, s, z, -128, 127, torch.int8))
        y = q.quantize_per_channel.default(x, scales, zeros, 1, -128, 127, torch.int8)
        out.append(y)
        for z in (zeros, None):
            out.append(
                q.dequantize_per_channel.default(y, scales, z, 1, -128, 127, torch.int8)
            )
        s = x.abs().reshape(x.shape[0], -1, 2).amax(-1) / 7 + 0.01
        z = torch.ones_like(s)
        y = q.quantize_per_channel_group.default(x, s, z, -8, 7, torch.int8, 2)
        out.append(y)
        out.append(
            q.dequantize_per_channel_group.default(
                y, s, z, -8, 7, torch.int8, 2, torch.float32
            )
        )
        return out


@pytest.mark.parametrize("kind", ["normal", "large", "zero", "positive"])
def test_operators(kind, tmp_path):
    torch.manual_seed(1)
    x = torch.randn(5, 8)
    x = {"normal": x, "large": x * 1e4, "zero": x * 0, "positive": x.abs()}[kind]
    scales, zeros = torch.rand(8) + 0.01, torch.randint(-5, 5, (8,))
    check(Affine(), (x, scales, zeros), tmp_path)


def test_parameters_of_nan(tmp_path):
    """Like torch, choose_qparams rejects an input without extremes."""
    module = quantized.Dynamic()
    model = tmp_path / "m.pt2"
    exporting.save(exporting.export(module, (torch.randn(3, 4),)), model)
    bad = ((torch.full((3, 4), torch.nan),), {})
    with pytest.raises(harness.ToolError, match="expected a minimum"):
        harness.run(model, bad, tmp_path, None, "--no-fallback")


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("rows", [1, 5, 16])
def test_linears(rows, dynamic, tmp_path):
    torch.manual_seed(2)
    model = quantized.autoencoder([100, 64, 37, 40, 100]).eval()
    module = quantized.quantize(model, torch.randn(64, 100), dynamic)
    shapes = ({0: Dim("rows", max=64)},) if rows == 5 else None
    check(module, (torch.randn(rows, 100),), tmp_path, dynamic=shapes)


def check_on(cpu, module, x, folder) -> None:
    """Compiles for a CPU and compares. Skips CPUs with features that this machine lacks."""
    if not CPUS[cpu] <= features():
        pytest.skip(f"this machine is no {cpu}")
    model, out = folder / "m.pt2", folder / "m.so"
    exporting.save(exporting.export(module, (x,)), model)
    flags = [f"--mcpu={cpu}"] if cpu else []
    result = harness.tool("fx-compile", model, "-o", out, "--no-fallback", *flags)
    assert result.returncode == 0, result.stderr
    expected = exporting.eager(module, (x,))
    harness.compare(harness.run(out, ((x,), {}), folder, expected), expected)


@pytest.mark.parametrize("cpu", CPUS)
def test_cpus(cpu, tmp_path):
    """The instructions of each CPU give the same result: sums of integers are exact."""
    torch.manual_seed(3)
    sample = torch.randn(64, 50)
    module = quantized.Linear(nn.Linear(50, 70), quantized.Static(sample, torch.int8))
    check_on(cpu, module, torch.randn(11, 50), tmp_path)


def test_extremes_of_sums(tmp_path):
    """The largest factors: sums of two of their products would saturate 16 bits."""
    layer = nn.Linear(1000, 33, bias=False)
    nn.init.constant_(layer.weight, 1.0)
    with torch.no_grad():
        layer.weight[1::2] *= -1
    module = quantized.Linear(layer, quantized.Static(torch.tensor([0.0, 255.0])))
    check(module, (torch.full((3, 1000), 255.0),), tmp_path)


def test_network(tmp_path):
    """Convolutions (of three channels, strided, padded by zero points, with a residual added),
    pooling and a linear layer run on integers."""
    torch.manual_seed(4)
    model = models.get("resnet_small").build()
    sample = torch.randn(8, 3, 33, 47)
    with torch.no_grad():
        model.train()(sample)
    module = quantized.quantize_graph(model, sample)
    check(module, (torch.randn(2, 3, 33, 47),), tmp_path)
    result = harness.tool(
        "fx-compile", tmp_path / "m.pt2", "--emit=kernels", "-o", tmp_path / "k.mlir"
    )
    assert result.returncode == 0, result.stderr
    kernels = (tmp_path / "k.mlir").read_text()
    convolutions = sum(type(m) is quantized.Conv2d for m in module.modules())
    # Counts the invocations that read a packed weight, in which four terms of a column are
    # adjacent.
    main = kernels[kernels.index("func.func @main") :]
    integers = re.findall(r"fx_kernel.invoke @\w+ ins\([^)]*x4xi8>", main)
    assert len(integers) == convolutions + 1


@pytest.mark.parametrize("kind", ["zeros", "others"])
def test_zero_points_of_weights(kind, tmp_path):
    """Zero points that are all 0, as PyTorch stores them, are ignored. With other zero points the
    matmul uses floats."""
    torch.manual_seed(5)
    zeros = torch.zeros(24, dtype=torch.int64)
    if kind == "others":
        zeros[3] = 2
    observer = quantized.Static(torch.randn(64, 40))
    module = quantized.Linear(nn.Linear(40, 24), observer, zeros)
    check(module, (torch.randn(9, 40),), tmp_path)
    result = harness.tool(
        "fx-compile", tmp_path / "m.pt2", "--emit=kernels", "-o", tmp_path / "k.mlir"
    )
    assert result.returncode == 0, result.stderr
    packed = "x4xi8>" in (tmp_path / "k.mlir").read_text()
    assert packed == (kind == "zeros")


@pytest.mark.parametrize("rows, k", [(1, 600), (7, 600), (1, 608), (7, 608), (30, 608)])
def test_large_weights_alone(rows, k, tmp_path):
    """Weights with more elements than the compiler dequantizes before the run."""
    torch.manual_seed(6)
    module = quantized.Linear(nn.Linear(k, 601), nn.Identity())
    check(module, (torch.randn(rows, k),), tmp_path)
    result = harness.tool(
        "fx-compile", tmp_path / "m.pt2", "--emit=kernels", "-o", tmp_path / "k.mlir"
    )
    assert result.returncode == 0, result.stderr
    main = (tmp_path / "k.mlir").read_text().split("func.func @main")[1]
    # With VNNI, four terms of a column are contiguous if the terms are blocks of 32.
    quads = k % 32 == 0 and features() & {"avx512_vnni", "avx_vnni"}
    terms = f"{k // 4}x[0-9]+x4" if quads else f"{k}x[0-9]+"
    assert re.search(rf"fx_kernel.invoke @\w+ ins\([^)]*x{terms}xi8>", main)


@pytest.mark.parametrize("heads, size", [(12, 64), (16, 48)])
def test_methods_share_the_weights_of_heads(heads, size, tmp_path):
    """The terms are heads and their elements in one method, and one dimension in the other."""

    class Output(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = quantized.Linear(nn.Linear(768, 768), nn.Identity())

        def forward(self, q, k):
            x = nn.functional.scaled_dot_product_attention(q, k, k)
            return self.linear(x.transpose(1, 2).flatten(2))

    torch.manual_seed(6)
    module, k = Output().eval(), torch.randn(1, heads, 40, size)
    methods = []
    for name, rows in (("decode", 1), ("prefill", 20)):
        path = tmp_path / f"{name}.pt2"
        exporting.save(exporting.export(module, (torch.randn(1, heads, rows, size), k)), path)
        methods.append(f"{name}={path}")
    out = tmp_path / "m.so"
    result = harness.tool("fx-compile", *methods, "-o", out, "--no-fallback")
    assert result.returncode == 0, result.stderr
    assert out.stat().st_size < 1.5 * 768 * 768


def test_one_column(tmp_path):
    torch.manual_seed(7)
    layer = quantized.Linear(nn.Linear(36, 1), quantized.Static(torch.randn(64, 36)))
    check(layer, (torch.randn(5, 36),), tmp_path)


class Joined(nn.Module):
    """Pools and concatenations between integer layers that share one scale."""

    def __init__(self, dtype: torch.dtype):
        super().__init__()
        sample = torch.randn(1, 3, 12, 12)
        self.first = quantized.Conv2d(nn.Conv2d(3, 8, 3, padding=1), quantized.Static(sample, dtype))
        self.observer = quantized.Static(torch.tensor([-1.0, 2.0]), dtype)
        self.last = quantized.Conv2d(nn.Conv2d(16, 4, 3), nn.Identity())

    def forward(self, x):
        y = self.observer(self.first(x))
        pool = self.observer(nn.functional.max_pool2d(y, 3, 2, padding=1))
        odd = self.observer(nn.functional.max_pool2d(y, 2, ceil_mode=True))
        return self.last(self.observer(torch.cat([pool, odd], 1))), pool


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_pools_and_joins(dtype, tmp_path):
    torch.manual_seed(8)
    check(Joined(dtype), (torch.randn(2, 3, 12, 12) * 2,), tmp_path)
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--emit=fx", "-o", tmp_path / "k.mlir")
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "k.mlir").read_text()
    name = "ui8" if dtype is torch.uint8 else "i8"
    taken = re.findall(rf"@aten\.(cat|max_pool2d)\S*\(.*, {name}>\) -> \S+ \S+ \S+ \S+ {name}>", text)
    assert sorted(taken) == ["cat", "max_pool2d", "max_pool2d"]
