"""Operators whose kernels return other types than torch's shape functions. Compiled code uses the
types of the kernels, also in the users of the results. If these types are not known, the program is
interpreted, and compiling it reports the reason."""

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
        # The shape function returns int64 for a bool gradient, and the gradient's dtype for others.
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
    assert (target.suffix == ".so") == (mode == "compiled")
    flags = ["--interpret"] if mode == "interpret" else []
    harness.compare(harness.run(target, (args, {}), tmp_path, expected, *flags), expected)


def threshold_used(g, x):
    y = threshold_backward(g, x, 1)
    z = y.clone()
    z.mul_(0.5)
    return y * 2 + 0.5, torch.cat([y, y]).sum(), y / 3, z, y.to(torch.int32) + 1


def unique_used(x):
    values, inverse, counts = unique_consecutive(x, True, True, -1)
    return values * 2, inverse + 1, values.sum(-1)


USED = {
    "threshold": (threshold_used, (torch.tensor([3, 0, 1]), torch.tensor([0.5, 1.5, 2]))),
    "threshold.f16": (
        threshold_used, (torch.tensor([3, 0, 1]).half(), torch.tensor([0.5, 1.5, 2]).double())
    ),
    "unique": (unique_used, (torch.tensor([[1.0, 1, 2, 2], [3, 3, 3, 3]]),)),
}  # fmt: skip


@pytest.mark.parametrize("name", USED)
def test_what_follows(tmp_path, name):
    function, given = USED[name]
    args, expected = export(tmp_path, [(function, given)])
    target = harness.compiled(tmp_path / "m.pt2", "compiled", 2)
    assert target.suffix == ".so"
    harness.compare(harness.run(target, (args, {}), tmp_path, expected), expected)


def test_refused(tmp_path):
    """unique_consecutive with an inverse and counts that are not requested."""
    x = torch.tensor([1.0, 1, 2])
    args, expected = export(tmp_path, [(lambda x: tuple(unique_consecutive(x, dim=0)), (x,))])
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so")
    assert result.returncode == 1
    assert "'aten.unique_consecutive.default' has no native code: PyTorch gives" in result.stderr
    target = tmp_path / "m.pt2"
    harness.compare(harness.run(target, (args, {}), tmp_path, expected), expected)
