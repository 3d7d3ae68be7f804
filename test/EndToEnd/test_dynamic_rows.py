"""Matmuls whose number of rows is not known when they are compiled: the host chooses one of several
kernels for each number. Run by the emulator, and compared with eager PyTorch."""

import json

import emulate
import exporting
import harness
import pytest
import test_rocm
import torch
from gpu_cases import Function, randn
from test_tensorcore import BF16, F16, Block
from torch import nn

ROWS, COLUMNS = (torch.export.Dim(name, max=8192) for name in ("rows", "columns"))
TARGETS = {
    "sm_80": lambda *args, **options: emulate.Model(*args, target="cuda:sm_80", **options),
    "sm_90a": lambda *args, **options: emulate.Model(*args, target="cuda:sm_90a", **options),
    "gfx942": test_rocm.Model,
}


def launched(log):
    return [c["kernel"] for c in emulate.read_log(log) if c["call"] == "launch"]


def check(target, case, folder, sizes, make, **options):
    """Runs each number of rows, and returns what was launched."""
    torch.manual_seed(3)
    module, dynamic = case
    exporting.save(exporting.export(module.eval(), make(70), dynamic=dynamic), folder / "m.pt2")
    model = TARGETS[target](folder / "m.pt2", folder / "made", **options)
    calls = {}
    for rows in sizes:
        args = make(rows)
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=folder / "log", seed=rows % 3), want)
        calls[rows] = launched(folder / "log")
    return calls


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [BF16, F16])
def test_rows(target, dtype, tmp_path):
    """A matmul with bias, activation and residual. For few rows blocks compute parts of K, and a
    second launch adds them."""
    calls = check(
        target, (Block(88, 1000).to(dtype), ({0: ROWS}, {0: ROWS})), tmp_path,
        (1, 2, 16, 17, 63, 64, 65, 128, 129, 250, 700, 1030),
        lambda rows: (randn(rows, 1000).to(dtype), randn(rows, 88).to(dtype)))
    assert calls[1] == calls[2] == calls[16] and len(calls[16]) == 2
    few = 63 if target == "sm_90a" else 64
    assert calls[17] == calls[few] != calls[16] and len(calls[few]) == 2
    assert calls[65] != calls[few] and calls[1030] != calls[few]
    if target == "sm_90a":
        assert calls[64] == calls[128] and all("sm_90a" in calls[n][0] for n in (64, 65, 250, 1030))


def test_many_terms(tmp_path):
    """With few rows and many terms, blocks with wgmma compute parts of K."""
    weight = randn(4096, 72).to(BF16)
    calls = check(
        "sm_90a", (Function(lambda x: torch.relu(x @ weight)), ({0: ROWS},)), tmp_path,
        (3, 64, 128, 129, 300), lambda rows: (randn(rows, 4096).to(BF16),))
    assert calls[64] == calls[128] and len(calls[128]) == 2 and "sm_90a" in calls[128][0]


@pytest.mark.parametrize("target", TARGETS)
def test_other_dtypes(target, tmp_path):
    """f32, and rows of two dimensions, one of which is static."""
    check(target, (Block(72, 520), ({0: ROWS}, {0: ROWS})), tmp_path, (1, 16, 33, 64, 70),
          lambda rows: (randn(rows, 520), randn(rows, 72)))
    folder = tmp_path / "two"
    folder.mkdir()
    module = nn.Sequential(nn.Linear(264, 96), nn.GELU()).to(BF16)
    calls = check(target, (module, ({0: ROWS},)), folder, (1, 2, 3, 5, 9),
                  lambda rows: (randn(rows, 20, 264).to(BF16),))
    # There are never 16 rows.
    assert calls[1] == calls[3] != calls[5]


@pytest.mark.parametrize("target", TARGETS)
def test_unaligned(target, tmp_path):
    """Rows that are no multiples of 16 bytes: elements are copied, by one kernel for all numbers of
    rows."""
    def multiply(x, y):
        return torch.relu(x @ y)

    calls = check(target, (Function(multiply), ({0: ROWS}, {1: COLUMNS})), tmp_path, (1, 40, 130),
                  lambda rows: (randn(rows, 136).to(BF16), randn(136, 41).to(BF16)))
    assert calls[1] == calls[40] == calls[130]


@pytest.mark.parametrize("target", TARGETS)
def test_images(target, tmp_path):
    """One image already has 90 rows, so a convolution needs no kernels for 16 and 64 rows."""
    module = nn.Sequential(nn.Conv2d(64, 72, 3, padding=1), nn.ReLU()).to(BF16)
    module = module.to(memory_format=torch.channels_last)
    calls = check(target, (module, ({0: ROWS},)), tmp_path, (1, 2, 7),
                  lambda images: (randn(images, 64, 9, 10).to(BF16),))
    assert calls[1] == calls[2] == calls[7]
    assert any("sm_90a" in kernel for kernel in calls[1]) == (target == "sm_90a"), calls[1]


@pytest.mark.parametrize("seed", [
    *range(2), *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 40))])
def test_random(seed, tmp_path):
    """Sizes of all operands, their layouts and what follows the product."""
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *choices: choices[int(torch.randint(len(choices), (), generator=generator))]
    n, k = draw(8, 40, 64, 72, 136, 200, 264), draw(8, 64, 72, 200, 520, 1032)
    dtype, target = draw(BF16, F16), draw(*TARGETS)
    isTransposed, batch = draw(True, False), draw(None, None, 2)
    weight = randn(k, n).T.contiguous().to(dtype) if isTransposed else randn(k, n).to(dtype)

    def multiply(x):
        y = x @ (weight.T if isTransposed else weight)
        return y if n % 3 else torch.tanh(y) * 2, y.abs()

    shape = lambda rows: (rows, k) if batch is None else (batch, rows, k)
    check(target, (Function(multiply), ({len(shape(1)) - 2: ROWS},)), tmp_path,
          (1, draw(3, 15, 16, 17), draw(31, 64, 65), draw(100, 128, 200, 333)),
          lambda rows: (randn(*shape(rows)).to(dtype),))


def test_number_of_kernels(tmp_path):
    """There are several kernels for ranges of rows, at most four."""
    module = nn.Linear(1024, 1024, bias=False).to(BF16)
    exporting.save(exporting.export(module, (randn(70, 1024).to(BF16),), dynamic=({0: ROWS},)),
                   tmp_path / "m.pt2")
    harness.tool("fx-compile", "--target=cuda:sm_90a", tmp_path / "m.pt2",
                 f"--report={tmp_path / 'r.json'}", "-o", tmp_path / "m.so")
    report = json.loads((tmp_path / "r.json").read_text())
    names = [kernel["name"] for kernel in report["device_kernels"]]
    assert 2 <= len([name for name in names if "sm_90a" in name]) <= 4, names
