"""Runs models that are compiled for Vulkan, on lavapipe or any other device."""

import ctypes.util
import os
import pathlib
from unittest import mock

import emulate
import harness
import pytest

requires_vulkan = pytest.mark.skipif(
    not ctypes.util.find_library("vulkan"), reason="no libvulkan.so.1"
)


class Model:
    def __init__(self, model: pathlib.Path, folder: pathlib.Path, flags=()):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.artefact = folder, folder / "model.so"
        compiler = harness.BUILD / "bin" / "fx-compile"
        emulate.run_program(compiler, "--target=vulkan", *flags, model, "-o",
                            self.artefact)

    def run(self, args: tuple, expected, kwargs: dict | None = None, **variables) -> list:
        """Returns the output leaves of fx-run, with the types of the leaves of `expected`."""
        with mock.patch.dict(os.environ, {k: str(v) for k, v in variables.items()}):
            return harness.run(self.artefact, (args, kwargs or {}), self.folder, expected,
                               "--device", "vulkan:0")
