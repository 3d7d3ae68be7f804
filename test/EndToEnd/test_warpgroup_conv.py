"""Convolutions of bf16 and f16 on tensor cores of sm_90a, run by the emulator and compared with
eager PyTorch.

Covers windows, strides, padding and dilation that differ in height and width, images whose pixels
fill no tile, tiles that span lines and images, numbers of channels that fill no piece of K, the
kernels' epilogues, parts of K, turns, and kernels with a fault in a tap, which the results must
show.
"""

import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import randn
from test_tensorcore import BF16, F16
from test_warpgroup import kernels
from torch import nn


class Convolutions(nn.Module):
    """Convolutions of one input."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        return [layer(x) for layer in self.layers]


class Others(nn.Module):
    """An image without a batch, and signals."""

    def __init__(self):
        super().__init__()
        self.image = nn.Conv2d(32, 64, 3, padding=1)
        self.signal = nn.Conv1d(64, 64, 3, stride=2, padding=2, dilation=3)

    def forward(self, x, y):
        return self.image(x), self.signal(y)


class Residual(nn.Module):
    """Bias, batch norm, a residual and an activation: one kernel."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)
        self.norm.running_mean.copy_(randn(channels))
        self.norm.running_var.copy_(randn(channels).abs() + 0.5)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + x)


#: Modules, inputs, dynamic sizes, and the number of kernels that copy pixels.
CASES = {
    # Two images of 99 pixels. The second tile has the rest of the second one.
    "residual": lambda: (Residual(64).to(BF16), (randn(2, 64, 9, 11).to(BF16),), None, 1),
    # Numbers that differ in height and width; pieces of K that 40 channels do not fill.
    "strides": lambda: (
        Convolutions(nn.Conv2d(40, 64, 3, stride=(2, 1), padding=(0, 2)),
                     nn.Conv2d(40, 72, (2, 3), stride=(1, 3), padding=1, dilation=(3, 2))).to(F16),
        (randn(3, 40, 12, 15).to(F16),), None, 2),
    # Two pieces of K for each tap; windows of one line or one column; no window, as in a shortcut.
    "windows": lambda: (
        Convolutions(nn.Conv2d(96, 64, (1, 4), bias=False), nn.Conv2d(96, 64, (4, 1)),
                     nn.Sequential(nn.Conv2d(96, 72, 1, stride=(1, 2)), nn.ReLU())).to(BF16),
        (randn(2, 96, 8, 16).to(BF16),), None, 3),
    "others": lambda: (Others().to(F16), (randn(32, 12, 13).to(F16), randn(3, 64, 99).to(F16)),
                       None, 2),
    "dynamic": lambda: (nn.Conv2d(64, 64, 3, padding=1).to(BF16), (randn(3, 64, 7, 9).to(BF16),),
                        ({0: torch.export.Dim("images", min=2, max=99)},), 1),
}


def compile_case(case, tmp_path, flags=()):
    torch.manual_seed(3)
    module, args, dynamic, count = case()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", flags=flags)
    return module, args, model, count


@pytest.mark.parametrize("name", CASES)
def test_convolutions(name, tmp_path):
    module, args, model, count = compile_case(CASES[name], tmp_path)
    nvvm = (tmp_path / "emulated" / "nvvm.mlir").read_text()
    assert len(re.findall(r"box\[[^]]*\] +im2col\[", nvvm)) == count
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log", multiprocessors=2)
    harness.compare(first, want)
    assert sum(kernel.endswith("_sm_90a") for kernel in kernels(tmp_path / "log")) >= count


@pytest.mark.parametrize("tiles", ["64:3:4", "64:3:1:1", "64:3:1:2:2", "128:2:4:2:2"])
def test_tiles(tiles, tmp_path):
    """Parts of K that begin within a tap, tiles that warpgroups compute in turns, and clusters that
    share images or weights."""
    module, args, model, _ = compile_case(
        lambda: (Residual(72).to(F16), (randn(2, 72, 9, 10).to(F16),), None, 1), tmp_path,
        flags=[f"--gpu-tiles=warpgroup={tiles}"])
    want = exporting.eager(module, args)
    first = model.run(args, want, multiprocessors=2)
    harness.compare(first, want)
    for a, b in zip(first, model.run(args, want, seed=1, multiprocessors=3)):
        assert torch.equal(a, b)


@pytest.mark.parametrize("tiles", ["64:3:1:2:2", "128:2:1:2:2"])
def test_one_image_in_clusters(tiles, tmp_path):
    """The second block copies pixels beyond those of the only image."""
    module, args, model, _ = compile_case(
        lambda: (nn.Conv2d(72, 128, 3).to(BF16), (randn(1, 72, 10, 18).to(BF16),), None, 1),
        tmp_path, flags=[f"--gpu-tiles=warpgroup={tiles}"])
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, log=tmp_path / "log", multiprocessors=2), want)
    assert any(kernel.endswith("_sm_90a") for kernel in kernels(tmp_path / "log"))


#: Convolutions that other kernels compute: of groups, with a wide stride, with rows of filters or
#: of channels that are not aligned, with few channels, and excluded ones.
EXCLUDED = {
    "groups": (nn.Conv2d(128, 128, 3, groups=2), ()), "stride": (nn.Conv2d(128, 64, 2, 9), ()),
    "filters": (nn.Conv2d(128, 68, 3), ()), "channels": (nn.Conv2d(68, 64, 3), ()),
    "few": (nn.Conv2d(24, 64, 3), ()), "option": (nn.Conv2d(64, 64, 3), ("warpgroup=0:0",)),
    "none": (nn.Conv2d(64, 64, 3), ())}


@pytest.mark.parametrize("name", EXCLUDED)
def test_excluded(name, tmp_path):
    module, tiles = EXCLUDED[name]
    x = torch.zeros(4, module.in_channels, 60, 60, dtype=BF16)
    exporting.save(exporting.export(module.to(BF16), (x,)), tmp_path / "m.pt2")
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda", tmp_path / "m.pt2",
                        *(f"--gpu-tiles={t}" for t in tiles), "--emit=kernels", "-o",
                        tmp_path / "kernels.mlir")
    text = (tmp_path / "kernels.mlir").read_text()
    assert ("im2col" in text) == (name == "none")
    assert ("schedule = #fx_kernel.tensorcore" in text) == (name != "none")


def test_maps(tmp_path):
    """The fields of the tensor maps, from the innermost dimension on."""
    module, args, model, _ = compile_case(
        lambda: (nn.Conv2d(64, 64, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 4)).to(BF16),
                 (randn(2, 64, 18, 14).to(BF16),), None, 1), tmp_path)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, log=tmp_path / "log"), want)
    images, weight = [c for c in emulate.read_log(tmp_path / "log") if c["call"] == "map"]
    # Tap 0 is at lines -1 to 15, of which there are 18, and at columns 0 to 9.
    assert images == {
        "call": "map", "rank": 4, "sizes": [64, 14, 18, 2],
        "strides": [128, 14 * 128, 18 * 14 * 128], "box": [64, 128], "lower": [0, -1],
        "upper": [-4, -2], "steps": [1, 1, 2, 1]}
    assert weight["sizes"] == [64, 64, 6]


def mutations(nvvm):
    """Yields the kernels with one fault in the copies of pixels, by name."""
    end = nvvm.index("llvm.func @kernel_0(")
    kernel, rest = nvvm[:end], nvvm[end:]

    def change(pattern, by):
        match = re.search(pattern, kernel, re.M)
        return kernel[: match.start()] + match.expand(by) + kernel[match.end() :] + rest

    copy = r"box\[(%\w+), (%\w+), (%\w+), (%\w+)\] +im2col\[(%\w+), (%\w+)\]"
    yield "line and column of the tap", change(copy, r"box[\1, \2, \3, \4] im2col[\6, \5]")
    yield "line and column of the pixel", change(copy, r"box[\1, \3, \2, \4] im2col[\5, \6]")
    yield "the channel", change(copy, r"box[\4, \2, \3, \4] im2col[\5, \6]")
    box = r"(cluster\.global %\w+, %arg1, %\w+, box\[%\w+, %\w+), (%\w+)\]"
    yield "the tap of weights", change(box, r"\1, %wrong]").replace(
        "nvvm.cp.async.bulk.tensor", "%wrong = llvm.mlir.constant(0 : i32) : i32\n"
        "nvvm.cp.async.bulk.tensor", 1)


def test_mistakes_show(tmp_path):
    module, args, model, _ = compile_case(
        lambda: (nn.Conv2d(72, 64, 3, stride=(1, 2), padding=1).to(BF16),
                 (randn(2, 72, 10, 19).to(BF16),), None, 1), tmp_path)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, multiprocessors=1), want)
    names = []
    for name, nvvm in mutations((tmp_path / "emulated" / "nvvm.mlir").read_text()):
        model.kernels = emulate.build_kernels(nvvm, tmp_path / "mutated" / name)
        with pytest.raises((AssertionError, harness.ToolError)):
            harness.compare(model.run(args, want, multiprocessors=1), want)
        names.append(name)
    assert len(names) == 4, names
