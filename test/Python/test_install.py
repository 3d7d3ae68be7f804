"""Tests `pip install .` with the fx-mlir of the build folder."""

import os
import pathlib
import shutil
import subprocess
import sys
import venv

root = pathlib.Path(__file__).resolve().parents[2]
tree = pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build"))

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import fx_mlir, torch
assert fx_mlir.__file__.startswith(sys.argv[1]), fx_mlir.__file__
x = torch.randn(3)
print(torch.equal(fx_mlir.compile(torch.nn.ReLU(), (x,))(x), torch.relu(x)))
"""
BACKEND = 'assert "fx_mlir" in torch._dynamo.list_backends()'


def test_build_without_torch(tmp_path):
    """pip's build fails with a helpful message if its Python has no torch."""
    venv.create(tmp_path / "bare", with_pip=False)
    settings = ["-DSKBUILD=ON", f"-DPython_EXECUTABLE={tmp_path}/bare/bin/python"]
    for line in (tree / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(("CMAKE_C_COMPILER:", "CMAKE_CXX_COMPILER:", "MLIR_DIR:")):
            settings.append(f"-D{line}")
    result = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", root, "-B", tmp_path / "build", *settings],
        capture_output=True,
        text=True,
    )
    assert result.returncode and "pip install torch==2.13.*" in " ".join(result.stderr.split())


def test_pip_install(tmp_path):
    names = tuple(f"CMAKE_{x}_COMPILER{y}:" for x in ("C", "CXX") for y in ("", "_LAUNCHER"))
    cache = (tree / "CMakeCache.txt").read_text().splitlines()
    defines = [f"FX_DIR={tree.resolve()}/lib/cmake/FX"]
    for line in cache:
        if line.startswith(names):
            name, value = line.split("=", 1)
            defines.append(f"{name.split(':')[0]}={value}")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        + ["--disable-pip-version-check", "--target", tmp_path, root]
        + [f"--config-settings=cmake.define.{define}" for define in defines]
        + [f"--config-settings=build-dir={tmp_path}/build"],
        check=True,
    )
    info = next(tmp_path.glob("fx_mlir-*.dist-info"))
    assert (tmp_path / "fx_mlir" / "py.typed").exists()
    assert "fx_mlir.backend:fx_mlir" in (info / "entry_points.txt").read_text()
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT + BACKEND, tmp_path],
        check=True,
        capture_output=True,
        text=True,
    )
    assert out.stdout.strip() == "True"


def test_wheel_of_whole_build(tmp_path):
    """The files that `pip install .` puts in one folder find LLVM's libraries without
    LD_LIBRARY_PATH."""
    for component in ("python", "FX", "torch"):
        subprocess.run(
            ["cmake", "--install", tree, "--component", component, "--prefix", tmp_path],
            check=True,
            capture_output=True,
        )
    for library in (tmp_path / "lib").glob("*.so*"):
        shutil.move(library, tmp_path / "fx_mlir")
    for source in (root / "python" / "fx_mlir").glob("*.py"):
        shutil.copy(source, tmp_path / "fx_mlir")
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    command = [sys.executable, "-c", SCRIPT, tmp_path]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.stdout == "True\n", result.stderr
