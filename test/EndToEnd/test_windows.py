"""Windows that slide over an image: random depthwise convolutions and pooling of one to three
dimensions, with windows, steps, dilations and padding that reach beyond images of a few pixels,
channels that fill vectors and that do not, dynamic batches and sizes, pointwise operators before
and after. The images have no zeros of their own, so that a wrong pixel shows."""

import random

import exporting
import harness
import pytest
import torch
from torch.nn import functional as F

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
SIZES = {1: [1, 2, 7, 16, 33, 65], 2: [1, 2, 3, 7, 8, 14, 15, 17, 30], 3: [2, 4, 7]}


def pixels(*sizes, dtype):
    """Numbers of both signs, away from zero."""
    return ((torch.rand(sizes) + 0.25) * (torch.randint(0, 2, sizes) * 2 - 1)).to(dtype)


def sliding(draw):
    """Returns a function of tensors, and these."""
    rank = draw.choice([1, 2, 2, 2, 2, 3])
    dtype = draw.choice([torch.float32] * 4 + [torch.bfloat16, torch.float64])
    channels = draw.choice([1, 3, 8, 16, 24, 33, 64, 144] + [320] * (rank == 2))
    sizes = [draw.choice(SIZES[rank]) for _ in range(rank)]
    windows = [draw.choice([1, 2, 3, 3, 5] + [7] * (rank < 3)) for _ in range(rank)]
    steps = [draw.choice([1, 1, 2, 3]) for _ in range(rank)]
    apart = [draw.choice([1, 1, 1, 2]) for _ in range(rank)]
    kind = draw.choice(["conv", "conv", "max", "indices", "average"])
    reach = [(k - 1) * (a if kind != "average" else 1) for k, a in zip(windows, apart)]
    ends = [draw.choice([0, r // 2, r // 2, draw.randint(0, r)]) for r in reach]
    if kind != "conv":
        ends = [min(e, k // 2) for e, k in zip(ends, windows)]
    if kind == "conv":  # the window fits into the padded image
        sizes = [max(s, r + 1 - 2 * e) for s, r, e in zip(sizes, reach, ends)]
    else:
        sizes = [max(s, r + 1) for s, r in zip(sizes, reach)]
    image = pixels(draw.choice([1, 1, 2]), channels, *sizes, dtype=dtype)
    after = draw.choice([lambda x: x, lambda x: torch.clamp(x, 0, 6), torch.sigmoid])
    if kind == "conv":
        multiple = draw.choice([1, 1, 1, 2])
        weight = pixels(channels * multiple, 1, *windows, dtype=dtype)
        bias = pixels(channels * multiple, dtype=dtype) if draw.random() < 0.5 else None
        if draw.random() < 0.2:
            more = [draw.randint(0, r) for r in reversed(reach) for _ in range(2)]
            value = draw.choice([0.0, 0.5])
            before = lambda x: F.pad(x, more, value=value)
        else:
            before = lambda x: x
        args = (image, weight) if bias is None else (image, weight, bias)
        return lambda x, w, b=None: after(
            CONV[rank](before(x), w, b, steps, ends, apart, channels)), args
    ceil = draw.random() < 0.3
    counted = draw.random() < 0.5
    if kind == "average" and rank == 3:  # which PyTorch does not have in bf16
        image = image.float()
    if kind == "average":
        return lambda x: after(AVERAGE[rank](x, windows, steps, ends, ceil, counted)), (image,)
    if draw.random() < 0.7:  # maxima of windows with NaN and infinities
        share = draw.choice([0.001, 0.05, 0.5])
        rare = torch.tensor([float("nan"), float("nan"), float("inf"), -float("inf")])
        chosen = rare[torch.randint(0, 4, image.shape)].to(dtype)
        image = torch.where(torch.rand(image.shape) < share, chosen, image)
    return lambda x: MAX[rank](
        x, windows, steps, ends, apart, ceil, return_indices=kind == "indices"), (image,)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize("seed", [
    *range(3), *(pytest.param(s, marks=pytest.mark.long) for s in range(3, 100))])
def test_random(seed, cpu, tmp_path):
    draw = random.Random(f"{seed} {cpu}")
    torch.manual_seed(seed)
    functions, arguments = zip(*(sliding(draw) for _ in range(10)))
    module, args = exporting.Several(functions), (list(arguments),)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    flags = [] if cpu == "native" else [f"--mcpu={cpu}"]
    target = harness.compiled(tmp_path / "m.pt2", "native", 2, *flags)
    expected = exporting.eager(module, args, {})
    got = harness.run(target, (args, {}), tmp_path / "run", expected)
    harness.compare(got, expected)


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize("padding", [0, 1])
def test_dynamic(padding, cpu, tmp_path):
    """Batches and sizes of images that the compiler does not know."""
    module = exporting.Several([
        lambda x, w: torch.relu(F.conv2d(x, w, None, 1, padding, 1, 40)),
        lambda x, w: F.conv2d(x, w, None, 2, padding, 1, 40),
        lambda x, w: F.max_pool2d(x, 3, 2, padding)])
    batch, rows, columns = torch.export.Dim("n", max=8), torch.export.Dim("h", min=5), torch.export.Dim("w", min=5)
    weight = pixels(40, 1, 3, 3, dtype=torch.float32)

    def inputs(*sizes):
        image = pixels(sizes[0], 40, *sizes[1:], dtype=torch.float32)
        return ([(image, weight)] * 3,)

    args = inputs(2, 14, 15)
    dims = {0: batch, 2: rows, 3: columns}
    dynamic = ([(dims, None)] * 3,)
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    flags = [] if cpu == "native" else [f"--mcpu={cpu}"]
    target = harness.compiled(tmp_path / "m.pt2", "native", 2, *flags)
    for k, sizes in enumerate([(1, 5, 5), (3, 8, 31), (2, 17, 16)]):
        args = inputs(*sizes)
        expected = exporting.eager(module, args, {})
        harness.compare(harness.run(target, (args, {}), tmp_path / f"run{k}", expected), expected)
