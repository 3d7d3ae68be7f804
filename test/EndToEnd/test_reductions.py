"""Reductions over several dimensions, which kernels treat as rows, columns or steps."""

import json

import exporting
import harness
import pytest
import torch
import torch.nn.functional as F
from gpu_cases import Function, randn

DIMS = [(0, 1), (1, 2), (0, 2), (2, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2), (0, 1, 2, 3)]
ONE = {
    "sum": torch.sum,
    "mean": torch.mean,
    "amax": torch.amax,
    "amin": lambda x, d: x.amin(d, keepdim=True),
    "norm": lambda x, d: torch.linalg.vector_norm(x, dim=d),
    "var": lambda x, d: x.var(d, keepdim=True),
    "logsumexp": torch.logsumexp,
    "centred": lambda x, d: ((x - x.mean(d, True)) ** 2).sum(d),
    "softmax": lambda x, d: (x - x.logsumexp(d, True)).exp(),
    "two": lambda x, d: x.amax(d, True) + x.sum((1, 3), True),
    "count": lambda x, d: (x > 0).sum(d),
    "turned": lambda x, d: x.transpose(0, 3).sum(d),
    "sliced": lambda x, d: x[:, 1:, :, 2:].sum(d),
    "relu": lambda x, d: x.relu().mean(d) + x.relu().amax(d),
}
WHOLE = {
    "layer_norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "group_norm": lambda x: F.group_norm(x, 2),
    "instance_norm": lambda x: F.instance_norm(x),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "argmax": lambda x: (x.argmax(), x.argmin(1), x.argmax(3, keepdim=True)),
    "max": lambda x: (x.max(), *x.max(2), *x.min(3)),
    "any": lambda x: ((x > 2).any(), (x < 3).all((1, 3))),
    "pool": lambda x: F.adaptive_max_pool2d(x, 1, return_indices=True),
    "pool_row": lambda x: F.adaptive_max_pool2d(x, (None, 1), return_indices=True),
    "mse": lambda x: F.mse_loss(x, x * 0.5),
    "product": lambda x: F.conv2d(x, x[:2, :, :3, :3]).relu().mean((2, 3)),
    "cat": lambda x: torch.cat([x.relu(), x - x.mean((2, 3), True)], 1).amax((1, 2)),
}


class Reductions(torch.nn.Module):
    def forward(self, x):
        one = {f"{name} {d}": f(x, d) for name, f in ONE.items() for d in DIMS}
        return one | {name: f(x) for name, f in WHOLE.items()}


def drawn(*shape) -> tuple:
    generator = torch.Generator().manual_seed(7)
    return ((torch.randn(*shape, generator=generator),), {})


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_dims(dynamic, tmp_path):
    dims = ({0: torch.export.Dim("n", min=2), 3: torch.export.Dim("w", min=4)},) if dynamic else None
    harness.check(
        Reductions(),
        *drawn(3, 4, 6, 19),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=dims,
        others=[drawn(5, 4, 6, 64), drawn(2, 4, 6, 5)] if dynamic else [],
    )


class Sums(torch.nn.Module):
    def forward(self, x):
        return x.sum(), (x * x).sum((1, 2)), x.mean((0, 1)), torch.linalg.vector_norm(x)


def test_long_sums(tmp_path):
    """Added one after the other, a million squares of float32 would lose three digits."""
    ((x,), _) = drawn(16, 256, 256)
    x += 1
    exporting.save(exporting.export(Sums(), (x,), {}), tmp_path / "m.pt2")
    want = exporting.eager(Sums(), (x.double(),))
    got = harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, want)
    for g, w in zip(got, want):
        torch.testing.assert_close(g.double(), w, rtol=3e-6, atol=0)


class Extremes(torch.nn.Module):
    def forward(self, x, n):
        return x.argmax(1), x.argmin(0), *x.max(1), *n.min(1), n.argmax()


def test_extremes(tmp_path):
    """The first of equal elements, the first NaN, and numbers at the ends of their range."""
    nan, inf = float("nan"), float("inf")
    x = torch.zeros(6, 40)
    x[0, 7] = x[0, 20] = nan
    x[1, 3] = x[1, 39] = 5
    x[2] = -inf
    x[3, 33] = inf
    x[4, 5], x[4, 1] = nan, inf
    n = torch.full((3, 70), -(2**31), dtype=torch.int32)
    n[1] = 2**31 - 1
    harness.check(Extremes(), (x, n), {}, folder=tmp_path, modes=["compiled"])


class ShortRows(torch.nn.Module):
    """Rows of few elements, of which each lane reduces one."""

    def forward(self, x, whole):
        rows = [x[..., :n].contiguous() for n in range(1, 6)]
        results = [f(r) for r in rows for f in (
            lambda r: r.sum(-1), lambda r: r.amax(-1) * 2, lambda r: (r * r + 1).mean(-1).sqrt(),
            lambda r: r.argmax(-1), lambda r: (r > 0).any(-1), lambda r: r.prod(-1, True),
            lambda r: r - r.mean(-1, True), lambda r: r.transpose(0, 1).relu().sum(-1),
            lambda r: r[1].sum(-1), lambda r: r.logsumexp(-1))]
        return results + [w.sum(-1) for n in range(1, 6) for w in (whole[..., :n], whole[1, ::2, ::n])]


class Windows(torch.nn.Module):
    """Windows of few elements with a stride."""

    def forward(self, x, whole):
        results = [F.max_pool1d(x.mT, 3, 2, 1, dilation=2, return_indices=True)]
        for size in range(1, 5):
            results += [F.max_pool1d(x.mT, size, stride) for stride in range(1, 4)]
            results += [F.max_pool1d(x.mT.exp(), size, 2, size // 2), F.avg_pool1d(x.mT, size, 3)]
        return results


@pytest.mark.parametrize(
    "form, dtype",
    [("rows", torch.float32), ("rows", torch.bfloat16), ("dynamic", torch.float64),
     ("windows", torch.float32), ("windows", torch.bfloat16)],
    ids=str,
)
def test_short_rows(form, dtype, tmp_path):
    def draw(rows):
        generator = torch.Generator().manual_seed(rows)
        x = torch.randn(3, rows, 6, generator=generator)
        x[0, 1, 2], x[1, 2, 0], x[2, 3, 1] = torch.nan, torch.inf, -torch.inf
        return (x.to(dtype), torch.randint(-99, 99, (2, rows, 6), generator=generator)), {}

    dynamic = form == "dynamic"
    harness.check(
        Windows() if form == "windows" else ShortRows(),
        *draw(37),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({1: torch.export.Dim("n", min=12)},) * 2 if dynamic else None,
        others=[draw(64), draw(13)] if dynamic else [],
    )


def alternate(x, *normalize):
    for f in normalize:
        x = f(x)
    return x


def by_sum(dim):
    return lambda x: x - x.logsumexp(dim, keepdim=True)


def by_norm(dim):
    return lambda x: x / x.norm(dim=dim, keepdim=True)


@pytest.mark.parametrize("columns", [4, 8, 16, 32, 40])
@pytest.mark.parametrize("kind", [by_sum, by_norm])
def test_rows_and_columns(kind, columns, tmp_path):
    """Columns, rows and columns are normalized by turns (Sinkhorn): a kernel of rows keeps what it
    computes for the columns, also if a row is one vector."""
    functions = kind(0), kind(1), kind(0)
    harness.check(Function(lambda x: alternate(x, *functions)), (randn(6, columns).abs() + 0.1,),
                  folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("columns", [2, 17])
def test_long_columns(columns, tmp_path):
    """Sums of many rows are as exact as PyTorch's sums, nearly: they are sums of blocks."""
    module = Function(lambda x: (x.sum(0), x.mean(0), x.var(0), torch.ones_like(x).sum(0)))
    x = torch.rand(1 << 20, columns)
    exporting.save(exporting.export(module, (x,)), tmp_path / "m.pt2")
    got = harness.run(harness.compiled(tmp_path / "m.pt2", "compiled", 1), ((x,), {}), tmp_path,
                      module(x))
    for a, b in zip(got, module(x.double())):
        assert ((a - b).abs() / b).max() < 5e-6


@pytest.mark.parametrize("columns", [3, 5, 8, 11])
def test_few_columns(columns, tmp_path):
    """Pointwise ops on narrow tensors: vectors along rows or along columns."""
    def compute(x, row, column, other):
        return ((x - row) * column, other.T - row, torch.where(x > row, column, 0.0),
                x[:, 1:] - row[1:], x.flip(1) - row, torch.exp(other.T * column) + x)

    args = randn(45, columns), randn(columns), randn(45, 1), randn(columns, 45)
    harness.check(Function(compute), args, folder=tmp_path, modes=["compiled"])


def weighted(x, w):
    return (x * w[:, :, None]).sum(1)


#: Columns of computed values: which are a part of the kernel, as the number of kernels tells.
COLUMNS = {
    "squares": (lambda x: (x * x).sum(0), [randn(70, 40)]),
    "errors": (lambda x, y: (x - y).pow(2).mean(0), [randn(70, 40), randn(70, 40)]),
    "exponentials": (lambda x: x.exp().sum(0) + 1, [randn(33, 19)]),
    "distances": (lambda x, w: (x[:, :, None] - w[None]).abs().sum(1), [randn(9, 40), randn(40, 33)]),
    "tropical": (lambda x, w: (x[:, :, None] + w[None]).amax(1), [randn(9, 40), randn(40, 33)]),
    "weighted": (weighted, [randn(5, 40, 50), randn(5, 40)]),
    "half": (lambda x, w: weighted(x, w).float(), [randn(5, 40, 50).bfloat16(), randn(5, 40).bfloat16()]),
    "row": (lambda x, y: x @ y, [randn(300), randn(300, 90)]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name, tmp_path):
    function, args = COLUMNS[name]
    exporting.save(exporting.export(Function(function), tuple(args)), tmp_path / "m.pt2")
    flags = [tmp_path / "m.pt2", "--emit=so", "--no-fallback", "-o"]
    assert harness.tool("fx-compile", *flags, tmp_path / "m.so", "--report", tmp_path / "r.json").returncode == 0
    kernels = json.loads((tmp_path / "r.json").read_text())["kernels"]
    assert [k["schedule"]["kind"] for k in kernels if k["when"] == "run"] == ["window"]
    harness.check(Function(function), tuple(args), {}, folder=tmp_path, modes=["compiled"])


def bytes_between(draw, *shape):
    return torch.randint(-128, 128, shape, dtype=torch.int8, generator=draw)


class Integers(torch.nn.Module):
    """Matmuls of integers, whose sums wrap around, in all orders of the right operand."""

    def forward(self, bytes_, others):
        x, y = bytes_
        wide = [torch._int_mm(x, y), torch._int_mm(x, y.t().contiguous().t()), torch._int_mm(x[:20], y[:, :24])]
        wide += [torch.bmm(x.view(4, 10, 64).int(), y.view(4, 64, 8)[:, :, :6].int())]
        return wide + [a @ b for a, b in others] + [a @ b.mT.contiguous().mT for a, b in others]


def test_integer_matmuls(tmp_path):
    draw = torch.Generator().manual_seed(3)
    others = []
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        info = torch.iinfo(dtype)
        low, high = info.min // 2, info.max // 2
        others.append(tuple(torch.randint(low, high, s, dtype=dtype, generator=draw) for s in ((7, 33), (33, 21))))
    args = ((bytes_between(draw, 40, 64), bytes_between(draw, 64, 32)), others)
    harness.check(Integers(), args, {}, folder=tmp_path, modes=["compiled"])


def test_bytes_are_multiplied_as_bytes(tmp_path):
    """aten._int_mm of two inputs, not of an input by a weight."""
    draw = torch.Generator().manual_seed(5)
    for order in (lambda y: y, lambda y: y.t().contiguous().t()):
        args = (bytes_between(draw, 40, 64), order(bytes_between(draw, 64, 32)))
        exporting.save(exporting.export(Function(lambda x, y: torch._int_mm(x, y)), args), tmp_path / "m.pt2")
        result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--report", tmp_path / "r.json")
        assert result.returncode == 0, result.stderr
        kinds = {k["schedule"]["kind"] for k in json.loads((tmp_path / "r.json").read_text())["kernels"]}
        assert "contraction" in kinds, kinds
