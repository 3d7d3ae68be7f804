"""check_wheel.py WHEEL RUNTIME FOLDER [PYTHON]: installs the wheels of fx-mlir and fx-mlir-runtime
in a fresh environment in FOLDER, with NumPy and without torch, and checks them there.
scripts/wheel.sh runs it.

This Python has torch: it exports the models, and computes what they must return. Nothing
is downloaded: the environment gets a copy of this Python's NumPy. PYTHON is another Python, for
which the wheel is: the environment is its own, with NumPy from the package index, and what needs
torch is not checked.
"""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import venv
import zipfile

import numpy as np
import torch
from torch import nn

#: The largest wheel, in 10^6 bytes, and the longest import, in seconds of CPU time.
LARGEST, SLOWEST = 80, 0.150

#: Compiles and runs the models without torch and without LLVM's packages.
SCRIPT = """
import sys
from pathlib import Path
import numpy as np
import fx_mlir

folder = Path(sys.argv[1])
given = dict(np.load(folder / "net" / "given.npz"))
want = dict(np.load(folder / "net" / "want.npz"))

def check(got):
    for name, value in got.items():
        assert type(value) is np.ndarray
        error = np.abs(value - want[name]).max() / np.sqrt(np.mean(want[name] ** 2))
        assert error < 1e-4, (name, error)

fast = fx_mlir.compile(folder / "net.pt2", no_fallback=True)
check(fast(given["in_0"]))
fast.save(folder / "net.so")
loaded = fx_mlir.load(folder / "net.so")
check(loaded(given["in_0"]))

class Producer:
    __dlpack__ = lambda self, **options: given["in_0"].__dlpack__(**options)
    __dlpack_device__ = lambda self: given["in_0"].__dlpack_device__()

check(fast(Producer()))
assert np.from_dlpack(fast(Producer())["y"]).shape == want["y"].shape

try:
    fx_mlir.compile(folder / "aten.pt2", no_fallback=True)
except fx_mlir.Error as e:
    assert "expected native code for every operator" in str(e), e
try:
    fx_mlir.import_(folder / "net.pt2").graph_module()
except ImportError as e:
    assert "needs torch" in str(e)
assert "torch" not in sys.modules
maps = Path("/proc/self/maps").read_text()
foreign = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
allowed = ("/libc.", "/libm.", "/libdl.", "/libpthread.", "/librt.", "/ld-", "/libgcc_s.", "/libutil.")
foreign = [f for f in sorted(foreign) if not f.startswith((sys.prefix, str(folder), sys.base_prefix + "/lib/python"))
           and not any(name in f for name in allowed)]
print("other libraries in the process:", ", ".join(Path(f).name for f in foreign) or "none")
assert not any("LLVM" in f or "MLIR" in f for f in foreign), foreign
"""

#: Runs the model that SCRIPT saved, without the compiler.
RUNTIME = """
import sys
import numpy as np
import fx_mlir_runtime
given = np.load(sys.argv[1] + "/net/given.npz")
want = np.load(sys.argv[1] + "/net/want.npz")
got = fx_mlir_runtime.load(sys.argv[1] + "/net.so")(given["in_0"])
assert got.keys() == set(want)
for name, value in got.items():
    np.testing.assert_allclose(value, want[name], rtol=1e-3, atol=1e-4)
assert "fx_mlir" not in sys.modules and "torch" not in sys.modules
"""

#: Another LLVM in the process, whose symbols everything may bind to.
BESIDE = """
import ctypes, glob, os, sys
for name in ("libLLVM.so.22.1", "libMLIR.so.22.1"):
    for path in glob.glob(f"/usr/lib/llvm-22/lib/{name}"):
        ctypes.CDLL(path, mode=os.RTLD_GLOBAL | os.RTLD_NOW)
assert "libLLVM" in open("/proc/self/maps").read()
"""

#: The parts that need torch, in this Python.
WITH_TORCH = """
import sys, warnings
import fx_mlir
assert fx_mlir.__file__.startswith(sys.argv[2]), fx_mlir.__file__
import torch
warnings.simplefilter("ignore")
aten = fx_mlir.compile(sys.argv[1] + "/aten.pt2")
x = torch.diag(torch.tensor([3.0, 1.0, 2.0]))
torch.testing.assert_close(aten(x), torch.tensor([1.0, 2.0, 3.0]))
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).eval()
y = torch.randn(2, 8)
with torch.no_grad():
    torch.testing.assert_close(torch.compile(model, backend="fx_mlir")(y), model(y))
    module = fx_mlir.import_(torch.fx.symbolic_trace(model), (y,))
    fast = fx_mlir.compile(module.run("fx-resolve-calls"))
    torch.testing.assert_close(fast(y)[0], model(y))
    torch.testing.assert_close(module.graph_module()(y), model(y))
    small = fx_mlir.compile(fx_mlir.quantize(torch.export.export(model, (y,)), [(y,)]))
    assert (small(y) - model(y)).abs().max() < 0.1
"""


class Net(nn.Module):
    """Convolutions, a contraction, an attention and a reduction."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.query, self.value = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        tokens = torch.relu(self.norm(self.conv(x))).flatten(2)
        q, v = self.query(tokens), self.value(tokens)
        y = nn.functional.scaled_dot_product_attention(q, q, v)
        return {"y": y, "mean": y.softmax(-1).mean((1, 2))}


def export(folder: pathlib.Path) -> None:
    """Writes the models, an input and what PyTorch computes of it."""
    torch.manual_seed(0)
    net, n = Net().eval(), torch.export.Dim("n", min=2, max=64)
    program = torch.export.export(net, (torch.randn(2, 3, 8, 8),), dynamic_shapes=({0: n},))
    torch.export.save(program, folder / "net.pt2")
    x = torch.randn(5, 3, 8, 8)
    with torch.no_grad():
        want = net(x)
    (folder / "net").mkdir()
    np.savez(folder / "net" / "given.npz", in_0=x)
    np.savez(folder / "net" / "want.npz", **want)
    (folder / "in").mkdir()
    np.save(folder / "in" / "in_0.npy", x)
    for k, value in enumerate(want.values()):
        np.save(folder / "in" / f"want_{k}.npy", value)
    aten = type("Aten", (nn.Module,), {"forward": lambda self, x: torch.linalg.eigvalsh(x)})()
    torch.export.save(torch.export.export(aten, (torch.eye(3),)), folder / "aten.pt2")


def copy_numpy(site: pathlib.Path) -> None:
    for file in importlib.metadata.files("numpy") or []:
        if ".." not in file.parts:
            target = site / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)


def run(command: list, **settings) -> str:
    # None of the variables that let a process find other libraries or packages.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "PYTHON", "FX_"))}
    env |= {"FX_CACHE": "0"} | settings.pop("env", {})
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env, **settings)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))[:200]}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_tools(bin: pathlib.Path, folder: pathlib.Path) -> None:
    """Runs the tools by the names that are on PATH."""
    path = {"PATH": f"{bin}:/usr/bin:/bin"}
    run(["fx-compile", "net.pt2", "-o", "tool.so", "--no-fallback"], cwd=folder, env=path)
    run(["fx-run", "tool.so", "--inputs", "in", "--outputs", "out"], cwd=folder, env=path)
    for k in range(2):
        got, want = np.load(folder / f"out/out_{k}.npy"), np.load(folder / f"in/want_{k}.npy")
        assert np.abs(got - want).max() < 1e-4 * np.sqrt(np.mean(want**2)), k
    text = run(["fx-translate", "--pt2-to-mlir", "net.pt2"], cwd=folder, env=path)
    assert "aten.conv2d" in text
    (folder / "net.mlir").write_text(text)
    passes = "--pass-pipeline=builtin.module(fx-functionalize,fx-decompose,canonicalize,cse)"
    assert "fx.graph" in run(["fx-opt", passes, "net.mlir"], cwd=folder, env=path)
    for tool in ("fx-compile", "fx-opt", "fx-quantize", "fx-translate"):
        assert "LLVM" in run([tool, "--version"], env=path)


def measure_import(python: pathlib.Path) -> tuple[float, float]:
    """Returns the medians, of 15 processes, of the seconds of `import fx_mlir`: of its CPU time,
    which other work on the machine changes little, and of the elapsed time."""
    text = "import time as t; a = t.process_time(), t.perf_counter(); import fx_mlir; "
    text += "print(t.process_time() - a[0], t.perf_counter() - a[1])"
    times = [map(float, run([python, "-c", text]).split()) for _ in range(15)]
    cpu, elapsed = (statistics.median(column) for column in zip(*times))
    return cpu, elapsed


def main() -> None:
    wheel, runtime, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    other = sys.argv[4] if len(sys.argv) > 4 else ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    export(folder)
    python = folder / "venv/bin/python"
    if other:
        run([other, "-m", "venv", folder / "venv"])
        run([python, "-m", "pip", "--disable-pip-version-check", "install", "numpy"])
    else:
        venv.create(folder / "venv", with_pip=True)
        copy_numpy(next((folder / "venv/lib").glob("python3*/site-packages")))
    run([python, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", wheel, runtime])
    print(f"{runtime.name}: {runtime.stat().st_size / 1e3:.0f} kB")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    with zipfile.ZipFile(wheel) as archive:
        if "-abi3-" in wheel.name:
            assert "fx_mlir/_fx.abi3.so" in archive.namelist()
        for entry in sorted(archive.infolist(), key=lambda e: -e.file_size)[:9]:
            print(f"  {entry.file_size / 1e6:8.2f} MB, {entry.compress_size / 1e6:6.2f} zipped  {entry.filename}")
    assert wheel.stat().st_size <= LARGEST * 1e6, "the wheel is too large"
    print(run([python, "-c", SCRIPT, folder]), end="")
    run([python, "-c", RUNTIME, folder])
    check_tools(folder / "venv/bin", folder)
    run([python, "-c", BESIDE + SCRIPT.replace("assert not any", "any"), folder])
    cpu, elapsed = measure_import(python)
    print(f"import: {cpu * 1e3:.0f} ms of CPU time, {elapsed * 1e3:.0f} ms elapsed")
    assert cpu < SLOWEST, "the import is too slow"
    if other:
        print("compiled models run without torch, and beside another LLVM")
        return
    target = folder / "target"
    run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-index"]
        + ["--no-deps", "--target", target, wheel])
    run([sys.executable, "-c", WITH_TORCH, folder, target], env={"PYTHONPATH": str(target)})
    print("compiled models run without torch, with torch, and beside another LLVM")


if __name__ == "__main__":
    main()
