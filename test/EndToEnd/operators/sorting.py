"""Sorting, order statistics, searching."""

import torch

from operators.table import INF, NAN, b, case, f, fixed, i

MIXED = [[3.0, NAN, -INF, 1.0, 1.0, INF, NAN, -2.0], [0.0, -0.0, 5.0, 5.0, -5.0, 5.0, 2.0, 1.0]]
for name, length in {"short": 9, "long": 300, "even": 64, "odd": 65}.items():
    case("sort_search", f"sort.{name}", lambda x: torch.sort(x, -1), f("n", length))
    case(
        "sort_search",
        f"sort.{name}.first",
        lambda x: torch.sort(x, 0, descending=True),
        f(length, "n"),
    )
    case("sort_search", f"argsort.{name}", lambda x: torch.argsort(x), f("n", length))
    case(
        "sort_search",
        f"sort.{name}.ties",
        lambda x: torch.sort(x, dim=-1, stable=True),
        i("n", length, low=0, high=4),
    )
    case(
        "sort_search",
        f"sort.{name}.descending",
        lambda x: torch.sort(x, dim=-1, stable=True, descending=True),
        i("n", length, low=0, high=4, dtype=torch.int8),
    )
    case("sort_search", f"median.{name}", lambda x: torch.median(x, 1), f("n", length))
case("sort_search", "sort.dynamic", torch.sort, f(3, "n"))
case("sort_search", "sort.bool", lambda x: torch.sort(x, stable=True), b("n", 9))
case("sort_search", "msort", torch.msort, f(6, "n"))
case("sort_search", "topk", lambda x: torch.topk(x, 3), f("n", 9))
case("sort_search", "topk.smallest", lambda x: torch.topk(x, 3, 0, largest=False), f(90, "n"))
case("sort_search", "kthvalue", lambda x: torch.kthvalue(x, 3), f("n", 9))
case("sort_search", "kthvalue.keep", lambda x: torch.kthvalue(x, 3, 0, True), f(9, "n"))
case("sort_search", "median.all", torch.median, f("n", 3))
case("sort_search", "nanmedian", lambda x: torch.nanmedian(x.sqrt(), 1), f("n", 9))
for mode in ("linear", "lower", "higher", "nearest", "midpoint"):
    case(
        "sort_search",
        f"quantile.{mode}",
        lambda x, q, m=mode: torch.quantile(x, q, 1, interpolation=m),
        f("n", 9),
        fixed([0.0, 0.1, 0.5, 0.77, 1.0]),
    )
case("sort_search", "quantile.all", lambda x: torch.quantile(x, 0.3), f("n", 3))
case("sort_search", "quantile.keep", lambda x: torch.quantile(x, 0.3, 0, True), f(9, "n"))
case("sort_search", "nanquantile", lambda x: torch.nanquantile(x.sqrt(), 0.3, 1), f("n", 9))
case("sort_search", "searchsorted", torch.searchsorted, fixed([-1.0, 0.0, 0.0, 2.0]), f("n", 3))
case(
    "sort_search",
    "searchsorted.right",
    lambda s, x: torch.searchsorted(s, x, right=True),
    fixed([0, 1, 1, 3]),
    i("n", 3, low=-1, high=5),
)
# A number has the dtype of the sequence: in f32 it would be greater than the second element.
case(
    "sort_search",
    "searchsorted.number",
    lambda s: torch.searchsorted(s, 0.2),
    fixed(torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)),
)
case("sort_search", "bucketize", torch.bucketize, f("n", 3), fixed([-1.0, 0.0, 2.0]))
case("sort_search", "isin", torch.isin, i("n", 3), fixed([1, 2, -3]))
for name, op in {
    "sort": lambda x: torch.sort(x, dim=1, stable=True),
    "sort.descending": lambda x: torch.sort(x, dim=1, descending=True, stable=True),
    "median": lambda x: torch.median(x, 1).values,
    "nanmedian": lambda x: torch.nanmedian(x, 1).values,
    "quantile": lambda x: torch.quantile(x, 0.4, 1),
    "kthvalue": lambda x: torch.kthvalue(x, 7, 1).values,
    "cummax": lambda x: torch.cummax(x, 1),
    "cummin": lambda x: torch.cummin(x, 1),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 1),
}.items():
    case("sort_search_edge", f"{name}.special", op, fixed(MIXED), dynamic=False)
case("sort_search_edge", "sort.empty", lambda x: torch.sort(x, 1), f(3, 0), dynamic=False)
case("sort_search_edge", "sort.0d", torch.sort, f(), dynamic=False)
for name, x in {"int": i("n", 9, low=0, high=4), "float": f("n", 4), "bool": b("n", 5)}.items():
    case("sort_search", f"mode.{name}", lambda x: torch.mode(x), x)
    case("sort_search", f"mode.{name}.keep", lambda x: torch.mode(x, 0, keepdim=True).values, x)
case("sort_search", "mode.0d", torch.mode, i(), dynamic=False)
