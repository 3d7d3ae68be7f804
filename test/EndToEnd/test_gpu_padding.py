"""Padding that kernels of convolutions on tensor cores add as they read images: random
convolutions of one to three dimensions, of bf16, f16 and f32, for sm_80 and sm_90a, and programs
in which a pad is not, or not only, the input of one convolution. Images have no zeros of their own,
so that a wrong coordinate shows. Sums of small integers are exact."""

import math
import random

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function
from torch.nn import functional as F

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def integers(*sizes, dtype):
    """Small integers, none of which is zero."""
    return (torch.randint(0, 2, sizes) * 2 - 1).to(dtype) * torch.randint(1, 3, sizes).to(dtype)


def compile_case(function, args, folder, target):
    exporting.save(exporting.export(Function(function), args), folder / "m.pt2")
    return emulate.Model(folder / "m.pt2", folder / "emulated", target=target)


def launches(folder):
    calls = emulate.read_log(folder / "log")
    return [c["kernel"] for c in calls if c["call"] == "launch"], [
        c for c in calls if c["call"] == "map" and "lower" in c]


def convolution(draw, dtype):
    """Returns a function of an image, a weight and a bias, and these."""
    rank = draw.choice([1, 2, 2, 2, 3])
    channels, filters = draw.choice([32, 40, 64, 68, 72]), draw.choice([64, 68, 72, 128])
    if dtype == torch.float32:
        channels, filters = draw.choice([8, 12, 17]), draw.choice([24, 33])
    sizes = [draw.choice({1: [50, 131], 2: [9, 12, 17], 3: [5, 6, 7]}[rank]) for _ in range(rank)]
    windows = [draw.choice([1, 2, 3, 4]) for _ in range(rank)]
    steps = [draw.choice([1, 1, 2, 3]) for _ in range(rank)]
    apart = [draw.choice([1, 1, 2]) for _ in range(rank)]
    if draw.random() < 0.3:
        ends = [draw.choice([0, 1, 2, 5]) for _ in range(2 * rank)]
        padding, before = 0, lambda x: F.pad(x, ends)
    else:
        padding, before = [draw.choice([0, 1, 2, 3]) for _ in range(rank)], lambda x: x
    call = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[rank]
    args = (integers(draw.choice([1, 2, 3]), channels, *sizes, dtype=dtype),
            integers(filters, channels, *windows, dtype=dtype), integers(filters, dtype=dtype))
    return lambda x, w, b: torch.relu(call(before(x), w, b, steps, padding, apart)), args


@pytest.mark.parametrize("seed", [
    *range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 200))])
def test_random(seed, tmp_path):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    function, args = convolution(draw, DTYPES[draw.choice(["bf16", "bf16", "f16", "f32"])])
    model = compile_case(function, args, tmp_path, draw.choice(["cuda", "cuda:sm_80"]))
    want = exporting.eager(Function(function), args)
    harness.compare(model.run(args, want, seed=seed, multiprocessors=draw.choice([1, 3])), want)


def shared(x, v, w):
    """Two convolutions of one padded image, which is also a result."""
    padded = F.pad(x, (1, 2, 0, 1))
    return F.conv2d(padded, v), F.conv2d(padded, w), padded


def other_value(x, v, w):
    return F.conv2d(F.pad(x, (1, 1, 1, 1), value=1.0), v), F.conv2d(F.pad(x, (1, 1), value=-0.0), w)


def more_channels(x, v, w):
    """Pads of channels and of images."""
    return (F.conv2d(F.pad(x[:, 1:], (1, 1, 1, 1, 0, 1)), v),
            F.conv2d(F.pad(x, (0, 0, 1, 1, 0, 0, 1, 1)), w))


def removed(x, v, w):
    """Pads of less than nothing, and more zeros than the window reaches."""
    return F.conv2d(F.pad(x, (-1, 2, 1, -2)), v), F.conv2d(F.pad(x, (4, 3, 3, 4)), w, dilation=2)


def without_windows(x, v, w):
    """Pads that no window moves over: these stay, and do not cost the matmuls their kernel."""
    rows = F.pad(x.flatten(2).transpose(1, 2).flatten(0, 1), (0, 0, 3, 2))
    return (rows @ v[:, :, 0, 0].T, F.conv2d(x, v[:, :, :1, :1], padding=1),
            F.conv2d(F.pad(x, (0, 0, 0, 0, 0, 0, 1, 0)), v))


def narrow(x, v, w):
    """A column of an image whose lines begin at no multiple of 16 bytes."""
    y = F.pad(x, (0, 0, 0, 0, 0, 4)).to(memory_format=torch.channels_last)
    return F.conv2d(y[:, :64, :, :1], v, padding=1)


def computed(x, v, w):
    """Images that the program computes, a slice of channels among them."""
    y = torch.relu(F.conv2d(x, v, padding=1))
    first, second = y.chunk(2, 1)
    return F.conv2d(first, w[:, :32], padding=(0, 2)), F.conv2d(second * 2, w[:, 32:], padding=1)


@pytest.mark.parametrize("function, target", [
    (shared, "cuda:sm_80"), (removed, "cuda:sm_80"),
    (narrow, "cuda:sm_80"),
    *((f, "cuda") for f in (shared, other_value, more_channels, removed, without_windows,
                            computed))])
def test_programs(function, target, tmp_path):
    torch.manual_seed(1)
    args = (integers(2, 64, 11, 13, dtype=torch.bfloat16),
            integers(64, 64, 3, 3, dtype=torch.bfloat16),
            integers(72, 64, 2, 3, dtype=torch.bfloat16))
    model = compile_case(function, args, tmp_path, target)
    want = exporting.eager(Function(function), args)
    harness.compare(model.run(args, want, log=tmp_path / "log", multiprocessors=2), want)
    if function is without_windows:
        kernels, _ = launches(tmp_path)
        assert sum(kernel.endswith("_sm_90a") for kernel in kernels) == 3, kernels


@pytest.mark.parametrize("dtype, target", [
    ("bf16", "cuda"), ("f16", "cuda:sm_80"), ("f32", "cuda:sm_80")])
def test_no_launch_of_its_own(dtype, target, tmp_path):
    """An image in channels-last memory is convolved by one launch, with padding or without."""
    counts = []
    for padding in 0, 1:
        folder = tmp_path / str(padding)
        folder.mkdir()
        function = lambda x, w: F.conv2d(x, w, padding=padding)  # noqa: B023, E731
        image = integers(2, 32, 12, 11, dtype=DTYPES[dtype])
        args = (image.to(memory_format=torch.channels_last),
                integers(64, 32, 3, 3, dtype=DTYPES[dtype]))
        model = compile_case(function, args, folder, target)
        want = exporting.eager(Function(function), args)
        harness.compare(model.run(args, want, log=folder / "log", multiprocessors=2), want)
        kernels, maps = launches(folder)
        counts.append(len(kernels))
        assert [m["lower"] for m in maps] == ([[-padding] * 2] if target == "cuda" else [])
    assert counts[0] == counts[1]


@pytest.mark.parametrize("offset", [0, 1])
def test_alignment(offset, tmp_path):
    """Images that begin at no multiple of 16 bytes."""
    sizes = 2, 12, 11, 32
    function = lambda m, w: F.conv2d(  # noqa: E731
        m[offset:].view(sizes).permute(0, 3, 1, 2), w, padding=1)
    args = (integers(math.prod(sizes) + offset, dtype=torch.bfloat16),
            integers(64, 32, 3, 3, dtype=torch.bfloat16))
    model = compile_case(function, args, tmp_path, "cuda")
    want = exporting.eager(Function(function), args)
    harness.compare(model.run(args, want, multiprocessors=2), want)
