"""Inputs that torch.export made constants, and outputs that are texts."""

import fx_mlir
import numpy as np
import pytest
import torch


class Options(torch.nn.Module):
    def forward(self, x, scale, relu, mode, bias=None, *, add=0.5):
        y = x * scale + add
        return y.relu() if relu else y, "mode-" + mode, None, 2.5


ARGS = torch.randn(3), 2, True, "a"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The model compiled from a program, from an archive, and loaded from a file."""
    folder = tmp_path_factory.mktemp("options")
    program = torch.export.export(Options(), ARGS, {"bias": None, "add": 0.5})
    torch.export.save(program, folder / "m.pt2")
    compiled = fx_mlir.compile(folder / "m.pt2")
    compiled.save(folder / "m.so")
    return fx_mlir.compile(program), compiled, fx_mlir.load(folder / "m.so")


def test_outputs(models):
    want = Options()(*ARGS)
    for model in models:
        y, mode, nothing, number = model(*ARGS, bias=None, add=0.5)
        torch.testing.assert_close(y, want[0])
        assert (mode, nothing, number) == ("mode-a", None, 2.5)


def test_equal_values(models):
    """Types of numbers are not compared, as in the guards of torch.export."""
    for model in models:
        for scale, add in [(2.0, 0.5), (np.int64(2), np.float32(0.5))]:
            torch.testing.assert_close(
                model(ARGS[0], scale, True, "a", bias=None, add=add)[0], Options()(*ARGS)[0])


def test_text_alone():
    class Text(torch.nn.Module):
        def forward(self, x):
            x.add_(1)
            return "done"

    x = torch.zeros(2)
    assert fx_mlir.compile(torch.export.export(Text(), (torch.zeros(2),)))(x) == "done"
    assert torch.equal(x, torch.ones(2))


@pytest.mark.parametrize("place, value, name, want", [
    (1, 3, "scale", "2"), (1, None, "scale", "2"), (1, torch.ones(3), "scale", "2"),
    (2, False, "relu", "True"), (3, "b", "mode", "'a'"), (3, None, "mode", "'a'"),
    ("bias", 1.0, "bias", "None"), ("add", 0.25, "add", "0.5"),
])  # fmt: skip
def test_other_values(models, place, value, name, want):
    args, kwargs = list(ARGS), {"bias": None, "add": 0.5}
    (kwargs if isinstance(place, str) else args)[place] = value
    for model in models:
        with pytest.raises(fx_mlir.Error, match=(
            f"input '{name}': the model was exported for the value {want}, got "
        )):
            model(*args, **kwargs)


def test_several_methods(tmp_path):
    """Each method has its own constants."""
    programs = {
        name: torch.export.export(Options(), (torch.randn(3), k, True, name), {"add": 0.5})
        for k, name in enumerate(["one", "two"])
    }
    fx_mlir.compile(programs).save(tmp_path / "m.so")
    model = fx_mlir.load(tmp_path / "m.so")
    x = torch.randn(3)
    for k, name in enumerate(["one", "two"]):
        assert model.methods[name](x, k, True, name, add=0.5)[1] == "mode-" + name
        with pytest.raises(fx_mlir.Error, match="was exported for the value"):
            model.methods[name](x, 1 - k, True, name, add=0.5)


def test_order_of_keys():
    class Dictionary(torch.nn.Module):
        def forward(self, pair):
            return pair["a"] - pair["b"] * 2

    a, b = torch.randn(3), torch.randn(3)
    model = fx_mlir.compile(torch.export.export(Dictionary(), ({"a": a, "b": b},)))
    assert torch.equal(model({"b": b, "a": a}), a - b * 2)
    for other in ({"a": a}, {"a": a, "b": b, "c": b}, {"a": a, "b": [b]}, [a, b]):
        with pytest.raises(fx_mlir.Error, match="expected arguments of the form"):
            model(other)
