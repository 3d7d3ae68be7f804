"""Results whose size depends on the data, embedding bags, and strided views."""

import torch
from torch.nn.functional import embedding, embedding_bag

from operators.table import INF, NAN, b, case, f, fixed, i

FEW = i("n", 4, low=0, high=3)
case("counting", "nonzero", torch.nonzero, FEW)
case("counting", "nonzero.bool", torch.nonzero, b("n", 4))
case("counting", "nonzero.nan", torch.nonzero, fixed([0.0, -0.0, NAN, INF]), dynamic=False)
case("counting", "nonzero.scalar", torch.nonzero, fixed(3.0), dynamic=False)
case("counting", "nonzero.none", lambda x: torch.nonzero(x > 100), FEW)
case("counting", "nonzero.tuple", lambda x: torch.nonzero(x, as_tuple=True), FEW)
case("counting", "argwhere", lambda x: torch.argwhere(x > 0), f("n", 4))
case(
    "counting",
    "nonzero_static",
    lambda x: torch.nonzero_static(x, size=6, fill_value=-7),
    fixed([[0, 1, 2], [3, 0, 0]]),
    dynamic=False,
)
case(
    "counting",
    "nonzero_static.short",
    lambda x: torch.nonzero_static(x, size=2),
    fixed([[0, 1, 2], [3, 0, 0]]),
    dynamic=False,
)
case("counting", "masked_select", torch.masked_select, f("n", 4), b("n", 4))
case("counting", "masked_select.broadcast", torch.masked_select, f("n", 4), b(4))
case(
    "counting",
    "masked_select.transposed",
    lambda x, m: x.t().masked_select(m.t()),
    f("n", 4),
    b("n", 4),
)
case("counting", "unique", torch.unique, FEW)
case(
    "counting",
    "unique.all",
    lambda x: torch.unique(x, return_inverse=True, return_counts=True),
    FEW,
)
case("counting", "unique.nan", torch.unique, fixed([NAN, 1.0, NAN, -INF, 1.0]), dynamic=False)
case(
    "counting",
    "unique_consecutive",
    lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
    i("n", low=0, high=2),
)
case(
    "counting",
    "repeat_interleave",
    lambda x, r: x.repeat_interleave(r, dim=0),
    f("n", 4),
    i("n", low=0, high=4),
)
case(
    "counting",
    "repeat_interleave.last",
    lambda x, r: x.repeat_interleave(r, dim=1),
    f("n", 4),
    i(4, low=0, high=4),
)
case(
    "counting",
    "repeat_interleave.flat",
    lambda x, r: x.repeat_interleave(r),
    f(2, 3),
    i(6, low=0, high=4),
    dynamic=False,
)
case(
    "counting",
    "repeat_interleave.indices",
    lambda r: torch.repeat_interleave(r),
    i("n", low=0, high=4),
)
case("counting", "bincount", torch.bincount, i("n", low=0, high=9))
case(
    "counting",
    "bincount.weights",
    lambda x, w: torch.bincount(x, w, 12),
    i("n", low=0, high=9),
    f("n"),
)

BAGS = fixed([0, 3, 3, 5])
for mode in ("sum", "mean", "max"):
    case(
        "counting",
        f"embedding_bag.{mode}",
        lambda w, x, o, m=mode: embedding_bag(x, w, o, mode=m),
        f(10, 5),
        i(7, low=0, high=10),
        BAGS,
        dynamic=False,
    )
    case(
        "counting",
        f"embedding_bag.{mode}.padding",
        lambda w, x, o, m=mode: embedding_bag(
            x, w, o, mode=m, padding_idx=-1, include_last_offset=True
        ),
        f(3, 5),
        i(5, low=0, high=3),
        BAGS,
        dynamic=False,
    )
case(
    "counting",
    "embedding_bag.rows",
    lambda w, x: embedding_bag(x, w),
    f(10, 5),
    i("n", 4, low=0, high=10),
)
case(
    "counting",
    "embedding_bag.scaled",
    lambda w, x, o, s: embedding_bag(x, w, o, mode="sum", per_sample_weights=s),
    f(10, 5),
    i(7, low=0, high=10),
    BAGS,
    f(7),
    dynamic=False,
)
for p in (2.0, 1.0, 0.0, INF, -INF):
    case(
        "counting",
        f"embedding.renorm{p}",
        lambda w, x, p=p: embedding(x, w.clone(), max_norm=1.0, norm_type=p),
        f(10, 5),
        i("n", low=0, high=10),
    )

case("counting", "as_strided", lambda x: x.as_strided((3, 2), (2, 5), 1), f(4, 4), dynamic=False)
case("counting", "as_strided.windows", lambda x: x.as_strided((5, 4), (2, 1)), f(12), dynamic=False)
case("counting", "as_strided.symbolic", lambda x: x.as_strided((x.shape[0], 3), (4, 1)), f("n", 4))
case(
    "counting",
    "as_strided_scatter",
    lambda x, y: torch.as_strided_scatter(x, y, (3, 2), (4, 1), 2),
    f(4, 4),
    f(3, 2),
    dynamic=False,
)
