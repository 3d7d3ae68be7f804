"""check_root.py FOLDER: compiles and runs FOLDER/model.pt2 where neither torch nor LLVM nor a
compiler is installed, and compares with FOLDER/expected. scripts/check_root.sh runs it."""

import importlib.metadata
import importlib.util
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

folder = pathlib.Path(sys.argv[1])


def check_root() -> None:
    """The wheel must not find what it should not need."""
    assert importlib.util.find_spec("torch") is None
    for tool in ("cc", "gcc", "g++", "clang", "ld", "ld.lld", "as", "llc", "mlir-opt"):
        assert shutil.which(tool) is None, tool
    for place in map(pathlib.Path, ("/usr/lib", "/usr/local/lib", "/lib64", "/opt")):
        for name in ("libLLVM*", "libMLIR*", "libtorch*", "libc10*"):
            assert not list(place.rglob(name)), (place, name)
    installed = sorted(d.metadata["Name"] for d in importlib.metadata.distributions())
    assert not {"torch", "nanobind"} & set(installed)
    libc = " ".join(platform.libc_ver())
    print(f"Python {platform.python_version()}, {libc}, packages: {', '.join(installed)}")


def compare(outputs: list) -> float:
    """Returns the largest error, in units of the RMS of the output."""
    worst = 0.0
    for k, got in enumerate(outputs):
        want = np.load(folder / f"expected/out_{k}.npy")
        assert got.shape == want.shape and got.dtype == want.dtype
        worst = max(worst, float(np.abs(got - want).max() / np.sqrt(np.mean(want**2))))
    assert worst < 1e-4, worst
    return worst


def main() -> None:
    check_root()
    import fx_mlir
    import fx_mlir_runtime

    inputs = [np.load(folder / f"in/in_{k}.npy") for k in range(len(list((folder / "in").iterdir())))]
    start = time.perf_counter()
    fast = fx_mlir.compile(folder / "model.pt2", no_fallback=True, progress=False)
    seconds = time.perf_counter() - start
    results = fast(*inputs)
    error = compare(list(results) if isinstance(results, (list, tuple)) else [results])
    fast.save(folder / "model.so")
    for package in (fx_mlir, fx_mlir_runtime):
        compare(list(package.load(str(folder / "model.so"))(*inputs)))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        fast(*inputs)
        times.append(time.perf_counter() - start)
    print(f"compiled in {seconds:.1f} s, runs in {min(times) * 1e3:.1f} ms, error {error:.1e} of the RMS")

    subprocess.run(["fx-compile", "model.pt2", "-o", "tool.so", "--no-fallback"], cwd=folder, check=True)
    subprocess.run(["fx-run", "tool.so", "--inputs", "in", "--outputs", "out"], cwd=folder, check=True)
    compare([np.load(file) for file in sorted((folder / "out").glob("out_*.npy"))])
    version = subprocess.run(["fx-opt", "--version"], check=True, capture_output=True, text=True)
    print(" ".join(version.stdout.split()))

    code = "import time as t; a = t.process_time(); import fx_mlir; print(t.process_time() - a)"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            for _ in range(9)]
    print(f"import: {statistics.median(float(r.stdout) for r in runs) * 1e3:.0f} ms of CPU time")
    maps = pathlib.Path("/proc/self/maps").read_text()
    files = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
    own = ("/check/", "/usr/lib/python3", "/usr/local/lib/python3", "/tmp/")
    print("libraries of the system:", *sorted(pathlib.Path(f).name for f in files if not f.startswith(own)))


main()
