"""Special functions, and less common binary functions."""

import torch
from torch import special

from operators.table import INF, NAN, case, f, fixed, i, pos, unit

EDGES = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -2.5, 17.3, -7.7]
EDGES += [20.0, 30.5, -30.5, 80.0, 1e-6, -1e-6, 9.999, 10.001]
UNARY = {
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "polygamma1": lambda x: torch.polygamma(1, x),
    "erfinv": torch.erfinv,
    "i0": torch.i0,
    "i1": special.i1,
    "i0e": special.i0e,
    "i1e": special.i1e,
    "entr": special.entr,
    "sinc": torch.sinc,
    "spherical_bessel_j0": special.spherical_bessel_j0,
    "logit": torch.logit,
    "angle": torch.angle,
    "nan_to_num": torch.nan_to_num,
}
for name, op in UNARY.items():
    case("special", name, op, f("n", 9))
    case("special", f"{name}.double", op, f("n", 9, dtype=torch.float64))
    # Near its poles eager's float32 result is only rounding error.
    if name != "polygamma1":
        case("special_edge", f"{name}.edges", op, fixed(EDGES), dynamic=False)
for order in (2, 3, 4):
    case("special", f"polygamma{order}", lambda x, k=order: torch.polygamma(k, x), f("n", 9))
# Left of the pole at 0, one value per case, since the results differ by orders of magnitude.
for x in (-1e-9, -1e-20, -1e-37):
    for name, op in (("lgamma", torch.lgamma), ("digamma", torch.digamma)):
        case("special_edge", f"{name}.{x}", op, fixed([x]), dynamic=False)
case("special", "mvlgamma", lambda x: torch.mvlgamma(x + 2, 3), pos("n", 9))
case("special", "logit.eps", lambda x: torch.logit(x, 0.1), unit("n", 9))
case("special", "round.decimals", lambda x: torch.round(x, decimals=2), f("n", 9))
case("special", "round.tens", lambda x: torch.round(100 * x, decimals=-1), f("n", 9))

BINARY = {
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "heaviside": torch.heaviside,
    "xlogy": torch.xlogy,
    "xlog1py": special.xlog1py,
    "nextafter": torch.nextafter,
    "float_power": torch.float_power,
    "isclose": torch.isclose,
}
LEFT = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1.0, 0.0, INF, -INF, 3e38, 1e-45, 2.5]
RIGHT = [0.0, 1.0, NAN, -0.0, NAN, 1.0, 2.0, INF, -INF, INF, -INF, 3e38, -1e-45, 2.5]
for name, op in BINARY.items():
    case("special", name, op, f("n", 4), f("n", 1))
    case("special_edge", f"{name}.edges", op, fixed(LEFT), fixed(RIGHT), dynamic=False)
case("special", "gcd", torch.gcd, i("n", 7, low=-60, high=60), i("n", 7, low=-60, high=60))
case("special", "lcm", torch.lcm, i("n", 7, low=-60, high=60), i("n", 7, low=-60, high=60))
case(
    "special_edge",
    "gcd.large",
    torch.gcd,
    fixed([7540113804746346429, 0, -12, 2**62]),
    fixed([4660046610375530309, 0, 0, -(2**61)]),
    dynamic=False,
)
case("special", "ldexp", torch.ldexp, f("n", 7), i("n", 7))
case("special", "frexp", torch.frexp, f("n", 7))
case("special_edge", "frexp.edges", torch.frexp, fixed(LEFT), dynamic=False)
case("special", "copysign.scalar", lambda x: torch.copysign(x, -2.0), f("n", 7))
case("special", "ndtri", lambda x: special.ndtri((x + 1) / 2), unit("n", 9))
case("special", "erfcx", special.erfcx, f("n", 9))
case("special", "log_ndtr", special.log_ndtr, f("n", 9))

# Aliases of operators that other tables test. An export keeps them.
for name in ("erf", "erfc", "exp2", "expit", "expm1"):
    case("special", name, getattr(special, name), f("n", 9))
case("special", "log1p", lambda x: special.log1p(x.abs()), f("n", 9))
case("special", "round", lambda x: special.round(x * 9, decimals=1), f("n", 9))
case("special", "logsumexp", lambda x: special.logsumexp(x, (-1,), keepdim=True), f("n", 9))
case("special", "softmax", lambda x: special.softmax(x, 0), f("n", 9))
case("special", "softmax.dtype", lambda x: special.softmax(x, 1, dtype=torch.float64), f("n", 9))
case("special", "log_softmax", lambda x: special.log_softmax(x, -1), f("n", 9))
case(
    "special",
    "log_softmax.dtype",
    lambda x: special.log_softmax(x, -1, dtype=torch.float64),
    f("n", 9),
)

#: Each function is tested where its formula changes, and at its poles.
BESSEL = {
    "bessel_j0": special.bessel_j0,
    "bessel_j1": special.bessel_j1,
    "bessel_y0": special.bessel_y0,
    "bessel_y1": special.bessel_y1,
    "modified_bessel_k0": special.modified_bessel_k0,
    "modified_bessel_k1": special.modified_bessel_k1,
    "scaled_modified_bessel_k0": special.scaled_modified_bessel_k0,
    "scaled_modified_bessel_k1": special.scaled_modified_bessel_k1,
    "airy_ai": special.airy_ai,
}
PLACES = torch.cat([torch.linspace(-9, 40, 197), torch.tensor([0.0, 1e-6, 12.999, 13.001, 100.0])])
for name, op in BESSEL.items():
    case("special", name, op, pos("n", 9))
    case("special_edge", f"{name}.places", op, fixed(PLACES), dynamic=False)
    # Outside of this range eager's float64 is accurate only to about 1e-7.
    within = (PLACES > -2.25) & (PLACES < (5 if name.startswith("bessel_j") else 41))
    exact = PLACES[within].double()
    case("special_edge", f"{name}.exact", op, fixed(exact), dynamic=False)
ORDERS = [1.5, 2.0, 3.0, 7.5, 1.0, 0.5, 2.0, 2.0, 30.0, NAN]
BASES = [1.0, 0.25, 2.5, 11.0, 2.0, 2.0, -2.5, -3.0, 4.0, 1.0]
case("special", "zeta", lambda x, q: special.zeta(x + 1.1, q), pos("n", 9), pos("n", 9))
case("special_edge", "zeta.edges", special.zeta, fixed(ORDERS), fixed(BASES), dynamic=False)
GAMMA_PLACES = [0.0, 1e-3, 0.5, 1.0, 2.0, 3.5, 20.0, 21.5, 150.0, 1e4, INF, NAN, -1.0]
for name in ("igamma", "igammac"):
    case(
        "special",
        name,
        lambda a, x, op=getattr(torch, name): op(a, x),
        fixed([[x] for x in GAMMA_PLACES]),
        fixed(GAMMA_PLACES),
        dynamic=False,
    )
    case("special", f"{name}.random", lambda a, x, op=getattr(torch, name): op(a, x), pos("n", 4), pos(4))
