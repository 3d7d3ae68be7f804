"""Code for AMX, run on a CPU without it: test/Tiles executes the tile instructions by a model."""

import os
import pathlib
import re
import struct
import subprocess

import harness
import leaves
import pytest
import quantized
import torch
from torch import nn

TILES = harness.BUILD / "test" / "Tiles" / "libTiles.so"
OFFSET = """#include <stddef.h>
#include <stdio.h>
#include "fx/Runtime/Desc.h"
int main(void) { printf("%zu", offsetof(FXrtModel, cpu_features)); }"""


@pytest.fixture(scope="module")
def offset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offset")
    (folder / "m.c").write_text(OFFSET)
    subprocess.run(["cc", f"-I{harness.ROOT}/include", folder / "m.c", "-o", folder / "m"], check=True)
    return int(subprocess.check_output([folder / "m"]))


def forget_requirements(path: pathlib.Path, offset: int) -> None:
    """Sets the features that the artefact requires to none: the model of AMX is no CPU feature."""
    text = subprocess.check_output(["readelf", "-sW", path], text=True)
    address = int(re.search(r"(\w+) +\d+ OBJECT .* fx_rt_model$", text, re.M)[1], 16) + offset
    sections = subprocess.check_output(["readelf", "-SW", path], text=True)
    for at, place, size in re.findall(r"PROGBITS +(\w+) (\w+) (\w+)", sections):
        start, length = int(at, 16), int(size, 16)
        if start and start <= address < start + length:
            data = bytearray(path.read_bytes())
            struct.pack_into("<q", data, int(place, 16) + address - start, 0)
            path.write_bytes(data)
            return
    raise AssertionError("no fx_rt_model")


def run(module, x, tmp_path, offset, dynamic=None, tolerance=0.0, flags=(), want=None):
    module.eval()
    with torch.no_grad():
        want = module(x) if want is None else want
    shapes = (dynamic,) if dynamic else None
    torch.export.save(torch.export.export(module, (x,), dynamic_shapes=shapes), tmp_path / "m.pt2")
    cpu = "x86-64-v3+amx-bf16+amx-int8+amx-fp16"
    result = harness.tool(
        "fx-compile",
        tmp_path / "m.pt2",
        "-o",
        tmp_path / "m.so",
        f"--mcpu={cpu}",
        "--no-fallback",
        *flags,
    )
    assert result.returncode == 0, result.stderr
    forget_requirements(tmp_path / "m.so", offset)
    leaves.save_inputs(tmp_path / "in", (x,), {})
    env = {**os.environ, "LD_PRELOAD": str(TILES), "FX_TILES_COUNTS": str(tmp_path / "counts")}
    command = [harness.BUILD / "bin" / "fx-run", tmp_path / "m.so", "--inputs", tmp_path / "in"]
    done = subprocess.run(
        [*command, "--outputs", tmp_path / "out"], env=env, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    (got,) = leaves.load_outputs(tmp_path / "out", [want])
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)
    counts = dict(line.split() for line in (tmp_path / "counts").read_text().splitlines())
    assert int(counts["multiply"]) > 0


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("m, k, n", [(50, 96, 80), (16, 32, 16), (33, 144, 31), (7, 64, 40)])
def test_matmul(m, k, n, dtype, tmp_path, offset):
    torch.manual_seed(m)
    module = nn.Linear(k, n).to(dtype)
    for p in module.parameters():
        p.data = torch.randint(-2, 3, p.shape).to(dtype)
    run(module, torch.randint(-2, 3, (m, k)).to(dtype), tmp_path, offset)


@pytest.mark.parametrize("m", [3, 17, 45])
def test_dynamic(m, tmp_path, offset):
    torch.manual_seed(m)
    module = nn.Sequential(nn.Linear(64, 70), nn.ReLU()).half()
    for p in module.parameters():
        p.data = torch.randint(-2, 3, p.shape).half()
    x = torch.randint(-2, 3, (m, 64)).half()
    run(module, x, tmp_path, offset, dynamic={0: torch.export.Dim("m", min=2, max=99)})


def test_convolution(tmp_path, offset):
    torch.manual_seed(0)
    module = nn.Conv2d(32, 40, 3, padding=1, stride=2).bfloat16()
    for p in module.parameters():
        p.data = torch.randint(-2, 3, p.shape).bfloat16()
    run(module, torch.randint(-2, 3, (2, 32, 11, 35)).bfloat16(), tmp_path, offset)


@pytest.mark.parametrize("m, k, n", [(50, 96, 80), (33, 64, 24)])
@pytest.mark.parametrize("kind", [quantized.Static, quantized.Dynamic])
def test_integers(kind, m, k, n, tmp_path, offset):
    """The sums of integers are exact, and their scaling is that of float32."""
    torch.manual_seed(m)
    x = torch.randn(m, k)
    observer = quantized.Static(x) if kind is quantized.Static else kind()
    run(quantized.Linear(nn.Linear(k, n), observer), x, tmp_path, offset, tolerance=1e-5)


def test_integer_convolution(tmp_path, offset):
    torch.manual_seed(1)
    x = torch.randn(1, 32, 9, 33)
    observer = quantized.Static(x)
    module = quantized.Conv2d(nn.Conv2d(32, 24, 3, padding=1), observer)
    run(module, x, tmp_path, offset, tolerance=1e-5)


class Attention(nn.Module):
    def __init__(self, queries, values, mask):
        super().__init__()
        self.queries, self.values, self.mask = queries, values, mask

    def forward(self, x):
        q, k, v = x.unbind(0)
        q, v = q[..., : self.queries, :], v[..., : self.values]
        keys = torch.arange(k.shape[-2])
        rows = torch.arange(self.queries)[:, None]
        mask = {
            "none": None,
            "causal": None,
            "lengths": (keys < 70)[None],
            "window": keys > rows + 40,
            "ends at odd vectors": keys < rows + 16,
            "begins at odd vectors": keys > rows - 5,
        }[self.mask]
        return nn.functional.scaled_dot_product_attention(
            q, k, v, mask, is_causal=self.mask == "causal"
        )


@pytest.mark.parametrize(
    "queries, keys, size, values, mask, rounded",
    [
        (64, 128, 64, 64, "none", False),
        (13, 77, 32, 20, "none", False),
        (16, 177, 32, 20, "none", True),
        (45, 129, 96, 96, "causal", False),
        (45, 129, 96, 96, "causal", True),
        (230, 300, 64, 48, "window", False),
        (17, 200, 128, 128, "lengths", True),
        (48, 200, 64, 64, "ends at odd vectors", False),
        (97, 177, 64, 64, "ends at odd vectors", True),
        (300, 300, 96, 96, "begins at odd vectors", False),
    ],
)
def test_attention(queries, keys, size, values, mask, rounded, tmp_path, offset):
    """Rows, keys and columns that fill tiles and blocks, and that do not."""
    torch.manual_seed(queries)
    x = torch.randn(3, 2, 2, keys, size)
    x = x if rounded else x.bfloat16()
    flags = ["--precision=bf16"] if rounded else []
    run(Attention(queries, values, mask), x, tmp_path, offset, tolerance=2e-2, flags=flags)


@pytest.mark.parametrize("keys", [40, 131])
def test_dynamic_attention(keys, tmp_path, offset):
    class Dynamic(nn.Module):
        def forward(self, x):
            return nn.functional.scaled_dot_product_attention(*x.unbind(0), is_causal=True)

    torch.manual_seed(keys)
    shape = {3: torch.export.Dim("n", min=2, max=999)}
    x = torch.randn(3, 1, 2, keys, 64).bfloat16()
    run(Dynamic(), x, tmp_path, offset, dynamic=shape, tolerance=2e-2)


def test_hidden_values(tmp_path, offset):
    """Values behind the last key that is multiplied are not: they are NaN."""

    class Hidden(nn.Module):
        def forward(self, x):
            q, k, v = x.unbind(0)
            return nn.functional.scaled_dot_product_attention(q[:, :, :40], k, v, is_causal=True)

    torch.manual_seed(5)
    x = torch.randn(3, 1, 2, 100, 64).bfloat16()
    want = Hidden()(x)
    x[:, :, :, 48:] = float("nan")
    run(Hidden(), x, tmp_path, offset, tolerance=2e-2, want=want)


class Scores(nn.Module):
    """Scores that are results, which are no part of an attention."""

    def forward(self, x):
        q, k = x.unbind(0)
        return torch.softmax(q @ k.mT * 0.125, -1)


def test_scores(tmp_path, offset):
    torch.manual_seed(2)
    x = torch.randn(2, 2, 3, 48, 64).bfloat16()
    run(Scores(), x, tmp_path, offset, tolerance=2e-2)


def test_batches(tmp_path, offset):
    class Batches(nn.Module):
        def forward(self, x):
            return x @ x.transpose(1, 2)

    torch.manual_seed(3)
    x = torch.randint(-2, 3, (3, 35, 64)).bfloat16()
    run(Batches(), x, tmp_path, offset)


def test_precision_and_rounding(tmp_path, offset):
    """Operands of float32 are rounded; sums stay in float32."""
    torch.manual_seed(4)
    module = nn.Sequential(nn.Linear(96, 64), nn.GELU(), nn.Linear(64, 32))
    x = torch.randn(40, 96)
    run(module, x, tmp_path, offset, tolerance=1e-2, flags=["--precision=bf16"])


@pytest.mark.parametrize(
    "cpu, dtype, name",
    [
        ("sapphirerapids", torch.bfloat16, "tdpbf16ps"),
        ("graniterapids", torch.float16, "tdpfp16ps"),
    ],
)
def test_assembly(cpu, dtype, name, tmp_path):
    """A step of the sums has four loads of tiles and four multiplications, and spills nothing."""
    module, x = nn.Linear(256, 128).to(dtype), torch.randn(64, 256).to(dtype)
    torch.export.save(torch.export.export(module, (x,)), tmp_path / "m.pt2")
    result = harness.tool(
        "fx-compile", tmp_path / "m.pt2", f"--mcpu={cpu}", "--emit=asm", "-o", tmp_path / "m.s"
    )
    assert result.returncode == 0, result.stderr
    lines = [line.split("#")[0].split() for line in (tmp_path / "m.s").read_text().splitlines()]
    names = [line[0] if line else "" for line in lines]
    begin, end = names.index("tilezero"), names.index("tilestored")
    assert names[begin:end].count(name) == names[begin:end].count("tileloadd") >= 4
    assert not any("(%rsp" in " ".join(line) for line in lines[begin:end])
