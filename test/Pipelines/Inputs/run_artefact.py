"""Runs the model of artefact.mlir through its C interface."""

import json
import sys
import threading

import numpy as np
from artefact import Model, ModelError, to_dltensor
import ctypes
from artefact import DLManagedTensor, DLTensor, POINTER

W = np.array([1, 2, 3, 4], np.float32)
calls, keep = [], []


@type(DLManagedTensor().deleter)
def release(tensor):
    pass


def fallback(context, text, n_in, inputs, n_scalars, scalars, n_out, outputs, err, size):
    """aten.foo(x, k, 0.5) = x * k; 13 is refused."""
    calls.append(json.loads(text))
    k = scalars[0].value.i
    if k == 13:
        ctypes.memmove(err, b"foo dislikes 13\0", 16)
        return 1
    t = inputs[0].contents
    shape = tuple(t.shape[i] for i in range(t.ndim))
    data = np.frombuffer(ctypes.string_at(t.data, int(np.prod(shape)) * 4), np.float32)
    result = np.asfortranarray(data.reshape(shape) * k)
    managed = DLManagedTensor(to_dltensor(result), None, release)
    keep.extend([result, managed])
    outputs[0] = ctypes.pointer(managed)
    return 0


def error(model, *inputs):
    try:
        model(*inputs)
    except ModelError as e:
        return str(e)
    raise AssertionError("no error")


def k(value):
    return np.array(value, np.int64)


def main():
    model = Model(sys.argv[1], fallback)
    info = model.info
    assert (info.n_inputs, info.n_outputs, info.n_input_leaves, info.n_fallbacks) == (3, 5, 4, 1)
    assert [info.inputs[i].leaf for i in range(3)] == [0, 2, 3]
    assert info.inputs[0].size_exprs[0] == b"s0"

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = np.ones((3, 2), np.float32)
    total, none, seven, number, foo = model(x, k(5), y)
    assert np.array_equal(total, x + W), total
    assert none is None and seven == 7 and seven.dtype == np.int64 and number == 5
    assert np.array_equal(foo, (x + W) * 5), foo
    assert np.array_equal(y, np.full((3, 2), 2)), y
    assert model.state("seen") == 1
    assert calls[0]["target"] == "aten.foo.default", calls[0]
    assert calls[0]["args"][:2] == [{"tensor": 0}, {"scalar": 0}], calls[0]
    assert float(calls[0]["args"][2]["float"]) == 0.5

    # Not contiguous: read and written through its strides.
    wide = np.ones((2, 5), np.float32)
    xt = np.arange(20, dtype=np.float32).reshape(4, 5).T
    assert np.array_equal(model(xt, k(3), wide.T)[0], xt + W)
    assert np.array_equal(wide, np.full((2, 5), 2))
    assert model.state("seen") == 2

    # What is checked.
    y2 = np.ones((2, 2), np.float32)
    assert error(model, x, k(5)) == "expected 3 inputs, got 2"
    assert error(model, x.astype(np.float64), k(5), y) == \
        "input 'x': expected dtype float32, got float64"
    assert error(model, x[0], k(5), y) == "input 'x': expected rank 2, got 1"
    assert error(model, x[:, :3], k(5), y) == "input 'x': dimension 1: expected 4, got 3"
    assert error(model, x, k(5), y2) == \
        "input 'y': dimension 0: expected s0 = 3 (as in input 'x': dimension 0), got 2"
    # A lower bound of 2 is what export assumes of every size; 0 and 1 are taken.
    assert np.array_equal(model(x[:1], k(5), y[:1].copy())[0], x[:1] + W)
    assert model(x[:0], k(5), y[:0].copy())[0].shape == (0, 4)
    big = np.zeros((65, 4), np.float32)
    assert error(model, big, k(5), big[:, :2]) == \
        "input 'x': dimension 0: expected s0 in [2, 64], got 65"
    assert "(k % 2 != 0) does not hold: got s1 = 4 (input 'k')" in error(model, x, k(4), y)
    assert error(model, x, k(1001), y) == "k is too large"
    assert error(model, x, k(13), y) == "foo dislikes 13"
    assert "no fallback is registered" in error(Model(sys.argv[1]), x, k(5), y)

    # State: a run that fails late may have counted; reset starts again.
    model.reset()
    assert model.state("seen") == 0
    other = Model(sys.argv[1], fallback)
    threads = [threading.Thread(target=lambda: [model(x, k(1), y.copy()) for _ in range(50)])
               for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert model.state("seen") == 200, model.state("seen")
    assert other.state("seen") == 0
    other.close()
    model.close()


main()
