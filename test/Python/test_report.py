"""fx_mlir.report, pictures in notebooks, and `python -m fx_mlir`."""

import html.parser
import json
import os
import subprocess
import sys
import warnings

import pytest
import torch
from torch import nn

import fx_mlir
from fx_mlir import _torch


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 8)

    def forward(self, x):
        return torch.linalg.eigvals(self.hidden(x)).abs()  # the line that the tables name


@pytest.fixture(scope="module")
def compiled():
    return fx_mlir.compile(Net().eval(), (torch.randn(8, 8),))


class Cells(html.parser.HTMLParser):
    """The texts of all cells, by table; checks that tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag in ("td", "th"):
            self.tables[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1] += data


def test_text(compiled):
    text = str(fx_mlir.report(compiled))
    lines = text.splitlines()
    assert lines[0].startswith("compiled for ") and "1 call to ATen" in lines[0]
    kernels = [k["name"] for k in compiled.report["kernels"]]
    assert kernels and all(f"\n  {name}" in text for name in kernels)
    row = next(line for line in lines if "aten.linalg_eigvals.default" in line)
    assert "test_report.py:" in row
    assert text == repr(fx_mlir.report(compiled.report))


def test_html_has_the_cells_of_the_report(compiled):
    report = fx_mlir.report(compiled)
    tables = Cells(report._repr_html_()).tables
    assert len(tables) == 3
    assert {k["name"] for k in report.data["kernels"]} <= set(tables[0])
    assert "aten.linalg_eigvals.default" in tables[1]


def test_html_escapes_texts(compiled):
    data = json.loads(json.dumps(compiled.report))
    data["operators"][-1].update(status="fallback", reason="a<b & 'c'", target="<script>")
    tables = Cells(fx_mlir.report(data)._repr_html_()).tables
    assert "a<b & 'c'" in tables[1] and "<script>" in tables[1]


def test_files(compiled, tmp_path):
    file = tmp_path / "report.json"
    file.write_text(json.dumps(compiled.report))
    assert str(fx_mlir.report(file)) == str(fx_mlir.report(compiled))
    file.write_text("{")
    with pytest.raises(fx_mlir.Error, match="report.json: expected a report in JSON"):
        fx_mlir.report(file)
    for other in (3, {}, nn.ReLU()):
        with pytest.raises(fx_mlir.Error, match="expected a compiled model or a report, got"):
            fx_mlir.report(other)


def test_models_without_kernels_and_interpreted_ones():
    identity = fx_mlir.compile(nn.Identity(), (torch.randn(2),))
    assert "0 kernels" in str(fx_mlir.report(identity))
    text = str(fx_mlir.report({"mode": "interpret", "reason": "an odd operator"}))
    assert text.startswith("interpreted: an odd operator")


def test_modules_are_pictures_in_notebooks():
    program = torch.export.export(Net().eval(), (torch.randn(8, 8),))
    module = fx_mlir.import_(program)
    bundle = module._repr_mimebundle_()
    assert bundle["text/plain"] == str(module)
    assert bundle["text/vnd.mermaid"].startswith("flowchart")
    linalg = fx_mlir.Module.parse("module {}")
    assert list(linalg._repr_mimebundle_()) == ["text/plain"]


def run(*args, **environment):
    package = os.path.dirname(os.path.dirname(fx_mlir.__file__))
    env = dict(os.environ, PYTHONPATH=package, **environment)
    return subprocess.run(
        [sys.executable, *args], env=env, capture_output=True, text=True, timeout=120
    )


def test_description(tmp_path):
    done = run("-m", "fx_mlir", "--json", FX_CACHE_DIR=str(tmp_path), FX_CACHE="1", PATH="/nowhere")
    assert done.returncode == 0, done.stderr
    parts = json.loads(done.stdout)
    assert fx_mlir.version() in parts["fx-mlir"]
    assert parts["torch"] == torch.__version__
    assert parts["cache"] == f"{tmp_path}, 0 files, 0.0 MiB"
    assert parts["backend"].startswith("torch.compile(")
    assert parts["fx-compile"].startswith("not in PATH")
    with open("/proc/cpuinfo") as file:
        flags = file.read().split()
    for flag, name in {"avx2": "AVX2", "avx512f": "AVX-512", "amx_tile": "AMX"}.items():
        assert (name in parts["CPU"]) == (flag in flags)


def test_other_torch(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _torch.require("a test") is torch
        for version in ("2.13.1+cpu", "2.10.0", "2.15.0a0+git"):
            _torch.check(version)
    for version in ("2.9.1", "2.16.0a0+git", "3.0"):
        with pytest.warns(UserWarning, match=rf"expected torch 2.10 to 2.15, got {version[:4]}"):
            _torch.check(version)
    assert not _torch.is_other() and _torch.load_for_aten() is None
    monkeypatch.setattr(torch, "__version__", "2.14.1+cu130")
    assert _torch.is_other()
    assert "libFXTorch.so is built for torch 2.13, got 2.14.1" in _torch.load_for_aten()
    monkeypatch.setenv("FX_TORCH_LIBRARY", "libFXTorch.so")
    assert not _torch.is_other() and _torch.load_for_aten() is None


def test_release_is_that_of_the_schemas():
    assert fx_mlir.schema_version().startswith(_torch.RELEASE + ".")
