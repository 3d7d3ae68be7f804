"""Matmuls."""

import torch
import torch.nn.functional as F

from operators.table import case, f, i


def row(name, function, *inputs, **options):
    case("matmul", name, function, *inputs, **options)


row("mm", torch.mm, f("n", 8), f(8, 6))
row("mm.inner", torch.mm, f(3, "n"), f("n", 6))
row("mm.strided", lambda x, y: x.t() @ y.t(), f(8, "n"), f(6, 8))
row("mm.f64", torch.mm, f("n", 8, dtype=torch.float64), f(8, 6, dtype=torch.float64))
row("mm.int", torch.mm, i("n", 8), i(8, 6))
row("mm.big", torch.mm, f("n", 129), f(129, 67))
row("addmm", lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=2), f(6), f("n", 8), f(8, 6))
row("addmm.beta0", lambda b, x, y: torch.addmm(b, x, y, beta=0), f(6), f("n", 8), f(8, 6))
row("bmm", torch.bmm, f("n", 3, 8), f("n", 8, 6))
row("baddbmm", torch.baddbmm, f("n", 3, 6), f("n", 3, 8), f("n", 8, 6))
row("matmul.broadcast", torch.matmul, f("n", 1, 3, 8), f(2, 8, 6))
row("matmul.vector", torch.matmul, f("n", 8), f(8))
row("matmul.vector_matrix", torch.matmul, f(8), f("n", 8, 3))
row("mv", torch.mv, f("n", 8), f(8))
row("dot", torch.dot, f("n"), f("n"))
row("linear", F.linear, f("n", 8), f(6, 8), f(6))
row("linear.3d", F.linear, f("n", "m", 8), f(6, 8), f(6))
row("linear.no_bias", F.linear, f("n", 3, 8), f(6, 8))
row("linear.1d", F.linear, f(8), f(6, 8), f(6), dynamic=False)
row("einsum", lambda x, y: torch.einsum("bij,bkj->bik", x, y), f("n", 3, 8), f("n", 6, 8))
row("einsum.diagonal", lambda x: torch.einsum("iji->j", x), f(4, "n", 4))
row("einsum.diagonals", lambda x, y: torch.einsum("iji,kk->jk", x, y), f(4, "n", 4), f(3, 3))
row("einsum.one", lambda x, y: torch.einsum("ij,jk->ik", x, y), f("n", 1), f(4, 5))
row("einsum.one_batch", lambda x, y: torch.einsum("bij,bjk", x, y), f(1, 3, 4), f("n", 4, 5))
row("einsum.one_ellipsis", lambda x, y: torch.einsum("...i,...i", x, y), f("n", 1, 3), f(6, 3))
row("einsum.one_kept", lambda x, y, z: torch.einsum("i,i,i->i", x, y, z), f("n"), f(1), f("n"))
row("einsum.outer", lambda x, y: torch.einsum("i,j->ij", x, y), f("n"), f("m"))
row("outer", torch.outer, f("n"), f("m"))
row("matmul.empty_inner", torch.mm, f(3, 0), f(0, 4), dynamic=False)
row("matmul.empty", torch.mm, f(0, 3), f(3, 4), dynamic=False)
row("linear.bf16", F.linear, f("n", 8, dtype=torch.bfloat16), f(6, 8, dtype=torch.bfloat16))
