"""Gives one kind of bad input to each tool that reads it.

usage: bad_input.py KIND FOLDER

Each tool must refuse it as the contract says: exit 1, one line
`error: <file>[:<record or node>]: ...` on standard error, nothing on standard
output, no file left, within 10 s and 2 GiB. What the archive asks for is never
done: a file `hacked` must not appear.
"""

import io
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Import" / "Inputs"))
import archive as a  # noqa: E402

KIND, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ASAN = "ASAN_OPTIONS" in os.environ
SECONDS, BYTES = 10, 2 << 30
NODES = ("graph_module", "graph", "nodes")


def model(path, new):
    return a.pack(a.records(a.edit(a.sample(), path, new)))


def truncated():
    good = a.pack(a.records())
    for part in (0, 1, 10, 500, len(good) // 2, len(good) - 1):
        yield good[:part], ": "


def corrupt_json():
    text = json.dumps(a.sample())
    for bad in ("", "[]", text[:-100], text + "x", text.replace(":", ";", 1), text.replace('"relu"', '"re\nlu"', 1)):
        yield a.pack(a.records(bad)), ":models/model.json"
    yield a.pack(a.records(text.encode().replace(b"relu", b"re\xff\xff", 1))), ":models/model.json.*UTF-8"
    yield a.pack(a.records(config="{")), "config.json"


def nested_json():
    for opening in ("[", '{"a":', '[{"a":'):
        yield a.pack(a.records('{"graph_module": ' + opening * 200000)), ":models/model.json.*nested deeper"
    yield model((*NODES, 0, "inputs", 1, "arg"), {"as_expr": {"expr_str": "Add(" * 9000}}), ": "


def schema_version():
    for major in (7, 9, 1 << 40):
        yield model(("schema_version", "major"), major), ":.*unknown schema version .*known is 8.0 to 8.20"


def unknown_operator():
    for target in ("torch.ops.aten.rely.default", "torch.ops.aten.relu.out2", "os.system", "_operator.system"):
        yield model((*NODES, 1, "target"), target), f":relu: .*{re.escape(target.removeprefix('torch.ops.'))}"


def wrong_arity():
    yield model((*NODES, 1, "inputs"), []), ":relu: .*expected"
    yield model((*NODES, 1, "inputs"), [a.named("self", a.tensor("add"))] * 3), ":relu: expected at most 1"


def undefined_name():
    yield model((*NODES, 1, "inputs", 0, "arg"), a.tensor("nobody")), ":relu: undefined value 'nobody'"
    yield model(("graph_module", "graph", "outputs", 0), a.tensor("nobody")), ":output: undefined value 'nobody'"


def size_overflow():
    huge = a.tensor_meta([1 << 40, 1 << 40])
    yield a.pack(a.records(config=a.weights(huge))), "overflow"
    yield a.pack(a.records(config=a.weights(a.tensor_meta([1 << 62, 4], strides=[4, 1])))), "overflow"
    expr = "Mul(Integer(9223372036854775807), Integer(2))"
    size = ("graph_module", "graph", "tensor_values", "x", "sizes", 0)
    yield model(size, {"as_expr": {"expr_str": expr}}), ":x: .*overflow"


def overlapping_records():
    inner = a.Record("m/y", b"abc")
    outer = a.Record("m/x", inner.header() + inner.data)
    before = sum(len(r.header()) + len(r.data) for r in a.records())
    inside = a.Record("m/y", b"", size=3, crc=inner.crc, offset=before + len(outer.header()))
    yield a.pack(a.records(extra=[outer, inside])), "overlaps"


def path_like_names():
    for name in ("../x", "m/../../hacked", "/etc/passwd", "m\\x", "C:/x", "m/a\0b"):
        yield a.pack(a.records(extra=[a.Record(name, b"hacked")])), "record name|lies in no folder|one folder"
    yield a.pack(a.records(config=a.weights(path_name="../../../etc/passwd"))), "no record"


def crc_mismatch():
    yield a.pack(a.records()).replace(b"relu", b"relV", 1), ":models/model.json: expected crc32"


def weight_crc():
    """Found when the weight is read: by fx-translate when asked to look."""
    weight = a.Record("m/data/weights/weight_0", bytes(24))
    weight.crc ^= 1
    yield a.pack(a.records(weight=weight)), ":.*w.*crc32", ("verify", "so", "run")


def code():
    """Text that Python would run."""
    evil = "__import__('os').system('touch hacked')"
    size = ("graph_module", "graph", "tensor_values", "x", "sizes", 0)
    yield model(size, {"as_expr": {"expr_str": evil}}), ":x: "
    yield model((*NODES, 1, "target"), evil), ":relu: "
    pickled = a.Record("m/data/weights/weight_0", b"cos\nsystem\n(S'touch hacked'\ntR.")
    bad = a.pack(a.records(weight=pickled, config=a.weights(use_pickle=True)))
    yield bad, ":.*w.*(pickle|no value)", ("so", "run")  # only what reads the value fails


# Inputs of the model: a dynamic batch from 3 to 8 and an int.


def dynamic_model():
    def value(n):
        return a.tensor_meta(["Symbol('s0', positive=True, integer=True)", 3] if n != "p_w" else [3])

    program = a.sample()
    program["graph_module"]["graph"]["tensor_values"] = {n: value(n) for n in ("p_w", "x", "add", "relu")}
    program["range_constraints"] = {"s0": {"min_val": 3, "max_val": 8}}
    return a.pack(a.records(program, a.weights(a.tensor_meta([3])),
                            weight=a.Record("m/data/weights/weight_0", bytes(12))))


def npy(array):
    import numpy

    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def array(shape, dtype="f4"):
    import numpy

    return npy(numpy.zeros(shape, dtype))


INPUTS = {
    "input-dtype": [([array((4, 3), "f8")], r"in_0.npy: input 'x': expected dtype float32, got float64"),
                    ([array((4, 3), "i8")], r"in_0.npy: .*expected dtype float32, got int64")],
    "input-shape": [([array((4, 2))], r":x: dimension 1: expected 3, got 2"),
                    ([array((4, 3, 1))], r":x: expected (float32\[s0, 3\]|rank 2), got (float32\[4, 3, 1\]|3)"),
                    ([array(3)], r":x: expected ")],
    "input-count": [([], r"in_0.npy: no such file"),
                    ([array((4, 3))] * 2, r"in_1.npy: expected 1 inputs")],
    "input-range": [([array((9, 3))], r":x: dimension 0: expected s0 in \[3, 8\], got 9"),
                    ([array((2, 3))], r":x: dimension 0: expected s0 in \[3, 8\], got 2"),
                    ([array((0, 3))], r":x: dimension 0: expected s0 in \[3, 8\], got 0")],
    "input-file": [([array((4, 3))[:40]], "in_0.npy: "), ([b"\x80\x04."], "in_0.npy: not an npy file"),
                   ([npy(__import__("numpy").array([print], dtype=object))], "in_0.npy: unsupported dtype")],
} if KIND.startswith("input-") else {}

failures, checks = [], 0


def limit():
    if not ASAN:  # it reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def refuse(command, expected, files=()):
    """`expected`: a pattern that follows the name of one of `files`."""
    global checks
    checks += 1
    before = {p for p in FOLDER.rglob("*")}
    what = " ".join(str(c) for c in command)
    try:
        result = subprocess.run(command, capture_output=True, timeout=SECONDS * (4 if ASAN else 1), cwd=FOLDER,
                                preexec_fn=limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        failures.append(f"{what}: longer than {SECONDS} s")
        return
    stderr = result.stderr.decode(errors="replace")
    lines = stderr.splitlines()
    if result.returncode != 1 or result.stdout:
        failures.append(f"{what}: exit {result.returncode}, stdout {result.stdout[:99]!r}, stderr {stderr[:500]!r}")
    elif len(lines) != 1 or not any(lines[0].startswith(f"error: {f}") for f in files):
        failures.append(f"{what}: expected one line 'error: {files[0]}...', got {stderr[:500]!r}")
    elif not re.search(expected, lines[0]):
        failures.append(f"{what}: expected /{expected}/ in {lines[0]!r}")
    if left := {p for p in FOLDER.rglob("*")} - before:
        failures.append(f"{what}: left {sorted(map(str, left))}")


def accept(command):
    result = subprocess.run(command, capture_output=True, cwd=FOLDER)
    if result.returncode:
        sys.exit(f"{command}: {result.stderr}")


def check_archives():
    inputs = FOLDER / "in"
    inputs.mkdir()
    (inputs / "in_0.npy").write_bytes(array((2, 3)))
    for k, (data, expected, *which) in enumerate(globals()[KIND.replace("-", "_")]()):
        path = FOLDER / f"bad{k}.pt2"
        path.write_bytes(data)
        which = which[0] if which else ("translate", "verify", "so", "linalg", "run")
        import_ = ["fx-translate", "--pt2-to-mlir", path, "-o", FOLDER / "o.mlir"]
        if "translate" in which:
            refuse(import_, expected, [path])
        if "verify" in which:
            refuse([*import_, "--verify-weights"], expected, [path])
        for emit in ("so", "linalg"):
            if emit in which:
                refuse(["fx-compile", path, f"--emit={emit}", "-o", FOLDER / "o.so"], expected, [path])
        for mode in ([], ["--interpret"], ["--no-fallback"], ["--check"]):
            run = ["fx-run", path, "--inputs", inputs, "--outputs", FOLDER / "out", *mode]
            refuse([*run, "--report", FOLDER / "report.json"], expected, [path])


def check_inputs():
    path = FOLDER / "m.pt2"
    path.write_bytes(dynamic_model())
    accept(["fx-compile", path, "-o", FOLDER / "m.so"])
    good = FOLDER / "good"
    good.mkdir()
    (good / "in_0.npy").write_bytes(array((4, 3)))
    for mode in ([path], [path, "--interpret"], [FOLDER / "m.so"]):
        accept(["fx-run", *mode, "--inputs", good, "--outputs", FOLDER / "good-out"])
    for k, (files, expected) in enumerate(INPUTS[KIND]):
        inputs = FOLDER / f"in{k}"
        inputs.mkdir()
        for i, data in enumerate(files):
            (inputs / f"in_{i}.npy").write_bytes(data)
        for mode in ([path], [path, "--interpret"], [FOLDER / "m.so"]):
            run = ["fx-run", *mode, "--inputs", inputs, "--outputs", FOLDER / "out"]
            refuse(run, expected, [mode[0], inputs])


def check_compiled():
    """Shared objects that were copied in part, which `dlopen` does not notice."""
    path, part = FOLDER / "m.so", FOLDER / "part.so"
    (FOLDER / "m.pt2").write_bytes(dynamic_model())
    accept(["fx-compile", FOLDER / "m.pt2", "-o", path])
    whole = path.read_bytes()
    inputs = FOLDER / "in"
    inputs.mkdir()
    (inputs / "in_0.npy").write_bytes(array((4, 3)))
    for size in (0, 1, 63, 100, 4096, len(whole) // 2, len(whole) - 4096):
        part.write_bytes(whole[:size])
        expected = f"at least .* got {size}$" if size > 63 else "ELF|at least"
        refuse(["fx-run", part, "--inputs", inputs, "--outputs", FOLDER / "out"], expected, [part])
    part.write_bytes(whole)
    accept(["fx-run", part, "--inputs", inputs, "--outputs", FOLDER / "good-out"])


FOLDER.mkdir(parents=True, exist_ok=True)
if KIND == "truncated-compiled":
    check_compiled()
elif KIND.startswith("input-"):
    check_inputs()
else:
    check_archives()
if (FOLDER / "hacked").exists():
    failures.append("code of the archive was run")
print(*failures, sep="\n")
print(f"{checks} refusals, {len(failures)} failures")
sys.exit(bool(failures))
