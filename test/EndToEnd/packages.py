"""Packages of `fx-compile --emit=aoti` in the loader of this process's PyTorch."""

import pathlib
import warnings

import harness
import torch
from torch.utils import _pytree as pytree


def package(program: pathlib.Path, *flags) -> pathlib.Path:
    """Returns the path of the package of an exported program."""
    path = program.with_suffix(".aoti.pt2")
    result = harness.tool("fx-compile", program, "--emit=aoti", "-o", path, *flags)
    if result.returncode:
        raise harness.ToolError(f"fx-compile --emit=aoti: {result.stderr.strip()}")
    return path


def load(path: pathlib.Path):
    """Returns the model of a package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch._inductor.aoti_load_package(str(path))


def call(model, args: tuple, kwargs: dict | None = None) -> list:
    """Returns the flat list of the outputs."""
    return pytree.tree_leaves(model(*args, **(kwargs or {})))
