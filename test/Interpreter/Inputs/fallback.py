"""fallback.py LIBRARY: calls fx_torch_fallback through its C interface."""

import ctypes
import json
import sys
import threading

import numpy


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    pass


Managed._fields_ = [
    ("tensor", DLTensor),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))),
]


class Scalar(ctypes.Structure):
    class Value(ctypes.Union):
        _fields_ = [("i", ctypes.c_int64), ("f", ctypes.c_double)]

    _fields_ = [("kind", ctypes.c_int32), ("value", Value)]


CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
KINDS = {code: kind for kind, code in CODES.items()}
fallback = ctypes.CDLL(sys.argv[1]).fx_torch_fallback


def to_dl(array, keep):
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*[s // array.itemsize for s in array.strides])
    t = DLTensor(
        array.ctypes.data, (1, 0), array.ndim, CODES[array.dtype.kind],
        array.itemsize * 8, 1, shape, strides, 0,
    )
    keep.append((shape, strides, t))
    return t


def from_dl(t):
    dtype = numpy.dtype(f"{KINDS[t.code]}{t.bits // 8}")
    shape = [t.shape[i] for i in range(t.ndim)]
    size = int(numpy.prod(shape)) * dtype.itemsize
    return numpy.frombuffer(ctypes.string_at(t.data, size), dtype).reshape(shape)


def call(text, inputs=(), scalars=(), outputs=1, room=512):
    keep = []
    tensors = (ctypes.POINTER(DLTensor) * max(len(inputs), 1))(
        *[ctypes.pointer(to_dl(a, keep)) for a in inputs]
    )
    values = (Scalar * max(len(scalars), 1))()
    for slot, value in zip(values, scalars):
        slot.kind = [int, float, bool].index(type(value))
        if isinstance(value, float):
            slot.value.f = value
        else:
            slot.value.i = value
    results = (ctypes.POINTER(Managed) * max(outputs, 1))()
    error = ctypes.create_string_buffer(room)
    status = fallback(
        None, text, len(inputs), tensors, len(scalars), values, outputs, results,
        error, ctypes.c_size_t(room),
    )
    if status:
        assert not any(results), "an output was left"
        raise RuntimeError(error.value.decode())
    arrays = []
    for result in results[:outputs]:
        if not result:
            arrays.append(None)
            continue
        arrays.append(from_dl(result.contents.tensor).copy())
        result.contents.deleter(result)
    return arrays


def node(target, args, kwnames=(), outs=({"tensor": "float32", "rank": 2},)):
    return json.dumps(
        {"target": target, "args": args, "kwnames": kwnames, "outs": outs, "node": "n"}
    ).encode()


def show(name, text, *inputs, scalars=(), outputs=1, note="", values=True, room=512):
    before = [a.copy() for a in inputs]
    try:
        parts = []
        for a in call(text, inputs, scalars, outputs, room):
            if a is None:
                parts.append("None")
            else:
                parts.append(f"{a.dtype}{a.shape}" + (f" {a.reshape(-1).tolist()}" if values else ""))
        assert all((a == b).all() for a, b in zip(inputs, before)), "an input was written"
        print(f"{name}: {' '.join(parts)}{note}")
    except RuntimeError as error:
        print(f"{name}: error: {error}")


X = numpy.arange(1, 7, dtype="f4").reshape(2, 3)
T, S = {"tensor": 0}, {"scalar": 0}
FLAT = ({"tensor": "float32", "rank": 1},)
show("keyword", node("aten.add.Tensor", [T, 2, 2], ["alpha"]), X)
show("strided", node("aten.clone.default", [T]), X.T)
show("list", node("aten.split_with_sizes.default", [T, [2, 1], 1],
     outs=[{"tensor": "float32", "rank": 2}] * 2), X, outputs=2)
show("list argument", node("aten.cat.default", [[T, {"tensor": 1}]]), X, X, values=False)
show("scalars", node("aten.full.default", [[S], {"scalar": 1}], outs=FLAT), scalars=(3, 2.5))
show("size", node("aten.sym_size.int", [T, 1], outs=[{"scalar": "int"}]), X)
show("symbolic", node("_operator.floordiv", [S, 2], outs=[{"scalar": "int"}]), scalars=(-7,))
show("item", node("aten.item.default", [T], outs=[{"scalar": "float"}]), numpy.array(X.sum()))
show("view", node("aten.view.default", [T, [-1]], outs=FLAT), X, note=" copied")
show("mutating", node("aten.add_.Tensor", [T, 1]), X, note=" copied")
show("dtype", node("aten.ones.default", [[2], {"dtype": "float16"}, {"device": "cpu"}],
     ["dtype", "device"], outs=[{"tensor": "float16", "rank": 1}]))
show("none", node("aten.native_layer_norm_backward.default",
     [T, T, [2], {"tensor": 1}, {"tensor": 1}, {"tensor": 2}, None, [True, True, False]],
     outs=[{"tensor": "float32", "rank": 2}, {"tensor": "float32", "rank": 1}, {"none": True}]),
     X[:1, :2].copy(), numpy.ones((1, 1), "f4"), numpy.ones(2, "f4"), outputs=3, values=False)
show("bool", node("aten.gt.Scalar", [T, {"float": "3.5"}], outs=[{"tensor": "bool", "rank": 2}]), X)
show("effects", node("with_effects", [None, {"operator": "aten.abs.default"}, T],
     outs=[{"tensor": "float32", "rank": 1}, {"tensor": "float32", "rank": 2}]),
     X, outputs=2, values=False)
show("unknown", node("my.op.default", [T]), X)
show("wrong dtype", node("aten.neg.default", [T], outs=[{"tensor": "int64", "rank": 2}]), X)
show("arity", node("aten.mul.Tensor", [T]), X)
show("name", node("aten.add.Tensor", [T, 1, 2], ["beta"]), X)
show("index", node("aten.add.Tensor", [T, {"tensor": 7}]), X)
show("json", b"{\"target\": ", X)
show("fails", node("aten.mm.default", [T, T]), X)
show("cut", node("aten.mm.default", [T, T]), X, room=8)

text = node("aten.add.Tensor", [T, 1])
done = []


def work():
    for _ in range(100):
        assert (call(text, [X])[0] == X + 1).all()
        done.append(1)


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(f"threads: {len(done)} calls")
