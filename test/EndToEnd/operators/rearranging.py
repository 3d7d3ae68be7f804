"""Operators that move elements to constant indices, pad, or take windows."""

import torch
import torch.nn.functional as F

from operators.table import b, case, f, i

R = "rearranging"
for rank, shape in {0: (), 1: ("n",), 2: ("n", 3), 3: ("n", 3, 2)}.items():
    dynamic = rank > 0
    for k in (1, 2, 3):
        op = getattr(torch, f"atleast_{k}d")
        case(R, f"atleast_{k}d.{rank}", op, f(*shape), dynamic=dynamic)
        case(R, f"atleast_{k}d.{rank}.list", lambda x, op=op: op([x, x]), f(*shape), dynamic=dynamic)
    for name in ("vstack", "hstack", "dstack", "column_stack"):
        op = getattr(torch, name)
        case(R, f"{name}.{rank}", lambda x, y, op=op: op([x, y]), f(*shape), f(*shape), dynamic=dynamic)
case(R, "vsplit", lambda x: torch.vsplit(x, 2), f(6, "n"))
case(R, "hsplit", lambda x: torch.hsplit(x, [1, 3]), f("n", 6))
case(R, "hsplit.vector", lambda x: torch.hsplit(x, 3), f(6), dynamic=False)
case(R, "dsplit", lambda x: torch.dsplit(x, [2]), f("n", 2, 6))
case(R, "tensor_split", lambda x: torch.tensor_split(x, [1, -2], 1), f("n", 6))
case(R, "tensor_split.overlap", lambda x: torch.tensor_split(x, [4, 2], 1), f("n", 6))
case(R, "tile.fewer", lambda x: torch.tile(x, (2,)), f("n", 3))
case(R, "diagonal.offset", lambda x: torch.diagonal(x, 1, 0, 2), f(4, "n", 3))
case(R, "diagonal.below", lambda x: torch.diagonal(x, -1, -2, -1), f("n", 4, 3))
case(R, "linalg_diagonal", lambda x: torch.linalg.diagonal(x, offset=1), f("n", 4, 3))
case(R, "diag_embed", lambda x: torch.diag_embed(x, 1), f("n", 3))
case(R, "diag_embed.dims", lambda x: torch.diag_embed(x, -2, 0, 2), f("n", 3))
case(R, "diag.vector", lambda x: torch.diag(x, -1), f(4), dynamic=False)
case(R, "diag.matrix", lambda x: torch.diag(x, 1), f(4, 3), dynamic=False)
case(R, "diagflat", torch.diagflat, f(2, 3), dynamic=False)
case(R, "diagonal_scatter", lambda x, y: torch.diagonal_scatter(x, y, 1), f(4, 4), f(3), dynamic=False)
case(R, "trace", torch.trace, f(4, 3), dynamic=False)
case(R, "trace.int", torch.trace, i(3, 4, dtype=torch.int32), dynamic=False)
case(R, "fliplr", torch.fliplr, f("n", 3))
case(R, "flipud", torch.flipud, f("n", 3))
for k in range(-1, 4):
    case(R, f"rot90.{k}", lambda x, k=k: torch.rot90(x, k, (0, 2)), f("n", 2, 3))
case(R, "fftshift", lambda x: torch.fft.fftshift(x), f(5, 4), dynamic=False)
case(R, "ifftshift", lambda x: torch.fft.ifftshift(x, 1), f("n", 5))
case(R, "sum_to_size", lambda x: x.sum_to_size(1, 4), f(2, "n", 4))
case(R, "block_diag", lambda x, y, z: torch.block_diag(x, y, z), f(2, 3), f(4), f(), dynamic=False)
case(R, "cartesian_prod", torch.cartesian_prod, f(2), f(3), dynamic=False)
case(R, "tril_indices", lambda x: x[0] + torch.tril_indices(3, 4, 1), i(1), dynamic=False)
case(R, "triu_indices", lambda x: x[0] + torch.triu_indices(3, 4, -1), i(1), dynamic=False)
case(R, "mH", lambda x: x.mH, f("n", 2, 3))
for mode in ("reflect", "replicate", "circular"):
    case(R, f"pad.{mode}.1", lambda x, m=mode: F.pad(x, (2, 1), mode=m), f("n", 2, 6))
    case(R, f"pad.{mode}.2", lambda x, m=mode: F.pad(x, (1, 0, 2, 3), mode=m), f("n", 2, 5, 4))
    case(R, f"pad.{mode}.3", lambda x, m=mode: F.pad(x, (1, 2, 1, 1, 0, 1), mode=m), f("n", 2, 3, 4, 5))
case(R, "pad.replicate.crop", lambda x: F.pad(x, (-1, 3), mode="replicate"), f("n", 2, 6))
case(R, "pad.bool", lambda x: F.pad(x, (1, 1), value=True), b("n", 3))
case(R, "im2col", lambda x: F.unfold(x, (2, 3), (1, 2), (1, 0), (2, 1)), f("n", 2, 6, 7))
case(R, "im2col.parts", lambda x: F.unfold(x, (2, 3), stride=(2, 3)), f("n", 2, 6, 10))
case(R, "col2im.parts", lambda x: F.fold(x, (6, 9), (2, 3), stride=(2, 3)), f("n", 12, 9))
case(R, "col2im.rest", lambda x: F.fold(x, (7, 9), (2, 3), stride=(2, 3)), f("n", 12, 9))
case(R, "col2im", lambda x: F.fold(x, (5, 6), (2, 3), (1, 1), (1, 0), (2, 1)), f("n", 12, 12))
case(R, "col2im.large", lambda x: F.fold(x, (20, 16), (9, 8), (2, 1), (1, 2), (3, 2)), f("n", 144, 14))
case(R, "linspace.int", lambda x: x[0] + torch.linspace(-3, 11, 6, dtype=torch.int64), i(1), dynamic=False)
case(R, "linspace.one", lambda x: x[0] + torch.linspace(-3, 11, 1), f(1), dynamic=False)
case(R, "linspace.tensors", lambda x, y: torch.linspace(x, y, 7), f(), f(), dynamic=False)
case(R, "logspace", lambda x: x[0] + torch.logspace(-1, 2, 5, base=3.0), f(1), dynamic=False)
case(R, "one_hot", lambda x: F.one_hot(x, 5), i("n", 3, low=0, high=5))
