"""CompiledModel.run_into, and the memory of outputs that instances keep."""

import collections
import gc
import threading

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import fx_mlir

ALIGNMENT = 64


class Net(nn.Module):
    """Outputs of several kinds: computed, an input, a state, a constant, twice the same, None,
    a number."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(5))

    def forward(self, x, y):
        self.total.add_(x.sum(0))
        y.mul_(2)
        z = (x * 2).softmax(-1)
        return {"z": z, "same": (z, x), "total": self.total, "y": y + 1}, None, x.shape[0], z.T


def program():
    rows = torch.export.Dim("rows", min=2)
    args = torch.randn(4, 5), torch.randn(3)
    return torch.export.export(Net(), args, dynamic_shapes=({0: rows}, None))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.so"
    fx_mlir.compile(program(), no_fallback=True).save(path)
    return path


def aligned(like):
    flat = torch.full((like.numel() + ALIGNMENT,), 7, dtype=like.dtype)
    skip = -flat.data_ptr() % ALIGNMENT // like.itemsize
    return flat[skip : skip + like.numel()].view(like.shape)


def unaligned(like):
    flat = torch.full((like.numel() + ALIGNMENT,), 7, dtype=like.dtype)
    skip = -flat.data_ptr() % ALIGNMENT // like.itemsize + 1
    return flat[skip : skip + like.numel()].view(like.shape)


def strided(like):
    if not like.dim():
        return unaligned(like)
    big = torch.full([2 * n + 1 for n in like.shape], 7, dtype=like.dtype)
    return big[tuple(slice(1, 2 * n, 2) for n in like.shape)]


def transposed(like):
    if like.dim() < 2:
        return strided(like)
    return torch.full(like.shape[::-1], 7, dtype=like.dtype).permute(*range(like.dim())[::-1])


@pytest.mark.parametrize("memory", [aligned, unaligned, strided, transposed])
def test_memory(memory):
    module = Net()
    model = fx_mlir.compile(program(), no_fallback=True)
    for rows in (2, 9, 700):
        x, y = torch.randn(rows, 5), torch.randn(3)
        want = module(x, y.clone())
        z, total = want[0]["z"], want[0]["total"].clone()
        out = (
            {"z": memory(z), "same": (memory(z), memory(x)), "total": memory(total), "y": memory(y)},
            None,
            memory(torch.tensor(0)),
            memory(z.T),
        )
        assert model.run_into(out, x, y) is out
        for got, expected in (
            (out[0]["z"], z),
            (out[0]["same"][0], z),
            (out[0]["same"][1], x),
            (out[0]["total"], total),
            (out[0]["y"], want[0]["y"]),
            (out[2], torch.tensor(rows)),
            (out[3], z.T),
        ):
            torch.testing.assert_close(got, expected)


def test_dropped_outputs(path):
    model = fx_mlir.load(path)
    x, y = torch.randn(4, 5), torch.randn(3)
    z = torch.empty(5, 4)
    model.run_into((None, None, None, z), x, y.clone())
    torch.testing.assert_close(z, (x * 2).softmax(-1).T)


def test_outputs_over_inputs():
    """An output may replace an input that the model still reads."""

    class Shifted(nn.Module):
        def forward(self, x, y):
            return x.flip(0) + y.sum(0), y @ x

    x, y = torch.randn(64, 64), torch.randn(64, 64)
    model = fx_mlir.compile(Shifted(), (x, y), no_fallback=True)
    for targets in ((0, 1), (1, 0)):
        a, b = aligned(x).copy_(x), aligned(y).copy_(y)
        want = Shifted()(x, y)
        model.run_into(tuple((a, b)[t] for t in targets), a, b)
        for t, expected in zip(targets, want):
            torch.testing.assert_close((a, b)[t], expected, rtol=1e-5, atol=1e-5)
    # Only a part of the output is memory of an input.
    memory = torch.randn(96, 64)
    inside, behind = memory[:64], memory[32:]
    want = Shifted()(inside.clone(), y)
    model.run_into((behind, None), inside, y)
    torch.testing.assert_close(behind, want[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda o: o[:2], "expected 3 outputs, got 2"),
        (lambda o: (o[0], o[1].double(), o[2]), "expected dtype float32, got float64"),
        (lambda o: (o[0][0], o[1], o[2]), "expected rank 2, got 1"),
        (lambda o: (o[0], o[1][:, :3], o[2]), "dimension 1: expected 5, got 3"),
        (lambda o: (o[0], o[1][:3], o[2]), "dimension 0: expected 4, got 3"),
        (lambda o: (o[0], o[0], o[2]), "expected different memory, got memory that overlaps"),
        (lambda o: (o[0][:1].expand(4, 5), o[1], o[2]), "dimension 0: .* got stride 0"),
        (lambda o: (o[0], o[1], 3), "output 2: expected a tensor, got int"),
    ],
)
def test_errors(change, message):
    class Two(nn.Module):
        def forward(self, x):
            return x + 1, x * 2, x.shape[0]

    x = torch.randn(4, 5)
    shapes = ({0: torch.export.Dim("n")},)
    model = fx_mlir.compile(torch.export.export(Two(), (x,), dynamic_shapes=shapes))
    out = change((torch.zeros(4, 5), torch.zeros(4, 5), torch.tensor(0)))
    # A file does not have the structure, so that the number of outputs is checked instead.
    model._out_spec = None
    with pytest.raises(fx_mlir.Error, match=message):
        model.run_into(out, x)


def test_another_structure():
    x = torch.randn(4)
    model = fx_mlir.compile(Net(), (torch.randn(4, 5), torch.randn(3)))
    with pytest.raises(fx_mlir.Error, match="out: expected the structure .* got Tensor"):
        model.run_into(x, x, x)


Pair = collections.namedtuple("Pair", "sum product")


def test_structures():
    """Named tuples and dicts, whose keys may be in another order."""

    class Named(nn.Module):
        def forward(self, x):
            return {"pair": Pair(x + 1, x * 2), "list": [x - 1]}

    x = torch.randn(4)
    pytree._register_namedtuple(Pair, serialized_type_name="test_run_into.Pair")
    model = fx_mlir.compile(Named(), (x,), no_fallback=True)
    pair, last = Pair(torch.zeros(4), torch.zeros(4)), torch.zeros(4)
    model.run_into({"list": [last], "pair": pair}, x)
    for got, want in ((pair.sum, x + 1), (pair.product, x * 2), (last, x - 1)):
        torch.testing.assert_close(got, want)
    model.run_into({"list": None, "pair": Pair(None, pair.product)}, x + 1)
    torch.testing.assert_close(pair.product, (x + 1) * 2)
    for wrong in (x, {"pair": pair}, {"list": [last], "pair": (pair.sum, pair.product, x)}):
        with pytest.raises(fx_mlir.Error, match="out: expected the structure"):
            model.run_into(wrong, x)


def test_kept_outputs():
    """Memory that is reused belongs to no living output, on several threads and after the
    model is gone."""

    class Large(nn.Module):
        def forward(self, x, n):
            return x * n, torch.cat((x, x)) + n, x - n

    rows = torch.export.Dim("rows", min=8, max=10000)
    args = torch.randn(1000, 512), torch.tensor(1.0)
    model = fx_mlir.compile(
        torch.export.export(Large(), args, dynamic_shapes=({0: rows}, None)), no_fallback=True
    )
    failures = []

    def work(seed):
        generator = torch.Generator().manual_seed(seed)
        alive = []
        for k in range(40):
            size = int(torch.randint(8, 3000, (), generator=generator))
            x, n = torch.rand(size, 512, generator=generator), torch.tensor(float(seed * 100 + k))
            alive.append((model(x, n), x, n))
            if torch.rand((), generator=generator) < 0.6:
                got, x, n = alive.pop(int(torch.randint(len(alive), (), generator=generator)))
                if not all(torch.equal(g, w) for g, w in zip(got, Large()(x, n))):
                    failures.append((seed, k))
        return alive

    results = {}
    threads = [
        threading.Thread(target=lambda s=s: results.setdefault(s, work(s))) for s in range(3)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures and len(results) == 3
    del model
    gc.collect()
    for alive in results.values():
        for got, x, n in alive:
            assert all(torch.equal(g, w) for g, w in zip(got, Large()(x, n)))


def test_freed_outputs_are_kept():
    x = torch.randn(1 << 20)

    class Twice(nn.Module):
        def forward(self, x):
            return x * 2

    model = fx_mlir.compile(Twice(), (x,), no_fallback=True)
    first = model(x).data_ptr()  # freed at once
    second = model(x)
    third = model(x)
    assert second.data_ptr() == first
    assert third.data_ptr() != first and torch.equal(third, second)
