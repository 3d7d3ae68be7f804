"""Packages for PyTorch's AOTInductor loaders."""

from __future__ import annotations

import os
import pathlib
import tempfile
import zipfile
from typing import Any

from fx_mlir._module import import_


def aoti_package(
    program: Any,
    path: str | os.PathLike,
    *,
    with_program: bool = False,
    cpu: str = "",
    opt_level: int = 3,
    precision: str = "f32",
) -> str:
    """Compiles `program`, an `ExportedProgram` or the path of a `.pt2`, to a package at `path`,
    and returns the path, as `torch._inductor.aoti_compile_and_package` does. Load the package by
    `torch._inductor.aoti_load_package` or, in C++, `torch::inductor::AOTIModelPackageLoader`.

    `with_program` also stores the `ExportedProgram` in the file, for `torch.export.load`.

    ATen runs operators without native code; those that the loaders cannot call raise `Error`.
    Numbers that the export kept symbolic are passed as 0-d tensors. See `Module.emit` for the
    options."""
    module = import_(program)
    options: dict[str, Any] = dict(cpu=cpu, opt_level=opt_level, precision=precision)
    if with_program:
        _emit_with_program(module, program, pathlib.Path(path), options)
    else:
        module.emit("aoti", path, **options)
    return os.fspath(path)


def _emit_with_program(module: Any, program: Any, path: pathlib.Path, options: dict) -> None:
    import torch
    from torch.export.pt2_archive._package import package_pt2

    if not isinstance(program, torch.export.ExportedProgram):
        program = torch.export.load(program)
    with tempfile.TemporaryDirectory(prefix=".fx-mlir-", dir=path.parent) as name:
        folder = pathlib.Path(name)
        # PyTorch names the root of an archive after its file.
        code, both = folder / "code.pt2", folder / path.with_suffix(".pt2").name
        module.emit("aoti", code, **options)
        files = []
        with zipfile.ZipFile(code) as archive:
            for entry in archive.namelist():
                if "/data/aotinductor/model/" in entry:
                    files.append(archive.extract(entry, folder / "files"))
        package_pt2(
            str(both), exported_programs={"model": program}, aoti_files={"model": files}
        )
        os.replace(both, path)
