"""Functions with poles, compared with their true values.

Near a pole PyTorch's float32 may be far off (`polygamma(1, x)` near -6 by a third), and two
programs that round an argument differently get unrelated results. So PyTorch's value is accepted if
it is within 4 units in the last place of the true value; otherwise only the true value is.
"""

import math

import exporting
import harness
import mpmath
import torch

NAMES = [f"polygamma{n}" for n in range(6)] + ["digamma", "lgamma"]


class Functions(torch.nn.Module):
    def forward(self, x, y):
        # The function of x, and of a product, whose rounding to float32 is decisive near a pole.
        return [
            f(v)
            for v in (x, x * y)
            for f in [
                *(lambda v, n=n: torch.polygamma(n, v) for n in range(6)),
                torch.digamma,
                torch.lgamma,
            ]
        ]


def true_value(name: str, x: float):
    with mpmath.workdps(40):
        if name == "lgamma":
            return mpmath.log(abs(mpmath.gamma(x)))
        return mpmath.psi(int(name[-1]) if name != "digamma" else 0, mpmath.mpf(x))


def unit(value, dtype) -> float:
    """Returns the unit in the last place of `value`."""
    if not value:
        return torch.finfo(dtype).smallest_normal
    return 2.0 ** math.floor(mpmath.log(abs(value), 2)) * torch.finfo(dtype).eps


def numbers(dtype):
    offsets = (0.3, 1e-1, 1e-2, 2.4228e-3, 1e-4, 1e-5)
    x = torch.tensor([-k + s * d for k in range(8) for d in offsets for s in (1, -1)])
    x = torch.cat([x, torch.tensor([-100.0024, -1000.01, 0.5, 1.5, 2.5, 30.0])]).to(dtype)
    y = torch.tensor([1.0, 1.0000001, 0.9999999]).to(dtype).repeat(len(x))[: len(x)]
    return x, y


def check(tmp_path, dtype, largest: dict):
    inputs = numbers(dtype)
    exporting.save(exporting.export(Functions(), inputs), tmp_path / "m.pt2")
    expected = exporting.eager(Functions(), inputs)
    got = harness.run(tmp_path / "m.pt2", (inputs, {}), tmp_path, expected, "--no-fallback")
    arguments = [inputs[0]] * len(NAMES) + [inputs[0] * inputs[1]] * len(NAMES)
    problems, near = [], 0
    for name, x, g, w in zip(NAMES * 2, arguments, got, expected, strict=True):
        for at, ours, theirs in zip(x.tolist(), g.tolist(), w.tolist(), strict=True):
            if at <= 0 and at == round(at):
                continue  # the pole itself is tested in test_extremes.py
            true = true_value(name, at)
            if abs(true) > torch.finfo(dtype).max:
                continue
            scale = unit(true, dtype)
            is_near = abs(theirs - true) <= 4 * scale
            near += is_near
            # The allowed error is small, so that a wrong formula is noticed.
            allowed = largest.get(name, largest[None]) * scale
            if not abs(ours - true) <= allowed + (4 * scale if is_near else 0):
                problems.append(f"{name}({at}): got {ours}, PyTorch {theirs}, true {float(true)}")
    assert not problems, "\n".join(problems[:20])
    # Both cases of the rule occur.
    assert 100 < near < len(NAMES) * 2 * len(inputs[0])


def test_float32(tmp_path):
    check(tmp_path, torch.float32, {None: 1})


def test_float64(tmp_path):
    # lgamma is close to 0 between its zeros and its poles.
    check(tmp_path, torch.float64, {None: 16, "lgamma": 256})
