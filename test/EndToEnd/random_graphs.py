"""Random programs: small graphs of views, copies, casts, arithmetic, reductions and matmuls, each
from a seed. Steps whose result differs in float64 are left out, since rounding decides them (for
example the difference of a value and its nearest float16)."""

import random

import torch
from torch import nn

UNARY = [
    lambda x: -x,
    torch.abs,
    torch.relu,
    torch.sin,
    torch.tanh,
    torch.sigmoid,
    lambda x: x * x.sigmoid(),
    lambda x: x.clamp(-2, 1.5),
    lambda x: x.clone().mul_(2).sub_(1),
    lambda x: nn.functional.dropout(x, 0.5, False),
    lambda x: 0.5 * x * (1 + torch.erf(x / 2**0.5)),
]
BINARY = [torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum]
#: Neutral elements, and similar values that are not neutral.
NUMBERS = [0, 1, -1, 0.0, -0.0, 1.0, 2.5]


def _factors(rng: random.Random, count: int) -> list[int]:
    sizes = []
    while count > 1 and len(sizes) < 3:
        size = rng.choice([d for d in range(1, count + 1) if count % d == 0])
        sizes.append(size)
        count //= size
    return [*sizes, count]


def _view(rng: random.Random, x: torch.Tensor):
    """Returns a step that only rearranges `x`."""
    rank = x.dim()
    kind = rng.choice("reshape permute transpose unsqueeze squeeze expand slice flatten".split())
    if kind == "reshape":
        sizes = _factors(rng, x.numel())
        if x.numel() and rng.random() < 0.3:
            sizes[rng.randrange(len(sizes))] = -1
        return lambda x: x.reshape(sizes)
    if kind == "permute":
        order = rng.sample(range(rank), rank)
        return lambda x: x.permute(order)
    if kind == "transpose":
        a, b = rng.randrange(-rank, rank), rng.randrange(-rank, rank)
        return lambda x: x.transpose(a, b)
    if kind == "unsqueeze":
        dim = rng.randrange(-rank - 1, rank + 1)
        return lambda x: x.unsqueeze(dim)
    if kind == "squeeze":
        dim = rng.randrange(-rank, rank)
        return lambda x: x.squeeze(dim)
    if kind == "expand":
        sizes = [rng.choice([-1, s if s != 1 else rng.choice([1, 3])]) for s in x.shape]
        return lambda x: x.expand(sizes)
    if kind == "slice":
        dim = rng.randrange(rank)
        start = rng.randrange(max(1, x.shape[dim] // 2))
        return lambda x: x.narrow(dim, start, x.shape[dim] - start)
    return lambda x: x.flatten()


def _through_half(x: torch.Tensor) -> torch.Tensor:
    return x.half().float()


def _is_in_the_middle(x: torch.Tensor) -> bool:
    """Returns True if an element is so close to the middle of two float16 numbers that its last
    bits, in which correct results may differ, decide the rounding."""
    return not torch.equal((x * (1 - 1e-5)).half(), (x * (1 + 1e-5)).half())


def _copy(rng: random.Random):
    """Returns a step that copies, or casts and casts back."""
    return rng.choice(
        [
            lambda x: x.clone(),
            lambda x: x.contiguous(),
            lambda x: x.to(torch.float64).to(torch.float32),
            lambda x: x.double().float().double().float(),
            _through_half,
            lambda x: torch.cat([x]),
            lambda x: torch.cat([torch.cat([x, x]), x]),
            lambda x: torch.where(torch.ones_like(x) > 0, x, -x),
        ]
    )


def _fold(rng: random.Random, x: torch.Tensor):
    """Returns a step that reduces, normalizes or multiplies along the last dimension."""
    return rng.choice(
        [
            lambda x: x.sum(-1, keepdim=True),
            lambda x: x.mean(0),
            lambda x: x.amax(-1, keepdim=True),
            lambda x: x.softmax(-1),
            lambda x: (x - x.amax(-1, True)).exp() / (x - x.amax(-1, True)).exp().sum(-1, True),
            lambda x: x @ x.transpose(-1, -2) / x.shape[-1] if x.dim() > 1 else x * x,
        ]
    )


def _is_close(y: torch.Tensor, exact: torch.Tensor) -> bool:
    """Returns True if `y` is within a fifth of the tolerance of the comparison with eager mode."""
    rms = exact.double().square().mean().sqrt()
    return bool(y.isfinite().all() and ((y - exact).abs() <= 2e-5 * (exact.abs() + rms)).all())


class RandomGraph(nn.Module):
    """`steps` random steps from two inputs. Returns the values that no other step uses."""

    def __init__(self, seed: int, steps: int = 12):
        super().__init__()
        rng = random.Random(seed)
        sample = self.sample(seed)
        self.steps, values = [], list(sample)
        exact = [value.double() for value in sample]
        while len(self.steps) < steps:
            i = rng.randrange(max(0, len(values) - 5), len(values))
            x, others = values[i], (i,)
            kind = rng.choice("unary binary number view view copy fold".split())
            if kind == "unary":
                fn = rng.choice(UNARY)
            elif kind == "number":
                op, n = rng.choice(BINARY[:3]), rng.choice(NUMBERS)
                fn = lambda x, op=op, n=n: op(x, n)
            elif kind == "binary":
                fn, others = rng.choice(BINARY), (i, rng.randrange(len(values)))
            elif x.dim() == 0:
                continue
            else:
                fn = _view(rng, x) if kind == "view" else _copy(rng) if kind == "copy" else _fold(rng, x)
            try:
                y, z = (fn(*(of[k] for k in others)) for of in (values, exact))
            except (RuntimeError, IndexError):
                continue  # shapes that do not fit
            if fn is _through_half and _is_in_the_middle(x):
                continue
            if not 0 < y.numel() <= 4096 or y.dim() > 5 or not _is_close(y, z):
                continue
            self.steps.append((fn, others))
            values.append(y)
            exact.append(z)

    @staticmethod
    def sample(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
        g = torch.Generator().manual_seed(seed)
        return torch.randn(4, 6, generator=g), torch.randn(2, 1, 6, generator=g)

    def forward(self, a, b):
        values, used = [a, b], set()
        for fn, others in self.steps:
            values.append(fn(*(values[k] for k in others)))
            used.update(others)
        return [v * 1.0 for k, v in enumerate(values) if k > 1 and k not in used]


class Many(nn.Module):
    """The graphs of several seeds as one program, since a process costs more than a graph."""

    def __init__(self, seeds):
        super().__init__()
        self.graphs = nn.ModuleList(RandomGraph(seed) for seed in seeds)

    def forward(self, inputs):
        return [graph(*pair) for graph, pair in zip(self.graphs, inputs)]
