"""The cache of compiled kernels: each way to compile uses the folder that it is given."""

import pytest
import torch
from torch import nn

import fx_mlir


@pytest.fixture
def model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.LayerNorm(16)).eval()


def files(folder):
    return sorted(p.name for p in folder.glob("llvmcache-*"))


def test_compile(model, tmp_path, monkeypatch):
    x = torch.randn(3, 8)
    first = fx_mlir.compile(model, (x,), cache_dir=tmp_path)
    kept = files(tmp_path)
    assert first.report["cache"]["misses"] == len(kept) > 0
    second = fx_mlir.compile(model, (x,), cache_dir=str(tmp_path))
    assert second.report["cache"]["hits"] == len(kept) and second.report["cache"]["misses"] == 0
    assert files(tmp_path) == kept
    assert torch.equal(first(x), second(x))
    torch.testing.assert_close(second(x), model(x))

    # The environment names the folder, unless an argument does.
    monkeypatch.setenv("FX_CACHE", "1")
    monkeypatch.setenv("FX_CACHE_DIR", str(tmp_path))
    assert fx_mlir.compile(model, (x,)).report["cache"]["misses"] == 0
    assert "cache" not in fx_mlir.compile(model, (x,), cache_dir="").report
    monkeypatch.setenv("FX_CACHE", "0")
    assert "cache" not in fx_mlir.compile(model, (x,)).report


def test_backend(model, tmp_path):
    x = torch.randn(3, 8)
    kept = []
    for _ in range(2):
        torch._dynamo.reset()
        options = {"cache_dir": str(tmp_path)}
        with torch.no_grad():
            compiled = torch.compile(model, backend="fx_mlir", fullgraph=True, options=options)
            torch.testing.assert_close(compiled(x), model(x))
        kept.append(files(tmp_path))
    assert kept[0] and kept[0] == kept[1]
