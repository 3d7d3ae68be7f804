"""Random matmuls and convolutions of bf16 and f16 by wgmma in clusters of two blocks: sizes around
those of tiles, layouts, batches, epilogues, tiles and numbers of multiprocessors. Sums of small
integers are exact, so that every order of threads and copies must give eager's results."""

import random

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function
from torch.nn import functional as F

TILES = ["64:4:1:2:2", "64:3:1:1:2", "128:3:1:2:2", "128:2:1:1:2", "192:3:1:2:2", "256:2:1:2:2",
         "64:3:2:2:2", "128:2:2:2:2", "192:2:2:2:2", "256:2:2:2:2", "64:3:3:2:2", "128:2:4:2:2"]
ROWS = [128, 130, 192, 256, 257, 300, 384, 400]
COLUMNS = [64, 72, 128, 136, 192, 200, 256, 264, 320, 384]
TERMS = [64, 72, 128, 200, 264, 328, 520]
EPILOGUES = [lambda z: z, torch.relu, lambda z: z * 0.5, F.gelu, lambda z: (z.float() * 2, z > 0)]


def matmul(draw, integers, post):
    m, n, k = draw.choice(ROWS), draw.choice(COLUMNS), draw.choice(TERMS)
    kind = draw.choice(["plain", "batches", "linear", "transposed"])
    if kind == "linear":
        return (lambda x, w, b, r: post(F.linear(x, w, b) + r),
                (integers(m, k), integers(n, k), integers(n), integers(m, n)))
    if kind == "transposed":
        return lambda x, y: post(x.T @ y), (integers(k, m // 8 * 8), integers(k, n))
    batch = (draw.choice([2, 3]),) if kind == "batches" else ()
    return lambda x, y: post(x @ y), (integers(*batch, m, k), integers(*batch, k, n))


def convolution(draw, integers, post):
    channels, filters = draw.choice([32, 40, 64, 72, 96]), draw.choice([64, 72, 128, 136, 192])
    if draw.random() < 0.25:
        return (lambda x, w: post(F.conv1d(x, w)),
                (integers(2, channels, 199), integers(filters, channels, 3)))
    # The result has at least 128 pixels.
    images, height, width = map(draw.choice, ([1, 2, 3], [12, 14, 17], [15, 16, 18]))
    stride, padding = 1 if images < 3 else draw.choice([1, 2]), draw.choice([0, 1])
    return (lambda x, w, b: post(F.conv2d(x, w, b, stride=stride, padding=padding)),
            (integers(images, channels, height, width), integers(filters, channels, 3, 3),
             integers(filters)))


@pytest.mark.parametrize("seed", [
    *range(6), *(pytest.param(s, marks=pytest.mark.long) for s in range(6, 200))])
def test_random_clusters(seed, tmp_path):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    dtype = draw.choice([torch.bfloat16, torch.float16])

    def integers(*sizes):
        return torch.randint(-2, 3, sizes).to(dtype)

    build = draw.choice([matmul, matmul, convolution])
    function, args = build(draw, integers, draw.choice(EPILOGUES))
    module = Function(function)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    # Not all tiles are valid for all sizes, but some are.
    for tiles in draw.sample(TILES, len(TILES)):
        model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                              flags=[f"--gpu-tiles=warpgroup={tiles}"])
        if "cluster_dim" in (tmp_path / "emulated" / "nvvm.mlir").read_text():
            break
    want = exporting.eager(module, args)
    got = model.run(args, want, seed=draw.choice([0, 1, 2]), log=tmp_path / "log",
                    multiprocessors=draw.choice([2, 3, 5, 8]))
    harness.compare(got, want)
    launched = [c["kernel"] for c in emulate.read_log(tmp_path / "log") if c["call"] == "launch"]
    assert "kernel_0_sm_90a" in launched or "kernel_1_sm_90a" in launched, launched
