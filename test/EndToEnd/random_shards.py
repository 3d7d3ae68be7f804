"""Random modules with divided weights: each from a seed, with a plan that divides random dimensions
of random parameters. Elements are float64, so that the order of a sum does not matter."""

import random

import torch
from torch import nn

SIZES = [4, 8, 12, 24]


class Drawn(nn.Module):
    """Runs steps, each of which takes tensors of the pool and adds one."""

    def __init__(self):
        super().__init__()
        self.steps: list = []

    def forward(self, ids, x):
        pool = [x]
        for step in self.steps:
            pool.append(step(self, ids, pool))
        return tuple(pool[-3:])


class Writer:
    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        torch.manual_seed(seed)
        self.module = Drawn()
        self.names: list[str] = []

    def parameter(self, *shape: int) -> str:
        name = f"p{len(self.names)}"
        value = torch.randn(*shape, dtype=torch.float64) / max(shape[-1], 1) ** 0.5
        setattr(self.module, name, nn.Parameter(value))
        self.names.append(name)
        return name

    def size(self) -> int:
        return self.rng.choice(SIZES)

    def dim(self, x) -> int:
        return self.rng.randrange(-x.dim(), x.dim())

    # Each draws a step for the tensor `i` of the pool; None if it does not fit.

    def linear(self, pool, i):
        x = pool[i]
        w = self.parameter(self.size(), x.shape[-1])
        b = self.parameter(getattr(self.module, w).shape[0]) if self.rng.random() < 0.5 else None
        get = lambda m, n: getattr(m, n) if n else None  # noqa: E731
        return lambda m, ids, p: nn.functional.linear(p[i], getattr(m, w), get(m, b))

    def mlp(self, pool, i):
        x = pool[i]
        a, b = self.parameter(self.size() * 2, x.shape[-1]), self.parameter(x.shape[-1], 1)
        setattr(self.module, b, nn.Parameter(torch.randn(
            x.shape[-1], getattr(self.module, a).shape[0], dtype=torch.float64) / 4))  # fmt: skip
        return lambda m, ids, p: p[i] + nn.functional.linear(
            nn.functional.gelu(nn.functional.linear(p[i], getattr(m, a))), getattr(m, b))

    def addmm(self, pool, i):
        x = pool[i]
        if x.dim() != 2:
            return None
        n = self.size()
        w, b = self.parameter(x.shape[1], n), self.parameter(n)
        return lambda m, ids, p: torch.addmm(getattr(m, b), p[i], getattr(m, w))

    def embedding(self, pool, i):
        w = self.parameter(24, self.size())
        return lambda m, ids, p: nn.functional.embedding(ids, getattr(m, w))

    def matmul(self, pool, i):
        x = pool[i]
        if x.dim() < 2:
            return None
        w = self.parameter(*x.shape[:-2][: self.rng.randint(0, 2)], x.shape[-1], self.size())
        if getattr(self.module, w).dim() > 2 and getattr(self.module, w).shape[:-2] != x.shape[:-2]:
            return None
        return lambda m, ids, p: p[i] @ getattr(m, w)

    def scores(self, pool, i):
        x = pool[i]
        if x.dim() < 2:
            return None
        return lambda m, ids, p: (p[i] @ p[i].mT).softmax(-1) @ p[i]

    def attention(self, pool, i):
        x = pool[i]
        if x.dim() != 3 or x.shape[-1] % 4:
            return None
        h, causal = self.rng.choice([2, 4]), self.rng.random() < 0.5
        w = [self.parameter(x.shape[-1], x.shape[-1]) for _ in range(3)]
        split = lambda y: y.unflatten(-1, (h, -1)).transpose(1, 2)  # noqa: E731
        return lambda m, ids, p: (
            nn.functional.scaled_dot_product_attention(
                *[split(p[i] @ getattr(m, n)) for n in w], is_causal=causal)
            .transpose(1, 2).reshape(p[i].shape))

    def unary(self, pool, i):
        f = self.rng.choice([torch.tanh, torch.sin, nn.functional.silu, lambda x: -x, lambda x: x * 0.5,
                             lambda x: x.clamp(-1, 1), lambda x: x.square(), torch.sigmoid,
                             lambda x: x.masked_fill(x > 1, 0.25)])  # fmt: skip
        return lambda m, ids, p: f(p[i])

    def binary(self, pool, i):
        fits = []
        for j, y in enumerate(pool):
            try:
                torch.broadcast_shapes(pool[i].shape, y.shape)
                fits.append(j)
            except RuntimeError:
                pass
        j = self.rng.choice(fits)
        f = self.rng.choice([torch.add, torch.sub, torch.mul, torch.maximum])
        return lambda m, ids, p: f(p[i], p[j])

    def scale(self, pool, i):
        w = self.parameter(pool[i].shape[-1])
        return lambda m, ids, p: p[i] * getattr(m, w)

    def norm(self, pool, i):
        n = pool[i].shape[-1]
        w = self.parameter(n)
        if self.rng.random() < 0.5:
            return lambda m, ids, p: nn.functional.layer_norm(p[i], (n,), getattr(m, w))
        return lambda m, ids, p: p[i] * torch.rsqrt(p[i].pow(2).mean(-1, keepdim=True) + 1e-5) * getattr(m, w)

    def heads(self, pool, i):
        x = pool[i]
        d = self.dim(x)
        counts = [n for n in (2, 3, 4, 6) if x.shape[d] % n == 0]
        if x.dim() > 3 or not counts:
            return None
        shape = (self.rng.choice(counts), -1)
        return lambda m, ids, p: p[i].unflatten(d, shape)

    def merge(self, pool, i):
        x = pool[i]
        if x.dim() < 3:
            return None
        d = self.rng.randrange(x.dim() - 1)
        return lambda m, ids, p: p[i].flatten(d, d + 1)

    def reshape(self, pool, i):
        x = pool[i]
        if x.dim() < 2:
            return None
        shape = [-1, *x.shape[2:]] if self.rng.random() < 0.5 else [*x.shape[:-2], x.shape[-1], -1]
        return lambda m, ids, p: p[i].reshape(shape)

    def permute(self, pool, i):
        order = self.rng.sample(range(pool[i].dim()), pool[i].dim())
        return lambda m, ids, p: p[i].permute(order)

    def expand(self, pool, i):
        x, n = pool[i], self.rng.choice([1, 2, 3])
        if x.dim() > 3:
            return None
        d = self.rng.randrange(x.dim() + 1)
        shape = [*x.shape[:d], n, *x.shape[d:]]
        return lambda m, ids, p: p[i].unsqueeze(d).expand(shape)

    def repeat(self, pool, i):
        d = self.dim(pool[i])
        return lambda m, ids, p: p[i].repeat_interleave(2, d)

    def reduction(self, pool, i):
        x = pool[i]
        if x.dim() < 2:
            return None
        d, keep = self.dim(x), self.rng.random() < 0.5
        f = self.rng.choice([torch.sum, torch.mean, torch.amax, torch.logsumexp, torch.var])
        return lambda m, ids, p: f(p[i], dim=d, keepdim=keep)

    def along(self, pool, i):
        d = self.dim(pool[i])
        f = self.rng.choice([torch.softmax, torch.cumsum, lambda x, d: x.sort(d)[0], torch.log_softmax])
        return lambda m, ids, p: f(p[i], d)

    def cat(self, pool, i):
        d = self.dim(pool[i])
        j = self.rng.choice([j for j, y in enumerate(pool) if y.shape == pool[i].shape])
        f = self.rng.choice([torch.cat, torch.stack])
        return lambda m, ids, p: f([p[i], p[j], p[i] * 2], d)

    def split(self, pool, i):
        x = pool[i]
        d = self.dim(x)
        counts = [n for n in (2, 3) if x.shape[d] % n == 0]
        if not counts:
            return None
        n = self.rng.choice(counts)
        k = self.rng.randrange(n)
        return lambda m, ids, p: p[i].chunk(n, d)[k] + p[i].chunk(n, d)[0]

    def slice(self, pool, i):
        x = pool[i]
        d = self.dim(x)
        start, end = sorted(self.rng.sample(range(x.shape[d] + 1), 2)) if x.shape[d] else (0, 0)
        return lambda m, ids, p: p[i].narrow(d, start, end - start)

    def select(self, pool, i):
        x = pool[i]
        if x.dim() < 2:
            return None
        d = self.dim(x)
        k = self.rng.randrange(x.shape[d])
        if self.rng.random() < 0.5:
            return lambda m, ids, p: p[i].select(d, k)
        index = torch.tensor([k, 0])
        return lambda m, ids, p: p[i].index_select(d, index)

    def write(self, pool, i):
        x = pool[i]
        d = self.dim(x)
        k = self.rng.randrange(x.shape[d])
        shape = list(x.shape)
        shape[d] = 1
        w = self.parameter(*shape)
        f = self.rng.choice(["index_copy", "index_add", "put", "where"])
        def step(m, ids, p):  # noqa: E306
            value, at = getattr(m, w), torch.tensor([k])
            if f == "where":
                return torch.where(p[i] > 0, p[i], value)
            if f == "put":
                y = p[i].movedim(d, 0).clone()
                y[at] = value.movedim(d, 0)
                return y
            return getattr(p[i], f)(d, at, value)
        return step

    def conv(self, pool, i):
        x = pool[i]
        if x.dim() != 3:
            return None
        groups = self.rng.choice([1, 1, 4]) if x.shape[1] % 4 == 0 else 1
        w = self.parameter(self.size() if groups == 1 else 8, x.shape[1] // groups, 3)
        b = self.parameter(getattr(self.module, w).shape[0])
        return lambda m, ids, p: nn.functional.conv1d(
            p[i], getattr(m, w), getattr(m, b), padding=1, groups=groups)


KINDS = [name for name in vars(Writer) if name not in ("parameter", "size", "dim") and name[0] != "_"]


def draw(seed: int, ranks: int, length: int = 10):
    """Returns a module, its inputs and a plan for `ranks`."""
    writer = Writer(seed)
    rng = writer.rng
    ids = torch.randint(24, (2, 3))
    x = torch.randn(2, 4, 12, dtype=torch.float64)
    pool = [x]
    steps = writer.module.steps
    while len(steps) < length:
        i = max(rng.randrange(len(pool)), rng.randrange(len(pool)))
        kind = rng.choice([*KINDS, "linear", "mlp", "attention", "matmul"])
        step = getattr(writer, kind)(pool, i)
        if step is None:
            continue
        with torch.no_grad():
            y = step(writer.module, ids, pool)
        if not 0 < y.numel() <= 5000 or y.dim() == 0 or not y.isfinite().all() or y.abs().max() > 1e4:
            continue
        steps.append(step)
        pool.append(y)
    lines = []
    for name in writer.names:
        shape = getattr(writer.module, name).shape
        dims = [d for d, size in enumerate(shape) if size % ranks == 0 and size]
        if dims and rng.random() < 0.7:
            d = rng.choice(dims)
            sections = ""
            if shape[d] % (2 * ranks) == 0 and rng.random() < 0.15:
                sections = f" [{shape[d] // 2}, {shape[d] // 2}]"
            lines.append(f"{name}: shard {d}{sections}")
    return writer.module, (ids, x), "\n".join(lines) + "\n"
