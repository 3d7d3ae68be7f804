"""Factorizations of matrices, and the systems that they solve."""

import torch
from torch import linalg

from operators.table import case, f, fixed

D = torch.float64


def square(*dims, dtype=torch.float32):
    """Matrices that are far from singular, with pivots off the diagonal."""
    inner = f(*dims, dtype=dtype)

    def make(shape, generator):
        x = inner.make(shape, generator)
        return x + 4 * torch.eye(shape[-1], dtype=dtype).roll(1, -1)

    return type(inner)(dims, make)


def definite(x):
    return x @ x.mT + torch.eye(x.shape[-1], dtype=x.dtype)


case("factorizations", "inv", linalg.inv, square("n", 4, 4))
case("factorizations", "inv.double", linalg.inv, square(5, 5, dtype=D), dynamic=False)
case(
    "factorizations",
    "inv_ex.singular",
    linalg.inv_ex,
    fixed([[1.0, 0.5], [0.0, 2.0]]),
    dynamic=False,
)
case("factorizations", "inv.batches", linalg.inv, square(2, 3, 4, 4), dynamic=False)
case("factorizations", "det", linalg.det, square("n", 4, 4))
case("factorizations", "det.singular", linalg.det, fixed([[1.0, 2.0], [2.0, 4.0]]), dynamic=False)
case("factorizations", "det.empty", linalg.det, f(0, 3, 3), dynamic=False)
case("factorizations", "slogdet", linalg.slogdet, square("n", 4, 4))
case(
    "factorizations",
    "slogdet.singular",
    linalg.slogdet,
    fixed([[0.0, 2.0], [0.0, 4.0]]),
    dynamic=False,
)
case("factorizations", "logdet", torch.logdet, f("n", 3, 3))
case("factorizations", "solve", linalg.solve, square("n", 4, 4), f("n", 4, 3))
case("factorizations", "solve.vector", linalg.solve, square(4, 4), f(4), dynamic=False)
case("factorizations", "solve.vectors", linalg.solve, square(2, 4, 4), f(2, 4), dynamic=False)
case("factorizations", "solve.broadcast", linalg.solve, square(4, 4), f(3, 4, 2), dynamic=False)
case(
    "factorizations",
    "solve.right",
    lambda a, b: linalg.solve(a, b, left=False),
    square(4, 4),
    f(3, 4),
    dynamic=False,
)
case("factorizations", "lu_factor", linalg.lu_factor, square(2, 4, 4), dynamic=False)
case("factorizations", "lu_factor.tall", linalg.lu_factor_ex, f(5, 3), dynamic=False)
case("factorizations", "lu_factor.wide", linalg.lu_factor, f(3, 5), dynamic=False)
case("factorizations", "cholesky", lambda x: linalg.cholesky(definite(x)), f("n", 4, 4))
case(
    "factorizations",
    "cholesky.upper",
    lambda x: linalg.cholesky(definite(x), upper=True),
    f(2, 3, 4, 4),
    dynamic=False,
)
case(
    "factorizations",
    "cholesky_solve",
    lambda b, x: torch.cholesky_solve(b, definite(x).tril()),
    f(4, 2),
    f(4, 4),
    dynamic=False,
)
case(
    "factorizations",
    "cholesky_inverse",
    lambda x: torch.cholesky_inverse(definite(x).triu(), upper=True),
    f(4, 4),
    dynamic=False,
)
for upper in (False, True):
    for left in (False, True):
        case(
            "factorizations",
            f"solve_triangular.{'upper' if upper else 'lower'}.{'left' if left else 'right'}",
            lambda a, b, u=upper, s=left: linalg.solve_triangular(a, b, upper=u, left=s),
            square(4, 4),
            f(2, 4, 4),
            dynamic=False,
        )
case(
    "factorizations",
    "triangular_solve",
    lambda b, a: torch.triangular_solve(b, definite(a), transpose=True).solution,
    f("n", 4, 2),
    f("n", 4, 4),
)
case("factorizations", "lu", linalg.lu, square(2, 4, 4), dynamic=False)
case("factorizations", "lu.tall", linalg.lu, f(5, 3), dynamic=False)
case("factorizations", "lu.wide", linalg.lu, f(3, 5), dynamic=False)
case(
    "factorizations",
    "lu_unpack",
    lambda x: torch.lu_unpack(*linalg.lu_factor(x)),
    square(2, 4, 4),
    dynamic=False,
)
case(
    "factorizations",
    "tensorinv",
    lambda x: linalg.tensorinv(x.view(2, 2, 4)),
    square(4, 4),
    dynamic=False,
)
for mode in ("reduced", "complete", "r"):
    for name, dims in {"tall": ("n", 5, 3), "wide": (3, 5), "square": (2, 2, 4, 4)}.items():
        case(
            "factorizations",
            f"qr.{name}.{mode}",
            lambda x, m=mode: linalg.qr(x, mode=m),
            f(*dims),
            dynamic="n" in dims,
        )
case("factorizations", "qr.double", linalg.qr, f(4, 3, dtype=D), dynamic=False)
case("factorizations", "qr.empty", linalg.qr, f(0, 4, 3), dynamic=False)
# A first column that needs no reflection, and numbers whose squares overflow.
case(
    "factorizations",
    "qr.edge",
    linalg.qr,
    fixed([[[2.0, 1.0], [0.0, 3.0], [0.0, 4.0]], [[3e20, 1.0], [4e20, 2.0], [0.0, 5.0]]]),
    dynamic=False,
)
case("factorizations", "geqrf", torch.geqrf, f(2, 5, 3), dynamic=False)
case(
    "factorizations",
    "householder_product",
    lambda x: linalg.householder_product(*torch.geqrf(x)),
    f(2, 5, 3),
    dynamic=False,
)
for left in (False, True):
    for transpose in (False, True):
        case(
            "factorizations",
            f"ormqr.{left}.{transpose}",
            lambda x, y, s=left, t=transpose: torch.ormqr(*torch.geqrf(x), y, s, t),
            f(2, 4, 3),
            f(2, 4, 4),
            dynamic=False,
        )
for left in (False, True):
    for adjoint in (False, True):
        case(
            "factorizations",
            f"lu_solve.{left}.{adjoint}",
            lambda a, b, s=left, t=adjoint: linalg.lu_solve(
                *linalg.lu_factor(a), b, left=s, adjoint=t
            ),
            square("n", 4, 4),
            f("n", 4, 4),
        )
case(
    "factorizations",
    "lu_solve.broadcast",
    lambda a, b: torch.lu_solve(b, *linalg.lu_factor(a)),
    square(4, 4),
    f(3, 4, 2),
    dynamic=False,
)
case(
    "factorizations",
    "tensorsolve",
    lambda a, b: linalg.tensorsolve(a.view(2, 3, 6), b),
    square(6, 6),
    f(2, 3),
    dynamic=False,
)
case(
    "factorizations",
    "tensorsolve.dims",
    lambda a, b: linalg.tensorsolve(a.view(2, 3, 6).permute(2, 0, 1), b, dims=(0,)),
    square(6, 6),
    f(2, 3),
    dynamic=False,
)
case("factorizations", "matrix_power.inverse", lambda x: linalg.matrix_power(x, -2), square("n", 3, 3))
case("factorizations", "vander", lambda x: linalg.vander(x, N=70), f("n", dtype=D))
case("factorizations", "vander.int", lambda x: linalg.vander(x), fixed([3, -2, 5]), dynamic=False)
case("factorizations", "vander.0d", lambda x: linalg.vander(x, N=3), f(), dynamic=False)

LOW_RANK = fixed([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
for name, x in {
    "tall": f("n", 5, 3),
    "wide": f("n", 3, 5),
    "low_rank": LOW_RANK,
    "zero": fixed([[0.0, 0.0], [0.0, 0.0]]),
    "large": fixed([[3e30, 1e30], [1e30, 2e30]]),
}.items():
    dynamic = "n" in x.dims
    case("singular", f"svdvals.{name}", linalg.svdvals, x, dynamic=dynamic)
    case("singular", f"pinv.{name}", linalg.pinv, x, dynamic=dynamic)
    case("singular", f"rank.{name}", linalg.matrix_rank, x, dynamic=dynamic)
    # The smallest singular value of a singular matrix is LAPACK's rounding error.
    for order in (2, "nuc") if name == "low_rank" else (2, -2, "nuc"):
        case(
            "singular",
            f"norm.{order}.{name}",
            lambda x, p=order: linalg.matrix_norm(x, p),
            x,
            dynamic=dynamic and order == "nuc",
        )
case("singular", "svdvals.double", linalg.svdvals, f(3, 40, dtype=D), dynamic=False)
case("singular", "svdvals.empty", linalg.svdvals, f(2, 0, 3), dynamic=False)
case("singular", "pinv.empty", linalg.pinv, f(0, 3), dynamic=False)
case("singular", "rank.empty", linalg.matrix_rank, f(2, 3, 0), dynamic=False)
case(
    "singular",
    "norm.dims",
    lambda x: linalg.norm(x, "nuc", dim=(2, 0), keepdim=True),
    f(3, "n", 4),
)
case("singular", "rank.tol", lambda x: linalg.matrix_rank(x, atol=1.5, rtol=0.1), f("n", 4, 3))
case("singular", "rank.atol", lambda x: linalg.matrix_rank(x, atol=1.5), f("n", 4, 3))
case(
    "singular",
    "rank.tensors",
    lambda x, t: linalg.matrix_rank(x, rtol=t),
    f("n", 4, 3),
    fixed([0.3]),
)
# The upper triangle is not read.
case(
    "singular",
    "rank.hermitian",
    lambda x: linalg.matrix_rank(x, hermitian=True),
    fixed([[1.0, 9.0], [2.0, 4.0]]),
    dynamic=False,
)
case(
    "singular",
    "pinv.hermitian",
    lambda x: linalg.pinv(x, hermitian=True),
    fixed([[1.0, 9.0], [2.0, -3.0]]),
    dynamic=False,
)
case("singular", "pinv.rtol", lambda x: linalg.pinv(x, rtol=0.4), f("n", 4, 3))
case("singular", "pinverse", lambda x: torch.pinverse(x, 0.4), f("n", 3, 4))
for order in (None, 2, -2):
    case("singular", f"cond.{order}", lambda x, p=order: linalg.cond(x, p), f("n", 4, 4))
case("singular", "cond.singular", linalg.cond, fixed([[0.0, 0.0], [0.0, 2.0]]), dynamic=False)
case("factorizations", "matrix_exp", torch.matrix_exp, f("n", 4, 4))
case("factorizations", "matrix_exp.scaled", lambda x: torch.matrix_exp(x * 9), f(2, 3, 3, dtype=D), dynamic=False)
case("factorizations", "matrix_exp.zero", torch.matrix_exp, fixed([[0.0, 0.0], [0.0, 0.0]]), dynamic=False)
