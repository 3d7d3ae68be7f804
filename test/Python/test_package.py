"""import_, Module, compile and their errors."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import pytest
import torch
from torch import nn

import fx_mlir


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x, scale=2.0, *, bias=None):
        self.count.add_(1)
        y = torch.relu(self.fc(x)) * scale  # the line that errors name
        return {"y": y if bias is None else y + bias, "sizes": (y.shape[0], None)}


def export(module, *args, dynamic=None, **kwargs):
    return torch.export.export(module.eval(), args, kwargs, dynamic_shapes=dynamic)


def test_import_and_text(tmp_path):
    program = export(Net(), torch.randn(3, 8))
    module = fx_mlir.import_(program)
    assert "call_function @aten.linear.default" in str(module)
    assert "loc(" not in str(module)
    assert f'"{__file__}":' in module.text(locations=True)

    torch.export.save(program, tmp_path / "m.pt2")
    assert len(str(fx_mlir.import_(tmp_path / "m.pt2"))) > 100
    (tmp_path / "m.mlir").write_text(str(module))
    (tmp_path / "m.mlirbc").write_bytes(module.bytecode())
    assert str(fx_mlir.import_(tmp_path / "m.mlir")) == str(module)
    assert str(fx_mlir.import_(str(tmp_path / "m.mlirbc"))) == str(module)
    assert str(fx_mlir.Module.parse(module.bytecode())) == str(module)


def test_passes():
    module = fx_mlir.import_(export(Net(), torch.randn(3, 8)))
    before = str(module)
    clone = module.clone().run("fx-functionalize,fx-decompose").run(["canonicalize", "cse"])
    assert "functional" in str(clone) and "aten.add_.Tensor" not in str(clone)
    assert str(module) == before and "aten.add_.Tensor" in before
    module.verify()
    with pytest.raises(fx_mlir.Error, match="no-such-pass"):
        module.run("cse,no-such-pass")
    assert str(module) == before


def test_emit(tmp_path):
    module = fx_mlir.import_(export(Net(), torch.randn(3, 8)))
    module.emit("linalg", tmp_path / "m.mlir")
    assert "linalg." in (tmp_path / "m.mlir").read_text()
    other = tmp_path / "m.s"
    module.emit("asm", other, triple="aarch64-linux-gnu", cpu="neoverse-n1")
    assert "fmla" in other.read_text()
    other.unlink()
    with pytest.raises(fx_mlir.Error, match="expected one of fx, linalg.*got 'exe'"):
        module.emit("exe", tmp_path / "m")
    with pytest.raises(fx_mlir.Error, match="unknown CPU 'z80'"):
        module.emit("so", tmp_path / "m.so", cpu="z80")
    with pytest.raises(fx_mlir.Error, match="cannot write"):
        module.emit("so", tmp_path / "none" / "m.so")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.mlir"]


@pytest.mark.parametrize(
    ("kind", "target", "part"),
    [
        ("gpu", "cuda:sm_80", b"gpu.launch_func"),
        ("nvvm", "cuda:sm_80", b"nvvm."),
        ("ptx", "cuda:sm_80", b".target sm_80"),
        ("rocdl", "rocm:gfx942", b"rocdl."),
        ("gcn", "rocm:gfx942", b"s_endpgm"),
        ("hsaco", "rocm:gfx942", b"\x7fELF"),
        ("spirv", "vulkan", (0x07230203).to_bytes(4, "little")),
    ],
)
def test_emit_for_gpus(kind, target, part, tmp_path):
    module = fx_mlir.import_(export(Net(), torch.randn(3, 8)))
    module.emit(kind, tmp_path / "m", target=target)
    assert part in (tmp_path / "m").read_bytes()
    with pytest.raises(fx_mlir.Error, match=f"expected .* for {kind}, .*got no --target"):
        module.emit(kind, tmp_path / "m")


def test_compiler_crashes(tmp_path):
    module = fx_mlir.import_(export(Net(), torch.randn(3, 8)))

    def crash(phase):
        with pytest.raises(fx_mlir.Error, match=f"compiler crashed.*phase '{phase}'"):
            module.emit("so", tmp_path / "m.so", debug_crash=phase)

    crash("schedule")
    # A crash does not affect compilations that run at the same time.
    good = [str(tmp_path / f"{i}.so") for i in range(2)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(crash, phase) for phase in ("linalg", "code")]
        jobs += [pool.submit(module.clone().emit, "so", path) for path in good]
        for job in jobs:
            job.result()
    module.verify()
    assert sorted(str(p) for p in tmp_path.iterdir()) == good


def run_alone(text, tmp_path):
    """Runs Python code in a process of its own. Its arguments are an archive and an output path."""
    torch.export.save(export(Net(), torch.randn(3, 8)), tmp_path / "m.pt2")
    package = pathlib.Path(fx_mlir.__file__).parent.parent
    text = f"if True:\n import sys\n sys.path.insert(0, sys.argv[3])\n import fx_mlir\n{text}"
    command = [sys.executable, "-c", text, tmp_path / "m.pt2", tmp_path / "m.so", package]
    subprocess.run(command, check=True)


def test_signal_handlers_stay(tmp_path):
    """Runs in a process of its own, because other tests may have set handlers."""
    text = """
 import pathlib
 def handlers():
     status = pathlib.Path("/proc/self/status").read_text()
     lines = dict(line.split(":", 1) for line in status.splitlines())
     # 1 to 31: libc catches signals of its own when the first thread starts.
     return [int(lines[key], 16) & 0x7FFFFFFF for key in ("SigIgn", "SigCgt")]
 before = handlers()
 fx_mlir.import_(sys.argv[1]).emit("so", sys.argv[2])
 assert before == handlers(), (before, handlers())
"""
    run_alone(text, tmp_path)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_affinity_changes_between_links(tmp_path):
    text = """
 import os
 module = fx_mlir.import_(sys.argv[1])
 allowed = os.sched_getaffinity(0)
 for cpus in (allowed, {min(allowed)}, allowed):
     os.sched_setaffinity(0, cpus)
     module.clone().emit("so", sys.argv[2])
"""
    run_alone(text, tmp_path)


def test_export(tmp_path):
    class Plain(nn.Module):
        def forward(self, x):
            return torch.relu(x) + 1

    x = torch.randn(4)
    program = export(Plain(), x)
    module = fx_mlir.import_(program)
    assert module.export("fx-text").decode().strip() == str(program.graph).strip()
    assert b"torch.ops.aten.relu.default" in module.export("python")
    (tmp_path / "m.pt2").write_bytes(module.export("pt2"))
    check(torch.export.load(tmp_path / "m.pt2").module()(x), Plain()(x))
    with pytest.raises(fx_mlir.Error, match="expected one of pt2, .*got 'exe'"):
        module.export("exe")


def test_import_errors(tmp_path):
    with pytest.raises(fx_mlir.Error, match="none.pt2"):
        fx_mlir.import_(tmp_path / "none.pt2")
    (tmp_path / "bad.pt2").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(fx_mlir.Error, match="bad.pt2"):
        fx_mlir.import_(tmp_path / "bad.pt2")
    (tmp_path / "bad.mlir").write_text("fx.graph @main {\n  output(%x) : (f32)\n}")
    with pytest.raises(fx_mlir.Error, match="undeclared") as e:
        fx_mlir.import_(tmp_path / "bad.mlir")
    assert pathlib.Path(e.value.file).name == "bad.mlir" and e.value.line == 2
    assert str(e.value).startswith(f"{tmp_path}/bad.mlir:2: ")
    with pytest.raises(TypeError, match="expected an ExportedProgram.*got builtins.int"):
        fx_mlir.import_(3)
    with pytest.raises(TypeError, match="example inputs"):
        fx_mlir.compile(Net())


def check(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_compile_program():
    net = Net()
    x, bias = torch.randn(3, 8), torch.randn(4)
    compiled = fx_mlir.compile(net.eval(), (x, 3.0), {"bias": bias}, no_fallback=True)
    check(compiled(x, 3.0, bias=bias), net(x, 3.0, bias=bias))
    assert compiled(x, 3.0, bias=bias)["sizes"] == (3, None)
    assert [i["name"] for i in compiled.info["inputs"]][0] == "x"
    assert compiled.report["phases"]
    # The model takes strided inputs.
    check(compiled(torch.randn(8, 3).t(), 3.0, bias=bias)["y"].shape, torch.Size([3, 4]))
    with pytest.raises(fx_mlir.Error, match="input 'x'.*expected 3, got 5"):
        compiled(torch.randn(5, 8), 3.0, bias=bias)
    with pytest.raises(fx_mlir.Error, match="input 'x': expected dtype float32, got float64"):
        compiled(x.double(), 3.0, bias=bias)
    with pytest.raises(fx_mlir.Error, match="expected arguments of the form"):
        compiled(x, 3.0)
    with pytest.raises(fx_mlir.Error, match="x: expected a tensor, got str"):
        compiled("x", 3.0, bias=bias)
    with pytest.raises(fx_mlir.Error, match="got one on meta"):
        compiled(x.to("meta"), 3.0, bias=bias)


def test_specialised_constants():
    net = Net()
    compiled = fx_mlir.compile(export(net, torch.randn(3, 8), 2.0, bias=None))
    x = torch.randn(3, 8)
    check(compiled(x, 2.0, bias=None)["y"], net(x)["y"])
    with pytest.raises(fx_mlir.Error, match="4"):
        compiled(x, 4.0, bias=None)
    with pytest.raises(fx_mlir.Error, match="exported for the value None"):
        compiled(x, 2.0, bias=5)


def test_dynamic_shapes():
    net = Net()
    batch = torch.export.Dim("batch", min=2, max=64)
    compiled = fx_mlir.compile(export(net, torch.randn(3, 8), dynamic={"x": {0: batch}}))
    for n in (3, 2, 17):
        x = torch.randn(n, 8)
        check(compiled(x)["y"], net(x)["y"])
        assert compiled(x)["sizes"][0] == n
    with pytest.raises(fx_mlir.Error, match="65|64"):
        compiled(torch.randn(65, 8))


def test_tuning(tmp_path):
    net, x, file = Net().eval(), torch.randn(3, 8), tmp_path / "schedules.mlir"
    program = export(net, x)
    tuned = fx_mlir.compile(program, tune=0.5, tune_file=file)
    assert "fx_kernel.tuning_version" in file.read_text() and "tune" in tuned.report["phases"]
    again = fx_mlir.compile(program, tune_file=file)
    assert "tune" not in again.report["phases"]
    for compiled in (tuned, again):
        check(compiled(x)["y"], net(x)["y"])
    dynamic = export(net, x, dynamic={"x": {0: torch.export.Dim("batch", max=64)}})
    with pytest.raises(fx_mlir.Error, match="tune-size=s") as error:
        fx_mlir.compile(dynamic, tune=0.5)
    symbol = str(error.value).split("tune-size=")[1].split("=")[0]
    compiled = fx_mlir.compile(dynamic, tune=0.5, tune_sizes={symbol: 5})
    check(compiled(x)["y"], net(x)["y"])
    file.write_text("module {}")
    with pytest.raises(fx_mlir.Error, match="schedules.mlir: expected a tuning file"):
        fx_mlir.compile(program, tune_file=file)


class Mutates(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.add_(x)
        x.mul_(2)
        return self.total + 0


def test_mutation_without_copies():
    compiled = fx_mlir.compile(export(Mutates(), torch.ones(4)))
    x = torch.ones(4)
    y = compiled(x)
    check(x, torch.full((4,), 2.0))  # written in place
    check(y, torch.ones(4))
    check(compiled(torch.ones(4)), torch.full((4,), 2.0))
    check(y, torch.ones(4))  # outputs are their own
    compiled.reset()
    check(compiled(torch.ones(4)), torch.ones(4))
    del compiled
    check(y, torch.ones(4))  # and outlive the model


def test_layouts():
    def forward(module, x, y):
        y.add_(1)
        return x * 2, torch.view_as_real(x) + 1

    net = type("Conj", (nn.Module,), {"forward": forward})()
    x = torch.randn(3, 4, dtype=torch.complex64)
    y = torch.zeros(3, dtype=torch.complex64)
    compiled = fx_mlir.compile(export(net, x, y.clone()))
    for lazy in (x.conj(), x.mH.mT, torch._neg_view(x)):
        got, want = compiled(lazy, y.clone()), net(lazy.resolve_conj().resolve_neg(), y.clone())
        for g, w in zip(got, want):
            check(g, w)
    with pytest.raises(fx_mlir.Error, match="y: expected a tensor to write to"):
        compiled(x, y.conj())
    with pytest.raises(fx_mlir.Error, match="x: expected a strided tensor, got torch.sparse_coo"):
        compiled(x.to_sparse(), y)


def test_save_and_load(tmp_path):
    net = Net()
    x = torch.randn(3, 8)
    fx_mlir.compile(export(net, x)).save(tmp_path / "m.so")
    loaded = fx_mlir.load(tmp_path / "m.so")
    assert loaded(x).keys() == net(x).keys()
    check(loaded(x)["y"], net(x)["y"])
    assert loaded.report["kernels"]
    with pytest.raises(fx_mlir.Error, match="expected 1 inputs, got 2"):
        loaded(x, x)
    with pytest.raises(fx_mlir.Error, match="none.so"):
        fx_mlir.load(tmp_path / "none.so")


def test_replaced_file(tmp_path):
    """A path that has another model by now gives the other model, also while the first is used."""

    class Add(nn.Module):
        def __init__(self, number):
            super().__init__()
            self.number = number

        def forward(self, x):
            return x + self.number

    def save(number):
        module = fx_mlir.import_(export(Add(number), torch.zeros(2)))
        fx_mlir.compile(module).save(tmp_path / "m.so")
        return fx_mlir.load(tmp_path / "m.so")

    models = [save(number) for number in (1, 2, 3)]
    models.append(fx_mlir.load(tmp_path / "m.so"))
    results = [model(torch.zeros(2))[0].item() for model in models]
    assert results == [1, 2, 3, 3]


class Fails(nn.Module):
    def __init__(self, operator):
        super().__init__()
        self.operator = operator

    def forward(self, x):
        y = x + 1
        return self.operator(y)  # fails if y is not positive definite, or not finite


def eigenvalues(y):
    return torch.linalg.eig(y)[0]


@pytest.mark.parametrize("operator", [torch.linalg.cholesky, eigenvalues])
def test_errors_name_the_source_line(operator):
    """Errors of native code and errors of ATen name the line."""
    compiled = fx_mlir.compile(export(Fails(operator), torch.eye(2)))
    assert bool(compiled.report["fallbacks"]) == (operator is eigenvalues)
    check(compiled(torch.eye(2) * 5), operator(torch.eye(2) * 5 + 1))
    with pytest.raises(fx_mlir.Error) as e:
        compiled(torch.diag(torch.tensor([-5, torch.nan])))
    line = pathlib.Path(__file__).read_text().splitlines()[e.value.line - 1]
    assert e.value.file == __file__ and "(y)" in line


def test_fallback_warning(recwarn):
    """`compile` and the backend name the operators that ATen runs; other models do not warn."""
    with pytest.warns(fx_mlir.FallbackWarning, match="ATen runs 1 of 2 nodes: .*eigvalsh") as caught:
        fx_mlir.compile(export(Fails(torch.linalg.eigvalsh), torch.eye(2)))
    [warning] = [w for w in caught if w.category is fx_mlir.FallbackWarning]
    assert warning.filename == __file__
    with pytest.warns(fx_mlir.FallbackWarning, match="ATen runs 1 of .*eigh"), torch.no_grad():
        torch.compile(Fails(torch.linalg.eigvalsh), backend="fx_mlir")(torch.eye(2))
    fx_mlir.compile(export(Fails(torch.linalg.cholesky), torch.eye(2)))
    assert not [w for w in recwarn if w.category is fx_mlir.FallbackWarning]


def test_no_fallback():
    with pytest.raises(fx_mlir.Error, match="expected native code for every operator"):
        fx_mlir.compile(export(Fails(torch.linalg.eigvalsh), torch.eye(2)), no_fallback=True)


def test_progress():
    phases = []
    fx_mlir.compile(
        export(Net(), torch.randn(3, 8)), progress=lambda name, done: phases.append((name, done))
    )
    assert len(phases) >= 5
    assert [done for _, done in phases] == sorted(done for _, done in phases)

    def stop(name, done):
        raise KeyError(name)

    with pytest.raises(KeyError):
        fx_mlir.compile(export(Net(), torch.randn(3, 8)), progress=stop)


def test_dtypes():
    class Cast(nn.Module):
        def forward(self, a, b, c):
            return a & ~a, b + 1, c * 2

    inputs = (torch.tensor([True, False]), torch.arange(3), torch.ones(2, dtype=torch.bfloat16))
    compiled = fx_mlir.compile(Cast(), inputs)
    for got, want in zip(compiled(*inputs), Cast()(*inputs)):
        assert got.dtype == want.dtype
        check(got, want)


def test_paths_of_weights_start_at_the_file(tmp_path, monkeypatch):
    """Compiles text and bytecode in another folder than the one in which they were read."""
    here, away = tmp_path / "a" / "b", tmp_path / "away"
    here.mkdir(parents=True), away.mkdir()
    model = torch.nn.Linear(3, 2)
    x = torch.randn(4, 3)
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "a" / "m.pt2")
    monkeypatch.chdir(tmp_path)
    text = str(fx_mlir.import_("a/m.pt2"))
    assert f'"{tmp_path}/a/m.pt2"' in text
    text = text.replace(f'"{tmp_path}/a/m.pt2"', '"../m.pt2"')
    assert '"../m.pt2"' in text
    (here / "m.mlir").write_text(text)
    (here / "m.mlirbc").write_bytes(fx_mlir.Module.parse(text, folder="a/b").bytecode())
    modules = [
        fx_mlir.import_("a/b/m.mlir"),
        fx_mlir.import_("a/b/m.mlirbc"),
        fx_mlir.Module.parse(text, folder="a/b"),
        fx_mlir.import_("a/m.pt2"),
    ]
    monkeypatch.chdir(away)
    for module in modules:
        module.run("fx-functionalize,fx-decompose,cse")
        got = fx_mlir.compile(module)(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-5)
