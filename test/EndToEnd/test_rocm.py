"""Models that are compiled for AMD GPUs.

Code objects are inspected, since nothing here can run them. Artefacts run on an emulated device
with HIP's interface (test/Cuda/Hip.cpp), which checks the code object, and executes the kernels,
compiled for this CPU from the same ROCDL dialect.
"""

import os
import pathlib
import re
from unittest import mock

import code_object
import emulate
import exporting
import harness
import models
import pytest
import torch
import zoo
from gpu_cases import (
    CASES,
    MODELS,
    Mlp,
    check_definition,
    check_model,
    check_random_graphs,
    randn,
)
from torch import nn

READELF = pathlib.Path(emulate._from_cache("MLIR_DIR")).parents[2] / "bin" / "llvm-readelf"


def compile_kernels(program, folder, target="rocm:gfx942"):
    """Returns the kernels' metadata. Checks that nothing spills and that every launched kernel
    exists."""
    exporting.save(program, folder / "m.pt2")
    for emit, output in (("hsaco", "m.hsaco"), ("gpu", "gpu.mlir")):
        result = harness.tool("fx-compile", f"--target={target}", folder / "m.pt2",
                              f"--emit={emit}", "-o", folder / output)
        assert result.returncode == 0, result.stderr
    kernels = code_object.read(folder / "m.hsaco", READELF)
    # More than 256 registers would include those of matrix cores, which other instructions only
    # copy.
    code_object.check(kernels, registers=256, shared=1 << 16)
    text = (folder / "gpu.mlir").read_text()
    launched = set(re.findall(r"gpu.launch_func +@kernels::@(\w+)", text))
    assert launched and launched == set(kernels)
    return kernels


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    name, shapes = name.split("-")
    spec = models.get(name)
    kernels = compile_kernels(spec.program(spec.build(), shapes == "dynamic"), tmp_path)
    assert all(kernel["wavefront_size"] == 64 for kernel in kernels.values())


@pytest.mark.parametrize("name", CASES)
def test_kinds(name, tmp_path):
    torch.manual_seed(3)
    module, args, dynamic = CASES[name]()
    compile_kernels(exporting.export(module.eval(), args, dynamic=dynamic), tmp_path)


class Halves(nn.Module):
    """Matmuls, attention, norms and functions."""

    def __init__(self):
        super().__init__()
        self.mlp = Mlp()

    def forward(self, x, q):
        attention = nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
        y = self.mlp(x)
        return (y, attention, y.rsqrt(), torch.fmod(y, 0.3), y.floor(), y.round(), y.sqrt(),
                torch.sigmoid(y), y.sum(), y.cumsum(0), y > 0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves(dtype, tmp_path):
    x, q = randn(37, 33).to(dtype), randn(2, 4, 70, 16).to(dtype)
    compile_kernels(exporting.export(Halves().to(dtype).eval(), (x, q)), tmp_path)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx950", "gfx1100"])
def test_chips(chip, tmp_path):
    """Other chips that LLVM supports. Waves of RDNA have 32 threads."""
    spec = models.get("mlp")
    kernels = compile_kernels(spec.program(spec.build()), tmp_path, f"rocm:{chip}")
    wave = 32 if chip == "gfx1100" else 64
    assert {kernel["wavefront_size"] for kernel in kernels.values()} == {wave}


@pytest.mark.long
@pytest.mark.parametrize("name", ["autoencoder", "resnet50", "bert_base", "llama", "llama_decode"])
def test_models_at_full_size(name, tmp_path):
    spec = models.get(name)
    compile_kernels(spec.program(spec.build()), tmp_path)


class Model:
    """A model compiled for an emulated AMD GPU."""

    def __init__(self, model: pathlib.Path, folder: pathlib.Path, flags=()):
        self.folder, self.artefact = folder, folder / "model.so"
        self.kernels = emulate.compile_kernels(model, folder, target="rocm", flags=flags)
        emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=rocm", *flags,
                            model, "-o", self.artefact)

    def environment(self, **variables):
        """`variables` are those of test/Cuda/Driver.cpp."""
        hip = emulate.DRIVER.with_name("libFakeHip.so")
        return mock.patch.dict(os.environ, emulate.driver(self.kernels, **variables),
                               FX_LIBHIP=str(hip), FX_LIBCUDA="/nonexistent")

    def run(self, args, expected, kwargs=None, **variables):
        with self.environment(**variables):
            return harness.run(self.artefact, (args, kwargs or {}), self.folder, expected,
                               "--device", "rocm:0")


def make(name, folder):
    torch.manual_seed(3)
    module, args, dynamic = CASES[name]()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), folder / "m.pt2")
    return Model(folder / "m.pt2", folder / "made"), args, exporting.eager(module, args)


#: All others need --long.
QUICK_CASES = ["mlp-37", "fallbacks-dynamic", "functions-f64"]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK_CASES else [pytest.mark.long]) for name in CASES])
def test_runs(name, tmp_path):
    model, args, want = make(name, tmp_path)
    harness.compare(model.run(args, want, log=tmp_path / "log"), want)
    calls = [line["call"] for line in emulate.read_log(tmp_path / "log")]
    assert calls.count("load") == 1 and "launch" in calls
    # Without pools of memory, and with streams in another order.
    harness.compare(model.run(args, want, pools=0, seed=5), want)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name == "resnet_small-static" else [pytest.mark.long])
    for name in MODELS])
def test_models_run(name, tmp_path):
    check_model(name, tmp_path, Model)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves_run(dtype, tmp_path):
    x, q = randn(37, 33).to(dtype), randn(2, 4, 70, 16).to(dtype)
    module = Halves().to(dtype).eval()
    exporting.save(exporting.export(module, (x, q)), tmp_path / "m.pt2")
    want = exporting.eager(module, (x, q))
    harness.compare(Model(tmp_path / "m.pt2", tmp_path / "made").run((x, q), want), want)


@pytest.mark.long
@pytest.mark.parametrize("name", list(zoo.entries))
def test_zoo(name, tmp_path):
    check_definition(name, tmp_path, Model)


@pytest.mark.long
@pytest.mark.parametrize("program", range(2, 8))
def test_random_graphs(program, tmp_path):
    check_random_graphs(program, tmp_path, Model)


def test_errors(tmp_path):
    """Messages name the device, and what the driver says."""
    model, args, want = make(next(iter(CASES)), tmp_path)
    expected = [
        ({"FX_FAKE_CUDA_DEVICES": "0"},
         "the driver of AMD GPUs cannot be used: hipErrorNoDevice (no ROCm-capable device is "
         "detected), number 100"),
        ({"FX_FAKE_HIP_CHIP": "gfx90a"},
         "rocm:0: the kernels cannot be loaded: hipErrorNoBinaryForGpu (no kernel image is "
         "available for execution on the device), number 209: the model was compiled for "
         "rocm:gfx942, the device is Emulated AMD GPU"),
        ({"FX_LIBHIP": "/nonexistent"},
         "the model runs on an AMD GPU, and its driver (/nonexistent) cannot be loaded"),
        ({"FX_LIBHIP": ""},
         "the model runs on an AMD GPU, and its driver (libamdhip64.so) cannot be loaded"),
        ({"FX_LIBHIP": str(emulate.DRIVER)},
         f"{emulate.DRIVER}: the driver is too old: expected the function 'hipInit'"),
    ]
    for variables, text in expected:
        with model.environment(), mock.patch.dict(os.environ, variables):
            with pytest.raises(harness.ToolError, match=re.escape(text)):
                harness.run(model.artefact, (args, {}), tmp_path, want, "--device", "rocm:0")
    with model.environment(), pytest.raises(
            harness.ToolError, match="expected a device below rocm:1, got rocm:1"):
        harness.run(model.artefact, (args, {}), tmp_path, want, "--device", "rocm:1")
