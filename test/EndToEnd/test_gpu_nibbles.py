"""Weights of four bits on GPUs: matmuls of few rows read them packed, two to a byte, and everything
else reads bytes or floats.

Each model has several layers, and is compared with eager mode on the emulator, with tensors that
are aligned to 16 bytes and with tensors that are not. The bytes of a kernel in the report show what
it reads.
"""

import json
import random

import dequantized_weights as styles
import pytest
import torch
from gpu_cases import randn
from quantized import GroupedWeight, Q
from test_gpu_memory import check
from torch import nn
from torch.nn import functional as F

B16, F16, F32 = torch.bfloat16, torch.float16, torch.float32


def integers(n: int, k: int, low: int = -8, high: int = 7) -> torch.Tensor:
    q = torch.randint(low, high + 1, (n, k), dtype=torch.int8)
    q[0, 0], q[-1, -1] = low, high
    return q


class Layer(nn.Module):
    """Integers in [-8, 7] in groups of `size`, or with a scale for each row if `size` is 0, whose
    weight is rounded to `dtype`. The scales have the dtype `stored`."""

    def __init__(self, k, n, size, dtype=F32, stored=F32, zeros=False, bias=False):
        super().__init__()
        shape = (n, k // size) if size else (n,)
        z = torch.randint(-8, 8, shape, dtype=torch.int32) if zeros else None
        self.register_buffer("q", integers(n, k))
        self.register_buffer("scales", (torch.rand(shape) * 0.1 + 0.01).to(stored))
        self.register_buffer("zeros", z)
        self.register_buffer("bias", torch.randn(n).to(dtype) if bias else None)
        self.size, self.dtype = size, dtype

    def weight(self):
        scales = self.scales.float()
        if self.size:
            made = Q.dequantize_per_channel_group.default(
                self.q, scales, self.zeros, -8, 7, torch.int8, self.size, F32)
        else:
            made = Q.dequantize_per_channel.default(
                self.q, scales, self.zeros, 0, -8, 7, torch.int8)
        return made.to(self.dtype)

    def forward(self, x):
        return F.linear(x, self.weight(), self.bias)


class Several(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, *xs):
        return [layer(x) for layer, x in zip(self.layers, xs)]


def read_bytes(folder) -> list[int]:
    """Returns the bytes that the kernels move which do not multiply by tensor cores."""
    kernels = json.loads((folder / "report.json").read_text())["device_kernels"]
    return [k["work"]["bytes"] for k in kernels if k["work"]["unit"] == "f32"]


def draw(random: random.Random):
    """Returns a layer, its input, and the bytes that its kernel moves."""
    dtype = random.choice([F32, F32, B16, F16])
    size = random.choice([0, 0, 32, 64, 128])
    k = (size or 32) * random.randrange(2, 6 if size > 32 else 16)
    n, rows = random.randrange(2, 40), random.randrange(1, 9 if dtype != F32 else 17)
    zeros, bias = random.random() < 0.3, random.random() < 0.5
    stored = random.choice([F32, F16, B16])
    layer = Layer(k, n, size, dtype, stored, zeros, bias)
    groups = n * (k // size if size else 1)
    moved = n * k // 2 + groups * (stored.itemsize + 4 * zeros)
    moved += (rows * (k + n) + bias * n) * dtype.itemsize
    return layer, randn(rows, k).to(dtype), moved


@pytest.mark.parametrize("seed", range(4))
def test_random_layers(seed, tmp_path):
    torch.manual_seed(seed)
    drawn = [draw(random.Random(20 * seed + i)) for i in range(6)]
    check(Several([layer for layer, _, _ in drawn]).eval(), tuple(x for _, x, _ in drawn), tmp_path)
    assert sorted(set(read_bytes(tmp_path))) == sorted({count for *_, count in drawn})


class Shared(nn.Module):
    """A weight that one row, three rows, 40 rows and a table of rows read."""

    def __init__(self):
        super().__init__()
        self.layer = Layer(128, 48, 32)

    def forward(self, one, three, many, i):
        w = self.layer.weight()
        return F.linear(one, w), F.linear(three, w).relu(), F.linear(many, w), F.embedding(i, w)


def test_other_users(tmp_path):
    """Matmuls of few rows share the packed weight; the others read floats."""
    torch.manual_seed(7)
    xs = randn(1, 128), randn(3, 128), randn(40, 128), torch.tensor([3, 47, 0])
    check(Shared().eval(), xs, tmp_path)
    packed = 48 * 128 // 2 + 4 * 48 * 4
    few = [packed + 4 * rows * (128 + 48) for rows in (1, 3)]
    assert set(few) <= set(read_bytes(tmp_path))
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["weight_bytes"] < packed + 4 * 48 * 128 + 4096, report["weight_bytes"]


class Inputs(nn.Module):
    """Weights that are not packed, and those whose rows are no whole vectors or lie along N."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(128, 24, 32), Layer(68, 24, 0), Layer(72, 24, 0),
                                     Layer(128, 24, 8), Layer(64, 128, 0)])
        self.layers[0].q[5, 77] = 8
        self.layers[4].q.fill_(-8)
        self.register_buffer("along_n", integers(80, 48))

    def forward(self, wide, odd, short, groups, low, x, q):
        xs = wide, odd, short, groups, low
        made = [layer(x) for layer, x in zip(self.layers, xs)]
        along_n = Q.dequantize_per_tensor.default(self.along_n, 0.25, 0, -8, 7, torch.int8)
        given = Q.dequantize_per_tensor.default(q, 0.5, 0, -8, 7, torch.int8)
        return *made, x @ along_n, F.linear(wide, given)


def test_bytes_and_other_sizes(tmp_path):
    torch.manual_seed(8)
    sizes = {"wide": 128, "odd": 68, "short": 72, "groups": 128, "low": 64, "x": 80}
    rows = {"wide": 2, "odd": 1, "short": 3, "groups": 1, "low": 5, "x": 2}
    xs = [randn(rows[name], k) for name, k in sizes.items()]
    check(Inputs().eval(), (*xs, integers(24, 128)), tmp_path)

    def moved(name, n, weight, scales):
        return weight + 4 * (scales + rows[name] * (sizes[name] + n))

    assert sorted(set(read_bytes(tmp_path))) == sorted([
        moved("wide", 24, 24 * 128, 24 * 4), moved("odd", 24, 24 * 68, 24),
        moved("short", 24, 24 * 36, 24), moved("groups", 24, 24 * 64, 24 * 16),
        moved("low", 128, 128 * 32, 128), moved("x", 48, 80 * 24, 0),
        moved("wide", 24, 24 * 128, 0)])


class Unusual(nn.Module):
    """Weights that are read twice, scales that are, and integers of an epilogue that are shifted
    as weights of four bits are, but by other numbers of bits."""

    def __init__(self):
        super().__init__()
        self.layer, self.other = Layer(128, 24, 32, stored=F16), Layer(64, 24, 0)

    def forward(self, x, y, i):
        w, q = self.layer.weight(), self.other.q.float()
        s = self.other.scales[:, None]
        shifted = [((i << c) >> 28).to(torch.int8).float() for c in (24, 25, 27, 28)]
        return (F.linear(x, w * w), F.linear(y, q * s + s), F.linear(y, q * s) + shifted[1],
                F.linear(y, q * s) * shifted[0] + shifted[2] - shifted[3])


def test_unusual_weights(tmp_path):
    torch.manual_seed(9)
    i = torch.randint(-(1 << 31), (1 << 31) - 1, (3, 24), dtype=torch.int32)
    i[0, :9] = torch.arange(9)
    check(Unusual().eval(), (randn(2, 128), randn(3, 64), i), tmp_path)


class Gated(nn.Module):
    """A norm, two layers of its result, and a third one whose groups divide their columns."""

    def __init__(self, low, dtype=F32):
        super().__init__()
        self.norm = nn.RMSNorm(128, dtype=dtype)
        self.gate, self.up, self.down = (Layer(k, n, 32, dtype, F16, bias=True)
                                         for k, n in ((128, 352), (128, 352), (352, 128)))
        for layer in (self.gate, self.up, self.down):
            layer.q[3, 4] = low

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@pytest.mark.parametrize("low, dtype", [(-8, F32), (-8, B16), (-9, F32)])
def test_gated_layers(low, dtype, tmp_path):
    """The views that both groups need are no obstacle, and the norm stays one kernel."""
    torch.manual_seed(10)
    check(Gated(low, dtype).eval(), (randn(3, 128).to(dtype),), tmp_path)
    size = dtype.itemsize
    weight = 352 * 128 // (2 if low == -8 else 1) + 352 * 4 * (2 if low == -8 else 4)
    assert sorted(set(read_bytes(tmp_path))) == sorted([
        size * (128 + 2 * 3 * 128),  # the norm
        weight + size * 3 * 128 + 4 * 3 * 352,  # sums, to which the next adds the bias
        weight + size * (3 * 128 + 2 * 352 + 3 * 352) + 4 * 3 * 352,
        weight + size * (3 * 352 + 128 + 2 * 3 * 128)])


@pytest.mark.parametrize("dtype", [F32, B16], ids=str)
def test_styles_of_libraries(dtype, tmp_path):
    """Weights that programs dequantize by arithmetic are packed if their zero points are integers,
    also if their groups are permuted. Others are floats, or are expanded by the kernel."""
    torch.manual_seed(8)
    layers = {
        "gptq": styles.Gptq(128, 48, 32, dtype=dtype),
        "act-order": styles.Gptq(128, 64, 32, dtype=dtype, order="permuted"),
        "awq": styles.Awq(128, 80, 64, dtype=dtype),
        "hqq": styles.Hqq(128, 32, 64, dtype=dtype),
        "mlx": styles.Affine(128, 40, 64, 4, dtype=dtype),
        "int8": styles.QuantoInt8(128, 56, dtype=dtype),
    }
    xs = tuple(randn(3, 128).to(dtype) for _ in layers)
    check(Several([layer.eval() for layer in layers.values()]), xs, tmp_path)
    moved = read_bytes(tmp_path)
    for columns, size, bias in ((48, 32, 1), (64, 32, 1), (80, 64, 0)):
        # The transposed scales are f32.
        packed = columns * 64 + columns * 128 // size * (4 + 4)
        assert packed + (3 * (128 + columns) + bias * columns) * dtype.itemsize in moved, moved
