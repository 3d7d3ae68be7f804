"""The package in a Python that has NumPy and no torch: models from files, arrays in and out."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

import fx_mlir
from conftest import package


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A folder with NumPy and ml_dtypes alone."""
    folder = tmp_path_factory.mktemp("bare")
    for module in (np, pytest.importorskip("ml_dtypes")):
        source = pathlib.Path(module.__file__).parent
        (folder / source.name).symlink_to(source)
        libraries = source.with_name(f"{source.name}.libs")
        if libraries.exists():
            (folder / libraries.name).symlink_to(libraries)
    return folder


def run(bare, script, *args, check=True, numpy=True, package=package, module="fx_mlir"):
    """Runs a script with `sys`, `np` and `fx_mlir` without the environment's packages."""
    text = "import sys\n" + ("import numpy as np\n" if numpy else "")
    text += f"import {module} as fx_mlir\n{script}"
    if check:
        text += '\nassert "torch" not in sys.modules'
    path = [str(package.resolve())] + ([str(bare)] if numpy else [])
    done = subprocess.run(
        [sys.executable, "-S", "-c", text, *map(str, args)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def export(module, path, *args, dynamic=None, **kwargs):
    program = torch.export.export(module.eval(), args, kwargs, dynamic_shapes=dynamic)
    torch.export.save(program, path)


class Net(nn.Module):
    """Takes and returns containers, numbers and None."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.register_buffer("count", torch.zeros(2))

    def forward(self, pair, scale=2.0, *, bias=None):
        self.count.add_(1)
        x, rest = pair
        y = torch.relu(self.fc(x)) * scale + rest["a"] - rest["b"]
        return {"y": y + bias, "sizes": (y.shape[0], None), "list": [self.count + 0]}


def test_containers(bare, tmp_path):
    torch.manual_seed(1)
    net, n = Net(), torch.export.Dim("n", min=2, max=64)
    args = ((torch.randn(3, 8), {"b": torch.randn(4), "a": torch.randn(4)}), 1.5)
    bias = torch.randn(4)
    dynamic = {"pair": ({0: n}, {"a": {}, "b": {}}), "scale": None, "bias": {}}
    export(net, tmp_path / "m.pt2", *args, bias=bias, dynamic=dynamic)
    x = torch.randn(17, 8)
    (_, rest), scale = args
    want = net((x, rest), scale, bias=bias)
    np.savez(tmp_path / "in.npz", x=x, bias=bias, **rest)
    np.save(tmp_path / "y.npy", want["y"].detach())
    script = """
from pathlib import Path
folder = Path(sys.argv[1])
given = dict(np.load(folder / "in.npz"))
fast = fx_mlir.compile(folder / "m.pt2", no_fallback=True)
pair = (given["x"], {"b": given["b"], "a": given["a"]})
got = fast(pair, 1.5, bias=given["bias"])
assert list(got) == ["y", "sizes", "list"] and got["sizes"] == (17, None), got
assert type(got["y"]) is np.ndarray and got["y"].flags.writeable and type(got["list"]) is list
np.testing.assert_allclose(got["y"], np.load(folder / "y.npy"), rtol=1e-4, atol=1e-5)
assert (got["list"][0] == 1).all() and (fast(pair, 1.5, bias=given["bias"])["list"][0] == 2).all()
other = fast((given["x"], {"a": given["a"], "b": given["b"]}), np.float64(1.5), bias=given["bias"])
np.testing.assert_array_equal(other["y"], got["y"])
fast.reset()
out = {"y": np.zeros((17, 4), "f4"), "sizes": None, "list": [np.zeros(2, "f4")]}
assert fast.run_into(out, pair, 1.5, bias=given["bias"]) is out
np.testing.assert_array_equal(out["y"], got["y"])
assert (out["list"][0] == 1).all()

def fails(text, *args, **kwargs):
    try:
        fast(*args, **kwargs)
    except fx_mlir.Error as e:
        assert text in str(e), e
    else:
        assert False, text

fails("expected arguments of the form TreeSpec(tuple", given["x"], 1.5, bias=given["bias"])
fails("expected a tensor, got str", ("x", pair[1]), 1.5, bias=given["bias"])
fails("expected dtype float32, got float64", pair, 1.5, bias=given["bias"].astype("f8"))
fails("expected the byte order", pair, 1.5, bias=given["bias"].astype(">f4"))
fails("expected a dtype of DLPack, got object", pair, 1.5, bias=given["bias"].astype(object))
fast.save(folder / "m.so")
loaded = fx_mlir.load(folder / "m.so")
np.testing.assert_array_equal(loaded(pair, 1.5, bias=given["bias"])["y"], got["y"])
del fast, loaded
got["y"] += 1  # outputs outlive the model
"""
    run(bare, script, tmp_path)


DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
DTYPES += [torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bfloat16]


class Transposes(nn.Module):
    def forward(self, *xs):
        return [x.mT.clone() for x in xs]


def test_dtypes_and_layouts(bare, tmp_path):
    """Arrays of any dtype, layout and protection go in and out bit for bit."""
    export(Transposes(), tmp_path / "m.pt2", *[torch.zeros(3, 4).to(d) for d in DTYPES])
    script = """
import ml_dtypes
names = sys.argv[2].split(",")
fast = fx_mlir.compile(sys.argv[1], no_fallback=True)
random = np.random.default_rng(0)

def make(name):
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    if name == "bool":
        return random.integers(0, 2, (6, 8)).astype(bool)
    return random.integers(0, 256, 48 * dtype.itemsize, np.uint8).view(dtype).reshape(6, 8)

def protect(a):
    a.flags.writeable = False
    return a

layouts = [lambda a: a[:3, :4].copy(), lambda a: a[::2, ::-2], lambda a: a.T[1:7:2, 2:],
           lambda a: protect(a[1:4, 4:]), lambda a: np.asfortranarray(a[:3, :4]),
           lambda a: np.broadcast_to(a[0, :4], (3, 4))]
for layout in layouts:
    inputs = [layout(make(name)) for name in names]
    for name, given, got in zip(names, inputs, fast(*inputs)):
        array = got if isinstance(got, np.ndarray) else got.numpy()
        assert isinstance(got, np.ndarray) == (not hasattr(ml_dtypes, name)), name
        assert array.dtype == given.dtype and array.shape == (4, 3), (name, array.dtype)
        assert array.tobytes() == np.ascontiguousarray(given.T).tobytes(), name

[special] = [t for t in fast(*inputs) if getattr(t, "dtype", "") == "bfloat16"]
assert repr(special) == "<fx_mlir.Tensor bfloat16 [4, 3]>", repr(special)
np.testing.assert_array_equal(np.asarray(special), fast(*inputs)[-1].numpy())

class Producer:
    def __init__(self, array): self.array = array
    def __dlpack__(self, **options): return self.array.__dlpack__(**options)
    def __dlpack_device__(self): return self.array.__dlpack_device__()

inputs[7], inputs[-1] = Producer(inputs[7].copy()), fx_mlir.Tensor(special.__dlpack__())
try:
    fast(*inputs)
except fx_mlir.Error as e:
    assert "expected 3, got 4" in str(e), e
else:
    assert False
inputs[-1] = layouts[0](make("bfloat16"))
assert fast(*inputs)[7].tobytes() == inputs[7].array.T.tobytes()
Producer.__dlpack_device__ = lambda self: (2, 0)
try:
    fast(*inputs)
except fx_mlir.Error as e:
    assert "expected a tensor on the CPU, got one on device type 2" in str(e), e
else:
    assert False
"""
    run(bare, script, tmp_path / "m.pt2", ",".join(str(d).removeprefix("torch.") for d in DTYPES))


class Writes(nn.Module):
    def forward(self, x, n):
        x.mul_(n)
        return x + 1


def test_inputs_that_are_written(bare, tmp_path):
    export(Writes(), tmp_path / "m.pt2", torch.ones(4), 3, dynamic=(None, torch.export.Dim.DYNAMIC))
    script = """
fast = fx_mlir.compile(sys.argv[1])
x = np.ones(4, "f4")
assert (fast(x, 5) == 6).all() and (x == 5).all()
assert (fast(x, np.int64(2)) == 11).all() and (x == 10).all()
for text, *args in [("expected an array to write to", np.broadcast_to(np.float32(1), 4), 5),
                    ("n: expected an int, got 2.5", x, 2.5),
                    ("n: expected an integer of 64 bits", x, 2**63)]:
    try:
        fast(*args)
    except fx_mlir.Error as e:
        assert text in str(e), e
    else:
        assert False, text
"""
    run(bare, script, tmp_path / "m.pt2")


def test_random_numbers(bare, tmp_path):
    class Noise(nn.Module):
        def forward(self, x):
            return x + torch.randn(3, 50)

    export(Noise(), tmp_path / "m.pt2", torch.zeros(3, 50))
    torch.manual_seed(77)
    np.save(tmp_path / "want.npy", torch.randn(3, 50))
    script = """
fast = fx_mlir.compile(sys.argv[1])
fast.seed(77)
got = fast(np.zeros((3, 50), "f4"))
np.testing.assert_allclose(got, np.load(sys.argv[2]), rtol=1e-5, atol=1e-6)
assert not np.allclose(got, fast(np.zeros((3, 50), "f4")))
"""
    run(bare, script, tmp_path / "m.pt2", tmp_path / "want.npy")


def test_without_numpy(bare, tmp_path):
    """Outputs are then fx_mlir.Tensor, which DLPack takes."""
    export(nn.ReLU(), tmp_path / "m.pt2", torch.zeros(2, 3))
    script = """
import ctypes
from fx_mlir import _fx
fast = fx_mlir.compile(sys.argv[1])
cells = (ctypes.c_float * 6)(-1, 2, -3, 4, -5, 6)
class Cells:
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self): return _fx.view_tensor(cells, ctypes.addressof(cells), 2, 32, (2, 3), (3, 1), (1, 0))
out = fast(Cells())
assert type(out) is fx_mlir.Tensor and out.shape == (2, 3) and out.dtype == "float32"
capsule = out.__dlpack__()
address = _fx.describe_tensor(capsule)[0]
del out
assert list((ctypes.c_float * 6).from_address(address)) == [0, 2, 0, 4, 0, 6]
"""
    run(bare, script, tmp_path / "m.pt2", numpy=False)


MISSING = "needs torch 2.10 to 2.15, which is not installed; `pip install 'torch==2.13.*'` installs it"


@pytest.mark.parametrize(
    "use",
    [
        "fx_mlir.compile(object(), (1,))",
        "fx_mlir.import_(sys.argv[1]).graph_module()",
        "fx_mlir.quantize(sys.argv[1])",
        "import fx_mlir.backend",
    ],
)
def test_what_needs_torch(use, bare, tmp_path):
    export(nn.ReLU(), tmp_path / "m.pt2", torch.zeros(2, 3))
    done = run(bare, use, tmp_path / "m.pt2", check=False)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: fx_mlir: ") and MISSING in last


def test_other_uses(bare, tmp_path):
    """What works without torch besides, and the errors of what does not."""
    export(nn.Linear(3, 2), tmp_path / "m.pt2", torch.zeros(2, 3))
    eigh = type("Eigh", (nn.Module,), {"forward": lambda self, x: torch.linalg.eigvalsh(x)})()
    export(eigh, tmp_path / "eigh.pt2", torch.eye(3))
    script = """
from pathlib import Path
folder = Path(sys.argv[1])
module = fx_mlir.import_(folder / "m.pt2")
assert "aten.linear.default" in str(module)
assert b"linear" in module.clone().run("fx-functionalize,fx-decompose,cse").export("fx-text")
assert "kernel" in str(fx_mlir.report(fx_mlir.compile(module)))
try:
    with __import__("warnings").catch_warnings():
        __import__("warnings").simplefilter("ignore")
        fx_mlir.compile(folder / "eigh.pt2")
except fx_mlir.Error as e:
    assert "cannot load the fallback: " in str(e) and sys.argv[2] in str(e), e
else:
    assert False
try:
    fx_mlir.import_(3)
except TypeError as e:
    assert "got builtins.int" in str(e)
"""
    run(bare, script, tmp_path, MISSING)
    done = run(bare, "from fx_mlir.__main__ import main; sys.argv[1:] = []; main()")
    assert "none: no backend" in done.stdout


def test_torch_is_imported_when_it_is_needed(tmp_path):
    """With torch installed, an operator of ATen imports it; arrays go in and out nevertheless."""
    eigh = type("Eigh", (nn.Module,), {"forward": lambda self, x: torch.linalg.eigvalsh(x) + 1})()
    export(eigh, tmp_path / "eigh.pt2", torch.eye(3))
    script = f"""
import sys, warnings
sys.path.insert(0, {str(package)!r})
import numpy as np
import fx_mlir
assert "torch" not in sys.modules
warnings.simplefilter("ignore")
fast = fx_mlir.compile(sys.argv[1])
assert "torch" in sys.modules
got = fast(np.diag(np.array([1, 2, 3], "f4")))
assert type(got) is np.ndarray and np.allclose(got, [2, 3, 4]), got
import torch
assert type(fast(torch.eye(3))) is torch.Tensor
"""
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "eigh.pt2"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_arrays_beside_torch(tmp_path):
    """In a process with torch, the inputs decide what the outputs are."""
    fast = fx_mlir.compile(nn.ReLU(), (torch.zeros(2, 3),))
    x = np.array([[-1, 2, -3], [4, -5, 6]], "f4")
    got = fast(x)
    assert type(got) is np.ndarray
    np.testing.assert_array_equal(got, np.maximum(x, 0))
    assert type(fast(torch.tensor(x))) is torch.Tensor


class Mixed(nn.Module):
    """Draws, keeps a state, writes an input, and takes a number."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x, n, y):
        self.total.add_(y)
        y.mul_(n)
        return x.mT.clone(), self.total + torch.rand(4), x.shape[0] * n, y.to(torch.bfloat16)


def test_runtime(bare, tmp_path, monkeypatch):
    """The package fx_mlir_runtime, which has no extension, does the same as fx_mlir."""
    size = torch.export.Dim("size", min=2, max=64)
    given = torch.randn(3, 8).cdouble(), 3, torch.ones(4)
    dynamic = ({0: size}, torch.export.Dim.DYNAMIC, None)
    export(Mixed(), tmp_path / "m.pt2", *given, dynamic=dynamic)
    fx_mlir.compile(tmp_path / "m.pt2", no_fallback=True).save(tmp_path / "m.so")
    eigh = type("Eigh", (nn.Module,), {"forward": lambda self, x: torch.linalg.eigvalsh(x)})()
    with pytest.warns(fx_mlir.FallbackWarning):
        fx_mlir.compile(eigh, (torch.eye(3),)).save(tmp_path / "eigh.so")
    (tmp_path / "cut.so").write_bytes((tmp_path / "m.so").read_bytes()[:5000])
    (tmp_path / "empty.so").write_bytes(b"")
    script = """
from pathlib import Path
folder = Path(sys.argv[1])
fast = fx_mlir.load(folder / "m.so", threads=2)
fast.seed(5)
random = np.random.default_rng(1)
x, y = random.normal(size=(2, 5, 16)).astype("f4"), np.ones(4, "f4")
x = (x[0] + 1j * x[1]).astype("c16")
results = []
for _ in range(2):
    a, b, c, d = fast(x[:, ::-2], 2, y)
    assert type(a) is np.ndarray and a.shape == (8, 5) and (a == x[:, ::-2].T).all()
    assert c == 10 and type(d) is fx_mlir.Tensor and d.dtype == "bfloat16"
    results += [a, b, d.numpy().astype("f4"), y.copy()]
out = np.zeros((8, 5), "c16"), np.zeros(4, "f4"), None, None
fast.run_into(out, x[:, ::2], 1, y)
results += [*out[:2], y]
fast.reset()
x = x[:, :8]
for text, *args in [("expected 3 inputs, got 2", x, y), ("'x'", x.real, 2, y), ("'y'", x, 2, y[:3]),
                    ("expected an array to write to", x, 2, np.broadcast_to(y[:1], 4)),
                    ("64", np.zeros((65, 8), "c16"), 2, y)]:
    try:
        fast(*args)
    except fx_mlir.Error as e:
        assert text in str(e), e
    else:
        assert False, text
for name, text in [("eigh.so", "ATen"), ("cut.so", "bytes"), ("empty.so", "expected a compiled model"),
                   ("m.pt2", "expected a compiled model"), ("no.so", "No such file"), ("", "open")]:
    try:
        fx_mlir.load(folder / name)
    except fx_mlir.Error as e:
        assert text.lower() in str(e).lower() and "\\n" not in str(e), e
    else:
        assert fx_mlir.__name__ == "fx_mlir" and name == "eigh.so"
del fast
for k, array in enumerate(results):  # outputs outlive the model
    np.save(folder / f"{fx_mlir.__name__}_{k}.npy", array)
info = fx_mlir.load(folder / "m.so").info
print(info)
if fx_mlir.__name__ == "fx_mlir_runtime":
    import gc
    del a, b, d
    gc.collect()
    assert not fx_mlir._models._fx._views, fx_mlir._models._fx._views
"""
    runtime = pathlib.Path(__file__).resolve().parents[2] / "python" / "runtime"
    info = run(bare, script, tmp_path, check=False)
    alone = run(bare, script, tmp_path, package=runtime, module="fx_mlir_runtime")
    assert alone.stdout and eval(alone.stdout)["inputs"][0]["sizes"][1] == "8"
    # Without torch, the first of them only fails to load the model of ATen.
    assert info.stdout == alone.stdout, info.stderr
    results = sorted(tmp_path.glob("fx_mlir_[0-9]*.npy"))
    assert len(results) == 11
    for file in results:
        got = np.load(tmp_path / file.name.replace("fx_mlir_", "fx_mlir_runtime_"))
        np.testing.assert_array_equal(got, np.load(file))
    # Beside torch, it takes and returns torch's tensors, and shares its generator.
    monkeypatch.syspath_prepend(runtime)
    import fx_mlir_runtime

    outputs = []
    for package in (fx_mlir_runtime, fx_mlir):
        torch.manual_seed(3)
        outputs.append(package.load(tmp_path / "m.so")(given[0], 3, torch.ones(4)))
    assert type(outputs[0][0]) is torch.Tensor and outputs[0][3].dtype == torch.bfloat16
    for got, want in zip(*outputs):
        torch.testing.assert_close(got, want, rtol=0, atol=0)


def test_structures_are_those_of_torch():
    """The reader of structures agrees with torch's on random trees."""
    from collections import OrderedDict, deque

    import random

    from fx_mlir import _pytree as own
    from torch.utils import _pytree as theirs

    draw = random.Random(5)

    def make(depth):
        kind = draw.randrange(6) if depth else 5
        if kind == 5:
            return draw.randrange(100)
        inner = [make(depth - 1) for _ in range(draw.randrange(4))]
        if kind < 2:
            return (tuple, list)[kind](inner)
        if kind < 4:
            keys = draw.sample(["a", "b", "c", 1, 2], len(inner))
            return (dict, OrderedDict)[kind - 2](zip(keys, inner))
        return deque(inner, maxlen=draw.choice([None, 9]))

    for _ in range(200):
        tree = make(3)
        leaves, spec = theirs.tree_flatten(tree)
        text = theirs.treespec_dumps(spec)
        got, got_spec = own.tree_flatten(tree)
        assert got == leaves and got_spec == own.treespec_loads(text)
        assert got_spec.num_leaves == spec.num_leaves
        again = own.tree_unflatten(leaves, got_spec)
        assert again == tree and type(again) is type(tree)
        other = make(3)
        assert (own.tree_flatten(other)[1] == got_spec) == (theirs.tree_flatten(other)[1] == spec)
