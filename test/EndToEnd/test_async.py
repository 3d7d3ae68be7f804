"""Asynchronous operators run concurrently with compiled code: `fx.async`, and `fx-compile
--async`."""

import ctypes
import json
import threading
import time

import artefact
import harness
import numpy as np
import pytest

#: One call of a slow operator, and `{count}` matmuls that do not need it.
GRAPH = """
fx.graph @main attributes {{functional}} {{
  %x = placeholder "x" : !fx.tensor<[8], f32>
  %y = placeholder "y" : !fx.tensor<[512, 512], f32>
  %a = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %s = call_function @mylib.slow.default(%a, 2.5) {{fx.async}} : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %t = call_function @aten.mul.Tensor(%s, %s) : (!fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
{products}
  output(%t, %m{count}, %a) : (!fx.tensor<[8], f32>, !fx.tensor<[512, 512], f32>, !fx.tensor<[8], f32>)
}}
"""
MATRIX = "!fx.tensor<[512, 512], f32>"


def products(count: int) -> str:
    lines = [
        f"  %m{k + 1} = call_function @aten.mm.default(%{f'm{k}' if k else 'y'}, %y) : ({MATRIX}, {MATRIX}) -> {MATRIX}"
        for k in range(count)
    ]
    return "\n".join(lines)


class Fallback:
    """mylib.slow returns its argument times a number after waiting for `seconds`, or, given an
    event, once that event is set. mylib.signal sets the event."""

    def __init__(self, seconds=0.0, error=None, event=None):
        self.seconds, self.error, self.event = seconds, error, event
        self.overlapped = 0
        self.threads, self.alive = [], {}

    def delete(self, tensor):
        del self.alive[ctypes.addressof(tensor.contents)]

    def __call__(self, _, text, n_in, inputs, n_scalars, scalars, n_out, outputs, error, size):
        self.threads.append(threading.get_ident())
        call = json.loads(text)
        assert n_in == n_out == 1
        factor = 1.0
        if call["target"] == "mylib.signal.default":
            time.sleep(self.seconds)
            self.event.set()
        else:
            assert call["target"] == "mylib.slow.default"
            factor = float(call["args"][1]["float"])
            if self.event:
                started_before = not self.event.is_set()
                assert self.event.wait(60)
                self.overlapped += started_before
            time.sleep(self.seconds)
        if self.error:
            message = self.error.encode()[: size - 1] + b"\0"
            ctypes.memmove(error, message, len(message))
            return 1
        result = artefact.to_numpy(inputs[0].contents) * np.float32(factor)
        managed = artefact.DLManagedTensor(artefact.to_dltensor(result))
        managed.deleter = type(managed.deleter)(self.delete)
        self.alive[ctypes.addressof(managed)] = managed, result
        outputs[0] = ctypes.pointer(managed)
        return 0


def load(tmp_path, text, fallback, *flags):
    (tmp_path / "m.mlir").write_text(text)
    result = harness.tool("fx-compile", tmp_path / "m.mlir", "-o", tmp_path / "m.so", *flags)
    assert result.returncode == 0, result.stderr
    return artefact.Model(tmp_path / "m.so", fallback)


def sample():
    rng = np.random.default_rng(0)
    y = rng.standard_normal((512, 512)).astype("f4") / 512**0.5
    return rng.standard_normal(8).astype("f4"), y


def check(outputs, x, y, count):
    t, m, a = outputs
    np.testing.assert_allclose(a, x + 1)
    np.testing.assert_allclose(t, ((x + 1) * 2.5) ** 2, rtol=1e-6)
    np.testing.assert_allclose(m, np.linalg.matrix_power(y, count + 1), atol=1e-4)


def best(fn, runs=15):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        fn()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("marked", ["by attribute", "by option"])
def test_runs_beside_compiled_code(tmp_path, marked):
    count, fallback = 6, Fallback()
    text = GRAPH.format(count=count, products=products(count))
    flags = ["--async=mylib.slow.default"]
    if marked == "by attribute":
        flags = []
    else:
        text = text.replace(" {fx.async}", "")
    model, inputs = load(tmp_path, text, fallback, *flags), sample()
    native = best(lambda: model(*inputs, threads=2))
    fallback.seconds = max(native, 0.005)
    fallback.threads.clear()
    together = best(lambda: model(*inputs, threads=2))
    check(model(*inputs, threads=2), *inputs, count)
    # On a busy machine the thread that waits for a call that has not started runs it.
    assert any(thread != threading.get_ident() for thread in fallback.threads)
    # A single thread runs everything in sequence, in the caller's thread.
    fallback.threads.clear()
    apart = best(lambda: model(*inputs), 5)
    check(model(*inputs), *inputs, count)
    assert set(fallback.threads) == {threading.get_ident()}
    print(f"{native:.4f} + {fallback.seconds:.4f} s: {together:.4f} together, {apart:.4f} apart")
    model.close()
    assert not fallback.alive


SIGNAL = """
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[8], f32>
  %s = call_function @mylib.slow.default(%x, 2.5) {fx.async} : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %a = call_function @aten.add.Tensor(%x, 1) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %g = call_function @mylib.signal.default(%a) : (!fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  %t = call_function @aten.mul.Tensor(%s, %g) : (!fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[8], f32>
  output(%t) : (!fx.tensor<[8], f32>)
}
"""


def test_overlaps(tmp_path):
    """The call ends only after the operators behind it have run."""
    fallback = Fallback(event=threading.Event())
    model = load(tmp_path, SIGNAL, fallback)
    x = np.arange(8, dtype="f4")
    # On a busy machine a call may start only when it is awaited.
    for attempt in range(100):
        fallback.event.clear()
        fallback.seconds = attempt / 1000
        np.testing.assert_allclose(model(x, threads=2)[0], x * 2.5 * (x + 1))
        if fallback.overlapped:
            break
    assert fallback.overlapped
    model.close()
    assert not fallback.alive


SEVERAL = """
fx.graph @main symbols [s0 in [1, 100]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0], f32>
  %i = placeholder "i" : !fx.tensor<[2], i64>
  %a = call_function @mylib.slow.default(%x, 2.0) {fx.async} : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %b = call_function @mylib.slow.default(%x, 3.0) {fx.async} : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %c = call_function @mylib.slow.default(%a, 5.0) {fx.async} : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %d = call_function @aten.add.Tensor(%b, %c) : (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  %e = call_function @aten.index_select.default(%x, 0, %i) : (!fx.tensor<[s0], f32>, !fx.tensor<[2], i64>) -> !fx.tensor<[2], f32>
  %f = call_function @aten.mul.Tensor(%x, %x) : (!fx.tensor<[s0], f32>, !fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
  output(%d, %e, %f) : (!fx.tensor<[s0], f32>, !fx.tensor<[2], f32>, !fx.tensor<[s0], f32>)
}
"""


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_several_at_a_time(tmp_path, threads):
    fallback = Fallback(0.001)
    model = load(tmp_path, SEVERAL, fallback)
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in (1, 7, 100):
            x, i = rng.standard_normal(n).astype("f4"), rng.integers(0, n, 2)
            d, e, f = model(x, i, threads=threads)
            for got, want in ((d, x * 3 + x * 10), (e, x[i]), (f, x * x)):
                if not np.allclose(got, want, atol=1e-5):
                    failures.append((seed, n, got, want))

    runs = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert not failures
    assert len(fallback.threads) == 4 * 3 * 3
    model.close()
    assert not fallback.alive


@pytest.mark.parametrize("threads", [1, 2])
def test_errors(tmp_path, threads):
    fallback = Fallback(0.001)
    model = load(tmp_path, SEVERAL, fallback)
    x, good, bad = np.ones(4, "f4"), np.array([0, 3]), np.array([0, 4])
    # A run that fails before it awaits a started call waits for that call first.
    with pytest.raises(artefact.ModelError, match="index"):
        model(x, bad, threads=threads)
    fallback.error = "the operator failed"
    with pytest.raises(artefact.ModelError, match="^the operator failed$"):
        model(x, good, threads=threads)
    fallback.error = None
    assert np.allclose(model(x, good, threads=threads)[0], 13)
    model.close()
    assert not fallback.alive
    # No fallback is registered.
    model = load(tmp_path, SEVERAL, None)
    with pytest.raises(artefact.ModelError, match="no fallback is registered"):
        model(x, good, threads=threads)
    model.close()
