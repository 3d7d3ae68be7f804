"""Attention that reads keys and values through a table of pages, in the layouts of caches that
serving systems have."""

import exporting
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

#: The dimensions of a cache, which serving systems order differently.
LAYOUTS = {
    "page, head": lambda pages, size, heads, dim: (pages, size, heads, dim),
    "head, page": lambda pages, size, heads, dim: (pages, heads, size, dim),
}


def gather(cache, table, layout):
    """Returns the rows of a cache as [batch, heads, positions, dim]."""
    pages = cache[table]
    if layout == "page, head":
        return pages.flatten(1, 2).transpose(1, 2)
    return pages.transpose(1, 2).flatten(2, 3)


class Paged(torch.nn.Module):
    """A batch of sequences of different lengths. Each query of a sequence sees the keys up to its
    own position; `window` of them, if there is a window."""

    def __init__(self, layout="page, head", window=None):
        super().__init__()
        self.layout, self.window = layout, window

    def forward(self, q, keys, values, table, lengths):
        k, v = (gather(x, table, self.layout) for x in (keys, values))
        at = torch.arange(k.shape[2])
        last = lengths[:, None] - q.shape[2] + torch.arange(q.shape[2])
        seen = at <= last[..., None]
        if self.window:
            seen &= at > last[..., None] - self.window
        return sdpa(q, k, v, seen[:, None], enable_gqa=True)


class Slots(torch.nn.Module):
    """A table of single positions instead of pages."""

    def forward(self, q, keys, values, slots):
        k, v = (x.flatten(0, 1)[slots].transpose(1, 2) for x in (keys, values))
        return sdpa(q, k, v, enable_gqa=True)


class Quantized(torch.nn.Module):
    """A cache of integers with a scale for each position of each head."""

    def forward(self, q, keys, values, scales, table, lengths):
        k, v = (gather(x, table, "page, head").to(q.dtype) for x in (keys, values))
        k, v = (x * gather(s, table, "page, head") for x, s in zip((k, v), scales.unbind(0)))
        seen = torch.arange(k.shape[2]) < lengths[:, None]
        return sdpa(q, k, v, seen[:, None, None], enable_gqa=True)


def integers(**options):
    q, *caches, table, lengths = tensors(**options)
    keys, values = ((x * 40).clamp(-127, 127).to(torch.int8) for x in caches)
    scales = torch.stack([x.abs().amax(-1, keepdim=True) / 127 for x in caches])
    return q, keys, values, scales, table, lengths


class Written(torch.nn.Module):
    """A cache that the step writes before it reads it."""

    def __init__(self, shape, dtype):
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(shape, generator=generator).to(dtype))

    def forward(self, q, k, v, table, lengths):
        size = self.keys.shape[1]
        last = lengths - 1
        page = table.gather(1, (last // size)[:, None])[:, 0]
        self.keys[page, last % size] = k
        self.values[page, last % size] = v
        return Paged()(q, self.keys, self.values, table, lengths)


def tensors(
    queries=1, heads=4, groups=2, dim=64, size=16, pages=6, dtype=torch.bfloat16,
    layout="page, head", values=None, lengths=None, seed=0,
):
    """The arguments of `Paged` for a batch of two or more sequences."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.tensor(lengths or [size * pages, size * pages // 2 + 3])
    batch, total = len(lengths), len(lengths) * pages + 3
    shapes = [LAYOUTS[layout](total, size, groups, d) for d in (dim, values or dim)]
    keys, vs = (torch.randn(shape, generator=generator).to(dtype) for shape in shapes)
    # Unused entries are valid pages, or count from the end.
    table = torch.randperm(total, generator=generator)[: batch * pages].view(batch, pages)
    table[:, -1] -= total
    q = torch.randn(batch, heads, queries, dim, generator=generator).to(dtype)
    return q, keys, vs, table, lengths


def call(module, *args):
    return module, args


def cases(dtype):
    """Names and lists of modules with their arguments."""
    make = lambda **options: tensors(dtype=dtype, **options)
    slots = make()
    index = torch.randint(0, slots[1].shape[0] * 16, (2, 150), generator=torch.Generator().manual_seed(1))
    return {
        "decode": [
            call(Paged(), *make()),
            call(Paged("head, page"), *make(layout="head, page")),
            call(Paged(), *make(heads=2, dim=128, pages=9)),
            call(Paged(), *make(heads=8, groups=1, size=32)),
            call(Paged(window=20), *make(lengths=[96, 40, 21])),
        ],
        "sizes": [
            call(Paged(), *make(dim=80, size=7, pages=20)),
            call(Paged("head, page"), *make(dim=20, size=1, pages=140, layout="head, page")),
            call(Paged(), *make(dim=96, values=40, pages=17, size=10)),
            call(Paged(), *make(dim=256, size=128, pages=2)),
        ],
        "several queries": [
            call(Paged(), *make(queries=4)),
            call(Paged("head, page"), *make(queries=70, layout="head, page", pages=10)),
            call(Paged(window=50), *make(queries=33, heads=2, dim=32, pages=12)),
        ],
        "quantized": [
            call(Quantized(), *integers(dtype=dtype)),
            call(Quantized(), *integers(dtype=dtype, heads=8, dim=80, size=7, pages=20)),
            call(Quantized(), *integers(dtype=dtype, heads=2, dim=128, values=48, queries=3)),
        ],
        "slots": [call(Slots(), *slots[:3], index), call(Slots(), *make(queries=9)[:3], index)],
    }


def several(calls):
    functions, arguments = zip(*calls)
    return exporting.Several(list(functions)), ([list(args) for args in arguments],)
