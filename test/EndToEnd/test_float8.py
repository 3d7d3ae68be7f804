"""Eight-bit floats: conversions of all of their values and of numbers between them, ops that move
them, matmuls with scales, on the CPU and on GPUs. Conversions have the bits of PyTorch's."""

import emulate
import exporting
import harness
import pytest
import test_rocm
import torch
from gpu_cases import Function
from torch.nn import functional as F

KINDS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
IDS = [str(kind).removeprefix("torch.") for kind in KINDS]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=IDS)
each_cpu = pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])


def every(kind):
    return torch.arange(256, dtype=torch.uint8).view(kind)


def between(kind):
    """All values of a kind, the means of neighbours, and the numbers next to these; all values of
    f16; and random bits."""
    exact = every(kind).float()
    exact = exact[exact.isfinite()].unique()
    means = (exact[1:] + exact[:-1]) / 2
    both = torch.cat([exact, means])
    up, down = torch.full((), torch.inf), torch.full((), -torch.inf)
    halves = torch.arange(-2**15, 2**15, dtype=torch.int32).to(torch.int16).view(torch.float16)
    draw = torch.Generator().manual_seed(0)
    bits = torch.randint(-2**31, 2**31, (50_001,), generator=draw).to(torch.int32)
    return torch.cat([both, both.nextafter(up), both.nextafter(down), halves.float(),
                      bits.view(torch.float32)])


def same(got, expected):
    """The same bits, or NaN."""
    got, expected = got.float(), expected.float()
    is_nan = expected.isnan()
    assert torch.equal(got.isnan(), is_nan)
    assert torch.equal(got[~is_nan].view(torch.int32), expected[~is_nan].view(torch.int32))


def run(function, args, folder, *flags):
    module = Function(function)
    exporting.save(exporting.export(module, args), folder / "m.pt2")
    expected = exporting.eager(module, args, {})
    target = harness.compiled(folder / "m.pt2", "native", 2, *flags)
    got = harness.run(target, (args, {}), folder / "run", expected)
    return got, torch.utils._pytree.tree_leaves(expected)


def flags_of(cpu):
    return [] if cpu == "native" else [f"--mcpu={cpu}"]


@each_kind
@each_cpu
def test_to(kind, cpu, tmp_path):
    others = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
    got, expected = run(lambda x: [x.to(d) for d in others], (every(kind),), tmp_path,
                        *flags_of(cpu))
    for g, e in zip(got, expected):
        same(g, e)


@each_kind
@each_cpu
def test_from(kind, cpu, tmp_path):
    x = between(kind)
    got, expected = run(
        lambda x, h, d: [t.to(kind) for t in (x, h, h.bfloat16(), d)],
        (x, x.half(), x.double() * 1.0000001), tmp_path, *flags_of(cpu))
    for g, e in zip(got, expected):
        assert g.dtype == kind
        same(g, e)


def test_integers(tmp_path):
    kind = torch.float8_e4m3fn
    x = torch.arange(-300, 300)
    got, expected = run(lambda x, b: [x.to(kind), b.to(kind), x.to(kind).to(torch.int32)],
                        (x[abs(x) <= 240], x > 0), tmp_path)
    for g, e in zip(got, expected):
        same(g, e)


@each_kind
def test_moves(kind, tmp_path):
    def moves(x, y):
        z = torch.cat([x, y], 1).transpose(0, 1)
        halves = z.reshape(4, -1, 7)[:, 1:].unbind(0)
        return [z.contiguous(), torch.stack(halves[:2]), x[1].expand(3, -1).clone(),
                y.unsqueeze(0).squeeze(0).split(3, 1)[1].float(), x.view(-1)[3:9],
                y.tile(2, 1), x.repeat_interleave(3, 0), x.slice_scatter(y[:, :4], 1, 2, 6),
                x.movedim(0, 1).ravel()]

    x, y = every(kind)[:140].view(7, 20), every(kind)[140:224].view(7, 12)
    got, expected = run(moves, (x, y), tmp_path)
    for g, e in zip(got, expected):
        same(g, e)


def places(x, y, at, chosen):
    """Reads and writes at places that are known at run time, and tests of numbers."""
    kind = x.dtype
    moved = (
        torch.index_select(x, 0, at), x[at], x[:, at], x.flip(0), F.embedding(at, x),
        torch.where(chosen, x, x.roll(1, 1)), F.pad(x, (1, 2)), F.pad(x, (0, 0, 1, 1), value=1.5),
        x.unfold(1, 3, 2), x.diagonal(), x.as_strided((3, 4), (2, 3)),
        x.index_put((at,), y),
        torch.zeros_like(x), torch.ones_like(x), torch.full_like(x, 3.0),
        torch.empty_like(x).copy_(x), x.view(torch.uint8) ^ 1,
        (x.view(torch.uint8) | 8).view(kind), x.t().view(torch.int8))
    return *moved, x == x.flip(0), x != y[0], torch.isnan(x)


@each_kind
@each_cpu
def test_places(kind, cpu, tmp_path):
    x, y = every(kind)[:240].view(12, 20), every(kind)[196:].view(3, 20)
    at = torch.tensor([2, 0, 11])
    chosen = torch.arange(240).view(12, 20) % 3 == 0
    got, expected = run(places, (x, y, at, chosen), tmp_path, *flags_of(cpu))
    assert len(got) == 22
    for g, e in zip(got, expected):
        same(g, e)


@each_kind
def test_index_copy(kind, tmp_path):
    """As a cache of eight bits is written. PyTorch has it on GPUs only, so bytes are expected."""
    x, y, at = every(kind)[:240].view(12, 20), every(kind)[196:].view(3, 20), torch.tensor([2, 0, 11])
    module = Function(lambda x, y, at: x.index_copy(0, at, y))
    exporting.save(exporting.export(module, (x, y, at)), tmp_path / "m.pt2")
    expected = x.view(torch.uint8).index_copy(0, at, y.view(torch.uint8)).view(kind)
    target = harness.compiled(tmp_path / "m.pt2", "native", 2)
    same(harness.run(target, ((x, y, at), {}), tmp_path / "run", [expected])[0], expected)


SIZES = [torch.int8, torch.bfloat16, torch.int32, torch.float64, torch.float8_e5m2]


@pytest.mark.parametrize("kind", SIZES, ids=str)
def test_other_sizes(kind, tmp_path):
    """All bits as elements of all other sizes, of tensors and of views of them."""
    def bits(x):
        return [y.view(other) for other in SIZES for y in (x, x[1:, :], x.unsqueeze(1), x.ravel())]

    x = torch.randint(0, 256, (6, 48), dtype=torch.uint8)
    # No NaN, whose bits a comparison cannot see.
    x = (x & (0x3b if kind.is_floating_point else 0xff)).view(kind)
    got, expected = run(bits, (x,), tmp_path)
    for g, e in zip(got, expected):
        assert g.dtype == e.dtype and torch.equal(g.contiguous().view(torch.uint8), e.view(torch.uint8))


@pytest.mark.parametrize("kind, integer", [
    (torch.float32, torch.int32), (torch.float64, torch.int64), (torch.bfloat16, torch.int16),
    (torch.float16, torch.int16), (torch.bfloat16, torch.float16)])
def test_bits(kind, integer, tmp_path):
    """The bits of other dtypes of the same size."""
    def bits(x, n):
        return x.view(integer), n.view(kind), (x.t()[1:].view(integer)), x.view(integer).view(kind)

    x = torch.randn(6, 11).to(kind)
    got, expected = run(bits, (x, torch.randn(6, 11).to(kind).view(integer)), tmp_path)
    for g, e in zip(got, expected):
        same(g, e)


def matrices(m, k, n, rowwise=False, kind=torch.float8_e4m3fn, other=torch.float8_e4m3fn):
    """Operands of a matmul with scales; the second one has its columns in memory."""
    draw = torch.Generator().manual_seed(m * k + n)
    x, w = (torch.randn(size, generator=draw) for size in ((m, k), (n, k)))
    sx, sw = ((t.abs().amax(1, True) if rowwise else t.abs().amax()) / 448 for t in (x, w))
    return (x / sx).to(kind), (w / sw).to(other).t(), sx, sw.t() if rowwise else sw


@pytest.mark.parametrize("rowwise", [False, True])
@pytest.mark.parametrize("sizes", [(1, 64, 32), (5, 32, 48), (33, 128, 80), (64, 256, 176)])
@each_cpu
def test_scaled_mm(sizes, rowwise, cpu, tmp_path):
    x, w, sx, sw = matrices(*sizes, rowwise)
    bias = torch.linspace(-2, 2, sizes[2], dtype=torch.bfloat16)

    def scaled(x, w, sx, sw, bias):
        y = torch._scaled_mm(x, w, sx, sw, bias=bias, out_dtype=torch.bfloat16)
        return torch._scaled_mm(x, w, sx, sw, out_dtype=torch.float32), F.gelu(y)

    args = (x, w, sx, sw, bias)
    got, expected = run(scaled, args, tmp_path, *flags_of(cpu))
    exact = (x.double() * sx.double()) @ (w.double() * sw.double())
    assert (got[0] - exact).abs().max() <= 1e-5 * exact.abs().max()
    harness.compare(got, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float8_e4m3fn])
def test_scale_of_result(dtype, tmp_path):
    """PyTorch's code for CPUs and for GPUs differ in what it does, so ATen runs it."""
    args = (*matrices(16, 32, 48), torch.tensor(4.0))
    module = Function(lambda x, w, sx, sw, s: torch._scaled_mm(
        x, w, sx, sw, scale_result=s, out_dtype=dtype))
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    want = exporting.eager(module, args, {})
    got = harness.run(harness.compiled(tmp_path / "m.pt2", "compiled", 2), (args, {}),
                      tmp_path / "run", [want])
    same(got[0], want)
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--no-fallback", "-o",
                          tmp_path / "m.so")
    assert result.returncode == 1 and "_scaled_mm" in result.stderr


def test_scales_of_blocks(tmp_path):
    """These are no scales of rows and columns, although they broadcast."""
    x, w, _, _ = matrices(8, 1024, 16)
    args = (x, w, torch.ones(8, 8), torch.ones(8, 16).t().contiguous().t())
    module = Function(lambda *args: torch._scaled_mm(*args, out_dtype=torch.float32))
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--no-fallback", "-o",
                          tmp_path / "m.so")
    assert result.returncode == 1 and "_scaled_mm" in result.stderr


@pytest.mark.parametrize("flag, least, most", [
    ("--precision=bf16", 1e-4, 1e-2), ("--precision=int8", 0, 1e-6)])
def test_precision(flag, least, most, tmp_path):
    """Bytes are not taken for quantized integers: bf16 rounds the activations, int8 does not."""
    w = torch.randn(48, 64).to(torch.float8_e4m3fn)
    got, expected = run(lambda x, w: F.linear(x, w.float() * 0.5), (torch.randn(40, 64), w),
                        tmp_path, flag)
    error = (got[0] - expected[0]).pow(2).mean().sqrt() / expected[0].pow(2).mean().sqrt()
    assert least <= error <= most


class Linear(torch.nn.Module):
    """A linear layer with activations that are rounded at run time, as torchao's."""

    def __init__(self, inputs, outputs):
        super().__init__()
        weight = torch.randn(outputs, inputs, generator=torch.Generator().manual_seed(outputs))
        scale = weight.abs().amax(1, True) / 448
        self.weight = torch.nn.Buffer((weight / scale).to(torch.float8_e4m3fn))
        self.scale = torch.nn.Buffer(scale.t().contiguous())

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1]).float()
        scale = rows.abs().amax(1, True).clamp(min=1e-12) / 448
        rounded = (rows / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
        y = torch._scaled_mm(rounded, self.weight.t(), scale, self.scale,
                             out_dtype=torch.bfloat16)
        return y.reshape(*x.shape[:-1], -1)


def network():
    return torch.nn.Sequential(Linear(64, 96), torch.nn.SiLU(), Linear(96, 80))


def test_dynamic(tmp_path):
    model, rows = network(), torch.export.Dim("rows", min=1, max=64)
    args = [(torch.randn(n, 3, 64),) for n in (4, 1, 9)]
    program = exporting.export(model, args[0], dynamic=({0: rows},))
    harness.check(model, args[0], folder=tmp_path, modes=["interpret", "native"],
                  program=program, others=[(a, {}) for a in args[1:]])


def emulated(folder, target):
    if target == "rocm":
        return test_rocm.Model(folder / "m.pt2", folder / "made")
    return emulate.Model(folder / "m.pt2", folder / "made", target=target)


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a", "rocm"])
def test_gpu(target, tmp_path):
    model, args = network(), (torch.randn(2, 65, 64),)
    exporting.save(exporting.export(model, args), tmp_path / "m.pt2")
    want = exporting.eager(model, args, {})
    harness.compare(emulated(tmp_path, target).run(args, want), want)


@pytest.mark.parametrize("target", ["cuda:sm_80", "rocm"])
def test_gpu_conversions(target, tmp_path):
    kind = torch.float8_e5m2
    module, args = Function(lambda x, y: [x.to(kind), y.float()]), (between(kind), every(kind))
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    want = exporting.eager(module, args, {})
    for g, e in zip(emulated(tmp_path, target).run(args, want), want):
        same(g, e)
