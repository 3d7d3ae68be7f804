"""Packages of `fx-compile --emit=aoti` in PyTorch's own loaders, against eager."""

import ctypes
import pathlib
import subprocess
import sys
import zipfile

import exporting
import harness
import packages
import pytest
import torch
from random_graphs import Many, RandomGraph
from torch.export import Dim

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANDOM = range(30)


def package(module, args, folder, kwargs=None, dynamic=None):
    """Returns the path of the package of a module."""
    program = exporting.export(module, args, kwargs, dynamic=dynamic)
    exporting.save(program, folder / "m.pt2")
    return packages.package(folder / "m.pt2")


def load(module, args, folder, kwargs=None, dynamic=None):
    return packages.load(package(module, args, folder, kwargs, dynamic))


class Tree(torch.nn.Module):
    """Arguments and results of many kinds."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 4)
        self.register_buffer("scale", torch.full((4,), 2.0))

    def forward(self, x, pair, *, mask=None, names=("a", "b")):
        y = self.linear(x) * self.scale
        if mask is not None:
            y = y.masked_fill(mask, 0)
        a, b = pair
        return {"y": y, "rest": [a["k"] + b, None, (x.sum(0), x.shape[0])]}


def test_arguments_and_results(tmp_path):
    def sample(n):
        pair = ({"k": torch.arange(3)}, torch.ones(3, dtype=torch.int64))
        return (torch.randn(n, 8), pair), {"mask": torch.rand(n, 4) < 0.5}

    module = Tree().eval()
    n = Dim.DYNAMIC
    dynamic = {"x": {0: n}, "pair": ({"k": None}, None), "mask": {0: n}}
    args, kwargs = sample(5)
    model = load(module, args, tmp_path, kwargs, dynamic)
    for size in (5, 1, 7, 0):
        args, kwargs = sample(size)
        got, want = model(*args, **kwargs), module(*args, **kwargs)
        torch.testing.assert_close(got["y"], want["y"])
        torch.testing.assert_close(got["rest"][0], want["rest"][0])
        assert got["rest"][1] is None
        torch.testing.assert_close(got["rest"][2][0], want["rest"][2][0])
        assert int(got["rest"][2][1]) == size
        # An output owns its memory.
        y = got["y"]
        del got
        torch.testing.assert_close(y, want["y"])
    strided = torch.randn(8, 5).t()
    torch.testing.assert_close(
        model(strided, *args[1:], mask=kwargs["mask"].new_zeros(5, 4))["y"],
        module(strided, *args[1:])["y"],
    )


class Dtypes(torch.nn.Module):
    def forward(self, xs):
        return [x.flip(0) for x in xs]


def test_dtypes(tmp_path):
    dtypes = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split()
    xs = [torch.randint(0, 2, (3, 2)).to(getattr(torch, d)) for d in dtypes]
    model = load(Dtypes(), (xs,), tmp_path)
    for got, x in zip(model(xs), xs, strict=True):
        assert got.dtype == x.dtype and torch.equal(got, x.flip(0))


def test_random_graphs(tmp_path):
    inputs = [RandomGraph.sample(seed) for seed in RANDOM]
    module = Many(RANDOM)
    model = load(module, (inputs,), tmp_path)
    harness.compare(torch.utils._pytree.tree_leaves(model(inputs)), exporting.eager(module, (inputs,)))


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        self.count.add_(x)
        return self.count * 2


def test_state_and_mutated_inputs(tmp_path):
    class Write(Counter):
        def forward(self, x, y):
            y.mul_(2)
            return super().forward(x) + y

    module = Write()
    x, y = torch.tensor([1.0, 2.0]), torch.ones(2)
    model = load(module, (x, y), tmp_path)
    z = y.clone()
    for _ in range(3):
        torch.testing.assert_close(model(x, y), module(x, z))
        torch.testing.assert_close(y, z)


def test_constants(tmp_path):
    module, other = Tree().eval(), Tree().eval()
    args = (torch.randn(5, 8), ({"k": torch.arange(3)}, torch.ones(3, dtype=torch.int64)))
    model = load(module, args, tmp_path)
    assert sorted(model.get_constant_fqns()) == ["linear.bias", "linear.weight", "scale"]
    other.scale.fill_(3)
    model.load_constants(other.state_dict(), check_full_update=True)
    torch.testing.assert_close(model(*args)["y"], other(*args)["y"])
    # A part of the constants; the values are copied.
    weight = torch.zeros(4, 8)
    model.load_constants({"linear.weight": weight}, check_full_update=False, user_managed=True)
    weight.fill_(1)
    torch.testing.assert_close(model(*args)["y"], other.linear.bias.expand(5, 4) * 3)
    before = model(*args)["y"]
    for constants, is_full in [
        ({"linear.weight": weight}, True),  # the other constants are missing
        ({"linear.bias": torch.zeros(3)}, False),  # another shape
        ({"linear.bias": torch.zeros(4).double()}, False),
    ]:
        # The loader of torch 2.13 asks for the reason of failed runs only.
        with pytest.raises(RuntimeError, match="API call failed"):
            model.loader.load_constants(constants, False, is_full)
        assert torch.equal(model(*args)["y"], before)
    # The inactive constants do not take part in runs.
    model.loader.load_constants(module.state_dict(), True, True)
    assert torch.equal(model(*args)["y"], before)


def test_guards(tmp_path):
    module = torch.nn.Linear(8, 4)
    model = load(module, (torch.randn(3, 8),), tmp_path, dynamic=({0: Dim("n", min=3, max=9)},))
    for x, text in [
        (torch.randn(3, 7), "input 'input': dimension 1: expected 8, got 7"),
        (torch.randn(3, 8).double(), "input 'input': expected dtype float32, got float64"),
        (torch.randn(10, 8), "10"),
        (torch.randn(8), "expected rank 2, got 1"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            model(x)
    x = torch.randn(9, 8)
    torch.testing.assert_close(model(x), module(x))


@pytest.mark.parametrize("single", [False, True])
def test_loader_is_silent(single, tmp_path):
    """A process that uses the package alone, and prints nothing but what it prints itself."""
    module = torch.nn.Linear(8, 4, bias=False)
    path = package(module, (torch.randn(3, 8),), tmp_path, dynamic=({0: Dim.DYNAMIC},))
    text = (
        "import sys, torch\n"
        f"model = torch._inductor.aoti_load_package(sys.argv[1], run_single_threaded={single})\n"
        "print(tuple(model(torch.ones(5, 8)).shape))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", text, str(path)], capture_output=True, text=True, timeout=120
    )
    assert (result.stdout, result.stderr, result.returncode) == ("(5, 4)\n", "", 0)


def test_cpp_program(tmp_path):
    module = torch.nn.Linear(8, 4, bias=False)
    path = package(module, (torch.ones(3, 8),), tmp_path)
    base = pathlib.Path(torch.__file__).parent
    program = tmp_path / "run-package"
    subprocess.run(
        ["clang++-22", "-std=c++20", "-w", f"-I{base}/include"]
        + [ROOT / "examples/aotinductor/run-package.cpp", "-o", program]
        + [f"-L{base}/lib", f"-Wl,-rpath,{base}/lib", "-ltorch", "-ltorch_cpu", "-lc10"]
        + ["-Wl,--no-as-needed"],
        check=True,
        timeout=200,
    )
    result = subprocess.run([program, path], capture_output=True, text=True, timeout=120)
    assert (result.stdout, result.stderr) == ("0111\n", "")


def open_library(file, folder):
    """Returns the library in a package, and LibTorch."""
    with zipfile.ZipFile(file) as archive:
        [name] = [n for n in archive.namelist() if n.endswith(".so")]
        (folder / "m.so").write_bytes(archive.read(name))
    torch_library = pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    return ctypes.CDLL(str(folder / "m.so")), ctypes.CDLL(str(torch_library))


def make_handle(libtorch, x):
    """Returns an AtenTensorHandle of the memory of a contiguous tensor of float32."""
    numbers, handle = ctypes.c_int64 * x.dim(), ctypes.c_void_p()
    assert not libtorch.aoti_torch_create_tensor_from_blob(
        ctypes.c_void_p(x.data_ptr()), ctypes.c_int64(x.dim()), numbers(*x.shape),
        numbers(*x.stride()), ctypes.c_int64(0), libtorch.aoti_torch_dtype_float32(), 0, -1,
        ctypes.byref(handle),
    )  # fmt: skip
    return handle


class Entry(ctypes.Structure):
    """AOTInductorConstantMapEntry"""

    _fields_ = [("name", ctypes.c_char_p), ("handle", ctypes.c_void_p)]


def test_external_constants(tmp_path):
    """Entries of the C interface that torch 2.14 and later call."""
    module, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
    model, libtorch = open_library(package(module, (x,), tmp_path), tmp_path)
    values = {"weight": torch.randn(2, 3), "bias": torch.randn(2)}
    handles = [make_handle(libtorch, v) for v in values.values()]
    entries = (Entry * 2)(*((n.encode(), h) for n, h in zip(values, handles, strict=True)))
    container, size = ctypes.c_void_p(), ctypes.c_size_t
    create = model.AOTInductorModelContainerCreateWithExternalConstants
    assert create(ctypes.byref(container), size(1), b"cpu", None, entries, size(1))
    message = ctypes.c_char_p()
    model.AOTInductorGetLastError(ctypes.byref(message))
    assert message.value == b"expected all constants, got none for 'bias'"
    assert create(ctypes.byref(container), size(1), b"cpu", None, None, size(2))
    assert container.value is None
    assert not create(ctypes.byref(container), size(1), b"cpu", None, entries, size(2))

    inputs = (ctypes.c_void_p * 1)(make_handle(libtorch, x).value)
    outputs, data = (ctypes.c_void_p * 1)(), ctypes.c_void_p()
    run = model.AOTInductorModelContainerRun
    assert not run(container, inputs, size(1), outputs, size(1), None, None)
    assert not libtorch.aoti_torch_get_data_ptr(
        ctypes.c_void_p(outputs[0]), ctypes.byref(data)
    )
    got = torch.tensor((ctypes.c_float * 8).from_address(data.value)).reshape(4, 2)
    torch.testing.assert_close(got, x @ values["weight"].T + values["bias"])

    extract = model.AOTInductorModelContainerExtractConstantsMapEntries
    found, n = ctypes.POINTER(Entry)(), size()
    for inactive in (True, False, False):  # without inactive constants, an error
        failed = extract(container, ctypes.byref(found), ctypes.byref(n), inactive)
        assert bool(failed) == inactive
    assert {found[i].name.decode() for i in range(n.value)} == set(values)
    for i in range(n.value):
        want = values[found[i].name.decode()].flatten()
        assert not libtorch.aoti_torch_get_data_ptr(
            ctypes.c_void_p(found[i].handle), ctypes.byref(data)
        )
        assert list((ctypes.c_float * len(want)).from_address(data.value)) == want.tolist()
    assert not model.AOTInductorModelContainerDelete(container)


def test_inputs_are_taken(tmp_path):
    """A run takes its inputs from their array: torch 2.14 and later free those that are left."""
    x = torch.randn(2, 3)
    model, libtorch = open_library(package(torch.nn.ReLU(), (x,), tmp_path), tmp_path)
    container, handle = ctypes.c_void_p(), make_handle(libtorch, x)
    create = model.AOTInductorModelContainerCreateWithDevice
    assert not create(ctypes.byref(container), ctypes.c_size_t(1), b"cpu", None)
    for size, fails in ((2, True), (1, False)):  # a run that fails takes them, too
        other = ctypes.c_void_p()
        libtorch.aoti_torch_clone(handle, ctypes.byref(other))
        inputs = (ctypes.c_void_p * 2)(other.value, None)
        outputs = (ctypes.c_void_p * 1)()
        failed = model.AOTInductorModelContainerRun(
            container, inputs, ctypes.c_size_t(size), outputs, ctypes.c_size_t(1), None, None
        )
        assert bool(failed) == fails and bool(outputs[0]) != fails and inputs[0] is None
