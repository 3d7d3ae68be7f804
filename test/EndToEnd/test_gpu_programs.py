"""Programs of views and writes, and quantized modules, on GPUs.

Each program is compiled for sm_90a, run by the emulator and compared with eager mode. What has
native code on the CPU has native code on GPUs. With --long, more programs of views and writes.
"""

import sys

import emulate
import exporting
import harness
import pytest
import torch
import test_quantize
from test_gpu_operators import TARGET, fallbacks
from torch import nn
from torch.utils import _pytree as pytree

sys.path.append(str(harness.ROOT / "test" / "Fuzz"))
from alias_draw import draw  # noqa: E402
from quantized import Conv2d, Dynamic, Grouped, Linear, Static, autoencoder, quantize  # noqa: E402

#: The seeds that are tested by default, and those of them that PyTorch refuses.
DEFAULT, REFUSED = 6, {(2, True)}
SEEDS = [pytest.param(k, marks=[pytest.mark.long] if k >= DEFAULT else []) for k in range(120)]


def check(module, inputs, folder, exported=None, tolerance=None) -> None:
    path = folder / "m.pt2"
    exporting.save(exported or exporting.export(module, inputs, {}), path)
    on_cpu = fallbacks(path, folder / "cpu.json", "--emit=llvm")
    on_gpu = fallbacks(path, folder / "gpu.json", f"--target={TARGET}", "--emit=gpu")
    assert on_gpu <= on_cpu, f"no code for GPUs: {sorted(on_gpu - on_cpu)}"
    expected = exporting.eager(module, inputs)
    (folder / "emulated").mkdir()
    got = emulate.Model(path, folder / "emulated", target=TARGET).run(inputs, expected)
    if tolerance is None:
        return harness.compare(got, expected)
    for g, want in zip(got, pytree.tree_leaves(expected), strict=True):
        torch.testing.assert_close(g, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", SEEDS)
def test_views_and_writes(seed, dynamic, tmp_path):
    program = draw(seed, dynamic)
    try:
        with torch.no_grad():
            program.module()(*program.arguments())
            exported = torch.export.export(
                program.module(), program.arguments(), dynamic_shapes=program.dynamic_shapes()
            )
            torch.export.save(exported, tmp_path / "taken.pt2")
    except Exception as error:  # noqa: BLE001  any refusal of PyTorch
        assert (seed, dynamic) in REFUSED or seed >= DEFAULT, error
        pytest.skip(f"PyTorch: {str(error)[:80]}")
    check(program.module(), program.arguments(), tmp_path, exported)


class Integers(nn.Module):
    """Functions of integers that are calls in upstream's conversions."""

    def forward(self, x, y):
        powers = torch.pow(torch.tensor([2.0, 3, 5, 7, 10]).double().unsqueeze(1), torch.arange(13))
        some = x.abs(), y.abs(), x.sign(), y.fmod(7), x.remainder(5), (x // 3).clamp(-4, 5)
        return *some, powers.long(), torch.logspace(0, 4, 5, base=5, dtype=torch.int64)


def test_integers(tmp_path):
    x, y = torch.arange(-50, 50, dtype=torch.int32), torch.arange(-200, 200, 3)
    x[3], y[5] = -(2**31), -(2**63)
    check(Integers(), (x, y), tmp_path)


def _linear(observer):
    torch.manual_seed(0)
    return Linear(nn.Linear(96, 40), observer)


QUANTIZED = {
    "static linear": lambda x: _linear(Static(x)),
    "dynamic linear": lambda x: _linear(Dynamic()),
    "linear in groups": lambda x: Grouped(96, 40, 32, Dynamic()),
    "static autoencoder": lambda x: quantize(autoencoder([96, 32, 96]), x, dynamic=False),
    "dynamic autoencoder": lambda x: quantize(autoencoder([96, 32, 96]), x, dynamic=True),
    "weights only": lambda x: _linear(nn.Identity()),
}


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized(name, tmp_path):
    torch.manual_seed(1)
    x = torch.randn(17, 96)
    # Rounding to 8 bits amplifies differences of a unit in the last place: one step of a scale.
    check(QUANTIZED[name](x).eval(), (x,), tmp_path, tolerance=3e-2)


def test_quantized_convolution(tmp_path):
    torch.manual_seed(2)
    x = torch.randn(2, 8, 15, 15)
    conv = Conv2d(nn.Conv2d(8, 24, 3, padding=1), Static(x))
    check(conv.eval(), (x,), tmp_path, tolerance=3e-2)


@pytest.mark.parametrize("rows, bits", [(1, 4), (20, 8)])
def test_half_scales(rows, bits, tmp_path):
    """Weights in groups, whose scales fx-quantize makes float16."""
    torch.manual_seed(0)
    model, x = nn.Linear(128, 48).eval(), torch.randn(rows, 128)
    flags = ["--mode", "weight-only", "--weight-bits", str(bits), "--group-size", "32"]
    path, _ = test_quantize.quantize(exporting.export(model, (x,)), [(x,)], tmp_path, *flags)
    program = torch.export.load(path)
    assert program.state_dict["weight_scale"].dtype == torch.float16
    folder = tmp_path / "gpu"
    folder.mkdir()
    check(program.module(), (x,), folder, program)


class NarrowCache(nn.Module):
    """Attention over a cache of float16, with a head of keys for two heads of queries."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("keys", torch.randn(1, 2, 64, 64).half())
        self.register_buffer("values", torch.randn(1, 2, 64, 64).half())

    def forward(self, q):
        keys, values = self.keys.float(), self.values.float()
        return nn.functional.scaled_dot_product_attention(q, keys, values, enable_gqa=True)


def test_narrow_cache(tmp_path):
    check(NarrowCache(), (torch.randn(1, 4, 5, 64),), tmp_path)
