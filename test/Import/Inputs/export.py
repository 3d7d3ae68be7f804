"""Exports small modules with torch.

usage: export.py FOLDER NAME...
writes FOLDER/NAME.pt2, and FOLDER/NAME.dec.pt2 after run_decompositions()
"""

import os
import sys
import warnings

import torch
from torch import nn
from torch.export import Dim, export, save

D = Dim.DYNAMIC
CASES = {}


def case(*args, kwargs=None, dynamic=None, strict=False):
    def register(module):
        CASES[module.__name__] = (module, args, kwargs, dynamic, strict)
        return module

    return register


@case(torch.ones(4, 8), dynamic=({0: D},))
class Tied(nn.Module):
    """Weights that share storage, views of weights, an unused one."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 8, bias=False)
        self.b.weight = self.a.weight
        self.unused = nn.Parameter(torch.ones(1))
        self.register_buffer("view", self.a.weight.detach()[2:4])
        self.register_buffer("t", self.a.weight.detach().t(), persistent=False)
        self.register_buffer("empty", torch.zeros(0, 3))
        self.constant = torch.arange(8.0)[2:6]

    def forward(self, x):
        return self.b(self.a(x)) + self.view.sum() + self.t.sum() + self.constant.sum() + self.empty.sum()


@case(torch.ones(10, 4), {"a": torch.ones(8), "l": [torch.ones(5)]}, torch.ones(6), kwargs={"k": torch.ones(9)},
      dynamic=({0: D, 1: D}, {"a": {0: D}, "l": [{0: D}]}, ({0: D},), {0: D}))
class Guards(nn.Module):
    """Guards over nested inputs, *args and keywords."""

    def forward(self, x, d, *args, k=None):
        if x.shape[0] > 3:
            x = x + 1
        if d["a"].shape[0] * 2 > x.shape[1]:
            x = x * 2
        if args[0].shape[0] % 2 == 0 or k.shape[0] == 7:
            x = x - 1
        return x, d["l"][0] + args[0].sum(), {"k": k, "none": None, "const": 3}


@case(torch.ones(10), torch.ones(8), {"x y": torch.ones(6), 3: [torch.ones(5)]}, dynamic=({0: D}, {0: D}, {"x y": {0: D}, 3: [{0: D}]}))
class Names(nn.Module):
    """Inputs whose names collide once export has lowered and cleaned them."""

    def forward(self, x, X, d):
        if X.shape[0] % 2 == 0 and d["x y"].shape[0] % 3 == 0 and d[3][0].shape[0] % 5 == 0:
            return x.sin()
        return x.cos()


@case(torch.ones(10, 4), {"a": torch.ones(8)}, dynamic=({0: D, 1: D}, {"a": {0: D}}), strict=True)
class StrictGuards(nn.Module):
    """Under strict export guards count flattened inputs."""

    def forward(self, x, d):
        return x + 1 if d["a"].shape[0] * 2 > x.shape[1] else x


@case(torch.ones(4, 8), dynamic=({0: D},))
class Mutation(nn.Module):
    """In-place operators on a buffer, an input and a view; list results."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        self.count.add_(1)
        v = x[0]
        a = v.sin()
        x.add_(1)
        left, right = x.chunk(2, 1)
        return a, v.sin(), left, x.max(dim=1).indices


@case(torch.ones(8, 8), dynamic=({0: D},))
class Branches(nn.Module):
    """Nested conds whose graphs have the same names, equal and not."""

    def forward(self, x):
        inner = lambda x: torch.cond(x.sum() > 1, lambda x: x + 1, lambda x: x - 1, (x,))
        x = torch.cond(x.sum() > 0, inner, lambda x: x * 2, (x,))
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 2, (x,))


@case(torch.ones(8, 8))
class Loop(nn.Module):
    """while_loop and a gradient context: higher-order operators."""

    def forward(self, x):
        with torch.no_grad():
            x = x.sin()
        return torch._higher_order_ops.while_loop(
            lambda i, y: i < 5, lambda i, y: (i + 1, y + 1), (torch.tensor(0), x))


@torch.library.custom_op("fxtest::scale_", mutates_args=("y",))
def scale_(x: torch.Tensor, y: torch.Tensor, n: int = 3) -> torch.Tensor:
    y.add_(x)
    return x * n


@scale_.register_fake
def _(x, y, n=3):
    return torch.empty_like(x)


@case(torch.ones(3), torch.ones(3))
class Custom(nn.Module):
    def forward(self, x, y):
        return torch.ops.fxtest.scale_(x, y)


@case(torch.tensor([1, 0, 1, 1]))
class DataDependent(nn.Module):
    def forward(self, m):
        k = m.sum().item()
        torch._check(k >= 0)
        torch._check(k <= 10)
        return m.nonzero(), torch.zeros(k)


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    warnings.simplefilter("ignore")
    for name in names:
        module, args, kwargs, dynamic, strict = CASES[name]
        torch.manual_seed(0)
        program = export(module(), args, kwargs or {}, dynamic_shapes=dynamic, strict=strict)
        save(program, f"{folder}/{name}.pt2")
        save(program.run_decompositions(), f"{folder}/{name}.dec.pt2")


main()
