"""Packages for PyTorch's AOTInductor loaders."""

from __future__ import annotations

import os
from typing import Any

from fx_mlir._module import import_


def aoti_package(
    program: Any,
    path: str | os.PathLike,
    *,
    cpu: str = "",
    opt_level: int = 3,
    precision: str = "f32",
) -> str:
    """Compiles `program`, an `ExportedProgram` or the path of a `.pt2`, to a package at `path`,
    and returns the path, as `torch._inductor.aoti_compile_and_package` does. Load the package by
    `torch._inductor.aoti_load_package` or, in C++, `torch::inductor::AOTIModelPackageLoader`.

    ATen runs operators without native code; those that the loaders cannot call raise `Error`.
    Numbers that the export kept symbolic are passed as 0-d tensors. See `Module.emit` for the
    options."""
    import_(program).emit("aoti", path, cpu=cpu, opt_level=opt_level, precision=precision)
    return os.fspath(path)
