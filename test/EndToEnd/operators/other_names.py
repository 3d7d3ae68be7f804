"""Aliases of operators, as an export without decompositions keeps them."""

import torch

from operators.table import case, f, i, pos, unit

aten = torch.ops.aten

UNARY = "absolute adjoint arccos arcsin arcsinh arctan arctanh fix negative".split()
for name in UNARY:
    case("other_names", name, lambda x, op=getattr(aten, name): op(x), unit("n", 4))
case("other_names", "arccosh", lambda x: aten.arccosh(x + 1), pos("n", 4))
case("other_names", "adjoint.complex",
     lambda x, y: torch.view_as_real(aten.adjoint(torch.complex(x, y)) * 2), f("n", 4), f("n", 4))
for name in "greater greater_equal less less_equal not_equal".split():
    case("other_names", name, lambda x, y, op=getattr(aten, name): (op(x, y), op(x, 1)),
         i("n", 4, high=3), i("n", 4, high=3))
BINARY = {
    "arctan2": aten.arctan2,
    "clip": lambda x, y: aten.clip(x, y, None),
    "divide": lambda x, y: (aten.divide(x, y), aten.divide(x, 3)),
    "divide.floor": lambda x, y: (aten.divide(x, y, rounding_mode="floor"),
                                  aten.divide(x, 0.3, rounding_mode="trunc")),
    "linalg_matmul": lambda x, y: aten.linalg_matmul(x, y.mT),
    "moveaxis": lambda x, y: aten.moveaxis(x[None] + y, [0, 1], [1, 2]),
    "multiply": lambda x, y: (aten.multiply(x, y), aten.multiply(x, 3)),
    "subtract": lambda x, y: (aten.subtract(x, y, alpha=2), aten.subtract(x, 3, 0.5)),
    "true_divide": lambda x, y: (aten.true_divide(x, y), aten.true_divide(x, 3)),
}
for name, op in BINARY.items():
    case("other_names", name, op, f("n", 4), pos("n", 4))
case("other_names", "native_channel_shuffle", lambda x: aten.native_channel_shuffle(x, 2),
     f(3, 6, 5, 4), dynamic=False)
case("other_names", "unsafe_split_with_sizes",
     lambda x: aten.unsafe_split_with_sizes(x, [1, 3], 1), f("n", 4))
case("other_names", "frobenius_norm", lambda x: aten.frobenius_norm.dim(x, [0, 1], True), f("n", 4))
case("other_names", "isin", lambda x: (aten.isin(x, 2), aten.isin(x, 2, invert=True)), i("n", 4))
UPSAMPLE = {
    "nearest1d": (aten.upsample_nearest1d, f(2, 3, 5), [7], []),
    "nearest2d": (aten.upsample_nearest2d, f(2, 3, 5, 4), [7, 8], []),
    "nearest3d": (aten.upsample_nearest3d, f(2, 3, 5, 4, 3), [7, 8, 4], []),
    "linear1d": (aten.upsample_linear1d, f(2, 3, 5), [7], [False]),
    "bilinear2d": (aten.upsample_bilinear2d, f(2, 3, 5, 4), [7, 8], [True]),
    "bicubic2d": (aten.upsample_bicubic2d, f(2, 3, 5, 4), [7, 8], [False]),
    "trilinear3d": (aten.upsample_trilinear3d, f(2, 3, 5, 4, 3), [7, 8, 4], [False]),
}
for name, (op, image, sizes, align) in UPSAMPLE.items():
    case("other_names", f"upsample_{name}", lambda x, op=op, s=sizes, a=align: op(x, s, *a), image,
         dynamic=False)
    # Sizes and scale factors that agree.
    case("other_names", f"upsample_{name}.factors",
         lambda x, op=op, a=align: op(x, [2 * n for n in x.shape[2:]], *a, *[2.0] * (x.dim() - 2)),
         image, dynamic=False)
