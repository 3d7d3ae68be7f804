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


@pytest.mark.parametrize("mode", ["f2", "f4"])
def test_dynamic_batch_and_threads(mode):
    torch.manual_seed(1)
    module = Block(32, 32, 1, True).eval()
    dynamic = ({0: torch.export.Dim.DYNAMIC},)
    x = torch.randn(2, 32, 14, 14)
    programs = [
        fx_mlir.compile(
            module, (x,), dynamic_shapes=dynamic, winograd=mode, threads=n, progress=False
        )
        for n in (1, 2)
    ]
    for images in (1, 2, 5, 16):
        x = torch.randn(images, 32, 14, 14)
        one, two = (model(x) for model in programs)
        assert torch.equal(one, two)
        with torch.no_grad():
            torch.testing.assert_close(one, module(x), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("mode, bound", [("f2", 4), ("f4", 12)])
def test_offsets(mode, bound):
    """Inputs far from zero: the error is relative to the size of the products, not of the result.
    `bound` compares it with that of a direct sum of float32."""
    torch.manual_seed(2)
    module = torch.nn.Conv2d(24, 40, 3, padding=1, bias=False).eval()
    module.weight.data *= torch.logspace(-3, 2, 40)[:, None, None, None]
    x = torch.randn(1, 24, 12, 12) + 100
    model = fx_mlir.compile(module, (x,), winograd=mode, progress=False)
    direct = fx_mlir.compile(module, (x,), progress=False)
    with torch.no_grad():
        exact = module.double()(x.double())
    scale = exact.pow(2).mean((0, 2, 3), keepdim=True).sqrt()
    error, usual = (((m(x) - exact) / scale).pow(2).mean().sqrt() for m in (model, direct))
    assert error <= bound * usual


def test_infinity_stays_in_its_tiles():
    module = torch.nn.Conv2d(8, 8, 3, padding=1, bias=False).eval()
    x = torch.randn(1, 8, 16, 16)
    x[0, 3, 1, 1] = float("inf")
    got = fx_mlir.compile(module, (x,), winograd="f4", progress=False)(x)
    with torch.no_grad():
        want = module(x)
    # The pixel is in the first tile only, whose results are rows and columns 0 to 3.
    assert torch.isfinite(got[..., 4:, :]).all() and torch.isfinite(got[..., :, 4:]).all()
    torch.testing.assert_close(got[..., 4:, 4:], want[..., 4:, 4:], rtol=1e-4, atol=1e-5)
    assert not torch.isfinite(got[..., :3, :3]).any()
