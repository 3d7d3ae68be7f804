"""The size of an operator's code does not depend on the sizes of its tensors or windows.

Each operator is compiled at two sizes that are both larger than vectors and blocks. The test counts
the operations of its kernels before LLVM, which determine the compilation time.
"""

from collections.abc import Callable

import exporting
import pytest
import torch
import torch.nn.functional as F
from harness import tool

torch.manual_seed(0)

#: Another remainder of vectors and blocks may need another loop, but the code may grow only by
#: this.
FACTOR, MORE = 1.3, 100


def f(*sizes: int) -> torch.Tensor:
    return torch.randn(sizes)


def i(*sizes: int) -> torch.Tensor:
    return torch.randint(0, 7, sizes)


def image(dims: int, side: int) -> torch.Tensor:
    return f(2, 8, *[side] * dims)


def conv(x: torch.Tensor, w: torch.Tensor, groups: int = 1) -> torch.Tensor:
    return getattr(F, f"conv{x.dim() - 2}d")(x, w, None, 1, w.shape[2] // 2, 1, groups)


#: By name: the operator and a function that returns its inputs for a factor k, which is 2 and 4.
CASES: dict[str, tuple[Callable, Callable]] = {}


def case(name: str, fn: Callable, inputs: Callable) -> None:
    CASES[name] = (fn, inputs)


for dims, window in ((1, 20), (2, 5), (3, 3)):
    for name in (f"max_pool{dims}d", f"avg_pool{dims}d"):
        case(name, lambda k, x, n=name, w=window: getattr(F, n)(x, w * k, 2), lambda k, d=dims, w=window: [image(d, 4 * w * k)])
    case(
        f"max_pool{dims}d_with_indices",
        lambda k, x, n=f"max_pool{dims}d", w=window: getattr(F, n)(x, w * k, 2, return_indices=True),
        lambda k, d=dims, w=window: [image(d, 4 * w * k)],
    )
    for kind in ("max", "avg"):
        name = f"adaptive_{kind}_pool{dims}d"
        case(name, lambda k, x, n=name: getattr(F, n)(x, 3 * k), lambda k, d=dims, w=window: [image(d, 4 * w * k)])
for dims, channels, window, side in ((1, 32, 15, 100), (2, 32, 5, 30), (3, 16, 3, 10)):
    case(
        f"conv{dims}d",
        lambda k, x, w: conv(x, w),
        lambda k, d=dims, c=channels, w=window, s=side: [f(1, c, *[s * k] * d), f(c, c, *[w * k] * d)],
    )
case("depthwise", lambda k, x, w: conv(x, w, 32), lambda k: [f(1, 32, 40 * k, 40 * k), f(32, 1, 5 * k, 5 * k)])
case("grouped", lambda k, x, w: conv(x, w, 4), lambda k: [f(1, 64, 20 * k, 20 * k), f(64, 16, 5 * k, 5 * k)])
case(
    "conv_transpose2d",
    lambda k, x, w: F.conv_transpose2d(x, w, stride=2 * k),
    lambda k: [f(1, 32, 20 * k, 20 * k), f(32, 32, 5 * k, 5 * k)],
)
case("cat", lambda k, *x: torch.cat(x, 1), lambda k: [f(4, n * k) for n in (300, 501, 702)])
case("stack", lambda k, *x: torch.stack(x, 1), lambda k: [f(40 * k, 301 * k)] * 3)
for mode in ("constant", "reflect", "replicate", "circular"):
    case(f"pad.{mode}", lambda k, x, m=mode: F.pad(x, [n * k for n in (7, 8, 9, 10)], mode=m), lambda k: [image(2, 40 * k)])
case("roll", lambda k, x: x.roll(40 * k, 1), lambda k: [f(40, 300 * k)])
case("repeat", lambda k, x: x.repeat(20 * k, 30 * k), lambda k: [f(40, 30 * k)])
case("unfold", lambda k, x: F.unfold(x, 5 * k), lambda k: [f(1, 4, 40 * k, 40 * k)])
case("fold", lambda k, x: F.fold(x, 20 * k, 5 * k, stride=5), lambda k: [f(1, 4 * 25 * k * k, (3 * k + 1) ** 2)])
case("unfold_dim", lambda k, x: x.unfold(1, 40 * k, 2).sum(-1), lambda k: [f(4, 300 * k)])
case("embedding", lambda k, x, w: F.embedding(x, w), lambda k: [i(300 * k), f(700 * k, 500 * k)])
case("embedding_bag", lambda k, x, w: F.embedding_bag(x, w), lambda k: [i(20, 30 * k), f(700 * k, 500 * k)])
case("index", lambda k, x, y: x[:, y], lambda k: [f(8 * k, 300 * k), i(200 * k)])
case("gather", lambda k, x, y: x.gather(1, y), lambda k: [f(40 * k, 300 * k), i(40 * k, 200 * k)])
case(
    "scatter_add",
    lambda k, x, y, z: x.scatter_add(1, y, z),
    lambda k: [f(40 * k, 300 * k), i(40 * k, 200 * k), f(40 * k, 200 * k)],
)
for name in ("sort", "median", "mode", "cummax", "cumsum", "cumprod", "logcumsumexp", "softmax", "argmax", "sum", "var"):
    case(name, lambda k, x, n=name: list(r) if isinstance(r := getattr(x, n)(1), tuple) else r, lambda k: [f(40, 1500 * k)])
    if name.startswith("cum"):
        case(f"{name}.0", lambda k, x, n=name: list(r) if isinstance(r := getattr(x, n)(0), tuple) else r, lambda k: [f(1500 * k, 40)])
case("topk", lambda k, x: list(x.topk(60 * k, 1)), lambda k: [f(40, 1500 * k)])
case("layer_norm", lambda k, x: F.layer_norm(x, x.shape[1:]), lambda k: [f(40, 1500 * k)])
case("group_norm", lambda k, x: F.group_norm(x, 8 * k), lambda k: [f(2, 32 * k, 300 * k)])
case("mm", lambda k, x, y: x @ y, lambda k: [f(301 * k, 700 * k), f(700 * k, 500 * k)])
case("bmm", lambda k, x, y: x @ y, lambda k: [f(5 * k, 100 * k, 300 * k), f(5 * k, 300 * k, 200 * k)])
case("attention", lambda k, *x: F.scaled_dot_product_attention(*x), lambda k: [f(1, 2, 300 * k, 64 * k) for _ in range(3)])
for mode in ("nearest", "bilinear", "bicubic"):
    case(f"upsample.{mode}", lambda k, x, m=mode: F.interpolate(x, scale_factor=3 * k, mode=m), lambda k: [image(2, 20 * k)])
case(
    "upsample.antialias",
    lambda k, x: F.interpolate(x, size=9, mode="bilinear", antialias=True),
    lambda k: [image(2, 60 * k)],
)
case("grid_sample", lambda k, x, g: F.grid_sample(x, g, align_corners=False), lambda k: [f(1, 32, 40 * k, 40 * k), f(1, 50 * k, 50 * k, 2)])
case("tril", lambda k, x: x.tril(), lambda k: [f(300 * k, 300 * k)])
case("flip", lambda k, x: x.flip(1), lambda k: [f(300 * k, 300 * k)])
case("pixel_shuffle", lambda k, x: F.pixel_shuffle(x, 16 * k), lambda k: [f(1, 256 * k * k, 20, 20)])
case("cdist", lambda k, x, y: torch.cdist(x, y), lambda k: [f(40 * k, 300 * k), f(50 * k, 300 * k)])
case("inv", lambda k, x: torch.linalg.inv(x), lambda k: [torch.eye(40 * k)])
case("cholesky", lambda k, x: torch.linalg.cholesky(x), lambda k: [torch.eye(40 * k)])
case("one_hot", lambda k, x: F.one_hot(x, 500 * k), lambda k: [i(300 * k)])
case("bucketize", lambda k, x, y: torch.bucketize(x, y), lambda k: [f(1500 * k), torch.arange(400.0 * k)])
case("lstm", lambda k, x, *w: torch.lstm(x, (f(1, 2, 32 * k), f(1, 2, 32 * k)), w, True, 1, 0.0, False, False, False)[0],
     lambda k: [f(20 * k, 2, 32 * k), f(128 * k, 32 * k), f(128 * k, 32 * k), f(128 * k), f(128 * k)])  # fmt: skip


class Program(torch.nn.Module):
    def __init__(self, fn, k):
        super().__init__()
        self.fn, self.k = fn, k

    def forward(self, *inputs):
        return self.fn(self.k, *inputs)


def count(name: str, k: int, tmp_path) -> int:
    """Returns the number of operations in the kernels of a case."""
    fn, inputs = CASES[name]
    path = tmp_path / f"m{k}.pt2"
    exporting.save(exporting.export(Program(fn, k).eval(), tuple(inputs(k))), path)
    done = tool("fx-compile", path, "--emit=kernels", "--no-fallback", "-o", path.with_suffix(".mlir"))
    assert done.returncode == 0, done.stderr
    lines = path.with_suffix(".mlir").read_text().splitlines()
    # Skips the lines that name types and layouts, and those that end a block.
    return sum(len(line.split()) > 1 and not line.startswith("#") for line in lines)


@pytest.mark.parametrize("name", CASES)
def test_code_of_larger_tensors(name, tmp_path):
    small, large = count(name, 2, tmp_path), count(name, 4, tmp_path)
    assert large <= FACTOR * small + MORE, f"{small} operations, and {large} at a larger size"
