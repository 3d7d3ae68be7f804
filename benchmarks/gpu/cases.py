"""What the benchmark of GPUs runs: kinds of kernels, and the project's models.

Needs torch and the package `models` (test/EndToEnd/models) and nothing else of the project.
"""

import dataclasses
import zlib
from collections.abc import Callable

import models
import torch
from torch import nn


@dataclasses.dataclass
class Case:
    """One program. `small` are sizes that an emulated GPU runs, too.

    build    makes the module for a size
    inputs   makes its (args, kwargs), on the host
    work     floating-point operations ("FLOP") or bytes that must move ("B") at a size
    folds    batch norms become part of convolutions, as fx-compile does by default
    """

    build: Callable[[bool], nn.Module]
    inputs: Callable[[bool], tuple[tuple, dict]]
    work: Callable[[bool], tuple[float, str]] | None = None
    folds: bool = True


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def _random(*sizes: int) -> torch.Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(len(sizes) + sizes[-1]))


def _rows(function, reads: int = 2) -> Case:
    """Rows of 4096 float32; each is read and written once."""

    def sizes(small):
        return (3, 70) if small else (16384, 4096)

    return Case(
        lambda small: Function(function),
        lambda small: ((_random(*sizes(small)),), {}),
        lambda small: (4.0 * reads * sizes(small)[0] * sizes(small)[1], "B"),
    )


def _product(m: int, n: int, k: int, dtype=torch.float32) -> Case:
    few = (65, 63, 17) if dtype == torch.float32 else (130, 72, 136)

    def sizes(small):
        return few if small else (m, n, k)

    def inputs(small):
        m, n, k = sizes(small)
        return (_random(m, k).to(dtype), _random(k, n).to(dtype)), {}

    def work(small):
        m, n, k = sizes(small)
        return 2.0 * m * n * k, "FLOP"

    return Case(lambda small: Function(torch.mm), inputs, work)


def _half_linear(m: int, n: int, k: int, dtype=torch.bfloat16) -> Case:
    """On tensor cores, with a weight, a bias and GELU as in a model."""

    def sizes(small):
        return (130, 72, 136) if small else (m, n, k)

    def build(small):
        _, n, k = sizes(small)
        return nn.Sequential(nn.Linear(k, n), nn.GELU()).to(dtype)

    def inputs(small):
        m, _, k = sizes(small)
        return (_random(m, k).to(dtype),), {}

    def work(small):
        m, n, k = sizes(small)
        return 2.0 * m * n * k, "FLOP"

    return Case(build, inputs, work)


def _attention() -> Case:
    """Causal, of bf16."""

    def sizes(small):
        return (1, 2, 136, 64) if small else (4, 16, 2048, 64)

    def attend(x):
        return nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)

    return Case(lambda small: Function(attend),
                lambda small: ((_random(*sizes(small)).to(torch.bfloat16),), {}))


def _convolution() -> Case:
    def inputs(small):
        return (_random(1, 64, 9, 9) if small else _random(32, 64, 56, 56),), {}

    def build(small):
        return nn.Conv2d(64, 64, 3, padding=1, bias=False)

    return Case(build, inputs, lambda small: (
        2.0 * 64 * 64 * 9 * (81 if small else 32 * 56 * 56), "FLOP"))


def _model(full: str, small: str, folds: bool = True) -> Case:
    def get(is_small):
        return models.get(small if is_small else full)

    return Case(lambda small: get(small).build(), lambda small: get(small).inputs(), folds=folds)


CASES: dict[str, Case] = {
    "copy": _rows(lambda x: x + 1),
    "gelu": _rows(nn.functional.gelu),
    "softmax": _rows(lambda x: torch.softmax(x, -1)),
    "layer_norm": _rows(lambda x: nn.functional.layer_norm(x, x.shape[-1:])),
    "transpose": _rows(lambda x: x.t().contiguous()),
    "sum_columns": _rows(lambda x: x.sum(0), reads=1),
    "matmul_1024": _product(1024, 1024, 1024),
    "matmul_4096": _product(4096, 4096, 4096),
    "matmul_16_rows": _product(16, 4096, 4096),
    # Eager's are cuBLAS alone.
    "matmul_4096_bf16": _product(4096, 4096, 4096, torch.bfloat16),
    "matmul_8192_bf16": _product(8192, 8192, 8192, torch.bfloat16),
    "linear_4096_bf16": _half_linear(4096, 4096, 4096),
    "linear_8192_bf16": _half_linear(8192, 8192, 8192),
    "linear_4096_f16": _half_linear(4096, 4096, 4096, torch.float16),
    "attention_bf16": _attention(),
    "conv_3x3": _convolution(),
    "cond": _model("cond", "cond"),
    "autoencoder": _model("autoencoder", "autoencoder_small"),
    "resnet50": _model("resnet50", "resnet_small"),
    "resnet50_norms": _model("resnet50", "resnet_small", folds=False),
    "bert_base": _model("bert_base", "bert_small"),
    "llama": _model("llama", "llama_small"),
    "llama_decode": _model("llama_decode", "llama_small_decode"),
}

#: Numbers after which a weight repeats itself, so that hundreds of megabytes pack well.
PERIOD = 4096


def _repeat(name: str, like: torch.Tensor) -> torch.Tensor:
    """Normal numbers of the mean and deviation of `like`, which repeat."""
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    table = torch.randn(PERIOD, generator=generator) * like.float().std() + like.float().mean()
    count = -(-like.numel() // PERIOD)
    return table.repeat(count)[: like.numel()].reshape(like.shape).to(like.dtype)


def make(name: str, small: bool = False) -> tuple[nn.Module, tuple, dict]:
    """A module with weights that follow from its name, and its inputs."""
    case = CASES[name]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        module = case.build(small).eval().requires_grad_(False)
        for key, weight in module.state_dict().items():
            if weight.is_floating_point() and weight.dim() > 1 and weight.numel() > PERIOD:
                weight.copy_(_repeat(key, weight))
        for part in module.modules():
            if isinstance(part, nn.BatchNorm2d):  # equal channels keep folded weights periodic
                part.running_mean.fill_(0.1)
                part.running_var.fill_(1.3)
                part.weight.fill_(0.9)
                part.bias.fill_(0.05)
    args, kwargs = case.inputs(small)
    return module, args, kwargs
