"""Factorizations of matrices, and what they solve."""

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
