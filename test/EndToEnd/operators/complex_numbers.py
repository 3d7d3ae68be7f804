"""Complex tensors: their parts, arithmetic, and operators that move elements."""

import torch

from operators.table import b, case, f, fixed, i

INF = float("inf")
Z = torch.complex64


def z(*dims, dtype=Z):
    """Standard normal values in both parts."""
    inner = f(*dims)

    def make(shape, generator):
        return torch.randn(shape, generator=generator, dtype=dtype)

    return type(inner)(dims, make)


C = "complex"
case(C, "complex", torch.complex, f("n", 4), f("n", 4))
case(C, "complex.broadcast", torch.complex, f("n", 4), f(4))
case(C, "polar", torch.polar, f("n", 4), f("n", 4))
case(
    C,
    "polar.double",
    torch.polar,
    f(3, dtype=torch.float64),
    f(3, dtype=torch.float64),
    dynamic=False,
)
case(C, "view_as_complex", lambda x: torch.view_as_complex(x), f("n", 3, 2))
case(C, "view_as_real", lambda x: torch.view_as_real(x), z("n", 3))
case(C, "view_as_real.0d", lambda x: torch.view_as_real(x), z(), dynamic=False)
case(C, "view_as_real.empty", lambda x: torch.view_as_real(x), z(0, 3), dynamic=False)
case(C, "real", lambda x: torch.real(x) + 1, z("n", 3))
case(C, "imag", lambda x: torch.imag(x) + 1, z("n", 3))
case(C, "conj_physical", lambda x: torch.conj_physical(x), z("n", 3))
case(C, "mul", lambda x, y: x * y, z("n", 3), z(3))
case(C, "mul.real", lambda x, y: x * y, z("n", 3), f("n", 3))
case(C, "mul.real_left", lambda x, y: y * x, z("n", 3), f("n", 3))
case(C, "mul.number", lambda x: x * 2.5, z("n", 3))
case(
    C,
    "mul.double",
    lambda x, y: x * y,
    z(3, dtype=torch.complex128),
    z(3, dtype=torch.complex128),
    dynamic=False,
)
case(C, "div", lambda x, y: x / y, z("n", 3), z("n", 3))
case(C, "div.real", lambda x, y: x / y, z("n", 3), f("n", 3))
case(C, "div.of_real", lambda x, y: x / y, f("n", 3), z("n", 3))
case(
    C,
    "div.large",
    lambda x, y: x / y,
    fixed([1e30 + 1e30j, 2 + 1j]),
    fixed([1e30 + 2e30j, 1e-30 + 1e-30j]),
    dynamic=False,
)
case(C, "add", lambda x, y: x + y, z("n", 3), z(3))
case(C, "add.real", lambda x, y: x + y, z("n", 3), f("n", 3))
case(C, "sub.of_real", lambda x, y: torch.sub(x, y, alpha=2), f("n", 3), z("n", 3))
case(C, "neg", lambda x: -x, z("n", 3))
case(C, "abs", torch.abs, z("n", 3))
case(
    C,
    "abs.large",
    torch.abs,
    fixed([3e38 + 0j, 1e30 + 1e30j, 1e-30 + 1e-30j, 0j, complex(INF, 1), complex(1, -INF)]),
    dynamic=False,
)
case(C, "angle", torch.angle, z("n", 3))
case(C, "sum", lambda x: x.sum(0), z("n", 3))
case(C, "mean", lambda x: x.mean(-1), z("n", 3))
case(C, "views", lambda x: x.transpose(0, 1).unsqueeze(1)[1:, :, :2].reshape(-1), z("n", 3))
case(C, "cat", lambda x, y: torch.cat([x, y * 2, x], 1), z("n", 3), z("n", 2))
case(C, "index", lambda x, k: x[:, k], z("n", 5), i(4, low=-5, high=5))
case(C, "to_complex", lambda x: (x.to(Z) * 2).to(torch.complex128), f("n", 3))
case(C, "unsupported", lambda x, y: (torch.tan(x) * y).real, z("n", 3), z("n", 3), fallback="tan")
case(
    C,
    "rotary",
    lambda x, t: torch.view_as_real(
        torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(t), t)
    ).flatten(-2),
    f("n", 4, 6),
    f(4, 3),
)

NAN = float("nan")
#: All combinations of special real and imaginary parts.
ODD = fixed(
    [
        complex(a, b)
        for a in (0.0, -0.0, 1.5, -2.0, INF, -INF, NAN)
        for b in (0.0, -0.0, 2.5, INF, -INF, NAN)
    ]
)
case(C, "odd.abs", torch.abs, ODD, dynamic=False)
case(C, "odd.angle", torch.angle, ODD, dynamic=False)
case(C, "odd.neg", lambda x: -x, ODD, dynamic=False)
case(C, "odd.mul", lambda x: x * x.flip(0), ODD, dynamic=False)
case(C, "odd.mul_number", lambda x: x * 2.5, ODD, dynamic=False)
case(C, "odd.mul_complex_number", lambda x: x * (1.5 - 2j), ODD, dynamic=False)
case(C, "odd.sub", lambda x: torch.sub(x, x.flip(0), alpha=2), ODD, dynamic=False)
case(C, "odd.add_real", lambda x: x + x.real.flip(0), ODD, dynamic=False)
case(C, "odd.mul_real", lambda x: x * x.real, ODD, dynamic=False)
case(C, "odd.add", lambda x: x + x.flip(0), ODD, dynamic=False)
case(C, "odd.div", lambda x: x / x.flip(0), ODD, dynamic=False)
case(C, "odd.div_outer", lambda x: x[:, None] / x[None], ODD, dynamic=False)
case(C, "odd.div_real", lambda x: x / x.real, ODD, dynamic=False)
case(C, "odd.div_number", lambda x: x / 2.5, ODD, dynamic=False)
case(C, "odd.of_real", lambda x: x.real / x, ODD, dynamic=False)
case(C, "odd.polar", lambda x: torch.polar(x.real, x.imag), ODD, dynamic=False)
case(C, "pad", lambda x: torch.nn.functional.pad(x, (1, 2)), z("n", 3))
case(C, "sigmoid", torch.sigmoid, z("n", 3, dtype=torch.complex128))
case(C, "silu", torch.nn.functional.silu, z("n", 3, dtype=torch.complex128))

# Real and complex operands: the imaginary part of a real operand is 0.
D = torch.complex128
WIDE = torch.float64
for name, real in {"f": f("n", 3), "i": i("n", 3), "b": b("n", 3), "d": f("n", 3, dtype=WIDE)}.items():
    case(C, f"cat.{name}_first", lambda x, y: torch.cat([x, y, x], 0), real, z("n", 3))
    case(C, f"cat.{name}_last", lambda x, y: torch.cat([y, x], 1), real, z("n", 2))
    case(C, f"stack.{name}", lambda x, y: torch.stack([x, y, x], 1), real, z("n", 3))
case(C, "cat.twice", lambda x, y: torch.cat([x, y, x], 0) * x.sum(), f("n", 3), z("n", 3))
case(C, "cat.wide", lambda x, y: torch.cat([x, y], 0), z("n", 3, dtype=D), f("n", 3))
case(C, "sum.dtype", lambda x: x.sum(0, dtype=Z), f("n", 3))
case(C, "sum.dtype_all", lambda x: x.sum(dtype=Z), i("n", 3))
case(C, "mean.dtype", lambda x: x.mean(0, dtype=Z), f("n", 3), dynamic=False)
case(C, "to_bool", lambda x: x.to(torch.bool), ODD, dynamic=False)
case(C, "to_complex.bool", lambda x: x.to(Z), b("n", 3))
case(C, "to_real", lambda x: x.to(WIDE), z("n", 3))
for name, op in {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}.items():
    case(C, f"promoted.{name}.int", op, z("n", 3), i("n", 3, low=1))
    case(C, f"promoted.{name}.of_int", op, i("n", 3), z("n", 3))
    case(C, f"promoted.{name}.wide", op, f("n", 3, dtype=WIDE), z("n", 3))
    case(C, f"promoted.{name}.0d", op, f("n", 3), z())
    case(C, f"promoted.{name}.wide_0d", op, f("n", 3), z(dtype=D))
    case(C, f"promoted.{name}.0d_first", op, z(), f("n", 3))
    case(C, f"promoted.{name}.number", lambda x, op=op: op(x, 1.5 - 2j), f("n", 3))
    case(C, f"promoted.{name}.number_wide", lambda x, op=op: op(x, 1.5 - 2j), f("n", 3, dtype=WIDE))
    case(C, f"promoted.{name}.number_int", lambda x, op=op: op(x, 1.5 - 2j), i("n", 3))
case(C, "where.real", torch.where, b("n", 3), f("n", 3), z("n", 3))
case(C, "full", lambda x: torch.full((2, 3), 2.5 - 1j) + x, f())
case(
    C,
    "masked_fill.number",
    lambda x, m: x.masked_fill(m, 2.5 - 1j),
    z("n", 3),
    b("n", 3),
)
case(
    C,
    "index_put.real",
    lambda x, k, y: torch.index_put(x, (k,), y.to(Z)),
    z("n", 3),
    i(2, low=0, high=2),
    f(2, 3),
)


def _write(x, y):
    x = x * 1
    x[:, 1:] = y
    return x


case(C, "slice.real", _write, z("n", 3), f("n", 2))


# Factories and fills: a real number has no imaginary part.
case(C, "ones", lambda x: x + torch.ones(3, dtype=Z), z("n", 3))
case(C, "ones_like", lambda x: x + torch.ones_like(x), z("n", 3))
case(C, "eye", lambda x: x + torch.eye(3, dtype=Z), f(3))
case(C, "full_like", lambda x: x * torch.full_like(x, 2.5), z("n", 3))
case(C, "full_like.number", lambda x: x * torch.full_like(x, 2.5 - 1j), z("n", 3))
case(C, "full_like.real", lambda x: torch.full_like(x, 2.5, dtype=torch.float32), z("n", 3))
case(C, "zeros_like.bool", lambda x: torch.zeros_like(x, dtype=torch.float64), z("n", 3))
case(C, "fill.number", lambda x: x.clone().fill_(1 - 2j) + x, z("n", 3))
case(C, "fill.real", lambda x: x.clone().fill_(3) + x, z("n", 3))
case(C, "masked_fill.real", lambda x, m: x.masked_fill(m, 2.5), z("n", 3), b("n", 3))
case(C, "index_fill", lambda x: x.index_fill(1, torch.tensor([0, 2]), 1 - 2j), z("n", 3))
case(C, "index_fill.real", lambda x: x.index_fill(1, torch.tensor([0, 2]), 4), z("n", 3))
case(C, "where.number", lambda m, x: torch.where(m, x, 2.5), b("n", 3), z("n", 3))
case(C, "pad.value", lambda x: torch.nn.functional.pad(x, (1, 2), value=1.5), z("n", 3))
case(C, "copy.number", lambda x: torch.ops.aten.copy.default(x, 1) + x, z("n", 3))
case(C, "copy.to_real", lambda x, y: torch.ops.aten.copy.default(y, x), z("n", 3), f("n", 3))
case(C, "copy.to_bool", lambda x: torch.ops.aten.copy.default(x.real > 0, x), ODD, dynamic=False)
case(C, "scatter.value", lambda x, k: torch.scatter(x, 0, k, 0.5), z(4), i(2, low=0, high=4))
for value in 0.5, 1 - 2j:
    case(
        C,
        f"scatter.value_reduce.{value}",
        lambda x, k, v=value: torch.scatter(x, 0, k, v, reduce="add"),
        z(4),
        i(1, low=0, high=4),
    )
for reduce in "sum", "mean":
    for include in True, False:
        case(
            C,
            f"scatter_reduce.{reduce}.{include}",
            lambda x, k, y, r=reduce, i=include: x.scatter_reduce(0, k, y, r, include_self=i),
            z(4),
            i(6, low=0, high=4),
            z(6),
        )

# Numbers as factors, and operators that move elements.
case(C, "add.alpha", lambda x, y: torch.add(x, y, alpha=1.5 - 2j), z("n", 3), z("n", 3))
case(C, "sub.alpha", lambda x, y: torch.sub(x, y, alpha=1.5 - 2j), z("n", 3), f("n", 3))
case(C, "sub.scalar", lambda x: torch.ops.aten.sub.Scalar(x, 1 + 2j, 1 - 2j), z("n", 3))
case(C, "rsub", lambda x: torch.rsub(x, 1 + 2j), z("n", 3))
case(C, "div.mode", lambda x: torch.div(x, 2, rounding_mode=None), z("n", 3))
case(C, "mT", lambda x: x.mT * 1, z("n", 3))
case(C, "mH", lambda x: x.mH * 1, z("n", 3))
case(C, "row_stack", lambda x: torch.row_stack([x, x.real]), z("n", 3))
case(C, "view_copy", lambda x: torch.view_copy(x, [-1]), z("n", 3))
case(C, "cumsum", lambda x: x.cumsum(1), z("n", 3))

# Comparisons, logical operators and functions.
case(C, "eq", lambda x: (x == x.flip(0), x == x.clone()), ODD, dynamic=False)
case(C, "ne.number", lambda x: x != 1 + 1j, ODD, dynamic=False)
case(C, "eq.real", lambda x: x == x.real, ODD, dynamic=False)
for test in torch.isnan, torch.isinf, torch.isfinite, torch.logical_not, torch.any, torch.all:
    case(C, f"{test.__name__}", test, ODD, dynamic=False)
case(C, "logical_and", lambda x: torch.logical_and(x, x.real), ODD, dynamic=False)
case(C, "count_nonzero", lambda x: torch.count_nonzero(x), ODD, dynamic=False)
for function in torch.exp, torch.exp2, torch.square, torch.reciprocal:
    case(C, function.__name__, function, z("n", 3))
    case(C, f"{function.__name__}.wide", function, z("n", 3, dtype=D))
for power in -1, 1, 2, 3:
    case(C, f"pow.{power}", lambda x, n=power: x.pow(n), z("n", 3))
