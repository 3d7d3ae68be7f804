"""Models that are compiled for AArch64 and run by an emulator. A build without a runtime for
AArch64, or a machine without an emulator or a libc for it, skips the tests."""

import functools
import os
import pathlib
import tempfile

import harness
import pytest
import raw_tensors
from torch.utils import _pytree as pytree

TRIPLE = "aarch64-linux-gnu"
#: The folder with AArch64's libc.
SYSROOT = pathlib.Path("/usr/aarch64-linux-gnu")
#: QEMU's CPU with all features that it knows.
MOST = "max,pauth-impdef=on"


@functools.lru_cache(maxsize=None)
def _program(folder: str) -> pathlib.Path:
    return raw_tensors.build(pathlib.Path(folder), f"--target={TRIPLE}", "-fuse-ld=lld")


def command(folder: pathlib.Path, cpu: str = MOST) -> list:
    """Returns the command that runs run-model on `cpu`, one of QEMU's. The program is built once in
    `folder`."""
    emulator = raw_tensors.emulator("qemu-aarch64")
    if not (SYSROOT / "lib/libc.so.6").exists():
        pytest.skip("no libc for AArch64 (libc6-dev-arm64-cross, libgcc-12-dev-arm64-cross)")
    return [emulator, "-L", SYSROOT, "-cpu", cpu, _program(str(folder))]


def compile_for(model: pathlib.Path, out: pathlib.Path, cpu: str, *flags) -> pathlib.Path:
    """Compiles `model` to the shared object `out` for `cpu`, one of LLVM's; empty: any."""
    flags = (f"--mtriple={TRIPLE}", *([f"--mcpu={cpu}"] if cpu else []), *flags)
    result = harness.tool("fx-compile", model, "-o", out, "--no-fallback", *flags)
    if "has no runtime for aarch64" in result.stderr:
        pytest.skip(result.stderr.strip())
    if result.returncode:
        raise harness.ToolError(f"fx-compile: {result.stderr.strip()}")
    return out


def run(command: list, model: pathlib.Path, inputs, folder: pathlib.Path, expected) -> list:
    """Runs a model on the leaves of `inputs`. Returns the outputs with the types of the leaves of
    `expected`."""
    flat = pytree.tree_leaves(expected)
    work = pathlib.Path(tempfile.mkdtemp(dir=folder))
    cpu, got = raw_tensors.run(command, model, pytree.tree_leaves(inputs), work, len(flat))
    if got is None:
        raise harness.ToolError(cpu)
    for file in work.iterdir():
        os.unlink(file)
    return [g if hasattr(want, "dtype") else g.item() for g, want in zip(got, flat)]
