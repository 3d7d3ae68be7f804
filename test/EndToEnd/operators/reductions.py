"""Reductions, scans, sorting."""

import torch

from operators.table import INF, NAN, b, case, f, fixed, i

REDUCE = {
    "sum": torch.sum,
    "mean": torch.mean,
    "amax": torch.amax,
    "amin": torch.amin,
    "prod": torch.prod,
    "var": torch.var,
    "std": torch.std,
    "logsumexp": torch.logsumexp,
    "norm": lambda x, *a, **k: torch.linalg.vector_norm(x, 2, *a, **k),
    "all": lambda x, *a, **k: torch.all(x > -1, *a, **k),
    "any": lambda x, *a, **k: torch.any(x > 1, *a, **k),
}
for name, op in REDUCE.items():
    case("reductions", f"{name}.last", lambda x, op=op: op(x, -1), f("n", 4))
    case("reductions", f"{name}.first", lambda x, op=op: op(x, 0), f("n", 4))
    case(
        "reductions", f"{name}.keep", lambda x, op=op: op(x, 1, keepdim=True), f("n", 3, 4)
    )
    case("reductions", f"{name}.strided", lambda x, op=op: op(x.t(), 0), f("n", 4))
    if name != "prod":
        case("reductions", f"{name}.two", lambda x, op=op: op(x, (0, 2)), f("n", 3, 4))
    if name != "logsumexp":
        case("reductions", f"{name}.full", lambda x, op=op: op(x), f("n", 4))
    if name not in ("amax", "amin", "logsumexp"):
        case("reductions_edge", f"{name}.empty", lambda x, op=op: op(x, 1), f(3, 0), dynamic=False)
    case("reductions_edge", f"{name}.none", lambda x, op=op: op(x, 1), f(0, 3), dynamic=False)
    case("reductions_edge", f"{name}.0d", lambda x, op=op: op(x, 0), f(), dynamic=False)
    case(
        "reductions_edge",
        f"{name}.special",
        lambda x, op=op: op(x, 1),
        fixed([[1.0, NAN, 2.0], [INF, 1.0, -1.0], [INF, -INF, 0.0], [-INF, -INF, -INF]]),
        dynamic=False,
    )
case("reductions_edge", "var.nothing", lambda x: (x.var(), x.flatten() + 1), f(0, "n"))
case("reductions", "sum.int", lambda x: x.sum(0), i("n", 4))
case("reductions", "sum.bool", lambda x: x.sum(1), b("n", 4))
case("reductions", "sum.dtype", lambda x: x.sum(1, dtype=torch.float64), f("n", 4))
case("reductions", "var.population", lambda x: x.var(1, correction=0), f("n", 4))
case("reductions", "var_mean", lambda x: torch.var_mean(x, 1), f("n", 4))
case("reductions", "norm.1", lambda x: torch.linalg.vector_norm(x, 1, 1), f("n", 4))
case("reductions", "norm.inf", lambda x: torch.linalg.vector_norm(x, INF, 1), f("n", 4))
case("reductions", "max.dim", lambda x: torch.max(x, 1), f("n", 4))
case("reductions", "min.dim", lambda x: torch.min(x, 0), f("n", 4))
case("reductions", "max.full", torch.max, f("n", 4))
case(
    "reductions",
    # The index of a number that flush-to-zero in the conversion of bf16 would turn into zero.
    "min.subnormal_index",
    lambda x: (torch.min(x, 1)[1], torch.max(x, 1)[1], x.argmin(0)),
    fixed(torch.tensor([[1.5, -2.9e-39, 3.0], [-2.9e-39, -1.0, -5e-39]] * 9).to(torch.bfloat16)),
    dynamic=False,
)
case("reductions", "min.full", torch.min, f("n", 4))
case("reductions", "argmax", lambda x: x.argmax(1), f("n", 4))
case("reductions", "argmin", lambda x: x.argmin(0, keepdim=True), f("n", 4))
case("reductions", "argmax.full", lambda x: x.argmax(), f("n", 4))
case("reductions", "cumsum", lambda x: x.cumsum(1), f("n", 4))
case("reductions", "cumsum.first", lambda x: x.cumsum(0), f("n", 4))
case("reductions", "cumsum.int", lambda x: x.cumsum(0), i("n", 4))
case("reductions", "cumsum.bool", lambda x: x.cumsum(-1), b("n", 4))
case("reductions", "cumprod", lambda x: x.cumprod(1), f("n", 4))
case("reductions", "softmax", lambda x: x.softmax(-1), f("n", 4))
case("reductions", "softmax.first", lambda x: x.softmax(0), f("n", 4))
case("reductions", "softmax.middle", lambda x: x.softmax(1), f("n", 3, 4))
case("reductions", "log_softmax", lambda x: x.log_softmax(-1), f("n", 4))
case("reductions", "softmax.f64", lambda x: x.softmax(-1, dtype=torch.float64), f("n", 4))
case(
    "reductions_edge",
    "softmax.masked",
    lambda x: x.softmax(-1),
    fixed([[1.0, -INF, 2.0], [-INF, -INF, -INF], [NAN, 0.0, 1.0], [1e4, -1e4, 0.0]]),
    dynamic=False,
)
case("reductions_edge", "softmax.0d", lambda x: x.softmax(0), f(), dynamic=False)
case("reductions_edge", "softmax.empty", lambda x: x.softmax(1), f(0, 3), dynamic=False)
case("reductions_edge", "cumsum.0d", lambda x: x.cumsum(0), f(), dynamic=False)
case("reductions_edge", "cumsum.empty", lambda x: x.cumsum(0), f(0, 3), dynamic=False)
case(
    "reductions_edge",
    "argmax.nan",
    lambda x: (x.argmax(1), x.argmin(1), *x.max(1)),
    fixed([[1.0, NAN, 2.0], [2.0, 2.0, 1.0], [-INF, -INF, -INF]]),
    dynamic=False,
)
case("sorting", "topk", lambda x: x.topk(2), f("n", 4))
case("sorting", "sort", lambda x: x.sort(1), f("n", 4))
case("sorting", "sort.down", lambda x: x.sort(0, descending=True), f("n", 4))
case("sorting", "argsort", lambda x: x.argsort(-1), f("n", 4))
