"""Matmuls of f32 on tensor cores as three products of TF32, and matmuls whose K several blocks
share. Run by the emulator, whose sums of TF32 are rounded toward zero as those of GPUs are, and
compared with float64."""

import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from test_tensorcore import BF16, F16, ROWS, Block, Products, check_mistakes, chunk_kernel, mixed
from torch import nn

INF, NAN = float("inf"), float("nan")


def pair(m, n, k, dtype=torch.float32):
    return randn(m, k).to(dtype), randn(k, n).to(dtype)


CASES = {
    # Full tiles, tails of each size, rows that are not aligned to chunks.
    "products": lambda: (
        Products(), ([pair(64, 64, 32), pair(70, 72, 40), pair(65, 63, 17), pair(128, 192, 100)],),
        None),
    "mixed": lambda: (
        Function(mixed), (randn(72), randn(72, 72), randn(72, 72), randn(3, 40, 20)), None),
    "dynamic": lambda: (Block(64, 48), (randn(66, 48), randn(66, 64)), ({0: ROWS}, {0: ROWS})),
    "conv": lambda: (
        nn.Sequential(nn.Conv2d(16, 24, 3, padding=1, stride=2), nn.ReLU()),
        (randn(2, 16, 9, 7),), None),
    # Parts of K, with tails of the parts, epilogues, batches, and runs that are not aligned.
    "split": lambda: (Products(), ([pair(20, 40, 1000), pair(33, 35, 523)],), None),
    "split block": lambda: (Block(72, 608), (randn(24, 608), randn(24, 72)), None),
    "split bmm": lambda: (
        Function(lambda x, y: torch.relu(torch.bmm(x, y)) * 2),
        (randn(3, 20, 520), randn(3, 520, 24)), None),
    "split bf16": lambda: (
        Products(), ([pair(20, 40, 1000, BF16), pair(33, 35, 523, F16)],), None),
    "split conv": lambda: (
        nn.Sequential(nn.Conv2d(64, 24, 3, padding=1), nn.ReLU()), (randn(1, 64, 5, 5),), None),
}


def build(case, tmp_path):
    torch.manual_seed(3)
    module, args, dynamic = case()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    return module, args, emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_80")


def check_error(got, module, args, limit=4e-7):
    """Checks that the errors are not larger than those of f32."""
    exact = module.double()(*torch.utils._pytree.tree_map(lambda x: x.double(), args))
    for g, want in zip(got, torch.utils._pytree.tree_leaves(exact), strict=True):
        scale = want.square().mean().sqrt()
        assert (g.double() - want).square().mean().sqrt() / scale < limit
        assert (g.double() - want).abs().max() / scale < 10 * limit


@pytest.mark.parametrize("name", CASES)
def test_products(name, tmp_path):
    module, args, model = build(CASES[name], tmp_path)
    want = exporting.eager(module, args)
    got = model.run(args, want)
    harness.compare(got, want)
    assert "tf32" in (tmp_path / "emulated" / "nvvm.mlir").read_text() or "bf16" in name
    if got[0].dtype == torch.float32:
        check_error(got, module, args)
    for a, b in zip(got, model.run(args, want, seed=1)):
        assert torch.equal(a, b)


def test_long_sums(tmp_path):
    """Sums of 8,000 positive products, whose rounding toward zero would add up."""
    module, args, model = build(
        lambda: (Function(lambda x, y: x @ y), (randn(64, 8000).abs(), randn(8000, 64).abs()),
                 ({1: torch.export.Dim("k", max=10000)}, {0: torch.export.Dim("k", max=10000)})),
        tmp_path)
    want = exporting.eager(module, args)
    check_error(model.run(args, want), module, args, 8e-7)


@pytest.mark.parametrize("k", [40, 1000])
def test_not_finite(k, tmp_path):
    """Infinite and NaN operands, products that overflow, and zeros have f32's results."""
    x, y = pair(40, 24, k)
    x[3, 5], x[4, 6], x[5, k - 3], x[6, 2], x[7] = INF, -INF, NAN, 3e38, 0.0
    x[8, 1], x[8, 9] = INF, INF
    y[1, 3], y[2, 5], y[9, 3], y[6, 4] = 2.0, 1e3, -2.0, 0.0
    y[30, 7] = INF
    # A NaN whose upper bits are those of infinity.
    x[9, 4] = torch.tensor(0x7F800001, dtype=torch.int32).view(torch.float32)
    module, args, model = build(lambda: (Function(lambda x, y: x @ y), (x, y), None), tmp_path)
    want = exporting.eager(module, args)
    got, = model.run(args, want)
    assert torch.equal(got.isnan(), want.isnan())
    assert torch.equal(got.isinf(), want.isinf())
    harness.compare([got], want)


def mutations(nvvm):
    """Yields the kernels with one fault in the kernel that copies by chunks, by name."""
    _, _, change = chunk_kernel(nvvm)
    yield "no wait", change(r"^ *nvvm\.cp\.async\.wait\.group 1.*\n", "")
    mma = r"mma\.sync A\[(%\w+), (%\w+), (%\w+), (%\w+)\] +B\[(%\w+), (%\w+)\]"
    yield "rows of the left operand", change(mma, r"mma.sync A[\2, \1, \3, \4] B[\5, \6]", -1)
    yield "columns of the left operand", change(mma, r"mma.sync A[\1, \3, \2, \4] B[\5, \6]", -1)
    yield "rows of the right operand", change(mma, r"mma.sync A[\1, \2, \3, \4] B[\6, \5]", -1)


def test_mistakes_show(tmp_path):
    module, args, model = build(lambda: (Products(), ([pair(70, 72, 136)],), None), tmp_path)
    want = exporting.eager(module, args)
    assert len(check_mistakes(model, args, want, mutations, tmp_path, AssertionError)) == 4


def round_tf32(x):
    """Returns x with 10 bits of mantissa, ties away from zero."""
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


def test_tf32(tmp_path):
    """One product of operands that are rounded: as exact as the rounded operands allow."""
    module, args, exact = build(CASES["products"], tmp_path)
    pairs = args[0]
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "rounded", target="cuda:sm_80",
                          flags=["--precision=tf32"])
    count = lambda made: (tmp_path / made / "nvvm.mlir").read_text().count("mma.sync")
    assert 3 * count("rounded") == count("emulated") > 0
    got = model.run(args, exporting.eager(module, args))
    for g, (x, y) in zip(got, pairs, strict=True):
        want = round_tf32(x).double() @ round_tf32(y).double()
        scale = want.square().mean().sqrt()
        assert (g.double() - want).abs().max() / scale < 4e-6
        assert (g.double() - x.double() @ y.double()).abs().max() / scale > 1e-4


def test_tf32_special_numbers(tmp_path):
    """Infinite and NaN operands give what the products of the rounded operands are."""
    x, y = randn(40, 40), randn(40, 48).abs() + 0.5
    x[1, 1], x[2, 2], x[3, 3] = INF, NAN, -INF
    exporting.save(exporting.export(Products(), ([(x, y)],)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_80",
                          flags=["--precision=tf32"])
    (want,) = exporting.eager(Products(), ([(x, y)],))
    (got,) = model.run(([(x, y)],), [want])
    torch.testing.assert_close(got, want, equal_nan=True, rtol=1e-2, atol=2e-2)


class Layers(nn.Module):
    """Layers whose weights lie along K and across it."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(72, 104)
        self.weight = nn.Parameter(randn(104, 80))

    def forward(self, x):
        return torch.relu(self.linear(x)) @ self.weight


def rounded_layers(module, x):
    """The same with rounded operands, in float64."""
    first = torch.relu(round_tf32(x).double() @ round_tf32(module.linear.weight).double().T
                       + module.linear.bias.double())
    return round_tf32(first.float()).double() @ round_tf32(module.weight).double()


def conv_case(channels, filters, sizes, **options):
    def make():
        module = nn.Conv2d(channels, filters, 3, **options)
        x = randn(2, channels, *sizes)
        return module, (x,), lambda: nn.functional.conv2d(
            round_tf32(x).double(), round_tf32(module.weight).double(), module.bias.double(),
            module.stride, module.padding, module.dilation)
    return make


def relative(got, exact):
    """The RMS of the differences, relative to that of the result. Tensor cores round sums toward
    zero, and few sums of a layer are rounded to the other neighbour."""
    return (got.double() - exact).square().mean().sqrt() / exact.square().mean().sqrt()


def layers_case(rows):
    def make():
        module, x = Layers(), randn(rows, 72)
        return module, (x,), lambda: rounded_layers(module, x)
    return make


def bmm_case():
    x, y = randn(3, 150, 44), randn(3, 70, 44)
    return (Function(lambda x, y: torch.bmm(x, y.mT) * 2), (x, y),
            lambda: torch.bmm(round_tf32(x).double(), round_tf32(y).double().mT) * 2)


WIDE = {
    # Tails of rows, columns and K.
    "layers": layers_case(200),
    "bmm": bmm_case,
    # Whole pieces of channels, a half of the last one, strides, dilations, padding.
    "conv": conv_case(32, 64, (13, 11), padding=1),
    "conv 48": conv_case(48, 72, (20, 16), stride=2, padding=2),
    "conv dilated": conv_case(64, 64, (16, 17), dilation=2),
}


@pytest.mark.parametrize("name", WIDE)
def test_wide_tf32(name, tmp_path):
    """wgmma of numbers that the copies of tensor maps round."""
    torch.manual_seed(5)
    module, args, exact = WIDE[name]()
    module = module.eval()
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_90a",
                          flags=["--precision=tf32"])
    code = (tmp_path / "emulated" / "kernels.ll").read_text()
    assert len(re.findall(r"call \{.*\} @wgmma\.n\d+\.tf32\(", code)) > 0
    want = exporting.eager(module, args)
    with torch.no_grad():
        expected = exact()
    for seed in (None, 7):
        got, = model.run(args, want) if seed is None else model.run(args, want, seed=seed)
        assert relative(got, expected) < 2e-5 < 1e-4 < relative(want, expected)


@pytest.mark.parametrize("tiles", ["warpgroup=64:3:1:2:1", "warpgroup=256:2:1:2:1",
                                   "warpgroup=64:4:1:1:1", "warpgroup=128:2:2:2:1",
                                   "warpgroup=128:2:1:2:2", "warpgroup=64:2:2:2:2"])
def test_wide_tf32_tiles(tiles, tmp_path):
    x, w, bias = randn(300, 200), randn(264, 200), randn(264)
    module = Function(lambda x, w, bias: nn.functional.gelu(nn.functional.linear(x, w, bias)))
    exporting.save(exporting.export(module, (x, w, bias)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_90a",
                          flags=["--precision=tf32", f"--gpu-tiles={tiles}"])
    assert "tf32(" in (tmp_path / "emulated" / "kernels.ll").read_text()
    exact = nn.functional.gelu(round_tf32(x).double() @ round_tf32(w).double().T + bias.double())
    got, = model.run((x, w, bias), exporting.eager(module, (x, w, bias)))
    assert (got.double() - exact).abs().max() < 1e-5 * exact.abs().max()


def test_wide_tf32_special_numbers(tmp_path):
    x, w = randn(160, 64), randn(64, 64).abs() + 0.5
    x[1, 1], x[2, 2], x[3, 3] = INF, NAN, -INF
    module = Function(lambda x, w: nn.functional.linear(x, w))
    exporting.save(exporting.export(module, (x, w)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_90a",
                          flags=["--precision=tf32"])
    assert "tf32(" in (tmp_path / "emulated" / "kernels.ll").read_text()
    want = exporting.eager(module, (x, w))
    got, = model.run((x, w), want)
    torch.testing.assert_close(got, want, equal_nan=True, rtol=1e-2, atol=2e-2)


def test_wide_tf32_rows(tmp_path):
    """A dynamic number of rows: few ones by mma.sync, many by wgmma."""
    rows = torch.export.Dim("rows", min=2, max=600)
    module, args, _ = layers_case(200)()
    exporting.save(exporting.export(module, args, dynamic=({0: rows},)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target="cuda:sm_90a",
                          flags=["--precision=tf32"])
    for count in (3, 60, 130, 411):
        x = randn(count, 72)
        got, = model.run((x,), exporting.eager(module, (x,)))
        with torch.no_grad():
            exact = rounded_layers(module, x)
        assert relative(got, exact) < 2e-5


@pytest.mark.parametrize("target, got", [("", "the CPU"), ("rocm", "rocm"),
                                         ("cuda:sm_75", "cuda:sm_75")])
def test_tf32_elsewhere(target, got, tmp_path):
    exporting.save(exporting.export(Products(), ([pair(8, 8, 8)],)), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--precision=tf32",
                          *([f"--target={target}"] if target else []), "-o", tmp_path / "m.so")
    assert result.returncode == 1 and not (tmp_path / "m.so").exists()
    assert ("--precision=tf32: expected NVIDIA GPUs of sm_80 or newer as the target, got "
            + got) in result.stderr


def test_switch(tmp_path):
    """In Python, torch's switch chooses the default for GPUs that have TF32."""
    from fx_mlir._compiled import _default_precision

    before = torch.get_float32_matmul_precision()
    try:
        for value, want in [("highest", "f32"), ("high", "tf32"), ("medium", "tf32")]:
            torch.set_float32_matmul_precision(value)
            assert _default_precision("cuda") == _default_precision("cuda:sm_90a,sm_80") == want
            for target in ("", "rocm", "vulkan", "cuda:sm_75", "cuda:sm_90a,sm_75"):
                assert _default_precision(target) == "f32"
    finally:
        torch.set_float32_matmul_precision(before)
