"""quantize: samples from memory, the report, and the compiled and exported result."""

import io

import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch import nn

import fx_mlir


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(32, 64), nn.Linear(64, 8)

    def forward(self, x, scale: float = 2.0, *, bias=None):
        y = self.b(torch.relu(self.a(x))) * scale
        return y if bias is None else y + bias


def sqnr(want, got):
    return 10 * torch.log10(want.pow(2).sum() / (want - got).pow(2).sum())


@pytest.mark.parametrize("mode", ["static", "dynamic", "weight-only"])
def test_quantized_models_compile_and_export(mode):
    model, x = Net().eval(), torch.randn(4, 32)
    program = torch.export.export(model, (x,))
    samples = [(torch.randn(4, 32),) for _ in range(3)]
    module = fx_mlir.quantize(program, samples, mode=mode, min_gain=0)
    assert module.report["samples"] == 3 and module.report["mode"] == mode
    assert [layer["module"] for layer in module.report["layers"]] == ["a", "b"]
    assert module.report["outputs"][0]["sqnr_db"] > 30
    compiled = fx_mlir.compile(module)
    assert sqnr(model(x), compiled(x)) > 30
    loaded = torch.export.load(io.BytesIO(module.export("pt2"))).module()
    assert sqnr(loaded(x), compiled(x)) > 60
    # The source program is unchanged.
    assert sqnr(model(x), fx_mlir.compile(program)(x)) > 100


def test_samples_have_the_forms_of_calls():
    model, x, bias = Net().eval(), torch.randn(2, 32), torch.randn(8)
    program = torch.export.export(model, (x,), {"bias": bias})
    module = fx_mlir.quantize(program, [((x,), {"bias": bias})])
    assert module.report["samples"] == 1
    program = torch.export.export(model, (x, 3.0))
    assert fx_mlir.quantize(program, [(x, 3.0)]).report["samples"] == 1
    program = torch.export.export(model, (x,))
    assert fx_mlir.quantize(program, [x, x.t().contiguous().t()]).report["samples"] == 2
    half = torch.export.export(nn.Linear(4, 2, dtype=torch.bfloat16), (torch.ones(1, 4).bfloat16(),))
    report = fx_mlir.quantize(half, [torch.ones(1, 4).bfloat16()]).report
    assert report["layers"][0]["reason"] == "expected activations of f32"


def test_options_reach_the_passes():
    program = torch.export.export(Net().eval(), (torch.randn(4, 32),))
    module = fx_mlir.quantize(program, mode="weight-only", weight_bits=4, group_size=16, skip=["b"])
    a, b = module.report["layers"]
    assert a["quantized"] and b["reason"] == "it was excluded"
    assert "dequantize_per_channel_group" in str(module)
    # Computing scales in each run takes longer than such small layers gain.
    module = fx_mlir.quantize(program, mode="dynamic")
    assert all("gain too little" in layer["reason"] for layer in module.report["layers"])
    # Without VNNI, a layer that is bound by its operations gains nothing.
    x = torch.randn(64, 64)
    wide = torch.export.export(nn.Linear(64, 512).eval(), (x,))
    for ratio in (1.0, 4.0):
        module = fx_mlir.quantize(wide, [x], integer_ratio=ratio)
        assert module.report["layers"][0]["quantized"] == (ratio == 4.0)
    module = fx_mlir.quantize(program, [torch.randn(4, 32)], min_sqnr=200.0, observer="kl", symmetric=True)
    assert not any(layer["quantized"] for layer in module.report["layers"])


def test_errors():
    program = torch.export.export(Net().eval(), (torch.randn(4, 32),))
    with pytest.raises(fx_mlir.Error, match="static quantization needs samples"):
        fx_mlir.quantize(program)
    with pytest.raises(fx_mlir.Error, match="expected mode"):
        fx_mlir.quantize(program, mode="fast")
    with pytest.raises(fx_mlir.Error, match="expected a name in skip"):
        fx_mlir.quantize(program, mode="dynamic", skip=["a b"])
    with pytest.raises(TypeError, match="expected a list of names as ops"):
        fx_mlir.quantize(program, mode="dynamic", ops="linear")
    with pytest.raises(TypeError, match="expected a sample to be a tuple"):
        fx_mlir.quantize(program, [[torch.randn(4, 32)]])
    with pytest.raises(fx_mlir.Error, match="the model fails on this sample"):
        fx_mlir.quantize(program, [torch.randn(4, 31)])


def test_buffer_that_is_only_written():
    """A write to a buffer that nothing reads stays when the model is quantized."""

    class Counted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(16, 16)
            self.register_buffer("last", torch.zeros(2))

        def forward(self, x):
            self.last.copy_(x[0, :2])
            return self.layer(x)

    model, x = Counted().eval(), torch.randn(2, 16)
    with torch.no_grad():
        program = torch.export.export(model, (x,))
        want = model(x)
    fast = fx_mlir.compile(fx_mlir.quantize(program, mode="weight-only"))
    torch.testing.assert_close(fast(x), want, rtol=0.05, atol=0.05)
