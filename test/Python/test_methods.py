"""Models with several methods: weights stored once, mutable buffers shared by name."""

import json
import os
import random
import subprocess
import sys

import fx_mlir
import pytest
import torch
from torch import nn

BIN = os.path.join(os.environ.get("FX_BUILD_DIR", "build"), "bin")


class Method(nn.Module):
    """A method of `owner`. All methods of an owner have its buffers under the same names."""

    def __init__(self, owner, function):
        super().__init__()
        self.owner = owner
        self.function = function

    def forward(self, *args):
        return self.function(self.owner, *args)


def export(owner, function, *args, **options):
    with torch.no_grad():
        return torch.export.export(Method(owner, function).eval(), args, **options)


class Cache(nn.Module):
    """A layer, and a cache of its outputs with their number."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)
        self.register_buffer("rows", torch.zeros(16, 64))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))


def fill(cache, x):
    cache.rows[: x.shape[0]] = cache.layer(x)
    cache.count.fill_(x.shape[0])
    return cache.rows.sum(0)


def append(cache, x):
    cache.rows.index_copy_(0, cache.count.reshape(1), cache.layer(x))
    cache.count.add_(1)
    return cache.rows @ x[0]


def read(cache):
    return cache.rows * 2, cache.count + 1


FUNCTIONS = {"fill": fill, "append": append, "read": read}


def arguments(name):
    return {"fill": (torch.randn(8, 64),), "append": (torch.randn(1, 64),), "read": ()}[name]


def programs(cache, names=tuple(FUNCTIONS)):
    return {name: export(cache, FUNCTIONS[name], *arguments(name)) for name in names}


def check(model, owner, calls, functions=FUNCTIONS):
    """Calls the methods in order, and compares each result with eager PyTorch."""
    for name, args in calls:
        with torch.no_grad():
            want = functions[name](owner, *args)
        got = getattr(model, name)(*args)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


CALLS = ["fill", "append", "read", "append", "append", "read", "fill", "read", "append"]


def test_shared_buffers():
    """One method reads buffers that others write."""
    cache = Cache()
    model = fx_mlir.compile(programs(cache), no_fallback=True)
    assert list(model.methods) == ["fill", "append", "read"]
    calls = [(name, arguments(name)) for name in CALLS]
    check(model, cache, calls)
    # The order of the methods does not matter.
    fresh = Cache()
    reverse = dict(reversed(programs(fresh).items()))
    check(fx_mlir.compile(reverse), fresh, calls)


def test_reset_and_save(tmp_path):
    cache = Cache()
    model = fx_mlir.compile(programs(cache))
    model.save(tmp_path / "m.so")
    for loaded in model, fx_mlir.load(tmp_path / "m.so"):
        loaded.fill(torch.randn(8, 64))
        loaded.append.reset()
        assert not loaded.read()[0].any() and loaded.read()[1] == 1
    # The model is its first method, and a method outlives the model.
    method = model.append
    x = torch.randn(8, 64)
    torch.testing.assert_close(model(x), fill(cache, x).detach(), rtol=1e-4, atol=1e-4)
    del model
    x = torch.randn(1, 64)
    torch.testing.assert_close(method(x), append(cache, x).detach(), rtol=1e-4, atol=1e-4)


class Caches(nn.Module):
    """A large cache of zeros, which the file does not hold, a small one, and one with a -0."""

    def __init__(self):
        super().__init__()
        self.register_buffer("large", torch.zeros(512, 4096))
        self.register_buffer("small", torch.zeros(3))
        self.register_buffer("signed", torch.tensor([0.0, -0.0]))

    def forward(self, x):
        before = self.large.sum(), self.small.clone(), 1 / self.signed
        self.large[7, 4000:4003] = x
        self.small.add_(x)
        self.signed.sub_(1)
        return before


def test_states_of_zeros(tmp_path):
    x = torch.ones(3)
    owner = Caches()
    model = fx_mlir.compile(torch.export.export(Caches(), (x,)), no_fallback=True)
    model.save(tmp_path / "m.so")
    assert (tmp_path / "m.so").stat().st_size < 1 << 20 < owner.large.nbytes
    loaded = fx_mlir.load(tmp_path / "m.so")
    for _ in range(2):
        start = Caches()
        for _ in range(3):
            torch.testing.assert_close(list(loaded(x)), list(start(x)))
        loaded.reset()
    other = fx_mlir.load(tmp_path / "m.so")
    other(x)
    torch.testing.assert_close(list(loaded(x)), list(owner(x)))


def test_single_method():
    model = fx_mlir.compile(export(Cache(), fill, torch.randn(8, 64)))
    assert model.methods == {"forward": model}
    named = fx_mlir.compile({"run": export(Cache(), fill, torch.randn(8, 64))})
    assert named.methods == {"run": named} and named.run is named
    with pytest.raises(AttributeError, match="no attribute or method 'append'"):
        model.append
    with pytest.raises(AttributeError, match="'add'; its methods: fill, read"):
        fx_mlir.compile(programs(Cache(), ["fill", "read"])).add


def test_runtime_package(tmp_path, monkeypatch):
    """The package fx_mlir_runtime has the methods, too."""
    np = pytest.importorskip("numpy")
    root = os.path.join(os.path.dirname(__file__), "../..")
    monkeypatch.syspath_prepend(os.path.join(root, "python/runtime"))
    for name in "_models.py", "_pytree.py", "_tensors.py":
        if not os.path.exists(os.path.join(root, "python/runtime/fx_mlir_runtime", name)):
            pytest.skip("the package is not complete here")
    import fx_mlir_runtime

    cache = Cache()
    fx_mlir.compile(programs(cache)).save(tmp_path / "m.so")
    model = fx_mlir_runtime.load(tmp_path / "m.so")
    x = torch.randn(8, 64)
    got = model.fill(x.numpy())
    np.testing.assert_allclose(got, fill(cache, x).detach().numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        model.methods["read"]()[0], cache.rows.detach().numpy() * 2, rtol=1e-4, atol=1e-4
    )


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(500, 128)
        self.layers = nn.ModuleList(nn.Linear(128, 512) for _ in range(6))
        self.out = nn.Linear(512, 500, bias=False)


def embed(deep, ids):
    x = deep.table(ids)
    return deep.out(sum(torch.relu(layer(x)) for layer in deep.layers))


def test_weights_are_stored_once(tmp_path):
    """Programs for many rows and for one row share their packed weights."""
    deep = Deep()
    many = export(deep, embed, torch.arange(64))
    one = export(deep, embed, torch.arange(1))
    bytes_of = {}
    for name, source in [("many", {"many": many}), ("both", {"many": many, "one": one})]:
        model = fx_mlir.compile(source)
        model.save(tmp_path / f"{name}.so")
        bytes_of[name] = os.path.getsize(tmp_path / f"{name}.so")
    assert bytes_of["both"] <= 1.1 * bytes_of["many"]
    functions = {"many": embed, "one": embed}
    check(model, deep, [("many", (torch.arange(64),)), ("one", (torch.tensor([3]),))], functions)


def tool(name, *args):
    run = [os.path.join(BIN, name), *map(str, args)]
    return subprocess.run(run, capture_output=True, text=True, timeout=120)


def test_tools(tmp_path):
    """fx-compile takes NAME=MODEL, several CPUs, and fx-run --method."""
    import numpy as np

    cache = Cache()
    for name, program in programs(cache).items():
        torch.export.save(program, tmp_path / f"{name}.pt2")
    inputs = [f"{name}={tmp_path / name}.pt2" for name in FUNCTIONS]
    out, report = tmp_path / "m.so", tmp_path / "r.json"
    cpus = "--mcpu=x86-64-v2,x86-64-v3"
    result = tool("fx-compile", *inputs, "-o", out, "--report", report, cpus)
    assert result.returncode == 0 and not result.stderr, result.stderr
    entries = json.loads(report.read_text())["methods"]
    assert [entry["name"] for entry in entries] == list(FUNCTIONS)
    (tmp_path / "in").mkdir()
    x = torch.randn(8, 64)
    np.save(tmp_path / "in/in_0.npy", x.numpy())
    result = tool(
        "fx-run", out, "--method", "fill", "--inputs", tmp_path / "in", "--outputs",
        tmp_path / "out",
    )
    assert result.returncode == 0, result.stderr
    got = torch.from_numpy(np.load(tmp_path / "out/out_0.npy"))
    torch.testing.assert_close(got, fill(cache, x).detach(), rtol=1e-4, atol=1e-4)
    result = tool("fx-run", out, "--method", "x", "--inputs", tmp_path / "in")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert "expected a method of the model (fill, append, read), got 'x'" in result.stderr


def test_several_cpus(tmp_path):
    """Every version of every method computes the same."""
    modules = {name: fx_mlir.import_(p) for name, p in programs(Cache()).items()}
    path = tmp_path / "m.so"
    modules["fill"].emit("so", path, cpu="x86-64-v2,x86-64-v3", methods=modules)
    code = (
        "import sys, torch, fx_mlir; torch.manual_seed(0); m = fx_mlir.load(sys.argv[1]);"
        "m.fill(torch.randn(8, 64)); m.append(torch.randn(1, 64)); print(m.read()[0].double().sum().item())"
    )
    sums = []
    for cpu in "x86-64-v2", "x86-64-v3":
        env = {**os.environ, "FX_RUN_CPU": cpu, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = [sys.executable, "-c", code, str(path)]
        sums.append(float(subprocess.check_output(run, env=env, text=True)))
    assert abs(sums[0] - sums[1]) < 1e-3 * (1 + abs(sums[0]))


class Other(nn.Module):
    def __init__(self, **buffers):
        super().__init__()
        for name, value in buffers.items():
            self.register_buffer(name, value)


def increase(owner):
    owner.count.add_(1)
    return owner.count.clone()


@pytest.mark.parametrize(
    "first, second, text",
    [
        (torch.zeros(2), torch.zeros(3), r"expected float32 \[2\] as in method 'a', got float32 \[3\]"),
        (torch.zeros(2), torch.zeros(2).double(), r"expected float32 \[2\].*got float64 \[2\]"),
        (torch.zeros(2), torch.ones(2), "expected one initial value, got different ones"),
    ],
)
def test_states_that_differ(first, second, text):
    sources = {
        "a": export(Other(count=first), increase),
        "b": export(Other(count=second), increase),
    }
    with pytest.raises(fx_mlir.Error, match="state 'owner.count': " + text):
        fx_mlir.compile(sources)


def test_errors(tmp_path):
    program = export(Other(count=torch.zeros(2)), increase)
    with pytest.raises(fx_mlir.Error, match="expected an identifier as the name of a method, got 'a-b'"):
        fx_mlir.compile({"a-b": program, "c": program})
    with pytest.raises(TypeError, match="no methods"):
        fx_mlir.compile({})
    with pytest.raises(fx_mlir.Error, match="--target: expected one method, got 2"):
        fx_mlir.compile({"a": program, "b": program}, target="cuda")
    modules = {name: fx_mlir.import_(program) for name in ("a", "b")}
    with pytest.raises(fx_mlir.Error, match="output of 2 methods, got 'llvm'"):
        modules["a"].emit("llvm", tmp_path / "m.ll", methods=modules)
    with pytest.raises(fx_mlir.Error, match="--tune: expected one method, got 2"):
        fx_mlir.compile({"a": program, "b": program}, tune=1, tune_file="t.mlir")


def test_constants_of_the_same_name():
    """Constants of different methods may have the same name and other values."""

    def add(owner, x):
        return x + torch.tensor([1.0, 2.0])

    def multiply(owner, x):
        return x * torch.tensor([3.0, 4.0])

    x = torch.randn(2)
    functions = {"add": add, "multiply": multiply}
    owner = Other()
    model = fx_mlir.compile({name: export(owner, f, x) for name, f in functions.items()})
    check(model, owner, [("add", (x,)), ("multiply", (x,))], functions)


def random_function(generator, buffers):
    """Returns a function that reads and writes buffers at random, through views, too."""
    steps = []
    for _ in range(generator.randint(1, 4)):
        kind = generator.choice(["add", "copy", "row", "read", "swap", "view"])
        steps.append((kind, generator.choice(buffers), generator.choice(buffers)))

    def function(owner, x):
        total = x
        for kind, a, b in steps:
            to, other = getattr(owner, a), getattr(owner, b)
            if kind == "add":
                to.add_(x)
            elif kind == "copy":
                to.copy_(other * 0.5 + x)
            elif kind == "row":
                to[1].mul_(0.5).add_(total[0])
            elif kind == "view":
                to.t()[2].copy_(other[:, 1])
            elif kind == "swap":
                old = to.clone()
                to.copy_(other)
                total = total + old
            else:
                total = total * 0.5 + other.sum(0)
        return total

    return function


@pytest.mark.parametrize("seed", range(12))
def test_random_methods(seed):
    """Random programs over the same buffers, called in a random order."""
    generator = random.Random(seed)
    torch.manual_seed(seed)
    buffers = [f"b{i}" for i in range(3)]
    owner = Other(**{name: torch.randn(4, 4) for name in buffers})
    functions = {f"m{i}": random_function(generator, buffers) for i in range(3)}
    sources = {name: export(owner, f, torch.randn(4, 4)) for name, f in functions.items()}
    model = fx_mlir.compile(sources, no_fallback=True)
    calls = [(generator.choice(list(functions)), (torch.randn(4, 4),)) for _ in range(8)]
    check(model, owner, calls, functions)
