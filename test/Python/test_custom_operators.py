"""Operators that users add: by a plug-in, a decomposition, or by fallback."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch

import fx_mlir

root = pathlib.Path(__file__).resolve().parents[2]


@torch.library.custom_op("example::softcap", mutates_args=())
def softcap(x: torch.Tensor, cap: float = 30.0) -> torch.Tensor:
    return cap * torch.tanh(x / cap)


@torch.library.custom_op("example::squareplus", mutates_args=())
def squareplus(x: torch.Tensor) -> torch.Tensor:
    return (x + torch.sqrt(x * x + 4)) / 2


@torch.library.custom_op("example::flip_sign", mutates_args=())
def flip_sign(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * (-1) ** n


for operator in (softcap, squareplus, flip_sign):
    operator.register_fake(lambda x, *args: torch.empty_like(x))


class Model(torch.nn.Module):
    def forward(self, x):
        return flip_sign(squareplus(softcap(x, 2.0)), 3)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    build = tmp_path_factory.mktemp("plugin")
    tree = pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build"))
    names = tuple(f"CMAKE_{x}_COMPILER{y}:" for x in ("C", "CXX") for y in ("", "_LAUNCHER"))
    cache = (tree / "CMakeCache.txt").read_text().splitlines()
    compilers = [f"-D{line}" for line in cache if line.startswith(names)]
    subprocess.run(
        ["cmake", "-G", "Ninja", "-S", root / "examples" / "plugin", "-B", build]
        + [f"-DFX_DIR={tree}/lib/cmake/FX", *compilers],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
    return build / "example-operators.so"


def fallbacks(compiled):
    return [op["target"] for op in compiled.report["operators"] if not op["native"]]


def compare(compiled):
    for n in (3, 8):
        x = torch.randn(n, 5)
        torch.testing.assert_close(compiled(x), Model()(x), rtol=1e-5, atol=1e-5)


def export():
    rows = torch.export.Dim("rows", min=2, max=100)
    return torch.export.export(Model(), (torch.randn(3, 5),), dynamic_shapes={"x": {0: rows}})


def test_fallback_alone():
    """Runs in a process without the plug-in, because registered operators stay."""
    script = (
        "import sys; sys.path[:0] = [%r, %r]; import fx_mlir, test_custom_operators as t;"
        "c = fx_mlir.compile(t.export()); t.compare(c); print(sorted(t.fallbacks(c)))"
    ) % (str(pathlib.Path(fx_mlir.__file__).parents[1]), str(pathlib.Path(__file__).parent))
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    want = ["example.flip_sign.default", "example.softcap.default", "example.squareplus.default"]
    assert out.stdout.strip() == str(want)


def test_plugin(plugin):
    fx_mlir.load_plugin(plugin)
    fx_mlir.load_plugin(plugin)  # a second time has no effect
    compiled = fx_mlir.compile(export())
    assert fallbacks(compiled) == ["example.flip_sign.default"]
    compare(compiled)


def test_decomposition_in_text():
    fx_mlir.register_operator(
        "example.flip_sign.default",
        decomposition="""fx.graph @flip_sign {
          %x = placeholder "x" : !fx.any
          %n = placeholder "n" : !fx.any
          %neg = call_function @aten.neg.default(%x) : (!fx.any) -> !fx.any
          output(%neg) : (!fx.any)
        }""",
    )
    compiled = fx_mlir.compile(export())
    assert "example.flip_sign.default" not in fallbacks(compiled)
    compare(compiled)


def test_errors(tmp_path, plugin):
    with pytest.raises(fx_mlir.Error, match="none.so: cannot be loaded"):
        fx_mlir.load_plugin(tmp_path / "none.so")
    library = next(pathlib.Path(torch.__file__).parent.glob("lib/libc10.so"))
    with pytest.raises(fx_mlir.Error, match="without 'fxGetPluginInfo'"):
        fx_mlir.load_plugin(library)
    empty = tmp_path / "empty.so"
    subprocess.run(["cc", "-shared", "-o", empty, "-x", "c", os.devnull], check=True)
    with pytest.raises(fx_mlir.Error, match="without 'fxGetPluginInfo'"):
        fx_mlir.load_plugin(empty)
    assert "empty.so" not in pathlib.Path("/proc/self/maps").read_text()
    with pytest.raises(fx_mlir.Error, match="'aten.relu.default' is an operator of torch"):
        fx_mlir.register_operator("aten.relu.default")
    with pytest.raises(fx_mlir.Error, match="expected an operator as 'namespace.name.overload'"):
        fx_mlir.register_operator("relu")
    with pytest.raises(fx_mlir.Error, match="decomposition of 'example.a.default': expected"):
        fx_mlir.register_operator("example.a.default", decomposition="fx.graph @a {")
    with pytest.raises(fx_mlir.Error, match="expected one graph, got 0"):
        fx_mlir.register_operator("example.a.default", decomposition="module {}")
    other = 'fx.graph @a { %x = placeholder "x" : !fx.any\n output(%x) : (!fx.any) }'
    with pytest.raises(fx_mlir.Error, match="registered otherwise already"):
        fx_mlir.load_plugin(plugin)
        fx_mlir.register_operator("example.softcap.default", decomposition=other)


@torch.library.custom_op("example::accumulate_", mutates_args=("y",))
def accumulate_(x: torch.Tensor, y: torch.Tensor, n: int = 3) -> torch.Tensor:
    y.add_(x)
    return x * n


accumulate_.register_fake(lambda x, y, n=3: torch.empty_like(x))


@torch.library.custom_op("example::triple", mutates_args=())
def triple(x: torch.Tensor) -> torch.Tensor:
    return x * 3


triple.register_fake(lambda x: torch.empty_like(x))


class Writes(torch.nn.Module):
    def forward(self, x, y):
        z = accumulate_(x, y)
        return z + y


@pytest.mark.parametrize("form", ["training", "decomposed", "file", "imported"])
def test_operators_that_write(form, tmp_path):
    """A user's operator writes to its argument. A plain export does not record that, but torch
    knows it. The operator runs on a copy, by fallback, as auto_functionalized_v2 does in a
    decomposed program."""
    program = torch.export.export(Writes(), (torch.ones(3), torch.zeros(3)))
    if form == "decomposed":
        program = program.run_decompositions()
        assert "auto_functionalized_v2" in {str(node.target) for node in program.graph.nodes}
    elif form != "training":
        torch.export.save(program, tmp_path / "m.pt2")
        program = tmp_path / "m.pt2"
    if form == "imported":
        program = fx_mlir.import_(program)
        program.run("fx-functionalize")
        assert "auto_functionalized" in str(program)
    compiled = fx_mlir.compile(program, progress=False)
    assert compiled.report["fallbacks"] == 1
    x, y, want_y = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3), torch.ones(3)
    for _ in range(2):
        torch.testing.assert_close(compiled(x, y), Writes()(x, want_y))
        torch.testing.assert_close(y, want_y)


class WritesResult(torch.nn.Module):
    def forward(self, x, y):
        z = triple(x)
        z.div_(y)
        return z, triple(z)


def test_writes_to_what_an_operator_gave():
    """The result of an unknown operator aliases no other tensor."""
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0])
    compiled = fx_mlir.compile(torch.export.export(WritesResult(), (x, y)), progress=False)
    assert compiled.report["fallbacks"] == 2
    torch.testing.assert_close(compiled(x, y), WritesResult()(x, y))
