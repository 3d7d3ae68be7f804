"""Unary and binary functions where they overflow, underflow, have poles or jump.

The tolerance of the other tests is relative to a whole output; here it is relative to each element.
"""

import exporting
import harness
import pytest
import torch
import torch.nn.functional as F

INF, NAN = float("inf"), float("nan")
VALUES = [INF, -INF, NAN, 0.0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, 1e-38, -1e-38, 0.5, -0.5]
VALUES += [1 - 1e-6, 1e-6 - 1, 1.0, -1.0, 2.9, 3.0, 3.1, -2.9, -3.0, -3.1, 6.0, 20.0, 20.5, -20.0]
VALUES += [88.0, 89.0, -88.0, -90.0, 104.0, -104.0, 1e4, -1e4, 1e10, -1e10, 1e19, -1e19, 1.8e19]
VALUES += [1e30, -1e30, 2.5e38, -2.5e38, 3.4e38, -3.4e38]

ACTIVATIONS = """gelu hardswish hardsigmoid hardtanh relu relu6 elu selu celu silu mish softplus softsign
    logsigmoid tanhshrink hardshrink softshrink leaky_relu""".split()
UNARY = """sigmoid tanh exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan atan asin acos
    sinh cosh asinh acosh atanh erf erfc erfinv abs neg sign floor ceil round trunc frac square lgamma digamma
    sinc logit nan_to_num""".split()
BINARY = "logaddexp maximum fmax atan2 hypot floor_divide xlogy div pow".split()
FUNCTIONS = {
    **{name: getattr(F, name) for name in ACTIVATIONS},
    **{name: getattr(torch, name) for name in UNARY},
    **{name: lambda x, f=getattr(torch, name): f(x, x.flip(0)) for name in BINARY},
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    **{f"pow{k}": lambda x, k=k: x**k for k in (2, 3, -1, 1.5, 0.5)},
    "softmax": lambda x: F.softmax(torch.stack([x, x * 0 + 1, -x]), 0),
    "log_softmax": lambda x: F.log_softmax(torch.stack([x, x * 0 + 1, -x]), 0),
    "logsumexp": lambda x: torch.logsumexp(torch.stack([x, torch.ones_like(x)]), 0),
    "clamp": lambda x: x.clamp(-2, 2),
    "glu": lambda x: F.glu(torch.cat([x, x.flip(0)]), 0),
    "lerp": lambda x: torch.lerp(x, x.flip(0), 0.3),
    "threshold": lambda x: F.threshold(x, 0.1, 20),
}
#: Eager mode computes these in float32 and rounds once, either at the end or in its square root.
ROUNDED = {torch.float16: {"pow0.5", "glu"}}


class Extremes(torch.nn.Module):
    def __init__(self, skipped):
        super().__init__()
        self.functions = {name: f for name, f in FUNCTIONS.items() if name not in skipped}

    def forward(self, x):
        return {name: f(x) for name, f in self.functions.items()}


def wrong(got: torch.Tensor, want: torch.Tensor, tolerance: float) -> list[int]:
    got, want = got.double().flatten(), want.double().flatten()
    same = (got == want) | (got.isnan() & want.isnan())
    # Eager's float32 has cancellation where a function nears 0 (gelu at -3).
    near = (got - want).abs() <= tolerance * (want.abs() + 1e-2)
    return (~(same | near)).nonzero().flatten().tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_pointwise(dtype, tmp_path):
    x = torch.tensor(VALUES, dtype=torch.float64).to(dtype)
    module = Extremes(ROUNDED.get(dtype, ()))
    exporting.save(exporting.export(module, (x,), {}), tmp_path / "m.pt2")
    expected = exporting.eager(module, (x,))
    # The limit at infinity. Eager's result depends on the code that it selects for the size.
    expected["gelu"] = torch.where(x == INF, x, expected["gelu"])
    target = harness.compiled(tmp_path / "m.pt2", "native", runs=2)
    got = harness.run(target, ((x,), {}), tmp_path, expected)
    problems = [
        f"{name}({x[i % len(VALUES)].item()}), or with {x.flip(0)[i % len(VALUES)].item()}: "
        f"got {g.flatten()[i].item()}, expected {w.flatten()[i].item()}"
        for (name, w), g in zip(expected.items(), got)
        for i in wrong(g, w, harness.TOLERANCE[dtype])
    ]
    assert not problems, "\n".join(problems)
