"""The kinds of inputs and outputs that a graph signature has, run in both
modes; what a program writes reaches its buffers, parameters and inputs."""

import artefact
import harness
import leaves
import numpy as np
import pytest
import torch
from exporting import eager, export, save
from torch.export.graph_signature import InputKind, OutputKind

MODES = ["interpret", "native"]


class Everything(torch.nn.Module):
    """A parameter, buffers of both sorts, a constant, user inputs of several
    types; writes to one of each sort that can be written."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(3.0))
        self.register_buffer("kept", torch.ones(3))
        self.register_buffer("scratch", torch.full((3,), 2.0), persistent=False)
        self.constant = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x, k, mode=None, flag=True):
        self.w.add_(x)
        self.kept.mul_(2)
        self.scratch[1:].sub_(x[1:])
        x.mul_(3)
        y = self.w + self.kept + self.scratch + self.constant + x
        return (y * k if mode is None and flag else y), k


@pytest.fixture(scope="module", params=[False, True], ids=["training", "decomposed"])
def everything(request):
    with torch.no_grad():
        args = (torch.tensor([1.0, -2.0, 0.5]), 2)
        return export(
            Everything(), args, {"mode": None, "flag": True}, decomposed=request.param
        ), args


def test_input_and_output_kinds(everything, tmp_path):
    program, args = everything
    kinds = {spec.kind for spec in program.graph_signature.input_specs}
    assert kinds >= {
        InputKind.PARAMETER,
        InputKind.BUFFER,
        InputKind.CONSTANT_TENSOR,
        InputKind.USER_INPUT,
    }
    harness.check(
        Everything(),
        args,
        {"mode": None, "flag": True},
        folder=tmp_path,
        modes=MODES,
        program=program,
    )


def test_writes_reach_states_and_inputs(everything, tmp_path):
    """Twice: the second call starts from what the first one left."""
    program, args = everything
    save(program, tmp_path / "m.pt2")
    result = harness.tool(
        "fx-compile", "--no-fallback", tmp_path / "m.pt2", "-o", tmp_path / "m.so"
    )
    assert result.returncode == 0, result.stderr
    model, module = artefact.Model(tmp_path / "m.so"), Everything()
    for _ in range(2):
        x = args[0].numpy().copy()
        want_x = args[0].clone()
        with torch.no_grad():
            want = module(want_x, 2)
        got = model(x)
        np.testing.assert_allclose(got[0], want[0].numpy(), rtol=1e-6)
        np.testing.assert_allclose(x, want_x.numpy(), rtol=1e-6)
        for name in ("w", "kept", "scratch"):
            np.testing.assert_allclose(
                model.state(name), getattr(module, name).detach().numpy(), rtol=1e-6
            )
    model.close()


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, y):
        self.calls.add_(1)
        z = self.layer(x)
        return torch.nn.functional.mse_loss(z, y), z.detach()


def test_loss_and_gradients(tmp_path):
    """A joint graph: the loss, the user's outputs, gradients of parameters and
    of an input, and a buffer's mutation."""
    from torch.export.experimental import _export_forward_backward

    x = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
    y = torch.linspace(0, 1, 8).reshape(4, 2)
    program = _export_forward_backward(export(Loss(), (x, y)))
    specs = program.graph_signature.output_specs
    for spec in specs:
        # torch 2.13 gives the target a name that no node has, and then cannot
        # save the program.
        if spec.kind == OutputKind.GRADIENT_TO_USER_INPUT:
            spec.target = "x"
    assert [spec.kind for spec in specs] == [
        OutputKind.BUFFER_MUTATION,
        OutputKind.LOSS_OUTPUT,
        OutputKind.USER_OUTPUT,
        OutputKind.GRADIENT_TO_PARAMETER,
        OutputKind.GRADIENT_TO_PARAMETER,
        OutputKind.GRADIENT_TO_USER_INPUT,
    ]
    save(program, tmp_path / "m.pt2")
    module = Loss()
    loss, z = module(x, y)
    loss.backward()
    expected = [loss.detach(), z, module.layer.weight.grad, module.layer.bias.grad, x.grad]
    for mode in MODES:
        got = harness.run(
            tmp_path / "m.pt2",
            ((x.detach(), y), {}),
            tmp_path / mode,
            expected,
            *harness.MODES[mode],
        )
        harness.compare(got, expected)


class Prints(torch.nn.Module):
    def forward(self, x):
        torch.ops.aten._print("first")
        y = x + 1
        torch.ops.aten._print("second")
        return y * 2


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
def test_tokens(mode, tmp_path):
    """Effects stand in the order that tokens give them."""
    program = export(Prints(), (torch.ones(3),), decomposed=True)
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    assert kinds == [InputKind.TOKEN, InputKind.USER_INPUT]
    save(program, tmp_path / "m.pt2")
    leaves.save_inputs(tmp_path / "in", (torch.ones(3),), {})
    result = harness.tool(
        "fx-run",
        tmp_path / "m.pt2",
        "--inputs",
        tmp_path / "in",
        "--outputs",
        tmp_path / "out",
        *harness.MODES[mode],
    )
    assert result.returncode == 0, result.stderr
    printed = result.stdout + result.stderr
    assert 0 <= printed.find("first") < printed.find("second"), printed
    expected = eager(Prints(), (torch.ones(3),))
    harness.compare(leaves.load_outputs(tmp_path / "out", expected), expected)
