"""Round trips: fx to `.pt2`, to FX's text and to Python, without loss."""

import collections
import re
import subprocess
import warnings

import exporting
import harness
import models
import pytest
import roundtrip
import torch
from arguments import CONTAINERS, LEAVES, Contain, Defaults, Leaves
from test_models import FULL, SMALL, forms
from torch.export import Dim
from torch.utils import _pytree as pytree

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch._export.db.examples import all_examples
    from torch.export.pt2_archive._package import load_pt2, package_pt2


def check(program, folder, args=None, kwargs=None):
    path = folder / "m.pt2"
    exporting.save(program, path)
    before, after = roundtrip.check(path, folder)
    if args is not None:
        roundtrip.equal(before, after, args, kwargs)
    return before, after


def both(module, folder, args, kwargs=None, **options) -> None:
    """Runs round trips of the program as exported and decomposed."""
    for decomposed in (False, True):
        program = exporting.export(
            module, args, kwargs, decomposed=decomposed, **options
        )
        work = folder / str(decomposed)
        work.mkdir()
        check(program, work, args, kwargs)


# --- The models and PyTorch's own examples -----------------------------------


def most_unlike(name):
    """Yields the exported form with static sizes and the decomposed form with dynamic sizes. The
    rest needs --long."""
    for form in forms(name):
        _, dynamic, decomposed = form.values
        marks = [] if dynamic == decomposed else [pytest.mark.long]
        yield pytest.param(*form.values, id=form.id, marks=marks)


@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in SMALL for form in most_unlike(name)]
)
def test_model(name, dynamic, decomposed, tmp_path):
    spec = models.get(name)
    module = spec.build()
    inputs = (spec.wide if dynamic and spec.wide else spec.inputs)()
    before, _ = check(spec.program(module, dynamic, decomposed), tmp_path, *inputs)
    roundtrip.check_source(tmp_path / "m.pt2", before, *inputs)


@pytest.mark.long
@pytest.mark.parametrize(
    "name, dynamic, decomposed", [form for name in FULL for form in forms(name)]
)
def test_full_size(name, dynamic, decomposed, tmp_path):
    test_model(name, dynamic, decomposed, tmp_path)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name", sorted(all_examples()))
def test_example(name, decomposed, tmp_path):
    case = all_examples()[name]
    path = tmp_path / "m.pt2"
    try:
        program = exporting.export(
            case.model,
            tuple(case.example_args),
            dict(case.example_kwargs),
            dynamic=case.dynamic_shapes,
            decomposed=decomposed,
        )
        exporting.save(program, path)
        roundtrip.load(path)
    except Exception as error:  # noqa: BLE001
        pytest.skip(f"torch cannot save and load it: {error}"[:200])
    before, _ = roundtrip.check(path, tmp_path)
    roundtrip.check_source(path, before, tuple(case.example_args), dict(case.example_kwargs))


# --- Containers and leaves ----------------------------------------------------

@pytest.mark.parametrize("kind", CONTAINERS)
def test_container(kind, tmp_path):
    make = CONTAINERS[kind]
    both(Contain(make), tmp_path, (make(torch.ones(3)),))


def test_leaves(tmp_path):
    both(Leaves(), tmp_path, *LEAVES)


def test_defaults(tmp_path):
    both(Defaults(), tmp_path, (torch.ones(2),), {"one": torch.ones(2)})


class Symbols(torch.nn.Module):
    def forward(self, x, y, n: int):
        if x.shape[0] * 2 > y.shape[1] + 3:
            x = x + n
        a = torch.cat([x, x[1:]])
        half = (x.shape[0] + y.shape[0]) // 2
        return a.reshape(-1, 1), half % 3, (x.shape[0] + 1) ** 2, n * 0.5


def test_symbols(tmp_path):
    """Expressions, their example values, ranges and guards."""
    args = (torch.ones(8), torch.ones(4, 6), 5)
    free = Dim.DYNAMIC
    dynamic = ({0: Dim("a", min=4, max=99)}, {0: free, 1: free}, free)
    both(Symbols(), tmp_path, args, dynamic=dynamic)


# --- The signature ------------------------------------------------------------


class Signature(torch.nn.Module):
    """Parameters (tied, unused), persistent and non-persistent buffers, a constant; buffers and
    inputs that are written."""

    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
        self.b = torch.nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.unused = torch.nn.Parameter(torch.ones(1))
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("view", self.a.weight.detach()[1:3])
        self.register_buffer("shift", torch.arange(4.0), persistent=False)
        self.register_buffer("empty", torch.zeros(0, 3))
        self.constant = torch.arange(8.0)[2:6]

    def forward(self, x, y):
        self.count.add_(1)
        y.mul_(2)
        x = self.b(self.a(x)) + self.constant + self.shift + self.view.sum()
        return x, y + 1, self.count + self.empty.sum()


def test_states(tmp_path):
    both(Signature(), tmp_path, (torch.ones(2, 4), torch.ones(4)))


class Update(torch.nn.Module):
    """Writes a parameter and, through a view, an input."""

    def __init__(self):
        super().__init__()
        self.p = torch.nn.Parameter(torch.ones(3), requires_grad=False)

    def forward(self, x):
        self.p.add_(x[0])
        x[1].zero_()
        return self.p * 2


def test_written_parameters(tmp_path):
    both(Update(), tmp_path, (torch.ones(2, 3),))
    program = exporting.export(Update(), (torch.ones(2, 3),), decomposed=True)
    kinds = {spec.kind.name for spec in program.graph_signature.output_specs}
    assert kinds == {"PARAMETER_MUTATION", "USER_INPUT_MUTATION", "USER_OUTPUT"}


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 1)

    def forward(self, x, y):
        return torch.nn.functional.mse_loss(self.linear(x), y)


def test_gradients(tmp_path):
    """Loss and gradients of parameters in a joint export. torch cannot save gradients of inputs;
    Export/kinds.test has them."""
    from torch.export.experimental import _export_forward_backward

    x = torch.ones(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(Loss(), (x, torch.ones(2, 1)), strict=True)
        joint = _export_forward_backward(program)
    kinds = {spec.kind.name for spec in joint.graph_signature.output_specs}
    assert {"LOSS_OUTPUT", "GRADIENT_TO_PARAMETER"} <= kinds
    check(joint, tmp_path)


class Parts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Leaf()

    def forward(self, x, k):
        return self.part(x, [x], scale=2.0) + k


class Leaf(torch.nn.Module):
    def forward(self, x, xs, scale):
        return (x + xs[0]) * scale


def test_module_calls(tmp_path):
    args = (torch.ones(4), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(
            Parts(),
            args,
            dynamic_shapes=({0: Dim.DYNAMIC}, None),
            preserve_module_call_signature=("part",),
        )
        _, after = check(program, tmp_path, args)
        unflat = torch.export.unflatten(after)
    assert torch.equal(unflat(*args), program.module()(*args))


def test_several_models(tmp_path):
    x = torch.ones(2, 4)
    programs = {
        "first": exporting.export(Signature(), (x, torch.ones(4))),
        "second": exporting.export(torch.nn.Linear(4, 4), (x,)),
    }
    path, back = tmp_path / "m.pt2", tmp_path / "back" / "m.pt2"
    back.parent.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package_pt2(path, exported_programs=programs, extra_files={"n.txt": "hi"})
    files = []
    for name in programs:
        files.append(tmp_path / f"{name}.mlirbc")
        roundtrip.translate(
            "--pt2-to-mlir", path, "--model", name, "--emit-bytecode", "-o", files[-1]
        )
    roundtrip.translate("--mlir-to-pt2", *files, "-o", back)
    roundtrip.compare_archives(path, back)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = load_pt2(back)
    assert loaded.extra_files == {"n.txt": "hi"}
    for name, program in programs.items():
        args = (x, torch.ones(4)) if name == "first" else (x,)
        roundtrip.equal(program, loaded.exported_programs[name], args)


class Vmap(torch.nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: row.sin().sum())(x)


def test_vmap(tmp_path):
    """Nodes without a value, which are named after Python functions."""
    program = exporting.export(Vmap(), (torch.ones(4, 3),))
    before, _ = check(program, tmp_path, (torch.ones(4, 3),))
    assert "_vmap_increment_nesting_unused" in {node.name for node in before.graph.nodes}


# --- Metadata -------------------------------------------------------------------


def test_metadata(tmp_path):
    """The metadata that torch keeps for each node survives the round trip, with the stack traces
    and their source lines."""
    program = exporting.export(models.get("mlp").build(), *models.get("mlp").inputs())
    before, after = check(program, tmp_path)
    keys = collections.Counter()
    for x, y in zip(before.graph.nodes, after.graph.nodes):
        for key in ("stack_trace", "nn_module_stack", "source_fn_stack", "torch_fn"):
            assert x.meta.get(key) == y.meta.get(key)
            keys[key] += key in x.meta
    assert keys["stack_trace"] and keys["nn_module_stack"] and keys["torch_fn"]


# --- Changed graphs -------------------------------------------------------------


def test_after_passes(tmp_path):
    """A transformed graph can be written, loaded and run."""
    spec = models.get("resnet_small")
    module, (args, kwargs) = spec.build(), spec.inputs()
    path, ir = tmp_path / "m.pt2", tmp_path / "m.mlir"
    exporting.save(spec.program(module), path)
    roundtrip.translate("--pt2-to-mlir", path, "-o", ir)  # without locations
    changed = tmp_path / "changed.mlir"
    passes = "builtin.module(fx-functionalize,fx-decompose,canonicalize,cse)"
    result = harness.tool("fx-opt", ir, f"--pass-pipeline={passes}", "-o", changed)
    assert result.returncode == 0, result.stderr
    back = tmp_path / "back.pt2"
    roundtrip.translate("--mlir-to-pt2", changed, "-o", back)
    assert "attributes {functional" in roundtrip.import_text(back)
    again = tmp_path / "again" / "back.pt2"
    again.parent.mkdir()
    roundtrip.translate("--pt2-to-mlir", "--mlir-to-pt2", back, "-o", again)
    assert roundtrip.import_text(back) == roundtrip.import_text(again)
    assert back.read_bytes() == again.read_bytes()
    program = roundtrip.load(back)
    with torch.no_grad():
        got = program.module()(*args, **kwargs)
    harness.compare(
        pytree.tree_leaves(got), exporting.eager(module, args, kwargs)
    )


@pytest.mark.parametrize("name", ["cond", "mlp"])
def test_mermaid(name, tmp_path):
    """The picture has the nodes and the edges of torch's graphs."""
    path = tmp_path / "m.pt2"
    program = models.get(name).program(models.get(name).build())
    exporting.save(program, path)
    lines = roundtrip.translate("--pt2-to-mlir", "--mlir-to-mermaid", path).splitlines()
    names, edges = {}, set()
    for line in lines:
        if node := re.fullmatch(r' *(n\w+)\W+"(\w+)(<br>.*)?"\W+:::c[0-9a-f]{6}', line):
            names[node[1]] = node[2]
        elif edge := re.fullmatch(r" *(n\w+) --> (n\w+)", line):
            edges.add((names[edge[1]], names[edge[2]]))
        else:
            assert re.fullmatch(r" *(flowchart TD|subgraph \w+\[\"\w+\"\]|end|classDef .*)", line), line
    graphs = [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
    nodes = [node for graph in graphs for node in graph.nodes]
    assert sorted(names.values()) == sorted(node.name for node in nodes)
    assert edges == {(use.name, node.name) for node in nodes for use in node.all_input_nodes}
    assert sum("subgraph" in line for line in lines) == len(graphs) - 1


def test_dot(tmp_path):
    """graphviz reads the output, if it is installed."""
    path = tmp_path / "m.pt2"
    exporting.save(models.get("cond").program(models.get("cond").build()), path)
    text = roundtrip.translate("--pt2-to-mlir", "--mlir-to-dot", path)
    assert "cluster" in text
    try:
        subprocess.run(
            ["dot", "-Tsvg"], input=text, text=True, check=True, capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("graphviz is not installed")
