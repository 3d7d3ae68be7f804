"""Starts the tools that the package fx_mlir contains: fx-compile, fx-run and others.

This is a package of its own, because a tool needs nothing of fx_mlir, whose import loads
the compiler.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _find(name: str) -> str | None:
    package = importlib.util.find_spec("fx_mlir")
    for folder in (package and package.submodule_search_locations) or []:
        path = os.path.join(folder, "bin", name)
        if os.access(path, os.X_OK):
            return path
    return None


def main() -> None:
    """Replaces the process by the tool of the same name."""
    name = os.path.basename(sys.argv[0])
    path = _find(name)
    if path is None:
        sys.exit(f"error: {name}: this package of fx_mlir has no tools, those of the fx-mlir "
                 "that it was built on are in its bin folder")
    os.execv(path, [path, *sys.argv[1:]])
