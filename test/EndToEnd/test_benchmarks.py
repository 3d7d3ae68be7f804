"""The parts of the benchmarks and the demonstration."""

import json
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


def test_peers(tmp_path):
    """The table beside other engines: every engine's result is compared with eager's."""

    def peers(*args):
        return subprocess.run(
            [sys.executable, ROOT / "benchmarks" / "peers.py", *args],
            env={**os.environ, "FX_BUILD_DIR": str(harness.BUILD)},
            capture_output=True,
            text=True,
            timeout=600,
        )

    path = tmp_path / "rows.json"
    result = peers("column_sum", "--dtypes=f32,bf16", "--engines=fx,eager", "--seconds=0", f"--json={path}")
    assert result.returncode == 0, result.stderr
    for row, error in zip(json.loads(path.read_text())["rows"], (1e-5, 1e-2), strict=True):
        assert set(row["ms"]) == {"fx", "eager"} and row["best"] == "eager"
        assert all(e < error for e in row["error"].values())
    assert "| column_sum | bf16 | 1 | " in result.stdout
    result = peers("colum_sum")
    assert result.returncode == 1 and "got colum_sum" in result.stderr


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
    assert "All results equal eager's, within 0.0001 of" in result.stdout
    assert "does not freeze the weights" in result.stdout
