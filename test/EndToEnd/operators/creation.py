"""Factories: tensors from sizes and scalars."""

import torch

from operators.table import case, f, i


def row(name, function, *inputs, **options):
    case("creation", name, function, *inputs, **options)


row("zeros", lambda x: torch.zeros(x.shape[0], 3) + x[:, :3], f("n", 4))
row("ones", lambda x: torch.ones(x.shape[0], dtype=torch.int64), f("n", 4))
row("full", lambda x: torch.full((2, x.shape[0]), 2.5), f("n", 4))
row("full.bool", lambda x: torch.full((2, x.shape[0]), True), f("n", 4))
row("full_like", lambda x: torch.full_like(x, -1), f("n", 4))
row("zeros_like", torch.zeros_like, f("n", 4))
row("ones_like", lambda x: torch.ones_like(x, dtype=torch.int32), f("n", 4))
row("new_ones", lambda x: x.new_ones(2, x.shape[0]), f("n", 4))
row("new_zeros", lambda x: x.new_zeros(3), f("n", 4))
row("new_full", lambda x: x.new_full((3,), 1.5), f("n", 4))
row("empty_filled", lambda x: torch.empty(x.shape[0], 2).fill_(3.0), f("n", 4))
row("arange", lambda x: torch.arange(x.shape[0]), f("n", 4))
row("arange.start", lambda x: torch.arange(2, x.shape[0] + 2), f("n", 4))
row("arange.step", lambda x: torch.arange(10, -3, -2) + x.shape[0], f("n", 4))
# int64 truncates the arguments to integers, other integer types do not.
row(
    "arange.integer_parts",
    lambda x: [
        torch.arange(*numbers, dtype=dtype) + x.shape[0]
        for numbers in ((1.0, 5.000001, 2.0), (0.5, 6, 2.5), (-0.9, 2.1, 2.0), (0.0, 3.1))
        for dtype in (torch.int64, torch.int32, torch.int16)
    ],
    f("n", 4),
)
row("arange.float", lambda x: torch.arange(0, 1, 0.1) * x[0, 0], f("n", 4))
row("arange.dtype", lambda x: torch.arange(x.shape[0], dtype=torch.float32), f("n", 4))
row("linspace", lambda x: torch.linspace(-1, 1, 7) + x[0, 0], f("n", 4))
row("eye", lambda x: torch.eye(4) @ x.t(), f("n", 4))
row("scalar_tensor", lambda x: torch.scalar_tensor(2.0) * x, f("n", 4))
row("tensor_constant", lambda x: x + torch.tensor([1.0, 2.0, 3.0, 4.0]), f("n", 4))
row("causal_mask", lambda x: torch.arange(x.shape[0])[None] <= torch.arange(x.shape[0])[:, None], f("n", 4))
row("lengths_mask", lambda k: torch.arange(8)[None, :] < k[:, None], i("n", low=0, high=9))
for name in "hann", "hamming", "blackman", "bartlett":
    for periodic in True, False:
        for length in 0, 1, 2, 7, 8:
            row(
                f"{name}_window.{periodic}.{length}",
                lambda x, name=name, periodic=periodic, length=length: getattr(torch, f"{name}_window")(length, periodic)
                + x[0, 0],
                f("n", 4),
                dynamic=False,
            )
row("hamming_window.alpha", lambda x: torch.hamming_window(6, True, 0.6, 0.3) + x[0, 0], f("n", 4))
row("hann_window.wide", lambda x: torch.hann_window(6, dtype=torch.float64) + x[0, 0], f("n", 4))
row("copy.number", lambda x: torch.ops.aten.copy.default(x, 2) + x, f("n", 4))
