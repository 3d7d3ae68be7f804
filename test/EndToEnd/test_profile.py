"""fx-run --profile: the kernels of a model, their times, bytes and operations, and where they are
in the model."""

import json

import exporting
import harness
import leaves
import pytest
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, window=3):
        super().__init__()
        self.conv = nn.Conv2d(16, 32, window, padding=window // 2)
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        y = torch.relu(self.conv(x))
        return self.head(y.mean((2, 3))).softmax(-1)


def prepare(folder, dynamic=False, window=3):
    x = torch.randn(2, 16, 64, 64)
    shapes = ({0: torch.export.Dim("n", max=8)},) if dynamic else None
    exporting.save(exporting.export(Net(window).eval(), (x,), {}, dynamic=shapes), folder / "m.pt2")
    leaves.save_inputs(folder / "in", (x,), {})


def run(folder, model, *flags):
    return harness.tool("fx-run", model, "--inputs", folder / "in", "--outputs", folder / "out", *flags)


@pytest.mark.parametrize("threads", [1, 2])
def test_profile(threads, tmp_path):
    prepare(tmp_path)
    model = tmp_path / "m.so"
    assert harness.tool("fx-compile", tmp_path / "m.pt2", "-o", model, "--profile", "--winograd=off").returncode == 0
    trace = tmp_path / "trace.json"
    result = run(tmp_path, model, "--profile=5", "--json", f"--threads={threads}", "--trace", trace)
    assert result.returncode == 0, result.stderr
    profile = json.loads(result.stdout)
    assert profile["runs"] == 5 and profile["gflops"] > 0 and profile["gbytes"] > 0
    kernels = profile["kernels"]
    assert kernels == sorted(kernels, key=lambda k: -k["ms"])
    assert 0 < sum(k["ms"] for k in kernels) <= profile["ms"]
    # A kernel of the same node that copies the input may take longer on a busy machine.
    conv, head = (
        next(k for k in kernels if k["kind"] == "contraction" and any(name in n for n in k["nodes"]))
        for name in ("conv", "linear")
    )
    assert conv["calls"] == 1
    assert conv["module"] == "conv" and conv["place"].startswith("test_profile.py:")
    assert head["module"] == "head"
    # Multiplications and additions of the convolution, of its bias, and maxima.
    outputs = 2 * 32 * 64 * 64
    assert 2 * 9 * 16 * outputs <= conv["flops"] <= (2 * 9 * 16 + 4) * outputs
    # The output, the padded or plain input, and the weights.
    assert 4 * outputs < conv["bytes"] < 4 * (outputs + 2 * 16 * 66 * 66 + 9 * 16 * 32 + 10000)
    seconds = max(conv["flops"] / profile["gflops"], conv["bytes"] / profile["gbytes"]) * 1e-9
    assert conv["share_of_limit"] == pytest.approx(seconds / (conv["ms"] * 1e-3))

    events = json.loads(trace.read_text())["traceEvents"]
    assert len(events) == sum(k["calls"] for k in kernels)
    assert all(e["ph"] == "X" and e["dur"] >= 0 for e in events)
    ends = [e["ts"] + e["dur"] for e in events]
    assert all(a <= e["ts"] + 1e-6 for a, e in zip(ends, events[1:]))


def test_profile_of_an_archive(tmp_path):
    """The archive is compiled for the profile. Operations of dynamic sizes are not known."""
    prepare(tmp_path, dynamic=True, window=5)  # no window of Winograd's method
    result = run(tmp_path, tmp_path / "m.pt2", "--profile", "2")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("2 runs of ") and lines[1].split()[0] in ("ms", "us")
    assert any("contraction" in line and "conv2d" in line for line in lines)
    assert lines[-1].endswith("between kernels")
    shares = [float(line.split()[1]) for line in lines[2:]]
    assert sum(shares) == pytest.approx(100, abs=1)


def test_errors(tmp_path):
    prepare(tmp_path)
    model = tmp_path / "m.so"
    assert harness.tool("fx-compile", tmp_path / "m.pt2", "-o", model).returncode == 0
    for flags, message in (
        (["--profile=2"], "expected a model with kernels that was compiled with --profile"),
        (["--profile=2", "--check"], "--profile excludes --interpret, --check and --device"),
        (["--trace=t.json"], "--trace needs --profile N"),
    ):
        result = run(tmp_path, model, *flags)
        assert result.returncode == 1 and message in result.stderr
        assert not (tmp_path / "out").exists()
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", model, "--profile", "--target=cuda")
    assert result.returncode == 1
    assert "--profile: expected the CPU as the target, got a GPU" in result.stderr
