"""Complex tensors: their parts, arithmetic, and what moves elements."""

import torch

from operators.table import case, f, fixed, i

INF = float("inf")
Z = torch.complex64


def z(*dims, dtype=Z):
    """Standard normal, in both parts."""
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
case(C, "unsupported", lambda x, y: (torch.exp(x) * y).real, z("n", 3), z("n", 3), fallback="exp")
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
#: Parts of every kind beside parts of every kind.
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
