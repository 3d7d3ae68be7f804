"""Operators without native code with a torch that libFXTorch cannot use: Python calls them. The
installed torch takes the place of the other release."""

import os
import subprocess
import sys

import pytest
import torch
from torch import nn

import fx_mlir
from conftest import package
from fx_mlir import _aten, _torch

pytestmark = pytest.mark.filterwarnings("ignore::fx_mlir.FallbackWarning")


@pytest.fixture(autouse=True)
def other(monkeypatch):
    monkeypatch.setattr(_torch, "is_other", lambda: _torch.loaded() is not None)


def module(forward):
    return type("Model", (nn.Module,), {"forward": lambda self, *args: forward(*args)})().eval()


def check(forward, *args, dynamic=None):
    """Compares with eager PyTorch: results, and the random numbers that are drawn later."""
    program = torch.export.export(module(forward), args, dynamic_shapes=dynamic)
    fast = fx_mlir.compile(program)
    assert fast.info["n_fallbacks"]
    torch.manual_seed(3)
    want, after = forward(*args), torch.rand(1)
    torch.manual_seed(3)
    torch.testing.assert_close(fast(*args), want)
    assert torch.rand(1) == after
    return fast


def test_results():
    """Tuples, lists, complex numbers, views, and numbers that are computed at run time."""
    check(lambda x: torch.linalg.eigvals(x.mT), torch.randn(4, 4))
    check(lambda x: list(torch.linalg.svd(x)[:2]), torch.randn(5, 3))
    n = torch.export.Dim("n", min=3, max=50)
    fast = check(lambda x: torch.linalg.qr(x)[1] * x.shape[0], torch.randn(5, 3), dynamic=(({0: n},),))
    x = torch.randn(7, 3)
    torch.testing.assert_close(fast(x), torch.linalg.qr(x)[1] * 7)


def test_random():
    check(lambda x: torch.poisson(x) + torch.randn(6) + torch.randn_like(x), torch.rand(6) * 9)


def test_training():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2))
    x = torch.randn(2, 2, 6, 6)
    model(x).sum().backward()
    want = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    torch.compile(model, backend="fx_mlir")(x).sum().backward()
    torch.testing.assert_close([p.grad for p in model.parameters()], want, rtol=1e-4, atol=1e-5)


def test_float8():
    text = '{"target": "aten.clone.default", "args": [{"tensor": 0}], "outs": [{"tensor": "%s"}]}'
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.bool, torch.int8, torch.bfloat16):
        x = torch.tensor([[1, 0], [1, 1], [0, 1]]).to(dtype).mT
        view = x.view(torch.int8) if x.element_size() == 1 else x
        capsule = fx_mlir._fx.view_tensor(
            x, x.data_ptr(), *fx_mlir._tensors._DTYPES[str(dtype)[6:]], x.shape, x.stride(), (1, 0)
        )
        [(got, code, bits)] = _aten.call(text % str(dtype)[6:], [capsule], [])
        assert (code, bits) == fx_mlir._tensors._DTYPES[str(dtype)[6:]]
        got = torch.utils.dlpack.from_dlpack(got)
        assert got.is_contiguous() and (got.view(view.dtype) == view).all()


@torch.library.custom_op("other::add_one_", mutates_args=("x",))
def add_one_(x: torch.Tensor) -> None:
    x.add_(1)


def test_errors():
    def call(target, *args, **outs):
        text = str({"node": "y", "target": target, "args": list(args), "outs": [outs]})
        return _aten.call(text.replace("'", '"'), [], [])

    name = {"object": "q", "class": "my.Queue", "pickle": ""}
    for text, *args in (
        ("y: aten.no.such: torch .* does not have this operator", "aten.no.such"),
        ("y: os.system: torch .* does not have this operator", "os.system"),
        ("y: other.add_one_.default: .*needs torch 2.13, got", "other.add_one_.default"),
        ("y: call_torchbind: a method of an object needs torch 2.13", "call_torchbind", name),
        ("y: aten.neg.default: an object of the class my.Queue needs", "aten.neg.default", name),
        ("y: aten.neg.default: .*neg.* missing value", "aten.neg.default"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call(*args)
    fast = check(lambda x: tuple(torch.linalg.eig(x)), torch.eye(2))
    with pytest.raises(fx_mlir.Error, match=r"aten.linalg_eig.default: .*infs or NaNs"):
        fast(torch.full((2, 2), float("nan")))


def test_torch_that_the_load_imports(tmp_path):
    """A process that uses NumPy alone, and the torch that it has is of another release."""
    fx_mlir.compile(module(torch.linalg.eigvalsh), (torch.eye(3),)).save(tmp_path / "m.so")
    script = """
import sys
import numpy as np
import fx_mlir
fx_mlir._torch.RELEASE = "2.12"
assert "torch" not in sys.modules
fast = fx_mlir.load(sys.argv[1])
assert "torch" in sys.modules and "libFXTorch" not in open("/proc/self/maps").read()
got = fast(np.diag(np.array([3, 1, 2], "f4")))
assert isinstance(got, np.ndarray) and np.allclose(got, [1, 2, 3]), got
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "m.so"],
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
