"""Options and paths of the end-to-end tests.

Run the tests with `python -m pytest test/EndToEnd`, where FX_BUILD_DIR names the build folder
(default: build). Each test runs the tools on programs that PyTorch exports and compares the results
with eager PyTorch.
"""

import gc
import os
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# Torch looks for backends of torch.compile once per process; this package is one of them.
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", pathlib.Path(__file__).parents[2] / "build"))
sys.path.append(str(BUILD.resolve() / "python"))
# Tests compile everything, and leave the user's cache alone.
os.environ["FX_CACHE"] = "0"
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run the slow tests")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: only with --long")
    import torch

    torch.set_num_threads(1)
    # Exports create many objects and few cycles: collecting them took a tenth of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    kept = [item for item in items if "long" not in item.keywords]
    config.hook.pytest_deselected(items=[i for i in items if "long" in i.keywords])
    items[:] = kept


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Schedules tests whose identifiers agree up to a slash on one worker: they share work, such as
    a batch of operators that is exported and run once. pytest 9.2 does not pass groups from marks
    to xdist 3.8."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            group = re.search(r"\[[^]/]*/", nodeid)
            return nodeid[: group.end()] if group else nodeid

    return Groups(config, log)
