"""The programs of the corpus: small models that each version of torch exports.

Weights and inputs come from numpy's generator, whose numbers are the same in every version of torch.
"""

import dataclasses

import numpy as np
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def tensor(*shape, seed=0, dtype=torch.float32) -> torch.Tensor:
    values = np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)
    return torch.from_numpy(values).to(dtype)


def integers(low, high, *shape, seed=0, dtype=torch.int64) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed).randint(low, high, shape)).to(dtype)


def initialize(module: nn.Module) -> nn.Module:
    """Gives each parameter numbers that depend only on its name and shape."""
    with torch.no_grad():
        for name, value in module.named_parameters():
            seed = sum(name.encode())
            value.copy_(tensor(*value.shape, seed=seed).to(value.dtype) * 0.5)
    return module.eval()


@dataclasses.dataclass
class Case:
    module: nn.Module
    #: Sets of positional arguments; the program is exported for the first one.
    inputs: list
    dynamic: object = None
    decomposed: bool = False


@program
def mlp():
    """Parameters, a buffer that each call writes, and one that is not persistent."""

    class Mlp(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 4))
            self.register_buffer("calls", torch.zeros(()))
            self.register_buffer("scale", torch.full((4,), 0.25), persistent=False)

        def forward(self, x):
            self.calls.add_(1)
            return self.net(x) * self.scale + self.calls

    return Case(Mlp(), [(tensor(3, 6),)])


@program
def convolution():
    """A convolution with batch norm and pooling, and a transposed one."""

    class Convolution(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3, padding=1, stride=2, bias=False)
            self.norm = nn.BatchNorm2d(4)
            self.up = nn.ConvTranspose2d(4, 2, 2, stride=2, groups=2)

        def forward(self, x):
            y = F.relu(self.norm(self.conv(x)))
            return self.up(F.max_pool2d(y, 2)), F.adaptive_avg_pool2d(y, 1).flatten(1)

    return Case(Convolution(), [(tensor(2, 3, 8, 8),)])


@program
def dynamic():
    """Symbolic sizes with ranges and a relation between two of them."""

    class Dynamic(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(5, 3)

        def forward(self, x, y):
            z = torch.cat([self.linear(x), y[1:]], 0)
            return z.view(-1, 1, 3).expand(-1, 2, -1).sum(0), x.shape[0] * 2

    n = Dim("n", min=2, max=64)
    shapes = {"x": {0: n}, "y": {0: n + 1}}
    sets = [(tensor(k, 5), tensor(k + 1, 3, seed=1)) for k in (4, 9)]
    return Case(Dynamic(), sets, shapes)


@program
def views():
    """Views, writes through views, strides, and a write to an input."""

    class Views(nn.Module):
        def forward(self, x):
            y = x.clone()
            y[:, 1:3] += 1
            y.t()[0].mul_(2)
            z = y.unfold(1, 2, 2).permute(2, 0, 1).contiguous()
            z[0, :, 0].zero_()
            x.add_(1)
            return y, z.as_strided((2, 3), (1, 4), 1), y[..., ::2].reshape(-1)

    return Case(Views(), [(tensor(4, 6),)])


@program
def branches():
    """`cond`."""

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, flag, x):
            return torch.cond(flag, lambda x: self.a(x).relu(), lambda x: self.b(x).sin(), (x,))

    return Case(Branches(), [(torch.tensor(flag), tensor(2, 4)) for flag in (True, False)])


@program
def loop():
    """`while_loop`."""
    from torch._higher_order_ops.while_loop import while_loop

    class Loop(nn.Module):
        def forward(self, n, x):
            return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + i), (n * 0, x))

    return Case(Loop(), [(torch.tensor(k), tensor(3)) for k in (3, 0)])


@program
def scanned():
    """`scan`."""
    from torch._higher_order_ops.scan import scan

    class Scanned(nn.Module):
        def forward(self, init, xs):
            return scan(lambda c, x: (c * 0.5 + x, (c - x).relu()), init, xs, dim=0)

    return Case(Scanned(), [(tensor(3), tensor(5, 3, seed=1))])


@program
def mapped():
    """`map`."""
    from torch._higher_order_ops.map import map as torch_map

    class Mapped(nn.Module):
        def forward(self, xs, y):
            return torch_map(lambda x, y: (x + y).tanh(), xs, y)

    return Case(Mapped(), [(tensor(4, 3), tensor(3, seed=1))])


@program
def attention():
    """Attention with a causal mask, with a mask of its own, and with two query heads for each key head."""

    class Attention(nn.Module):
        def forward(self, q, k, v, mask):
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            b = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.3)
            c = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
            return a, b, c

    q, k, v = (tensor(1, 2, 5, 8, seed=s) for s in range(3))
    return Case(Attention(), [(q, k, v, tensor(5, 5, seed=3) > -0.5)])


@program
def recurrent():
    """An LSTM of two layers in both directions, and a GRU."""

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
            self.gru = nn.GRU(6, 5)

        def forward(self, x):
            y, (h, c) = self.lstm(x)
            return self.gru(y)[0], h, c

    return Case(Recurrent(), [(tensor(2, 5, 4),)])


@program
def embedding():
    """Embeddings with layer norm. Two parameters are one tensor."""

    class Embedding(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(11, 6, padding_idx=0)
            self.norm = nn.LayerNorm(6)
            self.head = nn.Linear(6, 11, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, ids):
            return self.head(self.norm(self.tokens(ids))).softmax(-1)

    return Case(Embedding(), [(integers(0, 11, 2, 3),)])


@program
def numbers():
    """Integers and booleans of several widths, and Python numbers as inputs."""

    class Numbers(nn.Module):
        def forward(self, a, b, c, n, s, flag):
            d = (a // 3 + (b.to(torch.int32) << 1)) % 7
            e = torch.where(c, d, n) if flag else d
            return d.to(torch.uint8), e.clamp(min=-2), c.logical_not().any(0), d.sum() > 2, d * s

    a, b = integers(-9, 9, 2, 4, dtype=torch.int32), integers(0, 9, 2, 4, seed=1, dtype=torch.int8)
    return Case(Numbers(), [(a, b, integers(0, 2, 2, 4, seed=2).bool(), 3, 0.5, True)])


@program
def containers():
    """Nested inputs and outputs: dictionaries, None, an unused input, the same output twice."""

    class Containers(nn.Module):
        def forward(self, pair, named, unused):
            y = pair[0] + named["b"]
            return {"sum": y, "none": None, "again": [y, pair[1]], "five": 5}

    x, y, z = (tensor(2, 3, seed=s) for s in range(3))
    return Case(Containers(), [((x, y), {"a": x, "b": z}, None)])


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


@program
def pytree():
    """An input of a class that is registered as a pytree."""

    class Pytree(nn.Module):
        def forward(self, pair):
            return pair.first @ pair.second

    return Case(Pytree(), [(Pair(tensor(2, 3), tensor(3, 2, seed=1)),)])


@program
def bfloat16():
    """bfloat16 with float32 inside, and float16."""

    class Bfloat16(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(6, 4, dtype=torch.bfloat16)

        def forward(self, x):
            y = self.linear(x)
            return F.rms_norm(y.float(), (4,)).to(torch.bfloat16), y.to(torch.float16)

    return Case(Bfloat16(), [(tensor(3, 6, dtype=torch.bfloat16),)])


@program
def constants():
    """Tensors that are neither parameters nor buffers, and tensors made in the graph."""

    class Constants(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = tensor(4, 3, seed=5)

        def forward(self, x):
            steps = torch.arange(4, device=x.device).unsqueeze(1)
            return x + self.table * torch.tensor([1.0, 2.0, 4.0]) + steps, torch.full((2,), 7)

    return Case(Constants(), [(tensor(4, 3),)])


@program
def dependent():
    """Sizes that depend on values."""

    class Dependent(nn.Module):
        def forward(self, x, n):
            k = n.item()
            torch._check(k >= 1)
            torch._check(k <= 4)
            return x[:k].sum(0), torch.nonzero(x > 0), x.new_ones(k)

    return Case(Dependent(), [(tensor(5, 2), torch.tensor(k)) for k in (3, 1)])


@program
def decomposed():
    """Self-attention that is decomposed to the core operators, with a symbolic batch size."""

    class Decomposed(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(4)
            self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, x):
            x = self.norm(x)
            return self.attention(x, x, x, need_weights=False)[0]

    sets = [(tensor(k, 3, 4),) for k in (2, 5)]
    return Case(Decomposed(), sets, ({0: Dim("batch", min=2, max=16)},), decomposed=True)


@program
def transformed():
    """Norms, resampling, sorting and scattering: operators whose schemas have many defaults."""

    class Transformed(nn.Module):
        def forward(self, x, i):
            y = F.group_norm(x, 2) + F.interpolate(x[..., ::2, ::2], size=(4, 4), mode="bilinear")
            v, k = y.flatten(2).topk(3, -1)
            return v, k, y.flatten(2).scatter_add(2, i, v), torch.std(x, (2, 3)), x.cumsum(1).flip(1)

    return Case(Transformed(), [(tensor(1, 4, 4, 4), integers(0, 16, 1, 4, 3))])


@program
def flex_gemm():
    """The higher-order operator `flex_gemm`: a matmul with an epilogue."""
    from torch._higher_order_ops.flex_gemm import flex_gemm

    class FlexGemm(nn.Module):
        def forward(self, a, b, c):
            return flex_gemm(torch.addmm, (c, a, b), lambda y: (y.relu() + 1, y.sum(-1)))

    return Case(FlexGemm(), [(tensor(3, 4), tensor(4, 5, seed=1), tensor(5, seed=2))])
