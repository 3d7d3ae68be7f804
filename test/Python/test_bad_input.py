"""Checks that the package answers bad arguments with an exception that says what is wrong:
its own Error, or Python's exception for wrong types. A crash ends this run."""

import random
import re

import pytest
import torch
from torch import fx, nn

import fx_mlir
from fx_mlir import _fx

#: Values that are not valid for any argument of the package.
ODD = [
    None,
    -1,
    2**70,
    1.5,
    "",
    "\0",
    "\ud800",
    "x" * 1_000,
    "(" * 500,
    b"\xff\0\xfe",
    [],
    {},
    (1, "a"),
    object(),
    torch.ones(2),
    torch.float32,
    nn.Linear,
    lambda: None,
]

#: The exceptions that the tests accept.
ANSWERS = (fx_mlir.Error, TypeError, ValueError, OSError)


class Net(nn.Module):
    def forward(self, x, scale=2.0):
        return torch.relu(x) * scale


@pytest.fixture(scope="module")
def module():
    return fx_mlir.import_(torch.export.export(Net(), (torch.ones(3),)))


@pytest.fixture(scope="module")
def compiled(module):
    return fx_mlir.compile(module, progress=False)


def refuses(call, value) -> None:
    with pytest.raises(ANSWERS) as e:
        call(value)
    assert str(e.value).strip(), f"{value!r:.80}: no text"
    assert len(str(e.value)) < 10_000


def entry_points(module, compiled, folder):
    """Returns functions that call the package with one odd argument. `odd` replaces an empty
    value where the package takes that as no argument."""
    gm = fx.symbolic_trace(Net())
    text = str(module)

    def odd(value):
        is_empty = isinstance(value, (str, list, dict, type(None))) and not value
        return object() if is_empty else value

    return {
        "import_": fx_mlir.import_,
        "import_ with inputs": lambda v: fx_mlir.import_(gm, odd(v)),
        "parse": lambda v: fx_mlir.Module.parse(odd(v) if v != "\0" else "\0("),
        "parse, name": lambda v: fx_mlir.Module.parse("no module", v),
        "parse, folder": lambda v: fx_mlir.Module.parse("no module", "n", v),
        "run": lambda v: module.clone().run(odd(v)),
        "emit, kind": lambda v: module.emit(v, folder / "m"),
        "emit, path": lambda v: module.emit("so", v),
        "emit, cpu": lambda v: module.emit("so", folder / "m", cpu=odd(v)),
        "emit, level": lambda v: module.emit("so", folder / "m", opt_level=v),
        "export": module.export,
        "graph_module": lambda v: fx_mlir.Module.parse(text).graph_module(odd(v)),
        "attribute, symbol": lambda v: module.attribute("a", odd(v)),
        "compile": fx_mlir.compile,
        "load": fx_mlir.load,
        "load_plugin": fx_mlir.load_plugin,
        "register": fx_mlir.register_operator,
        "decomposition": lambda v: fx_mlir.register_operator(
            "bad.input.default", decomposition=odd(v)
        ),
        "a call": compiled,
        "save": compiled.save,
    }


def test_odd_arguments(module, compiled, tmp_path):
    for name, call in entry_points(module, compiled, tmp_path).items():
        for value in ODD:
            try:
                refuses(call, value)
            except BaseException as e:
                raise AssertionError(f"{name}: {value!r:.80}: {type(e).__name__}: {e}"[:2000]) from e
    assert not list(tmp_path.iterdir()), "a file is left of what failed"


def fake(x):
    return torch._subclasses.FakeTensorMode().from_tensor(x)


def freed(x):
    x.untyped_storage().resize_(0)
    return x


#: Arguments that are not a dense CPU tensor of three float32, by the expected texts of errors.
TENSORS = {
    "expected a tensor on the CPU, got one on meta": lambda x: x.to("meta"),
    "expected a strided tensor, got torch.sparse_coo": lambda x: x.to_sparse(),
    "expected a strided tensor, got torch._mkldnn": lambda x: x.to_mkldnn(),
    "expected a plain tensor, got a nested one": lambda x: torch.nested.nested_tensor([x, x[:2]]),
    "expected a plain tensor, got a quantized one": lambda x: torch.quantize_per_tensor(
        x, 0.1, 0, torch.qint8
    ),
    "Bit types": lambda x: x.byte().view(torch.bits8),
    "expected dtype float32, got float64": lambda x: x.double(),
    "expected dtype float32, got float8_e4m3fn": lambda x: x.to(torch.float8_e4m3fn),
    "expected dtype float32, got complex64": lambda x: x.to(torch.complex64).conj(),
    "expected 3, got 4": lambda x: torch.ones(4),
    "expected 3, got 0": lambda x: x[:0],
    "expected rank 1, got 2": lambda x: x[None],
    "expected data, got a null pointer": fake,
    "'x': expected data, got a null": freed,
    "expected a tensor, got float": lambda x: 1.0,
    "expected dtype float32, got int64": lambda x: x.long().numpy(),
    "expected a dtype of DLPack, got object": lambda x: x.numpy().astype(object),
    "expected a tensor, got memoryview": lambda x: memoryview(b"abc"),
}


@pytest.mark.parametrize("text", TENSORS)
@pytest.mark.filterwarnings("ignore")
def test_other_tensors(text, compiled):
    """Each argument gives an error that names the input."""
    with pytest.raises(fx_mlir.Error, match=re.escape(text)) as e:
        compiled(TENSORS[text](torch.ones(3)))
    assert "x" in str(e.value).split(":")[0]
    # A later call works as before.
    torch.testing.assert_close(compiled(torch.ones(3)), torch.full((3,), 2.0))


def test_other_numbers():
    class Times(nn.Module):
        def forward(self, x, n: int):
            return x * n

    shapes = {"x": None, "n": torch.export.Dim.DYNAMIC}
    compiled = fx_mlir.compile(
        torch.export.export(Times(), (torch.ones(3), 5), dynamic_shapes=shapes), progress=False
    )
    torch.testing.assert_close(compiled(torch.ones(3), 7), torch.full((3,), 7.0))
    for value in (2**70, 1.5, None, "7", torch.ones(2), [7]):
        with pytest.raises(fx_mlir.Error):
            compiled(torch.ones(3), value)


def test_broken_text_and_bytecode(module):
    """Text and bytecode with bytes changed, removed or doubled are read or refused."""
    rng = random.Random(0)
    refused = 0
    for good in (module.text(locations=True).encode(), module.bytecode()):
        for _ in range(300):
            data = bytearray(good)
            for _ in range(rng.randint(1, 3)):
                at = rng.randrange(len(data))
                change = rng.randrange(4)
                if change == 0:
                    data[at] = rng.randrange(256)
                elif change == 1:
                    del data[at : at + rng.randint(1, 20)]
                elif change == 2:
                    data[at:at] = data[at : at + rng.randint(1, 20)]
                else:
                    data[at] ^= 1 << rng.randrange(8)
                if not data:
                    break
            try:
                again = fx_mlir.Module.parse(bytes(data))
                again.verify()
                again.export("nodes")
            except fx_mlir.Error:
                refused += 1
    assert refused > 100


def test_calls_of_a_builder_in_any_order():
    """Random calls of the builder that the importer uses end in errors or in a valid
    module."""
    words = ["", "x", "main", "aten.relu.default", "call_function", "!fx.any", "[", "\0", "é"]
    for seed in range(150):
        rng = random.Random(seed)
        b = _fx.Builder()
        values = []
        for _ in range(40):
            word = lambda: rng.choice(words)  # noqa: E731
            calls = [
                lambda: b.begin_graph(word(), rng.random() < 0.5),
                lambda: b.symbol(word(), rng.choice([None, 2]), rng.choice([None, 1])),
                lambda: values.append(b.placeholder(word(), None, None, "!fx.any")),
                lambda: values.append(b.get_attr(word(), word(), word())),
                lambda: values.extend(b.node(word(), word(), word(), [word()], None)),
                lambda: b.state(word(), word(), word(), 0, 2**64 - 1, 0),
                lambda: b.push_value(rng.choice(values)) if values else b.push_list(),
                lambda: b.push_int(-(2**63)),
                lambda: b.push_string(word()),
                lambda: b.push_attribute(word()),
                lambda: b.push_node_attribute(word(), word()),
                lambda: b.push_dict(),
                lambda: b.push_key(word()),
                lambda: b.push_end(),
                lambda: b.push_keyword(word()),
                lambda: b.set_attribute(word(), word()),
                lambda: b.expression(word()),
                lambda: b.push_frame(word(), rng.choice([-1, 2**31 - 1]), word()),
                lambda: b.push_metadata(word(), word()),
                lambda: b.output(),
            ]
            try:
                rng.choice(calls)()
            except (fx_mlir.Error, ValueError) as e:
                assert str(e)
        try:
            module = fx_mlir.Module(b.finish(""))
        except fx_mlir.Error:
            continue
        module.verify()


def test_written_inputs():
    """An input that the program writes must not share memory with another one, as the compiled code
    may read that before or after."""
    def load(f, *args):
        module = torch.nn.Module()
        module.forward = f
        return fx_mlir.compile(torch.export.export(module, args))

    add = load(lambda x, y: (x.add_(1), x * y)[1], torch.ones(3), torch.ones(3))
    x = torch.ones(3)
    with pytest.raises(fx_mlir.Error, match="'x': expected memory of its own, .* of input 'y'"):
        add(x, x)
    rows = torch.ones(2, 3)
    assert torch.equal(add(rows[0], rows[1]), torch.full((3,), 2.0))
    double = load(lambda x, y: (x.mul_(2), y + 0)[1], torch.ones(2, 3), torch.ones(3))
    with pytest.raises(fx_mlir.Error, match="'x': expected memory of its own"):
        double(rows, rows[0])
    with pytest.raises(fx_mlir.Error, match="'x': dimension 0: .* got stride 0"):
        double(torch.ones(1, 3).expand(2, 3), x)
    columns = torch.ones(3, 2)
    with pytest.raises(fx_mlir.Error, match="'[xy]': expected memory of its own"):
        add(columns[:, 0], columns[:, 0])
    # Other columns have no element in common.
    assert torch.equal(add(columns[:, 0], columns[:, 1]), torch.full((3,), 2.0))
