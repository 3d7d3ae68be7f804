"""The tests of the package fx_mlir; run by `python -m pytest test/Python`, with
FX_BUILD_DIR naming the build folder (default: build)."""

import os
import pathlib
import sys

import pytest

root = pathlib.Path(__file__).resolve().parents[2]
package = pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"
sys.path.insert(0, str(package))
# Tests compile everything, and leave the user's cache alone.
os.environ["FX_CACHE"] = "0"


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run the slow tests")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    kept = [item for item in items if "long" not in item.keywords]
    config.hook.pytest_deselected(items=[i for i in items if "long" in i.keywords])
    items[:] = kept


@pytest.fixture
def long(request):
    return request.config.getoption("--long")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: only with --long")
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def fresh_dynamo():
    import torch

    torch.manual_seed(0)
    torch._dynamo.reset()
