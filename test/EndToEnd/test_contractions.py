"""Matmuls, convolutions and attention of 16-bit and 64-bit floats."""

import exporting
import harness
import pytest
import torch
import torch.nn.functional as F

#: Relative to the largest element of a result. Sums are computed in f32 and rounded once; attention
#: also rounds its two intermediate values.
TOLERANCE = {torch.bfloat16: 2**-7, torch.float16: 2**-10, torch.float64: 1e-14}


class Contractions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(72, 50)
        self.conv = torch.nn.Conv2d(8, 20, 3, padding=1, stride=2)
        self.grouped = torch.nn.Conv2d(8, 16, 3, groups=2)
        self.line = torch.nn.Conv1d(72, 33, 3, padding=1)

    def forward(self, x, y, image):
        heads = x.unflatten(2, (3, 24)).transpose(1, 2)
        return {
            "linear": F.relu(self.linear(x)),
            "row": self.linear(x[0, :1]),
            "mm": x[0] @ y[:, :35],
            "transposed": x[1] @ x[0].t(),
            "turned": x[0].t() @ x[1],
            "bmm": x @ y.expand(2, 72, 40),
            "vector": x[0] @ y[:, 0],
            "einsum": torch.einsum("bik,bjk->ijb", x, x),
            "conv": F.relu(self.conv(image)),
            "grouped": self.grouped(image),
            "line": self.line(x.transpose(1, 2)),
            "attention": F.scaled_dot_product_attention(heads, heads, heads),
            "scaled": (x * 0.5 + 1) @ y + 1,
        }


def drawn(dtype, length: int) -> tuple:
    generator = torch.Generator().manual_seed(length)
    shapes = [(2, length, 72), (72, 40), (3, 8, 9, 11)]
    return tuple(torch.randn(s, generator=generator).to(dtype) for s in shapes)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_contractions(dtype, dynamic, tmp_path):
    torch.manual_seed(3)
    module = Contractions().to(dtype)
    length = torch.export.Dim("n", min=2, max=500)
    program = exporting.export(
        module, drawn(dtype, 19), {}, dynamic=({1: length}, None, None) if dynamic else None
    )
    exporting.save(program, tmp_path / "m.pt2")
    target = harness.compiled(tmp_path / "m.pt2", "native", runs=2)
    exact = Contractions().double()
    exact.load_state_dict({k: v.double() for k, v in module.state_dict().items()})
    for n in (19, 5, 64) if dynamic else (19,):
        inputs = drawn(dtype, n)
        want = exporting.eager(module, inputs)
        true = exporting.eager(exact, tuple(x.double() for x in inputs))
        got = harness.run(target, (inputs, {}), tmp_path / str(n), want)
        for (name, w), g, t in zip(want.items(), got, true.values()):
            assert g.dtype == dtype and g.shape == w.shape, name
            error = ((g.double() - t).abs().max() / t.abs().max()).item()
            assert error < TOLERANCE[dtype], f"{name}: error {error:.2e}"
