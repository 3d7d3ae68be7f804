"""Matmuls on AMD's matrix cores: the cases of the tests for tensor cores, tiles that are given, and
random convolutions with padding, run by the emulator and compared with eager PyTorch. The emulator
must notice a barrier, a wait or a part of a layout that is missing."""

import random
import re

import emulate
import exporting
import harness
import pytest
import test_gpu_padding
import test_tensorcore
import test_tensorcore_f32
import test_tensorcore_int8
import torch
from gpu_cases import Function, randn
from quantized import Static
from test_rocm import Model
from test_tensorcore import BF16, F16, INNER, ROWS, Products
from torch import nn

CASES = {f"half-{name}": case for name, case in test_tensorcore.CASES.items()} | {
    f"f32-{name}": case for name, case in test_tensorcore_f32.CASES.items()}


def build(case, folder, flags=()):
    torch.manual_seed(3)
    module, args, dynamic = case()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), folder / "m.pt2")
    return module, args, Model(folder / "m.pt2", folder / "made", flags)


def products(model):
    """Returns the names of the instructions for matrices that the kernels have."""
    text = (model.folder / "kernels.ll").read_text()
    return set(re.findall(r"@emu\.amdgcn\.mfma\.([\w.]+)", text))


@pytest.mark.parametrize("name", CASES)
def test_products(name, tmp_path):
    module, args, model = build(CASES[name], tmp_path)
    assert products(model)
    want = exporting.eager(module, args)
    first = model.run(args, want)
    if any(x.dtype != torch.float32 for x in first):
        harness.compare(first, want)
    else:
        test_tensorcore_f32.check_error(first, module, args, limit=1e-6)
    # The results do not depend on the order of threads.
    for a, b in zip(first, model.run(args, want, seed=1)):
        assert torch.equal(a, b)


TILES = ["128:128:32:2:2", "64:128:64:2:2:2", "32:64:64:2:4", "32:32:32:1:1", "96:64:32:3:1:3",
         "16:128:96:1:4"]


@pytest.mark.parametrize("tiles", TILES)
def test_tiles(tiles, tmp_path):
    """Both operands in both orders, with tails; waves that multiply 32 or 16 rows and columns."""
    def products_(x, y, z):
        return x @ y, x @ z.T, y.T @ z.T, (x.T @ x).float()

    args = [randn(200, 136).to(BF16), randn(136, 144).to(BF16), randn(72, 136).to(BF16)]
    module, args, model = build(lambda: (Function(products_), tuple(args), None), tmp_path,
                                (f"--gpu-tiles=matrixcore={tiles}",))
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)
    harness.compare(model.run(args, want, seed=2), want)


def test_dynamic_terms(tmp_path):
    """The host selects the kernel: by chunks if the rows are aligned to them, else by elements; and
    no chunk is read if there are no terms."""
    module, _, model = build(
        lambda: (Function(lambda x, y: x @ y), test_tensorcore.pair(20, 40, 24, F16),
                 ({1: INNER}, {0: INNER})), tmp_path)
    for inner, kernel in [(24, "kernel_0"), (25, "kernel_0_1"), (200, "kernel_0")]:
        args = test_tensorcore.pair(20, 40, inner, F16)
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        calls = emulate.read_log(tmp_path / "log")
        assert [c["kernel"] for c in calls if c["call"] == "launch"] == [kernel]


def test_no_terms(tmp_path):
    inner = torch.export.Dim("inner", min=0, max=4096)
    module, _, model = build(
        lambda: (Function(lambda x, y: x @ y + 1), (randn(20, 24), randn(24, 40)),
                 ({1: inner}, {0: inner})), tmp_path)
    args = randn(20, 0), randn(0, 40)
    harness.compare(model.run(args, torch.ones(20, 40)), torch.ones(20, 40))


def test_no_static_terms(tmp_path):
    """No operand is read, in particular not at the address 0 of an empty tensor."""
    args = randn(20, 0), randn(0, 40)
    module, args, model = build(lambda: (Function(lambda x, y: x @ y + 1), args, None), tmp_path)
    assert "load <4 x float>, ptr addrspace(1)" not in (
        tmp_path / "made" / "kernels.ll").read_text()
    harness.compare(model.run(args, torch.ones(20, 40)), torch.ones(20, 40))


def test_special_numbers(tmp_path):
    """f32 is multiplied as it is: subnormal, infinite and NaN operands give eager's results."""
    x = torch.eye(40)
    x[1, 1], x[2, 2], x[3, 3], x[4, 4] = 1e-30, float("inf"), float("nan"), -0.0
    y = randn(40, 48).abs() + 0.5
    y[1], y[5, 0] = 1e-12, 1e-42
    module, args, model = build(lambda: (Products(), ([(x, y)],), None), tmp_path)
    got, want = model.run(args, exporting.eager(module, args)), exporting.eager(module, args)
    torch.testing.assert_close(got[0], want[0], equal_nan=True, rtol=1e-6, atol=0)


def test_dynamic_rows(tmp_path):
    module, _, model = build(
        lambda: (nn.Sequential(nn.Linear(72, 96), nn.GELU()).to(BF16), (randn(40, 72).to(BF16),),
                 ({0: ROWS},)), tmp_path)
    for rows in (1, 40, 150):
        args = (randn(rows, 72).to(BF16),)
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want), want)


BYTES = {name: case for name, case in test_tensorcore_int8.LAYERS.items()} | {
    f"conv-{name}": lambda case=case: (
        lambda conv, x: (test_tensorcore_int8.Conv2d(conv, test_tensorcore_int8.Static(x)), x)
    )(*case()) for name, case in test_tensorcore_int8.CONVS.items()}


@pytest.mark.parametrize("name", BYTES)
def test_bytes(name, tmp_path):
    """Quantized layers multiply signed bytes."""
    module, x = BYTES[name]()
    module, args, model = build(lambda: (module, (x,), None), tmp_path)
    assert any(product.startswith("i32") for product in products(model))
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)
    harness.compare(model.run(args, want, seed=1), want)


@pytest.mark.parametrize("seed", [
    *range(2), *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 60))])
def test_random_bytes(seed, tmp_path):
    test_tensorcore_int8.check_random(seed, tmp_path, Model)


@pytest.mark.parametrize("m, n, k", [(40, 24, 64), (33, 80, 104), (10, 64, 2000)])
def test_exact_bytes(m, n, k, tmp_path):
    """The sums are the integers of eager PyTorch, with all extremes."""
    x, weight = test_tensorcore_int8.integers(m, k), test_tensorcore_int8.integers(k, n)
    weight[:, 0], weight[:, 1], x[0], x[1] = -128, 127, -128, 127

    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", weight)

        def forward(self, x):
            return torch._int_mm(x, self.weight)

    module, args, model = build(lambda: (Product(), (x,), None), tmp_path)
    assert any(product.startswith("i32") for product in products(model))
    want = x.int() @ weight.int()
    assert torch.equal(model.run(args, want)[0], want)


@pytest.mark.parametrize("left", [torch.uint8, torch.int8])
@pytest.mark.parametrize("right", [torch.uint8, torch.int8])
def test_two_activations(left, right, tmp_path):
    """Both operands depend on the inputs, and the number of terms is padded."""
    x, y = randn(2, 20, 30) + 0.3, randn(2, 24, 30) - 0.4
    first, second = Static(x, left), Static(y, right)
    module, args, model = build(
        lambda: (Function(lambda x, y: first(x) @ second(y).transpose(1, 2)), (x, y), None),
        tmp_path)
    assert any(product.startswith("i32") for product in products(model))
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)


@pytest.mark.parametrize("left", ["m, k", "k, m"])
@pytest.mark.parametrize("right", ["n, k", "k, n"])
def test_orders(left, right, tmp_path):
    """Programs in linalg, whose operands may lie in any order."""
    text, x, y, want = test_tensorcore_int8.linalg_product(left, right, is_signed=True)
    (tmp_path / "m.mlir").write_text(text)
    model = Model(tmp_path / "m.mlir", tmp_path / "made")
    assert any(product.startswith("i32") for product in products(model))
    assert torch.equal(model.run((x, y), want)[0], want)


@pytest.mark.parametrize("seed", [
    *range(2), *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 60))])
def test_random_convolutions(seed, tmp_path):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    dtype = list(test_gpu_padding.DTYPES.values())[seed % 3]
    function, args = test_gpu_padding.convolution(draw, dtype)
    try:
        function(*args)
    except RuntimeError:
        pytest.skip("a window that is larger than the image")
    module, args, model = build(lambda: (Function(function), args, None), tmp_path)
    assert products(model)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)


def mutations(rocdl):
    """Yields the kernels with one fault in the kernel that loads chunks, by name."""
    kernel, _, change = test_tensorcore.chunk_kernel(rocdl)
    barrier = r"^ *rocdl\.s\.barrier.*\n|^ *rocdl\.barrier.*\n"
    for which in range(len(re.findall(barrier, kernel, re.M))):
        yield f"barrier {which}", change(barrier, "", which)
    product = r"(rocdl\.mfma\S+) (%\w+), (%\w+), "
    yield "operands", change(product, r"\1 \3, \2, ")
    half = r"shufflevector (%\w+), (%\w+) \[0, 1, 2, 3\]"
    yield "terms", change(half, r"shufflevector \1, \2 [1, 0, 2, 3]")
    yield "another permutation", change(r"llvm\.xor", "llvm.or")
    yield "a word of a row", change(r"\[0, 2\] : vector<2xi16>", "[1, 2] : vector<2xi16>")


def check_mistakes(model, module, args, mutations, folder):
    """Returns the names of the mutations. Checks that each makes the kernels wrong under some order
    of threads: the results differ, or the run ends with an error."""
    want = exporting.eager(module, args)

    def differs(kernels, seed):
        model.kernels = kernels
        try:
            harness.compare(model.run(args, want, seed=seed), want)
        except (AssertionError, harness.ToolError):
            return True
        return False

    assert not any(differs(model.kernels, seed) for seed in range(4))
    names = []
    for name, mutated in mutations((folder / "made" / "rocdl.mlir").read_text()):
        kernels = emulate.build_kernels(mutated, folder / "mutated" / name)
        assert any(differs(kernels, seed) for seed in range(6)), name
        names.append(name)
    return names


def test_mistakes_show(tmp_path):
    """Three pieces of K use both buffers."""
    module, args, model = build(
        lambda: (Products(), ([test_tensorcore.pair(70, 72, 136)],), None), tmp_path)
    names = check_mistakes(model, module, args, mutations, tmp_path)
    assert len(names) == 9, names
