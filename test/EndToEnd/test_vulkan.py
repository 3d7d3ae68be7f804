"""Models that are compiled for Vulkan, compared with eager PyTorch.

Vulkan is a second executor of the kernels that shares nothing with the emulator: Mesa compiles the
SPIR-V for the CPU (lavapipe) or another device.
"""

import concurrent.futures
import ctypes
import os
import re
import subprocess
import sys
from unittest import mock

import exporting
import harness
import models
import numpy as np
import pytest
import torch
import vulkan
import zoo
from gpu_cases import (CASES, MODELS, Function, check_definition, check_model, check_random_graphs,
                       randn)

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
    # As on a device whose memory the host does not see; new memory is filled.
    harness.compare(model.run(args, want, FX_VULKAN_STAGES=1, FX_VULKAN_FILL=1), want)


#: All others need --long.
QUICK = ["mlp-dynamic", "resnet_small-static", "llama_small-dynamic"]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in MODELS])
def test_models(name, tmp_path):
    check_model(name, tmp_path, vulkan.Model)


@pytest.mark.long
@pytest.mark.parametrize("name", list(zoo.entries))
def test_zoo(name, tmp_path):
    check_definition(name, tmp_path, vulkan.Model)


@pytest.mark.long
@pytest.mark.parametrize("name", ["autoencoder", "resnet50", "bert_base", "llama", "llama_decode"])
def test_models_at_full_size(name, tmp_path):
    spec = models.get(name)
    module, (args, kwargs) = spec.build(), spec.inputs()
    want = exporting.eager(module, args, kwargs)
    exporting.save(spec.program(module), tmp_path / "m.pt2")
    model = vulkan.Model(tmp_path / "m.pt2", tmp_path, flags=["--no-fallback"])
    harness.compare(model.run(args, want, kwargs=kwargs), want)


@pytest.mark.parametrize("program", [2, *(pytest.param(k, marks=pytest.mark.long)
                                          for k in range(3, 20))])
def test_random_graphs(program, tmp_path):
    check_random_graphs(program, tmp_path, vulkan.Model)


class Counter(torch.nn.Module):
    """Mutates a buffer whose size is no multiple of four bytes, and an input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3, dtype=torch.int8))

    def forward(self, x):
        self.count.add_(1)
        x.add_(1)
        return x * self.count


@pytest.mark.parametrize("stages", ["0", "1"])
def test_states(stages, tmp_path):
    """A run continues with the state of the last one, and mutated inputs are written back."""
    import fx_mlir

    x = torch.ones(2, 3)
    with mock.patch.dict(os.environ, FX_VULKAN_STAGES=stages):
        model = fx_mlir.compile(Counter(), (x.clone(),), target="vulkan")
        for count in range(1, 4):
            y = model(x)
            assert torch.equal(x, torch.full((2, 3), 1.0 + count)) and torch.equal(y, x * count)
        model.reset()
        assert torch.equal(model(x), x)


@pytest.mark.parametrize("stages", ["0", "1"])
def test_get_state(stages, tmp_path):
    """The interface of artefacts gives a copy of a state on the host."""
    sys.path.append(str(harness.ROOT / "python" / "runtime"))
    from fx_mlir_runtime import _fx, load

    x = np.ones((2, 3), np.float32)
    exporting.save(exporting.export(Counter(), (torch.from_numpy(x.copy()),)), tmp_path / "m.pt2")
    with mock.patch.dict(os.environ, FX_VULKAN_STAGES=stages):
        model = load(vulkan.Model(tmp_path / "m.pt2", tmp_path).artefact)
        impl, view = model._flat.impl, _fx._Tensor()
        for count in range(1, 4):
            model(x)
            assert impl._api.get_state(impl._instance, 0, ctypes.byref(view)) == 0
            assert (view.device_type, view.ndim, view.shape[0]) == (1, 1, 3)
            assert list(ctypes.string_at(view.data, 3)) == [count] * 3


def test_threads():
    """Instances and threads share the device; runs of different sizes reuse its memory."""
    import fx_mlir

    spec = models.get("mlp")
    module = spec.build().eval()
    program = spec.program(module, True)
    instances = [fx_mlir.compile(program, target="vulkan") for _ in range(2)]
    (x,), _ = spec.inputs()

    def run(k):
        own = torch.randn(k % 7 + 2, *x.shape[1:], generator=torch.Generator().manual_seed(k))
        harness.compare([instances[k % 2](own)], [module(own).detach()])

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(40)))


def test_large_grid():
    """More blocks than lavapipe takes in one dimension of a grid: 65,535."""
    import fx_mlir

    x = torch.arange(1 << 27, dtype=torch.int32).to(torch.uint8)
    model = fx_mlir.compile(torch.export.export(Function(lambda x: x + 1), (x,)), target="vulkan")
    assert torch.equal(model(x), x + 1)


def test_loading_again(tmp_path):
    """The last instance of an artefact destroys Vulkan's device: memory does not grow."""
    module, x = torch.nn.Linear(8, 8), torch.randn(2, 8)
    exporting.save(exporting.export(module, (x,)), tmp_path / "m.pt2")
    artefact = vulkan.Model(tmp_path / "m.pt2", tmp_path).artefact
    script = """
import sys, numpy, psutil, fx_mlir
x, used = numpy.ones((2, 8), numpy.float32), []
for _ in range(40):
    fx_mlir.load(sys.argv[1])(x)
    used.append(psutil.Process().memory_info().rss)
print(used[-1] - used[10])
"""
    result = subprocess.run([sys.executable, "-c", script, artefact], capture_output=True,
                            text=True, timeout=120,
                            env={**os.environ, "PYTHONPATH": str(harness.BUILD / "python")})
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) < 8 << 20


def test_errors(tmp_path):
    x = torch.randn(2, 8)
    exporting.save(exporting.export(torch.nn.Linear(8, 8), (x,)), tmp_path / "m.pt2")
    model = vulkan.Model(tmp_path / "m.pt2", tmp_path)
    want = [torch.zeros(2, 8)]
    none = str(tmp_path / "none")
    for variables, text in [
        ({"FX_LIBVULKAN": none},
         f"the model runs on a GPU through Vulkan, and its driver ({none}) cannot be loaded"),
        ({"VK_ICD_FILENAMES": none, "VK_DRIVER_FILES": none},
         "Vulkan cannot be used: VK_ERROR_INCOMPATIBLE_DRIVER (no driver of Vulkan is installed)"),
    ]:
        with pytest.raises(harness.ToolError, match=re.escape(text)):
            model.run((x,), want, **variables)
    for device, text in [
        ("vulkan:99", r"expected a device below vulkan:\d+, got vulkan:99"),
        ("cuda:0", "expected a model that was compiled with --target=cuda, got one for vulkan"),
        ("vulkan:-1", "expected cuda, rocm or vulkan, .* got 'vulkan:-1'"),
    ]:
        with pytest.raises(harness.ToolError, match=text):
            harness.run(model.artefact, ((x,), {}), tmp_path, want, "--device", device)
