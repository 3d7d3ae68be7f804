"""Refusals: every bad archive gives exit 1 and one line `error: <file>...`.

usage: hostile.py FX_TRANSLATE FOLDER
       hostile.py --write FOLDER       only writes the archives, for other tests
       hostile.py --write-good FILE    only writes an archive that is good
"""

import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import struct
import subprocess
import sys
import zlib

import archive as a

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
GOOD = a.pack(a.records())
NODES = ("graph_module", "graph", "nodes")
BACKWARDS = [a.named("other", a.tensor("p_w"), 2), a.named("self", a.tensor("x"))]


def model(path, new, source=None):
    return a.pack(a.records(a.edit(source or a.sample(), path, new)))


def text(replaced, by):
    """The model's JSON with one piece of text replaced."""
    json_text = json.dumps(a.sample())
    assert replaced in json_text
    return a.pack(a.records(json_text.replace(replaced, by, 1)))


def with_range(key, low=None, high=None):
    return model(("range_constraints",), {key: {"min_val": low, "max_val": high}})


def archives():
    """Yields (name, bytes, what the error must match)."""
    R = a.Record
    # The file.
    yield "empty", b"", "expected a zip archive"
    yield "text", b"hello\n" * 100, "expected a zip archive"
    yield "trailing-bytes", GOOD + b"x", "expected a zip archive"
    for i in range(40):
        size = len(GOOD) * i // 40
        yield f"truncated-{i}", GOOD[:size], ""
    # The directory.
    yield "no-records", a.pack([]), "archive_format"
    yield "count-too-big", a.pack(a.records(), count=60), "cannot hold 60 records"
    yield "count-too-small", a.pack(a.records(), count=2), "expected the directory to end"
    yield "directory-outside", a.pack(a.records(), directory=1 << 30), "outside"
    yield "zip64-count", a.pack(a.records(), count=1 << 60, zip64=True), "cannot hold"
    yield "zip64-directory", a.pack(a.records(), directory=(1 << 64) - 8, zip64=True), "contradicts"
    end = a.pack(a.records(), zip64=True)
    yield "zip64-locator", end[:-34] + struct.pack("<Q", 1 << 63) + end[-26:], "no end record"
    # Records.
    extra = [R("m/x", b"1"), R("m/x", b"2")]
    yield "duplicate", a.pack(a.records(extra=extra)), "x: two records have this name"
    for name in ("../x", "m/../../x", "/etc/passwd", "m/./x", "m//x", "m\\x", "C:/x", b"m/\xff\xfe",
                 "m/\x01", b"m/a\0b", ""):
        label = name if isinstance(name, str) else name.decode("latin-1")
        yield f"name-{label!r}", a.pack(a.records(extra=[R(name, b"")])), "record name|lies in no folder"
    yield "two-roots", a.pack(a.records(extra=[R("other/x")])), "one folder"
    yield "no-root", a.pack(a.records(extra=[R("x")])), "no folder"
    yield "folder-with-bytes", a.pack(a.records(extra=[R("m/x/", b"1")])), "folder cannot hold"
    big = R("m/big", b"", size=1 << 31, local_size=1 << 31)
    yield "size-outside", a.pack(a.records(extra=[big])), "outside the file"
    huge = R("m/big", b"", size=0xFFFFFFFF, central_extra=struct.pack("<HHQQ", 1, 16, (1 << 64) - 1, (1 << 64) - 1))
    yield "size-overflow", a.pack(a.records(extra=[huge])), "outside the file"
    no64 = R("m/big", b"", size=0xFFFFFFFF)
    yield "zip64-missing", a.pack(a.records(extra=[no64])), "zip64 field is missing"
    short64 = R("m/big", b"", size=0xFFFFFFFF, central_extra=struct.pack("<HHI", 1, 4, 1))
    yield "zip64-short", a.pack(a.records(extra=[short64])), "too short"
    yield "deflated", a.pack(a.records(extra=[R("m/x", b"1", method=8)])), "stored record"
    yield "encrypted", a.pack(a.records(extra=[R("m/x", b"1", flags=1)])), "encrypted"
    yield "sizes-differ", a.pack(a.records(extra=[R("m/x", b"1", compressed=7)])), "cannot take 7"
    yield "local-name", a.pack(a.records(extra=[R("m/x", b"1", local_name=b"m/y")])), "about its name"
    yield "local-crc", a.pack(a.records(extra=[R("m/x", b"1", local_crc=1)])), "about its crc32"
    yield "local-size", a.pack(a.records(extra=[R("m/x", b"1", local_size=2)])), "about its size"
    yield "descriptor", a.pack(a.records(extra=[R("m/x", b"1", flags=8)])), "descriptor"
    yield "header-outside", a.pack(a.records(extra=[R("m/x", b"1", offset=1 << 30)])), "header at"
    inner = R("m/y", b"abc")
    outer = R("m/x", inner.header() + inner.data)
    inside = R("m/y", b"", size=3, crc=inner.crc, offset=size_before(outer) + len(outer.header()))
    yield "overlap", a.pack(a.records(extra=[outer, inside])), "overlaps"
    yield "crc", GOOD.replace(b"relu", b"relV", 1), "models/model.json: expected crc32"
    # The format.
    yield "no-format", a.pack(a.records(omit=["format"])), "archive_format"
    yield "format", a.pack(a.records(format=R("m/archive_format", b"pt3"))), "expected 'pt2'"
    yield "version", a.pack(a.records(version=R("m/archive_version", b"7"))), "expected version 0"
    yield "byteorder", a.pack(a.records(byteorder=R("m/byteorder", b"big"))), "expected 'little'"
    yield "no-model", a.pack(a.records(omit=["model"])), "holds no model"
    # JSON.
    yield "json-empty", a.pack(a.records(" ")), "models/model.json: expected an object"
    yield "json-not-object", a.pack(a.records("[]")), "expected an object, got a list"
    yield "json-trailing", a.pack(a.records(json.dumps(a.sample()) + "x")), "expected the end"
    yield "json-half", a.pack(a.records(json.dumps(a.sample())[:-200])), "got the end of the text"
    for opening in ("[", '{"a":', '[{"a":'):
        yield f"json-deep-{opening}", a.pack(a.records('{"graph_module": ' + opening * 100000)), "nested deeper"
    yield "json-duplicate", text('"torch_version"', '"opset_version"'), "opset_version: the key stands twice"
    yield "json-utf8", a.pack(a.records(json.dumps(a.sample()).encode().replace(b"relu", b"re\xff\xff", 1))), "not UTF-8"
    yield "json-surrogate", text('"relu"', '"\\ud800"'), "surrogate"
    yield "json-control", text('"relu"', '"re\nlu"'), "control characters"
    yield "json-escape", text('"relu"', '"\\q"'), "an escape sequence"
    yield "json-nan", text('{"as_int": 2}', '{"as_int": NaN}'), r"p_w.sizes\[0\].as_int: expected a value"
    yield "json-float", text('{"as_int": 2}', '{"as_int": 2.0}'), "expected an integer, got '2.0'"
    yield "json-big", text('{"as_int": 2}', '{"as_int": 9223372036854775808}'), "64 bits"
    yield "json-huge-float", text('{"as_tensor": {"name": "p_w"}}, "kind"', '{"as_float": 1e400}, "kind"'), "as_float: .*range of a double"
    yield "json-zero", text('{"as_int": 2}', '{"as_int": 02}'), "begins with 0"
    yield "json-key", model(("graph_module", "metadata"), {"a\nb": 1}), r"metadata\.a\\nb: expected a string"
    yield "json-comma", text('"verifiers": [', '"verifiers": [,'), r"verifiers\[0\]: expected a value"
    # The schema.
    yield "major", model(("schema_version", "major"), 9), "unknown schema version 9.20, known is 8.0 to 8.20"
    yield "no-version", model(("schema_version",), ...), "'schema_version' is missing"
    yield "unknown-field", model(("graph_module", "graph", "surprise"), None), "graph.surprise: unknown field"
    newer = a.edit(a.sample(), ("schema_version", "minor"), 21)
    yield "newer-field", model(("graph_module", "graph", "surprise"), 1, newer), "surprise: unknown field"
    yield "missing-field", model((*NODES, 0, "target"), ...), r"nodes\[0\]: the field 'target' is missing"
    yield "mistyped", model((*NODES, 0, "target"), 3), r"nodes\[0\].target: expected a string, got a number"
    yield "mistyped-2", model((*NODES,), {}), "nodes: expected a list, got an object"
    argument = (*NODES, 0, "inputs", 1, "arg")
    yield "unknown-kind", model(argument, {"as_quaternion": 1}), "arg.as_quaternion: unknown kind"
    yield "two-kinds", model(argument, {"as_int": 1, "as_float": 1.0}), "one kind"
    yield "no-kind", model(argument, {}), "expected a kind"
    yield "dtype", model(("graph_module", "graph", "tensor_values", "x", "dtype"), 99), "unknown scalar type 99"
    yield "layout", model(("graph_module", "graph", "tensor_values", "x", "layout"), 0), "unknown layout 0"
    yield "spec-kind", model(("graph_module", "signature", "input_specs", 0), {"wish": {}}), "unknown kind of input spec"
    # The graph.
    yield "operator", model((*NODES, 1, "target"), "torch.ops.aten.rely.default"), "relu: .*aten.rely.default"
    yield "empty-target", model((*NODES, 1, "target"), ""), "relu: the target is empty"
    yield "arity", model((*NODES, 1, "inputs"), []), "relu: "
    yield "too-many", model((*NODES, 1, "inputs"), [a.named("self", a.tensor("add"))] * 3), "relu: expected at most 1"
    yield "argument-name", model((*NODES, 0, "inputs", 1, "name"), "beta"), "add: expected argument 1 .* 'other', got 'beta'"
    nested = {"as_graph": {"name": "a b", "graph": a.graph([], [], [])}}
    yield "graph-name", model(argument, nested), "add: expected a Python identifier .* 'a b'"
    for _ in range(100):
        nested = {"as_graph": {"name": "g", "graph": a.graph([], [], [
            a.node("torch.ops.higher_order.wrap", [a.named("", nested)], [])])}}
    yield "graph-deep", model(argument, nested), "nested deeper"
    yield "undefined", model((*NODES, 1, "inputs", 0, "arg"), a.tensor("nobody")), "relu: undefined value 'nobody'"
    yield "use-before-def", model((*NODES, 0, "inputs", 0, "arg"), a.tensor("relu")), "add: undefined value 'relu'"
    yield "defined-twice", model((*NODES, 1, "outputs", 0), a.tensor("add")), "'add' is defined twice"
    yield "no-type", model((*NODES, 1, "outputs", 0), a.tensor("other")), "nothing is known of the value 'other'"
    yield "value-name", model((*NODES, 1, "outputs", 0), a.tensor("a b")), "nothing is known|identifier"
    yield "positional", model((*NODES, 0, "inputs"), BACKWARDS), "add: argument 'self' is positional"
    yield "keyword", model((*NODES, 0, "inputs", 1), a.named("gamma", {"as_int": 1}, 2)), "add: .*gamma"
    yield "output", model(("graph_module", "graph", "outputs", 0), a.tensor("nobody")), "output: undefined value 'nobody'"
    yield "input-spec-count", model(("graph_module", "signature", "input_specs"), []), "expected one for each of 2 inputs"
    yield "output-spec-count", model(("graph_module", "signature", "output_specs"), []), "expected one for each of 1 outputs"
    yield "input-spec-name", model(("graph_module", "signature", "input_specs", 1, "user_input", "arg"), a.tensor("y")), "x: the signature calls"
    yield "no-state", model(("graph_module", "signature", "input_specs", 0, "parameter", "parameter_name"), "v"), "no value for 'v'"
    mutation = {"user_input_mutation": {"arg": {"name": "relu"}, "user_input_name": "z"}}
    yield "no-input", model(("graph_module", "signature", "output_specs", 0), mutation), "'z', which does not exist"
    # Sizes and expressions.
    size = ("graph_module", "graph", "tensor_values", "x", "sizes", 0)
    expr = lambda s: model(size, {"as_expr": {"expr_str": s}})
    yield "negative-size", model(size, {"as_int": -2}), "sizes of 0 or more"
    yield "stride-count", model(("graph_module", "graph", "tensor_values", "x", "strides"), []), "stride for each"
    yield "expr-empty", expr(""), "x: expected a sympy class"
    yield "expr-function", expr("Evil(Integer(1))"), "unknown function 'Evil'"
    yield "expr-code", expr("__import__('os').system('touch hacked')"), "x: "
    yield "expr-overflow", expr("Mul(Integer(9223372036854775807), Integer(2))"), "overflow"
    yield "expr-div", expr("FloorDiv(Integer(1), Integer(0))"), "division by zero"
    yield "expr-deep", expr("Add(" * 5000 + "Integer(1)" + ")" * 5000), "nesting deeper"
    yield "expr-long", expr("Add(" + "Symbol('s0'), " * 40000 + "Integer(1))"), "more than 64 KB"
    yield "expr-arity", expr("FloorDiv(Integer(1))"), "expected 2 arguments"
    yield "expr-symbol", expr("Symbol('s0 in [0, 1]')"), "expected a symbol's name"
    yield "expr-unterminated", expr("Symbol('s0"), "expected a string"
    yield "expr-trailing", expr("Integer(1))"), "unexpected text"
    yield "range", with_range("s0 +", 0), "range_constraints"
    yield "range-empty", with_range("s0", 5, 2), "range of .*s0.* is empty"
    # States.
    config = lambda c: a.pack(a.records(config=c))
    yield "state-short", a.pack(a.records(weight=R("m/data/weights/weight_0", bytes(20)))), "w: expected 24 bytes of storage"
    yield "state-offset", config(a.weights(a.tensor_meta([2, 3], offset=1))), "expected 28 bytes"
    yield "state-stride", config(a.weights(a.tensor_meta([2, 3], strides=[1 << 40, 1]))), "w: expected .* bytes"
    yield "state-overflow", config(a.weights(a.tensor_meta([1 << 40, 1 << 40]))), "overflow"
    yield "state-overflow-2", config(a.weights(a.tensor_meta([1 << 62, 4], strides=[4, 1]))), "overflow"
    yield "state-negative", config(a.weights(a.tensor_meta([2, 3], strides=[-3, 1]))), "negative"
    yield "state-symbolic", config(a.weights(a.tensor_meta(["Symbol('s0')", 3]))), "integer sizes"
    yield "state-record", config(a.weights(path_name="../../../etc/passwd")), "no record"
    yield "state-no-meta", config(a.weights(tensor_meta=None)), "w: the field 'tensor_meta' is missing"
    yield "state-type", config(a.weights(a.tensor_meta([3, 2]))), "p_w: "
    yield "config-missing", a.pack(a.records(omit=["config"])), "the archive has no such record"
    yield "config-json", config("{"), "model_weights_config.json: expected"
    yield "config-field", config({"config": {"w": {}}}), "config.w: the field"


def tensor_pickle(storage=b"FloatStorage", key=b"0", offset=b"K\0", sizes=b"K\2K\3\x86",
                  strides=b"K\3K\1\x86", function=b"_rebuild_tensor_v2", metadata=b""):
    """The instructions that push a tensor."""
    text = lambda t: b"X" + struct.pack("<I", len(t)) + t
    return (b"ctorch._utils\n" + function + b"\n((" + text(b"storage") + b"ctorch\n" + storage + b"\n"
            + text(key) + text(b"cpu") + b"K\6tQ" + offset + sizes + strides
            + b"\x89ccollections\nOrderedDict\n)R" + metadata + b"tR")


def torch_file(value, whole=None, **records):
    """An archive of torch 2.8: one file of torch.save, with one weight, in the archive."""
    pickle = b"\x80\2}q\0X\1\0\0\0w" + value + b"s." if whole is None else whole
    files = {"data.pkl": pickle, "byteorder": b"little", "data/0": bytes(24), **records}
    inner = a.pack([a.Record(f"archive/{name}", data) for name, data in files.items()])
    return a.pack(a.records(omit=["config"], extra=[a.Record("m/data/weights/model.pt", inner)]))


def torch_files():
    """Bad files of torch.save in an archive. No function that they name is called."""
    ones = lambda n: b"\x8a\x08" + struct.pack("<q", n)
    yield "pickle-call", torch_file(b"cos\nsystem\nX\4\0\0\0true\x85R"), "got a call of 'os system'"
    yield "pickle-name", torch_file(b"c\x01\x02\nf\n)R"), r"got a call of '\\001\\002 f'"
    yield "pickle-value", torch_file(b"K\1"), "'w': expected a dense tensor or parameter, got another value"
    yield "pickle-object", torch_file(b"cos\nPath\n)\x81"), "got a call of 'os Path'"
    yield "pickle-protocol", torch_file(b"", b"\x80\4N."), "a newer protocol than 2 at byte 0"
    yield "pickle-list", torch_file(b"", b"\x80\2]."), "expected a dict of tensors"
    yield "pickle-key", torch_file(b"", b"\x80\2}K\1K\2s."), "expected the name of a tensor as key 0"
    yield "pickle-odd", torch_file(b"", b"\x80\2}(K\1u."), "a key without a value"
    yield "pickle-mark", torch_file(b"", b"\x80\2}u."), "a damaged one"
    yield "pickle-memo", torch_file(b"h\7"), "an unknown value"
    yield "pickle-long", torch_file(b"\x8a\x09" + bytes(9)), "more than 64 bits"
    yield "pickle-left", torch_file(b"", b"\x80\2NN."), "a damaged one"
    yield "pickle-empty", torch_file(b"", b""), "a damaged one at byte 0"
    yield "pickle-itself", torch_file(b"h\0"), "got another value"
    yield "pickle-nested", torch_file(b"ctorch._utils\n_rebuild_parameter\nh\0\x88N\x87R"), "_rebuild_parameter"
    whole = b"\x80\2}q\0X\1\0\0\0w" + tensor_pickle() + b"s."
    for i in range(1, len(whole), 9):
        yield f"pickle-cut-{i}", torch_file(b"", whole[:i]), "data.pkl: expected a pickle"
    yield "pickle-storage", torch_file(tensor_pickle(storage=b"QInt8Storage")), "expected a dense tensor"
    yield "pickle-rank", torch_file(tensor_pickle(sizes=b"(" + b"K\1" * 65 + b"t")), "expected a dense tensor"
    conj = b"}X\4\0\0\0conj\x88s"
    yield "pickle-conj", torch_file(tensor_pickle(metadata=conj)), "got a call of 'torch._utils _rebuild_tensor_v2'"
    yield "pickle-record", torch_file(tensor_pickle(key=b"../../x")), "no record"
    yield "pickle-short", torch_file(tensor_pickle(), **{"data/0": bytes(20)}), "w: expected 24 bytes of storage"
    yield "pickle-offset", torch_file(tensor_pickle(offset=b"K\1")), "w: expected 28 bytes"
    yield "pickle-huge", torch_file(tensor_pickle(sizes=ones(1 << 40) * 2 + b"\x86")), "overflow"
    yield "pickle-negative", torch_file(tensor_pickle(sizes=ones(-2) + b"K\3\x86")), "w: "
    yield "pickle-strides", torch_file(tensor_pickle(strides=b"K\1\x85")), "w: "
    yield "pickle-order", torch_file(tensor_pickle(), byteorder=b"big"), "byteorder: expected 'little', got 'big'"
    inner = a.Record("m/data/weights/model.pt", b"PK\3\4 no archive" * 3)
    yield "pickle-no-zip", a.pack(a.records(omit=["config"], extra=[inner])), "expected a zip archive"


def size_before(record):
    """Where the header of the first extra record stands."""
    return sum(len(r.header()) + len(r.data) for r in a.records())


def flips():
    """Bit flips anywhere must not crash; they may leave a valid archive."""
    random.seed(7)
    for i in range(150):
        data = bytearray(GOOD)
        for _ in range(random.choice((1, 1, 2, 8))):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        yield f"flip-{i}", bytes(data)
    pickle = b"\x80\2}q\0X\1\0\0\0w" + tensor_pickle() + b"s."
    for i in range(40):
        data = bytearray(pickle)
        for _ in range(random.choice((1, 1, 2, 8))):
            data[random.randrange(len(data))] = random.choice(b"\x80(N\x88JKM\x8aX)]}\x85\x86\x87taesuqrhjcQRb." + bytes(4))
        yield f"pickle-flip-{i}", torch_file(b"", bytes(data))


def places(value, path=()):
    """The paths of all values in a JSON value, but its own."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def mutations():
    """Programs with values replaced, deleted or put elsewhere: well-formed JSON, rarely a program."""
    random.seed(11)
    values = (..., None, True, 0, -1, 1 << 62, 1.5, "", "x", "a\nb", "nan", [], {}, [[]], {"as_int": 1},
              {"as_name": "x"}, {"as_tensor": {"name": "x"}}, {"as_expr": {"expr_str": "Symbol('s0')"}},
              "torch.ops.aten.add.Tensor", "torch.ops.higher_order.cond", "_operator.add")
    source = a.sample()
    everywhere = list(places(source))
    for i in range(100):
        new = random.choice(values)
        if random.random() < 0.3:
            new = source
            for step in random.choice(everywhere):
                new = new[step]
        yield f"mutation-{i}", model(random.choice(everywhere), new)


def limit():
    """The sanitizer reserves terabytes, so it runs without."""
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def run(name, data):
    path = FOLDER / f"{re.sub('[^A-Za-z0-9-]', '_', name)}-{zlib.crc32(name.encode())}.pt2"
    path.write_bytes(data)
    out = path.with_suffix(".mlir")
    out.unlink(missing_ok=True)
    result = subprocess.run([TOOL, "--pt2-to-mlir", path, "-o", out], capture_output=True, timeout=10,
                            preexec_fn=None if "ASAN_OPTIONS" in os.environ else limit)
    return path, out, result


def check(case):
    name, data, expected = case
    path, out, result = run(name, data)
    stderr = result.stderr.decode(errors="replace")
    if result.returncode != 1:
        return f"{name}: expected exit 1, got {result.returncode}: {stderr[:500]}"
    if not stderr.startswith(f"error: {path}") or stderr.count("\n") != 1 or not stderr.endswith("\n"):
        return f"{name}: expected one line 'error: {path}...', got {stderr[:500]!r}"
    if not re.search(expected, stderr):
        return f"{name}: expected /{expected}/ in {stderr[:500]!r}"
    if out.exists() or result.stdout:
        return f"{name}: a refused archive left output"
    path.unlink()
    return None


def check_flip(case):
    """Either refused as it should be, or imported; then written back, or refused again."""
    name, data = case
    path, out, result = run(name, data)
    stderr = result.stderr.decode(errors="replace")
    if result.returncode == 0 and out.exists() and not stderr:
        out.unlink()
        for way in ("pt2", "fx-text", "python", "dot", "model-explorer"):
            command = [TOOL, "--pt2-to-mlir", f"--mlir-to-{way}", path, "-o", out]
            result = subprocess.run(command, capture_output=True, timeout=10)
            stderr = result.stderr.decode(errors="replace")
            good = result.returncode == 0 and out.exists() and not stderr
            bad = result.returncode == 1 and not out.exists() and stderr.count("\n") == 1
            if not good and not bad:
                return f"{name}: {way}: exit {result.returncode}, {stderr[:500]!r}"
            out.unlink(missing_ok=True)
    elif result.returncode != 1 or stderr.count("\n") != 1 or not stderr.startswith("error: "):
        return f"{name}: exit {result.returncode}, {stderr[:500]!r}"
    path.unlink()
    return None


def main():
    if TOOL == "--write-good":
        FOLDER.write_bytes(GOOD)
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    if TOOL == "--write":
        cases = [case[1] for case in (*archives(), *torch_files(), *flips(), *mutations())]
        for i, data in enumerate(cases):
            (FOLDER / f"{i}.pt2").write_bytes(data)
        return 0
    path, out, result = run("good", GOOD)
    failures = [] if result.returncode == 0 else [f"good: {result.stderr}"]
    path, out, result = run("good-torch-file", torch_file(tensor_pickle()))
    failures += [] if result.returncode == 0 else [f"good-torch-file: {result.stderr}"]
    path, out, result = run("good-zip64", a.pack(a.records(), zip64=True))
    failures += [] if result.returncode == 0 else [f"good-zip64: {result.stderr}"]
    cases = [*archives(), *torch_files()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures += filter(None, pool.map(check, cases))
        failures += filter(None, pool.map(check_flip, [*flips(), *mutations()]))
    print(*failures, sep="\n")
    print(f"{len(cases)} bad archives, {len(failures)} failures")
    return bool(failures)


sys.exit(main())
