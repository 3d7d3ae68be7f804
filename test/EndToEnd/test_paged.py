"""Attention whose kernel reads keys and values through a table of pages, and attention whose mask
bounds the keys, on the CPU and on the emulator of a GPU, compared with eager PyTorch."""

import json
import random

import exporting
import harness
import paged
import pytest
import torch
from test_attention_cpu import check_rounded
from test_tensorcore import build
from torch.nn.functional import scaled_dot_product_attention as sdpa

NAMES = list(paged.cases(torch.float32))
BATCH, PAGES = (torch.export.Dim(name, min=1, max=64) for name in ("batch", "pages"))
TOTAL = torch.export.Dim("total", min=1, max=4096)
DYNAMIC = ({0: BATCH}, {0: TOTAL}, {0: TOTAL}, {0: BATCH, 1: PAGES}, {0: BATCH})
NAN = float("nan")


@pytest.mark.parametrize("name", NAMES)
def test_cpu(name, tmp_path):
    harness.check(*paged.several(paged.cases(torch.float32)[name]), folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("dtype", [None, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", NAMES)
def test_rounded(name, dtype, tmp_path):
    check_rounded(*paged.several(paged.cases(torch.float32)[name]), tmp_path, dtype=dtype)


@pytest.mark.parametrize("name", NAMES)
def test_gpu(name, tmp_path):
    module, args = paged.several(paged.cases(torch.bfloat16)[name])
    module, args, model = build(lambda: (module, args, None), tmp_path)
    want = exporting.eager(module, args)
    first = model.run(args, want)
    harness.compare(first, want)
    for a, b in zip(first, model.run(args, want, seed=1)):
        assert torch.equal(a, b)


@pytest.mark.parametrize("name", NAMES)
def test_one_kernel(name, tmp_path):
    """No other kernel reads or writes keys and values."""
    module, args = paged.several(paged.cases(torch.float32)[name])
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    harness.tool("fx-compile", tmp_path / "m.pt2", f"--report={tmp_path / 'r'}", "-o", tmp_path / "m.so")
    kernels = json.loads((tmp_path / "r").read_text())["kernels"]
    kinds = [k["schedule"]["kind"] for k in kernels if any("attention" in n for n in k["nodes"])]
    assert kinds == ["attention"] * len(module.functions)


def test_dynamic_sizes(tmp_path):
    """One artefact runs batches and tables of any size."""
    sizes = [(6, None), (1, [3]), (9, [100, 1, 16, 17]), (2, [32, 32, 5])]
    sets = [paged.tensors(pages=p, lengths=n, dtype=torch.float32) for p, n in sizes]
    harness.check(
        paged.Paged(), sets[0], folder=tmp_path, modes=["compiled"], dynamic=DYNAMIC,
        others=[(x, {}) for x in sets[1:]],
    )


def test_dynamic_sizes_gpu(tmp_path):
    sizes = [(6, None), (1, [3]), (9, [100, 1, 16, 17])]
    sets = [paged.tensors(pages=p, lengths=n) for p, n in sizes]
    module, _, model = build(lambda: (paged.Paged(), sets[0], DYNAMIC), tmp_path)
    for args in sets:
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want), want)


def written(dtype):
    module = paged.Written((15, 16, 2, 64), dtype)
    q, _, _, table, lengths = paged.tensors(dtype=dtype)
    k, v = (torch.roll(q, n, 0)[:, :2, 0] for n in (1, 2))
    return module, (q, k, v, table % 15, lengths)


def test_written(tmp_path):
    """The step writes the pages that it reads."""
    harness.check(*written(torch.float32), folder=tmp_path, modes=["compiled"])


def test_written_gpu(tmp_path):
    module, args = written(torch.bfloat16)
    module, args, model = build(lambda: (module, args, None), tmp_path)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)


def test_outside(tmp_path):
    """A page that does not exist is an error, at the line of the program."""
    args = paged.tensors(dtype=torch.float32)
    exporting.save(exporting.export(paged.Paged(), args), tmp_path / "m.pt2")
    model = harness.compiled(tmp_path / "m.pt2", "compiled", 1, "--no-fallback")
    want = exporting.eager(paged.Paged(), args)
    args[3][1, 2] = len(args[1])
    with pytest.raises(Exception, match=r"index is out of range.*paged\.py"):
        harness.run(model, (args, {}), tmp_path, want)


class Layers(torch.nn.Module):
    """Two layers with one mask over a cache of fixed size, of which the first positions are
    filled."""

    def __init__(self, form):
        super().__init__()
        self.form = form

    def mask(self, at, last):
        match self.form:
            case "filled":
                return at <= last
            case "window":
                return (at <= last) & (at > last - 100)
            case "hidden":
                return ~((at > last) | (at + 100 <= last))
            case "difference":
                return torch.where((at <= last) & (last - at < 100), 0.0, -torch.inf).bfloat16()
            case "filled twice":
                outside = torch.zeros(()).masked_fill(at >= last + 1, -torch.inf)
                return outside.masked_fill(last - 100 >= at, -torch.inf).bfloat16()

    def forward(self, q, k, v, k2, v2, position):
        mask = self.mask(torch.arange(k.shape[2])[None], position[:, None])[None, None]
        y = sdpa(q, k, v, mask, enable_gqa=True)
        return sdpa(y, k2, v2, mask, enable_gqa=True)


def layers(queries, position, form, fill, piece=128):
    """Arguments of `Layers` whose keys outside of what is seen are `fill`, but for those that share
    a piece with seen ones."""
    generator = torch.Generator().manual_seed(queries)
    make = lambda *sizes: torch.randn(sizes, generator=generator).bfloat16()
    caches = [make(1, 2, 640, 64) for _ in range(4)]
    first = 0 if form == "filled" else max(position - 99, 0)
    end = min(position + queries, 640)
    for x in caches:
        x[:, :, : first // piece * piece] = fill
        x[:, :, -(-end // piece) * piece :] = fill
    return make(1, 8, queries, 64), *caches, torch.arange(position, position + queries)


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
@pytest.mark.parametrize("form", ["filled", "window", "hidden", "difference", "filled twice"])
def test_bounds(form, target, tmp_path):
    """Keys outside of the bounds of the mask are not multiplied: they may be NaN."""
    queries = 130 if target == "cuda:sm_90a" else {"filled": 1, "window": 20}.get(form, 5)
    make = lambda position, fill: layers(queries, position, form, fill)
    module, _, model = build(lambda: (Layers(form), make(0, 0.0), None), tmp_path, target)
    for position in (0, 300, 63, 470):
        want = exporting.eager(module, make(position, 0.0))
        got = model.run(make(position, NAN), want)
        harness.compare(got, want)


class Shown(torch.nn.Module):
    """A mask that is written out: `show` returns which keys a query sees."""

    def __init__(self, show):
        super().__init__()
        self.show = show

    def forward(self, q, k, v, position):
        at = torch.arange(k.shape[2], dtype=position.dtype)
        mask = self.show(at, position.view(-1, 1, 1, 1), torch.arange(q.shape[2])[:, None])
        return sdpa(q, k, v, mask.expand(len(q), 1, q.shape[2], k.shape[2]))


#: Conditions, the position of each sequence, and the end of the keys that five queries see.
SHOWN = {
    "int32": (lambda at, p, row: at < p, torch.int32, [130, 60], 130),
    "int32 + 1": (lambda at, p, row: at + 1 <= p, torch.int32, [130, 60], 130),
    "causal": (lambda at, p, row: (at <= row + 70) & (at < p), torch.int64, [90, 20], 90),
    "both": (lambda at, p, row: (at < p) & (at < p + row - 9), torch.int64, [130, 60], 126),
    "far": (lambda at, p, row: at <= p, torch.int64, [2**63 - 1, 2**62], 300),
    "far below": (lambda at, p, row: at > p, torch.int64, [-(2**63), -1], 300),
    "wraps": (lambda at, p, row: at - p < 0, torch.int64, [-(2**63), -(2**63) + 5], 300),
    "wraps, int32": (lambda at, p, row: p - at >= 0, torch.int32, [-(2**31), 90], 300),
    "flipped": (lambda at, p, row: (at < p).flip(-1), torch.int64, [130, 60], 300),
    "unsigned": (lambda at, p, row: at != p, torch.int64, [130, 60], 300),
}


@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90a"])
def test_conditions(target, tmp_path):
    """Integers of two widths, several conditions, and numbers that wrap around. Keys in tiles
    outside of the bounds are NaN."""
    queries = 130 if target == "cuda:sm_90a" else 5
    generator = torch.Generator().manual_seed(1)
    calls = []
    for name, (show, dtype, positions, end) in SHOWN.items():
        q, k, v = (
            torch.randn(2, 2, n, 64, generator=generator).bfloat16() for n in (queries, 300, 300)
        )
        calls.append((Shown(show), (q, k, v, torch.tensor(positions, dtype=dtype))))
    module, args = paged.several(calls)
    module, args, model = build(lambda: (module, args, None), tmp_path, target)
    want = exporting.eager(module, args)
    for (_, (q, k, v, _)), (name, (*_, end)) in zip(calls, SHOWN.items()):
        if not (queries > 100 and name in ("causal", "both")):
            for x in (k, v):
                x[:, :, -(-end // 128) * 128 :] = NAN
    harness.compare(model.run(args, want), want)


def test_deep_conditions(tmp_path):
    """A value that is read twice in each of many steps is visited once."""

    def show(at, p, row):
        for _ in range(30):
            p = p ^ (p * 3 + 1)
        return at > p % 300

    q, k, v = (torch.randn(2, 2, n, 64) for n in (5, 300, 300))
    harness.check(Shown(show), (q, k, v, torch.tensor([5, 70])), folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("seed", range(4))
def test_random(seed, tmp_path):
    """Sizes, layouts, masks and dtypes that fill tiles, blocks and pages, or do not."""
    rng = random.Random(seed)
    calls = []
    for _ in range(6):
        layout, size = rng.choice(list(paged.LAYOUTS)), rng.choice([1, 3, 8, 16, 32, 100])
        groups = rng.choice([1, 2, 3])
        lengths = [rng.randint(1, 250) for _ in range(rng.choice([1, 2, 5]))]
        args = paged.tensors(
            queries=rng.choice([1, 1, 1, 2, 5, 13, 60]), heads=groups * rng.choice([1, 2, 4, 7, 12]),
            groups=groups, dim=rng.choice([64, 128, 80, 16, 33]), size=size, lengths=lengths,
            pages=-(-max(lengths) // size), layout=layout, values=rng.choice([None, 48]), seed=seed,
            dtype=torch.float32,
        )
        calls.append((paged.Paged(layout, rng.choice([None, 30])), args))
    module, args = paged.several(calls)
    if seed % 2:
        check_rounded(module, args, tmp_path, dtype=torch.bfloat16)
    else:
        harness.check(module, args, folder=tmp_path, modes=["compiled"])
