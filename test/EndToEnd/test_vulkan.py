"""Kernels without tensor cores as SPIR-V, run by Vulkan and compared with eager PyTorch.

Vulkan is a second executor that shares nothing with the emulator: Mesa compiles the SPIR-V for the
CPU (lavapipe) or another device.
"""

import emulate
import exporting
import harness
import pytest
import torch
import vulkan
from gpu_cases import CASES, MODELS, Function, check_model, check_random_graphs, randn

pytestmark = vulkan.requires_vulkan


def product(dtype):
    """A matmul without tensor cores, with exact sums: a tail in each dimension, and an epilogue."""
    return lambda: (Function(lambda x, y, b: torch.relu(x @ y + b)),
                    (randn(35, 70).to(dtype), randn(70, 66).to(dtype), randn(66).to(dtype)), None)


def integers(dtype):
    x = torch.tensor([-7, -1, 0, 1, 5, 100, 127, -128], dtype=torch.int64)
    y = torch.tensor([2, -3, 4, 7, -2, 3, 6, 5], dtype=torch.int64)
    return lambda: (Function(lambda x, y: (x + y, x * y, x // y, x % y, x & y, x ^ y, x < y,
                                           x.sum(), x.float() / y, torch.where(x > 1, x, y))),
                    (x.to(dtype), y.to(dtype)), None)


MORE = {
    "matmul-f16": product(torch.float16),
    "matmul-bf16": product(torch.bfloat16),
    "softmax-bf16": lambda: (Function(lambda x: torch.softmax(x, -1)),
                             (randn(5, 77).bfloat16(),), None),
    "integers-i8": integers(torch.int8),
    "integers-i16": integers(torch.int16),
    "integers-i32": integers(torch.int32),
    "integers-i64": integers(torch.int64),
}


@pytest.mark.parametrize("name", [*CASES, *MORE])
def test_cases(name, tmp_path):
    torch.manual_seed(3)
    module, args, dynamic = {**CASES, **MORE}[name]()
    module = module.eval()
    want = exporting.eager(module, args)
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    model = vulkan.Model(tmp_path / "m.pt2", tmp_path)
    harness.compare(model.run(args, want), want)
    assert emulate.read_log(tmp_path / "log")


#: All others need --long.
QUICK = ["mlp-dynamic", "resnet_small-static", "llama_small-dynamic"]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in MODELS])
def test_models(name, tmp_path):
    check_model(name, tmp_path, vulkan.Model)


@pytest.mark.parametrize("program", [2, *(pytest.param(k, marks=pytest.mark.long)
                                          for k in range(3, 20))])
def test_random_graphs(program, tmp_path):
    check_random_graphs(program, tmp_path, vulkan.Model)
