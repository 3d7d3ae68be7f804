#!/usr/bin/env python3
"""Times single operators in eager PyTorch, torch.compile and fx-mlir.

    benchmarks/operators.py [--rounds 9] [--threads 1] [NAME...]

Each operator is a program of its own. Each round runs all three; the times are the
minimum of all rounds in microseconds.
"""

import argparse
import math
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))
sys.path[:0] = [str(BUILD / "python"), str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]

import exporting  # noqa: E402
import fx_mlir  # noqa: E402
import harness  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

CUBE, IMAGE, SQUARE = (16, 256, 256), (4, 16, 128, 128), (1024, 1024)
#: Functions of one tensor, the shape of the tensor, and its dtype if not float32.
CASES = {
    "sum": (torch.sum, CUBE),
    "sum (2)": (lambda x: x.sum(2), CUBE),
    "sum (1)": (lambda x: x.sum(1), CUBE),
    "sum (0, 1)": (lambda x: x.sum((0, 1)), CUBE),
    "sum (0, 2)": (lambda x: x.sum((0, 2)), CUBE),
    "amax (1, 2)": (lambda x: x.amax((1, 2)), CUBE),
    "var": (torch.var, CUBE),
    "norm": (torch.linalg.vector_norm, CUBE),
    "mse_loss": (lambda x: F.mse_loss(x, x * 0.5), CUBE),
    "any": (lambda x: (x > 5).any(), CUBE),
    "argmax": (torch.argmax, CUBE),
    "max (2)": (lambda x: tuple(x.max(2)), CUBE),
    "layer_norm": (lambda x: F.layer_norm(x, CUBE[1:]), CUBE),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), IMAGE),
    "group_norm": (lambda x: F.group_norm(x, 4), IMAGE),
    "mean (2, 3)": (lambda x: x.mean((2, 3)), IMAGE),
    "max_pool to 1": (lambda x: F.adaptive_max_pool2d(x, 1), IMAGE),
    "mm": (lambda x: x[0] @ x[1], (2, 512, 512)),
    "mm bf16": (lambda x: x[0] @ x[1], (2, 512, 512), torch.bfloat16),
    "mm f16": (lambda x: x[0] @ x[1], (2, 512, 512), torch.float16),
    "mm f64": (lambda x: x[0] @ x[1], (2, 512, 512), torch.float64),
    "transpose": (lambda x: x.t().contiguous(), SQUARE),
    "to NHWC": (lambda x: x.permute(0, 2, 3, 1).contiguous(), (4, 64, 56, 56)),
    "cumsum (0)": (lambda x: x.cumsum(0), SQUARE),
    "cumsum (1)": (lambda x: x.cumsum(1), SQUARE),
    "sort": (lambda x: tuple(x.sort(1)), (256, 1024)),
    "topk 50": (lambda x: tuple(x.topk(50)), (16, 32000)),
    "sort 64": (lambda x: tuple(x.sort(1)), (1024, 64)),
    "topk 2 of 64": (lambda x: tuple(x.topk(2)), (512, 64)),
    "topk 5 of 1000": (lambda x: tuple(x.topk(5)), (256, 1000)),
    "median": (lambda x: tuple(x.median(1)), (256, 1024)),
    "median of all": (torch.median, (256, 1024)),
    "kthvalue": (lambda x: tuple(x.kthvalue(10, 1)), (256, 1024)),
    "cummax (1)": (lambda x: tuple(x.cummax(1)), SQUARE),
    "logcumsumexp (1)": (lambda x: x.logcumsumexp(1), SQUARE),
    **{
        name: (getattr(torch, name), SQUARE)
        for name in ["sin", "cos", "tan", "atan", "asinh", "sinh", "cosh", "tanh"]
        + ["exp", "exp2", "expm1", "erf", "erfc"]
    },
    **{name: (getattr(torch, name), SQUARE, torch.bfloat16) for name in ["round", "floor"]},
    "fmod": (lambda x: torch.fmod(x, 0.3), SQUARE),
    "floor_divide": (lambda x: torch.floor_divide(x, 0.3), SQUARE),
    # Reductions over outer dimensions of what pointwise ops compute.
    "squares (0)": (lambda x: (x * x).sum(0), (4096, 1024)),
    "weighted (1)": (lambda x: (x * x[..., :1]).sum(1), CUBE),
    "gelu, mean (1)": (lambda x: F.gelu(x).mean(1), CUBE),
    "distances": (lambda x: (x[0][:, :, None] - x[1][None]).abs().sum(1), (2, 128, 128)),
    "row by matrix": (lambda x: x[0] @ x, (2048, 2048)),
    "mm int32": (lambda x: x[0].round().int() @ x[1].round().int(), (2, 256, 256)),
    "mm int64": (lambda x: x[0].round().long() @ x[1].round().long(), (2, 256, 256)),
    "mm int8": (
        lambda x: torch._int_mm(*(9 * x.round()).clamp(-99, 99).to(torch.int8)), (2, 512, 512)),
    "conv_transpose 2": (
        lambda x: F.conv_transpose2d(x, x[0, :, :8, :16].reshape(64, 32, 2, 2), stride=2),
        (1, 64, 32, 32)),
    "conv_transpose 4": (
        lambda x: F.conv_transpose2d(
            x, x[0, :, :16].reshape(64, 32, 4, 4), stride=2, padding=1),
        (1, 64, 32, 32)),
    "avg_pool to 7": (lambda x: F.adaptive_avg_pool2d(x, 7), (4, 64, 56, 56)),
    "scatter_add": (
        lambda x: x.new_zeros(1024, 64).scatter_add(
            0, (x[:, :1].abs() * 99).long().expand(-1, 64), x),
        (8192, 64)),
    "rotary": (
        lambda x: torch.cat([x[..., :32] * x[0, 0, :, :32] - x[..., 32:] * x[0, 1, :, :32],
                             x[..., 32:] * x[0, 0, :, :32] + x[..., :32] * x[0, 1, :, :32]], -1),
        (1, 16, 512, 64)),
    # Functions of positive numbers, and of those up to 1.
    **{
        name: (lambda x, function=getattr(torch, name): function(x.abs()), SQUARE)
        for name in ["log", "log2", "log10", "log1p"]
    },
    "acosh": (lambda x: torch.acosh(x.abs() + 1), SQUARE),
    **{
        name: (lambda x, function=getattr(torch, name): function(x * 0.3), SQUARE)
        for name in ["asin", "acos", "atanh"]
    },
    "atan2": (lambda x: torch.atan2(x, x.flip(0)), SQUARE),
    "pow": (lambda x: x.abs() ** 1.7, SQUARE),
    "quantile": (lambda x: x.quantile(0.3, 1), (256, 1024)),
}


class One(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def make(name: str) -> tuple[torch.nn.Module, torch.Tensor]:
    """A case's module and input."""
    function, shape, *dtype = CASES[name]
    torch.manual_seed(0)
    # All different: eager's order of equal elements is its own.
    x = torch.randperm(math.prod(shape)).reshape(shape) / math.prod(shape) * 6 - 3
    return One(function), x.to(*(dtype or [torch.float32]))


def distance(x: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """The largest difference; equal infinities have none."""
    return torch.where(x == exact, 0, x - exact).abs().max()


def check(got: list, module: torch.nn.Module, x: torch.Tensor) -> None:
    """Compares with eager: errors against float64 are at most twice as large, or of rounding."""
    eager, exact = (pytree.tree_leaves(module(v)) for v in (x, x.double()))
    for k, (g, e, d) in enumerate(zip(got, eager, exact, strict=True)):
        assert (g.dtype, g.shape) == (e.dtype, e.shape), f"output {k}: {g.dtype} {g.shape}"
        if not e.is_floating_point():
            assert torch.equal(g, e), f"output {k}"
            continue
        largest = d[d.isfinite()].abs().max()
        allowed = 2 * distance(e, d) + 16 * torch.finfo(e.dtype).eps * largest
        error = distance(g, d)
        assert error <= allowed, f"output {k}: error {error:.3g}, expected at most {allowed:.3g}"


def microseconds(function, x) -> float:
    start = time.perf_counter()
    for _ in range(10):
        function(x)
    return (time.perf_counter() - start) * 1e5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of the cases")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.names) - set(CASES):
        parser.error(f"expected names among {', '.join(CASES)}; got {', '.join(unknown)}")
    torch.set_num_threads(options.threads)
    print(f"{'':14}{'eager':>10}{'compile':>10}{'fx-mlir':>10}   of eager, of compile")
    for name in CASES:
        if options.names and name not in options.names:
            continue
        module, x = make(name)
        with tempfile.TemporaryDirectory() as directory, torch.no_grad():
            model = pathlib.Path(directory, "m.pt2")
            exporting.save(exporting.export(module, (x,), {}), model)
            result = harness.tool("fx-compile", model, "-o", model.with_suffix(".so"))
            if result.returncode:
                raise SystemExit(f"error: {name}: {result.stderr.strip()}")
            ours = fx_mlir.load(model.with_suffix(".so"), threads=options.threads)
            torch._dynamo.reset()
            variants = [module, torch.compile(module), ours]
            check(pytree.tree_leaves(ours(x)), module, x)
            times = [[microseconds(f, x) for f in variants] for _ in range(options.rounds)]
            eager, compiled, fx = map(min, zip(*times))
        print(
            f"{name:14}{eager:10.1f}{compiled:10.1f}{fx:10.1f}   "
            f"{eager / fx:8.2f}{compiled / fx:12.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
