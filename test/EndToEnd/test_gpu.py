"""Code for GPUs, run by the emulator and compared with eager PyTorch.

Covers the kinds of kernels at sizes that do not fill their tiles, blocks and warps, under several
orders of threads, and kernels with a barrier removed, which the emulator must notice.
"""

import os
import re
import sys
from unittest import mock

import emulate
import exporting
import harness
import models
import numpy as np
import pytest
import torch
import zoo
from gpu_cases import (CASES, MODELS, ROWS, Function, check_definition, check_model,
                       check_random_graphs, randn)
from torch import nn


def build(name, tmp_path, **options):
    torch.manual_seed(3)
    module, args, dynamic = CASES[name]()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    return module, args, emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", **options)


@pytest.mark.parametrize("name", CASES)
def test_emulated(name, tmp_path):
    module, args, model = build(name, tmp_path)
    want = exporting.eager(module, args)
    first = model.run(args, want)
    harness.compare(first, want)
    # The results do not depend on the order of threads, down to the last bit. A GPU of another
    # generation gets PTX; a GPU without memory pools allocates its own memory for each run.
    for variables in ({"seed": 1}, {"seed": 2, "chip": 86, "pools": 0}):
        for a, b in zip(first, model.run(args, want, **variables)):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_error_function(tmp_path):
    """Each digit is checked, also where erfc is tiny: the tolerance of outputs is wider."""
    x = torch.cat([torch.linspace(-7, 26.4, 3000, dtype=torch.float64), randn(500).double() * 1e-5])
    module = Function(lambda x: (torch.erf(x), torch.erfc(x)))
    exporting.save(exporting.export(module, (x,)), tmp_path / "m.pt2")
    want = exporting.eager(module, (x,))
    got = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated").run((x,), want)
    for a, b in zip(got, want):
        normal = b.abs() > 1e-300
        assert ((a - b) / b)[normal].abs().max() < 1e-14


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    """No operator falls back to ATen: that would be an error on a GPU."""
    check_model(name, tmp_path, emulate.Model)


def test_banks(tmp_path):
    """The layout of matmul tiles in shared memory avoids most bank conflicts."""
    args = randn(128, 72), randn(72, 128), randn(128, 72)
    module = Function(lambda x, y, z: (x @ y, x @ z.T))
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    stats = tmp_path / "stats"
    with mock.patch.dict(os.environ, {"FX_EMULATOR_STATS": str(stats)}):
        emulate.Model(tmp_path / "m.pt2", tmp_path / "made").run(
            args, exporting.eager(module, args))
    rows = emulate.read_log(stats)
    assert len(rows) == 2
    for row in rows:
        assert row["extra_wavefronts"] * 10 < row["shared_wavefronts"], row


def test_sectors(tmp_path):
    """A warp that transposes touches four sectors of 32 bytes, like a warp that copies, and its
    threads read different banks."""
    args = (randn(128, 96),)
    module = Function(lambda x: x.T.contiguous() + 1)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    stats = tmp_path / "stats"
    with mock.patch.dict(os.environ, {"FX_EMULATOR_STATS": str(stats)}):
        emulate.Model(tmp_path / "m.pt2", tmp_path / "made").run(
            args, exporting.eager(module, args))
    (row,) = emulate.read_log(stats)
    assert row["global_sectors"] == 4 * row["global_requests"], row
    assert row["extra_wavefronts"] == 0, row


#: Widely used definitions, one of each kind. All others need --long.
QUICK = ["distilbert", "whisper_encoder", "lstm", "dlrm", "unet"]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.long]) for name in zoo.entries])
def test_zoo(name, tmp_path):
    """Each definition in its most general form, with native code."""
    check_definition(name, tmp_path, emulate.Model)


@pytest.mark.long
@pytest.mark.parametrize("name", ["autoencoder", "resnet50", "bert_base", "llama", "llama_decode"])
def test_launches_at_full_size(name, tmp_path):
    """Each launch is valid on a GPU and uses addresses of allocated memory."""
    spec = models.get(name)
    module, (args, kwargs) = spec.build(), spec.inputs()
    want = exporting.eager(module, args, kwargs)
    exporting.save(spec.program(module), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", "--target=cuda", tmp_path / "m.pt2", "-o",
                          tmp_path / "m.so")
    assert result.returncode == 0, result.stderr
    with mock.patch.dict(os.environ, emulate.driver(log=tmp_path / "log")):
        got = harness.run(tmp_path / "m.so", (args, kwargs), tmp_path, want)
    assert [g.shape for g in got] == [w.shape for w in torch.utils._pytree.tree_leaves(want)]
    calls = [entry["call"] for entry in emulate.read_log(tmp_path / "log")]
    assert calls.count("load") == 1 and calls.count("launch") > 5


@pytest.mark.parametrize("program", [2, *(pytest.param(k, marks=pytest.mark.long)
                                          for k in range(3, 20))])
def test_random_graphs(program, tmp_path):
    check_random_graphs(program, tmp_path, emulate.Model)


@pytest.mark.parametrize("rows", [0, 1, 2, 63, 65])
def test_dynamic_rows(rows, tmp_path):
    module, _, model = build("mlp-37", tmp_path)
    x = randn(rows, 33)
    want = exporting.eager(module, (x,))
    harness.compare(model.run((x,), want), want)


@pytest.mark.parametrize("name", ["matmul-65-63-17", "softmax-1003"])
def test_missing_barriers_show(name, tmp_path):
    """A kernel without any one of its barriers is wrong under some order of threads."""
    gone = []

    def drop(which):
        def mutate(kernels):
            found = list(re.finditer(r"^ *nvvm\.barrier0.*\n", kernels, re.M))
            gone.append(len(found))
            match = found[which]
            return kernels[: match.start()] + kernels[match.end() :]

        return mutate

    def differs(model, args, want, seed):
        try:
            harness.compare(model.run(args, want, seed), want)
        except AssertionError:
            return True
        return False

    which = 0
    while which == 0 or which < gone[0]:
        module, args, model = build(name, tmp_path / str(which), mutate=drop(which))
        want = exporting.eager(module, args)
        assert any(differs(model, args, want, seed) for seed in range(4)), which
        which += 1


class Counter(nn.Module):
    """The model that device-tensors.c expects."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.tensor([1.0, 2, 3]))
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x, y, k: int):
        self.count.add_(x.sum(0))
        y.add_(1)
        return x * self.w * k + self.count, k + 1


@pytest.mark.parametrize("pools", [0, 1])
def test_device_tensors(pools, tmp_path):
    program = torch.export.export(
        Counter(), (randn(2, 3), randn(3), 2),
        dynamic_shapes=({0: ROWS}, None, torch.export.Dim.DYNAMIC))
    exporting.save(program, tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated")
    emulate.run_program(harness.BUILD / "test" / "Cuda" / "fx-device-tensors", model.artefact,
                        emulate.DRIVER, env=emulate.driver(model.kernels, pools=pools))


@pytest.mark.parametrize("name", ["fallbacks", "fallbacks-dynamic"])
def test_fallback_on_the_device(name, tmp_path):
    """Operands and results of the fallback stay on the device if the fallback supports that; this
    fallback ends the process if they do not."""
    module, args, model = build(name, tmp_path)
    libraries = {"FX_TORCH_LIBRARY": emulate.DRIVER.with_name("libDeviceFallback.so"),
                 "FX_HOST_FALLBACK": harness.BUILD / "lib" / "libFXTorch.so"}
    want = exporting.eager(module, args)
    with mock.patch.dict(os.environ, {k: str(v) for k, v in libraries.items()}):
        harness.compare(model.run(args, want), want)


FAULT = """
import sys
import torch
sys.path.insert(0, sys.argv[1])
import native
model = native.Model(sys.argv[2])
for make in (lambda: model(torch.ones(3, 72)), lambda: model(torch.ones(3, 72)),
             lambda: native.Model(sys.argv[2])):
    try:
        make()
    except RuntimeError as e:
        print(e)
    else:
        sys.exit("expected an error")
"""


class AddRelu(nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


def test_illegal_address(tmp_path):
    """The error is reported when the stream is synchronized, and in all later calls. With
    FX_GPU_SYNC the error names the kernel."""
    exporting.save(exporting.export(AddRelu(), (randn(3, 72),)), tmp_path / "m.pt2")

    def behind(kernels):
        changed, count = re.subn(r"llvm\.getelementptr (?:\S+ )?%arg0\[%\d+\] : "
                                 r"\(!llvm\.ptr<1>, i64\)",
                                 "llvm.getelementptr %arg0[400] : (!llvm.ptr<1>)", kernels)
        assert count >= 1
        return changed

    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "made", mutate=behind)
    benchmarks = harness.ROOT / "benchmarks"
    name = "CUDA_ERROR_ILLEGAL_ADDRESS \\(an illegal memory access was encountered\\), number 700"
    for sync in ("", "1"):
        said = emulate.run_program(sys.executable, "-c", FAULT, benchmarks, model.artefact,
                                   env={**emulate.driver(model.kernels), "FX_GPU_SYNC": sync})
        first, second, third = said.splitlines()
        if sync:
            line = r"\(\S+test_gpu\.py:\d+\)"
            assert re.match(rf"cuda:0: kernel 'kernel_0' \(of add {line}, relu {line}\) failed: "
                            rf"{name}; grid 1 x 1 x 1, blocks of 64 x 1 x 1, "
                            r"0 bytes of shared memory$", first), first
        else:
            assert re.match(rf"cuda:0: a kernel failed: {name}: .*FX_GPU_SYNC=1 names",
                            first), first
        assert re.match(rf"cuda:0: \S.*: {name}: a kernel that was launched before has failed, and "
                        "no call of this process can use the device", second), second
        assert re.match(rf"cuda:0: cannot be used: {name}: a kernel of this process has failed",
                        third), third


PACKAGE = """
import sys, torch, fx_mlir
program = torch.export.load(sys.argv[1])
model = fx_mlir.compile(program, target="cuda:sm_80")
assert model.info["target"] == "cuda:sm_80"
x, = program.example_inputs[0]
want = program.module()(x)
torch.testing.assert_close(model(x), want)
model.save(sys.argv[2])
torch.testing.assert_close(fx_mlir.load(sys.argv[2])(x), want)
try:
    model(x.to("meta"))
except fx_mlir.Error as e:
    assert "expected a tensor on the CPU or a CUDA device, got one on meta" in str(e), e
else:
    sys.exit("expected an error")
try:
    fx_mlir.load(sys.argv[2], device=3)
except fx_mlir.Error as e:
    assert "expected a device below cuda:1, got cuda:3" in str(e), e
else:
    sys.exit("expected an error")
"""


def test_python_package(tmp_path):
    """The tensors are on the host, since PyTorch does not know the emulated GPU."""
    _, _, model = build("mlp-64-static", tmp_path)
    package = f"{harness.BUILD / 'python'}:{os.environ.get('PYTHONPATH', '')}"
    env = emulate.driver(model.kernels, chip=80) | {"PYTHONPATH": package}
    emulate.run_program(sys.executable, "-c", PACKAGE, tmp_path / "m.pt2", tmp_path / "saved.so",
                        env=env)
