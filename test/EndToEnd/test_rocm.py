"""Code objects for AMD GPUs are compiled and inspected, since nothing here can run them."""

import pathlib
import re

import code_object
import emulate
import exporting
import harness
import models
import pytest
import torch
from gpu_cases import CASES, MODELS, Mlp, randn
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
    code_object.check(kernels, registers=256, shared=1 << 14)
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
    """Matmuls, attention, norms and functions, without tensor cores."""

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
