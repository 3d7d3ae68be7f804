"""3 x 3 convolutions by Winograd's method, against eager PyTorch in float64."""

import fx_mlir
import pytest
import torch


class Block(torch.nn.Module):
    def __init__(self, channels: int, columns: int, padding: int, residual: bool) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, columns, 3, padding=padding)
        self.residual = residual

    def forward(self, x):
        y = self.conv(x)
        return torch.relu(y + x if self.residual else y)


@pytest.mark.parametrize("mode", ["f2", "f4"])
@pytest.mark.parametrize(
    "shape, columns, padding, residual",
    [
        ((1, 20, 13, 14), 40, 1, False),
        ((3, 24, 7, 7), 24, 1, True),
        ((2, 5, 9, 4), 3, 0, False),
        ((1, 16, 6, 11), 70, 2, False),
    ],
)
def test_error(mode, shape, columns, padding, residual):
    torch.manual_seed(0)
    module = Block(shape[1], columns, padding, residual).eval()
    x = torch.randn(shape)
    model = fx_mlir.compile(module, (x,), winograd=mode, progress=False)
    assert any(k.get("schedule", {}).get("tile") == int(mode[1]) for k in model.report["kernels"])
    got = model(x)
    with torch.no_grad():
        exact = module.double()(x.double())
    rms = exact.pow(2).mean().sqrt()
    assert (got - exact).pow(2).mean().sqrt() <= 2e-6 * rms
    assert (got - exact).abs().max() <= 2e-5 * rms
