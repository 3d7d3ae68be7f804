"""fx-quantize --rounding gptq, compared with the method of the paper in torch.linalg."""

import harness
import pytest
import torch
from test_quantize import quantize, sqnr
from torch import nn


def reference(weight, inputs, bits, group):
    """Returns the integers and the scales of Algorithm 1 of arXiv:2210.17323."""
    top = 2 ** (bits - 1) - 1
    rows, width = weight.shape
    group = group or width
    h = inputs.double().T @ inputs.double()
    h += 0.01 * h.diagonal().mean() * torch.eye(width, dtype=torch.float64)
    upper = torch.linalg.cholesky(torch.linalg.inv(h), upper=True)
    w, q = weight.double().clone(), torch.zeros(rows, width, dtype=torch.int8)
    scales = torch.zeros(rows, width // group)
    for i in range(width):
        if i % group == 0:
            found = w[:, i : i + group].float().abs().amax(1) / top
            scales[:, i // group] = found if group == width else found.half().float()
        s = scales[:, i // group]
        q[:, i] = (w[:, i].float() / s).round().clamp(-top, top)
        error = (w[:, i] - q[:, i].double() * s.double()) / upper[i, i]
        w[:, i + 1 :] -= error[:, None] * upper[i, i + 1 :]
    return q, scales if group != width else scales[:, 0]


def correlated(rows, width, seed):
    """Inputs whose elements are not independent, as those of real layers."""
    torch.manual_seed(seed)
    return torch.randn(rows, 12) @ torch.randn(12, width) + 0.1 * torch.randn(rows, width)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.l = nn.Linear(64, 40)

    def forward(self, x):
        return self.l(x)


@pytest.mark.parametrize("bits, group", [(4, 0), (4, 16), (8, 0)])
def test_integers(bits, group, tmp_path):
    model = Layer().eval()
    samples = [(correlated(24, 64, seed),) for seed in range(1, 6)]
    program = torch.export.export(model, samples[0])
    flags = ["--mode", "weight-only", "--rounding", "gptq", "--weight-bits", str(bits)]
    flags += ["--group-size", str(group)] if group else []
    path, report = quantize(program, samples, tmp_path, *flags)
    assert report["samples"] == 5
    state = torch.export.load(path).state_dict
    want, scales = reference(
        model.l.weight.detach(), torch.cat([x for (x,) in samples]), bits, group
    )
    got = state["l.weight_q"]
    # A value in the middle of two integers can round to either.
    assert (got != want).float().mean() < 0.005
    torch.testing.assert_close(state["l.weight_scale"].float(), scales, rtol=2e-3, atol=0)


def test_error_is_smaller(tmp_path):
    """On other inputs of the same distribution, at least 3 dB better than nearest integers."""
    model = Layer().eval()
    inputs = correlated(480, 64, 1)
    samples = [(part,) for part in inputs[:360].split(24)]
    program = torch.export.export(model, samples[0])
    x = inputs[360:384]
    ratios = {}
    for rounding in ("nearest", "gptq"):
        folder = tmp_path / rounding
        folder.mkdir()
        flags = ["--mode", "weight-only", "--rounding", rounding, "--weight-bits", "4"]
        path, _ = quantize(program, samples, folder, *flags, "--group-size", "16")
        want = model(x).detach()
        (got,) = harness.run(harness.compiled(path, "native"), ((x,), {}), folder, want)
        ratios[rounding] = sqnr(want, got)
    assert ratios["gptq"] > ratios["nearest"] + 3, ratios


class Mixed(nn.Module):
    """A convolution, a tied weight and a layer whose inputs are zero."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Conv1d(8, 16, 3)
        self.a, self.b, self.c = (nn.Linear(16, 16) for _ in range(3))
        self.b.weight = self.a.weight

    def forward(self, x):
        y = self.conv(x).transpose(1, 2)
        return self.b(self.a(y).relu()) + self.c(y * 0)


@pytest.mark.parametrize("mode", ["weight-only", "dynamic", "static"])
def test_other_layers(mode, tmp_path):
    model, samples = Mixed().eval(), [(torch.randn(2, 8, 18),) for _ in range(3)]
    program = torch.export.export(model, samples[0])
    path, report = quantize(program, samples, tmp_path, "--mode", mode, "--rounding", "gptq")
    want = model(*samples[0]).detach()
    (got,) = harness.run(harness.compiled(path, "native"), (samples[0], {}), tmp_path, want)
    assert sqnr(want, got) > 30


@pytest.mark.parametrize(
    "flags, text",
    [
        (["--rounding", "gptq"], "rounding 'gptq' needs samples"),
        (["--rounding", "gptq", "--per-tensor"], "one scale a channel"),
        (["--rounding", "up"], "expected rounding 'nearest' or 'gptq', got 'up'"),
    ],
)
def test_errors(flags, text, tmp_path):
    program = torch.export.export(Layer().eval(), (torch.randn(2, 64),))
    torch.export.save(program, tmp_path / "m.pt2")
    result = harness.tool(
        *["fx-quantize", tmp_path / "m.pt2", "-o", tmp_path / "q.pt2"],
        *["--mode", "weight-only", *flags],
    )
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert text in line, line
