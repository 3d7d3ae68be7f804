"""Kernels of GPUs that are limited by memory: runs of elements that a thread loads in vectors of 16
bytes, at sizes and addresses that have whole runs and at those that have none.

The emulator reports accesses that are not aligned and accesses behind the end of a buffer. It
aligns what it allocates to 16 bytes, and in a second run to 8 bytes, so that tensors of other sizes
are not aligned and the second versions of their kernels run.
"""

import json
import os
from unittest import mock

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from quantized import Grouped, Linear
from torch import nn
from torch.nn import functional as F

B16, F16, F64 = torch.bfloat16, torch.float16, torch.float64
COLUMNS = torch.export.Dim("columns", max=4096)
ROWS = torch.export.Dim("rows", max=4096)


def later(x, *shape):
    """Returns a view of `shape` that begins at the second element of `x`."""
    count = torch.Size(shape).numel()
    return (x * 2)[1 : count + 1].view(*shape)


def pointwise():
    x, y, z = randn(5, 24), randn(24), randn(9, 1003)
    return (lambda x, y, z, h, f, d, i, b: (
        x + y, x[:, :20] * 2, x[:, 1:] + 1, z.exp(), h * 2 + y.to(B16), f.float() + x, d - 1, i + i,
        (i > 3) & b, torch.where(b, x, y), h.float(), torch.cat([x, y.expand(5, 24), x[:, :8]], 1),
        F.pad(x, (3, 1)), x.flip(1), F.gelu(h))), (
        x, y, z, randn(5, 24).to(B16), randn(5, 24).to(F16), randn(5, 24).double(),
        torch.arange(120).reshape(5, 24), x > 0)


def large():
    """The runs of a thread are two, and the last block is not full."""
    return lambda x: torch.relu(x), ((randn(64, 128).repeat(131, 130)[:8450, :16640]).to(B16),)


def lookup():
    return lambda i, table, odd: (F.embedding(i, table), F.embedding(i, odd)), (
        torch.arange(18).reshape(3, 6) % 11, randn(11, 40).to(B16), randn(11, 9))


def rows():
    def call(a, b, c, d, e, h, f, i):
        return (torch.softmax(a, -1), torch.softmax(b, -1), torch.softmax(c, -1),
                F.layer_norm(d, (768,)), torch.softmax(h, -1), F.rms_norm(h, (1000,)),
                torch.log_softmax(f, -1), e.argmax(-1), (e > 2).any(-1), e.double().sum(-1),
                i.sum(-1), e.amax(-1) + 1, (e - e.mean(-1, True)) / e.std(-1, keepdim=True))

    return call, (randn(70, 24), randn(3, 1003), randn(2, 20004), randn(4, 768), randn(300, 16),
                  randn(5, 1000).to(B16), randn(65, 64).to(F16), torch.arange(96).reshape(12, 8))


def columns():
    def call(a, b, c, d, m):
        return (a.sum(0), b.sum(0), c.sum(0) * 2, d.amax(1), d.var(1), (c > 2.5).any(0),
                m.mean((0, 2)), b.float().sum(0).exp())

    return call, (randn(100, 40), randn(257, 64).to(B16), randn(1000, 3), randn(3, 90, 24),
                  randn(4, 6, 40))


def few_rows(m, dtype, k=136):
    """Matmuls of m rows by weights along K and along N; some sizes have no whole runs."""
    def call(x, w, v, odd, b):
        return (F.linear(x, w), F.gelu(F.linear(x, w, b)), x @ v, torch.relu(x @ v + b) * 2,
                F.linear(x, odd))

    tensors = [randn(m, k), randn(72, k) / 8, randn(k, 72) / 8, randn(5, k), randn(72)]
    return lambda: (call, tuple(t.to(dtype) for t in tensors))


def batched():
    return lambda q, k, v: (q @ k.mT, (q @ k.mT).exp() @ v), (
        randn(3, 1, 128) / 8, randn(3, 50, 128) / 8, randn(3, 50, 128) / 8)


def sizes():
    """Arrays that end with a part of a run, rows that are shorter than one, and tensors without
    elements or without terms of a sum."""
    flat = [randn(n) for n in (1, 2, 3, 7, 127, 1003, 4099)]
    wide = [randn(a, b).to(B16) for a, b in ((1, 1), (7, 1), (3, 13), (5, 40), (2, 514))]

    def call(flat, wide, empty, none, p, q):
        return ([x * 2 + 1 for x in flat], [torch.tanh(x) * x[:, :1] + x[0] for x in wide],
                empty + 1, none * 2, torch.softmax(empty, -1), none.sum(1), none.sum(0),
                empty.sum(0), torch.cat([empty, empty]), p @ q)

    return call, (flat, wide, randn(0, 8), randn(8, 0), randn(4, 0), randn(0, 16))


def layouts():
    """Slices, steps, broadcast and transposed operands, and results that are views."""
    def call(x, h, y, z, v):
        return (h[1:, 4:] * 2, h[:, 8:16] * 2, x[:, :18] + 1, x[:, ::2] + x[:, 1::2],
                x[:, 8:] + x[:, :16], x.roll(8, 1) + 1, x.unfold(1, 8, 4) * 2, x + z, x * z[:, :1],
                y.T + h.float(), y.T.to(B16) + h, (y.T * 2).T, y.T.softmax(-1), y.T.sum(0),
                y.reshape(8, 3, 9).permute(1, 2, 0) + 1, y.expand(3, 24, 9) * 2,
                v[3:19] + v[4:20], F.pad(v, (4, 2)), F.pad(v[None], (4, 4), mode="reflect"),
                torch.cat([v[:7], v[8:]]) * 2, torch.stack([v, v], 1))

    return call, (randn(9, 24), randn(9, 24).to(B16), randn(24, 9), randn(9, 1), randn(22))


def copies():
    """Concatenations at offsets that have whole runs, and at others."""
    def call(a, b, h, c):
        return (torch.cat([b, a, b], 1), torch.cat([a, b[:, :3]], 1), torch.cat([h[:, :8], h], 1),
                torch.cat([h, h], 0), torch.cat([c > 0, c < 3], 1), torch.cat([c, c], 1),
                torch.cat([c.to(torch.int8), c.to(torch.int8)], 1))

    return call, (randn(5, 24), randn(5, 20), randn(5, 40).to(B16), integers(5, 16))


def integers(*shape):
    return (torch.arange(torch.Size(shape).numel()) * 37 % 100 - 50).reshape(shape)


def dtypes():
    def call(i, j, k, u, b, c):
        return (i + 1, j * 2, k + k, k.float() + 1, (j > 0) & b, ~b, b & c, u * 2, u.float() / 255,
                u.to(torch.int16) - k, i.sum(0), k.sum(0), k.amax(1), u.amax(0), j.sum(1), b.sum(0),
                b.sum(1), b.all(0), b.any(1), i.argmax(0), i.argmin(1), j.amin(0), i // 3, j % 7)

    i = integers(40, 48)
    return call, (i, i.to(torch.int32), i.to(torch.int8), (i + 50).to(torch.uint8), i > 0,
                  i % 3 == 0)


def special():
    """Infinities, NaN and negative zeros, also in rows and columns of their own."""
    x = randn(40, 96)
    x.view(-1)[3::317] = float("nan")
    x.view(-1)[5::191] = float("inf")
    x.view(-1)[7::157] = -float("inf")
    x.view(-1)[8::29] = -0.0
    low = torch.full((3, 64), -float("inf"))

    def call(x, h, low, w):
        return (x.sum(1), x.sum(0), x.amax(1), x.amax(0), h.amin(0), h.sum(0), x.prod(1),
                x.argmax(1), x.argmax(0), x.max(0)[1], torch.softmax(x, 1), torch.softmax(x, 0),
                torch.logsumexp(low, 1), torch.softmax(low, 1), F.layer_norm(x, (96,)),
                x.isnan().any(0), x.isnan().all(1), torch.maximum(x, h.float()),
                torch.clamp(x, -1, 1), F.linear(x[:5], w), F.linear(h[:3], w.to(B16)),
                x[:2] @ w.mT.contiguous())

    return call, (x, x.flip(0).to(B16), low, randn(6, 96))


def row_sizes():
    """Rows of one element, of a part of a run, at the limits of what threads keep in registers."""
    rows = [randn(5, n) for n in (1, 3, 4, 9, 32, 65, 513, 1028)]
    halves = [randn(2, n).to(B16) for n in (1, 12, 129, 8200, 16384, 16392)]
    return lambda rows, halves, many, most: (
        [torch.softmax(x, -1) for x in rows], [F.rms_norm(x, x.shape[-1:]) for x in halves],
        torch.softmax(many, -1), most.sum(-1), most.amax(-1)), (
        rows, halves, randn(1001, 8), randn(13, 7, 12))


def split_columns():
    """Columns whose rows are shared by blocks."""
    x = torch.arange(6000 * 16).reshape(6000, 16) * 37 % 97 / 64
    return lambda x, h, m: (x.sum(0), x.amax(0), h.sum(0) + 1, m.sum((0, 2)), (x > 1.4).any(0),
                            (x < 1.5).sum(0), x.double().sum(0), x.argmax(0)), (
        x, x[:, :12].reshape(3000, 24).to(B16), x.reshape(300, 8, 40))


def gemv_rows():
    return lambda x, w, h: ([F.linear(x[:m], w) for m in (1, 2, 3, 4, 5, 8, 11, 16, 17)],
                            [F.linear(h[:m], w.to(B16)) for m in (1, 2, 5, 8, 9)]), (
        randn(17, 136), randn(23, 136) / 8, randn(9, 136).to(B16))


def gemv_sizes():
    """Sums of 64 terms and more, which have a part of a vector, a warp or an iteration, of columns
    that do not fill a thread, a warp or a block."""
    deep = [(randn(2, k), randn(9, k) / 8) for k in (64, 65, 66, 255, 1032, 2052)]
    halves = [(a.to(B16), b.to(B16)) for a, b in deep[::2]]
    flat = [(randn(2, 100), randn(100, n) / 8) for n in (1, 3, 36, 130)]
    return lambda deep, halves, flat: (
        [F.linear(a, b) for a, b in deep + halves], [a @ b for a, b in flat],
        [a.to(F16) @ b.to(F16) for a, b in flat[2:]]), (deep, halves, flat)


def gemv_views():
    def call(x, w, g):
        return (F.linear(x[:, 1:], w[:, 1:]), F.linear(x[:, :128], w[:, :128]), w @ x[0],
                F.linear(x[1:2], w[3:]), F.linear(x.flip(1), w), F.linear(x[:2], w[::2]), w @ x.mT,
                F.linear(x.mT.contiguous().mT[:2], w), x[0] @ x[1], F.linear(x[:2], w).mT,
                g @ g[:, :, :1], torch.einsum("bij,bj->bi", g, g[:, 0]), g.mT @ g[:, :, :2])

    return call, (randn(6, 160), randn(20, 160) / 8, randn(5, 72, 72) / 8)


def views():
    def call(x, w):
        a, b = later(x, 8, 128), later(w, 72, 128)
        return (a * 3 + 1, torch.softmax(a, -1), a.sum(0), a[:1] @ b.T, a[:2] @ later(w, 128, 64))

    return call, (randn(2000), randn(72 * 128 + 8) / 8)


CASES = {"pointwise": pointwise, "lookup": lookup, "rows": rows, "columns": columns,
         "batched": batched, "views": views,
         "few-1": few_rows(1, torch.float32), "few-3-bf16": few_rows(3, B16),
         "few-8-f16": few_rows(8, F16),
         "few-16": pytest.param(few_rows(16, torch.float32), marks=pytest.mark.long),
         "few-1-odd": few_rows(1, torch.float32, k=131), "few-2-odd-bf16": few_rows(2, B16, k=131),
         "sizes": sizes, "layouts": layouts, "copies": copies, "dtypes": dtypes, "special": special,
         "row-sizes": row_sizes, "split-columns": split_columns, "gemv-rows": gemv_rows,
         "gemv-sizes": gemv_sizes, "gemv-views": gemv_views,
         "large": pytest.param(large, marks=pytest.mark.long)}


def check(call, args, folder, dynamic=None, others=(), **variables):
    module = call if isinstance(call, nn.Module) else Function(call)
    exporting.save(exporting.export(module, args, dynamic=dynamic), folder / "m.pt2")
    model = emulate.Model(folder / "m.pt2", folder / "made",
                          flags=["--no-fallback", f"--report={folder / 'report.json'}"])
    for kernel in json.loads((folder / "report.json").read_text())["device_kernels"]:
        # ptxas stores up to two registers of small kernels, so that more blocks are resident.
        assert all(code["spill_store_bytes"] <= 8 for code in kernel["code"]), kernel
    for inputs in (args, *others):
        want = exporting.eager(module, inputs)
        for alignment in (16, 8):
            got = model.run(inputs, want, seed=alignment % 16, alignment=alignment, **variables)
            harness.compare(got, want)


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_kernels(make, tmp_path):
    check(*make(), tmp_path)


def test_dynamic_sizes(tmp_path):
    """The host chooses the version of a kernel by the sizes of the call."""
    def call(x, w):
        return (x * 2 + 1, torch.softmax(x, -1), x.sum(0), x + x.sum(0), x.amax(-1),
                torch.cat([x, x], 1), x.mT.contiguous(), w @ w[0], w[:3] @ w.mT)

    sizes = torch.export.Dim("n", min=3, max=999), torch.export.Dim("k", min=64, max=999)
    check(call, (randn(5, 128), randn(24, 72)), tmp_path,
          ({0: ROWS, 1: COLUMNS}, dict(enumerate(sizes))),
          [(randn(70, 131), randn(7, 65)), (randn(33, 8), randn(33, 264)),
           (randn(2, 3000), randn(600, 72)), (randn(0, 16), randn(3, 64))])


def test_narrow_weights(tmp_path):
    """Weights of narrower elements are expanded in registers, also with a scale for each group."""
    torch.manual_seed(5)
    layers = [Linear(nn.Linear(160, 70), nn.Identity()),
              Grouped(160, 72, 32, nn.Identity()), Grouped(256, 40, 128, nn.Identity())]
    byte, half = integers(23, 104).to(torch.int8), randn(20, 104).to(B16)
    cases = [(layer.eval(), (randn(rows, layer.weight.q.shape[1]),))
             for layer, rows in zip(layers, (1, 5, 1))] + [
        (Function(lambda x, w: F.linear(x, w.float())), (randn(5, 104), byte)),
        (Function(lambda x, w: x @ w.float()), (randn(1, 104), half.mT.contiguous())),
        (Function(lambda x, w: F.linear(x, w.to(B16))), (randn(5, 104).to(B16), byte))]
    for i, (module, args) in enumerate(cases):
        check(module, args, tmp_path / str(i))
        report = json.loads((tmp_path / str(i) / "report.json").read_text())
        kinds = [k["schedule"]["kind"] for k in report["kernels"] if k["when"] == "run"]
        assert kinds == ["gemv"], report["kernels"]


def stats(call, args, folder):
    path = folder / "stats"
    with mock.patch.dict(os.environ, {"FX_EMULATOR_STATS": str(path)}):
        check(call, args, folder)
    return emulate.read_log(path)


WIDE = {
    "bf16": (lambda x, y: x + y, (randn(64, 256).to(B16), randn(64, 256).to(B16))),
    "f32": (lambda x: x * 2 + 1, (randn(64, 256),)),
    "softmax": (lambda x: torch.softmax(x, -1), (randn(8, 1024).to(B16),)),
    "layer_norm": (lambda x: F.layer_norm(x, (1024,)), (randn(8, 1024),)),
    "embedding": (F.embedding, (torch.arange(16), randn(20, 256).to(B16))),
}


@pytest.mark.parametrize("name", WIDE)
def test_vectors(name, tmp_path):
    """A warp moves 16 sectors, 512 bytes, in each request. An index is one sector for two runs."""
    row = stats(*WIDE[name], tmp_path)[-1]
    least = 11 if name == "embedding" else 14
    assert row["global_sectors"] >= least * row["global_requests"], row


def test_weights_are_read_once(tmp_path):
    """Four rows multiply a weight that is read once, in requests of 16 sectors."""
    x, w = randn(4, 512).to(B16), (randn(64, 512) / 16).to(B16)
    (row,) = stats(lambda x, w: F.linear(x, w), (x, w), tmp_path)
    weight = 64 * 512 * 2 // 32
    # The rows are read again for each group of columns.
    assert row["global_sectors"] < weight * 12, row
    assert row["extra_wavefronts"] == 0, row


def test_expected_times(tmp_path):
    """The report has the bytes of a kernel, and a time that follows from them if they are many."""
    x, y = torch.empty(8192, 8192, dtype=B16), torch.empty(8192, 8192, dtype=B16)
    module = Function(lambda x, y: (x + y, x[:8].sum(-1), x @ y))
    exporting.save(exporting.export(module, (x, y)), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", "--target=cuda", tmp_path / "m.pt2", "-o",
                          tmp_path / "m.so", f"--report={tmp_path / 'report.json'}")
    assert result.returncode == 0, result.stderr
    kernels = json.loads((tmp_path / "report.json").read_text())["device_kernels"]
    kernels.sort(key=lambda k: (k["work"]["unit"] == "tensor", -k["work"]["bytes"]))
    large, small = kernels[0], [k for k in kernels if k["work"]["unit"] == "f32"][-1]
    (product,) = [k for k in kernels if k["name"].endswith("sm_90a")]
    size = 8192 * 8192
    # An addition and three conversions from and to bf16.
    assert large["work"] == {"bytes": 3 * 2 * size, "operations": 4 * size, "unit": "f32",
                             "blocks": size // 8 // 256, "threads": 256}
    for device, bandwidth in (("H100", 3.35e12), ("H200", 4.27e12)):
        expected = large["expected"][device]
        assert expected["bound"] == "memory" and expected["waves"] > 10
        assert expected["microseconds"] == pytest.approx(6 * size / bandwidth * 1e6, rel=0.05)
        assert small["expected"][device]["bound"] == "launch"
        # The blocks of this kernel compute one tile after the other.
        assert product["work"]["blocks"] is None
        expected = product["expected"][device]
        assert expected["bound"] == "compute" and expected["waves"] == 1
        assert expected["microseconds"] == pytest.approx(2 * 8192**3 / 786e12 * 1e6, rel=0.01)


def test_causal_operations(tmp_path):
    """Pairs of queries and keys that a causal mask excludes are no work."""
    xs = tuple(randn(1, 2, 256, 64).to(B16) for _ in range(3))
    counts = []
    for causal in (False, True):
        module = Function(lambda *xs: F.scaled_dot_product_attention(*xs, is_causal=causal))
        exporting.save(exporting.export(module, xs), tmp_path / "m.pt2")
        result = harness.tool("fx-compile", "--target=cuda", tmp_path / "m.pt2", "-o",
                              tmp_path / "m.so", f"--report={tmp_path / 'report.json'}")
        assert result.returncode == 0, result.stderr
        kernels = json.loads((tmp_path / "report.json").read_text())["device_kernels"]
        counts.append({k["name"].endswith("sm_90a"): k["work"]["operations"] for k in kernels})
    for chip, count in counts[0].items():
        assert counts[1][chip] == pytest.approx(count * 257 / 512, rel=0.05)
