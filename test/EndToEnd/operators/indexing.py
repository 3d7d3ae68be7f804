"""Gathering and scattering by index."""

import torch
import torch.nn.functional as F

from operators.table import b, case, f, i


def row(name, function, *inputs, **options):
    case("indexing", name, function, *inputs, **options)


def at(*dims, high):
    return i(*dims, low=0, high=high)


def signed(*dims, high):
    return i(*dims, low=-high, high=high)


row("embedding", F.embedding, at("n", 3, high=6), f(6, 4))
row("embedding.0d", F.embedding, at(high=6), f(6, 4), dynamic=False)
row("embedding.empty", F.embedding, at(0, high=6), f(6, 4), dynamic=False)
row("embedding.i32", F.embedding, i("n", low=0, high=6, dtype=torch.int32), f(6, 4))
row("index", lambda x, k: x[k], f(6, 4), at("n", high=6))
row("index.negative", lambda x, k: x[k], f(6, 4), signed("n", high=6))
row("index.second", lambda x, k: x[:, k], f("n", 4), at("m", high=4))
row("index.two", lambda x, j, k: x[j, k], f(6, 4), at("n", high=6), at("n", high=4))
row("index.two_broadcast", lambda x, j, k: x[j, k], f(6, 4), at("n", 1, high=6), at("m", high=4))
row("index.apart", lambda x, j, k: x[j, :, k], f(6, 3, 4), at("n", high=6), at("n", high=4))
row("index.none", lambda x, j: x[None, :, j], f(3, 4), at("n", high=4))
row("index.bool", lambda x, m: x[m] * 2, f("n", 4), b("n"))
row("index.bool.matrix", lambda x, m: x[m] * 2, f("n", 4, 3), b("n", 4))
row("index.bool.second", lambda x, m: x[:, m] * 2, f(2, "n", 3), b("n"))
row("index.bool.number", lambda x, m: x[m, torch.tensor(1)] * 2, f("n", 4), b("n"))
row("index.bool.none", lambda x, m: x[m & False] * 2, f("n", 4), b("n"))
row(
    "index_put.bool",
    lambda x, m: x.index_put((m,), (x * 2)[m]),
    f("n", 4),
    b("n", 4),
)
row(
    "index_put.bool.add",
    lambda x, m, y: torch.ops.aten.index_put(x, [None, m], y[:, m], True),
    f(2, "n", 3),
    b("n"),
    f(2, "n", 3),
)
row("index_select", lambda x, k: x.index_select(1, k), f("n", 4), at(3, high=4))
row("gather", lambda x, k: x.gather(1, k), f("n", 4), at("n", 2, high=4))
row("gather.first", lambda x, k: x.gather(0, k), f(6, 4), at("n", 3, high=6))
row("take_along", lambda x, k: torch.take_along_dim(x, k, 1), f("n", 4), at("n", 2, high=4), dynamic=False)
row("scatter", lambda x, k, y: x.scatter(1, k, y), f("n", 4), at("n", 1, high=4), f("n", 1))
row("scatter.value", lambda x, k: x.scatter(1, k, 2.5), f("n", 4), at("n", 1, high=4))
row("scatter_add", lambda x, k, y: x.scatter_add(0, k, y), f(4, 3), at("n", 3, high=4), f("n", 3))
row("index_add", lambda x, k, y: x.index_add(0, k, y), f(4, 3), at("n", high=4), f("n", 3))
row("index_copy", lambda x, k, y: x.index_copy(1, k, y), f("n", 4), at(1, high=4), f("n", 1))
row("index_put", lambda x, k, y: x.index_put((k,), y), f(6, 4), at(1, high=6), f(1, 4))
row("index_put.add", lambda x, k, y: x.index_put((k,), y, accumulate=True), f(4, 3), at("n", high=4), f("n", 3))
row("slice_scatter", lambda x, y: x.slice_scatter(y, 1, 1, 3), f("n", 4), f("n", 2))
row("slice_scatter.from_end", lambda x, y: x.slice_scatter(y, 0, -x.shape[0]), f("n", 4), f("n", 4))
row("select_scatter", lambda x, y: x.select_scatter(y, 1, 2), f("n", 4), f("n"))
# The written slice has no elements.
row("slice_scatter.empty", lambda x, y: x.slice_scatter(y, 0, 1, 3), f(4, 0), f(2, 0), dynamic=False)
row("slice_scatter.none", lambda x, y: x.slice_scatter(y, 0, 2, 2), f(4, 3), f(0, 3), dynamic=False)
row("slice_scatter.of_none", lambda x, y: x.slice_scatter(y, 1, 2, 3), f(4, 0), f(4, 0), dynamic=False)
row("select_scatter.empty", lambda x, y: x.select_scatter(y, 0, 1), f(3, 0), f(0), dynamic=False)
row("select_scatter.last", lambda x, y: x.select_scatter(y, -1, -1), f(0, 2, 3), f(0, 2), dynamic=False)
row("diagonal_scatter.empty", lambda x, y: x.diagonal_scatter(y), f(0, 4), f(0), dynamic=False)
row("diagonal_scatter.batch", lambda x, y: x.diagonal_scatter(y, 1, 1, 2), f(0, 3, 3), f(0, 2), dynamic=False)
row("diagonal_scatter.outside", lambda x, y: x.diagonal_scatter(y, 3), f(2, 3), f(0), dynamic=False)
row("index_copy.empty", lambda x, k, y: x.index_copy(0, k, y), f(3, 0), at(2, high=3), f(2, 0), dynamic=False)
row("index_add.empty", lambda x, k, y: x.index_add(0, k, y), f(3, 0), at(2, high=3), f(2, 0), dynamic=False)
row("index_put.empty", lambda x, k, y: x.index_put((k,), y), f(3, 0), at(2, high=3), f(2, 0), dynamic=False)
row("index_put.empty.add", lambda x, k, y: x.index_put((k,), y, accumulate=True), f(3, 0), at(2, high=3), f(2, 0), dynamic=False)
row("written.empty", lambda x: (y := x.clone(), y[1].fill_(2), y[:, 1:].add_(1), y.t()[0].mul_(2) if y.shape[1] else 0, y)[4], f(3, 0), dynamic=False)
row("one_hot", lambda k: F.one_hot(k, 6), at("n", high=6))
row("bincount_free", lambda k: (k.unsqueeze(1) == torch.arange(4)).sum(0), at("n", high=4))
row("tokens_shifted", lambda k: F.pad(k[:, :-1], (1, 0), value=2), at("n", 4, high=9))
