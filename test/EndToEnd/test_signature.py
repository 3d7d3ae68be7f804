"""The kinds of inputs and outputs of a graph signature, run in both modes. Writes of a program
reach its buffers, parameters and inputs."""

import json
import pathlib
import re
import zipfile

import artefact
import harness
import leaves
import numpy as np
import pytest
import roundtrip
import torch
from exporting import eager, export, save
from torch._export.serde import schema
from torch.export.graph_signature import InputKind, OutputKind

MODES = ["interpret", "native"]


class Everything(torch.nn.Module):
    """A parameter, persistent and non-persistent buffers, a constant, user inputs of several types;
    writes to each kind that can be written."""

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
    """Runs twice: the second call starts from the values that the first one left."""
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


def export_joint(x, y):
    from torch.export.experimental import _export_forward_backward

    program = _export_forward_backward(export(Loss(), (x, y)))
    for spec in program.graph_signature.output_specs:
        # torch 2.13 gives the target a name that no node has, and then cannot save the program.
        if spec.kind == OutputKind.GRADIENT_TO_USER_INPUT:
            spec.target = "x"
    return program


def test_loss_and_gradients(tmp_path):
    """A joint graph: the loss, the user's outputs, gradients of parameters and of an input, and a
    mutation of a buffer."""
    x = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
    y = torch.linspace(0, 1, 8).reshape(4, 2)
    program = export_joint(x, y)
    specs = program.graph_signature.output_specs
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
    """Effects happen in the order that tokens define."""
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


#: Custom classes, and operators on them, that torch's package contains for its own tests.
CLASSES = pathlib.Path(torch.__file__).parent / "lib" / "libtorchbind_test.so"


class Objects(torch.nn.Module):
    """An object that operators read, and an object that operators and methods change."""

    def __init__(self):
        super().__init__()
        classes = torch.classes._TorchScriptTesting
        self.foo = classes._Foo(10, 20)
        self.queue = classes._TensorQueue(torch.empty(0).fill_(-1))

    def forward(self, x):
        torch.ops._TorchScriptTesting.queue_push(self.queue, x.cos())
        self.queue.push(x.sin())
        first = self.queue.pop()
        y = torch.ops._TorchScriptTesting.takes_foo(self.foo, first + 1)
        return y, self.foo.add_tensor(x), self.queue.pop() * 2


class Method(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.foo = torch.classes._TorchScriptTesting._Foo(1, 2)

    def forward(self, x):
        return self.foo.add_tensor(x)


@pytest.fixture(scope="module")
def classes():
    from torch.testing._internal import torchbind_impls

    torchbind_impls.init_torchbind_implementations()


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_custom_objects(classes, decomposed, tmp_path):
    """LibTorch runs them as the archive contains them, from the interpreter and from compiled code,
    whose calls share the objects."""
    x = torch.linspace(-1, 1, 6).reshape(2, 3)
    program = export(Objects(), (x,), decomposed=decomposed)
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    assert kinds.count(InputKind.CUSTOM_OBJ) == 2
    model = tmp_path / "m.pt2"
    save(program, model)
    roundtrip.check(model, tmp_path)
    result = harness.tool("fx-opt", "--fx-verify-export", write_text(model))
    assert result.returncode == 0, result.stderr
    compiled = harness.tool("fx-compile", model, "-o", tmp_path / "m.so")
    assert compiled.returncode == 0, compiled.stderr
    expected = Objects()(x)
    library = ["--load-library", CLASSES]
    for target, flags in [(model, ["--interpret"]), (tmp_path / "m.so", [])]:
        got = harness.run(
            target, ((x,), {}), tmp_path / target.suffix[1:], expected, *flags, *library
        )
        harness.compare(got, expected)


def test_every_kind(classes, tmp_path):
    """The programs of this file cover all kinds that an archive supports."""
    x = torch.ones(4, 3)
    with torch.no_grad():
        programs = [
            export(Everything(), (torch.ones(3), 2), {"mode": None, "flag": True}, decomposed=True)
        ]
    programs.append(export_joint(x.clone().requires_grad_(), torch.ones(4, 2)))
    programs.append(export(Prints(), (x,), decomposed=True))
    programs.append(export(Method(), (x,)))
    inputs, outputs = set(), set()
    for i, program in enumerate(programs):
        save(program, tmp_path / f"m{i}.pt2")
        with zipfile.ZipFile(tmp_path / f"m{i}.pt2") as archive:
            signature = json.loads(archive.read(f"m{i}/models/model.json"))["graph_module"]["signature"]
        inputs |= {kind for spec in signature["input_specs"] for kind in spec}
        outputs |= {kind for spec in signature["output_specs"] for kind in spec}
    assert inputs == set(schema.InputSpec.__annotations__) and len(inputs) == 7
    assert outputs == set(schema.OutputSpec.__annotations__) and len(outputs) == 8


def write_text(model):
    """Writes the program as a module of the fx dialect, beside its archive."""
    text = model.with_suffix(".mlir")
    text.write_text(roundtrip.translate("--pt2-to-mlir", model))
    return text


def test_custom_objects_that_cannot_be_had(classes, tmp_path):
    """Errors: the library that has their class is missing, or the bytes are a Python pickle."""
    x = torch.ones(2, 3)
    model = tmp_path / "m.pt2"
    save(export(Method(), (x,)), model)
    leaves.save_inputs(tmp_path / "in", (x,), {})
    folders = ["--inputs", tmp_path / "in", "--outputs", tmp_path / "out"]
    library = ["--load-library", CLASSES]
    assert harness.tool("fx-compile", model, "-o", tmp_path / "m.so").returncode == 0
    name = "__torch__.torch.classes._TorchScriptTesting._Foo"
    unknown = f"the class '{name}' is not known: expected its library to be loaded"
    for target, flags, place in [
        (model, ["--interpret"], ":foo: "),
        (tmp_path / "m.so", [], ": call_torchbind: "),
    ]:
        result = harness.tool("fx-run", target, *folders, *flags)
        assert result.returncode == 1
        assert f"{target}{place}" in result.stderr and unknown in result.stderr
    result = harness.tool("fx-run", model, *folders, "--load-library", tmp_path / "no.so")
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {tmp_path}/no.so: cannot be loaded: ")
    text = write_text(model)
    samples = re.search(r"fx.sample_inputs = (#fx.external<[^>]*>)", text.read_text())[1]
    bad = re.sub(
        r"fx.pickled = #fx.external<[^>]*>", f"fx.pickled = {samples}", text.read_text()
    )
    text.write_text(bad)
    result = harness.tool("fx-run", text, *folders, "--interpret", *library)
    assert result.returncode == 1 and f"{text}:foo: " in result.stderr, result.stderr
    # Only Python can read torch's other format for objects.
    text.write_text(bad.replace("custom_obj_", "opaque_obj_"))
    result = harness.tool("fx-run", text, *folders, "--interpret", *library)
    assert result.returncode == 1
    assert "foo: objects of Python's classes cannot be interpreted" in result.stderr
    result = harness.tool("fx-compile", text, "-o", tmp_path / "bad.so")
    assert result.returncode == 1 and not (tmp_path / "bad.so").exists()
    assert "call_torchbind: 'call_torchbind' has no native code: expected an object of a C++ class" in result.stderr
