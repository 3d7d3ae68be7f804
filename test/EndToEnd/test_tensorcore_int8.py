"""Matmuls of bytes on tensor cores of sm_80 and sm_90a, run by the emulator and compared with eager
PyTorch.

Covers quantized layers whose activations have static and dynamic scales, sizes that fill tiles and
that do not, numbers of terms that are no multiple of 16, convolutions, parts of K, tiles that are
given, and products of integers, which must be exact.
"""

import random
import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from quantized import Conv2d, Dynamic, Linear, Static, Weight
from torch import nn

ROWS = torch.export.Dim("rows", max=4096)


def compile_case(module, args, tmp_path, dynamic=None, flags=(), target="cuda:sm_80"):
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    flags = ("--no-fallback", *flags)
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target=target, flags=flags)
    return model, exporting.eager(module, args)


def count_products(model):
    return (model.folder / "kernels.ll").read_text().count("call { i32, i32, i32, i32 } "
                                                           "@emu.nvvm.mma.m16n8k32.row.col.u8.s8")


def count_wide_products(model):
    return len(re.findall(r"call \{.*\} @wgmma\.n\d+\.bytes\(",
                          (model.folder / "kernels.ll").read_text()))


def linear(k, n, observer):
    torch.manual_seed(n)
    return Linear(nn.Linear(k, n), observer)


LAYERS = {
    # Whole tiles, and tails of rows, columns and terms.
    "whole": lambda: (linear(128, 64, Static(randn(64, 128))), randn(64, 128)),
    "tails": lambda: (linear(112, 70, Static(randn(37, 112))), randn(37, 112)),
    "padded-terms": lambda: (linear(77, 33, Static(randn(41, 77))), randn(41, 77)),
    "few-terms": lambda: (linear(5, 24, Static(randn(40, 5))), randn(40, 5)),
    "batches": lambda: (linear(48, 40, Static(randn(3, 20, 48))), randn(3, 20, 48)),
    "signed": lambda: (linear(96, 56, Static(randn(33, 96), torch.int8)), randn(33, 96)),
    "dynamic-scale": lambda: (linear(96, 56, Dynamic()), randn(33, 96)),
    "fused": lambda: (
        nn.Sequential(linear(64, 80, Static(randn(50, 64))), nn.ReLU(),
                      linear(80, 48, Static(randn(50, 80)))), randn(50, 64)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, tmp_path):
    module, x = LAYERS[name]()
    model, want = compile_case(module, (x,), tmp_path)
    assert count_products(model) > 0
    harness.compare(model.run((x,), want), want)
    harness.compare(model.run((x,), want, seed=3), want)


def test_dynamic_rows(tmp_path):
    x = randn(50, 96)
    model, want = compile_case(linear(96, 56, Static(x)), (x,), tmp_path, ({0: ROWS},))
    assert count_products(model) > 0
    harness.compare(model.run((x,), want), want)
    few = x[:3].contiguous()
    harness.compare(model.run((few,), want), want[:3])


@pytest.mark.parametrize("tiles", ["tensorcore=64:64:32:2:2:2", "tensorcore=128:64:64:4:1:3",
                                   "tensorcore=64:64:64:2:2:3:3"])
def test_tiles(tiles, tmp_path):
    x = randn(70, 256)
    model, want = compile_case(linear(256, 72, Static(x)), (x,), tmp_path,
                               flags=(f"--gpu-tiles={tiles}",))
    assert count_products(model) > 0
    harness.compare(model.run((x,), want), want)


def test_parts(tmp_path):
    """Few tiles and many terms: blocks compute parts of K, whose sums are integers."""
    x = randn(32, 2048)
    model, want = compile_case(linear(2048, 64, Static(x)), (x,), tmp_path)
    harness.compare(model.run((x,), want, log=tmp_path / "log"), want)
    # The input is quantized, parts are multiplied, and their sums are added.
    calls = [call for call in emulate.read_log(tmp_path / "log") if call["call"] == "launch"]
    assert len(calls) == 3 and calls[1]["grid"][0] > 1


CONVS = {
    "padding": lambda: (nn.Conv2d(16, 24, 3, padding=1), randn(2, 16, 9, 11)),
    "stride": lambda: (nn.Conv2d(32, 40, 3, stride=2, padding=1), randn(2, 32, 13, 8)),
    "dilation": lambda: (nn.Conv2d(16, 20, 3, dilation=(1, 2)), randn(1, 16, 9, 12)),
    "pointwise": lambda: (nn.Conv2d(48, 33, 1), randn(2, 48, 7, 7)),
    "first-layer": lambda: (nn.Conv2d(3, 24, 5, stride=2, padding=2), randn(2, 3, 15, 15)),
}


@pytest.mark.parametrize("name", CONVS)
def test_convolutions(name, tmp_path):
    conv, x = CONVS[name]()
    for observer in (Static(x), Static(x.abs(), torch.uint8)):
        module = Conv2d(conv, observer)
        model, want = compile_case(module, (x,), tmp_path)
        assert count_products(model) > 0
        harness.compare(model.run((x,), want), want)


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_padding(target, tmp_path):
    """Zeros around an image whose zero point is 0, as that of a relu, are part of the convolution;
    other padding is a launch of its own."""
    torch.manual_seed(5)
    x, launches = randn(2, 64, 12, 11), []
    convs = [nn.Conv2d(64, 80, 3, padding=(1, 2)), nn.Conv2d(80, 96, 3, padding=1)]
    for name, activation in [("relu", nn.ReLU()), ("tanh", nn.Tanh())]:
        with torch.no_grad():
            between = activation(convs[0](x))
        module = nn.Sequential(Conv2d(convs[0], Static(x)), activation,
                               Conv2d(convs[1], Static(between)))
        (tmp_path / name).mkdir()
        model, want = compile_case(module, (x,), tmp_path / name, target=target)
        harness.compare(model.run((x,), want, log=tmp_path / "log"), want)
        calls = [call["call"] for call in emulate.read_log(tmp_path / "log")]
        assert calls.count("map") == (4 if target == "cuda:sm_90a" else 0)
        launches.append(calls.count("launch"))
    assert launches[1] == launches[0] + 1


def integers(*sizes):
    return torch.randint(-128, 128, sizes, dtype=torch.int8,
                         generator=torch.Generator().manual_seed(sum(sizes)))


@pytest.mark.parametrize("m, n, k", [(40, 24, 64), (33, 80, 104), (64, 64, 2000)])
def test_exact(m, n, k, tmp_path):
    """The sums are the integers of eager PyTorch, with all extremes."""
    weight = integers(k, n)
    weight[:, 0], weight[:, 1] = -128, 127
    x = integers(m, k)
    x[0], x[1] = -128, 127

    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", weight)

        def forward(self, x):
            return torch._int_mm(x, self.weight)

    model, want = compile_case(Product(), (x,), tmp_path)
    assert count_products(model) > 0
    got = model.run((x,), want)
    assert torch.equal(got[0], want)


LINALG = """
#x = affine_map<(m, n, k) -> ({left})>
#y = affine_map<(m, n, k) -> ({right})>
#p = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<{x}xi8>, %y: tensor<{y}xi8>) -> tensor<70x72xi32> {{
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<70x72xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<70x72xi32>) -> tensor<70x72xi32>
  %r = linalg.generic {{indexing_maps = [#x, #y, #p],
                       iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %y : tensor<{x}xi8>, tensor<{y}xi8>) outs(%f : tensor<70x72xi32>) {{
  ^bb0(%a: i8, %b: i8, %o: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  }} -> tensor<70x72xi32>
  return %r : tensor<70x72xi32>
}}
"""


def linalg_product(left, right, is_signed, k=48):
    """Returns a program that multiplies bytes that lie in these orders, two operands and their
    product."""
    sizes = {"m": 70, "n": 72, "k": k}
    shapes = [[sizes[d] for d in of.split(", ")] for of in (left, right)]
    x, y = (integers(*shape) for shape in shapes)
    text = LINALG.format(left=left, right=right, x="x".join(map(str, shapes[0])),
                         y="x".join(map(str, shapes[1])))
    if is_signed:
        text = text.replace("arith.extui", "arith.extsi")
    rows = (x if is_signed else x.view(torch.uint8)).int()
    want = (rows if left == "m, k" else rows.T) @ (y.T if right == "n, k" else y).int()
    return text, x, y, want


@pytest.mark.parametrize("left", ["m, k", "k, m"])
@pytest.mark.parametrize("right", ["n, k", "k, n"])
@pytest.mark.parametrize("k, flags", [
    (48, []), (512, []), (48, ["--gpu-tiles=tensorcore=64:64:64:2:2:4"])])
def test_orders(left, right, k, flags, tmp_path):
    """Programs in linalg, whose operands may lie in any order, with several tiles."""
    text, x, y, want = linalg_product(left, right, is_signed=False, k=k)
    (tmp_path / "m.mlir").write_text(text)
    model = emulate.Model(tmp_path / "m.mlir", tmp_path / "emulated", target="cuda:sm_80",
                          flags=flags)
    assert count_products(model) > 0
    assert torch.equal(model.run((x, y), want)[0], want)


def test_two_activations(tmp_path):
    """Both operands depend on the inputs: the scores of a quantized attention."""
    x, y = randn(2, 20, 32), randn(2, 24, 32)
    left, right = Static(x), Static(y, torch.int8)
    module = Function(lambda x, y: left(x) @ right(y).transpose(1, 2))
    model, want = compile_case(module, (x, y), tmp_path)
    harness.compare(model.run((x, y), want), want)


def test_few_rows(tmp_path):
    """Up to 16 rows read each weight once, as bytes, and multiply in f32."""
    x = randn(4, 256)
    model, want = compile_case(linear(256, 72, Static(x)), (x,), tmp_path)
    assert count_products(model) == 0
    harness.compare(model.run((x,), want), want)


#: The rows, columns and terms of a layer, and the tiles for sm_90a: those of the compiler, shared
#: ones, in turns, with parts of K, and clusters that share rows, columns or a tile.
WIDE = {
    "chosen": (256, 128, 256, ""),
    "tails": (150, 72, 200, ""),
    "padded-terms": (130, 100, 333, ""),
    "shared": (140, 200, 320, "192:4"),
    "turns": (300, 136, 256, "64:4:1:1"),
    "parts": (128, 64, 1024, "64:4:3"),
    "cluster-columns": (300, 256, 256, "256:3:1:2:2"),
    "cluster-rows": (200, 256, 256, "64:4:1:2:2"),
    "cluster-parts": (200, 128, 512, "128:3:2:2:2"),
}


@pytest.mark.parametrize("name", WIDE)
def test_wgmma(name, tmp_path):
    m, n, k, tiles = WIDE[name]
    x = randn(m, k)
    flags = (f"--gpu-tiles=warpgroup={tiles}",) if tiles else ()
    model, want = compile_case(nn.Sequential(linear(k, n, Static(x)), nn.GELU()), (x,), tmp_path,
                               flags=flags, target="cuda:sm_90a")
    assert count_wide_products(model) > 0
    first = model.run((x,), want, log=tmp_path / "log")
    harness.compare(first, want)
    assert any(call["call"] == "map" for call in emulate.read_log(tmp_path / "log"))
    assert torch.equal(first[0], model.run((x,), want, seed=4)[0])


def test_wgmma_with_dynamic_rows(tmp_path):
    x = randn(150, 192)
    model, want = compile_case(linear(192, 96, Static(x)), (x,), tmp_path, ({0: ROWS},),
                               target="cuda:sm_90a")
    assert count_wide_products(model) > 0
    for rows in (150, 64, 20):
        few = x[:rows].contiguous()
        harness.compare(model.run((few,), want), want[:rows])


WIDE_CONVS = {
    "padding": lambda: (nn.Conv2d(64, 72, 3, padding=1), randn(2, 64, 12, 11)),
    "stride": lambda: (nn.Conv2d(128, 64, 3, stride=2), randn(2, 128, 21, 19)),
    "channels": lambda: (nn.Conv2d(144, 80, (2, 3), dilation=(1, 2)), randn(3, 144, 9, 12)),
    "pointwise": lambda: (nn.Conv2d(128, 96, 1), randn(2, 128, 9, 9)),
}


@pytest.mark.parametrize("name", WIDE_CONVS)
def test_wgmma_of_convolutions(name, tmp_path):
    conv, x = WIDE_CONVS[name]()
    model, want = compile_case(Conv2d(conv, Static(x)), (x,), tmp_path, target="cuda:sm_90a")
    assert count_wide_products(model) > 0
    harness.compare(model.run((x,), want, log=tmp_path / "log"), want)
    assert any(call["call"] == "map" for call in emulate.read_log(tmp_path / "log"))


def test_wgmma_is_exact(tmp_path):
    """Sums that need more than the 24 bits of a float."""
    x, weight = integers(160, 1024), integers(1024, 128)
    x[0], weight[:, 0] = -128, -128
    x[1], weight[:, 1] = 127, 127

    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", weight)

        def forward(self, x):
            return torch._int_mm(x, self.weight)

    model, want = compile_case(Product(), (x,), tmp_path, target="cuda:sm_90a")
    assert count_wide_products(model) > 0
    assert torch.equal(model.run((x,), want)[0], want)


def random_layers(draw):
    """Returns one to three quantized layers, with activations between them, and an input."""
    rank = draw.choice([0, 1, 2, 2, 3])
    channels = draw.choice([8, 16, 32, 48, 64, 80])
    sizes = [draw.choice({1: [40, 131], 2: [9, 14], 3: [5, 6]}[rank]) for _ in range(rank)]
    x = randn(draw.choice([1, 2, 3]), channels, *sizes) if rank else randn(
        draw.choice([20, 70, 140, 300]), channels)
    first, layers = x, []
    for _ in range(draw.choice([1, 2, 3])):
        filters = draw.choice([16, 24, 64, 72, 96])
        if rank == 0:
            layer = nn.Linear(channels, filters, bias=draw.random() < 0.7)
        else:
            groups = draw.choice([1, 1, 1, 2]) if channels % 2 == filters % 2 == 0 else 1
            layer = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[rank](
                channels, filters, draw.choice([1, 2, 3]), stride=draw.choice([1, 1, 2]),
                padding=draw.choice([0, 1, 2]), dilation=draw.choice([1, 1, 2]), groups=groups,
                bias=draw.random() < 0.7)
        kind = draw.choice([torch.uint8, torch.int8])
        observer = Dynamic(kind) if draw.random() < 0.2 else Static(x, kind)
        activation = draw.choice([nn.ReLU(), nn.ReLU(), nn.Tanh(), nn.Identity()])
        with torch.no_grad():
            x = activation(layer(x))
        layers += [Quantized(layer, observer), activation]
        channels = filters
    return nn.Sequential(*layers), first


class Quantized(nn.Module):
    """A layer on quantized operands."""

    def __init__(self, layer, observer):
        super().__init__()
        self.layer, self.observer, self.weight = layer, observer, Weight(layer.weight)

    def forward(self, x):
        x, weight, layer = self.observer(x), self.weight(), self.layer
        if isinstance(layer, nn.Linear):
            return nn.functional.linear(x, weight, layer.bias)
        return layer._conv_forward(x, weight, layer.bias)


def check_random(seed, folder, make_model):
    """Compares random layers. `make_model(archive, folder)` returns an object with `run(args,
    expected)`."""
    torch.manual_seed(seed)
    module, x = random_layers(random.Random(seed))
    module = module.eval()
    exporting.save(exporting.export(module, (x,)), folder / "m.pt2")
    model, want = make_model(folder / "m.pt2", folder / "made"), exporting.eager(module, (x,))
    got, scale = model.run((x,), want)[0], want.square().mean().sqrt()
    # Integers that are rounded to the other side differ by a step.
    assert ((got - want).abs() > 1e-4 * scale).float().mean() < 0.02
    assert (got - want).abs().max() < 0.2 * scale


@pytest.mark.parametrize("seed", [
    *range(4), *(pytest.param(s, marks=pytest.mark.long) for s in range(4, 100))])
def test_random(seed, tmp_path):
    target = ["cuda:sm_80", "cuda:sm_90a"][seed % 2]
    check_random(seed, tmp_path, lambda model, folder: emulate.Model(
        model, folder, target=target, flags=("--no-fallback",)))
