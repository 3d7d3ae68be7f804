"""Norms, distances, tensor products, scans, scatters, adaptive pools."""

import torch
import torch.nn.functional as F

from operators.table import INF, NAN, b, case, f, fixed, i, pos

A = "aggregating"
for order in (None, 0, 1, -1, 2.5, INF, -INF):
    case(A, f"linalg_norm.{order}", lambda x, p=order: torch.linalg.norm(x, p, 1), f("n", 4))
for order in ("fro", 1, -1, INF, -INF):
    # For norms other than Frobenius' torch.export specializes the size to a constant.
    dynamic = order == "fro"
    case(A, f"matrix_norm.{order}", lambda x, p=order: torch.linalg.matrix_norm(x, p), f("n", 3, 4), dynamic=dynamic)
    case(
        A,
        f"matrix_norm.{order}.keep",
        lambda x, p=order: torch.linalg.norm(x, p, (2, 0), True),
        f(3, "n", 4),
        dynamic=dynamic,
    )
for p in (0.0, 1.0, 2.0, 3.0, INF):
    case(A, f"dist.{p}", lambda x, y, p=p: torch.dist(x, y, p), f("n", 4), f("n", 1))
    case(A, f"cdist.{p}", lambda x, y, p=p: torch.cdist(x, y, p), f("n", 3, 4), f("n", 5, 4))
    case(A, f"pdist.{p}", lambda x, p=p: F.pdist(x, p), f(5, 4), dynamic=False)
for dim in (-1, 0, 1, 2):
    case(A, f"norm_except_dim.{dim}", lambda x, k=dim: torch.norm_except_dim(x, 2, k), f(2, 3, 4), dynamic=False)
case(A, "pairwise_distance", lambda x, y: F.pairwise_distance(x, y, 2, 1e-3, True), f("n", 4), f("n", 4))
case(A, "cosine_similarity", lambda x, y: F.cosine_similarity(x, y, -1), f("n", 3, 4), f(3, 4))
case(A, "renorm", lambda x: torch.renorm(x, 2, 1, 1.5), f("n", 3, 4))
case(A, "vecdot", torch.linalg.vecdot, f("n", 4), f("n", 4))
case(A, "vdot", torch.vdot, f("n"), f("n"))
case(A, "inner", torch.inner, f("n", 2, 4), f(3, 4))
case(A, "inner.scalar", torch.inner, f("n", 2), f())
case(A, "tensordot", lambda x, y: torch.tensordot(x, y, ([1, 0], [0, 2])), f("n", 3, 4), f(3, 2, "n"))
case(A, "kron", torch.kron, f(2, 3), f(4, 1, 2), dynamic=False)
case(A, "cross", lambda x, y: torch.linalg.cross(x, y, dim=1), f("n", 3), f("n", 3))
case(A, "cross.int", lambda x, y: torch.cross(x, y, 0), i(3, "n"), i(3, "n"))
case(A, "addbmm", lambda x, y, z: torch.addbmm(x, y, z, beta=0.5, alpha=2), f("n", 4), f(3, "n", 5), f(3, 5, 4))
case(A, "addr", lambda x, y, z: torch.addr(x, y, z, beta=0.5, alpha=2), f("n", 4), f("n"), f(4))
case(A, "bilinear", F.bilinear, f("n", 2, 3), f("n", 2, 4), f(5, 3, 4), f(5))
case(A, "multi_dot", lambda *t: torch.linalg.multi_dot(t), f("n", 3), f(3, 4), f(4, 2), dynamic=False)
for power in (0, 1, 2, 5):
    case(A, f"matrix_power.{power}", lambda x, k=power: torch.linalg.matrix_power(x, k), f("n", 3, 3))
case(A, "vander", lambda x: torch.linalg.vander(x, N=4), f("n", 3))

case(A, "aminmax", torch.aminmax, f("n", 4))
case(A, "aminmax.dim", lambda x: torch.aminmax(x, dim=1, keepdim=True), f("n", 4))
case(A, "count_nonzero", lambda x: torch.count_nonzero(x, 1), i("n", 4, low=-1, high=2))
NANS = fixed([[1.0, NAN, 2.0], [NAN, NAN, NAN], [INF, 1.0, 2.0]])
case(A, "nansum", lambda x: torch.nansum(x, 1), NANS, dynamic=False)
case(A, "nanmean", lambda x: torch.nanmean(x, 1), NANS, dynamic=False)
case(A, "var_mean.all", torch.var_mean, f("n", 4))
case(A, "std_mean.dim", lambda x: torch.std_mean(x, 1, True), f("n", 4))
case(A, "logsumexp.int", lambda x: torch.logsumexp(x, 1), i("n", 4))
case(A, "max.0d", lambda x: torch.max(x, 0), f(), dynamic=False)
case(A, "argmax.keep", lambda x: torch.argmax(x, None, True), f(3, 4), dynamic=False)

case(A, "cummax", lambda x: torch.cummax(x, 1), f("n", 5))
case(A, "cummin.ties", lambda x: torch.cummin(x, 0), i("n", 5, low=0, high=3))
case(A, "logcumsumexp", lambda x: torch.logcumsumexp(x, 1), f("n", 5))
case(A, "cumsum.empty", lambda x: torch.cumsum(x, 1), f(0, 3), dynamic=False)
case(A, "trapezoid", lambda y: torch.trapezoid(y, dx=0.5), f("n", 5))
case(A, "trapezoid.x", lambda y, x: torch.trapezoid(y, x, dim=0), f(5, "n"), f(5))
case(A, "cumulative_trapezoid", lambda y, x: torch.cumulative_trapezoid(y, x), f("n", 5), f("n", 5))

INDEX = i("n", 3, low=0, high=4)
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    for include in (True, False):
        case(
            A,
            f"scatter_reduce.{reduce}.{include}",
            lambda x, k, s, r=reduce, c=include: x.scatter_reduce(1, k, s, r, include_self=c),
            f("n", 4),
            INDEX,
            f("n", 3),
        )
        if reduce != "sum":
            case(
                A,
                f"index_reduce.{reduce}.{include}",
                lambda x, s, r=reduce, c=include: x.index_reduce(
                    0, torch.tensor([0, 2, 0]), s, r, include_self=c
                ),
                f(4, "n"),
                f(3, "n"),
            )
case(A, "scatter_reduce.int", lambda x, k, s: x.scatter_reduce(1, k, s, "mean"), i("n", 4), INDEX, i("n", 3))
case(A, "scatter.multiply", lambda x, k, s: x.scatter(1, k, s, reduce="multiply"), f("n", 4), INDEX, f("n", 3))
case(A, "scatter.value_add", lambda x, k: x.scatter(1, k, 2.5, reduce="add"), f("n", 4), INDEX)
case(A, "scatter.0d", lambda x, k, s: x.scatter_add(0, k, s), f(), fixed(0), f(), dynamic=False)
case(A, "index_fill", lambda x: x.index_fill(1, torch.tensor([0, -1]), 7.0), f("n", 4))
case(A, "index_fill.tensor", lambda x, v: x.index_fill(0, torch.tensor([2]), v), f(4, "n"), f())
case(A, "index_add.alpha", lambda x, s: x.index_add(0, torch.tensor([1, 1]), s, alpha=-2), f(4, "n"), f(2, "n"))
case(A, "put", lambda x, s: x.put(torch.tensor([[0, -1], [3, 2]]), s), f(2, 3), f(4), dynamic=False)
case(
    A,
    "put.accumulate",
    lambda x, s: x.put(torch.tensor([1, 1, 4]), s, True),
    f("n", 4),
    f(3),
)
case(A, "masked_scatter", lambda x, m, s: x.masked_scatter(m, s), f("n", 4), b("n", 4), f("n", 4))
case(A, "masked_scatter.larger_mask", lambda x, m, s: x.masked_scatter(m, s), f(4), b("n", 4), f("n", 4))
case(A, "masked_scatter.broadcast", lambda x, m, s: x.masked_scatter(m, s), f(3, 4), b(4), f(12), dynamic=False)
case(A, "index_put.mask", lambda x, m: x.index_put((m,), torch.tensor(3.0)), f("n", 4), b("n", 4))
case(
    A,
    "index_put.mask_rows",
    lambda x, m, v: x.index_put((m,), v, accumulate=True),
    f("n", 4),
    b("n"),
    f(4),
)
case(A, "take", lambda x: torch.take(x, torch.tensor([[0, -1], [3, 2]])), f("n", 4))
case(A, "take_along_dim", lambda x, k: torch.take_along_dim(x, k, 1), f("n", 4), i("n", 3, low=0, high=4), dynamic=False)
case(A, "take_along_dim.flat", torch.take_along_dim, f("n", 4), i(3, low=0, high=7))
case(A, "gather.0d", lambda x, k: torch.gather(x, 0, k), f(), fixed(0), dynamic=False)

case(A, "scatter_add.slices", lambda x, y: x.scatter_add(0, torch.tensor([2, 0, 2, 1])[:, None].expand(4, 5), y), f(3, 5), f(4, 5), dynamic=False)
case(A, "scatter_reduce.slices", lambda x, y: x.scatter_reduce(1, torch.tensor([2, 0])[None, :].expand_as(y), y, "sum"), f("n", 3), f("n", 2))
case(A, "scatter_add.part", lambda x, y: x.scatter_add(0, torch.tensor([2, 0])[:, None].expand(2, 3), y), f(3, 5), f(4, 5), dynamic=False)
case(A, "adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 3), f("n", 2, 7))
case(A, "adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), f("n", 2, 7, 5))
case(A, "adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (2, 3, None)), f("n", 2, 5, 4, 3))
case(A, "adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 3, True), f("n", 2, 7))
case(A, "adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, (3, 4), True), f("n", 2, 7, 5))
case(A, "adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, (2, 3, 2), True), f(2, 5, 4, 3), dynamic=False)
case(
    A,
    "fractional_max_pool2d",
    lambda x, u: F.fractional_max_pool2d(x, (3, 2), (4, 1), None, True, u.sigmoid()),
    f("n", 2, 9, 7),
    f("n", 2, 2),
)
case(
    A,
    "fractional_max_pool3d",
    lambda x, u: F.fractional_max_pool3d(x, 2, (2, 3, 4), None, True, u.sigmoid()),
    f(3, 5, 6, 7),
    f(1, 3, 3),
    dynamic=False,
)
case(A, "avg_pool2d.int", lambda x: F.avg_pool2d(x, 2), i("n", 2, 4, 4))
case(
    A,
    "max_unpool2d",
    lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    f("n", 2, 4, 6),
)
case(A, "batch_norm.batch", lambda x, w, v: F.batch_norm(x, None, None, w, v, True), f("n", 3, 4), f(3), f(3))
case(
    A,
    "instance_norm.running",
    lambda x, m, v: F.instance_norm(x, m, v, use_input_stats=False),
    f("n", 3, 4),
    f(3),
    pos(3),
)

for how in ("sum", "mean", "max", "min", "prod"):
    case(
        A,
        f"segment_reduce.{how}",
        lambda x, k, h=how: torch.segment_reduce(x, h, lengths=k),
        f(6, "n"),
        fixed([2, 0, 3, 1]),
    )
    case(
        A,
        f"segment_reduce.offsets.{how}",
        lambda x, k, h=how: torch.segment_reduce(x, h, offsets=k, axis=1, initial=0.5),
        f(2, 6, 3),
        fixed([[0, 2, 2, 6], [0, 1, 5, 6]]),
        dynamic=False,
    )
case(A, "histc", lambda x: torch.histc(x, 7), f("n", 4))
case(A, "histc.range", lambda x: torch.histc(x, 5, -1.0, 0.5), f("n", 4))
case(A, "histc.equal", lambda x: torch.histc(x, 4), fixed([2.0, 2.0]), dynamic=False)
case(A, "histc.empty", lambda x: torch.histc(x, 4), f(0), dynamic=False)
case(A, "histc.nan", lambda x: torch.histc(x, 4, -2, 2), fixed([NAN, INF, 2.0, -2.0, 1.0]), dynamic=False)
case(A, "histogram", lambda x: torch.histogram(x, 6), f(5, 4), dynamic=False)
case(
    A,
    "histogram.density",
    lambda x, w: torch.histogram(x, 6, range=(-2.0, 2.0), weight=w, density=True),
    f(5, 4),
    pos(5, 4),
    dynamic=False,
)
case(
    A,
    "histogram.edges",
    torch.histogram,
    f(5, 4),
    fixed([-2.0, -0.5, 0.0, 0.1, 3.0]),
    dynamic=False,
)
case(A, "histogram.empty", lambda x: torch.histogram(x, 3), f(0), dynamic=False)
case(
    A,
    "histogramdd",
    lambda x, w: torch.histogramdd(x, (3, 4), weight=w, density=True),
    f(5, 2),
    pos(5),
    dynamic=False,
)
case(
    A,
    "histogramdd.edges",
    lambda x: torch.histogramdd(x, (torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([-3.0, 1.0, 1.5, 2.0]))),
    f(5, 2),
    dynamic=False,
)
case(
    A,
    "max_pool2d_backward",
    lambda g, x: torch.ops.aten.max_pool2d_with_indices_backward(
        g, x, (3, 3), (1, 2), (1, 1), (1, 1), False, F.max_pool2d(x, 3, (1, 2), 1, return_indices=True)[1]
    ),
    f("n", 2, 4, 3),
    f("n", 2, 4, 6),
)
# torch.export rejects more elements in a row: see Conversion/FXToLinalg/combinations.mlir.
case(A, "combinations", lambda x: torch.combinations(x, 1), f(5), dynamic=False)
case(
    A,
    "chunk_cat",
    lambda x, y: torch._chunk_cat([x, y], 1, 3),
    f("n", 4, 2),
    f("n", 7),
)
case(
    A,
    "masked_index_put",
    lambda x, m, j, k, v: torch.ops.aten._unsafe_masked_index_put_accumulate(x, m, [j, k], v),
    f(4, 5),
    b("n"),
    i("n", low=-6, high=6),
    i("n", low=-7, high=9),
    f("n"),
)

for order in (1, 2):
    case(A, f"gradient.{order}", lambda x, o=order: torch.gradient(x, edge_order=o), f(5, 4), dynamic=False)
    case(
        A,
        f"gradient.steps.{order}",
        lambda x, o=order: torch.gradient(x, spacing=[0.5, 3.0], dim=[1, 0], edge_order=o),
        i(5, 4),
        dynamic=False,
    )
    case(
        A,
        f"gradient.places.{order}",
        lambda x, p, o=order: torch.gradient(x, spacing=(p,), dim=1, edge_order=o),
        f(5, 4),
        fixed([-1.0, 0.5, 1.0, 4.0]),
        dynamic=False,
    )
case(A, "gradient.short", lambda x: torch.gradient(x, dim=0), f(2, 3), dynamic=False)
case(A, "gradient.nan", lambda x: torch.gradient(x, spacing=2.0), fixed([1.0, NAN, 3.0, 4.0]), dynamic=False)
case(
    A,
    "batch_norm.update",
    lambda x, w, m, v: torch.ops.aten._batch_norm_with_update(x, w, w, m, v, 0.2, 1e-3)[:3],
    f("n", 3, 4),
    f(3),
    f(3),
    pos(3),
    dynamic=False,
)
for name in ("bilinear", "bicubic"):
    for size in ((3, 9), (11, 4)):
        case(
            A,
            f"antialias.{name}.{size[0]}",
            lambda x, m=name, k=size: F.interpolate(x, k, mode=m, antialias=True),
            f("n", 2, 7, 6),
        )
    case(
        A,
        f"antialias.{name}.corners",
        lambda x, m=name: F.interpolate(x, scale_factor=0.4, mode=m, antialias=True, align_corners=True),
        f("n", 2, 7, 6),
    )
case(
    A,
    "instance_norm.update",
    lambda x, m, v: (F.instance_norm(x, m, v, momentum=0.3), m, v),
    f("n", 3, 4),
    f(3),
    pos(3),
    dynamic=False,
)
