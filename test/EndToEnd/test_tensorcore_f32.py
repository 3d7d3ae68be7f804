"""Matmuls of f32 on tensor cores as three products of TF32, and matmuls whose K several blocks
share. Run by the emulator, whose sums of TF32 are rounded toward zero as those of GPUs are, and
compared with float64."""

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
