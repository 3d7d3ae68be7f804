"""Attention as one kernel of the CPU: sizes that fill vectors, tiles and blocks and that
do not, masks of every kind, heads that share keys and values, few and no rows, dynamic sizes, and
numbers that are not finite."""

import math
import pathlib
import random

import exporting
import harness
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa
from torch.utils import _pytree as pytree

INF, NAN = float("inf"), float("nan")
HALVES = {"bf16": torch.bfloat16, "f16": torch.float16}
QUERIES, KEYS = (torch.export.Dim(name, min=1, max=4096) for name in ("queries", "keys"))


def randn(*sizes):
    randn.seed += 1
    return torch.randn(sizes, generator=torch.Generator().manual_seed(randn.seed))


randn.seed = 0


def qkv(queries, keys, size, heads=2, groups=None, values=None, batch=1):
    groups = groups or heads
    return (
        randn(batch, heads, queries, size),
        randn(batch, groups, keys, size),
        randn(batch, groups, keys, values or size),
    )


def allowed(*sizes, keep=-0.5):
    """A mask of which some rows are false throughout."""
    mask = randn(*sizes) > keep
    mask[..., :1, :] = False
    return mask


def window(queries, keys, start, width):
    """Each query sees `width` keys, so most blocks of keys are hidden."""
    distance = start + torch.arange(queries)[:, None] - torch.arange(keys)
    return (distance >= 0) & (distance < width)


def additive(mask):
    return torch.where(mask, torch.zeros(()), torch.full((), -INF)) + 0.1


def several(*calls):
    return exporting.Several([f for f, *_ in calls]), ([list(args) for _, *args in calls],)


def attend(q, k, v, mask=None):
    return sdpa(q, k, v, mask)


def causal(q, k, v):
    return sdpa(q, k, v, is_causal=True)


def grouped(q, k, v, mask=None):
    return sdpa(q, k, v, mask, enable_gqa=True)


def repeated(q, k, v):
    b, groups, n, size = k.shape
    count = q.shape[1] // groups
    k, v = (x[:, :, None].expand(b, groups, count, n, size).reshape(b, -1, n, size) for x in (k, v))
    return sdpa(q, k, v, is_causal=True)


def by_hand(q, k, v, mask):
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + mask
    return torch.softmax(scores, -1) @ v


def capped(q, k, v, mask):
    scores = torch.tanh(q @ k.mT / 50) * 20
    return torch.softmax(scores.masked_fill(~mask, -INF), -1) @ v


def biased(q, k, v):
    """A bias by distance, without a mask."""
    scores = q @ k.mT * 0.1
    at = torch.arange(k.shape[-2])
    distance = (at[: q.shape[-2], None] - at).abs().to(q.dtype)
    return torch.softmax(scores - 0.1 * distance, -1) @ v


def sliding(q, k, v):
    """A window that is computed from the indices."""
    n, at = q.shape[-2], torch.arange(k.shape[-2])
    distance = torch.arange(n)[:, None] + 250 - at
    scores = (q @ k.mT * 0.1).masked_fill((distance < 0) | (distance > 30), -INF)
    return torch.softmax(scores, -1) @ v


def quantized(q, k, scale, v, zero):
    """A cache of integers, with a scale for each key, and a zero point for each value."""
    k = k.to(q.dtype) * scale
    v = (v.to(q.dtype) - zero) * 0.05
    return sdpa(q, k, v, enable_gqa=True)


def integers(queries, keys, size, heads=2, groups=2, values=None):
    q, k, v = qkv(queries, keys, size, heads, groups, values)
    k, v = ((x * 40).clamp(-127, 127).to(torch.int8) for x in (k, v))
    return q, k, randn(1, groups, keys, 1) * 0.02, v, randn(1, groups, 1, 1)


class Projected(torch.nn.Module):
    """Heads that are adjacent in memory, as linear layers return them, with a residual."""

    def forward(self, qkv, residual):
        b, n, width = qkv.shape
        q, k, v = (x.view(b, n, 3, width // 9).transpose(1, 2) for x in qkv.chunk(3, -1))
        return residual + sdpa(q, k, v).transpose(1, 2).reshape(b, n, width // 3)


CASES = {
    "sizes": lambda: several(
        (attend, *qkv(100, 128, 64)),
        (attend, *qkv(130, 200, 32)),
        (attend, *qkv(40, 131, 80)),
        (attend, *qkv(20, 150, 40, values=24)),
        (attend, *qkv(7, 129, 20)),
        (attend, *qkv(50, 140, 3, values=5)),
        (attend, randn(33, 16), randn(160, 16), randn(160, 16)),
    ),
    "wide": lambda: several(
        (attend, *qkv(60, 130, 256)),
        (causal, *qkv(130, 130, 192, values=128)),
        (attend, *qkv(20, 128, 130), allowed(20, 128)),
    ),
    "few-rows": lambda: several(
        (attend, *qkv(1, 200, 64)),
        (attend, *qkv(2, 131, 64)),
        (attend, *qkv(3, 131, 64)),
        (attend, *qkv(1, 150, 20)),
        (attend, *qkv(1, 300, 128), window(1, 300, 137, 40)),
        (attend, *qkv(1, 300, 64, batch=2), allowed(2, 2, 1, 300, keep=0)),
        (grouped, *qkv(1, 257, 64, heads=8, groups=2), window(1, 257, 99, 100)),
        (grouped, *qkv(1, 128, 32, heads=4, groups=2)),
    ),
    "masks": lambda: several(
        (causal, *qkv(300, 300, 32)),
        (causal, *qkv(150, 300, 32)),
        (causal, *qkv(300, 150, 32)),
        (attend, *qkv(70, 190, 32), allowed(70, 190)),
        (attend, *qkv(200, 600, 64), window(200, 600, 130, 9)),
        (attend, *qkv(200, 603, 64), additive(window(200, 603, 130, 9))),
        (attend, *qkv(33, 190, 64, batch=2), allowed(2, 190, keep=1)[:, None, None]),
        (attend, *qkv(70, 128, 64, batch=2), randn(2, 1, 70, 128)),
    ),
    "heads": lambda: several(
        (grouped, *qkv(100, 140, 32, heads=6, groups=2)),
        (grouped, *qkv(100, 140, 32, heads=6, groups=2), window(100, 140, 20, 60)),
        (repeated, *qkv(140, 140, 64, heads=4, groups=2)),
        (attend, randn(1, 6, 20, 32), randn(1, 1, 130, 32), randn(1, 1, 130, 32)),
    ),
    "quantized": lambda: several(
        (quantized, *integers(1, 200, 64)),
        (quantized, *integers(1, 131, 80, heads=8)),
        (quantized, *integers(1, 130, 64, heads=24, values=40)),
        (quantized, *integers(5, 257, 128, heads=4)),
        (quantized, *integers(1, 128, 256, heads=3, groups=3)),
    ),
    # Other kernels compute keys and values of many rows.
    "quantized-prompt": lambda: several((quantized, *integers(40, 140, 32, heads=6, groups=1))),
    "by-hand": lambda: several(
        (by_hand, *qkv(70, 190, 64, batch=2), additive(allowed(2, 1, 70, 190)[:, :, :1] | True)),
        (by_hand, *qkv(140, 140, 32), additive(window(140, 140, 0, 20))),
        (capped, *qkv(40, 190, 64), window(40, 190, 100, 50)),
        (biased, *qkv(40, 190, 64)),
        (sliding, *qkv(40, 600, 64)),
        (Projected(), randn(2, 170, 9 * 32), randn(2, 170, 3 * 32)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_attention(name, tmp_path):
    randn.seed = 0
    module, args = CASES[name]()
    harness.check(module, args, folder=tmp_path, modes=["compiled"])


def kernels(program, folder: pathlib.Path) -> str:
    model = folder / "k.pt2"
    torch.export.save(program, model)
    harness.tool("fx-compile", model, "--emit=kernels", "-o", folder / "k.mlir")
    return (folder / "k.mlir").read_text()


@pytest.mark.parametrize("name", ["few-rows", "masks", "heads", "quantized"])
def test_one_kernel(name, tmp_path):
    """No attention of these cases is computed by several kernels."""
    randn.seed = 0
    module, args = CASES[name]()
    text = kernels(torch.export.export(module, args), tmp_path)
    assert text.count("fx_kernel.invoke") == len(module.functions)


class Attend(torch.nn.Module):
    def forward(self, q, k, v, mask):
        return sdpa(q, k, v, mask)


def test_dynamic_sizes(tmp_path):
    """One artefact runs few and many queries and keys."""
    sizes = [(70, 190), (1, 1), (65, 128), (5, 300), (300, 127), (2, 131)]
    sets = [((*qkv(q, k, 64), window(q, k, k // 2, 100)), {}) for q, k in sizes]
    dynamic = ({2: QUERIES}, {2: KEYS}, {2: KEYS}, {0: QUERIES, 1: KEYS})
    harness.check(
        Attend(), *sets[0], folder=tmp_path, modes=["compiled"], dynamic=dynamic, others=sets[1:]
    )


class Factors(torch.nn.Module):
    def forward(self, q, k, v, factors):
        return torch.softmax((q @ k.mT - 1) * factors, -1) @ v


def test_infinite_factors(tmp_path):
    """Scores that are -inf for a score of 0, but not for all scores."""
    q, k, v = qkv(20, 400, 16)
    factors = torch.ones(20, 400)
    factors[:, 128:256] = INF
    harness.check(Factors(), (q, k, v, factors), folder=tmp_path, modes=["compiled"])


def test_not_finite(tmp_path):
    """NaN and infinite numbers that a query sees. Hidden keys and values are finite: eager PyTorch
    adds -inf to their scores, and multiplies the values by zero."""
    q, k, v = qkv(20, 200, 64)
    q[0, 0, 3, 5] = NAN
    q[0, 1, 4] = INF
    k[0, 1, 10, 0] = -INF
    v[0, 0, 20, 7] = NAN
    v[0, 1, 30, 9] = INF
    mask = torch.ones(20, 200, dtype=torch.bool)
    mask[:, 140:] = False
    harness.check(Attend(), (q, k, v, mask), folder=tmp_path, modes=["compiled"])


def convert(tree, dtype):
    """Converts the tensors of floating-point numbers."""
    return pytree.tree_map(lambda x: x.to(dtype) if x.is_floating_point() else x, tree)


def check_rounded(module, args, folder, dynamic=None, others=(), dtype=None):
    """Compares --precision=bf16, or the module with arguments of `dtype`, with float32: each
    element within 3 % of the largest one, and 1 % in the mean, which one wrong row or column of a
    head exceeds. Eager PyTorch in `dtype` may have a larger error, where scores are rounded."""
    samples = [convert(x, dtype) if dtype else x for x in (args, *others)]
    exporting.save(exporting.export(module, samples[0], dynamic=dynamic), folder / "m.pt2")
    flags = ["--no-fallback"] if dtype else ["--no-fallback", "--precision=bf16"]
    model = harness.compiled(folder / "m.pt2", "compiled", 2, *flags)
    for sample in samples:
        expected = exporting.eager(module, convert(sample, torch.float32))
        eager = exporting.eager(module, sample)
        got = harness.run(model, (sample, {}), folder, eager)
        outputs = zip(got, *map(pytree.tree_leaves, (expected, eager)))
        for k, (x, y, z) in enumerate(outputs):
            assert x.shape == y.shape and torch.equal(x.isnan(), y.isnan()), f"output {k}"
            x, y, z = (t.double().nan_to_num() for t in (x, y, z))
            error, other, size = (x - y).abs(), (z - y).abs(), y.abs()
            assert error.max() <= max(0.03 * size.max(), 2 * other.max()), f"output {k}"
            bound = max(1e-4 * size.pow(2).mean(), 2 * other.pow(2).mean())
            assert error.pow(2).mean() <= bound, f"output {k}"


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", CASES)
def test_halves(name, dtype, tmp_path):
    randn.seed = 0
    check_rounded(*CASES[name](), tmp_path, dtype=HALVES[dtype])


@pytest.mark.parametrize("name", CASES)
def test_rounded(name, tmp_path):
    randn.seed = 0
    check_rounded(*CASES[name](), tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_rounded_sizes(seed, tmp_path):
    """Pairs of bf16 need even sizes; these are odd and even, and fill tiles or not."""
    rng = random.Random(seed)
    randn.seed = seed
    calls = []
    for _ in range(5):
        queries, keys = rng.choice([3, 7, 12, 25, 64, 97, 130, 205, 300]), rng.randint(1, 300)
        size, values = rng.choice([32, 64, 64, 96, 128, 40]), rng.choice([None, 24, 72])
        heads = rng.choice([1, 4])
        tensors = qkv(queries, keys, size, heads, rng.choice([1, heads]), values, rng.choice([1, 2]))
        kind = rng.randrange(4)
        mask = [None, allowed(queries, keys), additive(window(queries, keys, 0, keys)), None][kind]
        calls.append((causal if kind == 3 and tensors[1].shape[1] == heads else grouped, *tensors))
        calls[-1] += (mask,) if mask is not None else ()
    check_rounded(*several(*calls), tmp_path, dtype=[None, *HALVES.values()][seed % 3])


@pytest.mark.parametrize("dtype", [None, *HALVES])
def test_rounded_dynamic_sizes(dtype, tmp_path):
    sizes = [(70, 190), (1, 1), (65, 128), (5, 301), (300, 127), (2, 131), (16, 33)]
    sets = [(*qkv(q, k, 64), window(q, k, k // 2, 100)) for q, k in sizes]
    dynamic = ({2: QUERIES}, {2: KEYS}, {2: KEYS}, {0: QUERIES, 1: KEYS})
    check_rounded(Attend(), sets[0], tmp_path, dynamic, sets[1:], HALVES.get(dtype))


@pytest.mark.parametrize("dtype", [None, *HALVES])
def test_rounded_not_finite(dtype, tmp_path):
    q, k, v = qkv(20, 201, 64)
    q[0, 0, 3, 5] = NAN
    v[0, 0, 20, 7] = NAN
    v[0, 1, 200, 9] = INF
    mask = torch.ones(20, 201, dtype=torch.bool)
    mask[:, 140:200] = False
    check_rounded(Attend(), (q, k, v, mask), tmp_path, dtype=HALVES.get(dtype))
