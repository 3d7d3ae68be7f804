"""Shared objects with versions of a model for several CPUs: each version computes what eager
PyTorch does, the best one for the CPU is chosen, and equal weights are stored once."""

import json
import os
import shutil
import warnings

import artefact
import exporting
import harness
import pytest
import raw_tensors
import torch
from test_quantized import features
from torch import nn

V2, V3, V4 = "x86-64-v2", "x86-64-v3", "x86-64-v4"
V3_FLAGS = {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"}
V4_FLAGS = V3_FLAGS | {"avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd"}


class Mixed(nn.Module):
    """A convolution, a norm, attention and a matmul. The odd sizes have remainders in each layout.
    The table is not packed; the buffer is mutated."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 19, 3, padding=1)
        self.norm = nn.BatchNorm2d(19)
        self.table = nn.Embedding(50, 19)
        self.out = nn.Linear(19, 37)
        self.register_buffer("count", torch.zeros(37))

    def forward(self, x, ids):
        y = torch.relu(self.norm(self.conv(x))).flatten(2).transpose(1, 2)
        y = nn.functional.scaled_dot_product_attention(y, y, y) + self.table(ids)
        self.count.add_(1.0)
        return torch.softmax(self.out(y), -1) + self.count


def compile_for(module, inputs, cpus: list, folder, *flags, **export):
    """Exports and compiles `module`; returns the shared object."""
    model, out = folder / "m.pt2", folder / f"{'+'.join(cpus)}.so"
    exporting.save(exporting.export(module, inputs, **export), model)
    result = harness.tool(
        "fx-compile", model, "-o", out, "--no-fallback", f"--mcpu={','.join(cpus)}", *flags
    )
    assert result.returncode == 0, result.stderr
    return out


def runnable() -> list:
    have = features()
    return [V2] + [V3] * (V3_FLAGS <= have) + [V4] * (V4_FLAGS <= have)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A file of three versions, its inputs and what eager PyTorch returns."""
    folder = tmp_path_factory.mktemp("mixed")
    torch.manual_seed(11)
    module = Mixed().eval()
    inputs = (torch.randn(2, 3, 5, 7), torch.randint(50, (2, 35)))
    expected = exporting.eager(module, inputs)
    report = folder / "report.json"
    # The order of the list does not matter.
    file = compile_for(module, inputs, [V2, V4, V3], folder, "--report", report)
    return file, inputs, expected, json.loads(report.read_text())


def test_report(mixed):
    report = mixed[3]
    assert report["versions"] == [V4, V3, V2] and report["cpu"] == V4


def test_each_version(mixed, tmp_path, monkeypatch):
    file, inputs, expected, _ = mixed
    program = raw_tensors.build(tmp_path)
    # Without the variable, the most demanding version that the CPU has.
    cpu, got = raw_tensors.run([program], file, inputs, tmp_path / "io", 1)
    assert cpu == runnable()[-1]
    harness.compare(got, expected)
    for version in runnable():
        monkeypatch.setenv("FX_RUN_CPU", version)
        harness.compare(harness.run(file, (inputs, {}), tmp_path, expected), expected)
        cpu, got = raw_tensors.run([program], file, inputs, tmp_path / "io", 1)
        assert cpu == version
        harness.compare(got, expected)


def test_wrong_version(mixed, tmp_path, monkeypatch):
    file, inputs, _, _ = mixed
    program = raw_tensors.build(tmp_path)
    monkeypatch.setenv("FX_RUN_CPU", "znver5")
    message, _ = raw_tensors.run([program], file, inputs, tmp_path / "io", 1)
    assert message == f"error: FX_RUN_CPU: expected one of {V4}, {V3}, {V2}, got 'znver5'"
    if V4 not in runnable():
        monkeypatch.setenv("FX_RUN_CPU", V4)
        message, _ = raw_tensors.run([program], file, inputs, tmp_path / "io", 1)
        assert f"compiled for {V4}, {V3}, {V2}; for {V4}, this CPU lacks avx512f" in message


@pytest.mark.parametrize("cpu, version", [("Nehalem", V2), ("Haswell", V3)])
def test_emulated(mixed, cpu, version, tmp_path):
    """The choice follows the CPU, and each version uses only the instructions that its CPU has."""
    file, inputs, expected, _ = mixed
    command = [raw_tensors.emulator("qemu-x86_64"), "-cpu", cpu, raw_tensors.build(tmp_path)]
    ran, got = raw_tensors.run(command, file, inputs, tmp_path / "io", 1)
    assert ran == version, ran
    harness.compare(got, expected)


def test_none_fits(tmp_path):
    """A file without a version for the CPU is refused, whether it has one version or several."""
    emulator = [raw_tensors.emulator("qemu-x86_64"), "-cpu", "Nehalem", raw_tensors.build(tmp_path)]
    module, inputs = nn.Linear(5, 3), (torch.randn(2, 5),)
    for cpus in [[V3], [V4, V3]]:
        file = compile_for(module, inputs, cpus, tmp_path)
        message, got = raw_tensors.run(emulator, file, inputs, tmp_path / "io", 1)
        assert got is None
        assert f"compiled for {', '.join(cpus)}; for {V3}, this CPU lacks" in message
        assert "avx2" in message and "bmi2" in message and "avx512" not in message


def test_swapped_weights_and_dynamic_sizes(tmp_path, monkeypatch):
    """Each version packs other weights with its own code."""
    torch.manual_seed(12)

    def make():
        return nn.Sequential(nn.Linear(33, 47), nn.GELU(), nn.Linear(47, 21)).eval()

    file = compile_for(
        make(),
        (torch.randn(7, 33),),
        [V3, V2],
        tmp_path,
        "--swappable-weights",
        dynamic=({0: torch.export.Dim("batch", min=1, max=64)},),
    )
    for version in [v for v in runnable() if v != V4]:
        monkeypatch.setenv("FX_RUN_CPU", version)
        other = make()
        # The version is chosen once in a process and file.
        copy = tmp_path / f"{version}.so"
        shutil.copy(file, copy)
        model = artefact.Model(copy)
        model.set_states({name: value.numpy() for name, value in other.state_dict().items()})
        for n in (1, 5, 13):
            x = torch.randn(n, 33)
            expected = exporting.eager(other, (x,))
            harness.compare([torch.from_numpy(y) for y in model(x.numpy())], expected)
            assert model.info.cpu.decode() == version


def test_weights_are_shared(tmp_path):
    """Versions with the same layout share packed weights, and all versions share the others."""
    module = nn.Sequential(nn.Embedding(5000, 512), nn.Linear(512, 1024)).eval()
    weights = sum(p.numel() * 4 for p in module.parameters())
    packed = module[1].weight.numel() * 4
    inputs = (torch.randint(5000, (3,)),)

    def size(*cpus):
        return os.path.getsize(compile_for(module, inputs, list(cpus), tmp_path))

    code = 400_000  # of one version
    assert size(V3) < weights + code
    # skylake-avx512 and x86-64-v4 have the same vectors, so the same layout.
    assert size(V4, "skylake-avx512") < weights + 2 * code
    assert size(V2, V3, V4, "skylake-avx512") < weights + 2 * packed + 4 * code


@pytest.mark.parametrize(
    "cpus, message",
    [
        (f"{V3},{V3}", f"expected each CPU once, got '{V3}' twice"),
        (f"{V3},nocpu", "unknown CPU 'nocpu'"),
        (f"{V3}+avx512f,{V3}+avx512f", f"expected each CPU once, got '{V3}+avx512f' twice"),
        (f"{V3},{V2}+nothing", "unknown feature 'nothing'"),
        (f"{V3},,{V2}", "expected names of CPUs with commas between them"),
    ],
)
def test_errors(cpus, message, tmp_path):
    model, out = tmp_path / "m.pt2", tmp_path / "m.so"
    exporting.save(exporting.export(nn.ReLU(), (torch.randn(3),)), model)
    result = harness.tool("fx-compile", model, "-o", out, f"--mcpu={cpus}")
    assert result.returncode == 1 and result.stderr.count("\n") == 1
    assert message in result.stderr and not out.exists()


def test_formats(tmp_path):
    """Code as text is that of one CPU, and schedules are measured for one CPU."""
    model, out = tmp_path / "m.pt2", tmp_path / "m.out"
    exporting.save(exporting.export(nn.ReLU(), (torch.randn(3),)), model)
    for flag, message in [("--emit=asm", "expected one CPU"), ("--tune=1", "this machine")]:
        result = harness.tool("fx-compile", model, flag, "-o", out, f"--mcpu={V2},{V3}")
        assert result.returncode == 1 and message in result.stderr and not out.exists()


def test_tiles(tmp_path, monkeypatch):
    """A version whose code uses tiles requires them, and names its features."""
    tiles = f"{V3}+amx-bf16"
    torch.manual_seed(13)
    module, x = nn.Linear(64, 48).bfloat16().eval(), torch.randn(32, 64).bfloat16()
    file = compile_for(module, (x,), [V3, tiles], tmp_path)
    program = raw_tensors.build(tmp_path)
    cpu, got = raw_tensors.run([program], file, (x,), tmp_path / "io", 1)
    assert cpu == (tiles if "amx_bf16" in features() else V3)
    harness.compare(got, exporting.eager(module, (x,)))
    if "amx_bf16" not in features():
        monkeypatch.setenv("FX_RUN_CPU", tiles)
        message, _ = raw_tensors.run([program], file, (x,), tmp_path / "io", 1)
        assert message.endswith(
            f"compiled for {tiles}, {V3}; for {tiles}, this CPU lacks amx-tile, amx-bf16"
        )


def test_package(tmp_path, monkeypatch):
    """A package of PyTorch with several versions has one interface."""
    torch.manual_seed(14)
    module, x = nn.Sequential(nn.Linear(9, 21), nn.Tanh()).eval(), torch.randn(4, 9)
    file = compile_for(module, (x,), [V2, V3], tmp_path, "--emit=aoti")
    package = file.rename(tmp_path / "m.aoti.pt2")
    for version in [v for v in runnable() if v != V4]:
        monkeypatch.setenv("FX_RUN_CPU", version)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = torch._inductor.aoti_load_package(str(package))
        torch.testing.assert_close(model(x), module(x))
        other = nn.Linear(9, 21)
        weights = {f"0.{name}": value.detach() for name, value in other.named_parameters()}
        model.load_constants(weights, check_full_update=True)
        torch.testing.assert_close(model(x), torch.tanh(other(x)))


def test_cache(tmp_path):
    """The kernels of files for one CPU are found, and the bytes do not depend on the cache."""
    torch.manual_seed(15)
    module, inputs, report = Mixed().eval(), (torch.randn(2, 3, 5, 7), torch.zeros(2, 35).long()), {}
    cache = f"--cache-dir={tmp_path / 'cache'}"
    for cpus, flag in [([V2], cache), ([V3], cache), ([V2, V3], cache), ([V2, V3], "--no-cache")]:
        path = tmp_path / "report.json"
        file = compile_for(module, inputs, cpus, tmp_path, flag, "--report", path)
        report[len(cpus), flag] = json.loads(path.read_text()), file.read_bytes()
    assert report[2, cache][1] == report[2, "--no-cache"][1]
    # Only the code that calls the kernels depends on the other versions.
    assert report[2, cache][0]["cache"]["misses"] == 2 < report[2, cache][0]["cache"]["hits"]
