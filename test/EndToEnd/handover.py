"""Programs for other compilers, and the pipelines that lower programs to the dialects of these
compilers."""

import harness
import torch
from exporting import save
from torch.export import Dim

#: To linalg without the fx dialect.
LINALG_PASSES = ["--fx-lower-to-linalg=embed-states"]
#: To the torch dialect.
TORCH_PASSES = ["--fx-lower-to-torch=embed-states", "--allow-unregistered-dialect"]
#: To TOSA in generic form, which all releases of MLIR read; its custom assembly differs.
TOSA_PASSES = ["--fx-lower-to-tosa=embed-states", "--mlir-print-op-generic"]


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 4)
        )

    def forward(self, x):
        return self.layers(x).softmax(-1)


class Dense(torch.nn.Module):
    """A model that TOSA can express."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4)

    def forward(self, x):
        y = self.second(self.first(x).tanh())
        return y.softmax(-1), torch.where(y > 0, y, y * 0.1).mean(0)


class Convolutions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)

    def forward(self, x):
        x = torch.nn.functional.max_pool2d(self.norm(self.conv(x)).relu(), 2)
        return x.mean((2, 3)), x


class Attention(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Branches(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))


class Loop(torch.nn.Module):
    def forward(self, x):
        return torch._higher_order_ops.while_loop(
            lambda i, x: i < 4, lambda i, x: (i + 1, x * 1.5), (torch.tensor(0), x)
        )


def seeded(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(sum(shape))) - 0.5


BATCH = {0: Dim("batch", min=2, max=64)}
CASES = {
    "mlp": (Mlp, lambda n: (seeded(n, 8),), (BATCH,)),
    "dense": (Dense, lambda n: (seeded(n, 8),), None),
    "convolutions": (Convolutions, lambda n: (seeded(2, 3, 8, 8),), None),
    "attention": (Attention, lambda n: tuple(seeded(2, 2, 6, 8) for _ in range(3)), None),
    "branches": (Branches, lambda n: (seeded(n, 4),), (BATCH,)),
    "loop": (Loop, lambda n: (seeded(n, 4),), (BATCH,)),
}


def lower(program, passes, folder):
    save(program, folder / "m.pt2")
    fx = harness.tool("fx-translate", "--pt2-to-mlir", folder / "m.pt2")
    assert fx.returncode == 0, fx.stderr
    (folder / "m.mlir").write_text(fx.stdout)
    lowered = harness.tool("fx-opt", folder / "m.mlir", *passes)
    assert lowered.returncode == 0, lowered.stderr
    assert "fx." not in lowered.stdout
    return lowered.stdout
