"""Modules for tests of GPUs: the kinds of kernels with sizes that do not fill their tiles, blocks
and warps, and the project's models."""

import exporting
import harness
import models
import torch
import zoo
from quantized import Q
from random_graphs import Many, RandomGraph
from test_random_graphs import TwoSoftmaxes
from torch import nn

ROWS = torch.export.Dim("rows", max=4096)
SPECIAL = torch.tensor([0.0, -0.0, 1e15, float("inf"), 1.5707964])


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(33, 70), nn.LayerNorm(70)
        self.last = nn.Linear(70, 45)

    def forward(self, x):
        return torch.softmax(self.last(nn.functional.gelu(self.norm(self.first(x)))), -1)


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 20, 3, padding=1, stride=2), nn.BatchNorm2d(20)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return nn.functional.max_pool2d(x, 2).mean((2, 3))


class Move(nn.Module):
    """Gathers, concatenations, transposes, several dtypes, a constant."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(11, 6)

    def forward(self, i, x):
        y = torch.cat([self.table(i) + torch.tensor([1.0, 2, 3, 4, 5, 6]), x], -1)
        return (y.transpose(0, 1).contiguous(), y.sum(0), x > 0, x.argmax(-1), x.double().sum(-1),
                (x > 2).any(-1), i.sum(), y[2:, ::2])


class Function(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.forward = fn


class KeepsOperand(nn.Module):
    """A step of a residual network: a norm whose result is read by a matmul and again later."""

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(20), nn.Linear(20, 70), nn.Linear(70, 20)

    def forward(self, x):
        y = self.norm(x)
        return y + self.down(torch.relu(self.up(y)))


def randn(*sizes):
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(7))


#: Functions without a polynomial in float32; in float64 no function has one.
FUNCTIONS = [torch.exp, torch.expm1, torch.exp2, torch.log, torch.log1p, torch.log2, torch.log10,
             torch.sin, torch.cos, torch.tan, torch.atan, torch.asin, torch.acos, torch.sinh,
             torch.cosh, torch.tanh, torch.asinh, torch.acosh, torch.atanh, torch.erf, torch.erfc,
             lambda x: x.abs().pow(x), lambda x: x.pow(3), lambda x: x.pow(0.5),
             lambda x: torch.pow(-2.5, x.round()), lambda x: x.round().pow(x.flip(0).round()),
             lambda x: torch.atan2(x, x.flip(0)), lambda x: torch.atan2(x.flip(0), -x)]
INF = float("inf")


def functions(dtype):
    x = torch.cat([randn(60) * 3, randn(40) * 1e-4, randn(40) * 100, torch.rand(40) * 2 - 1,
                   torch.tensor([0.0, -0.0, 1, -1, 2, -2, 1e-30, -1e-30, 1e15, INF, -INF,
                                 float("nan"), 87.5, -103, 0.5, -1, INF, 3, -INF, -3])])
    # Eager's float32 sinh overflows too early.
    x = x[~((x.abs() > 88) & (x.abs() < 90))]
    if dtype == torch.float64:
        x = torch.cat([x.double(), torch.tensor([1e-310, 1e300, -1e300, 709.5, -745, 710, -746])])
    return Function(lambda x: [f(x) for f in FUNCTIONS]), (x.to(dtype),), None


def quantized(x, w):
    """A linear layer on 8-bit integers, whose scale is chosen from the input."""
    scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-8, torch.int8)
    q = Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
    return Q.dequantize_per_tensor.tensor(q, scale, zero, -128, 127, torch.int8) @ w


class Fallbacks(nn.Module):
    """Operators that ATen runs between kernels: with a strided operand, a broadcast operand,
    results whose sizes are known only at run time, several results, and a result that the model
    returns."""

    def forward(self, x):
        y = torch.relu(x)
        values = torch.linalg.eigvalsh((y.t() @ y).expand(2, 8, 8))
        rows, counts = torch.unique_consecutive(x.sign().flip(1), return_counts=True, dim=0)
        _, singular, right = torch.linalg.svd(y.t(), full_matrices=False)
        return values * 2, rows + 1, counts, singular, right.abs() + 1, y.sum()


def product(m, n, k):
    return lambda: (Function(lambda x, y: x @ y), (randn(m, k), randn(k, n)), None)


def softmax(m, n):
    return lambda: (Function(lambda x: torch.softmax(x, -1)), (randn(m, n),), None)


CASES = {
    "mlp-37": lambda: (Mlp(), (randn(37, 33),), ({0: ROWS},)),
    "mlp-64-static": lambda: (Mlp(), (randn(64, 33),), None),
    "conv": lambda: (Conv(), (randn(2, 3, 18, 14),), None),
    "move": lambda: (Move(), (torch.arange(45).reshape(9, 5) % 11, randn(9, 5, 4)), None),
    "matmul-1-1-1": product(1, 1, 1),
    "matmul-64-64-16": product(64, 64, 16),
    "matmul-65-63-17": product(65, 63, 17),
    "matmul-3-130-40": product(3, 130, 40),
    "matmul-batched": lambda: (Function(lambda x, y: x @ y),
                               (randn(3, 20, 9), randn(3, 9, 70)), None),
    "matmul-transposed": lambda: (Function(lambda x, y: x.T @ y.T),
                                  (randn(18, 70), randn(66, 18)), None),
    "softmax-1": softmax(3, 1),
    "softmax-31": softmax(5, 31),
    "softmax-33": softmax(5, 33),
    "softmax-1000": softmax(2, 1000),
    "softmax-1003": softmax(2, 1003),
    # A result that several rows of the softmax share.
    "softmax-shared": lambda: (Function(lambda x, y: (
        torch.tanh(z := x * torch.sigmoid(x)), torch.softmax(torch.minimum(z, y), -1))),
        (randn(3, 1, 40), randn(5, 40)), None),
    "softmax-dynamic": lambda: (Function(lambda x: torch.softmax(x, -1)), (randn(6, 129),),
                                ({0: ROWS, 1: torch.export.Dim("columns", max=9999)},)),
    "pointwise-257": lambda: (Function(lambda x: torch.tanh(x) * 2 + x.exp()), (randn(257),), None),
    "sine": lambda: (Function(lambda x: (torch.sin(x), torch.cos(x))),
                     (torch.cat([randn(200) * 8, randn(100) * 1e6, SPECIAL]),), None),
    # The operand of a matmul is a result, too; with 64 columns and with few rows.
    "matmul-keeps-lhs": lambda: (Function(lambda x, y: ((z := torch.relu(x) + 1), z @ y)),
                                 (randn(70, 20), randn(20, 130)), None),
    "matmul-keeps-rhs": lambda: (Function(lambda x, y: ((z := torch.relu(y) + 1), x @ z)),
                                 (randn(3, 40), randn(40, 70)), None),
    "matmul-keeps-batched": lambda: (Function(lambda x, y: ((z := x.exp()), z @ y)),
                                     (randn(3, 66, 9), randn(3, 9, 5)), None),
    "residual": lambda: (KeepsOperand(), (randn(37, 20),), ({0: ROWS},)),
    "quantized": lambda: (Function(quantized), (randn(9, 20), randn(20, 33)), None),
    "fallbacks": lambda: (Fallbacks(), (randn(5, 8),), None),
    "fallbacks-dynamic": lambda: (Fallbacks(), (randn(11, 8),),
                                  ({0: torch.export.Dim("rows", min=9, max=4096)},)),
    "complex": lambda: (Function(lambda x, y: (torch.view_as_real(x * y), x.abs(), x @ y.mT, x.real,
                                               torch.complex(x.real, y.imag), x.sum(-1),
                                               torch.fft.fft(x[0].real))),
                        (torch.view_as_complex(randn(3, 7, 2)),
                         torch.view_as_complex(randn(4, 7, 2))[:3]), None),
    "two-softmaxes": lambda: (TwoSoftmaxes(), (randn(4, 6),), None),
    "functions-f32": lambda: functions(torch.float32),
    "functions-f64": lambda: functions(torch.float64),
    "norm-f64": lambda: (Function(lambda x: (x - x.mean(-1, True)) / x.std(-1, keepdim=True)),
                         (randn(4, 100).double(),), None),
}

#: The project's models at small sizes, as they are exported, static or dynamic.
MODELS = ["mlp-dynamic", "cond-static", "resnet_small-static", "bert_small-dynamic",
          "hf_bert_small-static", "autoencoder_small-static", "llama_small-dynamic",
          "llama_small_decode-static", "llama_small_decode_index_put-static",
          "llama_small_decode_slice-static"]


def check_model(name, folder, make):
    """Checks one of MODELS at its sizes. `make(archive, folder)` returns an object with `run(args,
    expected, kwargs=)`."""
    name, shapes = name.split("-")
    spec, dynamic = models.get(name), shapes == "dynamic"
    module = spec.build()
    args, kwargs = (spec.wide if dynamic and spec.wide else spec.inputs)()
    runs = [(args, kwargs), *(spec.others() if dynamic or spec.dynamic is None else [])]
    want = [exporting.eager(module, *run) for run in runs]
    exporting.save(spec.program(module, dynamic), folder / "m.pt2")
    model = make(folder / "m.pt2", folder / "made")
    for (args, kwargs), expected in zip(runs, want):
        harness.compare(model.run(args, expected, kwargs=kwargs), expected)


def check_definition(name, folder, make):
    """Checks a model definition of zoo/ in its most general form. `make(archive, folder, flags=)`
    returns an object as in check_model."""
    entry = zoo.entries[name]
    module, dynamic = entry.build(), bool(entry.dynamic)
    exporting.save(entry.program(module, dynamic), folder / "m.pt2")
    flags = [] if entry.fallbacks else ["--no-fallback"]
    model = make(folder / "m.pt2", folder / "made", flags=flags)
    for args, kwargs in [entry.sample(module), *(entry.others(module)[:1] if dynamic else [])]:
        want = exporting.eager(module, args, kwargs)
        harness.compare(model.run(args, want, kwargs=kwargs), want)


def check_random_graphs(program, folder, make):
    """Checks 25 random graphs in one program, with `make` as in check_model."""
    seeds = range(program * 25, (program + 1) * 25)
    module, inputs = Many(seeds), ([RandomGraph.sample(seed) for seed in seeds],)
    want = exporting.eager(module, inputs)
    exporting.save(exporting.export(module, inputs, decomposed=bool(program % 2)),
                   folder / "m.pt2")
    harness.compare(make(folder / "m.pt2", folder / "made").run(inputs, want), want)
