"""Launches that GPUs save: linear layers with the same input, rotary embeddings, norms of one row,
and what depends on weights alone; and the shorter math of kernels with 16-bit results."""

import json
import random

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from torch import nn
from torch.nn import functional as F

B16, F16 = torch.bfloat16, torch.float16


def compile_kernels(module, args, folder):
    """Compares a model with eager PyTorch. Returns the kernels of a run, once for each launch."""
    folder.mkdir(exist_ok=True)
    exporting.save(exporting.export(module, args), folder / "m.pt2")
    model = emulate.Model(folder / "m.pt2", folder / "made",
                          flags=["--no-fallback", f"--report={folder / 'report.json'}"])
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)
    report = json.loads((folder / "report.json").read_text())
    return [k["schedule"]["kind"] for k in report["kernels"] if k["when"] == "run"
            for _ in range(k["calls"])]


class Attention(nn.Module):
    """Attention as Llama has it: norm, queries and keys with rotary embeddings, shared keys."""

    def __init__(self, width, heads, shared, bias):
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, width // heads
        self.norm = nn.RMSNorm(width)
        self.q = nn.Linear(width, width, bias)
        self.k = nn.Linear(width, shared * self.size, bias)
        self.v = nn.Linear(width, shared * self.size, bias)
        self.o = nn.Linear(width, width, bias)

    def rotate(self, x, cos, sin):
        half = x.shape[-1] // 2
        return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        h = self.norm(x)
        q, k, v = (layer(h).view(batch, length, -1, self.size).transpose(1, 2)
                   for layer in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(self.rotate(q, cos, sin), self.rotate(k, cos, sin), v,
                                           is_causal=True, enable_gqa=True)
        return x + self.o(y.transpose(1, 2).reshape(batch, length, width))


@pytest.mark.parametrize("batch, length, heads, shared, bias", [
    (2, 70, 4, 2, False), (1, 66, 2, 2, True), (1, 1, 4, 1, True)])
def test_attention(batch, length, heads, shared, bias, tmp_path):
    """One matmul computes queries, keys and values; a rotation is a part of the product with the
    sines."""
    torch.manual_seed(5)
    module = Attention(64 * heads, heads, shared, bias).to(B16).eval()
    angles = randn(length, 64)
    args = (randn(batch, length, 64 * heads).to(B16), angles.cos().to(B16), angles.sin().to(B16))
    kinds = compile_kernels(module, args, tmp_path)
    # With one token, the attention consists of matmuls.
    matmuls = [k for k in kinds if k in ("tensorcore", "warpgroup", "gemv")]
    assert len(matmuls) == 2 + (length == 1) and kinds.count("elements") <= 3, kinds
    assert kinds.count("rows") == 1 and len(kinds) <= 7, kinds


def test_rotations(tmp_path):
    """Concatenations that are no rotation, and halves of other tensors, are computed as before."""
    def call(x, y):
        a, b = x.chunk(2, -1)
        return (torch.cat([-b, a], -1) * 2, torch.cat([-x, y], -1) + 1, torch.cat([-b, a], 0),
                torch.cat([-b, x], -1), torch.cat([-y.mT.contiguous().mT, x], -1).exp(),
                torch.cat([-x[:1].expand(6, 8), y], -1) * 3)

    compile_kernels(Function(call), (randn(6, 8), randn(6, 8)), tmp_path)
    compile_kernels(Function(lambda x, y: (torch.cat([-x, y], -1) * 2, y + 1)),
                    (torch.arange(12).view(3, 4), torch.arange(12).view(3, 4)),
                    tmp_path / "integers")


def test_one_row(tmp_path):
    """A norm of one row is one kernel, although its statistics are scalars."""
    module = Function(lambda x, w: (F.rms_norm(x, (200,), w), F.layer_norm(x, (200,)) * 2))
    assert compile_kernels(module, (randn(1, 1, 200), randn(200)), tmp_path) == ["rows", "rows"]


class Block(nn.Module):
    """A residual block with norms that are not folded: their dtype is bf16."""

    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)) + x)


def test_states(tmp_path):
    """Scales of a batch norm are computed when the model is compiled, and a residual is loaded in
    vectors."""
    torch.manual_seed(6)
    module = nn.Sequential(Block(64), Block(64)).eval()
    for norm in (module[0].norm, module[1].norm):
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.5, 2)
    module.to(B16)
    compile_kernels(module, (randn(2, 64, 9, 8).to(B16),), tmp_path)
    ptx = harness.tool("fx-compile", "--target=cuda:sm_90a", tmp_path / "m.pt2", "--emit=ptx", "-o",
                       "-").stdout
    kernels = [part for part in ptx.split(".entry ") if part.split("(")[0].endswith("_sm_90a")]
    assert kernels
    for kernel in kernels:
        assert "sqrt" not in kernel and "ld.global.nc.v4" in kernel, kernel[:200]
        assert "ld.global.nc.b16" not in kernel, kernel[:200]


@pytest.mark.parametrize("channels, side, window, stride, padding, dtype", [
    (3, (22, 30), 7, 2, 3, B16), (3, (17, 19), 3, 2, 1, F16), (1, (20, 21), 5, 4, 2, B16),
    (2, (13, 40), 4, 4, 1, B16), (4, (16, 18), 3, 2, 1, B16)])
def test_first_layers(channels, side, window, stride, padding, dtype, tmp_path):
    """Images with few channels: the columns of a window and the channels are one dimension."""
    module = Function(lambda x, w, b: F.relu(F.conv2d(x, w, b, stride, padding)))
    args = (randn(2, channels, *side).to(dtype),
            (randn(24, channels, window, window) / 8).to(dtype), randn(24).to(dtype))
    assert "tensorcore" in compile_kernels(module, args, tmp_path)


#: In float64, 1 + erf(x) and 1 + tanh(x) have no digits left where they are tiny.
EXACT = {"gelu": lambda x: x / 2 * torch.special.erfc(-x / 2**0.5),
         "gelu_tanh": lambda x: x * torch.sigmoid((8 / torch.pi)**0.5 * (x + 0.044715 * x**3))}
FUNCTIONS = {"exp": torch.exp, "sigmoid": torch.sigmoid, "silu": F.silu, "gelu": F.gelu,
             "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "tanh": torch.tanh,
             "erf": torch.erf, "exp2": torch.exp2, "softplus": F.softplus}


@pytest.mark.parametrize("dtype", [B16, F16], ids=["bf16", "f16"])
def test_every_number(dtype, tmp_path):
    """Functions of all numbers of the dtype are as exact as their rounding, or as eager PyTorch."""
    x = torch.arange(-2**15, 2**15, dtype=torch.int16).view(dtype)
    module = Function(lambda x: tuple(f(x) for f in FUNCTIONS.values()))
    exporting.save(exporting.export(module, (x,)), tmp_path / "m.pt2")
    want = exporting.eager(module, (x,))
    got = emulate.Model(tmp_path / "m.pt2", tmp_path / "made", flags=["--no-fallback"]).run(
        (x,), want)
    info = torch.finfo(dtype)
    for (name, f), mine, eager in zip(FUNCTIONS.items(), got, want):
        exact = EXACT.get(name, f)(x.double())
        assert torch.equal(mine.isnan(), exact.isnan()), name
        # Results that the dtype cannot represent are infinite in eager PyTorch, too.
        finite = exact.abs() <= info.max
        # Beyond -5.9, GELU is below 1e-8, and 0 in eager PyTorch.
        least = 1e-8 if "gelu" in name else info.smallest_normal
        ulp = torch.clamp(exact.abs(), min=least) * info.eps
        error = ((mine.double() - exact).abs() / ulp)[finite]
        others = ((eager.double() - exact).abs() / ulp)[finite]
        assert (error <= torch.clamp(others * 1.01, min=0.52)).all(), (
            name, x[finite][error.argmax()], error.max(), others[error.argmax()])
        assert torch.equal(mine[exact.isinf()].double(), exact[exact.isinf()]), name


def test_softmax(tmp_path):
    """Quotients by the sum of a row: large and small values, infinities, and rows without terms."""
    inf = float("inf")
    x = torch.cat([randn(40, 96) * 30, torch.full((1, 96), -inf), torch.eye(1, 96) * 3e4,
                   torch.full((1, 96), inf), torch.full((1, 96), -3e4)])
    for dtype in (B16, F16):
        module = Function(lambda x: (torch.softmax(x, -1), torch.log_softmax(x, -1)))
        compile_kernels(module, (x.to(dtype),), tmp_path / str(dtype))


def random_view(rng, x):
    """Returns parts of `x` in other shapes, as models take them from one large matmul."""
    for _ in range(rng.randint(1, 3)):
        dim = rng.randrange(x.dim())
        kind = rng.choice(["narrow", "narrow", "unflatten", "transpose", "flatten"])
        size = x.shape[dim]
        if kind == "narrow" and size > 1:
            step = rng.choice([1, 4, 8, 16])
            start = min(rng.randrange(size) // step * step, size - 1)
            x = x.narrow(dim, start, rng.randint(1, (size - start + 1) // 2 or 1))
        elif kind == "unflatten":
            parts = [p for p in (2, 4, 8) if size % p == 0]
            if parts and x.dim() < 5:
                x = x.unflatten(dim, (-1, rng.choice(parts)))
        elif kind == "transpose" and x.dim() > 1:
            x = x.transpose(dim, rng.randrange(x.dim()))
        elif kind == "flatten" and x.dim() > 2 and dim > 0 and x.is_contiguous():
            x = x.flatten(dim - 1, dim)
    return x


def consume(rng, x, w):
    """Returns a function of a view: kernels of each class."""
    half = x.shape[-1] // 2
    kinds = [lambda v: v * 2 + 1, lambda v: torch.softmax(v, -1), lambda v: v.sum(-1),
             lambda v: v.amax(0), lambda v: v.mT.contiguous(), lambda v: torch.cat([v, v], 0),
             lambda v: F.gelu(v[..., :192] @ w[:v.shape[-1]]), lambda v: v @ v.mT,
             lambda v: v.flatten() @ w[0, :1].expand(v.numel())]
    if x.dim() < 2:
        kinds = kinds[:3]
    if half and x.shape[-1] % 2 == 0:
        kinds.append(lambda v: torch.cat([-v[..., half:], v[..., :half]], -1) + v)
    return rng.choice(kinds)


@pytest.mark.parametrize("seed, dtype", [
    (1, B16), (2, F16), (3, torch.float32),
    *(pytest.param(seed, B16, marks=pytest.mark.long) for seed in range(4, 24))])
def test_random_views(seed, dtype, tmp_path):
    """Kernels read views with gaps from the memory of the whole tensor."""
    x, w = randn(6, 32, 192).to(dtype), (randn(192, 40) / 8).to(dtype)

    class Views(nn.Module):
        def forward(self, x, w):
            whole, results = x @ w.new_ones(192, 1) + x, []
            for number in range(24):
                rng = random.Random(100 * seed + number)
                view = random_view(rng, whole)
                results.append(consume(rng, view, w)(view))
            return tuple(results)

    compile_kernels(Views(), (x, w), tmp_path)


def test_parts_of_one_matmul(tmp_path):
    """Queries, keys and values that the model itself computes by one layer are not copied."""
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(128, 384)

        def forward(self, x):
            parts = [part.view(2, 70, 2, 64).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)]
            return x + F.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(2, 70, 128)

    torch.manual_seed(7)
    kinds = compile_kernels(Layer().to(B16).eval(), (randn(2, 70, 128).to(B16),), tmp_path)
    assert sorted(kinds) == ["attention", "warpgroup"], kinds
    report = json.loads((tmp_path / "report.json").read_text())
    assert all(k["name"].startswith("kernel_") for k in report["device_kernels"])
