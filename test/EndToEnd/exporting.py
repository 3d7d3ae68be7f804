"""Exporting modules to `.pt2` files, as users do."""

import copy
import os
import pathlib
import warnings

import export_caches
import torch

export_caches.install()


def export(
    module: torch.nn.Module,
    args: tuple,
    kwargs: dict | None = None,
    *,
    dynamic=None,
    decomposed: bool = False,
    strict: bool = False,
) -> torch.export.ExportedProgram:
    """Calls torch.export.export. `decomposed` also runs the default decompositions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(
            module, args, kwargs or {}, dynamic_shapes=dynamic, strict=strict
        )
        return program.run_decompositions() if decomposed else program


def save(program: torch.export.ExportedProgram, path: pathlib.Path) -> None:
    """Calls torch.export.save in a temporary folder and renames the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The archive's root folder is named after the file: keep the stem.
    folder = path.parent / f".{path.stem}.{os.getpid()}"
    folder.mkdir(exist_ok=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.export.save(program, folder / path.name)
        os.replace(folder / path.name, path)
    finally:
        for left in folder.iterdir():
            left.unlink()
        folder.rmdir()


def eager(module: torch.nn.Module, args: tuple, kwargs: dict | None = None):
    """Returns the eager outputs. The module and the inputs are not changed."""
    module = copy.deepcopy(module)
    args, kwargs = copy.deepcopy((args, kwargs or {}))
    with torch.no_grad():
        return module(*args, **kwargs)


class Several(torch.nn.Module):
    """Independent calls of functions, so that one program tests them all: forward takes a list of
    the arguments of each."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, arguments):
        return [f(*args) for f, args in zip(self.functions, arguments, strict=True)]
