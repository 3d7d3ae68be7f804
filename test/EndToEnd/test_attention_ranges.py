"""Attention on the CPU with masks that bound the keys of each row: tiles of rows skip the panels of
keys that they do not see. Random conditions on positions, and sizes that fill tiles and panels or
not, beside eager PyTorch."""

import random

import exporting
import harness
import pytest
import torch
from test_attention_cpu import HALVES, NAN, check_rounded, qkv, randn
from torch.nn.functional import scaled_dot_product_attention as sdpa

#: What a query at `row` sees: bounds on one side or both, that depend on positions, lengths of
#: sequences or numbers in memory, and conditions that are no bounds. `p` holds a position for each
#: query, in no order; `n` a length and `s` a start for each sequence.
CONDITIONS = {
    "causal": lambda key, row, p, n, s, c: key <= row + c,
    "strict": lambda key, row, p, n, s, c: key - c < row,
    "window": lambda key, row, p, n, s, c: key > row - abs(c) - 5,
    "difference": lambda key, row, p, n, s, c: row - key < abs(c) + 17,
    "length": lambda key, row, p, n, s, c: key < n,
    "start": lambda key, row, p, n, s, c: ~(key < s),
    "positions": lambda key, row, p, n, s, c: key <= p,
    "chunk": lambda key, row, p, n, s, c: key // 64 == row // 64,
    "other": lambda key, row, p, n, s, c: (key + row) % 3 != 1,
    "or": lambda key, row, p, n, s, c: (key <= row) | (key < 9),
}


class Masked(torch.nn.Module):
    def __init__(self, names, shift, is_added):
        super().__init__()
        self.names, self.shift, self.is_added = names, shift, is_added

    def forward(self, q, k, v, p, n, s):
        key, row = torch.arange(k.shape[2])[None], torch.arange(q.shape[2])[:, None]
        row, key = row[None, None], key[None, None]
        p, n, s = p[:, None], n[:, None, None, None], s[:, None, None, None]
        mask = None
        for name in self.names:
            seen = CONDITIONS[name](key, row, p, n, s, self.shift)
            mask = seen if mask is None else mask & seen
        if self.is_added:
            mask = torch.where(mask, 0.0, -torch.inf).to(q.dtype)
        return sdpa(q, k, v, mask, enable_gqa=True)


class Programs(torch.nn.Module):
    def __init__(self, modules):
        super().__init__()
        self.programs = torch.nn.ModuleList(modules)

    def forward(self, inputs):
        return [module(*args) for module, args in zip(self.programs, inputs)]


def arguments(rng, queries, keys, size, heads, groups, batch):
    draw = lambda *sizes: torch.tensor(
        [rng.randint(-5, keys + 5) for _ in range(torch.Size(sizes).numel())]).view(sizes)
    return [*qkv(queries, keys, size, heads, groups, batch=batch), draw(batch, queries, 1),
            draw(batch), draw(batch) // 2]


def program(rng):
    names = rng.sample(sorted(CONDITIONS), rng.choice([1, 2, 2, 3]))
    module = Masked(names, rng.choice([0, 1, -7, 40, 90]), rng.random() < 0.3)
    heads = rng.choice([1, 4])
    sizes = (rng.choice([5, 13, 26, 33, 96, 97, 130, 205, 300]), rng.randint(20, 400),
             rng.choice([16, 40, 64, 64, 128]), heads, rng.choice([1, heads]), rng.choice([1, 2]))
    return module, arguments(rng, *sizes)


SEEDS = [*range(4), *(pytest.param(s, marks=pytest.mark.long) for s in range(4, 60))]


@pytest.mark.parametrize("seed", SEEDS)
def test_masks(seed, tmp_path):
    rng, randn.seed = random.Random(seed), 1000 * seed
    modules, inputs = zip(*(program(rng) for _ in range(6)))
    module, args = Programs(modules), (list(inputs),)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    flags = [] if seed % 2 else ["--mcpu=x86-64-v3"]
    model = harness.compiled(tmp_path / "m.pt2", "compiled", 2, "--no-fallback", *flags)
    want = exporting.eager(module, args)
    harness.compare(harness.run(model, (args, {}), tmp_path, want), want)


@pytest.mark.parametrize("seed", SEEDS)
def test_rounded_masks(seed, tmp_path):
    """The same in bf16 and f16, and in float32 with --precision=bf16."""
    rng, randn.seed = random.Random(seed + 500), 1000 * seed
    modules, inputs = zip(*(program(rng) for _ in range(5)))
    dtype = [None, *HALVES.values()][seed % 3]
    check_rounded(Programs(modules), (list(inputs),), tmp_path, dtype=dtype)


@pytest.mark.parametrize("names", [("causal", "difference"), ("length", "start", "window")])
def test_dynamic_sizes(names, tmp_path):
    rng, randn.seed = random.Random(7), 0
    queries, keys = (torch.export.Dim(name, min=1, max=4096) for name in ("queries", "keys"))
    sizes = [(70, 190), (1, 1), (65, 128), (5, 300), (300, 127), (30, 131), (97, 98)]
    sets = [(tuple(arguments(rng, q, k, 64, 2, 2, 2)), {}) for q, k in sizes]
    dynamic = ({2: queries}, {2: keys}, {2: keys}, {1: queries}, None, None)
    harness.check(Masked(names, 11, False), *sets[0], folder=tmp_path, modes=["compiled"],
                  dynamic=dynamic, others=sets[1:])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_hidden_panels_are_not_read(dtype, tmp_path):
    """Keys and values outside of the panels that a tile of rows sees may be NaN: the second half of
    the queries sees none of the first keys, although others of its task do."""
    rng, randn.seed = random.Random(9), 0
    q, k, v, p, n, s = arguments(rng, 48, 384, 64, 2, 2, 1)
    q, k, v = (x.to(dtype) for x in (q, k, v))
    p = torch.tensor([40] * 24 + [300] * 24).view(1, 48, 1)
    module = Masked(("positions",), 0, False)
    n, s = torch.tensor([384]), torch.tensor([0])
    want = exporting.eager(module, (q, k, v, p, n, s))
    for x in (k, v):  # panels have 32 keys, of AVX2 16
        x[:, :, 64:128] = NAN
        x[:, :, 320:] = NAN
    exporting.save(exporting.export(module, (q, k, v, p, n, s)), tmp_path / "m.pt2")
    model = harness.compiled(tmp_path / "m.pt2", "compiled", 2, "--no-fallback")
    got = harness.run(model, ((q, k, v, p, n, s), {}), tmp_path, want)
    # Rows of the first half see keys up to 40 only.
    harness.compare([got[0][:, :, :24]], [want[:, :, :24]])
    assert got[0][:, :, 24:].isnan().any()
