"""Operators whose kernels give other types than torch's shape functions say: such a program is
interpreted, and compiling it says why."""

import itertools

import exporting
import harness
import pytest
import torch

threshold_backward = torch.ops.aten.threshold_backward.default
unique_consecutive = torch.ops.aten.unique_consecutive.default
GRADS = [torch.int64, torch.int32, torch.uint8, torch.float16, torch.float32, torch.bool]
SELVES = [torch.int64, torch.float32, torch.float64, torch.float16]


def threshold_calls(mistaken: bool):
    for grad, own in itertools.product(GRADS, SELVES):
        # Of truth values the shape function makes int64, of others nothing.
        said = torch.int64 if grad == torch.bool else grad
        if (torch.promote_types(grad, own) != said) == mistaken:
            args = torch.tensor([1, 0, 1]).to(grad), torch.tensor([0, 1, 2]).to(own)
            yield lambda g, x: (threshold_backward(g, x, 1),), args


def unique_calls(mistaken: bool):
    values = torch.tensor([1.0, 1, 2, 2, 2, 3, 1, 1])
    for shape, dim in itertools.product([(8,), (4, 2), (2, 2, 2)], [None, 0, 1, -1]):
        if (dim == -1) == mistaken and not (dim == 1 and len(shape) == 1):
            yield (
                lambda x, dim=dim: tuple(unique_consecutive(x, True, True, dim)),
                (values.reshape(shape),),
            )
    if mistaken:  # an inverse and counts that are not asked for
        yield lambda x: tuple(unique_consecutive(x, dim=0)), (values,)


class Calls(torch.nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, inputs):
        return [f(*args) for f, args in zip(self.functions, inputs, strict=True)]


def export(folder, calls):
    functions, inputs = zip(*calls, strict=True)
    module, args = Calls(functions), (list(inputs),)
    exporting.save(exporting.export(module, args), folder / "m.pt2")
    return args, exporting.eager(module, args)


CALLS = {"threshold_backward": threshold_calls, "unique_consecutive": unique_calls}


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
@pytest.mark.parametrize("mistaken", [False, True], ids=["right", "mistaken"])
@pytest.mark.parametrize("name", CALLS)
def test_results(tmp_path, name, mistaken, mode):
    args, expected = export(tmp_path, CALLS[name](mistaken))
    target = harness.compiled(tmp_path / "m.pt2", mode, 2)
    assert (target.suffix == ".so") == (mode == "compiled" and not mistaken)
    flags = ["--interpret"] if mode == "interpret" else []
    harness.compare(harness.run(target, (args, {}), tmp_path, expected, *flags), expected)


@pytest.mark.parametrize("name, k", [*((n, k) for n in CALLS for k in (0, -1))])
def test_each_is_refused(tmp_path, name, k):
    """Not only the first of a program."""
    export(tmp_path, [list(CALLS[name](True))[k]])
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 1
    assert f"'aten.{name}.default' has no native code: PyTorch gives its result" in result.stderr
