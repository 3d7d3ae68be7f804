"""The tests of the package fx_mlir; run by `python -m pytest test/Python`, with
FX_BUILD_DIR naming the build folder (default: build)."""

import os
import pathlib
import sys

import pytest

root = pathlib.Path(__file__).resolve().parents[2]
package = pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"
sys.path.insert(0, str(package))


def pytest_configure(config):
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def fresh_dynamo():
    import torch

    torch.manual_seed(0)
    torch._dynamo.reset()
