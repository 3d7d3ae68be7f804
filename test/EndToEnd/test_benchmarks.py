"""The parts of the benchmarks and the demonstration."""

import os
import pathlib
import subprocess
import sys

import exporting
import harness
import models
import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_compiled_models_run_in_process(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import native

    spec = models.get("mlp")
    module = spec.build()
    args, kwargs = spec.inputs()
    exporting.save(spec.program(module), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 0, result.stderr
    model = native.Model(tmp_path / "m.so")
    (got,) = model(*args, *kwargs.values())
    assert not harness.difference(got, exporting.eager(module, args, kwargs))
    with pytest.raises(RuntimeError, match="expected"):
        model(torch.zeros(1))


@pytest.mark.long
def test_demonstration():
    """The demonstration succeeds on machines where torch.compile has its compiler."""
    result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "demo.py", "--quick"],
        env={**os.environ, "FX_BUILD_DIR": str(harness.BUILD)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    assert "All results are eager's." in result.stdout
