"""Runs code that is compiled for a GPU with Vulkan, on lavapipe or any other device.

The artefact is the one for NVIDIA GPUs without tensor cores. Its driver is libVulkanCuda.so
(test/Vulkan), which runs the same kernels as SPIR-V.
"""

import os
import pathlib
from unittest import mock

import emulate
import harness
import pytest

DRIVER = harness.BUILD / "test" / "Vulkan" / "libVulkanCuda.so"

requires_vulkan = pytest.mark.skipif(not DRIVER.exists(), reason="built without Vulkan")


class Model:
    def __init__(self, model: pathlib.Path, folder: pathlib.Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.artefact = folder, folder / "model.so"
        self.kernels = folder / "kernels.spv"
        compiler = harness.BUILD / "bin" / "fx-compile"
        emulate.run_program(compiler, "--target=vulkan", model, "--emit=spirv", "-o", self.kernels)
        emulate.run_program(compiler, "--target=cuda:sm_75", model, "-o", self.artefact)

    def run(self, args: tuple, expected, kwargs: dict | None = None) -> list:
        """Returns the output leaves of fx-run, with the types of the leaves of `expected`."""
        env = {"FX_LIBCUDA": str(DRIVER), "FX_VULKAN_KERNELS": str(self.kernels),
               "FX_VULKAN_LOG": str(self.folder / "log")}
        with mock.patch.dict(os.environ, env):
            return harness.run(self.artefact, (args, kwargs or {}), self.folder, expected,
                               "--device", "cuda:0")
