"""fx-compile --weights: the weights of a file in the place of those of the model."""

import harness
import pytest
import torch
from safetensors.torch import save_file
from torch import nn


class Model(nn.Module):
    """A model with tied weights, a transposed one and both kinds of buffers."""

    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.table = nn.Embedding(16, 24)
        self.layer = nn.Linear(24, 24)
        self.head = nn.Linear(24, 16, bias=False)
        self.head.weight = self.table.weight
        self.turned = nn.Parameter(torch.randn(24, 8).t())
        self.norm = nn.BatchNorm1d(24)
        self.norm.running_mean.copy_(torch.randn(24))
        self.register_buffer("offset", torch.randn(16))
        self.register_buffer("fixed", torch.full((16,), 2.0), persistent=False)

    def forward(self, x):
        y = self.norm(self.layer(self.table(x)).relu())
        y = y + (y @ self.turned.t()) @ self.turned
        return self.head(y) * self.fixed + self.offset


@pytest.fixture
def files(tmp_path):
    """The archive of one model, and the file of another."""
    x = torch.arange(10)
    model, other = Model(0).eval(), Model(1).eval()
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "m.pt2")
    state = {k: v.contiguous() for k, v in other.state_dict().items() if k != "head.weight"}
    save_file(state, tmp_path / "w.safetensors")
    return x, model, other, state


def compile_with(folder, *options):
    arguments = [folder / "m.pt2", "-o", folder / "m.so", "--no-fallback", *options]
    return harness.tool("fx-compile", *arguments)


def check(folder, x, model):
    with torch.no_grad():
        want = model(x)
    got = harness.run(folder / "m.so", ((x,), {}), folder / "run", want)
    harness.compare(got, want)


def test_weights(files, tmp_path):
    x, model, other, _ = files
    result = compile_with(tmp_path)
    assert result.returncode == 0, result.stderr
    check(tmp_path, x, model)
    # The cache has the code for the other weights.
    result = compile_with(tmp_path, "--weights", tmp_path / "w.safetensors")
    assert result.returncode == 0, result.stderr
    check(tmp_path, x, other)


def test_several_files(files, tmp_path):
    x, _, other, state = files
    names = sorted(state, key=lambda name: (name == "layer.weight", name))
    save_file({k: state[k] for k in names[:3]}, tmp_path / "a.safetensors")
    halves = {k: state[k] for k in names[3:]}
    halves["layer.weight"] = halves["layer.weight"].half()
    save_file(halves, tmp_path / "b.safetensors")
    other.layer.weight.data = other.layer.weight.data.half().float()
    options = ["--weights", tmp_path / "a.safetensors", "--weights", tmp_path / "b.safetensors"]
    result = compile_with(tmp_path, *options)
    assert result.returncode == 0, result.stderr
    check(tmp_path, x, other)


def test_methods_share_weights(files, tmp_path):
    x, _, other, _ = files
    target = tmp_path / "m.so"
    model = tmp_path / "m.pt2"
    result = harness.tool(
        *["fx-compile", f"a={model}", f"b={model}", "-o", target],
        *["--weights", tmp_path / "w.safetensors"],
    )
    assert result.returncode == 0, result.stderr
    with torch.no_grad():
        want = other(x)
    for method in "ab":
        flags = ["--method", method]
        got = harness.run(target, ((x,), {}), tmp_path / method, want, *flags)
        harness.compare(got, want)


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda s: s.pop("offset"), "the file lacks 'offset'"),
        (lambda s: s.update(more=torch.zeros(1)), "the model has no 'more'"),
        (lambda s: s.update(offset=torch.zeros(15)), "'offset': expected float32[16]"),
        (lambda s: s.update(offset=torch.zeros(16, dtype=torch.int8)), "got int8[16]"),
    ],
)
def test_errors(change, text, files, tmp_path):
    state = dict(files[3])
    change(state)
    save_file(state, tmp_path / "w.safetensors")
    result = compile_with(tmp_path, "--weights", tmp_path / "w.safetensors")
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ") and text in line, line
    assert not (tmp_path / "m.so").exists()


def test_missing_file(files, tmp_path):
    result = compile_with(tmp_path, "--weights", tmp_path / "none.safetensors")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
