"""Quantized models, compiled without a fall-back, against eager PyTorch.

An integer product is exact where the reference sums floats, so a value that
lies at the border of two quantization steps may fall to the other side: what is
compared is the dequantized result, within a step of its output."""

import exporting
import harness
import pytest
import quantized
import torch
from torch import nn
from torch.export import Dim

MODES = ["interpret", "native"]


def check(module, args, folder, **options):
    harness.check(module, args, modes=MODES, folder=folder, **options)


class Affine(nn.Module):
    """Quantizes and dequantizes in every form."""

    def forward(self, x, scales, zeros):
        q = quantized.Q
        out = []
        for dtype, low, high in [
            (torch.uint8, 0, 255),
            (torch.int8, -128, 127),
            (torch.int8, -127, 127),
            (torch.int16, -32768, 32767),
        ]:
            y = q.quantize_per_tensor.default(x, 0.03, 5, low, high, dtype)
            out += [y, q.dequantize_per_tensor.default(y, 0.03, 5, low, high, dtype)]
        for choose in (q.choose_qparams, q.choose_qparams_symmetric):
            s, z = choose.tensor(x, -128, 127, 1e-6, torch.int8)
            y = q.quantize_per_tensor.tensor(x, s, z, -128, 127, torch.int8)
            out += [s, z, y]
            out.append(q.dequantize_per_tensor.tensor(y, s, z, -128, 127, torch.int8))
        y = q.quantize_per_channel.default(x, scales, zeros, 1, -128, 127, torch.int8)
        out.append(y)
        for z in (zeros, None):
            out.append(
                q.dequantize_per_channel.default(y, scales, z, 1, -128, 127, torch.int8)
            )
        s = x.abs().reshape(x.shape[0], -1, 2).amax(-1) / 7 + 0.01
        z = torch.ones_like(s)
        y = q.quantize_per_channel_group.default(x, s, z, -8, 7, torch.int8, 2)
        out.append(y)
        out.append(
            q.dequantize_per_channel_group.default(
                y, s, z, -8, 7, torch.int8, 2, torch.float32
            )
        )
        return out


@pytest.mark.parametrize("kind", ["normal", "large", "zero", "positive"])
def test_operators(kind, tmp_path):
    torch.manual_seed(1)
    x = torch.randn(5, 8)
    x = {"normal": x, "large": x * 1e4, "zero": x * 0, "positive": x.abs()}[kind]
    scales, zeros = torch.rand(8) + 0.01, torch.randint(-5, 5, (8,))
    check(Affine(), (x, scales, zeros), tmp_path)


def test_parameters_of_nan(tmp_path):
    """choose_qparams refuses an input without extremes, as torch does."""
    module = quantized.Dynamic()
    model = tmp_path / "m.pt2"
    exporting.save(exporting.export(module, (torch.randn(3, 4),)), model)
    bad = ((torch.full((3, 4), torch.nan),), {})
    with pytest.raises(harness.ToolError, match="expected a minimum"):
        harness.run(model, bad, tmp_path, None, "--no-fallback")


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("rows", [1, 5, 16])
def test_linears(rows, dynamic, tmp_path):
    torch.manual_seed(2)
    model = quantized.autoencoder([100, 64, 37, 40, 100]).eval()
    module = quantized.quantize(model, torch.randn(64, 100), dynamic)
    shapes = ({0: Dim("rows", max=64)},) if rows == 5 else None
    check(module, (torch.randn(rows, 100),), tmp_path, dynamic=shapes)
