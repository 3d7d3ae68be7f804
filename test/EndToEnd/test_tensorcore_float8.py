"""Matmuls of eight-bit floats on tensor cores of sm_80 and sm_90a, run by the emulator and compared
with eager PyTorch, and with sums in float64.

Covers both types in both operands, scales of tensors and rows, sizes that fill tiles and that do
not, sums by tensor cores and by pieces, NaN and infinities, dynamic rows, tiles that are given,
parts of K, and operands that tensor cores do not read as bytes.
"""

import random
import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function
from torch.nn import functional as F

E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
ROWS = torch.export.Dim("rows", max=4096)


def compile_case(function, args, tmp_path, dynamic=None, flags=(), target="cuda:sm_80"):
    module = Function(function)
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    flags = ("--no-fallback", *flags)
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target=target, flags=flags)
    return model, exporting.eager(module, args)


def code(model):
    return (model.folder / "kernels.ll").read_text()


def count_products(model):
    """The products of values that were widened to f16."""
    return code(model).count("@emu.nvvm.mma.m16n8k16.row.col.f32.f32")


def count_wide_products(model, left="e4m3", right="e4m3"):
    return len(re.findall(rf"call \{{.*\}} @wgmma\.n\d+\.{left}\.{right}\(", code(model)))


def matrices(m, k, n, left=E4M3, right=E4M3, rowwise=True):
    draw = torch.Generator().manual_seed(m + k + n)
    x, w = (torch.randn(size, generator=draw) for size in ((m, k), (n, k)))
    sx, sw = ((t.abs().amax(1, True) if rowwise else t.abs().amax()) / 448 for t in (x, w))
    return (x / sx).to(left), (w / sw).to(right), sx, sw.t() if rowwise else sw


def multiply(x, w, sx, sw, bias=None, fast=False, dtype=torch.float32):
    return torch._scaled_mm(x, w.t(), sx, sw, bias=bias, use_fast_accum=fast, out_dtype=dtype)


def errors(got, args):
    """The largest error of all sums, relative to the largest sum."""
    x, w, sx, sw = (a.double() for a in args)
    exact = (x @ w.t()) * sx * sw
    return ((got.double() - exact).abs().max() / exact.abs().max()).item()


@pytest.mark.parametrize("sizes, left, right, rowwise", [
    ((64, 128, 64), E4M3, E4M3, False), ((37, 112, 80), E4M3, E5M2, True),
    ((41, 16, 32), E5M2, E4M3, True), ((130, 272, 48), E4M3, E4M3, True),
    ((130, 272, 48), E5M2, E4M3, False)])
def test_small(sizes, left, right, rowwise, tmp_path):
    args = matrices(*sizes, left, right, rowwise)
    model, want = compile_case(multiply, args, tmp_path)
    assert count_products(model) > 0
    for seed in (None, 3):
        got = model.run(args, want) if seed is None else model.run(args, want, seed=seed)
        harness.compare(got, want)
        assert errors(got[0], args) < 1e-6


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_all_values(target, tmp_path):
    """Each value times one, in both operands: all 256 bytes of both types, NaN and infinities."""
    values = torch.arange(256, dtype=torch.uint8)
    ones, one = torch.eye(256), torch.tensor(1.0)
    for kind, other, name in ((E4M3, E4M3, "e4m3"), (E5M2, E4M3, "e5m2")):
        for isLeft in (True, False):
            # A row of one value and zeros, since a NaN would be in all sums of its row.
            row = torch.zeros(256, 256, dtype=torch.uint8)
            row[:, 0] = values
            row = row.view(kind)
            x, w = (row, ones.to(other)) if isLeft else (ones.to(other), row)
            folder = tmp_path / f"{name}{isLeft}"
            folder.mkdir()
            model, want = compile_case(multiply, (x, w, one, one), folder, target=target)
            got = model.run((x, w, one, one), want)
            exact = x.float() @ w.float().t()
            assert torch.equal(got[0].isnan(), exact.isnan())
            assert torch.equal(got[0].nan_to_num(0, 7, -7), exact.nan_to_num(0, 7, -7))


@pytest.mark.parametrize("left, right", [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3)])
@pytest.mark.parametrize("fast", [False, True])
def test_wide(left, right, fast, tmp_path):
    """Tensor cores keep 14 bits of a sum. Without `use_fast_accum`, they add 128 terms only."""
    args = matrices(256, 1024, 192, left, right)
    function = lambda *args: multiply(*args, fast=fast)
    model, want = compile_case(function, args, tmp_path, target="cuda:sm_90a")
    names = {E4M3: "e4m3", E5M2: "e5m2"}
    assert count_wide_products(model, names[left], names[right]) > 0
    got = model.run(args, want)
    if fast:
        assert 2e-4 < errors(got[0], args) < 5e-3
    else:
        assert 1e-6 < errors(got[0], args) < 2e-4


@pytest.mark.parametrize("tiles", ["warpgroup=64:3:1:2:1", "warpgroup=128:2:1:2:1",
                                   "warpgroup=64:4:2:2:1", "warpgroup=128:2:1:2:2",
                                   "warpgroup=64:2:2:2:2", "fast warpgroup=128:3:1:1:1",
                                   "fast warpgroup=256:2:1:2:1"])
def test_wide_tiles(tiles, tmp_path):
    fast = tiles.startswith("fast ")
    args = matrices(290, 400, 272)
    bias = torch.linspace(-2, 2, 272, dtype=torch.bfloat16)

    def function(x, w, sx, sw, bias):
        return F.gelu(multiply(x, w, sx, sw, bias, fast, torch.bfloat16))

    model, want = compile_case(function, (*args, bias), tmp_path, target="cuda:sm_90a",
                               flags=(f"--gpu-tiles={tiles.removeprefix('fast ')}",))
    assert count_wide_products(model) > 0
    harness.compare(model.run((*args, bias), want), want)


def test_tiles_that_do_not_fit(tmp_path):
    """There are no registers for sums of 256 columns of a tile and of a piece."""
    args = matrices(160, 256, 256)
    model, want = compile_case(multiply, args, tmp_path, target="cuda:sm_90a",
                               flags=("--gpu-tiles=warpgroup=256:2:1:2:1",))
    assert count_wide_products(model) == 0 and count_products(model) > 0
    harness.compare(model.run(args, want), want)


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_dynamic_rows(target, tmp_path):
    args = matrices(160, 256, 128, rowwise=False)
    model, want = compile_case(multiply, args, tmp_path, ({0: ROWS}, None, None, None),
                               target=target)
    harness.compare(model.run(args, want), want)
    few = (args[0][:3].contiguous(), *args[1:])
    harness.compare(model.run(few, want), want[:3] if torch.is_tensor(want) else [want[0][:3]])


def test_parts(tmp_path):
    """Few tiles and many terms: blocks compute parts of K."""
    args = matrices(32, 4096, 64)
    model, want = compile_case(multiply, args, tmp_path)
    got = model.run(args, want, log=tmp_path / "log")
    assert errors(got[0], args) < 2e-6
    calls = [call for call in emulate.read_log(tmp_path / "log") if call["call"] == "launch"]
    assert len(calls) == 2 and calls[0]["grid"][0] > 1


class Linear(torch.nn.Module):
    """A layer that rounds its input at run time."""

    def __init__(self, inputs, outputs):
        super().__init__()
        w, _, scale, _ = matrices(outputs, inputs, 16)
        self.w, self.scale = torch.nn.Buffer(w), torch.nn.Buffer(scale.t().contiguous())

    def forward(self, x):
        scale = x.abs().amax(-1, True).clamp(1e-6) / 448
        return torch._scaled_mm((x / scale).to(E4M3), self.w.t(), scale, self.scale,
                                out_dtype=torch.float32)


def test_layers(tmp_path):
    """Rows that are rounded at run time. Kernels for few rows convert the bytes of weights."""
    torch.manual_seed(0)
    module = torch.nn.Sequential(Linear(128, 256), torch.nn.ReLU(), Linear(256, 64))
    for rows in (48, 4):
        folder = tmp_path / str(rows)
        folder.mkdir()
        x = torch.randn(rows, 128)
        model, want = compile_case(module.forward, (x,), folder, target="cuda:sm_90a")
        assert (count_products(model) > 0) == (rows > 8)
        harness.compare(model.run((x,), want), want)


@pytest.mark.parametrize("other", ["across", "terms", "fnuz", "bf16", "attention"])
def test_other_operands(other, tmp_path):
    """Operands that do not lie along K, numbers of terms that are no multiple of 16, types that
    tensor cores do not multiply, and matmuls that the program itself computes in bf16, also those
    of attention, whose sums must be those of bf16."""
    x, w, sx, sw = matrices(48, 64, 32)
    if other == "across":
        function, args = lambda x, w, sx, sw: multiply(x, w.t(), sx, sw), (x, w.t().contiguous(), sx, sw)
    elif other == "terms":
        function, args = multiply, (x[:, :40].contiguous(), w[:, :40].contiguous(), sx, sw)
    elif other == "fnuz":
        kind = torch.float8_e4m3fnuz
        function, args = multiply, (x.float().to(kind), w.float().to(kind), sx, sw)
    elif other == "bf16":
        function, args = lambda x, w: x.bfloat16() @ w.t().bfloat16(), (x, w)
    else:
        function = lambda q, k: F.scaled_dot_product_attention(*(t.bfloat16() for t in (q, k, k)))
        args = (x.view(1, 2, 24, 64), w.view(1, 2, 16, 64))
    model, want = compile_case(function, args, tmp_path)
    assert count_products(model) == 0
    assert "@emu.nvvm.mma.m16n8k16.row.col.bf16" in code(model)
    harness.compare(model.run(args, want), want)


def test_bf16_sums(tmp_path):
    """A matmul of bf16 keeps sums of f32 on sm_90a, whatever its operands were."""
    x, w, *_ = matrices(160, 1024, 192)
    model, want = compile_case(lambda x, w: x.bfloat16() @ w.t().bfloat16(), (x, w), tmp_path,
                               target="cuda:sm_90a")
    exact = (x.double() @ w.double().t()).bfloat16()
    assert (model.run((x, w), want)[0] != exact).float().mean() < 1e-3


@pytest.mark.parametrize("sizes, tiles", [
    ((40, 64, 48), "tensorcore=64:64:16:2:2:3,warpgroup=0:0"), ((1, 16, 16), None),
    ((16, 16, 1), None), ((1, 64, 1), None)])
def test_without_tensor_cores(sizes, tiles, tmp_path):
    """Tiles that do not fit bytes, and results of a row or a column."""
    args = matrices(*sizes, rowwise=False)
    flags = (f"--gpu-tiles={tiles}",) if tiles else ()
    model, want = compile_case(multiply, args, tmp_path, flags=flags)
    harness.compare(model.run(args, want), want)


@pytest.mark.parametrize("seed", [
    0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 40))])
@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_random(seed, target, tmp_path):
    draw = random.Random(f"{seed} {target}")
    sizes = (draw.randint(9, 400), 16 * draw.randint(1, 40), 16 * draw.randint(1, 24))
    left, right = draw.choice([(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3)])
    args = matrices(*sizes, left, right, draw.random() < 0.5)
    fast, dtype = draw.random() < 0.5, draw.choice([torch.float32, torch.bfloat16])
    model, want = compile_case(lambda *args: multiply(*args, fast=fast, dtype=dtype), args,
                               tmp_path, target=target)
    got = model.run(args, want, seed=seed)
    if dtype == torch.float32:
        assert errors(got[0], args) < (5e-3 if fast and target == "cuda:sm_90a" else 2e-4)
    else:
        assert errors(got[0], args) < 1e-2
