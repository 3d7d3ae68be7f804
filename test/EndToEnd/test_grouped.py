"""Weights of four or eight bits with a scale for each group of elements of a row, and activations
of 8 bits or floats, compared with eager PyTorch."""

import math
import re

import exporting
import fx_mlir
import harness
import pytest
import quantized
import torch
from test_quantized import CPUS, check, check_on, features
from torch import nn

PACKED_FOR = "--mcpu=icelake-server"


def packed(folder) -> list[str]:
    """Returns the shapes of the packed weights that kernels read, on any machine those for a CPU
    with 512-bit vectors."""
    result = harness.tool(
        "fx-compile", folder / "m.pt2", PACKED_FOR, "--emit=kernels", "-o", folder / "k.mlir"
    )
    assert result.returncode == 0, result.stderr
    main = (folder / "k.mlir").read_text().split("func.func @main")[1].split("\n")[0]
    return re.findall(r"tensor<([0-9x]+xi8)> \{fx.prepared", main)


def observer(kind: str, sample: torch.Tensor) -> nn.Module:
    return {
        "dynamic": lambda: quantized.Dynamic(),
        "unsigned": lambda: quantized.Dynamic(torch.uint8),
        "static": lambda: quantized.Static(sample),
        "float": lambda: nn.Identity(),
    }[kind]()


#: Rows; columns; terms; terms of a group. Groups of one quad, of an odd number of quads (which do
#: not fill words of nibbles), and of the whole row but one.
SHAPES = [
    (1, 33, 64, 32),
    (2, 32, 24, 4),
    (3, 65, 36, 12),
    (4, 1, 32, 8),
    (5, 100, 256, 128),
    (9, 40, 96, 16),
    (17, 64, 40, 40),
]


@pytest.mark.parametrize("kind", ["dynamic", "unsigned", "static"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_integers(shape, kind, tmp_path):
    torch.manual_seed(1)
    m, n, k, size = shape
    x = torch.randn(m, k)
    check(quantized.Grouped(k, n, size, observer(kind, x)), (x,), tmp_path)
    if n > 1 and kind == "dynamic" and size < k:
        # A word has eight terms if groups consist of whole words.
        depth = f"{k // 8}x32x4xi8" if size % 8 == 0 else f"{k // 4}x32x4xi8"
        assert [s for s in packed(tmp_path) if s.endswith(depth)]


@pytest.mark.parametrize("size, bits", [(32, 4), (6, 4), (64, 8), (700, 4)])
@pytest.mark.parametrize("rows", [1, 6, 20])
def test_floats(rows, size, bits, tmp_path):
    """Weights with more elements than the compiler dequantizes before the run."""
    torch.manual_seed(2)
    k = 2 * 700 if size == 700 else 576
    layer = quantized.Grouped(k, 500, size, nn.Identity(), bits)
    check(layer, (torch.randn(rows, k),), tmp_path)
    terms = {32: "72x32x4", 6: "576x32", 64: "144x32x4", 700: "1400x32"}[size]
    assert packed(tmp_path) == [f"16x{terms}xi8"]


def rows_of(kind: str, k: int) -> torch.Tensor:
    x = torch.randn(1, k)
    return {
        "normal": lambda: x,
        "outliers": lambda: torch.where(torch.rand(1, k) < 0.02, x * 1e5, x),
        "one outlier": lambda: x.index_fill(1, torch.tensor([k // 2]), -1e7),
        "large": lambda: x * 1e34,
        "small": lambda: x * 1e-28,
        "subnormal": lambda: x * 1e-41,
        "zeros": lambda: torch.zeros(1, k),
        "powers": lambda: (2.0 ** torch.randint(-20, 20, (1, k))) * x.sign(),
        "largest": lambda: torch.full((1, k), 3.0),
        "least": lambda: torch.full((1, k), -3.0),
        "infinity": lambda: x.index_fill(1, torch.tensor([3]), torch.inf),
        "nan": lambda: x.index_fill(1, torch.tensor([k - 1]), torch.nan),
    }[kind]()


KINDS = ["normal", "outliers", "one outlier", "large", "small", "subnormal", "zeros", "powers", "largest"]
KINDS += ["least", "infinity", "nan"]


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("k, n, size", [(576, 500, 32), (1024, 333, 128), (4096, 70, 64), (640, 450, 640)])
def test_one_row_is_as_exact_as_in_f32(k, n, size, bits, tmp_path):
    """x86 multiplies one row by weights of four bits, and by bytes with VNNI, as integers."""
    torch.manual_seed(8)
    layer = quantized.Grouped(k, n, size, nn.Identity(), bits)
    layer.weight.scales /= k
    with torch.no_grad():
        layer.weight.q[0], layer.weight.q[1], layer.bias[:2] = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 0
        layer.bias /= 1e3
    inputs = [((rows_of(kind, k),), {}) for kind in KINDS]
    exporting.save(exporting.export(layer, inputs[0][0]), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--no-fallback")
    assert result.returncode == 0, result.stderr
    weight = layer.weight().double()
    for kind, ((x,), _) in zip(KINDS, inputs):
        want = exporting.eager(layer, (x,))
        (got,) = harness.run(tmp_path / "m.so", ((x,), {}), tmp_path / kind, want)
        finite = torch.isfinite(want)
        assert torch.equal(got[~finite].nan_to_num(2.0), want[~finite].nan_to_num(2.0)), kind
        if not finite.all():
            continue
        exact = x.double() @ weight.T + layer.bias.double()
        error, eager = ((y - exact).norm() for y in (got, want))
        # A subnormal result is exact only up to its own rounding.
        assert error <= 1.5 * eager + 1e-7 * exact.norm() + 1e-36, (kind, error, eager, exact.norm())


@pytest.mark.parametrize("bits, size", [(4, 32), (4, 96), (8, 32), (8, None), (8, 100)])
@pytest.mark.parametrize("shape", [(1, 800), (20, 800), (2, 73, 800), (300, 800)], ids=str)
def test_bf16_of_many_rows(bits, size, shape):
    """--precision=bf16 rounds many rows and the weights that they are multiplied by."""
    torch.manual_seed(3)
    if bits == 4:
        shape = (*shape[:-1], 576)
    k = shape[-1]
    if size:
        layer = quantized.Grouped(k, 500, size, nn.Identity(), bits)
        layer.weight.scales.copy_(2.0 ** torch.randint(-3, 3, layer.weight.scales.shape))
    else:
        layer = quantized.Linear(nn.Linear(k, 500), nn.Identity())
        layer.weight.scales.copy_(2.0 ** torch.randint(-3, 3, layer.weight.scales.shape))
    layer.eval()
    rows = torch.export.Dim("rows", min=1, max=1000)
    for dynamic in [None, ({len(shape) - 2: rows},)] if shape[-2] > 1 else [None]:
        inputs = (torch.randint(-2, 3, shape).float(),)
        model = fx_mlir.compile(
            layer, inputs, precision="bf16", no_fallback=True, dynamic_shapes=dynamic
        )
        # Such numbers are exact in bf16, and their sums in f32, but for the bias.
        others = [torch.randint(-2, 3, (*shape[:-2], n, k)).float() for n in (1, 7, 130)] if dynamic else []
        for x in [*inputs, *others]:
            torch.testing.assert_close(model(x), layer(x), rtol=1e-6, atol=5e-3)
        x = torch.randn(shape)
        exact = nn.functional.linear(x.double(), layer.weight().double(), layer.bias.double())
        error = ((model(x) - exact).norm() / exact.norm()).item()
        assert error < 4e-3
        rounds = "avx512_bf16" in features() and shape[-2] > 16 and size in (None, 32)
        assert (error > 1e-4) == rounds


def rounds_to_bytes(bits, size, k):
    """True if the rows of such a layer are rounded to 8 bits with precision="int8"."""
    has_dots = features() & {"avx512_vnni", "avx_vnni"}
    return k % 32 == 0 and (size or 32) % 32 == 0 and bool(has_dots or (bits == 4 and "avx2" in features()))


def make_layer(bits, size, k):
    torch.manual_seed(3)
    if size:
        return quantized.Grouped(k, 500, size, nn.Identity(), bits).eval()
    return quantized.Linear(nn.Linear(k, 500), nn.Identity()).eval()


@pytest.mark.parametrize("precision", ["int8", "bf16,int8"])
@pytest.mark.parametrize(
    "bits, size, k", [(4, 32, 576), (4, 96, 576), (4, 512, 1024), (8, 32, 800), (8, None, 800), (8, 100, 800)]
)
def test_rows_of_8_bits(bits, size, k, precision):
    """precision="int8" rounds blocks of 32 terms. A row has the same result among any others."""
    layer = make_layer(bits, size, k)
    rows = torch.export.Dim("rows", min=1, max=1000)
    x = torch.randn(300, k)
    x[5] *= 1e20
    x[6, 32:64] = 0
    exact = nn.functional.linear(x.double(), layer.weight().double(), layer.bias.double())
    one = fx_mlir.compile(layer, (x[:1],), precision=precision, no_fallback=True)
    alone = torch.cat([one(row[None]) for row in x])
    error = ((alone - exact).norm(dim=1) / exact.norm(dim=1)).max()
    assert error < 1e-2
    assert (error > 1e-3) == rounds_to_bytes(bits, size, k)
    shape = {"dynamic_shapes": ({0: rows},)}
    models = [(n, fx_mlir.compile(layer, (x[:n],), precision=precision)) for n in (2, 8, 19, 300)]
    dynamic = fx_mlir.compile(layer, (x[:40],), precision=precision, **shape)
    for n, model in [*models, *((n, dynamic) for n in (1, 2, 7, 130, 300))]:
        got = model(x[-n:])
        if rounds_to_bytes(bits, size, k):
            assert torch.equal(got, alone[-n:])
        assert ((got - exact[-n:]).norm(dim=1) / exact[-n:].norm(dim=1)).max() < 1e-2
    assert fx_mlir.compile(layer, (x[:0],), precision=precision)(x[:0]).shape == (0, 500)
    batched = fx_mlir.compile(layer, (x[:146].view(2, 73, k),), precision=precision)
    torch.testing.assert_close(batched(x[:146].view(2, 73, k)).view(146, 500), dynamic(x[:146]), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("cpu", ["", "x86-64-v3"])
@pytest.mark.parametrize("bits, size", [(4, 32), (4, 64), (8, 32), (8, None)])
@pytest.mark.parametrize("rows", [1, 3, 50])
def test_exact_rows_of_8_bits(bits, size, rows, cpu):
    """Integers up to 127, and blocks whose largest magnitude is 127, are not changed by rounding to
    8 bits. Neither are their multiples."""
    if cpu and "avx2" not in features():
        pytest.skip("needs AVX2")
    k = 640
    layer = make_layer(bits, size, k)
    x = torch.randint(-127, 128, (rows, k // 32, 32)).float()
    x[..., 0] = 127 * torch.randint(0, 2, x.shape[:-1]).float().mul(2).sub(1)
    x = (x * 2.0 ** torch.randint(-30, 30, (rows, k // 32, 1)).float()).view(rows, k)
    model = fx_mlir.compile(layer, (x,), precision="int8", cpu=cpu, no_fallback=True)
    exact = nn.functional.linear(x.double(), layer.weight().double(), layer.bias.double())
    bound = nn.functional.linear(x.double().abs(), layer.weight().double().abs())
    assert ((model(x) - exact).abs() <= 1e-6 * bound + 1e-6).all()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("rows", [1, 5])
def test_heads_of_8_bits(bits, rows):
    """The columns are heads and their elements, as in a projection before attention."""

    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = quantized.Grouped(640, 512, 32, nn.Identity(), bits)

        def forward(self, x):
            y = self.layer(x).view(1, rows, 8, 64).transpose(1, 2)
            return y, nn.functional.scaled_dot_product_attention(y, y, y)

    torch.manual_seed(3)
    module, x = Heads().eval(), torch.randn(1, rows, 640)
    exact = nn.functional.linear(x.double(), module.layer.weight().double(), module.layer.bias.double())
    exact = exact.view(1, rows, 8, 64).transpose(1, 2)
    for precision, least, most in (("f32", 0, 1e-6), ("int8", 1e-3, 1e-2)):
        got = fx_mlir.compile(module, (x,), precision=precision, no_fallback=True)(x)[0]
        error = (got - exact).norm() / exact.norm()
        assert error < most
        assert error >= least or not rounds_to_bytes(bits, 32, 640)


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("cpu", ["sandybridge", "knl"])
def test_cpus_without_products_of_bytes(cpu, rows, tmp_path):
    """AVX without AVX2, and AVX512F without AVX512BW."""
    layer = make_layer(4, 32, 640)
    exporting.save(exporting.export(layer, (torch.randn(rows, 640),)), tmp_path / "m.pt2")
    for precision in ("f32", "int8"):
        flags = [f"--mcpu={cpu}", f"--precision={precision}", "--no-fallback", "-o", tmp_path / "m.so"]
        result = harness.tool("fx-compile", tmp_path / "m.pt2", *flags)
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_rows_of_8_bits_that_are_not_finite(bits, value):
    """Such a value makes its row NaN, and no other."""
    layer = make_layer(bits, 32, 640)
    for rows in (1, 9):
        x = torch.randn(rows, 640)
        model = fx_mlir.compile(layer, (x,), precision="int8", no_fallback=True)
        want = model(x)
        x[rows // 2, 100] = value
        got = model(x)
        assert not got[rows // 2].isfinite().any()
        if rounds_to_bytes(bits, 32, 640):
            assert got[rows // 2].isnan().all()
        others = torch.arange(rows) != rows // 2
        assert torch.equal(got[others], want[others])


def test_one_row_of_adapters(tmp_path):
    """The row is an intermediate result, of other matmuls with one row, in a batch of one."""
    torch.manual_seed(9)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = quantized.Grouped(320, 1024, 32, nn.Identity())
            self.gate = quantized.Grouped(320, 1024, 64, nn.Identity())
            self.down = quantized.Grouped(1024, 320, 128, nn.Identity())

        def forward(self, x):
            y = nn.functional.rms_norm(x, (320,))
            return x + self.down(self.up(y) * nn.functional.silu(self.gate(y)) / 100)

    check(Block(), (torch.randn(1, 1, 320),), tmp_path)


@pytest.mark.parametrize("bits", [4, 8])
def test_extremes_of_sums(bits, tmp_path):
    """The largest factors, whose products have the same sign within a group."""
    high = 2 ** (bits - 1)
    layer = quantized.Grouped(512, 34, 256, quantized.Static(torch.tensor([0.0, 255.0])), bits)
    layer.weight.q[:, :256] = -high
    layer.weight.q[:, 256:] = high - 1
    check(layer, (torch.full((3, 512), 255.0),), tmp_path)


@pytest.mark.parametrize("kind", ["dynamic", "float"])
def test_zero_points(kind, tmp_path):
    """Small weights with zero points, and those of integers, are dequantized to floats."""
    torch.manual_seed(3)
    zeros = torch.randint(-3, 3, (40, 4))
    layer = quantized.Grouped(64, 40, 16, observer(kind, torch.randn(4)), zeros=zeros)
    check(layer, (torch.randn(5, 64),), tmp_path)


@pytest.mark.parametrize("size", [32, 144])
@pytest.mark.parametrize("shape", [(1, 576), (6, 576), (2, 3, 576)], ids=str)
def test_zero_points_of_large_weights(shape, size, tmp_path):
    """Large weights stay integers: the zero points are multiplied by the sums of groups."""
    torch.manual_seed(3)
    zeros = torch.randint(-8, 8, (500, 576 // size), dtype=torch.int8)
    layer = quantized.Grouped(576, 500, size, nn.Identity(), zeros=zeros)
    check(layer, (torch.randn(shape),), tmp_path)
    assert packed(tmp_path) == ["16x72x32x4xi8"]


class PackedLinear(nn.Module):
    """A linear layer as torchao packs it for CPUs. A weight is (q - 8) s + z."""

    def __init__(self, k: int, n: int, size: int, dtype: torch.dtype):
        super().__init__()
        q = torch.randint(0, 16, (n, k), dtype=torch.int32)
        self.register_buffer("q", torch.ops.aten._convert_weight_to_int4pack_for_cpu(q, 1))
        parameters = torch.rand(k // size, n, 2) * 0.1 - torch.tensor([0, 0.05])
        self.register_buffer("parameters_", parameters.to(dtype))
        self.size = size

    def forward(self, x):
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x, self.q, self.size, self.parameters_)


@pytest.mark.skipif(not {"avx2", "avx512f"} & features(), reason="the layout is that of AVX2 or AVX-512")
@pytest.mark.parametrize(
    "rows, k, n, size, dtype",
    [
        (1, 576, 528, 32, torch.float32),
        (1, 512, 512, 128, torch.bfloat16),
        (7, 576, 512, 64, torch.float32),
        (5, 1024, 272, 256, torch.bfloat16),
        (3, 128, 4096, 128, torch.float32),
    ],
)
def test_packed_by_pytorch(rows, k, n, size, dtype, tmp_path):
    """Weights that PyTorch packed are packed again for the kernels, as four bits."""
    torch.manual_seed(10)
    check(PackedLinear(k, n, size, dtype), (torch.randn(rows, k).to(dtype),), tmp_path)
    # Panels of 32 columns, with two terms in a byte.
    sizes = [math.prod(map(int, s[:-3].split("x"))) for s in packed(tmp_path) if s.endswith("x32x4xi8")]
    assert sizes == [-(-n // 32) * 32 * k // 2]


class Heads(nn.Module):
    """Matmuls whose rows, columns and terms are views of several dimensions."""

    def __init__(self, kind: str):
        super().__init__()
        sample = torch.randn(64)
        self.q = quantized.Grouped(96, 128, 32, observer(kind, sample))
        self.o = quantized.Grouped(128, 96, 64, observer(kind, sample))
        self.p = quantized.Grouped(96, 96, 16, observer(kind, sample))

    def forward(self, x):
        y = self.q(x).view(*x.shape[:2], 4, 32).transpose(1, 2).softmax(-1)
        return self.p(self.o(y.transpose(1, 2).flatten(2)).relu()) + x


@pytest.mark.parametrize("kind", ["dynamic", "float"])
@pytest.mark.parametrize("batch, length", [(1, 1), (2, 5)])
def test_views(batch, length, kind, tmp_path):
    torch.manual_seed(4)
    check(Heads(kind), (torch.randn(batch, length, 96),), tmp_path)


@pytest.mark.parametrize("rows", [1, 7])
@pytest.mark.parametrize("cpu", CPUS)
def test_cpus(cpu, rows, tmp_path):
    """The instructions of each CPU give the same result."""
    torch.manual_seed(5)

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.integer = quantized.Grouped(64, 1000, 16, quantized.Dynamic())
            self.mixed = quantized.Grouped(1000, 270, 40, nn.Identity())
            self.bytes = quantized.Grouped(288, 1030, 96, nn.Identity(), bits=8)

        def forward(self, x):
            y = self.mixed(self.integer(x))
            return y, self.bytes(torch.cat([y, y[:, :18]], 1))

    check_on(cpu, Both(), torch.randn(rows, 64), tmp_path)


@pytest.mark.parametrize("swappable", [False, True])
def test_four_bits_without_groups(swappable, tmp_path):
    """One scale per column. Weights that may be swapped stay bytes."""
    torch.manual_seed(6)
    layer = quantized.Linear(nn.Linear(40, 70), quantized.Dynamic())
    layer.weight.q.clamp_(-8, 7)
    check(layer, (torch.randn(3, 40),), tmp_path)
    assert packed(tmp_path) == ["3x5x32x4xi8"]
    if swappable:
        flags = ["--swappable-weights", PACKED_FOR, "--emit=kernels"]
        result = harness.tool("fx-compile", tmp_path / "m.pt2", *flags, "-o", tmp_path / "k.mlir")
        assert result.returncode == 0, result.stderr
        assert "3x10x32x4xi8" in (tmp_path / "k.mlir").read_text()


def test_five_bits_are_not_four(tmp_path):
    """One integer needs more bits, whatever bounds the call gives."""
    torch.manual_seed(7)
    layer = quantized.Grouped(64, 40, 16, quantized.Dynamic())
    layer.weight.q[20, 30] = 8
    check(layer, (torch.randn(3, 64),), tmp_path)
    assert packed(tmp_path) == ["2x16x32x4xi8"]
